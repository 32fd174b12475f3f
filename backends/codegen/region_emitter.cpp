// See region_emitter.h. A buffer in a register is a stack slot here, as the counters of the blocks are: a pass turns
// them into SSA values, so the carries of a loop become its phis.
#include "backends/codegen/region_emitter.h"

#include <algorithm>

#include <llvm/IR/IRBuilder.h>

#include "backends/codegen/kernel_emitter.h"
#include "backends/codegen/kernel_function.h"

namespace tessera::codegen {

namespace {

using llvm::Value;

class RegionEmitter {
 public:
  RegionEmitter(llvm::Module& module, const RegionProgram& region, const Target& target,
                std::span<const SourceLines> lines)
      : module_(module), region_(region), target_(target), lines_(lines), b(module.getContext()) {
    if (!lines_.empty()) LineScope::setLine(b, lines_.front(), kOwnLine);
  }

  Status emit(const std::string& name);

 private:
  void openFunction(const std::string& name);
  void bindBuffers();
  void writeBack();
  Status emitBlock(uint32_t block);
  Status emitStep(const RegionStep& step);
  Status emitProgram(const RegionStep& step);
  void emitCopy(const ArrayBase& from, const ArrayBase& to, int64_t bytes);
  Status emitWhile(const RegionStep& step);
  Status emitChoice(const RegionStep& step);
  void leaveWhenCancelled();
  Value* loaded(llvm::Type* type, const ArrayBase& base);
  Value* isTrue(uint32_t buffer) { return b.CreateICmpNE(loaded(b.getInt8Ty(), base_[buffer]), b.getInt8(0)); }
  Value* argument(size_t index) {
    return b.CreateLoad(b.getPtrTy(), b.CreateConstGEP1_64(b.getPtrTy(), function_->getArg(0), index));
  }
  // Of an array in bytes: aligned at least as its elements are, or the parts of complex ones.
  struct Extent {
    int64_t bytes = 0, alignment = 1;
  };
  Value* arrayArgument(size_t index, const Extent& extent);
  std::vector<Extent> extents() const;
  llvm::BasicBlock* block(const char* name) { return llvm::BasicBlock::Create(module_.getContext(), name, function_); }

