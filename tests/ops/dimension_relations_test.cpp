// Dimension relations of every case file: they hold, and inference agrees where a dimension is made larger along them.
// That an operation tells relations at all is a row here.
#include <gtest/gtest.h>

#include "tests/ops/case_file.h"
#include "tests/ops/dimension_checks.h"

namespace tessera::cases {
namespace {

TEST(DimensionRelations, OfEveryCaseFileHoldAndInferenceAgrees) {
  DimensionChecks checks;
  for (const std::string& name : fileNames())
    forEachModule(readFile(name), [&](const Module& module) { checks.check(module); });
  for (const std::string& opcode :
       wordsOf("add all-gather all-reduce batch-norm-training broadcast call cholesky concatenate "
               "conditional convolution copy dot dynamic-slice dynamic-update-slice fft gather "
               "get-tuple-element pad ragged-dot reduce reduce-scatter reduce-window reshape reverse "
               "scaled-dot scan scatter select select-and-scatter slice sort topk transpose "
               "triangular-solve tuple while"))
    EXPECT_TRUE(checks.held.contains(opcode)) << opcode << " tells no relation";
  for (const std::string& opcode :
       wordsOf("add all-gather all-reduce batch-norm-training broadcast call cholesky concatenate "
               "convolution copy dot dynamic-update-slice fft gather get-tuple-element pad reduce "
               "reduce-window reshape reverse scatter select select-and-scatter sort topk transpose "
               "triangular-solve tuple while"))
    EXPECT_TRUE(checks.resized.contains(opcode)) << opcode << ": no dimension could be made larger";
  EXPECT_GT(checks.relations, 1000u);
  EXPECT_GT(checks.resizings, 500u);
}

}  // namespace
}  // namespace tessera::cases
