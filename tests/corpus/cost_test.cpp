// Costs against XLA's own cost analysis of its optimised modules (xla_costs.tsv). XLA adds in single precision, so
// large sums differ in the fifth digit; and it counts -1 for an unknown custom call, where we count nothing.
#include <gtest/gtest.h>

#include "core/cost/cost.h"
#include "core/formats/hlo_text.h"
#include "core/ops/inference/infer.h"
#include "tests/corpus/corpus.h"

namespace tessera {
namespace {

struct Row {
  std::string program, flops, transcendentals, bytes;
};

std::vector<Row> rows() {
  std::istringstream lines(slurp(TESSERA_CORPUS_VALUES "/../xla_costs.tsv"));
  std::vector<Row> out;
  for (std::string line; std::getline(lines, line);) {
    std::istringstream fields(line);
    Row row;
    if (!line.starts_with("#") && fields >> row.program >> row.flops >> row.transcendentals >> row.bytes)
      out.push_back(row);
  }
  return out;
}

void expectNear(const std::string& expected, double found, double customCalls, const char* what) {
  if (expected == "-") return;
  const double value = std::stod(expected);
  EXPECT_NEAR(found, value, 1e-4 * std::abs(value) + customCalls) << what;
}

class CorpusCost : public testing::TestWithParam<Row> {};

TEST_P(CorpusCost, CountsAsXlaDoes) {
  ReadResult read = readHloText(slurp(corpusTexts() / GetParam().program / "after.hlo"));
  ASSERT_TRUE(read.module);
  inferModule(*read.module);
  double customCalls = 0;
  for (ComputationId computation : read.module->order())
    for (InstructionId id : read.module->at(computation).instructions)
      customCalls += read.module->at(id).opcode == Opcode::CustomCall;
  const Cost cost = costOf(*read.module);
  expectNear(GetParam().flops, cost.flops, customCalls, "flops");
  expectNear(GetParam().transcendentals, cost.transcendentals, 0, "transcendentals");
  expectNear(GetParam().bytes, cost.bytesAccessed, customCalls, "bytes accessed");
}

INSTANTIATE_TEST_SUITE_P(All, CorpusCost, testing::ValuesIn(rows()),
                         [](const auto& info) { return info.param.program; });

}  // namespace
}  // namespace tessera
