// Tensor cores: mma.sync of f64, tf32, f16, bf16, 8-bit floats and integers; ldmatrix and stmatrix. Products of floats
// are summed in double and rounded once, which is closer than any card.
#include <algorithm>
#include <cmath>

#include "backends/cuda/simulated/decode/instruction_table.h"
#include "backends/cuda/simulated/decode/lanes.h"
#include "backends/cuda/simulated/decode/matrix_elements.h"
#include "backends/cuda/simulated/decode/memory_modifiers.h"
#include "backends/cuda/simulated/decode/numbers.h"
#include "backends/cuda/simulated/machine/access.h"

namespace tessera::cuda::simulated {

namespace {

struct Shape {
  uint8_t m = 0, n = 0, k = 0;
};

// Packed into Instruction::offset of mma.
struct Product {
  Shape shape;
  Element a = Element::F64, b = Element::F64;
  bool isHalfResult = false, saturates = false;
  uint8_t unused = 0;
};
static_assert(sizeof(Product) == 8);

using Matrix = std::array<std::array<double, 32>, 32>;

uint64_t registerBits(Warp& warp, uint32_t row, Element element, int lane) {
  return element == Element::F64 ? warp.row<uint64_t>(row)[lane] : warp.row<uint32_t>(row)[lane];
}

// A fragment: four lanes side by side hold consecutive elements of a row; registers go over the halves of 8 rows first,
// then over chunks of columns. B is the same of its transpose.
void gather(Warp& warp, const uint32_t* rows, int rowCount, int columns, Element element, Matrix& matrix) {
  const int perRegister = elementsInRegister(element), halves = rowCount / 8;
  const int registers = halves * columns / (4 * perRegister);
  for (int r = 0; r < registers; ++r)
    for (int lane = 0; lane < kLanes; ++lane) {
      const uint64_t bits = registerBits(warp, rows[r], element, lane);
      const int row = lane / 4 + 8 * (r % halves), column = (r / halves * 4 + lane % 4) * perRegister;
      for (int j = 0; j < perRegister; ++j) matrix[row][column + j] = valueOf(element, bits >> (j * bitsOf(element)));
    }
}

double dotOf(const Matrix& a, const Matrix& b, int row, int column, int k, double start, bool isDouble) {
  double sum = isDouble ? start : 0;
  if (!isDouble) {
    for (int i = 0; i < k; ++i) sum += a[row][i] * b[column][i];  // products are exact
    return sum + start;
  }
  for (int i = 0; i < k; ++i) sum = std::fma(a[row][i], b[column][i], sum);
  return sum;
}

// One element of C and D: `index` counts a lane's elements.
double readSum(Warp& warp, const uint32_t* rows, const Product& p, int index, int lane) {
  if (p.a == Element::F64) return std::bit_cast<double>(warp.row<uint64_t>(rows[index])[lane]);
  if (p.isHalfResult)
    return toDouble(Half{static_cast<uint16_t>(warp.row<uint32_t>(rows[index / 2])[lane] >> (index % 2 * 16))});
  const uint32_t bits = warp.row<uint32_t>(rows[index])[lane];
  return isInteger(p.a) ? static_cast<double>(static_cast<int32_t>(bits)) : std::bit_cast<float>(bits);
}

void writeSum(Warp& warp, const uint32_t* rows, const Product& p, int index, int lane, double sum) {
  if (p.a == Element::F64) {
    warp.row<uint64_t>(rows[index])[lane] = std::bit_cast<uint64_t>(sum);
  } else if (p.isHalfResult) {
    uint32_t& d = warp.row<uint32_t>(rows[index / 2])[lane];
    const int shift = index % 2 * 16;
    d = (d & ~(0xffffu << shift)) | uint32_t{narrow<Half>(sum).bits} << shift;
  } else {
    const uint32_t bits =
        isInteger(p.a) ? integerResult(sum, p.saturates) : std::bit_cast<uint32_t>(static_cast<float>(sum));
    warp.row<uint32_t>(rows[index])[lane] = bits;
  }
}

// lists: the rows of D, A, B, C, at i.list, i.b, i.c and i.target.
void multiply(Warp& warp, const Instruction& i, LaneMask) {
  const auto p = std::bit_cast<Product>(i.offset);
  const uint32_t* lists = warp.kernel().lists.data();
  Matrix a, b, sums;
  gather(warp, lists + i.b, p.shape.m, p.shape.k, p.a, a);
  gather(warp, lists + i.c, p.shape.n, p.shape.k, p.b, b);
  const int perLane = p.shape.m / 8 * 2;
  auto place = [](int lane, int index) { return std::pair(lane / 4 + index / 2 * 8, lane % 4 * 2 + index % 2); };
  for (int lane = 0; lane < kLanes; ++lane)
    for (int index = 0; index < perLane; ++index) {
      const auto [row, column] = place(lane, index);
      const double start = readSum(warp, lists + i.target, p, index, lane);
      sums[row][column] = dotOf(a, b, row, column, p.shape.k, start, p.a == Element::F64);
    }
  for (int lane = 0; lane < kLanes; ++lane)
    for (int index = 0; index < perLane; ++index) {
      const auto [row, column] = place(lane, index);
      writeSum(warp, lists + i.list, p, index, lane, sums[row][column]);
    }
}

// --- decoding

struct ShapeName {
  std::string_view name;
  Shape shape;
};
constexpr ShapeName kShapes[] = {{"m8n8k4", {8, 8, 4}},   {"m8n8k16", {8, 8, 16}},   {"m16n8k4", {16, 8, 4}},
                                 {"m16n8k8", {16, 8, 8}}, {"m16n8k16", {16, 8, 16}}, {"m16n8k32", {16, 8, 32}}};

// Whether tensor cores have this shape, and lie as `gather` says.
bool isKnown(const Product& p, std::string_view sumType) {
  const int k = p.shape.k, m = p.shape.m;
  switch (p.a) {
    case Element::F64: return sumType == "f64" && p.b == p.a && (m == 8 ? k == 4 : k <= 16);
    case Element::Tf32: return sumType == "f32" && p.b == p.a && m == 16 && k <= 8;
    case Element::F16: return (sumType == "f32" || sumType == "f16") && p.b == p.a && m == 16 && (k == 8 || k == 16);
    case Element::BF16: return sumType == "f32" && p.b == p.a && m == 16 && (k == 8 || k == 16);
    case Element::E4M3:
    case Element::E5M2:
      return (sumType == "f32" || sumType == "f16") && (p.b == Element::E4M3 || p.b == Element::E5M2) && m == 16 &&
             k >= 16;
    default: return sumType == "s32" && isInteger(p.b) && k >= 16;
  }
}

Type registerType(Element element) { return element == Element::F64 ? Type::F64 : Type::B32; }

void emitProduct(Decoder& decoder, const Product& p, std::string_view sumType) {
  const auto registersOf = [](int rows, int k, Element e) {
    return static_cast<size_t>(rows / 8 * k / (4 * elementsInRegister(e)));
  };
  const size_t sums = static_cast<size_t>(p.shape.m) / 8 * 2 / (p.isHalfResult ? 2 : 1);
  const Type sum = sumType == "f64" ? Type::F64 : sumType == "f32" ? Type::F32 : Type::B32;
  const uint32_t a = decoder.sourceList(decoder.operand(1), registerType(p.a), registersOf(p.shape.m, p.shape.k, p.a));
  const uint32_t b = decoder.sourceList(decoder.operand(2), registerType(p.b), registersOf(p.shape.n, p.shape.k, p.b));
  const uint32_t c = decoder.sourceList(decoder.operand(3), sum, sums);
  const uint32_t d = decoder.destinationList(decoder.operand(0), sum, sums);
  const uint32_t members = decoder.constant(kAllLanes, false);
  Instruction& i = decoder.emit(multiply);
  i.control = Control::Converge;
  i.a = members;
  i.list = d, i.b = a, i.c = b, i.target = c;
  i.offset = std::bit_cast<int64_t>(p);
}

void decodeMma(Decoder& decoder) {
  decoder.ignore({"sync", "aligned"});
  const bool isRowColumn = decoder.take("row") && decoder.take("col");
  Product p;
  p.saturates = decoder.take("satfinite");
  for (const ShapeName& name : kShapes)
    if (decoder.take(name.name)) p.shape = name.shape;
  const auto types = takeTypeWords(decoder);
  const ElementName* a = types.size() == 4 ? elementNamed(types[1]) : nullptr;
  const ElementName* b = types.size() == 4 ? elementNamed(types[2]) : nullptr;
  if (!isRowColumn || !p.shape.m || !a || !b || types[0] != types[3])
    return decoder.failUnknown("the product " + std::string(decoder.statement().opcode));
  p.a = a->element, p.b = b->element;
  p.isHalfResult = types[0] == "f16";
  if (!isKnown(p, types[0])) return decoder.failUnknown("the product " + std::string(decoder.statement().opcode));
  if (expectOperands(decoder, 4, 4)) emitProduct(decoder, p, types[0]);
}

// --- ldmatrix and stmatrix: eight lanes give the addresses of a matrix's rows of 16 bytes

constexpr uint8_t kTransposed = 0x40;

void* halfAt(const LanePointers& pointers, int matrix, int row, int column) {
  std::byte* at = pointers.at[static_cast<size_t>(matrix * 8 + row)];
  return at ? at + column * 2 : nullptr;
}

template <bool kStores>
void moveMatrices(Warp& warp, const Instruction& i, LaneMask active) {
  LanePointers pointers{};
  const LaneMask addressing = i.count == 4 ? kAllLanes : (LaneMask{1} << (8 * i.count)) - 1;
  const uint32_t* rows = &warp.kernel().lists[i.list];
  LaneAddresses addresses;
  addressesOf(warp, i, addresses);
  resolveAt(warp, i, addressing & active, kStores ? Access::Write : Access::Read, i.space, 16, addresses, pointers);
  for (int matrix = 0; matrix < i.count; ++matrix)
    for (int lane = 0; lane < kLanes; ++lane) {
      uint32_t& value = warp.row<uint32_t>(rows[matrix])[lane];
      uint16_t halves[2] = {static_cast<uint16_t>(value), static_cast<uint16_t>(value >> 16)};
      for (int j = 0; j < 2; ++j) {
        const int row = lane / 4, column = lane % 4 * 2 + j;
        void* at =
            i.flags & kTransposed ? halfAt(pointers, matrix, column, row) : halfAt(pointers, matrix, row, column);
        if (at && kStores) std::memcpy(at, &halves[j], 2);
        if (!kStores) at ? void(std::memcpy(&halves[j], at, 2)) : void(halves[j] = 0);
      }
      if (!kStores) value = halves[0] | uint32_t{halves[1]} << 16;
    }
}

void decodeMatrixMove(Decoder& decoder, bool stores) {
  decoder.ignore({"sync", "aligned", "b16"});
  const size_t count = decoder.take("x4") ? 4 : decoder.take("x2") ? 2 : decoder.take("x1") ? 1 : 0;
  const bool isTransposed = decoder.take("trans");
  const Space space = decoder.trySpace().value_or(Space::Generic);
  if (!decoder.take("m8n8") || !count) return decoder.failUnknown(std::string(decoder.statement().opcode));
  if (!expectOperands(decoder, 2, 2)) return;
  const uint32_t list = stores ? decoder.sourceList(decoder.operand(1), Type::B32, count)
                               : decoder.destinationList(decoder.operand(0), Type::B32, count);
  const uint32_t members = decoder.constant(kAllLanes, false);
  Instruction& wait = decoder.emit([](Warp&, const Instruction&, LaneMask) {});
  wait.control = Control::Converge;  // all lanes come first, since the next one's `a` is the address
  wait.a = members;
  Instruction& i = decoder.emit(stores ? moveMatrices<true> : moveMatrices<false>);
  i.space = space;
  decoder.address(decoder.operand(stores ? 0 : 1), i);
  i.list = list;
  i.count = static_cast<uint8_t>(count);
  i.bytes = 16;
  i.flags |= isTransposed ? kTransposed : 0;
  noteAccess(decoder, i, false);
}

}  // namespace

void addMatrixInstructions(InstructionTable& table) {
  table["mma"] = decodeMma;
  table["ldmatrix"] = [](Decoder& decoder) { decodeMatrixMove(decoder, false); };
  table["stmatrix"] = [](Decoder& decoder) { decodeMatrixMove(decoder, true); };
}

}  // namespace tessera::cuda::simulated
