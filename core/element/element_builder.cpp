// See element_builder.h. Nodes are interned by content; integer sums go through IndexAlgebra; whatever has only
// constants as inputs is computed at once by scalar_math.
#include "core/element/element_builder.h"

#include <algorithm>
#include <unordered_map>

#include "core/base/hash.h"
#include "core/element/index_algebra.h"
#include "core/element/scalar_math.h"
#include "core/hlo/numbers.h"

namespace tessera {
namespace {

// Sums with more terms stay nested as they were written.
constexpr size_t kMaxTerms = 10;

size_t hashNode(const Node& node, std::span<const NodeId> inputs) {
  size_t seed = mixedHash(static_cast<size_t>(node.op), static_cast<uint64_t>(node.type));
  seed = mixedHash(mixedHash(seed, node.bits0), node.bits1);
  for (NodeId id : inputs) seed = mixedHash(seed, id.value);
  return seed;
}

ElementType partOf(ElementType type) {
  return type == ElementType::C64 ? ElementType::F32 : type == ElementType::C128 ? ElementType::F64 : type;
}

bool losesNothing(ElementType from, ElementType to) {
  if (isFloat(from) && to == ElementType::F64) return true;
  if (isFloat(from) && to == ElementType::F32) return from != ElementType::F64;
  if (isInteger(from) && isInteger(to)) return info(to).bits > info(from).bits && (isSigned(to) || isUnsigned(from));
  return false;
}

}  // namespace

struct ElementBuilder::State {
  explicit State(ElementProgram& p) : program(p), algebra(p) {}

  ElementProgram& program;
  IndexAlgebra algebra;
  std::unordered_multimap<size_t, NodeId> interned;

  NodeId append(NodeOp op, ElementType type, std::span<const NodeId> inputs, uint64_t bits0 = 0, uint64_t bits1 = 0);
  NodeId intern(NodeOp op, ElementType type, std::span<const NodeId> inputs, uint64_t bits0 = 0, uint64_t bits1 = 0);
  NodeId constant(ElementType type, ScalarBits bits) { return intern(NodeOp::Constant, type, {}, bits.low, bits.high); }
  NodeId index(int64_t value) { return constant(ElementType::S64, {static_cast<uint64_t>(value), 0}); }
  // A node for applyScalar, folded when all its inputs are constants.
  NodeId scalar(NodeOp op, ElementType type, std::initializer_list<NodeId> inputs, uint64_t bits0 = 0,
                uint64_t bits1 = 0);
  std::optional<ScalarBits> valueOf(NodeId id) const;
  bool isInt(NodeId id, int64_t value) const;
  bool isTrue(NodeId id) const { return isPred(id, 1); }
  bool isFalse(NodeId id) const { return isPred(id, 0); }
  bool isPred(NodeId id, uint64_t value) const;

