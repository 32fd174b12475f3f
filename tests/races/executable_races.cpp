// Executables under the thread sanitizer (preset "tsan"): kernels, sorts, totals and products across the pool, several
// executables at once, one executable from several threads, one kernel cache for all, runs that are cancelled in the
// middle, replicas with collectives. Code that LLVM makes is not instrumented, all around it is. In other builds the
// same program checks the values alone. Exit 0: right results; the sanitizer makes races an error.
#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "backends/backend.h"
#include "core/evaluate/evaluate.h"
#include "core/evaluate/replicas.h"
#include "core/formats/hlo_text.h"
#include "core/ops/inference/infer.h"

namespace {

using namespace tessera;

std::atomic<int> failures{0};

void expect(bool holds, const std::string& what) {
  if (holds) return;
  ++failures;
  std::fprintf(stderr, "wrong: %s\n", what.c_str());
}

constexpr const char* kScalars = R"(
sum { a = f32[] parameter(0)  b = f32[] parameter(1)  ROOT r = f32[] add(a, b) }
before { a = f32[] parameter(0)  b = f32[] parameter(1)  ROOT r = pred[] compare(a, b), direction=LT }
first { a = f32[] parameter(0)  b = f32[] parameter(1)  i = s32[] parameter(2)  j = s32[] parameter(3)  )"
                                 R"(ROOT r = pred[] compare(a, b), direction=LT }
)";

// Each is cut among threads in a way of its own.
const std::vector<std::pair<std::string, std::string>> kPrograms = {
    {"elements",
     "x = f32[300,700] parameter(0)  e = f32[300,700] exponential(x)  ROOT r = f32[300,700] multiply(e, x)"},
    {"transpose", "x = f32[512,384] parameter(0)  ROOT r = f32[384,512] transpose(x), dimensions={1,0}"},
    {"reduce",
     "x = f32[2000,300] parameter(0)  z = f32[] constant(0)  ROOT r = f32[300] reduce(x, z), dimensions={0}, "
     "to_apply=sum"},
    {"sort", "x = f32[150000] parameter(0)  ROOT r = f32[150000] sort(x), dimensions={0}, to_apply=before"},
    {"rows", "x = f32[400,256] parameter(0)  ROOT r = f32[400,256] sort(x), dimensions={1}, to_apply=before"},
    {"pairs",
     "x = f32[150000] parameter(0)  i = s32[150000] iota(), iota_dimension=0  p = (f32[150000], s32[150000]) sort(x, "
     "i), dimensions={0}, to_apply=first  "
     "ROOT r = s32[150000] get-tuple-element(p), index=1"},
    {"transform", "x = f32[64,600] parameter(0)  ROOT r = c64[64,301] fft(x), fft_type=RFFT, fft_length={600}"},
    {"totals",
     "x = f32[200000] parameter(0)  z = f32[] constant(0)  ROOT r = f32[200000] reduce-window(x, z), "
     "window={size=200000 pad=199999_0}, to_apply=sum"},
    {"product",
     "x = f32[160,160] parameter(0)  y = f32[160,160] parameter(1)  ROOT r = f32[160,160] dot(x, y), "
     "lhs_contracting_dims={1}, rhs_contracting_dims={0}"},
    {"contraction",
     "x = f64[160,160] parameter(0)  y = f64[160,160] parameter(1)  ROOT r = f64[160,160] dot(x, y), "
     "lhs_contracting_dims={1}, rhs_contracting_dims={0}"},
    {"chain",
     "q = f32[2,128,32] parameter(0)  k = f32[2,128,32] parameter(1)  s = f32[2,128,128] dot(q, k), "
     "lhs_batch_dims={0}, rhs_batch_dims={0}, "
     "lhs_contracting_dims={2}, rhs_contracting_dims={2}  e = f32[2,128,128] exponential(s)  ROOT r = f32[2,128,32] "
     "dot(e, k), lhs_batch_dims={0}, "
     "rhs_batch_dims={0}, lhs_contracting_dims={2}, rhs_contracting_dims={1}"},
    {"convolution",
     "x = f32[4,20,20,8] parameter(0)  w = f32[3,3,8,8] parameter(1)  ROOT r = f32[4,18,18,8] convolution(x, w), "
     "window={size=3x3}, dim_labels=b01f_01io->b01f"},
};

Module moduleOf(const std::string& name, const std::string& entry) {
  ReadResult read = readHloText("HloModule " + name + "\n" + kScalars + "ENTRY main { " + entry + " }\n");
  if (!read.module) {
    std::fprintf(stderr, "%s does not parse\n", name.c_str());
    std::exit(2);
  }
  inferModule(*read.module);
  return std::move(*read.module);
}

std::unique_ptr<Executable> compiled(const Module& module, int threads, const std::string& cache = {}) {
  CompileOptions options;
  options.threads = threads;
  options.kernelCache = cache;
  auto backend = makeBackend("cpu");
  if (!backend) return nullptr;
  auto executable = (*backend)->compile(module, options);
  if (!executable) std::fprintf(stderr, "%s\n", executable.error().toString().c_str());
  return executable ? std::move(*executable) : nullptr;
}

std::vector<Literal> argumentsOf(const Module& module) {
  std::vector<Literal> out;
  for (const Shape& shape : entryArgumentShapes(module))
    out.push_back(fillParameter(shape, out.size(), FillRule{0, 1.0, 8}).value());
  return out;
}

