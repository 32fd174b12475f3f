// The blocks that come with Tessera, written as HLO text for the shapes that they are placed on.
#include <fmt/format.h>

#include <cmath>

#include "core/edit/palette/blocks.h"
#include "core/formats/hlo_text.h"

namespace tessera {
namespace {

using Dimensions = std::vector<int64_t>;

// Lines of one computation; each gives its name and keeps its shape.
class Writer {
 public:
  explicit Writer(ElementType type) : type_(type) {}

  struct Value {
    std::string name;
    Dimensions sizes;
  };

  Value parameter(const std::string& name, const Dimensions& sizes) {
    lines_ += fmt::format("  {} = {} parameter({})\n", name, shape(sizes), parameters_++);
    return {name, sizes};
  }
  Value make(const std::string& name, const Dimensions& sizes, const std::string& expression) {
    lines_ += fmt::format("  {} = {} {}\n", name, shape(sizes), expression);
    last_ = name;
    return {name, sizes};
  }
  Value unary(const std::string& name, const std::string& op, const Value& x) {
    return make(name, x.sizes, fmt::format("{}({})", op, x.name));
  }
  Value binary(const std::string& name, const std::string& op, const Value& x, const Value& y) {
    return make(name, x.sizes, fmt::format("{}({}, {})", op, x.name, y.name));
  }
  Value number(const std::string& name, const std::string& value, const Dimensions& sizes) {
    make(name, {}, "constant(" + value + ")");
    return sizes.empty() ? Value{name, {}} : spread({name, {}}, sizes, {}, name + ".all");
  }
  Value spread(const Value& x, const Dimensions& sizes, const Dimensions& dimensions, const std::string& name) {
    return make(name, sizes, fmt::format("broadcast({}), dimensions={{{}}}", x.name, fmt::join(dimensions, ",")));
  }
  // Over the last dimension; "add" from 0 or "maximum" from -inf.
  Value reduceLast(const std::string& name, const std::string& op, const Value& x) {
    const std::string reducer = fmt::format("block.{}.{}", op, nameOf(type_));
    if (reducers_.find(reducer + " ") == std::string::npos)
      reducers_ += fmt::format(
          "{0} {{\n  {1}.a = {2} parameter(0)\n  {1}.b = {2} parameter(1)\n  ROOT {1}.c = {2} {1}({1}.a, "
          "{1}.b)\n}}\n\n",
          reducer, op, shape({}));
    make(name + ".start", {}, op == "add" ? "constant(0)" : "constant(-inf)");
    const Dimensions kept(x.sizes.begin(), x.sizes.end() - 1);
    return make(
        name, kept,
        fmt::format("reduce({}, {}.start), dimensions={{{}}}, to_apply={}", x.name, name, x.sizes.size() - 1, reducer));
  }
  Value spreadBack(const Value& reduced, const Dimensions& sizes, const std::string& name) {
    Dimensions dimensions;
    for (size_t d = 0; d + 1 < sizes.size(); ++d) dimensions.push_back(static_cast<int64_t>(d));
    return spread(reduced, sizes, dimensions, name);
  }
  Value softmax(const Value& x) {
    const Value most = reduceLast("most", "maximum", x);
    const Value shifted = binary("shifted", "subtract", x, spreadBack(most, x.sizes, "most.all"));
    const Value powers = unary("powers", "exponential", shifted);
    return binary("softmax", "divide", powers, spreadBack(reduceLast("total", "add", powers), x.sizes, "total.all"));
  }
  std::string text(const std::string& name) {
    const std::string mark = "  " + last_ + " = ";
    const size_t at = lines_.rfind(mark);
    lines_.insert(at + 2, "ROOT ");
    return fmt::format("HloModule {0}\n\n{1}ENTRY {0} {{\n{2}}}\n", name, reducers_, lines_);
  }

