// See contraction_tile.h.
#include "backends/codegen/contraction_tile.h"

#include <vector>

#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Intrinsics.h>
#include <llvm/IR/IntrinsicsX86.h>

namespace tessera::codegen {

namespace {

using llvm::Value;

class TileEmitter {
 public:
  TileEmitter(llvm::Module& module, const TileShape& tile) : module_(module), tile_(tile), b(module.getContext()) {}
  void emit(const std::string& name);

 private:
  void openFunction(const std::string& name);
  void startSums();
  void walk();
  void step(Value* k);
  void storeSums();
  Value* sumAddress(unsigned part, unsigned row, unsigned vector);
  Value* sumOfPairs(Value* x, Value* y);
  Value* multiplyAdd(Value* x, Value* y, Value* sum);
  Value* loadRight(Value* from, unsigned part, unsigned vector);
  Value* loadLeft(Value* from, unsigned part, unsigned row);
  Value* int64(uint64_t v) { return b.getInt64(v); }
  bool isFloating() const { return part_->isFloatingPointTy(); }
  size_t at(unsigned part, unsigned row, unsigned vector) const {
    return (part * tile_.rows + row) * tile_.vectors + vector;
  }
  size_t count() const { return static_cast<size_t>(tile_.parts()) * tile_.rows * tile_.vectors; }

