// wgmma: products of matrices by four warps, whose factors lie in shared memory as descriptors say; the left one may
// lie in registers. What is read is taken at once; the sums are there when their group has been waited for. Until then
// their registers hold NaN, and a write to what is read is a race.
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstring>

#include "backends/cuda/simulated/decode/instruction_table.h"
#include "backends/cuda/simulated/decode/lanes.h"
#include "backends/cuda/simulated/decode/matrix_elements.h"
#include "backends/cuda/simulated/decode/memory_modifiers.h"
#include "backends/cuda/simulated/machine/access.h"
#include "backends/cuda/simulated/machine/block.h"

namespace tessera::cuda::simulated {

namespace {

constexpr int kWarpRows = 16, kMostColumns = 256, kDeepest = 32, kChunkBytes = 16;
constexpr uint32_t kPoison = 0x7fffdead;  // of registers whose sums are not there yet: NaN as f32

enum : uint8_t { kLeftInRegisters = 1, kLeftNegated = 2, kRightNegated = 4, kSaturates = 8 };
enum : uint8_t { kLeftAcross = 1, kRightAcross = 2 };  // lines go along rows or columns, not along the depth

// Packed into Instruction::offset. Beside it: list: rows of the sums; b: row of the left descriptor, or the list of the
// left registers; c: row of the right descriptor; d: the predicate of whether sums are added to.
struct WarpgroupProduct {
  uint16_t columns = 0;
  uint8_t depth = 0;
  Element left = Element::F16, right = Element::F16;
  uint8_t flags = 0, across = 0, unused = 0;
};
static_assert(sizeof(WarpgroupProduct) == 8);

// Where a matrix lies: "Matrix Descriptor Format" and "Strides" in the PTX ISA, wgmma.
struct MatrixDescriptor {
  uint64_t begin = 0, leading = 0, stride = 0;  // bytes
  unsigned lineBytes = 16;                      // of a pattern of eight lines; their chunks are permuted from 32 on

  // False: a base offset, which is not supported.
  bool read(uint64_t bits) {
    constexpr unsigned kLineBytes[] = {16, 128, 64, 32};
    begin = (bits & 0x3fff) << 4;
    leading = (bits >> 16 & 0x3fff) << 4;
    stride = (bits >> 32 & 0x3fff) << 4;
    lineBytes = kLineBytes[bits >> 62];
    return (bits >> 49 & 7) == 0;
  }

  // Chunk c of 16 bytes of a row (or column) whose line goes along the depth.
  uint64_t alongDepth(unsigned row, unsigned c) const {
    const uint64_t chunk = lineBytes == kChunkBytes ? c * leading : uint64_t{c} * kChunkBytes;
    return permuted(begin + uint64_t{row % 8} * lineBytes + row / 8 * stride + chunk);
  }
  // Chunk c of 16 bytes of a line of rows (or columns) at a depth.
  uint64_t across(unsigned depth, unsigned c) const {
    if (lineBytes == kChunkBytes) return begin + c * stride + uint64_t{depth % 8} * kChunkBytes + depth / 8 * leading;
    const unsigned chunks = lineBytes / kChunkBytes;
    return permuted(begin + uint64_t{c % chunks} * kChunkBytes + c / chunks * leading +
                    uint64_t{depth % 8} * lineBytes + depth / 8 * stride);
  }

 private:
  uint64_t permuted(uint64_t address) const { return address ^ ((address >> 7 & (lineBytes / kChunkBytes - 1)) << 4); }
};

template <size_t kRows>
using Factor = std::array<std::array<double, kDeepest>, kRows>;

void refuse(Warp& warp, const Instruction& i, const std::string& what) {
  warp.block().fail(fmt::format("CUDA_ERROR_ILLEGAL_INSTRUCTION: {}: {}", placeOf(warp.kernel(), i.site), what));
}

// Reads rows first … of a matrix in shared memory, or its columns.
class FactorReader {
 public:
  FactorReader(Warp& warp, const Instruction& i, Element element, bool isAcross)
      : warp_(warp), i_(i), element_(element), isAcross_(isAcross) {}

