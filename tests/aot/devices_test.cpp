// Programs compiled ahead of time with sizes of the run, and for several devices, manual regions among them.
#include <utility>

#include "core/evaluate/device_values.h"
#include "core/evaluate/evaluate.h"
#include "tests/aot/library.h"

namespace tessera::aot {
namespace {

TEST(AheadOfTimeCalls, ArraysOfDynamicSizeHaveTheirSizesBehind) {
  const Module module = programOf(
      "x = f32[<=6,3] parameter(0)  y = f32[4] parameter(1)  z = f32[] "
      "constant(0)  s = f32[3] reduce(x, z), dimensions={0}, to_apply=sum  "
      "n = f32[<=6,3] negate(x)  ROOT t = (f32[<=6,3], f32[3], f32[4]) tuple(n, s, y)");
  const CompiledObject object = objectOf(module).value();
  EXPECT_NE(
      object.header.find("   2  size: s32[], int32_t, 4 bytes, aligned to 4; the size of dimension 0 of argument 0"),
      std::string::npos)
      << object.header;
  EXPECT_NE(
      object.header.find("   3  size: s32[], int32_t, 4 bytes, aligned to 4; the size of dimension 0 of result 0"),
      std::string::npos)
      << object.header;
  const Library library(object, "program");
  ASSERT_TRUE(library.run);
  for (int64_t rows : {0, 2, 6}) {
    const std::vector<Literal> arguments = {
        fillParameter(Shape::arrayRowMajor(ElementType::F32, {rows, 3}), 0, {}).value(),
        fillParameter(Shape::arrayRowMajor(ElementType::F32, {4}), 1, {}).value()};
    expectSame(expectedOf(module, arguments), callInBounds(module, library, arguments));
  }
}

TEST(AheadOfTimeCalls, SeveralDevicesRunAtOnce) {
  const Module module = programOf(
      "x = f32[50] parameter(0)  i = u32[] replica-id()  f = f32[] convert(i)  b = f32[50] broadcast(f), "
      "dimensions={}  y = f32[50] add(x, b)  "
      "s = f32[50] all-reduce(y), to_apply=sum  g = f32[150] all-gather(y), dimensions={0}  ROOT t = (f32[150], "
      "f32[50]) tuple(g, s)",
      ", replica_count=3, input_output_alias={ {1}: (0, {}, may-alias) }");
  const CompiledObject object = objectOf(module).value();
  EXPECT_NE(object.header.find("3 devices (3 replicas)"), std::string::npos) << object.header;
  EXPECT_NE(object.header.find("#define PROGRAM_RESULTS 6"), std::string::npos) << object.header;
  EXPECT_NE(object.header.find(
                "result.1 on device 2: f32[50], float, 200 bytes, aligned to 4; may be stored over argument 2"),
            std::string::npos)
      << object.header;
  const Library library(object, "program");
  ASSERT_TRUE(library.run);
  const DeviceArrays arguments = argumentsByDevice(module, {3, 1}, {}, {}).value(),
                     expected = onDevices(module, {3, 1}, arguments).value();
  for (int i = 0; i < 3; ++i) expectSame(flat(expected), call(library, flat(arguments), flat(expected)));
  // A result of one device may overlap its argument, not another device's.
  std::vector<Literal> own;
  for (const Literal& argument : flat(arguments))
    own.push_back(Literal::fromBytes(argument.shape(), argument.bytes()).value());
  std::vector<Literal> gathered(3, Literal::allocate(expected[0][0].shape()).value());
  for (Literal& each : gathered) each = Literal::allocate(expected[0][0].shape()).value();
  const void* in[3];
  void* out[6];
  for (size_t d = 0; d < 3; ++d) {
    in[d] = out[2 * d + 1] = own[d].mutableBytes().data();
    out[2 * d] = gathered[d].mutableBytes().data();
  }
  const Memory workspace = memoryOf(library.workspaceBytes());
  char error[200] = "";
  ASSERT_EQ(library.run(in, out, workspace.get(), error, sizeof error), 0) << error;
  for (size_t d = 0; d < 3; ++d)
    EXPECT_TRUE(own[d].identical(expected[d][1]) && gathered[d].identical(expected[d][0])) << d;
  std::swap(out[1], out[3]);
  EXPECT_EQ(library.run(in, out, workspace.get(), error, sizeof error), 1);
  EXPECT_STREQ(error, "result 1 overlaps argument 1");
}

// What is kept of a border of a manual region has the module's mesh beside it.
TEST(AheadOfTimeCalls, ManualRegionsKeepTheirMesh) {
  const Module module =
      moduleOf(R"(HloModule m, frontend_attributes={xla.sdy.meshes={mesh = )"
               R"(#sdy.mesh<["x"=2]>}}
ENTRY main {
  a = f32[4,3] parameter(0)
  l = f32[2,3] custom-call(a), custom_call_target="xla.sdy.GlobalToLocalShape", )"
               R"(custom_call_has_side_effect=true, )"
               R"(frontend_attributes={xla.sdy.in_shardings="#sdy.sharding_per_value<[<@mesh, [{\"x\"}, )"
               R"({}]>]>",xla.sdy.manual_axes="#sdy<manual_axes{\"x\"}>"}
  n = f32[2,3] negate(l)
  ROOT g = f32[4,3] custom-call(n), custom_call_target="xla.sdy.LocalToGlobalShape", )"
               R"(custom_call_has_side_effect=true, )"
               R"(frontend_attributes={xla.sdy.manual_axes="#sdy<manual_axes{\"x\"}>",xla.sdy.out_shardings="#sdy.)"
               R"(sharding_per_value<[<@mesh, [{\"x\"}, {}]>]>"}
}
)");
  const DeviceGrid grid = gridOf(module, 0, 0).value();
  ASSERT_EQ(grid.count(), 2);
  auto object = objectOf(module);
  ASSERT_TRUE(object) << object.error().toString();
  const Library library(*object, "program");
  ASSERT_TRUE(library.run);
  const DeviceArrays arguments = argumentsByDevice(module, grid, {}, {}).value(),
                     expected = onDevices(module, grid, arguments).value();
  expectSame(flat(expected), call(library, flat(arguments), flat(expected)));
}

// A device that fails stops the others, and its message is the caller's.
TEST(AheadOfTimeCalls, OneDeviceThatFailsEndsTheRun) {
  const Module module = moduleOf(
      "HloModule m, replica_count=2\nENTRY main { x = f32[4] parameter(0)  t = token[] after-all()  i = u32[] "
      "replica-id()  "
      "r = (f32[4], u32[], token[]) recv(t), channel_id=1  d = (f32[4], token[]) recv-done(r), channel_id=1  ROOT y = "
      "f32[4] get-tuple-element(d), index=0 }\n");
  auto object = objectOf(module);
  ASSERT_TRUE(object) << object.error().toString();
  const Library library(*object, "program");
  ASSERT_TRUE(library.run);
  const Literal x = fillParameter(Shape::arrayRowMajor(ElementType::F32, {4}), 0, {}).value();
  const Called called = call(library, {x, x}, {x, x});
  EXPECT_EQ(called.answer, 4);
  EXPECT_NE(called.error, "");
}

}  // namespace
}  // namespace tessera::aot
