// Outputs that are factors of a decomposition. Singular vectors, eigenvectors and the factors of QR and Schur forms are
// unique only up to signs (phases), and up to rotations where values coincide: two answers are equal when their
// products are. Which outputs belong together is read from the program: the results of one decomposition, followed
// through what only moves them or puts NaN in their place. Used by `tessera run --expected`, when values differ element
// by element.
#pragma once

#include <array>
#include <span>
#include <vector>

#include "core/evaluate/compare.h"
#include "core/hlo/module.h"

namespace tessera {

struct FactorOutput {
  int output = -1;  // leaf of the entry's root; -1: not given out
  bool transposed = false;
};

struct FactoredOutputs {
  enum class Kind { Singular, Symmetric, Qr, Schur } kind = Kind::Singular;
  // Singular: U, values, Vᴴ. Symmetric: V, values. Qr: Q, R. Schur: Z, T. The rest is unused.
  std::array<FactorOutput, 3> factors;
  bool has(int output) const;
};

std::vector<FactoredOutputs> factoredOutputs(const Module& module);

// Compares the products of the factors, and that orthogonal factors are as orthogonal. With a factor that is not given
// out, its partners are compared column by column up to a phase. Outputs are leaves in order.
Comparison compareByReconstruction(const FactoredOutputs& outputs, std::span<const Literal> expected,
                                   std::span<const Literal> found, Tolerance tolerance);

}  // namespace tessera
