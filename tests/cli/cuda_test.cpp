// `--backend=cuda` as scripts use it: what is said where there is no card; and, on a driver that the tests put in the
// place of NVIDIA's (tests/cuda/fake), runs on a card and what is wrong with drivers, cards and what is kept of them.
#include <nlohmann/json.hpp>
#include <regex>

#include "tests/cli/spawn.h"
#include "tests/support/skips.h"

namespace tessera {
namespace {

using nlohmann::json;

bool hasDriver() { return std::system("ldconfig -p 2>/dev/null | grep -q libcuda.so.1") == 0; }

class Cuda : public testing::Test {
 protected:
  void SetUp() override { scratch_.write("add.hlo", kAddProgram); }
  // On the fake driver; settings: $TESSERA_FAKE_CUDA.
  Ran onFake(const std::string& arguments, const std::string& settings = {}) const {
    return scratch_.tessera(arguments, {},
                            "LD_LIBRARY_PATH='" TESSERA_FAKE_CUDA "' TESSERA_FAKE_CUDA='" + settings + "'");
  }
  void refused(const Ran& ran, int exit, const std::string& message) const {
    EXPECT_EQ(ran.exit, exit) << ran.out << ran.err;
    EXPECT_NE(ran.err.find(message), std::string::npos) << ran.err;
  }
  Scratch scratch_;
};

TEST_F(Cuda, WithoutADriverEachCommandSaysWhatIsMissing) {
  if (hasDriver()) TESSERA_SKIP("has-cuda");
  refused(scratch_.tessera("run add.hlo --backend=cuda"), 4, "there is no CUDA driver here");
  refused(scratch_.tessera("machine --backend=cuda"), 4, "there is no CUDA driver here");
  const Ran asJson = scratch_.tessera("run add.hlo --backend=cuda --json");
  EXPECT_EQ(asJson.exit, 4);
  EXPECT_NE(json::parse(asJson.out)["error"]["message"].get<std::string>().find("Install"), std::string::npos);
}

TEST_F(Cuda, TheSimulatedDeviceNamesItsReports) {
  const Ran ran = scratch_.tessera("run add.hlo --backend=cuda --device=simulated --runs=3 --json --out=out.npz");
  ASSERT_EQ(ran.exit, 0) << ran.err;
  const json told = json::parse(ran.out);
  EXPECT_EQ(told["device"], "simulated");
  EXPECT_EQ(told["kernels"], 1);
  EXPECT_EQ(told["reports"], json::array());
  EXPECT_EQ(scratch_.tessera("run add.hlo --expected=out.npz --rtol=0 --atol=0").exit, 0);
  refused(scratch_.tessera("machine --backend=cuda --device=simulated"), 4, "has no speed");
  refused(scratch_.tessera("run add.hlo --device=simulated"), 64, "--device goes with --backend=cuda");
  refused(scratch_.tessera("machine --device=0"), 64, "--device goes with --backend=cuda");
}

// --- the driver, called as a card's

TEST_F(Cuda, RunsOnACard) {
  const Ran ran = onFake("run add.hlo --backend=cuda --device=0 --runs=3 --out=out.npz --json");
  ASSERT_EQ(ran.exit, 0) << ran.out << ran.err;
  EXPECT_EQ(scratch_.tessera("run add.hlo --expected=out.npz --rtol=0 --atol=0").exit, 0);
  refused(onFake("run add.hlo --backend=cuda --device=1"), 4, "there is no card 1");
}

// A program with loops of known and unknown trips, branches and several streams, in graphs from the second run on.
TEST_F(Cuda, GraphsOfACardGiveTheValuesOfTheProcessor) {
  for (const std::string name : {"while_collatz", "switch", "fori_power_iteration", "lorenz_rk4", "attention"}) {
    const std::string file = "'" TESSERA_CORPUS_TEXTS "/" + name + "/before.hlo'";
    ASSERT_EQ(scratch_.tessera("run " + file + " --out=cpu.npz").exit, 0) << name;
    for (const char* settings : {"", "version=12020", "capture=900"}) {
      const Ran ran = onFake("run " + file + " --backend=cuda --device=0 --runs=3 --expected=cpu.npz", settings);
      EXPECT_EQ(ran.exit, 0) << name << ", " << settings << ": " << ran.out << ran.err;
    }
  }
}

TEST_F(Cuda, MeasuresTheRooflineOfACard) {
  for (const std::string sm : {"80", "90"}) {  // tensor cores by mma.sync, by wgmma
    const Ran ran = onFake("machine --backend=cuda --seconds=0.001 --json", "memory=1048576,sm=" + sm);
    ASSERT_EQ(ran.exit, 0) << ran.err;
    const json told = json::parse(ran.out);
    EXPECT_EQ(told["processor"], "Fake card, sm_" + sm);
    std::map<std::string, double> rates;
    for (const auto& each : told["arithmetic"]) rates[each["type"]] = each["all_cores"];
    for (const auto& each : told["memory"])
      rates[each["level"].get<std::string>() + " " + each["how"].get<std::string>()] = each["all_cores"];
    for (const char* name : {"f32", "f64", "f16", "bf16", "tf32", "s8", "memory read", "memory write", "memory copy",
                             "host to the device", "host from the device"})
      EXPECT_GT(rates[name], 0) << name;
  }
}

// Products go to cuBLASLt where it is; which was chosen, and why, is in the steps.
TEST_F(Cuda, ProductsGoToALibraryWhereItIs) {
  const std::string corpus = TESSERA_CORPUS_TEXTS, file = "'" + corpus + "/batched_matmul/before.hlo'";
  ASSERT_EQ(scratch_.tessera("run " + file + " --out=cpu.npz").exit, 0);
  const std::string run =
      "run " + file + " --backend=cuda --runs=2 --expected=cpu.npz --hottest=1 --json --profile=p.json";
  const std::string own =
      std::string("TESSERA_CUDA_LIBRARIES='") + TESSERA_FAKE_CUDA + "' LD_LIBRARY_PATH='" + TESSERA_FAKE_CUDA + "' ";
  const auto stepsOf = [&](const std::string& environment) {
    const Ran ran = scratch_.tessera(run, {}, environment);
    EXPECT_EQ(ran.exit, 0) << ran.out << ran.err;
    return contentOf(scratch_.folder() / "p.json");
  };
  EXPECT_NE(stepsOf(own).find("cuBLASLt 13.1: "), std::string::npos);
  EXPECT_NE(stepsOf(own + "TESSERA_FAKE_CUDA=workspace=99999999").find("no algorithm"), std::string::npos);
  EXPECT_NE(stepsOf(own + "TESSERA_FAKE_CUDA=cublaslt=110000").find("older than 12"), std::string::npos);
}

// f8: along the contracted dimension, whose sizes are whole; else the step says that there is none.
TEST_F(Cuda, ProductsOfBytesGoToALibraryWhereItIs) {
  scratch_.write("bytes.hlo", R"(HloModule bytes
ENTRY e {
  x = f8e4m3fn[48,32] parameter(0)
  y = f8e5m2[64,32] parameter(1)
  product = bf16[48,64] dot(x, y), lhs_contracting_dims={1}, rhs_contracting_dims={1}
  b = bf16[64] parameter(2)
  bias = bf16[48,64] broadcast(b), dimensions={1}
  sum = bf16[48,64] add(product, bias)
  z = f8e4m3fn[32,64] parameter(3)
  other = f32[48,64] dot(x, z), lhs_contracting_dims={1}, rhs_contracting_dims={0}
  ROOT r = (bf16[48,64], f32[48,64]) tuple(sum, other)
})");
  ASSERT_EQ(scratch_.tessera("run bytes.hlo --out=cpu.npz").exit, 0);
  const std::string own =
      std::string("TESSERA_CUDA_LIBRARIES='") + TESSERA_FAKE_CUDA + "' LD_LIBRARY_PATH='" + TESSERA_FAKE_CUDA + "' ";
  const Ran ran =
      scratch_.tessera("run bytes.hlo --backend=cuda --runs=2 --expected=cpu.npz --json --profile=p.json", {}, own);
  ASSERT_EQ(ran.exit, 0) << ran.out << ran.err;
  const std::string profile = contentOf(scratch_.folder() / "p.json");
  for (const char* words :
       {"cuBLASLt 13.1: 48 by 64 by 32, f8e4m3fn and f8e5m2 to bf16, bias", "cuBLASLt has no algorithm for it"})
    EXPECT_NE(profile.find(words), std::string::npos) << words << profile;
}

constexpr const char* kEndedProducts = R"(HloModule ends
ENTRY e {
  x = f32[40,24] parameter(0)
  w = f32[24,32] parameter(1)
  b = f32[32] parameter(2)
  product = f32[40,32] dot(x, w), lhs_contracting_dims={1}, rhs_contracting_dims={0}
  bias = f32[40,32] broadcast(b), dimensions={1}
  sum = f32[40,32] add(product, bias)
  zero = f32[] constant(0)
  zeros = f32[40,32] broadcast(zero), dimensions={}
  relu = f32[40,32] maximum(sum, zeros)
  u = f32[32,48] parameter(3)
  next = f32[40,48] dot(relu, u), lhs_contracting_dims={1}, rhs_contracting_dims={0}
  eighth = f32[] constant(0.125)
  eighths = f32[40,48] broadcast(eighth), dimensions={}
  scaled = f32[40,48] multiply(next, eighths)
  square = f32[40,48] multiply(scaled, scaled)
  cube = f32[40,48] multiply(square, scaled)
  little = f32[] constant(0.044715)
  littles = f32[40,48] broadcast(little), dimensions={}
  part = f32[40,48] multiply(littles, cube)
  inner = f32[40,48] add(scaled, part)
  root = f32[] constant(0.7978845608)
  roots = f32[40,48] broadcast(root), dimensions={}
  angle = f32[40,48] multiply(roots, inner)
  tangent = f32[40,48] tanh(angle)
  one = f32[] constant(1)
  ones = f32[40,48] broadcast(one), dimensions={}
  more = f32[40,48] add(ones, tangent)
  half = f32[] constant(0.5)
  halves = f32[40,48] broadcast(half), dimensions={}
  share = f32[40,48] multiply(halves, more)
  ROOT gelu = f32[40,48] multiply(scaled, share)
})";

// What follows a product is its end, in cuBLASLt as in a kernel of our own.
TEST_F(Cuda, EndsOfProductsGoToALibraryWhereItIs) {
  scratch_.write("ends.hlo", kEndedProducts);
  ASSERT_EQ(scratch_.tessera("run ends.hlo --out=cpu.npz").exit, 0);
  const std::string own =
      std::string("TESSERA_CUDA_LIBRARIES='") + TESSERA_FAKE_CUDA + "' LD_LIBRARY_PATH='" + TESSERA_FAKE_CUDA + "' ";
  const Ran ran =
      scratch_.tessera("run ends.hlo --backend=cuda --runs=2 --expected=cpu.npz --json --profile=p.json", {}, own);
  ASSERT_EQ(ran.exit, 0) << ran.out << ran.err;
  EXPECT_EQ(json::parse(ran.out)["kernels"], 0);
  const std::string profile = contentOf(scratch_.folder() / "p.json");
  for (const char* words : {"cuBLASLt 13.1: 40 by 32 by 24, f32, bias, relu", "40 by 48 by 32, f32, times 0.125, gelu"})
    EXPECT_NE(profile.find(words), std::string::npos) << words << profile;
  const Ran simulated = scratch_.tessera("run ends.hlo --backend=cuda --device=simulated --expected=cpu.npz --json");
  ASSERT_EQ(simulated.exit, 0) << simulated.out << simulated.err;
  EXPECT_EQ(json::parse(simulated.out)["kernels"], 2);
}

// Steps are measured by the card's own records where there is CUPTI; else by events.
TEST_F(Cuda, RecordsOfTheCardAreTheTimesOfSteps) {
  const std::string own =
      std::string("TESSERA_CUDA_LIBRARIES='") + TESSERA_FAKE_CUDA + "' LD_LIBRARY_PATH='" + TESSERA_FAKE_CUDA + "' ";
  const auto profileOf = [&](const std::string& environment) {
    const Ran ran = scratch_.tessera("run add.hlo --backend=cuda --runs=3 --profile=p.json", {}, environment);
    EXPECT_EQ(ran.exit, 0) << ran.out << ran.err;
    return contentOf(scratch_.folder() / "p.json");
  };
  const std::string recorded = profileOf(own);
  EXPECT_NE(recorded.find("times by CUPTI 13.0.1"), std::string::npos) << recorded;
  EXPECT_NE(recorded.find("; 24 registers, 512 shared bytes"), std::string::npos) << recorded;
  EXPECT_NE(recorded.find("\"min_ns\":1000"), std::string::npos) << recorded;
  for (const char* without : {"TESSERA_FAKE_CUDA=cuptirefuses=39", "TESSERA_CUDA_LIBRARIES=off"}) {
    const std::string byEvents = profileOf(own + without);
    EXPECT_EQ(byEvents.find("CUPTI"), std::string::npos) << byEvents;
    EXPECT_EQ(byEvents.find("registers"), std::string::npos) << byEvents;
  }
}

constexpr const char* kConvolutions = R"(HloModule convolutions
ENTRY e {
  x = f32[2,9,8,4] parameter(0)
  w = f32[3,3,4,6] parameter(1)
  grouped = f32[2,3,3,6] parameter(2)
  dy = f32[2,4,4,6] parameter(3)
  line = f32[2,4,11] parameter(4)
  taps = f32[5,4,3] parameter(5)
  y = f32[2,9,8,6] convolution(x, w), window={size=3x3 pad=1_1x1_1}, dim_labels=b01f_01io->b01f
  turned = f32[2,4,3,6] convolution(x, w), window={size=3x3 stride=2x2 rhs_reversal=1x1}, dim_labels=b01f_01io->b01f
  g = f32[2,9,8,6] convolution(x, grouped),
      window={size=3x3 pad=1_1x1_1}, dim_labels=b01f_i01o->b01f, feature_group_count=2
  dx = f32[2,9,8,4] convolution(dy, w),
      window={size=3x3 pad=2_2x1_2 lhs_dilate=2x2 rhs_reversal=1x1}, dim_labels=b01f_01oi->b01f
  dw = f32[3,3,4,6] convolution(x, dy), window={size=4x4 pad=0_0x1_0 rhs_dilate=2x2}, dim_labels=f01b_i01o->01bf
  l = f32[2,5,9] convolution(line, taps), window={size=3}, dim_labels=bf0_oi0->bf0
  ROOT r = (f32[2,9,8,6], f32[2,4,3,6], f32[2,9,8,6], f32[2,9,8,4], f32[3,3,4,6], f32[2,5,9])
      tuple(y, turned, g, dx, dw, l)
})";

