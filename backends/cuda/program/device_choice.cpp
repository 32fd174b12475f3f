// See device_choice.h.
#include "backends/cuda/program/device_choice.h"

#include <charconv>

#include <fmt/format.h>

#include "backends/cuda/program/architecture.h"

namespace tessera::cuda {

namespace {

std::unexpected<Diagnostic> noSuchDevice(const std::string& name) {
  return fail({.kind = ErrorKind::Usage,
               .message = fmt::format("there is no device \"{}\"", name),
               .expected = "a card's number, simulated, or simulated:sm_90"});
}

template <class Number>
bool readNumber(std::string_view text, Number& out) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), out);
  return error == std::errc() && end == text.data() + text.size() && out >= 0;
}

}  // namespace

Result<DeviceChoice> readDeviceChoice(const std::string& name) {
  constexpr std::string_view kSimulated = "simulated";
  DeviceChoice out;
  if (!name.starts_with(kSimulated)) {
    out.isOpen = name.empty();
    if (!out.isOpen && !readNumber(name, out.ordinal)) return noSuchDevice(name);
    return out;
  }
  out.isSimulated = true;
  std::string_view words = std::string_view(name).substr(kSimulated.size());
  if (words.empty()) return out;
  if (words[0] != ':') return noSuchDevice(name);
  words.remove_prefix(1);
  const size_t colon = words.find(':');
  TESSERA_ASSIGN_OR_RETURN(const Architecture known, architectureOf(words.substr(0, colon)));
  out.architecture = known.name;
  if (colon != std::string_view::npos && !readNumber(words.substr(colon + 1), out.memoryBytes))
    return noSuchDevice(name);
  return out;
}

Result<std::unique_ptr<Device>> openChosen(const DeviceChoice& choice, const std::string& defaultArchitecture) {
  if (!choice.isSimulated) return openDevice(choice.ordinal);
  return makeSimulatedDevice(choice.architecture.empty() ? defaultArchitecture : choice.architecture,
                             choice.memoryBytes);
}

}  // namespace tessera::cuda
