// Cells of recurrent networks: one step of a sequence, for the body of a loop or a scan.
#include "core/edit/palette/block_writer.h"

namespace tessera {
namespace {

// What both cells read: a step's values and the state before it.
struct Cell {
  BlockSizes x, h;
  int64_t hidden() const { return h.back(); }
};

Status checkSizes(const BlockInputs& in, size_t first, const Cell& cell, int64_t gates) {
  const int64_t wide = gates * cell.hidden();
  const BlockSizes wanted[] = {{cell.x.back(), wide}, {cell.hidden(), wide}, {wide}};
  const char* names[] = {"W", "U", "b"};
  for (size_t k = 0; k < 3; ++k)
    if (in.sizes(first + k, wanted[k]) != wanted[k])
      return fail(fmt::format("{} needs the sizes {}: {} gates of {}", names[k], fmt::join(wanted[k], "×"), gates,
                              cell.hidden()));
  return {};
}

Result<Cell> cellOf(const BlockInputs& in, const char* name) {
  Cell out;
  out.x = in.sizes(0, {8, 16});
  if (out.x.empty()) return fail(std::string(name) + " needs an array, not a scalar");
  BlockSizes state(out.x.begin(), out.x.end() - 1);
  state.push_back(in.has(1) && !in.given[1].dimensions.empty() ? in.given[1].dimensions.back() : in.wholeNumber(32));
  out.h = in.sizes(1, state);
  if (out.h != state) return fail("the state has the rows of x: all sizes but the last agree");
  return out;
}

// One gate of those that stand side by side.
BlockWriter::Value gate(BlockWriter& out, const std::string& name, const BlockWriter::Value& all, int64_t k,
                        int64_t hidden) {
  BlockSizes sizes = all.sizes;
  sizes.back() = hidden;
  std::string ranges;
  for (size_t d = 0; d + 1 < sizes.size(); ++d) ranges += fmt::format("[0:{}], ", sizes[d]);
  return out.make(name, sizes,
                  fmt::format("slice({}), slice={{{}[{}:{}]}}", all.name, ranges, k * hidden, (k + 1) * hidden));
}

// i, f, g, o = x · W + h · U + b; c' = σ(f) c + σ(i) tanh(g); h' = σ(o) tanh(c')
Result<std::string> lstm(const BlockInputs& in) {
  TESSERA_ASSIGN_OR_RETURN(const Cell cell, cellOf(in, "lstm"));
  if (in.sizes(2, cell.h) != cell.h) return fail("h and c have the same sizes");
  TESSERA_TRY(checkSizes(in, 3, cell, 4));
  const int64_t hidden = cell.hidden();
  BlockWriter out(in.type);
  const auto xs = out.parameter("x", cell.x), hs = out.parameter("h", cell.h), cs = out.parameter("c", cell.h),
             w = out.parameter("W", {cell.x.back(), 4 * hidden}), u = out.parameter("U", {hidden, 4 * hidden}),
             b = out.parameter("b", {4 * hidden});
  const auto read = out.binary("read", "add", out.product("xW", xs, w), out.product("hU", hs, u));
  const auto gates =
      out.binary("gates", "add", read, out.spread(b, read.sizes, {static_cast<int64_t>(cell.x.size()) - 1}, "b.all"));
  const auto take = out.unary("input_gate", "logistic", gate(out, "i", gates, 0, hidden));
  const auto keep = out.unary("forget_gate", "logistic", gate(out, "f", gates, 1, hidden));
  const auto candidate = out.unary("candidate", "tanh", gate(out, "g", gates, 2, hidden));
  const auto show = out.unary("output_gate", "logistic", gate(out, "o", gates, 3, hidden));
  const auto next = out.binary("next_c", "add", out.binary("kept", "multiply", keep, cs),
                               out.binary("taken", "multiply", take, candidate));
  const auto state = out.binary("next_h", "multiply", show, out.unary("shown", "tanh", next));
  const std::string shape = fmt::format("{}[{}]", nameOf(in.type), fmt::join(cell.h, ","));
  out.line("lstm", fmt::format("({0}, {0})", shape), fmt::format("tuple({}, {})", state.name, next.name));
  return out.text("lstm");
}

// r, z from x · W + h · U + b; n = tanh(x · W + b + r (h · U)); h' = n + z (h - n)
Result<std::string> gru(const BlockInputs& in) {
  TESSERA_ASSIGN_OR_RETURN(const Cell cell, cellOf(in, "gru"));
  TESSERA_TRY(checkSizes(in, 2, cell, 3));
  const int64_t hidden = cell.hidden();
  BlockWriter out(in.type);
  const auto xs = out.parameter("x", cell.x), hs = out.parameter("h", cell.h),
             w = out.parameter("W", {cell.x.back(), 3 * hidden}), u = out.parameter("U", {hidden, 3 * hidden}),
             b = out.parameter("b", {3 * hidden});
  const auto seen = out.product("xW", xs, w), recurrent = out.product("hU", hs, u);
  const auto read =
      out.binary("read", "add", seen, out.spread(b, seen.sizes, {static_cast<int64_t>(cell.x.size()) - 1}, "b.all"));
  const auto both = [&](const std::string& name, int64_t k) {
    return out.binary(name, "add", gate(out, name + ".x", read, k, hidden),
                      gate(out, name + ".h", recurrent, k, hidden));
  };
  const auto reset = out.unary("reset_gate", "logistic", both("r", 0));
  const auto update = out.unary("update_gate", "logistic", both("z", 1));
  const auto recalled = out.binary("recalled", "multiply", reset, gate(out, "n.h", recurrent, 2, hidden));
  const auto candidate =
      out.unary("candidate", "tanh", out.binary("n", "add", gate(out, "n.x", read, 2, hidden), recalled));
  const auto change = out.binary("change", "multiply", update, out.binary("apart", "subtract", hs, candidate));
  out.binary("gru", "add", candidate, change);
  return out.text("gru");
}

constexpr ShippedBlock kRecurrent[] = {
    {"lstm", "Layers", "One step of an LSTM: h and c after x; 4 gates i, f, g, o: lstm 32",
     "recurrent cell rnn long short memory #", lstm},
    {"gru", "Layers", "One step of a GRU: h after x; 3 gates r, z, n: gru 32", "recurrent cell rnn gated #", gru},
};

}  // namespace

std::span<const ShippedBlock> recurrentBlocks() { return kRecurrent; }

}  // namespace tessera
