// ragged-all-to-all: an all-to-all of pieces of different length along dimension 0. Each device says for each piece
// where it begins, how long it is, and where it goes in the receiver's output.
#include <algorithm>
#include <cstring>

#include "core/base/result.h"
#include "core/hlo/numbers.h"
#include "core/ops/inference/infer_checks.h"
#include "core/ops/shared/collective_groups.h"
#include "core/ops/shared/evaluate_loops.h"

namespace tessera {
namespace {

constexpr OperandDoc kOperands[] = {
    {"input", "the rows to send"},
    {"output", "what the result holds where nothing is received"},
    {"input_offsets", "first row of each piece; pieces for one receiver stand side by side"},
    {"send_sizes", "rows of each piece"},
    {"output_offsets", "first row of each piece in the receiver's output"},
    {"recv_sizes", "rows that each sender sends here"},
};
constexpr AttributeRow kAttributes[] = {
    kChannelRow, kGroupsRow, {Attr::dimensions, false, "", "kept as written; without meaning"}};
constexpr Constraint kConstraints[] = {
    {"C1", kGroupsText},
    {"C2", "input and output have one element type and one shape beside dimension 0"},
    {"C3", "offsets and sizes are four integer vectors of one length, a multiple of the group's size"},
};

Result<Shape> inferShape(const InferContext& context) {
  TESSERA_TRY(checkArrayOperands(context, 6));
  TESSERA_TRY(checkGroups(context, "C1"));
  const Shape &input = context.operand(0), &output = context.operand(1);
  const bool alike = input.type == output.type && input.rank() == output.rank() && input.rank() > 0 &&
                     std::equal(input.dimensions.begin() + 1, input.dimensions.end(), output.dimensions.begin() + 1);
  if (!alike)
    return context.violated("C2", "input and output differ in more than dimension 0", toString(input, false),
                            toString(output, false));
  const Shape& first = context.operand(2);
  for (size_t i = 2; i < 6; ++i) {
    const Shape& vector = context.operand(i);
    if (vector.rank() != 1 || !isInteger(vector.type) || vector.dimensions != first.dimensions)
      return context.violated("C3", "operand " + std::to_string(i) + " does not fit",
                              "an integer vector as " + toString(first, false), toString(vector, false));
  }
  const int64_t size = groupSizeOf(*context.attributes).value_or(1), length = first.dimensions[0];
  if (length % size != 0)
    return context.violated("C3", "the pieces cannot be shared out evenly", "a multiple of " + std::to_string(size),
                            std::to_string(length));
  return withoutLayout(output);
}

void inferLayout(const InferContext& context, Shape& result) { result = context.operand(1); }

struct Piece {
  int64_t from, rows, to;
};

// Piece `index` of a device's joined value (its six operands).
Piece pieceOf(const Literal& device, size_t index) {
  const auto at = [&](size_t operand) {
    const Literal& vector = device.elements()[operand];
    return loadInt(vector.shape().type,
                   vector.bytes().data() + index * static_cast<size_t>(byteWidth(vector.shape().type)));
  };
  return {at(2), at(3), at(4)};
}

Result<Literal> evaluate(const EvaluateContext& context) {
  const std::vector<int64_t> members = membersOf(context);
  TESSERA_ASSIGN_OR_RETURN(std::vector<Literal> devices, exchangeAmong(context, members, joinedValue(context)));
  const int64_t self = context.communicator ? context.communicator->device() : 0;
  const auto place = static_cast<size_t>(std::ranges::find(members, self) - members.begin());
  const size_t pieces = static_cast<size_t>(context.operands[2].elementCount()) / devices.size();
  TESSERA_ASSIGN_OR_RETURN(Literal out, Literal::fromBytes(context.shape, context.operands[1].bytes()));
  const int64_t inputRows = context.operands[0].shape().dimensions[0], outputRows = context.shape.dimensions[0];
  for (const Literal& device : devices)
    for (size_t p = place * pieces; p < (place + 1) * pieces; ++p) {
      const Piece piece = pieceOf(device, p);
      const bool inside = piece.from >= 0 && piece.rows >= 0 && piece.to >= 0 && piece.rows <= inputRows &&
                          piece.rows <= outputRows && piece.from <= inputRows - piece.rows &&
                          piece.to <= outputRows - piece.rows;
      if (!inside)
        return fail(ErrorKind::Runtime, "a piece of " + std::to_string(piece.rows) + " rows from " +
                                            std::to_string(piece.from) + " to " + std::to_string(piece.to) +
                                            " leaves its array");
      copyBlock(device.elements()[0], piece.from, out, piece.to, 0, piece.rows);
    }
  return out;
}

}  // namespace

const OpDef kRaggedAllToAll = {
    .opcode = Opcode::RaggedAllToAll,
    .kind = ExecutionKind::Effect,
    .category = {OpCategory::Communication, kSideEffect},
    .summary = "Every device sends pieces of its own choice to every device.",
    .doc =
        "With $n$ pieces for each receiver, pieces $jn … (j+1)n-1$ go to device $j$ of the group: `send_sizes` "
        "rows of the input from `input_offsets` on are written to row `output_offsets` of the receiver's output. "
        "Rows that nobody sends keep the output operand's values.",
    .operands = kOperands,
    .attributes = kAttributes,
    .constraints = kConstraints,
    .inferShape = inferShape,
    .inferLayout = inferLayout,
    .evaluate = evaluate,
};

}  // namespace tessera
