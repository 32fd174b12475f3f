// The register tiles of gemm, of f32 and f64: rows × vectors of sums that stay in registers while they walk the
// contracted dimension. Made by the C++ compiler for three widths of vectors, so that no program waits for their code.
// Used by gemm.
#pragma once

#include <cstdint>

namespace tessera::cpu {

// What every x86-64 has, AVX2 with FMA, AVX-512 (F, VL).
enum class GemmVectors : uint8_t { Sse, Avx2, Avx512 };

// One tile: out[i, j] (+)= Σ_s left[i, s] · right[s, j]. Strides and counts are in elements.
template <class Real>
struct GemmTile {
  const Real* left = nullptr;
  int64_t leftRow = 0, leftStep = 0;
  const Real* right = nullptr;  // columns are neighbours
  int64_t rightStep = 0;
  Real* packed = nullptr;  // where the tile leaves the right side as it reads it, vectors·lanes a step; null: nowhere
  Real* out = nullptr;     // columns are neighbours
  int64_t outRow = 0, steps = 0;
  int64_t lastColumns =
      0;              // of the last vector, 1 … lanes; beyond them nothing is read or written, and zeros are packed
  bool adds = false;  // to the old values of `out`
};

// out[i, j] = Σ_s left[i, s] · right[s, j] where the steps of both sides are neighbours.
template <class Real>
struct GemmDots {
  const Real* left = nullptr;
  int64_t leftRow = 0;
  const Real* right = nullptr;
  int64_t rightColumn = 0;
  Real* out = nullptr;
  int64_t outRow = 0, steps = 0;
};

template <class Real>
struct GemmTiles {
  static constexpr int64_t kVectors = 2;  // of a tile, at most
  int64_t rows = 1, lanes = 1;            // rows: of a tile, at most
  void (*run)(const GemmTile<Real>& tile, int64_t rows, int64_t vectors) = nullptr;
  void (*dots)(const GemmDots<Real>& dots, int64_t rows, int64_t columns) = nullptr;
  // to[s · toStep + j] = from[j · fromColumn + s] for s < steps, j < columns, columns ≤ lanes; zero up to lanes.
  void (*transpose)(const Real* from, int64_t fromColumn, int64_t columns, int64_t steps, Real* to,
                    int64_t toStep) = nullptr;
  int (*mostVectors)(int rows) = nullptr;
  int64_t columns() const { return kVectors * lanes; }
};

template <class Real>
const GemmTiles<Real>& gemmTiles(GemmVectors vectors);
template <>
const GemmTiles<float>& gemmTiles(GemmVectors vectors);
template <>
const GemmTiles<double>& gemmTiles(GemmVectors vectors);

}  // namespace tessera::cpu
