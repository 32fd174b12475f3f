// See kernel_goals.h. Both sides of a ratio are the best of many short tries in alternation, so that other work on the
// machine disturbs them least.
#include "tests/bench/kernel_goals.h"

#include <dlfcn.h>

#include <filesystem>
#include <fstream>
#include <functional>
#include <thread>

#include "backends/roofline.h"
#include "tests/bench/compiled_program.h"
#include "tests/bench/rival.h"

namespace tessera::bench {

namespace {

struct Meter {
  Backend& backend;
  double seconds;
  int failures = 0;

  // goal 0: the rival was not measured.
  void row(const std::string& name, double value, const char* unit, double goal, const char* against) {
    if (goal <= 0)
      std::printf("%-28s %10.2f %-14s %s\n", name.c_str(), value, unit, against);
    else
      std::printf("%-28s %10.2f %-14s goal %10.2f  ratio %5.2f  %s\n", name.c_str(), value, unit, goal, value / goal,
                  against);
    std::fflush(stdout);
  }
  std::optional<Compiled> ready(const std::string& text, int threads = 0) {
    auto program = compile(backend, text, threads);
    if (!program || program->run() < 0 || program->run() < 0) {
      ++failures;
      return std::nullopt;
    }
    return program;
  }
  // Calls the tries in turn until the time is over.
  void alternate(const std::vector<std::function<void()>>& tries) const {
    const auto begin = Clock::now();
    do
      for (const auto& each : tries) each();
    while (secondsSince(begin) < seconds);
  }
};

std::string entry(const std::string& body) { return "HloModule m\n\nENTRY e {\n" + body + "}\n"; }

// --- memory

double copyBytesPerSecond() {
  for (const MemoryPeak& peak : measureRoofline(0.01).memory)
    if (peak.level == "memory" && peak.how == "copy") return peak.allCores;
  return 0;
}

void bandwidth(Meter& meter, const std::string& name, const std::string& text, double bytes) {
  auto program = meter.ready(text);
  if (!program) return;
  double best = 1e30, copy = 0;
  meter.alternate({[&] {
                     for (int i = 0; i < 3; ++i) best = std::min(best, program->run());
                   },
                   [&] { copy = std::max(copy, copyBytesPerSecond()); }});
  meter.row(name, bytes / best / 1e9, "GB/s", 0.85 * copy / 1e9, "85 % of the copy that tessera machine measures");
}

void memoryGoals(Meter& meter) {
  const double million = 1 << 20;
  bandwidth(meter, "elementwise chain 16M f32",
            entry("  a = f32[16777216] parameter(0)\n  b = f32[16777216] parameter(1)\n  s = f32[16777216] add(a, b)\n "
                  " m = f32[16777216] multiply(s, a)\n"
                  "  n = f32[16777216] negate(m)\n  ROOT r = f32[16777216] maximum(n, b)\n"),
            3 * 4 * 16 * million);
  bandwidth(meter, "bias and relu 4096x4096 f32",
            entry("  a = f32[4096,4096] parameter(0)\n  b = f32[4096] parameter(1)\n  bb = f32[4096,4096] "
                  "broadcast(b), dimensions={1}\n"
                  "  s = f32[4096,4096] add(a, bb)\n  z = f32[] constant(0)\n  zz = f32[4096,4096] broadcast(z), "
                  "dimensions={}\n  ROOT r = f32[4096,4096] maximum(s, zz)\n"),
            2 * 4 * 16 * million);
  bandwidth(meter, "transpose 4096x4096 f32",
            entry("  a = f32[4096,4096] parameter(0)\n  ROOT t = f32[4096,4096] transpose(a), dimensions={1,0}\n"),
            2 * 4 * 16 * million);
  bandwidth(meter, "transpose 64x512x512 {0,2,1}",
            entry("  a = f32[64,512,512] parameter(0)\n  ROOT t = f32[64,512,512] transpose(a), dimensions={0,2,1}\n"),
            2 * 4 * 16 * million);
  bandwidth(
      meter, "transpose 64x64x64x64 {0,2,1,3}",
      entry("  a = f32[64,64,64,64] parameter(0)\n  ROOT t = f32[64,64,64,64] transpose(a), dimensions={0,2,1,3}\n"),
      2 * 4 * 16 * million);
}

// --- transcendentals

void transcendental(Meter& meter, const std::string& opcode) {
  constexpr int kElements = 4096, kRuns = 200;
  const std::string shape = "f32[" + std::to_string(kElements) + "]";
  auto program =
      meter.ready(entry("  a = " + shape + " parameter(0)\n  ROOT r = " + shape + " " + opcode + "(a)\n"), 1);
  if (!program) return;
  double best = 1e30;
  meter.alternate({[&] { best = std::min(best, program->runMany(kRuns)); }});
  meter.row(opcode + " f32, in cache", kElements / best / 1e9, "G/s a core", 2.5, "calls included");
}

// --- products

// oneDNN's routine, called directly: with one thread and with as many as there are, whichever is faster.
class LibrarySgemm {
 public:
  LibrarySgemm() {
    void *library = ::dlopen("libdnnl.so.2", RTLD_LAZY | RTLD_LOCAL),
         *threads = ::dlopen("libgomp.so.1", RTLD_LAZY | RTLD_LOCAL);
    if (!library || !threads) return;
    sgemm_ = reinterpret_cast<Sgemm>(::dlsym(library, "dnnl_sgemm"));
    setThreads_ = reinterpret_cast<void (*)(int)>(::dlsym(threads, "omp_set_num_threads"));
  }
  explicit operator bool() const { return sgemm_ && setThreads_; }
  // Seconds of one product of n × n matrices.
  double run(int threads, int64_t n, const float* a, const float* b, float* c) const {
    setThreads_(threads);
    const auto begin = Clock::now();
    sgemm_('N', 'N', n, n, n, 1, a, n, b, n, 0, c, n);
    const double seconds = secondsSince(begin);
    setThreads_(1);
    return seconds;
  }