  template <size_t kRows>
  void read(uint32_t descriptorRow, unsigned first, unsigned rows, unsigned depth, Factor<kRows>& out) {
    const uint64_t* bits = warp_.row<uint64_t>(descriptorRow);
    if (!std::all_of(bits, bits + kLanes, [&](uint64_t each) { return each == bits[0]; }))
      return refuse(warp_, i_, "the lanes of a warp have different descriptors");
    MatrixDescriptor place;
    if (!place.read(bits[0])) return refuse(warp_, i_, "a base offset is not supported");
    const unsigned perChunk = kChunkBytes * 8 / static_cast<unsigned>(bitsOf(element_));
    const unsigned chunks = (isAcross_ ? rows : depth) / perChunk, lines = isAcross_ ? depth : rows;
    for (unsigned at = 0; at < lines * chunks; at += kLanes) {
      LaneAddresses addresses{};
      const unsigned count = std::min<unsigned>(kLanes, lines * chunks - at);
      for (unsigned lane = 0; lane < count; ++lane) {
        const unsigned line = (at + lane) / chunks, chunk = (at + lane) % chunks;
        addresses[lane] =
            isAcross_ ? place.across(line, first / perChunk + chunk) : place.alongDepth(first + line, chunk);
      }
      const LanePointers pointers = take(addresses, count);
      for (unsigned lane = 0; lane < count; ++lane)
        for (unsigned e = 0; e < perChunk; ++e) {
          const unsigned line = (at + lane) / chunks, along = (at + lane) % chunks * perChunk + e;
          (isAcross_ ? out[along][line] : out[line][along]) = valueAt(pointers.at[lane], e);
        }
    }
  }

 private:
  LanePointers take(const LaneAddresses& addresses, unsigned count) {
    const LaneMask lanes = count == kLanes ? kAllLanes : (LaneMask{1} << count) - 1;
    LanePointers pointers{};
    resolveAt(warp_, i_, lanes, Access::Product, Space::Shared, kChunkBytes, addresses, pointers);
    for (unsigned lane = 0; lane < count; ++lane)
      if (pointers.at[lane]) warp_.products.reads.push_back({warp_.products.group, addresses[lane]});
    return pointers;
  }

  double valueAt(const std::byte* chunk, unsigned e) const {
    if (!chunk) return 0;
    uint32_t bits = 0;
    const auto bytes = static_cast<unsigned>(bitsOf(element_)) / 8;
    std::memcpy(&bits, chunk + e * bytes, bytes);
    return valueOf(element_, bits);
  }

