// See fft_transform.h. Roots of unity are computed one by one from reduced angles, so that errors do not add up.
#include "core/ops/fft_transform.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <numbers>

namespace tessera {

namespace {

using Complex = std::complex<double>;
constexpr size_t kLeastSplit = 256;  // shorter lines are not worth cutting

// Products without the checks for infinities that operator* makes.
Complex product(Complex a, Complex b) {
  return {a.real() * b.real() - a.imag() * b.imag(), a.real() * b.imag() + a.imag() * b.real()};
}

// exp(sign · 2πi k / length) for all k: of an eighth of the circle, where that is whole, or half; the others mirror them.
std::vector<Complex> rootsOf(size_t length, double sign) {
  if (length == 0) return {};
  std::vector<Complex> roots(length);
  const bool eighths = length % 8 == 0;
  for (size_t k = 0; k <= (eighths ? length / 8 : length / 2); ++k) roots[k] = rootOfUnity(k, length, sign);
  if (eighths) {
    const size_t quarter = length / 4;
    for (size_t k = length / 8 + 1; k <= quarter; ++k) roots[k] = {sign * roots[quarter - k].imag(), sign * roots[quarter - k].real()};
    for (size_t k = quarter + 1; k <= length / 2; ++k) roots[k] = {-sign * roots[k - quarter].imag(), sign * roots[k - quarter].real()};
  }
  for (size_t k = length / 2 + 1; k < length; ++k) roots[k] = std::conj(roots[length - k]);
  return roots;
}

// a · b mod n, also where the product leaves 64 bits.
size_t productModulo(size_t a, size_t b, size_t n) {
  const bool narrow = (a | b) >> 32 == 0;
  return narrow ? a * b % n : static_cast<size_t>(static_cast<unsigned __int128>(a) * b % n);
}

// The factors' product nearest to the root of the length from below.
size_t columnsOf(const std::vector<size_t>& factors, size_t length) {
  size_t best = 1;
  std::vector<size_t> products{1};
  for (size_t factor : factors) {
    const size_t known = products.size();
    for (size_t i = 0; i < known; ++i)
      if (const size_t next = products[i] * factor; next * next <= length) products.push_back(next);
    std::ranges::sort(products);
    products.erase(std::ranges::unique(products).begin(), products.end());
    best = products.back();
  }
  return best;
}

}  // namespace

std::complex<double> rootOfUnity(size_t numerator, size_t denominator, double sign) {
  const bool narrow = numerator >> 61 == 0;
  const size_t eighths = narrow ? numerator * 8 / denominator : static_cast<size_t>(static_cast<unsigned __int128>(numerator) * 8 / denominator);
  const size_t quarter = (eighths + 1) / 2;  // nearest quarter turn
  const double rest = (static_cast<double>(numerator) * 4 - static_cast<double>(quarter) * static_cast<double>(denominator)) /
                      (4 * static_cast<double>(denominator));
  const double c = std::cos(2 * std::numbers::pi * rest), s = std::sin(2 * std::numbers::pi * rest);
  const Complex turned[] = {{c, s}, {-s, c}, {-c, -s}, {s, -c}};
  const Complex root = turned[quarter % 4];
  return {root.real(), sign * root.imag()};
}

// A transform of length n as a convolution with exp(πi k² / n), done by transforms whose length is a power of two. The one
// back is the forward one of conjugates.
struct FourierTransform::Chirp {
  size_t padded;
  std::vector<Complex> chirp, kernel, work;
  FourierTransform forward;

  Chirp(size_t n, double sign)
      : padded(std::bit_ceil(2 * n - 1)), chirp(n), kernel(padded), forward(padded, false) {
    for (size_t k = 0; k < n; ++k)
      chirp[k] = rootOfUnity(productModulo(k, k, 2 * n), 2 * n, sign);
    for (size_t k = 0; k < n; ++k) kernel[k] = kernel[(padded - k) % padded] = std::conj(chirp[k]);
    forward.apply({kernel.data(), 1, padded, 1});
  }

