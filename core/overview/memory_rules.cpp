// Padding: what tiled and padded layouts add to the bytes of the elements. Counted once for each buffer that the module
// makes; what only names another buffer (tuples, bitcasts, a loop's state, the result of a call) is none.

#include <fmt/format.h>

#include "core/base/sorting.h"
#include "core/base/units.h"
#include "core/hlo/memory_map.h"
#include "core/overview/rules.h"

namespace tessera {
namespace {

constexpr double kLeastShare = 0.01;            // of all bytes
constexpr double kFewPaddingBytes = 16 * 1024;  // scalars in a tile of their own are no finding

struct Buffer {
  double bytes = 0, waste = 0;
};

void addBuffer(const Shape& shape, Buffer& sum) {
  if (shape.isTuple()) {
    for (const Shape& element : shape.elements) addBuffer(element, sum);
    return;
  }
  if (!shape.isArray()) return;
  const bool plain = !shape.layout || shape.layout->isPlain();
  if (plain) {
    sum.bytes += bytesOfShape(shape);
  } else if (const auto map = MemoryMap::of(shape)) {
    sum.bytes += static_cast<double>(map->bytes());
    sum.waste += static_cast<double>(map->wasteBytes());
  }
}

bool makesBuffer(const Workload& work, const Instruction& i) {
  if (i.opcode == Opcode::Constant) return true;
  if (i.opcode == Opcode::Parameter) return i.computation == work.module.entry();
  return work.isKernel(i);
}

Buffer bufferOf(const Instruction& i) {
  Buffer out;
  // The result of a start is the operand again, the result and a flag.
  const bool start = i.opcode == Opcode::CopyStart || i.opcode == Opcode::AsyncStart;
  const bool pair = start && i.shape->isTuple() && i.shape->elements.size() > 1;
  const size_t result = i.opcode == Opcode::CopyStart ? 0 : 1;
  addBuffer(pair ? i.shape->elements[result] : *i.shape, out);
  return out;
}

}  // namespace

void findPadding(const Workload& work, std::vector<Finding>& out) {
  Buffer all;
  std::vector<std::pair<Buffer, InstructionId>> wasteful;
  for (ComputationId computation : work.execution.computations)
    for (InstructionId id : work.module.at(computation).instructions) {
      const Instruction& i = work.module.at(id);
      if (!makesBuffer(work, i)) continue;
      const Buffer own = bufferOf(i);
      all.bytes += own.bytes, all.waste += own.waste;
      if (own.waste > 0) wasteful.push_back({own, id});
    }
  if (all.waste < kFewPaddingBytes || all.waste < kLeastShare * all.bytes) return;
  sortWith(wasteful, [](const auto& a, const auto& b) { return a.first.waste > b.first.waste; });
  const auto& [worst, place] = wasteful[0];
  Finding finding{
      .text = fmt::format("{} of {} in all buffers are padding ({}); most in {} {}: {} of {}", bytesText(all.waste),
                          bytesText(all.bytes), percentText(all.waste / all.bytes), work.module.at(place).name,
                          shapeText(*work.module.at(place).shape), bytesText(worst.waste), bytesText(worst.bytes)),
      .bytes = all.waste,
      .estimated = false};
  for (const auto& one : wasteful) finding.instructions.push_back(one.second);
  out.push_back(std::move(finding));
}

}  // namespace tessera
