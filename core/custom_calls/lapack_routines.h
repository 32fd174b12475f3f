// Routines of LAPACK as targets of custom calls: operands and results are jaxlib's: overwritten operands come back as
// results, info is s32 and counts for each matrix. Every shape is checked before LAPACK sees it, since LAPACK ends the
// process over a wrong argument. T: float, double or a complex number of these. Used by lapack_targets.cpp, which names
// them, cuda_targets.cpp and decomposition_targets.cpp.
#pragma once

#include "core/custom_calls/custom_calls.h"
#include "core/custom_calls/lapack.h"

namespace tessera {

// Instantiates `define` for each type that LAPACK has.
#define TESSERA_LAPACK_TYPES(define) \
  define(float) define(double) define(std::complex<float>) define(std::complex<double>)

// The function of operand 0's element type.
template <CustomCallFunction kF32, CustomCallFunction kF64, CustomCallFunction kC64, CustomCallFunction kC128>
Result<Literal> byElementType(const EvaluateContext& context) {
  switch (context.operands.empty() ? ElementType::Tuple : context.operands[0].shape().type) {
    case ElementType::F32: return kF32(context);
    case ElementType::F64: return kF64(context);
    case ElementType::C64: return kC64(context);
    case ElementType::C128: return kC128(context);
    default: return failUnsupported("matrices of f32, f64, c64 and c128 are decomposed, no others");
  }
}
#define TESSERA_BY_TYPE(name) \
  byElementType<name<float>, name<double>, name<std::complex<float>>, name<std::complex<double>>>

inline constexpr ElementType kLapackInt = ElementType::S32;
template <class T>
inline constexpr ElementType kLapackType = LapackType<T>::type;
template <class T>
inline constexpr ElementType kLapackReal = LapackType<T>::realType;

// Fails for what is no batch of square matrices of the type.
Result<MatrixBatch> squaresOf(const EvaluateContext& context, ElementType type);

// --- factors and solutions (lapack_factors.cpp)
template <class T>
Result<Literal> geqrf(const EvaluateContext& context);
template <class T>
Result<Literal> geqp3(const EvaluateContext& context);
template <class T>
Result<Literal> orgqr(const EvaluateContext& context);
template <class T>
Result<Literal> ormqr(const EvaluateContext& context);
template <class T>
Result<Literal> getrf(const EvaluateContext& context);
template <class T>
Result<Literal> potrf(const EvaluateContext& context);
template <class T>
Result<Literal> trsm(const EvaluateContext& context);
template <class T>
Result<Literal> gtsv(const EvaluateContext& context);

// --- eigenvalues, singular values and the forms on the way to them (lapack_eigenvalues.cpp)
template <class T>
Result<Literal> syevd(const EvaluateContext& context);
template <class T>
Result<Literal> gesdd(const EvaluateContext& context);
template <class T>
Result<Literal> gesvd(const EvaluateContext& context);
template <class T>
Result<Literal> geev(const EvaluateContext& context);
template <class T>
Result<Literal> gees(const EvaluateContext& context);
template <class T>
Result<Literal> gehrd(const EvaluateContext& context);
template <class T>
Result<Literal> sytrd(const EvaluateContext& context);

}  // namespace tessera
