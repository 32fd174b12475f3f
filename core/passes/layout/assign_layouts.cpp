// See assign_layouts.h.
#include "core/passes/layout/assign_layouts.h"

#include <algorithm>

#include "core/ops/inference/callee_index.h"
#include "core/passes/patterns.h"
#include "core/passes/rewriter.h"

namespace tessera {
namespace {

bool isRowMajor(const Shape& shape) { return !shape.isArray() || (shape.layout && shape.layout->isRowMajor()); }
bool isPlain(const Shape& shape) {
  return shape.isArray() && shape.layout && shape.layout->isPlain() && !shape.hasDynamicDimensions();
}

// The order of the dimensions in memory, major to minor.
std::vector<int64_t> majorToMinor(const Shape& shape) {
  std::vector<int64_t> out = shape.layout->minorToMajor;
  std::ranges::reverse(out);
  return out;
}
std::vector<int64_t> inverse(const std::vector<int64_t>& permutation) {
  std::vector<int64_t> out(permutation.size());
  for (size_t i = 0; i < out.size(); ++i) out[static_cast<size_t>(permutation[i])] = static_cast<int64_t>(i);
  return out;
}

class Assignment {
 public:
  explicit Assignment(Module& module)
      : module_(module), rewriter_(module, "assign-layouts"), pinned_(module.instructionSlots()) {}

  Result<bool> run() {
    pinBoundaries();
    for (ComputationId computation : std::vector<ComputationId>(module_.order()))
      for (InstructionId id : std::vector<InstructionId>(module_.at(computation).instructions)) expandBitcast(id);
    TESSERA_ASSIGN_OR_RETURN(bool changed, rewriter_.finish());
    for (ComputationId computation : module_.order())
      for (InstructionId id : std::vector<InstructionId>(module_.at(computation).instructions)) changed |= assign(id);
    for (ComputationId computation : std::vector<ComputationId>(module_.order()))
      for (InstructionId id : std::vector<InstructionId>(module_.at(computation).instructions)) reconcile(id);
    TESSERA_ASSIGN_OR_RETURN(const bool copied, rewriter_.finish());
    return changed || copied;
  }

 private:
  void pin(InstructionId id) { pinned_[id.value] = true; }
  bool isPinned(InstructionId id) const { return id.value < pinned_.size() && pinned_[id.value]; }

  // What fixes a layout from outside: the entry's signature, custom calls, effects, and fusions of the source.
  void pinBoundaries() {
    pinSignature(module_.entry());
    for (ComputationId computation : module_.order())
      for (InstructionId id : module_.at(computation).instructions) pinAsked(module_.at(id));
  }
  void pinSignature(ComputationId computation) {
    for (InstructionId id : module_.at(computation).parameters) pin(id);
    const InstructionId root = module_.at(computation).root;
    pin(root);
    if (module_.at(root).opcode == Opcode::Tuple)
      for (InstructionId id : module_.at(root).operands) pin(id);
  }
  void pinAsked(const Instruction& in) {
    const bool asks = in.opcode == Opcode::CustomCall || in.opcode == Opcode::BitcastConvert || hasSideEffect(in);
    const bool opaque = in.opcode == Opcode::Bitcast && !canExpand(in);
    if (in.opcode == Opcode::Fusion) {
      pin(in.id);
      for (ComputationId callee : module_.callees(in)) pinSignature(callee);
    }
    if (asks || opaque) {
      pin(in.id);
      for (InstructionId operand : in.operands) pin(operand);
    }
    if (in.opcode == Opcode::GetTupleElement && isPinned(in.operands[0])) pin(in.id);
  }

  bool canExpand(const Instruction& bitcast) const {
    const Shape &from = module_.shapeOf(bitcast.operands[0]), &to = *bitcast.shape;
    return isPlain(from) && isPlain(to) && from.type == to.type && from.elementCount() == to.elementCount();
  }

  InstructionId add(const Instruction& in, Opcode opcode, std::vector<int64_t> dims, InstructionId operand,
                    std::vector<int64_t> permutation = {}) {
    AttributeSet attributes;
    if (opcode == Opcode::Transpose) attributes.set(Attr::dimensions, std::move(permutation));
    const InstructionId origin[] = {in.id};
    const InstructionId operands[] = {operand};
    const InstructionId out =
        rewriter_.add(in.computation, opcode, Shape::arrayRowMajor(in.shape->type, std::move(dims)), operands,
                      std::move(attributes), origin);
    if (opcode == Opcode::Transpose)
      rewriter_.noteInsertion(out, {in.id, "the same bytes under another layout are the values in another order"});
    if (opcode == Opcode::Copy) rewriter_.noteInsertion(out, {in.id, "its layout is visible outside the program"});
    return out;
  }
  static std::vector<int64_t> permuted(const std::vector<int64_t>& dims, const std::vector<int64_t>& permutation) {
    std::vector<int64_t> out;
    for (int64_t d : permutation) out.push_back(dims[static_cast<size_t>(d)]);
    return out;
  }
  // In the order of memory, then as the other shape has it, then in the order of its dimensions.
  void expandBitcast(InstructionId id) {
    if (module_.at(id).opcode != Opcode::Bitcast || !canExpand(module_.at(id))) return;
    const Shape from =
        module_.shapeOf(module_.at(id).operands[0]);  // the original one: its replacement may be row-major
    const Instruction in = rewriter_.visit(id);
    if (isRowMajor(from) && isRowMajor(*in.shape)) return;
    const std::vector<int64_t> source = majorToMinor(from), target = majorToMinor(*in.shape);
    const std::vector<int64_t> before = permuted(from.dimensions, source),
                               after = permuted(in.shape->dimensions, target);
    InstructionId at = in.operands[0];
    if (!isIota(source)) at = add(in, Opcode::Transpose, before, at, source);
    if (before != after) at = add(in, Opcode::Reshape, after, at);
    if (!isIota(target)) at = add(in, Opcode::Transpose, in.shape->dimensions, at, inverse(target));
    if (isPinned(id) && module_.shapeOf(at) != *in.shape) {
      at = add(in, Opcode::Copy, in.shape->dimensions, at);
      module_.setShape(at, *in.shape);
      pinned_.resize(module_.instructionSlots());
      pin(at);
    }
    rewriter_.replace(id, at);
  }

