// Forms of the palette that reduce, normalise, scan and activate: placed by their line, run, and compared
// against a formula.
#include <algorithm>

#include "core/evaluate/usual_sources.h"
#include "tests/unit/edit/palette_run.h"

namespace tessera {
namespace {

using palette_run::applied;
using palette_run::expectNear;
using palette_run::given;
using palette_run::Numbers;
using palette_run::Palette;

double meanOf(size_t from, size_t count, size_t step = 1) {
  double sum = 0;
  for (size_t i = 0; i < count; ++i) sum += given(0, from + i * step);
  return sum / static_cast<double>(count);
}
double varianceOf(size_t from, size_t count) {
  double sum = 0;
  for (size_t i = 0; i < count; ++i) sum += std::pow(given(0, from + i) - meanOf(from, count), 2);
  return sum / static_cast<double>(count);
}

TEST(PaletteStatistics, MeansAndSpreadsAlongAnAxis) {
  expectNear(applied("reduce mean"), {meanOf(0, 3), meanOf(3, 3)});
  expectNear(applied("reduce mean axis=0"), {meanOf(0, 2, 3), meanOf(1, 2, 3), meanOf(2, 2, 3)});
  expectNear(applied("reduce mean axis=all"), {meanOf(0, 6)});
  expectNear(applied("variance"), {varianceOf(0, 3), varianceOf(3, 3)});
  expectNear(applied("std"), {std::sqrt(varianceOf(0, 3)), std::sqrt(varianceOf(3, 3))});
}

TEST(PaletteStatistics, NormsAndLogarithmsOfSums) {
  Numbers norms, logs;
  for (size_t row = 0; row < 2; ++row) {
    double squares = 0, powers = 0;
    for (size_t i = 0; i < 3; ++i) {
      squares += std::pow(given(0, 3 * row + i), 2);
      powers += std::exp(given(0, 3 * row + i));
    }
    norms.push_back(std::sqrt(squares));
    logs.push_back(std::log(powers));
  }
  expectNear(applied("norm"), norms);
  expectNear(applied("logsumexp"), logs);
}

TEST(PaletteStatistics, SquaresAndReciprocals) {
  Numbers squares, reciprocals;
  for (size_t i = 0; i < 6; ++i) {
    squares.push_back(given(0, i) * given(0, i));
    reciprocals.push_back(std::exp(-given(0, i)));
  }
  expectNear(applied("square"), squares);
  Palette p;
  p.place("reciprocal", {p.place("exp", {p.place("f32[2,3]")})});
  expectNear(p.result(), reciprocals);
  EXPECT_EQ(searchPalette("squar").at(0).title, "square");
}

TEST(PaletteStatistics, Activations) {
  Numbers silu, leaky, steep;
  for (size_t i = 0; i < 4; ++i) {
    const double x = given(0, i);
    silu.push_back(x / (1 + std::exp(-x)));
    leaky.push_back(std::max(x, 0.01 * x));
    steep.push_back(std::max(x, 0.2 * x));
  }
  expectNear(applied("silu", "f32[4]"), silu);
  expectNear(applied("leaky relu", "f32[4]"), leaky);
  expectNear(applied("leaky relu 0.2", "f32[4]"), steep);
}

TEST(PaletteStatistics, CumulativeProductsAndMaxima) {
  Numbers products, maxima;
  for (size_t i = 0; i < 4; ++i) {
    products.push_back((i ? products.back() : 1) * given(0, i));
    maxima.push_back(i ? std::max(maxima.back(), given(0, i)) : given(0, i));
  }
  expectNear(applied("cumulative product", "f32[4]"), products);
  expectNear(applied("cummax", "f32[4]"), maxima);
}

TEST(PaletteStatistics, AScanCarriesFromRowToRow) {
  Palette p;
  const auto rows = p.place("f32[3,2]");
  EXPECT_EQ(p.shape(p.place("scan over rows", {rows})), "f32[3,2]");
  expectNear(p.result(), {given(0, 0), given(0, 1), given(0, 0) + given(0, 2), given(0, 1) + given(0, 3),
                          given(0, 0) + given(0, 2) + given(0, 4), given(0, 1) + given(0, 3) + given(0, 5)});
  // The operation of that name stands first, then the form.
  EXPECT_EQ(searchPalette("scan")[0].title, "scan");
  EXPECT_EQ(searchPalette("scan")[1].title, "scan over rows");
  Palette carried;
  const auto list = carried.place("f32[2]"), first = carried.place("f32[]");
  carried.place("scan over rows", {list, first});
  expectNear(carried.result(), {given(1, 0) + given(0, 0), given(1, 0) + given(0, 0) + given(0, 1)});
}

TEST(PaletteStatistics, RmsNorm) {
  Palette p;
  p.place("rms norm", {p.place("f32[1,3]"), p.place("f32[3]")});
  double squares = 0;
  for (size_t i = 0; i < 3; ++i) squares += std::pow(given(0, i), 2) / 3;
  Numbers expected;
  for (size_t i = 0; i < 3; ++i) expected.push_back(given(0, i) / std::sqrt(squares) * given(1, i));
  expectNear(p.result(), expected, 1e-4);
}

double sigmoid(double x) { return 1 / (1 + std::exp(-x)); }

// x · W + h · U of one row, element j of `wide`; x, h, W, U: arguments.
double projected(size_t row, size_t j, size_t features, size_t hidden, size_t wide, size_t x, size_t h, size_t w,
                 size_t u) {
  double out = 0;
  for (size_t k = 0; k < features; ++k) out += given(x, row * features + k) * given(w, k * wide + j);
  for (size_t k = 0; k < hidden; ++k) out += given(h, row * hidden + k) * given(u, k * wide + j);
  return out;
}

TEST(PaletteStatistics, OneStepOfAnLstm) {
  constexpr size_t kRows = 2, kFeatures = 3, kHidden = 2, kWide = 4 * kHidden;
  Palette p;
  p.place("lstm", {p.place("f32[2,3]"), p.place("f32[2,2]"), p.place("f32[2,2]")});
  Numbers states, cells;
  for (size_t r = 0; r < kRows; ++r)
    for (size_t j = 0; j < kHidden; ++j) {
      const auto gate = [&](size_t k) {
        const size_t at = k * kHidden + j;
        return projected(r, at, kFeatures, kHidden, kWide, 0, 1, 3, 4) + given(5, at);
      };
      const double c = sigmoid(gate(1)) * given(2, r * kHidden + j) + sigmoid(gate(0)) * std::tanh(gate(2));
      cells.push_back(c);
      states.push_back(sigmoid(gate(3)) * std::tanh(c));
    }
  const auto all = p.run();
  ASSERT_EQ(all.size(), 2u) << printHloText(p.module());
  expectNear(all[0], states);
  expectNear(all[1], cells);
  EXPECT_EQ(usualSources(p.module()), (std::vector<std::string>{"normal 0 1", "normal 0 1", "normal 0 1",
                                                                "normal 0 0.577", "normal 0 0.707", "normal 0 0.1"}));
  Palette alone;
  const auto step = alone.place("lstm 5", {alone.place("f32[7,3]")});
  EXPECT_EQ(alone.shape(step), "(f32[7,5], f32[7,5])");
  const auto cell = alone.place("element 1", {step});
  EXPECT_EQ(alone.shape(cell), "f32[7,5]");
  EXPECT_EQ(alone.module().at(cell).attributes->intOr(Attr::index, -1), 1);
}

TEST(PaletteStatistics, ScoresOfLaterPositionsAreMasked) {
  Palette p;
  p.place("causal mask", {p.place("f32[1,2,3]")});
  expectNear(p.result(), {given(0, 0), -1e9, -1e9, given(0, 3), given(0, 4), -1e9});
  expectNear(applied("tril", "f32[2,2]"), {given(0, 0), 0, given(0, 2), given(0, 3)});
}

TEST(PaletteStatistics, RandomNumbersAreStandardNormal) {
  Palette p;
  p.place("gaussian noise", {p.place("f32[64,64]")});
  double sum = 0, squares = 0, fourth = 0;
  const Numbers all = p.result();
  ASSERT_EQ(all.size(), 4096u);
  for (double x : all) sum += x, squares += x * x, fourth += x * x * x * x;
  EXPECT_NEAR(sum / 4096, 0, 0.06);
  EXPECT_NEAR(squares / 4096, 1, 0.08);
  EXPECT_NEAR(fourth / 4096, 3, 0.6);
  Palette half;
  EXPECT_EQ(half.shape(half.place("random normal", {half.place("bf16[3]")})), "bf16[3]");
  Palette scalar;
  EXPECT_EQ(scalar.shape(scalar.place("random normal", {scalar.place("f32[]")})), "f32[]");
}

TEST(PaletteStatistics, OneStepOfAGru) {
  constexpr size_t kRows = 2, kFeatures = 3, kHidden = 2, kWide = 3 * kHidden;
  Palette p;
  p.place("gru", {p.place("f32[2,3]"), p.place("f32[2,2]")});
  Numbers states;
  for (size_t r = 0; r < kRows; ++r)
    for (size_t j = 0; j < kHidden; ++j) {
      const auto seen = [&](size_t k) {
        const size_t at = k * kHidden + j;
        return projected(r, at, kFeatures, 0, kWide, 0, 1, 2, 3) + given(4, at);
      };
      const auto recalled = [&](size_t k) { return projected(r, k * kHidden + j, 0, kHidden, kWide, 0, 1, 2, 3); };
      const double reset = sigmoid(seen(0) + recalled(0)), update = sigmoid(seen(1) + recalled(1));
      const double fresh = std::tanh(seen(2) + reset * recalled(2));
      states.push_back((1 - update) * fresh + update * given(1, r * kHidden + j));
    }
  expectNear(p.result(), states);
  Palette alone;
  EXPECT_EQ(alone.shape(alone.place("gru 5", {alone.place("f32[3]")})), "f32[5]");
}

TEST(PaletteStatistics, CrossEntropyOfClassNumbersAndOfAnyBatch) {
  const auto lossOf = [](size_t rows, size_t classes) {
    double sum = 0;
    for (size_t r = 0; r < rows; ++r) {
      double powers = 0;
      for (size_t c = 0; c < classes; ++c) powers += std::exp(given(0, classes * r + c));
      sum += std::log(powers) - given(0, classes * r + r % 3);  // integers count up, modulo 3
    }
    return sum / static_cast<double>(rows);
  };
  Palette p;
  p.place("cross entropy", {p.place("f32[4,3]"), p.place("s32[4]")});
  expectNear(p.result(), {lossOf(4, 3)});
  Palette tokens;
  tokens.place("cross entropy", {tokens.place("f32[2,2,5]"), tokens.place("s32[2,2]")});
  expectNear(tokens.result(), {lossOf(4, 5)});
}

TEST(PaletteStatistics, WordsSayRatesAndWidths) {
  Palette p;
  const auto x = p.place("f32[1000]");
  p.place("dropout 0.5", {x});
  const Numbers kept = p.result();
  const auto zeros = std::count(kept.begin(), kept.end(), 0.0);
  EXPECT_GT(zeros, 430);
  EXPECT_LT(zeros, 570);
  for (size_t i = 0; i < kept.size(); ++i) {
    const double expected = kept[i] == 0 ? 0 : given(0, i) / 0.5;
    EXPECT_NEAR(kept[i], expected, 1e-5);
  }
  EXPECT_EQ(p.shape(p.place("linear 64", {p.place("f32[4,8]")})), "f32[4,64]");
  EXPECT_EQ(p.shape(p.place("convert f64", {x})), "f64[1000]");
  EXPECT_EQ(p.shape(p.place("convert bf16", {x})), "bf16[1000]");
}

TEST(PaletteStatistics, AConversionIsNeverToTheSameType) {
  for (const char* type : {"f32", "s32", "pred", "bf16", "u8", "c64"}) {
    Palette p;
    const auto x = p.place(std::string(type) + "[2]");
    EXPECT_NE(p.shape(p.place("convert", {x})), std::string(type) + "[2]");
  }
}

TEST(PaletteStatistics, EinsumOfAnyNumberOfOperands) {
  const auto shapeOf = [](const std::string& equation, std::vector<std::string> shapes) {
    Palette p;
    std::vector<InstructionId> sources;
    for (const std::string& each : shapes) sources.push_back(p.place(each));
    return p.shape(p.place("einsum " + equation, sources));
  };
  EXPECT_EQ(shapeOf("ij,jk,kl->il", {"f32[2,3]", "f32[3,4]", "f32[4,5]"}), "f32[2,5]");
  EXPECT_EQ(shapeOf("ij,jk", {"f32[2,3]", "f32[3,4]"}), "f32[2,4]");
  Palette diagonal;
  diagonal.place("einsum ii->i", {diagonal.place("f32[2,2]")});
  expectNear(diagonal.result(), {given(0, 0), given(0, 3)});
  Palette trace;
  trace.place("einsum ii->", {trace.place("f32[2,2]")});
  expectNear(trace.result(), {given(0, 0) + given(0, 3)});
  Palette both;
  both.place("einsum iji,j->j", {both.place("f32[2,2,2]"), both.place("f32[2]")});
  expectNear(both.result(), {(given(0, 0) + given(0, 5)) * given(1, 0), (given(0, 2) + given(0, 7)) * given(1, 1)});
}

TEST(PaletteStatistics, WeightsHaveNumbers) {
  Palette p;
  const auto x = p.place("f32[4,8]");
  const auto first = p.place("linear 16", {x});
  p.place("linear 2", {first});
  for (const char* name : {"W1", "W2", "b1", "b2"})
    EXPECT_TRUE(p.module().findInstruction(name)) << printHloText(p.module());
}

TEST(PaletteStatistics, AStepOfTheLossAloneIsOfItsWeights) {
  Palette p;
  const auto x = p.place("f32[4,3]");
  const auto y = p.place("linear 2", {x});
  const auto loss = p.place("mse", {y, p.place("f32[4,2]")});
  EXPECT_EQ(p.shape(p.place("training step 0.1", {loss})), "(f32[3,2], f32[2], f32[])");
}

}  // namespace
}  // namespace tessera