 private:
  using Sgemm = int (*)(char, char, int64_t, int64_t, int64_t, float, const float*, int64_t, const float*, int64_t,
                        float, float*, int64_t);
  Sgemm sgemm_ = nullptr;
  void (*setThreads_)(int) = nullptr;
};

std::string matrix(int64_t n) { return "f32[" + std::to_string(n) + "," + std::to_string(n) + "]"; }
std::string product(int64_t n, const char* root = "") {
  const std::string m = matrix(n);
  return "  a = " + m + " parameter(0)\n  b = " + m + " parameter(1)\n  " + root + "d = " + m +
         " dot(a, b), lhs_contracting_dims={1}, rhs_contracting_dims={0}\n";
}

void sgemm(Meter& meter, int64_t n) {
  static const LibrarySgemm library;
  auto program = meter.ready(entry(product(n, "ROOT ")));
  if (!program) return;
  const auto count = static_cast<size_t>(n * n);
  std::vector<float> a(count, 0.5f), b(count, 0.25f), c(count);
  const int cores = static_cast<int>(std::max(1u, std::thread::hardware_concurrency()));
  double best = 1e30, rival = 1e30;
  constexpr int kInARow = 5;  // the first finds threads asleep
  auto ours = [&] {
    for (int i = 0; i < kInARow; ++i) best = std::min(best, program->run());
  };
  auto theirs = [&](int threads) {
    for (int i = 0; i < kInARow; ++i) rival = std::min(rival, library.run(threads, n, a.data(), b.data(), c.data()));
  };
  std::vector<std::function<void()>> tries{ours};
  if (library) tries.insert(tries.end(), {[&] { theirs(1); }, [&] { theirs(cores); }});
  meter.alternate(tries);
  const double flops = 2.0 * static_cast<double>(n) * static_cast<double>(n) * static_cast<double>(n);
  meter.row("sgemm " + std::to_string(n), flops / best / 1e9, "GFLOP/s", library ? flops / rival / 1e9 : 0,
            "oneDNN's sgemm, on one thread or all");
}

void epilogue(Meter& meter, int64_t n) {
  const std::string m = matrix(n), vector = "f32[" + std::to_string(n) + "]";
  auto plain = meter.ready(entry(product(n, "ROOT ")));
  auto fused = meter.ready(entry(product(n) + "  v = " + vector + " parameter(2)\n  vb = " + m +
                                 " broadcast(v), dimensions={1}\n  s = " + m +
                                 " add(d, vb)\n  z = f32[] constant(0)\n  zb = " + m +
                                 " broadcast(z), dimensions={}\n  ROOT r = " + m + " maximum(s, zb)\n"));
  if (!plain || !fused) return;
  double alone = 1e30, with = 1e30;
  meter.alternate({[&] { alone = std::min(alone, plain->run()); }, [&] { with = std::min(with, fused->run()); }});
  meter.row("bias and relu on sgemm " + std::to_string(n), 1 / with, "runs/s", 1 / alone, "the product alone");
}

// --- calls and loops

void loopOfScalars(Meter& meter) {
  constexpr double kRounds = 1'000'000;
  auto program = meter.ready(
      "HloModule m\n\nc {\n  p = (s32[], f32[], f32[], f32[]) parameter(0)\n  i = s32[] get-tuple-element(p), "
      "index=0\n  n = s32[] constant(1000000)\n"
      "  ROOT l = pred[] compare(i, n), direction=LT\n}\n\nb {\n  p = (s32[], f32[], f32[], f32[]) parameter(0)\n  i = "
      "s32[] get-tuple-element(p), index=0\n"
      "  x = f32[] get-tuple-element(p), index=1\n  y = f32[] get-tuple-element(p), index=2\n  z = f32[] "
      "get-tuple-element(p), index=3\n"
      "  one = s32[] constant(1)\n  j = s32[] add(i, one)\n  h = f32[] constant(0.001)\n  xy = f32[] multiply(x, y)\n  "
      "dx = f32[] subtract(y, x)\n"
      "  hx = f32[] multiply(dx, h)\n  x2 = f32[] add(x, hx)\n  dy = f32[] subtract(z, xy)\n  hy = f32[] multiply(dy, "
      "h)\n  y2 = f32[] add(y, hy)\n"
      "  hz = f32[] multiply(xy, h)\n  z2 = f32[] subtract(z, hz)\n  ROOT t = (s32[], f32[], f32[], f32[]) tuple(j, "
      "x2, y2, z2)\n}\n\n"
      "ENTRY e {\n  i = s32[] constant(0)\n  x = f32[] parameter(0)\n  y = f32[] parameter(1)\n  z = f32[] "
      "parameter(2)\n"
      "  t = (s32[], f32[], f32[], f32[]) tuple(i, x, y, z)\n  ROOT w = (s32[], f32[], f32[], f32[]) while(t), "
      "condition=c, body=b\n}\n");
  if (!program) return;
  double best = 1e30;
  meter.alternate({[&] { best = std::min(best, program->run()); }});
  meter.row("while of ten scalar ops", kRounds / best / 1e6, "M rounds/s", 100, "");
}

void launch(Meter& meter) {
  auto program = meter.ready(entry("  a = f32[] parameter(0)\n  ROOT r = f32[] copy(a)\n"));
  if (!program) return;
  double best = 1e30;
  meter.alternate({[&] { best = std::min(best, program->runMany(1000)); }});
  meter.row("calls of an empty executable", 1 / best / 1e6, "M calls/s", 1, "1 us a call");
}

void sort(Meter& meter, const std::string& xla) {
  const std::string text =
      "HloModule m\n\nless {\n  x = f32[] parameter(0)\n  y = f32[] parameter(1)\n  ROOT c = pred[] compare(x, y), "
      "direction=LT, type=TOTALORDER\n}\n\n" +
      entry(
          "  a = f32[10000000] parameter(0)\n  ROOT s = f32[10000000] sort(a), dimensions={0}, is_stable=true, "
          "to_apply=less\n")
          .substr(13);
  auto program = meter.ready(text);
  if (!program) return;
  double best = 1e30, rival = 0;
  for (int i = 0; i < 5; ++i) best = std::min(best, program->run());
  if (!xla.empty()) {
    const std::string file = (std::filesystem::temp_directory_path() / "tessera_sort_10m.hlo").string();
    std::ofstream(file) << text;
    if (auto json = runJson(xla + " " + quoted(file) + " --iters 3"))
      rival = (*json)["exec_median_ms"].get<double>() / 1e3;
    std::filesystem::remove(file);
  }
  meter.row("sort 10M f32", 10 / best, "M keys/s", rival > 0 ? 5 * 10 / rival : 0,
            rival > 0 ? "5 times XLA's" : "5 times XLA's (not measured: --xla)");
}

}  // namespace

int printGoals(Backend& backend, double seconds, const std::string& xla) {
  Meter meter{backend, seconds};
  memoryGoals(meter);
  for (const char* opcode : {"exponential", "log", "tanh", "erf"}) transcendental(meter, opcode);
  for (int64_t n : {64, 128, 256, 512, 1024, 2048}) sgemm(meter, n);
  for (int64_t n : {256, 1024}) epilogue(meter, n);
  loopOfScalars(meter);
  launch(meter);
  sort(meter, xla);
  return meter.failures;
}

}  // namespace tessera::bench
