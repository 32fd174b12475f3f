// See cusolver.h.
#include "backends/cuda/libraries/cusolver.h"

#include <algorithm>
#include <optional>
#include <vector>

#include <fmt/format.h>

namespace tessera::cuda {

namespace {

// Numbers of the library's header and of cuBLAS's.
enum Type { kF32 = 0, kF64 = 1, kC64 = 4, kC128 = 5 };
enum Triangle { kLower = 0, kUpper = 1 };
enum Side { kLeft = 0, kRight = 1 };
enum Operation { kPlain = 0, kTransposed = 1, kAdjoint = 2 };
enum Job { kNoVectors = 0, kVectors = 1 };

struct TypeNumbers {
  int own, real;
};
std::optional<TypeNumbers> typeOf(ElementType type) {
  switch (type) {
    case ElementType::F32: return TypeNumbers{kF32, kF32};
    case ElementType::F64: return TypeNumbers{kF64, kF64};
    case ElementType::C64: return TypeNumbers{kC64, kF32};
    case ElementType::C128: return TypeNumbers{kC128, kF64};
    default: return std::nullopt;
  }
}

Status check(int status, const char* doing) {
  if (status == 0) return {};
  return fail(ErrorKind::Runtime, fmt::format("cuSOLVER: status {}, {}", status, doing));
}

}  // namespace

Result<const Cusolver*> Cusolver::get() { return openedOnce<Cusolver>(); }

Status Cusolver::open() {
  // Of CUDA 13 and of CUDA 12.
  TESSERA_ASSIGN_OR_RETURN(void* file,
                           openLibraryFile("cuSOLVER", {"libcusolver.so.12", "libcusolver.so.11"}, {"cusolver"}));
#define TESSERA_LIBRARY_FUNCTION(symbol, name, parameters) TESSERA_TRY(findFunction(file, "cuSOLVER", #symbol, name));
#include "backends/cuda/libraries/cusolver.inc"
#undef TESSERA_LIBRARY_FUNCTION
  int version = 0;  // 11703: 11.7
  TESSERA_TRY(check(getVersion(&version), "asking for its version"));
  constexpr int kOldest = 11000, kMajor = 1000, kMinor = 100;
  if (version < kOldest) return failUnsupported(fmt::format("no cuSOLVER: version {} is older than 11", version));
  version_ = fmt::format("{}.{}", version / kMajor, version % kMajor / kMinor);
  return {};
}

CusolverHandle::~CusolverHandle() {
  if (parameters_) (void)library_->destroyParameters(parameters_);
  if (handle_) (void)library_->destroy(handle_);
}

Status CusolverHandle::open(const Cusolver& library) {
  library_ = &library;
  TESSERA_TRY(check(library.create(&handle_), "beginning"));
  return check(library.createParameters(&parameters_), "beginning");
}

// One call in the library's words, matrix by matrix. Without parameters of its own (null) the library uses its
// defaults.
class CusolverHandle::Site {
 public:
  static Result<Site> of(const CusolverHandle& handle, const LibraryCall& call) {
    const auto type = typeOf(call.in);
    if (!type) return failUnsupported(fmt::format("cuSOLVER has no routines for {}", info(call.in).name));
    if (std::max({call.matrix.rows, call.matrix.columns, call.matrix.reflectors}) > INT32_MAX)
      return failUnsupported("too large for cuSOLVER");
    return Site(handle, call, *type);
  }

  // On the device and on the host, for one matrix at a time. Routines without a result `info` write it behind the
  // device's part.
  struct Workspace {
    size_t deviceBytes = 0, hostBytes = 0;
    size_t infoAt() const { return (deviceBytes + sizeof(int) - 1) / sizeof(int) * sizeof(int); }
    size_t allBytes() const { return infoAt() + sizeof(int); }
  };
  Result<Workspace> workspace() const {
    Workspace out;
    int elements = 0;
    TESSERA_TRY(check(measured(out, elements), "asking for memory"));
    if (elements > 0) out.deviceBytes = static_cast<size_t>(elements) * width();
    return out;
  }