bool same(const std::vector<Literal>& a, const std::vector<Literal>& b) {
  return !a.empty() && std::ranges::equal(a, b, [](const Literal& x, const Literal& y) {
    return std::ranges::equal(x.bytes(), y.bytes());
  });
}

void expectRun(Executable& executable, const std::vector<Literal>& arguments, const std::vector<Literal>& expected,
               const std::string& what) {
  auto out = executable.run(arguments);
  expect(out && same(*out, expected), what);
}

// One after the other, on pools of several sizes; the profile's measurements, too.
void alone(const std::string& name, const std::string& entry) {
  const Module module = moduleOf(name, entry);
  const std::vector<Literal> arguments = argumentsOf(module);
  std::vector<Literal> expected;
  for (int threads : {1, 2, 4}) {
    auto executable = compiled(module, threads);
    if (!executable) return expect(false, name + " compiles");
    if (threads == 1) expected = executable->run(arguments).value_or(std::vector<Literal>{});
    for (int i = 0; i < 5; ++i) expectRun(*executable, arguments, expected, name + " on " + std::to_string(threads));
    Profile profile;
    auto measured = executable->run(arguments, {}, &profile);
    expect(measured && same(*measured, expected) && profile.runs == 1, name + " measured");
  }
}

// Several executables at once, compiled at once into one cache; then one executable from all threads.
void together(const std::string& cache) {
  std::vector<Module> modules;
  for (const auto& [name, entry] : kPrograms) modules.push_back(moduleOf(name, entry));
  auto shared = compiled(modules[0], 2);
  const std::vector<Literal> sharedArguments = argumentsOf(modules[0]);
  const std::vector<Literal> sharedResult = shared->run(sharedArguments).value_or(std::vector<Literal>{});
  std::vector<std::jthread> threads;
  for (int t = 0; t < 3; ++t)
    threads.emplace_back([&, t] {
      for (size_t p = 0; p < modules.size(); ++p) {
        const Module& module = modules[(p + static_cast<size_t>(t)) % modules.size()];
        auto executable = compiled(module, 2, cache);
        if (!executable) return expect(false, module.name + " compiles beside others");
        const std::vector<Literal> arguments = argumentsOf(module);
        const auto first = executable->run(arguments);
        for (int i = 0; i < 3; ++i)
          expectRun(*executable, arguments, first.value_or(std::vector<Literal>{}), module.name + " beside others");
        expectRun(*shared, sharedArguments, sharedResult, "one executable from all threads");
      }
    });
}

// An endless loop of products, and one of a region; ended from outside, in the middle.
void cancelled(const std::string& name, const std::string& computations, const std::string& entry) {
  ReadResult read =
      readHloText("HloModule " + name + "\n" + kScalars + computations + "ENTRY main { " + entry + " }\n");
  if (!read.module) return expect(false, name + " parses");
  inferModule(*read.module);
  auto executable = compiled(*read.module, 3);
  if (!executable) return expect(false, name + " compiles");
  std::atomic<bool> cancel{false};
  std::jthread later([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(30));
    cancel.store(true);
  });
  RunOptions options;
  options.cancel = &cancel;
  auto out = executable->run(argumentsOf(*read.module), options);
  expect(!out && out.error().message.find("cancelled") != std::string::npos, name + " is cancelled");
}

void replicas() {
  constexpr int64_t kReplicas = 4;
  const Module module =
      moduleOf("replicas",
               "x = f32[5000] parameter(0)  s = f32[5000] all-reduce(x), to_apply=sum  g = f32[20000] all-gather(s), "
               "dimensions={0}  "
               "t = f32[20000] sort(g), dimensions={0}, to_apply=before  ROOT r = f32[20000] add(t, g)");
  std::vector<std::unique_ptr<Executable>> executables;
  for (int64_t d = 0; d < kReplicas; ++d) executables.push_back(compiled(module, 2));
  const std::vector<Literal> arguments = argumentsOf(module);
  for (int round = 0; round < 3; ++round) {
    auto out = runOnDevices({kReplicas, 1}, [&](Communicator& communicator) {
      RunOptions options;
      options.communicator = &communicator;
      return executables[static_cast<size_t>(communicator.device())]->run(arguments, options);
    });
    expect(out.has_value(), "replicas run");
    for (int64_t d = 1; out && d < kReplicas; ++d)
      expect(same((*out)[static_cast<size_t>(d)], (*out)[0]), "replicas agree");
  }
}

}  // namespace

int main() {
  for (const auto& [name, entry] : kPrograms) alone(name, entry);
  std::string cache = (std::filesystem::temp_directory_path() / "tessera-races-XXXXXX").string();
  if (!::mkdtemp(cache.data())) return 2;
  together(cache);
  std::filesystem::remove_all(cache);
  const std::string forever = "forever { x = f32[200,200] parameter(0)  ROOT t = pred[] constant(true) }\n";
  cancelled("products",
            forever +
                "body { x = f32[200,200] parameter(0)  ROOT r = f32[200,200] dot(x, x), lhs_contracting_dims={1}, "
                "rhs_contracting_dims={0} }\n",
            "x = f32[200,200] parameter(0)  ROOT w = f32[200,200] while(x), condition=forever, body=body");
  cancelled("region",
            "again { x = f32[] parameter(0)  ROOT t = pred[] constant(true) }\nbody { x = f32[] parameter(0)  ROOT r = "
            "f32[] negate(x) }\n",
            "x = f32[] parameter(0)  ROOT w = f32[] while(x), condition=again, body=body");
  replicas();
  return failures == 0 ? 0 : 1;
}
