// The roofline model: peaks by level of memory, dots, how far the model is off, what if; the table of devices, and the
// peaks of this machine as they are kept.
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>

#include "backends/machine_peaks.h"
#include "core/analysis/roofline_model.h"
#include "core/formats/file_content.h"
#include "core/formats/hlo_text.h"

namespace tessera {
namespace {

const DevicePeaks kDevice{.name = "d",
                          .flopsPerSecond = {{"f32", 100e9}, {"bf16", 200e9}},
                          .bytesPerSecond = 10e9,
                          .source = "a test",
                          .caches = {{"L1", 1000, 100e9}}};

TEST(DevicePeaks, ADataSetThatFitsACacheMovesAtItsSpeed) {
  EXPECT_DOUBLE_EQ(kDevice.memoryNs(1e6), 1e5);
  EXPECT_DOUBLE_EQ(kDevice.memoryNs(1000), 10);
  EXPECT_DOUBLE_EQ(kDevice.memoryNs(10000, 20), 100);  // 500 bytes each time
  EXPECT_DOUBLE_EQ(kDevice.computeNs("f32", 1000), 10);
  EXPECT_EQ(kDevice.computeNs("f64", 1000), 0);
}

TEST(DevicePeaks, TheTableHasASourceForEach) {
  EXPECT_GE(knownDevices().size(), 10u);
  for (const DevicePeaks& device : knownDevices()) {
    EXPECT_FALSE(device.source.empty()) << device.name;
    EXPECT_GT(device.bytesPerSecond, 1e11) << device.name;
    EXPECT_EQ(findDevice(device.name), &device);
  }
  EXPECT_DOUBLE_EQ(findDevice("nvidia h100 sxm")->flopsPerSecond.at("bf16"), 989.4e12);
  EXPECT_EQ(findDevice("abacus"), nullptr);
}

TEST(MachinePeaks, AreKeptWithTheirDateAndReadBack) {
  const std::string file = (std::filesystem::temp_directory_path() / "tessera_peaks_test" / "machine.json").string();
  std::filesystem::remove(file);
  EXPECT_FALSE(keptPeaks(file));
  Roofline measured{.cores = 2, .processor = processorName()};
  measured.arithmetic = {{"f32", 10e9, 20e9}};
  measured.memory = {{"L1", "read", 1e11, 2e11, 65536}, {"memory", "read", 5e9, 6e9}, {"memory", "copy", 4e9, 8e9}};
  keepPeaks(peaksOf(measured, "2026-01-02"), file);
  const auto kept = keptPeaks(file);
  ASSERT_TRUE(kept);
  EXPECT_EQ(kept->source, "measured 2026-01-02");
  EXPECT_DOUBLE_EQ(kept->flopsPerSecond.at("f32"), 20e9);
  EXPECT_DOUBLE_EQ(kept->bytesPerSecond, 8e9);
  ASSERT_EQ(kept->caches.size(), 1u);
  EXPECT_DOUBLE_EQ(kept->caches[0].bytes, 65536);
  for (const char* bad : {"", "{", "[]", R"({"form":1})", R"({"form":1,"cores":2,"name":7})"}) {
    ASSERT_TRUE(writeFileAtomically(file, bad));
    EXPECT_FALSE(keptPeaks(file)) << bad;
  }
  measured.arithmetic = {{"f32", 10e9, 10.5e9}};
  EXPECT_EQ(peaksOf(measured, "2026-01-02").source,
            "measured 2026-01-02, all cores no quicker than one: was the machine busy?");
  measured.processor = "another processor";
  keepPeaks(peaksOf(measured, "2026-01-02"), file);
  EXPECT_FALSE(keptPeaks(file));
  std::filesystem::remove_all(std::filesystem::path(file).parent_path());
}

// A product of 2,000,000 flops, and two elementwise kernels of 2,000 bytes each way.
constexpr const char* kRooflineProgram = R"(HloModule m

ENTRY main {
  x = f32[100,100]{1,0} parameter(0)
  product = f32[100,100]{1,0} dot(x, x), lhs_contracting_dims={1}, rhs_contracting_dims={0}
  bent = f32[100,100]{1,0} tanh(product)
  ROOT out = f32[100,100]{1,0} negate(bent)
})";

struct ThreeKernels {
  std::shared_ptr<const Module> module = std::make_shared<const Module>(*readHloText(kRooflineProgram).module);
  OpTimes times;
  InstructionId id(const char* name) const { return module->findInstruction(name).value(); }
  void unit(const char* name, double ns, double flops, double bytes) {
    OpUnit out;
    out.facts.instruction = id(name);
    out.facts.name = out.facts.scope = name;
    out.facts.opcode = name == std::string("product") ? "dot" : "elementwise";
    out.count = 1, out.selfNs = out.totalNs = ns;
    out.flops = flops, out.bytes = bytes, out.type = "f32";
    times.units.push_back(out);
  }
  ThreeKernels() {
    unit("product", 40000, 2e6, 120000);
    unit("bent", 16000, 10000, 80000);
    unit("out", 24000, 10000, 80000);
    times.totalNs = 80000;
  }
};

TEST(Roofline, DotsAreKernelsOrGroups) {
  ThreeKernels run;
  const auto dots = rooflineDots(run.times, kDevice, OpGrouping::None);
  ASSERT_EQ(dots.size(), 3u);
  EXPECT_EQ(dots[0].name, "product");
  EXPECT_DOUBLE_EQ(dots[0].predictedNs, 20000);
  EXPECT_EQ(dots[0].bound, BoundBy::Compute);
  EXPECT_DOUBLE_EQ(dots[0].rate(), 50);
  EXPECT_EQ(dots[1].bound, BoundBy::Memory);
  const auto groups = rooflineDots(run.times, kDevice, OpGrouping::Opcode);
  ASSERT_EQ(groups.size(), 2u);
  EXPECT_DOUBLE_EQ(groups[0].measuredNs, 40000);
  EXPECT_DOUBLE_EQ(groups[1].predictedNs, 16000);
  EXPECT_EQ(groups[1].instructions.size(), 2u);
}

TEST(Roofline, TheErrorIsThatOfTheOtherKernels) {
  ThreeKernels run;
  const auto dots = rooflineDots(run.times, kDevice, OpGrouping::None);
  const ModelError all = modelError(dots);
  EXPECT_EQ(all.kernels, 3u);
  EXPECT_DOUBLE_EQ(all.median, 2);
  EXPECT_DOUBLE_EQ(all.high, 3);
  const InstructionId without[] = {run.id("out")};
  EXPECT_EQ(modelError(dots, without).kernels, 2u);
  EXPECT_EQ(modelError({}).kernels, 0u);
  EXPECT_EQ(all.doubt(), "");
}

TEST(Roofline, PeaksThatKernelsExceedAreDoubted) {
  ThreeKernels run;
  DevicePeaks slow = kDevice;
  slow.flopsPerSecond["f32"] /= 4;
  const ModelError error = modelError(rooflineDots(run.times, slow, OpGrouping::None));
  EXPECT_EQ(error.faster, 1u) << "the product";
  EXPECT_NE(error.doubt().find("1 kernel is faster than the peaks allow"), std::string::npos);
}

TEST(Roofline, AnotherTypeHalvesBytesAndTime) {
  ThreeKernels run;
  const InstructionId chosen[] = {run.id("bent")};
  const auto answer = whatIf(*run.module, run.times, kDevice, chosen, {.type = "bf16"});
  ASSERT_TRUE(answer) << answer.error().toString();
  EXPECT_DOUBLE_EQ(answer->before.measuredNs, 16000);
  EXPECT_DOUBLE_EQ(answer->after.bytes, 40000);
  EXPECT_DOUBLE_EQ(answer->expectedNs, 8000);
  EXPECT_EQ(answer->error.kernels, 2u);
  EXPECT_FALSE(whatIf(*run.module, run.times, kDevice, chosen, {.type = "s32"}));
  const auto unknown = whatIf(*run.module, run.times, kDevice, chosen, {.type = "f64"});
  ASSERT_TRUE(unknown);
  EXPECT_EQ(unknown->notes.size(), 1u);
}

TEST(Roofline, OneKernelOfTwoWritesNothingBetween) {
  ThreeKernels run;
  const InstructionId both[] = {run.id("bent"), run.id("out")};
  const auto one = whatIf(*run.module, run.times, kDevice, both, {.edges = KernelEdges::One});
  ASSERT_TRUE(one);
  EXPECT_EQ(one->before.name, "out and 1 more") << "both kernels' time is told";
  EXPECT_DOUBLE_EQ(one->before.bytes, 160000);
  EXPECT_DOUBLE_EQ(one->after.bytes, 80000);
  EXPECT_DOUBLE_EQ(one->expectedNs, 20000);  // half of both
  const auto each = whatIf(*run.module, run.times, kDevice, both, {.edges = KernelEdges::Each});
  ASSERT_TRUE(each);
  EXPECT_DOUBLE_EQ(each->after.bytes, 160000);
  const InstructionId all[] = {run.id("x"), run.id("product"), run.id("bent"), run.id("out")};
  const auto whole = whatIf(*run.module, run.times, kDevice, all, {.edges = KernelEdges::One});
  ASSERT_TRUE(whole);
  EXPECT_DOUBLE_EQ(whole->after.bytes, 80000) << "an argument is read, also where it is selected";
  const InstructionId nothing[] = {run.id("x")};
  EXPECT_FALSE(whatIf(*run.module, run.times, kDevice, nothing, {}));
  run.times.units[2].selfNs = 0.1;  // what is counted of a kernel may be next to nothing
  const InstructionId little[] = {run.times.units[2].facts.instruction};
  EXPECT_FALSE(whatIf(*run.module, run.times, kDevice, little, {}));
}

}  // namespace
}  // namespace tessera
