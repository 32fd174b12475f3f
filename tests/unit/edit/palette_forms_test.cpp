// Forms and blocks of the palette that people know as layers, array functions and steps of training: each placed by the
// line that a person types, run, and held against a formula.
#include <gtest/gtest.h>

#include <cmath>

#include "core/arrange/arrangement.h"
#include "tests/unit/edit/palette_run.h"

namespace tessera {
namespace {

using palette_run::expectNear;
using palette_run::firstTitle;
using palette_run::given;
using palette_run::Numbers;
using palette_run::Palette;

TEST(PaletteForms, AnExactNameComesFirst) {
  EXPECT_EQ(firstTitle("dot"), "dot");
  for (const char* word : {"linear", "dense", "fc", "fully connected"})
    EXPECT_EQ(firstTitle(word), "linear block") << word;
  EXPECT_EQ(firstTitle("softmax"), "softmax block");
  EXPECT_EQ(firstTitle("attention"), "attention block");
  EXPECT_EQ(firstTitle("layer norm"), "layer norm block");
  EXPECT_EQ(firstTitle("batch norm"), "batch norm block");
  EXPECT_EQ(firstTitle("cross entropy"), "cross entropy block");
  EXPECT_EQ(firstTitle("topk"), "topk");
  EXPECT_EQ(firstTitle("convolution"), "convolution");
  const std::pair<const char*, const char*> words[] = {{"conv2d same", "convolution same"},
                                                       {"embedding", "embedding"},
                                                       {"one hot", "one-hot"},
                                                       {"onehot", "one-hot"},
                                                       {"argmax", "arg-max"},
                                                       {"cumsum", "cumulative sum"},
                                                       {"unsqueeze", "expand dims"},
                                                       {"maxpool", "max pool"},
                                                       {"avg_pool", "average pool"},
                                                       {"mse", "mse block"},
                                                       {"adam", "adam block"},
                                                       {"sgd", "sgd block"},
                                                       {"dropout", "dropout block"},
                                                       {"bqd,bkd->bqk", "einsum"},
                                                       {"grad", "gradient"}};
  for (const auto& [line, title] : words) EXPECT_EQ(firstTitle(line), title) << line;
}

TEST(PaletteForms, AnOptionFindsOnlyWhatUnderstandsIt) {
  EXPECT_TRUE(searchPalette("negate stride=2").empty());
  EXPECT_EQ(firstTitle("conv2d same stride=2"), "convolution same");
  EXPECT_EQ(firstTitle("add broadcast_dimensions={0}"), "add");
}

TEST(PaletteForms, ANumberFindsOnlyWhatTakesIt) {
  Palette p;
  const auto x = p.place("f32[4,6,6,2]");
  EXPECT_EQ(p.shape(p.place("conv2d 8", {x})), "f32[4,6,6,8]");
  EXPECT_EQ(p.shape(p.place("max pool 3", {x})), "f32[4,2,2,2]");
  EXPECT_EQ(p.shape(p.place("reduce max 1", {x})), "f32[4,6,2]");
  EXPECT_EQ(p.shape(p.place("reduce sum -1", {x})), "f32[4,6,6]");
  EXPECT_EQ(p.shape(p.place("reduce sum 0,1", {x})), "f32[6,2]");
  EXPECT_EQ(p.shape(p.place("transpose 3,0,1,2", {x})), "f32[2,4,6,6]");
  EXPECT_EQ(p.shape(p.place("collapse 1,2", {x})), "f32[4,36,2]");
  EXPECT_EQ(p.shape(p.place("reduce mean 2", {x})), "f32[4,6,2]");
  EXPECT_EQ(p.shape(p.place("iota 5")), "s32[5]");
  for (const char* line : {"relu 6", "exponential 3", "squeeze 1,2", "reduce-window sum 3", "conv2d 8,8", "gelu 2"})
    EXPECT_TRUE(searchPalette(line).empty()) << line;
}

TEST(PaletteForms, ALineSaysWhatItsEntryDoesNotTake) {
  EXPECT_EQ(notTaken("negate 3"), "negate takes no 3");
  EXPECT_EQ(notTaken("negate stride=2"), "negate takes no stride=2");
  EXPECT_EQ(notTaken("negate lhs=x"), "negate takes no lhs=x");
  EXPECT_EQ(notTaken("no such thing"), "");
  EXPECT_EQ(notTaken("multiply 2"), "");
}

TEST(PaletteForms, WindowsAreTitledByWhatTheyDo) {
  Palette p;
  const auto x = p.place("f32[1,6,6,2]");
  const auto title = [&](const std::string& line) { return titleOf(p.module(), p.place(line, {x})); };
  EXPECT_EQ(title("max pool"), "max pool 2×2");
  EXPECT_EQ(title("cumulative sum axis=1"), "cumulative sum along 1");
  EXPECT_EQ(title("reduce-window sum window={size=1x3x1x1}"), "reduce-window sum 3");
  EXPECT_EQ(title("reduce-window sum window={size=1x6x1x1 pad=0_0x0_5x0_0x0_0}"), "reverse cumulative sum along 1");
  EXPECT_EQ(title("reduce-window sum window={size=1x6x1x1 pad=0_0x5_5x0_0x0_0}"), "reduce-window sum 6");
}

TEST(PaletteForms, FlattenKeepsTheBatch) {
  Palette p;
  EXPECT_EQ(firstTitle("flatten"), "flatten");
  EXPECT_EQ(p.shape(p.place("flatten", {p.place("f32[4,8,8,3]")})), "f32[4,192]");
  EXPECT_EQ(p.shape(p.place("flatten", {p.place("f32[4]")})), "f32[4]");
}

TEST(PaletteForms, ConvolutionsTakeStrideDilationAndOrder) {
  Palette p;
  const auto x = p.place("f32[1,7,6,2]");
  EXPECT_EQ(p.shape(p.place("conv2d same", {x})), "f32[1,7,6,2]");
  EXPECT_EQ(p.shape(p.place("conv2d same stride=2 features=5", {x})), "f32[1,4,3,5]");
  EXPECT_EQ(p.shape(p.place("conv2d valid kernel=3x2", {x})), "f32[1,5,5,2]");
  EXPECT_EQ(p.shape(p.place("conv2d same dilation=2", {x})), "f32[1,7,6,2]");
  const auto picture = p.place("f32[1,2,7,6]");
  EXPECT_EQ(p.shape(p.place("conv2d same nchw", {picture})), "f32[1,2,7,6]");
  const auto turned = p.place("f32[7,6,1,2]");
  EXPECT_EQ(p.shape(p.place("convolution same dim_labels=01bf_01io->01bf", {turned})), "f32[7,6,1,2]");
}

TEST(PaletteForms, AConvolutionOfTwoBy) {
  Palette p;
  const auto x = p.place("f32[1,3,3,1]"), k = p.place("f32[2,2,1,1]");
  p.place("conv2d same", {x, k});
  Numbers expected;
  for (size_t i = 0; i < 3; ++i)
    for (size_t j = 0; j < 3; ++j) {  // pad 0_1 along both
      double sum = 0;
      for (size_t a = 0; a < 2; ++a)
        for (size_t b = 0; b < 2; ++b)
          if (i + a < 3 && j + b < 3) sum += given(0, 3 * (i + a) + j + b) * given(1, 2 * a + b);
      expected.push_back(sum);
    }
  expectNear(p.result(), expected);
}

TEST(PaletteForms, AConvolutionOfNothingStaysWhatWasChosen) {
  History history{emptyModule()};
  const auto done =
      history.perform(placing(history.current(), history.current().entry(), searchPalette("convolution same")[0], {}));
  ASSERT_TRUE(done);
  const Instruction& made = history.current().at(done->added.back());
  EXPECT_EQ(made.opcode, Opcode::Convolution);
  const auto* window = made.attributes->get<Window>(Attr::window);
  ASSERT_TRUE(window);
  EXPECT_EQ(window->dimensions.size(), 2u);
  EXPECT_EQ(window->dimensions[0].paddingLow, 1);
}

TEST(PaletteForms, Pools) {
  Palette p;
  const auto x = p.place("f32[1,4,4,1]");
  EXPECT_EQ(p.shape(p.place("max pool", {x})), "f32[1,2,2,1]");
  const auto average = p.place("average pool kernel=2 stride=1", {x});
  EXPECT_EQ(p.shape(average), "f32[1,3,3,1]");
  ASSERT_TRUE(p.history.perform({"root", {SetRoot{average}}}));
  Numbers expected;
  for (size_t i = 0; i < 3; ++i)
    for (size_t j = 0; j < 3; ++j)
      expected.push_back(
          (given(0, 4 * i + j) + given(0, 4 * i + j + 1) + given(0, 4 * i + j + 4) + given(0, 4 * i + j + 5)) / 4);
  expectNear(p.result(), expected);
  Palette edges;
  const auto line = edges.place("f32[1,3,1]");
  edges.place("average pool same kernel=2 stride=1", {line});
  expectNear(edges.result(), {(given(0, 0) + given(0, 1)) / 2, (given(0, 1) + given(0, 2)) / 2, given(0, 2)});
}

TEST(PaletteForms, RowsByIndex) {
  Palette p;
  const auto table = p.place("f32[5,2]"), indices = p.place("s32[4]");
  EXPECT_EQ(p.shape(p.place("embedding", {table, indices})), "f32[4,2]");
  expectNear(p.result(),
             {given(0, 0), given(0, 1), given(0, 2), given(0, 3), given(0, 4), given(0, 5), given(0, 0), given(0, 1)});
}

TEST(PaletteForms, OneHotAndArgMax) {
  Palette p;
  const auto labels = p.place("s32[4]");
  const auto hot = p.place("one-hot 3", {labels});
  EXPECT_EQ(p.shape(hot), "f32[4,3]");
  expectNear(p.result(), {1, 0, 0, 0, 1, 0, 0, 0, 1, 1, 0, 0});
  const auto back = p.place("arg-max", {hot});
  EXPECT_EQ(p.shape(back), "s32[4]");
  expectNear(p.result(), {0, 1, 2, 0});
  EXPECT_EQ(p.shape(p.place("arg-min axis=0", {hot})), "s32[3]");
}

TEST(PaletteForms, TopKAndCumulativeSum) {
  Palette p;
  const auto x = p.place("f32[2,4]");
  const auto sum = p.place("cumulative sum", {x});
  Numbers expected;
  for (size_t i = 0; i < 8; ++i) expected.push_back((i % 4 ? expected.back() : 0) + given(0, i));
  expectNear(p.result(), expected);
  EXPECT_EQ(p.shape(p.place("top-k 2", {sum})), "f32[2,2]");
  Palette columns;
  columns.place("cumsum axis=0", {columns.place("f32[2,2]")});
  expectNear(columns.result(), {given(0, 0), given(0, 1), given(0, 0) + given(0, 2), given(0, 1) + given(0, 3)});
}

TEST(PaletteForms, DimensionsCutJoinedAndNamed) {
  Palette p;
  const auto x = p.place("f32[2,6]");
  EXPECT_EQ(p.shape(p.place("split 3", {x})), "f32[2,2]");
  EXPECT_EQ(p.shape(p.place("split axis=0", {x})), "f32[1,6]");
  EXPECT_EQ(p.shape(p.place("stack", {x, x})), "f32[2,2,6]");
  EXPECT_EQ(p.shape(p.place("stack axis=-1", {x, x})), "f32[2,6,2]");
  const auto wide = p.place("expand dims 1", {x});
  EXPECT_EQ(p.shape(wide), "f32[2,1,6]");
  EXPECT_EQ(p.shape(p.place("squeeze", {wide})), "f32[2,6]");
  EXPECT_EQ(p.shape(p.place("collapse dimensions={1,2}", {wide})), "f32[2,6]");
  EXPECT_EQ(p.shape(p.place("reduce sum axis=0", {x})), "f32[6]");
}

TEST(PaletteForms, BroadcastsOfTheBuilderTakeShapeAndDimensions) {
  Palette p;
  const auto x = p.place("f32[2,1]");
  EXPECT_EQ(p.shape(p.place("broadcast sizes f32[3,2,1]", {x})), "f32[3,2,1]");
  EXPECT_EQ(p.shape(p.place("broadcast sizes", {x})), "f32[2,2,1]");
  const auto wide = p.place("broadcast in dim f32[4,2,3] dimensions={1,2}", {x});
  EXPECT_EQ(p.shape(wide), "f32[4,2,3]");
  ASSERT_TRUE(p.history.perform({"root", {SetRoot{wide}}}));
  Numbers expected;
  for (size_t i = 0; i < 24; ++i) expected.push_back(given(0, i / 3 % 2));
  expectNear(p.result(), expected);
}

TEST(PaletteForms, ASplitGivesEveryPart) {
  Palette p;
  const auto x = p.place("f32[4]");
  const size_t before = p.module().instructionCount();
  p.place("split 2", {x});
  EXPECT_EQ(p.module().instructionCount(), before + 2);
  expectNear(p.result(), {given(0, 2), given(0, 3)});
}

TEST(PaletteForms, EinsumByLetters) {
  const auto shapeOf = [](const std::string& equation, const std::string& a, const std::string& b) {
    Palette p;
    return p.shape(p.place("einsum " + equation, {p.place(a), p.place(b)}));
  };
  EXPECT_EQ(shapeOf("bqd,bkd->bqk", "f32[2,3,4]", "f32[2,5,4]"), "f32[2,3,5]");
  EXPECT_EQ(shapeOf("bqhd,bkhd->bhqk", "f32[2,3,6,4]", "f32[2,5,6,4]"), "f32[2,6,3,5]");
  EXPECT_EQ(shapeOf("i,j->ij", "f32[2]", "f32[3]"), "f32[2,3]");
  EXPECT_EQ(shapeOf("ij,jk->i", "f32[2,3]", "f32[3,4]"), "f32[2]");
  Palette p;
  p.place("ij,jk->ki", {p.place("f32[2,3]"), p.place("f32[3,2]")});
  Numbers expected;
  for (size_t k = 0; k < 2; ++k)
    for (size_t i = 0; i < 2; ++i) {
      double sum = 0;
      for (size_t j = 0; j < 3; ++j) sum += given(0, 3 * i + j) * given(1, 2 * j + k);
      expected.push_back(sum);
    }
  expectNear(p.result(), expected);
  Palette one;
  one.place("einsum ij->j", {one.place("f32[2,2]")});
  expectNear(one.result(), {given(0, 0) + given(0, 2), given(0, 1) + given(0, 3)});
}

TEST(PaletteForms, AnyBinaryOperationTakesBroadcastDimensions) {
  Palette p;
  const auto x = p.place("f32[2,2]"), y = p.place("f32[2]");
  p.place("subtract broadcast_dimensions={0}", {x, y});
  expectNear(p.result(), {given(0, 0) - given(1, 0), given(0, 1) - given(1, 0), given(0, 2) - given(1, 1),
                          given(0, 3) - given(1, 1)});
  Palette other;
  other.place("maximum broadcast_dimensions={1}", {other.place("f32[2,2]"), other.place("f32[2]")});
  expectNear(other.result(), {std::max(given(0, 0), given(1, 0)), std::max(given(0, 1), given(1, 1)),
                              std::max(given(0, 2), given(1, 0)), std::max(given(0, 3), given(1, 1))});
}

TEST(PaletteForms, Losses) {
  Palette p;
  p.place("mse", {p.place("f32[2,2]"), p.place("f32[2,2]")});
  double sum = 0;
  for (size_t i = 0; i < 4; ++i) sum += (given(0, i) - given(1, i)) * (given(0, i) - given(1, i)) / 4;
  expectNear(p.result(), {sum});
}

TEST(PaletteForms, BatchNormalization) {
  Palette p;
  p.place("batch norm", {p.place("f32[4,1]"), p.place("f32[1]"), p.place("f32[1]")});
  double mean = 0, variance = 0;
  for (size_t i = 0; i < 4; ++i) mean += given(0, i) / 4;
  for (size_t i = 0; i < 4; ++i) variance += (given(0, i) - mean) * (given(0, i) - mean) / 4;
  Numbers expected;
  for (size_t i = 0; i < 4; ++i)
    expected.push_back((given(0, i) - mean) / std::sqrt(variance + 1e-5) * given(1, 0) + given(2, 0));
  expectNear(p.result(), expected);
}

TEST(PaletteForms, DropoutZeroesATenthAndKeepsTheMean) {
  Palette p;
  const auto x = p.place("f32[1000]");
  EXPECT_EQ(p.shape(p.place("dropout", {x})), "f32[1000]");
  const Numbers found = p.result();
  size_t zeros = 0;
  for (size_t i = 0; i < found.size(); ++i) {
    if (found[i] == 0)
      ++zeros;
    else
      EXPECT_NEAR(found[i], given(0, i) / 0.9, 1e-5);
  }
  EXPECT_GT(zeros, 60u);
  EXPECT_LT(zeros, 140u);
}

TEST(PaletteForms, StepsOfOptimizers) {
  Palette p;
  p.place("sgd", {p.place("f32[3]"), p.place("f32[3]"), p.place("f32[]")});
  Numbers expected;
  for (size_t i = 0; i < 3; ++i) expected.push_back(given(0, i) - given(2, 0) * given(1, i));
  expectNear(p.result(), expected);

  Palette a;
  const auto w = a.place("f32[2]"), g = a.place("f32[2]");
  const auto zero = a.place("0 f32[2]"), step = a.place("1 f32[]"), rate = a.place("0.01 f32[]");
  EXPECT_EQ(a.shape(a.place("adam", {w, g, zero, zero, step, rate})), "(f32[2], f32[2], f32[2])");
  const auto found = a.run();
  ASSERT_EQ(found.size(), 3u);
  for (size_t i = 0; i < 2; ++i) {  // in the first step the direction is the sign of the gradient
    EXPECT_NEAR(found[0][i], given(0, i) - 0.01 * (given(1, i) > 0 ? 1 : -1), 1e-4);
    EXPECT_NEAR(found[1][i], 0.1 * given(1, i), 1e-6);
    EXPECT_NEAR(found[2][i], 0.001 * given(1, i) * given(1, i), 1e-6);
  }
}

TEST(PaletteForms, AWireFromALossOffersItsGradient) {
  const auto offers = [](const Shape& shape) {
    const auto found = searchPaletteFor("gradient", shape);
    return !found.empty() && found[0].entry.title == "gradient";
  };
  EXPECT_TRUE(offers(Shape::arrayRowMajor(ElementType::F32, {})));
  EXPECT_FALSE(offers(Shape::arrayRowMajor(ElementType::S32, {})));
}

TEST(PaletteForms, ATrainingStepLowersTheLoss) {
  Palette p;
  const auto x = p.place("f32[4,3]");
  const auto w = p.place("f32[3,2]");
  const auto y = p.place("dot", {x, w}), targets = p.place("f32[4,2]");
  const auto loss = p.place("mse", {y, targets});
  const auto step = p.place("training step 0.05", {loss, w});
  EXPECT_EQ(p.shape(step), "(f32[3,2], f32[])");
  EXPECT_EQ(p.module().entryComputation().root, step);
  const auto first = p.run();
  std::vector<Literal> next = p.arguments;
  next[1] = evaluateModule(p.module(), p.arguments)->at(0);
  const auto second = evaluateModule(p.module(), next);
  ASSERT_TRUE(second);
  EXPECT_LT(Palette::numbersOf(second->at(1))[0], first[1][0]);
  // By the formula: dL/dW = 2/8 · xᵀ (x W - t).
  for (size_t i = 0; i < 3; ++i)
    for (size_t j = 0; j < 2; ++j) {
      double gradient = 0;
      for (size_t r = 0; r < 4; ++r) {
        double error = -given(2, 2 * r + j);
        for (size_t k = 0; k < 3; ++k) error += given(0, 3 * r + k) * given(1, 2 * k + j);
        gradient += given(0, 3 * r + i) * error / 4;
      }
      EXPECT_NEAR(first[0][2 * i + j], given(1, 2 * i + j) - 0.05 * gradient, 1e-5);
    }
}

}  // namespace
}  // namespace tessera
