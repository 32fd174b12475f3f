// See transform.h. Roots of unity are computed one by one from reduced angles, so that errors do not add up.
#include "core/fourier/transform.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <numbers>

namespace tessera {

namespace {

constexpr size_t kLeastSplit = 256;     // shorter lines are not worth cutting
constexpr size_t kMaxLaneChirp = 2048;  // padded; of longer ones the lane buffers leave the second cache
constexpr size_t kMaxPrime = 2048, kMaxCircleRadix = 13;  // radices beyond cost more than a chirp's padding
constexpr size_t kMaxUnboundedWork = size_t{1} << 26;

// exp(sign · 2πi k / length) for all k: of an eighth of the circle, where that is whole, or half; the others mirror
// them.
std::vector<std::complex<double>> preciseRoots(size_t length, double sign) {
  if (length == 0) return {};
  std::vector<std::complex<double>> roots(length);
  const bool eighths = length % 8 == 0;
  for (size_t k = 0; k <= (eighths ? length / 8 : length / 2); ++k) roots[k] = rootOfUnity(k, length, sign);
  if (eighths) {
    const size_t quarter = length / 4;
    for (size_t k = length / 8 + 1; k <= quarter; ++k)
      roots[k] = {sign * roots[quarter - k].imag(), sign * roots[quarter - k].real()};
    for (size_t k = quarter + 1; k <= length / 2; ++k)
      roots[k] = {-sign * roots[k - quarter].imag(), sign * roots[k - quarter].real()};
  }
  for (size_t k = length / 2 + 1; k < length; ++k) roots[k] = std::conj(roots[length - k]);
  return roots;
}

// a · b mod n, also where the product leaves 64 bits.
size_t productModulo(size_t a, size_t b, size_t n) {
  const bool narrow = (a | b) >> 32 == 0;
  return narrow ? a * b % n : static_cast<size_t>(static_cast<unsigned __int128>(a) * b % n);
}

// Radices whose product is the length, as far as there are; takes them out of `rest`. Powers of two by eights and
// fours.
std::vector<size_t> takeFactors(size_t& rest) {
  std::vector<size_t> factors;
  const auto take = [&](size_t radix) {
    factors.push_back(radix);
    rest /= radix;
  };
  const auto twos = static_cast<size_t>(rest == 0 ? 0 : std::countr_zero(rest));
  for (size_t fours = twos % 3 == 2 ? 1 : twos % 3 == 1 && twos >= 4 ? 2 : 0; fours > 0; --fours) take(4);
  while (rest > 1 && rest % 8 == 0) take(8);
  for (size_t radix : {2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31})
    while (rest > 1 && rest % radix == 0) take(radix);
  static_assert(kLargestRadix == 31);
  return factors;
}

// The factors' product nearest to the root of the length from below.
size_t columnsOf(const std::vector<size_t>& factors, size_t length) {
  std::vector<size_t> products{1};
  for (size_t factor : factors)
    for (size_t prime : factor == 8   ? std::vector<size_t>{2, 2, 2}
                        : factor == 4 ? std::vector<size_t>{2, 2}
                                      : std::vector<size_t>{factor}) {
      const size_t known = products.size();
      for (size_t i = 0; i < known; ++i)
        if (const size_t next = products[i] * prime; next * next <= length) products.push_back(next);
      std::ranges::sort(products);
      products.erase(std::ranges::unique(products).begin(), products.end());
    }
  return products.back();
}

// The least length of 5, 6, 7 or 8 times a power of two that holds a convolution of lines of n elements.
size_t paddedLength(size_t n) {
  const size_t whole = std::max<size_t>(std::bit_ceil(2 * n - 1), 8);
  for (size_t eighths : {5, 6, 7})
    if (whole / 8 * eighths >= 2 * n - 1) return whole / 8 * eighths;
  return whole;
}

size_t powerModulo(size_t base, size_t exponent, size_t n) {
  size_t power = 1;
  for (; exponent > 0; exponent /= 2, base = base * base % n)
    if (exponent % 2 == 1) power = power * base % n;
  return power;
}

// Its powers are all numbers from 1 to n - 1, for a prime n: 0 for other lengths.
size_t primitiveRoot(size_t n) {
  for (size_t d = 2; d * d <= n; ++d)
    if (n % d == 0) return 0;
  std::vector<size_t> radices;
  size_t rest = n - 1;
  for (size_t d = 2; rest > 1; ++d)
    if (rest % d == 0) {
      radices.push_back(d);
      while (rest % d == 0) rest /= d;
    }
  size_t root = 1;
  const auto repeatsEarly = [&](size_t radix) { return powerModulo(root, (n - 1) / radix, n) == 1; };
  do ++root;
  while (std::ranges::any_of(radices, repeatsEarly));
  return root;
}

// A short prime whose circle has small factors.
bool suitsCircle(size_t n) {
  if (n > kMaxPrime || n <= kLargestRadix || primitiveRoot(n) == 0) return false;
  size_t rest = n - 1;
  const std::vector<size_t> factors = takeFactors(rest);
  return rest == 1 && std::ranges::max(factors) <= kMaxCircleRadix;
}

// In double precision, for kernels: their errors are in all results.
std::vector<std::complex<double>> spectrumOf(std::vector<std::complex<double>> line);

}  // namespace

std::complex<double> rootOfUnity(size_t numerator, size_t denominator, double sign) {
  const bool narrow = numerator >> 61 == 0;
  const size_t eighths = narrow ? numerator * 8 / denominator
                                : static_cast<size_t>(static_cast<unsigned __int128>(numerator) * 8 / denominator);
  const size_t quarter = (eighths + 1) / 2;  // nearest quarter turn
  const double rest =
      (static_cast<double>(numerator) * 4 - static_cast<double>(quarter) * static_cast<double>(denominator)) /
      (4 * static_cast<double>(denominator));
  const double c = std::cos(2 * std::numbers::pi * rest), s = std::sin(2 * std::numbers::pi * rest);
  const std::complex<double> rotated[] = {{c, s}, {-s, c}, {-c, -s}, {s, -c}};
  const std::complex<double> root = rotated[quarter % 4];
  return {root.real(), sign * root.imag()};
}

template <class Real>
std::vector<std::complex<Real>> rootsOfUnity(size_t length, double sign) {
  const auto precise = preciseRoots(length, sign);
  return {precise.begin(), precise.end()};
}

// A transform of prime length n as a circular convolution of n - 1 elements. order: powers of a primitive root.
template <class Real>
struct FourierTransform<Real>::Prime {
  std::vector<uint32_t> order;
  std::vector<Complex> kernel;
  FourierTransform circle;
  Real scale;