// Convolutions and their cotangents go to cuDNN where it is, in whatever order their filters are stored.
TEST_F(Cuda, ConvolutionsGoToALibraryWhereItIs) {
  scratch_.write("c.hlo", kConvolutions);
  ASSERT_EQ(scratch_.tessera("run c.hlo --out=cpu.npz").exit, 0);
  const std::string environment =
      std::string("TESSERA_CUDA_LIBRARIES='") + TESSERA_FAKE_CUDA + "' LD_LIBRARY_PATH='" + TESSERA_FAKE_CUDA + "' ";
  const Ran ran =
      scratch_.tessera("run c.hlo --backend=cuda --runs=2 --expected=cpu.npz --json --profile=p.json", {}, environment);
  ASSERT_EQ(ran.exit, 0) << ran.out << ran.err;
  const std::string profile = contentOf(scratch_.folder() / "p.json");
  for (const char* words : {"cuDNN 9.13: ", ", cotangent of the input", ", cotangent of the filter"})
    EXPECT_NE(profile.find(words), std::string::npos) << words;
  EXPECT_EQ(
      scratch_.tessera("run c.hlo --backend=cuda --expected=cpu.npz", {}, environment + "TESSERA_FAKE_CUDA=cudnn=7605")
          .exit,
      0);
}

