// Call inlining. A composite call is inlined like any other: its computation says what it means. So is a fusion of the
// source: it was cut for another machine, and our own fusion pass starts from single instructions.
#include "core/passes/control/call_inliner.h"

#include <algorithm>
#include <unordered_map>

#include <fmt/format.h>

#include "core/passes/rewriter.h"

namespace tessera {
namespace {

constexpr double kMaxInlinedInstructions = 4e6;

using IsInlined = bool (*)(const Instruction& in);
bool isCall(const Instruction& in) { return in.opcode == Opcode::Call; }
bool isCallOrFusion(const Instruction& in) { return isCall(in) || in.opcode == Opcode::Fusion; }

// By computation: it is the entry, or something else than an inlined call runs it. The others vanish.
std::vector<bool> keptComputations(const Module& module, IsInlined isInlined) {
  std::vector<bool> kept(module.computationSlots());
  if (module.contains(module.entry())) kept[module.entry().value] = true;
  for (ComputationId computation : module.order())
    for (InstructionId id : module.at(computation).instructions)
      if (!isInlined(module.at(id)))
        for (ComputationId callee : module.callees(module.at(id))) kept[callee.value] = true;
  return kept;
}

// Counted before anything is made: a chain of computations that call each other twice doubles at each. Parameters of a
// callee are replaced by operands.
Status checkSizes(const Module& module, IsInlined isInlined, const std::vector<bool>& kept) {
  std::unordered_map<uint32_t, double> sizes;
  double sum = 0;
  for (ComputationId computation : module.order()) {
    double size = 0;
    for (InstructionId id : module.at(computation).instructions) {
      const Instruction& in = module.at(id);
      double own = 1;
      if (isInlined(in))
        for (ComputationId callee : module.callees(in))
          if (const auto known = sizes.find(callee.value); known != sizes.end())
            own = known->second - static_cast<double>(module.at(callee).parameters.size());
      size += own;
    }
    sizes[computation.value] = size;
    if (kept[computation.value]) sum += size;
    if (sum > kMaxInlinedInstructions)
      return fail(fmt::format("inlining what %{} calls makes more than {:.0f} instructions",
                              module.at(computation).name, kMaxInlinedInstructions));
  }
  return {};
}

bool hasBitcasts(const Module& module, ComputationId computation) {
  return std::ranges::any_of(module.at(computation).instructions,
                             [&](InstructionId id) { return module.at(id).opcode == Opcode::Bitcast; });
}

// The value in the layout that the other side of the call gave it: a bitcast there sees its memory.
InstructionId inLayoutOf(Rewriter& rewriter, ComputationId home, InstructionId value, Shape wanted) {
  const Shape& shape = rewriter.module().shapeOf(value);
  if (!shape.layout || !wanted.layout || shape.layout->minorToMajor == wanted.layout->minorToMajor) return value;
  return rewriter.add(home, Opcode::Copy, wanted, {&value, 1}, {}, {&value, 1});
}

// Replaces one call by copies of what it runs, calls within included, in one sweep without recursion: chains of calls
// may be thousands deep.
class Inlining {
 public:
  Inlining(Rewriter& rewriter, IsInlined isInlined, InstructionId call)
      : rewriter_(rewriter),
        module_(rewriter.module()),
        isInlined_(isInlined),
        call_(call),
        home_(module_.at(call).computation) {}

  // isSeen: the caller has bitcasts.
  Status run(bool isSeen) {
    std::vector<InstructionId> operands;
    for (InstructionId operand : module_.at(call_).operands) operands.push_back(rewriter_.resolve(operand));
    TESSERA_TRY(enter(call_, operands, isSeen));
    while (!frames_.empty()) TESSERA_TRY(step());
    return {};
  }

 private:
  // A computation while it is copied.
  struct Frame {
    InstructionId site;
    ComputationId callee;
    bool isSeen = false, hasBitcasts = false;  // bitcasts in the caller, in the callee
    size_t next = 0;
    std::unordered_map<uint32_t, InstructionId> copies;  // by instruction of the callee
  };

  Status enter(InstructionId site, std::span<const InstructionId> operands, bool isSeen) {
    const Instruction& in = module_.at(site);
    const std::vector<ComputationId> callees = module_.callees(in);
    if (callees.size() != 1) return fail(fmt::format("call %{} names no computation", in.name));
    const std::vector<InstructionId> parameters = module_.at(callees[0]).parameters;
    if (parameters.size() != operands.size())
      return fail(fmt::format("call %{} has {} operands, %{} takes {}", in.name, operands.size(),
                              module_.at(callees[0]).name, parameters.size()));
    Frame frame{.site = site, .callee = callees[0], .isSeen = isSeen, .hasBitcasts = hasBitcasts(module_, callees[0])};
    for (size_t i = 0; i < operands.size(); ++i)
      frame.copies[parameters[i].value] =
          frame.hasBitcasts ? inLayoutOf(rewriter_, home_, operands[i], module_.shapeOf(parameters[i])) : operands[i];
    frames_.push_back(std::move(frame));
    return {};
  }

  Status step() {
    Frame& frame = frames_.back();
    const Computation& callee = module_.at(frame.callee);
    if (frame.next == callee.instructions.size()) {
      leave();
      return {};
    }
    const InstructionId id = callee.instructions[frame.next++];
    if (frame.copies.contains(id.value)) return {};
    std::vector<InstructionId> operands;
    for (InstructionId operand : module_.at(id).operands) operands.push_back(frame.copies.at(operand.value));
    if (isInlined_(module_.at(id))) return enter(id, operands, frame.hasBitcasts);
    frame.copies[id.value] = rewriter_.clone(id, home_, operands);
    return {};
  }

  void leave() {
    const Frame frame = std::move(frames_.back());
    frames_.pop_back();
    InstructionId result = frame.copies.at(module_.at(frame.callee).root.value);
    if (frame.isSeen) result = inLayoutOf(rewriter_, home_, result, module_.shapeOf(frame.site));
    if (frames_.empty()) return rewriter_.replace(frame.site, result);
    rewriter_.absorb(result, frame.site);
    frames_.back().copies[frame.site.value] = result;
  }

  Rewriter& rewriter_;
  Module& module_;
  IsInlined isInlined_;
  InstructionId call_;
  ComputationId home_;
  std::vector<Frame> frames_;
};

Result<bool> inlineAll(Module& module, IsInlined isInlined) {
  const std::vector<bool> kept = keptComputations(module, isInlined);
  TESSERA_TRY(checkSizes(module, isInlined, kept));
  bool changed = false;
  for (ComputationId computation : std::vector<ComputationId>(module.order())) {
    if (!kept[computation.value]) continue;
    std::vector<InstructionId> calls;
    for (InstructionId id : module.at(computation).instructions)
      if (isInlined(module.at(id))) calls.push_back(id);
    if (calls.empty()) continue;
    Rewriter rewriter(module, "inline-calls");
    const bool isSeen = hasBitcasts(module, computation);
    for (InstructionId call : calls) TESSERA_TRY(Inlining(rewriter, isInlined, call).run(isSeen));
    TESSERA_ASSIGN_OR_RETURN(bool one, rewriter.finish());
    changed |= one;
  }
  if (changed) TESSERA_TRY(restoreComputationOrder(module));
  return changed;
}

}  // namespace

Result<bool> inlineCalls(Module& module) { return inlineAll(module, isCallOrFusion); }
Result<bool> inlineCallsAlone(Module& module) { return inlineAll(module, isCall); }

}  // namespace tessera
