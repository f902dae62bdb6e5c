// Runs command buffers on the shim; see host_gpu.h.
#include "metal/host_gpu.h"

#include <cstdlib>
#include <cstring>
#include <functional>
#include <new>
#include <vector>

#include "backend/metal/played_gpu.h"
#include "metal/shim/threads.h"

namespace speech {
namespace {

constexpr std::align_val_t kAlignment{64};

class Memory final : public HostBuffer {
 public:
  using HostBuffer::HostBuffer;
  ~Memory() override { ::operator delete(data(), kAlignment); }
};

std::byte* place(const GpuBinding& binding) { return binding.buffer->data() + binding.offset_bytes; }

class Commands final : public GpuCommands {
 public:
  explicit Commands(HostGpu& gpu) : gpu_(gpu) {}

  void dispatch(const std::string& kernel, const KernelGrid& grid, std::span<const GpuBinding> buffers,
                std::span<const std::byte> params) override {
    shim::Dispatch made;
    made.name = kernel;
    made.groups_x = grid.groups_x;
    made.groups_y = grid.groups_y;
    made.groups_z = grid.groups_z;
    made.threads_x = grid.threads;
    made.backwards = gpu_.backwards;
    if (grid.threadgroup_bytes > 0) {
      made.threadgroup_bytes[0] = grid.threadgroup_bytes;
    }
    unsigned index = 0;
    for (const GpuBinding& binding : buffers) {
      made.buffers[index++] = {place(binding), binding.buffer->bytes() - binding.offset_bytes, false};
    }
    steps_.push_back([made, index, constant = std::vector<std::byte>(params.begin(), params.end())]() mutable {
      made.buffers[index] = {constant.data(), constant.size(), true};
      return shim::run(made);
    });
    ++gpu_.n_dispatches;
  }

  void copy(const GpuBinding& from, const GpuBinding& to, std::size_t bytes) override {
    steps_.push_back([from, to, bytes] {
      std::memcpy(place(to), place(from), bytes);
      return std::string();
    });
  }

  void commit() override { number_ = gpu_.n_committed++; }

  // The last moment at which a GPU may have done it: what does not wait, sees nothing.
  Status wait() override {
    const bool is_lost = gpu_.lost_from >= 0 && number_ >= gpu_.lost_from;
    for (std::size_t i = 0; i < (is_lost ? steps_.size() / 2 : steps_.size()); ++i) {
      const std::string wrong = steps_[i]();
      if (!wrong.empty()) {
        return {Code::kInternal, wrong};
      }
    }
    return is_lost ? Status(Code::kIo, "the GPU was taken away: the app is in the background") : Status::ok();
  }

 private:
  HostGpu& gpu_;
  int number_ = 0;
  std::vector<std::function<std::string()>> steps_;
};

const bool g_is_set = [] {
  set_played_gpu([](int index) -> Result<std::shared_ptr<GpuDevice>> {
    if (index != 0) {
      return Status(Code::kUnsupported, "there is no GPU number " + std::to_string(index));
    }
    return std::shared_ptr<GpuDevice>(std::shared_ptr<void>(), &host_gpu());
  });
  return true;
}();

}  // namespace

HostGpu& host_gpu() {
  static HostGpu instance;
  return instance;
}

Result<std::shared_ptr<HostBuffer>> HostGpu::allocate(std::size_t bytes) {
  if (bytes > largest_bytes) {
    return Status(Code::kOutOfMemory, "the GPU has no " + std::to_string(bytes) + " bytes");
  }
  auto* const data = static_cast<std::byte*>(::operator new(bytes, kAlignment));
  // What nobody wrote must not help.
  std::memset(data, 0xff, bytes);
  return std::shared_ptr<HostBuffer>(std::make_shared<Memory>(data, bytes));
}

Result<std::unique_ptr<GpuCommands>> HostGpu::begin() {
  if (refuses_to_begin) {
    return Status(Code::kIo, "the GPU gives no command buffer");
  }
  return std::unique_ptr<GpuCommands>(std::make_unique<Commands>(*this));
}

}  // namespace speech
