// See argument_rules.h.
#include "core/evaluate/argument_rules.h"

#include <algorithm>
#include <optional>

namespace tessera {
namespace {

// An array under another name would be left out without a word, and the fill rule's values taken.
Status checkNames(const ArgumentRules& rules) {
  for (const auto& [name, value] : rules.given)
    if (!name.starts_with("arg") || name.size() == 3 ||
        !std::ranges::all_of(name.substr(3), [](char c) { return c >= '0' && c <= '9'; }))
      return fail(ErrorKind::Input,
                  rules.givenFrom + ": an argument's array is named arg0, arg1 … after its number; found " + name);
  return {};
}

}  // namespace

Result<DeviceArrays> argumentsBy(const ArgumentRules& rules, const Module& module, DeviceGrid grid) {
  TESSERA_TRY(checkNames(rules));
  NamedArrays arrays = rules.given;
  const std::vector<Shape> shapes = entryArgumentShapes(module);
  for (const auto& [leaf, words] : rules.sources) {
    const std::string what = "argument " + std::to_string(leaf) + ": ";
    if (leaf < 0 || static_cast<size_t>(leaf) >= shapes.size())
      return fail(ErrorKind::Usage, what + "the program has " + std::to_string(shapes.size()) + " arguments");
    auto made = argumentFrom(words, shapes[static_cast<size_t>(leaf)],
                             {rules.fill, static_cast<uint64_t>(leaf), rules.readFile, rules.decodeImage});
    if (!made) {
      made.error().message = what + made.error().message;
      return fail(std::move(made).error());
    }
    arrays["arg" + std::to_string(leaf)] = *std::move(made);
  }
  auto out = argumentsByDevice(module, grid, arrays, rules.fill);
  if (!out && out.error().kind == ErrorKind::Input && !rules.givenFrom.empty())
    out.error().message = rules.givenFrom + ": " + out.error().message;
  return out;
}

Result<std::vector<Literal>> argumentsBy(const ArgumentRules& rules, const Module& module) {
  TESSERA_ASSIGN_OR_RETURN(DeviceArrays out, argumentsBy(rules, module, DeviceGrid{}));
  return std::move(out[0]);
}

}  // namespace tessera
