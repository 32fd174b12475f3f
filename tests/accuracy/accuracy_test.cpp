// The sweep: each function, each type, both backends. See README.md of this folder.
#include <gtest/gtest.h>

#include <fmt/format.h>

#include <bit>
#include <cstdlib>
#include <random>

#include "backends/backend.h"
#include "core/formats/hlo_text.h"
#include "core/hlo/numbers.h"
#include "core/ops/op.h"
#include "tests/accuracy/reference.h"

namespace tessera::accuracy {
namespace {

bool isLong() {
  const char* tier = std::getenv("TESSERA_TIER");
  return tier && std::string_view(tier) == "long";
}

Format formatOf(ElementType type) {
  switch (type) {
    case ElementType::F16: return {11, -24, 65504};
    case ElementType::BF16: return {8, -133, ldexpq(255, 120)};
    case ElementType::F32:
    case ElementType::C64: return {24, -149, std::numeric_limits<float>::max()};
    default: return {53, -1074, std::numeric_limits<double>::max()};
  }
}

double boundOf(ElementType type) {
  if (isComplex(type)) return 8;
  return info(type).bits < 32 ? 0.502 : 2;
}

// --- arguments

std::vector<double> specials(ElementType type) {
  const Format format = formatOf(type);
  const double inf = std::numeric_limits<double>::infinity();
  std::vector<double> out{std::numeric_limits<double>::quiet_NaN()};
  const double least = std::ldexp(1.0, format.leastExponent),
               normal = std::ldexp(1.0, format.leastExponent + format.digits - 1);
  for (double v : {0.0, 1.0, 0.5, 2.0, least, 3 * least, normal, normal - least, static_cast<double>(format.greatest),
                   inf, 88.7, 104.0, 709.7, 745.0})
    out.insert(out.end(), {v, -v});
  return out;
}

std::vector<double> narrowArguments(ElementType type) {
  std::vector<double> out;
  for (uint32_t bits = 0; bits < 65536; bits += isLong() ? 1 : 7) {
    const auto half = static_cast<uint16_t>(bits);
    out.push_back(loadDouble(type, &half));
  }
  return out;
}

// Over the bits of the type, and evenly about zero.
std::vector<double> wideArguments(ElementType type, std::mt19937_64& random) {
  std::vector<double> out;
  const int spread = isLong() ? 200'000 : 4'000, even = isLong() ? 100'000 : 3'000;
  for (int i = 0; i < spread; ++i) {
    const uint64_t bits = random();
    const double value = type == ElementType::F32
                             ? static_cast<double>(std::bit_cast<float>(static_cast<uint32_t>(bits)))
                             : std::bit_cast<double>(bits);
    if (!std::isnan(value)) out.push_back(value);
  }
  std::uniform_real_distribution<double> near(-1.5, 1.5), far(-110, 110);
  for (int i = 0; i < even; ++i) out.insert(out.end(), {near(random), far(random), 1 + std::ldexp(near(random), -10)});
  return out;
}

std::vector<double> argumentsOf(ElementType type, std::mt19937_64& random) {
  std::vector<double> out = specials(type);
  const std::vector<double> more = info(type).bits < 32 ? narrowArguments(type) : wideArguments(type, random);
  out.insert(out.end(), more.begin(), more.end());
  return out;
}

std::vector<std::complex<double>> complexArguments(std::mt19937_64& random) {
  std::vector<std::complex<double>> out{{0.5, 0},   {0, 0.5},  {-2, 0.25},  {1, 1e-3},
                                        {-1, 1e-3}, {1e-3, 1}, {-1e-3, -1}, {1, 1}};
  std::uniform_real_distribution<double> sign(-1, 1), near(-20, 3.5), far(-50, 50), plain(-5, 5);
  const auto part = [&](auto& exponent) { return std::copysign(std::exp2(exponent(random)), sign(random)); };
  for (int i = 0; i < (isLong() ? 60'000 : 1'500); ++i) {
    out.emplace_back(part(near), part(near));
    out.emplace_back(plain(random), plain(random));
    if (i % 8 == 0) out.emplace_back(part(far), part(near));
  }
  return out;
}

// --- running

template <class T>
Literal literalOf(ElementType type, const std::vector<T>& values) {
  Literal out = Literal::allocate(Shape::arrayRowMajor(type, {static_cast<int64_t>(values.size())})).value();
  std::byte* at = out.mutableBytes().data();
  for (const T& value : values) {
    if constexpr (std::is_same_v<T, double>)
      storeDouble(type, at, value);
    else
      storeComplex(type, at, value);
    at += byteWidth(type);
  }
  return out;
}

// Those that run on any machine, and kernels for CUDA, interpreted.
std::vector<std::string_view> runners() {
  std::vector<std::string_view> out = backendNames();
  out.push_back("cuda");
  return out;
}

Literal run(std::string_view backendName, const std::string& opcode, ElementType type,
            const std::vector<Literal>& arguments) {
  const std::string shape = fmt::format("{}[{}]", nameOf(type), arguments[0].elementCount());
  std::string text = "HloModule m\nENTRY main {\n", names;
  for (size_t i = 0; i < arguments.size(); ++i) {
    text += fmt::format(" x{} = {} parameter({})\n", i, shape, i);
    names += fmt::format("{}x{}", i ? ", " : "", i);
  }
  text += fmt::format(" ROOT r = {} {}({})\n}}\n", shape, opcode, names);
  auto read = readHloText(text);
  EXPECT_TRUE(read.module) << text;
  auto backend = makeBackend(backendName);
  CompileOptions options;
  if (backendName == "cuda") options.device = "simulated";
  auto executable = (*backend)->compile(*read.module, options);
  EXPECT_TRUE(executable) << executable.error().toString();
  auto out = (*executable)->run(arguments);
  EXPECT_TRUE(out) << out.error().toString();
  return (*out)[0];
}

template <class T>
T elementOf(const Literal& literal, size_t i) {
  const ElementType type = literal.shape().type;
  const std::byte* at = literal.bytes().data() + i * static_cast<size_t>(byteWidth(type));
  if constexpr (std::is_same_v<T, double>)
    return loadDouble(type, at);
  else
    return loadComplex(type, at);
}

struct Worst {
  double error = 0;
  std::string where;
  void see(double now, const std::string& text) {
    if (now > error || std::isnan(now)) error = now, where = text;
  }
};

void report(const Worst& worst, std::string_view backend, ElementType type) {
  testing::Test::RecordProperty(fmt::format("ulp_{}_{}", backend, nameOf(type)), fmt::format("{:.3f}", worst.error));
  if (std::getenv("TESSERA_SHOW_ULP"))
    fmt::print("  {} {}: {:.3f} ulp at {}\n", backend, nameOf(type), worst.error, worst.where);
  EXPECT_LE(worst.error, boundOf(type)) << backend << " " << nameOf(type) << ": " << worst.where;
}

void sweepReal(const Function& function, ElementType type) {
  std::mt19937_64 random(7);
  const Literal argument = literalOf(type, argumentsOf(type, random));
  std::vector<Quad> exact;
  for (size_t i = 0; i < static_cast<size_t>(argument.elementCount()); ++i)
    exact.push_back(function.real(elementOf<double>(argument, i)));
  for (std::string_view backend : runners()) {
    const Literal found = run(backend, std::string(function.name), type, {argument});
    Worst worst;
    for (size_t i = 0; i < exact.size(); ++i) {
      const double x = elementOf<double>(argument, i), y = elementOf<double>(found, i);
      const double error = errorOf(y, exact[i], formatOf(type));
      if (error > worst.error)
        worst.see(error, fmt::format("{}({:a} = {}) gave {:a} = {}, not {}", function.name, x, x, y, y,
                                     static_cast<double>(exact[i])));
    }
    report(worst, backend, type);
  }
}

void sweepPairs(const Function2& function, ElementType type) {
  std::mt19937_64 random(11);
  std::vector<double> xs, ys;
  const std::vector<double> some = specials(type), all = argumentsOf(type, random);
  for (double x : some)
    for (double y : some) xs.push_back(x), ys.push_back(y);
  std::uniform_int_distribution<size_t> pick(0, all.size() - 1);
  std::uniform_real_distribution<double> base(0, 3), exponent(-40, 40);
  for (int i = 0; i < (isLong() ? 100'000 : 2'000); ++i) {
    xs.push_back(all[pick(random)]), ys.push_back(all[pick(random)]);
    xs.push_back(base(random)), ys.push_back(exponent(random));
    xs.push_back(-base(random)), ys.push_back(std::round(exponent(random)));
  }
  const Literal a = literalOf(type, xs), b = literalOf(type, ys);
  for (std::string_view backend : runners()) {
    const Literal found = run(backend, std::string(function.name), type, {a, b});
    Worst worst;
    for (size_t i = 0; i < xs.size(); ++i) {
      const double x = elementOf<double>(a, i), y = elementOf<double>(b, i), z = elementOf<double>(found, i);
      const Quad exact = function.real(x, y);
      const double error = errorOf(z, exact, formatOf(type));
      if (error > worst.error)
        worst.see(error, fmt::format("{}({:a}, {:a}) gave {:a} = {}, not {}", function.name, x, y, z, z,
                                     static_cast<double>(exact)));
    }
    report(worst, backend, type);
  }
}

std::string textOf(std::complex<double> x) {
  return fmt::format("({:a}, {:a}) = ({}, {})", x.real(), x.imag(), x.real(), x.imag());
}

// `exactAt(i)`: the true value; what overflows is left out.
template <class Exact>
void sweepComplex(const std::string& name, ElementType type, const std::vector<Literal>& arguments,
                  const Exact& exactAt) {
  const Format format = formatOf(type);
  for (std::string_view backend : runners()) {
    const Literal found = run(backend, name, type, arguments);
    Worst worst;
    for (size_t i = 0; i < static_cast<size_t>(found.elementCount()); ++i) {
      const auto y = elementOf<std::complex<double>>(found, i);
      const ComplexQuad exact = exactAt(i);
      const Quad norm = cabsq(exact);
      if (!finiteq(norm) || norm > format.greatest / 2) continue;
      const double error = static_cast<double>(cabsq(complexOf(y.real(), y.imag()) - exact) / ulpAt(norm, format));
      if (error <= worst.error) continue;
      std::string text = name;
      for (const Literal& argument : arguments) text += ' ' + textOf(elementOf<std::complex<double>>(argument, i));
      worst.see(error, fmt::format("{} gave ({}, {}), not ({}, {})", text, y.real(), y.imag(),
                                   static_cast<double>(crealq(exact)), static_cast<double>(cimagq(exact))));
    }
    report(worst, backend, type);
  }
}

ComplexQuad quadAt(const Literal& literal, size_t i) {
  const auto x = elementOf<std::complex<double>>(literal, i);
  return complexOf(x.real(), x.imag());
}

void sweepComplex(const Function& function, ElementType type) {
  std::mt19937_64 random(13);
  const Literal argument = literalOf(type, complexArguments(random));
  sweepComplex(std::string(function.name), type, {argument},
               [&](size_t i) { return function.complex(quadAt(argument, i)); });
}

void sweepComplexPairs(const Function2& function, ElementType type) {
  std::mt19937_64 random(17);
  const std::vector<std::complex<double>> all = complexArguments(random);
  std::vector<std::complex<double>> xs, ys;
  std::uniform_int_distribution<size_t> pick(0, all.size() - 1);
  for (int i = 0; i < (isLong() ? 100'000 : 4'000); ++i)
    xs.push_back(all[pick(random)]), ys.push_back(all[pick(random)]);
  const Literal a = literalOf(type, xs), b = literalOf(type, ys);
  sweepComplex(std::string(function.name), type, {a, b},
               [&](size_t i) { return function.complex(quadAt(a, i), quadAt(b, i)); });
}

constexpr ElementType kReal[] = {ElementType::F32, ElementType::F64, ElementType::F16, ElementType::BF16};

class Accuracy : public testing::TestWithParam<Function> {};

TEST_P(Accuracy, OfRealNumbers) {
  for (ElementType type : kReal) sweepReal(GetParam(), type);
}

class AccuracyOfComplex : public testing::TestWithParam<Function> {};

TEST_P(AccuracyOfComplex, Numbers) {
  for (ElementType type : {ElementType::C64, ElementType::C128}) sweepComplex(GetParam(), type);
}

TEST_P(Accuracy, StandsInTheHelp) {
  const OpDef* op = findOp(*opcodeFromName(GetParam().name));
  EXPECT_NE(op->doc.find("2 ulp"), std::string_view::npos) << op->doc;
}

// Those that are said to take complex numbers.
std::vector<Function> complexFunctions() {
  std::vector<Function> out;
  for (const Function& function : kFunctions)
    if (function.complex) out.push_back(function);
  return out;
}

std::string testName(std::string name) {
  std::ranges::replace(name, '-', '_');
  return name;
}

INSTANTIATE_TEST_SUITE_P(Functions, Accuracy, testing::ValuesIn(kFunctions),
                         [](const auto& info) { return testName(std::string(info.param.name)); });

INSTANTIATE_TEST_SUITE_P(Functions, AccuracyOfComplex, testing::ValuesIn(complexFunctions()),
                         [](const auto& info) { return testName(std::string(info.param.name)); });

class AccuracyOfPairs : public testing::TestWithParam<Function2> {};

TEST_P(AccuracyOfPairs, OfRealNumbers) {
  for (ElementType type : kReal) sweepPairs(GetParam(), type);
}

TEST_P(AccuracyOfPairs, OfComplexNumbers) {
  for (ElementType type : {ElementType::C64, ElementType::C128}) sweepComplexPairs(GetParam(), type);
}

TEST_P(AccuracyOfPairs, StandsInTheHelp) {
  const OpDef* op = findOp(*opcodeFromName(GetParam().name));
  EXPECT_NE(op->doc.find("2 ulp"), std::string_view::npos) << op->doc;
}

INSTANTIATE_TEST_SUITE_P(Functions, AccuracyOfPairs, testing::ValuesIn(kFunctions2),
                         [](const auto& info) { return testName(std::string(info.param.name)); });

// Bit for bit: multiples of y and their neighbours, quotients that fit the mantissa, then any bits at all.
void checkRemainders(std::string_view backend, ElementType type, const std::vector<double>& xs,
                     const std::vector<double>& ys) {
  const Literal a = literalOf(type, xs), b = literalOf(type, ys), found = run(backend, "remainder", type, {a, b});
  size_t wrong = 0;
  for (size_t i = 0; i < xs.size(); ++i) {
    const double x = elementOf<double>(a, i), y = elementOf<double>(b, i), z = elementOf<double>(found, i),
                 exact = std::fmod(x, y);
    const bool same = std::isnan(exact) ? std::isnan(z) : z == exact && std::signbit(z) == std::signbit(exact);
    if (!same && wrong++ < 3)
      ADD_FAILURE() << fmt::format("{} {}: remainder({:a}, {:a}) gave {:a}, not {:a}", backend, nameOf(type), x, y, z,
                                   exact);
  }
  EXPECT_EQ(wrong, 0u);
}

TEST(AccuracyOfRemainders, AreExact) {
  for (ElementType type : kReal) {
    std::mt19937_64 random(19);
    const std::vector<double> all = argumentsOf(type, random);
    std::uniform_int_distribution<size_t> pick(0, all.size() - 1);
    std::uniform_real_distribution<double> sign(-1, 1), scale(-3, 3);
    const double limit = formatOf(type).digits;
    std::uniform_real_distribution<double> size(-2, limit - 1);
    std::vector<double> nearX, nearY, anyX, anyY;
    for (int i = 0; i < (isLong() ? 200'000 : 6'000); ++i) {
      const double y = std::copysign(std::exp2(scale(random)), sign(random)), n = std::floor(std::exp2(size(random)));
      const double at = static_cast<double>(static_cast<float>(y)) * n,
                   unit = std::ldexp(std::abs(at) + std::abs(y), -static_cast<int>(limit));
      nearX.push_back(at + unit * static_cast<double>(i % 7 - 3)),
          nearY.push_back(static_cast<double>(static_cast<float>(y)));
      anyX.push_back(all[pick(random)]), anyY.push_back(all[pick(random)]);
    }
    for (std::string_view backend : runners()) {
      checkRemainders(backend, type, nearX, nearY);
      checkRemainders(backend, type, anyX, anyY);
    }
  }
}

}  // namespace
}  // namespace tessera::accuracy
