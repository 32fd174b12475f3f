// What is typed in short, in full: shapes by a type or by sizes, lists without braces; ways to mean a gather or
// scatter.
#include <gtest/gtest.h>

#include "core/edit/index_ways.h"
#include "core/edit/typed.h"
#include "core/evaluate/evaluate.h"
#include "core/formats/hlo_text.h"

namespace tessera {
namespace {

Module shapes() {
  return *readHloText(R"(HloModule m
ENTRY main {
  x = f32[4,6] parameter(0)
  c = s32[4,6] convert(x)
  ROOT r = f32[24] reshape(x)
})",
                      "test")
              .module;
}

std::string typed(const char* name, const std::string& text) {
  const Module module = shapes();
  const auto shape = typedShape(module, *module.findInstruction(name), text);
  return shape ? toString(*shape, false) : "error: " + shape.error().message;
}

TEST(TypedShape, ATypeAloneKeepsTheSizes) {
  EXPECT_EQ(typed("c", "bf16"), "bf16[4,6]");
  EXPECT_EQ(typed("c", " f32 "), "f32[4,6]");
  EXPECT_EQ(typed("r", "f32"), "f32[24]");
}

TEST(TypedShape, SizesAloneKeepTheType) {
  EXPECT_EQ(typed("r", "[8,3]"), "f32[8,3]");
  EXPECT_EQ(typed("r", "2, 12"), "f32[2,12]");
  EXPECT_EQ(typed("r", "6,-1"), "f32[6,4]");
  EXPECT_TRUE(typed("r", "5,-1").starts_with("error: 24 elements"));
}

TEST(TypedShape, WholeShapesAndErrors) {
  EXPECT_EQ(typed("r", "f32[3,8]"), "f32[3,8]");
  EXPECT_TRUE(typed("r", "g32").starts_with("error"));
  EXPECT_TRUE(typed("r", "").starts_with("error"));
}

TEST(InBraces, ListsAndSlices) {
  EXPECT_EQ(inBraces(Attr::offset_dims, "1"), "{1}");
  EXPECT_EQ(inBraces(Attr::offset_dims, "0,2,4"), "{0,2,4}");
  EXPECT_EQ(inBraces(Attr::offset_dims, "{0}"), "{0}");
  EXPECT_EQ(inBraces(Attr::slice_sizes, "1,3"), "{1,3}");
  EXPECT_EQ(inBraces(Attr::slice_sizes, "{1,3},{2}"), "{1,3},{2}");
  EXPECT_EQ(inBraces(Attr::offset_dims, ""), "");
  EXPECT_EQ(inBraces(Attr::slice, "0:2, 1:3"), "{[0:2], [1:3]}");
  EXPECT_EQ(inBraces(Attr::index_vector_dim, "1"), "1");
}

// Each way infers, and gives what numpy's take or indexing gives.
TEST(IndexWays, AGatherTakesRowsAndElements) {
  const Shape operand = Shape::array(ElementType::F32, {5, 4, 3});
  const auto shapeOf = [&](const Shape& indices, size_t way) {
    const auto ways = gatherWays(operand, indices);
    if (way >= ways.size()) return std::string("none");
    Module module = emptyModule();
    Edit edit{"g", {}};
    edit.actions.push_back(AddInstruction{module.entry(), Opcode::Parameter, "x", {}, {}, operand, ""});
    edit.actions.push_back(AddInstruction{module.entry(), Opcode::Parameter, "i", {}, {}, indices, ""});
    edit.actions.push_back(AddInstruction{
        module.entry(), Opcode::Gather, "g", {newInstruction(0), newInstruction(1)}, ways[way].attributes, {}, ""});
    const auto done = apply(module, edit);
    EXPECT_TRUE(done) << done.error().message;
    EXPECT_FALSE(done->diagnostics.hasErrors());
    return toString(done->module.shapeOf(done->added[2]), false);
  };
  const Shape seven = Shape::array(ElementType::S32, {7}), pairs = Shape::array(ElementType::S32, {7, 2});
  EXPECT_EQ(shapeOf(seven, 0), "f32[7,4,3]");
  EXPECT_EQ(shapeOf(seven, 1), "f32[5,7,3]");
  EXPECT_EQ(shapeOf(seven, 2), "f32[5,4,7]");
  EXPECT_EQ(shapeOf(seven, 3), "none");
  EXPECT_EQ(shapeOf(pairs, 0), "f32[7,2,4,3]");
  EXPECT_EQ(shapeOf(pairs, 3), "f32[7,3]");
  EXPECT_EQ(shapeOf(Shape::array(ElementType::S32, {}), 0), "f32[4,3]");
}

TEST(IndexWays, AScatterWritesThem) {
  const Shape operand = Shape::array(ElementType::F32, {5, 4}), indices = Shape::array(ElementType::S32, {7});
  const auto ways = scatterWays(operand, indices);
  ASSERT_EQ(ways.size(), 2u);
  EXPECT_EQ(ways[0].attributes[0].text, "{1}");
  EXPECT_EQ(ways[0].attributes[1].text, "{0}");
  EXPECT_EQ(ways[1].attributes[1].text, "{1}");
}

// A gather whose last input was just wired gets the first way.
TEST(IndexWays, AreTheDefaultOfANewGather) {
  Module module = emptyModule();
  Edit edit{"g", {}};
  edit.actions.push_back(
      AddInstruction{module.entry(), Opcode::Parameter, "x", {}, {}, Shape::array(ElementType::F32, {5, 4}), ""});
  edit.actions.push_back(
      AddInstruction{module.entry(), Opcode::Parameter, "i", {}, {}, Shape::array(ElementType::S32, {7}), ""});
  edit.actions.push_back(
      AddInstruction{module.entry(), Opcode::Gather, "g", {newInstruction(0), newInstruction(1)}, {}, {}, ""});
  const auto done = apply(module, edit);
  ASSERT_TRUE(done) << done.error().message;
  EXPECT_TRUE(done->diagnostics.empty());
  EXPECT_EQ(toString(done->module.shapeOf(done->added[2]), false), "f32[7,4]");
}

}  // namespace
}  // namespace tessera
