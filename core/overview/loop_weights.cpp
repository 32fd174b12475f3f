// Values of the body are sorted by what they depend on, in the order of computation; calls and fusions are followed
// with the sorts of their operands. What the loop leaves alone is a weight if it is stored: computed activations, such
// as the steps of a sequence that a state space model reads, are none.
#include "core/overview/loop_weights.h"

#include <algorithm>
#include <array>
#include <span>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "core/ops/inference/trip_count.h"

namespace tessera {
namespace {

constexpr size_t kMostFollowed = 200'000;  // instructions, of one loop
constexpr int kDeepest = 64;               // calls within calls

enum class Sort : uint8_t {
  Fixed,   // by constants alone
  Shared,  // by weights: what is stored and the loop leaves alone
  Sliced,  // by a part of those, another one in each trip
  Carried  // by what trips make, or was computed before
};
using Sorts = std::vector<Sort>;  // of a tuple one an element, else one

Sort most(const Sorts& sorts) { return sorts.empty() ? Sort::Fixed : *std::ranges::max_element(sorts); }

bool makesActivations(Opcode opcode) {
  return opcode == Opcode::Dot || opcode == Opcode::Convolution || opcode == Opcode::Gather ||
         opcode == Opcode::While || opcode == Opcode::CustomCall;
}

// Whether a value comes of parameters and constants without a product, a lookup or a loop: converted, turned, stacked.
class Stored {
 public:
  explicit Stored(const Module& module) : module_(module) {}

  bool holds(InstructionId value) {
    std::vector<InstructionId> open{value};
    while (!open.empty()) {
      const InstructionId id = open.back();
      open.pop_back();
      if (!seen_.insert(id).second) continue;
      const Instruction& in = module_.at(id);
      if (seen_.size() > kMostFollowed || makesActivations(in.opcode)) return false;
      open.insert(open.end(), in.operands.begin(), in.operands.end());
      for (const ComputationId callee : module_.callees(in))
        if (module_.contains(callee)) open.push_back(module_.at(callee).root);
    }
    return true;
  }

 private:
  const Module& module_;
  std::unordered_set<InstructionId> seen_;
};

class Products {
 public:
  explicit Products(const Module& module) : module_(module) {}

  // arguments: by parameter number. Returns those of the result.
  Sorts follow(const Computation& computation, std::span<const Sorts> arguments) {
    std::unordered_map<InstructionId, Sorts> known;
    for (size_t k = 0; k < computation.parameters.size() && k < arguments.size(); ++k)
      known[computation.parameters[k]] = arguments[k];
    for (const InstructionId id : computation.instructions) {
      if (++followed_ > kMostFollowed) return {Sort::Carried};
      const Instruction& in = module_.at(id);
      std::vector<Sorts> operands;
      for (const InstructionId operand : in.operands) operands.push_back(known[operand]);
      if (in.opcode != Opcode::Parameter) known[id] = sortsOf(in, operands);
    }
    return known[computation.root];
  }
  // Where one is followed beyond the bounds, nothing is claimed.
  bool readSlicesAlone() const { return slices_ && !shared_ && !tooDeep_ && followed_ <= kMostFollowed; }

 private:
  Sorts sortsOf(const Instruction& in, std::span<const Sorts> operands) {
    Sort all = Sort::Fixed;
    for (const Sorts& operand : operands) all = std::max(all, most(operand));
    if (in.opcode == Opcode::Tuple) {
      Sorts out;
      for (const Sorts& operand : operands) out.push_back(most(operand));
      return out;
    }
    if (in.opcode == Opcode::GetTupleElement && !operands.empty()) {
      const auto index = static_cast<size_t>(in.attributes->intOr(Attr::index, 0));
      if (index < operands[0].size()) return {operands[0][index]};
    }
    if (in.opcode == Opcode::DynamicSlice && !operands.empty() && most(operands[0]) == Sort::Shared)
      return {all == Sort::Carried ? Sort::Sliced : all};
    if (in.opcode == Opcode::Dot || in.opcode == Opcode::Convolution) note(operands);
    if (in.opcode == Opcode::Call || in.opcode == Opcode::Fusion) return ofCall(in, operands, all);
    return {all};
  }
  Sorts ofCall(const Instruction& in, std::span<const Sorts> operands, Sort all) {
    const auto callees = module_.callees(in);
    if (callees.size() != 1 || !module_.contains(callees[0])) return {all};
    if (depth_ == kDeepest) return tooDeep_ = true, Sorts{all};
    ++depth_;
    Sorts out = follow(module_.at(callees[0]), operands);
    --depth_;
    return out;
  }
  // What two trips make of each other tells nothing.
  void note(std::span<const Sorts> operands) {
    for (const Sorts& operand : operands) {
      slices_ |= most(operand) == Sort::Sliced;
      shared_ |= most(operand) == Sort::Shared;
    }
  }

  const Module& module_;
  size_t followed_ = 0;
  int depth_ = 0;
  bool slices_ = false, shared_ = false, tooDeep_ = false;
};

}  // namespace

bool hasWeightsOfItsOwn(const Module& module, const Instruction& loop) {
  const auto* body = loop.attributes->get<ComputationId>(Attr::body);
  if (!body || !module.contains(*body)) return false;
  const Computation& step = module.at(*body);
  if (step.parameters.size() != 1 || !module.contains(step.root)) return false;
  const Instruction& next = module.at(step.root);
  if (next.opcode != Opcode::Tuple) return false;
  const Instruction& start = module.at(loop.operands[0]);
  const auto isWeight = [&](size_t element) {
    if (elementOf(module, next.operands[element], step.parameters[0]) != element) return false;
    return start.opcode != Opcode::Tuple || Stored(module).holds(start.operands[element]);
  };
  Sorts state;
  for (size_t i = 0; i < next.operands.size(); ++i) state.push_back(isWeight(i) ? Sort::Shared : Sort::Carried);
  Products products(module);
  products.follow(step, std::array{state});
  return products.readSlicesAlone();
}

}  // namespace tessera
