// The arrays of an npz file one by one: what each is without its data, and a block of one that takes no more memory
// than the block. Of arrays that are stored as they are only the block's bytes are read, of compressed ones those
// before it are unpacked and thrown away. Used by runs whose devices are processes, each of which reads its own blocks.
#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <span>
#include <string>

#include "core/base/result.h"
#include "core/hlo/literal.h"

namespace tessera {

class NpzBlocks {
 public:
  static Result<NpzBlocks> open(const std::filesystem::path& path);
  NpzBlocks(NpzBlocks&&) noexcept;
  NpzBlocks& operator=(NpzBlocks&&) noexcept;
  ~NpzBlocks();

  // By key without suffix.
  const std::map<std::string, Shape>& shapes() const;
  // `sizes` elements of each dimension from `start` on, inside the array.
  Result<Literal> block(const std::string& key, std::span<const int64_t> start, std::span<const int64_t> sizes) const;
  Result<Literal> whole(const std::string& key) const;

 private:
  struct State;
  explicit NpzBlocks(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace tessera
