// Stands for React Native's tracing, which the host has none of. Newer sources ask for this name.
#pragma once

namespace facebook::react {

struct TraceSection {
  template <typename... Arguments>
  explicit TraceSection(Arguments&&...) {}
};

}  // namespace facebook::react
