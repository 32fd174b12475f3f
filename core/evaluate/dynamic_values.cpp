// See dynamic_values.h. The rules here are those of dynamic dimensions alone, so this file, beside the padding pass, is
// the one place that knows opcodes by name.
#include "core/evaluate/dynamic_values.h"

#include <algorithm>
#include <limits>

#include <fmt/format.h>

#include "core/base/result.h"
#include "core/evaluate/dynamic_sizes.h"
#include "core/evaluate/dynamic_view.h"
#include "core/hlo/index_math.h"
#include "core/hlo/numbers.h"
#include "core/ops/inference/infer.h"
#include "core/ops/inference/infer_checks.h"
#include "core/ops/shared/evaluate_loops.h"
#include "core/ops/shared/scalar_callee.h"

namespace tessera {
namespace {

// What no other value is less than.
std::vector<std::byte> lowestBytes(ElementType type) {
  std::vector<std::byte> out(static_cast<size_t>(byteWidth(type)));
  if (isFloat(type))
    storeDouble(type, out.data(), -std::numeric_limits<double>::infinity());
  else if (!isUnsigned(type) && type != ElementType::Pred)
    storeInt(type, out.data(), static_cast<int64_t>(uint64_t{1} << (info(type).bits - 1)));
  return out;
}

int64_t scalarOf(const Literal& literal) { return loadInt(literal.shape().type, literal.bytes().data()); }

class DynamicOp {
 public:
  DynamicOp(const OpDef& op, const EvaluateContext& context) : op_(op), context_(context) {
    for (size_t i = 0; i < context.operands.size(); ++i)
      views_.push_back(viewOf(context.operands[i], *context.operandShapes[i]));
  }

  Result<Literal> run() {
    switch (op_.opcode) {
      case Opcode::GetDimensionSize:
        return Literal::scalar<int32_t>(ElementType::S32, static_cast<int32_t>(views_[0].sizes[dimension()]));
      case Opcode::SetDimensionSize: return setSize();
      case Opcode::DynamicReshape: return reshaped(scalarsFrom(1));
      case Opcode::Reshape:
      case Opcode::Bitcast: return reshaped(sizesByRelation());
      case Opcode::Slice:
      case Opcode::DynamicSlice: return onBounds(sizesByRelation());
      case Opcode::DynamicUpdateSlice: return onSome({1}, views_[0].sizes);
      case Opcode::Gather: return gathered();
      case Opcode::Scatter: return scattered();
      case Opcode::SelectAndScatter: return selectedAndScattered();
      case Opcode::Pad:
        if (std::ranges::count(sizesByRelation(), 0) > 0) return onBounds(asGiven(sizesByRelation()));
        break;
      default: break;
    }
    if (isElementwise()) return elementwise();
    if (op_.kind == ExecutionKind::Effect) return onBounds(views_[0].sizes);
    if (op_.opcode == Opcode::Dot) matchContracted();
    return onSizes();
  }

 private:
  const AttributeSet& attributes() const { return *context_.instruction.attributes; }
  size_t dimension() const { return static_cast<size_t>(attributes().ints(Attr::dimensions)[0]); }

  Sizes scalarsFrom(size_t first) const {
    Sizes out;
    for (size_t i = first; i < views_.size(); ++i) out.push_back(scalarOf(views_[i].buffer));
    return out;
  }

  bool isElementwise() const {
    if (!op_.category.has(kElementwise | kReinterprets) && op_.opcode != Opcode::AddDependency) return false;
    return context_.shape.isArray() && std::ranges::any_of(views_, [&](const DynamicView& v) {
             return v.sizes.size() == context_.shape.dimensions.size();
           });
  }

  Result<Literal> evaluateOn(std::span<const Literal> operands, const Shape& shape,
                             std::span<const Shape* const> shapes) const {
    EvaluateContext context{context_.instruction,
                            shape,
                            operands,
                            shapes,
                            context_.call,
                            context_.cancelled,
                            context_.module,
                            context_.communicator,
                            context_.memory,
                            context_.customCall};
    return op_.evaluate(context);
  }

  std::vector<Literal> buffers() const {
    std::vector<Literal> out;
    for (const DynamicView& view : views_) out.push_back(view.buffer);
    return out;
  }

