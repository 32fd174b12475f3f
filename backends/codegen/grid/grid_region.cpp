// See grid_region.h.
#include "backends/codegen/grid/grid_region.h"

#include <algorithm>
#include <functional>
#include <set>
#include <span>

#include <fmt/format.h>

#include "backends/codegen/grid/grid_emitter.h"
#include "backends/codegen/kernel_function.h"
#include "backends/codegen/region_emission.h"
#include "core/passes/buffers/buffer_assignment.h"

namespace tessera::codegen {

namespace {

using llvm::Value;
using BufferPlace = RegionMap::Place;

constexpr unsigned kRegionThreads = 256;
constexpr int64_t kLargestShared = 16 << 10;  // of one array
constexpr int64_t kSharedAlignment = 64;

std::span<const uint32_t> regionResults(const RegionProgram& region, const RegionStep& step) {
  if (step.kind == RegionStep::Kind::Copy) return std::span(step.buffers).last(1);
  if (step.kind != RegionStep::Kind::Program) return {};
  return std::span(step.buffers).subspan(region.programs[step.program].body.operands.size());
}

std::span<const uint32_t> regionOperands(const RegionProgram& region, const RegionStep& step) {
  return std::span(step.buffers).first(step.buffers.size() - regionResults(region, step).size());
}

template <class Visit>
void forEachRegionStep(const RegionProgram& region, const Visit& visit) {
  for (const std::vector<RegionStep>& block : region.blocks)
    for (const RegionStep& step : block) visit(step);
}

unsigned threadsFor(const GridMap& map) {
  return static_cast<unsigned>(std::min<int64_t>(map.items * map.groupThreads, kRegionThreads));
}

class RegionMapper {
 public:
  explicit RegionMapper(const RegionProgram& region) : region_(region) {}

  Result<RegionMap> run() {
    for (const LoopProgram& program : region_.programs) {
      TESSERA_ASSIGN_OR_RETURN(const ProgramAnalysis analysis, ProgramAnalysis::of(program));
      out_.programs.push_back(GridMap::inBlock(program, analysis));
    }
    findRegisters();
    findBlock();
    TESSERA_TRY(findMemory());
    return std::move(out_);
  }

 private:
  // A program of one item either stores to registers alone or to none.
  void findRegisters() {
    for (const RegionBuffer& buffer : region_.buffers)
      out_.places.push_back(buffer.inRegister ? BufferPlace::Register : BufferPlace::Memory);
    for (bool changed = true; changed;) {
      changed = false;
      forEachRegionStep(region_, [&](const RegionStep& step) {
        if (step.kind != RegionStep::Kind::Program) return;
        const GridMap& map = out_.programs[step.program];
        const auto results = regionResults(region_, step);
        const auto isRegister = [&](uint32_t buffer) { return out_.places[buffer] == BufferPlace::Register; };
        if (std::ranges::none_of(results, isRegister)) return;
        if (map.items * map.innerCount == 1 && std::ranges::all_of(results, isRegister)) return;
        for (const uint32_t buffer : results) out_.places[buffer] = BufferPlace::Memory;
        changed = true;
      });
    }
    out_.byAll.assign(region_.programs.size(), false);
    forEachRegionStep(region_, [&](const RegionStep& step) {
      if (step.kind == RegionStep::Kind::Program)
        out_.byAll[step.program] = out_.places[regionResults(region_, step)[0]] == BufferPlace::Register;
    });
  }

  void findBlock() {
    unsigned threads = 1;
    for (size_t p = 0; p < out_.programs.size(); ++p)
      threads = std::max(threads, out_.byAll[p] ? out_.programs[p].groupThreads : threadsFor(out_.programs[p]));
    out_.blockThreads = threads == 1 ? 1 : (threads + kWarpThreads - 1) / kWarpThreads * kWarpThreads;
    for (GridMap& map : out_.programs) map.blockThreads = out_.blockThreads;
  }

  Status findMemory() {
    std::set<uint32_t> written;
    forEachRegionStep(region_, [&](const RegionStep& step) {
      for (const uint32_t buffer : regionResults(region_, step)) written.insert(buffer);
    });
    for (uint32_t i = 0; i < region_.buffers.size(); ++i) {
      const RegionBuffer& buffer = region_.buffers[i];
      BufferPlace& place = out_.places[i];
      const int64_t bytes = (buffer.bytes + kSharedAlignment - 1) / kSharedAlignment * kSharedAlignment;
      const bool fits = bytes <= kLargestShared && out_.sharedBytes + bytes <= kStaticSharedBytes;
      if (place == BufferPlace::Memory && written.contains(i) && fits) {
        place = BufferPlace::Shared;
        out_.sharedBytes += bytes;
      }
      // Which arrays it may share memory with is not known of one that was to be in a register.
      if (place == BufferPlace::Memory && buffer.inRegister && written.contains(i))
        return failUnsupported("small arrays are more than a block's shared memory");
      if (place == BufferPlace::Memory || buffer.in || buffer.out)
        (written.contains(i) ? out_.written : out_.read).push_back(i);
    }
    return {};
  }

