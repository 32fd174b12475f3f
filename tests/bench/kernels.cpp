// kernels: the goals of the CPU backend, how near its library steps come to the processor's multiply-add peak, and what
// a profile costs.
//   kernels [--seconds=0.4] [--goals] [--xla='python3 xla_run.py'] [--profile=FILE.hlo] [NAME…]
// With --goals: a row a goal (kernel_goals.h). Else a row a program: GFLOP/s (operations a second for integers), the
// peak of the result's type measured on all cores in alternation, and their ratio; both are the best of many short
// runs, so that other work on the machine disturbs them least. The peak of 8- and 16-bit products is f32's: what the
// units do without instructions of their own. With --profile: run time of FILE with and without a profile, in
// alternation, the best and the median of each.
#include <immintrin.h>

#include <cstdlib>
#include <fstream>
#include <sstream>
#include <thread>

#include "tests/bench/compiled_program.h"
#include "tests/bench/kernel_goals.h"
#include "tests/bench/rival.h"

namespace {

using namespace tessera;
using namespace tessera::bench;

constexpr int kChains = 16;

// 16 independent chains of multiply-adds hide the latency; the loop's result is used, so it stays.
__attribute__((target("avx512f"))) double fmaLoop512(int64_t steps) {
  __m512d sums[kChains], x = _mm512_set1_pd(0.999), y = _mm512_set1_pd(1e-3);
  for (auto& sum : sums) sum = y;
  for (int64_t i = 0; i < steps; ++i)
#pragma GCC unroll 16
    for (int c = 0; c < kChains; ++c) sums[c] = _mm512_fmadd_pd(sums[c], x, y);
  double out = 0, lanes[8];
  for (auto& sum : sums) {
    _mm512_storeu_pd(lanes, sum);
    out += lanes[0];
  }
  return out;
}
__attribute__((target("avx2,fma"))) double fmaLoop256(int64_t steps) {
  __m256d sums[kChains / 2], x = _mm256_set1_pd(0.999), y = _mm256_set1_pd(1e-3);
  for (auto& sum : sums) sum = y;
  for (int64_t i = 0; i < steps; ++i)
#pragma GCC unroll 16
    for (int c = 0; c < kChains / 2; ++c) sums[c] = _mm256_fmadd_pd(sums[c], x, y);
  double out = 0;
  for (auto& sum : sums) out += _mm256_cvtsd_f64(sum);
  return out;
}

// f64 multiply-adds on all cores, in GFLOP/s.
double peakF64() {
  const bool wide = __builtin_cpu_supports("avx512f");
  constexpr int64_t kSteps = 300'000;
  const double flopsPerStep = wide ? 2.0 * 8 * kChains : 2.0 * 4 * (kChains / 2);
  const unsigned cores = std::max(1u, std::thread::hardware_concurrency());
  const auto begin = Clock::now();
  {
    std::vector<std::jthread> threads;
    for (unsigned i = 0; i < cores; ++i)
      threads.emplace_back([wide] {
        volatile double sink = wide ? fmaLoop512(kSteps) : fmaLoop256(kSteps);
        (void)sink;
      });
  }
  return flopsPerStep * kSteps * cores / secondsSince(begin) / 1e9;
}

struct Program {
  const char* name;
  double flops;
  double peakOfF64;  // peak of the type : peak of f64
  std::string text;
};

std::string dotText(const char* type, const char* result, const char* lhs, const char* rhs, const char* out,
                    const char* numbers) {
  auto array = [](const char* t, const char* dims) { return std::string(t) + "[" + dims + "]"; };
  return "HloModule m\n\nENTRY e {\n  a = " + array(type, lhs) + " parameter(0)\n  b = " + array(type, rhs) +
         " parameter(1)\n  ROOT d = " + array(result, out) + " dot(a, b), " + numbers + "\n}\n";
}

std::string convolutionText(const char* type, const char* in, const char* kernel, const char* out, const char* window) {
  auto array = [&](const char* dims) { return std::string(type) + "[" + dims + "]"; };
  return "HloModule m\n\nENTRY e {\n  a = " + array(in) + " parameter(0)\n  b = " + array(kernel) +
         " parameter(1)\n  ROOT c = " + array(out) + " convolution(a, b), window={" + window +
         "}, dim_labels=b01f_01io->b01f\n}\n";
}

std::string sumText(const char* in, const char* out, const char* dimensions) {
  return std::string(
             "HloModule m\n\nadd {\n  x = f32[] parameter(0)\n  y = f32[] parameter(1)\n  ROOT s = f32[] add(x, "
             "y)\n}\n\nENTRY e {\n"
             "  a = f32[") +
         in + "] parameter(0)\n  z = f32[] constant(0)\n  ROOT r = f32[" + out + "] reduce(a, z), dimensions={" +
         dimensions + "}, to_apply=add\n}\n";
}

std::vector<Program> programs() {
  const char* plain = "lhs_contracting_dims={1}, rhs_contracting_dims={0}";
  const char* turned = "lhs_contracting_dims={0}, rhs_contracting_dims={1}";
  const char* batched = "lhs_batch_dims={0}, rhs_batch_dims={0}, lhs_contracting_dims={2}, rhs_contracting_dims={1}";
  const double cube = 2.0 * 1024 * 1024 * 1024, small = 2.0 * 256 * 256 * 256;
  auto square = [&](const char* type, const char* result) {
    return dotText(type, result, "1024,1024", "1024,1024", "1024,1024", plain);
  };
  return {
      {"dot f64 1024", cube, 1, square("f64", "f64")},
      {"dot f64 256", small, 1, dotText("f64", "f64", "256,256", "256,256", "256,256", plain)},
      {"dot f64 64", 2.0 * 64 * 64 * 64, 1, dotText("f64", "f64", "64,64", "64,64", "64,64", plain)},
      {"dot f64 1000x300x700", 2.0 * 1000 * 300 * 700, 1,
       dotText("f64", "f64", "1000,300", "300,700", "1000,700", plain)},
      {"dot f64 turned", cube, 1, dotText("f64", "f64", "1024,1024", "1024,1024", "1024,1024", turned)},
      {"dot f64 batch 64", 64 * 2.0 * 64 * 64 * 64, 1,
       dotText("f64", "f64", "64,64,64", "64,64,64", "64,64,64", batched)},
      {"dot f64 1024x8", 2.0 * 1024 * 1024 * 8, 1, dotText("f64", "f64", "1024,1024", "1024,8", "1024,8", plain)},
      {"dot c128 512", 8.0 * 512 * 512 * 512, 1, dotText("c128", "c128", "512,512", "512,512", "512,512", plain)},
      {"dot f32 1024", cube, 2, square("f32", "f32")},
      {"dot f16 1024", cube, 2, square("f16", "f16")},
      {"dot bf16 1024", cube, 2, square("bf16", "bf16")},
      {"dot s32 1024", cube, 2, square("s32", "s32")},
      {"dot s8 1024", cube, 2, square("s8", "s32")},
      {"conv f64 28x28x32", 2.0 * 8 * 28 * 28 * 32 * 64 * 9, 1,
       convolutionText("f64", "8,28,28,32", "3,3,32,64", "8,28,28,64", "size=3x3 pad=1_1x1_1")},
      {"conv f32 batch 1", 2.0 * 56 * 56 * 64 * 64 * 9, 2,
       convolutionText("f32", "1,56,56,64", "3,3,64,64", "1,56,56,64", "size=3x3 pad=1_1x1_1")},
      {"conv f32 dilated base", 2.0 * 8 * 56 * 56 * 32 * 64 * 9, 2,
       convolutionText("f32", "8,28,28,32", "3,3,32,64", "8,56,56,64", "size=3x3 pad=2_1x2_1 lhs_dilate=2x2")},
      {"sum f32 4M to 1", 4.0 * 1024 * 1024, 2, sumText("4194304", "", "0")},
      {"sum f32 rows", 4.0 * 1024 * 1024, 2, sumText("4096,1024", "4096", "1")},
      {"sum f32 columns", 4.0 * 1024 * 1024, 2, sumText("65536,64", "64", "0")},
  };
}

int measureProgram(Backend& backend, const Program& program, double seconds) {
  auto compiled = compile(backend, program.text);
  if (!compiled) return 1;
  Profile profile;
  compiled->run();
  compiled->run(&profile);
  const char* what = profile.steps.empty() ? "" : profile.steps.front().what.c_str();
  for (const StepProfile& step : profile.steps)
    if (step.totalNs * 2 > profile.totalNs) what = step.what.c_str();
  double best = 1e30, peak = 0;
  for (const auto begin = Clock::now(); secondsSince(begin) < seconds;) {
    for (int i = 0; i < 3; ++i) best = std::min(best, compiled->run());
    peak = std::max(peak, peakF64());
  }
  peak *= program.peakOfF64;
  const double rate = program.flops / best / 1e9;
  std::printf("%-24s %9.3f ms %9.2f GFLOP/s, peak %8.1f, ratio %5.1f %%  %s\n", program.name, best * 1e3, rate, peak,
              100 * rate / peak, what);
  std::fflush(stdout);
  return 0;
}

int measureProfile(Backend& backend, const std::string& file) {
  std::ostringstream text;
  text << std::ifstream(file, std::ios::binary).rdbuf();
  auto compiled = compile(backend, text.str());
  if (!compiled) return 1;
  std::vector<double> with, without;
  Profile profile;
  for (int i = 0; i < 5; ++i) compiled->run(&profile);
  for (int i = 0; i < 500; ++i) {
    without.push_back(compiled->run());
    with.push_back(compiled->run(&profile));
    profile.timeline.clear();
  }
  auto show = [&](const char* what, double plain, double profiled) {
    std::printf("%s: %s %.4f ms, with a profile %.4f ms: %+.2f %%\n", file.c_str(), what, plain * 1e3, profiled * 1e3,
                100 * (profiled / plain - 1));
  };
  show("best", *std::min_element(without.begin(), without.end()), *std::min_element(with.begin(), with.end()));
  show("median", bench::median(without), bench::median(with));
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  double seconds = 0.4;
  std::string profile, xla;
  bool goals = false;
  std::vector<std::string> names;
  for (int i = 1; i < argc; ++i) {
    const std::string argument = argv[i];
    if (argument.rfind("--seconds=", 0) == 0)
      seconds = std::atof(argument.c_str() + 10);
    else if (argument.rfind("--profile=", 0) == 0)
      profile = argument.substr(10);
    else if (argument.rfind("--xla=", 0) == 0)
      xla = argument.substr(6);
    else if (argument == "--goals")
      goals = true;
    else if (argument.rfind("--", 0) == 0)
      return std::fputs("usage: kernels [--seconds=S] [--goals] [--xla=COMMAND] [--profile=FILE.hlo] [NAME...]\n",
                        stderr),
             64;
    else
      names.push_back(argument);
  }
  auto backend = tessera::makeBackend("cpu");
  if (!backend) {
    std::fprintf(stderr, "%s\n", backend.error().toString().c_str());
    return 1;
  }
  if (goals) return bench::printGoals(**backend, seconds, xla) ? 1 : 0;
  if (!profile.empty()) return measureProfile(**backend, profile);
  int failures = 0;
  for (const Program& program : programs()) {
    bool wanted = names.empty();
    for (const std::string& name : names) wanted = wanted || std::string(program.name).find(name) != std::string::npos;
    if (wanted) failures += measureProgram(**backend, program, seconds);
  }
  return failures ? 1 : 0;
}