  // The op on whole buffers; the result has these sizes.
  Result<Literal> onBounds(const Sizes& sizes) const {
    TESSERA_ASSIGN_OR_RETURN(Literal out, evaluateOn(buffers(), context_.shape, context_.operandShapes));
    if (!out.shape().isArray() || out.shape().dimensions.size() != sizes.size()) return out;
    return withSizes(std::move(out), sizes);
  }

  // Sizes of the result, from those that the elements that count make: a size outside its bound is passed on as it is.
  Sizes asGiven(Sizes counted, size_t leaf = 0) const {
    const std::vector<SizedOperand> sized = sizedOperands();
    return anyOutside(sized) ? sizesAsGiven(relations(), leaf, sized, std::move(counted)) : counted;
  }
  Sizes sizesByRelation() const { return sizesByRelations(relations(), sizedOperands(), context_.shape.dimensions); }
  std::vector<SizedOperand> sizedOperands() const {
    std::vector<SizedOperand> out;
    for (const DynamicView& view : views_) out.push_back({view.sizes, view.buffer.shape().dimensions, view.dynamic});
    return out;
  }
  // Of the declared shapes, whose sizes are the bounds.
  DimensionRelations relations() const {
    InferContext infer{};
    infer.opcode = op_.opcode;
    infer.operands.assign(context_.operandShapes.begin(), context_.operandShapes.end());
    infer.attributes = context_.instruction.attributes.get();
    infer.written = &context_.shape;
    infer.op = &op_;
    return dimensionRelationsOf(infer);
  }

  Result<Literal> setSize() const {
    Sizes sizes = views_[0].sizes;
    sizes[dimension()] = scalarOf(views_[1].buffer);
    return withSizes(views_[0].buffer, sizes);
  }

  // --- shapes of the elements that count

  // Inference over the operands named in `cut` with their sizes, the others with their bounds.
  Result<Shape> inferOn(std::span<const Shape> shapes) const {
    if (!context_.module) return fail("sizes of the run are not known here");
    InferContext infer = inferContextOf(*context_.module, context_.instruction);
    for (size_t i = 0; i < shapes.size(); ++i) infer.operands[i] = &shapes[i];
    Shape written = context_.shape;
    if (op_.opcode == Opcode::Broadcast)
      for (size_t i = 0; i < shapes[0].dimensions.size(); ++i)
        written.dimensions[static_cast<size_t>(attributes().ints(Attr::dimensions)[i])] = shapes[0].dimensions[i];
    infer.written = &written;
    return op_.inferShape(infer);
  }

  Result<std::vector<Literal>> operandsCut(const std::vector<bool>& cut) const {
    std::vector<Literal> out;
    for (size_t i = 0; i < views_.size(); ++i) {
      if (!cut[i] || !context_.operandShapes[i]->isArray()) {
        out.push_back(views_[i].buffer);
        continue;
      }
      TESSERA_ASSIGN_OR_RETURN(Literal part, cutTo(views_[i].buffer, views_[i].sizes));
      out.push_back(std::move(part));
    }
    return out;
  }

  // The op on the elements that count of the operands in `cut`; the result has dimensions of its own.
  Result<Literal> evaluateCut(const std::vector<bool>& cut) const {
    TESSERA_ASSIGN_OR_RETURN(const std::vector<Literal> operands, operandsCut(cut));
    std::vector<Shape> shapes;
    std::vector<const Shape*> pointers;
    for (size_t i = 0; i < operands.size(); ++i)
      shapes.push_back(context_.operandShapes[i]->isArray() ? withoutLayout(operands[i].shape())
                                                            : *context_.operandShapes[i]);
    for (Shape& shape : shapes) shape.dynamic.clear(), pointers.push_back(&shape);
    TESSERA_ASSIGN_OR_RETURN(Shape shape, inferOn(shapes));
    fillDefaultLayouts(shape);
    return evaluateOn(operands, shape, pointers);
  }

  // A leaf of the result within its bounds; what is around it comes from the op on whole buffers where that means
  // something.
  Result<Literal> expanded(const Literal& part, const Shape& declared, size_t leaf = 0) const {
    if (part.shape().dimensions == declared.dimensions) return withSizes(part, asGiven(declared.dimensions, leaf));
    Literal whole;
    if (op_.category.has(kMovesData) && context_.shape.isArray()) {
      TESSERA_ASSIGN_OR_RETURN(const Literal all, evaluateOn(buffers(), context_.shape, context_.operandShapes));
      TESSERA_ASSIGN_OR_RETURN(whole, Literal::fromBytes(declared, all.bytes()));
      paste(whole, part);
    } else {
      TESSERA_ASSIGN_OR_RETURN(whole, padTo(part, declared));
    }
    return withSizes(std::move(whole), asGiven(part.shape().dimensions, leaf));
  }