  Prime(size_t n, double sign, Real scaleOfResult) : kernel(n - 1), circle(n - 1, false, true), scale(scaleOfResult) {
    const size_t root = primitiveRoot(n);
    std::vector<std::complex<double>> precise(n - 1);
    for (size_t q = 0, power = 1; q + 1 < n; ++q, power = power * root % n) {
      order.push_back(static_cast<uint32_t>(power));
      precise[(n - 1 - q) % (n - 1)] = rootOfUnity(power, n, sign) / static_cast<double>(n - 1);
    }
    std::ranges::transform(spectrumOf(std::move(precise)), kernel.begin(),
                           [](const std::complex<double>& x) { return Complex(x); });
  }

  size_t lanesSize() const { return 2 * (order.size() + 1) * kLaneElement<Real>; }
  void apply(const Lines& from, const Lines& to, const Work& work) const {
    transformPrimes<Real>({circle.lanes(), order.data(), kernel.data(), scale}, from, to, work.lanes);
  }
};

// A transform of length n as a convolution with exp(πi k² / n), done by transforms of a length of small factors. The
// one back is the forward one of conjugates.
template <class Real>
struct FourierTransform<Real>::Chirp {
  size_t padded;
  std::vector<Complex> chirp, kernel;
  FourierTransform forward, sideBySide;  // of lines alone and in lanes
  Real scale;

  Chirp(size_t n, double sign, Real scaleOfResult)
      : padded(paddedLength(n)),
        chirp(n),
        kernel(padded),
        forward(padded, false, false),
        sideBySide(padded, false, true),
        scale(scaleOfResult) {
    std::vector<std::complex<double>> precise(padded);
    for (size_t k = 0; k < n; ++k) {
      const std::complex<double> root = rootOfUnity(productModulo(k, k, 2 * n), 2 * n, sign);
      chirp[k] = Complex(root);
      precise[k] = precise[(padded - k) % padded] = std::conj(root) / static_cast<double>(padded);
    }
    std::ranges::transform(spectrumOf(std::move(precise)), kernel.begin(),
                           [](const std::complex<double>& x) { return Complex(x); });
  }

  bool goesInLanes() const { return padded <= kMaxLaneChirp; }
  size_t together() const { return goesInLanes() ? kLanes : forward.together(); }
  size_t lineSize() const { return 2 * padded * forward.together() + forward.lineSize(); }
  size_t lanesSize() const {
    return goesInLanes() ? std::max(forward.lanesSize(), sideBySide.lanesSize()) : forward.lanesSize();
  }