  llvm::Module& module_;
  const RegionProgram& region_;
  const Target& target_;
  std::span<const SourceLines> lines_;
  llvm::IRBuilder<> b;
  llvm::Function* function_ = nullptr;
  llvm::BasicBlock* cancelled_ = nullptr;
  std::vector<ArrayBase> base_;  // by buffer: where programs find it
  std::vector<Value*> memory_;   // by buffer: where it is outside, or null
  std::vector<Value*> runs_;     // by block: a counter's stack slot
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
    if (buffer.in) emitCopy({memory}, {slot}, buffer.bytes);
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
      emitCopy(base_[i], {memory_[i]}, region_.buffers[i].bytes);
  for (size_t i = 0; i < runs_.size(); ++i) {
    Value* at = b.CreateConstGEP1_64(b.getInt64Ty(), runsOut_, i);
    b.CreateStore(b.CreateAdd(b.CreateLoad(b.getInt64Ty(), at), b.CreateLoad(b.getInt64Ty(), runs_[i])), at);
  }
}

Value* RegionEmitter::loaded(llvm::Type* type, const ArrayBase& base) {
  auto* load = b.CreateAlignedLoad(type, base.pointer, llvm::Align(1));
  base.scope.mark(load);
  return load;
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

// By buffer: the largest array that a program finds there.
std::vector<RegionEmitter::Extent> RegionEmitter::extents() const {
  std::vector<Extent> out(region_.buffers.size());
  for (const std::vector<RegionStep>& block : region_.blocks)
    for (const RegionStep& step : block) {
      if (step.kind != RegionStep::Kind::Program) continue;
      const LoopProgram& program = region_.programs[step.program];
      const size_t operands = program.body.operands.size();
      for (size_t i = 0; i < step.buffers.size(); ++i) {
        const Shape& shape = i < operands ? program.body.operands[i] : program.outputs[i - operands];
        Extent& extent = out[step.buffers[i]];
        extent.bytes = std::max(extent.bytes, shape.denseBytes().value_or(0));
        extent.alignment = std::max(extent.alignment, int64_t{byteWidth(shape.type)} / (isComplex(shape.type) ? 2 : 1));
      }
    }
  return out;
}

// An element of a register's size as one access, so that it stays in one.
void RegionEmitter::emitCopy(const ArrayBase& from, const ArrayBase& to, int64_t bytes) {
  if (bytes == 1 || bytes == 2 || bytes == 4 || bytes == 8) {
    auto* type = b.getIntNTy(static_cast<unsigned>(bytes) * 8);
    to.scope.mark(b.CreateAlignedStore(loaded(type, from), to.pointer, llvm::Align(1)));
    return;
  }
  b.CreateMemCpy(to.pointer, llvm::Align(1), from.pointer, llvm::Align(1), static_cast<uint64_t>(bytes));
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
void RegionEmitter::leaveWhenCancelled() {
  if (!cancelled_) cancelled_ = block("cancelled");
  auto* flag = b.CreateAlignedLoad(b.getInt8Ty(), cancel_, llvm::Align(1));
  flag->setAtomic(llvm::AtomicOrdering::Monotonic);
  auto* go = block("round");
  b.CreateCondBr(b.CreateICmpNE(flag, b.getInt8(0)), cancelled_, go);
  b.SetInsertPoint(go);
}

Status RegionEmitter::emitWhile(const RegionStep& step) {
  auto *head = block("while"), *body = block("body"), *exit = block("whileDone");
  b.CreateBr(head);
  b.SetInsertPoint(head);
  TESSERA_TRY(emitBlock(step.blocks[0]));
  b.CreateCondBr(isTrue(step.buffers[0]), body, exit);
  b.SetInsertPoint(body);
  leaveWhenCancelled();
  TESSERA_TRY(emitBlock(step.blocks[1]));
  b.CreateBr(head);
  b.SetInsertPoint(exit);
  return {};
}

Status RegionEmitter::emitChoice(const RegionStep& step) {
  auto* after = block("chosen");
  std::vector<llvm::BasicBlock*> branches;
  for (size_t i = 0; i < step.blocks.size(); ++i) branches.push_back(block("branch"));
  if (step.byPredicate) {
    b.CreateCondBr(isTrue(step.buffers[0]), branches.front(), branches.back());
  } else {
    auto* choice = b.CreateSwitch(loaded(b.getInt32Ty(), base_[step.buffers[0]]), branches.back());
    for (size_t i = 0; i + 1 < branches.size(); ++i) choice->addCase(b.getInt32(static_cast<uint32_t>(i)), branches[i]);
  }
  for (size_t i = 0; i < branches.size(); ++i) {
    b.SetInsertPoint(branches[i]);
    TESSERA_TRY(emitBlock(step.blocks[i]));
    b.CreateBr(after);
  }
  b.SetInsertPoint(after);
  return {};
}

Status RegionEmitter::emitStep(const RegionStep& step) {
  switch (step.kind) {
    case RegionStep::Kind::Program: return emitProgram(step);
    case RegionStep::Kind::While: return emitWhile(step);
    case RegionStep::Kind::Choice: return emitChoice(step);
    case RegionStep::Kind::Copy: emitCopy(base_[step.buffers[0]], base_[step.buffers[1]], step.bytes);
  }
  return {};
}

Status RegionEmitter::emitBlock(uint32_t index) {
  b.CreateStore(b.CreateAdd(b.CreateLoad(b.getInt64Ty(), runs_[index]), b.getInt64(1)), runs_[index]);
  for (const RegionStep& step : region_.blocks[index]) TESSERA_TRY(emitStep(step));
  return {};
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
