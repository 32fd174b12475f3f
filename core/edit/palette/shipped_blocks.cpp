// The blocks that come with Tessera, written as HLO text for the shapes that they are placed on.
#include <fmt/format.h>

#include <cmath>

#include "core/edit/palette/block_writer.h"
#include "core/edit/palette/blocks.h"
#include "core/formats/hlo_text.h"

namespace tessera {
namespace {

Result<std::string> linear(const BlockInputs& in) {
  const BlockSizes x = in.sizes(0, {8, 16});
  if (x.empty()) return fail("linear needs an array, not a scalar");
  const BlockSizes w = in.sizes(1, {x.back(), in.wholeNumber(32)});
  if (w.size() != 2 || w[0] != x.back())
    return fail(fmt::format("the weights need {} rows, as many as the input has features", x.back()));
  const BlockSizes b = in.sizes(2, {w[1]});
  if (b != BlockSizes{w[1]}) return fail(fmt::format("the bias needs {} elements", w[1]));
  BlockWriter out(in.type);
  const auto xs = out.parameter("x", x), ws = out.parameter("W", w), bs = out.parameter("b", b);
  const auto product = out.product("xW", xs, ws);
  const auto last = static_cast<int64_t>(x.size()) - 1;
  out.binary("linear", "add", product, out.spread(bs, product.sizes, {last}, "b.all"));
  return out.text("linear");
}

Result<std::string> softmax(const BlockInputs& in) {
  const BlockSizes x = in.sizes(0, {8, 16});
  if (x.empty()) return fail("softmax needs an array, not a scalar");
  BlockWriter out(in.type);
  out.softmax(out.parameter("x", x));
  return out.text("softmax");
}

Result<std::string> layerNorm(const BlockInputs& in) {
  const BlockSizes x = in.sizes(0, {8, 16});
  if (x.empty()) return fail("layer norm needs an array, not a scalar");
  const BlockSizes features{x.back()};
  if (in.sizes(1, features) != features || in.sizes(2, features) != features)
    return fail(fmt::format("scale and offset need {} elements", x.back()));
  BlockWriter out(in.type);
  const auto xs = out.parameter("x", x), scale = out.parameter("scale", features),
             offset = out.parameter("offset", features);
  const BlockSizes rows(x.begin(), x.end() - 1);
  const auto count = out.number("count", std::to_string(x.back()), rows);
  const auto mean = out.binary("mean", "divide", out.reduceLast("sum", "add", xs), count);
  const auto centred = out.binary("centred", "subtract", xs, out.spreadBack(mean, x, "mean.all"));
  const auto squares = out.binary("squares", "multiply", centred, centred);
  const auto variance = out.binary("variance", "divide", out.reduceLast("square.sum", "add", squares), count);
  const auto steady = out.binary("steady", "add", variance, out.number("epsilon", "1e-05", rows));
  const auto normal =
      out.binary("normal", "multiply", centred, out.spreadBack(out.unary("rate", "rsqrt", steady), x, "rate.all"));
  const int64_t last = static_cast<int64_t>(x.size()) - 1;
  const auto scaled = out.binary("scaled", "multiply", normal, out.spread(scale, x, {last}, "scale.all"));
  out.binary("layer_norm", "add", scaled, out.spread(offset, x, {last}, "offset.all"));
  return out.text("layer_norm");
}

// x / √(mean of x² + ε), then scaled.
Result<std::string> rmsNorm(const BlockInputs& in) {
  const BlockSizes x = in.sizes(0, {8, 16});
  if (x.empty()) return fail("rms norm needs an array, not a scalar");
  const BlockSizes features{x.back()};
  if (in.sizes(1, features) != features) return fail(fmt::format("the scale needs {} elements", x.back()));
  BlockWriter out(in.type);
  const auto xs = out.parameter("x", x), scale = out.parameter("scale", features);
  const BlockSizes rows(x.begin(), x.end() - 1);
  const auto squares = out.reduceLast("square.sum", "add", out.binary("squares", "multiply", xs, xs));
  const auto mean = out.binary("mean", "divide", squares, out.number("count", std::to_string(x.back()), rows));
  const auto rate = out.unary("rate", "rsqrt", out.binary("steady", "add", mean, out.number("epsilon", "1e-06", rows)));
  const auto normal = out.binary("normal", "multiply", xs, out.spreadBack(rate, x, "rate.all"));
  out.binary("rms_norm", "multiply", normal, out.spread(scale, x, {static_cast<int64_t>(x.size()) - 1}, "scale.all"));
  return out.text("rms_norm");
}

// x · (1 + erf(x / √2)) / 2
Result<std::string> gelu(const BlockInputs& in) {
  const BlockSizes x = in.sizes(0, {8, 16});
  BlockWriter out(in.type);
  const auto xs = out.parameter("x", x);
  const auto part =
      out.unary("erf", "erf", out.binary("scaled", "multiply", xs, out.number("root_half", "0.707106781", x)));
  const auto gate = out.binary("gate", "add", part, out.number("one", "1", x));
  out.binary("gelu", "multiply", out.binary("half_x", "multiply", xs, out.number("half", "0.5", x)), gate);
  return out.text("gelu");
}

std::string dimensionList(size_t count) {
  BlockSizes out;
  for (size_t d = 0; d < count; ++d) out.push_back(static_cast<int64_t>(d));
  return fmt::format("{}", fmt::join(out, ","));
}

Result<std::string> attention(const BlockInputs& in) {
  const BlockSizes q = in.sizes(0, {16, 8});
  if (q.size() < 2) return fail("queries need at least two dimensions: positions and features");
  const BlockSizes k = in.sizes(1, q), v = in.sizes(2, k);
  const size_t batch = q.size() - 2;
  bool agree = k.size() == q.size() && v.size() == q.size() && k.back() == q.back() && v[batch] == k[batch];
  for (size_t d = 0; agree && d < batch; ++d) agree = q[d] == k[d] && q[d] == v[d];
  if (!agree)
    return fail("keys need the queries' features, values the keys' positions, and all the same batch dimensions");
  BlockWriter out(in.type);
  const auto qs = out.parameter("queries", q), ks = out.parameter("keys", k), vs = out.parameter("values", v);
  BlockSizes scores(q.begin(), q.end() - 1), result = scores;
  scores.push_back(k[batch]);
  result.push_back(v.back());
  const std::string batches =
      batch ? fmt::format("lhs_batch_dims={{{0}}}, rhs_batch_dims={{{0}}}, ", dimensionList(batch)) : "";
  const auto raw =
      out.make("scores", scores,
               fmt::format("dot(queries, keys), {0}lhs_contracting_dims={{{1}}}, rhs_contracting_dims={{{1}}}", batches,
                           batch + 1));
  const auto scaled =
      out.binary("scaled", "multiply", raw,
                 out.number("scale", fmt::format("{:.9g}", 1 / std::sqrt(static_cast<double>(q.back()))), scores));
  const auto weights = out.softmax(scaled);
  out.make("attention", result,
           fmt::format("dot({}, values), {}lhs_contracting_dims={{{}}}, rhs_contracting_dims={{{}}}", weights.name,
                       batches, batch + 1, batch));
  return out.text("attention");
}

// 1 where a class is that of the label, 0 elsewhere, in the logits' shape; labels: numbers of classes.
BlockWriter::Value hitsOf(BlockWriter& out, const BlockSizes& x, ElementType labels) {
  const std::string all = fmt::format("{}[{}]", nameOf(labels), fmt::join(x, ","));
  out.line("labels.all", all, fmt::format("broadcast(labels), dimensions={{{}}}", dimensionList(x.size() - 1)));
  out.line("classes", all, fmt::format("iota(), iota_dimension={}", x.size() - 1));
  out.line("is_label", fmt::format("pred[{}]", fmt::join(x, ",")), "compare(labels.all, classes), direction=EQ");
  return out.make("hits", x, "convert(is_label)");
}

// The mean over all rows of -Σ labels · log softmax(logits); labels: shares, or numbers of classes.
Result<std::string> crossEntropy(const BlockInputs& in) {
  const BlockSizes x = in.sizes(0, {8, 10});
  const BlockSizes rowsOf(x.begin(), x.empty() ? x.end() : x.end() - 1);
  if (x.empty() || in.sizes(1, x) != (in.isInteger(1) ? rowsOf : x))
    return fail("cross-entropy takes logits of [batch, classes] and labels of the same shape, or integers of [batch]");
  BlockWriter out(in.type);
  const auto logits = out.parameter("logits", x);
  BlockWriter::Value labels;
  if (in.isInteger(1)) {
    out.typedParameter("labels", fmt::format("{}[{}]", nameOf(in.given[1].type), fmt::join(rowsOf, ",")));
    labels = hitsOf(out, x, in.given[1].type);
  } else {
    labels = out.parameter("labels", x);
  }
  const auto shifted = out.binary("shifted", "subtract", logits,
                                  out.spreadBack(out.reduceLast("most", "maximum", logits), x, "most.all"));
  const auto total = out.reduceLast("total", "add", out.unary("powers", "exponential", shifted));
  const auto logs =
      out.binary("logs", "subtract", shifted, out.spreadBack(out.unary("log_total", "log", total), x, "log_total.all"));
  const auto rows = out.reduceLast("rows", "add", out.binary("chosen", "multiply", labels, logs));
  int64_t count = 1;
  BlockSizes all;
  for (size_t d = 0; d < rowsOf.size(); ++d) count *= rowsOf[d], all.push_back(static_cast<int64_t>(d));
  const auto sum = all.empty() ? rows : out.reduceOver("sum", "add", rows, all);
  out.binary("cross_entropy", "divide", sum, out.number("count", std::to_string(-count), {}));
  return out.text("cross_entropy");
}

constexpr ShippedBlock kShipped[] = {
    {"linear", "Layers", "x · W + b over the last dimension: linear 64", "dense fc fully connected affine #", linear},
    {"softmax", "Layers", "Exponentials that add up to 1 over the last dimension", "normalize probabilities", softmax},
    {"layer_norm", "Normalization", "Mean 0 and variance 1 over the last dimension, then scale and offset",
     "layernorm normalization", layerNorm},
    {"rms_norm", "Normalization", "The root of the mean square becomes 1 over the last dimension, then scale",
     "rmsnorm normalization", rmsNorm},
    {"gelu", "Layers", "x · Φ(x), the smooth relu", "activation", gelu},
    {"attention", "Layers", "softmax(q · kᵀ / √d) · v", "transformer qkv scaled", attention},
    {"cross_entropy", "Training", "The mean of -labels · log softmax(logits); labels may be numbers of classes",
     "crossentropy loss nll", crossEntropy, 1},
};

std::vector<const ShippedBlock*> allShipped() {
  std::vector<const ShippedBlock*> out;
  for (std::span<const ShippedBlock> each :
       {std::span<const ShippedBlock>(kShipped), attentionBlocks(), recurrentBlocks(), arrayBlocks(), trainingBlocks()})
    for (const ShippedBlock& block : each) out.push_back(&block);
  return out;
}

}  // namespace

const std::vector<Block>& shippedBlocks() {
  static const std::vector<Block> blocks = [] {
    std::vector<Block> out;
    for (const ShippedBlock* each : allShipped())
      out.push_back({std::string(each->name), std::string(each->summary), 1, {}, each->words, {}, each->category});
    return out;
  }();
  return blocks;
}

Result<std::string> shippedBlockText(std::string_view name, std::span<const Shape> inputs, const std::string& number) {
  for (const ShippedBlock* each : allShipped()) {
    if (each->name != name) continue;
    for (size_t k = 0; k < inputs.size(); ++k) {
      const Shape& shape = inputs[k];
      if (static_cast<int64_t>(k) == each->bits && (isInteger(shape.type) || !shape.isArray())) continue;
      if (!shape.isArray() || !isFloat(shape.type) || isComplex(shape.type) || shape.type != inputs[0].type)
        return fail(std::string(name) + " takes arrays of one floating-point type, not " + toString(shape, false));
    }
    return each->make({inputs, inputs.empty() ? ElementType::F32 : inputs[0].type, number});
  }
  return fail("there is no block " + std::string(name));
}

}  // namespace tessera
