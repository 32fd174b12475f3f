// See argument_rules.h.
#include "core/evaluate/argument_rules.h"

#include <algorithm>
#include <optional>

#include "core/evaluate/dynamic_values.h"
#include "core/evaluate/usual_sources.h"

namespace tessera {
namespace {

std::string argumentName(int64_t leaf) { return "arg" + std::to_string(leaf); }

// Array leaves in order.
void appendLeaves(const Literal& literal, std::vector<Literal>& out) {
  for (const Literal& element : literal.elements()) appendLeaves(element, out);
  if (literal.shape().isArray()) out.push_back(literal);
}

// An array under another name would be left out without a word, and the fill rule's values taken.
Status checkName(const ArgumentRules& rules, const std::string& name) {
  if (name.starts_with("arg") && name.size() > 3 &&
      std::ranges::all_of(name.substr(3), [](char c) { return c >= '0' && c <= '9'; }))
    return {};
  return fail(ErrorKind::Input,
              rules.givenFrom + ": an argument's array is named arg0, arg1 … after its number; found " + name);
}

// The sources that the user gave, and usual ones for the rest.
std::map<int64_t, std::string> sourcesOf(const ArgumentRules& rules, const Module& module, bool oneDevice) {
  std::map<int64_t, std::string> out = rules.sources;
  if (!rules.usual || !oneDevice) return out;
  const std::vector<std::string> usual = usualSources(module);
  for (size_t leaf = 0; leaf < usual.size(); ++leaf) {
    const std::string name = argumentName(static_cast<int64_t>(leaf));
    const bool given =
        rules.given.contains(name) ||
        (rules.file && std::ranges::any_of(rules.file->shapes(), [&](const auto& each) { return each.first == name; }));
    if (!given && usual[leaf] != "rule") out.try_emplace(static_cast<int64_t>(leaf), usual[leaf]);
  }
  return out;
}

// The given arrays and those that the words make, asking `watch` before each. wrong: gets what cannot be made, which
// fails without it.
Result<NamedArrays> namedArguments(const ArgumentRules& rules, const Module& module, bool oneDevice,
                                   std::map<int64_t, Diagnostic>* wrong = nullptr) {
  for (const auto& [name, value] : rules.given) TESSERA_TRY(checkName(rules, name));
  if (rules.file)
    for (const auto& [name, shape] : rules.file->shapes()) TESSERA_TRY(checkName(rules, name));
  NamedArrays arrays = rules.given;
  const std::vector<Shape> shapes = entryArgumentShapes(module);
  for (const auto& [leaf, words] : sourcesOf(rules, module, oneDevice)) {
    const std::string what = "argument " + std::to_string(leaf) + ": ";
    if (leaf < 0 || static_cast<size_t>(leaf) >= shapes.size())
      return fail(ErrorKind::Usage, what + "the program has " + std::to_string(shapes.size()) + " arguments");
    if (rules.watch) TESSERA_TRY(rules.watch(static_cast<size_t>(leaf), shapes.size()));
    auto made = argumentFrom(words, shapes[static_cast<size_t>(leaf)],
                             {rules.fill, static_cast<uint64_t>(leaf), rules.readFile, rules.decodeImage});
    if (made) {
      arrays[argumentName(leaf)] = *std::move(made);
    } else if (wrong) {
      arrays.erase(argumentName(leaf));
      wrong->emplace(leaf, std::move(made).error());
    } else {
      made.error().message = what + made.error().message;
      return fail(std::move(made).error());
    }
  }
  return arrays;
}

bool isOneDevice(DeviceGrid grid) { return grid.count() <= 1; }

template <class Arguments>
Result<Arguments> namingTheFile(const ArgumentRules& rules, Result<Arguments> out) {
  if (!out && out.error().kind == ErrorKind::Input && !rules.givenFrom.empty() && out.error().file.empty())
    out.error().message = rules.givenFrom + ": " + out.error().message;
  return out;
}

}  // namespace

Result<DeviceArrays> argumentsBy(const ArgumentRules& rules, const Module& module, DeviceGrid grid) {
  TESSERA_ASSIGN_OR_RETURN(const NamedArrays arrays, namedArguments(rules, module, isOneDevice(grid)));
  return namingTheFile(rules, argumentsByDevice(module, grid, arrays, rules.fill, rules.watch));
}

Result<std::vector<Literal>> argumentsBy(const ArgumentRules& rules, const Module& module, DeviceGrid grid,
                                         int64_t device) {
  TESSERA_ASSIGN_OR_RETURN(const NamedArrays arrays, namedArguments(rules, module, isOneDevice(grid)));
  return namingTheFile(rules,
                       argumentsOfDevice(module, grid, device, arrays, rules.file.get(), rules.fill, rules.watch));
}

Result<std::vector<Literal>> argumentsBy(const ArgumentRules& rules, const Module& module) {
  TESSERA_ASSIGN_OR_RETURN(DeviceArrays out, argumentsBy(rules, module, DeviceGrid{}));
  return std::move(out[0]);
}

const Diagnostic* PossibleArguments::wrongOf(const Module& module, InstructionId parameter) const {
  const int64_t first = firstLeafOf(module, parameter);
  const auto leaves = std::ranges::count_if(leavesOf(module.shapeOf(parameter)),
                                            [](const ShapeLeaf& leaf) { return leaf.shape->isArray(); });
  const auto found = wrong.lower_bound(first);
  return found != wrong.end() && found->first < first + leaves ? &found->second : nullptr;
}

Result<PossibleArguments> possibleArgumentsBy(const ArgumentRules& rules, const Module& module) {
  PossibleArguments out;
  TESSERA_ASSIGN_OR_RETURN(NamedArrays arrays, namedArguments(rules, module, true, &out.wrong));
  const std::vector<Shape> shapes = entryArgumentShapes(module);
  for (size_t leaf = 0; leaf < shapes.size(); ++leaf) {
    const auto found = arrays.find(argumentName(static_cast<int64_t>(leaf)));
    if (found == arrays.end() || takesArgument(shapes[leaf], found->second.shape())) continue;
    out.wrong.emplace(leaf, Diagnostic{.kind = ErrorKind::Input,
                                       .message = "it has the wrong shape",
                                       .expected = toString(shapes[leaf], false),
                                       .found = toString(found->second.shape(), false),
                                       .file = rules.givenFrom});
    arrays.erase(found);
  }
  TESSERA_ASSIGN_OR_RETURN(DeviceArrays made, argumentsByDevice(module, DeviceGrid{}, arrays, rules.fill, rules.watch));
  out.values = std::move(made[0]);
  return out;
}

NamedArrays namedLeaves(std::span<const Literal> literals, const std::string& prefix) {
  std::vector<Literal> leaves;
  for (const Literal& literal : literals) appendLeaves(literal, leaves);
  NamedArrays out;
  for (size_t i = 0; i < leaves.size(); ++i) out[prefix + std::to_string(i)] = leaves[i];
  return out;
}

}  // namespace tessera
