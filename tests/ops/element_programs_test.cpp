// The element programs that operations describe, without code generation: the entry of every case becomes one fusion,
// core/compose makes a program of it, and interpreting that gives what the evaluator gives. Descriptions and
// evaluations share nothing, so each checks the other; what cannot be described element by element is refused as
// unsupported.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "core/compose/compose.h"
#include "core/element/interpret.h"
#include "core/evaluate/evaluate.h"
#include "core/formats/hlo_text.h"
#include "core/ops/inference/infer.h"
#include "core/ops/op.h"
#include "tests/ops/case_file.h"
#include "tests/support/values.h"

namespace tessera::cases {
namespace {

// An entry that is one fusion of the old entry.
InstructionId fuseEntry(Module& module) {
  const ComputationId body = module.entry();
  const std::vector<InstructionId> old = module.at(body).parameters;
  const ComputationId entry = module.addComputation("fused_entry");
  std::vector<InstructionId> operands;
  for (InstructionId id : old) {
    Instruction parameter;
    parameter.opcode = Opcode::Parameter;
    parameter.parameterNumber = static_cast<int32_t>(operands.size());
    const std::string name = "fused_entry.p" + std::to_string(operands.size());
    parameter.name = name;
    operands.push_back(module.add(entry, parameter, module.shapeOf(id)));
  }
  AttributeSet attributes;
  attributes.set(Attr::kind, std::string("kLoop"));
  attributes.set(Attr::calls, body);
  const InstructionId fusion =
      module.add(entry, Opcode::Fusion, module.shapeOf(module.at(body).root), operands, std::move(attributes));
  module.setRoot(entry, fusion);
  module.setEntry(entry);
  return fusion;
}

Result<std::vector<Literal>> interpreted(const Module& module, InstructionId fusion,
                                         const std::vector<Literal>& arguments) {
  const OpDef* root = findOp(module.at(module.at(module.callees(module.at(fusion))[0]).root).opcode);
  if (root && root->loops && !root->element) {
    TESSERA_ASSIGN_OR_RETURN(const LoopProgram program, composeLoops(module, fusion));
    return interpret(program, arguments);
  }
  TESSERA_ASSIGN_OR_RETURN(const ElementProgram program, composeElement(module, fusion));
  return interpret(program, arguments);
}

std::vector<Literal> argumentsOf(const Section& section, const Variant& variant, const std::vector<Shape>& shapes) {
  const std::vector<std::string> texts = directivesOf(section, variant, "in");
  EXPECT_EQ(texts.size(), shapes.size());
  std::vector<Literal> out;
  for (size_t i = 0; i < std::min(texts.size(), shapes.size()); ++i)
    out.push_back(argumentOf(texts[i], shapes[i], i).value());
  return out;
}

bool hasDynamicSizes(const Module& module) {
  for (ComputationId c : module.order())
    for (InstructionId id : module.at(c).instructions)
      for (const ShapeLeaf& leaf : leavesOf(module.shapeOf(id)))
        if (leaf.shape->hasDynamicDimensions()) return true;
  return false;
}

class ElementPrograms : public testing::TestWithParam<std::string> {};

void checkCase(const Section& section, const Variant& variant, std::map<std::string, int>& described) {
  auto read = readHloText(textOf(section, variant));
  ASSERT_TRUE(read.module);
  Module& module = *read.module;
  inferModule(module);
  if (hasDynamicSizes(module)) return;  // sizes of the run are not in a program
  const std::vector<Literal> arguments = argumentsOf(section, variant, entryArgumentShapes(module));
  const auto expected = evaluateModule(module, arguments);
  if (!expected) return;
  const InstructionId fusion = fuseEntry(module);
  const auto found = interpreted(module, fusion, arguments);
  if (!found) {
    EXPECT_EQ(found.error().kind, ErrorKind::Unsupported) << found.error().toString();
    return;
  }
  EXPECT_TRUE(test::sameValues(*expected, *found));
  for (InstructionId id : module.at(module.callees(module.at(fusion))[0]).instructions)
    ++described[std::string(module.at(id).opcodeName())];
}

void checkFile(const std::string& name, std::map<std::string, int>& described) {
  forEachCase(readFile(name), [&](const Section& section, const Variant& variant) {
    if (!has(section, variant, "replicas") && !has(section, variant, "partitions") && !has(section, variant, "fails"))
      checkCase(section, variant, described);
  });
}

TEST_P(ElementPrograms, GiveWhatTheEvaluatorGives) {
  std::map<std::string, int> described;
  checkFile(GetParam(), described);
  const OpDef* op = findOp(*opcodeFromName(GetParam()));
  if (op && (op->element || op->loops) && op->opcode != Opcode::SetDimensionSize) {
    EXPECT_GT(described[GetParam()], 0) << "no case of it becomes a program";
  }
}

INSTANTIATE_TEST_SUITE_P(Files, ElementPrograms, testing::ValuesIn(fileNames()), testName);

}  // namespace
}  // namespace tessera::cases
