// See fourier_step.h.
#include "backends/runtime/fourier_step.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "core/base/tuning.h"
#include "core/fourier/transform.h"

namespace tessera::cpu {

namespace {

template <class Real>
class FourierStep : public FourierStepBase {
 public:
  explicit FourierStep(const Fourier& shape);
  Status run(RunState& state) override;
  int64_t scratchBytes() const override;

 private:
  using Complex = std::complex<Real>;
  using Transform = FourierTransform<Real>;
  using Lines = FourierLines<Real>;
  using Work = typename Transform::Work;

  static size_t rounded(size_t count) { return (count + 15) / 16 * 16; }
  size_t last() const { return static_cast<size_t>(shape_.dimensions) - 1; }
  size_t length(size_t d) const { return static_cast<size_t>(shape_.lengths[d]); }
  size_t realLength() const { return length(last()); }
  // Elements of a line of the complex side.
  size_t lineLength() const { return shape_.kind == FourierKind::Complex ? realLength() : realLength() / 2 + 1; }
  bool isHalved() const { return shape_.kind != FourierKind::Complex && realLength() % 2 == 0; }
  size_t innerOf(size_t d) const;
  size_t lineCount() const;  // along the last dimension
  // Real numbers of scratch: of all threads together, and where a thread's odd real lines become complex.
  size_t oddSize() const {
    return shape_.kind == FourierKind::Complex || isHalved()
               ? 0
               : rounded(2 * realLength() * transforms_[last()].together());
  }
  size_t threadSize() const;
  size_t spectraSize() const {
    return shape_.kind == FourierKind::HalfToReal && shape_.dimensions > 1 ? rounded(2 * lineCount() * lineLength())
                                                                           : 0;
  }

  template <class Fn>
  void forChunks(RunState& state, const Transform& transform, size_t chunks, size_t chunkElements, Fn&& fn);
  void transformOuter(RunState& state, size_t d, Complex* from, Complex* to);
  void transformLast(RunState& state, const void* from, void* to);
  void complexLines(const Complex* from, Complex* to, size_t first, size_t count, const Work& work) const;
  void realLines(const Real* from, Complex* to, size_t first, size_t count, const Work& work, Real* odd) const;
  void halfLines(const Complex* from, Real* to, size_t first, size_t count, const Work& work, Real* odd) const;

