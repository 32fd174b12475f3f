// Linear algebra by cuSOLVER and cuBLAS: LAPACK's custom calls and those of JAX for CUDA, Cholesky factors and
// triangular systems. Arrays here are row-major and the libraries' column-major: where a transposed matrix does not
// serve as well, kernels transpose before and after.
#pragma once

#include <optional>
#include <vector>

#include "backends/cuda/libraries/libraries.h"
#include "backends/cuda/plan/plan_draft.h"

namespace tessera {
class CustomCallLibrary;
}

namespace tessera::cuda {

struct MatrixPlan {
  // An operand or a result of the instruction as the library has it in memory.
  struct Array {
    size_t index = 0;                             // of the instruction's operands or results
    Shape stored;                                 // row-major
    bool transposes = false, conjugates = false;  // on the way between the two
  };
  LibraryCall call;
  Array inPlace;                         // the operand that the call's result 0 begins as
  std::vector<Array> operands, results;  // of the call, in its order
  std::vector<size_t> zeros;             // results that the call leaves as they are: vectors that are not asked for
  bool isCholesky = false;               // the operation, whose result is one triangle or NaN
};

// Nothing where no routine of the libraries computes the instruction, and where the shapes are not its.
// customCalls: the user's library, whose targets go before; may be null.
std::optional<MatrixPlan> matrixPlanOf(const Module& module, const Instruction& instruction,
                                       const CustomCallLibrary* customCalls);

// Appends the steps. ErrorKind::Unsupported says why no library takes the call.
Status planMatrixRoutine(PlanDraft& draft, const Instruction& instruction, MatrixPlan plan, Libraries& libraries,
                         Steps& out);

}  // namespace tessera::cuda
