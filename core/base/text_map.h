// TextMap: an open-addressing hash map from string views to small values. Keys are not copied: the caller keeps the
// text alive. No erasing. Stands under string interning and the readers, where look-ups by name are most of the work.
#pragma once

#include <cstdint>
#include <cstring>
#include <string_view>
#include <utility>
#include <vector>

namespace tessera {

inline uint64_t hashText(std::string_view text) {
  constexpr uint64_t kMultiplier = 0x9E3779B97F4A7C15ull;
  uint64_t hash = text.size() * kMultiplier;
  const char* at = text.data();
  size_t left = text.size();
  auto mix = [&](uint64_t word) {
    hash = (hash ^ word) * kMultiplier;
    hash ^= hash >> 29;
  };
  for (; left >= sizeof(uint64_t); at += sizeof(uint64_t), left -= sizeof(uint64_t)) {
    uint64_t word = 0;
    std::memcpy(&word, at, sizeof word);
    mix(word);
  }
  uint64_t tail = 0;
  if (left) std::memcpy(&tail, at, left);
  mix(tail);
  hash *= kMultiplier;
  return hash ^ (hash >> 32);
}

template <class V>
class TextMap {
 public:
  // nullptr when absent; valid until the next emplace.
  V* find(std::string_view key) {
    if (used_ == 0) return nullptr;
    Slot& slot = slotOf(key, tagOf(key));
    return slot.key.data() ? &slot.value : nullptr;
  }
  const V* find(std::string_view key) const { return const_cast<TextMap*>(this)->find(key); }
  bool contains(std::string_view key) const { return find(key) != nullptr; }

  // The value of the key and whether it is new. `makeKey` gives the view to keep for a new key.
  template <class MakeKey>
  std::pair<V*, bool> emplaceWith(std::string_view key, V value, MakeKey&& makeKey) {
    if ((used_ + 1) * 2 > slots_.size()) grow();
    const uint32_t tag = tagOf(key);
    Slot& slot = slotOf(key, tag);
    if (slot.key.data()) return {&slot.value, false};
    slot.key = makeKey();
    slot.tag = tag;
    slot.value = std::move(value);
    if (!slot.key.data()) slot.key = std::string_view("", 0);
    ++used_;
    return {&slot.value, true};
  }
  std::pair<V*, bool> emplace(std::string_view key, V value) {
    return emplaceWith(key, std::move(value), [&] { return key; });
  }
  // The view that is kept for the key; a new one comes from `makeKey`.
  template <class MakeKey>
  std::string_view keyFor(std::string_view key, MakeKey&& makeKey) {
    if ((used_ + 1) * 2 > slots_.size()) grow();
    const uint32_t tag = tagOf(key);
    Slot& slot = slotOf(key, tag);
    if (slot.key.data()) return slot.key;
    slot.key = makeKey();
    slot.tag = tag;
    ++used_;
    return slot.key;
  }
  size_t size() const { return used_; }

 private:
  struct Slot {
    std::string_view key;  // data() is null in a free slot
    uint32_t tag = 0;      // of the hash; the place follows from it, so growing looks at no key
    [[no_unique_address]] V value{};
  };

  static uint32_t tagOf(std::string_view key) { return static_cast<uint32_t>(hashText(key)); }

  Slot& slotOf(std::string_view key, uint32_t tag) {
    const size_t mask = slots_.size() - 1;
    for (size_t i = tag & mask;; i = (i + 1) & mask) {
      Slot& slot = slots_[i];
      if (!slot.key.data() || (slot.tag == tag && slot.key == key)) return slot;
    }
  }
  void grow() {
    constexpr size_t kFirst = 16;
    std::vector<Slot> old(slots_.empty() ? kFirst : slots_.size() * 2);
    old.swap(slots_);
    const size_t mask = slots_.size() - 1;
    for (Slot& slot : old) {
      if (!slot.key.data()) continue;
      size_t i = slot.tag & mask;
      while (slots_[i].key.data()) i = (i + 1) & mask;
      slots_[i] = std::move(slot);
    }
  }

  std::vector<Slot> slots_;
  size_t used_ = 0;
};

}  // namespace tessera