  Status run(int64_t item, std::span<const DeviceAddress> operands, std::span<const DeviceAddress> results,
             const Workspace& sizes, DeviceAddress workspace, std::vector<std::byte>& host) const {
    const auto at = [&](DeviceAddress base, int64_t elements, size_t bytes) {
      return pointer(base + static_cast<uint64_t>(item * elements) * bytes);
    };
    const auto infoOf = [&](size_t result) {
      return static_cast<int*>(result < results.size() ? at(results[result], 1, sizeof(int))
                                                       : pointer(workspace + sizes.infoAt()));
    };
    const size_t real = width() / (type_.own == type_.real ? 1 : 2), none = results.size();
    void* const a = at(results[0], m_.rows * m_.columns, width());
    void* const device = pointer(workspace);
    const int64_t k = std::min(m_.rows, m_.columns);
    const int elements = static_cast<int>(sizes.deviceBytes / width());
    const auto done = [](int status) { return check(status, "computing"); };
    switch (m_.routine) {
      case MatrixRoutine::Cholesky:
        return done(lib_.potrf(handle_, parameters_, triangle(), m_.rows, type_.own, a, m_.rows, type_.own, device,
                               sizes.deviceBytes, host.data(), host.size(), infoOf(1)));
      case MatrixRoutine::Lu:
        return done(lib_.getrf(handle_, parameters_, m_.rows, m_.columns, type_.own, a, m_.rows,
                               static_cast<int64_t*>(at(results[1], k, sizeof(int64_t))), type_.own, device,
                               sizes.deviceBytes, host.data(), host.size(), infoOf(2)));
      case MatrixRoutine::Qr:
        return done(lib_.geqrf(handle_, parameters_, m_.rows, m_.columns, type_.own, a, m_.rows, type_.own,
                               at(results[1], k, width()), type_.own, device, sizes.deviceBytes, host.data(),
                               host.size(), infoOf(none)));
      case MatrixRoutine::ReflectorProduct:
        return done(orgqr()(handle_, narrow(m_.rows), narrow(m_.columns), narrow(m_.reflectors), a, narrow(m_.rows),
                            at(operands[0], m_.reflectors, width()), device, elements, infoOf(none)));
      case MatrixRoutine::ReflectorApply:
        return done(ormqr()(handle_, side(), operation(), narrow(m_.rows), narrow(m_.columns), narrow(m_.reflectors),
                            at(operands[0], reflectorRows() * m_.reflectors, width()), narrow(reflectorRows()),
                            at(operands[1], m_.reflectors, width()), a, narrow(m_.rows), device, elements,
                            infoOf(none)));
      case MatrixRoutine::SymmetricEigen:
        return done(lib_.syevd(handle_, parameters_, m_.hasVectors ? kVectors : kNoVectors, triangle(), m_.rows,
                               type_.own, a, m_.rows, type_.real, at(results[1], m_.rows, real), type_.own, device,
                               sizes.deviceBytes, host.data(), host.size(), infoOf(2)));
      case MatrixRoutine::Singular: {
        const int64_t columns = m_.isWhole ? m_.rows : k;
        return done(lib_.gesvd(handle_, parameters_, job(), job(), m_.rows, m_.columns, type_.own, a, m_.rows,
                               type_.real, at(results[1], k, real), type_.own,
                               at(results[2], m_.rows * columns, width()), m_.rows, type_.own,
                               at(results[3], m_.columns * m_.columns, width()), m_.columns, type_.own, device,
                               sizes.deviceBytes, host.data(), host.size(), infoOf(4)));
      }
      case MatrixRoutine::Tridiagonal:
        return done(sytrd()(handle_, triangle(), narrow(m_.rows), a, narrow(m_.rows), at(results[1], m_.rows, real),
                            at(results[2], m_.rows - 1, real), at(results[3], m_.rows - 1, width()), device, elements,
                            infoOf(4)));
      case MatrixRoutine::TriangularSolve: break;
    }
    return failUnsupported("cuSOLVER does not have it");
  }

 private:
  Site(const CusolverHandle& handle, const LibraryCall& call, TypeNumbers type)
      : lib_(*handle.library_),
        handle_(handle.handle_),
        parameters_(handle.parameters_),
        m_(call.matrix),
        element_(call.in),
        type_(type) {}

