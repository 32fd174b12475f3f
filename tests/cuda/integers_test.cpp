// Integer arithmetic, bits, comparisons and moves on the simulated device, against C++.
#include <random>

#include "tests/cuda/snippet_case.h"

namespace tessera::cuda {
namespace {

template <class T>
std::vector<T> interesting() {
  using Limits = std::numeric_limits<T>;
  std::vector<T> values{
      0, 1, 2, 3, 7, 31, 32, 33, 100, Limits::max(), Limits::min(), static_cast<T>(Limits::max() - 1)};
  std::mt19937_64 random(5);
  for (int i = 0; i < 6; ++i) values.push_back(static_cast<T>(random()));
  if constexpr (std::is_signed_v<T>) values.insert(values.end(), {-1, -2, -31, -100});
  return values;
}

class CudaIntegers : public SnippetCase {
 protected:
  template <class T, class Fn>
  void binary(const std::string& name, Fn&& fn) {
    const auto [a, b] = pairs(interesting<T>());
    expectSame<T>(name + " %d, %a, %b;", fn, a, b);
  }
  template <class T>
  void arithmetic() {
    using U = std::make_unsigned_t<T>;
    const std::string type = "." + ptxType<T>();
    binary<T>("add" + type, [](T a, T b) { return static_cast<T>(static_cast<U>(a) + static_cast<U>(b)); });
    binary<T>("sub" + type, [](T a, T b) { return static_cast<T>(static_cast<U>(a) - static_cast<U>(b)); });
    binary<T>("mul.lo" + type, [](T a, T b) { return static_cast<T>(uint64_t(a) * uint64_t(b)); });
    binary<T>("mul.hi" + type, [](T a, T b) { return static_cast<T>((__int128{a} * b) >> (8 * sizeof(T))); });
    binary<T>("min" + type, [](T a, T b) { return std::min(a, b); });
    binary<T>("max" + type, [](T a, T b) { return std::max(a, b); });
    binary<T>("div" + type, [](T a, T b) { return static_cast<T>(b == 0 ? -1 : static_cast<T>(__int128{a} / b)); });
    binary<T>("rem" + type, [](T a, T b) { return static_cast<T>(b == 0 ? a : static_cast<T>(__int128{a} % b)); });
  }
};

TEST_F(CudaIntegers, ArithmeticOfEveryWidth) {
  arithmetic<int16_t>();
  arithmetic<uint16_t>();
  arithmetic<int32_t>();
  arithmetic<uint32_t>();
  arithmetic<int64_t>();
}

TEST_F(CudaIntegers, HighProductsOfUnsigned64Bits) {
  binary<uint64_t>("mul.hi.u64", [](uint64_t a, uint64_t b) {
    return static_cast<uint64_t>((static_cast<unsigned __int128>(a) * b) >> 64);
  });
}

TEST_F(CudaIntegers, SignsAndSaturation) {
  const auto values = interesting<int32_t>();
  expectSame<int32_t>(
      "abs.s32 %d, %a;", [](int32_t a) { return a < 0 ? int32_t(0u - uint32_t(a)) : a; }, values);
  expectSame<int32_t>(
      "neg.s32 %d, %a;", [](int32_t a) { return int32_t(0u - uint32_t(a)); }, values);
  binary<int32_t>("add.sat.s32", [](int64_t a, int64_t b) {
    return static_cast<int32_t>(std::clamp<int64_t>(a + b, INT32_MIN, INT32_MAX));
  });
  binary<int32_t>("sub.sat.s32", [](int64_t a, int64_t b) {
    return static_cast<int32_t>(std::clamp<int64_t>(a - b, INT32_MIN, INT32_MAX));
  });
}

TEST_F(CudaIntegers, WideProductsAndSums) {
  const auto [a, b] = pairs(interesting<int32_t>());
  const std::vector<int64_t> c(a.size(), -12345678901);
  expectSame<int64_t>(
      "mul.wide.s32 %d, %a, %b;", [](int64_t x, int64_t y) { return x * y; }, a, b);
  expectSame<int64_t>(
      "mad.wide.s32 %d, %a, %b, %c;",
      [](int64_t x, int64_t y, int64_t z) {
        return static_cast<int64_t>(static_cast<uint64_t>(x * y) + static_cast<uint64_t>(z));
      },
      a, b, c);
  const std::vector<int32_t> d(a.size(), 77);
  expectSame<int32_t>(
      "mad.lo.s32 %d, %a, %b, %c;", [](uint32_t x, uint32_t y, uint32_t z) { return static_cast<int32_t>(x * y + z); },
      a, b, d);
  expectSame<int32_t>(
      "sad.s32 %d, %a, %b, %c;",
      [](int64_t x, int64_t y, int64_t z) { return static_cast<int32_t>(static_cast<uint32_t>(std::abs(x - y) + z)); },
      a, b, d);
  expectSame<int32_t>(
      "mul24.lo.s32 %d, %a, %b;",
      [](int64_t x, int64_t y) { return static_cast<int32_t>(((x << 40) >> 40) * ((y << 40) >> 40)); }, a, b);
}

TEST_F(CudaIntegers, CarriesGoFromOneInstructionToTheNext) {
  const auto [a, b] = pairs(interesting<uint64_t>());
  const std::string split = "mov.b64 {%r0,%r1}, %a; mov.b64 {%r2,%r3}, %b;";
  expectSame<uint64_t>(
      split + "add.cc.u32 %r4,%r0,%r2; addc.u32 %r5,%r1,%r3; mov.b64 %d, {%r4,%r5};",
      [](uint64_t x, uint64_t y) { return x + y; }, a, b);
  expectSame<uint64_t>(
      split + "sub.cc.u32 %r4,%r0,%r2; subc.u32 %r5,%r1,%r3; mov.b64 %d, {%r4,%r5};",
      [](uint64_t x, uint64_t y) { return x - y; }, a, b);
  expectSame<uint64_t>(
      "add.cc.u64 %w0, %a, %b; addc.u64 %d, 0, 0;", [](uint64_t x, uint64_t y) -> uint64_t { return x + y < x; }, a, b);
  expectSame<uint64_t>(
      split +
          "mul.lo.u32 %r4,%r0,%r2; mul.hi.u32 %r5,%r0,%r2; mad.lo.cc.u32 %r5,%r0,%r3,%r5;"
          "mad.lo.u32 %r5,%r1,%r2,%r5; mov.b64 %d, {%r4,%r5};",
      [](uint64_t x, uint64_t y) { return x * y; }, a, b);
}

class CudaBits : public CudaIntegers {};

TEST_F(CudaBits, LogicAndShifts) {
  binary<uint32_t>("and.b32", [](uint32_t a, uint32_t b) { return a & b; });
  binary<uint64_t>("or.b64", [](uint64_t a, uint64_t b) { return a | b; });
  binary<uint16_t>("xor.b16", [](uint16_t a, uint16_t b) { return static_cast<uint16_t>(a ^ b); });
  binary<uint32_t>("shl.b32", [](uint32_t a, uint32_t b) { return b > 31 ? 0 : a << b; });
  binary<uint32_t>("shr.u32", [](uint32_t a, uint32_t b) { return b > 31 ? 0 : a >> b; });
  const auto [a, b] = pairs(interesting<int64_t>());
  expectSame<int64_t>(
      "cvt.u32.u64 %r0, %b; shr.s64 %d, %a, %r0;",
      [](int64_t x, int64_t y) { return x >> std::min<uint32_t>(static_cast<uint32_t>(y), 63); }, a, b);
  expectSame<uint32_t>(
      "not.b32 %d, %a;", [](uint32_t x) { return ~x; }, interesting<uint32_t>());
  expectSame<uint32_t>(
      "cnot.b32 %d, %a;", [](uint32_t x) -> uint32_t { return x == 0; }, interesting<uint32_t>());
}

TEST_F(CudaBits, FunnelShifts) {
  const auto [a, b] = pairs(interesting<uint32_t>());
  const std::vector<uint32_t> c(a.size(), 37);
  auto both = [](uint32_t x, uint32_t y) { return uint64_t{y} << 32 | x; };
  expectSame<uint32_t>(
      "shf.l.wrap.b32 %d, %a, %b, %c;",
      [&](uint32_t x, uint32_t y, uint32_t) { return uint32_t(both(x, y) << 5 >> 32); }, a, b, c);
  expectSame<uint32_t>(
      "shf.r.wrap.b32 %d, %a, %b, %c;", [&](uint32_t x, uint32_t y, uint32_t) { return uint32_t(both(x, y) >> 5); }, a,
      b, c);
  expectSame<uint32_t>(
      "shf.r.clamp.b32 %d, %a, %b, %c;", [](uint32_t, uint32_t y, uint32_t) { return y; }, a, b, c);
  expectSame<uint32_t>(
      "shf.l.clamp.b32 %d, %a, %b, %c;", [](uint32_t x, uint32_t, uint32_t) { return x; }, a, b, c);
}

TEST_F(CudaBits, Permutations) {
  const auto [a, b] = pairs(interesting<uint32_t>());
  auto byte = [](uint32_t x, uint32_t y, int n) { return uint32_t((uint64_t{y} << 32 | x) >> (8 * n)) & 255; };
  expectSame<uint32_t>(
      "prmt.b32 %d, %a, %b, 0x7531;",
      [&](uint32_t x, uint32_t y) {
        return byte(x, y, 1) | byte(x, y, 3) << 8 | byte(x, y, 5) << 16 | byte(x, y, 7) << 24;
      },
      a, b);
  expectSame<uint32_t>(
      "prmt.b32 %d, %a, %b, 0xcb98;",
      [&](uint32_t x, uint32_t y) {
        auto sign = [&](int n) { return byte(x, y, n) & 128 ? 255u : 0u; };
        return sign(0) | sign(1) << 8 | sign(3) << 16 | sign(4) << 24;
      },
      a, b);
  expectSame<uint32_t>(
      "prmt.b32.rc16 %d, %a, %b, 1;", [](uint32_t x, uint32_t) { return (x >> 16) * 0x10001u; }, a, b);
  expectSame<uint32_t>(
      "lop3.b32 %d, %a, %b, 0x0f0f, 0xe8;",
      [](uint32_t x, uint32_t y) { return (x & y) | (x & 0x0f0f) | (y & 0x0f0f); }, a, b);
}

TEST_F(CudaBits, FieldsAndCounts) {
  const auto values = interesting<int32_t>();
  expectSame<int32_t>(
      "bfe.s32 %d, %a, 4, 9;", [](int32_t x) { return static_cast<int32_t>(uint32_t(x) << 19) >> 23; }, values);
  expectSame<int32_t>(
      "bfe.u32 %d, %a, 28, 9;", [](uint32_t x) { return static_cast<int32_t>(x >> 28); }, values);
  expectSame<int32_t>(
      "bfe.s32 %d, %a, 28, 9;", [](int32_t x) { return x >> 28; }, values);
  expectSame<int32_t>(
      "bfi.b32 %d, %a, -1, 8, 4;", [](uint32_t x) { return static_cast<int32_t>((x & 15) << 8 | 0xfffff0ffu); },
      values);
  expectSame<uint32_t>(
      "popc.b32 %d, %a;", [](uint32_t x) { return uint32_t(std::popcount(x)); }, interesting<uint32_t>());
  expectSame<uint32_t>(
      "clz.b64 %d, %a;", [](uint64_t x) { return uint32_t(std::countl_zero(x)); }, interesting<uint64_t>());
  expectSame<uint32_t>(
      "bfind.s32 %d, %a;",
      [](int32_t x) {
        const uint32_t bits = x < 0 ? ~uint32_t(x) : uint32_t(x);
        return bits ? 31u - uint32_t(std::countl_zero(bits)) : ~0u;
      },
      values);
  expectSame<uint32_t>(
      "brev.b32 %d, %a;",
      [](uint32_t x) {
        uint32_t result = 0;
        for (int i = 0; i < 32; ++i) result = result << 1 | (x >> i & 1);
        return result;
      },
      interesting<uint32_t>());
  expectSame<int32_t>(
      "dp4a.s32.u32 %d, %a, 0x01020304, 5;",
      [](int32_t x) {
        auto part = [&](int i) { return int32_t{static_cast<int8_t>(x >> (8 * i))}; };
        return 5 + part(0) * 4 + part(1) * 3 + part(2) * 2 + part(3);
      },
      values);
}

class CudaComparisons : public SnippetCase {};

TEST_F(CudaComparisons, RelationsKnowSignsAndNan) {
  const auto [a, b] = pairs(interesting<int32_t>());
  auto choose = [](const std::string& relation) {
    return "setp." + relation + " %p0, %a, %b; selp.u32 %d, 1, 0, %p0;";
  };
  expectSame<uint32_t>(
      choose("lt.s32"), [](int32_t x, int32_t y) -> uint32_t { return x < y; }, a, b);
  expectSame<uint32_t>(
      choose("lt.u32"), [](uint32_t x, uint32_t y) -> uint32_t { return x < y; }, a, b);
  expectSame<uint32_t>(
      choose("hs.u32"), [](uint32_t x, uint32_t y) -> uint32_t { return x >= y; }, a, b);
  expectSame<uint32_t>(
      choose("ne.s32"), [](int32_t x, int32_t y) -> uint32_t { return x != y; }, a, b);
  const auto [x, y] = pairs(std::vector<float>{0.0f, -0.0f, 1.5f, -2.0f, INFINITY, NAN});
  expectSame<uint32_t>(
      choose("le.f32"), [](float p, float q) -> uint32_t { return p <= q; }, x, y);
  expectSame<uint32_t>(
      choose("ne.f32"), [](float p, float q) -> uint32_t { return p < q || p > q; }, x, y);
  expectSame<uint32_t>(
      choose("neu.f32"), [](float p, float q) -> uint32_t { return p != q; }, x, y);
  expectSame<uint32_t>(
      choose("geu.f32"), [](float p, float q) -> uint32_t { return !(p < q); }, x, y);
  expectSame<uint32_t>(
      choose("num.f32"), [](float p, float q) -> uint32_t { return p == p && q == q; }, x, y);
  expectSame<uint32_t>(
      choose("nan.f32"), [](float p, float q) -> uint32_t { return p != p || q != q; }, x, y);
}

TEST_F(CudaComparisons, PredicatesAreCombinedNegatedAndChosen) {
  const auto [a, b] = pairs(std::vector<int32_t>{-3, 0, 4, 9});
  expectSame<uint32_t>(
      "setp.gt.s32 %p0, %a, 0; setp.lt.and.s32 %p1|%p2, %a, %b, !%p0; selp.u32 %r0, 1, 0, %p1;"
      "selp.u32 %r1, 2, 0, %p2; or.b32 %d, %r0, %r1;",
      [](int32_t x, int32_t y) { return uint32_t(x <= 0 && x < y) | uint32_t(x <= 0 && x >= y) * 2; }, a, b);
  expectSame<uint32_t>(
      "setp.gt.s32 %p0, %a, 0; setp.gt.s32 %p1, %b, 0; xor.pred %p2, %p0, %p1; not.pred %p3, %p2;"
      "mov.u32 %d, 7; @%p3 mov.u32 %d, 8; @!%p0 add.u32 %d, %d, 10;",
      [](int32_t x, int32_t y) { return ((x > 0) != (y > 0) ? 7u : 8u) + (x > 0 ? 0 : 10); }, a, b);
  expectSame<uint32_t>(
      "set.le.u32.s32 %d, %a, %b;", [](int32_t x, int32_t y) { return x <= y ? ~0u : 0u; }, a, b);
  expectSame<int32_t>(
      "slct.s32.s32 %d, 5, 6, %a;", [](int32_t x, int32_t) { return x >= 0 ? 5 : 6; }, a, b);
}

TEST_F(CudaComparisons, VectorsArePackedAndUnpacked) {
  const std::vector<uint64_t> values{0x0123456789abcdef, ~0ull, 5};
  expectSame<uint64_t>(
      "mov.b64 {%h0,%h1,%h2,%h3}, %a; mov.b64 %d, {%h3,%h2,%h1,%h0};",
      [](uint64_t x) { return x << 48 | (x << 16 & 0xffff00000000) | (x >> 16 & 0xffff0000) | x >> 48; }, values);
  expectSame<uint64_t>(
      "mov.b64 {_,%r1}, %a; mov.b64 %d, {%r1,0};", [](uint64_t x) { return x >> 32; }, values);
}

}  // namespace
}  // namespace tessera::cuda
