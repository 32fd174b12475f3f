// Programs of attention, with its gradient or without, of any sizes, types and masks. Used by tests of their kernels.
#pragma once

#include <cstdint>
#include <string>

namespace tessera {

struct AttentionCase {
  std::string name;
  std::string type = "f32";     // of queries, keys and values
  std::string softmax = "f32";  // of scores, powers and weights; sums are f32
  int64_t heads = 2, queries = 64, keys = 64, depth = 32, width = 32;
  std::string mask;  // of `scores`, f32 of all heads, queries and keys, to `masked`
  std::string device = "simulated:sm_80";
  bool keysAreTransposed = false;  // stored as [heads, depth, keys]
  bool hasGradient = false;        // results: values, gradients of q, k and v for that of the values
  bool hasBiasGradient = false;    // one more: that of an array that is added to the scores of all heads
};

inline constexpr const char* kCausal = R"(
  row = s32[SCORES] iota(), iota_dimension=1
  column = s32[SCORES] iota(), iota_dimension=2
  seen = pred[SCORES] compare(row, column), direction=GE
  low = f32[] constant(LOW)
  lows = f32[SCORES] broadcast(low), dimensions={}
  masked = f32[SCORES] select(seen, scores, lows))";
// Of the first keys a row sees none: the running maximum is still -inf there.
inline constexpr const char* kLateKeys = R"(
  row = s32[SCORES] iota(), iota_dimension=1
  column = s32[SCORES] iota(), iota_dimension=2
  seen = pred[SCORES] compare(column, row), direction=GE
  low = f32[] constant(-inf)
  lows = f32[SCORES] broadcast(low), dimensions={}
  masked = f32[SCORES] select(seen, scores, lows))";
// A row sees sixteen keys and no later one.
inline constexpr const char* kWindow = R"(
  row = s32[SCORES] iota(), iota_dimension=1
  column = s32[SCORES] iota(), iota_dimension=2
  isPast = pred[SCORES] compare(column, row), direction=LE
  width = s32[] constant(16)
  widths = s32[SCORES] broadcast(width), dimensions={}
  end = s32[SCORES] add(column, widths)
  isNear = pred[SCORES] compare(row, end), direction=LT
  seen = pred[SCORES] and(isPast, isNear)
  low = f32[] constant(LOW)
  lows = f32[SCORES] broadcast(low), dimensions={}
  masked = f32[SCORES] select(seen, scores, lows))";
// As a model's padding has it: an array in memory, the same for all heads.
inline constexpr const char* kMaskInMemory = R"(
  keeps = pred[QUERIES,KEYS] parameter(3)
  seen = pred[SCORES] broadcast(keeps), dimensions={1,2}
  low = f32[] constant(LOW)
  lows = f32[SCORES] broadcast(low), dimensions={}
  masked = f32[SCORES] select(seen, scores, lows))";
inline constexpr const char* kBias = R"(
  bias = f32[QUERIES,KEYS] parameter(3)
  biases = f32[SCORES] broadcast(bias), dimensions={1,2}
  masked = f32[SCORES] add(scores, biases))";

inline constexpr const char* kGradient = R"(
  given = TYPE[HEADS,QUERIES,WIDTH] parameter(LAST)
  dnarrow = TYPE[SCORES] dot(given, v), lhs_batch_dims={0}, lhs_contracting_dims={2}, rhs_batch_dims={0},
      rhs_contracting_dims={2}
  dweights = f32[SCORES] convert(dnarrow)
  weighted = f32[SCORES] multiply(dweights, weights)
  wideWeighted = SUM[SCORES] convert(weighted)
  wideMean = SUM[HEADS,QUERIES] reduce(wideWeighted, wideZero), dimensions={2}, to_apply=sum
  mean = f32[HEADS,QUERIES] convert(wideMean)
  means = f32[SCORES] broadcast(mean), dimensions={0,1}
  differences = f32[SCORES] subtract(dweights, means)
  dmasked = f32[SCORES] multiply(differences, weights)UNMASK
  dscaled = f32[SCORES] multiply(dscores, scales)
  dproducts = TYPE[SCORES] convert(dscaled)
  dq = TYPE[HEADS,QUERIES,DEPTH] dot(dproducts, k), lhs_batch_dims={0}, lhs_contracting_dims={2}, rhs_batch_dims={0},
      rhs_contracting_dims={ALONGKEYS}
  dk = TYPE[HEADS,KEYS,DEPTH] dot(dproducts, q), lhs_batch_dims={0}, lhs_contracting_dims={1}, rhs_batch_dims={0},
      rhs_contracting_dims={1}
  dv = TYPE[HEADS,KEYS,WIDTH] dot(narrow, given), lhs_batch_dims={0}, lhs_contracting_dims={1}, rhs_batch_dims={0},
      rhs_contracting_dims={1}
  ROOT all = (TYPE[HEADS,QUERIES,WIDTH], TYPE[HEADS,QUERIES,DEPTH], TYPE[HEADS,KEYS,DEPTH], TYPE[HEADS,KEYS,WIDTH])
      tuple(r, dq, dk, dv)
})";
inline constexpr const char* kUnmask = R"(
  zeros = f32[SCORES] broadcast(zero), dimensions={}
  dscores = f32[SCORES] select(seen, dmasked, zeros))";

