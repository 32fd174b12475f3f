// See combine_collectives.h. Groups grow one by one: a collective joins where neither waits for the other, and what
// waits for one of a group waits for all of it from then on; so no two groups close a cycle.
#include "core/passes/combine_collectives.h"

#include <algorithm>
#include <unordered_map>

#include "core/ops/shared/scalar_function.h"
#include "core/passes/rewriter.h"

namespace tessera {
namespace {

constexpr size_t kMostInOneComputation = 2048;  // the work grows with the square

// Who waits for whom: a row of bits for each of `count`.
class Dependencies {
 public:
  Dependencies(size_t rows, size_t count) : words_((count + 63) / 64), bits_(rows * words_) {}

  bool has(size_t row, size_t i) const { return bits_[row * words_ + i / 64] >> (i % 64) & 1; }
  void set(size_t row, size_t i) { bits_[row * words_ + i / 64] |= uint64_t{1} << (i % 64); }
  void add(size_t row, const Dependencies& other, size_t otherRow) {
    for (size_t w = 0; w < words_; ++w) bits_[row * words_ + w] |= other.bits_[otherRow * words_ + w];
  }

 private:
  size_t words_;
  std::vector<uint64_t> bits_;
};

class Combiner {
 public:
  Combiner(Rewriter& rewriter, ComputationId computation)
      : rewriter_(rewriter), module_(rewriter.module()), order_(module_.at(computation).instructions) {
    for (InstructionId id : order_)
      if (isCandidate(module_.at(id)) && found_.size() < kMostInOneComputation) found_.push_back(id);
  }

  void run() {
    if (found_.size() < 2) return;
    Dependencies waits = dependencies();
    for (size_t i = 0; i < found_.size(); ++i) join(i, waits);
    for (const Group& group : groups_)
      if (group.members.size() > 1) combine(group);
  }

 private:
  struct Group {
    std::vector<size_t> members;
    int64_t bytes = 0;
  };

  static bool isCandidate(const Instruction& instruction) {
    constexpr Opcode kCombined[] = {Opcode::AllReduce, Opcode::AllGather, Opcode::ReduceScatter};
    return std::ranges::find(kCombined, instruction.opcode) != std::end(kCombined) &&
           instruction.operands.size() == 1 && !instruction.attributes->has(Attr::control_predecessors);
  }

  // For each collective those that it waits for.
  Dependencies dependencies() const {
    std::unordered_map<uint32_t, size_t> numbers, rows;
    for (size_t i = 0; i < found_.size(); ++i) numbers[found_[i].value] = i;
    Dependencies all(order_.size(), found_.size()), out(found_.size(), found_.size());
    for (size_t row = 0; row < order_.size(); ++row) {
      const Instruction& instruction = module_.at(order_[row]);
      rows[instruction.id.value] = row;
      const auto follow = [&](InstructionId before) {
        all.add(row, all, rows.at(before.value));
        if (const auto number = numbers.find(before.value); number != numbers.end()) all.set(row, number->second);
      };
      std::ranges::for_each(instruction.operands, follow);
      if (const auto* before = instruction.attributes->get<std::vector<InstructionId>>(Attr::control_predecessors))
        std::ranges::for_each(*before, follow);
      if (const auto number = numbers.find(instruction.id.value); number != numbers.end())
        out.add(number->second, all, row);
    }
    return out;
  }

  // All that is said is the same but the channel, which only names the exchange; and the types of what is reduced.
  bool areAlike(InstructionId a, InstructionId b) const {
    const Instruction &one = module_.at(a), &other = module_.at(b);
    AttributeSet left = *one.attributes, right = *other.attributes;
    if (one.opcode != other.opcode || left.has(Attr::channel_id) != right.has(Attr::channel_id)) return false;
    if (one.opcode != Opcode::AllGather && one.shape->type != other.shape->type) return false;
    const auto reducer = reducerOf(module_, one, 0);
    if (reducer && reducer != reducerOf(module_, other, 0)) return false;
    for (AttributeSet* attributes : {&left, &right}) {
      attributes->remove(Attr::channel_id);
      if (reducer) attributes->remove(Attr::to_apply);
    }
    return equalAttributes(left, right);
  }

  int64_t bytesOf(InstructionId id) const { return module_.shapeOf(id).denseBytes().value_or(kCombinedBytes); }

  // The number of the kind whose members may be combined.
  size_t kindOf(InstructionId id) {
    const auto known =
        std::ranges::find_if(kinds_, [&](InstructionId representative) { return areAlike(representative, id); });
    const auto kind = static_cast<size_t>(known - kinds_.begin());
    if (known == kinds_.end()) kinds_.push_back(id);
    return kind;
  }

  void join(size_t i, Dependencies& waits) {
    const size_t kind = kindOf(found_[i]);
    const int64_t bytes = std::max(bytesOf(found_[i]), bytesOf(module_.at(found_[i]).operands[0]));
    if (groupsOf_.size() <= kind) groupsOf_.resize(kind + 1);
    for (size_t g : groupsOf_[kind]) {
      Group& group = groups_[g];
      const size_t first = group.members[0];
      if (group.bytes + bytes > kCombinedBytes || waits.has(first, i) || waits.has(i, first)) continue;
      group.members.push_back(i);
      group.bytes += bytes;
      return waitTogether(group.members, waits);
    }
    groupsOf_[kind].push_back(groups_.size());
    groups_.push_back({{i}, bytes});
  }

  // All wait for what one of them waits for, the last one is new among them; what waits for one waits for all.
  void waitTogether(const std::vector<size_t>& members, Dependencies& waits) const {
    const size_t first = members.front(), last = members.back();
    waits.add(first, waits, last);
    for (size_t member : members) waits.add(member, waits, first);
    for (size_t x = 0; x < found_.size(); ++x) {
      if (!waits.has(x, first) && !waits.has(x, last)) continue;
      waits.add(x, waits, first);
      for (size_t member : members) waits.set(x, member);
    }
  }

  void combine(const Group& group) {
    std::vector<InstructionId> parts, operands;
    std::vector<Shape> shapes;
    for (size_t member : group.members) {
      parts.push_back(found_[member]);
      operands.push_back(rewriter_.visit(found_[member]).operands[0]);
      shapes.push_back(module_.shapeOf(found_[member]));
    }
    const Instruction& first = module_.at(parts[0]);
    const ComputationId computation = first.computation;
    AttributeSet attributes = *first.attributes;
    const InstructionId all = rewriter_.add(computation, first.opcode, Shape::tuple(std::move(shapes)), operands,
                                            std::move(attributes), parts);
    rewriter_.replaceByElements(parts, all);
  }

  Rewriter& rewriter_;
  Module& module_;
  const std::vector<InstructionId> order_;
  std::vector<InstructionId> found_;
  std::vector<InstructionId> kinds_;           // the first of each
  std::vector<std::vector<size_t>> groupsOf_;  // by kind
  std::vector<Group> groups_;
};

}  // namespace

Result<bool> combineCollectives(Module& module) {
  Rewriter rewriter(module, "combine-collectives");
  for (ComputationId computation : controlComputations(module)) Combiner(rewriter, computation).run();
  return rewriter.finish();
}

}  // namespace tessera
