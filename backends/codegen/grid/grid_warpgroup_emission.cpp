// See grid_warpgroup_emission.h.
#include "backends/codegen/grid/grid_warpgroup_emission.h"

#include <algorithm>

#include <fmt/format.h>

#include "backends/codegen/grid/grid_emitter.h"
#include "backends/codegen/grid/warpgroup_products.h"

namespace tessera::codegen {

using llvm::Value;

namespace {

constexpr unsigned kPieces = 4, kAhead = 2;  // in shared memory; of these on their way
constexpr int64_t kStripe = 8;        // tiles of rows that neighbouring blocks have: they read fewer columns together
constexpr unsigned kSumsPadding = 8;  // words behind a line of sums, against conflicts of banks

unsigned bytesOf(const ContractionMap::Side& side) { return side.tile * kMatrixLineBytes; }
unsigned pieceBytes(const ContractionMap& map) { return bytesOf(map.rows) + bytesOf(map.columns); }
unsigned sumsOfThread(const ContractionMap& map) { return map.columns.tile / 2; }
unsigned sumsLine(const ContractionMap& map) { return map.columns.tile + kSumsPadding; }
unsigned chunkElements(const ContractionMap& map) { return map.tileDepth / kLineChunks; }
// Of a factor whose lines go across: from 64 rows (or columns) to the next.
unsigned groupBytes(const ContractionMap& map) { return map.tileDepth * kMatrixLineBytes; }

}  // namespace

unsigned WarpgroupEmission::sharedBytes(const ContractionMap& map) {
  return std::max(kPieces * pieceBytes(map), map.rows.tile * sumsLine(map) * 4);
}

Value* WarpgroupEmission::pieceOf(Value* number) {
  return b.CreateMul(b.CreateAnd(number, kPieces - 1), b.getInt32(pieceBytes(map_)));
}

// A chunk of 16 bytes of the piece from `depth` on: neighbouring threads read neighbours in memory.
void WarpgroupEmission::fillChunk(const Factor& factor, Value* piece, Value* depth, Value* chunk) {
  const bool isAlong = factor.side.alongDepth;
  const unsigned chunks = isAlong ? kLineChunks : factor.side.tile / chunkElements(map_);
  Value *line = b.CreateUDiv(chunk, b.getInt32(chunks)), *inLine = b.CreateURem(chunk, b.getInt32(chunks));
  Value* elements = b.CreateMul(inLine, b.getInt32(chunkElements(map_)));
  Value *k = b.CreateAdd(depth, b.CreateZExt(isAlong ? elements : line, b.getInt64Ty())),
        *x = b.CreateAdd(factor.first, b.CreateZExt(isAlong ? line : elements, b.getInt64Ty()));
  Value* place = emitChunkPlace(b, line, inLine);
  if (!isAlong)
    place =
        b.CreateAdd(place, b.CreateMul(b.CreateUDiv(inLine, b.getInt32(kLineChunks)), b.getInt32(groupBytes(map_))));
  place = b.CreateAdd(b.CreateAdd(place, b.getInt32(factor.begin)), piece);
  Value* inside = b.getTrue();
  if (map_.depthSize % map_.tileDepth != 0) inside = b.CreateICmpULT(k, e.int64(map_.depthSize));
  if (factor.side.size % factor.side.tile != 0)
    inside = b.CreateAnd(inside, b.CreateICmpULT(x, e.int64(factor.side.size)));
  e.forget();
  e.setCounters(map_.depth, k);
  e.setCounters(factor.side.counters, x);
  e.copyAsync(factor.side.factor, factor.side.copied, b.CreateGEP(b.getInt8Ty(), shared_, place), inside);
  e.forget();
}

void WarpgroupEmission::fill(const Factor& factor, Value* piece, Value* depth) {
  const unsigned chunks = factor.side.tile * kLineChunks, threads = map_.grid.blockThreads;
  for (unsigned from = 0; from < chunks; from += threads)
    fillChunk(factor, piece, depth, b.CreateAdd(thread_, b.getInt32(from)));
}

Value* WarpgroupEmission::descriptorOf(const Factor& factor, Value* piece, Value* furtherBytes) {
  Value* place = b.CreateAdd(b.CreateAdd(piece, b.getInt32(factor.begin)), furtherBytes);
  return emitDescriptor(b, shared_, place, factor.side.alongDepth ? std::nullopt : std::optional(groupBytes(map_)));
}

ElementType WarpgroupEmission::typeOf(const ContractionMap::Side& side) const { return e.body_.at(side.factor).type; }

// Tensor cores of 9.0 add up products of f8 with about 14 bits: the sums of a piece are added to those before in f32.
bool WarpgroupEmission::addsPieces() const { return byteWidth(typeOf(map_.rows)) == 1; }

// All products of a piece as one text, so that nothing touches the sums between them.
std::string WarpgroupEmission::productText() const {
  const size_t sums = sums_.size();
  const unsigned products = kMatrixLineBytes / kProductBytes, depth = map_.tileDepth / products;
  const auto step = [&](const ContractionMap::Side& side) {
    return (side.alongDepth ? kProductBytes : depth * kMatrixLineBytes) / kChunkBytes;
  };
  const std::string across =
      addsPieces() ? ""  // lines of f8 go along the depth
                   : fmt::format(", {}, {}", map_.rows.alongDepth ? 0 : 1, map_.columns.alongDepth ? 0 : 1);
  std::string out =
      "{\n.reg .pred begins, adds;\n.reg .b64 left, right;\nsetp.eq.u32 begins, 0, 1;\nsetp.eq.u32 adds, 1, 1;\n"
      "wgmma.fence.sync.aligned;\n";
  for (unsigned k = 0; k < products; ++k)
    out += fmt::format(
        "add.u64 left, ${}, {};\nadd.u64 right, ${}, {};\n"
        "wgmma.mma_async.sync.aligned.m64n{}k{}.f32.{}.{} {{{}}}, left, right, {}, 1, 1{};\n",
        2 * sums, k * step(map_.rows), 2 * sums + 1, k * step(map_.columns), map_.columns.tile, depth,
        productTypeName(typeOf(map_.rows)), productTypeName(typeOf(map_.columns)), operandList(0, sums),
        addsPieces() && k == 0 ? "begins" : "adds", across);
  return out + "wgmma.commit_group.sync.aligned;\n}";
}

// The text's operands: the sums as results, the sums before, then the descriptors.
void WarpgroupEmission::changeSums(const std::string& text, const std::vector<Value*>& descriptors) {
  std::vector<Value*> before;
  for (Value* slot : sums_) before.push_back(b.CreateLoad(b.getFloatTy(), slot));
  const std::vector<Value*> after = emitOnSums(b, text, sums_.size(), before, descriptors);
  for (size_t s = 0; s < sums_.size(); ++s) b.CreateStore(after[s], sums_[s]);
}

void WarpgroupEmission::multiply(Value* piece) {
  Value* group = b.CreateLShr(thread_, static_cast<uint64_t>(llvm::Log2_32(kGroupThreads)));
  Value* rowBytes = b.CreateMul(group, b.getInt32(kGroupRows * kMatrixLineBytes));  // whichever way lines go
  changeSums(productText(),
             {descriptorOf(factors_[0], piece, rowBytes), descriptorOf(factors_[1], piece, b.getInt32(0))});
}

void WarpgroupEmission::addPiece() {
  changeSums(kWaitForProducts, {});
  for (size_t s = 0; s < sums_.size(); ++s) {
    Value *total = b.CreateLoad(b.getFloatTy(), totals_[s]), *sum = b.CreateLoad(b.getFloatTy(), sums_[s]);
    b.CreateStore(b.CreateFAdd(total, sum), totals_[s]);
  }
}

// Through shared memory, so that neighbours store side by side. Of eight columns a lane has two of one row, and two of
// the row eight further down, as products of mma have them.
void WarpgroupEmission::finish() {
  auto* held = b.getFloatTy();
  const unsigned line = sumsLine(map_), warpRows = 16;
  Value *lane = b.CreateAnd(thread_, kWarpThreads - 1), *warp = b.CreateLShr(thread_, uint64_t{5});
  Value* row = b.CreateAdd(b.CreateMul(warp, b.getInt32(warpRows)), b.CreateLShr(lane, uint64_t{2}));
  Value* own =
      b.CreateAdd(b.CreateMul(row, b.getInt32(line)), b.CreateShl(b.CreateAnd(lane, uint64_t{3}), uint64_t{1}));
  const auto at = [&](Value* element) { return b.CreateGEP(held, shared_, element); };
  for (unsigned s = 0; s < sums_.size(); s += 2) {
    Value* pair = llvm::PoisonValue::get(llvm::FixedVectorType::get(held, 2));
    for (unsigned part = 0; part < 2; ++part)
      pair = b.CreateInsertElement(pair, b.CreateLoad(held, sums_[s + part]), part);
    const unsigned further = s / 2 % 2 * 8 * line + s / 4 * 8;
    b.CreateAlignedStore(pair, at(b.CreateAdd(own, b.getInt32(further))), llvm::Align(8));
  }
  emitBarrier(b);
  const int64_t elements = int64_t{map_.rows.tile} * map_.columns.tile;
  e.forRange(b.CreateZExt(thread_, b.getInt64Ty()), e.int64(elements), map_.grid.blockThreads, [&](Value* element) {
    Value *column = b.CreateURem(element, e.int64(map_.columns.tile)),
          *tileRow = b.CreateUDiv(element, e.int64(map_.columns.tile));
    Value* sum = b.CreateLoad(held, at(b.CreateAdd(b.CreateMul(tileRow, e.int64(line)), column)));
    e.finishSum(map_, b.CreateAdd(factors_[0].first, tileRow), b.CreateAdd(factors_[1].first, column), {sum});
  });
}

// Before piece t is multiplied, all have waited for the products of piece t - 2, in whose place piece t + 2 comes.
void WarpgroupEmission::emit(Value* tile) {
  thread_ = emitThreadNumber(b, map_.grid.blockThreads);
  llvm::GlobalVariable* shared = dynamicSharedMemory(e.module_);
  shared->setAlignment(std::max(shared->getAlign().valueOrOne(), llvm::Align(kPatternBytes)));
  shared_ = shared;
  const auto digit = [&](int64_t size) {
    Value* out = b.CreateURem(tile, e.int64(size));
    tile = b.CreateUDiv(tile, e.int64(size));
    return out;
  };
  const int64_t stripe = map_.rows.tiles() % kStripe == 0 ? kStripe : 1;
  Value *inStripe = digit(stripe), *column = digit(map_.columns.tiles());
  Value* row = b.CreateAdd(b.CreateMul(digit(map_.rows.tiles() / stripe), e.int64(stripe)), inStripe);
  factors_.push_back({map_.rows, 0, b.CreateMul(row, e.int64(map_.rows.tile))});
  factors_.push_back({map_.columns, bytesOf(map_.rows), b.CreateMul(column, e.int64(map_.columns.tile))});
  e.setCounters(map_.batch, tile);
  const auto newSum = [&] { return e.makeSlot(false, {llvm::ConstantFP::get(b.getFloatTy(), 0)}).re; };
  for (unsigned s = 0; s < sumsOfThread(map_); ++s) {
    sums_.push_back(newSum());
    if (addsPieces()) totals_.push_back(newSum());
  }
  const auto fillPiece = [&](Value* number, Value* depth) {
    for (const Factor& factor : factors_) fill(factor, pieceOf(number), depth);
  };
  for (unsigned number = 0; number < kAhead; ++number) {
    const int64_t depth = int64_t{number} * map_.tileDepth;
    if (depth < map_.depthSize) fillPiece(b.getInt32(number), e.int64(depth));
    emitCommitCopies(b);
  }
  e.forRange(e.int64(0), e.int64(map_.depthSize), map_.tileDepth, [&](Value* depth) {
    Value* number = b.CreateTrunc(b.CreateUDiv(depth, e.int64(map_.tileDepth)), b.getInt32Ty());
    emitWaitForCopies(b, kAhead - 1);
    emitFenceForProducts(b);
    emitBarrier(b);
    multiply(pieceOf(number));
    Value* further = b.CreateAdd(depth, e.int64(int64_t{kAhead} * map_.tileDepth));
    emitIf(b, b.CreateICmpULT(further, e.int64(map_.depthSize)),
           [&] { fillPiece(b.CreateAdd(number, b.getInt32(kAhead)), further); });
    emitCommitCopies(b);
    if (addsPieces())
      addPiece();
    else
      emitText(b, "wgmma.wait_group.sync.aligned 1;");
  });
  if (addsPieces())
    sums_ = totals_;
  else
    changeSums(kWaitForProducts, {});
  emitBarrier(b);
  finish();
}

}  // namespace tessera::codegen
