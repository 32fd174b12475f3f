// FactorPrograms: Cholesky factors and triangular systems as element programs, block by block of 32 rows or columns:
// the block itself in order, then what depends on it all at once. The programs are the same for each block; a scalar
// operand says where it begins.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/element/element_program.h"

namespace tessera::cuda {

inline constexpr int64_t kFactorBlock = 32;
inline int64_t factorBlocks(int64_t size) { return (size + kFactorBlock - 1) / kFactorBlock; }
// s32: where each block begins.
std::string blockStarts(int64_t size);
// In which the matrices are worked on: f16 and the like in f32.
ElementType factorType(ElementType type);

struct CholeskyPrograms {
  LoopProgram begin;     // operands: a; output: the work, [batch…, n, n], its lower triangle
  LoopProgram diagonal;  // operands: the block's start; output: the work
  LoopProgram panel;     // likewise: the rows below the block
  LoopProgram rest;      // likewise: what stands to the right of the block
  LoopProgram finish;    // operands: the work; output: the factor, NaN where the matrix is not positive definite
};
CholeskyPrograms choleskyProgramsOf(const Shape& a, bool lower);

struct TriangularForm {
  Shape a, b;
  bool left = false, lower = false, unitDiagonal = false, transposed = false, conjugated = false;  // transposed: op(a)
};
struct TriangularPrograms {
  LoopProgram begin;     // operands: b; output: x, in factorType
  LoopProgram diagonal;  // operands: a, the block's start; output: x
  LoopProgram rest;      // likewise: the rows behind the block
  LoopProgram finish;    // operands: x; output: the result
};
TriangularPrograms triangularProgramsOf(const TriangularForm& form);

}  // namespace tessera::cuda