  NodeId materialize(LinearForm form);
  std::optional<NodeId> indexBinary(NodeOp op, NodeId a, NodeId b);
  NodeId multiplyForms(NodeId a, NodeId b);
  std::optional<NodeId> quotient(NodeId a, int64_t divisor);
  std::optional<NodeId> remainder(NodeId a, int64_t divisor);
  NodeId rawQuotient(const LinearForm& form, int64_t divisor);
  NodeId rawRemainder(const LinearForm& form, int64_t divisor);
  std::optional<NodeId> extremum(NodeOp op, NodeId a, NodeId b);
  std::optional<bool> provenCompare(CompareDirection direction, NodeId a, NodeId b);
  std::optional<NodeId> identity(NodeOp op, ElementType type, NodeId a, NodeId b);
};

// --- interning

NodeId ElementBuilder::State::append(NodeOp op, ElementType type, std::span<const NodeId> inputs, uint64_t bits0,
                                     uint64_t bits1) {
  NodeId id{static_cast<uint32_t>(program.nodes.size())};
  Node node{op, type, static_cast<uint32_t>(program.inputs.size()), static_cast<uint32_t>(inputs.size()), bits0, bits1};
  program.nodes.push_back(node);
  program.inputs.insert(program.inputs.end(), inputs.begin(), inputs.end());
  return id;
}

NodeId ElementBuilder::State::intern(NodeOp op, ElementType type, std::span<const NodeId> inputs, uint64_t bits0,
                                     uint64_t bits1) {
  const Node wanted{op, type, 0, 0, bits0, bits1};
  const size_t hash = hashNode(wanted, inputs);
  auto [begin, end] = interned.equal_range(hash);
  for (; begin != end; ++begin) {
    const Node& node = program.at(begin->second);
    const auto has = program.inputsOf(begin->second);
    if (node.op == op && node.type == type && node.bits0 == bits0 && node.bits1 == bits1 &&
        std::equal(has.begin(), has.end(), inputs.begin(), inputs.end()))
      return begin->second;
  }
  const std::vector<NodeId> kept(inputs.begin(), inputs.end());  // inputs may point into the pool
  NodeId id = append(op, type, kept, bits0, bits1);
  interned.emplace(hash, id);
  return id;
}

std::optional<ScalarBits> ElementBuilder::State::valueOf(NodeId id) const {
  const Node& node = program.at(id);
  if (node.op != NodeOp::Constant) return std::nullopt;
  return ScalarBits{node.bits0, node.bits1};
}

NodeId ElementBuilder::State::scalar(NodeOp op, ElementType type, std::initializer_list<NodeId> inputs, uint64_t bits0,
                                     uint64_t bits1) {
  std::vector<TypedScalar> values;
  for (NodeId id : inputs)
    if (auto value = valueOf(id)) values.push_back({program.at(id).type, *value});
  if (values.size() == inputs.size()) return constant(type, applyScalar({op, type, 0, 0, bits0, bits1}, values));
  return intern(op, type, {inputs.begin(), inputs.size()}, bits0, bits1);
}

bool ElementBuilder::State::isInt(NodeId id, int64_t value) const {
  const Node& node = program.at(id);
  if (node.op != NodeOp::Constant || !isInteger(node.type)) return false;
  return scalarAsInt({node.type, {node.bits0, node.bits1}}) == value;
}

bool ElementBuilder::State::isPred(NodeId id, uint64_t value) const {
  const Node& node = program.at(id);
  return node.op == NodeOp::Constant && node.type == ElementType::Pred && node.bits0 == value;
}

// --- index arithmetic

NodeId ElementBuilder::State::materialize(LinearForm form) {
  form = algebra.recombined(std::move(form));
  NodeId sum;
  for (const auto& [atom, coefficient] : form.terms) {
    NodeId term = atom;
    if (coefficient != 1) {
      NodeId inputs[] = {atom, index(coefficient)};
      term = intern(NodeOp::Multiply, ElementType::S64, inputs);
      algebra.setForm(term, {0, {{atom, coefficient}}});
      if (auto range = algebra.rangeOf(LinearForm{0, {{atom, coefficient}}})) algebra.setRange(term, *range);
    }
    NodeId inputs[] = {sum, term};
    sum = sum.valid() ? intern(NodeOp::Add, ElementType::S64, inputs) : term;
  }
  if (!sum.valid()) return index(form.constant);
  if (form.constant != 0) {
    NodeId inputs[] = {sum, index(form.constant)};
    sum = intern(NodeOp::Add, ElementType::S64, inputs);
  }
  if (auto range = algebra.rangeOf(form)) algebra.setRange(sum, *range);
  if (form.terms.size() != 1 || form.terms[0].first != sum) algebra.setForm(sum, std::move(form));
  return sum;
}

NodeId ElementBuilder::State::multiplyForms(NodeId a, NodeId b) {
  if (!constantIndex(program, b)) std::swap(a, b);
  auto factor = constantIndex(program, b);
  if (!factor) return NodeId{};
  LinearForm form;
  form.add(algebra.formOf(a), *factor);
  return materialize(std::move(form));
}

NodeId ElementBuilder::State::rawQuotient(const LinearForm& form, int64_t divisor) {
  NodeId dividend = materialize(form);
  if (auto value = constantIndex(program, dividend)) return index(*value / divisor);
  const auto range = algebra.rangeOf(form);
  const Node& node = program.at(dividend);
  if (node.op == NodeOp::Divide && range && range->low >= 0) {  // (y / a) / b = y / (a·b), also for y >= 0 only
    const auto in = program.inputsOf(dividend);
    const auto inner = constantIndex(program, in[1]);
    const auto innerRange = algebra.rangeOf(in[0]);
    int64_t product = 0;
    if (inner && *inner > 0 && innerRange && innerRange->low >= 0 && !__builtin_mul_overflow(*inner, divisor, &product))
      return rawQuotient(algebra.formOf(in[0]), product);
  }
  NodeId inputs[] = {dividend, index(divisor)};
  NodeId out = intern(NodeOp::Divide, ElementType::S64, inputs);
  if (range) algebra.setRange(out, {range->low / divisor, range->high / divisor});
  return out;
}

NodeId ElementBuilder::State::rawRemainder(const LinearForm& form, int64_t divisor) {
  NodeId dividend = materialize(form);
  if (auto value = constantIndex(program, dividend)) return index(*value % divisor);
  NodeId inputs[] = {dividend, index(divisor)};
  NodeId out = intern(NodeOp::Remainder, ElementType::S64, inputs);
  const auto range = algebra.rangeOf(form);
  if (range && range->low >= 0)
    algebra.setRange(out, {0, std::min(range->high, divisor - 1)});
  else if (divisor > 0)
    algebra.setRange(out, {1 - divisor, divisor - 1});
  return out;
}

// x / d for d > 0. With x = d·q + r and x, r >= 0 it is q + r / d; a factor common to r's terms and d goes first.
std::optional<NodeId> ElementBuilder::State::quotient(NodeId a, int64_t divisor) {
  if (divisor <= 0) return std::nullopt;
  const LinearForm form = algebra.formOf(a);
  const auto range = algebra.rangeOf(form);
  if (!range || range->low < 0) return divisor == 1 ? std::optional(a) : std::nullopt;
  auto [whole, rest] = splitBy(form, divisor);
  const auto restRange = algebra.rangeOf(rest);
  if (!restRange || restRange->low < 0) return rawQuotient(form, divisor);
  if (restRange->high < divisor) return materialize(std::move(whole));
  const int64_t factor = commonFactor(rest, divisor);
  NodeId reduced = rawQuotient(factor > 1 ? splitBy(rest, factor).quotient : rest, divisor / factor);
  whole.add(algebra.formOf(reduced), 1);
  return materialize(std::move(whole));
}

std::optional<NodeId> ElementBuilder::State::remainder(NodeId a, int64_t divisor) {
  if (divisor <= 0) return std::nullopt;
  if (divisor == 1) return index(0);
  const LinearForm form = algebra.formOf(a);
  const auto range = algebra.rangeOf(form);
  if (!range || range->low < 0) return std::nullopt;
  const LinearForm rest = splitBy(form, divisor).rest;
  const auto restRange = algebra.rangeOf(rest);
  if (!restRange || restRange->low < 0) return rawRemainder(form, divisor);
  if (restRange->high < divisor) return materialize(rest);
  const int64_t factor = commonFactor(rest, divisor);
  if (factor == 1) return rawRemainder(rest, divisor);
  const SplitForm split = splitBy(rest, factor);
  LinearForm out{split.rest.constant, {}};
  out.add(algebra.formOf(rawRemainder(split.quotient, divisor / factor)), factor);
  return materialize(std::move(out));
}

std::optional<NodeId> ElementBuilder::State::extremum(NodeOp op, NodeId a, NodeId b) {
  const auto x = algebra.rangeOf(a), y = algebra.rangeOf(b);
  if (!x || !y) return std::nullopt;
  const bool isMax = op == NodeOp::Maximum;
  if (x->low >= y->high) return isMax ? a : b;
  if (y->low >= x->high) return isMax ? b : a;
  return std::nullopt;
}

std::optional<bool> ElementBuilder::State::provenCompare(CompareDirection direction, NodeId a, NodeId b) {
  if (!algebra.rangeOf(a) || !algebra.rangeOf(b)) return std::nullopt;
  LinearForm difference = algebra.formOf(a);
  difference.add(algebra.formOf(b), -1);
  const auto range = algebra.rangeOf(difference);
  if (!range) return std::nullopt;
  const bool never = range->low > 0 || range->high < 0, always = range->low == 0 && range->high == 0;
  switch (direction) {
    case CompareDirection::Eq: return never ? std::optional(false) : always ? std::optional(true) : std::nullopt;
    case CompareDirection::Ne: return never ? std::optional(true) : always ? std::optional(false) : std::nullopt;
    case CompareDirection::Ge:
      return range->low >= 0 ? std::optional(true) : range->high < 0 ? std::optional(false) : std::nullopt;
    case CompareDirection::Gt:
      return range->low > 0 ? std::optional(true) : range->high <= 0 ? std::optional(false) : std::nullopt;
    case CompareDirection::Le:
      return range->high <= 0 ? std::optional(true) : range->low > 0 ? std::optional(false) : std::nullopt;
    case CompareDirection::Lt:
      return range->high < 0 ? std::optional(true) : range->low >= 0 ? std::optional(false) : std::nullopt;
  }
  return std::nullopt;
}

std::optional<NodeId> ElementBuilder::State::indexBinary(NodeOp op, NodeId a, NodeId b) {
  const auto right = constantIndex(program, b);
  switch (op) {
    case NodeOp::Add:
    case NodeOp::Subtract: {
      LinearForm form = algebra.formOf(a);
      form.add(algebra.formOf(b), op == NodeOp::Add ? 1 : -1);
      if (form.terms.size() > kMaxTerms) return std::nullopt;
      return materialize(std::move(form));
    }
    case NodeOp::Multiply: {
      NodeId product = multiplyForms(a, b);
      return product.valid() ? std::optional(product) : std::nullopt;
    }
    case NodeOp::Divide: return right ? quotient(a, *right) : std::nullopt;
    case NodeOp::Remainder: return right ? remainder(a, *right) : std::nullopt;
    case NodeOp::Maximum:
    case NodeOp::Minimum: return extremum(op, a, b);
    default: return std::nullopt;
  }
}

// x op neutral = x and the like; only what holds for every value of the type.
std::optional<NodeId> ElementBuilder::State::identity(NodeOp op, ElementType type, NodeId a, NodeId b) {
  if (type == ElementType::Pred) {
    if (op == NodeOp::And || op == NodeOp::Multiply || op == NodeOp::Minimum) {
      if (isTrue(a) || isFalse(b) || a == b) return b;
      if (isTrue(b) || isFalse(a)) return a;
    }
    if (op == NodeOp::Or || op == NodeOp::Add || op == NodeOp::Maximum) {
      if (isFalse(a) || isTrue(b) || a == b) return b;
      if (isFalse(b) || isTrue(a)) return a;
    }
    return std::nullopt;
  }
  if (isInteger(type)) {
    if ((op == NodeOp::Add || op == NodeOp::Or || op == NodeOp::Xor) && isInt(a, 0)) return b;
    if ((op == NodeOp::Add || op == NodeOp::Or || op == NodeOp::Xor || op == NodeOp::Subtract) && isInt(b, 0)) return a;
    if (op == NodeOp::Multiply && (isInt(b, 1) || isInt(a, 0))) return a;
    if (op == NodeOp::Multiply && (isInt(a, 1) || isInt(b, 0))) return b;
    if (op == NodeOp::Divide && isInt(b, 1)) return a;
  }
  if (isFloat(type) && (op == NodeOp::Multiply || op == NodeOp::Divide)) {
    const ScalarBits one = scalarFromDouble(type, 1);
    if (valueOf(b) == one) return a;
    if (op == NodeOp::Multiply && valueOf(a) == one) return b;
  }
  if ((op == NodeOp::Maximum || op == NodeOp::Minimum) && a == b) return a;
  return std::nullopt;
}

// --- the builder

ElementBuilder::ElementBuilder(std::vector<Shape> operands, std::vector<int64_t> outputDims) {
  program_.operands = std::move(operands);
  program_.outputDims = std::move(outputDims);
  state_ = std::make_unique<State>(program_);
}

ElementBuilder::~ElementBuilder() = default;

ElementType ElementBuilder::typeOf(NodeId id) const { return program_.at(id).type; }

NodeId ElementBuilder::constantBits(ElementType type, uint64_t bits0, uint64_t bits1) {
  return state_->constant(type, {bits0, bits1});
}

NodeId ElementBuilder::constant(ElementType type, double value) {
  return state_->constant(type, scalarFromDouble(type, value));
}

NodeId ElementBuilder::scalarOf(const Literal& literal, int64_t linearIndex) {
  const ElementType type = literal.shape().type;
  const std::byte* at = literal.bytes().data() + linearIndex * byteWidth(type);
  return state_->constant(type, scalarFromBytes(type, at));
}

NodeId ElementBuilder::index(int64_t value) { return state_->index(value); }

NodeId ElementBuilder::outputIndex(int64_t dimension) {
  const int64_t size = program_.outputDims[static_cast<size_t>(dimension)];
  if (size <= 1) return index(0);
  NodeId id = state_->intern(NodeOp::OutputIndex, ElementType::S64, {}, static_cast<uint64_t>(dimension));
  state_->algebra.setRange(id, {0, size - 1});
  return id;
}

NodeId ElementBuilder::dimensionSize(size_t operand, int64_t dimension) {
  const Shape& shape = program_.operands[operand];
  const int64_t bound = shape.dimensions[static_cast<size_t>(dimension)];
  if (!shape.isDynamicDimension(dimension)) return index(bound);
  NodeId id = state_->intern(NodeOp::DimensionSize, ElementType::S64, {}, operand, static_cast<uint64_t>(dimension));
  if (bound >= 0) state_->algebra.setRange(id, {0, bound});
  return id;
}

NodeId ElementBuilder::read(size_t operand, std::span<const NodeId> indices) {
  return state_->intern(NodeOp::Read, program_.operands[operand].type, indices, operand);
}

NodeId ElementBuilder::readIf(NodeId condition, size_t operand, std::span<const NodeId> indices, NodeId otherwise) {
  if (state_->isTrue(condition)) return read(operand, indices);
  if (state_->isFalse(condition)) return otherwise;
  std::vector<NodeId> inputs{condition, otherwise};
  inputs.insert(inputs.end(), indices.begin(), indices.end());
  return state_->intern(NodeOp::ReadIf, program_.operands[operand].type, inputs, operand);
}

NodeId ElementBuilder::readOutput(size_t output, ElementType type, std::span<const NodeId> indices) {
  return state_->intern(NodeOp::ReadOutput, type, indices, output);
}

NodeId ElementBuilder::unary(NodeOp op, NodeId a) {
  const ElementType type = typeOf(a);
  if (op == NodeOp::IsFinite) return state_->scalar(op, ElementType::Pred, {a});
  if (op == NodeOp::Abs || op == NodeOp::Real || op == NodeOp::Imag) {
    if (op == NodeOp::Real && !isComplex(type)) return a;
    if (isComplex(type) && op != NodeOp::Abs && program_.at(a).op == NodeOp::MakeComplex)
      return program_.inputsOf(a)[op == NodeOp::Imag];
    return state_->scalar(op, partOf(type), {a});
  }
  if ((op == NodeOp::Not || op == NodeOp::Negate) && program_.at(a).op == op) return program_.inputsOf(a)[0];
  if (op == NodeOp::Negate && type == ElementType::S64) return binary(NodeOp::Multiply, a, index(-1));
  return state_->scalar(op, type, {a});
}

NodeId ElementBuilder::binary(NodeOp op, NodeId a, NodeId b) {
  const ElementType type = typeOf(a);
  if (auto same = state_->identity(op, type, a, b)) return *same;
  if (type == ElementType::S64)
    if (auto simple = state_->indexBinary(op, a, b)) return *simple;
  NodeId out = state_->scalar(op, type, {a, b});
  if (type == ElementType::S64 && (op == NodeOp::Maximum || op == NodeOp::Minimum)) {
    const auto x = state_->algebra.rangeOf(a), y = state_->algebra.rangeOf(b);
    const auto choose = [&](int64_t p, int64_t q) { return op == NodeOp::Maximum ? std::max(p, q) : std::min(p, q); };
    constexpr int64_t kFar = int64_t{1} << 61;  // a missing bound; the other side still bounds one end
    if (x || y)
      state_->algebra.setRange(
          out, {choose(x ? x->low : -kFar, y ? y->low : -kFar), choose(x ? x->high : kFar, y ? y->high : kFar)});
  }
  return out;
}

NodeId ElementBuilder::compare(CompareDirection direction, NodeId a, NodeId b, bool totalOrder) {
  const ElementType type = typeOf(a);
  if (type == ElementType::S64)
    if (auto proven = state_->provenCompare(direction, a, b)) return state_->constant(ElementType::Pred, {*proven, 0});
  const bool order = totalOrder && isFloat(type);
  return state_->scalar(NodeOp::Compare, ElementType::Pred, {a, b}, static_cast<uint64_t>(direction), order);
}

NodeId ElementBuilder::select(NodeId condition, NodeId whenTrue, NodeId whenFalse) {
  if (state_->isTrue(condition) || whenTrue == whenFalse) return whenTrue;
  if (state_->isFalse(condition)) return whenFalse;
  if (state_->isTrue(whenTrue) && state_->isFalse(whenFalse)) return condition;
  NodeId out = state_->scalar(NodeOp::Select, typeOf(whenTrue), {condition, whenTrue, whenFalse});
  const auto x = state_->algebra.rangeOf(whenTrue), y = state_->algebra.rangeOf(whenFalse);
  if (typeOf(out) == ElementType::S64 && x && y)
    state_->algebra.setRange(out, {std::min(x->low, y->low), std::max(x->high, y->high)});
  return out;
}

NodeId ElementBuilder::convert(ElementType type, NodeId a) {
  const ElementType from = typeOf(a);
  if (from == type) return a;
  if (program_.at(a).op == NodeOp::Convert) {  // back to where it came from, through a type that holds it
    NodeId inner = program_.inputsOf(a)[0];
    if (typeOf(inner) == type && losesNothing(type, from)) return inner;
    const auto range =
        type == ElementType::S64 && typeOf(inner) == type ? state_->algebra.rangeOf(inner) : std::nullopt;
    const auto fits = state_->algebra.rangeOf(a);
    if (range && fits && isInteger(from) && range->low >= fits->low && range->high <= fits->high) return inner;
  }
  NodeId out = state_->scalar(NodeOp::Convert, type, {a});
  if (type == ElementType::S64 && !state_->valueOf(out))
    if (auto range = state_->algebra.rangeOf(a)) state_->algebra.setRange(out, *range);
  return out;
}

NodeId ElementBuilder::bitcastConvert(ElementType type, NodeId a) {
  if (typeOf(a) == type) return a;
  if (program_.at(a).op == NodeOp::BitcastConvert) return bitcastConvert(type, program_.inputsOf(a)[0]);
  return state_->scalar(NodeOp::BitcastConvert, type, {a});
}

NodeId ElementBuilder::reducePrecision(NodeId a, int exponentBits, int mantissaBits) {
  return state_->scalar(NodeOp::ReducePrecision, typeOf(a), {a}, static_cast<uint64_t>(exponentBits),
                        static_cast<uint64_t>(mantissaBits));
}

NodeId ElementBuilder::makeComplex(NodeId re, NodeId im) {
  const ElementType type = typeOf(re) == ElementType::F64 ? ElementType::C128 : ElementType::C64;
  return state_->scalar(NodeOp::MakeComplex, type, {re, im});
}

NodeId ElementBuilder::fma(NodeId a, NodeId b, NodeId c) { return state_->scalar(NodeOp::Fma, typeOf(a), {a, b, c}); }

NodeId ElementBuilder::clampIndex(NodeId i, int64_t low, int64_t high) {
  return minimum(maximum(i, index(low)), index(high));
}

NodeId ElementBuilder::inRange(NodeId i, int64_t low, int64_t high) {
  return logicalAnd(compare(CompareDirection::Ge, i, index(low)), compare(CompareDirection::Lt, i, index(high)));
}

// --- loops

Result<std::vector<NodeId>> ElementBuilder::loop(std::vector<int64_t> ranges, std::vector<NodeId> inits,
                                                 const LoopBody& body, bool associative) {
  if (std::find(ranges.begin(), ranges.end(), 0) != ranges.end()) return inits;
  const bool once = std::all_of(ranges.begin(), ranges.end(), [](int64_t r) { return r == 1; });
  const size_t loop = program_.loops.size();
  std::vector<NodeId> indices, accumulators = inits;
  if (!once) program_.loops.push_back({ranges, inits, {}, associative});
  for (size_t d = 0; d < ranges.size(); ++d) {
    if (ranges[d] == 1) {
      indices.push_back(index(0));
      continue;
    }
    indices.push_back(state_->intern(NodeOp::LoopIndex, ElementType::S64, {}, loop, d));
    state_->algebra.setRange(indices.back(), {0, ranges[d] - 1});
  }
  for (size_t i = 0; i < inits.size() && !once; ++i)
    accumulators[i] = state_->intern(NodeOp::Accumulator, typeOf(inits[i]), {}, loop, i);
  TESSERA_ASSIGN_OR_RETURN(std::vector<NodeId> next, body(indices, accumulators));
  if (next.size() != inits.size()) return fail("a loop's body gives another number of values than it was given");
  for (size_t i = 0; i < next.size(); ++i)
    if (typeOf(next[i]) != typeOf(inits[i])) return fail("a loop's body changes the type of its value");
  if (once) return next;
  program_.loops[loop].next = next;
  std::vector<NodeId> results;
  for (size_t i = 0; i < next.size(); ++i)
    results.push_back(state_->intern(NodeOp::LoopResult, typeOf(inits[i]), {}, loop, i));
  return results;
}

// --- finishing

namespace {

// Marks what the results need, through loops too.
class Reachable {
 public:
  explicit Reachable(const ElementProgram& program)
      : nodes(program.nodes.size()), loops(program.loops.size()), program_(program) {}

