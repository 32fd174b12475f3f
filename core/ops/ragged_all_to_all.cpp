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

constexpr OperandDoc kRaggedAllToAllOperands[] = {
    {"input", "the rows to send"},
    {"output", "what the result holds where nothing is received"},
    {"input_offsets", "first row of each piece; pieces for one receiver stand side by side"},
    {"send_sizes", "rows of each piece"},
    {"output_offsets", "first row of each piece in the receiver's output"},
    {"recv_sizes", "rows that each sender sends here"},
};
constexpr AttributeRow kRaggedAllToAllAttributes[] = {
    kChannelRow, kGroupsRow, {Attr::dimensions, false, "", "kept as written; without meaning"}};
constexpr Constraint kRaggedAllToAllConstraints[] = {
    {"C1", kGroupsText},
    {"C2", "input and output have one element type and one shape beside dimension 0"},
    {"C3", "offsets and sizes are four integer vectors of one length, a multiple of the group's size"},
};

Result<Shape> inferRaggedAllToAll(const InferContext& context) {
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

void raggedAllToAllLayout(const InferContext& context, Shape& result) { result = context.operand(1); }

struct Piece {
  int64_t from, rows, to;
};

// This device's pieces in order; those of one receiver follow each other.
std::vector<Piece> piecesOf(const EvaluateContext& context) {
  const auto at = [&](size_t operand, size_t index) {
    const Literal& vector = context.operands[operand];
    return loadInt(vector.shape().type,
                   vector.bytes().data() + index * static_cast<size_t>(byteWidth(vector.shape().type)));
  };
  std::vector<Piece> out;
  for (size_t i = 0; i < static_cast<size_t>(context.operands[2].elementCount()); ++i)
    out.push_back({at(2, i), at(3, i), at(4, i)});
  return out;
}

Status checkPieces(const EvaluateContext& context, const std::vector<Piece>& pieces) {
  const int64_t inputRows = context.operands[0].shape().dimensions[0], outputRows = context.shape.dimensions[0];
  for (const Piece& piece : pieces) {
    const bool inside = piece.from >= 0 && piece.rows >= 0 && piece.to >= 0 && piece.rows <= inputRows &&
                        piece.rows <= outputRows && piece.from <= inputRows - piece.rows &&
                        piece.to <= outputRows - piece.rows;
    if (!inside)
      return fail(ErrorKind::Runtime, "a piece of " + std::to_string(piece.rows) + " rows from " +
                                          std::to_string(piece.from) + " to " + std::to_string(piece.to) +
                                          " leaves its array");
  }
  return {};
}

Shape withRows(const Shape& array, int64_t rows) {
  Shape out = Shape::arrayRowMajor(array.type, array.dimensions);
  out.dimensions[0] = rows;
  return out;
}

// Where the rows of a receiver's pieces go, as (rows, row) pairs.
Result<Literal> targetsOf(std::span<const Piece> pieces) {
  TESSERA_ASSIGN_OR_RETURN(
      Literal out, Literal::allocate(Shape::arrayRowMajor(ElementType::S64, {static_cast<int64_t>(pieces.size()), 2})));
  for (size_t i = 0; i < pieces.size(); ++i) {
    out.mutableData<int64_t>()[2 * i] = pieces[i].rows;
    out.mutableData<int64_t>()[2 * i + 1] = pieces[i].to;
  }
  return out;
}

// The rows of a receiver's pieces, one piece after the other.
Result<Literal> sentRows(const Literal& input, std::span<const Piece> pieces) {
  int64_t rows = 0;
  for (const Piece& piece : pieces) rows += piece.rows;
  TESSERA_ASSIGN_OR_RETURN(Literal out, Literal::allocate(withRows(input.shape(), rows)));
  rows = 0;
  for (const Piece& piece : pieces) {
    copyBlock(input, piece.from, out, rows, 0, piece.rows);
    rows += piece.rows;
  }
  return out;
}

// What each member sends here: first where its rows go, then the rows.
Status receiveInto(const EvaluateContext& context, const GroupRendezvous& group, DeviceValues targets,
                   DeviceValues rows, Literal& out) {
  Rendezvous sizes = group.rendezvous;
  sizes.key += " sizes";
  const std::vector<Shape> alike(targets.size(), targets[0].shape());
  TESSERA_ASSIGN_OR_RETURN(const DeviceValues places,
                           group.communicator->swap(sizes, std::move(targets), alike, context.cancelled));
  std::vector<Shape> shapes;
  for (const Literal& place : places) {
    int64_t count = 0;
    for (size_t i = 0; i < place.data<int64_t>().size(); i += 2) count += place.data<int64_t>()[i];
    shapes.push_back(withRows(out.shape(), count));
  }
  TESSERA_ASSIGN_OR_RETURN(const DeviceValues received,
                           group.communicator->swap(group.rendezvous, std::move(rows), shapes, context.cancelled));
  for (size_t v = 0; v < received.size(); ++v) {
    int64_t from = 0;
    const auto place = places[v].data<int64_t>();
    for (size_t i = 0; i < place.size(); from += place[i], i += 2)
      copyBlock(received[v], from, out, place[i + 1], 0, place[i]);
  }
  return {};
}

Result<Literal> evaluateRaggedAllToAll(const EvaluateContext& context) {
  TESSERA_ASSIGN_OR_RETURN(const GroupRendezvous group, groupRendezvousOf(context, membersOf(context)));
  const std::vector<Piece> pieces = piecesOf(context);
  TESSERA_TRY(checkPieces(context, pieces));
  const size_t members = group.rendezvous.members.size(), each = pieces.size() / members;
  DeviceValues targets, rows;
  for (size_t m = 0; m < members; ++m) {
    const auto own = std::span(pieces).subspan(m * each, each);
    TESSERA_ASSIGN_OR_RETURN(Literal target, targetsOf(own));
    TESSERA_ASSIGN_OR_RETURN(Literal sent, sentRows(context.operands[0], own));
    targets.push_back(std::move(target));
    rows.push_back(std::move(sent));
  }
  TESSERA_ASSIGN_OR_RETURN(Literal out, Literal::fromBytes(context.shape, context.operands[1].bytes()));
  TESSERA_TRY(receiveInto(context, group, std::move(targets), std::move(rows), out));
  return out;
}

}  // namespace

const OpDef kRaggedAllToAll = {
    .opcode = Opcode::RaggedAllToAll,
    .kind = ExecutionKind::Effect,
    .category = {OpCategory::Communication, kSideEffect | kCollective},
    .summary = "Every device sends pieces of its own choice to every device.",
    .doc =
        "With $n$ pieces for each receiver, pieces $jn … (j+1)n-1$ go to device $j$ of the group: `send_sizes` "
        "rows of the input from `input_offsets` on are written to row `output_offsets` of the receiver's output. "
        "Rows that nobody sends keep the output operand's values.",
    .operands = kRaggedAllToAllOperands,
    .attributes = kRaggedAllToAllAttributes,
    .constraints = kRaggedAllToAllConstraints,
    .inferShape = inferRaggedAllToAll,
    .inferLayout = raggedAllToAllLayout,
    .evaluate = evaluateRaggedAllToAll,
};

}  // namespace tessera
