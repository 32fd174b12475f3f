// XLA's profiles: every event of the corpus' lands, with sums that a walk of the test's own over the protobuf finds;
// made-up ones of several hosts, runs and devices.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>

#include "core/formats/file_content.h"
#include "core/formats/hlo_text.h"
#include "core/formats/protobuf.h"
#include "core/profile/device_peaks.h"
#include "core/profile/op_times.h"
#include "core/profile/sources/profile_source.h"
#include "core/profile/timeline.h"
#include "tests/unit/profile/xplane_hand.h"

namespace tessera::xplane {
namespace {

class CorpusProfile : public testing::TestWithParam<const char*> {};

TEST_P(CorpusProfile, EveryEventLandsAndTheSumsAreThoseOfTheProtobuf) {
  const fs::path path = kProfiles / (std::string(GetParam()) + ".xplane.pb.zst");
  const auto walked = walkedOps(*readFile(path));
  ASSERT_GT(walked.size(), 10u);
  const auto profile = readProfileSource(path);
  ASSERT_TRUE(profile) << profile.error().toString();
  EXPECT_EQ(profile->instructions.size(), walked.size());
  int64_t totalPs = 0;
  for (const auto& [name, op] : walked) {
    totalPs += op.totalPs;
    const InstructionTime* row = rowOf(*profile, name);
    ASSERT_TRUE(row) << name;
    EXPECT_EQ(row->times.count, op.count) << name;
    EXPECT_NEAR(row->times.totalNs, op.totalPs / 1000.0, 1) << name;
    EXPECT_NEAR(row->times.minNs, op.minPs / 1000.0, 1) << name;
    EXPECT_FALSE(row->computation.empty()) << name;
    EXPECT_LE(row->times.minNs, row->times.medianNs);
    EXPECT_LE(row->times.medianNs, row->times.p99Ns);
  }
  EXPECT_NEAR(profile->totalNs, totalPs / 1000.0, walked.size());
  EXPECT_EQ(profile->placedNs, profile->totalNs);
  EXPECT_EQ(profile->unmatchedNs, 0);
  EXPECT_EQ(profile->steps, 20);
}
INSTANTIATE_TEST_SUITE_P(, CorpusProfile, testing::Values("nbody", "lenet_train", "gpt_tiny_train"));

TEST_F(XplaneProfile, ChromeTraceSaysTheSameAsXplane) {
  const auto xplane = readProfileSource(kProfiles / "nbody.xplane.pb.zst");
  const auto trace = readProfileSource(kProfiles / "nbody.trace.json.zst", xplane->modules.at(0).module);
  ASSERT_TRUE(trace) << trace.error().toString();
  EXPECT_EQ(trace->unmatchedNs, 0);
  EXPECT_EQ(trace->steps, xplane->steps);
  ASSERT_EQ(trace->instructions.size(), xplane->instructions.size());
  for (const InstructionTime& row : xplane->instructions) {
    const InstructionTime* other = rowOf(*trace, row.name);
    ASSERT_TRUE(other) << row.name;
    EXPECT_EQ(other->times.count, row.times.count);
    EXPECT_NEAR(other->times.totalNs, row.times.totalNs, 1);
    EXPECT_EQ(other->computation, row.computation);
    EXPECT_EQ(other->flops, row.flops);
  }
}

TEST_F(XplaneProfile, TwoHostsThreeRunsGpuPlanesAndUnknownEvents) {
  const std::string proto = protoOf(kLoopModule);
  for (const char* run : {"run_1", "run_2", "run_3"})
    for (int host = 0; host < 2; ++host) {
      PlaneBytes gpu("/device:GPU:0");
      const int64_t program = 5 + host;  // every process numbers its programs again
      gpu.line("Stream #7(Compute)", {gpu.op("neg.1", "jit_step", program, 0, 1'000'000),
                                      gpu.op("exp.2", "jit_step", program, 2'000'000, 3'000'000),
                                      gpu.event("mystery_kernel", 6'000'000, 500'000)});
      gpu.line("Stream #8(MemcpyH2D)", {gpu.event("MemcpyH2D", 0, 250'000)});
      PlaneBytes cpu("/host:CPU");
      cpu.line("python", {cpu.event("step", 0, 9'000'000, {cpu.stat("step_num", 4)}),
                          cpu.event("cuLaunchKernel", 0, 700'000,
                                    {cpu.reference("hlo_op", "neg.1"), cpu.stat("correlation_id", 3)})});
      PlaneBytes metadata("/host:metadata");
      metadata.module("jit_step", program, proto);
      write(std::string("logs/plugins/profile/") + run + "/host" + std::to_string(host) + ".xplane.pb",
            spaceBytes({metadata, cpu, gpu}));
    }
  const auto all = readProfileSource(scratch_ / "logs");
  ASSERT_TRUE(all) << all.error().toString();
  EXPECT_EQ(all->hosts, (std::vector<std::string>{"host0", "host1"}));
  EXPECT_EQ(all->runs, (std::vector<std::string>{"run_1", "run_2", "run_3"}));
  EXPECT_EQ(all->steps, 3);  // the same step on both hosts
  const auto notesOf = [&](const std::string& host) {
    return readProfileSource(scratch_ / "logs", nullptr, {.host = host, .timeline = true})->timeline->notes;
  };
  EXPECT_EQ(notesOf(""), (std::vector<std::string>{"2 hosts, each by its own clock: how those differ is not known"}));
  EXPECT_EQ(notesOf("host0"), std::vector<std::string>());
  ASSERT_EQ(all->instructions.size(), 2u);
  EXPECT_EQ(rowOf(*all, "neg.1")->times.count, 6);  // the launch is no second run of it
  EXPECT_EQ(rowOf(*all, "neg.1")->times.totalNs, 6 * 1000);
  EXPECT_EQ(rowOf(*all, "exp.2")->times.totalNs, 6 * 3000);
  EXPECT_EQ(all->placedNs, 6 * 4000);
  EXPECT_EQ(all->unmatchedNs, 6 * 750);
  EXPECT_EQ(all->totalNs, 6 * 4750);
  ASSERT_EQ(all->unmatched.size(), 2u);
  EXPECT_EQ(all->unmatched[0].name, "mystery_kernel");
  EXPECT_FALSE(all->unmatched[0].reason.empty());

  const auto one = readProfileSource(scratch_ / "logs/plugins/profile", nullptr, {"host1", "run_2"});
  ASSERT_TRUE(one) << one.error().toString();
  EXPECT_EQ(one->totalNs, 4750);
  const auto none = readProfileSource(scratch_ / "logs", nullptr, {"host9", ""});
  ASSERT_FALSE(none);
  EXPECT_NE(none.error().toString().find("hosts host0, host1"), std::string::npos) << none.error().toString();
}

// Protobuf writes the entries of a map, here of the schedule, in any order; a module's id counts within its process.
TEST_F(XplaneProfile, RunsOfOneModuleAreAddedUpHoweverItsMessageIsWritten) {
  const auto scheduleEntry = [](int64_t computation) {
    return bytesField(1, numberField(1, computation) + bytesField(2, bytesField(1, varintBytes(1))));
  };
  const std::string proto = protoOf(kLoopModule), first = scheduleEntry(71), second = scheduleEntry(72);
  const auto moduleWith = [&](const std::string& sequences, int64_t id) {
    return proto + bytesField(1, numberField(5, id) + bytesField(7, sequences));
  };
  const std::vector<std::string> runs = {moduleWith(first + second, 1), moduleWith(second + first, 2)};
  for (size_t run = 0; run < runs.size(); ++run) {
    PlaneBytes gpu("/device:GPU:0"), metadata("/host:metadata");
    gpu.line("Stream #7(Compute)", {gpu.op("neg.1", "jit_step", 5, 0, 1'000'000)});
    metadata.module("jit_step", 5, runs[run]);
    write("logs/plugins/profile/run_" + std::to_string(run) + "/host.xplane.pb", spaceBytes({metadata, gpu}));
  }
  const auto all = readProfileSource(scratch_ / "logs");
  ASSERT_TRUE(all) << all.error().toString();
  EXPECT_EQ(all->modules.size(), 1u);
  ASSERT_EQ(all->instructions.size(), 1u);
  EXPECT_EQ(all->instructions[0].times.count, 2);
}

// Times of a run count from its start, which XLA writes beside them.
TEST_F(XplaneProfile, RunsOfOneThreadAreOneTrackWhereTheirStartsAreKnown) {
  const auto tracksOf = [&](const std::string& folder, bool haveStarts) {
    for (int run = 0; run < 2; ++run) {
      PlaneBytes cpu("/host:CPU"), task("Task Environment");
      cpu.line("python", {cpu.event("step", 0, 9'000'000)}, 7000);
      cpu.line("python", {cpu.event("other thread", 0, 9'000'000)}, 7000);
      const int64_t start = 1'800'000'000'000'000'000 + run * 1'000'000'000LL;
      if (haveStarts) task.planeStat("profile_start_time", start);
      write(folder + "/plugins/profile/run_" + std::to_string(run) + "/a.xplane.pb", spaceBytes({cpu, task}));
    }
    const auto read = readProfileSource(scratch_ / folder, nullptr, {.timeline = true});
    EXPECT_TRUE(read && read->timeline);
    std::string out;
    for (const TimelineTrack& track : read->timeline->tracks) {
      out += track.process + " " + track.name + ":";
      for (const TimelineLane& lane : track.lanes)
        for (const TimelineSpan& span : lane.spans()) out += " " + std::to_string(span.beginNs);
      out += "\n";
    }
    return out;
  };
  EXPECT_EQ(tracksOf("known", true), "a /host:CPU python: 0 1000000000\na /host:CPU python: 0 1000000000\n");
  EXPECT_EQ(tracksOf("unknown", false),
            "a /host:CPU python, run run_0: 0\na /host:CPU python, run run_0: 0\n"
            "a /host:CPU python, run run_1: 0\na /host:CPU python, run run_1: 0\n");
}

TEST_F(XplaneProfile, TpuOpsAreNamedByTheirTextAndNested) {
  PlaneBytes tpu("/device:TPU:0");
  tpu.line("XLA Modules", {tpu.event("jit_step(77)", 0, 100'000)});
  tpu.line("Steps", {tpu.event("3", 0, 50'000), tpu.event("4", 50'000, 50'000)});
  tpu.line("XLA Ops", {tpu.event("%loop = (s32[], f32[8]) while(%init)", 0, 10'000),
                       tpu.event("%twice = f32[8] add(%x, %x)", 1'000, 2'000),
                       tpu.event("%twice = f32[8] add(%x, %x)", 4'000, 2'000)});
  tpu.line("Framework Name Scope", {tpu.event("jit(step)", 0, 10'000)});
  const OpProfile profile = profileOf({metadataOf(kLoopModule, 77), tpu});
  EXPECT_EQ(profile.steps, 2);
  ASSERT_EQ(profile.instructions.size(), 2u);
  EXPECT_EQ(rowOf(profile, "loop")->times.totalNs, 10);
  EXPECT_EQ(rowOf(profile, "loop")->times.selfNs, 6);
  EXPECT_EQ(rowOf(profile, "twice")->computation, "body");
  EXPECT_EQ(rowOf(profile, "twice")->flops, 16);
  EXPECT_EQ(rowOf(profile, "loop")->flops, 0);  // its body has times of its own
  EXPECT_EQ(profile.totalNs, 14);
  EXPECT_EQ(profile.selfNs, 10);
  EXPECT_EQ(profile.unmatchedNs, 0);
}

// The roofs of a device that the table knows, and of one that the profile alone knows.
TEST_F(XplaneProfile, TheDeviceIsWhatItsPlaneSays) {
  const auto deviceOf = [&](const std::string& name) {
    PlaneBytes tpu("/device:TPU:0");
    tpu.line("XLA Ops", {tpu.event("%twice = f32[8] add(%x, %x)", 1'000, 2'000)});
    tpu.planeStat("device_type_string", name);
    tpu.planeStat("peak_teraflops_per_second", 1028);
    tpu.planeStat("peak_hbm_bw_gigabytes_per_second", 3690);
    return profileOf({metadataOf(kLoopModule, 77), tpu}).device;
  };
  ASSERT_TRUE(deviceOf("TPU v5 lite"));
  EXPECT_EQ(deviceOf("TPU v5 lite")->name, "Google TPU v5e");
  EXPECT_EQ(deviceOf("TPU v6 Lite")->name, "Google TPU v6e");
  const auto other = deviceOf("TPU of tomorrow");
  ASSERT_TRUE(other);
  EXPECT_EQ(other->name, "TPU of tomorrow");
  EXPECT_EQ(other->flopsPerSecond.at("bf16"), 1028e12);
  EXPECT_EQ(other->bytesPerSecond, 3690e9);
  EXPECT_FALSE(deviceOf(""));
}

// jax marks a step on the host where it is launched; the device is still at work when that ends.
TEST_F(XplaneProfile, StepsThatADeviceMarksGoBeforeTheHosts) {
  PlaneBytes cpu("/host:CPU"), tpu("/device:TPU:0");
  cpu.line("python", {cpu.event("train", 0, 1'000, {cpu.stat("step_num", 0)}),
                      cpu.event("train", 2'000, 1'000, {cpu.stat("step_num", 1)}),
                      cpu.event("train", 4'000, 1'000, {cpu.stat("step_num", 2)})});
  tpu.line("XLA Modules", {tpu.event("jit_step(77)", 0, 100'000)});
  tpu.line("Steps", {tpu.event("3", 0, 50'000), tpu.event("4", 50'000, 50'000)});
  std::vector<std::string> ops = {tpu.event("%twice = f32[8] add(%x, %x)", 1'000, 2'000)};
  for (int64_t i = 0; i < 6; ++i) ops.push_back(tpu.event("%gone = f32[8] add(%x, %x)", 4'000 + i * 3'000, 2'000));
  tpu.line("XLA Ops", ops);
  const OpProfile profile = profileOf({metadataOf(kLoopModule, 77), cpu, tpu});
  ASSERT_EQ(opTimesOf(profile, nullptr).lost.size(), 1u);
  EXPECT_EQ(opTimesOf(profile, nullptr).lost[0].times.count, 3) << "of one step, as its time";
  EXPECT_EQ(profile.steps, 2);
  EXPECT_EQ(profile.stepTimes.count, 2);
  EXPECT_EQ(profile.stepTimes.minNs, 50);
}

// Kernels that a graph launches carry no annotation.
TEST_F(XplaneProfile, KernelsWithoutAnInstructionAreFoundByTheirNames) {
  PlaneBytes gpu("/device:GPU:0"), metadata = metadataOf(kLoopModule, 77);
  gpu.line("Stream #7(Compute)", {gpu.op("neg.1", "jit_step", 77, 0, 1'000), gpu.event("exp_2", 2'000, 3'000),
                                  gpu.event("MemcpyH2D", 6'000, 500)});
  const OpProfile profile = profileOf({metadata, gpu});
  ASSERT_TRUE(rowOf(profile, "exp.2"));
  EXPECT_EQ(rowOf(profile, "exp.2")->times.totalNs, 3);
  EXPECT_EQ(profile.unmatched.size(), 1u);

  std::string other = kLoopModule;
  other.replace(other.find("jit_step"), 8, "jit_eval");
  metadata.module("jit_eval", 78, protoOf(other));
  const OpProfile both = profileOf({metadata, gpu});
  EXPECT_EQ(both.placedNs, 1);
  EXPECT_TRUE(mentions({both.unmatched.at(0).reason}, "2 modules of the profile have such a kernel"));
}

// Each event is found without a look at its whole module: else this one takes minutes.
TEST_F(XplaneProfile, AModuleOfManyInstructionsIsReadOnce) {
  constexpr int kCount = 20'000;
  std::string text = "HloModule jit_step\n\nENTRY main {\n  n.0 = f32[8] parameter(0)\n";
  PlaneBytes cpu("/host:CPU");
  std::vector<std::string> events;
  for (int i = 1; i <= kCount; ++i) {
    text += fmt::format("  {}n.{} = f32[8] negate(n.{})\n", i == kCount ? "ROOT " : "", i, i - 1);
    events.push_back(cpu.op(fmt::format("n.{}", i), "jit_step", 1, int64_t{i} * 2'000, 1'000));
  }
  cpu.line("t", events);
  const OpProfile profile = profileOf({metadataOf(text + "}\n", 1), cpu});
  EXPECT_EQ(profile.placedNs, kCount);
  EXPECT_EQ(profile.unmatchedNs, 0);
}

TEST_F(XplaneProfile, ModulesOfOneNameAreToldApartByProgram) {
  std::string other = kLoopModule;
  other.replace(other.find("neg.1 = f32[8] negate"), 21, "neg.1 = f32[8] cosine");
  PlaneBytes metadata("/host:metadata");
  metadata.module("jit_step", 1, protoOf(kLoopModule));
  metadata.module("jit_step", 2, protoOf(other));
  PlaneBytes cpu("/host:CPU");
  cpu.line("t", {cpu.op("neg.1", "jit_step", 2, 0, 5000), cpu.op("neg.1", "jit_step", 1, 6000, 7000),
                 cpu.event("neg.1", 20'000, 9000,
                           {cpu.reference("hlo_op", "neg.1"), cpu.reference("hlo_module", "jit_step")})});
  const OpProfile profile = profileOf({metadata, cpu});
  ASSERT_EQ(profile.instructions.size(), 2u);
  EXPECT_EQ(profile.instructions[0].opcode, "negate");
  EXPECT_EQ(profile.instructions[0].times.totalNs, 7);
  EXPECT_EQ(profile.instructions[1].opcode, "cosine");
  EXPECT_EQ(profile.unmatchedNs, 9);
  EXPECT_NE(profile.unmatched.at(0).reason.find("2 modules are called jit_step"), std::string::npos);
}

// On the graph of one of them lie its own times, whether it is given or comes from the profile.
TEST_F(XplaneProfile, OfModulesOfOneNameEachHasItsTimes) {
  std::string other = kLoopModule;
  other.replace(other.find("neg.1 = f32[8] negate"), 21, "neg.1 = f32[8] cosine");
  PlaneBytes metadata("/host:metadata"), cpu("/host:CPU");
  metadata.module("jit_step", 1, protoOf(kLoopModule));
  metadata.module("jit_step", 2, protoOf(other));
  cpu.line("t", {cpu.op("neg.1", "jit_step", 2, 0, 5000, 71), cpu.op("neg.1", "jit_step", 1, 6000, 7000, 72)});
  const fs::path path = write("made.xplane.pb", spaceBytes({metadata, cpu}));
  const OpProfile profile = *readProfileSource(path);
  EXPECT_EQ(longestModule(profile)->program, 1u);
  EXPECT_EQ(profile.steps, 1) << "each ran once";
  const std::vector<GroupTime> modules = groupedBy(profile, ProfileGroup::Module);
  ASSERT_EQ(modules.size(), 2u);
  EXPECT_EQ(modules[0].name, "jit_step (program 1)");
  EXPECT_EQ(modules[1].name, "jit_step (program 2)");
  for (const auto& [text, ns] : {std::pair(std::string(kLoopModule), 7), std::pair(other, 5)}) {
    const auto module = std::make_shared<const Module>(*readProto(protoOf(text), "m").module);
    const Profile laid = toProfile(profile, *module);
    ASSERT_EQ(laid.sources.size(), 1u);
    EXPECT_EQ(laid.sources[0].timeNs, ns);
    size_t placed = 0;
    for (const OpUnit& unit : opTimesOf(profile, module).units) placed += unit.facts.instruction.valid() ? 1 : 0;
    EXPECT_EQ(placed, 1u);
    const OpProfile given = *readProfileSource(path, module);
    EXPECT_EQ(given.placedNs, ns);
    EXPECT_TRUE(mentions({given.unmatched.at(0).reason}, "another module that is called jit_step"));
  }
  std::string third = kLoopModule;
  third.replace(third.find("neg.1 = f32[8] negate"), 21, "neg.1 = f32[8] sine");
  const OpProfile all = *readProfileSource(path, std::make_shared<const Module>(*readHloText(third).module));
  EXPECT_EQ(all.placedNs, 0);
  EXPECT_EQ(all.unmatchedNs, 12);
  EXPECT_TRUE(mentions(all.warnings, "none of the 2 modules jit_step is the given one"));
  EXPECT_TRUE(mentions({all.unmatched.at(0).reason}, "in the profile's module, and sine f32[8] in the given one"));
}

// A step holds each program once where they ran in turns; the runs of one program add up, whatever its number there.
TEST_F(XplaneProfile, AStepIsAnExecutionOfTheProgramThatRanMostOften) {
  std::string other = kLoopModule;
  other.replace(other.find("neg.1 = f32[8] negate"), 21, "neg.1 = f32[8] cosine");
  const auto run = [&](const std::string& name, const std::string& text, int64_t program) {
    PlaneBytes cpu("/host:CPU");
    cpu.line("t",
             {cpu.op("neg.1", "jit_step", program, 0, 5000, 71), cpu.op("neg.1", "jit_step", program, 6000, 5000, 72)});
    write("logs/plugins/profile/" + name + "/host.xplane.pb", spaceBytes({metadataOf(text, program), cpu}));
  };
  run("run_1", kLoopModule, 1);
  run("run_2", other, 2);
  EXPECT_EQ(readProfileSource(scratch_ / "logs")->steps, 2);
  run("run_3", kLoopModule, 3);
  const OpProfile all = *readProfileSource(scratch_ / "logs");
  EXPECT_EQ(all.modules.size(), 2u);
  EXPECT_EQ(all.steps, 4);
}

// jax calls every training step jit_step: names alone would lay one program's times on another's instructions.
TEST_F(XplaneProfile, AnotherVersionTakesTheTimesOfWhatItShares) {
  PlaneBytes cpu("/host:CPU");
  cpu.line("t", {cpu.op("neg.1", "jit_step", 1, 0, 5000), cpu.op("exp.2", "jit_step", 1, 6000, 7000)});
  const fs::path path = write("version.xplane.pb", spaceBytes({metadataOf(kLoopModule, 1), cpu}));
  std::string other = kLoopModule;
  other.replace(other.find("neg.1 = f32[8] negate"), 21, "neg.1 = f32[8] cosine");
  const OpProfile profile = *readProfileSource(path, std::make_shared<const Module>(*readHloText(other).module));
  ASSERT_EQ(profile.instructions.size(), 1u);
  EXPECT_EQ(profile.instructions[0].name, "exp.2");
  EXPECT_EQ(profile.placedNs, 7);
  ASSERT_EQ(profile.unmatched.size(), 1u);
  EXPECT_EQ(profile.unmatched[0].reason,
            "it is negate f32[8] in the profile's module, and cosine f32[8] in the given one");
  EXPECT_TRUE(mentions(profile.warnings, "the module jit_step of the profile is not the given one"));
}

TEST_F(XplaneProfile, NamesThatMatchTwiceAreNotGuessed) {
  // `i` is in the loop's body and in its condition, which both run.
  PlaneBytes cpu("/host:CPU");
  cpu.line("t", {cpu.op("i", "jit_step", 1, 0, 5000), cpu.op("gone.9", "jit_step", 1, 6000, 1000)});
  const OpProfile profile = profileOf({metadataOf(kLoopModule, 1), cpu});
  EXPECT_TRUE(profile.instructions.empty());
  EXPECT_EQ(profile.unmatchedNs, 6);
  ASSERT_EQ(profile.unmatched.size(), 2u);
  EXPECT_NE(profile.unmatched[0].reason.find("2 instructions"), std::string::npos) << profile.unmatched[0].reason;
  EXPECT_NE(profile.unmatched[1].reason.find("no such instruction"), std::string::npos);
  const auto module = std::make_shared<const Module>(*readHloText(kLoopModule).module);
  const OpProfile given = *readProfileSource(write("p.xplane.pb", spaceBytes({cpu})), module);
  EXPECT_TRUE(given.instructions.empty());
  EXPECT_TRUE(mentions(given.warnings, "nothing of the profile lands on the module jit_step"));
  EXPECT_FALSE(mentions(given.warnings, "its events are of")) << "they are of that module";
}

TEST_F(XplaneProfile, AnotherModuleThanTheProfiles) {
  PlaneBytes cpu("/host:CPU");
  cpu.line("t", {cpu.op("neg.1", "jit_step", 1, 0, 5000)});
  const fs::path path = write("p.xplane.pb", spaceBytes({metadataOf(kLoopModule, 1), cpu}));
  std::string text = kLoopModule;
  text.replace(text.find("jit_step"), 8, "jit_eval");
  const auto profile = readProfileSource(path, std::make_shared<const Module>(*readHloText(text).module));
  ASSERT_TRUE(profile);
  EXPECT_EQ(profile->placedNs, 0);
  EXPECT_EQ(profile->unmatchedNs, 5);
  EXPECT_TRUE(mentions(profile->warnings, "jit_step")) << "it says what the profile is of";
}

TEST_F(XplaneProfile, NegativeTimesAndClockJumps) {
  PlaneBytes cpu("/host:CPU");
  cpu.line("t", {cpu.op("neg.1", "jit_step", 1, 0, -5000), cpu.op("exp.2", "jit_step", 1, 1000, 10'000),
                 cpu.op("loop", "jit_step", 1, 6000, 20'000), cpu.op("loop", "jit_step", 1, INT64_MAX, INT64_MAX),
                 cpu.op("loop", "jit_step", 1, INT64_MIN, 1000)});
  const OpProfile profile = profileOf({metadataOf(kLoopModule, 1), cpu});
  EXPECT_TRUE(mentions(profile.warnings, "1 event with a negative duration"));
  EXPECT_TRUE(mentions(profile.warnings, "clock jumped"));
  EXPECT_EQ(rowOf(profile, "neg.1")->times.totalNs, 0);
  EXPECT_EQ(rowOf(profile, "exp.2")->times.totalNs, 10);
  EXPECT_EQ(rowOf(profile, "exp.2")->times.selfNs, 5);
  EXPECT_EQ(rowOf(profile, "loop")->times.count, 3);
  for (const InstructionTime& row : profile.instructions) EXPECT_GE(row.times.selfNs, 0);
}

// A line without a clock, and one whose clock is of another day, move nothing of the others.
TEST_F(XplaneProfile, LinesWithAClockOfTheirOwnAreSaid) {
  constexpr int64_t kToday = int64_t{1'764'000'000} * 1'000'000'000;
  for (const int64_t other : {int64_t{0}, 2 * kToday, INT64_MAX, INT64_MIN}) {
    PlaneBytes cpu("/host:CPU"), gpu("/device:GPU:0");
    cpu.line("main", {cpu.op("neg.1", "jit_step", 1, 0, 5000), cpu.op("exp.2", "jit_step", 1, 9000, 5000)}, kToday);
    cpu.line("odd", {cpu.op("neg.1", "jit_step", 1, 0, 7000)}, other);
    gpu.line("stream 1", {gpu.op("loop", "jit_step", 1, 0, 9000)}, kToday + 2);
    gpu.line("stream 2", {gpu.op("loop", "jit_step", 1, 4000, 9000)}, kToday + 1);
    gpu.line("stream 3", {gpu.op("loop", "jit_step", 1, 0, 9000)}, other);
    const auto path = write("made.xplane.pb", spaceBytes({metadataOf(kLoopModule, 1), cpu, gpu}));
    const auto profile = readProfileSource(path, nullptr, {.timeline = true});
    ASSERT_TRUE(profile) << profile.error().toString();
    EXPECT_EQ(profile->totalNs, 5 + 5 + 7 + 3 * 9);
    EXPECT_TRUE(mentions(profile->warnings, "odd of /host:CPU, and what else")) << other;
    const auto beginOf = [&](std::string_view name) {
      const auto track = std::ranges::find(profile->timeline->tracks, name, &TimelineTrack::name);
      return track->lanes[0].spans()[0].beginNs;
    };
    EXPECT_EQ(beginOf("stream 1") - beginOf("main"), 2) << other;
    EXPECT_EQ(beginOf("stream 2") - beginOf("main"), 5) << other;
    EXPECT_LT(profile->timeline->endNs() - profile->timeline->beginNs(), 100) << other;
  }
}

TEST_F(XplaneProfile, EventsMaySayTheirDevice) {
  PlaneBytes cpu("/host:CPU");
  const auto op = [&](int64_t begin, int64_t device) {
    return cpu.event("neg.1", begin, 1000, {cpu.reference("hlo_op", "neg.1"), cpu.stat("device_ordinal", device)});
  };
  cpu.line("thread", {op(0, 3), op(2000, 0), op(4000, INT64_MIN), cpu.op("exp.2", "jit_step", 1, 6000, 1000)});
  const auto path = write("made.xplane.pb", spaceBytes({metadataOf(kLoopModule, 1), cpu}));
  const auto profile = readProfileSource(path, nullptr, {.timeline = true});
  ASSERT_TRUE(profile) << profile.error().toString();
  std::vector<int32_t> devices;
  for (const TimelineSpan& span : profile->timeline->tracks.at(0).lanes.at(0).spans()) devices.push_back(span.device);
  EXPECT_EQ(devices, (std::vector{3, 0, -1, -1}));
}

TEST_F(XplaneProfile, EventsThatStandForMany) {
  PlaneBytes gpu("/device:GPU:0");
  const std::string one = gpu.op("neg.1", "jit_step", 1, 0, 12'000);
  // The same with num_occurrences in the place of the offset.
  std::string many = numberField(1, 1) + numberField(5, 4) + numberField(3, 12'000);
  many += one.substr(numberField(1, 1).size() + numberField(2, 0).size() + numberField(3, 12'000).size());
  gpu.line("Stream #1", {many});
  const OpProfile profile = profileOf({metadataOf(kLoopModule, 1), gpu});
  ASSERT_EQ(profile.instructions.size(), 1u);
  EXPECT_EQ(profile.instructions[0].times.count, 4);
  EXPECT_EQ(profile.instructions[0].times.totalNs, 12);
  EXPECT_EQ(profile.instructions[0].times.minNs, 3);
}

// A terminal obeys control characters.
TEST_F(XplaneProfile, NamesAreOneLineEach) {
  PlaneBytes cpu("/host:\x1b[2JCPU");
  cpu.line("t", {cpu.op("no\nsuch\x1b[31m", "jit_step", 1, 0, 5000), cpu.op("exp.2", "jit_step", 1, 10'000, 5000)});
  const std::string host = bytesField(4, "vm\n\x1b[1m");
  const auto profile = readProfileSource(write("made.xplane.pb", spaceBytes({metadataOf(kLoopModule, 1), cpu}) + host));
  ASSERT_TRUE(profile) << profile.error().toString();
  EXPECT_EQ(profile->hosts, std::vector<std::string>{"vm  [1m"});
  ASSERT_EQ(profile->unmatched.size(), 1u);
  EXPECT_EQ(profile->unmatched[0].name, "no such [31m");
  EXPECT_EQ(profile->unmatched[0].where, "/host: [2JCPU");
  EXPECT_TRUE(rowOf(*profile, "exp.2"));
}

}  // namespace
}  // namespace tessera::xplane
