// topk: the k first of each line by a number that orders like the element. A line is read once against the worst of the k
// best so far; what beats it joins a small heap of candidates that is cut back to k when it is full. Long lines are cut in
// pieces, by shape alone, whose best are joined. Types without an integer of their width are left to `evaluate`.
#include <algorithm>
#include <compare>
#include <limits>

#include "backends/cpu/library_steps.h"

namespace tessera::cpu {

namespace {

enum class Order : uint8_t { Signed, Unsigned, Float };

// The smallest come first; equal ones by their place in the line.
template <class Key>
struct Candidate {
  Key key;
  int32_t place;
  auto operator<=>(const Candidate&) const = default;
};

struct TopKShape {
  int64_t lines = 1, length = 1, k = 0;
  int64_t pieces = 1, room = 0;  // of a line; candidates of a piece
  int64_t piece() const { return (length + pieces - 1) / pieces; }
};

template <class Key>
class TopKStep : public Step {
 public:
  TopKStep(TopKShape shape, Order order, bool largest, const LibraryContext& context, int scratch, int joined)
      : shape_(shape), order_(order), flip_(largest ? Key(~Key{0}) : Key{0}), from_(context.operands[0]), values_(context.outputs[0]),
        places_(context.outputs[1]), scratch_(scratch), joined_(joined) {}
  Status run(RunState& state) override;

 private:
  using Item = Candidate<Key>;
  template <class T>
  static T* at(RunState& state, int slot) { return reinterpret_cast<T*>(state.pointers[static_cast<size_t>(slot)]); }
  template <Order order>
  Key keyOf(Key bits) const;
  template <Order order>
  Item* best(const Key* line, int64_t begin, int64_t end, Item* room) const;
  template <Order order>
  void runOrdered(RunState& state);
  void write(RunState& state, int64_t line, const Item* items) const;