  const RegionProgram& region_;
  RegionMap out_;
};

class GridRegionEmitter final : private RegionEmission {
 public:
  GridRegionEmitter(llvm::Module& module, const RegionProgram& region, const RegionMap& map)
      : RegionEmission(module, region), map_(map), alignments_(elementAlignments()) {}

  Status emit(const std::string& name);

 private:
  void openKernel(const std::string& name);
  void bindBuffers();
  void writeBack();
  Status emitProgram(const RegionStep& step) override;
  void emitCopy(const RegionStep& step) override;
  void beforeRead(uint32_t buffer) override { order({&buffer, 1}, {}); }
  void settle() override;

  bool isRegister(uint32_t buffer) const { return map_.places[buffer] == BufferPlace::Register; }
  bool meet(uint32_t one, uint32_t other) const;
  void order(std::span<const uint32_t> read, std::span<const uint32_t> written);
  void copyByThreads(const ArrayBase& from, const ArrayBase& to, int64_t bytes, int64_t alignment);
  std::vector<int64_t> elementAlignments() const;
  // Of the buffer's place outside of the kernel, and so of every other place.
  int64_t alignmentOf(uint32_t buffer) const {
    return region_.buffers[buffer].bytes > kSmallBufferBytes ? kSharedAlignment : alignments_[buffer];
  }
  Value* threadNumber() { return emitThreadNumber(b, map_.blockThreads); }
  void byFirst(const std::function<void()>& body) {
    if (map_.blockThreads == 1) return body();
    emitIf(b, b.CreateICmpEQ(threadNumber(), b.getInt32(0)), body);
  }