  // At most together() lines.
  void apply(const Lines& from, const Lines& to, const Work& work) const {
    if (goesInLanes() && 4 * from.count >= kLanes)
      return transformChirps<Real>({sideBySide.lanes(), chirp.size(), chirp.data(), kernel.data(), scale}, from, to,
                                   work.lanes);
    for (size_t l = 0; l < from.count; l += forward.together()) {
      const size_t count = std::min(forward.together(), from.count - l);
      applyAlone({from.first + l * from.lineStep, count, from.lineStep, from.step},
                 {to.first + l * to.lineStep, count, to.lineStep, to.step}, work);
    }
  }

  // At most forward.together() lines, one after the other in the work line.
  void applyAlone(const Lines& from, const Lines& to, const Work& work) const {
    auto* padding = reinterpret_cast<Complex*>(work.line);
    const Work below{work.line + 2 * padded * forward.together(), work.lanes, work.loop};
    const Lines lines{padding, from.count, padded, 1};
    for (size_t l = 0; l < from.count; ++l) {
      Complex* line = padding + l * padded;
      const Complex* source = from.first + l * from.lineStep;
      for (size_t k = 0; from.step != 1 && k < chirp.size(); ++k) line[k] = source[k * from.step];
      multiplyElements<Real>(line, from.step == 1 ? source : line, chirp.data(), chirp.size(), {false, false}, 1);
      std::fill(line + chirp.size(), line + padded, Complex());
    }
    forward.apply(lines, lines, below);
    for (size_t l = 0; l < from.count; ++l)
      multiplyElements<Real>(padding + l * padded, padding + l * padded, kernel.data(), padded, {false, true}, 1);
    forward.apply(lines, lines, below);
    for (size_t l = 0; l < from.count; ++l) {
      Complex *line = padding + l * padded, *target = to.first + l * to.lineStep;
      multiplyElements<Real>(to.step == 1 ? target : line, line, chirp.data(), chirp.size(), {true, false}, scale);
      for (size_t k = 0; to.step != 1 && k < chirp.size(); ++k) target[k * to.step] = line[k];
    }
  }
};

// A line of rows · columns elements as a matrix: with element (i, j) at i·columns + j, and (u, v) of its spectrum at
// u + rows·v, the columns are transformed, each (u, j) is multiplied by the twiddle factor root(u·j), and then the
// rows are.
template <class Real>
struct FourierTransform<Real>::Split {
  size_t rows, columns;
  FourierTransform down, across;
  std::vector<Complex> far;  // twiddle factors of (u, first column of a group) at group · rows + u
  std::vector<Real> near;    // a lane buffer of root(u · lane)

  Split(size_t rowCount, size_t columnCount, bool inverse)
      : rows(rowCount),
        columns(columnCount),
        down(rowCount, inverse, true),
        across(columnCount, inverse, true),
        near(rowCount * kLaneElement<Real>) {
    const double sign = inverse ? 1 : -1;
    const size_t length = rows * columns;
    far.reserve(columnGroups() * rows);
    for (size_t group = 0; group < columnGroups(); ++group)
      for (size_t u = 0; u < rows; ++u) far.push_back(Complex(rootOfUnity(u * group * kLanes % length, length, sign)));
    for (size_t u = 0; u < rows; ++u)
      for (size_t l = 0; l < kLanes; ++l) {
        const auto root = rootOfUnity(u * l % length, length, sign);
        near[u * kLaneElement<Real> + l] = static_cast<Real>(root.real());
        near[u * kLaneElement<Real> + kLanes + l] = static_cast<Real>(root.imag());
      }
  }

  size_t columnGroups() const { return (columns + kLanes - 1) / kLanes; }
  size_t rowGroups() const { return (rows + kLanes - 1) / kLanes; }
  size_t groupSize() const { return columns * kLaneElement<Real>; }
  size_t lanesSize() const { return std::max(down.lanesSize(), across.lanesSize()); }
  // Whether the lanes of its groups are nearly all taken.
  bool fillsLanes() const {
    return 10 * rows * columns >= 9 * (columnGroups() * rows + rowGroups() * columns) * kLanes / 2;
  }

