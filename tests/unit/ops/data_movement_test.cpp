// Data movement and elementwise ops called through their OpDefs on hand-built modules: values by definition,
// and the label of each broken constraint.
#include <gtest/gtest.h>

#include "core/ops/inference/infer.h"
#include "core/ops/op.h"
#include "tests/unit/ops/one_instruction.h"

namespace tessera {
namespace {

template <class T>
Literal movementLiteral(ElementType type, std::vector<int64_t> dims, const std::vector<T>& values) {
  const auto bytes = std::as_bytes(std::span<const T>(values));
  return Literal::fromBytes(Shape::arrayRowMajor(type, std::move(dims)), bytes).value();
}

// One instruction over parameters, with literals for them.
struct MovementCase {
  Module module;
  InstructionId id;
  std::vector<Literal> arguments;

  MovementCase(Opcode opcode, const Shape& result, std::vector<Literal> values, AttributeSet attributes = {})
      : arguments(std::move(values)) {
    id = test::addOver(module, arguments, opcode, result, std::move(attributes));
  }

  Result<Shape> infer() const {
    InferContext context{};
    context.opcode = module.at(id).opcode;
    for (InstructionId operand : module.at(id).operands) context.operands.push_back(&module.shapeOf(operand));
    context.attributes = module.at(id).attributes.get();
    context.written = module.at(id).shape;
    context.op = findOp(context.opcode);
    return context.op->inferShape(context);
  }
  std::string label() const {
    const auto inferred = infer();
    return inferred ? "" : inferred.error().label;
  }
  template <class T>
  std::vector<T> values() const {
    std::vector<const Shape*> shapes;
    for (const Literal& argument : arguments) shapes.push_back(&argument.shape());
    const EvaluateContext context{module.at(id), *module.at(id).shape, arguments, shapes, {}, {}};
    const Literal out = findOp(module.at(id).opcode)->evaluate(context).value();
    return {out.data<T>().begin(), out.data<T>().end()};
  }
};

using Ints = std::vector<int64_t>;
using S32s = std::vector<int32_t>;
constexpr ElementType kS32 = ElementType::S32;
Shape s32(Ints dims) { return Shape::arrayRowMajor(kS32, std::move(dims)); }
Literal s32(Ints dims, const S32s& values) { return movementLiteral<int32_t>(kS32, std::move(dims), values); }
AttributeSet with(Attr name, AttributeValue value) {
  AttributeSet attributes;
  attributes.set(name, std::move(value));
  return attributes;
}

TEST(OpsElementwise, IntegerEdges) {
  const Literal a = s32({4}, {7, INT32_MIN, -7, 5}), b = s32({4}, {0, -1, 2, -3});
  EXPECT_EQ(MovementCase(Opcode::Divide, s32({4}), {a, b}).values<int32_t>(), (S32s{-1, INT32_MIN, -3, -1}));
  EXPECT_EQ(MovementCase(Opcode::Remainder, s32({4}), {a, b}).values<int32_t>(), (S32s{7, 0, -1, 2}));
  const Literal amounts = s32({4}, {32, 31, 40, -1});
  EXPECT_EQ(MovementCase(Opcode::ShiftLeft, s32({4}), {a, amounts}).values<int32_t>(), (S32s{0, 0, 0, 0}));
  EXPECT_EQ(MovementCase(Opcode::ShiftRightArithmetic, s32({4}), {a, amounts}).values<int32_t>(), (S32s{0, -1, -1, 0}));
}

TEST(OpsElementwise, ShapesAndTypesMustAgree) {
  EXPECT_EQ(MovementCase(Opcode::Add, s32({2}), {s32({2}, {1, 2}), s32({1}, {1})}).label(), "add.C1");
  const Literal f = movementLiteral<float>(ElementType::F32, {2}, {1, 2});
  EXPECT_EQ(MovementCase(Opcode::Add, s32({2}), {s32({2}, {1, 2}), f}).label(), "add.C2");
  EXPECT_EQ(MovementCase(Opcode::And, s32({2}), {f, f}).label(), "and.C3");
  EXPECT_EQ(MovementCase(Opcode::Add, s32({2}), {f}).label(), "add.operands");
}

TEST(OpsDataMovement, PadWithInteriorAndNegative) {
  const std::vector<PaddingDimension> padding = {{1, -1, 1}};
  const MovementCase c(Opcode::Pad, s32({5}), {s32({3}, {1, 2, 3}), s32({}, {9})}, with(Attr::padding, padding));
  const auto inferred = c.infer();
  ASSERT_TRUE(inferred);
  EXPECT_EQ(inferred->dimensions, (Ints{5}));
  EXPECT_EQ(c.values<int32_t>(), (S32s{9, 1, 9, 2, 9}));
}

TEST(OpsDataMovement, TransposeBroadcastSlice) {
  const Literal x = s32({2, 3}, {0, 1, 2, 3, 4, 5});
  const MovementCase transpose(Opcode::Transpose, s32({3, 2}), {x}, with(Attr::dimensions, Ints{1, 0}));
  EXPECT_EQ(transpose.infer()->dimensions, (Ints{3, 2}));
  EXPECT_EQ(transpose.values<int32_t>(), (S32s{0, 3, 1, 4, 2, 5}));
  EXPECT_EQ(MovementCase(Opcode::Transpose, s32({3, 2}), {x}, with(Attr::dimensions, Ints{1, 1})).label(),
            "transpose.C1");
  const MovementCase broadcast(Opcode::Broadcast, s32({2, 2}), {s32({2}, {1, 2})}, with(Attr::dimensions, Ints{0}));
  EXPECT_EQ(broadcast.values<int32_t>(), (S32s{1, 1, 2, 2}));
  const std::vector<SliceDimension> slices = {{1, 2, 1}, {0, 3, 2}};
  const MovementCase slice(Opcode::Slice, s32({1, 2}), {x}, with(Attr::slice, slices));
  EXPECT_EQ(slice.infer()->dimensions, (Ints{1, 2}));
  EXPECT_EQ(slice.values<int32_t>(), (S32s{3, 5}));
}

TEST(OpsDataMovement, StartsAreClamped) {
  const Literal x = s32({4}, {0, 1, 2, 3});
  const MovementCase late(Opcode::DynamicSlice, s32({2}), {x, s32({}, {9})}, with(Attr::dynamic_slice_sizes, Ints{2}));
  EXPECT_EQ(late.values<int32_t>(), (S32s{2, 3}));
  const MovementCase early(Opcode::DynamicUpdateSlice, s32({4}), {x, s32({2}, {8, 9}), s32({}, {-5})});
  EXPECT_EQ(early.values<int32_t>(), (S32s{8, 9, 2, 3}));
}

TEST(OpsDataMovement, GatherRows) {
  AttributeSet attributes;
  attributes.set(Attr::offset_dims, Ints{1});
  attributes.set(Attr::collapsed_slice_dims, Ints{0});
  attributes.set(Attr::start_index_map, Ints{0});
  attributes.set(Attr::index_vector_dim, int64_t{1});
  attributes.set(Attr::slice_sizes, Ints{1, 2});
  const MovementCase c(Opcode::Gather, s32({3, 2}), {s32({3, 2}, {0, 1, 2, 3, 4, 5}), s32({3}, {2, -1, 7})},
                       attributes);
  EXPECT_EQ(c.infer()->dimensions, (Ints{3, 2}));
  EXPECT_EQ(c.values<int32_t>(), (S32s{4, 5, 0, 1, 4, 5}));
}

}  // namespace
}  // namespace tessera
