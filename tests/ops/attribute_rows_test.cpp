// The attribute rows of an op are one fact with two readers: without a required attribute HLO text is refused with its
// name and the verifier calls the instruction unfinished; without any other both accept it.
#include <gtest/gtest.h>

#include <algorithm>

#include "core/formats/hlo_text.h"
#include "core/ops/inference/infer.h"
#include "core/ops/inference/unfinished.h"
#include "core/ops/op.h"
#include "tests/ops/case_file.h"

namespace tessera::cases {
namespace {

bool says(const Diagnostics& found, std::string_view label, Attr attribute) {
  const std::string expected = std::string(nameOf(attribute)) + "=…";
  return std::ranges::any_of(found.items(),
                             [&](const Diagnostic& d) { return d.label == label && d.expected == expected; });
}

// The instruction's line without the attribute.
std::string without(std::string text, const std::string& line, Attr attribute) {
  const std::string key = ", " + std::string(nameOf(attribute)) + "=";
  const size_t at = text.find(line), begin = text.find(key, at);
  size_t end = begin + key.size();
  for (int depth = 0; end < text.size() && text[end] != '\n'; ++end) {
    depth += text[end] == '{' || text[end] == '(';
    depth -= text[end] == '}' || text[end] == ')';
    if (depth == 0 && text[end] == ',') break;
  }
  return text.erase(begin, end - begin);
}

// `negate-start(x)` names no computation: what it wraps has no name in the text.
bool isSugar(const Module& module, const Instruction& instruction) {
  return std::ranges::any_of(module.callees(instruction),
                             [&](ComputationId callee) { return module.at(callee).asyncSugar; });
}

class AttributeRows : public testing::TestWithParam<std::string> {};

TEST_P(AttributeRows, ReaderAndVerifierRequireTheSame) {
  const Opcode opcode = opcodeFromName(GetParam()).value();
  for (const Section& section : readFile(GetParam()).sections) {
    if (section.wrong) continue;
    const ReadResult read = readHloText(textOf(section, variantsOf(section)[0]));
    if (!read.module) continue;
    const std::string text = printHloText(*read.module);
    for (ComputationId computation : read.module->order())
      for (InstructionId id : read.module->at(computation).instructions) {
        const Instruction& instruction = read.module->at(id);
        const std::string line = std::string(instruction.name) + " = ";
        if (instruction.opcode != opcode || read.module->at(computation).asyncSugar) continue;
        if (isSugar(*read.module, instruction)) continue;
        for (const AttributeRow& row : findOp(opcode)->attributes) {
          if (!instruction.attributes->has(row.name)) continue;
          SCOPED_TRACE(section.name + ": " + line + std::string(nameOf(row.name)));
          Module lacking = *read.module;
          AttributeSet rest = *instruction.attributes;
          rest.remove(row.name);
          lacking.setAttributes(id, std::move(rest));
          EXPECT_EQ(says(verify(lacking), kUnfinished, row.name), row.required);
          EXPECT_EQ(says(readHloText(without(text, line, row.name)).diagnostics, "attribute", row.name), row.required);
        }
      }
  }
}

INSTANTIATE_TEST_SUITE_P(Files, AttributeRows, testing::ValuesIn(fileNames()), testName);

}  // namespace
}  // namespace tessera::cases
