// See special_functions.h. Sources: Giles 2010 (erf_inv), Cephes (erfc, bessel_i1e), Lanczos with g = 7 (lgamma,
// digamma), Euler and Maclaurin (zeta).
#include "core/formats/stablehlo/special_functions.h"

#include <cmath>
#include <limits>
#include <numbers>

namespace tessera::mlir {
namespace {}  // namespace

// --- erf_inv
namespace {

constexpr double kCentral[] = {2.81022636e-08, 3.43273939e-07, -3.5233877e-06, -4.39150654e-06, 0.00021858087,
                               -0.00125372503, -0.00417768164, 0.246640727,    1.50140941};
constexpr double kTail[] = {-0.000200214257, 0.000100950558, 0.00134934322, -0.00367342844, 0.00573950773,
                            -0.0076224613,   0.00943887047,  1.00167406,    2.83297682};

}  // namespace

Value erfInverse(Value x) {
  const Value w = -(-(x * x)).of(Opcode::LogPlusOne);
  const Value central = polynomial(w - 2.5, kCentral), tail = polynomial(w.of(Opcode::Sqrt) - 3.0, kTail);
  Value y = w.compare("LT", w.constant(5)).select(central, tail) * x;
  if (x.shape().type == ElementType::F64) {
    // Two steps of Newton's method: erf'(y) = 2/sqrt(pi) exp(-y^2).
    const double scale = std::sqrt(std::numbers::pi) / 2;
    for (int step = 0; step < 2; ++step) {
      const Value next = y - (y.of(Opcode::Erf) - x) * scale * (y * y).of(Opcode::Exponential);
      y = next.of(Opcode::Abs).compare("LT", y.constant(kInfinity)).select(next, y);
    }
  }
  return x.of(Opcode::Abs).compare("EQ", x.constant(1)).select(x * kInfinity, y);
}

// --- erfc
namespace {

constexpr double kErfcNear[] = {2.326819970068386e-2,  -1.387039388740657e-1, 3.687424674597105e-1,
                                -5.824733027278666e-1, 6.210004621745983e-1,  -4.944515323274145e-1,
                                3.404879937665872e-1,  -2.741127028184656e-1, 5.638259427386472e-1};
constexpr double kErfcFar[] = {-1.047766399936249e+1, 1.297719955372516e+1,  -7.495518717768503e+0,
                               2.921019019210786e+0,  -1.015265279202700e+0, 4.218463358204948e-1,
                               -2.820767439740514e-1, 5.641895067754075e-1};

// exp(-x^2) times a polynomial in 1/x^2, for |x| above 1.
Value erfcTail(Value x) {
  const Value a = x.of(Opcode::Abs);
  const Value z = (-(x * x)).of(Opcode::Exponential), q = a.constant(1) / a;
  const Value y = q * q;
  const Value p = a.compare("LT", a.constant(2)).select(polynomial(y, kErfcNear), polynomial(y, kErfcFar));
  const Value positive = z * q * p;
  const Value clamped = z.compare("EQ", z.constant(0)).select(z, positive);
  return x.compare("LT", x.constant(0)).select(clamped.constant(2) - clamped, clamped);
}

}  // namespace

Value erfComplement(Value x) {
  const Value near = x.constant(1) - x.of(Opcode::Erf);
  if (x.shape().type == ElementType::F64) return near;
  return x.of(Opcode::Abs).compare("GT", x.constant(1)).select(erfcTail(x), near);
}

// --- lgamma, digamma
namespace {

constexpr double kLanczosG = 7, kLanczosBase = 0.99999999999980993227684700473478;
constexpr double kLanczos[] = {676.520368121885098567009190444019, -1259.13921672240287047156078755283,
                               771.3234287776530788486528258894,   -176.61502916214059906584551354,
                               12.507343278686904814458936853,     -0.13857109526572011689554707,
                               9.984369578019570859563e-6,         1.50563273514931155834e-7};

struct Lanczos {
  Value reflected, z, logT;
};

// Arguments below 1/2 are reflected; log(z + g + 1/2) as log(g + 1/2) + log1p(z / (g + 1/2)).
Lanczos lanczosOf(Value x) {
  const Value reflected = x.compare("LT", x.constant(0.5));
  const Value z = reflected.select(-x, x - 1.0);
  return {reflected, z, (z * (1 / (kLanczosG + 0.5))).of(Opcode::LogPlusOne) + std::log(kLanczosG + 0.5)};
}

}  // namespace

Value logGamma(Value x) {
  const auto [reflected, z, logT] = lanczosOf(x);
  Value sum = x.constant(kLanczosBase);
  for (size_t i = 0; i < std::size(kLanczos); ++i)
    sum = sum + x.constant(kLanczos[i]) / (z + static_cast<double>(i + 1));
  const Value t = z + (kLanczosG + 0.5);
  const Value logY = (z + 0.5 - t / logT) * logT + std::log(2 * std::numbers::pi) / 2 + sum.of(Opcode::Log);
  // log(|sin(pi x)|), with x reduced to [0, 1/2] first.
  const Value a = x.of(Opcode::Abs), fraction = a - a.of(Opcode::Floor);
  const Value reduced =
      fraction.compare("GT", fraction.constant(0.5)).select(fraction.constant(1) - fraction, fraction);
  const Value logSine = (reduced * std::numbers::pi).of(Opcode::Sine).of(Opcode::Log);
  const Value finite = logSine.of(Opcode::Abs).compare("LT", x.constant(kInfinity));
  const Value reflection = finite.select(x.constant(std::log(std::numbers::pi)) - logSine - logY, -logSine);
  const Value result = reflected.select(reflection, logY);
  return a.compare("EQ", a.constant(kInfinity)).select(a, result);
}

Value digamma(Value x) {
  const auto [reflected, z, logT] = lanczosOf(x);
  Value numerator = x.constant(0), denominator = x.constant(kLanczosBase);
  for (size_t i = 0; i < std::size(kLanczos); ++i) {
    const Value place = z + static_cast<double>(i + 1), term = x.constant(kLanczos[i]) / place;
    numerator = numerator - term / place;
    denominator = denominator + term;
  }
  const Value t = z + (kLanczosG + 0.5);
  const Value y = logT + numerator / denominator - x.constant(kLanczosG) / t;
  // pi cot(pi x), with x reduced by its nearest integer.
  const Value reduced = (x + (x + 0.5).of(Opcode::Floor).of(Opcode::Abs)) * std::numbers::pi;
  const Value reflection = y - (reduced.of(Opcode::Cosine) / reduced.of(Opcode::Sine)) * std::numbers::pi;
  const Value result = reflected.select(reflection, y);
  const Value nan = x.constant(std::numeric_limits<double>::quiet_NaN());
  const Value whole = x.compare("EQ", x.of(Opcode::Floor)), below = x.compare("LE", x.constant(0));
  return whole.with(Opcode::And, below).select(nan, result);
}

// --- bessel_i1e
namespace {

// Chebyshev coefficients of exp(-x) I1(x) / x on [0, 8] in x/2 - 2, and of exp(-x) sqrt(x) I1(x) above 8 in 32/x - 2.
constexpr double kBesselNear32[] = {9.38153738649577178388e-9,  -4.44505912879632808065e-8, 2.00329475355213526229e-7,
                                    -8.56872026469545474066e-7, 3.47025130813767847674e-6,  -1.32731636560394358279e-5,
                                    4.78156510755005422638e-5,  -1.61760815825896745588e-4, 5.12285956168575772895e-4,
                                    -1.51357245063125314899e-3, 4.15642294431288815669e-3,  -1.05640848946261981558e-2,
                                    2.47264490306265168283e-2,  -5.29459812080949914269e-2, 1.02643658689847095384e-1,
                                    -1.76416518357834055153e-1, 2.52587186443633654823e-1};
constexpr double kBesselFar32[] = {-3.83538038596423702205e-9, -2.63146884688951950684e-8, -2.51223623787020892529e-7,
                                   -3.88256480887769039346e-6, -1.10588938762623716291e-4, -9.76109749136146840777e-3,
                                   7.78576235018280120474e-1};
constexpr double kBesselNear64[] = {
    2.77791411276104639959e-18, -2.11142121435816608115e-17, 1.55363195773620046921e-16, -1.10559694773538630805e-15,
    7.60068429473540693410e-15, -5.04218550472791168711e-14, 3.22379336594557470981e-13, -1.98397439776494371520e-12,
    1.17361862988909016308e-11, -6.66348972350202774223e-11, 3.62559028155211703701e-10, -1.88724975172282928790e-9,
    9.38153738649577178388e-9,  -4.44505912879632808065e-8,  2.00329475355213526229e-7,  -8.56872026469545474066e-7,
    3.47025130813767847674e-6,  -1.32731636560394358279e-5,  4.78156510755005422638e-5,  -1.61760815825896745588e-4,
    5.12285956168575772895e-4,  -1.51357245063125314899e-3,  4.15642294431288815669e-3,  -1.05640848946261981558e-2,
    2.47264490306265168283e-2,  -5.29459812080949914269e-2,  1.02643658689847095384e-1,  -1.76416518357834055153e-1,
    2.52587186443633654823e-1};
constexpr double kBesselFar64[] = {
    7.51729631084210481353e-18,  4.41434832307170791151e-18,  -4.65030536848935832153e-17, -3.20952592199342395980e-17,
    2.96262899764595013876e-16,  3.30820231092092828324e-16,  -1.88035477551078244854e-15, -3.81440307243700780478e-15,
    1.04202769841288027642e-14,  4.27244001671195135429e-14,  -2.10154184277266431302e-14, -4.08355111109219731823e-13,
    -7.19855177624590851209e-13, 2.03562854414708950722e-12,  1.41258074366137813316e-11,  3.25260358301548823856e-11,
    -1.89749581235054123450e-11, -5.58974346219658380687e-10, -3.83538038596423702205e-9,  -2.63146884688951950684e-8,
    -2.51223623787020892529e-7,  -3.88256480887769039346e-6,  -1.10588938762623716291e-4,  -9.76109749136146840777e-3,
    7.78576235018280120474e-1};

// Clenshaw's recurrence; coefficients from the highest order down.
Value chebyshev(Value x, std::span<const double> coefficients) {
  Value b0 = x.constant(coefficients[0]), b1 = x.constant(0), b2 = b1;
  for (double c : coefficients.subspan(1)) {
    b2 = b1;
    b1 = b0;
    b0 = x * b1 - b2 + c;
  }
  return (b0 - b2) * 0.5;
}

}  // namespace

Value besselI1e(Value x) {
  const bool wide = x.shape().type == ElementType::F64;
  const Value z = x.of(Opcode::Abs);
  const Value near = chebyshev(z * 0.5 - 2.0, wide ? std::span<const double>(kBesselNear64) : kBesselNear32) * z;
  const Value far = chebyshev(z.constant(32) / z - 2.0, wide ? std::span<const double>(kBesselFar64) : kBesselFar32) *
                    z.of(Opcode::Rsqrt);
  return x.of(Opcode::Sign) * z.compare("LE", z.constant(8)).select(near, far);
}

// --- zeta, polygamma
namespace {

// Euler and Maclaurin: ten terms of the sum, the integral of the rest, and corrections by Bernoulli numbers. These are
// (2k)! / B(2k), from k = 12 down to 1.
constexpr double kMaclaurin[] = {-7.1661652561756670113e18,
                                 1.8152105401943546773e17,
                                 -4.5979787224074726105e15,
                                 1.1646782814350067249e14,
                                 -2.950130727918164224e12,
                                 7.47242496e10,
                                 -1.8924375803183791606e9,
                                 47900160.0,
                                 -1209600.0,
                                 30240.0,
                                 -720.0,
                                 12.0};

Value zetaSum(Value x, Value q) {
  Value sum = q.with(Opcode::Power, -x), a = q, power = sum;
  for (int i = 0; i < 9; ++i) {
    a = a + 1.0;
    power = a.with(Opcode::Power, -x);
    sum = sum + power;
  }
  a = a + 1.0;
  power = a.with(Opcode::Power, -x);
  const Value inverseSquare = a.constant(1) / (a * a);
  Value corrections = x.constant(0);
  for (size_t i = 0; i + 1 < std::size(kMaclaurin); ++i) {
    const double k = 22.0 - 2.0 * static_cast<double>(i);
    corrections = (x + k) * (x + (k - 1)) * inverseSquare * (corrections + 1 / kMaclaurin[i]);
  }
  return sum + power * a / (x - 1.0) + power * (x / a * (corrections + 1 / kMaclaurin[11]) + 0.5);
}

}  // namespace

Value zeta(Value x, Value q) {
  const Value nan = x.constant(std::numeric_limits<double>::quiet_NaN()), infinity = x.constant(kInfinity);
  const auto whole = [](Value v) { return v.compare("EQ", v.of(Opcode::Floor)); };
  const Value even = whole(x * 0.5), atPole = q.compare("LE", q.constant(0)).with(Opcode::And, whole(q));
  // Below zero only whole powers are real.
  const Value unreal = q.compare("LT", q.constant(0)).with(Opcode::And, whole(x).of(Opcode::Not));
  const Value defined = unreal.select(nan, atPole.select(even.select(infinity, nan), zetaSum(x, q)));
  const Value converging = x.compare("LT", x.constant(1)).select(nan, defined);
  return x.compare("EQ", x.constant(1)).select(infinity, converging);
}

Value polygamma(Value n, Value x) {
  const Value order = n + 1.0;
  const Value even = (n * 0.5).compare("EQ", (n * 0.5).of(Opcode::Floor));
  const Value size = logGamma(order).of(Opcode::Exponential) * zeta(order, x);
  const Value value = n.compare("EQ", n.constant(0)).select(digamma(x), even.select(-size, size));
  const Value whole = n.compare("EQ", n.of(Opcode::Floor)), negative = n.compare("LT", n.constant(0));
  return whole.of(Opcode::Not)
      .with(Opcode::Or, negative)
      .select(n.constant(std::numeric_limits<double>::quiet_NaN()), value);
}

}  // namespace tessera::mlir
