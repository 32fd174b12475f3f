// See libraries.h.
#include "backends/cuda/libraries/libraries.h"

#include <fmt/format.h>

#include "backends/cuda/libraries/cublas.h"
#include "backends/cuda/libraries/cublas_lt.h"
#include "backends/cuda/libraries/cudnn_attention.h"
#include "backends/cuda/libraries/cufft.h"
#include "backends/cuda/libraries/cusolver.h"

namespace tessera::cuda {

namespace {

class CardLibraries final : public Libraries {
 public:
  explicit CardLibraries(Device& device) : device_(device) {}

  Result<std::string> choose(LibraryCall& call) override {
    TESSERA_TRY(device_.enterContext());
    switch (call.operation) {
      case LibraryOperation::MatrixProduct: {
        TESSERA_TRY(openProducts());
        TESSERA_TRY(products_.choose(call));
        return "cuBLASLt " + lt_->version();
      }
      case LibraryOperation::Fourier: {
        TESSERA_TRY(openTransforms());
        TESSERA_TRY(transforms_.choose(call));
        return "cuFFT " + fft_->version();
      }
      case LibraryOperation::MatrixRoutine:
        if (call.matrix.routine == MatrixRoutine::TriangularSolve) {
          TESSERA_TRY(openSystems());
          TESSERA_TRY(systems_.choose(call));
          return "cuBLAS " + systems_.version();
        }
        TESSERA_TRY(openFactors());
        TESSERA_TRY(factors_.choose(call));
        return "cuSOLVER " + solver_->version();
      case LibraryOperation::Attention:
        TESSERA_TRY(openDnn());
        TESSERA_TRY(attention_.choose(call));
        return "cuDNN " + dnn_->version();
      case LibraryOperation::Convolution:
      case LibraryOperation::ConvolutionInput:
      case LibraryOperation::ConvolutionFilter:
        TESSERA_TRY(openDnn());
        TESSERA_TRY(convolutions_.choose(call));
        return "cuDNN " + dnn_->version();
      case LibraryOperation::None: break;
    }
    return failUnsupported("no library has it");
  }

  Status run(const LibraryCall& call, std::span<const DeviceAddress> operands, std::span<const DeviceAddress> results,
             DeviceAddress workspace, StreamId stream) override {
    TESSERA_TRY(device_.enterContext());
    void* const native = device_.nativeStream(stream);
    switch (call.operation) {
      case LibraryOperation::MatrixProduct:
        TESSERA_TRY(openProducts());
        return products_.run(call, operands, results[0], workspace, native);
      case LibraryOperation::Fourier:
        TESSERA_TRY(openTransforms());
        return transforms_.run(call, operands[0], results[0], workspace, native);
      case LibraryOperation::MatrixRoutine:
        if (call.matrix.routine == MatrixRoutine::TriangularSolve) {
          TESSERA_TRY(openSystems());
          return systems_.run(call, operands[0], results[0], native);
        }
        TESSERA_TRY(openFactors());
        return factors_.run(call, operands, results, workspace, native);
      case LibraryOperation::Attention:
        TESSERA_TRY(openDnn());
        return attention_.run(call, operands, results[0], workspace, native);
      case LibraryOperation::Convolution:
      case LibraryOperation::ConvolutionInput:
      case LibraryOperation::ConvolutionFilter:
        TESSERA_TRY(openDnn());
        return convolutions_.run(call, operands, results[0], workspace, native);
      case LibraryOperation::None: break;
    }
    return fail(ErrorKind::Runtime, "no library has the step's operation");
  }

  std::string versions() const override {
    const auto lt = CublasLt::get();
    const auto fft = Cufft::get();
    const auto dnn = Cudnn::get();
    const auto solver = Cusolver::get();
    return fmt::format("cublasLt {} cufft {} cudnn {} cusolver {} cublas {}", lt ? (*lt)->version() : "",
                       fft ? (*fft)->version() : "", dnn ? (*dnn)->version() : "", solver ? (*solver)->version() : "",
                       Cublas::get().has_value());
  }

 private:
  Status openProducts() {
    if (lt_) return {};
    TESSERA_ASSIGN_OR_RETURN(const CublasLt* library, CublasLt::get());
    TESSERA_TRY(products_.open(*library));
    lt_ = library;
    return {};
  }
  Status openTransforms() {
    if (fft_) return {};
    TESSERA_ASSIGN_OR_RETURN(fft_, Cufft::get());
    transforms_.open(*fft_);
    return {};
  }
  Status openDnn() {
    if (dnn_) return {};
    TESSERA_ASSIGN_OR_RETURN(const Cudnn* library, Cudnn::get());
    TESSERA_TRY(convolutions_.open(*library));
    attention_.open(*library, convolutions_.native());
    dnn_ = library;
    return {};
  }

  Status openFactors() {
    if (solver_) return {};
    TESSERA_ASSIGN_OR_RETURN(const Cusolver* library, Cusolver::get());
    TESSERA_TRY(factors_.open(*library));
    solver_ = library;
    return {};
  }
  Status openSystems() {
    if (hasSystems_) return {};
    TESSERA_ASSIGN_OR_RETURN(const Cublas* library, Cublas::get());
    TESSERA_TRY(systems_.open(*library));
    hasSystems_ = true;
    return {};
  }

  Device& device_;
  const CublasLt* lt_ = nullptr;
  const Cufft* fft_ = nullptr;
  CublasLtHandle products_;
  const Cudnn* dnn_ = nullptr;
  CufftPlans transforms_;
  CudnnHandle convolutions_;
  CudnnAttention attention_;  // goes before the handle that it uses
  const Cusolver* solver_ = nullptr;
  CusolverHandle factors_;
  CublasHandle systems_;
  bool hasSystems_ = false;
};

}  // namespace

std::unique_ptr<Libraries> Libraries::open(Device& device) {
  if (device.info().ordinal < 0) return nullptr;
  return std::make_unique<CardLibraries>(device);
}

}  // namespace tessera::cuda
