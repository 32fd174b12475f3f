// See top_k_step.h.
#include "backends/runtime/sort/top_k_step.h"

#include <algorithm>
#include <compare>
#include <limits>

#include "core/base/tuning.h"

namespace tessera::cpu {

namespace {

// The smallest come first; equal ones by their index in the line.
template <class Key>
struct Candidate {
  Key key;
  int32_t index;
  auto operator<=>(const Candidate&) const = default;
};

template <class Key>
class TopKStep : public Step {
 public:
  explicit TopKStep(const TopK& topK) : shape_(topK), flip_(topK.largest ? Key(~Key{0}) : Key{0}) {}
  Status run(RunState& state) override;
  const char* loader() const override { return "tessera_step_top_k"; }
  void save(FieldWriter& out) override { out(shape_); }

 private:
  using Item = Candidate<Key>;
  template <class T>
  static T* at(RunState& state, int slot) {
    return reinterpret_cast<T*>(state.pointers[static_cast<size_t>(slot)]);
  }
  template <TopKOrder order>
  Key keyOf(Key bits) const;
  template <TopKOrder order>
  Item* best(const Key* line, int64_t begin, int64_t end, Item* room) const;
  template <TopKOrder order>
  void runOrdered(RunState& state);
  void write(RunState& state, int64_t line, const Item* items) const;

  TopK shape_;
  Key flip_;
};

// Keys are signed, since comparisons of signed lanes are one instruction everywhere.
template <class Key>
template <TopKOrder order>
Key TopKStep<Key>::keyOf(Key bits) const {
  constexpr Key kMost = std::numeric_limits<Key>::max();
  if constexpr (order == TopKOrder::Float) bits = static_cast<Key>(bits ^ (bits < 0 ? kMost : Key{0}));
  if constexpr (order == TopKOrder::Unsigned) bits = static_cast<Key>(bits ^ std::numeric_limits<Key>::min());
  return static_cast<Key>(bits ^ flip_);
}

// The first min(k, end - begin) of the shard, in no order; gives their end.
template <class Key>
template <TopKOrder order>
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
  const Key* from = at<Key>(state, shape_.from) + line * shape_.length;
  for (int64_t i = 0; i < shape_.k; ++i) {
    at<Key>(state, shape_.values)[line * shape_.k + i] = from[items[i].index];
    at<int32_t>(state, shape_.indices)[line * shape_.k + i] = items[i].index;
  }
}

template <class Key>
template <TopKOrder order>
void TopKStep<Key>::runOrdered(RunState& state) {
  const int64_t each = shape_.shard();
  const int64_t chunk = std::max<int64_t>(1, tuning().sort.topKChunk / each);
  state.pool->parallelFor(shape_.lines * shape_.shards, chunk, [&](int64_t begin, int64_t end, int thread) {
    Item* room = at<Item>(state, shape_.scratch) + thread * shape_.room;
    for (int64_t i = begin; i < end; ++i) {
      const int64_t line = i / shape_.shards, first = i % shape_.shards * each;
      Item* last = best<order>(at<Key>(state, shape_.from) + line * shape_.length, first,
                               std::min(shape_.length, first + each), room);
      if (shape_.shards > 1) {
        Item* mine = at<Item>(state, shape_.joined) + i * shape_.k;
        std::fill(std::copy(room, last, mine), mine + shape_.k, Item{std::numeric_limits<Key>::max(), INT32_MAX});
        continue;
      }
      std::sort(room, last);
      write(state, line, room);
    }
  });
  for (int64_t line = 0; shape_.shards > 1 && line < shape_.lines; ++line) {
    Item* mine = at<Item>(state, shape_.joined) + line * shape_.shards * shape_.k;
    std::partial_sort(mine, mine + shape_.k, mine + shape_.shards * shape_.k);
    write(state, line, mine);
  }
}

template <class Key>
Status TopKStep<Key>::run(RunState& state) {
  if (shape_.lines == 0 || shape_.k == 0) return {};
  switch (shape_.order) {
    case TopKOrder::Signed: runOrdered<TopKOrder::Signed>(state); break;
    case TopKOrder::Unsigned: runOrdered<TopKOrder::Unsigned>(state); break;
    case TopKOrder::Float: runOrdered<TopKOrder::Float>(state); break;
  }
  return {};
}

}  // namespace

int64_t topKItemBytes(int64_t width) {
  switch (width) {
    case 1: return sizeof(Candidate<int8_t>);
    case 2: return sizeof(Candidate<int16_t>);
    case 4: return sizeof(Candidate<int32_t>);
    case 8: return sizeof(Candidate<int64_t>);
    default: return 0;
  }
}

StepPtr makeTopKStep(const TopK& topK) {
  switch (topK.width) {
    case 1: return std::make_unique<TopKStep<int8_t>>(topK);
    case 2: return std::make_unique<TopKStep<int16_t>>(topK);
    case 4: return std::make_unique<TopKStep<int32_t>>(topK);
    case 8: return std::make_unique<TopKStep<int64_t>>(topK);
    default: return nullptr;
  }
}

}  // namespace tessera::cpu

extern "C" tessera::cpu::Step* tessera_step_top_k(tessera::cpu::FieldReader& in) {
  tessera::cpu::TopK topK;
  in(topK);
  return in.good() ? tessera::cpu::makeTopKStep(topK).release() : nullptr;
}
