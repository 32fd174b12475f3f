// Peak memory by liveness: every leaf of a result is a buffer that lives from its instruction to its last user.
#include <algorithm>
#include <unordered_map>

#include "core/cost/cost.h"
#include "core/ops/op.h"

namespace tessera {
namespace {

using Buffers = std::vector<int>;  // per leaf; -1: nothing that takes memory

size_t leafCount(const Shape& shape) {
  if (!shape.isTuple()) return 1;
  size_t count = 0;
  for (const Shape& element : shape.elements) count += leafCount(element);
  return count;
}

class Liveness {
 public:
  explicit Liveness(const Module& module) : module_(module) {}

  // Temporaries at the worst moment, parameters left out; `total` adds parameters and the root's buffers.
  int64_t peakOf(ComputationId id, bool total) {
    if (!module_.contains(id)) return 0;
    if (const auto found = known_.find(id); found != known_.end()) return found->second;
    known_[id] = 0;  // a cycle of calls takes nothing more
    Sweep sweep;
    const Computation& computation = module_.at(id);
    for (size_t i = 0; i < computation.instructions.size(); ++i)
      place(sweep, module_.at(computation.instructions[i]), i);
    keep(sweep, computation, total);
    return known_[id] = worst(sweep, computation);
  }

 private:
  struct Buffer {
    int64_t bytes;
    size_t first, last;
  };
  struct Sweep {
    std::vector<Buffer> buffers;
    std::unordered_map<InstructionId, Buffers> of;
  };

  static int newBuffer(Sweep& sweep, const Shape& shape, size_t at) {
    const int64_t bytes = shape.isArray() ? shape.denseBytes().value_or(0) : 0;
    if (bytes == 0) return -1;
    sweep.buffers.push_back({bytes, at, at});
    return static_cast<int>(sweep.buffers.size()) - 1;
  }

  void place(Sweep& sweep, const Instruction& instruction, size_t at) {
    for (InstructionId operand : instruction.operands)
      for (int buffer : sweep.of[operand])
        if (buffer >= 0) sweep.buffers[static_cast<size_t>(buffer)].last = at;
    Buffers shared = sharedWith(sweep, instruction);
    if (shared.empty())
      for (const ShapeLeaf& leaf : leavesOf(*instruction.shape)) shared.push_back(newBuffer(sweep, *leaf.shape, at));
    sweep.of[instruction.id] = std::move(shared);
  }

  // Buffers that the result takes over from its operands; empty when it has its own.
  Buffers sharedWith(Sweep& sweep, const Instruction& instruction) {
    Buffers out;
    const auto& operands = instruction.operands;
    switch (instruction.opcode) {
      case Opcode::Tuple:
        for (InstructionId operand : operands) {
          const Buffers& more = sweep.of[operand];
          out.insert(out.end(), more.begin(), more.end());
        }
        return out;
      case Opcode::GetTupleElement: return elementOf(sweep, instruction);
      default: {
        const bool shares = instruction.opcode == Opcode::While || hasTrait(instruction.opcode, kPassesOn);
        return shares && !operands.empty() ? sweep.of[operands[0]] : out;
      }
    }
  }

  Buffers elementOf(Sweep& sweep, const Instruction& instruction) {
    if (instruction.operands.empty() || !module_.contains(instruction.operands[0])) return {};  // open
    const Shape& tuple = module_.shapeOf(instruction.operands[0]);
    const Buffers& all = sweep.of[instruction.operands[0]];
    const auto index = static_cast<size_t>(instruction.attributes->intOr(Attr::index, 0));
    if (index >= tuple.elements.size() || all.size() != leafCount(tuple)) return all;
    size_t first = 0;
    for (size_t i = 0; i < index; ++i) first += leafCount(tuple.elements[i]);
    const auto begin = all.begin() + static_cast<std::ptrdiff_t>(first);
    return {begin, begin + static_cast<std::ptrdiff_t>(leafCount(tuple.elements[index]))};
  }

  // Parameters belong to the caller; in the entry they and constants live from the first to the last moment. The
  // root lives to the end; inside a called computation it is the caller's buffer.
  void keep(Sweep& sweep, const Computation& computation, bool total) {
    const size_t end = computation.instructions.size();
    for (InstructionId id : computation.instructions) {
      const Opcode opcode = module_.at(id).opcode;
      const bool whole = opcode == Opcode::Parameter || opcode == Opcode::Constant;
      const bool callers = opcode == Opcode::Parameter || id == computation.root;
      if (!whole && id != computation.root) continue;
      for (int index : sweep.of[id]) {
        if (index < 0) continue;
        Buffer& buffer = sweep.buffers[static_cast<size_t>(index)];
        if (callers && !total) buffer.bytes = 0;
        if (whole) buffer.first = 0;
        buffer.last = end;
      }
    }
  }

  int64_t worst(const Sweep& sweep, const Computation& computation) {
    const size_t moments = computation.instructions.size() + 1;
    std::vector<int64_t> change(moments + 1, 0);
    for (const Buffer& buffer : sweep.buffers) {
      change[buffer.first] += buffer.bytes;
      change[std::min(buffer.last + 1, moments)] -= buffer.bytes;
    }
    int64_t alive = 0, peak = 0;
    for (size_t i = 0; i < moments; ++i) {
      alive += change[i];
      const int64_t inside =
          i < computation.instructions.size() ? insideOf(module_.at(computation.instructions[i])) : 0;
      peak = std::max(peak, alive + inside);
    }
    return peak;
  }

  int64_t insideOf(const Instruction& instruction) {
    switch (instruction.opcode) {
      case Opcode::Call:
      case Opcode::While:
      case Opcode::Conditional: break;
      default: return 0;
    }
    int64_t most = 0;
    for (ComputationId callee : module_.callees(instruction)) most = std::max(most, peakOf(callee, false));
    return most;
  }

  const Module& module_;
  std::unordered_map<ComputationId, int64_t> known_;
};

}  // namespace

int64_t peakMemory(const Module& module) { return Liveness(module).peakOf(module.entry(), true); }

}  // namespace tessera
