// See kernel_memory.h. Complex elements are two parts at scale 2.
#include "backends/codegen/kernel_memory.h"

#include <algorithm>
#include <bit>
#include <numeric>

#include "backends/codegen/kernel_function.h"
#include "backends/codegen/nest/kernel_nest.h"

namespace tessera::codegen {

using llvm::Value;

namespace {
llvm::Align alignOf(llvm::Type* type) { return llvm::Align(type->getScalarSizeInBits() / 8); }

// Of the first or only part of an element, where more is known than its type says.
llvm::Align alignOf(llvm::Type* type, const LaneAddress& place, int64_t scale, int64_t offset) {
  const uint64_t known = alignOf(type).value() * place.multiple * static_cast<uint64_t>(scale);
  return place.multiple > 1 && place.after == 0 && offset == 0 ? llvm::Align(std::min(known, uint64_t{kWidestAccess}))
                                                               : alignOf(type);
}

template <class Access>
Access* marked(const LaneAddress& place, Access* access) {
  place.base.scope.mark(access);
  return access;
}
}  // namespace

Value* KernelMemory::iota(llvm::Type* type, unsigned lanes) {
  std::vector<llvm::Constant*> values;
  for (unsigned i = 0; i < lanes; ++i) values.push_back(llvm::ConstantInt::get(type, i));
  return llvm::ConstantVector::get(values);
}

Value* KernelMemory::firstLanes(Value* left) {
  Value* most = b.getInt64(lanes_);
  Value* count = b.CreateTrunc(b.CreateSelect(b.CreateICmpULT(left, most), left, most), b.getInt32Ty());
  return b.CreateICmpULT(iota(b.getInt32Ty()), scalars_.splat(count, lanes_));
}

Value* KernelMemory::address(llvm::Type* type, const LaneAddress& place, int64_t scale, int64_t offset) {
  Value* at = place.scalar;
  if (scale != 1) at = b.CreateMul(at, b.getInt64(static_cast<uint64_t>(scale)));
  if (place.multiple > 1)
    return b.CreateConstInBoundsGEP1_64(type, b.CreateGEP(type, place.base.pointer, at),
                                        static_cast<uint64_t>(place.after * scale + offset));
  if (offset != 0) at = b.CreateAdd(at, b.getInt64(static_cast<uint64_t>(offset)));
  return b.CreateGEP(type, place.base.pointer, at);
}

Value* KernelMemory::addresses(llvm::Type* type, const LaneAddress& place, int64_t scale, int64_t offset) {
  Value* first = address(type, place, scale, offset);
  auto splat = [&](int64_t v) { return b.CreateVectorSplat(lanes_, b.getInt64(static_cast<uint64_t>(v))); };
  Value* offsets = nullptr;
  if (place.step != 0) offsets = b.CreateMul(iota(b.getInt64Ty()), splat(place.step));
  if (place.lanes) offsets = offsets ? b.CreateAdd(offsets, place.lanes) : place.lanes;
  if (!offsets) return b.CreateVectorSplat(lanes_, first);
  if (scale != 1) offsets = b.CreateMul(offsets, splat(scale));
  return b.CreateGEP(type, first, offsets);
}

Value* KernelMemory::loadPart(llvm::Type* type, const LaneAddress& place, Value* mask, int64_t scale, int64_t offset) {
  auto* vector = llvm::FixedVectorType::get(type, lanes_);
  if (!place.varies() && !mask)
    return marked(place,
                  b.CreateAlignedLoad(type, address(type, place, scale, offset), alignOf(type, place, scale, offset)));
  if (place.isContiguous() && scale == 1) {
    Value* at = address(type, place, scale, offset);
    const auto whole = [&] { return marked(place, b.CreateAlignedLoad(vector, at, alignOf(type))); };
    const auto masked = [&] {
      return marked(place, b.CreateMaskedLoad(vector, at, alignOf(type), mask, llvm::Constant::getNullValue(vector)));
    };
    if (!mask) return whole();
    if (masksBytes_ || type->getScalarSizeInBits() >= 32 || llvm::isa<llvm::Constant>(mask)) return masked();
    return whereWhole(mask, whole, masked);
  }
  if (place.step == -1 && scale == 1 && !place.lanes) return loadReversed(type, place, mask);
  if (scale != 1 || !isNarrowStride(type, place)) return gather(type, place, mask, scale, offset);
  if (!mask) return loadStrided(type, place);
  return whereWhole(
      mask, [&] { return loadStrided(type, place); }, [&] { return gather(type, place, mask, scale, offset); });
}

// The one load where the mask has all lanes, else the other.
Value* KernelMemory::whereWhole(Value* mask, const std::function<Value*()>& load,
                                const std::function<Value*()>& loadPart) {
  Value *whole = nullptr, *part = nullptr;
  llvm::BasicBlock *fromWhole = nullptr, *fromPart = nullptr;
  emitIf(
      b, b.CreateAndReduce(mask),
      [&] {
        whole = load();
        fromWhole = b.GetInsertBlock();
      },
      [&] {
        part = loadPart();
        fromPart = b.GetInsertBlock();
      });
  return joinPaths(b, whole, fromWhole, part, fromPart);
}

Value* KernelMemory::reversed(Value* lanes) {
  std::vector<int> order(lanes_);
  std::iota(order.rbegin(), order.rend(), 0);
  return b.CreateShuffleVector(lanes, order);
}

// Neighbours in memory, the last lane's first.
Value* KernelMemory::loadReversed(llvm::Type* type, LaneAddress place, Value* mask) {
  place.step = 1;
  return reversed(loadPart(type, place, mask ? reversed(mask) : nullptr, 1, 1 - static_cast<int64_t>(lanes_)));
}

Value* KernelMemory::gather(llvm::Type* type, const LaneAddress& place, Value* mask, int64_t scale, int64_t offset) {
  auto* vector = llvm::FixedVectorType::get(type, lanes_);
  Value* at = addresses(type, place, scale, offset);
  if (!mask) return marked(place, b.CreateMaskedGather(vector, at, alignOf(type)));
  return marked(place, b.CreateMaskedGather(vector, at, alignOf(type), mask, llvm::Constant::getNullValue(vector)));
}

// Columns of short rows: whole vectors and a shuffle cost less than a gather.
bool KernelMemory::isNarrowStride(const llvm::Type* type, const LaneAddress& place) const {
  const unsigned bits = type->getScalarSizeInBits();
  return place.step >= 2 && place.step <= 4 && !place.lanes && lanes_ >= 4 && (bits == 32 || bits == 64);
}

// Every step-th element of as many vectors; of the last, none beyond the last lane's element is read.
Value* KernelMemory::loadStrided(llvm::Type* type, const LaneAddress& place) {
  const auto step = static_cast<unsigned>(place.step), last = (lanes_ - 1) * step;
  auto* vector = llvm::FixedVectorType::get(type, lanes_);
  Value* out = nullptr;
  for (unsigned part = 0; part < step; ++part) {
    const unsigned first = part * lanes_;
    Value* at = address(type, place, 1, first);
    std::vector<llvm::Constant*> inside;
    for (unsigned l = 0; l < lanes_; ++l) inside.push_back(b.getInt1(first + l <= last));
    Value* loaded = first + lanes_ - 1 <= last
                        ? static_cast<Value*>(marked(place, b.CreateAlignedLoad(vector, at, alignOf(type))))
                        : marked(place, b.CreateMaskedLoad(vector, at, alignOf(type), llvm::ConstantVector::get(inside),
                                                           llvm::Constant::getNullValue(vector)));
    std::vector<int> lanes;  // of what is there, or of the vector behind it
    for (unsigned l = 0; l < lanes_; ++l) {
      const unsigned element = l * step;
      lanes.push_back(static_cast<int>(element / lanes_ == part ? lanes_ + element % lanes_ : l));
    }
    out = b.CreateShuffleVector(out ? out : llvm::PoisonValue::get(vector), loaded, lanes);
  }
  return out;
}

// A lane's mask for both of its parts.
Value* KernelMemory::pairMask(Value* mask) {
  std::vector<int> twice;
  for (int i = 0; i < static_cast<int>(2 * lanes_); ++i) twice.push_back(i / 2);
  return b.CreateShuffleVector(mask, twice);
}

Val KernelMemory::loadPairs(llvm::Type* part, const LaneAddress& place, Value* mask) {
  auto* wide = llvm::FixedVectorType::get(part, 2 * lanes_);
  Value* at = address(part, place, 2, 0);
  Value* both = mask ? static_cast<Value*>(marked(place, b.CreateMaskedLoad(wide, at, alignOf(part), pairMask(mask),
                                                                            llvm::Constant::getNullValue(wide))))
                     : marked(place, b.CreateAlignedLoad(wide, at, alignOf(part)));
  std::vector<int> even, odd;
  for (int i = 0; i < static_cast<int>(lanes_); ++i) {
    even.push_back(2 * i);
    odd.push_back(2 * i + 1);
  }
  return {b.CreateShuffleVector(both, even), b.CreateShuffleVector(both, odd)};
}

// Both parts of lane 0, of lane 1 …
Value* KernelMemory::pairs(Val value) {
  std::vector<int> interleaved;
  for (int i = 0; i < static_cast<int>(lanes_); ++i) {
    interleaved.push_back(i);
    interleaved.push_back(i + static_cast<int>(lanes_));
  }
  return b.CreateShuffleVector(value.re, value.im, interleaved);
}

void KernelMemory::storePairs(Val value, llvm::Type* part, const LaneAddress& place, Value* mask) {
  Value* both = pairs(value);
  Value* at = address(part, place, 2, 0);
  if (mask)
    marked(place, b.CreateMaskedStore(both, at, alignOf(part), pairMask(mask)));
  else
    marked(place, b.CreateAlignedStore(both, at, alignOf(part)));
}

Value* KernelMemory::loadRaw(ElementType type, const LaneAddress& place) {
  return loadPart(scalars_.memoryType(type), place, nullptr, 1, 0);
}

Val KernelMemory::load(ElementType type, const LaneAddress& place, Value* mask) {
  auto* memory = scalars_.memoryType(type);
  if (!isComplex(type)) return scalars_.fromMemory(type, {loadPart(memory, place, mask, 1, 0)});
  if (place.isContiguous()) return loadPairs(memory, place, mask);
  return {loadPart(memory, place, mask, 2, 0), loadPart(memory, place, mask, 2, 1)};
}

void KernelMemory::storePart(Value* value, llvm::Type* type, const LaneAddress& place, Value* mask, int64_t scale,
                             int64_t offset, bool overLanes) {
  if (!overLanes) {
    marked(place,
           b.CreateAlignedStore(value, address(type, place, scale, offset), alignOf(type, place, scale, offset)));
    return;
  }
  if (place.isContiguous() && scale == 1) {
    Value* at = address(type, place, scale, offset);
    if (mask)
      marked(place, b.CreateMaskedStore(value, at, alignOf(type), mask));
    else
      marked(place, b.CreateAlignedStore(value, at, alignOf(type)));
    return;
  }
  marked(place, b.CreateMaskedScatter(value, addresses(type, place, scale, offset), alignOf(type), mask));
}

// The first lanes of all vectors, then the second ones …; in as many vectors.
std::vector<Value*> KernelMemory::weave(std::vector<Value*> vectors) {
  const size_t count = vectors.size();
  std::vector<Value*> out;
  if (count == 1) return vectors;
  if (count % 2 == 0) {
    std::vector<Value*> even, odd;
    for (size_t v = 0; v < count; ++v) (v % 2 == 0 ? even : odd).push_back(vectors[v]);
    even = weave(std::move(even));
    odd = weave(std::move(odd));
    for (size_t v = 0; v < count; ++v) {
      std::vector<int> lanes;
      for (unsigned l = 0; l < lanes_; ++l)
        lanes.push_back(static_cast<int>((v % 2 * lanes_ + l) / 2 + (l + v % 2 * lanes_) % 2 * lanes_));
      out.push_back(b.CreateShuffleVector(even[v / 2], odd[v / 2], lanes));
    }
    return out;
  }
  for (unsigned part = 0; part < count; ++part) {
    Value* made = vectors[0];
    for (unsigned v = 1; v < count; ++v) {
      std::vector<int> lanes;  // of what is there, or of the vector
      for (unsigned l = 0; l < lanes_; ++l) {
        const unsigned element = part * lanes_ + l, from = element % static_cast<unsigned>(count);
        const unsigned lane = element / static_cast<unsigned>(count);
        lanes.push_back(static_cast<int>(from == v ? lanes_ + lane : v == 1 && from == 0 ? lane : l));
      }
      made = b.CreateShuffleVector(made, vectors[v], lanes);
    }
    out.push_back(made);
  }
  return out;
}

void KernelMemory::storeWoven(ElementType type, const LaneAddress& place, std::span<const Val> values, Value* mask) {
  auto* memory = scalars_.memoryType(type);
  std::vector<Value*> raw;
  for (const Val& value : values) raw.push_back(scalars_.splat(scalars_.toMemory(type, value), lanes_).re);
  const auto storeWhole = [&] {
    const std::vector<Value*> parts = weave(raw);
    for (size_t p = 0; p < parts.size(); ++p)
      marked(place, b.CreateAlignedStore(parts[p], address(memory, place, 1, static_cast<int64_t>(p) * lanes_),
                                         alignOf(memory)));
  };
  if (!mask) return storeWhole();
  emitIf(b, b.CreateAndReduce(mask), storeWhole, [&] {
    for (size_t v = 0; v < raw.size(); ++v) storePart(raw[v], memory, place, mask, 1, static_cast<int64_t>(v), true);
  });
}

void KernelMemory::storeFirst(ElementType type, const LaneAddress& place, Val value, unsigned count) {
  auto* memory = scalars_.memoryType(type);
  const Val raw = scalars_.splat(scalars_.toMemory(type, value), lanes_);
  const unsigned parts = isComplex(type) ? 2 : 1;
  Value* all = isComplex(type) ? pairs(raw) : raw.re;
  Value* first = address(memory, place, parts, 0);
  for (unsigned done = 0, size = 0; done < count * parts; done += size) {
    size = std::bit_floor(count * parts - done);
    std::vector<int> lanes(size);
    std::iota(lanes.begin(), lanes.end(), static_cast<int>(done));
    Value* some = size == 1 ? b.CreateExtractElement(all, uint64_t{done}) : b.CreateShuffleVector(all, lanes);
    marked(place, b.CreateAlignedStore(some, b.CreateConstGEP1_64(memory, first, done), alignOf(memory)));
  }
}

void KernelMemory::stream(ElementType type, const LaneAddress& place, Val value) {
  auto* memory = scalars_.memoryType(type);
  const Val raw = scalars_.splat(scalars_.toMemory(type, value), lanes_);
  const uint64_t bytes = lanes_ * memory->getScalarSizeInBits() / 8;
  auto* store = marked(place, b.CreateAlignedStore(raw.re, address(memory, place, 1, 0),
                                                   llvm::Align(std::min<uint64_t>(bytes, kLineBytes))));
  auto* one = llvm::ConstantAsMetadata::get(b.getInt32(1));
  store->setMetadata(llvm::LLVMContext::MD_nontemporal, llvm::MDNode::get(b.getContext(), one));
}

void KernelMemory::store(ElementType type, const LaneAddress& place, Val value, Value* mask, bool overLanes) {
  auto* memory = scalars_.memoryType(type);
  Val raw = scalars_.toMemory(type, value);
  if (overLanes) raw = scalars_.splat(raw, lanes_);
  if (!isComplex(type)) return storePart(raw.re, memory, place, mask, 1, 0, overLanes);
  if (overLanes && place.isContiguous()) return storePairs(raw, memory, place, mask);
  storePart(raw.re, memory, place, mask, 2, 0, overLanes);
  storePart(raw.im, memory, place, mask, 2, 1, overLanes);
}

}  // namespace tessera::codegen
