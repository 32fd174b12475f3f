// FourierStep: Fourier transforms along the last one to three dimensions (core/fourier/transform), dimension by
// dimension, in the precision of their type; lines go to all threads, or the groups of columns and rows of few long
// ones. Real lines of even length are complex ones of half of it. How a line is computed does not depend on the
// threads. Made by cpu/library/fourier.
#pragma once

#include <array>

#include "backends/runtime/step.h"

namespace tessera::cpu {

enum class FourierKind : uint8_t { Complex, RealToHalf, HalfToReal };

// The array as [lines, lengths…], of the real side; slots of the operand, the result and scratch.
struct Fourier {
  FourierKind kind = FourierKind::Complex;
  bool inverse = false, isDouble = false;
  int dimensions = 1;                          // transformed
  std::array<int64_t, 3> lengths = {1, 1, 1};  // their lengths, outermost first
  int64_t lines = 1;
  int threads = 1;
  int from = -1, to = -1, scratch = -1;
};

class FourierStepBase : public Step {
 public:
  explicit FourierStepBase(const Fourier& shape) : shape_(shape) {}
  const char* loader() const override { return "tessera_step_fourier"; }
  void save(FieldWriter& out) override { out(shape_); }
  virtual int64_t scratchBytes() const = 0;
  void setScratch(int slot) { shape_.scratch = slot; }

 protected:
  Fourier shape_;
};

std::unique_ptr<FourierStepBase> makeFourierStep(const Fourier& shape);

}  // namespace tessera::cpu
