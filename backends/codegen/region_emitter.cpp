// See region_emitter.h. A buffer in a register is a stack slot here, as the counters of the blocks are: a pass turns
// them into SSA values, so the carries of a loop become its phis.
#include "backends/codegen/region_emitter.h"

#include "backends/codegen/kernel_emitter.h"
#include "backends/codegen/kernel_function.h"
#include "backends/codegen/region_emission.h"

namespace tessera::codegen {

namespace {

using llvm::Value;

class RegionEmitter final : private RegionEmission {
 public:
  RegionEmitter(llvm::Module& module, const RegionProgram& region, const Target& target,
                std::span<const SourceLines> lines)
      : RegionEmission(module, region), target_(target), lines_(lines) {
    if (!lines_.empty()) LineScope::setLine(b, lines_.front(), kOwnLine);
  }

  Status emit(const std::string& name);

 private:
  void openFunction(const std::string& name);
  void bindBuffers();
  void writeBack();
  Status emitProgram(const RegionStep& step) override;
  void emitCopy(const RegionStep& step) override {
    copyWhole(base_[step.buffers[0]], base_[step.buffers[1]], step.bytes);
  }
  void enterBlock(uint32_t block) override;
  void enterRound() override;
  Value* argument(size_t index) {
    return b.CreateLoad(b.getPtrTy(), b.CreateConstGEP1_64(b.getPtrTy(), function_->getArg(0), index));
  }
  Value* arrayArgument(size_t index, const Extent& extent);

  const Target& target_;
  std::span<const SourceLines> lines_;
  llvm::BasicBlock* cancelled_ = nullptr;
  std::vector<Value*> memory_;  // by buffer: where it is outside, or null
  std::vector<Value*> runs_;    // by block: a counter's stack slot
  Value *runsOut_ = nullptr, *cancel_ = nullptr;
};

void RegionEmitter::openFunction(const std::string& name) {
  function_ = makeKernelFunction(module_, name);
  function_->addFnAttr(kRegionAttribute);
  b.SetInsertPoint(block("entry"));
}

void RegionEmitter::bindBuffers() {
  size_t next = 0;
  const std::vector<MemoryScope> scopes = scopesOf(module_.getContext(), region_);
  const std::vector<Extent> known = extents();
  for (const RegionBuffer& buffer : region_.buffers) {
    Value* memory = buffer.hasMemory() ? arrayArgument(next++, known[memory_.size()]) : nullptr;
    memory_.push_back(memory);
    base_.push_back({memory, scopes[base_.size()]});
    if (!buffer.inRegister) continue;
    auto* type = llvm::ArrayType::get(b.getInt8Ty(), static_cast<uint64_t>(buffer.bytes));
    auto* slot = b.CreateAlloca(type);
    slot->setAlignment(llvm::Align(buffer.bytes >= kLineBytes ? kLineBytes : 16));
    base_.back() = {slot};
    if (buffer.in) copyWhole({memory}, {slot}, buffer.bytes);
  }
  runsOut_ = argument(next);
  cancel_ = argument(next + 1);
  for (size_t i = 0; i < region_.blocks.size(); ++i) {
    runs_.push_back(b.CreateAlloca(b.getInt64Ty()));
    b.CreateStore(b.getInt64(0), runs_.back());
  }
}

// What the caller sees of a region that ran to its end.
void RegionEmitter::writeBack() {
  for (size_t i = 0; i < region_.buffers.size(); ++i)
    if (region_.buffers[i].inRegister && region_.buffers[i].out)
      copyWhole(base_[i], {memory_[i]}, region_.buffers[i].bytes);
  for (size_t i = 0; i < runs_.size(); ++i) {
    Value* at = b.CreateConstGEP1_64(b.getInt64Ty(), runsOut_, i);
    b.CreateStore(b.CreateAdd(b.CreateLoad(b.getInt64Ty(), at), b.CreateLoad(b.getInt64Ty(), runs_[i])), at);
  }
}

// The pointer of an array, all of which is there: with that known, loads may move before the loop that needs them.
Value* RegionEmitter::arrayArgument(size_t index, const Extent& extent) {
  auto* pointer = llvm::cast<llvm::LoadInst>(argument(index));
  auto number = [&](int64_t value) {
    return llvm::MDNode::get(b.getContext(), llvm::ConstantAsMetadata::get(b.getInt64(static_cast<uint64_t>(value))));
  };
  if (extent.bytes == 0) return pointer;
  pointer->setMetadata(llvm::LLVMContext::MD_dereferenceable, number(extent.bytes));
  pointer->setMetadata(llvm::LLVMContext::MD_align, number(extent.alignment));
  return pointer;
}

Status RegionEmitter::emitProgram(const RegionStep& step) {
  const LoopProgram& program = region_.programs[step.program];
  TESSERA_ASSIGN_OR_RETURN(const ProgramAnalysis analysis, ProgramAnalysis::of(program));
  KernelNest nest = KernelNest::of(program, analysis, target_);
  nest.isStraight = isShortAxis(program, analysis, nest);
  std::vector<ArrayBase> bases;
  for (uint32_t buffer : step.buffers) bases.push_back(base_[buffer]);
  TESSERA_ASSIGN_OR_RETURN(llvm::BasicBlock * end,
                           emitKernelInto(*b.GetInsertBlock(), bases, program, analysis, nest,
                                          lines_.empty() ? SourceLines() : lines_[step.program]));
  b.SetInsertPoint(end);
  return {};
}

// At once, without results: the caller throws them away.
void RegionEmitter::enterRound() {
  if (!cancelled_) cancelled_ = block("cancelled");
  auto* flag = b.CreateAlignedLoad(b.getInt8Ty(), cancel_, llvm::Align(1));
  flag->setAtomic(llvm::AtomicOrdering::Monotonic);
  auto* go = block("round");
  b.CreateCondBr(b.CreateICmpNE(flag, b.getInt8(0)), cancelled_, go);
  b.SetInsertPoint(go);
}

void RegionEmitter::enterBlock(uint32_t index) {
  b.CreateStore(b.CreateAdd(b.CreateLoad(b.getInt64Ty(), runs_[index]), b.getInt64(1)), runs_[index]);
}

Status RegionEmitter::emit(const std::string& name) {
  openFunction(name);
  bindBuffers();
  TESSERA_TRY(emitBlock(0));
  writeBack();
  b.CreateRetVoid();
  if (!cancelled_) return {};
  b.SetInsertPoint(cancelled_);
  b.CreateRetVoid();
  return {};
}

}  // namespace

Status emitRegion(llvm::Module& module, const std::string& name, const RegionProgram& region, const Target& target,
                  std::span<const SourceLines> lines) {
  return RegionEmitter(module, region, target, lines).emit(name);
}

}  // namespace tessera::codegen
