// See partners.h.
#include "core/tools/diff/partners.h"

#include <algorithm>

#include "core/tools/diff/operand_alignment.h"

namespace tessera {

Partners::Partners(const LabelledGraph& leftGraph, const LabelledGraph& rightGraph, ComputationId a, ComputationId b)
    : left(leftGraph), right(rightGraph), one(left.module().at(a)), other(right.module().at(b)) {
  match = {a, b, std::vector<uint32_t>(one.instructions.size(), kUnmatched),
           std::vector<uint32_t>(other.instructions.size(), kUnmatched)};
}

bool Partners::isWhole() const {
  return std::ranges::find(match.toRight, kUnmatched) == match.toRight.end() &&
         std::ranges::find(match.toLeft, kUnmatched) == match.toLeft.end();
}

void Partners::pair(InstructionId a, InstructionId b) {
  match.toRight[left.placeOf(a)] = right.placeOf(b);
  match.toLeft[right.placeOf(b)] = left.placeOf(a);
}

void Partners::exchange(InstructionId a, InstructionId twin) {
  std::swap(match.toRight[left.placeOf(a)], match.toRight[left.placeOf(twin)]);
  for (InstructionId id : {a, twin})
    if (!isFree(id)) match.toLeft[match.toRight[left.placeOf(id)]] = left.placeOf(id);
}

Kinship Partners::kinship(InstructionId a, InstructionId b) const {
  if (left.label(a) == right.label(b)) return Kinship::SameLabel;
  if (left.loose(a) == right.loose(b)) return Kinship::SameShape;
  const Instruction &x = left.at(a), &y = right.at(b);
  return x.opcode == y.opcode && x.opcodeName() == y.opcodeName() ? Kinship::SameOpcode : Kinship::Stranger;
}

int Partners::sameHashes(InstructionId a, InstructionId b) const {
  const GraphHashes &x = left.hashes(), &y = right.hashes();
  return 4 * (x.exact[a.value] == y.exact[b.value]) + 2 * (x.down[a.value] == y.down[b.value]) +
         2 * (x.up[a.value] == y.up[b.value]);
}

int Partners::likeness(InstructionId a, InstructionId b) const {
  if (!left.module().contains(a) || !right.module().contains(b)) return 0;
  if (arePartners(a, b)) return 20;
  if (!isFree(a) || !isFreeRight(b)) return -20;
  return static_cast<int>(kinship(a, b)) * 2 + sameHashes(a, b) - 3;
}

std::vector<uint32_t> Partners::aligned(const Instruction& a, const Instruction& b) const {
  return alignedOperands(left, a, right, b, [this](InstructionId x, InstructionId y) { return likeness(x, y); });
}

bool Partners::mayBeSameEdge(const UserEdge& a, const UserEdge& b) const {
  const Instruction &x = left.at(a.user), &y = right.at(b.user);
  return a.position == b.position || x.operands.size() != y.operands.size() ||
         (ignoresOperandOrder(x) && ignoresOperandOrder(y)) ||
         (bindsParameters(left.module(), x) && bindsParameters(right.module(), y));
}

Evidence Partners::evidence(InstructionId a, InstructionId b) const {
  Evidence out;
  const Instruction &x = left.at(a), &y = right.at(b);
  const std::vector<uint32_t> positions = aligned(x, y);
  for (size_t i = 0; i < positions.size(); ++i) {
    if (positions[i] >= y.operands.size()) continue;
    const InstructionId p = x.operands[i], q = y.operands[positions[i]];
    if (!left.module().contains(p) || !right.module().contains(q)) continue;
    if (arePartners(p, q))
      ++out.agree;
    else if (!isFree(p) || !isFreeRight(q))
      ++out.conflict;
  }
  askUsers(a, b, out);
  return out;
}

void Partners::askUsers(InstructionId a, InstructionId b, Evidence& out) const {
  if (a == one.root && b == other.root) ++out.agree;
  const auto users = left.users(a), others = right.users(b);
  for (const UserEdge& edge : users.first(std::min(users.size(), kMaxUsersAsked)))
    if (!isFree(edge.user)) ++(uses(partnerOf(edge.user), b, edge) ? out.agree : out.conflict);
  for (const UserEdge& edge : others.first(std::min(others.size(), kMaxUsersAsked))) {
    if (isFreeRight(edge.user)) continue;
    const auto operands = left.at(partnerOfRight(edge.user)).operands;
    if (std::ranges::find(operands, a) == operands.end()) ++out.conflict;
  }
}

bool Partners::uses(InstructionId user, InstructionId value, const UserEdge& like) const {
  const auto operands = right.at(user).operands;
  for (uint32_t i = 0; i < operands.size(); ++i)
    if (operands[i] == value && mayBeSameEdge(like, {user, i})) return true;
  return false;
}

}  // namespace tessera
