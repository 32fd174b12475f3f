// See cublas_lt.h.
#include "backends/cuda/libraries/cublas_lt.h"

#include <optional>

#include <fmt/format.h>

namespace tessera::cuda {

namespace {

// Numbers of the library's header.
enum Type {
  kF32 = 0,
  kF64 = 1,
  kF16 = 2,
  kS8 = 3,
  kC64 = 4,
  kC128 = 5,
  kS32 = 10,
  kBF16 = 14,
  kF8E4M3 = 28,
  kF8E5M2 = 29
};
enum Compute { kCompute32F = 68, kCompute64F = 70, kCompute32I = 72, kComputeTf32 = 77 };
enum Attribute {
  kTransposeA = 3,
  kTransposeB = 4,
  kEpilogue = 7,
  kBiasPointer = 8,
  kBatchCount = 5,
  kBatchStride = 6,
  kMostWorkspace = 1
};
enum Epilogue { kPlain = 1, kRelu = 2, kBias = 4, kGelu = 32 };  // a bias is added to the number of a function
constexpr size_t kMostWorkspaceBytes = size_t{32} << 20;

std::optional<int> typeOf(ElementType type) {
  switch (type) {
    case ElementType::F32: return kF32;
    case ElementType::F64: return kF64;
    case ElementType::F16: return kF16;
    case ElementType::BF16: return kBF16;
    case ElementType::S8: return kS8;
    case ElementType::S32: return kS32;
    case ElementType::C64: return kC64;
    case ElementType::C128: return kC128;
    case ElementType::F8E4M3FN: return kF8E4M3;
    case ElementType::F8E5M2: return kF8E5M2;
    default: return std::nullopt;
  }
}

struct Arithmetic {
  int compute, scale;
};
std::optional<Arithmetic> arithmeticOf(const LibraryCall& call) {
  switch (call.in) {
    case ElementType::F32: return Arithmetic{call.allowsTf32 ? kComputeTf32 : kCompute32F, kF32};
    case ElementType::F64: return Arithmetic{kCompute64F, kF64};
    case ElementType::C64: return Arithmetic{kCompute32F, kC64};
    case ElementType::C128: return Arithmetic{kCompute64F, kC128};
    case ElementType::S8: return Arithmetic{kCompute32I, kS32};
    default: return typeOf(call.in) ? std::optional(Arithmetic{kCompute32F, kF32}) : std::nullopt;
  }
}

Status check(int status, const char* doing) {
  if (status == 0) return {};
  return fail(ErrorKind::Runtime, fmt::format("cuBLASLt: {}, {}", CublasLt::nameOf(status), doing));
}

int epilogueOf(const LibraryCall& call) {
  const int function = call.ending == ProductEnding::Relu ? kRelu : call.ending == ProductEnding::Gelu ? kGelu : 0;
  return call.hasBias ? function | kBias : function ? function : kPlain;
}

// The product's scale and zero, of the type in which results are scaled.
struct Scalars {
  Scalars(int type, double scale) {
    if (type == kF64 || type == kC128)
      one.f64[0] = scale;
    else if (type == kS32)
      one.s32 = static_cast<int32_t>(scale);
    else
      one.f32[0] = static_cast<float>(scale);
  }
  union Number {
    double f64[2] = {0, 0};
    float f32[2];
    int32_t s32;
  } one, zero;
};

}  // namespace

std::string CublasLt::nameOf(int status) {
  switch (status) {
    case 1: return "CUBLAS_STATUS_NOT_INITIALIZED";
    case 3: return "CUBLAS_STATUS_ALLOC_FAILED";
    case 7: return "CUBLAS_STATUS_INVALID_VALUE";
    case 8: return "CUBLAS_STATUS_ARCH_MISMATCH";
    case 13: return "CUBLAS_STATUS_EXECUTION_FAILED";
    case 14: return "CUBLAS_STATUS_INTERNAL_ERROR";
    case 15: return "CUBLAS_STATUS_NOT_SUPPORTED";
    default: return fmt::format("status {}", status);
  }
}

Result<const CublasLt*> CublasLt::get() { return openedOnce<CublasLt>(); }

Status CublasLt::open() {
  TESSERA_ASSIGN_OR_RETURN(void* file,
                           openLibraryFile("cuBLASLt", {"libcublasLt.so.13", "libcublasLt.so.12"}, {"cublas"}));
#define TESSERA_LIBRARY_FUNCTION(symbol, name, parameters) TESSERA_TRY(findFunction(file, "cuBLASLt", #symbol, name));
#include "backends/cuda/libraries/cublas_lt.inc"
#undef TESSERA_LIBRARY_FUNCTION
  const auto versionOf = reinterpret_cast<size_t (*)()>(symbolOf(file, "cublasLtGetVersion"));
  const size_t version = versionOf ? versionOf() : 0;  // 130100: 13.1
  constexpr size_t kOldest = 120000, kMajor = 10000, kMinor = 100;
  if (version < kOldest) return failUnsupported(fmt::format("no cuBLASLt: version {} is older than 12", version));
  version_ = fmt::format("{}.{}", version / kMajor, version % kMajor / kMinor);
  return {};
}

CublasLtHandle::~CublasLtHandle() {
  if (handle_) (void)library_->destroy(handle_);
}

Status CublasLtHandle::open(const CublasLt& library) {
  library_ = &library;
  return check(library.create(&handle_), "beginning");
}

// The library's descriptions of a product, given back with it.
struct CublasLtHandle::Product {
  explicit Product(const CublasLt& lt) : lt(lt) {}
  ~Product() {
    if (description) (void)lt.forget(description);
    for (void* layout : {first, second, result})
      if (layout) (void)lt.forgetMatrix(layout);
    if (preference) (void)lt.forgetPreference(preference);
  }
  Product(const Product&) = delete;
  Product& operator=(const Product&) = delete;