  // True: the layout of something in it changed.
  bool assign(InstructionId id) {
    const Instruction in = module_.at(id);
    if (isPinned(id) || in.opcode == Opcode::Bitcast || hasSideEffect(in)) return false;
    Shape shape = *in.shape;
    if (!setRowMajor(shape)) return false;
    module_.setShape(id, shape);
    if (in.literal && in.shape->isArray()) {
      Literal literal = *in.literal;
      literal.setLayout(shape.layout);
      module_.edit(id).literal = std::make_shared<const Literal>(std::move(literal));
    }
    return true;
  }
  static bool setRowMajor(Shape& shape) {
    bool changed = false;
    for (Shape& element : shape.elements) changed |= setRowMajor(element);
    if (!shape.isArray() || !shape.layout || shape.layout->isRowMajor() || !shape.layout->isPlain()) return changed;
    shape.layout = Layout::rowMajor(shape.rank());
    return true;
  }

  // --- copies where one who has a say meets who has none

  InstructionId copied(InstructionId id, const Shape& shape, const Insertion& why) {
    const InstructionId from[] = {id};
    const InstructionId copy = rewriter_.add(module_.at(id).computation, Opcode::Copy, shape, from, {}, from);
    rewriter_.noteInsertion(copy, why);
    return copy;
  }
  // Arrays alone: a tuple is made again where its elements are.
  InstructionId withShape(InstructionId id, const Shape& shape, const Insertion& why) {
    const bool differs = shape.isArray() && module_.shapeOf(id).isArray() && module_.shapeOf(id) != shape;
    return differs ? copied(id, shape, why) : id;
  }
  void reconcile(InstructionId id) {
    const Instruction in = rewriter_.visit(id);
    if (in.opcode == Opcode::GetTupleElement) return reconcileElement(in);
    std::vector<InstructionId> operands(in.operands.begin(), in.operands.end());
    if (in.opcode == Opcode::Tuple)
      for (size_t i = 0; i < operands.size(); ++i)
        operands[i] = withShape(operands[i], in.shape->elements[i], {id, "its elements are passed on in this layout"});
    const std::vector<ComputationId> callees = calledOnArrays(in);
    for (size_t k = 0; k < callees.size(); ++k) {
      const std::vector<InstructionId> parameters = module_.at(callees[k]).parameters;
      const size_t first = in.opcode == Opcode::Conditional ? k + 1 : 0;
      for (size_t i = 0; i < parameters.size() && first + i < operands.size(); ++i)
        operands[first + i] = withShape(operands[first + i], module_.shapeOf(parameters[i]),
                                        {id, "the computation that it calls has this layout for its parameter"});
      const InstructionId root = rewriter_.resolve(module_.at(callees[k]).root);
      const auto* condition = in.attributes->get<ComputationId>(Attr::condition);
      const bool isCondition = condition && *condition == callees[k];
      if (const InstructionId fit = isCondition ? root : withShape(root, *in.shape, {id, "its result has this layout"});
          fit != root) {
        module_.setRoot(callees[k], fit);
        rewriter_.touch(callees[k]);
      }
    }
    if (!std::ranges::equal(operands, in.operands)) {
      module_.setOperands(id, operands);
      rewriter_.touch(in.computation);
    }
  }
  std::vector<ComputationId> calledOnArrays(const Instruction& in) const {
    switch (in.opcode) {
      case Opcode::Conditional: return branchesOf(*in.attributes);
      case Opcode::Fusion:
      case Opcode::Call:
      case Opcode::While: return module_.callees(in);
      default: return {};
    }
  }
  // An element is as the tuple has it.
  void reconcileElement(const Instruction& in) {
    const Shape element =
        module_.shapeOf(in.operands[0]).elements[static_cast<size_t>(in.attributes->intOr(Attr::index, 0))];
    const Shape wanted = *in.shape;
    if (wanted == element) return;
    if (!isPinned(in.id) || !wanted.isArray()) return module_.setShape(in.id, element);
    const InstructionId taken = rewriter_.clone(in.id, in.computation, in.operands);
    module_.setShape(taken, element);
    rewriter_.replace(in.id, copied(taken, wanted, {in.id, "its layout is visible outside the program"}));
  }

  Module& module_;
  Rewriter rewriter_;
  std::vector<bool> pinned_;
};

}  // namespace

Result<bool> assignLayouts(Module& module) { return Assignment(module).run(); }

}  // namespace tessera
