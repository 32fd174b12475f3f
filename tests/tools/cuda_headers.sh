#!/usr/bin/env bash
# cuda_headers.sh SOURCES: our declarations of NVIDIA's functions against the toolkit's headers, where they are installed:
# as many parameters, each of the same form (a pointer, or a number of so many bytes). Compiles a file of assertions.
sources=$1 folder=$(dirname "$0")
skip() {
  local reason
  grep -A1000 "^\[$1\]" "$folder/../skips.txt" | sed '1d;/^\[/,$d' | grep -qx 'cuda.headers' ||
    { echo "cuda.headers is skipped for $1, which skips.txt does not list for it"; exit 1; }
  reason=$(sed -n "s/^\[$1\] [a-z]*: //p" "$folder/../skips.txt")
  [ -z "${TESSERA_SKIPS_LOG:-}" ] || printf '%s\tcuda.headers\t\n' "$1" >> "$TESSERA_SKIPS_LOG"
  echo "$1: $reason"
  exit 0
}
include=$(ls -d /usr/local/cuda/include 2>/dev/null) || skip no-cuda-headers
for header in cuda.h cublas_v2.h cublasLt.h cudnn.h cufft.h cupti.h cusolverDn.h nccl.h; do [ -e "$include/$header" ] || skip no-cuda-headers; done
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
# First forms, which old drivers have too and the headers of today no longer declare.
old='cuGraphAddNode cuStreamUpdateCaptureDependencies cuEventElapsedTime cuStreamGetCaptureInfo_v2'
checks() {  # FILE MACRO TYPE
  tr '\n' ' ' < "$1" | grep -oE "$2\([A-Za-z0-9_]+, [A-Za-z0-9]+, *\(([^()]|\([^()]*\))*\)\)" | sed -E 's/ +/ /g' |
    while IFS= read -r line; do
      symbol=$(sed -E 's/^[A-Z_]+\(([A-Za-z0-9_]+),.*/\1/' <<< "$line")
      parameters=$(sed -E 's/^[A-Z_]+\([A-Za-z0-9_]+, [A-Za-z0-9]+, *(.*)\)$/\1/' <<< "$line")
      [[ " $old " == *" $symbol "* ]] || echo "static_assert(sameForm(($3 (*)$parameters)nullptr, &$symbol), \"$symbol\");"
    done
}
{
  cat <<'CPP'
#include <cstdint>
#include <type_traits>
#include <cuda.h>
#include <cublasLt.h>
#include <cublas_v2.h>
#include <cudnn.h>
#include <cufft.h>
#include <cupti.h>
#include <cusolverDn.h>
#include <nccl.h>
#include "backends/cuda/driver/driver.h"
#include "backends/cuda/libraries/cublas.h"
#include "backends/cuda/libraries/cublas_lt.h"
#include "backends/cuda/libraries/cudnn.h"
#include "backends/cuda/libraries/cufft.h"
#include "backends/cuda/libraries/cupti.h"
#include "backends/cuda/libraries/cusolver.h"
#include "backends/cuda/libraries/nccl.h"
template <class Ours, class Theirs>
constexpr bool sameParameter() {
  return sizeof(Ours) == sizeof(Theirs) && std::is_floating_point_v<Ours> == std::is_floating_point_v<Theirs> &&
         (!std::is_pointer_v<Theirs> || std::is_pointer_v<Ours> || sizeof(Ours) == 8);
}
template <class A, class... Ours, class B, class... Theirs>
constexpr bool sameForm(A (*)(Ours...), B (*)(Theirs...)) {
  if constexpr (sizeof...(Ours) == sizeof...(Theirs)) return (sameParameter<Ours, Theirs>() && ...);
  return false;
}
using namespace tessera::cuda;
using namespace tessera::cuda::driver;
using Algorithm = CublasLt::Algorithm;
using Heuristic = CublasLt::Heuristic;
using Choice = Cudnn::Choice;
using UniqueId = Nccl::UniqueId;
using GiveBuffer = Cupti::GiveBuffer;
using TakeBuffer = Cupti::TakeBuffer;
#define SAME_PLACE(ours, mine, theirs, yours) \
  static_assert(offsetof(ours, mine) == offsetof(theirs, yours) && sizeof(ours::mine) == sizeof(theirs::yours))
SAME_PLACE(Cupti::KernelRecord, registers, CUpti_ActivityKernel9, registersPerThread);
SAME_PLACE(Cupti::KernelRecord, start, CUpti_ActivityKernel9, start);
SAME_PLACE(Cupti::KernelRecord, end, CUpti_ActivityKernel9, end);
SAME_PLACE(Cupti::KernelRecord, staticShared, CUpti_ActivityKernel9, staticSharedMemory);
SAME_PLACE(Cupti::KernelRecord, dynamicShared, CUpti_ActivityKernel9, dynamicSharedMemory);
SAME_PLACE(Cupti::KernelRecord, localBytes, CUpti_ActivityKernel9, localMemoryPerThread);
SAME_PLACE(Cupti::KernelRecord, correlation, CUpti_ActivityKernel9, correlationId);
SAME_PLACE(Cupti::CopyRecord, bytes, CUpti_ActivityMemcpy6, bytes);
SAME_PLACE(Cupti::CopyRecord, start, CUpti_ActivityMemcpy6, start);
SAME_PLACE(Cupti::CopyRecord, end, CUpti_ActivityMemcpy6, end);
SAME_PLACE(Cupti::CopyRecord, correlation, CUpti_ActivityMemcpy6, correlationId);
SAME_PLACE(Cupti::ExternalIdRecord, idKind, CUpti_ActivityExternalCorrelation, externalKind);
SAME_PLACE(Cupti::ExternalIdRecord, id, CUpti_ActivityExternalCorrelation, externalId);
SAME_PLACE(Cupti::ExternalIdRecord, correlation, CUpti_ActivityExternalCorrelation, correlationId);
static_assert(int(Cupti::kCopy) == CUPTI_ACTIVITY_KIND_MEMCPY && int(Cupti::kKernel) == CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL);
static_assert(int(Cupti::kExternalId) == CUPTI_ACTIVITY_KIND_EXTERNAL_CORRELATION && CUPTI_ACTIVITY_FLAG_FLUSH_FORCED == 1);
static_assert(CUPTI_EXTERNAL_CORRELATION_KIND_CUSTOM0 == 3);
static_assert(sizeof(Algorithm) == sizeof(cublasLtMatmulAlgo_t) && sizeof(Heuristic) == sizeof(cublasLtMatmulHeuristicResult_t));
static_assert(sizeof(UniqueId) == sizeof(ncclUniqueId));
static_assert(sizeof(Choice) == sizeof(cudnnConvolutionFwdAlgoPerf_t) && sizeof(Choice) == sizeof(cudnnConvolutionBwdFilterAlgoPerf_t));
static_assert(offsetof(Choice, workspaceBytes) == offsetof(cudnnConvolutionFwdAlgoPerf_t, memory));
static_assert(offsetof(Choice, arithmetic) == offsetof(cudnnConvolutionBwdDataAlgoPerf_t, mathType));
static_assert(CUDNN_DATA_BFLOAT16 == 9 && CUDNN_DATA_HALF == 2 && CUDNN_DATA_DOUBLE == 1 && CUDNN_FMA_MATH == 3);
static_assert(CUDNN_TENSOR_NHWC == 1 && CUDNN_CROSS_CORRELATION == 1 && CUDNN_DETERMINISTIC == 1 && CUDNN_TENSOR_OP_MATH == 1);
static_assert(CUDNN_BACKEND_ENGINECFG_DESCRIPTOR == 3 && CUDNN_BACKEND_ENGINEHEUR_DESCRIPTOR == 4 && CUDNN_BACKEND_EXECUTION_PLAN_DESCRIPTOR == 5);
static_assert(CUDNN_BACKEND_OPERATIONGRAPH_DESCRIPTOR == 15 && CUDNN_BACKEND_VARIANT_PACK_DESCRIPTOR == 16 && CUDNN_BACKEND_TENSOR_DESCRIPTOR == 17);
static_assert(CUDNN_BACKEND_OPERATION_SDPA_FWD_DESCRIPTOR == 41 && CUDNN_HEUR_MODE_A == 3);
static_assert(CUDNN_TYPE_HANDLE == 0 && CUDNN_TYPE_DATA_TYPE == 1 && CUDNN_TYPE_BOOLEAN == 2 && CUDNN_TYPE_INT64 == 3);
static_assert(CUDNN_TYPE_VOID_PTR == 6 && CUDNN_TYPE_HEUR_MODE == 8 && CUDNN_TYPE_BACKEND_DESCRIPTOR == 15);
static_assert(CUDNN_ATTR_ENGINEHEUR_MODE == 200 && CUDNN_ATTR_ENGINEHEUR_OPERATION_GRAPH == 201 && CUDNN_ATTR_ENGINEHEUR_RESULTS == 202);
static_assert(CUDNN_ATTR_EXECUTION_PLAN_ENGINE_CONFIG == 401 && CUDNN_ATTR_EXECUTION_PLAN_WORKSPACE_SIZE == 402 && CUDNN_ATTR_OPERATIONGRAPH_OPS == 801);
static_assert(CUDNN_ATTR_TENSOR_BYTE_ALIGNMENT == 900 && CUDNN_ATTR_TENSOR_DATA_TYPE == 901 && CUDNN_ATTR_TENSOR_DIMENSIONS == 902);
static_assert(CUDNN_ATTR_TENSOR_STRIDES == 903 && CUDNN_ATTR_TENSOR_UNIQUE_ID == 906 && CUDNN_ATTR_TENSOR_IS_BY_VALUE == 908);
static_assert(CUDNN_ATTR_VARIANT_PACK_UNIQUE_IDS == 1000 && CUDNN_ATTR_VARIANT_PACK_DATA_POINTERS == 1001 && CUDNN_ATTR_VARIANT_PACK_WORKSPACE == 1003);
static_assert(CUDNN_ATTR_OPERATION_SDPA_FWD_QDESC == 2800 && CUDNN_ATTR_OPERATION_SDPA_FWD_ODESC == 2803 && CUDNN_ATTR_OPERATION_SDPA_FWD_SCALEDESC == 2805);
static_assert(CUDA_R_32F == 0 && CUDA_R_64F == 1 && CUDA_C_32F == 4 && CUDA_C_64F == 5);
static_assert(CUBLAS_FILL_MODE_LOWER == 0 && CUBLAS_SIDE_LEFT == 0 && CUBLAS_DIAG_UNIT == 1 && CUSOLVER_EIG_MODE_VECTOR == 1);
static_assert(CUBLAS_OP_N == 0 && CUBLAS_OP_T == 1 && CUBLAS_OP_C == 2);
static_assert(sizeof(GraphNodeParameters) == sizeof(CUgraphNodeParams));
static_assert(offsetof(GraphNodeParameters, condition) == offsetof(CUgraphNodeParams, conditional.handle));
static_assert(offsetof(GraphNodeParameters, conditionType) == offsetof(CUgraphNodeParams, conditional.type));
static_assert(offsetof(GraphNodeParameters, size) == offsetof(CUgraphNodeParams, conditional.size));
static_assert(offsetof(GraphNodeParameters, bodies) == offsetof(CUgraphNodeParams, conditional.phGraph_out));
static_assert(offsetof(GraphNodeParameters, context) == offsetof(CUgraphNodeParams, conditional.ctx));
static_assert(GraphNodeParameters().type == CU_GRAPH_NODE_TYPE_CONDITIONAL && CU_GRAPH_COND_TYPE_WHILE == 1);
static_assert(static_cast<int>(CaptureMode::Relaxed) == CU_STREAM_CAPTURE_MODE_RELAXED);
static_assert(kConditionAssignDefault == CU_GRAPH_COND_ASSIGN_DEFAULT && kSetCaptureDependencies == CU_STREAM_SET_CAPTURE_DEPENDENCIES);
CPP
  # The numbers of our enumerations.
  code() { echo "static_assert(static_cast<int>(Code::$1) == $2);"; }
  code OutOfMemory CUDA_ERROR_OUT_OF_MEMORY; code StubLibrary CUDA_ERROR_STUB_LIBRARY
  code DeviceUnavailable CUDA_ERROR_DEVICE_UNAVAILABLE; code NoDevice CUDA_ERROR_NO_DEVICE
  code UncorrectableEcc CUDA_ERROR_ECC_UNCORRECTABLE; code NvlinkUncorrectable CUDA_ERROR_NVLINK_UNCORRECTABLE
  code NotReady CUDA_ERROR_NOT_READY; code IllegalAddress CUDA_ERROR_ILLEGAL_ADDRESS
  code LaunchTimeout CUDA_ERROR_LAUNCH_TIMEOUT; code ContextIsDestroyed CUDA_ERROR_CONTEXT_IS_DESTROYED
  code Assert CUDA_ERROR_ASSERT; code HardwareStackError CUDA_ERROR_HARDWARE_STACK_ERROR
  code IllegalInstruction CUDA_ERROR_ILLEGAL_INSTRUCTION; code MisalignedAddress CUDA_ERROR_MISALIGNED_ADDRESS
  code InvalidAddressSpace CUDA_ERROR_INVALID_ADDRESS_SPACE; code InvalidPc CUDA_ERROR_INVALID_PC
  code LaunchFailed CUDA_ERROR_LAUNCH_FAILED; code SystemDriverMismatch CUDA_ERROR_SYSTEM_DRIVER_MISMATCH
  code Unknown CUDA_ERROR_UNKNOWN
  checks "$sources/backends/cuda/driver/driver_functions.inc" 'TESSERA_DRIVER_(FUNCTION|OPTIONAL)' Code
  for library in cublas cublas_lt cudnn cufft cupti cusolver nccl; do
    checks "$sources/backends/cuda/libraries/$library.inc" TESSERA_LIBRARY_FUNCTION int
  done
} > "$work/headers.cpp"
count=$(grep -c 'sameForm((' "$work/headers.cpp")
"${CXX:-g++}" -std=c++2b -fsyntax-only -isystem "$include" -I"$sources" "$work/headers.cpp" || exit 1
echo "$count declarations are the headers'"
[ "$count" -ge 100 ] || { echo "those are too few"; exit 1; }
