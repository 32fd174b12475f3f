// Interning: node-based hash sets (their elements never move) behind one lock, and bump arenas for texts and operands.
#include "core/hlo/tables.h"

#include <algorithm>
#include <cstring>
#include <mutex>
#include <unordered_set>
#include <variant>

#include "core/base/text_map.h"

namespace tessera {
namespace {

struct ShapeHash {
  size_t operator()(const Shape& shape) const { return hashValue(shape); }
};

struct MetadataHash {
  size_t operator()(const Metadata& m) const {
    std::hash<std::string> text;
    size_t seed = text(m.opName) * 31 + text(m.sourceFile);
    seed = seed * 31 + static_cast<size_t>(m.sourceLine);
    seed = seed * 31 + static_cast<size_t>(m.stackFrameId);
    return seed * 31 + text(m.schedulingName);
  }
};

constexpr size_t kTextChunk = 65536;

// Copies texts behind each other into chunks that never move.
struct TextArena {
  std::vector<std::unique_ptr<char[]>> chunks;
  size_t used = kTextChunk;  // of the last chunk

  std::string_view store(std::string_view text) {
    if (used + text.size() > kTextChunk) {
      chunks.push_back(std::make_unique_for_overwrite<char[]>(std::max(kTextChunk, text.size())));
      used = 0;
    }
    char* out = chunks.back().get() + used;
    std::memcpy(out, text.data(), text.size());
    used += text.size();
    return {out, text.size()};
  }
};

constexpr size_t kArenaChunk = 16384;

}  // namespace

struct Tables::Impl {
  std::mutex mutex;
  std::unordered_set<Shape, ShapeHash> shapes;
  TextArena textArena;
  TextMap<std::monostate> texts;
  std::unordered_set<Metadata, MetadataHash> metadata;
  std::vector<std::unique_ptr<InstructionId[]>> chunks;
  size_t used = kArenaChunk;  // of the last chunk
};

Tables::Tables() : impl_(std::make_unique<Impl>()) {}
Tables::~Tables() = default;

const Shape* Tables::intern(const Shape& shape) {
  std::lock_guard lock(impl_->mutex);
  return &*impl_->shapes.insert(shape).first;
}

std::string_view Tables::intern(std::string_view text) {
  if (text.empty()) return {};
  std::lock_guard lock(impl_->mutex);
  return impl_->texts.keyFor(text, [&] { return impl_->textArena.store(text); });
}

const Metadata* Tables::intern(const Metadata& metadata) {
  std::lock_guard lock(impl_->mutex);
  return &*impl_->metadata.insert(metadata).first;
}

std::span<const InstructionId> Tables::store(std::span<const InstructionId> ids) {
  if (ids.empty()) return {};
  std::lock_guard lock(impl_->mutex);
  if (impl_->used + ids.size() > kArenaChunk) {
    impl_->chunks.push_back(std::make_unique<InstructionId[]>(std::max(kArenaChunk, ids.size())));
    impl_->used = 0;
  }
  InstructionId* out = impl_->chunks.back().get() + impl_->used;
  std::ranges::copy(ids, out);
  impl_->used += ids.size();
  return {out, ids.size()};
}

}  // namespace tessera
