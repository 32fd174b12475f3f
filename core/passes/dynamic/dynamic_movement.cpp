// Data movement whose dimensions have sizes of the run: see dynamic_rule.h.
#include "core/passes/dynamic/dynamic_rule.h"

#include <algorithm>

#include "core/hlo/index_math.h"

namespace tessera {

// Operands are written one over the other, each at the end of what counts of those before it.
void DynamicRule::concatenate() {
  const auto along = static_cast<size_t>(attributes().ints(Attr::dimensions)[0]);
  DimensionSizes result = sizesByRelation();
  InstructionId end = build_.number(0), out = again();
  bool moved = false;
  for (size_t i = 0; i < operands_.size(); ++i) {
    if (moved) out = build_.updateFrom(out, operands_[i], along, end);
    moved = moved || isDynamic(i, along);
    end = build_.add(end, build_.clamp(build_.sizeOr(sizes(i), along, dims(i)[along]), 0, dims(i)[along]));
  }
  if (moved) result[along] = end;
  standIn(out, std::move(result));
}

void DynamicRule::pad() {
  DimensionSizes result = sizesByRelation();
  fill(0, build_.everyDimension(operands_[0]), operands_[1]);
  keep(std::move(result));
}

// Reversed over the bound, then moved to the origin.
void DynamicRule::reverse() {
  const DimensionSizes result = sizes(0);
  const std::vector<int64_t> whole = dims(0);
  InstructionId out = again();
  for (int64_t each : attributes().ints(Attr::dimensions)) {
    const auto d = static_cast<size_t>(each);
    if (!isDynamic(0, d) || whole[d] == 0) continue;
    const InstructionId twice = build_.pad(out, build_.zeroOf(shape_.type), d, 0, whole[d]);
    out = build_.sliceFrom(twice, d, build_.subtract(build_.number(whole[d]), size(0, d)), whole[d]);
  }
  standIn(out, result);
}

// Element i, in row-major order of what counts in the result, is element i of what counts in the operand: its place in
// the bounds of the operand is worked out for each element of the result, and gathered. Where the sizes ask for more
// than there is, what is behind in the operand follows, and its last element, in XLA's order.
void DynamicRule::reshape(DimensionSizes result) {
  const std::vector<int64_t> from = dims(0), to = shape_.dimensions;
  const int64_t dense = productOf(from);
  if (dense == 0) return standIn(build_.reshape(operands_[0], to), std::move(result));
  InstructionId place = build_.broadcast(build_.number(0), to), stride = build_.number(1);
  for (size_t d = to.size(); d-- > 0;) {
    const InstructionId size = result[d].valid() ? build_.clamp(result[d], 0, to[d]) : build_.number(to[d]);
    InstructionId index = build_.iota(to, d);
    if (d > 0 && result[d].valid()) {
      const InstructionId last = build_.maximum(build_.subtract(size, build_.number(1)), build_.number(0));
      index = build_.elementwise(Opcode::Minimum, index, build_.broadcast(last, to));
    }
    place = build_.elementwise(Opcode::Add, place,
                               build_.elementwise(Opcode::Multiply, index, build_.broadcast(stride, to)));
    stride = build_.multiply(stride, size);
  }
  place = flatPlace(place, 0);
  AttributeSet gather;
  gather.set(Attr::offset_dims, std::vector<int64_t>{});
  gather.set(Attr::collapsed_slice_dims, std::vector<int64_t>{0});
  gather.set(Attr::start_index_map, std::vector<int64_t>{0});
  gather.set(Attr::index_vector_dim, static_cast<int64_t>(to.size()));
  gather.set(Attr::slice_sizes, std::vector<int64_t>{1});
  const InstructionId flat = build_.reshape(operands_[0], {dense});
  standIn(build_.make(Opcode::Gather, Shape::arrayRowMajor(shape_.type, to), {flat, place}, std::move(gather)),
          std::move(result));
}

// Places within the bounds of dimensions `first` and on of the operand, from numbers that count, by all of these
// dimensions but the first, what counts and behind it what does not. The rows of static dimensions are numbered as they
// lie.
InstructionId DynamicRule::flatPlace(InstructionId number, size_t first) {
  const std::vector<int64_t> from = dims(0), to = shape_.dimensions;
  const auto whole = [&](InstructionId scalar) { return build_.broadcast(scalar, to); };
  int64_t row = 1;
  bool isStatic = true;
  InstructionId inRow = build_.number(1);
  for (size_t d = first + 1; d < from.size(); ++d) {
    row *= from[d];
    isStatic = isStatic && !isDynamic(0, d);
    inRow = build_.multiply(inRow, isDynamic(0, d) ? build_.clamp(size(0, d), 0, from[d]) : build_.number(from[d]));
  }
  if (isStatic) return number;
  const InstructionId one = build_.number(1), counting = build_.multiply(inRow, build_.number(from[first]));
  const InstructionId left = build_.subtract(build_.number(row), inRow);
  const InstructionId counts = build_.compare("LT", number, whole(counting));
  const InstructionId start = build_.select(counts, whole(build_.number(0)), whole(counting));
  const InstructionId length =
      build_.select(counts, whole(build_.maximum(inRow, one)), whole(build_.maximum(left, one)));
  const InstructionId behind = build_.select(counts, whole(build_.number(0)), whole(inRow));
  const InstructionId local = build_.elementwise(Opcode::Subtract, number, start);
  const InstructionId major = build_.elementwise(Opcode::Divide, local, length);
  const InstructionId minor =
      build_.elementwise(Opcode::Add, build_.elementwise(Opcode::Remainder, local, length), behind);
  return build_.elementwise(Opcode::Add, build_.elementwise(Opcode::Multiply, major, whole(build_.number(row))),
                            flatPlace(minor, first + 1));
}

}  // namespace tessera
