// Findings on real programs against what a person reads in the files: rule, place and number worked out by hand from
// the text, and programs in which there is nothing to find.
#include <gtest/gtest.h>

#include <algorithm>

#include "core/formats/hlo_text.h"
#include "core/overview/findings.h"
#include "core/overview/overview.h"
#include "tests/corpus/corpus.h"

namespace tessera {
namespace {

Module moduleOf(const std::string& file) {
  ReadResult read = readHloText(slurp(corpusTexts() / file), file);
  EXPECT_TRUE(read.module) << file;
  return read.module ? *std::move(read.module) : Module();
}

struct Expected {
  std::string file, rule, place;
  double bytes;  // 0: any
};
void PrintTo(const Expected& e, std::ostream* out) { *out << e.file << " " << e.rule; }

class FindingsOfCorpus : public testing::TestWithParam<Expected> {};

TEST_P(FindingsOfCorpus, AreWhatThePlaceSays) {
  const Expected& expected = GetParam();
  const Module module = moduleOf(expected.file);
  const Workload work(module, nullptr);
  const std::vector<Finding> findings = findingsOf(work);
  const auto found = std::ranges::find_if(findings, [&](const Finding& f) {
    return f.rule == expected.rule && placeText(module, f.instructions[0]) == expected.place;
  });
  ASSERT_NE(found, findings.end()) << "not found";
  if (expected.bytes > 0) {
    EXPECT_EQ(found->bytes, expected.bytes);
  }
  EXPECT_FALSE(found->text.empty());
}

INSTANTIATE_TEST_SUITE_P(
    ByHand, FindingsOfCorpus,
    testing::Values(
        // f32[2,64,4,32] read and written.
        Expected{"attention/after.hlo", "copies", "main.5/transpose_copy_fusion.2", 2 * 2 * 64 * 4 * 32 * 4},
        Expected{"attention/after.hlo", "copies", "main.5/transpose_copy_fusion", 2 * 2 * 64 * 4 * 32 * 4},
        // c64[128,128] read and written in each of 64 trips.
        Expected{"mandelbrot/after.hlo", "loop-copies", "region_0.3.clone/copy.4", 2 * 128 * 128 * 8 * 64},
        Expected{"conjugate_gradient/after.hlo", "loop-copies", "region_0.1/copy.12", 2 * 256 * 4},
        // Ones for a histogram: f32[4096,1] of a scalar, ten trips.
        Expected{"kmeans/after.hlo", "broadcasts", "region_0.10/wrapped_broadcast.3", 4096 * 4 * 10},
        // The only reader of add_divide_fusion is multiply_subtract_fusion.
        Expected{"black_scholes/after.hlo", "unfused", "main.1/add_divide_fusion", 2 * 65536 * 4},
        // x 6144, w1 8192 twice (it is prefetched), b1 256, w2 5632, b2 472, the result 7552.
        Expected{"mlp_small/after_tpu.hlo", "padding", "main.1/w1.1", 6144 + 2 * 8192 + 256 + 5632 + 472 + 7552},
        Expected{"spmd_all_reduce/after.hlo", "exposed-collectives", "main.0_spmd/psum.7", 8 * 16 * 4},
        Expected{"spmd_collective_permute/after_tpu.hlo", "exposed-collectives", "main.0_spmd/collective-permute-start",
                 8 * 16 * 4},
        // Four weights of f32[128,128].
        Expected{"gspmd_fsdp_mlp_train/after.hlo", "exposed-collectives", "main.0_spmd/all-gather", 4 * 128 * 128 * 4},
        Expected{"f64_math/before.hlo", "f64", "main.5/x.1", 0},
        Expected{"lorenz_rk4/after.hlo", "tiny-kernels", "region_0.3/subtract_concatenate_fusion.2", 0},
        Expected{"gpt2_small_bf16_fwd/before.hlo", "upcasts", "main.77/dot_general.243", 0}),
    [](const auto& named) {
      return testName(named.param.file + "_" + named.param.rule + "_" + std::to_string(named.index));
    });

class NothingToFind : public testing::TestWithParam<std::string> {};

TEST_P(NothingToFind, InAProgramWithoutFault) {
  const Module module = moduleOf(GetParam());
  for (const Finding& finding : findingsOf(Workload(module, nullptr)))
    ADD_FAILURE() << finding.rule << ": " << finding.text << " at " << placeText(module, finding.instructions[0]);
}

// Before optimisation there are neither kernels nor buffers; softmax is three kernels that read each other's rows.
INSTANTIATE_TEST_SUITE_P(ByHand, NothingToFind,
                         testing::Values("softmax/after.hlo", "axpy/after.hlo", "matmul/after.hlo",
                                         "gpt_tiny_train/before.hlo", "resnet18_train/before.hlo",
                                         "spmd_all_reduce/before.hlo", "kmeans/before.hlo"),
                         [](const auto& named) { return testName(named.param); });

TEST(FindingsOfCorpus, EveryDoubleIsNamed) {
  const Module module = moduleOf("f64_math/before.hlo");
  const std::vector<Finding> findings = findingsOf(Workload(module, nullptr));
  ASSERT_EQ(findings.size(), 1u);
  EXPECT_EQ(findings[0].instructions.size(), 18u);  // lines of the text whose result is f64
}

TEST(FindingsOfCorpus, TheCostliestComeFirst) {
  const Module module = moduleOf("gpt_tiny_scan_train/after.hlo");
  const std::vector<Finding> findings = findingsOf(Workload(module, nullptr));
  ASSERT_GT(findings.size(), 3u);
  EXPECT_TRUE(std::ranges::is_sorted(findings, std::greater(), &Finding::weight));
}

struct Layered {
  std::string file, name;
  int64_t count;
};
void PrintTo(const Layered& e, std::ostream* out) { *out << e.file; }
class LayersOfCorpus : public testing::TestWithParam<Layered> {};

TEST_P(LayersOfCorpus, AreCounted) {
  const Module module = moduleOf(GetParam().file);
  const Overview overview = overviewOf(Workload(module, nullptr));
  const auto found = std::ranges::find(overview.layers, GetParam().name, &Overview::Layers::name);
  ASSERT_NE(found, overview.layers.end());
  EXPECT_EQ(found->count, GetParam().count);
}

INSTANTIATE_TEST_SUITE_P(ByHand, LayersOfCorpus,
                         testing::Values(Layered{"gpt_tiny_train/before.hlo", "p['h']", 2},
                                         Layered{"gpt2_small_train/after.hlo", "p['h']", 12},
                                         Layered{"gpt96_micro2_train/before.hlo", "p['h']", 96},
                                         Layered{"resnet18_train/before.hlo", "Block", 8},
                                         Layered{"unet_fwd/before.hlo", "GroupNorm", 14},
                                         Layered{"gpt2_small_scan_fwd/after.hlo", "while", 12}),
                         [](const auto& named) { return testName(named.param.file); });

struct Hottest {
  std::string file, scope;
  bool backward;
  int least, most;  // percent
};
void PrintTo(const Hottest& e, std::ostream* out) { *out << e.file; }
class HottestOfCorpus : public testing::TestWithParam<Hottest> {};

// Of resnet18_train, lenet_train, unet_fwd and hf_bert_base_fwd, before optimisation, tests/tools/scope_costs.py counts
// the same scope as the hottest, without Tessera's cost model.
TEST_P(HottestOfCorpus, IsWhatAPersonWouldName) {
  const Module module = moduleOf(GetParam().file);
  const CostScope root = costByScopeFamily(Workload(module, nullptr));
  const std::vector<const CostScope*> way = hottestScope(root);
  ASSERT_FALSE(way.empty());
  EXPECT_EQ(way.back()->name, GetParam().scope);
  EXPECT_EQ(std::ranges::any_of(way, [](const CostScope* s) { return s->name.starts_with("transpose("); }),
            GetParam().backward);
  const double percent = 100 * way.back()->weight / root.weight;
  EXPECT_GE(percent, GetParam().least);
  EXPECT_LE(percent, GetParam().most + 0.01);
}

// Worked out from what the programs compute: of a small GPT each parameter is read for a few tokens, while Adam reads
// and writes it, its moments and its update in a dozen separate operations, until fusions make them one. BERT's layers
// widen four times for their MLP. Solvers and random bits are loops of the library; a scan is called by its body.
INSTANTIATE_TEST_SUITE_P(ByHand, HottestOfCorpus,
                         testing::Values(Hottest{"gpt_tiny_train/before.hlo", "scale_by_adam", false, 25, 40},
                                         Hottest{"gpt_tiny_train/after.hlo", "blk", true, 35, 50},
                                         Hottest{"gpt2_small_train/after.hlo", "blk", true, 25, 40},
                                         Hottest{"gpt_tiny_scan_train/after.hlo", "blk", true, 25, 40},
                                         Hottest{"gpt96_micro2_train/before.hlo", "blk", true, 30, 40},
                                         Hottest{"resnet18_train/before.hlo", "Conv × 3", true, 25, 40},
                                         Hottest{"lenet_train/before.hlo", "Conv × 2", true, 15, 30},
                                         Hottest{"unet_fwd/after.hlo", "Conv × 15", false, 80, 95},
                                         Hottest{"hf_bert_base_fwd/before.hlo", "dense", false, 15, 30},
                                         Hottest{"nbody/after.hlo", "acc", false, 80, 100},
                                         Hottest{"conjugate_gradient/before.hlo", "dot", false, 20, 40},
                                         Hottest{"linalg_solve_lu/after.hlo", "jit(solve)", false, 95, 100},
                                         Hottest{"svd_native/before.hlo", "jit(svd)", false, 95, 100},
                                         Hottest{"rng_threefry/after.hlo", "jit(_uniform)", false, 95, 100}),
                         [](const auto& named) { return testName(named.param.file); });

TEST(OverviewOfCorpus, TellsStageAndDevice) {
  const auto stage = [](const char* file) {
    const Module module = moduleOf(file);
    return stageOf(module);
  };
  EXPECT_FALSE(stage("attention/before.hlo").optimised);
  EXPECT_TRUE(stage("attention/after.hlo").scheduled);
  EXPECT_EQ(stage("attention/after.hlo").device, "CPU");
  EXPECT_EQ(stage("attention/after_tpu.hlo").device, "TPU");
}

// 12 layers of 768: 124,439,808 weights (the published 124 M), in 148 arrays.
TEST(OverviewOfCorpus, CountsTheWeightsOfGpt2) {
  const Module module = moduleOf("gpt2_small_train/after.hlo");
  const Overview overview = overviewOf(Workload(module, nullptr));
  ASSERT_TRUE(overview.parameters);
  EXPECT_EQ(overview.parameters->name, "p");
  EXPECT_EQ(overview.parameters->arrays, 148u);
  EXPECT_NEAR(overview.parameters->elements, 124.4e6, 1e6);
}

}  // namespace
}  // namespace tessera
