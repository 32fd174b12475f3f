// See roofline.h. Loops of chains that no latency can stop, compiled for the widest vectors that the processor has.
#include "backends/roofline.h"

#include <immintrin.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <functional>
#include <memory>
#include <thread>

namespace tessera {
namespace {

using Clock = std::chrono::steady_clock;

constexpr int kChains = 16;
constexpr int64_t kSteps = 20'000;

// A vector type's chains of a = a · x + y; the sum is given so that they stay.
#define TESSERA_CHAINS(NAME, TARGET, VECTOR, ZERO, STEP) \
  __attribute__((target(TARGET))) void NAME() {          \
    VECTOR sums[kChains];                                \
    for (auto& sum : sums) sum = ZERO;                   \
    for (int64_t i = 0; i < kSteps; ++i)                 \
      for (auto& sum : sums) {                           \
        STEP;                                            \
        __asm__ volatile("" : "+v"(sum));                \
      }                                                  \
  }

TESSERA_CHAINS(chainsF32Wide, "avx512f", __m512, _mm512_set1_ps(1e-3f),
               sum = _mm512_fmadd_ps(sum, _mm512_set1_ps(0.99f), _mm512_set1_ps(1e-3f)))
TESSERA_CHAINS(chainsF64Wide, "avx512f", __m512d, _mm512_set1_pd(1e-3),
               sum = _mm512_fmadd_pd(sum, _mm512_set1_pd(0.99), _mm512_set1_pd(1e-3)))
TESSERA_CHAINS(chainsF32, "avx2,fma", __m256, _mm256_set1_ps(1e-3f),
               sum = _mm256_fmadd_ps(sum, _mm256_set1_ps(0.99f), _mm256_set1_ps(1e-3f)))
TESSERA_CHAINS(chainsF64, "avx2,fma", __m256d, _mm256_set1_pd(1e-3),
               sum = _mm256_fmadd_pd(sum, _mm256_set1_pd(0.99), _mm256_set1_pd(1e-3)))
TESSERA_CHAINS(chainsF32Plain, "sse2", __m128, _mm_set1_ps(1e-3f),
               sum = _mm_add_ps(_mm_mul_ps(sum, _mm_set1_ps(0.99f)), _mm_set1_ps(1e-3f)))
TESSERA_CHAINS(chainsF64Plain, "sse2", __m128d, _mm_set1_pd(1e-3),
               sum = _mm_add_pd(_mm_mul_pd(sum, _mm_set1_pd(0.99)), _mm_set1_pd(1e-3)))
TESSERA_CHAINS(chainsBytes, "avx512f,avx512vnni", __m512i, _mm512_setzero_si512(),
               sum = _mm512_dpbusd_epi32(sum, _mm512_set1_epi8(1), _mm512_set1_epi8(1)))
TESSERA_CHAINS(chainsBf16, "avx512f,avx512bf16", __m512, _mm512_setzero_ps(),
               sum = _mm512_dpbf16_ps(sum, (__m512bh)_mm512_set1_epi16(1), (__m512bh)_mm512_set1_epi16(1)))
#undef TESSERA_CHAINS

__attribute__((target("avx512f"))) uint64_t readWide(const uint64_t* data, size_t count) {
  __m512i a = _mm512_setzero_si512(), b = a, c = a, d = a;
  for (size_t i = 0; i + 32 <= count; i += 32) {
    a = _mm512_xor_si512(a, _mm512_load_si512(data + i));
    b = _mm512_xor_si512(b, _mm512_load_si512(data + i + 8));
    c = _mm512_xor_si512(c, _mm512_load_si512(data + i + 16));
    d = _mm512_xor_si512(d, _mm512_load_si512(data + i + 24));
  }
  alignas(64) uint64_t lanes[8];
  _mm512_store_si512(lanes, _mm512_xor_si512(_mm512_xor_si512(a, b), _mm512_xor_si512(c, d)));
  return lanes[0] ^ lanes[7];
}

uint64_t readPlain(const uint64_t* data, size_t count) {
  __m128i a = _mm_setzero_si128(), b = a;
  for (size_t i = 0; i + 4 <= count; i += 4) {
    a = _mm_xor_si128(a, _mm_load_si128(reinterpret_cast<const __m128i*>(data + i)));
    b = _mm_xor_si128(b, _mm_load_si128(reinterpret_cast<const __m128i*>(data + i + 2)));
  }
  return static_cast<uint64_t>(_mm_cvtsi128_si64(_mm_xor_si128(a, b)));
}

void copyPast(uint64_t* to, const uint64_t* from, size_t count) {
  for (size_t i = 0; i + 2 <= count; i += 2)
    _mm_stream_si128(reinterpret_cast<__m128i*>(to + i), _mm_load_si128(reinterpret_cast<const __m128i*>(from + i)));
  _mm_sfence();
}

struct Free {
  void operator()(uint64_t* p) const { std::free(p); }
};
using Memory = std::unique_ptr<uint64_t[], Free>;

Memory allocate(size_t bytes) {
  Memory memory(static_cast<uint64_t*>(std::aligned_alloc(64, bytes)));
  if (memory) std::memset(memory.get(), 1, bytes);
  return memory;
}

// Work a second of `work`, which does `amount` and runs on so many cores at once.
double rateOf(int cores, double amount, double seconds, const std::function<void(int core)>& work) {
  double best = 0;
  for (const auto begin = Clock::now(); std::chrono::duration<double>(Clock::now() - begin).count() < seconds;) {
    const auto start = Clock::now();
    {
      std::vector<std::jthread> others;
      for (int core = 1; core < cores; ++core) others.emplace_back([&work, core] { work(core); });
      work(0);
    }
    best = std::max(best, amount * cores / std::chrono::duration<double>(Clock::now() - start).count());
  }
  return best;
}

void addArithmetic(Roofline& out, const char* type, double operationsPerStep, void (*chains)(), double seconds) {
  constexpr int kRepeats = 20;
  const double amount = operationsPerStep * kChains * static_cast<double>(kSteps) * kRepeats;
  auto work = [&](int) {
    for (int i = 0; i < kRepeats; ++i) chains();
  };
  out.arithmetic.push_back({type, rateOf(1, amount, seconds, work), rateOf(out.cores, amount, seconds, work)});
}

void measureArithmetic(Roofline& out, double seconds) {
  const bool wide = __builtin_cpu_supports("avx512f"),
             fused = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
  addArithmetic(out, "f32",
                wide    ? 32
                : fused ? 16
                        : 8,
                wide    ? chainsF32Wide
                : fused ? chainsF32
                        : chainsF32Plain,
                seconds);
  addArithmetic(out, "f64",
                wide    ? 16
                : fused ? 8
                        : 4,
                wide    ? chainsF64Wide
                : fused ? chainsF64
                        : chainsF64Plain,
                seconds);
  if (__builtin_cpu_supports("avx512bf16")) addArithmetic(out, "bf16", 64, chainsBf16, seconds);
  if (__builtin_cpu_supports("avx512vnni")) addArithmetic(out, "s8", 128, chainsBytes, seconds);
}

void addMemory(Roofline& out, const char* level, size_t bytesPerCore, bool copies, double seconds,
               int64_t capacity = 0) {
  std::vector<Memory> from, to;
  for (int core = 0; core < out.cores; ++core) {
    from.push_back(allocate(bytesPerCore));
    to.push_back(copies ? allocate(bytesPerCore) : nullptr);
    if (!from.back() || (copies && !to.back())) return;
  }
  const bool wide = __builtin_cpu_supports("avx512f");
  const size_t count = bytesPerCore / 8, repeats = std::max<size_t>(1, (size_t{64} << 20) / bytesPerCore);
  auto work = [&](int core) {
    const auto at = static_cast<size_t>(core);
    for (size_t i = 0; i < repeats; ++i) {
      if (copies) {
        copyPast(to[at].get(), from[at].get(), count);
      } else {
        volatile uint64_t sink = wide ? readWide(from[at].get(), count) : readPlain(from[at].get(), count);
        (void)sink;
      }
    }
  };
  const double amount = static_cast<double>(bytesPerCore * repeats) * (copies ? 2 : 1);
  out.memory.push_back({level, copies ? "copy" : "read", rateOf(1, amount, seconds, work),
                        rateOf(out.cores, amount, seconds, work), capacity});
}

int64_t cacheBytes(int name) { return std::max<int64_t>(0, sysconf(name)); }

}  // namespace

std::string processorName() {
  std::ifstream in("/proc/cpuinfo");
  for (std::string line; std::getline(in, line);)
    if (line.starts_with("model name")) return line.substr(std::min(line.size(), line.find(':') + 2));
  return {};
}

double Roofline::attainableNs(const std::string& type, double flops, double bytes) const {
  double arithmeticPeak = 0, memoryPeak = 0;
  for (const ArithmeticPeak& peak : arithmetic)
    if (peak.type == type) arithmeticPeak = peak.allCores;
  for (const MemoryPeak& peak : memory)
    if (peak.level == "memory") memoryPeak = std::max(memoryPeak, peak.allCores);
  if (memoryPeak == 0) return 0;
  return 1e9 * std::max(arithmeticPeak > 0 ? flops / arithmeticPeak : 0, bytes / memoryPeak);
}

Roofline measureRoofline(double seconds) {
  constexpr size_t kFirst = size_t{16} << 10, kSecond = size_t{256} << 10, kMemory = size_t{128} << 20;
  Roofline out;
  out.cores = static_cast<int>(std::max(1u, std::thread::hardware_concurrency()));
  out.processor = processorName();
  measureArithmetic(out, seconds);
  const int64_t first = cacheBytes(_SC_LEVEL1_DCACHE_SIZE), second = cacheBytes(_SC_LEVEL2_CACHE_SIZE),
                third = cacheBytes(_SC_LEVEL3_CACHE_SIZE);
  addMemory(out, "L1", kFirst, false, seconds, first * out.cores);
  addMemory(out, "L2", kSecond, false, seconds, second * out.cores);
  if (const auto quarter = static_cast<size_t>(third) / 4 / static_cast<size_t>(out.cores); quarter > kSecond)
    addMemory(out, "L3", quarter, false, seconds, third);
  addMemory(out, "memory", kMemory, false, 4 * seconds);
  addMemory(out, "memory", kMemory, true, 4 * seconds);
  return out;
}

}  // namespace tessera
