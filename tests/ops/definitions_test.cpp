// What an OpDef may leave out without a word from compiler and linker: a field that is left out is named here, unless
// a row of kLeftOut gives a reason; and a row whose op has the field by now is named as well. Beside these: data that
// contradict each other within a definition.
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "core/ops/inference/infer.h"
#include "core/ops/op.h"
#include "tests/ops/case_file.h"

namespace tessera::cases {
namespace {

// Traits of which every op has at least one, or a reason for none.
constexpr unsigned kWhatItDoes = kElementwise | kReinterprets | kMovesData | kPassesOn | kSideEffect;

struct Field {
  std::string_view name;
  bool (*leftOut)(const OpDef&);  // its absence would change what is said or done of the op
};

constexpr Field kFields[] = {
    {"operands", [](const OpDef& op) { return arityOf(op.opcode) != 0 && op.operands.empty(); }},
    {"constraints", [](const OpDef& op) { return arityOf(op.opcode) != 0 && op.constraints.empty(); }},
    {"inferShape", [](const OpDef& op) { return !op.inferShape; }},
    {"inferLayout", [](const OpDef& op) { return arityOf(op.opcode) != 0 && !op.inferLayout; }},
    {"dimensions", [](const OpDef& op) { return !op.category.has(kElementwise) && !op.dimensions; }},
    {"cost", [](const OpDef& op) { return !op.category.has(kMovesData | kPassesOn | kSideEffect) && !op.cost; }},
    {"evaluate", [](const OpDef& op) { return !op.evaluate; }},
    {"element", [](const OpDef& op) { return op.kind == ExecutionKind::Element && !op.element; }},
    {"loops", [](const OpDef& op) { return op.kind == ExecutionKind::Loops && !op.loops; }},
    {"traits", [](const OpDef& op) { return op.kind != ExecutionKind::Library && !op.category.has(kWhatItDoes); }},
};

struct LeftOut {
  std::string_view field, ops, reason;  // ops: blank separated
};

constexpr LeftOut kLeftOut[] = {
    {"constraints", "after-all copy copy-start domain opt-barrier tuple", "any value is taken"},
    {"constraints", "all-reduce-done", "any value is taken; that it is a start's is the verifier's rule of pairs"},
    {"inferLayout", "bitcast bitcast-convert broadcast dynamic-reshape gather reshape topk",
     "the result's dimensions are not the operand's; its layout is the default one"},
    {"inferLayout", "convolution dot fft ragged-dot rng rng-bit-generator scaled-dot scan",
     "the result has the default layout, as a library gives it"},
    {"inferLayout", "after-all custom-call get-dimension-size infeed outfeed recv send-done",
     "a token, a scalar, or a shape that the text gives"},
    {"inferLayout", "all-gather all-gather-start collective-permute-start reduce-scatter",
     "the result has the default layout, as it comes from other devices"},
    {"dimensions", "all-gather-done collective-permute-done copy-done", "the result is part of a start's tuple"},
    {"dimensions", "all-gather-start collective-permute-start copy-start", "a tuple with operands and context"},
    {"dimensions", "async-start async-update async-done", "a tuple of operands, result and context"},
    {"dimensions", "infeed outfeed recv recv-done send send-done",
     "a token, a context, or a shape that the text gives"},
    {"dimensions", "custom-call dynamic-reshape ragged-all-to-all rng-get-and-update-state",
     "the text gives the result's shape"},
    {"dimensions", "partition-id replica-id", "a scalar"},
    {"cost", "batch-norm-grad batch-norm-inference batch-norm-training cholesky triangular-solve",
     "XLA's cost analysis counts their bytes alone"},
    {"cost", "ragged-dot scaled-dot scan", "XLA's cost analysis has no rule for them"},
    {"cost", "dynamic-reshape get-dimension-size partition-id replica-id set-dimension-size", "no arithmetic"},
    {"evaluate", "parameter", "its value is an argument"},
    {"traits", "ragged-dot reduce reduce-window scaled-dot select-and-scatter",
     "an element of the result is computed from many elements"},
    {"traits", "call conditional fusion while", "they do what their computations do"},
    {"traits", "custom-call", "an attribute says whether it has a side effect"},
    {"traits", "after-all constant parameter partition-id replica-id", "a value of its own"},
    {"traits", "get-dimension-size set-dimension-size", "they read or change sizes of the run"},
};

bool lists(const LeftOut& row, std::string_view field, const std::string& op) {
  const std::vector<std::string> ops = wordsOf(std::string(row.ops));
  return row.field == field && std::ranges::find(ops, op) != ops.end();
}

class Definitions : public testing::TestWithParam<std::string> {
 protected:
  const OpDef& op() const { return *findOp(*opcodeFromName(GetParam())); }
};

TEST_P(Definitions, LeaveNoFieldOutWithoutAReason) {
  for (const Field& field : kFields) {
    const auto listed =
        std::ranges::find_if(kLeftOut, [&](const LeftOut& row) { return lists(row, field.name, GetParam()); });
    if (field.leftOut(op()))
      EXPECT_NE(listed, std::end(kLeftOut))
          << GetParam() << " has no ." << field.name << ": fill it in, or list the op in kLeftOut with the reason";
    else
      EXPECT_EQ(listed, std::end(kLeftOut)) << GetParam() << " is listed without ." << field.name << ", but has it";
  }
}

TEST_P(Definitions, DescribeTheirOperands) {
  if (const int arity = arityOf(op().opcode); arity >= 0) {
    EXPECT_EQ(op().operands.size(), static_cast<size_t>(arity)) << GetParam() << ": a row of .operands each";
  }
  std::set<std::string_view> names;
  for (const OperandDoc& operand : op().operands) {
    EXPECT_FALSE(operand.name.empty() || operand.doc.empty()) << GetParam();
    EXPECT_TRUE(names.insert(operand.name).second) << GetParam() << " has two operands " << operand.name;
  }
}

TEST_P(Definitions, HaveWholeAttributeRows) {
  std::set<Attr> names;
  for (const AttributeRow& row : op().attributes) {
    SCOPED_TRACE(GetParam() + ", attribute " + std::string(nameOf(row.name)));
    const AttributeKind kind = kindOf(row.name);
    EXPECT_FALSE(row.doc.empty());
    EXPECT_EQ(!row.choices.empty(), kind == AttributeKind::Enum || kind == AttributeKind::Enums)
        << "choices are the words of an Enum";
    EXPECT_TRUE(!row.required || row.defaultText.empty()) << "what is required has no default";
    EXPECT_TRUE(names.insert(row.name).second) << "stands twice";
  }
}

TEST_P(Definitions, HaveEachConstraintOnce) {
  std::set<std::string_view> labels;
  for (const Constraint& constraint : op().constraints) {
    EXPECT_FALSE(constraint.text.empty()) << GetParam() << "." << constraint.label;
    EXPECT_TRUE(labels.insert(constraint.label).second) << GetParam() << "." << constraint.label << " stands twice";
  }
}

TEST_P(Definitions, HaveTheTraitsOfTheirCategory) {
  const std::set<std::string> others = {"bitcast-convert",  // elementwise where the widths are equal: kReinterprets
                                        "custom-call", "partition-id", "replica-id"};
  if (others.contains(GetParam())) return;
  const OpClass& category = op().category;
  const auto holds = [&](OpCategory of, OpTraits trait) { return category.category != of || category.has(trait); };
  EXPECT_TRUE(holds(OpCategory::Elementwise, kElementwise)) << GetParam();
  EXPECT_TRUE(holds(OpCategory::DataMovement, kMovesData)) << GetParam();
  EXPECT_TRUE(holds(OpCategory::Communication, kSideEffect)) << GetParam();
}

// Where the text states the shape, inference without that text fails; elsewhere it gives a shape.
TEST_P(Definitions, StateShapesThatInferenceCannotGive) {
  const std::set<std::string> others = {"constant",  // its literal has a shape
                                        "scan"};     // only without inputs
  if (others.contains(GetParam())) return;
  forEachModule(readFile(GetParam()), [&](const Module& module) {
    for (ComputationId computation : module.order())
      for (InstructionId id : module.at(computation).instructions) {
        if (module.at(id).opcode != op().opcode) continue;
        InferContext context = inferContextOf(module, module.at(id));
        context.written = nullptr;
        EXPECT_EQ(op().inferShape(context).has_value(), !op().category.has(kWrittenShape)) << module.at(id).name;
      }
  });
}

TEST_P(Definitions, HaveHelpAndACaseFile) {
  EXPECT_TRUE(std::ranges::binary_search(fileNames(), GetParam())) << GetParam() << " has no case file";
  EXPECT_FALSE(op().summary.empty()) << GetParam();
  EXPECT_GT(op().doc.size(), 20u) << GetParam();
  EXPECT_FALSE(nameOf(op().category.category).empty()) << GetParam();
}

TEST(DefinitionRows, NameFieldsAndOps) {
  for (const LeftOut& row : kLeftOut) {
    EXPECT_TRUE(std::ranges::any_of(kFields, [&](const Field& field) { return field.name == row.field; })) << row.field;
    for (const std::string& op : wordsOf(std::string(row.ops))) EXPECT_TRUE(opcodeFromName(op)) << op;
  }
}

std::vector<std::string> opNames() {
  std::vector<std::string> out;
  for (const OpDef* op : allOps()) out.emplace_back(nameOf(op->opcode));
  return out;
}

INSTANTIATE_TEST_SUITE_P(Ops, Definitions, testing::ValuesIn(opNames()), testName);

}  // namespace
}  // namespace tessera::cases
