// Shipped blocks of training: losses, normalization over a batch, dropout, and the steps of optimizers.
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

Result<std::string> meanSquaredError(const BlockInputs& in) {
  const BlockSizes x = in.sizes(0, {8, 10});
  if (in.sizes(1, x) != x) return fail("predictions and targets need the same shape");
  BlockWriter out(in.type);
  const auto predictions = out.parameter("predictions", x), targets = out.parameter("targets", x);
  const auto difference = out.binary("difference", "subtract", predictions, targets);
  const auto squares = out.binary("squares", "multiply", difference, difference);
  const auto sum = x.empty() ? squares : out.reduceOver("sum", "add", squares, allOf(x));
  out.binary("mse", "divide", sum, out.number("count", std::to_string(elementsOf(x)), {}));
  return out.text("mse");
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
    {"batch_norm", "Normalization", "Mean 0 and variance 1 over the batch, then scale and offset",
     "batchnorm bn normalization", batchNorm},
    {"dropout", "Layers", "Zeros a tenth at random, by threefry: dropout 0.2", "regularization random mask threefry #",
     dropout, 1},
    {"sgd", "Training", "parameter - rate · gradient", "gradient descent optimizer step update train", sgd},
    {"adam", "Training", "Adam's step: the parameter and both moments", "optimizer step update train moments", adam},
};

}  // namespace

std::span<const ShippedBlock> trainingBlocks() { return kTraining; }

}  // namespace tessera