  Result<Literal> onSizes() const {
    TESSERA_ASSIGN_OR_RETURN(const Literal part, evaluateCut(std::vector<bool>(views_.size(), true)));
    if (!context_.shape.isTuple()) return expanded(part, context_.shape);
    std::vector<Literal> leaves;
    for (size_t i = 0; i < part.elements().size(); ++i) {
      TESSERA_ASSIGN_OR_RETURN(Literal leaf, expanded(part.elements()[i], context_.shape.elements[i], i));
      leaves.push_back(std::move(leaf));
    }
    return Literal::tuple(std::move(leaves));
  }

  // Operands in `cut` by their sizes, the others whole; the result has its bounds, and these sizes.
  Result<Literal> onSome(std::initializer_list<size_t> which, const Sizes& sizes) const {
    std::vector<bool> cut(views_.size(), false);
    for (size_t i : which) cut[i] = true;
    TESSERA_ASSIGN_OR_RETURN(Literal out, evaluateCut(cut));
    return withSizes(std::move(out), sizes);
  }

  // --- elementwise: sizes that differ meet in the smaller one, but one element is repeated

  Result<Literal> elementwise() {
    const size_t rank = context_.shape.dimensions.size();
    Sizes sizes = context_.shape.dimensions;
    for (size_t d = 0; d < rank; ++d) {
      std::optional<int64_t> size;
      for (const DynamicView& view : views_)
        if (view.sizes.size() == rank && view.dynamic[d])
          size = !size || *size == 1 ? view.sizes[d] : view.sizes[d] == 1 ? *size : std::min(*size, view.sizes[d]);
      if (size) sizes[d] = *size;
    }
    for (DynamicView& view : views_)
      for (size_t d = 0; d < rank && view.sizes.size() == rank; ++d)
        if (view.dynamic[d] && view.sizes[d] == 1 && sizes[d] > 1) TESSERA_TRY(repeat(view, d));
    return onBounds(sizes);
  }

  static Status repeat(DynamicView& view, size_t d) {
    TESSERA_ASSIGN_OR_RETURN(Literal out, Literal::allocate(view.buffer.shape()));
    const auto strides = rowMajorStrides(out.shape().dimensions);
    forEachIndex(out.shape().dimensions, [&](std::span<const int64_t> index, int64_t linear) {
      copyElement(out.mutableBytes().data(), linear, view.buffer.bytes().data(), linear - index[d] * strides[d],
                  static_cast<size_t>(byteWidth(out.shape().type)));
      return true;
    });
    view.buffer = std::move(out);
    return {};
  }

  // What counts on one side of a product alone meets nothing.
  void matchContracted() {
    const auto& left = attributes().ints(Attr::lhs_contracting_dims);
    const auto& right = attributes().ints(Attr::rhs_contracting_dims);
    for (size_t i = 0; i < left.size(); ++i) {
      int64_t &a = views_[0].sizes[static_cast<size_t>(left[i])], &b = views_[1].sizes[static_cast<size_t>(right[i])];
      a = b = std::min(a, b);
    }
  }

  // --- reshape

  // Element i of the result is element i of the operand, both in row-major order of what counts. Where the sizes ask
  // for more than there is, what is behind in the operand follows, and its last element: XLA's order (flatPlace).
  Result<Literal> reshaped(const Sizes& sizes) const {
    const Shape& to = context_.shape;
    const Literal& from = views_[0].buffer;
    TESSERA_ASSIGN_OR_RETURN(Literal out, Literal::allocate(withoutLayout(to)));
    const Sizes fromInside = clamped(views_[0].sizes, from.shape().dimensions),
                toInside = clamped(sizes, to.dimensions);
    const auto strides = rowMajorStrides(toInside);
    const auto width = static_cast<size_t>(byteWidth(to.type));
    forEachIndex(to.dimensions, [&](std::span<const int64_t> index, int64_t linear) {
      int64_t place = 0;
      for (size_t d = 0; d < index.size(); ++d)
        place +=
            (d == 0 ? index[d] : std::clamp<int64_t>(index[d], 0, std::max<int64_t>(toInside[d] - 1, 0))) * strides[d];
      place = std::clamp<int64_t>(flatPlace(place, from.shape().dimensions, fromInside), 0, from.elementCount() - 1);
      copyElement(out.mutableBytes().data(), linear, from.bytes().data(), place, width);
      return true;
    });
    return withSizes(std::move(out), sizes);
  }

