// Reducers of one array are AddReducer's; comparators come as HLO text, which is shared where it is there already.
#include "core/edit/wiring/ready_computations.h"

#include <fmt/format.h>

#include <algorithm>

namespace tessera {
namespace {

struct Word {
  std::string_view word;
  Opcode opcode;
};
constexpr Word kReducers[] = {
    {"add", Opcode::Add}, {"maximum", Opcode::Maximum}, {"minimum", Opcode::Minimum}, {"multiply", Opcode::Multiply},
    {"and", Opcode::And}, {"or", Opcode::Or},           {"xor", Opcode::Xor}};
constexpr std::pair<std::string_view, std::string_view> kSynonyms[] = {
    {"sum", "add"},      {"max", "maximum"},    {"min", "minimum"},       {"product", "multiply"},
    {"mul", "multiply"}, {"less", "ascending"}, {"greater", "descending"}};

enum class Kind { None, Reducer, Sort, Select };

// Reducers of several arrays at once are too particular to be ready.
Kind kindAt(const Instruction& instruction, Attr name) {
  const size_t operands = instruction.operands.size();
  switch (instruction.opcode) {
    case Opcode::Reduce:
    case Opcode::ReduceWindow: return name == Attr::to_apply && operands == 2 ? Kind::Reducer : Kind::None;
    case Opcode::Scatter: return name == Attr::to_apply && operands == 3 ? Kind::Reducer : Kind::None;
    case Opcode::AllReduce:
    case Opcode::ReduceScatter: return name == Attr::to_apply && operands == 1 ? Kind::Reducer : Kind::None;
    case Opcode::SelectAndScatter:
      return name == Attr::scatter ? Kind::Reducer : name == Attr::select ? Kind::Select : Kind::None;
    case Opcode::Sort: return name == Attr::to_apply ? Kind::Sort : Kind::None;
    default: return Kind::None;
  }
}

// Element types of the arrays that are compared or combined; empty: an input is open or no array.
std::vector<ElementType> typesOf(const Module& module, const Instruction& instruction, Kind kind) {
  std::vector<ElementType> out;
  const size_t count = kind == Kind::Sort ? instruction.operands.size() : 1;
  for (size_t i = 0; i < count && i < instruction.operands.size(); ++i) {
    if (!module.contains(instruction.operands[i]) || !module.shapeOf(instruction.operands[i]).isArray()) return {};
    out.push_back(module.shapeOf(instruction.operands[i]).type);
  }
  return out;
}

bool takes(Opcode opcode, ElementType type) {
  if (opcode == Opcode::And || opcode == Opcode::Or || opcode == Opcode::Xor)
    return type == ElementType::Pred || isInteger(type);
  if (isComplex(type)) return opcode == Opcode::Add || opcode == Opcode::Multiply;
  return true;
}

std::string parametersText(const std::vector<ElementType>& types) {
  std::string out;
  for (size_t i = 0; i < types.size(); ++i)
    out += fmt::format("  %left.{0} = {1}[] parameter({2})\n  %right.{0} = {1}[] parameter({3})\n", i, nameOf(types[i]),
                       2 * i, 2 * i + 1);
  return out;
}

// Two values are in order when the first pair that differs is.
std::string comparatorText(const std::string& name, const std::vector<ElementType>& types, std::string_view direction,
                           bool lexicographic) {
  const size_t keys = lexicographic ? types.size() : 1;
  const bool single = keys == 1;
  std::string lines = parametersText(types), before;
  for (size_t k = keys; k-- > 0;) {
    const bool root = k == 0;
    const bool last = k + 1 == keys;
    lines += fmt::format("  {}%before.{} = pred[] compare(%left.{}, %right.{}), direction={}\n",
                         root && single ? "ROOT " : "", k, k, k, direction);
    if (!last) {
      lines += fmt::format("  %same.{0} = pred[] compare(%left.{0}, %right.{0}), direction=EQ\n", k);
      lines += fmt::format("  %then.{0} = pred[] and(%same.{0}, %{1})\n", k, before);
      lines += fmt::format("  {0}%either.{1} = pred[] or(%before.{1}, %then.{1})\n", root ? "ROOT " : "", k);
    }
    before = fmt::format("{}.{}", last ? "before" : "either", k);
  }
  return fmt::format("HloModule ready\n\n%{} {{\n{}}}\n\nENTRY %none {{\n  ROOT %n = s32[] constant(0)\n}}\n", name,
                     lines);
}

std::string typeWords(const std::vector<ElementType>& types) {
  std::string out;
  for (ElementType type : types) out += "." + std::string(nameOf(type));
  return out;
}

std::string withoutSynonym(const std::string& word) {
  const auto found = std::ranges::find(kSynonyms, word, [](const auto& each) { return each.first; });
  return found == std::end(kSynonyms) ? word : std::string(found->second);
}

}  // namespace

std::vector<std::string> readyComputations(const Module& module, const Instruction& instruction, Attr name) {
  const Kind kind = kindAt(instruction, name);
  const auto types = kind == Kind::None ? std::vector<ElementType>() : typesOf(module, instruction, kind);
  std::vector<std::string> out;
  if (types.empty()) return out;
  if (kind == Kind::Reducer) {
    for (const Word& each : kReducers)
      if (takes(each.opcode, types[0])) out.emplace_back(each.word);
  } else if (!std::ranges::any_of(types, isComplex)) {
    out = kind == Kind::Select ? std::vector<std::string>{"greatest", "least"}
                               : std::vector<std::string>{"ascending", "descending"};
    if (kind == Kind::Sort && types.size() > 1)
      out.insert(out.end(), {"lexicographic ascending", "lexicographic descending"});
  }
  return out;
}

std::optional<Edit> choosingReady(const Module& module, InstructionId id, Attr name, const std::string& word) {
  if (!module.contains(id)) return std::nullopt;
  const Instruction& instruction = module.at(id);
  const auto ready = readyComputations(module, instruction, name);
  const std::string chosen = withoutSynonym(word);
  if (std::ranges::find(ready, chosen) == ready.end()) return std::nullopt;
  const Kind kind = kindAt(instruction, name);
  const auto types = typesOf(module, instruction, kind);
  Edit edit{std::string(nameOf(name)) + " of " + std::string(instruction.name), {}};
  std::string made;
  if (kind == Kind::Reducer) {
    made = chosen + "." + std::string(nameOf(types[0]));
    edit.actions.push_back(AddReducer{made, std::ranges::find(kReducers, chosen, &Word::word)->opcode, types[0]});
  } else {
    const bool lexicographic = chosen.starts_with("lexicographic ");
    const bool down = chosen.ends_with("descending");
    const std::string_view direction = kind == Kind::Select ? (chosen == "greatest" ? "GE" : "LE") : down ? "GT" : "LT";
    made = (lexicographic ? "lexicographic." : "") +
           std::string(kind == Kind::Select ? chosen
                       : down               ? "descending"
                                            : "ascending") +
           typeWords(types);
    edit.actions.push_back(AddComputations{comparatorText(made, types, direction, lexicographic)});
  }
  edit.actions.push_back(SetAttribute{id, name, "%" + made});
  return edit;
}

}  // namespace tessera
