// The run time of programs compiled ahead of time, on programs written by hand: steps come back from their fields, a
// processor that lacks something is told so, bytes that are no plan are refused.
#include <gtest/gtest.h>

#include <array>

#include "backends/runtime/processor.h"
#include "backends/runtime/program.h"
#include "tests/support/skips.h"

namespace tessera::cpu {
namespace {

extern "C" Step* tessera_step_copy(FieldReader& in);

struct HandMade {
  std::string features, plan;
  std::vector<StepLoader> loaders;
  ProgramSlot slots[2] = {{ProgramSlotKind::Argument, 0, nullptr}, {ProgramSlotKind::Result, 0, nullptr}};
  ProgramArray array = {8, 4, -1, 0};

  Program program() {
    return {kProgramVersion,
            features.c_str(),
            nullptr,
            slots,
            2,
            plan.data(),
            plan.size(),
            loaders.data(),
            loaders.size(),
            &array,
            1,
            &array,
            1,
            0,
            0,
            1,
            1,
            1,
            nullptr,
            nullptr};
  }
};

HandMade copyProgram(int64_t bytes = 8) {
  Sequence sequence;
  sequence.steps.push_back(std::make_unique<CopyStep>(0, 1, bytes));
  FieldWriter out;
  out(sequence);
  EXPECT_EQ(out.loaders, std::vector<std::string>{"tessera_step_copy"});
  HandMade made;
  made.plan = out.bytes;
  made.loaders = {tessera_step_copy};
  return made;
}

struct Answered {
  int answer;
  std::string error;
  std::array<float, 2> result;
};

Answered run(Program& program) {
  const float from[2] = {1.5f, -2};
  Answered out{-1, "", {}};
  const void* arguments[] = {from};
  void* results[] = {out.result.data()};
  char error[60] = "";
  out.answer = tessera_program_run(arguments, results, nullptr, error, sizeof error, &program);
  out.error = error;
  return out;
}

TEST(RuntimeProgram, StepsComeBackFromTheirFields) {
  HandMade made = copyProgram();
  Program program = made.program();
  for (int i = 0; i < 2; ++i) {
    const Answered out = run(program);
    EXPECT_EQ(out.answer, kProgramFine) << out.error;
    EXPECT_EQ(out.result, (std::array<float, 2>{1.5f, -2}));
  }
}

// Of an array without bytes nothing is asked; of all others an address, aligned to an element.
TEST(RuntimeProgram, EveryArrayWithBytesHasAnAddress) {
  HandMade made = copyProgram(0);
  const auto answerTo = [&](const ProgramArray& array, const void* from, void* to) {
    made.array = array;
    Program program = made.program();
    const void* arguments[] = {from};
    void* results[] = {to};
    char error[60] = "";
    const int answer = tessera_program_run(arguments, results, nullptr, error, sizeof error, &program);
    return std::pair(answer, std::string(error));
  };
  using Answer = std::pair<int, std::string>;
  alignas(4) char memory[16] = {};
  EXPECT_EQ(answerTo({0, 4, -1, 0}, nullptr, nullptr), Answer(kProgramFine, ""));
  EXPECT_EQ(answerTo({1, 1, -1, 0}, nullptr, memory), Answer(kProgramArgument, "argument 0 is null"));
  EXPECT_EQ(answerTo({8, 4, -1, 0}, memory, nullptr), Answer(kProgramArgument, "result 0 is null"));
  EXPECT_EQ(answerTo({8, 4, -1, 0}, memory, memory + 9),
            Answer(kProgramArgument, "result 0 is not aligned to 4 bytes"));
}

TEST(RuntimeProgram, AProcessorThatLacksSomething) {
  std::string lacking;
  for (const char* name : {"avx512fp16", "avxvnni", "avx512bf16", "avx512f", "avx2"})
    if (lacking.empty()) lacking = lackingFeature(name);
  if (lacking.empty()) TESSERA_SKIP("processor-has-everything");
  HandMade made = copyProgram();
  made.features = "sse3,cmov," + lacking;
  Program program = made.program();
  const Answered out = run(program);
  EXPECT_EQ(out.answer, kProgramProcessor);
  EXPECT_EQ(out.error,
            ("the program was compiled for processors with " + lacking + ", which this one lacks").substr(0, 59));
}

TEST(RuntimeProgram, BytesThatAreNoPlan) {
  const HandMade whole = copyProgram();
  for (size_t length = 0; length < whole.plan.size(); ++length) {
    HandMade made = whole;
    made.plan.resize(length);
    Program program = made.program();
    EXPECT_EQ(run(program).answer, kProgramFailed) << length;
  }
  HandMade made = whole;
  made.plan[8] = 7;  // a loader that is not there
  Program program = made.program();
  EXPECT_EQ(run(program).answer, kProgramFailed);
  Program older = made.program();
  older.version = 0;
  EXPECT_EQ(run(older).error, "the run-time library is of another version than the program");
}

TEST(RuntimeProcessor, FeaturesThatItDoesNotKnowAreNotMissed) {
  EXPECT_EQ(lackingFeature(""), "");
  EXPECT_EQ(lackingFeature("nosuchfeature,sse3"), "");
}

}  // namespace
}  // namespace tessera::cpu