  Status describe(const LibraryCall& call) {
    const auto arithmetic = arithmeticOf(call);
    const auto in = typeOf(call.in), right = typeOf(call.right), out = typeOf(call.out);
    if (!arithmetic || !in || !right || !out) return failUnsupported("cuBLASLt has no products of this type");
    if (byteWidth(call.in) == 1 && call.hasBias && call.out == ElementType::F32)
      return failUnsupported("behind a product of bytes cuBLASLt takes no bias of f32");
    scale = arithmetic->scale;
    TESSERA_TRY(check(lt.describe(&description, arithmetic->compute, arithmetic->scale), "describing a product"));
    // Column-major, the first factor is bᵀ (n by k), the second aᵀ (k by m).
    const int firstTransposed = call.bTransposed, secondTransposed = call.aTransposed;
    TESSERA_TRY(
        check(lt.set(description, kTransposeA, &firstTransposed, sizeof firstTransposed), "describing a product"));
    TESSERA_TRY(
        check(lt.set(description, kTransposeB, &secondTransposed, sizeof secondTransposed), "describing a product"));
    const int epilogue = epilogueOf(call);
    if (epilogue != kPlain)
      TESSERA_TRY(check(lt.set(description, kEpilogue, &epilogue, sizeof epilogue), "describing a product's end"));
    TESSERA_TRY(
        matrix(first, *right, call.bTransposed ? call.k : call.n, call.bTransposed ? call.n : call.k, call.batch));
    TESSERA_TRY(
        matrix(second, *in, call.aTransposed ? call.m : call.k, call.aTransposed ? call.k : call.m, call.batch));
    return matrix(result, *out, call.n, call.m, call.batch);
  }

  Status takeBias(DeviceAddress address) {
    const void* at = pointer(address);
    return check(lt.set(description, kBiasPointer, &at, sizeof at), "describing a bias");
  }

  Status find(void* handle, size_t mostWorkspace) {
    TESSERA_TRY(check(lt.prefer(&preference), "asking for an algorithm"));
    TESSERA_TRY(check(lt.setPreference(preference, kMostWorkspace, &mostWorkspace, sizeof mostWorkspace),
                      "asking for an algorithm"));
    int count = 0;
    const int status = lt.find(handle, description, first, second, result, result, preference, 1, &heuristic, &count);
    if (status != 0 || count == 0 || heuristic.state != 0)
      return failUnsupported(fmt::format("cuBLASLt has no algorithm for it ({})", CublasLt::nameOf(status)));
    return {};
  }

  const CublasLt& lt;
  void *description = nullptr, *first = nullptr, *second = nullptr, *result = nullptr, *preference = nullptr;
  CublasLt::Heuristic heuristic = {};
  int scale = 0;

 private:
  Status matrix(void*& layout, int type, int64_t rows, int64_t columns, int64_t batch) {
    TESSERA_TRY(
        check(lt.describeMatrix(&layout, type, static_cast<uint64_t>(rows), static_cast<uint64_t>(columns), rows),
              "describing a matrix"));
    const auto count = static_cast<int32_t>(batch);
    const int64_t stride = rows * columns;
    TESSERA_TRY(check(lt.setMatrix(layout, kBatchCount, &count, sizeof count), "describing a matrix"));
    return check(lt.setMatrix(layout, kBatchStride, &stride, sizeof stride), "describing a matrix");
  }
};

Status CublasLtHandle::choose(LibraryCall& call) const {
  if (call.batch > INT32_MAX) return failUnsupported("too many products for cuBLASLt");
  Product product(*library_);
  TESSERA_TRY(product.describe(call));
  TESSERA_TRY(product.find(handle_, kMostWorkspaceBytes));
  call.workspaceBytes = static_cast<int64_t>(product.heuristic.workspaceBytes);
  return {};
}

Status CublasLtHandle::run(const LibraryCall& call, std::span<const DeviceAddress> factors, DeviceAddress d,
                           DeviceAddress workspace, void* stream) const {
  const DeviceAddress a = factors[0], b = factors[1];
  Product product(*library_);
  TESSERA_TRY(product.describe(call));
  if (call.hasBias) TESSERA_TRY(product.takeBias(factors[2]));
  TESSERA_TRY(product.find(handle_, static_cast<size_t>(call.workspaceBytes)));
  const Scalars scalars(product.scale, call.scale);
  return check(library_->multiply(handle_, product.description, &scalars.one, pointer(b), product.first, pointer(a),
                                  product.second, &scalars.zero, pointer(d), product.result, pointer(d), product.result,
                                  &product.heuristic.algorithm, pointer(workspace),
                                  static_cast<size_t>(call.workspaceBytes), stream),
               "multiplying");
}

}  // namespace tessera::cuda
