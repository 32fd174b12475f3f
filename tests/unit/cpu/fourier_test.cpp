// Fourier transforms of the CPU backend against the reference evaluator, which is double inside: kinds, lengths,
// dimensions, few long lines and many short ones, the same bits with any number of threads; what is not finite in real
// lines.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <complex>

#include "backends/backend.h"
#include "core/evaluate/evaluate.h"
#include "core/formats/hlo_text.h"

namespace tessera {
namespace {

std::string textOf(const std::string& from, const std::string& to, const std::string& kind,
                   const std::string& lengths) {
  return "HloModule m\n\nENTRY e {\n  x = " + from + " parameter(0)\n  ROOT r = " + to + " fft(x), fft_type=" + kind +
         ", fft_length={" + lengths + "}\n}\n";
}

Result<Literal> onCpu(const Module& module, const std::vector<Literal>& arguments, int threads) {
  CompileOptions options;
  options.threads = threads;
  TESSERA_ASSIGN_OR_RETURN(auto executable, makeBackend("cpu").value()->compile(module, options));
  Profile profile;
  TESSERA_ASSIGN_OR_RETURN(auto found, executable->run(arguments, {}, &profile));
  if (std::ranges::none_of(profile.steps, [](const StepProfile& s) { return s.what == "Fourier transform"; }))
    return fail("not as a transform");
  return std::move(found[0]);
}

template <class T>
double largestDifference(const Literal& a, const Literal& b) {
  double difference = 0, largest = 0;
  for (size_t i = 0; i < a.data<T>().size(); ++i) {
    difference = std::max<double>(difference, std::abs(a.data<T>()[i] - b.data<T>()[i]));
    largest = std::max<double>(largest, std::abs(a.data<T>()[i]));
  }
  return difference / largest;
}

double largestDifference(const Literal& a, const Literal& b) {
  switch (a.shape().type) {
    case ElementType::F32: return largestDifference<float>(a, b);
    case ElementType::F64: return largestDifference<double>(a, b);
    case ElementType::C64: return largestDifference<std::complex<float>>(a, b);
    default: return largestDifference<std::complex<double>>(a, b);
  }
}

void expectTransform(const std::string& from, const std::string& to, const std::string& kind,
                     const std::string& lengths) {
  const std::string text = textOf(from, to, kind, lengths);
  const auto read = readHloText(text);
  ASSERT_TRUE(read.module) << text;
  const std::vector<Literal> arguments{
      fillParameter(entryArgumentShapes(*read.module)[0], 0, FillRule{5, 1.0, 50}).value()};
  const auto expected = evaluateModule(*read.module, arguments);
  ASSERT_TRUE(expected) << expected.error().toString();
  const auto one = onCpu(*read.module, arguments, 1), three = onCpu(*read.module, arguments, 3);
  ASSERT_TRUE(one && three) << text << (one ? three : one).error().toString();
  EXPECT_TRUE(one->identical(*three)) << text;
  const bool isDouble = one->shape().type == ElementType::F64 || one->shape().type == ElementType::C128;
  EXPECT_LT(largestDifference((*expected)[0], *one), isDouble ? 1e-14 : 1e-6) << text;
}

TEST(CpuFourier, OfLines) {
  for (const std::string n : {"1", "2", "7", "16", "100", "256", "401", "1000", "1024", "1280"})
    for (const std::string lines : {"1", "5", "40"})
      for (const char* kind : {"FFT", "IFFT"})
        expectTransform("c64[" + lines + "," + n + "]", "c64[" + lines + "," + n + "]", kind, n);
  expectTransform("c128[3,60]", "c128[3,60]", "IFFT", "60");
}

TEST(CpuFourier, OfFewLongLines) {
  for (const std::string n : {"16384", "30000", "10007"})
    expectTransform("c64[2," + n + "]", "c64[2," + n + "]", "FFT", n);
  expectTransform("f32[40000]", "c64[20001]", "RFFT", "40000");
  expectTransform("c64[20001]", "f32[40000]", "IRFFT", "40000");
  expectTransform("f64[20000]", "c128[10001]", "RFFT", "20000");
}

TEST(CpuFourier, OfRealLines) {
  for (const int n : {1, 2, 3, 8, 30, 31, 64, 401, 512, 1000}) {
    const std::string real = "f32[19," + std::to_string(n) + "]", half = "c64[19," + std::to_string(n / 2 + 1) + "]";
    expectTransform(real, half, "RFFT", std::to_string(n));
    expectTransform(half, real, "IRFFT", std::to_string(n));
  }
}

TEST(CpuFourier, OfSeveralDimensions) {
  expectTransform("c64[3,20,30]", "c64[3,20,30]", "FFT", "20,30");
  expectTransform("c64[300,3]", "c64[300,3]", "FFT", "300,3");
  expectTransform("c64[2,12,10,18]", "c64[2,12,10,18]", "IFFT", "12,10,18");
  expectTransform("f32[2,20,31]", "c64[2,20,16]", "RFFT", "20,31");
  expectTransform("c64[2,20,16]", "f32[2,20,31]", "IRFFT", "20,31");
  expectTransform("f64[6,5,8]", "c128[6,5,5]", "RFFT", "6,5,8");
  expectTransform("c128[6,5,5]", "f64[6,5,8]", "IRFFT", "6,5,8");
}

// An infinity is where it counts, the other lines are as they were.
TEST(CpuFourier, KeepsWhatIsNotFiniteApart) {
  for (const int n : {64, 401}) {
    const std::string size = std::to_string(n), half = std::to_string(n / 2 + 1);
    const auto read = readHloText(textOf("f32[18," + size + "]", "c64[18," + half + "]", "RFFT", size));
    ASSERT_TRUE(read.module);
    std::vector<Literal> clean{fillParameter(entryArgumentShapes(*read.module)[0], 0, FillRule{5, 1.0, 50}).value()},
        arguments = clean;
    arguments[0].mutableData<float>()[static_cast<size_t>(3 * n + 1)] = INFINITY;
    arguments[0].mutableData<float>()[static_cast<size_t>(17 * n + 2)] = NAN;
    const auto expected = evaluateModule(*read.module, arguments);
    const auto found = onCpu(*read.module, arguments, 2), others = onCpu(*read.module, clean, 2);
    ASSERT_TRUE(expected && found && others);
    const auto line = static_cast<size_t>(n / 2 + 1);
    for (size_t i = 0; i < 18 * line; ++i) {
      const std::complex<float> a = (*expected)[0].data<std::complex<float>>()[i],
                                b = found->data<std::complex<float>>()[i];
      const auto same = [](float x, float y) {
        return std::isfinite(x) ? std::isfinite(y) : std::isnan(x) ? std::isnan(y) : x == y;
      };
      EXPECT_TRUE(same(a.real(), b.real()) && same(a.imag(), b.imag())) << n << " at " << i;
      const bool isClean = i / line != 3 && i / line != 17;
      EXPECT_TRUE(!isClean || b == others->data<std::complex<float>>()[i]) << n << " at " << i;
    }
  }
}

}  // namespace
}  // namespace tessera
