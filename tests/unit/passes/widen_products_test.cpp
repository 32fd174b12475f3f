// widen-products: which products become f32 ones between conversions, and that values stay.
#include <gtest/gtest.h>

#include "core/evaluate/evaluate.h"
#include "core/formats/hlo_text.h"
#include "core/passes/expand/widen_products.h"
#include "core/passes/pipeline.h"
#include "tests/support/values.h"

namespace tessera {
namespace {

struct Products {
  bool changed = false, same = false;
  int converts = 0;
  ElementType operand = ElementType::Pred;
};

Products after(const std::string& lhs, const std::string& rhs, const std::string& result, int64_t rows = 32,
               Result<bool> (*widen)(Module&) = widenProducts) {
  const std::string m = std::to_string(rows);
  const auto read = readHloText("HloModule m\nENTRY e { x = " + lhs + "[" + m + ",20] parameter(0)  y = " + rhs +
                                "[20,32] parameter(1)  ROOT r = " + result + "[" + m +
                                ",32] dot(x, y), lhs_contracting_dims={1}, rhs_contracting_dims={0} }\n");
  Module module = derive(*read.module);
  Products out;
  out.changed = widen(module).value();
  for (InstructionId id : module.entryComputation().instructions) {
    out.converts += module.at(id).opcode == Opcode::Convert;
    if (module.at(id).opcode == Opcode::Dot) out.operand = module.shapeOf(module.at(id).operands[0]).type;
  }
  std::vector<Literal> arguments;
  for (const Shape& shape : entryArgumentShapes(*read.module))
    arguments.push_back(fillParameter(shape, arguments.size(), FillRule{3, 1.0, 50}).value());
  const auto expected = evaluateModule(*read.module, arguments).value(),
             found = evaluateModule(module, arguments).value();
  out.same = static_cast<bool>(test::sameValues(expected, found));
  return out;
}

TEST(PassesWidenProducts, NarrowFloatsButNotBf16) {
  const Products half = after("f16", "f16", "f16"), mixed = after("f8e4m3fn", "f8e5m2", "bf16"),
                 one = after("f16", "f32", "f32");
  EXPECT_TRUE(half.changed && half.same && half.converts == 3 && half.operand == ElementType::F32);
  EXPECT_TRUE(mixed.changed && mixed.same && mixed.converts == 3);
  EXPECT_TRUE(one.changed && one.same && one.converts == 1);
  EXPECT_FALSE(after("bf16", "bf16", "bf16").changed);
  EXPECT_FALSE(after("f32", "f32", "f32").changed);
  EXPECT_FALSE(after("s8", "s8", "s32").changed);
  EXPECT_FALSE(after("f16", "f16", "f16", 31).changed);
}

TEST(PassesWidenProducts, OnDevicesWhatTensorCoresHaveStays) {
  EXPECT_FALSE(after("f16", "f16", "f32", 32, widenProductsForDevice).changed);
  EXPECT_FALSE(after("bf16", "bf16", "bf16", 32, widenProductsForDevice).changed);
  EXPECT_TRUE(after("f16", "bf16", "f32", 32, widenProductsForDevice).changed);
  EXPECT_FALSE(after("f8e4m3fn", "f8e5m2", "bf16", 32, widenProductsForDevice).changed);
  EXPECT_FALSE(after("f8e5m2", "f8e5m2", "f32", 32, widenProductsForDevice).changed);
  EXPECT_TRUE(after("f8e4m3fn", "f16", "f32", 32, widenProductsForDevice).changed);
  EXPECT_TRUE(after("f8e4m3b11fnuz", "f8e4m3b11fnuz", "f32", 32, widenProductsForDevice).changed);
}

}  // namespace
}  // namespace tessera
