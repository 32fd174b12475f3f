// See host_processor.h.
#include "backends/cpu/kernels/host_processor.h"

#include <algorithm>
#include <string_view>
#include <vector>

#include <llvm/ADT/StringMap.h>
#include <llvm/TargetParser/Host.h>

#include "core/base/tuning.h"

namespace tessera::cpu {

namespace {

bool startsWith(std::string_view text, std::initializer_list<std::string_view> prefixes) {
  return std::ranges::any_of(prefixes, [&](std::string_view prefix) { return text.starts_with(prefix); });
}

bool isTooNew(std::string_view feature, const std::string& isa) {
  if (isa == "native") return false;
  if (startsWith(feature, {"avx512", "avx10", "amx", "evex512"})) return true;
  return isa == "sse4" &&
         startsWith(feature, {"avx", "fma", "f16c", "vaes", "vpclmulqdq", "gfni", "sha512", "sm3", "sm4", "xop"});
}

// What each level adds.
struct Level {
  std::string_view name, features;
  codegen::Target target;
};
const Level kLevels[] = {
    {"x86-64-v2", "sse3,ssse3,sse4.1,sse4.2,popcnt", {.vectorBytes = 16, .fusedMultiplyAdd = false}},
    {"x86-64-v3", "sse3,ssse3,sse4.1,sse4.2,popcnt,avx,avx2,bmi,bmi2,f16c,fma,lzcnt", {.vectorBytes = 32}},
    {"x86-64-v4",
     "sse3,ssse3,sse4.1,sse4.2,popcnt,avx,avx2,bmi,bmi2,f16c,fma,lzcnt,avx512f,avx512bw,avx512cd,avx512dq,avx512vl",
     {.vectorBytes = 64}}};

}  // namespace

bool isLevel(const std::string& isa) { return std::ranges::find(kLevels, isa, &Level::name) != std::end(kLevels); }

HostProcessor hostProcessor(const std::string& isa) {
  HostProcessor host;
  if (const auto level = std::ranges::find(kLevels, isa, &Level::name); level != std::end(kLevels)) {
    host.name = isa;
    host.present = level->features;
    host.target = level->target;
    return host;
  }
  host.name = isa == "native" ? llvm::sys::getHostCPUName().str() : "x86-64";
  std::vector<std::string> features;
  for (const auto& feature : llvm::sys::getHostCPUFeatures()) {
    const bool has = feature.second && !isTooNew(feature.first().str(), isa);
    features.push_back((has ? "+" : "-") + feature.first().str());
  }
  std::ranges::sort(features);
  for (const std::string& feature : features) {
    host.features += (host.features.empty() ? "" : ",") + feature;
    if (feature[0] == '+') host.present += (host.present.empty() ? "" : ",") + feature.substr(1);
  }
  auto has = [&](const char* feature) { return std::ranges::binary_search(features, std::string(feature)); };
  host.target.vectorBytes = 16;
  host.target.fusedMultiplyAdd = has("+fma");
  host.target.cacheBytes = tuning().caches.lastBytes;
  if (has("+avx2")) host.target.vectorBytes = 32;
  if (has("+avx512bw") && has("+avx512vl") && has("+avx512dq")) host.target.vectorBytes = 64;
  return host;
}

}  // namespace tessera::cpu
