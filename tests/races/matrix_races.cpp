// Steps on matrices under the thread sanitizer: products, factors, triangular systems and large transposes on one
// thread and on several give the same bits.
#include <cmath>
#include <cstring>
#include <functional>
#include <vector>

#include "backends/runtime/gemm/gemm_step.h"
#include "backends/runtime/linear_algebra/factor_step.h"
#include "backends/runtime/linear_algebra/triangular_solve_step.h"
#include "backends/runtime/movement/permute_step.h"
#include "tests/races/program_races.h"

namespace {

using namespace tessera::cpu;

constexpr int kMaxThreads = 4;
constexpr int64_t kSize = 200;  // of a matrix; not a whole number of vectors

enum MatrixSlot : int { kLeft, kRight, kOut, kScratch };

struct Job {
  StepPtr step;
  int64_t bytes = 0, scratch = 0;  // of each array, f32 or f64
  bool isDouble = false;
};

// Diagonally dominant, so that every factorisation exists.
template <class Real>
void fill(std::vector<std::byte>& bytes, int64_t columns) {
  auto* to = reinterpret_cast<Real*>(bytes.data());
  for (size_t i = 0; i < bytes.size() / sizeof(Real); ++i) {
    const int64_t row = static_cast<int64_t>(i) / columns % columns, column = static_cast<int64_t>(i) % columns;
    to[i] = static_cast<Real>(std::sin(static_cast<double>(row * 31 + column * 17)) + (row == column ? 300 : 0));
  }
}

std::vector<std::byte> resultOf(const Job& job, int threads) {
  std::vector<std::byte> left(static_cast<size_t>(job.bytes)), right(left.size()), out(left.size()),
      scratch(static_cast<size_t>(job.scratch) + 64);
  for (std::vector<std::byte>* side : {&left, &right})
    job.isDouble ? fill<double>(*side, kSize) : fill<float>(*side, kSize);
  std::byte* const aligned = scratch.data() + (64 - reinterpret_cast<uintptr_t>(scratch.data()) % 64) % 64;
  ThreadPool pool(threads);
  RunState state;
  state.pointers = {left.data(), right.data(), out.data(), aligned};
  state.pool = &pool;
  const int rounds = threads == 1 ? 1 : 2;  // the second finds what the first left
  for (int round = 0; round < rounds; ++round)
    if (!job.step->run(state)) return {};
  return out;
}

Job product(bool isDouble, int64_t m, int64_t n) {
  auto step = std::make_unique<GemmStep>();
  step->lhs = {kLeft, {false, kSize}, {0}};
  step->rhs = {kRight, {m < n, kSize}, {0}};
  step->m = m, step->n = n, step->k = kSize;
  step->out = kOut;
  step->isDouble = isDouble;
  step->split();
  return {std::move(step), 3 * kSize * kSize * 8, 0, isDouble};
}

Job factors(bool isDouble, Factors kind, int64_t batch) {
  Factor factor;
  factor.factors = kind;
  factor.batch = batch;
  factor.rows = factor.columns = kSize;
  factor.isDouble = isDouble;
  factor.threads = kMaxThreads;
  factor.from = kLeft, factor.to = kOut, factor.scratch = kScratch;
  return {makeFactorStep(factor), batch * kSize * kSize * 8, scratchBytes(factor), isDouble};
}

Job solution(bool isDouble) {
  TriangularSolve solve;
  solve.n = solve.sides = kSize;
  solve.isDouble = isDouble;
  solve.threads = kMaxThreads;
  solve.a = kLeft, solve.b = kRight, solve.x = kOut, solve.scratch = kScratch;
  return {makeTriangularSolveStep(solve), kSize * kSize * 8, scratchBytes(solve), isDouble};
}

Job transpose(int64_t rows, int64_t columns) {
  Permute permute{{}, {rows, columns, 1}, {columns, 1, rows}, 4, kLeft, kOut, kScratch};
  const int64_t scratch = permuteBufferBytes(permute, kMaxThreads);
  return {makePermuteStep(std::move(permute)), rows * columns * 4, scratch, false};
}

}  // namespace

int64_t wrongMatrices() {
  std::vector<std::function<Job()>> jobs;
  for (bool isDouble : {false, true}) {
    jobs.push_back([=] { return product(isDouble, 3 * kSize, kSize); });
    jobs.push_back([=] { return product(isDouble, kSize, 3 * kSize); });
    for (Factors kind : {Factors::Lu, Factors::Cholesky})
      for (int64_t batch : {1, 9}) jobs.push_back([=] { return factors(isDouble, kind, batch); });
    jobs.push_back([=] { return solution(isDouble); });
  }
  jobs.push_back([] { return transpose(2048, 1536); });
  jobs.push_back([] { return transpose(1531, 2047); });
  int64_t wrong = 0;
  for (const auto& job : jobs) {
    const std::vector<std::byte> alone = resultOf(job(), 1);
    for (int threads : {2, kMaxThreads}) wrong += alone.empty() || resultOf(job(), threads) != alone;
  }
  return wrong;
}