constexpr const char* kEndedConvolutions = R"(HloModule ends
ENTRY e {
  x = f32[2,9,8,4] parameter(0)
  b = f32[12] parameter(1)
  w = f32[3,3,4,12] parameter(2)
  y = f32[2,9,8,12] convolution(x, w), window={size=3x3 pad=1_1x1_1}, dim_labels=b01f_01io->b01f
  bias = f32[2,9,8,12] broadcast(b), dimensions={3}
  sum = f32[2,9,8,12] add(y, bias)
  zero = f32[] constant(0)
  zeros = f32[2,9,8,12] broadcast(zero), dimensions={}
  relu = f32[2,9,8,12] maximum(sum, zeros)
  u = f32[3,3,12,16] parameter(3)
  next = f32[2,9,8,16] convolution(relu, u), window={size=3x3 pad=1_1x1_1}, dim_labels=b01f_01io->b01f
  half = f32[] constant(0.5)
  halves = f32[2,9,8,16] broadcast(half), dimensions={}
  scaled = f32[2,9,8,16] multiply(next, halves)
  c = f32[16] parameter(4)
  more = f32[2,9,8,16] broadcast(c), dimensions={3}
  ROOT r = f32[2,9,8,16] add(scaled, more)
})";

// What follows a convolution is its end, in cuDNN as in a kernel of our own.
TEST_F(Cuda, EndsOfConvolutionsGoToALibraryWhereItIs) {
  scratch_.write("ends.hlo", kEndedConvolutions);
  ASSERT_EQ(scratch_.tessera("run ends.hlo --out=cpu.npz").exit, 0);
  const std::string own =
      std::string("TESSERA_CUDA_LIBRARIES='") + TESSERA_FAKE_CUDA + "' LD_LIBRARY_PATH='" + TESSERA_FAKE_CUDA + "' ";
  const Ran ran =
      scratch_.tessera("run ends.hlo --backend=cuda --runs=2 --expected=cpu.npz --json --profile=p.json", {}, own);
  ASSERT_EQ(ran.exit, 0) << ran.out << ran.err;
  const std::string profile = contentOf(scratch_.folder() / "p.json");
  for (const char* words : {"with a filter of 12 by 4 by 3 by 3, f32, bias, relu",
                            "with a filter of 16 by 12 by 3 by 3, f32, times 0.5, bias"})
    EXPECT_NE(profile.find(words), std::string::npos) << words << profile;
  const Ran simulated = scratch_.tessera("run ends.hlo --backend=cuda --device=simulated --expected=cpu.npz --json");
  ASSERT_EQ(simulated.exit, 0) << simulated.out << simulated.err;
  EXPECT_EQ(json::parse(simulated.out)["kernels"], 2);
}

