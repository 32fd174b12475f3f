// Every wrong use of every case file gets the error with its label and a place in the text; and every constraint of
// every op has a wrong use, so that no check stands untested. Ops have help and the case files belong to ops.
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "core/formats/hlo_text.h"
#include "core/ops/inference/infer.h"
#include "core/ops/op.h"
#include "tests/ops/case_file.h"

namespace tessera::cases {
namespace {

std::string listed(const Diagnostics& diagnostics) {
  std::string out;
  for (const Diagnostic& d : diagnostics.items()) out += "  " + d.toString() + "\n";
  return out.empty() ? "  nothing\n" : out;
}

Diagnostics diagnosticsOf(const std::string& text) {
  auto read = readHloText(text);
  Diagnostics out = std::move(read.diagnostics);
  if (read.module) out.addAll(std::move(verify(*read.module).items()));
  return out;
}

void expectLabel(const std::string& text, const std::string& label) {
  const Diagnostics found = diagnosticsOf(text);
  const auto hit = std::ranges::find(found.items(), label, &Diagnostic::label);
  ASSERT_NE(hit, found.items().end()) << "no error with label " << label << " but\n" << listed(found) << text;
  EXPECT_GT(hit->position.line, 0u) << hit->toString();
  EXPECT_FALSE(hit->message.empty());
}

class WrongUses : public testing::TestWithParam<std::string> {};

TEST_P(WrongUses, GetTheirLabel) {
  const File file = readFile(GetParam());
  for (const Section& section : file.sections) {
    if (!section.wrong) continue;
    for (const Variant& variant : variantsOf(section)) {
      SCOPED_TRACE(file.name + ".hlo:" + std::to_string(section.line) + " wrong " + section.name + " " +
                   keyOf(variant));
      expectLabel(textOf(section, variant), section.name);
    }
  }
}

std::set<std::string> labelsOf(const File& file) {
  std::set<std::string> out;
  for (const Section& section : file.sections)
    if (section.wrong) out.insert(section.name);
  return out;
}

TEST_P(WrongUses, CoverEveryConstraint) {
  const auto opcode = opcodeFromName(GetParam());
  ASSERT_TRUE(opcode && findOp(*opcode)) << GetParam() << ".hlo is of no operation";
  const std::set<std::string> labels = labelsOf(readFile(GetParam()));
  for (const Constraint& constraint : findOp(*opcode)->constraints) {
    const std::string label = GetParam() + "." + std::string(constraint.label);
    EXPECT_TRUE(labels.contains(label)) << label << " has no wrong use: " << constraint.text;
  }
}

TEST(OpHelp, EveryOperationHasHelpAndACaseFile) {
  const std::vector<std::string> names = fileNames();
  for (const OpDef* op : allOps()) {
    const std::string name(nameOf(op->opcode));
    EXPECT_TRUE(std::ranges::binary_search(names, name)) << name << " has no case file";
    EXPECT_FALSE(op->summary.empty()) << name;
    EXPECT_GT(op->doc.size(), 20u) << name;
    EXPECT_FALSE(nameOf(op->category.category).empty()) << name;
    for (const OperandDoc& operand : op->operands) EXPECT_FALSE(operand.name.empty() || operand.doc.empty()) << name;
    for (const AttributeRow& row : op->attributes) EXPECT_FALSE(row.doc.empty()) << name << " " << nameOf(row.name);
  }
}

std::string testName(const testing::TestParamInfo<std::string>& info) {
  std::string name = info.param;
  std::ranges::replace(name, '-', '_');
  return name;
}

INSTANTIATE_TEST_SUITE_P(Files, WrongUses, testing::ValuesIn(fileNames()), testName);

}  // namespace
}  // namespace tessera::cases