  TopKShape shape_;
  Order order_;
  Key flip_;
  int from_, values_, places_, scratch_, joined_;
};

// Keys are signed, since comparisons of signed lanes are one instruction everywhere.
template <class Key>
template <Order order>
Key TopKStep<Key>::keyOf(Key bits) const {
  constexpr Key kMost = std::numeric_limits<Key>::max();
  if constexpr (order == Order::Float) bits = static_cast<Key>(bits ^ (bits < 0 ? kMost : Key{0}));
  if constexpr (order == Order::Unsigned) bits = static_cast<Key>(bits ^ std::numeric_limits<Key>::min());
  return static_cast<Key>(bits ^ flip_);
}

// The first min(k, end - begin) of the piece, in no order; gives their end.
template <class Key>
template <Order order>
typename TopKStep<Key>::Item* TopKStep<Key>::best(const Key* line, int64_t begin, int64_t end, Item* room) const {
  constexpr int64_t kBlock = 64;
  const int64_t k = shape_.k;
  Item* last = room;
  Key worst = std::numeric_limits<Key>::max();
  bool isFull = false;  // k are known, none worse than `worst`
  auto cut = [&] {
    std::nth_element(room, room + k - 1, last);
    worst = room[k - 1].key;
    last = room + k;
    isFull = true;
  };
  for (int64_t block = begin; block < end; block += kBlock) {
    const int64_t stop = std::min(end, block + kBlock);
    bool any = !isFull;
    if (isFull) {
      int hits = 0;
      for (int64_t i = block; i < stop; ++i) hits |= keyOf<order>(line[i]) < worst;
      any = hits != 0;
    }
    for (int64_t i = block; any && i < stop; ++i) {
      const Key key = keyOf<order>(line[i]);
      if (isFull && key >= worst) continue;
      *last++ = {key, static_cast<int32_t>(i)};
      if (last == room + shape_.room) cut();
    }
    if (!isFull && last - room >= k) cut();
  }
  if (last - room > k) cut();
  return last;
}

template <class Key>
void TopKStep<Key>::write(RunState& state, int64_t line, const Item* items) const {
  const Key* from = at<Key>(state, from_) + line * shape_.length;
  for (int64_t i = 0; i < shape_.k; ++i) {
    at<Key>(state, values_)[line * shape_.k + i] = from[items[i].place];
    at<int32_t>(state, places_)[line * shape_.k + i] = items[i].place;
  }
}

template <class Key>
template <Order order>
void TopKStep<Key>::runOrdered(RunState& state) {
  const int64_t each = shape_.piece();
  const int64_t chunk = std::max<int64_t>(1, 16384 / each);
  state.pool->parallelFor(shape_.lines * shape_.pieces, chunk, [&](int64_t begin, int64_t end, int thread) {
    Item* room = at<Item>(state, scratch_) + thread * shape_.room;
    for (int64_t i = begin; i < end; ++i) {
      const int64_t line = i / shape_.pieces, first = i % shape_.pieces * each;
      Item* last = best<order>(at<Key>(state, from_) + line * shape_.length, first, std::min(shape_.length, first + each), room);
      if (shape_.pieces > 1) {
        Item* mine = at<Item>(state, joined_) + i * shape_.k;
        std::fill(std::copy(room, last, mine), mine + shape_.k, Item{std::numeric_limits<Key>::max(), INT32_MAX});
        continue;
      }
      std::sort(room, last);
      write(state, line, room);
    }
  });
  for (int64_t line = 0; shape_.pieces > 1 && line < shape_.lines; ++line) {
    Item* mine = at<Item>(state, joined_) + line * shape_.pieces * shape_.k;
    std::partial_sort(mine, mine + shape_.k, mine + shape_.pieces * shape_.k);
    write(state, line, mine);
  }
}

template <class Key>
Status TopKStep<Key>::run(RunState& state) {
  if (shape_.lines == 0 || shape_.k == 0) return {};
  switch (order_) {
    case Order::Signed: runOrdered<Order::Signed>(state); break;
    case Order::Unsigned: runOrdered<Order::Unsigned>(state); break;
    case Order::Float: runOrdered<Order::Float>(state); break;
  }
  return {};
}

template <class Key>
Result<StepPtr> makeTopK(LibraryContext& context, TopKShape shape, Order order, bool largest) {
  constexpr auto kBytes = static_cast<int64_t>(sizeof(Candidate<Key>));
  TESSERA_ASSIGN_OR_RETURN(const int scratch, context.scratch(kBytes * context.threads * shape.room));
  TESSERA_ASSIGN_OR_RETURN(const int joined, context.scratch(shape.pieces > 1 ? kBytes * shape.lines * shape.pieces * shape.k : 0));
  context.what = "top k";
  return std::make_unique<TopKStep<Key>>(shape, order, largest, context, scratch, joined);
}

// Few long lines are cut in pieces that are much longer than what they give.
TopKShape shapeOf(const Shape& operand, int64_t k) {
  constexpr int64_t kLeastPiece = 1 << 14, kMostPieces = 64, kManyLines = 16, kRoom = 128;
  TopKShape shape;
  shape.k = k;
  shape.length = operand.dimensions.back();
  for (size_t d = 0; d + 1 < operand.dimensions.size(); ++d) shape.lines *= operand.dimensions[d];
  if (shape.lines < kManyLines && shape.length >= 2 * kLeastPiece)
    shape.pieces = std::clamp<int64_t>(shape.length / std::max(kLeastPiece, 16 * k), 1, kMostPieces);
  shape.room = std::min(2 * k + kRoom, shape.piece() + 1);
  return shape;
}

}  // namespace

Result<StepPtr> planTopK(LibraryContext& context) {
  const Shape& operand = context.module.shapeOf(context.instruction.operands[0]);
  const int64_t k = context.instruction.attributes->intOr(Attr::k, 0);
  const ElementType type = operand.type;
  const bool isPlainFloat = type == ElementType::F64 || type == ElementType::F32 || type == ElementType::F16 || type == ElementType::BF16;
  const int bits = info(type).bits;
  if (!isPlainFloat && !isInteger(type)) return StepPtr{};
  if (operand.rank() == 0 || operand.dimensions.back() >= INT32_MAX || context.outputs.size() != 2) return StepPtr{};
  const bool largest = context.instruction.attributes->boolOr(Attr::largest, true);
  const Order order = isPlainFloat ? Order::Float : isSigned(type) ? Order::Signed : Order::Unsigned;
  const TopKShape shape = shapeOf(operand, k);
  switch (bits) {
    case 8: return makeTopK<int8_t>(context, shape, order, largest);
    case 16: return makeTopK<int16_t>(context, shape, order, largest);
    case 32: return makeTopK<int32_t>(context, shape, order, largest);
    case 64: return makeTopK<int64_t>(context, shape, order, largest);
    default: return StepPtr{};
  }
}

}  // namespace tessera::cpu
