// See compose.h. A Composer walks from a root towards the leaves: each instruction is described at most once for the
// same indices and guard. Scopes are where parameters get their meaning: buffers, the operands of a fusion or the
// arguments of a call. Everything under a guard (readIf on a fused producer) reads under that guard.
#include "core/compose/compose.h"

#include <deque>
#include <map>

#include "core/element/node_origins.h"
#include "core/ops/inference/mixed_precision.h"
#include "core/ops/op.h"
#include "core/ops/shared/element_context.h"

namespace tessera {
namespace {

constexpr int kDeepest = 1500;         // nested element descriptions, for the stack's sake
constexpr size_t kMaxNodes = 100'000;  // programs beyond this are no kernels

std::unexpected<Diagnostic> unsupported(const Instruction& instruction, std::string why) {
  return fail(placedAt(instruction, {.kind = ErrorKind::Unsupported,
                                     .message = "'" + std::string(instruction.name) + "' (" +
                                                std::string(instruction.opcodeName()) + "): " + std::move(why)}));
}

std::vector<const Shape*> arrayLeaves(const Shape& shape) {
  std::vector<const Shape*> out;
  for (const ShapeLeaf& leaf : leavesOf(shape))
    if (leaf.shape->isArray()) out.push_back(leaf.shape);
  return out;
}

bool isSplat(const Literal& literal) {
  const auto bytes = literal.bytes();
  const auto width = static_cast<size_t>(byteWidth(literal.shape().type));
  return bytes.size() >= width &&
         std::equal(bytes.begin() + static_cast<std::ptrdiff_t>(width), bytes.end(), bytes.begin());
}

// Gives its operand on, leaf by leaf: the arrays of a tuple may differ in their rank.
bool isIdentity(Opcode opcode) { return hasTrait(opcode, kPassesOn) && !hasTrait(opcode, kMovesData); }

// Where the parameters of a computation come from.
struct Scope {
  const Scope* outer = nullptr;              // the scope of `call`'s operands
  const Instruction* call = nullptr;         // a fusion or call; null: parameters are buffers or scalars
  std::vector<std::vector<NodeId>> scalars;  // per parameter, one a leaf; not empty: parameters are scalars
};

class Composer {
 public:
  Composer(const Module& module, ElementBuilder* builder) : module_(module), builder_(builder) {}

  const Module& module() const { return module_; }
  void setBuilder(ElementBuilder* builder) { builder_ = builder; }
  // Array leaves of these instructions become the program's buffers, in order.
  std::vector<Shape> bindBuffers(std::span<const InstructionId> values);
  const Scope* newScope(Scope scope) { return &scopes_.emplace_back(std::move(scope)); }

  struct Place {
    const Scope* scope;
    std::vector<NodeId> indices;
    NodeId guard;  // invalid: none
  };
  // One scalar: array leaf `leaf` of an instruction's result.
  Result<NodeId> valueOf(InstructionId id, size_t leaf, const Place& place);
  // All leaves of an instruction of kind Element.
  Result<std::vector<NodeId>> describe(const Instruction& instruction, const Place& place);
  // Parameter `number`'s buffer of a scope whose parameters are operands; nullopt when it is computed.
  std::optional<size_t> bufferOf(InstructionId id, const Scope* scope) const;
  Result<std::vector<NodeId>> call(const Instruction& caller, size_t callee, std::span<const NodeId> scalars);
  Result<std::vector<NodeId>> applyScalars(ComputationId id, Scope scope);

 private:
  using Key = std::tuple<const Scope*, uint32_t, uint32_t, std::vector<NodeId>>;

  Result<NodeId> readBuffer(size_t buffer, const Place& place);
  Result<NodeId> structural(const Instruction& instruction, size_t leaf, const Place& place);
  Result<NodeId> parameter(const Instruction& instruction, size_t leaf, const Place& place);
  Result<NodeId> intoComputation(const Instruction& instruction, size_t leaf, const Place& place);
  const Scope* scopeOf(const Instruction& instruction, const Scope* outer);

