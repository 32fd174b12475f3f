// See jacobi_eigen.h. R. P. Brent and F. T. Luk, "The solution of singular-value and symmetric eigenvalue problems on
// multiprocessor arrays", 1985: the matrix is cut into quarters; a round rotates pair i of the halves for all i at once
// and then moves rows and columns so that n - 1 rounds, a sweep, bring every pair together. An odd n gets a zero row.
#include "core/custom_calls/jacobi_eigen.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace tessera {
namespace {

using Complex = std::complex<double>;

struct Rotation {
  double cosine = 1;
  Complex sine = 0;
};

// The rotation that makes the Hermitian ((p, q), (conj q, r)) diagonal, by an angle of at most 45 degrees.
Rotation rotationFor(double p, Complex q, double r) {
  const double size = std::abs(q);
  if (size == 0) return {};
  const double tau = (r - p) / (2 * size);
  const double tangent = std::copysign(1.0, tau) / (std::fabs(tau) + std::sqrt(1 + tau * tau));
  const double cosine = 1 / std::sqrt(1 + tangent * tangent);
  return {cosine, tangent * cosine * (q / size)};
}

class Rounds {
 public:
  Rounds(std::vector<Complex> matrix, int64_t n)
      : size_(n + n % 2),
        half_(size_ / 2),
        a_(static_cast<size_t>(size_ * size_)),
        v_(a_.size()),
        place_(static_cast<size_t>(size_)) {
    for (int64_t i = 0; i < n; ++i)
      for (int64_t j = 0; j < n; ++j) a(i, j) = matrix[static_cast<size_t>(i * n + j)];
    for (int64_t i = 0; i < size_; ++i) v(i, i) = 1;
    std::iota(place_.begin(), place_.end(), 0);
  }

  void sweep() {
    for (int64_t round = 0; round + 1 < size_; ++round) {
      for (int64_t i = 0; i < half_; ++i)
        rotate(place_[static_cast<size_t>(i)], place_[static_cast<size_t>(half_ + i)]);
      move();
    }
  }

  // Square sums of all elements, and of those off the diagonal.
  std::pair<double, double> norms() const {
    double all = 0, off = 0;
    for (int64_t i = 0; i < size_; ++i)
      for (int64_t j = 0; j < size_; ++j) {
        const double square = std::norm(a_[static_cast<size_t>(i * size_ + j)]);
        all += square;
        if (i != j) off += square;
      }
    return {all, off};
  }

  int64_t size() const { return size_; }
  double value(int64_t i) { return a(place_[static_cast<size_t>(i)], place_[static_cast<size_t>(i)]).real(); }
  // Row i of vᴴ is the eigenvector of value(i).
  Complex vector(int64_t row, int64_t i) { return std::conj(v(place_[static_cast<size_t>(i)], row)); }
  bool isPadding(int64_t i, int64_t n) const { return place_[static_cast<size_t>(i)] >= n; }

 private:
  Complex& a(int64_t i, int64_t j) { return a_[static_cast<size_t>(i * size_ + j)]; }
  Complex& v(int64_t i, int64_t j) { return v_[static_cast<size_t>(i * size_ + j)]; }

  // Rows p and q of a and v, then columns p and q of a.
  void rotate(int64_t p, int64_t q) {
    const Rotation rotation = rotationFor(a(p, p).real(), a(p, q), a(q, q).real());
    const auto [c, s] = rotation;
    for (int64_t j = 0; j < size_; ++j) {
      const Complex up = a(p, j), down = a(q, j);
      a(p, j) = c * up - s * down;
      a(q, j) = std::conj(s) * up + c * down;
      const Complex vUp = v(p, j), vDown = v(q, j);
      v(p, j) = c * vUp - s * vDown;
      v(q, j) = std::conj(s) * vUp + c * vDown;
    }
    for (int64_t i = 0; i < size_; ++i) {
      const Complex left = a(i, p), right = a(i, q);
      a(i, p) = c * left - std::conj(s) * right;
      a(i, q) = s * left + c * right;
    }
    a(p, q) = a(q, p) = 0;
    a(p, p) = a(p, p).real();
    a(q, q) = a(q, q).real();
  }

  // The first of the upper half stays; the others go round. Rows and columns keep their numbers, places move.
  void move() {
    if (half_ < 2) return;
    const auto upper = place_.begin(), lower = place_.begin() + half_;
    std::vector<int64_t> next{*upper, *lower};
    next.insert(next.end(), upper + 1, lower - 1);
    next.insert(next.end(), lower + 1, place_.end());
    next.push_back(*(lower - 1));
    place_ = std::move(next);
  }

  int64_t size_, half_;
  std::vector<Complex> a_, v_;
  std::vector<int64_t> place_;  // row at each place of the two halves
};

}  // namespace

EigenPairs jacobiEigenPairs(std::vector<Complex> matrix, int64_t n, const JacobiOptions& options) {
  Rounds rounds(std::move(matrix), n);
  for (int64_t sweep = 0; sweep < options.mostSweeps; ++sweep) {
    const auto [all, off] = rounds.norms();
    if (!(off > options.tolerance * options.tolerance * all)) break;
    rounds.sweep();
  }
  std::vector<int64_t> order;
  for (int64_t i = 0; i < rounds.size(); ++i)
    if (!rounds.isPadding(i, n)) order.push_back(i);
  if (options.sorted) std::ranges::stable_sort(order, {}, [&](int64_t i) { return rounds.value(i); });
  EigenPairs out{n, {}, std::vector<Complex>(static_cast<size_t>(n * n))};
  for (int64_t j = 0; j < n; ++j) {
    out.values.push_back(rounds.value(order[static_cast<size_t>(j)]));
    for (int64_t i = 0; i < n; ++i)
      out.vectors[static_cast<size_t>(i * n + j)] = rounds.vector(i, order[static_cast<size_t>(j)]);
  }
  return out;
}

}  // namespace tessera
