// cuBLASLt for tests, see README.md: products of f32, f64, bf16, f16 and f8 by loops, through the fake driver's memory.
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <map>
#include <vector>

#include "tests/cuda/fake/fake_numbers.h"
#include "tests/cuda/fake/fake_settings.h"

namespace {

using tessera::ElementType;

enum Status { kSuccess = 0, kInvalidValue = 7, kExecutionFailed = 13, kNotSupported = 15 };

struct Description {
  int compute, scale;
  std::map<int, int> attributes;
  uint64_t bias = 0;  // address
};
struct Layout {
  int type;
  uint64_t rows, columns;
  int64_t leading;
  int32_t batch = 1;
  int64_t stride = 0;
};
struct Algorithm {
  uint64_t data[8];
};
struct Heuristic {
  Algorithm algorithm;
  size_t workspaceBytes;
  int state;
  float waves;
  int reserved[4];
};

bool typeOf(int number, ElementType& out) {
  switch (number) {
    case 0: return out = ElementType::F32, true;
    case 1: return out = ElementType::F64, true;
    case 2: return out = ElementType::F16, true;
    case 14: return out = ElementType::BF16, true;
    case 28: return out = ElementType::F8E4M3FN, true;
    case 29: return out = ElementType::F8E5M2, true;
    default: return false;
  }
}

using tessera::fake::load;
using tessera::fake::store;

// A matrix on the host; at(row, column) of op(matrix).
struct Matrix {
  Matrix(const Layout& layout, ElementType type)
      : layout(layout), type(type), width(static_cast<size_t>(tessera::byteWidth(type))) {
    const auto batches = static_cast<size_t>(layout.batch);
    bytes.resize(
        ((batches - 1) * static_cast<size_t>(layout.stride) + static_cast<size_t>(layout.leading) * layout.columns) *
        width);
  }
  std::byte* at(int64_t batch, uint64_t row, uint64_t column) {
    return bytes.data() + static_cast<size_t>(batch * layout.stride + static_cast<int64_t>(column) * layout.leading +
                                              static_cast<int64_t>(row)) *
                              width;
  }
  const Layout& layout;
  ElementType type;
  size_t width;
  std::vector<std::byte> bytes;
};

int attributeOf(const Description& description, int attribute) {
  const auto found = description.attributes.find(attribute);
  return found == description.attributes.end() ? 0 : found->second;
}

// Factors of bytes lie along the depth, one is e4m3, and sizes are multiples of 16.
bool areFactors(const Description& description, const Layout& a, ElementType aType, const Layout& b,
                ElementType bType) {
  if (tessera::byteWidth(aType) != 1 && tessera::byteWidth(bType) != 1) return aType == bType;
  const bool areWhole = (a.rows | a.columns | b.rows | b.columns) % 16 == 0;
  return tessera::byteWidth(aType) == tessera::byteWidth(bType) && attributeOf(description, 3) &&
         !attributeOf(description, 4) && areWhole && !(aType == ElementType::F8E5M2 && bType == ElementType::F8E5M2);
}

// What an epilogue makes of a sum; bias: of its row.
double ended(const Description& description, double sum, double bias) {
  const int epilogue = attributeOf(description, 7);
  if (epilogue & 4) sum += bias;
  if (epilogue & 2) return std::max(sum, 0.0);
  return epilogue & 32 ? sum / 2 * (1 + std::tanh(0.7978845608 * (sum + 0.044715 * sum * sum * sum))) : sum;
}

int multiply(const Description& description, double scale, const std::vector<std::byte>& bias, Matrix& a, Matrix& b,
             Matrix& d) {
  const bool aTransposed = attributeOf(description, 3), bTransposed = attributeOf(description, 4);
  const uint64_t depth = aTransposed ? a.layout.rows : a.layout.columns;
  if ((bTransposed ? b.layout.columns : b.layout.rows) != depth ||
      (aTransposed ? a.layout.columns : a.layout.rows) != d.layout.rows ||
      (bTransposed ? b.layout.rows : b.layout.columns) != d.layout.columns)
    return kInvalidValue;
  for (int64_t batch = 0; batch < d.layout.batch; ++batch)
    for (uint64_t column = 0; column < d.layout.columns; ++column)
      for (uint64_t row = 0; row < d.layout.rows; ++row) {
        double sum = 0;
        for (uint64_t k = 0; k < depth; ++k)
          sum += load(a.type, aTransposed ? a.at(batch, k, row) : a.at(batch, row, k)) *
                 load(b.type, bTransposed ? b.at(batch, column, k) : b.at(batch, k, column));
        const double added = bias.empty() ? 0 : load(d.type, bias.data() + row * d.width);
        store(d.type, d.at(batch, row, column), ended(description, scale * sum, added));
      }
  return kSuccess;
}

}  // namespace

#define API extern "C" __attribute__((visibility("default")))

