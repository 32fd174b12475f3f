// What the traced program calls a parameter: from op_name, and from the name that jax makes of the path.
#include <gtest/gtest.h>

#include "core/formats/hlo_text.h"
#include "core/hlo/argument_path.h"
#include "core/tools/find_instruction.h"

namespace tessera::test {
namespace {

Module withParameter(const std::string& name, const std::string& opName) {
  const std::string metadata = opName.empty() ? "" : ", metadata={op_name=\"" + opName + "\"}";
  ReadResult read =
      readHloText("HloModule m\n\nENTRY e {\n  %" + name + " = f32[2] parameter(0)" + metadata +
                      "\n  n = f32[2] negate(%" + name + ")\n  ROOT t = (f32[2], f32[2]) tuple(n, %" + name + ")\n}\n",
                  "m.hlo");
  EXPECT_TRUE(read.module) << name;
  return read.module ? *std::move(read.module) : Module();
}
std::string pathOf(const std::string& name, const std::string& opName = "") {
  const Module module = withParameter(name, opName);
  return argumentPath(module.at(module.entryComputation().parameters.at(0)));
}

TEST(ArgumentPath, IsTheOpName) {
  EXPECT_EQ(pathOf("s_0__mu__wte__.1", "s[0].mu[\\'wte\\']"), "s[0].mu['wte']");
  EXPECT_EQ(pathOf("x.1", "x"), "x");
}
TEST(ArgumentPath, IsTheNameWhereAllHaveOneOpName) {
  EXPECT_EQ(pathOf("p0.1", "xla__device_data"), "p0.1");
  EXPECT_EQ(pathOf("arg2.3", "XLA_Args"), "arg2.3");
}
TEST(ArgumentPath, AKeyMayHoldSlashes) {
  EXPECT_EQ(pathOf("p__dec0_self_key____b__.1", "p['dec0/self/key']['b']"), "p['dec0/self/key']['b']");
}
TEST(ArgumentPath, AScopeIsNone) { EXPECT_EQ(pathOf("Arg_0.3", "jit(f)/jit(g)/add"), "Arg_0.3"); }

TEST(ArgumentPath, IsReadFromTheNameThatJaxMakesOfIt) {
  const std::pair<const char*, const char*> kCases[] = {
      {"p__wte__.1", "p['wte']"},
      {"p__h___0___fc___0_.1", "p['h'][0]['fc'][0]"},
      {"s_0__mu__wte__.1", "s[0].mu['wte']"},
      {"s_0__mu__layer_norm____scale__", "s[0].mu['layer_norm']['scale']"},
      {"pa_m_0__a_layers_0__weight.1", "pa_m[0].a.layers[0].weight"},
      {"b_0_.1", "b[0]"},
      {"key____b__.7", "…['key']['b']"},
  };
  for (const auto& [name, path] : kCases) EXPECT_EQ(pathOf(name), path) << name;
}
TEST(ArgumentPath, OtherNamesStayAsTheyAre) {
  for (const char* name : {"Arg_0.3", "param_1.2", "x", "my_array.1", "_0", "a__", "a__b", "__a__"})
    EXPECT_EQ(pathOf(name), name);
}

TEST(ArgumentPath, FindsTheInstruction) {
  const Module module = withParameter("s_0__mu__wte__.1", "");
  const Computation& entry = module.entryComputation();
  EXPECT_EQ(instructionNamed(module, "s[0].mu['wte']").value(), entry.parameters[0]);
  EXPECT_EQ(instructionNamed(module, "s").value(), entry.parameters[0]);  // the argument's only array
  EXPECT_FALSE(instructionNamed(module, "mu"));
  EXPECT_EQ(instructionNamed(module, "output 0").value(), *module.findInstruction("n"));
  EXPECT_EQ(instructionNamed(module, "output 1").value(), entry.parameters[0]);
  EXPECT_EQ(instructionNamed(module, "output").value(), entry.root);
  EXPECT_FALSE(instructionNamed(module, "output 2"));
  EXPECT_FALSE(instructionNamed(module, "output x"));
}

}  // namespace
}  // namespace tessera::test
