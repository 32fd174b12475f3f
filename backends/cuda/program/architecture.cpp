// See architecture.h.
#include "backends/cuda/program/architecture.h"

#include <cctype>
#include <charconv>

#include <fmt/format.h>

namespace tessera::cuda {

namespace {

struct Known {
  int number;
  const char* features;
  unsigned sharedKilobytes;  // CUDA C++ Programming Guide, "Technical Specifications per Compute Capability"
};

constexpr unsigned kHopperKilobytes = 227;
// In LLVM 19; what kernels use (maxima that keep NaN) needs PTX 7.0.
constexpr Known kKnown[] = {
    {70, "+ptx70", 96}, {72, "+ptx70", 96},  {75, "+ptx70", 64}, {80, "+ptx70", 163},
    {86, "+ptx71", 99}, {87, "+ptx74", 163}, {89, "+ptx78", 99}, {90, "+ptx78", kHopperKilobytes}};

Architecture hopper() { return {"sm_90a", "+ptx80", 90, kHopperKilobytes << 10, true}; }

}  // namespace

std::string bestArchitectureFor(const DeviceInfo& device) {
  constexpr int kFirstDriver = 12000;  // that reads PTX 8.0
  const bool isHopper = device.major == 9 && device.minor == 0;
  const bool isSimulated = device.ordinal < 0;
  return isHopper && (isSimulated || device.driverVersion >= kFirstDriver) ? hopper().name : device.architecture();
}

Result<Architecture> architectureOf(std::string_view name) {
  int number = 0;
  const bool hasPrefix = name.starts_with("sm_");
  const char* end = name.data() + name.size();
  const auto [rest, error] = std::from_chars(name.data() + (hasPrefix ? 3 : 0), end, number);
  const bool isSuffix = rest == end || (rest + 1 == end && std::islower(static_cast<unsigned char>(*rest)));
  if (!hasPrefix || error != std::errc() || !isSuffix)
    return fail({.kind = ErrorKind::Usage,
                 .message = fmt::format("\"{}\" is no architecture of a CUDA device", name),
                 .expected = "sm_70 to sm_90, such as sm_80"});
  if (name == hopper().name) return hopper();
  if (number < kKnown[0].number)
    return fail(ErrorKind::Unsupported,
                fmt::format("{} is too old: kernels need sm_{} or later", name, kKnown[0].number));
  const Known* best = kKnown;
  for (const Known& known : kKnown)
    if (known.number <= number) best = &known;
  return Architecture{fmt::format("sm_{}", best->number), best->features, best->number, best->sharedKilobytes << 10};
}

}  // namespace tessera::cuda