API size_t cublasLtGetVersion() { return static_cast<size_t>(tessera::fake::setting("cublaslt", 130100)); }
API int cublasLtCreate(void** handle) { return *handle = new int, kSuccess; }
API int cublasLtDestroy(void* handle) { return delete static_cast<int*>(handle), kSuccess; }
API int cublasLtMatmulDescCreate(void** out, int compute, int scale) {
  return *out = new Description{compute, scale, {}}, kSuccess;
}
API int cublasLtMatmulDescDestroy(void* d) { return delete static_cast<Description*>(d), kSuccess; }
API int cublasLtMatmulDescSetAttribute(void* d, int attribute, const void* value, size_t bytes) {
  if (attribute == 8 && bytes == 8) return std::memcpy(&static_cast<Description*>(d)->bias, value, bytes), kSuccess;
  if (bytes != sizeof(int)) return kInvalidValue;
  std::memcpy(&static_cast<Description*>(d)->attributes[attribute], value, bytes);
  return kSuccess;
}
API int cublasLtMatrixLayoutCreate(void** out, int type, uint64_t rows, uint64_t columns, int64_t leading) {
  return *out = new Layout{type, rows, columns, leading}, kSuccess;
}
API int cublasLtMatrixLayoutDestroy(void* l) { return delete static_cast<Layout*>(l), kSuccess; }
API int cublasLtMatrixLayoutSetAttribute(void* l, int attribute, const void* value, size_t bytes) {
  auto& layout = *static_cast<Layout*>(l);
  if (attribute == 5 && bytes == 4) return std::memcpy(&layout.batch, value, 4), kSuccess;
  if (attribute == 6 && bytes == 8) return std::memcpy(&layout.stride, value, 8), kSuccess;
  return kInvalidValue;
}
API int cublasLtMatmulPreferenceCreate(void** out) { return *out = new size_t(0), kSuccess; }
API int cublasLtMatmulPreferenceDestroy(void* p) { return delete static_cast<size_t*>(p), kSuccess; }
API int cublasLtMatmulPreferenceSetAttribute(void* p, int attribute, const void* value, size_t bytes) {
  if (attribute != 1 || bytes != 8) return kInvalidValue;
  return std::memcpy(p, value, 8), kSuccess;
}
API int cublasLtMatmulAlgoGetHeuristic(void*, void* description, void* a, void* b, void*, void* d, void* preference,
                                       int wanted, Heuristic* found, int* count) {
  ElementType in, right, out;
  *count = 0;
  const size_t workspace = static_cast<size_t>(tessera::fake::setting("workspace", 256));
  if (wanted < 1 || !typeOf(static_cast<Layout*>(a)->type, in) || !typeOf(static_cast<Layout*>(b)->type, right) ||
      !typeOf(static_cast<Layout*>(d)->type, out) ||
      !areFactors(*static_cast<Description*>(description), *static_cast<Layout*>(a), in, *static_cast<Layout*>(b),
                  right) ||
      *static_cast<size_t*>(preference) < workspace)
    return kNotSupported;
  *found = {};
  found->workspaceBytes = workspace;
  *count = 1;
  return kSuccess;
}
API int cublasLtMatmul(void*, void* description, const void* alpha, const void* a, void* aLayout, const void* b,
                       void* bLayout, const void*, const void*, void*, void* d, void* dLayout, const Algorithm*,
                       void* workspace, size_t workspaceBytes, void* stream) {
  ElementType aType, bType, dType;
  if (!typeOf(static_cast<Layout*>(aLayout)->type, aType) || !typeOf(static_cast<Layout*>(bLayout)->type, bType) ||
      !typeOf(static_cast<Layout*>(dLayout)->type, dType) || (workspaceBytes > 0 && !workspace))
    return kInvalidValue;
  int isCapturing = 0;
  if (cuStreamIsCapturing(stream, &isCapturing) || isCapturing) return kNotSupported;  // it computes at once
  Matrix first(*static_cast<Layout*>(aLayout), aType), second(*static_cast<Layout*>(bLayout), bType),
      result(*static_cast<Layout*>(dLayout), dType);
  const auto address = [](const void* p) { return reinterpret_cast<uint64_t>(p); };
  if (cuMemcpyDtoHAsync_v2(first.bytes.data(), address(a), first.bytes.size(), stream) ||
      cuMemcpyDtoHAsync_v2(second.bytes.data(), address(b), second.bytes.size(), stream) || cuStreamSynchronize(stream))
    return kExecutionFailed;
  const auto& described = *static_cast<Description*>(description);
  std::vector<std::byte> bias;
  if (attributeOf(described, 7) & 4) {
    bias.resize(result.layout.rows * result.width);
    if (!described.bias || cuMemcpyDtoHAsync_v2(bias.data(), described.bias, bias.size(), stream) ||
        cuStreamSynchronize(stream))
      return kExecutionFailed;
  }
  const double scale =
      load(described.scale == 1 ? ElementType::F64 : ElementType::F32, static_cast<const std::byte*>(alpha));
  if (const int status = multiply(described, scale, bias, first, second, result)) return status;
  return cuMemcpyHtoDAsync_v2(address(d), result.bytes.data(), result.bytes.size(), stream) ||
                 cuStreamSynchronize(stream)
             ? kExecutionFailed
             : kSuccess;
}
