// Cutting out: mark what is kept by a walk from the root, then copy it in order; called computations are copied once.
#include "core/tools/cut_out.h"

#include <algorithm>
#include <deque>
#include <unordered_map>
#include <unordered_set>

#include "core/base/result.h"
#include "core/base/sorting.h"
#include "core/ops/op.h"

namespace tessera {
namespace {

class Cutter {
 public:
  explicit Cutter(const Module& source) : source_(source), out_(Module::derivedFrom(source)) {}

  Result<Module> cut(InstructionId root, const std::function<bool(InstructionId)>& isInput) {
    const ComputationId home = source_.at(root).computation;
    mark(root, isInput);
    TESSERA_ASSIGN_OR_RETURN(const std::vector<InstructionId> order, topologicalOrder(source_, home));
    std::vector<InstructionId> members;
    std::ranges::copy_if(order, std::back_inserter(members), [&](InstructionId id) { return members_.contains(id); });
    for (InstructionId id : members) copyCallees(source_.at(id));
    entry_ = out_.addComputation(source_.at(home).name);
    addInputs(order);
    for (InstructionId id : members) copy(id, entry_, map_);
    return finished(map_.at(root));
  }

  Result<Module> cut(ComputationId id) {
    entry_ = copyComputation(id);
    return finished(out_.at(entry_).root);
  }

 private:
  using Map = std::unordered_map<InstructionId, InstructionId>;

  void mark(InstructionId root, const std::function<bool(InstructionId)>& isInput) {
    std::vector<std::pair<InstructionId, bool>> open{{root, false}};
    while (!open.empty()) {
      const auto [id, needed] = open.back();
      open.pop_back();
      const Instruction& instruction = source_.at(id);
      if (instruction.opcode == Opcode::Parameter || (!needed && isInput(id))) {
        inputs_.insert(id);
        continue;
      }
      if (!members_.insert(id).second) continue;
      for (size_t i = 0; i < instruction.operands.size(); ++i)
        if (source_.contains(instruction.operands[i]))
          open.emplace_back(instruction.operands[i], i == 0 && hasTrait(instruction.opcode, kEndsAsync));
    }
  }

  // The parameters that there were come first, in their order; then the values that were cut.
  void addInputs(const std::vector<InstructionId>& order) {
    std::vector<InstructionId> inputs;
    std::ranges::copy_if(order, std::back_inserter(inputs),
                         [&](InstructionId id) { return inputs_.contains(id) && !members_.contains(id); });
    sortBy(inputs, [&](InstructionId id) {
      const int32_t number = source_.at(id).parameterNumber;
      return number < 0 ? std::numeric_limits<int32_t>::max() : number;
    });
    for (InstructionId id : inputs) map_[id] = addInput(source_.at(id));
  }

  InstructionId addInput(const Instruction& value) {
    Instruction input;
    input.name = value.name;
    input.metadata = value.metadata;
    if (value.opcode == Opcode::Parameter) input.attributes = value.attributes, input.note = value.note;
    const bool token = value.shape->isToken();
    input.opcode = token ? Opcode::AfterAll : Opcode::Parameter;
    if (!token) input.parameterNumber = static_cast<int32_t>(out_.at(entry_).parameters.size());
    return out_.addInterned(entry_, std::move(input), value.shape);
  }

  ComputationId copyComputation(ComputationId id) {
    if (const auto known = computations_.find(id); known != computations_.end()) return known->second;
    const Computation& from = source_.at(id);
    for (InstructionId instruction : from.instructions) copyCallees(source_.at(instruction));
    const ComputationId made = out_.addComputation(from.name);
    Map map;
    for (InstructionId instruction : from.instructions) copy(instruction, made, map);
    Computation& to = out_.edit(made);
    to.root = from.root.valid() ? map.at(from.root) : from.root;
    to.executionThread = from.executionThread;
    to.hasSignature = from.hasSignature;
    to.asyncSugar = from.asyncSugar;
    return computations_[id] = made;
  }

  void copyCallees(const Instruction& instruction) {
    for (ComputationId callee : source_.callees(instruction)) copyComputation(callee);
  }

