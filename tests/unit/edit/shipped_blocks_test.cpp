// Shipped blocks, each placed by the line that a person types, run, and held against a formula.
#include <algorithm>

#include "core/edit/palette/blocks.h"
#include "core/evaluate/usual_sources.h"
#include "tests/unit/edit/palette_run.h"

namespace tessera::shipped_blocks_test {
namespace {

using palette_run::expectNear;
using palette_run::firstTitle;
using palette_run::given;
using palette_run::Numbers;
using palette_run::Palette;

TEST(ShippedBlocks, NamesThatPeopleKnow) {
  const std::pair<const char*, const char*> words[] = {{"huber", "huber block"},
                                                       {"huber loss", "huber block"},
                                                       {"smooth l1", "huber block"},
                                                       {"kl divergence", "kl divergence block"},
                                                       {"kl_div", "kl divergence block"},
                                                       {"relative entropy", "kl divergence block"},
                                                       {"group norm", "group norm block"},
                                                       {"groupnorm", "group norm block"},
                                                       {"multi head attention", "multi head attention block"},
                                                       {"multi-head attention", "multi head attention block"},
                                                       {"multihead attention", "multi head attention block"},
                                                       {"mha", "multi head attention block"},
                                                       {"self-attention", "multi head attention block"},
                                                       {"cross-attention", "multi head cross attention block"},
                                                       {"attention", "attention block"},
                                                       {"norm", "norm"},
                                                       {"entropy", "cross entropy block"}};
  for (const auto& [line, title] : words) EXPECT_EQ(firstTitle(line), title) << line;
}

double huberOf(double limit) {
  double sum = 0;
  for (size_t i = 0; i < 6; ++i) {
    const double d = std::abs(given(0, i) - given(1, i));
    sum += d <= limit ? d * d / 2 : limit * (d - limit / 2);
  }
  return sum / 6;
}

TEST(ShippedBlocks, HuberIsALineBeyondItsLimit) {
  for (const auto& [line, limit] : {std::pair("huber", 1.0), {"huber 0.25", 0.25}, {"huber 5", 5.0}}) {
    Palette p;
    p.place(line, {p.place("f32[2,3]"), p.place("f32[2,3]")});
    expectNear(p.result(), {huberOf(limit)});
  }
  EXPECT_FALSE(shippedBlockText("huber", {}, "-1"));
}

TEST(ShippedBlocks, DivergenceOfTwoDistributions) {
  Palette p;
  const auto first = p.place("softmax", {p.place("f32[2,3]")}), second = p.place("softmax", {p.place("f32[2,3]")});
  EXPECT_EQ(p.shape(p.place("kl divergence", {first, second})), "f32[]");
  double sum = 0;
  for (size_t row = 0; row < 2; ++row) {
    double totals[2] = {0, 0};
    for (size_t i = 0; i < 3; ++i)
      for (size_t k = 0; k < 2; ++k) totals[k] += std::exp(given(k, 3 * row + i));
    for (size_t i = 0; i < 3; ++i) {
      const double a = std::exp(given(0, 3 * row + i)) / totals[0], b = std::exp(given(1, 3 * row + i)) / totals[1];
      sum += a * std::log(a / b);
    }
  }
  expectNear(p.result(), {sum / 2});
  Palette zeros;
  zeros.place("kl divergence", {zeros.place("{1, 0} f32[2]"), zeros.place("{0.5, 0.5} f32[2]")});
  expectNear(zeros.result(), {std::log(2.0)});
}

TEST(ShippedBlocks, GroupNormIsOverPlacesAndFeaturesOfAGroup) {
  constexpr size_t kBatch = 2, kPlaces = 3, kFeatures = 4, kGroup = 2;
  Palette p;
  p.place("group norm 2", {p.place("f32[2,3,4]"), p.place("f32[4]"), p.place("f32[4]")});
  const auto at = [&](size_t b, size_t s, size_t c) { return given(0, (b * kPlaces + s) * kFeatures + c); };
  Numbers expected;
  for (size_t b = 0; b < kBatch; ++b)
    for (size_t s = 0; s < kPlaces; ++s)
      for (size_t c = 0; c < kFeatures; ++c) {
        const size_t from = c / kGroup * kGroup;
        double sum = 0, squares = 0;
        for (size_t t = 0; t < kPlaces; ++t)
          for (size_t k = from; k < from + kGroup; ++k) sum += at(b, t, k), squares += at(b, t, k) * at(b, t, k);
        const double mean = sum / (kPlaces * kGroup), variance = squares / (kPlaces * kGroup) - mean * mean;
        expected.push_back((at(b, s, c) - mean) / std::sqrt(variance + 1e-5) * given(1, c) + given(2, c));
      }
  expectNear(p.result(), expected);
}

TEST(ShippedBlocks, GroupsDivideTheFeatures) {
  const auto textOf = [](int64_t features, const std::string& number) {
    const Shape x = Shape::array(ElementType::F32, {2, features});
    return shippedBlockText("group_norm", std::span(&x, 1), number);
  };
  const std::pair<int64_t, const char*> groups[] = {
      {64, "f32[2,32,2]"}, {16, "f32[2,8,2]"}, {6, "f32[2,2,3]"}, {3, "f32[2,1,3]"}, {1, "f32[2,1,1]"}};
  for (const auto& [features, shape] : groups)
    EXPECT_NE(textOf(features, "").value().find(std::string("grouped = ") + shape), std::string::npos) << features;
  EXPECT_EQ(textOf(6, "4").error().message, "6 features do not split into 4 groups of one size");
}

using Rows = std::vector<Numbers>;

// Rows of an argument, `columns` wide, of the element of a batch.
Rows rowsOf(size_t argument, size_t rows, size_t columns, size_t batch = 0) {
  Rows out(rows, Numbers(columns));
  for (size_t i = 0; i < rows; ++i)
    for (size_t j = 0; j < columns; ++j) out[i][j] = given(argument, (batch * rows + i) * columns + j);
  return out;
}
Rows product(const Rows& a, const Rows& b) {
  Rows out(a.size(), Numbers(b[0].size()));
  for (size_t i = 0; i < a.size(); ++i)
    for (size_t j = 0; j < b[0].size(); ++j)
      for (size_t k = 0; k < b.size(); ++k) out[i][j] += a[i][k] * b[k][j];
  return out;
}

// Each head has its own columns of q, k and v, and writes its own of the result.
Rows inHeads(const Rows& q, const Rows& k, const Rows& v, size_t heads) {
  const size_t wide = q[0].size() / heads, wideV = v[0].size() / heads;
  Rows out(q.size(), Numbers(v[0].size()));
  for (size_t h = 0; h < heads; ++h)
    for (size_t i = 0; i < q.size(); ++i) {
      Numbers powers;
      double total = 0;
      for (const Numbers& key : k) {
        double score = 0;
        for (size_t e = h * wide; e < (h + 1) * wide; ++e) score += q[i][e] * key[e];
        powers.push_back(std::exp(score / std::sqrt(static_cast<double>(wide))));
        total += powers.back();
      }
      for (size_t j = 0; j < k.size(); ++j)
        for (size_t e = h * wideV; e < (h + 1) * wideV; ++e) out[i][e] += powers[j] / total * v[j][e];
    }
  return out;
}

TEST(ShippedBlocks, SelfAttentionInHeads) {
  Palette p;
  EXPECT_EQ(p.shape(p.place("multi head attention 2", {p.place("f32[2,3,4]")})), "f32[2,3,4]");
  Numbers expected;
  for (size_t b = 0; b < 2; ++b) {
    const Rows x = rowsOf(0, 3, 4, b);
    const Rows read = inHeads(product(x, rowsOf(1, 4, 4)), product(x, rowsOf(2, 4, 4)), product(x, rowsOf(3, 4, 4)), 2);
    for (const Numbers& row : product(read, rowsOf(4, 4, 4))) expected.insert(expected.end(), row.begin(), row.end());
  }
  expectNear(p.result(), expected, 1e-4);
  Palette many;  // batch dimensions before the positions
  EXPECT_EQ(many.shape(many.place("mha", {many.place("bf16[2,2,3,16]")})), "bf16[2,2,3,16]");
}

// Logarithms and roots inside a block say what it is placed with.
TEST(ShippedBlocks, ProbabilitiesAndMeanSquaresAreNotNegative) {
  Palette p;
  p.place("kl divergence", {p.place("f32[4,3]")});
  EXPECT_EQ(usualSources(p.module()), (std::vector<std::string>{"uniform 0 1", "uniform 0 1"}));
  Palette a;
  a.place("adam", {a.place("f32[3]")});
  EXPECT_EQ(usualSources(a.module()).at(3), "uniform 0 1");
}

TEST(ShippedBlocks, AllProjectionsAreWeights) {
  Palette p;
  p.place("multi head attention", {p.place("f32[3,16]")});
  const std::vector<std::string> expected{"normal 0 1", "normal 0 0.25", "normal 0 0.25", "normal 0 0.25",
                                          "normal 0 0.25"};
  EXPECT_EQ(usualSources(p.module()), expected);
  EXPECT_EQ(weightsOf(p.module()).size(), 4u);
  Palette plain;  // values are no weights
  const auto x = plain.place("f32[3,16]");
  plain.place("attention", {x, plain.place("f32[3,16]"), plain.place("f32[3,16]")});
  for (const InstructionId id : weightsOf(plain.module())) EXPECT_NE(plain.module().at(id).parameterNumber, 2);
}

TEST(ShippedBlocks, CrossAttentionReadsAContextOfOtherSizes) {
  Palette p;
  const auto x = p.place("f32[3,4]"), context = p.place("f32[5,2]"), wq = p.place("f32[4,6]"), wk = p.place("f32[2,6]"),
             wv = p.place("f32[2,3]"), wo = p.place("f32[3,7]");
  EXPECT_EQ(p.shape(p.place("cross attention 3", {x, context, wq, wk, wv, wo})), "f32[3,7]");
  const Rows read = inHeads(product(rowsOf(0, 3, 4), rowsOf(2, 4, 6)), product(rowsOf(1, 5, 2), rowsOf(3, 2, 6)),
                            product(rowsOf(1, 5, 2), rowsOf(4, 2, 3)), 3);
  Numbers expected;
  for (const Numbers& row : product(read, rowsOf(5, 3, 7))) expected.insert(expected.end(), row.begin(), row.end());
  expectNear(p.result(), expected, 1e-4);
}

TEST(ShippedBlocks, HeadsSaysWhatDoesNotGo) {
  const auto errorOf = [](std::vector<Shape> inputs, const std::string& number) {
    const auto text = shippedBlockText("multi_head_attention", inputs, number);
    return text ? std::string() : text.error().message;
  };
  const Shape x = Shape::array(ElementType::F32, {3, 6});
  EXPECT_EQ(errorOf({x}, ""), "");  // two heads
  EXPECT_EQ(errorOf({x}, "4"), "the columns of Wq and Wv do not split into 4 heads of one size");
  EXPECT_EQ(errorOf({x, Shape::array(ElementType::F32, {})}, ""),
            "Wq needs 6 rows, as many as what it multiplies has features");
  EXPECT_EQ(errorOf({x, Shape::array(ElementType::F32, {5, 6})}, ""),
            "Wq needs 6 rows, as many as what it multiplies has features");
  EXPECT_EQ(errorOf({Shape::array(ElementType::F32, {6})}, ""),
            "attention needs at least two dimensions: positions and features");
}

}  // namespace
}  // namespace tessera::shipped_blocks_test
