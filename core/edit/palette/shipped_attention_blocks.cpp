// Shipped blocks of attention with several heads and their projections.
#include <cmath>
#include <numeric>

#include "core/edit/palette/block_writer.h"

namespace tessera {
namespace {

using Value = BlockWriter::Value;

BlockSizes counted(size_t count) {
  BlockSizes out(count);
  std::iota(out.begin(), out.end(), 0);
  return out;
}

// x of [batch ..., positions, features] reads a context of the same form; of self-attention they are the same. The
// weights are of features by all heads, the last of all heads by features.
struct Heads {
  BlockSizes x, context, query, key, value, output;
  int64_t count = 1;
};

Result<BlockSizes> weightsAt(const BlockInputs& in, size_t k, const char* name, int64_t rows, int64_t columns) {
  BlockSizes out = in.sizes(k, {rows, columns});
  if (out.size() != 2 || out[0] != rows)
    return fail(fmt::format("{} needs {} rows, as many as what it multiplies has features", name, rows));
  return out;
}

// `first`: the input that is the first weight. Heads: as many as the line says, else 8 or what of them goes.
Result<Heads> readHeads(const BlockInputs& in, size_t first) {
  Heads h;
  h.x = in.sizes(0, {16, 32});
  if (h.x.size() < 2) return fail("attention needs at least two dimensions: positions and features");
  h.context = first == 2 ? in.sizes(1, h.x) : h.x;
  if (h.context.size() != h.x.size() || !std::equal(h.x.begin(), h.x.end() - 2, h.context.begin()))
    return fail("the context needs the batch dimensions of what reads it");
  const int64_t features = h.x.back(), read = h.context.back();
  TESSERA_ASSIGN_OR_RETURN(h.query, weightsAt(in, first, "Wq", features, features));
  TESSERA_ASSIGN_OR_RETURN(h.key, weightsAt(in, first + 1, "Wk", read, h.query[1]));
  TESSERA_ASSIGN_OR_RETURN(h.value, weightsAt(in, first + 2, "Wv", read, h.query[1]));
  TESSERA_ASSIGN_OR_RETURN(h.output, weightsAt(in, first + 3, "Wo", h.value[1], features));
  if (h.key[1] != h.query[1]) return fail("Wk needs as many columns as Wq");
  h.count = in.wholeNumber(std::gcd(int64_t{8}, std::gcd(h.query[1], h.value[1])));
  if (h.query[1] % h.count != 0 || h.value[1] % h.count != 0)
    return fail(fmt::format("the columns of Wq and Wv do not split into {} heads of one size", h.count));
  return h;
}

// Over the last dimension, the columns as [heads, features].
Value projected(BlockWriter& out, const std::string& name, const Value& x, const Value& weights, int64_t heads) {
  const Value product = out.product(name + ".all", x, weights);
  BlockSizes sizes = product.sizes;
  sizes.back() = heads;
  sizes.push_back(product.sizes.back() / heads);
  return out.make(name, sizes, fmt::format("reshape({})", product.name));
}

// A factor of each head: which dimension its heads are, and which is contracted.
struct Factor {
  const Value& value;
  size_t heads, contracted;
};

// The batch and the heads go along.
Value perHead(BlockWriter& out, const std::string& name, const BlockSizes& sizes, const Factor& x, const Factor& y) {
  BlockSizes left = counted(sizes.size() - 3), right = left;
  left.push_back(static_cast<int64_t>(x.heads));
  right.push_back(static_cast<int64_t>(y.heads));
  return out.make(
      name, sizes,
      fmt::format("dot({}, {}), lhs_batch_dims={{{}}}, rhs_batch_dims={{{}}}, "
                  "lhs_contracting_dims={{{}}}, rhs_contracting_dims={{{}}}",
                  x.value.name, y.value.name, fmt::join(left, ","), fmt::join(right, ","), x.contracted, y.contracted));
}

// [batch …, heads, positions, features] as [batch …, positions, heads · features].
Value sideBySide(BlockWriter& out, const Value& each) {
  const size_t heads = each.sizes.size() - 3;
  BlockSizes order = counted(each.sizes.size()), sizes = each.sizes;
  std::swap(order[heads], order[heads + 1]);
  std::swap(sizes[heads], sizes[heads + 1]);
  const Value turned =
      out.make("by_position", sizes, fmt::format("transpose({}), dimensions={{{}}}", each.name, fmt::join(order, ",")));
  const int64_t features = sizes.back();
  sizes.pop_back();
  sizes.back() *= features;
  return out.make("joined", sizes, fmt::format("reshape({})", turned.name));
}

// softmax(q · kᵀ / √d) · v of each head, side by side, times the last weights.
std::string attend(BlockWriter& out, const Heads& h, const Value& x, const Value& context, const std::string& name) {
  const Value wq = out.parameter("Wq", h.query), wk = out.parameter("Wk", h.key), wv = out.parameter("Wv", h.value),
              wo = out.parameter("Wo", h.output);
  const Value q = projected(out, "queries", x, wq, h.count), k = projected(out, "keys", context, wk, h.count),
              v = projected(out, "values", context, wv, h.count);
  const size_t n = h.x.size() - 2;  // the positions; of scores and results the heads
  BlockSizes scores(h.x.begin(), h.x.end() - 2);
  scores.insert(scores.end(), {h.count, h.x[n], h.context[n]});
  const Value raw = perHead(out, "scores", scores, {q, n + 1, n + 2}, {k, n + 1, n + 2});
  const std::string scale = fmt::format("{:.9g}", 1 / std::sqrt(static_cast<double>(q.sizes.back())));
  const Value weights = out.softmax(out.binary("scaled", "multiply", raw, out.number("scale", scale, scores)));
  BlockSizes read = scores;
  read.back() = v.sizes.back();
  const Value each = perHead(out, "heads", read, {weights, n, n + 2}, {v, n + 1, n});
  out.product(name, sideBySide(out, each), wo);
  return out.text(name);
}

Result<std::string> selfAttention(const BlockInputs& in) {
  TESSERA_ASSIGN_OR_RETURN(const Heads h, readHeads(in, 1));
  BlockWriter out(in.type);
  const Value x = out.parameter("x", h.x);
  return attend(out, h, x, x, "multi_head_attention");
}

Result<std::string> crossAttention(const BlockInputs& in) {
  TESSERA_ASSIGN_OR_RETURN(const Heads h, readHeads(in, 2));
  BlockWriter out(in.type);
  const Value x = out.parameter("x", h.x), context = out.parameter("context", h.context);
  return attend(out, h, x, context, "multi_head_cross_attention");
}

constexpr ShippedBlock kAttention[] = {
    {"multi_head_attention", "Layers",
     "Self-attention with 8 heads: x times Wq, Wk, Wv; attention of each head; times Wo: multi head attention 4",
     "multihead multi-head mha self self-attention heads transformer projections #", selfAttention},
    {"multi_head_cross_attention", "Layers",
     "Attention with 8 heads that reads keys and values from a context: multi head cross attention 4",
     "multihead multi-head mha cross-attention heads transformer encoder decoder #", crossAttention},
};

}  // namespace

std::span<const ShippedBlock> attentionBlocks() { return kAttention; }

}  // namespace tessera
