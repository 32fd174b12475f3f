// Whole numbers of a JSON text that may hold any number. Used by the readers of profiles, private to core/profile.
#pragma once

#include <fmt/format.h>

#include <concepts>
#include <optional>
#include <stdexcept>
#include <string_view>
#include <utility>
#include <vector>

#include "core/base/whole_number.h"

namespace tessera {

// Says which number it is.
class NumberOutOfRange : public std::range_error {
 public:
  using std::range_error::range_error;
};

// Without its decimals. `name` is that of the member, for the error. Throws NumberOutOfRange, and the exceptions of
// nlohmann::json for what is no number.
template <std::integral T, class Json>
T wholeIn(const Json& json, std::string_view name) {
  std::optional<T> out;
  const auto keep = [&](auto whole) {
    if (std::in_range<T>(whole)) out = static_cast<T>(whole);
  };
  if (json.is_number_float()) {
    if (const auto whole = checkedWhole(json.template get<double>())) keep(*whole);
  } else if (json.is_number_unsigned()) {
    keep(json.template get<uint64_t>());
  } else {
    keep(json.template get<int64_t>());
  }
  if (!out)
    throw NumberOutOfRange(fmt::format("\"{}\" is {}, out of the range of {} bits", name, json.dump(), 8 * sizeof(T)));
  return *out;
}

template <std::integral T, class Json>
T wholeAt(const Json& object, const char* name) {
  return wholeIn<T>(object.at(name), name);
}

template <std::integral T, class Json>
T wholeOr(const Json& object, const char* name, T missing) {
  return wholeIn<T>(object.value(name, Json(missing)), name);
}

// Empty where there is no such list.
template <std::integral T, class Json>
std::vector<T> wholesIn(const Json& object, const char* name) {
  std::vector<T> out;
  for (const Json& each : object.value(name, Json::array()).template get<std::vector<Json>>())
    out.push_back(wholeIn<T>(each, name));
  return out;
}

}  // namespace tessera
