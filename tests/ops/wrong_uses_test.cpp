// Every wrong use of every case file gets the error with its label and a place in the text; every constraint of every
// op has a wrong use, so that no check stands untested; and every label is a constraint of its op, so that none is
// unexplained in help.
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

// "pad.C2" is a constraint of pad. Labels of what is checked of every op alike are no rows.
bool isRow(const std::string& label) {
  static const std::set<std::string> ofAnyText = {"shape", "arity", "attribute", "parameter"};
  static const std::set<std::string_view> ofAnyOp = {"operands", "arrays", "attributes", "shape"};
  const size_t point = label.find('.');
  if (point == std::string::npos) return ofAnyText.contains(label);
  const auto opcode = opcodeFromName(label.substr(0, point));
  const std::string_view rest = std::string_view(label).substr(point + 1);
  return opcode &&
         (ofAnyOp.contains(rest) ||
          std::ranges::any_of(findOp(*opcode)->constraints, [&](const Constraint& c) { return c.label == rest; }));
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

TEST_P(WrongUses, NameConstraintsOfTheirOp) {
  for (const Section& section : readFile(GetParam()).sections) {
    if (!section.wrong) continue;
    EXPECT_TRUE(isRow(section.name)) << GetParam() << ".hlo:" << section.line << ": wrong " << section.name
                                     << " is no row of the op's .constraints";
  }
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

INSTANTIATE_TEST_SUITE_P(Files, WrongUses, testing::ValuesIn(fileNames()), testName);

}  // namespace
}  // namespace tessera::cases