// Of this type of elements.
std::string linearAlgebraOf(const std::string& type) {
  const bool isComplex = type[0] == 'c', isNarrow = type == "f32" || type == "c64";
  const char letter = isComplex ? (isNarrow ? 'c' : 'z') : isNarrow ? 's' : 'd';
  const std::pair<const char*, std::string> words[] = {
      {R"(CONJUGATE\((\w+), (\w+), (\w+)\))", isComplex ? "complex($1, $2)" : "copy($3)"},
      {"LEIGEN", isComplex ? "Lheevd" : "Lsyevd"},
      {"lapack_L", std::string("lapack_") + letter},
      {R"(\bT\[)", type + "["},
      {R"(\bR\[)", isNarrow ? "f32[" : "f64["}};
  std::string out = contentOf(std::string(TESSERA_GPU_PROGRAMS) + "/linear_algebra.txt");
  for (const auto& [from, to] : words) out = std::regex_replace(out, std::regex(from), to);
  return out;
}

// Factors, eigenvalues, singular values and systems go to cuSOLVER and cuBLAS where they are, whoever named the call;
// else to the host.
TEST_F(Cuda, LinearAlgebraGoesToALibraryWhereItIs) {
  const std::string own =
      std::string("TESSERA_CUDA_LIBRARIES='") + TESSERA_FAKE_CUDA + "' LD_LIBRARY_PATH='" + TESSERA_FAKE_CUDA + "' ";
  const std::string run = "run l.hlo --backend=cuda --runs=3 --expected=cpu.npz --json --profile=p.json";
  for (const char* type : {"f32", "f64", "c64", "c128"}) {
    scratch_.write("l.hlo", linearAlgebraOf(type));
    const Ran cpu = scratch_.tessera("run l.hlo --out=cpu.npz");
    ASSERT_EQ(cpu.exit, 0) << cpu.out << cpu.err;
    // The tridiagonal form of this matrix magnifies how the product before it was rounded.
    const bool isWide = type == std::string("f64") || type == std::string("c128");
    const Ran ran = scratch_.tessera(run + (isWide ? "" : " --atol=0.02"), {}, own);
    ASSERT_EQ(ran.exit, 0) << type << ran.out << ran.err;
    const std::string profile = contentOf(scratch_.folder() / "p.json");
    for (const char* words : {"cuSOLVER 12.0: Cholesky factors of 2 of 6 by 6", "LU factors", "QR factors",
                              "product of reflectors", "product with reflectors", "eigenvalues", "singular values",
                              "tridiagonal form", "cuBLAS 13.1: triangular systems of 2 of 3 by 6"})
      EXPECT_NE(profile.find(words), std::string::npos) << words << profile;
    EXPECT_EQ(profile.find("on the host"), std::string::npos) << type << profile;
  }
  const Ran without = scratch_.tessera(run, {}, own + "TESSERA_FAKE_CUDA=cusolver=10000");
  ASSERT_EQ(without.exit, 0) << without.out << without.err;
  EXPECT_NE(
      contentOf(scratch_.folder() / "p.json").find("on the host: no kernel computes it (no cuSOLVER: version 10000"),
      std::string::npos);
}