  std::vector<Transform> transforms_;  // by dimension
  std::vector<Complex> roots_;         // of half a real line's
  size_t lineSize_ = 0, lanesSize_ = 0;
};

template <class Real>
FourierStep<Real>::FourierStep(const Fourier& shape) : FourierStepBase(shape) {
  for (size_t d = 0; d <= last(); ++d) {
    const bool interleaved = d < last() && innerOf(d) >= kFourierLanes<Real> / 2;
    transforms_.emplace_back(d == last() && isHalved() ? length(d) / 2 : length(d), shape.inverse, interleaved);
    lineSize_ = std::max(lineSize_, rounded(transforms_.back().lineSize()));
    lanesSize_ = std::max(lanesSize_, rounded(transforms_.back().lanesSize()));
  }
  if (isHalved()) roots_ = rootsOfUnity<Real>(realLength(), -1);
  roots_.resize(std::min(roots_.size(), realLength() / 4 + 1));
}

template <class Real>
size_t FourierStep<Real>::innerOf(size_t d) const {
  size_t out = 1;
  for (size_t i = d + 1; i <= last(); ++i) out *= i == last() ? lineLength() : length(i);
  return out;
}

template <class Real>
size_t FourierStep<Real>::lineCount() const {
  size_t out = static_cast<size_t>(shape_.lines);
  for (size_t d = 0; d < last(); ++d) out *= length(d);
  return out;
}

template <class Real>
size_t FourierStep<Real>::threadSize() const {
  return lineSize_ + oddSize() + lanesSize_;
}

template <class Real>
int64_t FourierStep<Real>::scratchBytes() const {
  return static_cast<int64_t>((spectraSize() + threadSize() * static_cast<size_t>(shape_.threads)) * sizeof(Real));
}

// fn(chunk, work, odd) of all chunks: each by one thread, or, where there are few long ones, by all of them.
template <class Real>
template <class Fn>
void FourierStep<Real>::forChunks(RunState& state, const Transform& transform, size_t chunks, size_t chunkElements,
                                  Fn&& fn) {
  const auto threads = static_cast<size_t>(shape_.threads);
  Real* base = reinterpret_cast<Real*>(state.pointers[static_cast<size_t>(shape_.scratch)]) + spectraSize();
  Real* lanes = base + (lineSize_ + oddSize()) * threads;
  if (chunks < threads && transform.length() >= tuning().threads.fourierElements) {
    const FourierLoop loop{[](void* pool, int64_t count, int64_t chunk, FourierLoop::Work work, void* context) {
                             static_cast<ThreadPool*>(pool)->run(count, chunk, work, context);
                           },
                           state.pool};
    for (size_t i = 0; i < chunks; ++i) fn(i, Work{base, lanes, loop}, base + lineSize_);
    return;
  }
  const size_t grain = std::max<size_t>(1, tuning().threads.fourierElements / std::max<size_t>(1, chunkElements));
  state.pool->parallelFor(static_cast<int64_t>(chunks), static_cast<int64_t>(grain),
                          [&](int64_t begin, int64_t end, int thread) {
                            Real* mine = base + (lineSize_ + oddSize()) * static_cast<size_t>(thread);
                            for (int64_t i = begin; i < end; ++i)
                              fn(static_cast<size_t>(i),
                                 Work{mine, lanes + lanesSize_ * static_cast<size_t>(thread), {}}, mine + lineSize_);
                          });
}

// Along a dimension that is not the last: lines are side by side.
template <class Real>
void FourierStep<Real>::transformOuter(RunState& state, size_t d, Complex* from, Complex* to) {
  constexpr size_t kLanes = kFourierLanes<Real>;
  const size_t inner = innerOf(d), groups = (inner + kLanes - 1) / kLanes, size = length(d) * inner;
  const size_t blocks = lineCount() * lineLength() / size;
  forChunks(state, transforms_[d], blocks * groups, kLanes * length(d), [&](size_t chunk, const Work& work, Real*) {
    const size_t at = chunk / groups * size + chunk % groups * kLanes,
                 count = std::min(kLanes, inner - chunk % groups * kLanes);
    transforms_[d].apply(Lines{from + at, count, 1, inner}, Lines{to + at, count, 1, inner}, work);
  });
}

template <class Real>
void FourierStep<Real>::complexLines(const Complex* from, Complex* to, size_t first, size_t count,
                                     const Work& work) const {
  const size_t n = realLength();
  transforms_[last()].apply(Lines{const_cast<Complex*>(from) + first * n, count, n, 1},
                            Lines{to + first * n, count, n, 1}, work);
}

template <class Real>
void FourierStep<Real>::realLines(const Real* from, Complex* to, size_t first, size_t count, const Work& work,
                                  Real* odd) const {
  const size_t n = realLength(), half = n / 2, spectrum = lineLength();
  from += first * n;
  to += first * spectrum;
  const bool finite = allFinite(from, count * n);
  // Element i of a line, 0 for what is added later.
  const auto taken = [](Real x, bool takeOut) { return takeOut && !std::isfinite(x) ? Real(0) : x; };
  auto* expanded = reinterpret_cast<Complex*>(odd);
  const auto forCleaned = [&](auto&& store) {
    for (size_t l = 0; l < count; ++l) {
      const bool takeOut = !finite && canTakeOutUnbounded(from + l * n, 1, n);
      for (size_t i = 0; i < n; ++i) store(l, i, taken(from[l * n + i], takeOut));
    }
  };
  if (isHalved()) {
    Lines source{reinterpret_cast<Complex*>(const_cast<Real*>(from)), count, half, 1};
    const Lines target{to, count, spectrum, 1};
    if (!finite) {
      forCleaned([&](size_t l, size_t i, Real x) { reinterpret_cast<Real*>(to + l * spectrum)[i] = x; });
      source = target;
    }
    transforms_[last()].apply(source, target, work);
    for (size_t l = 0; l < count; ++l) joinHalves<Real>(to + l * spectrum, half, roots_.data());
  } else {
    forCleaned([&](size_t l, size_t i, Real x) { expanded[l * n + i] = x; });
    const Lines lines{expanded, count, n, 1};
    transforms_[last()].apply(lines, lines, work);
    for (size_t l = 0; l < count; ++l) std::copy_n(expanded + l * n, spectrum, to + l * spectrum);
  }
  for (size_t l = 0; !finite && l < count; ++l)
    if (canTakeOutUnbounded(from + l * n, 1, n)) addUnbounded(from + l * n, 1, n, to + l * spectrum);
}

template <class Real>
void FourierStep<Real>::halfLines(const Complex* from, Real* to, size_t first, size_t count, const Work& work,
                                  Real* odd) const {
  const size_t n = realLength(), half = n / 2, spectrum = lineLength();
  from += first * spectrum;
  to += first * n;
  if (isHalved()) {
    auto* pairs = reinterpret_cast<Complex*>(to);
    const Lines lines{pairs, count, half, 1};
    for (size_t l = 0; l < count; ++l) partHalves<Real>(from + l * spectrum, pairs + l * half, half, roots_.data());
    transforms_[last()].apply(lines, lines, work);
    return;
  }
  auto* expanded = reinterpret_cast<Complex*>(odd);
  const Lines lines{expanded, count, n, 1};
  for (size_t l = 0; l < count; ++l) {
    expanded[l * n] = from[l * spectrum].real();
    for (size_t k = 1; k < spectrum; ++k) {
      expanded[l * n + k] = from[l * spectrum + k];
      expanded[l * n + n - k] = std::conj(from[l * spectrum + k]);
    }
  }
  transforms_[last()].apply(lines, lines, work);
  for (size_t i = 0; i < count * n; ++i) to[i] = expanded[i].real();
}

template <class Real>
void FourierStep<Real>::transformLast(RunState& state, const void* from, void* to) {
  const Transform& transform = transforms_[last()];
  const size_t together = transform.together(), count = lineCount(), chunks = (count + together - 1) / together;
  forChunks(state, transform, chunks, together * realLength(), [&](size_t chunk, const Work& work, Real* odd) {
    const size_t first = chunk * together, lines = std::min(together, count - first);
    switch (shape_.kind) {
      case FourierKind::Complex:
        return complexLines(static_cast<const Complex*>(from), static_cast<Complex*>(to), first, lines, work);
      case FourierKind::RealToHalf:
        return realLines(static_cast<const Real*>(from), static_cast<Complex*>(to), first, lines, work, odd);
      case FourierKind::HalfToReal:
        return halfLines(static_cast<const Complex*>(from), static_cast<Real*>(to), first, lines, work, odd);
    }
  });
}

template <class Real>
Status FourierStep<Real>::run(RunState& state) {
  void* from = state.pointers[static_cast<size_t>(shape_.from)];
  void* to = state.pointers[static_cast<size_t>(shape_.to)];
  if (shape_.kind == FourierKind::HalfToReal && shape_.dimensions > 1) {
    auto* spectra = reinterpret_cast<Complex*>(state.pointers[static_cast<size_t>(shape_.scratch)]);
    for (size_t d = 0; d < last(); ++d)
      transformOuter(state, d, d == 0 ? static_cast<Complex*>(from) : spectra, spectra);
    from = spectra;
  }
  transformLast(state, from, to);
  for (size_t d = last(); shape_.kind != FourierKind::HalfToReal && d-- > 0;)
    transformOuter(state, d, static_cast<Complex*>(to), static_cast<Complex*>(to));
  return {};
}

}  // namespace

std::unique_ptr<FourierStepBase> makeFourierStep(const Fourier& shape) {
  if (shape.isDouble) return std::make_unique<FourierStep<double>>(shape);
  return std::make_unique<FourierStep<float>>(shape);
}

}  // namespace tessera::cpu

extern "C" tessera::cpu::Step* tessera_step_fourier(tessera::cpu::FieldReader& in) {
  tessera::cpu::Fourier shape;
  in(shape);
  return in.good() ? tessera::cpu::makeFourierStep(shape).release() : nullptr;
}
