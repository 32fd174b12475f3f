// See device_roofline.h.
#include "backends/cuda/roofline/device_roofline.h"

#include <algorithm>
#include <functional>

#include "backends/cuda/roofline/roofline_kernels.h"

namespace tessera::cuda {

namespace {

constexpr unsigned kThreads = 256, kBlocksPerMultiprocessor = 8;
constexpr int64_t kMostStreamBytes = int64_t{1} << 30, kLeastStreamBytes = int64_t{1} << 16;

// Gives back what it took.
class Measurement {
 public:
  Measurement(Device& device, double seconds) : device_(device), seconds_(seconds) {}
  ~Measurement() {
    for (const DeviceAddress address : {from_, to_})
      if (address) (void)device_.release(address);
    if (pinned_) (void)device_.releasePinned(pinned_);
    for (const EventId event : {begin_, end_})
      if (event != EventId::None) (void)device_.releaseEvent(event);
    if (module_ != ModuleId::None) (void)device_.unload(module_);
  }
  Measurement(const Measurement&) = delete;
  Measurement& operator=(const Measurement&) = delete;

  Result<Roofline> run() {
    const DeviceInfo& info = device_.info();
    TESSERA_ASSIGN_OR_RETURN(const Architecture architecture, architectureOf(bestArchitectureFor(info)));
    TESSERA_TRY(open(architecture));
    Roofline out;
    out.processor = info.name + ", " + info.architecture();
    out.cores = info.multiprocessors;
    for (const ArithmeticKernel& kernel : arithmeticKernels(architecture)) {
      TESSERA_ASSIGN_OR_RETURN(const double one, arithmetic(kernel, 1));
      TESSERA_ASSIGN_OR_RETURN(const double all, arithmetic(kernel, fullGrid()));
      out.arithmetic.push_back({kernel.type, one, all});
    }
    for (const auto& [how, arrays] : {std::pair("read", 1), std::pair("write", 1), std::pair("copy", 2)}) {
      TESSERA_ASSIGN_OR_RETURN(const double one, stream(how, arrays, 1));
      TESSERA_ASSIGN_OR_RETURN(const double all, stream(how, arrays, fullGrid()));
      out.memory.push_back({"memory", how, one, all});
    }
    TESSERA_ASSIGN_OR_RETURN(const double there, hostCopy(true));
    TESSERA_ASSIGN_OR_RETURN(const double back, hostCopy(false));
    out.memory.push_back({"host", "to the device", there, there});
    out.memory.push_back({"host", "from the device", back, back});
    return out;
  }

 private:
  unsigned fullGrid() const {
    return kBlocksPerMultiprocessor * static_cast<unsigned>(std::max(1, device_.info().multiprocessors));
  }

  // An eighth of the free memory for each of two arrays, so that no cache holds them.
  Status open(const Architecture& architecture) {
    TESSERA_ASSIGN_OR_RETURN(const std::string code, device_.assemble(rooflinePtx(architecture)));
    TESSERA_ASSIGN_OR_RETURN(module_, device_.load(code));
    TESSERA_ASSIGN_OR_RETURN(begin_, device_.makeEvent());
    TESSERA_ASSIGN_OR_RETURN(end_, device_.makeEvent());
    TESSERA_ASSIGN_OR_RETURN(const DeviceMemory memory, device_.memory());
    bytes_ = std::clamp(memory.free / 8 / 4096 * 4096, kLeastStreamBytes, kMostStreamBytes);
    TESSERA_ASSIGN_OR_RETURN(from_, device_.allocate(bytes_));
    TESSERA_ASSIGN_OR_RETURN(to_, device_.allocate(bytes_));
    TESSERA_ASSIGN_OR_RETURN(pinned_, device_.allocatePinned(bytes_));
    return device_.fill(from_, 0, bytes_, StreamId::Default);
  }

  // Work of a size that takes the time; gives seconds a unit.
  Result<double> timed(double most, const std::function<Status(double size)>& work) {
    constexpr double kMilliseconds = 1e3, kGrowth = 4;
    TESSERA_TRY(work(1));  // loads what is loaded at first
    for (double size = 1;; size = std::min(most, size * kGrowth)) {
      TESSERA_TRY(device_.record(begin_, StreamId::Default));
      TESSERA_TRY(work(size));
      TESSERA_TRY(device_.record(end_, StreamId::Default));
      TESSERA_TRY(device_.synchronize(StreamId::Default));
      TESSERA_ASSIGN_OR_RETURN(const double took, device_.milliseconds(begin_, end_));
      if (took >= seconds_ * kMilliseconds || size >= most) return std::max(took / kMilliseconds, 1e-9) / size;
    }
  }

  template <class... Numbers>
  Status launch(const std::string& name, unsigned blocks, Numbers... numbers) {
    TESSERA_ASSIGN_OR_RETURN(const KernelId kernel, device_.kernel(module_, name));
    std::vector<std::byte> parameters;
    const auto push = [&](auto number) {
      const auto* bytes = reinterpret_cast<const std::byte*>(&number);
      parameters.insert(parameters.end(), bytes, bytes + sizeof number);
    };
    (push(numbers), ...);
    return device_.launch({.kernel = kernel, .grid = {blocks}, .block = {kThreads}, .parameters = parameters},
                          StreamId::Default);
  }

  // Operations a second.
  Result<double> arithmetic(const ArithmeticKernel& kernel, unsigned blocks) {
    constexpr double kMostRounds = 1 << 24;
    TESSERA_ASSIGN_OR_RETURN(const double round, timed(kMostRounds, [&](double rounds) {
                               return launch(kernel.name, blocks, uint64_t{to_}, static_cast<uint32_t>(rounds));
                             }));
    return kernel.flopsPerThreadRound * kThreads * blocks / round;
  }

  // Bytes a second, of all arrays that are touched.
  Result<double> stream(const char* name, int arrays, unsigned blocks) {
    constexpr int64_t kWordBytes = 16, kPieces = 64;
    const int64_t piece = std::max<int64_t>(kWordBytes, bytes_ / kPieces);
    TESSERA_ASSIGN_OR_RETURN(const double each, timed(static_cast<double>(bytes_ / piece), [&](double size) {
                               const auto words =
                                   static_cast<uint64_t>(size) * static_cast<uint64_t>(piece / kWordBytes);
                               return launch(name, blocks, uint64_t{from_}, uint64_t{to_}, words);
                             }));
    return static_cast<double>(arrays * piece) / each;
  }

  Result<double> hostCopy(bool toDevice) {
    constexpr double kMost = 1 << 20;
    const std::span<std::byte> host(pinned_, static_cast<size_t>(bytes_));
    TESSERA_ASSIGN_OR_RETURN(const double each, timed(kMost, [&](double size) -> Status {
                               for (double i = 0; i < size; ++i)
                                 TESSERA_TRY(toDevice ? device_.copyToDevice(from_, host, StreamId::Default)
                                                      : device_.copyToHost(host, from_, StreamId::Default));
                               return {};
                             }));
    return static_cast<double>(bytes_) / each;
  }

  Device& device_;
  const double seconds_;
  ModuleId module_ = ModuleId::None;
  EventId begin_ = EventId::None, end_ = EventId::None;
  DeviceAddress from_ = 0, to_ = 0;
  std::byte* pinned_ = nullptr;
  int64_t bytes_ = 0;
};

}  // namespace

Result<Roofline> measureDeviceRoofline(Device& device, double seconds) { return Measurement(device, seconds).run(); }

}  // namespace tessera::cuda
