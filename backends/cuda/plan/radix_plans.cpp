// See radix_plans.h.
#include "backends/cuda/plan/radix_plans.h"

#include <algorithm>
#include <utility>

#include "backends/codegen/grid/grid_radix.h"
#include "backends/cuda/plan/scan_plans.h"
#include "backends/cuda/plan/store_program.h"

namespace tessera::cuda {

namespace {

constexpr int64_t kFewest = 4096;  // elements of a line; merges of fewer are few
constexpr unsigned kDigitBits = 8;

// By node: whether it reads an element's first (bit 0) or second (bit 1) operand of a comparator.
std::vector<unsigned> sidesOf(const ElementProgram& comparator) {
  std::vector<unsigned> out(comparator.nodes.size());
  for (uint32_t n = 0; n < out.size(); ++n) {
    const Node& node = comparator.nodes[n];
    if (node.op == NodeOp::Read) out[n] |= 1u << (node.bits0 % 2);
    for (NodeId input : comparator.inputsOf(NodeId{n})) out[n] |= out[input.value];
  }
  return out;
}

// The comparator with another node as its result.
Result<NodeId> applyPart(ElementBuilder& builder, ElementProgram comparator, NodeId part,
                         std::span<const NodeId> element) {
  std::vector<NodeId> values;
  for (NodeId value : element) values.insert(values.end(), 2, value);
  comparator.results = {part};
  return applyScalarProgram(builder, comparator, values);
}

// Some floats of a byte have no negative zero, numbers of less than a byte no unsigned ones of their width.
bool hasEncoding(ElementType type) {
  return !isComplex(type) && (type == ElementType::Pred || !isSubByte(type)) &&
         !(isFloat(type) && byteWidth(type) == 1);
}

struct EncodedKey {
  NodeId value;       // u32 or u64
  unsigned bits = 0;  // of it, that differ
};

// Unsigned numbers in the order of the keys: floats by sign and magnitude, the sign's bit the other way round.
EncodedKey encode(ElementBuilder& b, const OrderKey& key) {
  NodeId value = key.value;
  ElementType type = b.typeOf(value);
  if (type == ElementType::Pred) value = b.convert(type = ElementType::U8, value);
  const auto bits = static_cast<unsigned>(8 * byteWidth(type));
  const ElementType plain = unsignedOfWidth(static_cast<int>(bits));
  const uint64_t all = bits == 64 ? ~uint64_t{0} : (uint64_t{1} << bits) - 1, sign = uint64_t{1} << (bits - 1);
  const bool hasSign = isFloat(type) || isSigned(type);
  if (type != plain) value = b.bitcastConvert(plain, value);
  if (isFloat(type)) {
    const NodeId isNegative = b.compare(CompareDirection::Ge, value, b.constantBits(plain, sign));
    value = b.binary(NodeOp::Xor, value, b.select(isNegative, b.constantBits(plain, all), b.constantBits(plain, sign)));
  } else if (hasSign) {
    value = b.binary(NodeOp::Xor, value, b.constantBits(plain, sign));
  }
  if (key.isDescending) value = b.binary(NodeOp::Xor, value, b.constantBits(plain, all));
  return {b.convert(bits == 64 ? ElementType::U64 : ElementType::U32, value), bits};
}

std::optional<RadixKeys> keysOfElements(const OrderRequest& request) {
  std::vector<Shape> operands;
  for (const Shape& shape : request.operands) operands.push_back(Shape::arrayRowMajor(shape.type, shape.dimensions));
  const std::vector<int64_t>& dims = request.operands[0].dimensions;
  ElementBuilder b(operands, dims);
  std::vector<NodeId> own, element;
  for (size_t d = 0; d < dims.size(); ++d) own.push_back(b.outputIndex(static_cast<int64_t>(d)));
  for (size_t k = 0; k < operands.size(); ++k) element.push_back(b.read(k, own));
  const std::optional<OrderKey> key = request.key(b, element);
  if (!key || !hasEncoding(b.typeOf(key->value))) return std::nullopt;
  const EncodedKey encoded = encode(b, *key);
  return RadixKeys{storeProgram(b, {Shape::arrayRowMajor(b.typeOf(encoded.value), dims)}, {{0, own, {}, encoded.value}},
                                static_cast<int64_t>(dims.size())),
                   encoded.bits};
}

// The kernels of an order, pass by pass, between two arrays of keys and of places in turns.
class RadixPlan {
 public:
  RadixPlan(PlanDraft& draft, const Instruction& instruction, const OrderRequest& request, Steps& out)
      : draft_(draft), instruction_(instruction), out_(out) {
    map_.length = request.operands[0].dimensions.back();
    map_.lines = request.operands[0].elementCount().value_or(0) / map_.length;
    order_.shape = Shape::arrayRowMajor(ElementType::U32, request.operands[0].dimensions);
  }