 private:
  std::string shape(const Dimensions& sizes) const {
    return fmt::format("{}[{}]", nameOf(type_), fmt::join(sizes, ","));
  }
  ElementType type_;
  int parameters_ = 0;
  std::string lines_, reducers_, last_;
};

struct Inputs {
  std::span<const Shape> given;
  ElementType type = ElementType::F32;
  bool has(size_t k) const { return k < given.size(); }
  Dimensions sizes(size_t k, Dimensions otherwise) const { return has(k) ? given[k].dimensions : otherwise; }
};

Result<std::string> linear(const Inputs& in) {
  const Dimensions x = in.sizes(0, {8, 16});
  if (x.empty()) return fail("linear needs an array, not a scalar");
  const Dimensions w = in.sizes(1, {x.back(), 32});
  if (w.size() != 2 || w[0] != x.back())
    return fail(fmt::format("the weights need {} rows, as many as the input has features", x.back()));
  const Dimensions b = in.sizes(2, {w[1]});
  if (b != Dimensions{w[1]}) return fail(fmt::format("the bias needs {} elements", w[1]));
  Writer out(in.type);
  const auto xs = out.parameter("x", x), ws = out.parameter("W", w), bs = out.parameter("b", b);
  Dimensions y(x.begin(), x.end() - 1);
  y.push_back(w[1]);
  const auto product = out.make(
      "xW", y, fmt::format("dot(x, W), lhs_contracting_dims={{{}}}, rhs_contracting_dims={{0}}", x.size() - 1));
  out.binary("linear", "add", product, out.spread(bs, y, {static_cast<int64_t>(y.size()) - 1}, "b.all"));
  return out.text("linear");
}

Result<std::string> softmax(const Inputs& in) {
  const Dimensions x = in.sizes(0, {8, 16});
  if (x.empty()) return fail("softmax needs an array, not a scalar");
  Writer out(in.type);
  out.softmax(out.parameter("x", x));
  return out.text("softmax");
}

Result<std::string> layerNorm(const Inputs& in) {
  const Dimensions x = in.sizes(0, {8, 16});
  if (x.empty()) return fail("layer norm needs an array, not a scalar");
  const Dimensions features{x.back()};
  if (in.sizes(1, features) != features || in.sizes(2, features) != features)
    return fail(fmt::format("scale and offset need {} elements", x.back()));
  Writer out(in.type);
  const auto xs = out.parameter("x", x), scale = out.parameter("scale", features),
             offset = out.parameter("offset", features);
  const Dimensions rows(x.begin(), x.end() - 1);
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

// x · (1 + erf(x / √2)) / 2
Result<std::string> gelu(const Inputs& in) {
  const Dimensions x = in.sizes(0, {8, 16});
  Writer out(in.type);
  const auto xs = out.parameter("x", x);
  const auto part =
      out.unary("erf", "erf", out.binary("scaled", "multiply", xs, out.number("root_half", "0.707106781", x)));
  const auto gate = out.binary("gate", "add", part, out.number("one", "1", x));
  out.binary("gelu", "multiply", out.binary("half_x", "multiply", xs, out.number("half", "0.5", x)), gate);
  return out.text("gelu");
}

std::string dimensionList(size_t count) {
  Dimensions out;
  for (size_t d = 0; d < count; ++d) out.push_back(static_cast<int64_t>(d));
  return fmt::format("{}", fmt::join(out, ","));
}

Result<std::string> attention(const Inputs& in) {
  const Dimensions q = in.sizes(0, {16, 8});
  if (q.size() < 2) return fail("queries need at least two dimensions: positions and features");
  const Dimensions k = in.sizes(1, q), v = in.sizes(2, k);
  const size_t batch = q.size() - 2;
  bool agree = k.size() == q.size() && v.size() == q.size() && k.back() == q.back() && v[batch] == k[batch];
  for (size_t d = 0; agree && d < batch; ++d) agree = q[d] == k[d] && q[d] == v[d];
  if (!agree)
    return fail("keys need the queries' features, values the keys' positions, and all the same batch dimensions");
  Writer out(in.type);
  const auto qs = out.parameter("queries", q), ks = out.parameter("keys", k), vs = out.parameter("values", v);
  Dimensions scores(q.begin(), q.end() - 1), result = scores;
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

// The mean over all rows of -Σ labels · log softmax(logits).
Result<std::string> crossEntropy(const Inputs& in) {
  const Dimensions x = in.sizes(0, {8, 10});
  if (x.size() != 2 || in.sizes(1, x) != x)
    return fail("cross-entropy takes logits of [batch, classes] and labels of the same shape");
  Writer out(in.type);
  const auto logits = out.parameter("logits", x), labels = out.parameter("labels", x);
  const auto shifted = out.binary("shifted", "subtract", logits,
                                  out.spreadBack(out.reduceLast("most", "maximum", logits), x, "most.all"));
  const auto total = out.reduceLast("total", "add", out.unary("powers", "exponential", shifted));
  const auto logs =
      out.binary("logs", "subtract", shifted, out.spreadBack(out.unary("log_total", "log", total), x, "log_total.all"));
  const auto rows = out.reduceLast("rows", "add", out.binary("chosen", "multiply", labels, logs));
  const auto sum = out.reduceLast("sum", "add", rows);
  out.binary("cross_entropy", "divide", sum, out.number("count", std::to_string(-x[0]), {}));
  return out.text("cross_entropy");
}

using Maker = Result<std::string> (*)(const Inputs&);
struct Shipped {
  std::string_view name, summary;
  Maker make;
};
constexpr Shipped kShipped[] = {
    {"linear", "x · W + b over the last dimension", linear},
    {"softmax", "Exponentials that add up to 1 over the last dimension", softmax},
    {"layer_norm", "Mean 0 and variance 1 over the last dimension, then scale and offset", layerNorm},
    {"gelu", "x · Φ(x), the smooth relu", gelu},
    {"attention", "softmax(q · kᵀ / √d) · v", attention},
    {"cross_entropy", "The mean of -labels · log softmax(logits)", crossEntropy},
};

}  // namespace

const std::vector<Block>& shippedBlocks() {
  static const std::vector<Block> blocks = [] {
    std::vector<Block> out;
    for (const Shipped& each : kShipped) out.push_back({std::string(each.name), std::string(each.summary), 1, {}});
    return out;
  }();
  return blocks;
}

Result<std::string> shippedBlockText(std::string_view name, std::span<const Shape> inputs) {
  for (const Shape& shape : inputs)
    if (!shape.isArray() || !isFloat(shape.type) || isComplex(shape.type) || shape.type != inputs[0].type)
      return fail(std::string(name) + " takes arrays of one floating-point type, not " + toString(shape, false));
  for (const Shipped& each : kShipped)
    if (each.name == name) return each.make({inputs, inputs.empty() ? ElementType::F32 : inputs[0].type});
  return fail("there is no block " + std::string(name));
}

}  // namespace tessera