  // The place within the bounds of the element that is number `number` when those that count, by all dimensions but the
  // most major one, come first and the others after them.
  static int64_t flatPlace(int64_t number, std::span<const int64_t> bounds, std::span<const int64_t> sizes) {
    if (bounds.size() < 2) return number;
    const int64_t row = productOf(bounds.subspan(1)), inRow = productOf(sizes.subspan(1));
    const int64_t counting = bounds[0] * inRow, left = row - inRow;
    int64_t major = 0, minor = 0;
    if (number < counting)
      major = number / inRow, minor = number % inRow;
    else if (left > 0)
      major = (number - counting) / left, minor = inRow + (number - counting) % left;
    else
      major = number / std::max<int64_t>(row, 1), minor = number % std::max<int64_t>(row, 1);
    return major * row + flatPlace(minor, bounds.subspan(1), sizes.subspan(1));
  }

  // --- slices, gather and scatter

  Result<Literal> gathered() const {
    std::vector<bool> cut(views_.size(), true);
    cut[0] = false;
    TESSERA_ASSIGN_OR_RETURN(const Literal part, evaluateCut(cut));
    TESSERA_ASSIGN_OR_RETURN(Literal whole, padTo(part, context_.shape));
    return withSizes(std::move(whole), asGiven(sizesByRelation()));
  }

  // No window selects what does not count, and where no source counts the initial value is scattered.
  Result<Literal> selectedAndScattered() const {
    std::vector<Literal> whole = buffers();
    const ElementType type = context_.shape.type;
    const Literal lowest = Literal::fromBytes(Shape::arrayRowMajor(type, {}), lowestBytes(type)).value();
    TESSERA_ASSIGN_OR_RETURN(whole[0], surrounded(views_[0], lowest));
    TESSERA_ASSIGN_OR_RETURN(whole[1], surrounded(views_[1], views_[2].buffer));
    TESSERA_ASSIGN_OR_RETURN(Literal out, evaluateOn(whole, context_.shape, context_.operandShapes));
    return withSizes(std::move(out), views_[0].sizes);
  }

  // The elements that count, `value` around them up to the bounds.
  static Result<Literal> surrounded(const DynamicView& view, const Literal& value) {
    TESSERA_ASSIGN_OR_RETURN(const Literal part, cutTo(view.buffer, view.sizes));
    TESSERA_ASSIGN_OR_RETURN(Literal whole, Literal::allocate(Shape::arrayRowMajor(view.buffer.shape().type,
                                                                                   view.buffer.shape().dimensions)));
    const auto width = static_cast<size_t>(byteWidth(whole.shape().type));
    for (int64_t i = 0; i < whole.elementCount(); ++i)
      copyElement(whole.mutableBytes().data(), i, value.bytes().data(), 0, width);
    paste(whole, part);
    return whole;
  }

  Result<Literal> scattered() const {
    const size_t arrays = (views_.size() - 1) / 2;
    std::vector<bool> cut(views_.size(), true);
    for (size_t i = 0; i < arrays; ++i) cut[i] = false;
    TESSERA_ASSIGN_OR_RETURN(Literal out, evaluateCut(cut));
    if (arrays == 1) return withSizes(std::move(out), views_[0].sizes);
    std::vector<Literal> leaves;
    for (size_t i = 0; i < arrays; ++i) leaves.push_back(withSizes(out.elements()[i], views_[i].sizes));
    return Literal::tuple(std::move(leaves));
  }

  const OpDef& op_;
  const EvaluateContext& context_;
  std::vector<DynamicView> views_;
};

}  // namespace

Result<Literal> evaluateDynamic(const OpDef& op, const EvaluateContext& context) {
  return DynamicOp(op, context).run();
}

}  // namespace tessera
