// See cublas.h.
#include "backends/cuda/libraries/cublas.h"

#include <fmt/format.h>

namespace tessera::cuda {

namespace {

// Numbers of the library's header.
enum Triangle { kLower = 0, kUpper = 1 };
enum Side { kLeft = 0, kRight = 1 };
enum Operation { kPlain = 0, kTransposed = 1, kAdjoint = 2 };
enum Diagonal { kStored = 0, kUnit = 1 };

Status check(int status, const char* doing) {
  if (status == 0) return {};
  return fail(ErrorKind::Runtime, fmt::format("cuBLAS: status {}, {}", status, doing));
}

decltype(Cublas::strsm) solverOf(const Cublas& library, ElementType type) {
  switch (type) {
    case ElementType::F32: return library.strsm;
    case ElementType::F64: return library.dtrsm;
    case ElementType::C64: return library.ctrsm;
    case ElementType::C128: return library.ztrsm;
    default: return nullptr;
  }
}

// 1 in each type: a complex one behind its real part holds 0.
const void* oneOf(ElementType type) {
  static constexpr float kNarrow[] = {1, 0};
  static constexpr double kWide[] = {1, 0};
  const bool isNarrow = type == ElementType::F32 || type == ElementType::C64;
  return isNarrow ? static_cast<const void*>(kNarrow) : kWide;
}

}  // namespace

Result<const Cublas*> Cublas::get() { return openedOnce<Cublas>(); }

Status Cublas::open() {
  TESSERA_ASSIGN_OR_RETURN(void* file, openLibraryFile("cuBLAS", {"libcublas.so.13", "libcublas.so.12"}, {"cublas"}));
#define TESSERA_LIBRARY_FUNCTION(symbol, name, parameters) TESSERA_TRY(findFunction(file, "cuBLAS", #symbol, name));
#include "backends/cuda/libraries/cublas.inc"
#undef TESSERA_LIBRARY_FUNCTION
  return {};
}

CublasHandle::~CublasHandle() {
  if (handle_) (void)library_->destroy(handle_);
}

Status CublasHandle::open(const Cublas& library) {
  library_ = &library;
  TESSERA_TRY(check(library.create(&handle_), "beginning"));
  int version = 0;  // 130100: 13.1
  constexpr int kMajor = 10000, kMinor = 100;
  TESSERA_TRY(check(library.getVersion(handle_, &version), "asking for its version"));
  version_ = fmt::format("{}.{}", version / kMajor, version % kMajor / kMinor);
  return {};
}

Status CublasHandle::choose(LibraryCall& call) const {
  if (!solverOf(*library_, call.in))
    return failUnsupported(fmt::format("cuBLAS solves no systems of {}", info(call.in).name));
  call.workspaceBytes = 0;
  return {};
}

Status CublasHandle::run(const LibraryCall& call, DeviceAddress a, DeviceAddress b, void* stream) const {
  const MatrixCall& m = call.matrix;
  const auto solve = solverOf(*library_, call.in);
  if (!solve) return failUnsupported("cuBLAS does not have it");
  TESSERA_TRY(check(library_->setStream(handle_, stream), "choosing a stream"));
  const int64_t size = m.isLeft ? m.rows : m.columns, width = byteWidth(call.in);
  const int operation = !m.isTransposed ? kPlain : m.isConjugated ? kAdjoint : kTransposed;
  for (int64_t item = 0; item < call.batch; ++item)
    TESSERA_TRY(check(solve(handle_, m.isLeft ? kLeft : kRight, m.isLower ? kLower : kUpper, operation,
                            m.hasUnitDiagonal ? kUnit : kStored, m.rows, m.columns, oneOf(call.in),
                            pointer(a + static_cast<uint64_t>(item * size * size * width)), size,
                            pointer(b + static_cast<uint64_t>(item * m.rows * m.columns * width)), m.rows),
                      "solving"));
  return {};
}

}  // namespace tessera::cuda
