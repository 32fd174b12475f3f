// See changes.h.
#include "core/tools/diff/changes.h"

#include <algorithm>

#include <fmt/format.h>

#include "core/formats/hlo_text.h"
#include "core/tools/diff/attribute_diff.h"
#include "core/tools/diff/operand_alignment.h"

namespace tessera {
namespace {

constexpr size_t kShownText = 120;

std::string cut(std::string text) {
  if (text.size() <= kShownText) return text;
  size_t end = kShownText;
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0) == 0x80) --end;  // not within a letter
  text.resize(end);
  return text + "…";
}

void put(std::vector<Change>& out, std::string what, std::string inLeft, std::string inRight) {
  out.push_back({std::move(what), cut(std::move(inLeft)), cut(std::move(inRight))});
}

std::string referenceTo(const Module& module, InstructionId id) {
  return module.contains(id) ? module.at(id).reference() : "nothing";
}

bool arePartners(const LabelledGraph& left, const LabelledGraph& right, const ComputationMatch& match, InstructionId a,
                 InstructionId b) {
  const bool one = left.module().contains(a), other = right.module().contains(b);
  if (!one || !other) return one == other;
  return match.toRight[left.placeOf(a)] == right.placeOf(b);
}

bool sameLiteral(const LiteralPtr& a, const LiteralPtr& b) {
  return a == b || (a && b && a->identical(*b) && a->elided() == b->elided());
}

void shapes(const Instruction& a, const Instruction& b, std::vector<Change>& out) {
  if (*a.shape == *b.shape) return;
  put(out, sameIgnoringLayout(*a.shape, *b.shape) ? "layout" : "shape", toString(*a.shape), toString(*b.shape));
}

}  // namespace

std::string placeOf(const Module& module, InstructionId id) {
  if (!id.valid()) return "-";
  const Instruction& instruction = module.at(id);
  return fmt::format("%{}: %{}", module.at(instruction.computation).name, instruction.name);
}

std::string shortDescription(const Module& module, InstructionId id) {
  const Instruction& instruction = module.at(id);
  std::string operands;
  if (instruction.literal) operands = printLiteral(*instruction.literal);
  if (instruction.parameterNumber >= 0) operands = std::to_string(instruction.parameterNumber);
  for (InstructionId operand : instruction.operands)
    operands += (operands.empty() ? "" : ", ") + referenceTo(module, operand);
  return cut(fmt::format("{} = {} {}({})", instruction.reference(), toString(*instruction.shape, false),
                         instruction.opcodeName(), operands));
}

std::vector<Change> ChangeFinder::changesOf(const ComputationMatch& match, InstructionId a, InstructionId b) {
  std::vector<Change> out;
  const Instruction &x = left_.at(a), &y = right_.at(b);
  if (x.opcode != y.opcode || x.opcodeName() != y.opcodeName())
    put(out, "opcode", std::string(x.opcodeName()), std::string(y.opcodeName()));
  shapes(x, y, out);
  for (AttributeDifference& found : attributeDifferences(left_.module(), x, right_.module(), y))
    put(out, "attribute " + found.name, std::move(found.inLeft), std::move(found.inRight));
  channels(x, y, out);
  if (!sameLiteral(x.literal, y.literal))
    put(out, "value", x.literal ? printLiteral(*x.literal) : "", y.literal ? printLiteral(*y.literal) : "");
  const bool numbered = !left_.hasFreeParameters(match.left) && !right_.hasFreeParameters(match.right);
  if (numbered && x.parameterNumber != y.parameterNumber)
    put(out, "parameter number", std::to_string(x.parameterNumber), std::to_string(y.parameterNumber));
  callees(x, y, out);
  operands(match, x, y, out);
  predecessors(match, x, y, out);
  return out;
}

std::vector<Change> ChangeFinder::changesOfMoved(InstructionId a, InstructionId b) const {
  std::vector<Change> out;
  const Instruction &x = left_.at(a), &y = right_.at(b);
  put(out, "computation", "%" + left_.module().at(x.computation).name, "%" + right_.module().at(y.computation).name);
  shapes(x, y, out);
  return out;
}

void ChangeFinder::operands(const ComputationMatch& match, const Instruction& a, const Instruction& b,
                            std::vector<Change>& out) const {
  const auto likeness = [&](InstructionId p, InstructionId q) {
    return arePartners(left_, right_, match, p, q) ? 1 : 0;
  };
  const ComputationMatch* bound = nullptr;
  if (bindsParameters(left_.module(), a) && bindsParameters(right_.module(), b)) {
    const auto found = matches_.find({left_.module().callees(a)[0], right_.module().callees(b)[0]});
    if (found != matches_.end()) bound = &found->second;
  }
  const auto positions = alignedOperands(left_, a, right_, b, likeness, bound);
  std::vector<bool> met(b.operands.size());
  for (size_t i = 0; i < positions.size(); ++i) {
    const bool paired = positions[i] < b.operands.size();
    if (paired) met[positions[i]] = true;
    if (paired && likeness(a.operands[i], b.operands[positions[i]]) > 0) continue;
    put(out, fmt::format("operand {}", i), referenceTo(left_.module(), a.operands[i]),
        paired ? referenceTo(right_.module(), b.operands[positions[i]]) : "");
  }
  for (size_t j = 0; j < met.size(); ++j)
    if (!met[j]) put(out, fmt::format("operand {}", j), "", referenceTo(right_.module(), b.operands[j]));
}

