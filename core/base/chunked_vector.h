// ChunkedVector: a vector in fixed-size chunks with copy on write. Copying it copies the chunk table and shares the
// chunks; writing an element copies its chunk when somebody else holds it. So a snapshot of 100,000 records costs
// a few hundred pointer copies and an edit copies one chunk. Readers of a snapshot need no lock.
#pragma once

#include <cstddef>
#include <memory>
#include <utility>
#include <vector>

namespace tessera {

template <class T, size_t kChunkSize = 256>
class ChunkedVector {
 public:
  size_t size() const { return size_; }
  const T& operator[](size_t i) const { return (*chunks_[i / kChunkSize])[i % kChunkSize]; }

  // The element for writing; copies its chunk when it is shared.
  T& edit(size_t i) {
    auto& chunk = chunks_[i / kChunkSize];
    if (chunk.use_count() > 1) {
      auto copy = std::make_shared<Chunk>();
      copy->reserve(kChunkSize);
      copy->insert(copy->end(), chunk->begin(), chunk->end());
      chunk = std::move(copy);
    }
    return (*chunk)[i % kChunkSize];
  }

  void push_back(T value) {
    if (size_ % kChunkSize == 0) {
      chunks_.push_back(std::make_shared<Chunk>());
      chunks_.back()->reserve(kChunkSize);
    } else if (chunks_.back().use_count() > 1) {
      edit(size_ - 1);
    }
    chunks_.back()->push_back(std::move(value));
    ++size_;
  }

 private:
  using Chunk = std::vector<T>;
  std::vector<std::shared_ptr<Chunk>> chunks_;
  size_t size_ = 0;
};

}  // namespace tessera
