// Shipped blocks that mask a triangle of a matrix, and random numbers.
#include "core/edit/palette/block_writer.h"

namespace tessera {
namespace {

// Elements whose column is beyond their row become `otherwise`; the last two dimensions are rows and columns.
Result<std::string> triangle(const BlockInputs& in, const std::string& name, const std::string& input,
                             const std::string& otherwise) {
  const BlockSizes x = in.sizes(0, {8, 8});
  if (x.size() < 2) return fail(name + " needs rows and columns");
  BlockWriter out(in.type);
  const auto xs = out.parameter(input, x);
  const std::string places = fmt::format("s32[{}]", fmt::join(x, ","));
  out.line("rows", places, fmt::format("iota(), iota_dimension={}", x.size() - 2));
  out.line("columns", places, fmt::format("iota(), iota_dimension={}", x.size() - 1));
  out.line("kept", fmt::format("pred[{}]", fmt::join(x, ",")), "compare(rows, columns), direction=GE");
  const auto other = out.number("other", otherwise, x);
  out.make(name, x, fmt::format("select(kept, {}, {})", xs.name, other.name));
  return out.text(name);
}

Result<std::string> causalMask(const BlockInputs& in) { return triangle(in, "causal_mask", "scores", "-1e9"); }
Result<std::string> lowerTriangle(const BlockInputs& in) { return triangle(in, "lower_triangle", "x", "0"); }

// By Box and Muller: sqrt(-2 log u) cos(2π v), of numbers within (0, 1) of 24 bits each; in f32 whatever the type.
Result<std::string> randomNormal(const BlockInputs& in) {
  const BlockSizes x = in.sizes(0, {8, 16});
  if (in.has(1) && (in.given[1].type != ElementType::U64 || in.given[1].dimensions != BlockSizes{2}))
    return fail("random normal takes the state of a generator, u64[2]");
  BlockSizes both{2}, one{1};
  both.insert(both.end(), x.begin(), x.end());
  one.insert(one.end(), x.begin(), x.end());
  const std::string bits = fmt::format("u32[{}]", fmt::join(both, ","));
  const std::string shape = fmt::format("{}[{}]", nameOf(in.type), fmt::join(x, ","));
  BlockWriter out(ElementType::F32);
  out.typedParameter("like", shape);
  out.typedParameter("state", "u64[2]");
  out.line("random", "(u64[2], " + bits + ")", "rng-bit-generator(state), algorithm=rng_three_fry");
  out.line("bits", bits, "get-tuple-element(random), index=1");
  out.line("eight", "u32[]", "constant(8)");
  out.line("eight.all", bits, "broadcast(eight), dimensions={}");
  out.line("high", bits, "shift-right-logical(bits, eight.all)");
  const auto whole =
      out.binary("whole", "add", out.make("numbers", both, "convert(high)"), out.number("half", "0.5", both));
  const auto uniform = out.binary("uniform", "multiply", whole, out.number("step", "5.96046448e-08", both));
  const auto take = [&](const std::string& name, int k) {
    std::string ranges = fmt::format("[{}:{}]", k, k + 1);
    for (int64_t size : x) ranges += fmt::format(", [0:{}]", size);
    const auto row = out.make(name + ".row", one, fmt::format("slice({}), slice={{{}}}", uniform.name, ranges));
    return out.make(name, x, fmt::format("reshape({})", row.name));
  };
  const auto logarithm = out.unary("logarithm", "log", take("u", 0));
  const auto radius =
      out.unary("radius", "sqrt", out.binary("square", "multiply", logarithm, out.number("minus_two", "-2", x)));
  const auto angle = out.binary("angle", "multiply", take("v", 1), out.number("circle", "6.28318531", x));
  const auto wave = out.unary("wave", "cosine", angle);
  if (in.type == ElementType::F32) {
    out.binary("random_normal", "multiply", radius, wave);
  } else {
    const auto normal = out.binary("normal", "multiply", radius, wave);
    out.line("random_normal", shape, fmt::format("convert({})", normal.name));
  }
  return out.text("random_normal");
}

constexpr ShippedBlock kArrays[] = {
    {"causal_mask", "Layers", "Scores of later positions become -1e9, before a softmax",
     "autoregressive attention triangular future decoder", causalMask},
    {"lower_triangle", "Array functions", "Elements beyond the diagonal become 0", "tril triangular matrix",
     lowerTriangle},
    {"random_normal", "Random", "Standard normal numbers in the shape of an array, by threefry",
     "gaussian noise randn diffusion", randomNormal, 1},
};

}  // namespace

std::span<const ShippedBlock> arrayBlocks() { return kArrays; }

}  // namespace tessera
