// See emitter.h: making nodes, finding those that are there, and taking away what nothing needs.
#include "core/gradient/emitter.h"

#include <algorithm>

#include "core/hlo/numbers.h"
#include "core/ops/inference/infer.h"
#include "core/passes/rewriter.h"

namespace tessera::gradient {
namespace {

void mixHash(size_t& hash, size_t value) { hash = (hash ^ value) * 0x9e3779b97f4a7c15ull + (hash >> 29); }

size_t hashOf(const Instruction& in) {
  size_t out = static_cast<size_t>(in.opcode);
  for (InstructionId operand : in.operands) mixHash(out, operand.value);
  if (in.literal && !in.literal->bytes().empty()) {
    const auto bytes = in.literal->bytes();
    mixHash(out, bytes.size());
    mixHash(out, std::hash<std::string_view>()(
                     {reinterpret_cast<const char*>(bytes.data()), std::min<size_t>(bytes.size(), 256)}));
  }
  return out;
}

bool sameLiteral(const LiteralPtr& a, const LiteralPtr& b) {
  return a == b || (a && b && !a->elided() && !b->elided() && a->identical(*b));
}

bool sameNode(const Instruction& a, const Instruction& b, const Shape& shape) {
  return a.opcode == b.opcode && std::ranges::equal(a.operands, b.operands) && sameIgnoringLayout(*a.shape, shape) &&
         sameLiteral(a.literal, b.literal) && equalAttributes(*a.attributes, *b.attributes);
}

bool mayBeShared(const Instruction& in) {
  return in.opcode != Opcode::Parameter && in.opcode != Opcode::Unknown && !isStateful(in);
}

// "jit(f)/layer/mul" belongs to "jit(f)/transpose(layer)/mul", as jax writes it; a bare name to "transpose(name)".
std::string transposedName(const Instruction& forward, std::string_view name) {
  const std::string path = forward.metadata ? forward.metadata->opName : "";
  const size_t last = path.rfind('/');
  if (last == std::string::npos) return "transpose(" + (path.empty() ? std::string(name) : path) + ")";
  const size_t first = path.starts_with("jit(") ? path.find('/') + 1 : 0;
  const std::string scope = last > first ? path.substr(first, last - first) : "";
  return path.substr(0, first) + "transpose(" + scope + ")" + path.substr(last);
}

InferContext contextOf(const Module& module, const Instruction& in, const Shape* written) {
  InferContext out{};
  out.opcode = in.opcode;
  for (InstructionId operand : in.operands) out.operands.push_back(module.at(operand).shape);
  out.attributes = in.attributes.get();
  for (ComputationId callee : module.callees(in)) {
    ProgramShape program;
    for (InstructionId parameter : module.at(callee).parameters)
      program.parameters.push_back(module.shapeOf(parameter));
    program.result = module.shapeOf(module.at(callee).root);
    out.computations.push_back(std::move(program));
  }
  out.written = written;
  out.literal = in.literal.get();
  out.op = findOp(in.opcode);
  return out;
}

}  // namespace

const Shape& Value::shape() const { return emitter->module.shapeOf(id); }

Emitter::Emitter(Session& of, ComputationId in) : session(of), module(of.module), computation(in) {
  for (InstructionId id : module.at(computation).instructions)
    if (mayBeShared(module.at(id))) known_.emplace(hashOf(module.at(id)), id);
}

void Emitter::differentiates(const Instruction& forward) {
  Metadata metadata;
  if (forward.metadata) metadata = *forward.metadata;
  metadata.opName = transposedName(forward, module.at(session.originalOf(forward.id)).name);
  metadata_ = module.tables().intern(metadata);
}

Value Emitter::add(Instruction instruction, const Shape& shape) {
  if (!instruction.attributes) instruction.attributes = std::make_shared<const AttributeSet>();
  const size_t hash = hashOf(instruction);
  const bool shared = mayBeShared(instruction);
  if (shared)
    for (auto [at, end] = known_.equal_range(hash); at != end; ++at)
      if (sameNode(module.at(at->second), instruction, shape)) return this->at(at->second);
  Shape laidOut = shape;
  fillDefaultLayouts(laidOut);
  const std::string name = session.freeName(instruction.name.empty() ? std::string(instruction.opcodeName())
                                                                     : std::string(instruction.name));
  isMade_[static_cast<uint32_t>(module.instructionSlots())] = instruction.name.empty();
  instruction.name = name;
  instruction.shapeWritten = false;
  if (!instruction.metadata) instruction.metadata = metadata_;
  const InstructionId id = module.add(computation, std::move(instruction), laidOut);
  if (shared) known_.emplace(hash, id);
  made_.push_back(id);
  return at(id);
}

Value Emitter::make(Opcode opcode, std::span<const Value> operands, AttributeSet attributes, const Shape* written) {
  std::vector<InstructionId> ids;
  for (const Value& operand : operands) {
    if (!operand) return {};
    ids.push_back(operand.id);
  }
  Instruction made;
  made.opcode = opcode;
  made.operands = ids;
  made.attributes = std::make_shared<const AttributeSet>(std::move(attributes));
  auto shape = findOp(opcode)->inferShape(contextOf(module, made, written));
  if (shape) return add(std::move(made), *shape);
  if (session.status) session.status = std::unexpected(shape.error());
  return {};
}

Value Emitter::clone(const Instruction& original, std::span<const Value> operands) {
  if (original.opcode == Opcode::GetTupleElement)
    return element(operands[0], static_cast<size_t>(original.attributes->intOr(Attr::index, 0)));
  std::vector<InstructionId> ids;
  for (const Value& operand : operands) ids.push_back(operand.id);
  Instruction made;
  made.opcode = original.opcode;
  made.unknownOpcode = original.unknownOpcode;
  made.name = original.name;
  made.operands = ids;
  made.literal = original.literal;
  made.metadata = original.metadata;
  AttributeSet attributes = *original.attributes;
  attributes.remove(Attr::control_predecessors);
  made.attributes = std::make_shared<const AttributeSet>(std::move(attributes));
  const Value copy = add(std::move(made), *original.shape);
  session.noteCopy(copy.id, original.id);
  return copy;
}

Value Emitter::constant(Literal literal) {
  Instruction made;
  made.opcode = Opcode::Constant;
  const Shape shape = literal.shape();
  made.literal = std::make_shared<const Literal>(std::move(literal));
  return add(std::move(made), shape);
}

Value Emitter::scalar(ElementType type, double value) {
  Literal literal = Literal::zeros(Shape::arrayRowMajor(type, {})).value();
  if (isInteger(type))
    storeInt(type, literal.mutableBytes().data(), static_cast<int64_t>(value));
  else
    storeDouble(type, literal.mutableBytes().data(), value);
  return constant(std::move(literal));
}

Value Emitter::filled(const Shape& like, double value) {
  return broadcastScalar(scalar(like.type, value), like.dimensions);
}

std::optional<double> Emitter::splatOf(Value value) const {
  if (!value) return std::nullopt;
  const Instruction* in = &module.at(value.id);
  while (in->opcode == Opcode::Broadcast || in->opcode == Opcode::Reshape) in = &module.at(in->operands[0]);
  if (in->opcode != Opcode::Constant || !in->literal || in->literal->elided()) return std::nullopt;
  const Literal& literal = *in->literal;
  const auto width = static_cast<size_t>(byteWidth(literal.shape().type));
  const auto bytes = literal.bytes();
  if (bytes.empty() || bytes.size() > 4096 || isComplex(literal.shape().type)) return std::nullopt;
  for (size_t at = width; at < bytes.size(); at += width)
    if (!std::equal(bytes.begin(), bytes.begin() + static_cast<int64_t>(width),
                    bytes.begin() + static_cast<int64_t>(at)))
      return std::nullopt;
  return loadDouble(literal.shape().type, bytes.data());
}

Value Emitter::tuple(std::span<const Value> parts) { return make(Opcode::Tuple, parts); }

Value Emitter::element(Value of, size_t index) {
  if (!of) return {};
  const Instruction& in = module.at(of.id);
  if (in.opcode == Opcode::Tuple) return at(in.operands[index]);
  AttributeSet attributes;
  attributes.set(Attr::index, static_cast<int64_t>(index));
  return make(Opcode::GetTupleElement, {of}, std::move(attributes));
}

Value Emitter::leaf(Value of, size_t k) {
  Value out = of;
  const std::vector<ShapeLeaf> all = leavesOf(of.shape());
  for (int64_t index : all[k].index) out = element(out, static_cast<size_t>(index));
  return out;
}

std::vector<Value> Emitter::leaves(Value of) {
  std::vector<Value> out;
  const size_t n = leavesOf(of.shape()).size();
  for (size_t k = 0; k < n; ++k) out.push_back(leaf(of, k));
  return out;
}

Value Emitter::pack(const Shape& shape, std::span<const Value> leaves) {
  if (!shape.isTuple()) return leaves[0];
  std::vector<Value> parts;
  size_t next = 0;
  for (const Shape& each : std::vector<Shape>(shape.elements)) {
    const size_t n = leavesOf(each).size();
    parts.push_back(pack(each, leaves.subspan(next, n)));
    next += n;
  }
  return tuple(parts);
}

void Emitter::removeUnused(std::span<const InstructionId> kept) {
  std::unordered_map<uint32_t, size_t> uses;
  for (InstructionId id : module.at(computation).instructions)
    for (InstructionId operand : module.at(id).operands)
      if (operand.valid()) ++uses[operand.value];
  for (InstructionId id : kept) ++uses[id.value];
  std::vector<InstructionId> unused;
  for (size_t i = made_.size(); i-- > 0;) {  // users come behind what they use
    const InstructionId id = made_[i];
    if (uses[id.value] > 0 || module.at(id).opcode == Opcode::Parameter) continue;
    for (InstructionId operand : module.at(id).operands) --uses[operand.value];
    unused.push_back(id);
  }
  module.removeAll(computation, unused);
  std::erase_if(made_, [&](InstructionId id) { return module.at(id).removed; });
}

void Emitter::rename(Value value, const std::string& stem) {
  module.setName(value.id, session.freeName(stem));
  isMade_[value.id.value] = false;
}

bool Emitter::isNameless(Value value) const {
  const auto found = isMade_.find(value.id.value);
  return found != isMade_.end() && found->second;
}

}  // namespace tessera::gradient
