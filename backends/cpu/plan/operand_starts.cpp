// See operand_starts.h. An index is a constant, or a sum of one and of counters that only grow, so that what is left of
// it stays in the array. A constant is taken out of all its uses or of none.
#include "backends/cpu/plan/operand_starts.h"

#include <algorithm>

namespace tessera::cpu {

namespace {

class Starts {
 public:
  explicit Starts(LoopProgram& program)
      : program_(program), body_(program.body), uses_(body_.nodes.size()), covered_(body_.nodes.size()) {}
  std::vector<int64_t> take();

 private:
  // A dimension of an operand, the constant in all its indices, and the sums that these are.
  struct Candidate {
    size_t operand, dimension;
    NodeId constant;
    std::vector<NodeId> sums;
    int64_t direct = 0;  // uses of the constant itself as an index
  };

  bool isConstant(NodeId id) const {
    return body_.at(id).op == NodeOp::Constant && body_.at(id).type == ElementType::S64;
  }
  bool growsFromZero(NodeId id) const;
  NodeId constantOf(NodeId index) const;
  void countUses();
  std::vector<bool> plainOperands() const;
  void gather(size_t operand, size_t dimension);
  void cover();
  bool dropUncovered();
  int64_t bytesOf(const Candidate& candidate) const;

  LoopProgram& program_;
  ElementProgram& body_;
  std::vector<int64_t> uses_, covered_;
  std::vector<Candidate> candidates_;
};

bool Starts::growsFromZero(NodeId id) const {
  const auto form = affineForm(body_, id);
  return form && form->constant == 0 &&
         std::ranges::all_of(form->terms, [](const AffineTerm& term) { return term.coefficient >= 0; });
}

// Invalid: there is none that may go.
NodeId Starts::constantOf(NodeId index) const {
  const auto positive = [&](NodeId id) { return isConstant(id) && static_cast<int64_t>(body_.at(id).bits0) > 0; };
  if (positive(index)) return index;
  if (body_.at(index).op != NodeOp::Add) return {};
  const NodeId left = body_.inputsOf(index)[0], right = body_.inputsOf(index)[1];
  if (positive(left) && growsFromZero(right)) return left;
  return positive(right) && growsFromZero(left) ? right : NodeId{};
}

void Starts::countUses() {
  const auto use = [&](NodeId id) {
    if (id.valid()) ++uses_[id.value];
  };
  for (uint32_t n = 0; n < body_.nodes.size(); ++n) std::ranges::for_each(body_.inputsOf(NodeId{n}), use);
  for (const Loop& loop : body_.loops) {
    std::ranges::for_each(loop.inits, use);
    std::ranges::for_each(loop.next, use);
  }
  std::ranges::for_each(body_.results, use);
  for (const Store& store : program_.stores) {
    std::ranges::for_each(store.indices, use);
    use(store.guard);
    use(store.value);
  }
}

// Only read, never under a condition: such a read may go to another place that must exist.
std::vector<bool> Starts::plainOperands() const {
  std::vector<bool> plain(body_.operands.size(), true);
  for (const Node& node : body_.nodes)
    if (node.op == NodeOp::ReadIf || node.op == NodeOp::DimensionSize) plain[node.bits0] = false;
  for (int64_t operand : program_.initialOperand)
    if (operand >= 0) plain[static_cast<size_t>(operand)] = false;
  for (size_t i = 0; i < plain.size(); ++i) plain[i] = plain[i] && info(body_.operands[i].type).bits % 8 == 0;
  return plain;
}

void Starts::gather(size_t operand, size_t dimension) {
  Candidate found{operand, dimension, {}, {}, 0};
  for (uint32_t n = 0; n < body_.nodes.size(); ++n) {
    if (body_.nodes[n].op != NodeOp::Read || body_.nodes[n].bits0 != operand) continue;
    const NodeId index = body_.inputsOf(NodeId{n})[dimension], constant = constantOf(index);
    if (!constant.valid() || (found.constant.valid() && found.constant != constant)) return;
    found.constant = constant;
    if (index == constant)
      ++found.direct;
    else
      found.sums.push_back(index);  // once a read
  }
  if (found.constant.valid()) candidates_.push_back(std::move(found));
}

// Uses that would go with the candidates: of sums by reads, of constants by reads and by sums that serve nothing else.
void Starts::cover() {
  std::ranges::fill(covered_, 0);
  for (const Candidate& candidate : candidates_) {
    covered_[candidate.constant.value] += candidate.direct;
    for (NodeId sum : candidate.sums) ++covered_[sum.value];
  }
  std::vector<NodeId> seen;
  for (const Candidate& candidate : candidates_)
    for (NodeId sum : candidate.sums) {
      if (std::ranges::find(seen, sum) != seen.end() || covered_[sum.value] != uses_[sum.value]) continue;
      seen.push_back(sum);
      ++covered_[candidate.constant.value];
    }
}

bool Starts::dropUncovered() {
  return std::erase_if(candidates_, [&](const Candidate& candidate) {
           return covered_[candidate.constant.value] != uses_[candidate.constant.value];
         }) > 0;
}

int64_t Starts::bytesOf(const Candidate& candidate) const {
  const Shape& shape = body_.operands[candidate.operand];
  int64_t elements = static_cast<int64_t>(body_.at(candidate.constant).bits0);
  for (size_t d = candidate.dimension + 1; d < shape.dimensions.size(); ++d) elements *= shape.dimensions[d];
  return elements * byteWidth(shape.type);
}

std::vector<int64_t> Starts::take() {
  std::vector<int64_t> starts(body_.operands.size(), 0);
  countUses();
  const std::vector<bool> plain = plainOperands();
  for (size_t operand = 0; operand < plain.size(); ++operand)
    for (size_t d = 0; plain[operand] && d < body_.operands[operand].dimensions.size(); ++d) gather(operand, d);
  do cover();
  while (dropUncovered());
  for (const Candidate& candidate : candidates_) starts[candidate.operand] += bytesOf(candidate);
  for (const Candidate& candidate : candidates_) body_.nodes[candidate.constant.value].bits0 = 0;
  return starts;
}

}  // namespace

std::vector<int64_t> takeOperandStarts(LoopProgram& program) { return Starts(program).take(); }

}  // namespace tessera::cpu
