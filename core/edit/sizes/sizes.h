// "Change 32 to 64 everywhere it flows": from a dimension and its new size to one edit over parameters, broadcasts,
// iotas, reshapes, slices, gathers and called computations; what cannot follow is listed with its reason. Used by the
// studio's size panel and `tessera resize`.
#pragma once

#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "core/edit/edit.h"

namespace tessera {

struct SizeFlow;

// A dimension of an array that an instruction gives; arrays of a tuple are counted in depth-first order.
struct DimensionSpot {
  InstructionId instruction;
  int32_t leaf = 0, dimension = 0;
};
struct SizeWish {
  DimensionSpot spot;
  int64_t size = 0;
};

struct Resizing {
  Edit edit;  // no actions: nothing would change
  struct Line {
    InstructionId instruction;
    std::string text;  // "f32[2,32] becomes f32[2,64]", or why it cannot follow
  };
  std::vector<Line> changes;  // what the edit itself changes
  size_t following = 0;       // further instructions whose shapes follow by inference
  std::vector<Line> stops;    // what cannot follow; the edit then leaves errors there
  // Scalar constants that may mean the size: it, one less, its inverse or root. Changed only on request.
  struct Number {
    InstructionId constant;
    std::string meaning, value;  // "the square root of 32", "8"
  };
  std::vector<Number> numbers;
};

// What is known of the sizes of one module, which must outlive it. Made once: O(instructions).
class Sizes {
 public:
  explicit Sizes(const Module& module);
  ~Sizes();
  Sizes(Sizes&&) noexcept;

  // Every dimension that is the same one, in file order.
  std::vector<DimensionSpot> sameAs(DimensionSpot spot) const;
  bool same(DimensionSpot a, DimensionSpot b) const;
  // A number that all dimensions that are the same one share; nullopt: there is no such dimension.
  std::optional<uint32_t> classOf(DimensionSpot spot) const;
  // Dimensions of the entry's parameters with this size that are another one: they may be meant too.
  std::vector<DimensionSpot> othersLike(DimensionSpot spot) const;
  // `numbers`: constants to be changed along. Fails for a wish that nothing can grant.
  Result<Resizing> resized(std::span<const SizeWish> wishes, const std::set<InstructionId>& numbers = {}) const;

 private:
  const Module& module_;
  std::unique_ptr<SizeFlow> flow_;
};

// "x:1", "x" (its only dimension), "loop:2.0" (of a tuple's array). Fails with what is wrong.
Result<DimensionSpot> dimensionNamed(const Module& module, std::string_view words);
std::string nameOf(const Module& module, DimensionSpot spot);

}  // namespace tessera