  // At most kLanes lines, one after the other in `work`.
  void apply(const FourierLines& lines, double scale) {
    work.resize(std::max(work.size(), padded * lines.count));
    for (size_t l = 0; l < lines.count; ++l) {
      Complex* to = work.data() + l * padded;
      for (size_t k = 0; k < chirp.size(); ++k) to[k] = product(lines.first[l * lines.lineStep + k * lines.step], chirp[k]);
      std::fill(to + chirp.size(), to + padded, Complex());
    }
    forward.apply({work.data(), lines.count, padded, 1});
    for (size_t l = 0; l < lines.count; ++l)
      for (size_t k = 0; k < padded; ++k) work[l * padded + k] = std::conj(product(work[l * padded + k], kernel[k]));
    forward.apply({work.data(), lines.count, padded, 1});
    for (size_t l = 0; l < lines.count; ++l)
      for (size_t k = 0; k < chirp.size(); ++k)
        lines.first[l * lines.lineStep + k * lines.step] = product(std::conj(work[l * padded + k]), chirp[k]) * scale;
  }
};

// A line of rows · columns elements as a matrix: with element (i, j) at i·columns + j, and (u, v) of its spectrum at u + rows·v,
// the columns are transformed, each (u, j) is turned by u·j steps, and then the rows are.
struct FourierTransform::Split {
  size_t rows, columns;
  FourierTransform down, across;
  std::vector<Complex> matrix;

  Split(size_t rowCount, size_t columnCount, bool inverse)
      : rows(rowCount), columns(columnCount), down(rowCount, inverse), across(columnCount, inverse), matrix(rowCount * columnCount) {}

  void apply(const FourierLines& line, const std::vector<Complex>& roots) {
    for (size_t i = 0; i < matrix.size(); ++i) matrix[i] = line.first[i * line.step];
    down.apply({matrix.data(), columns, 1, columns});
    for (size_t u = 1; u < rows; ++u)
      for (size_t j = 1; j < columns; ++j) matrix[u * columns + j] = product(matrix[u * columns + j], roots[u * j]);
    across.apply({matrix.data(), rows, columns, 1});
    for (size_t v = 0; v < columns; ++v)
      for (size_t u = 0; u < rows; ++u) line.first[(u + rows * v) * line.step] = matrix[u * columns + v];
  }
};

FourierTransform::FourierTransform(size_t length, bool inverse) : length_(length), sign_(inverse ? 1 : -1) {
  if (inverse && length > 0) scale_ = static_cast<double>(length);
  size_t rest = length;
  for (size_t radix : {size_t{4}, size_t{2}, size_t{3}, size_t{5}, size_t{7}, size_t{11}, size_t{13}, size_t{17}, size_t{19},
                       size_t{23}, size_t{29}, kLargestRadix})
    for (; rest > 1 && rest % radix == 0; rest /= radix) factors_.push_back(radix);
  if (rest > 1) chirp_ = std::make_unique<Chirp>(length, sign_);
  else roots_ = rootsOf(length, sign_);
}

FourierTransform::~FourierTransform() = default;

void FourierTransform::apply(const FourierLines& lines) {
  if (length_ < 2) return;
  for (size_t from = 0; from < lines.count; from += kLanes) {
    const size_t count = std::min(kLanes, lines.count - from);
    FourierLines part = lines;
    part.first += from * lines.lineStep;
    part.count = count;
    if (chirp_) chirp_->apply(part, 1 / (scale_ * static_cast<double>(chirp_->padded)));
    else if (count == 1 && length_ >= kLeastSplit) applyAlone(part);
    else applySideBySide(part);
  }
}

void FourierTransform::applyAlone(const FourierLines& line) {
  if (!split_) {
    const size_t columns = columnsOf(factors_, length_);
    if (columns < kLanes) return applySideBySide(line);
    split_ = std::make_unique<Split>(length_ / columns, columns, sign_ > 0);
  }
  split_->apply(line, roots_);
}

void FourierTransform::applySideBySide(const FourierLines& lines) {
  const size_t size = length_ * kLanes;
  lanes_.resize(4 * size);
  const LaneBuffer first{lanes_.data(), lanes_.data() + size}, second{lanes_.data() + 2 * size, lanes_.data() + 3 * size};
  for (size_t i = 0; i < length_; ++i)
    for (size_t l = 0; l < kLanes; ++l) {
      const Complex value = l < lines.count ? lines.first[l * lines.lineStep + i * lines.step] : Complex();
      first.re[i * kLanes + l] = value.real();
      first.im[i * kLanes + l] = value.imag();
    }
  const LaneBuffer& result = transformLanes(first, second, length_, factors_, roots_) ? first : second;
  for (size_t i = 0; i < length_; ++i)
    for (size_t l = 0; l < lines.count; ++l)
      lines.first[l * lines.lineStep + i * lines.step] = Complex(result.re[i * kLanes + l], result.im[i * kLanes + l]) / scale_;
}

}  // namespace tessera