  void mark(std::span<const NodeId> ids) {
    for (NodeId id : ids) push(id);
    while (!work_.empty()) {
      NodeId id = work_.back();
      work_.pop_back();
      for (NodeId input : program_.inputsOf(id)) push(input);
      const Node& node = program_.at(id);
      if (node.op == NodeOp::LoopResult || node.op == NodeOp::LoopIndex || node.op == NodeOp::Accumulator)
        markLoop(node.bits0);
    }
  }

  std::vector<bool> nodes, loops;

 private:
  void push(NodeId id) {
    if (nodes[id.value]) return;
    nodes[id.value] = true;
    work_.push_back(id);
  }
  void markLoop(size_t loop) {
    if (loops[loop]) return;
    loops[loop] = true;
    for (NodeId id : program_.loops[loop].inits) push(id);
    for (NodeId id : program_.loops[loop].next) push(id);
  }

  const ElementProgram& program_;
  std::vector<NodeId> work_;
};

}  // namespace

ElementProgram ElementBuilder::finish(std::vector<NodeId> results) {
  Reachable reachable(program_);
  reachable.mark(results);
  ElementProgram out;
  out.operands = program_.operands;
  out.outputDims = program_.outputDims;
  std::vector<uint64_t> loopNumber(program_.loops.size());
  uint64_t loopCount = 0;
  for (size_t i = 0; i < program_.loops.size(); ++i)
    if (reachable.loops[i]) loopNumber[i] = loopCount++;
  std::vector<NodeId> renamed(program_.nodes.size());
  const auto rename = [&](std::vector<NodeId> ids) {
    for (NodeId& id : ids) id = renamed[id.value];
    return ids;
  };
  for (uint32_t i = 0; i < program_.nodes.size(); ++i) {
    if (!reachable.nodes[i]) continue;
    Node node = program_.nodes[i];
    if (node.op == NodeOp::LoopResult || node.op == NodeOp::LoopIndex || node.op == NodeOp::Accumulator)
      node.bits0 = loopNumber[node.bits0];
    node.firstInput = static_cast<uint32_t>(out.inputs.size());
    for (NodeId input : program_.inputsOf(NodeId{i})) out.inputs.push_back(renamed[input.value]);
    renamed[i] = NodeId{static_cast<uint32_t>(out.nodes.size())};
    out.nodes.push_back(node);
  }
  for (size_t i = 0; i < program_.loops.size(); ++i) {
    const Loop& loop = program_.loops[i];
    if (reachable.loops[i]) out.loops.push_back({loop.ranges, rename(loop.inits), rename(loop.next), loop.associative});
  }
  out.results = rename(std::move(results));
  return out;
}

}  // namespace tessera