  Warp& warp_;
  const Instruction& i_;
  const Element element_;
  const bool isAcross_;
};

// As a left factor of mma lies.
void readRegisters(Warp& warp, const uint32_t* rows, const WarpgroupProduct& p, Factor<kWarpRows>& out) {
  const int perRegister = elementsInRegister(p.left);
  for (int r = 0; r < 4; ++r)
    for (int lane = 0; lane < kLanes; ++lane)
      for (int e = 0; e < perRegister; ++e)
        out[static_cast<size_t>(lane / 4 + 8 * (r % 2))]
           [static_cast<size_t>((r / 2 * 4 + lane % 4) * perRegister + e)] =
               valueOf(p.left, warp.row<uint32_t>(rows[r])[lane] >> (e * bitsOf(p.left)));
}

void complainOfRegisters(Warp& warp, uint32_t site, int lane, const std::string& what) {
  Block& block = warp.block();
  block.findings().reports.add(Complaint::RegisterRace, site, block.number(),
                               fmt::format("{} {}", block.nameOfThread(warp.thread(lane)), what));
}

PendingSums* pendingSums(Warp& warp, const Instruction& i) {
  const auto found = std::ranges::find_if(
      warp.products.sums, [&](const PendingSums& each) { return each.rows[0] == warp.kernel().lists[i.list]; });
  return found == warp.products.sums.end() ? nullptr : &*found;
}

double sumOf(uint32_t bits, bool isWhole) {
  return isWhole ? static_cast<double>(static_cast<int32_t>(bits)) : std::bit_cast<float>(bits);
}

void multiplyByWarpgroup(Warp& warp, const Instruction& i, LaneMask) {
  const auto p = std::bit_cast<WarpgroupProduct>(i.offset);
  static thread_local Factor<kWarpRows> left;
  static thread_local Factor<kMostColumns> right;
  if (p.flags & kLeftInRegisters)
    readRegisters(warp, &warp.kernel().lists[i.b], p, left);
  else
    FactorReader(warp, i, p.left, p.across & kLeftAcross)
        .read(i.b, warp.number() % 4 * kWarpRows, kWarpRows, p.depth, left);
  FactorReader(warp, i, p.right, p.across & kRightAcross).read(i.c, 0, p.columns, p.depth, right);

  const bool isWhole = isInteger(p.left), adds = warp.predicate(i.d) & 1;
  const double sign = (p.flags & kLeftNegated ? -1 : 1) * (p.flags & kRightNegated ? -1 : 1);
  PendingSums* sums = pendingSums(warp, i);
  if (!sums) {
    if (!warp.products.isFenced)
      complainOfRegisters(warp, i.site, 0, "begins a product without wgmma.fence since the last wgmma.wait_group");
    const uint32_t* rows = &warp.kernel().lists[i.list];
    sums = &warp.products.sums.emplace_back();
    sums->rows.assign(rows, rows + p.columns / 2);
    for (const uint32_t row : sums->rows) {
      auto& values = sums->values.emplace_back();
      std::copy_n(warp.row<uint32_t>(row), kLanes, values.begin());
      std::fill_n(warp.row<uint32_t>(row), kLanes, kPoison);
    }
  }
  sums->group = warp.products.group;
  sums->site = i.site;
  for (size_t index = 0; index < sums->rows.size(); ++index)
    for (size_t lane = 0; lane < kLanes; ++lane) {
      const size_t row = lane / 4 + index / 2 % 2 * 8, column = index / 4 * 8 + lane % 4 * 2 + index % 2;
      double sum = 0;
      for (size_t k = 0; k < p.depth; ++k) sum += left[row][k] * right[column][k];  // products are exact
      sum *= sign;
      uint32_t& value = sums->values[index][lane];
      if (adds) sum += sumOf(value, isWhole);
      value = isWhole ? integerResult(sum, p.flags & kSaturates) : std::bit_cast<uint32_t>(static_cast<float>(sum));
    }
}

// The sums come to their registers, which nobody may have touched.
void finish(Warp& warp, const PendingSums& sums) {
  for (size_t index = 0; index < sums.rows.size(); ++index) {
    uint32_t* row = warp.row<uint32_t>(sums.rows[index]);
    for (int lane = 0; lane < kLanes; ++lane)
      if (row[lane] != kPoison)
        complainOfRegisters(warp, sums.site, lane, "changes a register of a product before wgmma.wait_group");
    std::copy(sums.values[index].begin(), sums.values[index].end(), row);
  }
}

void waitForProducts(Warp& warp, const Instruction& i, LaneMask) {
  PendingProducts& products = warp.products;
  const auto isDone = [&](uint32_t group) { return int64_t{group} + i.offset < int64_t{products.group}; };
  std::erase_if(products.sums, [&](const PendingSums& sums) {
    if (isDone(sums.group)) finish(warp, sums);
    return isDone(sums.group);
  });
  std::erase_if(products.reads, [&](const PendingRead& read) {
    if (isDone(read.group)) warp.block().shared().endProduct(read.address, kChunkBytes);
    return isDone(read.group);
  });
  products.isFenced = false;
}

// --- decoding

Instruction& emitTogether(Decoder& decoder, Handler handler) {
  const uint32_t members = decoder.constant(kAllLanes, false);
  Instruction& i = decoder.emit(handler);
  i.control = Control::Converge;
  i.a = members;
  return i;
}

// 128 of m64n128k16, of this depth; 0: it is none.
unsigned columnsOf(std::string_view shape, int depth) {
  const std::string behind = fmt::format("k{}", depth);
  constexpr std::string_view kBefore = "m64n";
  if (!shape.starts_with(kBefore) || !shape.ends_with(behind)) return 0;
  shape.remove_prefix(kBefore.size());
  shape.remove_suffix(behind.size());
  unsigned columns = 0;
  const auto [end, error] = std::from_chars(shape.data(), shape.data() + shape.size(), columns);
  const bool isNumber = error == std::errc() && end == shape.data() + shape.size();
  return isNumber && columns % 8 == 0 && columns <= kMostColumns ? columns : 0;
}

bool areFactors(Element left, Element right) {
  const auto isByte = [](Element e) { return e == Element::E4M3 || e == Element::E5M2; };
  if (isInteger(left) || isByte(left)) return isInteger(left) ? isInteger(right) : isByte(right);
  return left == right && left != Element::F64;
}

std::optional<int64_t> numberAt(Decoder& decoder, size_t index, std::initializer_list<int64_t> allowed) {
  const Operand& operand = decoder.operand(index);
  const auto found = static_cast<int64_t>(operand.bits);
  if (operand.kind == Operand::Kind::Integer && std::ranges::find(allowed, found) != allowed.end()) return found;
  decoder.fail("an operand of the product is no number that it takes");
  return std::nullopt;
}

// The numbers behind the predicate: signs of both factors, then which of them lie across (16 bits alone).
void readNumbers(Decoder& decoder, WarpgroupProduct& p) {
  if (isInteger(p.left)) return void(expectOperands(decoder, 4, 4));
  const bool isInRegisters = p.flags & kLeftInRegisters, is16Bits = bitsOf(p.left) == 16;
  const size_t count = 6 + (is16Bits ? (isInRegisters ? 1 : 2) : 0);
  if (!expectOperands(decoder, count, count)) return;
  if (numberAt(decoder, 4, {1, -1}) == -1) p.flags |= kLeftNegated;
  if (numberAt(decoder, 5, {1, -1}) == -1) p.flags |= kRightNegated;
  if (is16Bits && !isInRegisters && numberAt(decoder, 6, {0, 1}) == 1) p.across |= kLeftAcross;
  if (is16Bits && numberAt(decoder, count - 1, {0, 1}) == 1) p.across |= kRightAcross;
}

void decodeProduct(Decoder& decoder) {
  const auto unknown = [&] { decoder.failUnknown("the product " + std::string(decoder.statement().opcode)); };
  WarpgroupProduct p;
  std::string_view shape;
  decoder.takeWhere([&](std::string_view m) { return m.starts_with("m64n") && (shape = m, true); });
  if (decoder.take("satfinite")) p.flags |= kSaturates;
  const auto types = takeTypeWords(decoder);
  const ElementName* left = types.size() == 3 ? elementNamed(types[1]) : nullptr;
  const ElementName* right = types.size() == 3 ? elementNamed(types[2]) : nullptr;
  if (!left || !right || !areFactors(left->element, right->element)) return unknown();
  p.left = left->element, p.right = right->element;
  p.depth = static_cast<uint8_t>(256 / bitsOf(p.left));
  p.columns = static_cast<uint16_t>(columnsOf(shape, p.depth));
  if (p.columns == 0 || types[0] != (isInteger(p.left) ? "s32" : "f32")) return unknown();
  if (decoder.operand(1).kind == Operand::Kind::Vector) p.flags |= kLeftInRegisters;
  readNumbers(decoder, p);
  const Type sum = isInteger(p.left) ? Type::S32 : Type::F32;
  const uint32_t sums = decoder.destinationList(decoder.operand(0), sum, p.columns / 2u);
  const uint32_t a =
      p.flags & kLeftInRegisters ? decoder.sourceList(decoder.operand(1), Type::B32, 4) : decoder.source(1, Type::B64);
  const uint32_t b = decoder.source(2, Type::B64), adds = decoder.predicate(decoder.operand(3));
  Instruction& i = emitTogether(decoder, multiplyByWarpgroup);
  i.list = sums, i.b = a, i.c = b, i.d = adds;
  i.offset = std::bit_cast<int64_t>(p);
  i.bytes = kChunkBytes;
  i.space = Space::Shared;
  noteAccess(decoder, i, false);
}

void decodeWgmma(Decoder& decoder) {
  if (decoder.target() != "sm_90a")
    return decoder.fail("wgmma is of one architecture alone", "sm_90a", std::string(decoder.target()));
  decoder.ignore({"sync", "aligned"});
  if (decoder.take("mma_async")) return decodeProduct(decoder);
  if (decoder.take("fence"))
    return void(emitTogether(decoder, [](Warp& warp, const Instruction&, LaneMask) { warp.products.isFenced = true; }));
  if (decoder.take("commit_group"))
    return void(emitTogether(decoder, [](Warp& warp, const Instruction&, LaneMask) { ++warp.products.group; }));
  if (!decoder.take("wait_group")) return decoder.failUnknown(std::string(decoder.statement().opcode));
  if (!expectOperands(decoder, 1, 1)) return;
  if (decoder.operand(0).kind != Operand::Kind::Integer) return decoder.fail("the number of groups is a number");
  emitTogether(decoder, waitForProducts).offset = static_cast<int64_t>(decoder.operand(0).bits & 0xffff);
}

}  // namespace

void addWarpgroupInstructions(InstructionTable& table) { table["wgmma"] = decodeWgmma; }

}  // namespace tessera::cuda::simulated