  llvm::Module& module_;
  const TileShape& tile_;
  llvm::IRBuilder<> b;
  llvm::Function* function_ = nullptr;
  llvm::Type* part_ = nullptr;
  llvm::FixedVectorType* vector_ = nullptr;
  Value *left_ = nullptr, *right_ = nullptr, *out_ = nullptr, *outRow_ = nullptr, *adds_ = nullptr;
  std::vector<Value*> sums_;
};

llvm::Type* partType(llvm::IRBuilder<>& b, ElementType type) {
  switch (type) {
    case ElementType::F64:
    case ElementType::C128: return b.getDoubleTy();
    case ElementType::S32: return b.getInt32Ty();
    case ElementType::S64: return b.getInt64Ty();
    default: return b.getFloatTy();
  }
}

void TileEmitter::openFunction(const std::string& name) {
  auto* ptr = b.getPtrTy();
  auto* type = llvm::FunctionType::get(b.getVoidTy(), {ptr, b.getInt64Ty(), b.getInt64Ty()}, false);
  function_ = llvm::Function::Create(type, llvm::Function::ExternalLinkage, name, module_);
  function_->addFnAttr("prefer-vector-width", "512");
  function_->addFnAttr("min-legal-vector-width", "512");
  function_->addFnAttr(llvm::Attribute::NoUnwind);
  b.SetInsertPoint(llvm::BasicBlock::Create(module_.getContext(), "entry", function_));
  part_ = partType(b, tile_.type);
  vector_ = llvm::FixedVectorType::get(part_, tile_.lanes);
  auto pointer = [&](uint64_t i) { return b.CreateLoad(ptr, b.CreateConstGEP1_64(ptr, function_->getArg(0), i)); };
  left_ = pointer(0);
  right_ = pointer(1);
  out_ = pointer(2);
  Value* numbers = pointer(3);
  outRow_ = b.CreateLoad(b.getInt64Ty(), numbers);
  adds_ = b.CreateLoad(b.getInt64Ty(), b.CreateConstGEP1_64(b.getInt64Ty(), numbers, 1));
}

Value* TileEmitter::sumAddress(unsigned part, unsigned row, unsigned vector) {
  Value* offset = b.CreateMul(outRow_, int64(part * tile_.rows + row));
  return b.CreateGEP(part_, out_, b.CreateAdd(offset, int64(static_cast<uint64_t>(vector) * tile_.lanes)));
}

// Sums start at what is in memory, or at zero.
void TileEmitter::startSums() {
  auto block = [&](const char* name) { return llvm::BasicBlock::Create(module_.getContext(), name, function_); };
  auto *zeros = b.GetInsertBlock(), *loads = block("loads"), *start = block("start");
  b.CreateCondBr(b.CreateICmpNE(adds_, int64(0)), loads, start);
  b.SetInsertPoint(loads);
  std::vector<Value*> loaded;
  llvm::Align align(static_cast<uint64_t>(tile_.partBytes()));
  for (unsigned p = 0; p < static_cast<unsigned>(tile_.parts()); ++p)
    for (unsigned i = 0; i < tile_.rows; ++i)
      for (unsigned j = 0; j < tile_.vectors; ++j)
        loaded.push_back(b.CreateAlignedLoad(vector_, sumAddress(p, i, j), align));
  b.CreateBr(start);
  b.SetInsertPoint(start);
  for (Value* each : loaded) {
    auto* phi = b.CreatePHI(vector_, 2);
    phi->addIncoming(llvm::Constant::getNullValue(vector_), zeros);
    phi->addIncoming(each, loads);
    sums_.push_back(phi);
  }
}

// Of 16-bit integers: x[2l]·y[2l] + x[2l+1]·y[2l+1] in each lane l.
Value* TileEmitter::sumOfPairs(Value* x, Value* y) {
  const auto intrinsic = tile_.lanes == 16  ? llvm::Intrinsic::x86_avx512_pmaddw_d_512
                         : tile_.lanes == 8 ? llvm::Intrinsic::x86_avx2_pmadd_wd
                                            : llvm::Intrinsic::x86_sse2_pmadd_wd;
  auto* halves = llvm::FixedVectorType::get(b.getInt16Ty(), 2 * tile_.lanes);
  return b.CreateIntrinsic(intrinsic, {}, {b.CreateBitCast(x, halves), b.CreateBitCast(y, halves)});
}

Value* TileEmitter::multiplyAdd(Value* x, Value* y, Value* sum) {
  if (tile_.pairs) return b.CreateAdd(sum, sumOfPairs(x, y));
  if (!isFloating()) return b.CreateAdd(sum, b.CreateMul(x, y));
  if (tile_.fused) return b.CreateIntrinsic(llvm::Intrinsic::fma, {vector_}, {x, y, sum});
  return b.CreateFAdd(sum, b.CreateFMul(x, y));
}

Value* TileEmitter::loadRight(Value* from, unsigned part, unsigned vector) {
  Value* at = b.CreateConstGEP1_64(part_, from,
                                   static_cast<uint64_t>(part) * tile_.vectors * tile_.lanes + vector * tile_.lanes);
  return b.CreateAlignedLoad(vector_, at, llvm::Align(static_cast<uint64_t>(tile_.partBytes())));
}

Value* TileEmitter::loadLeft(Value* from, unsigned part, unsigned row) {
  Value* at = b.CreateConstGEP1_64(part_, from, part * tile_.rows + row);
  return b.CreateVectorSplat(tile_.lanes,
                             b.CreateAlignedLoad(part_, at, llvm::Align(static_cast<uint64_t>(tile_.partBytes()))));
}

void TileEmitter::step(Value* k) {
  auto parts = static_cast<unsigned>(tile_.parts());
  Value* left = b.CreateGEP(part_, left_, b.CreateMul(k, int64(parts * tile_.rows)));
  Value* right =
      b.CreateGEP(part_, right_, b.CreateMul(k, int64(static_cast<uint64_t>(parts) * tile_.vectors * tile_.lanes)));
  std::vector<Value*> re, im;
  for (unsigned j = 0; j < tile_.vectors; ++j) re.push_back(loadRight(right, 0, j));
  for (unsigned j = 0; j < tile_.vectors && parts == 2; ++j) im.push_back(loadRight(right, 1, j));
  for (unsigned i = 0; i < tile_.rows; ++i) {
    Value* x = loadLeft(left, 0, i);
    for (unsigned j = 0; j < tile_.vectors; ++j) sums_[at(0, i, j)] = multiplyAdd(x, re[j], sums_[at(0, i, j)]);
    if (parts == 1) continue;
    Value* y = loadLeft(left, 1, i);
    Value* minus = b.CreateFNeg(y);
    for (unsigned j = 0; j < tile_.vectors; ++j) {
      sums_[at(0, i, j)] = multiplyAdd(minus, im[j], sums_[at(0, i, j)]);
      sums_[at(1, i, j)] = multiplyAdd(x, im[j], multiplyAdd(y, re[j], sums_[at(1, i, j)]));
    }
  }
}

void TileEmitter::walk() {
  auto* before = b.GetInsertBlock();
  auto* head = llvm::BasicBlock::Create(module_.getContext(), "steps", function_);
  auto* done = llvm::BasicBlock::Create(module_.getContext(), "done", function_);
  b.CreateBr(head);
  b.SetInsertPoint(head);
  auto* k = b.CreatePHI(b.getInt64Ty(), 2);
  k->addIncoming(function_->getArg(1), before);
  std::vector<llvm::PHINode*> phis;
  for (Value*& sum : sums_) {
    phis.push_back(b.CreatePHI(vector_, 2));
    phis.back()->addIncoming(sum, before);
    sum = phis.back();
  }
  step(k);
  Value* next = b.CreateAdd(k, int64(1), "", true, true);
  for (size_t s = 0; s < count(); ++s) phis[s]->addIncoming(sums_[s], head);
  k->addIncoming(next, head);
  b.CreateCondBr(b.CreateICmpSLT(next, function_->getArg(2)), head, done);
  b.SetInsertPoint(done);
}

void TileEmitter::storeSums() {
  llvm::Align align(static_cast<uint64_t>(tile_.partBytes()));
  for (unsigned p = 0; p < static_cast<unsigned>(tile_.parts()); ++p)
    for (unsigned i = 0; i < tile_.rows; ++i)
      for (unsigned j = 0; j < tile_.vectors; ++j) b.CreateAlignedStore(sums_[at(p, i, j)], sumAddress(p, i, j), align);
}

void TileEmitter::emit(const std::string& name) {
  openFunction(name);
  startSums();
  walk();
  storeSums();
  b.CreateRetVoid();
}

}  // namespace

void emitTile(llvm::Module& module, const std::string& name, const TileShape& tile) {
  TileEmitter(module, tile).emit(name);
}

}  // namespace tessera::codegen