inline constexpr const char* kBiasGradient = R"(  wideScores = SUM[SCORES] convert(dscores)
  wideBias = SUM[QUERIES,KEYS] reduce(wideScores, wideZero), dimensions={0}, to_apply=sum
  dbias = f32[QUERIES,KEYS] convert(wideBias)
  ROOT all = (f32[QUERIES,KEYS], )";

inline std::string replaced(std::string text, const std::string& what, const std::string& by) {
  for (size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + by.size()))
    text.replace(at, what.size(), by);
  return text;
}

inline std::string textOf(const AttentionCase& c) {
  std::string text = R"(HloModule attention
most {
  a = f32[] parameter(0)
  b = f32[] parameter(1)
  ROOT m = f32[] maximum(a, b)
}
sum {
  a = SUM[] parameter(0)
  b = SUM[] parameter(1)
  ROOT s = SUM[] add(a, b)
}
ENTRY e {
  q = TYPE[HEADS,QUERIES,DEPTH] parameter(0)
  k = TYPE[OFKEYS] parameter(1)
  v = TYPE[HEADS,KEYS,WIDTH] parameter(2)
  products = TYPE[SCORES] dot(q, k), lhs_batch_dims={0}, lhs_contracting_dims={2}, rhs_batch_dims={0},
      rhs_contracting_dims={OVER}
  wide = f32[SCORES] convert(products)
  scale = f32[] constant(0.17)
  scales = f32[SCORES] broadcast(scale), dimensions={}
  scores = f32[SCORES] multiply(wide, scales)MASK
  lowest = f32[] constant(-inf)
  top = f32[HEADS,QUERIES] reduce(masked, lowest), dimensions={2}, to_apply=most
  tops = f32[SCORES] broadcast(top), dimensions={0,1}
  shifted = f32[SCORES] subtract(masked, tops)
  powers = f32[SCORES] exponential(shifted)
  zero = f32[] constant(0)
  widePowers = SUM[SCORES] convert(powers)
  wideZero = SUM[] constant(0)
  wideTotal = SUM[HEADS,QUERIES] reduce(widePowers, wideZero), dimensions={2}, to_apply=sum
  total = f32[HEADS,QUERIES] convert(wideTotal)
  totals = f32[SCORES] broadcast(total), dimensions={0,1}
  weights = f32[SCORES] divide(powers, totals)
  narrow = TYPE[SCORES] convert(weights)
  ROOT r = TYPE[HEADS,QUERIES,WIDTH] dot(narrow, v), lhs_batch_dims={0}, lhs_contracting_dims={2}, rhs_batch_dims={0},
      rhs_contracting_dims={1}
})";
  if (c.hasGradient) {
    text = replaced(text, "ROOT r =", "r =");
    text.resize(text.rfind("\n}"));
    text += kGradient;
    const bool hides = c.mask.find("seen") != std::string::npos;
    text = replaced(text, "UNMASK", hides ? kUnmask : "");
    if (!hides) text = replaced(text, "dmasked", "dscores");
    if (c.hasBiasGradient)
      text = replaced(replaced(text, "  ROOT all = (", kBiasGradient), "tuple(r,", "tuple(dbias, r,");
    text = replaced(text, "LAST", c.mask.find("parameter(3)") != std::string::npos ? "4" : "3");
    text = replaced(text, "ALONGKEYS", c.keysAreTransposed ? "2" : "1");
  }
  text = replaced(text, "MASK", c.mask.empty() ? "\n  masked = f32[SCORES] copy(scores)" : c.mask);
  if (c.mask.empty()) text = replaced(replaced(text, "\n  masked = f32[SCORES] copy(scores)", ""), "masked", "scores");
  text = replaced(text, "OFKEYS", c.keysAreTransposed ? "HEADS,DEPTH,KEYS" : "HEADS,KEYS,DEPTH");
  text = replaced(text, "OVER", c.keysAreTransposed ? "1" : "2");
  text = replaced(text, "SCORES", "HEADS,QUERIES,KEYS");
  text = replaced(text, "LOW", "-1e9");
  text = replaced(text, "TYPE", c.type);
  text = replaced(replaced(text, "f32", c.softmax), "SUM", "f32");
  text = replaced(text, "HEADS", std::to_string(c.heads));
  text = replaced(text, "QUERIES", std::to_string(c.queries));
  text = replaced(text, "KEYS", std::to_string(c.keys));
  text = replaced(text, "DEPTH", std::to_string(c.depth));
  return replaced(text, "WIDTH", std::to_string(c.width));
}

}  // namespace tessera