  void copy(InstructionId id, ComputationId into, Map& map) {
    Instruction made = source_.at(id);
    std::vector<InstructionId> operands;
    for (InstructionId operand : made.operands)
      operands.push_back(source_.contains(operand) ? map.at(operand) : InstructionId());  // open inputs stay open
    made.operands = operands;
    made.attributes = mapped(made.attributes, map);
    const Shape* shape = made.shape;
    map[id] = out_.addInterned(into, std::move(made), shape);
  }

  // Computations by their copies; instructions to wait for only where they came along.
  AttributeSetPtr mapped(const AttributeSetPtr& attributes, const Map& map) const {
    auto out = std::make_shared<AttributeSet>(*attributes);
    bool changed = false;
    for (const Attribute& attribute : attributes->items()) {
      if (const auto* one = std::get_if<ComputationId>(&attribute.value)) {
        out->set(attribute.name, computations_.at(*one));
        changed = true;
      } else if (const auto* many = std::get_if<std::vector<ComputationId>>(&attribute.value)) {
        std::vector<ComputationId> copies;
        for (ComputationId id : *many) copies.push_back(computations_.at(id));
        out->set(attribute.name, std::move(copies));
        changed = true;
      } else if (const auto* before = std::get_if<std::vector<InstructionId>>(&attribute.value)) {
        std::vector<InstructionId> kept;
        for (InstructionId id : *before)
          if (const auto found = map.find(id); found != map.end()) kept.push_back(found->second);
        if (kept.empty())
          out->remove(attribute.name);
        else
          out->set(attribute.name, std::move(kept));
        changed = true;
      }
    }
    return changed ? out : attributes;
  }

  // Aliases, donors and schedules are facts about the old entry; how many replicas there are is not.
  Module finished(InstructionId root) {
    out_.setRoot(entry_, root);
    out_.setEntry(entry_);
    ModuleConfig config;
    config.replicaCount = source_.config().replicaCount;
    config.numPartitions = source_.config().numPartitions;
    for (InstructionId parameter : out_.at(entry_).parameters)
      config.entryParameterLayouts.push_back(out_.shapeOf(parameter));
    if (root.valid()) config.entryResultLayout = out_.shapeOf(root);
    out_.setConfig(std::move(config));
    return std::move(out_);
  }

  const Module& source_;
  Module out_;
  ComputationId entry_;
  std::unordered_set<InstructionId> members_, inputs_;
  Map map_;
  std::unordered_map<ComputationId, ComputationId> computations_;
};

// The fewest operand steps from `id` to each instruction above it, as far as `height`.
std::unordered_map<InstructionId, int64_t> depthsAbove(const Module& module, InstructionId id, int64_t height) {
  std::unordered_map<InstructionId, int64_t> depth{{id, 0}};
  std::deque<InstructionId> open{id};
  for (; !open.empty(); open.pop_front()) {
    const int64_t next = depth.at(open.front()) + 1;
    if (next > height) continue;
    for (InstructionId operand : module.at(open.front()).operands)
      if (module.contains(operand) && depth.try_emplace(operand, next).second) open.push_back(operand);
  }
  return depth;
}

// What ends the operation that `id` starts; itself when it starts none.
InstructionId endOf(const Module& module, InstructionId id) {
  for (InstructionId other : module.at(module.at(id).computation).instructions) {
    const Instruction& reader = module.at(other);
    if (hasTrait(reader.opcode, kEndsAsync) && !reader.operands.empty() && reader.operands[0] == id)
      return endOf(module, other);
  }
  return id;
}

}  // namespace

Result<Module> cutOut(const Module& module, InstructionId root, const std::function<bool(InstructionId)>& isInput) {
  return Cutter(module).cut(root, isInput);
}

Result<Module> extract(const Module& module, InstructionId id, int64_t height) {
  if (height < 0) return fail(ErrorKind::Usage, "a height is 0 or more");
  const auto depth = depthsAbove(module, id, height);
  const InstructionId end = endOf(module, id);
  return cutOut(module, end, [&](InstructionId other) {
    return other != end && !depth.contains(other) && module.at(other).opcode != Opcode::Constant;
  });
}

Result<Module> isolate(const Module& module, InstructionId id) {
  const InstructionId end = endOf(module, id);
  return cutOut(module, end, [&](InstructionId other) { return other != id && other != end; });
}

Result<Module> isolate(const Module& module, ComputationId id) { return Cutter(module).cut(id); }

}  // namespace tessera
