// collective-permute, its -start and -done: values that move from device to device by pairs.
#include <algorithm>

#include "core/base/result.h"
#include "core/hlo/numbers.h"
#include "core/ops/inference/infer_checks.h"
#include "core/ops/shared/collective_groups.h"
#include "core/ops/shared/dimension_relations.h"
#include "core/ops/shared/evaluate_loops.h"
#include "core/ops/shared/zero_values.h"

namespace tessera {
namespace {

constexpr OperandDoc kCollectivePermuteOperands[] = {
    {"operands", "arrays that move together; with slice_sizes: input, output and their start indices"}};
constexpr OperandDoc kCollectivePermuteDoneOperands[] = {{"start", "the collective-permute-start"}};
constexpr AttributeRow kPermuteAttributes[] = {
    kChannelRow,
    {Attr::source_target_pairs, true, "", "{{from,to}, …}: a device that is no target gets zeros"},
    {Attr::slice_sizes, false, "", "sizes of slices that move in place"},
};
constexpr Constraint kPermuteConstraints[] = {
    {"C1",
     "each of source_target_pairs is a pair of device numbers; no device is a source twice or a target twice, or in "
     "place more often than there are starts"},
    {"C2", "with slice_sizes there are four operands"},
};
constexpr Constraint kCollectivePermuteDoneConstraints[] = {{"C1", "the operand is a tuple of operands and results"}};

using Pairs = std::vector<std::vector<int64_t>>;

const Pairs& pairsOf(const AttributeSet& attributes) {
  static const Pairs kNone;
  const auto* pairs = attributes.get<Pairs>(Attr::source_target_pairs);
  return pairs ? *pairs : kNone;
}

bool isInPlace(const AttributeSet& attributes) { return attributes.has(Attr::slice_sizes); }

// How often a device may be a source, and a target: each slice that moves in place has a pair of its own.
std::ptrdiff_t mostPairs(const InferContext& context) {
  if (!isInPlace(*context.attributes) || context.operands.size() != 4) return 1;
  const Shape& starts = context.operand(2);
  const Shape& ofOne = context.operand(0).isTuple() && !starts.elements.empty() ? starts.elements[0] : starts;
  return std::max<std::ptrdiff_t>(std::ssize(ofOne.elements), 1);
}

Status checkPairs(const InferContext& context) {
  const std::ptrdiff_t most = mostPairs(context);
  std::vector<int64_t> ends[2];
  for (const auto& pair : pairsOf(*context.attributes)) {
    if (pair.size() != 2 || pair[0] < 0 || pair[1] < 0)
      return context.violated("C1", "an entry of source_target_pairs is no pair of devices", "{from,to}", listOf(pair));
    for (size_t end = 0; end < 2; ++end) {
      if (std::ranges::count(ends[end], pair[end]) >= most)
        return context.violated("C1", "device " + std::to_string(pair[end]) + " is a " +
                                          (end == 0 ? "source" : "target") + " " +
                                          (most == 1 ? "twice" : "more than " + std::to_string(most) + " times"));
      ends[end].push_back(pair[end]);
    }
  }
  return {};
}

// In place, operands are values or tuples of them; the result is the output.
Result<Shape> inferPermute(const InferContext& context) {
  TESSERA_TRY(checkPairs(context));
  if (isInPlace(*context.attributes)) {
    if (context.operands.size() != 4)
      return context.violated("C2", "a permute in place takes input, output and two starts", "4",
                              std::to_string(context.operands.size()));
    return withoutLayout(context.operand(1));
  }
  TESSERA_TRY(checkCollectiveOperands(context));
  return likeOperands(context);
}

Result<Shape> inferCollectivePermuteStart(const InferContext& context) {
  TESSERA_ASSIGN_OR_RETURN(Shape result, inferPermute(context));
  Shape operand = isInPlace(*context.attributes) ? withoutLayout(context.operand(0)) : result;
  std::vector<Shape> elements{std::move(operand), std::move(result)};
  if (context.written && context.written->isTuple())  // whatever a target keeps beside: u32[] contexts
    for (size_t i = 2; i < context.written->elements.size(); ++i)
      elements.push_back(withoutLayout(context.written->elements[i]));
  return Shape::tuple(std::move(elements));
}

void collectivePermuteLayout(const InferContext& context, Shape& result) {
  if (!isInPlace(*context.attributes)) likeOperandLayouts(context, result);
}

// --- slices in place

// A slice of one buffer: which one, where it begins and its sizes.
struct Slice {
  size_t buffer;
  std::vector<int64_t> start, sizes;
};

int64_t scalarOf(const Literal& literal) {
  return literal.bytes().empty() ? 0 : loadInt(literal.shape().type, literal.bytes().data());
}

std::vector<Literal> buffersOf(const Literal& operand) {
  return operand.shape().isTuple() ? operand.elements() : std::vector<Literal>{operand};
}

// The starts of one buffer: a tuple of scalars, or of such tuples when several slices move.
void appendStarts(const Literal& starts, size_t buffer, std::vector<Slice>& out) {
  if (starts.elements().empty() || !starts.elements()[0].shape().isTuple()) {
    Slice slice{buffer, {}, {}};
    for (const Literal& each : starts.elements()) slice.start.push_back(scalarOf(each));
    return out.push_back(std::move(slice));
  }
  for (const Literal& each : starts.elements()) appendStarts(each, buffer, out);
}

// The slices that operand `starts` names in the buffers of operand `values`; they must be inside.
Result<std::vector<Slice>> slicesOf(const EvaluateContext& context, size_t values, size_t starts) {
  const auto* sizes = context.instruction.attributes->get<std::vector<std::vector<int64_t>>>(Attr::slice_sizes);
  const std::vector<Literal> buffers = buffersOf(context.operands[values]);
  std::vector<Slice> out;
  if (context.operands[values].shape().isTuple())
    for (size_t i = 0; i < std::min(buffers.size(), context.operands[starts].elements().size()); ++i)
      appendStarts(context.operands[starts].elements()[i], i, out);
  else
    appendStarts(context.operands[starts], 0, out);
  if (!sizes || sizes->size() != out.size())
    return fail("slice_sizes names another number of slices than the start indices");
  for (size_t i = 0; i < out.size(); ++i) {
    Slice& slice = out[i];
    slice.sizes = (*sizes)[i];
    const std::vector<int64_t>& dims = buffers[slice.buffer].shape().dimensions;
    bool fits = slice.sizes.size() == dims.size() && slice.start.size() == dims.size();
    for (size_t d = 0; fits && d < dims.size(); ++d)
      fits = slice.sizes[d] >= 0 && slice.sizes[d] <= dims[d] && slice.start[d] >= 0 &&
             slice.start[d] <= dims[d] - slice.sizes[d];
    if (!fits) return fail("slice " + std::to_string(i) + " of the collective-permute does not lie in its buffer");
  }
  return out;
}

int64_t placeOf(const Slice& slice, std::span<const int64_t> index, std::span<const int64_t> strides) {
  int64_t out = 0;
  for (size_t d = 0; d < strides.size(); ++d) out += (slice.start[d] + index[d]) * strides[d];
  return out;
}

Result<Literal> takenSlice(const Literal& buffer, const Slice& slice) {
  TESSERA_ASSIGN_OR_RETURN(Literal out, Literal::allocate(Shape::arrayRowMajor(buffer.shape().type, slice.sizes)));
  const std::vector<int64_t> strides = rowMajorStrides(buffer.shape().dimensions);
  forEachIndex(slice.sizes, [&](std::span<const int64_t> index, int64_t linear) {
    copyElement(out.mutableBytes().data(), linear, buffer.bytes().data(), placeOf(slice, index, strides),
                static_cast<size_t>(byteWidth(buffer.shape().type)));
    return true;
  });
  return out;
}

Result<Literal> withSlice(const Literal& buffer, const Slice& slice, const Literal& values) {
  TESSERA_ASSIGN_OR_RETURN(Literal out, Literal::fromBytes(buffer.shape(), buffer.bytes()));
  const std::vector<int64_t> strides = rowMajorStrides(buffer.shape().dimensions);
  forEachIndex(slice.sizes, [&](std::span<const int64_t> index, int64_t linear) {
    copyElement(out.mutableBytes().data(), placeOf(slice, index, strides), values.bytes().data(), linear,
                static_cast<size_t>(byteWidth(buffer.shape().type)));
    return true;
  });
  return out;
}

// What a device sends: its slices as a tuple.
Result<Literal> sentValue(const EvaluateContext& context) {
  if (!isInPlace(*context.instruction.attributes)) return joinedValue(context);
  TESSERA_ASSIGN_OR_RETURN(const std::vector<Slice> slices, slicesOf(context, 0, 2));
  const std::vector<Literal> buffers = buffersOf(context.operands[0]);
  std::vector<Literal> out;
  for (const Slice& slice : slices) {
    TESSERA_ASSIGN_OR_RETURN(Literal taken, takenSlice(buffers[slice.buffer], slice));
    out.push_back(std::move(taken));
  }
  return Literal::tuple(std::move(out));
}

// How a pair moves slices: all of them, or, where a device is in several pairs, the one that is the pair's own. The
// k-th pair of a source takes its k-th slice, the k-th of a target fills its k-th one; an end with a single pair
// follows the other.
struct Move {
  int64_t source = 0;
  std::optional<size_t> taken, filled;
};

std::vector<Move> movesTo(const Pairs& pairs, int64_t target) {
  std::vector<Move> out;
  const auto countOf = [&](size_t end, int64_t device) {
    return std::ranges::count_if(pairs, [&](const auto& pair) { return pair[end] == device; });
  };
  for (size_t i = 0; i < pairs.size(); ++i) {
    if (pairs[i][1] != target) continue;
    const auto before = [&](size_t end) {
      return static_cast<size_t>(std::count_if(pairs.begin(), pairs.begin() + static_cast<std::ptrdiff_t>(i),
                                               [&](const auto& pair) { return pair[end] == pairs[i][end]; }));
    };
    Move move{pairs[i][0], std::nullopt, std::nullopt};
    if (countOf(0, pairs[i][0]) > 1) move.taken = before(0);
    if (countOf(1, target) > 1) move.filled = before(1);
    if (!move.taken) move.taken = move.filled;
    if (!move.filled) move.filled = move.taken;
    out.push_back(move);
  }
  return out;
}

Status fillSlice(std::vector<Literal>& buffers, const Slice& slice, const Literal& values) {
  Literal& buffer = buffers[slice.buffer];
  if (values.shape().type != buffer.shape().type || values.shape().dimensions != slice.sizes)
    return fail("a slice of another shape is received");
  TESSERA_ASSIGN_OR_RETURN(buffer, withSlice(buffer, slice, values));
  return {};
}

// What a device makes of what others sent: the output with their slices in it.
Result<Literal> receivedSlices(const EvaluateContext& context, const std::vector<Move>& moves,
                               const std::vector<const Literal*>& sent) {
  TESSERA_ASSIGN_OR_RETURN(const std::vector<Slice> slices, slicesOf(context, 1, 3));
  std::vector<Literal> buffers = buffersOf(context.operands[1]);
  for (size_t i = 0; i < moves.size(); ++i) {
    const std::vector<Literal>& values = sent[i]->elements();
    const size_t first = moves[i].filled.value_or(0), count = moves[i].filled ? 1 : slices.size();
    for (size_t k = 0; k < count; ++k) {
      const size_t from = moves[i].taken.value_or(k);
      if (from >= values.size() || first + k >= slices.size())
        return fail("a device is in more pairs than it has slices");
      TESSERA_TRY(fillSlice(buffers, slices[first + k], values[from]));
    }
  }
  return context.operands[1].shape().isTuple() ? Literal::tuple(std::move(buffers)) : std::move(buffers[0]);
}

// A device that is no target: zeros, or the output as it is.
Result<Literal> untouched(const EvaluateContext& context, const Shape& result) {
  if (isInPlace(*context.instruction.attributes)) return context.operands[1];
  return zerosOf(result);
}

// The other ends of this device's pairs, each once.
std::vector<int64_t> otherEnds(const EvaluateContext& context, const Pairs& pairs, size_t own) {
  std::vector<int64_t> out;
  for (const auto& pair : pairs) {
    const int64_t other = deviceOf(context, pair[1 - own]);
    if (pair[own] == ownNumber(context) && std::ranges::find(out, other) == out.end()) out.push_back(other);
  }
  return out;
}

// All devices that appear in the pairs meet; one that appears nowhere gets zeros at once.
Result<Literal> permute(const EvaluateContext& context, const Shape& result, std::string ticket) {
  const int64_t own = ownNumber(context);
  const Pairs& pairs = pairsOf(*context.instruction.attributes);
  std::vector<int64_t> numbers;
  for (const auto& pair : pairs) numbers.insert(numbers.end(), pair.begin(), pair.end());
  std::ranges::sort(numbers);
  numbers.erase(std::ranges::unique(numbers).begin(), numbers.end());
  if (!std::ranges::binary_search(numbers, own)) return untouched(context, result);
  std::vector<int64_t> members;
  for (int64_t number : numbers) members.push_back(deviceOf(context, number));
  TESSERA_ASSIGN_OR_RETURN(const Literal sent, sentValue(context));
  TESSERA_ASSIGN_OR_RETURN(GroupRendezvous group, groupRendezvousOf(context, members));
  const std::vector<Move> moves = movesTo(pairs, own);
  if (!moves.empty() && !isInPlace(*context.instruction.attributes)) group.rendezvous.ticket = std::move(ticket);
  const std::vector<int64_t> sources = otherEnds(context, pairs, 1);
  TESSERA_ASSIGN_OR_RETURN(
      const DeviceValues values,
      group.communicator->permute(group.rendezvous, sent, otherEnds(context, pairs, 0), sources, context.cancelled));
  if (moves.empty()) return untouched(context, result);
  std::vector<const Literal*> received;
  for (const Move& move : moves)
    received.push_back(
        &values[static_cast<size_t>(std::ranges::find(sources, deviceOf(context, move.source)) - sources.begin())]);
  return isInPlace(*context.instruction.attributes) ? receivedSlices(context, moves, received) : *received[0];
}

Result<Literal> evaluatePermute(const EvaluateContext& context) { return permute(context, context.shape, {}); }

Result<Literal> evaluateCollectivePermuteStart(const EvaluateContext& context) {
  TESSERA_ASSIGN_OR_RETURN(Literal result, permute(context, context.shape.elements[1], ticketOf(context)));
  std::vector<Literal> elements{isInPlace(*context.instruction.attributes) ? context.operands[0] : joinedValue(context),
                                std::move(result)};
  for (size_t i = 2; i < context.shape.elements.size(); ++i) {
    TESSERA_ASSIGN_OR_RETURN(Literal zeros, zerosOf(context.shape.elements[i]));
    elements.push_back(std::move(zeros));
  }
  return Literal::tuple(std::move(elements));
}

Result<Shape> inferCollectivePermuteDone(const InferContext& context) {
  const Shape& start = context.operand(0);
  if (!start.isTuple() || start.elements.size() < 2)
    return context.violated("C1", "the operand is no started collective-permute", "(operand, result)",
                            toString(start, false));
  const Shape& result = start.elements[1];
  return withoutLayout(result);
}
void collectivePermuteDoneLayout(const InferContext& context, Shape& result) {
  if (context.operand(0).elements.size() >= 2) result = context.operand(0).elements[1];
}
Result<Literal> evaluateCollectivePermuteDone(const EvaluateContext& context) {
  TESSERA_ASSIGN_OR_RETURN(auto finished, finishStarted(context));
  return finished ? std::move(*finished) : context.operands[0].elements()[1];
}

// In place the result is the second operand.
DimensionRelations collectivePermuteDimensions(const InferContext& context) {
  return isInPlace(*context.attributes) ? relationsOfOperand<1>(context) : relationsOfElementwise(context);
}

}  // namespace

const OpDef kCollectivePermute = {
    .opcode = Opcode::CollectivePermute,
    .kind = ExecutionKind::Effect,
    .category = {OpCategory::Communication, kSideEffect | kCollective},
    .summary = "Moves values from device to device.",
    .doc =
        "For each pair $(s, t)$ the result on device $t$ is the operand of device $s$. A device that is no target gets "
        "zeros. With slice_sizes, slices of the first operand go into the second one, at the starts that the third and "
        "fourth operands (tuples of scalars, or of such tuples for several slices) name on the sender and on the "
        "receiver; the rest of it stays. A device may then be in as many pairs as it has slices: its $k$-th pair moves "
        "its $k$-th slice.",
    .operands = kCollectivePermuteOperands,
    .attributes = kPermuteAttributes,
    .constraints = kPermuteConstraints,
    .inferShape = inferPermute,
    .inferLayout = collectivePermuteLayout,
    .evaluate = evaluatePermute,
    .dimensions = collectivePermuteDimensions,
};
const OpDef kCollectivePermuteStart = {
    .opcode = Opcode::CollectivePermuteStart,
    .kind = ExecutionKind::Effect,
    .category = {OpCategory::Communication, kSideEffect | kCollective | kStartsAsync},
    .summary = "Begins a collective-permute.",
    .doc = "The result is (operand, result, contexts …); only collective-permute-done may read it.",
    .operands = kCollectivePermuteOperands,
    .attributes = kPermuteAttributes,
    .constraints = kPermuteConstraints,
    .inferShape = inferCollectivePermuteStart,
    .evaluate = evaluateCollectivePermuteStart,
};
const OpDef kCollectivePermuteDone = {
    .opcode = Opcode::CollectivePermuteDone,
    .kind = ExecutionKind::Effect,
    .category = {OpCategory::Communication, kSideEffect | kEndsAsync},
    .summary = "Ends a collective-permute.",
    .doc = "The result of the collective-permute that collective-permute-start has begun.",
    .operands = kCollectivePermuteDoneOperands,
    .attributes = {},
    .constraints = kCollectivePermuteDoneConstraints,
    .inferShape = inferCollectivePermuteDone,
    .inferLayout = collectivePermuteDoneLayout,
    .evaluate = evaluateCollectivePermuteDone,
};

}  // namespace tessera