  const Module& module_;
  ElementBuilder* builder_;
  std::map<uint32_t, size_t> firstBuffer_;  // by instruction: its first leaf's buffer
  std::deque<Scope> scopes_;
  std::map<std::pair<const Scope*, uint32_t>, const Scope*> inner_;
  std::map<Key, std::vector<NodeId>> known_;
  int depth_ = 0;
};

std::vector<Shape> Composer::bindBuffers(std::span<const InstructionId> values) {
  std::vector<Shape> out;
  for (InstructionId id : values) {
    const bool first = firstBuffer_.emplace(id.value, out.size()).second;
    (void)first;  // an operand that appears twice is read through its first buffer
    for (const Shape* leaf : arrayLeaves(module_.shapeOf(id))) out.push_back(*leaf);
  }
  return out;
}

Result<NodeId> Composer::readBuffer(size_t buffer, const Place& place) {
  if (!place.guard.valid()) return builder_->read(buffer, place.indices);
  const ElementType type = builder_->program().operands[buffer].type;
  return builder_->readIf(place.guard, buffer, place.indices, builder_->zero(type));
}

Result<NodeId> Composer::valueOf(InstructionId id, size_t leaf, const Place& place) {
  const Instruction& instruction = module_.at(id);
  if (builder_->program().nodes.size() > kMaxNodes)
    return unsupported(instruction, "the fused program grows too large");
  if (depth_ >= kDeepest) return unsupported(instruction, "too many operations are fused into one another");
  const OpDef* op = findOp(instruction.opcode);
  const bool isConstant = instruction.opcode == Opcode::Constant && instruction.literal && instruction.shape->isArray();
  if (!place.scope) {
    auto buffer = firstBuffer_.find(id.value);
    const bool folded = isConstant && isSplat(*instruction.literal);
    if (buffer != firstBuffer_.end() && !folded) return readBuffer(buffer->second + leaf, place);
  }
  ++depth_;
  Result<NodeId> out = NodeId{};
  if (op && op->element && !isIdentity(instruction.opcode)) {
    auto all = describe(instruction, place);
    if (!all)
      out = std::unexpected(std::move(all).error());
    else if (leaf >= all->size())
      out = unsupported(instruction, "it gives fewer values than its shape has");
    else
      out = (*all)[leaf];
  } else {
    out = structural(instruction, leaf, place);
  }
  --depth_;
  return out;
}

Result<std::vector<NodeId>> Composer::describe(const Instruction& instruction, const Place& place) {
  const OpDef* op = findOp(instruction.opcode);
  if (!op || !op->element) return unsupported(instruction, "it cannot be computed element by element");
  if (mixedPrecisionOf(module_, instruction)) return unsupported(instruction, "floats of different widths meet in it");
  Key key{place.scope, instruction.id.value, place.guard.value, place.indices};
  if (auto known = known_.find(key); known != known_.end()) return known->second;
  const auto at = [&](std::span<const NodeId> indices, NodeId guard) {
    return Place{place.scope, {indices.begin(), indices.end()}, guard};
  };
  ElementContext context{*builder_, module_, instruction, place.indices, {}, {}, {}, {}};
  context.readFn = [&](size_t operand, size_t leaf, std::span<const NodeId> indices) {
    return valueOf(instruction.operands[operand], leaf, at(indices, place.guard));
  };
  context.readIfFn = [&](NodeId condition, size_t operand, size_t leaf, std::span<const NodeId> indices,
                         NodeId otherwise) -> Result<NodeId> {
    NodeId guard = place.guard.valid() ? builder_->logicalAnd(place.guard, condition) : condition;
    if (guard == builder_->constantBits(ElementType::Pred, 0)) return otherwise;
    if (guard == builder_->constantBits(ElementType::Pred, 1)) guard = {};
    TESSERA_ASSIGN_OR_RETURN(NodeId value, valueOf(instruction.operands[operand], leaf, at(indices, guard)));
    const Node& node = builder_->program().at(value);
    if (node.op == NodeOp::ReadIf && guard.valid() && builder_->program().inputsOf(value)[0] == guard) {
      const auto inputs = builder_->program().inputsOf(value);
      const std::vector<NodeId> where(inputs.begin() + 2, inputs.end());
      return builder_->readIf(guard, node.bits0, where, otherwise);
    }
    return guard.valid() ? builder_->select(condition, value, otherwise) : value;
  };
  context.callFn = [&](size_t callee, std::span<const NodeId> scalars) { return call(instruction, callee, scalars); };
  TESSERA_TRY(op->element(context));
  if (context.results.empty()) return unsupported(instruction, "it gives no element");
  NodeOrigins::note(builder_->program(), context.results, instruction.id);
  known_.emplace(std::move(key), context.results);
  return context.results;
}

Result<NodeId> Composer::structural(const Instruction& instruction, size_t leaf, const Place& place) {
  switch (instruction.opcode) {
    case Opcode::Parameter: return parameter(instruction, leaf, place);
    case Opcode::Fusion:
    case Opcode::Call: return intoComputation(instruction, leaf, place);
    case Opcode::Tuple:
      for (InstructionId operand : instruction.operands) {
        const size_t count = arrayLeaves(module_.shapeOf(operand)).size();
        if (leaf < count) return valueOf(operand, leaf, place);
        leaf -= count;
      }
      return unsupported(instruction, "it has no such element");
    case Opcode::GetTupleElement: {
      const Shape& tuple = module_.shapeOf(instruction.operands[0]);
      const auto index = static_cast<size_t>(instruction.attributes->intOr(Attr::index, 0));
      for (size_t i = 0; i < index && i < tuple.elements.size(); ++i) leaf += arrayLeaves(tuple.elements[i]).size();
      return valueOf(instruction.operands[0], leaf, place);
    }
    default:
      if (isIdentity(instruction.opcode)) return valueOf(instruction.operands[0], leaf, place);
      return unsupported(instruction, "it cannot be computed element by element");
  }
}

Result<NodeId> Composer::parameter(const Instruction& instruction, size_t leaf, const Place& place) {
  const Scope* scope = place.scope;
  const auto number = static_cast<size_t>(instruction.parameterNumber);
  if (scope && scope->call) {
    if (number >= scope->call->operands.size()) return unsupported(instruction, "no operand belongs to it");
    return valueOf(scope->call->operands[number], leaf, Place{scope->outer, place.indices, place.guard});
  }
  if (scope && number < scope->scalars.size() && leaf < scope->scalars[number].size())
    return scope->scalars[number][leaf];
  return unsupported(instruction, "no value belongs to it");
}

const Scope* Composer::scopeOf(const Instruction& instruction, const Scope* outer) {
  const Scope*& scope = inner_[{outer, instruction.id.value}];
  if (!scope) scope = newScope({outer, &instruction, {}});
  return scope;
}

Result<NodeId> Composer::intoComputation(const Instruction& instruction, size_t leaf, const Place& place) {
  const auto callees = module_.callees(instruction);
  if (callees.empty()) return unsupported(instruction, "it names no computation");
  const Scope* scope = scopeOf(instruction, place.scope);
  return valueOf(module_.at(callees[0]).root, leaf, Place{scope, place.indices, place.guard});
}

std::optional<size_t> Composer::bufferOf(InstructionId id, const Scope* scope) const {
  const Instruction& instruction = module_.at(id);
  if (!scope) {
    auto buffer = firstBuffer_.find(id.value);
    return buffer == firstBuffer_.end() ? std::nullopt : std::optional(buffer->second);
  }
  if (instruction.opcode == Opcode::Parameter && scope->call)
    return bufferOf(scope->call->operands[static_cast<size_t>(instruction.parameterNumber)], scope->outer);
  return std::nullopt;
}

// --- called computations over scalars

Result<std::vector<NodeId>> Composer::call(const Instruction& caller, size_t callee, std::span<const NodeId> scalars) {
  const auto callees = module_.callees(caller);
  if (callee >= callees.size()) return unsupported(caller, "it names no such computation");
  Scope scope;
  size_t next = 0;
  for (InstructionId id : module_.at(callees[callee]).parameters) {
    const size_t count = arrayLeaves(module_.shapeOf(id)).size();
    if (next + count > scalars.size()) return unsupported(caller, "its computation takes more values than it is given");
    scope.scalars.emplace_back(scalars.begin() + static_cast<std::ptrdiff_t>(next),
                               scalars.begin() + static_cast<std::ptrdiff_t>(next + count));
    next += count;
  }
  return applyScalars(callees[callee], std::move(scope));
}

// In the computation's order, so that long scalar programs need no deep stack.
Result<std::vector<NodeId>> Composer::applyScalars(ComputationId id, Scope values) {
  const Computation& computation = module_.at(id);
  const Scope* scope = newScope(std::move(values));
  std::map<uint32_t, bool> needed{{computation.root.value, true}};
  for (size_t i = computation.instructions.size(); i-- > 0;)
    if (needed.contains(computation.instructions[i].value))
      for (InstructionId operand : module_.at(computation.instructions[i]).operands) needed[operand.value] = true;
  for (InstructionId step : computation.instructions) {
    const Instruction& instruction = module_.at(step);
    const OpDef* op = findOp(instruction.opcode);
    if (!needed.contains(step.value) || !op || !op->element || !instruction.shape->isScalar()) continue;
    TESSERA_ASSIGN_OR_RETURN(auto ignored, describe(instruction, Place{scope, {}, {}}));
    (void)ignored;  // remembered
  }
  std::vector<NodeId> out;
  for (const Shape* leaf : arrayLeaves(module_.shapeOf(computation.root))) {
    if (!leaf->isScalar()) return unsupported(module_.at(computation.root), "a scalar computation gives an array");
    TESSERA_ASSIGN_OR_RETURN(NodeId value, valueOf(computation.root, out.size(), Place{scope, {}, {}}));
    out.push_back(value);
  }
  return out;
}

// --- roots

// The common dimensions of all array leaves of the result.
Result<std::vector<int64_t>> iterationSpace(const Instruction& instruction) {
  const auto leaves = arrayLeaves(*instruction.shape);
  if (leaves.empty()) return unsupported(instruction, "it has no array result");
  for (const Shape* leaf : leaves) {
    if (leaf->dimensions != leaves[0]->dimensions)
      return unsupported(instruction, "its results differ in their dimensions");
    if (!leaf->elementCount()) return unsupported(instruction, "its result is unbounded or too large");
  }
  return leaves[0]->dimensions;
}

struct LoopRoot {
  const Instruction* instruction;
  const Scope* scope;
};

// Through fusions (and tuples of one) to the instruction that stores.
LoopRoot loopRoot(Composer& composer, const Instruction& instruction, const Scope* scope) {
  if (instruction.opcode != Opcode::Fusion) return {&instruction, scope};
  const auto callees = composer.module().callees(instruction);
  if (callees.empty()) return {&instruction, scope};
  const Scope* inner = composer.newScope({scope, &instruction, {}});
  return loopRoot(composer, composer.module().at(composer.module().at(callees[0]).root), inner);
}

// Initial operands are written as the op's own operand numbers; the program counts buffers.
Status bindInitialOperands(const Composer& composer, const LoopRoot& root, LoopProgram& program) {
  for (int64_t& initial : program.initialOperand) {
    if (initial < 0) continue;
    const auto buffer = composer.bufferOf(root.instruction->operands[static_cast<size_t>(initial)], root.scope);
    if (!buffer) return unsupported(*root.instruction, "the value that it updates is computed in the same fusion");
    initial = static_cast<int64_t>(*buffer);
  }
  return {};
}

// Drops nodes that no store needs.
void tidy(LoopProgram& program, ElementBuilder& builder) {
  std::vector<NodeId> kept;
  for (const Store& store : program.stores) {
    kept.insert(kept.end(), store.indices.begin(), store.indices.end());
    if (store.guard.valid()) kept.push_back(store.guard);
    kept.push_back(store.value);
  }
  program.body = builder.finish(std::move(kept));
  size_t next = 0;
  for (Store& store : program.stores) {
    for (NodeId& index : store.indices) index = program.body.results[next++];
    if (store.guard.valid()) store.guard = program.body.results[next++];
    store.value = program.body.results[next++];
  }
  program.body.results.clear();
}

}  // namespace

Result<ElementProgram> composeElement(const Module& module, InstructionId id) {
  const Instruction& instruction = module.at(id);
  TESSERA_ASSIGN_OR_RETURN(std::vector<int64_t> dims, iterationSpace(instruction));
  Composer composer(module, nullptr);
  ElementBuilder builder(composer.bindBuffers(instruction.operands), dims);
  composer.setBuilder(&builder);
  Composer::Place place{nullptr, {}, {}};
  for (size_t d = 0; d < dims.size(); ++d) place.indices.push_back(builder.outputIndex(static_cast<int64_t>(d)));
  std::vector<NodeId> results;
  const size_t leaves = arrayLeaves(*instruction.shape).size();
  for (size_t leaf = 0; leaf < leaves; ++leaf) {
    TESSERA_ASSIGN_OR_RETURN(NodeId value, composer.valueOf(id, leaf, place));
    results.push_back(value);
  }
  return builder.finish(std::move(results));
}

Result<LoopProgram> composeLoops(const Module& module, InstructionId id) {
  const Instruction& instruction = module.at(id);
  Composer composer(module, nullptr);
  std::vector<Shape> buffers = composer.bindBuffers(instruction.operands);
  const LoopRoot root = loopRoot(composer, instruction, nullptr);
  const OpDef* op = findOp(root.instruction->opcode);
  if (!op || !op->loops) return unsupported(*root.instruction, "it has no description as loops");
  Status failure;
  LoopContext context{module, *root.instruction, {}, {}, {}, nullptr};
  context.program.body.operands = std::move(buffers);
  for (const Shape* leaf : arrayLeaves(*root.instruction->shape)) context.program.outputs.push_back(*leaf);
  context.program.initialOperand.assign(context.program.outputs.size(), -1);
  context.callFn = [&](size_t callee, std::span<const NodeId> scalars) {
    composer.setBuilder(context.builder.get());
    return composer.call(*root.instruction, callee, scalars);
  };
  context.readFn = [&](size_t operand, std::span<const NodeId> at) {
    composer.setBuilder(context.builder.get());
    InstructionId value = root.instruction->operands[operand];
    auto node = composer.valueOf(value, 0, Composer::Place{root.scope, {at.begin(), at.end()}, {}});
    if (node) return *node;
    if (failure) failure = std::unexpected(std::move(node).error());
    return context.builder->zero(module.shapeOf(value).type);
  };
  TESSERA_TRY(op->loops(context));
  TESSERA_TRY(failure);
  if (!context.builder) return unsupported(*root.instruction, "it chose no iteration space");
  TESSERA_TRY(bindInitialOperands(composer, root, context.program));
  tidy(context.program, *context.builder);
  return std::move(context.program);
}

Result<ElementProgram> composeScalar(const Module& module, ComputationId id) {
  std::vector<Shape> operands;
  for (InstructionId parameter : module.at(id).parameters)
    for (const Shape* leaf : arrayLeaves(module.shapeOf(parameter))) operands.push_back(*leaf);
  ElementBuilder builder(operands, {});
  Composer composer(module, &builder);
  Scope scope;
  size_t next = 0;
  for (InstructionId parameter : module.at(id).parameters) {
    auto& leaves = scope.scalars.emplace_back();
    for (const Shape* leaf : arrayLeaves(module.shapeOf(parameter))) {
      if (!leaf->isScalar()) return unsupported(module.at(parameter), "a scalar computation takes an array");
      leaves.push_back(builder.read(next++, {}));
    }
  }
  TESSERA_ASSIGN_OR_RETURN(auto results, composer.applyScalars(id, std::move(scope)));
  return builder.finish(std::move(results));
}

}  // namespace tessera
