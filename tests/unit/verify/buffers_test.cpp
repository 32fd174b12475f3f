// The verifier of fusion bodies, of buffers that results share with operands or parameters, and of a schedule's order.
#include <algorithm>
#include <utility>

#include "tests/unit/verify/modules.h"

namespace tessera::test {
namespace {

TEST(VerifyBuffers, FusionBodies) {
  refusedEach("fusion", {
                            // fusion dead
                            R"(HloModule m
fu { p = f32[4] parameter(0)
 dead = f32[4] exponential(p)
 ROOT n = f32[4] negate(p) }
ENTRY e { x = f32[4] parameter(0)
 ROOT d = f32[4] fusion(x), kind=kLoop, calls=fu })",
                            // fusion unused parameter
                            R"(HloModule m
fu { p = f32[4] parameter(0)
 q = f32[4] parameter(1)
 ROOT n = f32[4] negate(p) }
ENTRY e { x = f32[4] parameter(0)
 ROOT d = f32[4] fusion(x, x), kind=kLoop, calls=fu })",
                        });
}

TEST(VerifyBuffers, SharedBuffers) {
  refusedEach("output_to_operand_aliasing", {
                                                // customcall alias shape
                                                R"(HloModule m
ENTRY e { x = f32[4,3]{1,0} parameter(0)
 ROOT d = f32[4,2]{1,0} custom-call(x), custom_call_target="f", output_to_operand_aliasing={{}: (0, {})} })",
                                                // customcall alias index
                                                R"(HloModule m
ENTRY e { x = f32[4,3]{1,0} parameter(0)
 ROOT d = f32[4,3]{1,0} custom-call(x), custom_call_target="f", output_to_operand_aliasing={{}: (1, {})} })",
                                                // fusion alias index
                                                R"(HloModule m
fu { p = f32[4] parameter(0)
 
 ROOT n = f32[4] negate(p) }
ENTRY e { x = f32[4] parameter(0)
 ROOT d = f32[4] fusion(x), kind=kLoop, calls=fu, output_to_operand_aliasing={{1}: (0, {})} })",
                                            });
}

// Text that ends too soon, as an edit or another format may give it.
TEST(VerifyBuffers, SharedBuffersThatCannotBeRead) {
  ReadResult read = readHloText(R"(HloModule m
ENTRY e { x = f32[4] parameter(0)
 ROOT d = (f32[4], f32[4]) custom-call(x), custom_call_target="f" })");
  Module& module = read.module.value();
  inferModule(module);
  const InstructionId call = module.entryComputation().root;
  const auto isRefused = [&](std::string_view text) {
    AttributeSet attributes = *module.at(call).attributes;
    attributes.set(Attr::output_to_operand_aliasing, RawText{std::string(text)});
    module.setAttributes(call, std::move(attributes));
    const Diagnostics found = verify(module);
    return std::ranges::find(found.items(), "output_to_operand_aliasing", &Diagnostic::label) != found.items().end();
  };
  EXPECT_FALSE(isRefused("{{0}: (0, {})}"));
  for (const char* text : {"{{0", "{{0,", "{{0, ", "{{0}", "{{0}:", "{{0}: (", "{{0}: (0", "{{0}: (0,", "{{0}: (0, {",
                           "{{0}: (0, {}", "{{0}: (0, {0", "{{x}: (0, {})}", "{{0}: (x, {})}"})
    EXPECT_TRUE(isRefused(text)) << text;
}

TEST(VerifyBuffers, AliasesAreArrays) {
  refusedEach("alias", {
                           // alias tuple
                           R"(HloModule m, input_output_alias={ {}: (0, {}, may-alias) }
ENTRY e { x = (f32[4], f32[4]) parameter(0)
 ROOT d = (f32[4], f32[4]) copy(x) })",
                           // alias size
                           R"(HloModule m, input_output_alias={ {}: (0, {}, may-alias) }
ENTRY e { x = f32[4] parameter(0)
 ROOT d = f64[4] convert(x) })",
                       });
}

// A protobuf or an edit may hold an order that the text reader would refuse.
TEST(VerifyBuffers, ControlPredecessorsInASchedule) {
  ReadResult read = readHloText(R"(HloModule m, is_scheduled=true
ENTRY e { x = f32[4] parameter(0)
 a = f32[4] negate(x)
 b = f32[4] exponential(x), control-predecessors={a}
 ROOT d = f32[4] add(a, b) })");
  ASSERT_TRUE(read.module);
  Module& module = *read.module;
  EXPECT_TRUE(verify(module).empty());
  auto& order = module.edit(module.entry()).instructions;
  std::swap(order[1], order[2]);
  const Diagnostics found = verify(module);
  EXPECT_TRUE(std::ranges::any_of(found.items(), [](const Diagnostic& d) { return d.label == "schedule"; }));
}

}  // namespace
}  // namespace tessera::test
