// Our pipeline over a training step, pass by pass: the history of multiplies that end in fusions, from the first pass
// to the last.
#include <gtest/gtest.h>

#include "core/formats/hlo_text.h"
#include "core/ops/inference/infer.h"
#include "core/tools/find_instruction.h"
#include "core/tools/passes/pass_history.h"
#include "tests/corpus/corpus.h"

namespace tessera {
namespace {

// Without the numbers that passes give to what they make: "%mul.142.t867" is "%mul.142.t".
std::string withoutNumbersOfPasses(const std::string& text) {
  std::string out;
  for (size_t i = 0; i < text.size(); ++i) {
    out += text[i];
    if (!out.ends_with(".t")) continue;
    while (i + 1 < text.size() && text[i + 1] >= '0' && text[i + 1] <= '9') ++i;
  }
  return out;
}

class PassHistory : public testing::Test {
 protected:
  void SetUp() override {
    ReadResult read = readHloText(slurp(corpusTexts() / "lenet_train/before.hlo"));
    ASSERT_TRUE(read.module);
    ASSERT_EQ(errorsOf(inferModule(*read.module)), "");
    trail_ = PassTrail::ofPipeline(*read.module);
    ASSERT_TRUE(trail_) << trail_.error().toString();
  }

  InstructionHistory historyOfNamed(const char* name) {
    const auto start = trail_->moduleAt(0);
    auto out = historyOf(*trail_, 0, *instructionNamed(**start, name));
    EXPECT_TRUE(out) << out.error().toString();
    return *std::move(out);
  }

  // "fuse: fused into %fusion.t", a line an event.
  std::string textOf(const InstructionHistory& history) {
    std::string out;
    for (const PassEvent& event : history.events)
      out += trail_->moments()[event.moment].pass + ": " + withoutNumbersOfPasses(event.words) + "\n";
    return out;
  }

  // It is one multiplication all the way, unchanged where no event is told, and in the fusion that the last one names.
  void expectOneMultiply(const InstructionHistory& history, const char* lastFusion) {
    const std::string first = shapeAt(history, 0);
    for (size_t moment = 0; moment < history.ids.size(); ++moment) {
      const auto module = trail_->moduleAt(moment);
      ASSERT_TRUE(module && (*module)->contains(history.ids[moment])) << moment;
      const Instruction& in = (*module)->at(history.ids[moment]);
      EXPECT_EQ(in.opcode, Opcode::Multiply) << moment;
      EXPECT_EQ(shapeAt(history, moment), first) << moment;
    }
    const auto last = trail_->moduleAt(history.ids.size() - 1);
    const ComputationId inside = (*last)->at(history.ids.back()).computation;
    const auto fusion = instructionNamed(**last, lastFusion);
    ASSERT_TRUE(fusion) << lastFusion;
    EXPECT_EQ((*last)->callees((*last)->at(*fusion)), std::vector{inside});
  }

  Result<PassTrail> trail_ = fail(ErrorKind::Input, "there is none yet");

 private:
  std::string shapeAt(const InstructionHistory& history, size_t moment) {
    const auto module = trail_->moduleAt(moment);
    return module ? toString(withoutLayout((*module)->shapeOf(history.ids[moment]))) : std::string("unreadable");
  }
};

// The name behind "into %".
std::string fusionIn(const std::string& words) { return words.substr(words.find("into %") + 6); }

TEST_F(PassHistory, OfAGradientThatIsRelaidAndFusedTwice) {
  const InstructionHistory history = historyOfNamed("mul.148");
  EXPECT_EQ(textOf(history),
            ": there from the start\n"
            "assign-layouts: relaid: layout f32[400,120]{0,1} → f32[400,120]{1,0}\n"
            "simplify: rewired: operand 0: %transpose.5 → %dot.t\n"
            "fuse: fused into %fusion.t\n"
            "fuse-siblings: fused into %fusion.t\n");
  expectOneMultiply(history, fusionIn(history.events.back().words).c_str());
}

TEST_F(PassHistory, OfWhatIsInlinedBeforeItIsFused) {
  const InstructionHistory history = historyOfNamed("mul.36");
  EXPECT_EQ(textOf(history),
            ": there from the start\n"
            "inline-calls: moved from %log_softmax_1.13 to %main.23\n"
            "simplify: rewired: operand 1: %jvp_jit_log_softmax__.6 → %exp.1.t\n"
            "fuse: fused into %fusion.t\n");
  expectOneMultiply(history, fusionIn(history.events.back().words).c_str());
}

}  // namespace
}  // namespace tessera