// Large matrices of the operations go there, too; small ones are one kernel each step of our own.
TEST_F(Cuda, LargeFactorsGoToALibraryWhereItIs) {
  const std::string own =
      std::string("TESSERA_CUDA_LIBRARIES='") + TESSERA_FAKE_CUDA + "' LD_LIBRARY_PATH='" + TESSERA_FAKE_CUDA + "' ";
  const std::string file = std::string("'") + TESSERA_GPU_PROGRAMS + "/factor_operations.hlo'";
  ASSERT_EQ(scratch_.tessera("run " + file + " --out=cpu.npz").exit, 0);
  const Ran ran =
      scratch_.tessera("run " + file + " --backend=cuda --runs=2 --expected=cpu.npz --json --profile=p.json", {}, own);
  ASSERT_EQ(ran.exit, 0) << ran.out << ran.err;
  const std::string profile = contentOf(scratch_.folder() / "p.json");
  for (const char* words : {"cuSOLVER 12.0: Cholesky factors of 1 of 70 by 70", "cuBLAS 13.1: triangular systems"})
    EXPECT_NE(profile.find(words), std::string::npos) << words;
  EXPECT_EQ(profile.find("of 20 by 20"), std::string::npos);
}

// Attention goes to cuDNN where its version has the operation, else to a kernel of our own, which says why.
TEST_F(Cuda, AttentionGoesToALibraryWhereItIs) {
  const std::string own =
      std::string("TESSERA_CUDA_LIBRARIES='") + TESSERA_FAKE_CUDA + "' LD_LIBRARY_PATH='" + TESSERA_FAKE_CUDA + "' ";
  const std::string file = std::string("'") + TESSERA_GPU_PROGRAMS + "/attention.hlo'";
  ASSERT_EQ(scratch_.tessera("run " + file + " --out=cpu.npz").exit, 0);
  const std::string run = "run " + file + " --backend=cuda --runs=3 --expected=cpu.npz --json --profile=p.json";
  const Ran ran = scratch_.tessera(run, {}, own);
  ASSERT_EQ(ran.exit, 0) << ran.out << ran.err;
  EXPECT_EQ(json::parse(ran.out)["kernels"], 0);
  const std::string profile = contentOf(scratch_.folder() / "p.json");
  EXPECT_NE(profile.find("cuDNN 9.13: attention of 2 by 4: 64 queries of 32, 48 keys, values of 16, times 0.125, bf16"),
            std::string::npos)
      << profile;
  const Ran without = scratch_.tessera(run, {}, own + "TESSERA_FAKE_CUDA=attention=0");
  ASSERT_EQ(without.exit, 0) << without.out << without.err;
  EXPECT_NE(contentOf(scratch_.folder() / "p.json").find("(cuDNN has no attention here (status 3000"),
            std::string::npos);
}