  const RegionMap& map_;
  const std::vector<int64_t> alignments_;  // by buffer, of its elements
  std::vector<ArrayBase> memory_;          // by buffer: where it is outside, or null
  std::set<uint32_t> reads_, writes_;      // of arrays that threads share, since the last barrier
};

// Programs tell; an array and its copy have elements of one type.
std::vector<int64_t> GridRegionEmitter::elementAlignments() const {
  std::vector<int64_t> out;
  for (const Extent& extent : extents()) out.push_back(extent.alignment);
  for (bool changed = true; changed;) {
    changed = false;
    forEachRegionStep(region_, [&](const RegionStep& step) {
      if (step.kind != RegionStep::Kind::Copy || out[step.buffers[0]] == out[step.buffers[1]]) return;
      out[step.buffers[0]] = out[step.buffers[1]] = std::max(out[step.buffers[0]], out[step.buffers[1]]);
      changed = true;
    });
  }
  return out;
}

void GridRegionEmitter::openKernel(const std::string& name) {
  llvm::LLVMContext& context = module_.getContext();
  const std::vector<llvm::Type*> types(map_.read.size() + map_.written.size(),
                                       llvm::PointerType::get(context, kGlobalSpace));
  function_ = llvm::Function::Create(llvm::FunctionType::get(b.getVoidTy(), types, false),
                                     llvm::Function::ExternalLinkage, name, module_);
  markAsGridKernel(*function_, map_.blockThreads);
  b.SetInsertPoint(block("entry"));
}

void GridRegionEmitter::bindBuffers() {
  const std::vector<MemoryScope> scopes = scopesOf(module_.getContext(), region_);
  memory_.resize(region_.buffers.size());
  unsigned next = 0;
  for (const std::vector<uint32_t>* part : {&map_.read, &map_.written})
    for (const uint32_t buffer : *part) memory_[buffer] = {function_->getArg(next++), scopes[buffer]};
  for (uint32_t i = 0; i < region_.buffers.size(); ++i) {
    const auto bytes = static_cast<uint64_t>(region_.buffers[i].bytes);
    ArrayBase place = memory_[i];
    if (isRegister(i)) {
      auto* slot = b.CreateAlloca(llvm::ArrayType::get(b.getInt8Ty(), bytes));
      slot->setAlignment(llvm::Align(16));
      place = {slot};
    } else if (map_.places[i] == BufferPlace::Shared) {
      auto* shared =
          makeSharedArray(module_, b.getInt8Ty(), bytes, fmt::format("{}_{}", function_->getName().str(), i));
      shared->setAlignment(llvm::Align(kSharedAlignment));
      place = {shared};
      if (region_.buffers[i].in) writes_.insert(i);
    }
    base_.push_back(place);
  }
  for (uint32_t i = 0; i < region_.buffers.size(); ++i) {
    const RegionBuffer& buffer = region_.buffers[i];
    if (!buffer.in || map_.places[i] == BufferPlace::Memory) continue;
    reads_.insert(i);  // of its memory, which may be written at the end
    if (isRegister(i))
      copyWhole(memory_[i], base_[i], buffer.bytes, alignmentOf(i));
    else
      copyByThreads(memory_[i], base_[i], buffer.bytes, alignmentOf(i));
  }
}

// The arrays' last values; what was read of other arrays in the same memory has been read.
void GridRegionEmitter::writeBack() {
  settle();
  for (uint32_t i = 0; i < region_.buffers.size(); ++i) {
    const RegionBuffer& buffer = region_.buffers[i];
    if (!buffer.out || map_.places[i] == BufferPlace::Memory) continue;
    if (isRegister(i))
      byFirst([&] { copyWhole(base_[i], memory_[i], buffer.bytes, alignmentOf(i)); });
    else
      copyByThreads(base_[i], memory_[i], buffer.bytes, alignmentOf(i));
  }
}

bool GridRegionEmitter::meet(uint32_t one, uint32_t other) const {
  const std::pair pair(std::min(one, other), std::max(one, other));
  return one == other || std::ranges::binary_search(region_.mayAlias, pair);
}

void GridRegionEmitter::settle() {
  if (map_.blockThreads > 1 && !(reads_.empty() && writes_.empty())) emitBarrier(b);
  reads_.clear();
  writes_.clear();
}

// What comes next reads and writes these: a barrier where that must wait for what other threads do.
void GridRegionEmitter::order(std::span<const uint32_t> read, std::span<const uint32_t> written) {
  const auto meetsAny = [&](uint32_t buffer, const std::set<uint32_t>& others) {
    return std::ranges::any_of(others, [&](uint32_t other) { return meet(buffer, other); });
  };
  const bool mustWait = std::ranges::any_of(read, [&](uint32_t buffer) { return meetsAny(buffer, writes_); }) ||
                        std::ranges::any_of(written, [&](uint32_t buffer) {
                          return meetsAny(buffer, writes_) || meetsAny(buffer, reads_);
                        });
  if (mustWait) settle();
  const auto add = [&](std::span<const uint32_t> buffers, std::set<uint32_t>& to) {
    for (const uint32_t buffer : buffers)
      if (!isRegister(buffer)) to.insert(buffer);
  };
  add(read, reads_);
  add(written, writes_);
}

Status GridRegionEmitter::emitProgram(const RegionStep& step) {
  const LoopProgram& program = region_.programs[step.program];
  TESSERA_ASSIGN_OR_RETURN(const ProgramAnalysis analysis, ProgramAnalysis::of(program));
  order(regionOperands(region_, step), regionResults(region_, step));
  std::vector<ArrayBase> bases;
  for (const uint32_t buffer : step.buffers) bases.push_back(base_[buffer]);
  TESSERA_ASSIGN_OR_RETURN(llvm::BasicBlock * end,
                           emitInGridBlock(*b.GetInsertBlock(), bases, program, analysis, map_.programs[step.program],
                                           map_.byAll[step.program]));
  b.SetInsertPoint(end);
  return {};
}

void GridRegionEmitter::emitCopy(const RegionStep& step) {
  const uint32_t from = step.buffers[0], to = step.buffers[1];
  order(regionOperands(region_, step), regionResults(region_, step));
  const int64_t alignment = std::min(alignmentOf(from), alignmentOf(to));
  const auto copy = [&] { copyWhole(base_[from], base_[to], step.bytes, alignment); };
  if (isRegister(to)) return copy();
  if (isRegister(from)) return byFirst(copy);
  copyByThreads(base_[from], base_[to], step.bytes, alignment);
}

void GridRegionEmitter::copyByThreads(const ArrayBase& from, const ArrayBase& to, int64_t bytes, int64_t alignment) {
  const int64_t unit = bytes % 4 == 0 && alignment % 4 == 0 ? 4 : 1, count = bytes / unit;
  auto* type = b.getIntNTy(static_cast<unsigned>(unit) * 8);
  const auto at = [&](const ArrayBase& base, Value* i) {
    return ArrayBase{b.CreateGEP(type, base.pointer, i), base.scope};
  };
  Value* first = b.CreateZExt(threadNumber(), b.getInt64Ty());
  Value* end = b.getInt64(static_cast<uint64_t>(count));
  emitIf(b, b.CreateICmpULT(first, end), [&] {
    emitRange(b, first, end, map_.blockThreads, [&](Value* i) { copyWhole(at(from, i), at(to, i), unit, unit); });
  });
}

Status GridRegionEmitter::emit(const std::string& name) {
  openKernel(name);
  bindBuffers();
  TESSERA_TRY(emitBlock(0));
  writeBack();
  b.CreateRetVoid();
  return {};
}

}  // namespace

Result<RegionMap> RegionMap::of(const RegionProgram& region) { return RegionMapper(region).run(); }

std::string RegionMap::text() const {
  const std::string who = blockThreads == 1 ? "one thread" : fmt::format("a block of {} threads", blockThreads);
  const std::string shared = sharedBytes > 0 ? fmt::format(", {} bytes of shared memory", sharedBytes) : "";
  return fmt::format("{} programs with their loops by {}{}", programs.size(), who, shared);
}

Status emitRegionKernel(llvm::Module& module, const std::string& name, const RegionProgram& region,
                        const RegionMap& map) {
  return GridRegionEmitter(module, region, map).emit(name);
}

double nsInBlock(const LoopProgram& program, const ProgramAnalysis& analysis) {
  const KernelNest nest = KernelNest::of(program, analysis, {.vectorBytes = 8});  // one of the widest elements
  return nest.costPerItem * static_cast<double>(nest.parallelCount) / threadsFor(GridMap::inBlock(program, analysis));
}

}  // namespace tessera::codegen
