// From the classes of the alias analysis and the slots of the buffer assignment to buffers with lives.
#include "core/memory/memory_report.h"

#include <algorithm>
#include <map>

#include <fmt/format.h>

#include "core/base/sorting.h"
#include "core/passes/buffers/alias_analysis.h"
#include "core/passes/buffers/buffer_assignment.h"
#include "core/passes/buffers/copy_insertion.h"
#include "core/passes/control/call_inliner.h"
#include "core/passes/control/flatten_control.h"
#include "core/passes/pipeline.h"
#include "core/passes/rewriter.h"

namespace tessera {
namespace {

// What buffer assignment asks for, and no other change.
Result<Module> preparedForBuffers(const Module& source) {
  Module module = derive(source);
  TESSERA_TRY(restoreComputationOrder(module));
  TESSERA_TRY(inlineCallsAlone(module));
  TESSERA_TRY(flattenControl(module));
  TESSERA_TRY(insertCopies(module));
  return module;
}

int64_t paddingOf(const Shape& shape, int64_t bytes) {
  return std::max<int64_t>(0, bytes - shape.denseBytes().value_or(bytes));
}

class Builder {
 public:
  Builder(Module module, AliasAnalysis analysis, BufferAssignment assignment)
      : out_(std::move(module)), analysis_(std::move(analysis)), assignment_(std::move(assignment)) {}

  MemoryReport run() {
    orderMoments();
    makeBuffers();
    donate();
    place();
    sumLiveBytes(out_);
    return std::move(out_);
  }

 private:
  const Module& module() const { return out_.module; }

  void orderMoments() {
    for (ComputationId computation : analysis_.computations())
      for (InstructionId id : module().at(computation).instructions) out_.moments.push_back(id);
    sortBy(out_.moments, [this](InstructionId id) { return analysis_.begin(id); });
    for (InstructionId id : out_.moments) times_.push_back(analysis_.begin(id));
  }
  size_t momentFrom(int64_t time) const {
    return static_cast<size_t>(std::ranges::lower_bound(times_, time) - times_.begin());
  }
  size_t momentUpTo(int64_t time) const {
    const auto after = std::ranges::upper_bound(times_, time);
    return after == times_.begin() ? 0 : static_cast<size_t>(after - times_.begin()) - 1;
  }

  void makeBuffers() {
    bufferOf_.assign(assignment_.slots.size(), SIZE_MAX);
    for (InstructionId id : out_.moments) {
      const auto leaves = leavesOf(*module().at(id).shape);
      for (uint32_t leaf = 0; leaf < leaves.size(); ++leaf) {
        const int32_t slot = assignment_.slotOf(id, leaf);
        if (slot == BufferAssignment::kNoSlot || !isOwnValue(module().at(id))) continue;
        size_t& index = bufferOf_[static_cast<size_t>(slot)];
        if (index == SIZE_MAX) {
          index = out_.buffers.size();
          out_.buffers.push_back(bufferOf(id, leaf, *leaves[leaf].shape, slot));
        } else if (MemoryBuffer& buffer = out_.buffers[index]; buffer.instruction != id) {
          buffer.later.push_back(id);
        }
      }
    }
  }

  // Parameters of bodies and branches are their callers' values.
  bool isOwnValue(const Instruction& instruction) const {
    if (instruction.opcode == Opcode::Parameter) return instruction.computation == module().entry();
    return !isAliasOnly(instruction.opcode);
  }

  MemoryBuffer bufferOf(InstructionId id, uint32_t leaf, const Shape& shape, int32_t number) const {
    const Slot& slot = assignment_.slots[static_cast<size_t>(number)];
    MemoryBuffer out;
    out.instruction = id;
    out.leaf = leaf;
    out.bytes = slot.bytes;
    out.padding = paddingOf(shape, slot.bytes);
    const uint32_t held = analysis_.classOf(analysis_.valueOf(id, leaf));
    out.begin = momentFrom(analysis_.liveBegin(held));
    out.end = momentUpTo(analysis_.liveEnd(held));
    switch (slot.kind) {
      case SlotKind::Parameter: out.kind = MemoryKind::Parameter; break;
      case SlotKind::Output: out.kind = MemoryKind::Output; break;
      case SlotKind::Constant: out.kind = MemoryKind::Constant; break;
      case SlotKind::Temp: out.kind = MemoryKind::Temporary; break;
    }
    const size_t last = out_.moments.empty() ? 0 : out_.moments.size() - 1;
    if (out.kind != MemoryKind::Temporary) out.end = last;
    if (out.kind == MemoryKind::Parameter || out.kind == MemoryKind::Constant) out.begin = 0;
    return out;
  }

