// See tuning_constants.h. All walks of the table go through forEachConstant.
#include "core/base/tuning_constants.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <type_traits>

#include <fmt/format.h>

namespace tessera {
namespace {

constexpr double kLeastCache = 4 << 10, kMostCache = 1 << 30;
constexpr std::string_view kMeasured = "the system tells it";

struct Row {
  std::string_view group, name;
  double least, most;
  std::string_view decides, chosenBy;
};

// Calls fn(row, the field) for each constant.
template <class AnyTuning, class Fn>
void forEachConstant(AnyTuning& tuning, Fn&& fn) {
  std::string_view prefix = "caches";
  auto visit = [&](std::string_view name, auto& field, double least, double most, std::string_view decides,
                   std::string_view chosenBy) {
    fn(Row{prefix, name, least, most, decides, chosenBy}, field);
  };
  auto& caches = tuning.caches;
  visit("firstBytes", caches.firstBytes, kLeastCache, kMostCache, "bytes: of a core's first cache, for data",
        kMeasured);
  visit("secondBytes", caches.secondBytes, kLeastCache, kMostCache, "bytes: of a core's second cache", kMeasured);
  visit("lastBytes", caches.lastBytes, kLeastCache, kMostCache, "bytes: of the last cache", kMeasured);
#define TESSERA_TUNING_GROUP(name, what) \
  {                                      \
    prefix = #name;                      \
    auto& group = tuning.name;
#define TESSERA_TUNING(type, name, value, least, most, decides, chosenBy) \
  visit(#name, group.name, least, most, decides, chosenBy);
#define TESSERA_TUNING_END(name) }
#include "core/base/tuning.inc"
}

template <class Field>
TuningConstant constantOf(const Row& row, const Field& field) {
  return {fmt::format("{}.{}", row.group, row.name),
          static_cast<double>(field),
          row.least,
          row.most,
          std::is_integral_v<Field>,
          row.decides,
          row.chosenBy};
}

struct Wanted {
  std::string_view name, value;
};

std::unexpected<Diagnostic> refuse(std::string message, std::string expected, std::string_view found) {
  return fail({.kind = ErrorKind::Usage,
               .message = std::move(message),
               .expected = std::move(expected),
               .found = std::string(found)});
}

Result<std::vector<Wanted>> wantedIn(std::string_view text) {
  std::vector<Wanted> out;
  while (!text.empty()) {
    const std::string_view one = text.substr(0, text.find(','));
    text.remove_prefix(std::min(text.size(), one.size() + 1));
    const size_t equals = one.find('=');
    if (equals == std::string_view::npos) return refuse("a tuning constant without a value", "name=value", one);
    out.push_back({one.substr(0, equals), one.substr(equals + 1)});
  }
  return out;
}

Result<double> valueOf(const TuningConstant& constant, std::string_view text) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  const bool isRead = error == std::errc() && end == text.data() + text.size() && std::isfinite(value);
  const bool fits = isRead && value >= constant.least && value <= constant.most;
  if (!fits || (constant.isWhole && value != std::floor(value)))
    return refuse(
        fmt::format("the tuning constant {} cannot have this value", constant.name),
        fmt::format("a {} from {} to {}", constant.isWhole ? "whole number" : "number", constant.least, constant.most),
        text);
  return value;
}

Status setConstant(Tuning& tuning, const Wanted& wanted) {
  Status status = refuse("there is no such tuning constant", "a name that tessera machine --tuning lists", wanted.name);
  forEachConstant(tuning, [&](const Row& row, auto& field) {
    const TuningConstant constant = constantOf(row, field);
    if (constant.name != wanted.name) return;
    const Result<double> value = valueOf(constant, wanted.value);
    if (value) field = static_cast<std::remove_cvref_t<decltype(field)>>(*value);
    status = value ? Status{} : Status(std::unexpected(value.error()));
  });
  return status;
}

bool isOfCaches(const Wanted& wanted) { return wanted.name.starts_with("caches."); }

}  // namespace

std::vector<TuningConstant> tuningConstants(const Tuning& tuning) {
  std::vector<TuningConstant> out;
  forEachConstant(tuning, [&](const Row& row, const auto& field) { out.push_back(constantOf(row, field)); });
  return out;
}

std::string bytesOf(const Tuning& tuning) {
  std::string out;
  forEachConstant(tuning, [&](const Row&, const auto& field) {
    const auto value = static_cast<double>(field);
    out.append(reinterpret_cast<const char*>(&value), sizeof value);
  });
  return out;
}

Result<Tuning> tuningWith(Caches caches, std::string_view text) {
  TESSERA_ASSIGN_OR_RETURN(const std::vector<Wanted> wanted, wantedIn(text));
  Tuning onlyCaches;
  onlyCaches.caches = caches;
  for (const Wanted& one : wanted)
    if (isOfCaches(one)) TESSERA_TRY(setConstant(onlyCaches, one));
  Tuning out = tuningFor(onlyCaches.caches);
  for (const Wanted& one : wanted)
    if (!isOfCaches(one)) TESSERA_TRY(setConstant(out, one));
  return out;
}

Status takeTuningFromEnvironment() {
  const char* text = std::getenv("TESSERA_TUNING");
  if (!text) return {};
  auto wanted = tuningWith(measuredCaches(), text);
  if (!wanted) {
    wanted.error().message = "TESSERA_TUNING: " + wanted.error().message;
    return std::unexpected(std::move(wanted).error());
  }
  setTuning(*wanted);
  return {};
}

}  // namespace tessera