// A card a device: collectives by NCCL where each has its own, by the host where not; the values of threads.
TEST_F(Cuda, CollectivesGoBetweenCards) {
  for (const std::string name : {"data_parallel_2", "exchange_2", "ring_2", "fsdp_2", "tensor_parallel_2"}) {
    const std::string file = std::string("'") + TESSERA_SHARDED + "/" + name + ".hlo'";
    ASSERT_EQ(scratch_.tessera("run " + file + " --out=cpu.npz").exit, 0) << name;
    for (const char* settings : {"devices=2", "devices=1"}) {
      const std::string environment = std::string("LD_LIBRARY_PATH='") + TESSERA_FAKE_CUDA +
                                      "' TESSERA_CUDA_LIBRARIES='" + TESSERA_FAKE_CUDA + "' TESSERA_FAKE_CUDA='" +
                                      settings + "'";
      const Ran ran = scratch_.tessera("run " + file + " --backend=cuda --runs=2 --expected=cpu.npz", {}, environment);
      EXPECT_EQ(ran.exit, 0) << name << ", " << settings << ": " << ran.out << ran.err;
    }
  }
}

// An assembler that says of each kernel what ptxas would.
constexpr const char* kAssembler = R"(#!/bin/sh
for word; do case $word in *.ptx) ptx=$word ;; esac; done
for kernel in $(sed -n 's/^\.visible \.entry \([A-Za-z0-9_]*\)(.*/\1/p' "$ptx"); do
  echo "ptxas info    : Compiling entry function '$kernel' for 'sm_80'"
  echo "    0 bytes stack frame, 8 bytes spill stores, 4 bytes spill loads"
  echo "ptxas info    : Used 12 registers, used 1 barriers, 32 bytes smem"