  // --- donated arguments
  static uint32_t leafAt(const Shape& shape, const std::vector<int64_t>& index) {
    const auto leaves = leavesOf(shape);
    const auto found = std::ranges::find(leaves, index, &ShapeLeaf::index);
    return found == leaves.end() ? UINT32_MAX : static_cast<uint32_t>(found - leaves.begin());
  }

  void donate() {
    const auto& parameters = module().entryComputation().parameters;
    const InstructionId root = module().entryComputation().root;
    for (const AliasEntry& alias : module().config().inputOutputAlias) {
      if (alias.parameter < 0 || alias.parameter >= static_cast<int64_t>(parameters.size())) continue;
      const InstructionId argument = parameters[static_cast<size_t>(alias.parameter)];
      const uint32_t from = leafAt(module().shapeOf(argument), alias.parameterIndex);
      const uint32_t to = leafAt(module().shapeOf(root), alias.outputIndex);
      if (from == UINT32_MAX || to == UINT32_MAX) continue;
      if (donate({argument, from}, definitionOf(module(), {root, to}))) out_.donations.push_back(alias);
    }
  }

  bool donate(MemoryValue argument, MemoryValue result) {
    const int32_t given = assignment_.slotOf(argument.instruction, argument.leaf);
    const int32_t taken = assignment_.slotOf(result.instruction, result.leaf);
    if (given == BufferAssignment::kNoSlot || taken == BufferAssignment::kNoSlot || given == taken) return false;
    const size_t one = bufferOf_[static_cast<size_t>(given)], other = bufferOf_[static_cast<size_t>(taken)];
    if (out_.buffers[one].bytes != out_.buffers[other].bytes || out_.buffers[other].kind != MemoryKind::Output)
      return false;
    if (sharesWith_.contains(other) || !mayTake(argument, result)) return false;
    MemoryBuffer& output = out_.buffers[other];
    const size_t defined = momentFrom(analysis_.begin(result.instruction));
    if (output.begin < defined) keepAsTemporary(output, defined);
    out_.buffers[other].begin = defined;
    sharesWith_[other] = one;
    return true;
  }
  // The argument is read no more when the result is written, or only by an instruction that may write over it.
  bool mayTake(MemoryValue argument, MemoryValue result) const {
    const uint32_t held = analysis_.classOf(analysis_.valueOf(argument.instruction, argument.leaf));
    const int64_t last = analysis_.liveEnd(held), written = analysis_.begin(result.instruction);
    if (last < written) return true;
    if (last > analysis_.end(result.instruction)) return false;
    const Instruction& writer = module().at(result.instruction);
    for (size_t i = 0; i < writer.operands.size(); ++i)
      if (definitionOf(module(), {writer.operands[i], 0}) == argument) return mayOverwrite(module(), writer, i);
    return false;
  }
  // What came before the result in its buffer cannot be in the argument.
  void keepAsTemporary(MemoryBuffer before, size_t defined) {
    before.kind = MemoryKind::Temporary;
    before.end = defined - 1;
    before.later.clear();
    loose_.push_back(out_.buffers.size());
    out_.buffers.push_back(std::move(before));
  }