  void apply(Complex* from, size_t fromStep, Complex* to, size_t toStep, const Work& work) const {
    work.loop.over(columnGroups(), [&](size_t group, size_t thread) {
      const size_t column = group * kLanes;
      const Lines lines{from + column * fromStep, std::min(kLanes, columns - column), fromStep, columns * fromStep};
      transformColumns<Real>(down.lanes(), lines, {far.data() + group * rows, near.data()}, columns, column, work.line,
                             work.lanes + thread * lanesSize());
    });
    work.loop.over(rowGroups(), [&](size_t group, size_t thread) {
      const size_t row = group * kLanes;
      const Lines lines{to + row * toStep, std::min(kLanes, rows - row), toStep, rows * toStep};
      transformRows<Real>(across.lanes(), work.line + group * groupSize(), lines, work.lanes + thread * lanesSize());
    });
  }
};

template <class Real>
FourierTransform<Real>::FourierTransform(size_t length, bool inverse, bool interleaved) : length_(length) {
  const double sign = inverse ? 1 : -1;
  if (inverse && length > 0) scale_ = static_cast<Real>(1 / static_cast<double>(length));
  size_t rest = length;
  factors_ = takeFactors(rest);
  if (rest > 1 && suitsCircle(length)) {
    prime_ = std::make_unique<Prime>(length, sign, scale_);
    return;
  }
  if (rest > 1) {
    chirp_ = std::make_unique<Chirp>(length, sign, scale_);
    return;
  }
  const size_t columns = interleaved || length < kLeastSplit ? 1 : columnsOf(factors_, length);
  if (columns >= kLanes) split_ = std::make_unique<Split>(length / columns, columns, inverse);
  if (split_ && length < 4 * kLeastSplit && !split_->fillsLanes()) split_.reset();
  if (!split_) roots_ = rootsOfUnity<Real>(length, sign);
}

template <class Real>
FourierTransform<Real>::FourierTransform(FourierTransform&&) noexcept = default;
template <class Real>
FourierTransform<Real>::~FourierTransform() = default;

template <class Real>
size_t FourierTransform<Real>::together() const {
  return chirp_ ? chirp_->together() : split_ ? 1 : kLanes;
}

template <class Real>
size_t FourierTransform<Real>::lineSize() const {
  if (chirp_) return chirp_->lineSize();
  return split_ ? split_->rowGroups() * split_->groupSize() : 0;
}

template <class Real>
size_t FourierTransform<Real>::lanesSize() const {
  if (prime_) return prime_->lanesSize();
  return chirp_ ? chirp_->lanesSize() : split_ ? split_->lanesSize() : 2 * length_ * kLaneElement<Real>;
}

template <class Real>
void FourierTransform<Real>::apply(const Lines& from, const Lines& to, const Work& work) const {
  if (length_ == 0) return;
  for (size_t line = 0; line < from.count; line += together()) {
    const size_t count = std::min(together(), from.count - line);
    const Lines source{from.first + line * from.lineStep, count, from.lineStep, from.step};
    const Lines target{to.first + line * to.lineStep, count, to.lineStep, to.step};
    if (prime_)
      prime_->apply(source, target, work);
    else if (chirp_)
      chirp_->apply(source, target, work);
    else if (split_)
      split_->apply(source.first, source.step, target.first, target.step, work);
    else
      transformLines<Real>(lanes(), source, target, work.lanes);
  }
}

namespace {
std::vector<std::complex<double>> spectrumOf(std::vector<std::complex<double>> line) {
  const FourierTransform<double> transform(line.size(), false, false);
  std::vector<double> work(transform.lineSize()), lanes(transform.lanesSize());
  const FourierLines<double> lines{line.data(), 1, line.size(), 1};
  transform.apply(lines, lines, {work.data(), lanes.data(), {}});
  return line;
}
}  // namespace

template <class Real>
bool canTakeOutUnbounded(const Real* line, size_t step, size_t length) {
  size_t count = 0;
  for (size_t i = 0; i < length; ++i) count += !std::isfinite(line[i * step]);
  return count <= kMaxUnboundedWork / std::max<size_t>(length, 1);
}

template <class Real>
void addUnbounded(const Real* line, size_t step, size_t length, std::complex<Real>* spectrum) {
  for (size_t i = 0; i < length; ++i) {
    const Real value = line[i * step];
    if (std::isfinite(value)) continue;
    const auto times = [&](double factor) { return factor == 0 ? Real(0) : static_cast<Real>(factor) * value; };
    for (size_t k = 0; k <= length / 2; ++k) {
      const std::complex<double> root = rootOfUnity(productModulo(i, k, length), length, -1);
      spectrum[k] = {spectrum[k].real() + times(root.real()), spectrum[k].imag() + times(root.imag())};
    }
  }
}

#define TESSERA_FOURIER(Real)                                            \
  template std::vector<std::complex<Real>> rootsOfUnity(size_t, double); \
  template class FourierTransform<Real>;                                 \
  template bool canTakeOutUnbounded(const Real*, size_t, size_t);        \
  template void addUnbounded(const Real*, size_t, size_t, std::complex<Real>*);
TESSERA_FOURIER(float)
TESSERA_FOURIER(double)
#undef TESSERA_FOURIER

}  // namespace tessera
