// Stands for React Native's tracing, which the host has none of. Up to 0.8x sources ask for this name.
#pragma once

namespace facebook::react {

struct SystraceSection {
  template <typename... Arguments>
  explicit SystraceSection(Arguments&&...) {}
};

}  // namespace facebook::react