  // --- allocations
  void place() {
    for (size_t slot = 0; slot < bufferOf_.size(); ++slot) {
      if (bufferOf_[slot] == SIZE_MAX) continue;
      const Slot& where = assignment_.slots[slot];
      MemoryBuffer& buffer = out_.buffers[bufferOf_[slot]];
      if (where.kind == SlotKind::Temp || sharesWith_.contains(bufferOf_[slot])) continue;
      buffer.allocation = allocation(buffer.kind, where);
      put(bufferOf_[slot]);
    }
    for (const auto& [output, argument] : sharesWith_) {
      out_.buffers[output].allocation = out_.buffers[argument].allocation;
      put(output);
    }
    placeTemporaries();
  }
  size_t allocation(MemoryKind kind, const Slot& slot) {
    out_.allocations.push_back(
        {kind,
         kind == MemoryKind::Constant ? std::string("constant") : fmt::format("{} {}", nameOf(kind), slot.index),
         slot.bytes,
         {}});
    if (kind == MemoryKind::Output) outputs_[slot.index] = out_.allocations.size() - 1;
    return out_.allocations.size() - 1;
  }
  void put(size_t buffer) { out_.allocations[out_.buffers[buffer].allocation].buffers.push_back(buffer); }

  void placeTemporaries() {
    const size_t arena = out_.allocations.size();
    out_.allocations.push_back({MemoryKind::Temporary, "temporaries", assignment_.arenaBytes, {}});
    for (size_t slot = 0; slot < bufferOf_.size(); ++slot) {
      const Slot& where = assignment_.slots[slot];
      if (bufferOf_[slot] == SIZE_MAX || where.kind != SlotKind::Temp) continue;
      MemoryBuffer& buffer = out_.buffers[bufferOf_[slot]];
      const auto lender = where.lender < 0 ? outputs_.end() : outputs_.find(where.lender);
      buffer.allocation = lender == outputs_.end() ? arena : lender->second;
      buffer.offset = where.offset;
      put(bufferOf_[slot]);
    }
    for (size_t index : loose_) {
      out_.buffers[index].allocation = out_.allocations.size();
      out_.allocations.push_back(
          {MemoryKind::Temporary, "before a donated argument is free", out_.buffers[index].bytes, {index}});
    }
    if (out_.allocations[arena].buffers.empty() && arena + 1 == out_.allocations.size()) out_.allocations.pop_back();
  }

  MemoryReport out_;
  AliasAnalysis analysis_;
  BufferAssignment assignment_;
  std::vector<int64_t> times_;           // of moments
  std::vector<size_t> bufferOf_;         // by slot
  std::map<size_t, size_t> sharesWith_;  // a donated result's buffer -> the argument's
  std::map<int32_t, size_t> outputs_;    // by number of the result's leaf: its allocation
  std::vector<size_t> loose_;            // buffers with memory of their own
};

}  // namespace

MemoryValue definitionOf(const Module& module, MemoryValue value) {
  for (;;) {
    const Instruction& instruction = module.at(value.instruction);
    if (!isAliasOnly(instruction.opcode) || instruction.operands.empty()) return value;
    if (instruction.opcode == Opcode::Tuple) {
      const std::vector<Shape>& elements = instruction.shape->elements;
      size_t element = 0;
      uint32_t leaf = value.leaf;
      for (uint32_t own = 0; element + 1 < elements.size() && leaf >= (own = leafCount(elements[element])); ++element)
        leaf -= own;
      value = {instruction.operands[element], leaf};
    } else if (instruction.opcode == Opcode::GetTupleElement) {
      const auto index = static_cast<size_t>(instruction.attributes->intOr(Attr::index, 0));
      value = {instruction.operands[0], firstLeafOf(module.shapeOf(instruction.operands[0]), index) + value.leaf};
    } else {
      value.instruction = instruction.operands[0];
    }
  }
}

Result<MemoryReport> memoryReport(const Module& module) {
  if (!module.contains(module.entry()) || !module.contains(module.entryComputation().root))
    return fail("the module has no entry computation with a root");
  TESSERA_ASSIGN_OR_RETURN(Module prepared, preparedForBuffers(module));
  TESSERA_ASSIGN_OR_RETURN(AliasAnalysis analysis, AliasAnalysis::of(prepared));
  // Memory that an argument gives to a result is not there before.
  const bool lendsResults = prepared.config().inputOutputAlias.empty();
  TESSERA_ASSIGN_OR_RETURN(BufferAssignment assignment, assignBuffers(prepared, lendsResults));
  return Builder(std::move(prepared), std::move(analysis), std::move(assignment)).run();
}

}  // namespace tessera
