// See region_emission.h.
#include "backends/codegen/region_emission.h"

#include <algorithm>

namespace tessera::codegen {

using llvm::Value;

std::vector<RegionEmission::Extent> RegionEmission::extents() const {
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

Value* RegionEmission::loaded(llvm::Type* type, const ArrayBase& base) {
  auto* load = b.CreateAlignedLoad(type, base.pointer, llvm::Align(1));
  base.scope.mark(load);
  return load;
}

void RegionEmission::copyWhole(const ArrayBase& from, const ArrayBase& to, int64_t bytes, int64_t alignment) {
  const llvm::Align align(static_cast<uint64_t>(alignment));
  if (bytes == 1 || bytes == 2 || bytes == 4 || bytes == 8) {
    auto* load = b.CreateAlignedLoad(b.getIntNTy(static_cast<unsigned>(bytes) * 8), from.pointer, align);
    from.scope.mark(load);
    to.scope.mark(b.CreateAlignedStore(load, to.pointer, align));
    return;
  }
  b.CreateMemCpy(to.pointer, align, from.pointer, align, static_cast<uint64_t>(bytes));
}

Value* RegionEmission::isTrue(uint32_t buffer) {
  return b.CreateICmpNE(loaded(b.getInt8Ty(), base_[buffer]), b.getInt8(0));
}

Status RegionEmission::emitWhile(const RegionStep& step) {
  auto *head = block("while"), *body = block("body"), *exit = block("whileDone");
  settle();
  b.CreateBr(head);
  b.SetInsertPoint(head);
  TESSERA_TRY(emitBlock(step.blocks[0]));
  beforeRead(step.buffers[0]);
  b.CreateCondBr(isTrue(step.buffers[0]), body, exit);
  b.SetInsertPoint(body);
  enterRound();
  TESSERA_TRY(emitBlock(step.blocks[1]));
  settle();
  b.CreateBr(head);
  b.SetInsertPoint(exit);
  return {};
}

Status RegionEmission::emitChoice(const RegionStep& step) {
  auto* after = block("chosen");
  std::vector<llvm::BasicBlock*> branches;
  for (size_t i = 0; i < step.blocks.size(); ++i) branches.push_back(block("branch"));
  settle();
  if (step.byPredicate) {
    b.CreateCondBr(isTrue(step.buffers[0]), branches.front(), branches.back());
  } else {
    auto* choice = b.CreateSwitch(loaded(b.getInt32Ty(), base_[step.buffers[0]]), branches.back());
    for (size_t i = 0; i + 1 < branches.size(); ++i) choice->addCase(b.getInt32(static_cast<uint32_t>(i)), branches[i]);
  }
  for (size_t i = 0; i < branches.size(); ++i) {
    b.SetInsertPoint(branches[i]);
    TESSERA_TRY(emitBlock(step.blocks[i]));
    settle();
    b.CreateBr(after);
  }
  b.SetInsertPoint(after);
  return {};
}

Status RegionEmission::emitStep(const RegionStep& step) {
  switch (step.kind) {
    case RegionStep::Kind::Program: return emitProgram(step);
    case RegionStep::Kind::While: return emitWhile(step);
    case RegionStep::Kind::Choice: return emitChoice(step);
    case RegionStep::Kind::Copy: emitCopy(step);
  }
  return {};
}

Status RegionEmission::emitBlock(uint32_t index) {
  enterBlock(index);
  for (const RegionStep& step : region_.blocks[index]) TESSERA_TRY(emitStep(step));
  return {};
}

}  // namespace tessera::codegen
