// KernelMemory: loads and stores of a kernel, for one element or for all lanes: contiguous, broadcast, gathered,
// masked. Knows nothing of programs; KernelEmitter gives it the position of an access.
#pragma once

#include <functional>
#include <span>
#include <vector>

#include "backends/codegen/alias_scopes.h"
#include "backends/codegen/scalar_emitter.h"

namespace tessera::codegen {

constexpr int64_t kWidestAccess = 16;  // bytes that a thread of a GPU reads or writes at once

// The position of an access in elements: scalar + after + step · lane + lanes[lane].
struct LaneAddress {
  ArrayBase base;
  llvm::Value* scalar = nullptr;  // i64
  int64_t step = 0;
  llvm::Value* lanes = nullptr;  // <W x i64> or null
  int64_t after = 0;             // so that LLVM sees neighbours as such
  unsigned multiple = 1;         // of which `scalar` is one, in an array that begins at such a multiple, too
  bool varies() const { return step != 0 || lanes; }
  bool isContiguous() const { return step == 1 && !lanes; }
};

class KernelMemory {
 public:
  // masksBytes: whether accesses of elements below 32 bits can be masked, else that is a branch for each lane.
  KernelMemory(llvm::IRBuilder<>& builder, ScalarEmitter& scalars, unsigned lanes, bool masksBytes)
      : b(builder), scalars_(scalars), lanes_(lanes), masksBytes_(masksBytes) {}

  // mask: <W x i1> or null. Lanes that are masked out hold zero.
  Val load(ElementType type, const LaneAddress& place, llvm::Value* mask);
  // One element as stored; not of a complex type.
  llvm::Value* loadRaw(ElementType type, const LaneAddress& place);
  void store(ElementType type, const LaneAddress& place, Val value, llvm::Value* mask, bool overLanes);
  // The first lanes, so many, to neighbours: vectors of ever fewer lanes. A masked store is slow on some processors,
  // and of bytes there is none before AVX-512.
  void storeFirst(ElementType type, const LaneAddress& place, Val value, unsigned count);
  // Values whose lanes are place.step elements apart, as many as the step, each one element after the previous one.
  void storeWoven(ElementType type, const LaneAddress& place, std::span<const Val> values, llvm::Value* mask);
  // All lanes to neighbours that begin a cache line or a vector-long part of one: a non-temporal store.
  void stream(ElementType type, const LaneAddress& place, Val value);
  llvm::Value* iota(llvm::Type* type) { return iota(type, lanes_); }
  llvm::Value* iota(llvm::Type* type, unsigned lanes);
  // Lanes below `left` (i64, positive).
  llvm::Value* firstLanes(llvm::Value* left);

 private:
  llvm::Value* loadPart(llvm::Type* type, const LaneAddress& place, llvm::Value* mask, int64_t scale, int64_t offset);
  llvm::Value* whereWhole(llvm::Value* mask, const std::function<llvm::Value*()>& load,
                          const std::function<llvm::Value*()>& loadPart);
  llvm::Value* gather(llvm::Type* type, const LaneAddress& place, llvm::Value* mask, int64_t scale, int64_t offset);
  llvm::Value* reversed(llvm::Value* lanes);
  llvm::Value* loadReversed(llvm::Type* type, LaneAddress place, llvm::Value* mask);
  bool isNarrowStride(const llvm::Type* type, const LaneAddress& place) const;
  llvm::Value* loadStrided(llvm::Type* type, const LaneAddress& place);
  void storePart(llvm::Value* value, llvm::Type* type, const LaneAddress& place, llvm::Value* mask, int64_t scale,
                 int64_t offset, bool overLanes);
  std::vector<llvm::Value*> weave(std::vector<llvm::Value*> vectors);
  llvm::Value* address(llvm::Type* type, const LaneAddress& place, int64_t scale, int64_t offset);
  llvm::Value* addresses(llvm::Type* type, const LaneAddress& place, int64_t scale, int64_t offset);
  llvm::Value* pairMask(llvm::Value* mask);
  Val loadPairs(llvm::Type* part, const LaneAddress& place, llvm::Value* mask);
  llvm::Value* pairs(Val value);
  void storePairs(Val value, llvm::Type* part, const LaneAddress& place, llvm::Value* mask);

  llvm::IRBuilder<>& b;
  ScalarEmitter& scalars_;
  unsigned lanes_;
  bool masksBytes_;
};

}  // namespace tessera::codegen
