// Shipped blocks of training: losses, normalization over a batch or groups, dropout, and the steps of optimizers.
#include <numeric>

#include "core/edit/palette/block_writer.h"

namespace tessera {
namespace {

BlockSizes allOf(const BlockSizes& sizes) {
  BlockSizes out;
  for (size_t d = 0; d < sizes.size(); ++d) out.push_back(static_cast<int64_t>(d));
  return out;
}

int64_t elementsOf(const BlockSizes& sizes) {
  int64_t out = 1;
  for (int64_t size : sizes) out *= size;
  return out;
}

// Predictions and targets.
struct Pair {
  BlockWriter::Value predictions, targets;
};
Result<Pair> readPair(const BlockInputs& in, BlockWriter& out) {
  const BlockSizes x = in.sizes(0, {8, 10});
  if (in.sizes(1, x) != x) return fail("predictions and targets need the same shape");
  return Pair{out.parameter("predictions", x), out.parameter("targets", x)};
}

std::string meanOfAll(BlockWriter& out, const BlockWriter::Value& x, const std::string& name) {
  const auto sum = x.sizes.empty() ? x : out.reduceOver("sum", "add", x, allOf(x.sizes));
  out.binary(name, "divide", sum, out.number("count", std::to_string(elementsOf(x.sizes)), {}));
  return out.text(name);
}

Result<std::string> meanSquaredError(const BlockInputs& in) {
  BlockWriter out(in.type);
  TESSERA_ASSIGN_OR_RETURN(const Pair pair, readPair(in, out));
  const auto difference = out.binary("difference", "subtract", pair.predictions, pair.targets);
  return meanOfAll(out, out.binary("squares", "multiply", difference, difference), "mse");
}

// Half the square of the difference up to a limit, from there a line: of the difference the part within the limit and
// the part beyond it.
Result<std::string> huber(const BlockInputs& in) {
  BlockWriter out(in.type);
  TESSERA_ASSIGN_OR_RETURN(const Pair pair, readPair(in, out));
  double limit = 1;
  std::from_chars(in.number.data(), in.number.data() + in.number.size(), limit);
  if (!(limit > 0)) return fail("the limit of huber is more than 0");
  const BlockSizes& x = pair.predictions.sizes;
  const auto distance =
      out.unary("distance", "abs", out.binary("difference", "subtract", pair.predictions, pair.targets));
  const auto delta = out.number("delta", fmt::format("{:.9g}", limit), x);
  const auto within = out.binary("within", "minimum", distance, delta);
  const auto curve =
      out.binary("curve", "multiply", out.binary("squares", "multiply", within, within), out.number("half", "0.5", x));
  const auto line = out.binary("line", "multiply", out.binary("beyond", "subtract", distance, within), delta);
  return meanOfAll(out, out.binary("losses", "add", curve, line), "huber");
}

// The mean over all rows of Σ p · log(p / q). Logarithms are of 1e-7 at least: where p is 0 nothing is added.
Result<std::string> klDivergence(const BlockInputs& in) {
  const BlockSizes x = in.sizes(0, {8, 10});
  if (x.empty() || in.sizes(1, x) != x) return fail("p and q are distributions of one shape, along the last dimension");
  BlockWriter out(in.type);
  const auto p = out.parameter("p", x), q = out.parameter("q", x);
  const auto least = out.number("least", "1e-07", x);
  const auto logs =
      out.binary("logs", "subtract", out.unary("log_p", "log", out.binary("p.least", "maximum", p, least)),
                 out.unary("log_q", "log", out.binary("q.least", "maximum", q, least)));
  return meanOfAll(out, out.reduceLast("rows", "add", out.binary("terms", "multiply", p, logs)), "kl_divergence");
}

// Statistics over all dimensions but the last.
Result<std::string> batchNorm(const BlockInputs& in) {
  const BlockSizes x = in.sizes(0, {8, 16});
  if (x.size() < 2) return fail("batch norm needs a batch and features");
  const BlockSizes features{x.back()};
  if (in.sizes(1, features) != features || in.sizes(2, features) != features)
    return fail(fmt::format("scale and offset need {} elements", x.back()));
  BlockWriter out(in.type);
  const auto xs = out.parameter("x", x), scale = out.parameter("scale", features),
             offset = out.parameter("offset", features);
  BlockSizes batch = allOf(x);
  const int64_t last = batch.back();
  batch.pop_back();
  const auto count = out.number("count", std::to_string(elementsOf(x) / std::max<int64_t>(x.back(), 1)), features);
  const auto mean = out.binary("mean", "divide", out.reduceOver("sum", "add", xs, batch), count);
  const auto centred = out.binary("centred", "subtract", xs, out.spread(mean, x, {last}, "mean.all"));
  const auto squares = out.binary("squares", "multiply", centred, centred);
  const auto variance = out.binary("variance", "divide", out.reduceOver("square.sum", "add", squares, batch), count);
  const auto steady = out.binary("steady", "add", variance, out.number("epsilon", "1e-05", features));
  const auto rate = out.unary("rate", "rsqrt", steady);
  const auto normal = out.binary("normal", "multiply", centred, out.spread(rate, x, {last}, "rate.all"));
  const auto scaled = out.binary("scaled", "multiply", normal, out.spread(scale, x, {last}, "scale.all"));
  out.binary("batch_norm", "add", scaled, out.spread(offset, x, {last}, "offset.all"));
  return out.text("batch_norm");
}

// As many groups as the line says, else up to 32 of at least two features.
int64_t groupsOf(const BlockInputs& in, int64_t features) {
  const int64_t shared = std::gcd(int64_t{32}, features);
  return in.wholeNumber(shared == features ? std::max<int64_t>(shared / 2, 1) : shared);
}

// Statistics of each group of features in each element of the batch, over all dimensions between.
Result<std::string> groupNorm(const BlockInputs& in) {
  const BlockSizes x = in.sizes(0, {2, 8, 8, 16});
  if (x.size() < 2) return fail("group norm needs a batch and features");
  const BlockSizes features{x.back()};
  if (in.sizes(1, features) != features || in.sizes(2, features) != features)
    return fail(fmt::format("scale and offset need {} elements", x.back()));
  const int64_t groups = groupsOf(in, x.back());
  if (x.back() % groups != 0)
    return fail(fmt::format("{} features do not split into {} groups of one size", x.back(), groups));
  BlockSizes parted(x.begin(), x.end() - 1);
  parted.insert(parted.end(), {groups, x.back() / groups});
  const auto last = static_cast<int64_t>(x.size()) - 1;
  const BlockSizes kept{0, last}, statistics{x[0], groups};
  BlockSizes reduced;
  for (int64_t d : allOf(parted))
    if (std::ranges::find(kept, d) == kept.end()) reduced.push_back(d);
  BlockWriter out(in.type);
  const auto xs = out.parameter("x", x), scale = out.parameter("scale", features),
             offset = out.parameter("offset", features);
  const auto grouped = out.make("grouped", parted, fmt::format("reshape({})", xs.name));
  const int64_t members = elementsOf(parted) / std::max<int64_t>(elementsOf(statistics), 1);
  const auto count = out.number("count", std::to_string(members), statistics);
  const auto mean = out.binary("mean", "divide", out.reduceOver("sum", "add", grouped, reduced), count);
  const auto centred = out.binary("centred", "subtract", grouped, out.spread(mean, parted, kept, "mean.all"));
  const auto squares = out.binary("squares", "multiply", centred, centred);
  const auto variance = out.binary("variance", "divide", out.reduceOver("square.sum", "add", squares, reduced), count);
  const auto steady = out.binary("steady", "add", variance, out.number("epsilon", "1e-05", statistics));
  const auto rate = out.unary("rate", "rsqrt", steady);
  const auto normal = out.binary("normal", "multiply", centred, out.spread(rate, parted, kept, "rate.all"));
  const auto joined = out.make("joined", x, fmt::format("reshape({})", normal.name));
  const auto scaled = out.binary("scaled", "multiply", joined, out.spread(scale, x, {last}, "scale.all"));
  out.binary("group_norm", "add", scaled, out.spread(offset, x, {last}, "offset.all"));
  return out.text("group_norm");
}

// The rate of dropout: the number of the line, within [0, 1).
double leftOut(const BlockInputs& in) {
  double part = 0.1;
  std::from_chars(in.number.data(), in.number.data() + in.number.size(), part);
  return part >= 0 && part < 1 ? part : 0.1;
}

// Each element stays with a probability, divided by it; the bits are threefry's of the state.
Result<std::string> dropout(const BlockInputs& in) {
  const BlockSizes x = in.sizes(0, {8, 16});
  if (in.has(1) && (in.given[1].type != ElementType::U64 || in.given[1].dimensions != BlockSizes{2}))
    return fail("dropout takes the state of a generator, u64[2]");
  BlockWriter out(in.type);
  const auto xs = out.parameter("x", x);
  out.typedParameter("state", "u64[2]");
  const std::string bits = fmt::format("u32[{}]", fmt::join(x, ","));
  out.line("random", "(u64[2], " + bits + ")", "rng-bit-generator(state), algorithm=rng_three_fry");
  out.line("bits", bits, "get-tuple-element(random), index=1");
  const double stays = 1 - leftOut(in);
  out.line("limit", "u32[]",
           fmt::format("constant({})", static_cast<uint32_t>(std::min(stays * 4294967296.0, 4294967295.0))));
  out.line("limit.all", bits, "broadcast(limit), dimensions={}");
  out.line("kept", fmt::format("pred[{}]", fmt::join(x, ",")), "compare(bits, limit.all), direction=LT");
  const auto larger = out.binary("larger", "divide", xs, out.number("share", fmt::format("{:.9g}", stays), x));
  out.make("dropout", x, "select(kept, " + larger.name + ", " + out.number("zero", "0", x).name + ")");
  return out.text("dropout");
}

Result<std::string> sgd(const BlockInputs& in) {
  const BlockSizes p = in.sizes(0, {16, 32});
  if (in.sizes(1, p) != p) return fail("the gradient needs the shape of the parameter");
  if (!in.sizes(2, {}).empty()) return fail("the learning rate is a scalar");
  BlockWriter out(in.type);
  const auto parameter = out.parameter("parameter", p), gradient = out.parameter("gradient", p),
             rate = out.parameter("rate", {});
  const auto step = out.binary("step", "multiply", p.empty() ? rate : out.spread(rate, p, {}, "rate.all"), gradient);
  out.binary("sgd", "subtract", parameter, step);
  return out.text("sgd");
}

// Moments with 0.9 and 0.999, corrected for the step's number, which counts from 1; gives parameter and moments.
Result<std::string> adam(const BlockInputs& in) {
  const BlockSizes p = in.sizes(0, {16, 32});
  for (size_t k : {1u, 2u, 3u})
    if (in.sizes(k, p) != p) return fail("gradient and moments need the shape of the parameter");
  if (!in.sizes(4, {}).empty() || !in.sizes(5, {}).empty())
    return fail("the step's number and the learning rate are scalars");
  BlockWriter out(in.type);
  const auto parameter = out.parameter("parameter", p), gradient = out.parameter("gradient", p),
             first = out.parameter("first", p), second = out.parameter("second", p), step = out.parameter("step", {}),
             rate = out.parameter("rate", {});
  const auto moment = [&](const std::string& name, const BlockWriter::Value& old, const BlockWriter::Value& now,
                          const std::string& keeps, const std::string& share) {
    return out.binary(name, "add", out.binary(name + ".old", "multiply", old, out.number(name + ".keeps", keeps, p)),
                      out.binary(name + ".new", "multiply", now, out.number(name + ".share", share, p)));
  };
  const auto corrected = [&](const std::string& name, const BlockWriter::Value& value, const std::string& keeps) {
    const auto power = out.binary(name + ".power", "power", out.number(name + ".base", keeps, {}), step);
    const auto left = out.binary(name + ".left", "subtract", out.number(name + ".one", "1", {}), power);
    return out.binary(name, "divide", value, p.empty() ? left : out.spread(left, p, {}, name + ".left.all"));
  };
  const auto squares = out.binary("squares", "multiply", gradient, gradient);
  const auto m = moment("m", first, gradient, "0.9", "0.1"), v = moment("v", second, squares, "0.999", "0.001");
  const auto mean = corrected("mean", m, "0.9"), size = out.unary("size", "sqrt", corrected("spread", v, "0.999"));
  const auto steady = out.binary("steady", "add", size, out.number("epsilon", "1e-08", p));
  const auto direction = out.binary("direction", "divide", mean, steady);
  const auto move = out.binary("move", "multiply", p.empty() ? rate : out.spread(rate, p, {}, "rate.all"), direction);
  const auto next = out.binary("next", "subtract", parameter, move);
  const std::string shape = fmt::format("{}[{}]", nameOf(in.type), fmt::join(p, ","));
  out.line("adam", fmt::format("({0}, {0}, {0})", shape), fmt::format("tuple({}, {}, {})", next.name, m.name, v.name));
  return out.text("adam");
}

constexpr ShippedBlock kTraining[] = {
    {"mse", "Training", "The mean of the squared differences", "mean squared error loss l2", meanSquaredError},
    {"huber", "Training", "The mean of half the squared differences, of a line where they exceed a limit: huber 0.5",
     "loss robust regression smooth l1 #", huber},
    {"kl_divergence", "Training", "The mean over all rows of Σ p · log(p / q); p and q are probabilities",
     "kullback leibler kl_div kldiv relative entropy loss distillation", klDivergence},
    {"batch_norm", "Normalization", "Mean 0 and variance 1 over the batch, then scale and offset",
     "batchnorm bn normalization", batchNorm},
    {"group_norm", "Normalization",
     "Mean 0 and variance 1 over groups of the features, then scale and offset: group norm 4",
     "groupnorm gn normalization #", groupNorm},
    {"dropout", "Layers", "Zeros a tenth at random, by threefry: dropout 0.2", "regularization random mask threefry #",
     dropout, 1},
    {"sgd", "Training", "parameter - rate · gradient", "gradient descent optimizer step update train", sgd},
    {"adam", "Training", "Adam's step: the parameter and both moments", "optimizer step update train moments", adam},
};

}  // namespace

std::span<const ShippedBlock> trainingBlocks() { return kTraining; }

}  // namespace tessera
