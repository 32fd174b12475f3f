// Eigenvalues and eigenvectors of symmetric and Hermitian matrices by Jacobi rotations in the rounds of Brent and Luk
// (1985): what XLA expands its custom call "Eigh" to, so that order and signs are XLA's. Used by
// decomposition_targets.cpp.
#pragma once

#include <complex>
#include <vector>

namespace tessera {

struct EigenPairs {
  int64_t size = 0;
  std::vector<double> values;                 // in the order of the rotations, or ascending when sorted
  std::vector<std::complex<double>> vectors;  // row-major; column j belongs to values[j]
};

struct JacobiOptions {
  bool sorted = true;
  int64_t mostSweeps = 100;
  double tolerance = 1e-6;  // of the off-diagonal's norm against the whole
};

// `matrix` is row-major, n × n and Hermitian; real ones have imaginary parts 0 and get real vectors.
EigenPairs jacobiEigenPairs(std::vector<std::complex<double>> matrix, int64_t n, const JacobiOptions& options);

}  // namespace tessera