  Result<int> plan(RadixKeys keys) {
    keys_.shape = keys.program.outputs[0];
    map_.keyBits = static_cast<unsigned>(8 * byteWidth(keys_.shape.type));
    TESSERA_TRY(open(keys_));
    TESSERA_TRY(open(order_));
    const Shape counts =
        Shape::arrayRowMajor(ElementType::U32, {map_.lines, codegen::RadixMap::kDigits * map_.tiles()});
    TESSERA_ASSIGN_OR_RETURN(counts_, draft_.scratchFor(instruction_, counts));
    TESSERA_ASSIGN_OR_RETURN(sums_, draft_.scratchFor(instruction_, counts));
    TESSERA_TRY(
        draft_.kernel(instruction_, std::move(keys.program), draft_.operandsOf(instruction_), {keys_.now}, out_));
    for (map_.shift = 0; map_.shift < keys.bits; map_.shift += kDigitBits) {
      map_.isFirst = map_.shift == 0, map_.isLast = map_.shift + kDigitBits >= keys.bits;
      TESSERA_TRY(pass(counts));
    }
    return order_.now;
  }

 private:
  struct Turns {
    Shape shape;
    int now = -1, next = -1;
  };
  Status open(Turns& turns) {
    TESSERA_ASSIGN_OR_RETURN(turns.now, draft_.scratchFor(instruction_, turns.shape));
    TESSERA_ASSIGN_OR_RETURN(turns.next, draft_.scratchFor(instruction_, turns.shape));
    return {};
  }

  Status pass(const Shape& counts) {
    const codegen::RadixMap map = map_;
    const auto kernel = [&](const std::string& text, const std::string& suffix, auto emit) {
      return KernelTemplate{
          map.key() + suffix,
          {.blocks = map.blocks(), .blockThreads = codegen::RadixMap::kThreads, .text = text},
          [map, emit](llvm::Module& module, const std::string& name) { return emit(module, name, map); }};
    };
    TESSERA_TRY(draft_.kernel(instruction_, kernel(map.countText(), " counts", codegen::emitRadixCount), {keys_.now},
                              {counts_}, out_));
    const int zero = draft_.table(std::string(sizeof(uint32_t), '\0'));
    TESSERA_TRY(planScanOfLines(draft_, instruction_, {counts, 1, false, NodeOp::Add}, {counts_, zero}, sums_, out_));
    std::vector<int> from{keys_.now}, to;
    if (!map.isFirst) from.push_back(order_.now);
    from.insert(from.end(), {counts_, sums_});
    if (!map.isLast) to.push_back(keys_.next);
    to.push_back(order_.next);
    TESSERA_TRY(draft_.kernel(instruction_, kernel(map.placeText(), " places", codegen::emitRadixPlaces),
                              std::move(from), std::move(to), out_));
    std::swap(keys_.now, keys_.next);
    std::swap(order_.now, order_.next);
    return {};
  }

  PlanDraft& draft_;
  const Instruction& instruction_;
  Steps& out_;
  codegen::RadixMap map_;
  Turns keys_, order_;
  int counts_ = -1, sums_ = -1;
};

}  // namespace

std::optional<OrderKey> keyOfComparator(ElementBuilder& builder, const ElementProgram& comparator,
                                        std::span<const NodeId> element) {
  const NodeId root = comparator.results.at(0);
  const Node& compare = comparator.at(root);
  if (compare.op != NodeOp::Compare) return std::nullopt;
  const auto direction = static_cast<CompareDirection>(compare.bits0);
  if (direction != CompareDirection::Lt && direction != CompareDirection::Gt) return std::nullopt;
  const std::vector<unsigned> sides = sidesOf(comparator);
  const NodeId left = comparator.inputsOf(root)[0], right = comparator.inputsOf(root)[1];
  if ((sides[left.value] | sides[right.value] << 2) != 0b1001 &&
      (sides[left.value] | sides[right.value] << 2) != 0b0110)
    return std::nullopt;
  const auto key = applyPart(builder, comparator, left, element),
             other = applyPart(builder, comparator, right, element);
  if (!key || !other || *key != *other) return std::nullopt;
  OrderKey out{*key, (direction == CompareDirection::Gt) == (sides[left.value] == 1)};
  // By value both zeros are one.
  if (isFloat(builder.typeOf(out.value)) && compare.bits1 == 0) {
    const NodeId zero = builder.zero(builder.typeOf(out.value));
    out.value = builder.select(builder.compare(CompareDirection::Eq, out.value, zero), zero, out.value);
  }
  return out;
}

std::optional<RadixKeys> radixKeysOf(const OrderRequest& request) {
  const Shape& shape = request.operands[0];
  const bool isLong = request.dimension == shape.rank() - 1 && shape.dimensions.back() >= kFewest &&
                      shape.dimensions.back() <= UINT32_MAX;
  return isLong && request.key ? keysOfElements(request) : std::nullopt;
}

Result<int> planRadixOrder(PlanDraft& draft, const Instruction& instruction, const OrderRequest& request,
                           RadixKeys keys, Steps& out) {
  return RadixPlan(draft, instruction, request, out).plan(std::move(keys));
}

}  // namespace tessera::cuda
