// Copy insertion: inserts the copies that the alias analysis requests, until it requests none. A swap of carries takes
// two rounds.
#include "core/passes/buffers/copy_insertion.h"

#include <algorithm>
#include <map>
#include <unordered_map>

#include "core/passes/buffers/alias_analysis.h"
#include "core/passes/rewriter.h"

namespace tessera {
namespace {

class CopyInserter {
 public:
  CopyInserter(Module& module, ComputationId computation)
      : rewriter_(module, "insert-copies"), module_(module), computation_(computation) {}

  void obey(const CopyRequest& request) {
    leaves_[{request.user, request.operand}].push_back(request.leaf);
    reasons_[{request.user, request.operand}] = request.reason;
  }

  void apply() {
    const std::vector<InstructionId> schedule = module_.at(computation_).instructions;
    std::unordered_map<uint32_t, std::vector<InstructionId>> before;
    std::vector<InstructionId> atEnd;
    for (auto& [where, leaves] : leaves_) {
      made_.clear();
      std::ranges::sort(leaves);
      auto [user, operand] = where;
      reason_ = reasons_.at(where);
      if (!user.valid()) {
        InstructionId root = module_.at(computation_).root;
        module_.setRoot(computation_, copied(root, 0, leaves, root));
        atEnd.insert(atEnd.end(), made_.begin(), made_.end());
        continue;
      }
      std::vector<InstructionId> operands(module_.at(user).operands.begin(), module_.at(user).operands.end());
      operands[operand] = copied(operands[operand], 0, leaves, user);
      module_.setOperands(user, operands);
      auto& list = before[user.value];
      list.insert(list.end(), made_.begin(), made_.end());
    }
    std::vector<InstructionId> order;
    for (InstructionId id : schedule) {
      if (auto it = before.find(id.value); it != before.end())
        order.insert(order.end(), it->second.begin(), it->second.end());
      order.push_back(id);
    }
    order.insert(order.end(), atEnd.begin(), atEnd.end());
    module_.edit(computation_).instructions = std::move(order);
  }

 private:
  InstructionId make(Opcode opcode, const Shape& shape, std::span<const InstructionId> operands,
                     AttributeSet attributes, InstructionId source) {
    const InstructionId from[] = {source};
    made_.push_back(rewriter_.add(computation_, opcode, shape, operands, std::move(attributes), from));
    return made_.back();
  }

  InstructionId makeCopy(InstructionId operand, InstructionId user) {
    const InstructionId operands[] = {operand};
    const InstructionId copy = make(Opcode::Copy, module_.shapeOf(operand), operands, {}, user);
    rewriter_.noteInsertion(copy, {user, reason_});
    return copy;
  }

  // The value with the wanted leaves copied; `first` is the number of its first leaf.
  InstructionId copied(InstructionId id, uint32_t first, const std::vector<uint32_t>& leaves, InstructionId user) {
    const Shape& shape = module_.shapeOf(id);
    const InstructionId operands[] = {id};
    if (!shape.isTuple()) return makeCopy(id, user);
    std::vector<InstructionId> elements;
    const bool isTuple = module_.at(id).opcode == Opcode::Tuple;
    for (size_t i = 0; i < shape.elements.size(); ++i) {
      const uint32_t count = leafCount(shape.elements[i]);
      InstructionId element;
      if (isTuple) {
        element = module_.at(id).operands[i];
      } else {
        AttributeSet attributes;
        attributes.set(Attr::index, static_cast<int64_t>(i));
        element = make(Opcode::GetTupleElement, shape.elements[i], operands, std::move(attributes), id);
      }
      auto wanted = std::ranges::lower_bound(leaves, first);
      if (wanted != leaves.end() && *wanted < first + count) element = copied(element, first, leaves, user);
      elements.push_back(element);
      first += count;
    }
    return make(Opcode::Tuple, shape, elements, {}, id);
  }

  Rewriter rewriter_;
  Module& module_;
  ComputationId computation_;
  std::map<std::pair<InstructionId, uint32_t>, std::vector<uint32_t>> leaves_;  // (user, operand) -> leaves
  std::map<std::pair<InstructionId, uint32_t>, std::string_view> reasons_;
  std::string_view reason_;
  std::vector<InstructionId> made_;
};

}  // namespace

Result<bool> insertCopies(Module& module) {
  constexpr int kMaxRounds = 12;
  for (int round = 0; round < kMaxRounds; ++round) {
    TESSERA_ASSIGN_OR_RETURN(AliasAnalysis analysis, AliasAnalysis::of(module));
    if (analysis.requests().empty()) return round > 0;
    std::map<ComputationId, CopyInserter> inserters;
    for (const CopyRequest& request : analysis.requests())
      inserters.try_emplace(request.computation, module, request.computation).first->second.obey(request);
    for (auto& [computation, inserter] : inserters) inserter.apply();
  }
  return fail("copies do not settle how loop carries share memory");
}

}  // namespace tessera
