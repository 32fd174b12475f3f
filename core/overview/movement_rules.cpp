// Copies, transposes and broadcasts that are kernels of their own. Only what a compiler has left: before optimisation
// every one of them may still disappear. What is inside a fusion costs no memory, and a transpose whose bytes stay
// where they are (a bitcast) costs nothing.
#include <algorithm>

#include <fmt/format.h>

#include "core/base/units.h"
#include "core/ops/op.h"
#include "core/overview/rules.h"

namespace tessera {
namespace {

constexpr double kFewMovedBytes = 1024;  // a copy of less is a counter's or a flag's
constexpr double kMostlyRepeats = 8;     // a broadcast that is so many times its input

enum class Move { None, Copy, Transpose };

// Dimensions of the operand as they are in memory, major to minor; size 1 left out.
std::vector<int64_t> memoryOrder(const Shape& shape, const std::vector<int64_t>& operandDimension) {
  std::vector<int64_t> out;
  for (int64_t k = shape.rank(); k-- > 0;) {
    const int64_t d = shape.layout ? shape.layout->minorToMajor[static_cast<size_t>(k)] : shape.rank() - 1 - k;
    if (shape.dimensions[static_cast<size_t>(d)] != 1) out.push_back(operandDimension[static_cast<size_t>(d)]);
  }
  return out;
}

bool hasWholeLayout(const Shape& shape) {
  return !shape.layout || shape.layout->minorToMajor.size() == shape.dimensions.size();
}

// The bytes of a transpose stay where they are: its result's layout undoes it.
bool isBitcast(const Shape& from, const Instruction& transpose) {
  const Shape& to = *transpose.shape;
  const std::vector<int64_t>& dimensions = transpose.attributes->ints(Attr::dimensions);
  if (dimensions.size() != to.dimensions.size() || !hasWholeLayout(from) || !hasWholeLayout(to)) return false;
  std::vector<int64_t> own(from.dimensions.size());
  for (size_t d = 0; d < own.size(); ++d) own[d] = static_cast<int64_t>(d);
  const bool sameTiles =
      (from.layout ? from.layout->tiles : std::vector<Tile>()) == (to.layout ? to.layout->tiles : std::vector<Tile>());
  return sameTiles && from.rank() == to.rank() && memoryOrder(from, own) == memoryOrder(to, dimensions);
}

Move moveOfOne(const Module& module, const Instruction& i) {
  if (i.opcode == Opcode::Copy) return Move::Copy;
  if (i.opcode != Opcode::Transpose || i.operands.empty() || !module.contains(i.operands[0])) return Move::None;
  return isBitcast(module.shapeOf(i.operands[0]), i) ? Move::None : Move::Transpose;
}

// A fusion that holds nothing but copies, transposes and bitcasts is one of them.
Move moveOf(const Workload& work, const Instruction& i) {
  const Computation* fused = work.fusedBy(i);
  if (!fused) return moveOfOne(work.module, i);
  Move out = Move::None;
  for (InstructionId id : fused->instructions) {
    const Instruction& inner = work.module.at(id);
    if (inner.opcode == Opcode::Parameter || inner.opcode == Opcode::Bitcast || inner.opcode == Opcode::Reshape)
      continue;
    if (inner.opcode != Opcode::Copy && inner.opcode != Opcode::Transpose) return Move::None;
    out = std::max(out, moveOfOne(work.module, inner));
  }
  return out;
}

template <class Visit>
void forKernels(const Workload& work, Visit&& visit) {
  for (ComputationId computation : work.execution.computations)
    for (InstructionId id : work.module.at(computation).instructions)
      if (work.isKernel(work.module.at(id))) visit(work.module.at(id));
}

bool isInLoop(const Workload& work, const Instruction& i) { return work.execution.of(i.computation).loop.valid(); }

void addCopySites(const Workload& work, bool inLoops, std::vector<Finding>& out) {
  if (!work.stage.optimised) return;
  SiteGroups copies, transposes;
  forKernels(work, [&](const Instruction& i) {
    if (bytesOfShape(*i.shape) < kFewMovedBytes) return;
    const Move move = moveOf(work, i);
    const bool isLoopCopy = move == Move::Copy && isInLoop(work, i);
    if (move == Move::None || isLoopCopy != inLoops) return;
    (move == Move::Copy ? copies : transposes).add(work, i.id, work.costOf(i.id).bytesAccessed);
  });
  const auto tell = [&](const SiteGroups& groups, const char* one, const char* many) {
    for (const auto& group : groups.sorted()) {
      const Instruction& worst = work.module.at(group.sites[0]);
      std::string text = fmt::format("{} of {}", counted(group.sites.size(), one, many), shapeText(*worst.shape));
      const InstructionId loop = work.execution.of(worst.computation).loop;
      if (loop.valid()) text += fmt::format(" in the loop {}", work.module.at(loop).name);
      if (group.times > static_cast<double>(group.sites.size()))
        text += fmt::format(", {} times a run", amountText(group.times));
      if (!work.execution.of(worst.computation).timesKnown) text += ", each time";
      out.push_back({.text = fmt::format("{}: {} read and written", text, bytesText(group.bytes)),
                     .instructions = group.sites,
                     .bytes = group.bytes});
    }
  };
  tell(copies, "copy", "copies");
  tell(transposes, "transpose", "transposes");
}

// --- broadcasts

// The broadcast that a kernel ends in; null: none.
const Instruction* broadcastBehind(const Workload& work, const Instruction& kernel) {
  const Computation* fused = work.fusedBy(kernel);
  const Instruction* at = fused && work.module.contains(fused->root) ? &work.module.at(fused->root) : &kernel;
  while (fused && !at->operands.empty() && (at->opcode == Opcode::Bitcast || at->opcode == Opcode::Reshape))
    at = &work.module.at(at->operands[0]);
  return at->opcode == Opcode::Broadcast && !at->operands.empty() ? at : nullptr;
}

// A fusion that writes into the buffer of its operand `value`.
bool updatesInPlace(const Workload& work, const Instruction& fusion, const Computation& fused, InstructionId value) {
  for (InstructionId id : fused.instructions) {
    const Instruction& i = work.module.at(id);
    if ((i.opcode != Opcode::DynamicUpdateSlice && i.opcode != Opcode::Scatter) || i.operands.empty()) continue;
    InstructionId base = i.operands[0];
    while (work.module.at(base).opcode == Opcode::Bitcast) base = work.module.at(base).operands[0];
    const int32_t number = work.module.at(base).parameterNumber;
    if (number >= 0 && static_cast<size_t>(number) < fusion.operands.size() &&
        fusion.operands[static_cast<size_t>(number)] == value)
      return true;
  }
  return false;
}

// A reader that could as well repeat the small array itself. Whoever wants a buffer (a loop's state, an update in
// place, a library, another computation, the caller) needs it materialised.
bool couldRepeat(const Workload& work, const Instruction& reader, InstructionId value) {
  const Computation* fused = work.fusedBy(reader);
  if (!fused) return reader.opcode == Opcode::Reduce || hasTrait(reader.opcode, kElementwise);
  if (reader.attributes->textOr(Attr::kind, "") == "kCustom") return false;
  return !updatesInPlace(work, reader, *fused, value);
}

}  // namespace

void findCopies(const Workload& work, std::vector<Finding>& out) { addCopySites(work, false, out); }
void findLoopCopies(const Workload& work, std::vector<Finding>& out) { addCopySites(work, true, out); }

void findBroadcasts(const Workload& work, std::vector<Finding>& out) {
  if (!work.stage.optimised) return;
  SiteGroups groups;
  forKernels(work, [&](const Instruction& i) {
    const double bytes = bytesOfShape(*i.shape);
    const Instruction* broadcast = bytes < kFewMovedBytes ? nullptr : broadcastBehind(work, i);
    if (!broadcast || work.module.at(i.computation).root == i.id) return;
    if (bytes < kMostlyRepeats * bytesOfShape(work.module.shapeOf(broadcast->operands[0]))) return;
    const std::vector<InstructionId> readers = readersOf(work, i.id);
    const bool avoidable = std::ranges::all_of(
        readers, [&](InstructionId reader) { return couldRepeat(work, work.module.at(reader), i.id); });
    if (avoidable && !readers.empty()) groups.add(work, i.id, bytes * work.timesOf(i.id));
  });
  for (const auto& group : groups.sorted()) {
    const Instruction& worst = work.module.at(group.sites[0]);
    const Instruction& broadcast = *broadcastBehind(work, worst);
    out.push_back({.text = fmt::format("{} to {} materialised: {} hold what {} says",
                                       counted(group.sites.size(), "broadcast", "broadcasts"), shapeText(*worst.shape),
                                       bytesText(group.bytes), shapeText(work.module.shapeOf(broadcast.operands[0]))),
                   .instructions = group.sites,
                   .bytes = group.bytes});
  }
}

}  // namespace tessera