// What differs inside computations that are compared is told there.
void ChangeFinder::callees(const Instruction& a, const Instruction& b, std::vector<Change>& out) const {
  const auto ones = left_.module().callees(a), others = right_.module().callees(b);
  for (size_t i = 0; i < std::max(ones.size(), others.size()); ++i) {
    const bool both = i < ones.size() && i < others.size();
    if (both && (matches_.contains({ones[i], others[i]}) || left_.hashOf(ones[i]) == right_.hashOf(others[i])))
      continue;
    put(out, "called computation", i < ones.size() ? "%" + left_.module().at(ones[i]).name : "",
        i < others.size() ? "%" + right_.module().at(others[i]).name : "");
  }
}

// A channel may have another number, but the same one everywhere.
void ChangeFinder::channels(const Instruction& a, const Instruction& b, std::vector<Change>& out) {
  const auto* one = a.attributes->get<int64_t>(Attr::channel_id);
  const auto* other = b.attributes->get<int64_t>(Attr::channel_id);
  if (!one && !other) return;
  const bool same = one && other && channels_.try_emplace(*one, *other).first->second == *other &&
                    channelsBack_.try_emplace(*other, *one).first->second == *one;
  if (!same) put(out, "attribute channel_id", one ? std::to_string(*one) : "", other ? std::to_string(*other) : "");
}

void ChangeFinder::predecessors(const ComputationMatch& match, const Instruction& a, const Instruction& b,
                                std::vector<Change>& out) const {
  using Ids = std::vector<InstructionId>;
  static const Ids kNone;
  const auto* one = a.attributes->get<Ids>(Attr::control_predecessors);
  const auto* other = b.attributes->get<Ids>(Attr::control_predecessors);
  const Ids &ones = one ? *one : kNone, &others = other ? *other : kNone;
  const auto isThere = [&](InstructionId p) {
    return std::ranges::any_of(others, [&](InstructionId q) { return arePartners(left_, right_, match, p, q); });
  };
  if (ones.size() == others.size() && std::ranges::all_of(ones, isThere)) return;
  const auto text = [](const Module& module, const Ids& ids) {
    std::string list;
    for (InstructionId id : ids) list += (list.empty() ? "" : ", ") + referenceTo(module, id);
    return list;
  };
  put(out, "attribute control-predecessors", text(left_.module(), ones), text(right_.module(), others));
}

std::vector<Change> ChangeFinder::changesOf(const ComputationMatch& match) const {
  std::vector<Change> out;
  const Computation &one = left_.module().at(match.left), &other = right_.module().at(match.right);
  if (one.executionThread != other.executionThread)
    put(out, "execution thread", one.executionThread, other.executionThread);
  if (!arePartners(left_, right_, match, one.root, other.root))
    put(out, "root", referenceTo(left_.module(), one.root), referenceTo(right_.module(), other.root));
  if (match.left == left_.module().entry() && match.right == right_.module().entry()) aliases(match, out);
  return out;
}

void ChangeFinder::aliases(const ComputationMatch& match, std::vector<Change>& out) const {
  const auto &one = left_.module().config().inputOutputAlias, &other = right_.module().config().inputOutputAlias;
  if (one.size() != other.size())
    return put(out, "input_output_alias", std::to_string(one.size()), std::to_string(other.size()));
  for (const AliasEntry& alias : one)
    if (!hasAlias(match, alias))
      put(out, "input_output_alias", fmt::format("output {{{}}}", fmt::join(alias.outputIndex, ",")), "");
}

bool ChangeFinder::hasAlias(const ComputationMatch& match, const AliasEntry& alias) const {
  const auto& parameters = left_.module().entryComputation().parameters;
  if (alias.parameter < 0 || alias.parameter >= static_cast<int64_t>(parameters.size())) return false;
  const uint32_t place = match.toRight[left_.placeOf(parameters[static_cast<size_t>(alias.parameter)])];
  if (place == kUnmatched) return false;
  const int32_t number = right_.at(right_.module().at(match.right).instructions[place]).parameterNumber;
  return std::ranges::any_of(right_.module().config().inputOutputAlias, [&](const AliasEntry& other) {
    return other.outputIndex == alias.outputIndex && other.parameter == number &&
           other.parameterIndex == alias.parameterIndex && other.must == alias.must;
  });
}

}  // namespace tessera