done >&2
)";

TEST_F(Cuda, TellsWhatTheAssemblerSaysOfAKernel) {
  scratch_.write("ptxas", kAssembler);
  std::filesystem::permissions(scratch_.folder() / "ptxas", std::filesystem::perms::owner_all);
  const Ran ran = scratch_.tessera("explain add.hlo sum --sass --device=cuda:sm_80 --json", {},
                                   "PATH='" + scratch_.folder().string() + "':\"$PATH\"");
  ASSERT_EQ(ran.exit, 0) << ran.out << ran.err;
  const json figures = json::parse(ran.out)["optimized"][0]["steps"][0]["figures"];
  EXPECT_EQ(figures["registers"], 12);
  EXPECT_EQ(figures["spilled_bytes"], 12);
  EXPECT_EQ(figures["shared_bytes"], 32);
}

// --- what is wrong with a driver or a card

TEST_F(Cuda, SaysWhatIsWrongWithADriver) {
  const std::string run = "run add.hlo --backend=cuda";
  refused(onFake(run, "version=11020"), 4, "the CUDA driver is too old: it knows CUDA 11.2; CUDA 11.8");
  refused(onFake(run, "devices=0"), 4, "the CUDA driver sees no card");
  refused(onFake(run, "init=100"), 4, "the CUDA driver sees no card");
  refused(onFake(run, "init=34"), 4, "stub");
  refused(onFake(run, "init=803"), 4, "different versions");
  refused(onFake(run, "sm=60"), 4, "sm_60 is too old");
}

TEST_F(Cuda, SaysWhatIsNeededWhereTheCardsMemoryEnds) {
  scratch_.write("large.hlo", negateProgram("1000000"));
  const Ran ran = onFake("run large.hlo --backend=cuda", "memory=1000000");
  refused(ran, 5, "not enough memory on the device: the program needs 8000000 bytes");
  EXPECT_NE(ran.err.find("of 1000000 are free"), std::string::npos) << ran.err;
}

// Code that the driver refuses is made anew; what is damaged in the cache, too.
TEST_F(Cuda, WhatIsKeptOfACardMayBeDamaged) {
  const std::string run = "run add.hlo --backend=cuda --json --kernel-cache=cache";
  ASSERT_EQ(onFake(run).exit, 0);
  EXPECT_EQ(json::parse(onFake(run).out)["kernels_cached"], 1);
  int count = 0;
  for (const auto& entry : std::filesystem::directory_iterator(scratch_.folder() / "cache")) {
    std::filesystem::resize_file(entry, std::filesystem::file_size(entry) - 1);
    ++count;
  }
  EXPECT_EQ(count, 2);  // the program, the card's code
  const Ran ran = onFake(run + " --out=out.npz");
  ASSERT_EQ(ran.exit, 0) << ran.err;
  EXPECT_EQ(json::parse(ran.out)["kernels_cached"], 0);
  EXPECT_EQ(json::parse(onFake(run).out)["kernels_cached"], 1);
  refused(onFake(run.substr(0, run.find(" --json")), "refuse=200"), 5, "CUDA_ERROR_INVALID_IMAGE");
}

}  // namespace
}  // namespace tessera