  int measured(Workspace& out, int& elements) const {
    const int rows = narrow(m_.rows), columns = narrow(m_.columns), reflectors = narrow(m_.reflectors);
    switch (m_.routine) {
      case MatrixRoutine::Cholesky:
        return lib_.potrfBytes(handle_, parameters_, triangle(), m_.rows, type_.own, nullptr, m_.rows, type_.own,
                               &out.deviceBytes, &out.hostBytes);
      case MatrixRoutine::Lu:
        return lib_.getrfBytes(handle_, parameters_, m_.rows, m_.columns, type_.own, nullptr, m_.rows, type_.own,
                               &out.deviceBytes, &out.hostBytes);
      case MatrixRoutine::Qr:
        return lib_.geqrfBytes(handle_, parameters_, m_.rows, m_.columns, type_.own, nullptr, m_.rows, type_.own,
                               nullptr, type_.own, &out.deviceBytes, &out.hostBytes);
      case MatrixRoutine::SymmetricEigen:
        return lib_.syevdBytes(handle_, parameters_, m_.hasVectors ? kVectors : kNoVectors, triangle(), m_.rows,
                               type_.own, nullptr, m_.rows, type_.real, nullptr, type_.own, &out.deviceBytes,
                               &out.hostBytes);
      case MatrixRoutine::Singular:
        return lib_.gesvdBytes(handle_, parameters_, job(), job(), m_.rows, m_.columns, type_.own, nullptr, m_.rows,
                               type_.real, nullptr, type_.own, nullptr, m_.rows, type_.own, nullptr, m_.columns,
                               type_.own, &out.deviceBytes, &out.hostBytes);
      case MatrixRoutine::ReflectorProduct:
        return pick(lib_.sorgqrElements, lib_.dorgqrElements, lib_.corgqrElements, lib_.zorgqrElements)(
            handle_, rows, columns, reflectors, nullptr, rows, nullptr, &elements);
      case MatrixRoutine::ReflectorApply:
        return pick(lib_.sormqrElements, lib_.dormqrElements, lib_.cormqrElements, lib_.zormqrElements)(
            handle_, side(), operation(), rows, columns, reflectors, nullptr, narrow(reflectorRows()), nullptr, nullptr,
            rows, &elements);
      case MatrixRoutine::Tridiagonal:
        return pick(lib_.ssytrdElements, lib_.dsytrdElements, lib_.csytrdElements, lib_.zsytrdElements)(
            handle_, triangle(), rows, nullptr, rows, nullptr, nullptr, nullptr, &elements);
      case MatrixRoutine::TriangularSolve: break;
    }
    constexpr int kNotSupported = 9;
    return kNotSupported;
  }

  template <class Function>
  Function pick(Function f32, Function f64, Function c64, Function c128) const {
    return type_.own == kF32 ? f32 : type_.own == kF64 ? f64 : type_.own == kC64 ? c64 : c128;
  }
  decltype(Cusolver::sorgqr) orgqr() const { return pick(lib_.sorgqr, lib_.dorgqr, lib_.corgqr, lib_.zorgqr); }
  decltype(Cusolver::sormqr) ormqr() const { return pick(lib_.sormqr, lib_.dormqr, lib_.cormqr, lib_.zormqr); }
  decltype(Cusolver::ssytrd) sytrd() const { return pick(lib_.ssytrd, lib_.dsytrd, lib_.csytrd, lib_.zsytrd); }

  static int narrow(int64_t value) { return static_cast<int>(value); }
  size_t width() const { return static_cast<size_t>(byteWidth(element_)); }
  int triangle() const { return m_.isLower ? kLower : kUpper; }
  int side() const { return m_.isLeft ? kLeft : kRight; }
  int operation() const { return !m_.isTransposed ? kPlain : m_.isConjugated ? kAdjoint : kTransposed; }
  int64_t reflectorRows() const { return m_.isLeft ? m_.rows : m_.columns; }
  signed char job() const { return !m_.hasVectors ? 'N' : m_.isWhole ? 'A' : 'S'; }

  const Cusolver& lib_;
  void *handle_, *parameters_;
  MatrixCall m_;
  ElementType element_;
  TypeNumbers type_;
};

Status CusolverHandle::choose(LibraryCall& call) const {
  TESSERA_ASSIGN_OR_RETURN(const Site site, Site::of(*this, call));
  TESSERA_ASSIGN_OR_RETURN(const Site::Workspace workspace, site.workspace());
  call.workspaceBytes = static_cast<int64_t>(workspace.allBytes());
  return {};
}

Status CusolverHandle::run(const LibraryCall& call, std::span<const DeviceAddress> operands,
                           std::span<const DeviceAddress> results, DeviceAddress workspace, void* stream) const {
  TESSERA_ASSIGN_OR_RETURN(const Site site, Site::of(*this, call));
  TESSERA_ASSIGN_OR_RETURN(const Site::Workspace sizes, site.workspace());
  if (static_cast<int64_t>(sizes.allBytes()) > call.workspaceBytes)
    return fail(ErrorKind::Runtime,
                fmt::format("cuSOLVER needs {} bytes, and the plan has {}", sizes.allBytes(), call.workspaceBytes));
  TESSERA_TRY(check(library_->setStream(handle_, stream), "choosing a stream"));
  std::vector<std::byte> host(sizes.hostBytes);
  const auto arrays = results.first(results.size() - 1);  // the last is the workspace
  for (int64_t item = 0; item < call.batch; ++item)
    TESSERA_TRY(site.run(item, operands, arrays, sizes, workspace, host));
  return {};
}

}  // namespace tessera::cuda
