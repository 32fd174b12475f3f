// See host_processor.h.
#include "backends/cpu/host_processor.h"

#include <algorithm>
#include <string_view>
#include <vector>

#include <llvm/ADT/StringMap.h>
#include <llvm/TargetParser/Host.h>

namespace tessera::cpu {

namespace {

bool startsWith(std::string_view text, std::initializer_list<std::string_view> prefixes) {
  return std::ranges::any_of(prefixes, [&](std::string_view prefix) { return text.starts_with(prefix); });
}

bool isTooNew(std::string_view feature, const std::string& isa) {
  if (isa == "native") return false;
  if (startsWith(feature, {"avx512", "avx10", "amx", "evex512"})) return true;
  return isa == "sse4" && startsWith(feature, {"avx", "fma", "f16c", "vaes", "vpclmulqdq", "gfni", "sha512", "sm3", "sm4", "xop"});
}

}  // namespace

HostProcessor hostProcessor(const std::string& isa) {
  HostProcessor host;
  host.name = isa == "native" ? llvm::sys::getHostCPUName().str() : "x86-64";
  std::vector<std::string> features;
  for (const auto& feature : llvm::sys::getHostCPUFeatures()) {
    const bool has = feature.second && !isTooNew(feature.first().str(), isa);
    features.push_back((has ? "+" : "-") + feature.first().str());
  }
  std::ranges::sort(features);
  for (const std::string& feature : features) host.features += (host.features.empty() ? "" : ",") + feature;
  auto has = [&](const char* feature) { return std::ranges::binary_search(features, std::string(feature)); };
  host.target = {16, has("+fma")};
  if (has("+avx2")) host.target.vectorBytes = 32;
  if (has("+avx512bw") && has("+avx512vl") && has("+avx512dq")) host.target.vectorBytes = 64;
  return host;
}

}  // namespace tessera::cpu
