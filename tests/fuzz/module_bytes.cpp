// See module_bytes.h. An attempt is made of shapes alone; only one that inference accepts becomes instructions.
#include "tests/fuzz/module_bytes.h"

#include <algorithm>

#include "core/formats/hlo_text.h"

namespace tessera {
namespace {

constexpr int kAttempts = 400;
constexpr int64_t kMaxElements = 512;
enum CalleeKind { kReducer, kComparison, kMapBody, kCalleeKinds, kOrder };

const std::vector<ElementType>& types() {
  static const std::vector<ElementType> all = [] {
    std::vector<ElementType> out(12, ElementType::F32);
    out.insert(out.end(), 6, ElementType::S32);
    out.insert(out.end(), 3, ElementType::Pred);
    for (int i = 0; i <= static_cast<int>(ElementType::Buffer); ++i)
      if (isArrayElement(static_cast<ElementType>(i))) out.push_back(static_cast<ElementType>(i));
    return out;
  }();
  return all;
}

// What a made module leaves out: ops without a value of their own, with state, or that need a partner.
bool isLeftOut(const OpDef& op) {
  if (op.kind == ExecutionKind::Effect || op.kind == ExecutionKind::Control || !op.inferShape) return true;
  switch (op.opcode) {
    case Opcode::Parameter:
    case Opcode::Constant:
    case Opcode::Rng:
    case Opcode::RngGetAndUpdateState:
    case Opcode::AfterAll:
    case Opcode::AddDependency:
    case Opcode::Domain:
    case Opcode::CopyStart:
    case Opcode::CopyDone:
    case Opcode::GetTupleElement:
    case Opcode::Tuple: return true;
    default: return false;
  }
}

bool movesOnly(const OpDef& op) {
  return op.category.has(kMovesData) && op.opcode != Opcode::Sort && op.opcode != Opcode::Topk &&
         op.opcode != Opcode::Scatter;
}

int64_t elementsOf(const Shape& shape) {
  if (!shape.isTuple()) return shape.isArray() ? shape.elementCount().value_or(kMaxElements + 1) : kMaxElements + 1;
  int64_t most = 0;
  for (const Shape& element : shape.elements) most = std::max(most, elementsOf(element));
  return most;
}

bool hasOnlyIntegers(const Shape& shape) {
  if (shape.isTuple()) return std::ranges::all_of(shape.elements, hasOnlyIntegers);
  return isInteger(shape.type) || shape.type == ElementType::Pred;
}

}  // namespace

Choices::Choices(std::span<const uint8_t> bytes) : bytes_(bytes) {
  const size_t count = std::min<size_t>(8, bytes.size());
  for (size_t i = 0; i < count; ++i) state_ = state_ << 8 | bytes[i];
  bytes_ = bytes_.subspan(count);
}

uint64_t Choices::below(uint64_t bound) {
  state_ += 0x9E3779B97F4A7C15u;
  uint64_t x = state_;
  x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9u;
  x = (x ^ (x >> 27)) * 0x94D049BB133111EBu;
  x ^= x >> 31;
  if (!bytes_.empty()) {
    x += bytes_[0];
    bytes_ = bytes_.subspan(1);
  }
  return bound == 0 ? 0 : x % bound;
}

Module ModuleMaker::run() {
  entry_ = module_.addComputation("main");
  module_.setEntry(entry_);
  const uint64_t count = 1 + choices_.below(4);
  for (uint64_t i = 0; i < count; ++i) addInstruction(chooseOp());
  std::vector<InstructionId> results;
  std::vector<Shape> shapes;
  for (const Value& value : values_) {
    results.push_back(value.id);
    shapes.push_back(value.shape);
  }
  module_.setRoot(entry_, instruction(entry_, Opcode::Tuple, Shape::tuple(shapes), results));
  std::vector<ComputationId> order = module_.order();
  std::ranges::rotate(order, order.begin() + 1);  // callees first
  module_.setOrder(std::move(order));
  return std::move(module_);
}

const OpDef& ModuleMaker::chooseOp() {
  static const std::vector<const OpDef*> ops = [] {
    std::vector<const OpDef*> out;
    for (const OpDef* op : allOps())
      if (!isLeftOut(*op)) out.push_back(op);
    return out;
  }();
  return *choices_.of(ops);
}

void ModuleMaker::addInstruction(const OpDef& op) {
  for (int i = 0; i < kAttempts; ++i)
    if (auto attempt = tryOnce(op)) return commit(op, *std::move(attempt));
}

Shape ModuleMaker::chooseShape() {
  std::vector<int64_t> dimensions(choices_.below(5));
  for (int64_t& size : dimensions)
    size = choices_.chance(4) ? 0 : static_cast<int64_t>(1 + choices_.below(choices_.chance(10) ? 9 : 4));
  return Shape::arrayRowMajor(choices_.of(types()), std::move(dimensions));
}

// Often something like an operand before: its shape, its type as a scalar, its dimensions with another type, indices.
ModuleMaker::Operand ModuleMaker::chooseOperand(const OpDef& op, const std::vector<Operand>& before) {
  if (!values_.empty() && choices_.chance(40)) {
    const size_t value = choices_.below(values_.size());
    if (values_[value].exact || movesOnly(op)) return {value, values_[value].shape};
  }
  Shape shape = chooseShape();
  if (!before.empty() && choices_.chance(85)) {
    const Shape& like = choices_.of(before).shape;
    switch (choices_.below(6)) {
      case 0:
      case 1: shape = like; break;
      case 2: shape = Shape::arrayRowMajor(like.type, {}); break;
      case 3: shape = Shape::arrayRowMajor(shape.type, like.dimensions); break;
      case 4: shape = Shape::arrayRowMajor(like.type, shape.dimensions); break;
      default:
        shape = Shape::arrayRowMajor(choices_.chance(80) ? ElementType::S32 : ElementType::U8,
                                     choices_.chance(50) ? std::vector<int64_t>{} : shape.dimensions);
    }
  }
  return {std::nullopt, shape};
}

std::optional<Shape> ModuleMaker::chooseWritten(const std::vector<Operand>& operands) {
  Shape out = chooseShape();
  if (!operands.empty()) {
    const Shape& like = operands[0].shape;
    switch (choices_.below(5)) {
      case 0: out = Shape::arrayRowMajor(out.type, like.dimensions); break;
      case 1: out = Shape::arrayRowMajor(like.type, {like.elementCount().value_or(0)}); break;
      case 2: {
        std::vector<int64_t> more = like.dimensions;
        more.insert(more.begin() + static_cast<std::ptrdiff_t>(choices_.below(more.size() + 1)),
                    static_cast<int64_t>(1 + choices_.below(4)));
        out = Shape::arrayRowMajor(choices_.chance(70) ? like.type : out.type, more);
        break;
      }
      case 3: out = Shape::arrayRowMajor(like.type, out.dimensions); break;
      default: break;
    }
  }
  return out;
}

// The element types that a called computation sees: all operands, the first half (reductions), or the first third
// (scatter).
std::vector<Shape> ModuleMaker::scalarsOf(const std::vector<Operand>& operands) const {
  std::vector<Shape> out;
  for (const Operand& operand : operands) out.push_back(Shape::arrayRowMajor(operand.shape.type, {}));
  return out;
}

ProgramShape ModuleMaker::calleeShape(int kind, const std::vector<Operand>& operands) {
  const std::vector<Shape> scalars = scalarsOf(operands);
  const auto result = [](const std::vector<Shape>& all) { return all.size() == 1 ? all[0] : Shape::tuple(all); };
  ProgramShape out;
  if (kind == kReducer) {
    out.parameters = scalars;
    out.parameters.insert(out.parameters.end(), scalars.begin(), scalars.end());
    out.result = result(scalars);
  } else if (kind == kComparison || kind == kOrder) {
    for (const Shape& scalar : scalars) out.parameters.insert(out.parameters.end(), 2, scalar);
    out.result = Shape::arrayRowMajor(ElementType::Pred, {});
  } else {
    out.parameters = scalars;
    if (!scalars.empty()) out.result = scalars[0];
  }
  return out;
}

std::optional<ModuleMaker::Attempt> ModuleMaker::tryOnce(const OpDef& op) {
  Attempt out;
  const int arity = arityOf(op.opcode);
  const uint64_t count = arity >= 0 ? static_cast<uint64_t>(arity) : 1 + choices_.below(4);
  for (uint64_t i = 0; i < count; ++i) out.operands.push_back(chooseOperand(op, out.operands));
  InferContext context{};
  const size_t leading = out.operands.size() <= 1 ? out.operands.size()
                         : choices_.chance(60)    ? 1
                         : choices_.chance(50)    ? out.operands.size() / 2
                                                  : out.operands.size();
  const std::vector<Operand> seen(out.operands.begin(), out.operands.begin() + static_cast<std::ptrdiff_t>(leading));
  for (const AttributeRow& row : op.attributes) {
    if (!row.required && !choices_.chance(30)) continue;
    if (kindOf(row.name) == AttributeKind::Computation) {
      // What is no order (≥, and) sorts as it likes; nor are NaNs ordered but in total order.
      const int kind = op.opcode == Opcode::Sort ? kOrder : static_cast<int>(choices_.below(kCalleeKinds));
      out.callees.emplace_back(row.name, kind);
      out.attributes.set(row.name, entry_);
      context.computations.push_back(calleeShape(kind, seen));
      continue;
    }
    bool good = true;
    AttributeValue value = chooseValue(row, out.operands, good);
    if (good)
      out.attributes.set(row.name, std::move(value));
    else if (row.required)
      return std::nullopt;
  }
  if (op.opcode == Opcode::Sort && isComplex(out.operands[0].shape.type)) return std::nullopt;  // no order
  if (choices_.chance(60)) out.written = chooseWritten(out.operands);
  context.opcode = op.opcode;
  context.op = &op;
  for (const Operand& operand : out.operands) context.operands.push_back(&operand.shape);
  context.attributes = &out.attributes;
  context.written = out.written ? &*out.written : nullptr;
  auto inferred = op.inferShape(context);
  if (!inferred || elementsOf(*inferred) > kMaxElements) return std::nullopt;
  const auto isWhole = [](const Operand& operand) { return hasOnlyIntegers(operand.shape); };
  if (op.category.category == OpCategory::LinearAlgebra && hasOnlyIntegers(*inferred) &&
      !std::ranges::all_of(out.operands, isWhole))
    return std::nullopt;  // whether products or their sum are rounded to integers, nothing says
  for (auto& [attribute, kind] : out.callees) kind |= static_cast<int>(leading) << 8;
  out.result = std::move(*inferred);
  fillDefaultLayouts(out.result);
  return out;
}

InstructionId ModuleMaker::instruction(ComputationId computation, Opcode opcode, const Shape& shape,
                                       std::vector<InstructionId> operands, AttributeSet attributes) {
  Instruction out;
  out.opcode = opcode;
  const std::string name = "v" + std::to_string(names_++);
  out.name = name;
  out.operands = operands;
  out.attributes = std::make_shared<const AttributeSet>(std::move(attributes));
  return module_.add(computation, out, shape);
}

InstructionId ModuleMaker::parameter(ComputationId computation, const Shape& shape) {
  Instruction out;
  out.opcode = Opcode::Parameter;
  const std::string name = "p" + std::to_string(names_++);
  out.name = name;
  out.parameterNumber = static_cast<int32_t>(module_.at(computation).parameters.size());
  return module_.add(computation, out, shape);
}

ComputationId ModuleMaker::makeCallee(int kind, const std::vector<Shape>& scalars) {
  const ComputationId out = module_.addComputation("callee" + std::to_string(names_++));
  std::vector<InstructionId> parameters;
  const auto take = [&](const Shape& shape) { parameters.push_back(parameter(out, shape)); };
  const auto combine = [&](size_t a, size_t b, const Shape& shape) {
    static const std::vector<Opcode> numbers = {Opcode::Add, Opcode::Add, Opcode::Maximum, Opcode::Minimum};
    static const std::vector<Opcode> bits = {Opcode::And, Opcode::Or, Opcode::Xor};
    const Opcode opcode = shape.type == ElementType::Pred ? choices_.of(bits)
                          : isComplex(shape.type)         ? Opcode::Add
                                                          : choices_.of(numbers);
    return instruction(out, opcode, shape, {parameters[a], parameters[b]});
  };
  if (kind == kComparison || kind == kOrder) {
    for (const Shape& scalar : scalars) take(scalar), take(scalar);
    AttributeSet attributes;
    static const std::vector<std::string> directions = {"LT", "GT", "GE", "LE"}, orders = {"LT", "GT"};
    attributes.set(Attr::direction,
                   isComplex(scalars[0].type) ? std::string("EQ") : choices_.of(kind == kOrder ? orders : directions));
    if (kind == kOrder && isFloat(scalars[0].type)) attributes.set(Attr::type, std::string("TOTALORDER"));
    module_.setRoot(out, instruction(out, Opcode::Compare, Shape::arrayRowMajor(ElementType::Pred, {}),
                                     {parameters[0], parameters[1]}, std::move(attributes)));
    return out;
  }
  for (const Shape& scalar : scalars) take(scalar);
  if (kind == kMapBody) {
    const bool pair = scalars.size() > 1 && scalars[1].type == scalars[0].type;
    module_.setRoot(out, combine(0, pair ? 1 : 0, scalars[0]));
    return out;
  }
  for (const Shape& scalar : scalars) take(scalar);
  std::vector<InstructionId> results;
  for (size_t i = 0; i < scalars.size(); ++i) results.push_back(combine(i, scalars.size() + i, scalars[i]));
  module_.setRoot(out,
                  results.size() == 1 ? results[0] : instruction(out, Opcode::Tuple, Shape::tuple(scalars), results));
  return out;
}

void ModuleMaker::commit(const OpDef& op, Attempt attempt) {
  std::vector<InstructionId> operands;
  bool exact = movesOnly(op) || hasOnlyIntegers(attempt.result);
  for (const Operand& operand : attempt.operands) {
    operands.push_back(operand.value ? values_[*operand.value].id : parameter(entry_, operand.shape));
    exact = exact && (!operand.value || values_[*operand.value].exact);
    if (!operand.value) values_.push_back({operands.back(), operand.shape, true});
  }
  const std::vector<Shape> scalars = scalarsOf(attempt.operands);
  for (const auto& [attribute, packed] : attempt.callees)
    attempt.attributes.set(attribute, makeCallee(packed & 0xff, {scalars.begin(), scalars.begin() + (packed >> 8)}));
  const InstructionId made = instruction(entry_, op.opcode, attempt.result, operands, std::move(attempt.attributes));
  if (!attempt.result.isTuple()) return values_.push_back({made, attempt.result, exact});
  for (size_t i = 0; i < attempt.result.elements.size(); ++i) {
    AttributeSet index;
    index.set(Attr::index, static_cast<int64_t>(i));
    const Shape& shape = attempt.result.elements[i];
    if (shape.isArray())
      values_.push_back({instruction(entry_, Opcode::GetTupleElement, shape, {made}, std::move(index)), shape, exact});
  }
}

}  // namespace tessera
