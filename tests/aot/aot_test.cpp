// Programs compiled ahead of time against the same programs compiled in memory: bit for bit, through an object file,
// the system's linker and the C entry point. Small programs for every kind of step; the corpus in the long tier.
#include <dlfcn.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <span>
#include <thread>

#include "backends/backend.h"
#include "core/base/tuning.h"
#include "core/evaluate/device_values.h"
#include "core/evaluate/dynamic_values.h"
#include "core/evaluate/evaluate.h"
#include "core/evaluate/replicas.h"
#include "core/formats/hlo_text.h"
#include "core/formats/npz.h"
#include "core/ops/inference/infer.h"
#include "tests/corpus/corpus.h"
#include "tests/support/planned_memory.h"
#include "tests/support/skips.h"
#include "tests/support/values.h"

namespace tessera {
namespace {

// A program as C sees it: built in a folder of its own, opened in this process.
class Library {
 public:
  using Run = int (*)(const void* const*, void* const*, void*, char*, size_t);

  Library(const CompiledObject& object, const std::string& name) {
    std::string folder = (std::filesystem::temp_directory_path() / "tessera-aot-XXXXXX").string();
    if (!::mkdtemp(folder.data())) return;
    folder_ = folder;
    std::ofstream(folder_ / "p.o", std::ios::binary) << object.bytes;
    std::string command = "cc -shared -Wl,-z,defs -o " + folder + "/p.so " + folder +
                          "/p.o -L" TESSERA_LIBRARIES " -Wl,-rpath," TESSERA_LIBRARIES;
    for (const std::string& library : object.libraries) command += " -l" + library;
    if (std::system(command.c_str()) != 0) return;
    handle_ = ::dlopen((folder + "/p.so").c_str(), RTLD_NOW | RTLD_LOCAL);
    if (!handle_) return;
    run = reinterpret_cast<Run>(::dlsym(handle_, (name + "_run").c_str()));
    workspaceBytes = reinterpret_cast<size_t (*)()>(::dlsym(handle_, (name + "_workspace_bytes").c_str()));
  }
  ~Library() {
    if (handle_) ::dlclose(handle_);
    std::error_code error;
    if (!folder_.empty()) std::filesystem::remove_all(folder_, error);
  }
  Library(const Library&) = delete;
  Library& operator=(const Library&) = delete;

  Run run = nullptr;
  size_t (*workspaceBytes)() = nullptr;

 private:
  std::filesystem::path folder_;
  void* handle_ = nullptr;
};

struct FreeBytes {
  void operator()(void* p) const { std::free(p); }
};
using Memory = std::unique_ptr<void, FreeBytes>;
Memory memoryOf(size_t bytes) { return Memory(bytes == 0 ? nullptr : std::aligned_alloc(64, (bytes + 63) / 64 * 64)); }

struct Called {
  int answer = -1;
  std::string error;
  std::vector<Literal> results;
};

// The results' memory is filled with what no program leaves there by chance, and so is what lies behind the workspace.
Called call(const Library& library, const std::vector<Literal>& arguments, const std::vector<Literal>& like) {
  Called out;
  std::vector<const void*> in;
  std::vector<void*> to;
  for (const Literal& argument : arguments) in.push_back(argument.bytes().data());
  for (const Literal& result : like) {
    out.results.push_back(Literal::allocate(result.shape()).value());
    std::memset(out.results.back().mutableBytes().data(), 0xa5, out.results.back().bytes().size());
  }
  for (Literal& result : out.results) to.push_back(result.mutableBytes().data());
  constexpr size_t kGuard = 1 << 16;
  const size_t bytes = library.workspaceBytes();
  const Memory workspace = memoryOf(bytes + kGuard);
  const std::span guard(static_cast<unsigned char*>(workspace.get()) + bytes, kGuard);
  std::ranges::fill(guard, 0x5a);
  char error[256] = "";
  out.answer = library.run(in.data(), to.data(), workspace.get(), error, sizeof error);
  out.error = error;
  EXPECT_TRUE(std::ranges::all_of(guard, [](unsigned char byte) { return byte == 0x5a; })) << "behind the workspace";
  return out;
}

Module moduleOf(const std::string& text) {
  ReadResult read = readHloText(text);
  if (!read.module) {
    ADD_FAILURE() << text;
    return Module("unread");
  }
  inferModule(*read.module);
  return std::move(*read.module);
}

std::vector<Literal> filled(const Module& module, const NamedArrays& given = {}) {
  std::vector<Literal> out;
  for (const Shape& shape : entryArgumentShapes(module)) {
    const auto at = given.find("arg" + std::to_string(out.size()));
    out.push_back(at != given.end() ? at->second : fillParameter(shape, out.size(), {}).value());
  }
  return out;
}

Result<CompiledObject> objectOf(const Module& module, const std::string& isa = "native", int threads = 2) {
  CompileOptions options;
  options.keepsCode = true;
  options.isa = isa;
  options.threads = threads;
  TESSERA_ASSIGN_OR_RETURN(auto executable, makeBackend("cpu").value()->compile(module, options));
  return executable->object("program");
}

// In memory, by the same backend.
std::vector<Literal> expectedOf(const Module& module, const std::vector<Literal>& arguments) {
  auto executable = makeBackend("cpu").value()->compile(module);
  EXPECT_TRUE(executable) << executable.error().toString();
  auto out = (*executable)->run(arguments);
  EXPECT_TRUE(out) << out.error().toString();
  return std::move(*out);
}

void expectSame(const std::vector<Literal>& expected, const Called& called) {
  ASSERT_EQ(called.answer, 0) << called.error;
  ASSERT_EQ(expected.size(), called.results.size());
  for (size_t i = 0; i < expected.size(); ++i) EXPECT_TRUE(expected[i].identical(called.results[i])) << "result " << i;
}

std::vector<Literal> flat(const DeviceArrays& arrays) {
  std::vector<Literal> out;
  for (const std::vector<Literal>& device : arrays) out.insert(out.end(), device.begin(), device.end());
  return out;
}

// In memory, an executable for each device.
Result<DeviceArrays> onDevices(const Module& module, DeviceGrid grid, const DeviceArrays& arguments) {
  std::vector<std::unique_ptr<Executable>> executables;
  for (int64_t device = 0; device < grid.count(); ++device) {
    CompileOptions options;
    options.threads = 1;
    TESSERA_ASSIGN_OR_RETURN(auto executable, makeBackend("cpu").value()->compile(module, options));
    executables.push_back(std::move(executable));
  }
  return runOnDevices(grid, [&](Communicator& communicator) {
    const auto device = static_cast<size_t>(communicator.device());
    RunOptions options;
    options.communicator = grid.count() > 1 ? &communicator : nullptr;
    return executables[device]->run(arguments[device], options);
  });
}

// A program with dynamic sizes, called as its header says: arrays as large as their bounds, sizes behind them.
Called callInBounds(const Module& module, const Library& library, const std::vector<Literal>& arguments) {
  std::vector<Literal> in, inSizes, like, likeSizes;
  const auto add = [](const Shape& shape, std::vector<Literal>& arrays, std::vector<Literal>& sizes,
                      const Literal* value) {
    for (int64_t d = 0; d < shape.rank(); ++d)
      if (shape.isDynamicDimension(d))
        sizes.push_back(Literal::scalar<int32_t>(
            ElementType::S32, value ? static_cast<int32_t>(value->shape().dimensions[static_cast<size_t>(d)]) : -1));
    const Shape bounds = Shape::arrayRowMajor(shape.type, shape.dimensions);
    arrays.push_back(value ? padTo(*value, bounds).value() : Literal::allocate(bounds).value());
  };
  const std::vector<Shape> shapes = entryArgumentShapes(module);
  for (size_t i = 0; i < shapes.size(); ++i) add(shapes[i], in, inSizes, &arguments[i]);
  std::vector<Shape> results;
  for (const ShapeLeaf& leaf : leavesOf(module.shapeOf(module.entryComputation().root)))
    if (leaf.shape->isArray()) results.push_back(*leaf.shape);
  for (const Shape& shape : results) add(shape, like, likeSizes, nullptr);
  in.insert(in.end(), inSizes.begin(), inSizes.end());
  like.insert(like.end(), likeSizes.begin(), likeSizes.end());
  Called called = call(library, in, like);
  size_t next = results.size();
  for (size_t i = 0; i < results.size(); ++i) {
    std::vector<int64_t> sizes = results[i].dimensions;
    for (size_t d = 0; d < sizes.size(); ++d)
      if (results[i].isDynamicDimension(static_cast<int64_t>(d))) sizes[d] = called.results[next++].data<int32_t>()[0];
    if (called.answer == 0) called.results[i] = cutTo(called.results[i], sizes).value();
  }
  called.results.resize(results.size());
  return called;
}

// --- every kind of step

constexpr const char* kComputations = R"(
sum { a = f32[] parameter(0)  b = f32[] parameter(1)  ROOT r = f32[] add(a, b) }
before { a = f32[] parameter(0)  b = f32[] parameter(1)  ROOT r = pred[] compare(a, b), direction=LT }
by_size { a = f32[] parameter(0)  b = f32[] parameter(1)  x = f32[] multiply(a, a)  y = f32[] )"
                                      R"(multiply(b, b)  z = f32[] add(x, y)  c = pred[] compare(x, z), direction=LT
  d = pred[] compare(a, b), direction=GT  ROOT r = pred[] and(c, d) }
more { s = (s32[], f32[96,96]) parameter(0)  i = s32[] get-tuple-element(s), index=0  n = s32[] )"
                                      R"(constant(7)  ROOT r = pred[] compare(i, n), direction=LT }
step { s = (s32[], f32[96,96]) parameter(0)  i = s32[] get-tuple-element(s), index=0  x = f32[96,96] )"
                                      R"(get-tuple-element(s), index=1  one = s32[] constant(1)
  j = s32[] add(i, one)  d = f32[96,96] dot(x, x), lhs_contracting_dims={1}, rhs_contracting_dims={0}  )"
                                      R"(t = f32[96,96] tanh(d)  ROOT r = (s32[], f32[96,96]) tuple(j, t) }
halved { x = f32[200,300] parameter(0)  h = f32[] constant(0.5)  b = f32[200,300] broadcast(h), )"
                                      R"(dimensions={}  ROOT r = f32[200,300] multiply(x, b) }
squared { x = f32[200,300] parameter(0)  ROOT r = f32[200,300] multiply(x, x) }
)";

struct Case {
  const char *name, *entry;
};
const Case kCases[] = {
    {"elements",
     "x = f32[40,50] parameter(0)  y = f32[50] parameter(1)  b = f32[40,50] broadcast(y), dimensions={1}  e = "
     "f32[40,50] exponential(x)  ROOT r = f32[40,50] multiply(e, b)"},
    {"functions", "x = f64[64] parameter(0)  t = f64[64] tan(x)  e = f64[64] erf(t)  ROOT r = f64[64] power(e, x)"},
    {"small_floats", "x = f32[64] parameter(0)  a = f8e4m3fn[64] convert(x)  ROOT r = f16[64] convert(a)"},
    {"constants", "x = f32[5] parameter(0)  c = f32[5] constant({1.5, 2, -3, 4, 0.25})  ROOT r = f32[5] add(x, c)"},
    {"constant_result", "ROOT c = s32[4] constant({1, 2, 3, 4})"},
    {"empty", "x = f32[0,3] parameter(0)  ROOT r = f32[0,3] negate(x)"},
    {"tuples",
     "p = (f32[4], (s32[2], token[])) parameter(0)  x = f32[4] get-tuple-element(p), index=0  q = (s32[2], token[]) "
     "get-tuple-element(p), index=1  "
     "i = s32[2] get-tuple-element(q), index=0  n = f32[4] negate(x)  t = (s32[2], f32[4]) tuple(i, x)  ROOT r = "
     "(f32[4], (s32[2], f32[4])) tuple(n, t)"},
    {"reduce",
     "x = f32[300,257] parameter(0)  z = f32[] constant(0)  ROOT r = f32[300] reduce(x, z), dimensions={1}, "
     "to_apply=sum"},
    {"dot",
     "x = f32[96,64] parameter(0)  y = f32[64,80] parameter(1)  ROOT r = f32[96,80] dot(x, y), "
     "lhs_contracting_dims={1}, rhs_contracting_dims={0}"},
    {"dot_f64",
     "x = f64[96,64] parameter(0)  y = f64[64,80] parameter(1)  ROOT r = f64[96,80] dot(x, y), "
     "lhs_contracting_dims={1}, rhs_contracting_dims={0}"},
    {"dot_bf16",
     "x = bf16[96,64] parameter(0)  y = bf16[64,80] parameter(1)  ROOT r = bf16[96,80] dot(x, y), "
     "lhs_contracting_dims={1}, rhs_contracting_dims={0}"},
    {"attention",
     "q = f32[2,128,32] parameter(0)  k = f32[2,128,32] parameter(1)  s = f32[2,128,128] dot(q, k), "
     "lhs_batch_dims={0}, rhs_batch_dims={0}, "
     "lhs_contracting_dims={2}, rhs_contracting_dims={2}  e = f32[2,128,128] exponential(s)  ROOT r = f32[2,128,32] "
     "dot(e, k), lhs_batch_dims={0}, "
     "rhs_batch_dims={0}, lhs_contracting_dims={2}, rhs_contracting_dims={1}"},
    {"convolution",
     "x = f32[4,20,20,8] parameter(0)  w = f32[3,3,8,8] parameter(1)  ROOT r = f32[4,18,18,8] convolution(x, w), "
     "window={size=3x3}, dim_labels=b01f_01io->b01f"},
    {"convolution_gradient",
     "x = f32[2,9,9,8] parameter(0)  w = f32[3,3,8,8] parameter(1)  ROOT r = f32[2,19,19,8] convolution(x, w), "
     "window={size=3x3 pad=2_2x2_2 lhs_dilate=2x2 rhs_reversal=1x1}, dim_labels=b01f_01io->b01f"},
    {"loop",
     "i = s32[] constant(0)  x = f32[96,96] parameter(0)  t = (s32[], f32[96,96]) tuple(i, x)  ROOT w = (s32[], "
     "f32[96,96]) while(t), condition=more, body=step"},
    {"branches",
     "i = s32[] parameter(0)  x = f32[200,300] parameter(1)  ROOT r = f32[200,300] conditional(i, x, x), "
     "branch_computations={halved, squared}"},
    {"sort", "x = f32[3000] parameter(0)  ROOT r = f32[3000] sort(x), dimensions={0}, to_apply=before"},
    {"sort_rows", "x = f32[64,33] parameter(0)  ROOT r = f32[64,33] sort(x), dimensions={1}, to_apply=before"},
    {"sort_by_calls", "x = f32[500] parameter(0)  ROOT r = f32[500] sort(x), dimensions={0}, to_apply=by_size"},
    {"totals",
     "x = f32[5000] parameter(0)  z = f32[] constant(0)  ROOT r = f32[5000] reduce-window(x, z), window={size=5000 "
     "pad=4999_0}, to_apply=sum"},
    {"transpose", "x = f32[130,70] parameter(0)  ROOT r = f32[70,130] transpose(x), dimensions={1,0}"},
    {"transform", "x = f32[8,30] parameter(0)  ROOT r = c64[8,16] fft(x), fft_type=RFFT, fft_length={30}"},
    {"decomposition",
     "x = f32[4,4] parameter(0)  t = f32[4,4] transpose(x), dimensions={1,0}  p = f32[4,4] dot(x, t), "
     "lhs_contracting_dims={1}, rhs_contracting_dims={0}  "
     "c = f32[] constant(3)  b = f32[4,4] broadcast(c), dimensions={}  i = s32[4,4] iota(), iota_dimension=0  j = "
     "s32[4,4] iota(), iota_dimension=1  "
     "e = pred[4,4] compare(i, j), direction=EQ  z = f32[4,4] subtract(p, p)  d = f32[4,4] select(e, b, z)  a = "
     "f32[4,4] add(p, d)  ROOT l = f32[4,4] cholesky(a), lower=true"},
    {"triangular_solve",
     "x = f32[4,3] parameter(0)  a = f32[4,4] parameter(1)  ROOT r = f32[4,3] triangular-solve(a, x), left_side=true, "
     "lower=true, transpose_a=NO_TRANSPOSE"},
    {"one_operand_twice",
     "a = f32[4,4] parameter(0)  ROOT r = f32[4,4] triangular-solve(a, a), left_side=true, lower=true, "
     "transpose_a=NO_TRANSPOSE"},
    {"column_major_operands",
     "b = f32[8,2] parameter(0)  a = f32[8,8] parameter(1)  ROOT r = f32[8,2]{0,1} custom-call(a, b), "
     "custom_call_target=\"lapack_strsm_ffi\", "
     "operand_layout_constraints={f32[8,8]{0,1}, f32[8,2]{0,1}}, api_version=API_VERSION_TYPED_FFI, "
     "backend_config={diag = 78 : ui8, side = 76 : ui8, trans_x = 78 : ui8, uplo = 76 : ui8}"},
    {"factors",
     "x = f32[6,4] parameter(0)  q = (f32[6,4], f32[4]) custom-call(x), custom_call_target=\"Qr\"  a = f32[6,4] "
     "get-tuple-element(q), index=0  "
     "t = f32[4] get-tuple-element(q), index=1  ROOT h = f32[6,4] custom-call(a, t), "
     "custom_call_target=\"ProductOfElementaryHouseholderReflectors\""},
    {"random",
     "a = f32[] parameter(0)  b = f32[] constant(4)  n = f32[50] rng(a, b), distribution=rng_normal  u = f32[50] "
     "rng(a, b), distribution=rng_uniform  "
     "ROOT r = f32[50] add(n, u)"},
    {"complex", "x = c64[30] parameter(0)  ROOT r = c64[30] exponential(x)"},
};

class AheadOfTime : public testing::TestWithParam<Case> {};
Module programOf(const Case& one) {
  return moduleOf(std::string("HloModule m\n") + kComputations + "ENTRY main { " + one.entry + " }\n");
}
TEST_P(AheadOfTime, GivesTheBitsOfARun) {
  const Module module = programOf(GetParam());
  auto object = objectOf(module);
  ASSERT_TRUE(object) << object.error().toString();
  const Library library(*object, "program");
  ASSERT_TRUE(library.run);
  const std::vector<Literal> arguments = filled(module), expected = expectedOf(module, arguments);
  for (int i = 0; i < 2; ++i) expectSame(expected, call(library, arguments, expected));
}
// Builds are reproducible, and nothing of the compiler's memory is in an object.
TEST_P(AheadOfTime, IsTheSameEachTime) {
  const Module module = programOf(GetParam());
  const auto first = objectOf(module);
  for (size_t bytes = 16; bytes < 1 << 16; bytes += 48) std::string(bytes, '\xa5');  // freed memory that is not zero
  const auto second = objectOf(module);
  ASSERT_TRUE(first && second);
  EXPECT_TRUE(first->bytes == second->bytes);
  EXPECT_EQ(first->header, second->header);
}

INSTANTIATE_TEST_SUITE_P(Steps, AheadOfTime, testing::ValuesIn(kCases),
                         [](const auto& info) { return std::string(info.param.name); });

// --- how it is called

TEST(AheadOfTimeCalls, RunsMayOverlap) {
  const Module module =
      moduleOf(std::string("HloModule m\n") + kComputations +
               "ENTRY main { x = f32[200,96] parameter(0)  y = f32[96,300] parameter(1)  d = f32[200,300] dot(x, y), "
               "lhs_contracting_dims={1}, rhs_contracting_dims={0}  ROOT r = f32[200,300] sort(d), dimensions={1}, "
               "to_apply=before }\n");
  const Library library(objectOf(module).value(), "program");
  ASSERT_TRUE(library.run);
  const std::vector<Literal> arguments = filled(module), expected = expectedOf(module, arguments);
  std::vector<std::jthread> threads;
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([&] {
      for (int i = 0; i < 10; ++i) expectSame(expected, call(library, arguments, expected));
    });
}

// The library's tuning constants follow from this machine's caches, whatever those of the compiling one were.
TEST(AheadOfTimeCalls, MemoryIsAsItWasPlanned) {
  const Module module = moduleOf(test::kPlannedMemory);
  const std::vector<Literal> arguments = filled(module), expected = expectedOf(module, arguments);
  const Tuning before = tuning();
  const Caches small{.firstBytes = 8 << 10, .secondBytes = 64 << 10, .lastBytes = 256 << 10},
      large{.firstBytes = 256 << 10, .secondBytes = 64 << 20, .lastBytes = 512 << 20};
  for (const Caches& caches : {small, large}) {
    setTuning(tuningFor(caches));
    const auto object = objectOf(module, "native", 3);
    setTuning(before);
    ASSERT_TRUE(object) << object.error().toString();
    const Library library(*object, "program");
    ASSERT_TRUE(library.run);
    const Called called = call(library, arguments, expected);
    ASSERT_EQ(called.answer, 0) << called.error;
    EXPECT_TRUE(test::sameValues(expected, called.results)) << caches.lastBytes;
  }
}

TEST(AheadOfTimeCalls, ADeclaredAliasMayShareMemory) {
  const Module module = moduleOf(
      "HloModule m, input_output_alias={ {0}: (0, {}, may-alias) }\nENTRY main { x = f32[600] parameter(0)  y = "
      "f32[600] parameter(1)  "
      "s = f32[600] add(x, y)  v = f32[600] reverse(x), dimensions={0}  d = f32[600] multiply(v, y)  ROOT t = "
      "(f32[600], f32[600]) tuple(d, s) }\n");
  const CompiledObject object = objectOf(module).value();
  EXPECT_NE(object.header.find("may be stored over argument 0"), std::string::npos) << object.header;
  const Library library(object, "program");
  ASSERT_TRUE(library.run);
  std::vector<Literal> arguments = filled(module);
  const std::vector<Literal> expected = expectedOf(module, arguments);
  Literal x = Literal::fromBytes(arguments[0].shape(), arguments[0].bytes()).value(),
          other = Literal::allocate(arguments[0].shape()).value();
  const Memory workspace = memoryOf(library.workspaceBytes());
  const void* in[] = {x.mutableBytes().data(), arguments[1].bytes().data()};
  void* shared[] = {x.mutableBytes().data(), other.mutableBytes().data()};
  char error[200] = "";
  ASSERT_EQ(library.run(in, shared, workspace.get(), error, sizeof error), 0) << error;
  EXPECT_TRUE(x.identical(expected[0]));
  EXPECT_TRUE(other.identical(expected[1]));
  // The other result may not, and neither may a part.
  void* undeclared[] = {other.mutableBytes().data(), x.mutableBytes().data()};
  EXPECT_EQ(library.run(in, undeclared, workspace.get(), error, sizeof error), 1);
  EXPECT_STREQ(error, "result 1 overlaps argument 0");
  void* part[] = {x.mutableBytes().data() + 4, other.mutableBytes().data()};
  EXPECT_EQ(library.run(in, part, workspace.get(), error, sizeof error), 1);
}

// What C gives is aligned to an element, not to a line or a vector: kernels, loops in one function, transposes that are
// stored with non-temporal stores where they can be.
TEST(AheadOfTimeCalls, ArraysBeginAnywhere) {
  const Module module = moduleOf(
      "HloModule m\n\nc { p = (s32[], f32[16], f32[16]) parameter(0)  i = s32[] get-tuple-element(p), index=0  n = "
      "s32[] constant(3)\n"
      "  ROOT l = pred[] compare(i, n), direction=LT }\n"
      "b { p = (s32[], f32[16], f32[16]) parameter(0)  i = s32[] get-tuple-element(p), index=0  x = f32[16] "
      "get-tuple-element(p), index=1\n"
      "  w = f32[16] get-tuple-element(p), index=2  one = s32[] constant(1)  j = s32[] add(i, one)  y = f32[16] "
      "multiply(x, w)\n"
      "  ROOT t = (s32[], f32[16], f32[16]) tuple(j, y, w) }\n"
      "ENTRY main { a = f32[1024,2064] parameter(0)  x = f32[16] parameter(1)  w = f32[16] parameter(2)  t = "
      "f32[2064,1024] transpose(a), dimensions={1,0}\n"
      "  z = s32[] constant(0)  s = (s32[], f32[16], f32[16]) tuple(z, x, w)  l = (s32[], f32[16], f32[16]) while(s), "
      "condition=c, body=b\n"
      "  y = f32[16] get-tuple-element(l), index=1  e = f32[1024,2064] sine(a)  ROOT r = (f32[2064,1024], f32[16], "
      "f32[1024,2064]) tuple(t, y, e) }\n");
  const std::vector<Literal> arguments = filled(module), expected = expectedOf(module, arguments);
  const Library library(objectOf(module).value(), "program");
  ASSERT_TRUE(library.run);
  const Memory workspace = memoryOf(library.workspaceBytes());
  std::vector<Memory> memory;
  const auto placed = [&](const Literal& array) {
    memory.push_back(memoryOf(array.bytes().size() + 64));
    return static_cast<char*>(memory.back().get()) + 4;
  };
  std::vector<const void*> in;
  std::vector<void*> out;
  for (const Literal& argument : arguments)
    in.push_back(std::memcpy(placed(argument), argument.bytes().data(), argument.bytes().size()));
  for (const Literal& result : expected) out.push_back(placed(result));
  char error[200] = "";
  ASSERT_EQ(library.run(in.data(), out.data(), workspace.get(), error, sizeof error), 0) << error;
  for (size_t i = 0; i < expected.size(); ++i)
    EXPECT_EQ(std::memcmp(out[i], expected[i].bytes().data(), expected[i].bytes().size()), 0) << "result " << i;
}

TEST(AheadOfTimeCalls, WrongPointersAreRefused) {
  const Module module = moduleOf(
      std::string("HloModule m\n") + kComputations +
      "ENTRY main { x = f32[3000] parameter(0)  ROOT r = f32[3000] sort(x), dimensions={0}, to_apply=before }\n");
  const Library library(objectOf(module).value(), "program");
  ASSERT_TRUE(library.run);
  ASSERT_GT(library.workspaceBytes(), 0u);
  const Memory a = memoryOf(12064), b = memoryOf(12064), workspace = memoryOf(library.workspaceBytes());
  std::memset(a.get(), 0, 12000);
  char error[200] = "";
  const auto refused = [&](const void* x, void* r, void* w) {
    const void* in[] = {x};
    void* out[] = {r};
    return library.run(in, out, w, error, sizeof error);
  };
  EXPECT_EQ(refused(nullptr, b.get(), workspace.get()), 1);
  EXPECT_STREQ(error, "argument 0 is null");
  EXPECT_EQ(refused(a.get(), static_cast<char*>(b.get()) + 2, workspace.get()), 1);
  EXPECT_STREQ(error, "result 0 is not aligned to 4 bytes");
  EXPECT_EQ(refused(a.get(), b.get(), nullptr), 1);
  EXPECT_STREQ(error, "the workspace is null");
  EXPECT_EQ(refused(a.get(), workspace.get(), workspace.get()), 1);
  EXPECT_STREQ(error, "result 0 lies in the workspace");
  EXPECT_EQ(library.run(nullptr, nullptr, workspace.get(), nullptr, 0), 1);
  EXPECT_EQ(refused(a.get(), b.get(), workspace.get()), 0) << error;
}

TEST(AheadOfTimeCalls, OlderProcessorsGetOlderCode) {
  const Module module = moduleOf(
      "HloModule m\nENTRY main { x = f32[1000] parameter(0)  s = f32[1000] sine(x)  ROOT r = f32[1000] multiply(s, x) "
      "}\n");
  const std::vector<Literal> arguments = filled(module), expected = expectedOf(module, arguments);
  for (const char* isa : {"x86-64-v2", "x86-64-v3"}) {
    const CompiledObject object = objectOf(module, isa).value();
    EXPECT_EQ(object.header.find("avx512"), std::string::npos);
    const Library library(object, "program");
    ASSERT_TRUE(library.run);
    const Called called = call(library, arguments, expected);
    ASSERT_EQ(called.answer, 0) << called.error;
    for (size_t i = 0; i < 1000; ++i)
      EXPECT_NEAR(called.results[0].data<float>()[i], expected[0].data<float>()[i], 1e-5);
  }
}

// The state goes on from run to run, also where runs overlap and take steps of their own.
TEST(AheadOfTimeCalls, ARandomStateGoesOn) {
  const Module module = moduleOf("HloModule m\nENTRY main { ROOT s = u64[2] rng-get-and-update-state(), delta=5 }\n");
  const Library library(objectOf(module).value(), "program");
  ASSERT_TRUE(library.run);
  auto executable = makeBackend("cpu").value()->compile(module).value();
  std::vector<Literal> expected;
  constexpr int kRuns = 12;
  for (int i = 0; i < kRuns; ++i) expected.push_back(executable->run({}).value()[0]);
  for (int i = 0; i < 3; ++i) expectSame({expected[static_cast<size_t>(i)]}, call(library, {}, {expected[0]}));
  std::vector<uint64_t> states(3 * 3);
  {
    std::vector<std::jthread> threads;
    for (size_t t = 0; t < 3; ++t)
      threads.emplace_back([&, t] {
        for (size_t i = 0; i < 3; ++i)
          states[3 * t + i] = call(library, {}, {expected[0]}).results[0].data<uint64_t>()[0];
      });
  }
  std::ranges::sort(states);
  for (size_t i = 0; i < states.size(); ++i) EXPECT_EQ(states[i], expected[i + 3].data<uint64_t>()[0]);
}

TEST(AheadOfTimeCalls, ArraysOfDynamicSizeHaveTheirSizesBehind) {
  const Module module = moduleOf(std::string("HloModule m\n") + kComputations +
                                 "ENTRY main { x = f32[<=6,3] parameter(0)  y = f32[4] parameter(1)  z = f32[] "
                                 "constant(0)  s = f32[3] reduce(x, z), dimensions={0}, to_apply=sum  "
                                 "n = f32[<=6,3] negate(x)  ROOT t = (f32[<=6,3], f32[3], f32[4]) tuple(n, s, y) }\n");
  const CompiledObject object = objectOf(module).value();
  EXPECT_NE(
      object.header.find("   2  size: s32[], int32_t, 4 bytes, aligned to 4; the size of dimension 0 of argument 0"),
      std::string::npos)
      << object.header;
  EXPECT_NE(
      object.header.find("   3  size: s32[], int32_t, 4 bytes, aligned to 4; the size of dimension 0 of result 0"),
      std::string::npos)
      << object.header;
  const Library library(object, "program");
  ASSERT_TRUE(library.run);
  for (int64_t rows : {0, 2, 6}) {
    const std::vector<Literal> arguments = {
        fillParameter(Shape::arrayRowMajor(ElementType::F32, {rows, 3}), 0, {}).value(),
        fillParameter(Shape::arrayRowMajor(ElementType::F32, {4}), 1, {}).value()};
    expectSame(expectedOf(module, arguments), callInBounds(module, library, arguments));
  }
}

TEST(AheadOfTimeCalls, SeveralDevicesRunAtOnce) {
  const Module module = moduleOf(
      std::string("HloModule m, replica_count=3, input_output_alias={ {1}: (0, {}, may-alias) }\n") + kComputations +
      "ENTRY main { x = f32[50] parameter(0)  i = u32[] replica-id()  f = f32[] convert(i)  b = f32[50] broadcast(f), "
      "dimensions={}  y = f32[50] add(x, b)  "
      "s = f32[50] all-reduce(y), to_apply=sum  g = f32[150] all-gather(y), dimensions={0}  ROOT t = (f32[150], "
      "f32[50]) tuple(g, s) }\n");
  const CompiledObject object = objectOf(module).value();
  EXPECT_NE(object.header.find("3 devices (3 replicas of 1 partitions)"), std::string::npos) << object.header;
  EXPECT_NE(object.header.find("#define PROGRAM_RESULTS 6"), std::string::npos) << object.header;
  EXPECT_NE(object.header.find(
                "result.1 on device 2: f32[50], float, 200 bytes, aligned to 4; may be stored over argument 2"),
            std::string::npos)
      << object.header;
  const Library library(object, "program");
  ASSERT_TRUE(library.run);
  const DeviceArrays arguments = argumentsByDevice(module, {3, 1}, {}, {}).value(),
                     expected = onDevices(module, {3, 1}, arguments).value();
  for (int i = 0; i < 3; ++i) expectSame(flat(expected), call(library, flat(arguments), flat(expected)));
  // A result of one device may overlap its argument, not another device's.
  std::vector<Literal> own;
  for (const Literal& argument : flat(arguments))
    own.push_back(Literal::fromBytes(argument.shape(), argument.bytes()).value());
  std::vector<Literal> gathered(3, Literal::allocate(expected[0][0].shape()).value());
  for (Literal& each : gathered) each = Literal::allocate(expected[0][0].shape()).value();
  const void* in[3];
  void* out[6];
  for (size_t d = 0; d < 3; ++d) {
    in[d] = out[2 * d + 1] = own[d].mutableBytes().data();
    out[2 * d] = gathered[d].mutableBytes().data();
  }
  const Memory workspace = memoryOf(library.workspaceBytes());
  char error[200] = "";
  ASSERT_EQ(library.run(in, out, workspace.get(), error, sizeof error), 0) << error;
  for (size_t d = 0; d < 3; ++d)
    EXPECT_TRUE(own[d].identical(expected[d][1]) && gathered[d].identical(expected[d][0])) << d;
  std::swap(out[1], out[3]);
  EXPECT_EQ(library.run(in, out, workspace.get(), error, sizeof error), 1);
  EXPECT_STREQ(error, "result 1 overlaps argument 1");
}

// What is kept of a border of a manual region has the module's mesh beside it.
TEST(AheadOfTimeCalls, ManualRegionsKeepTheirMesh) {
  const Module module =
      moduleOf(R"(HloModule m, frontend_attributes={xla.sdy.meshes={mesh = )"
               R"(#sdy.mesh<["x"=2]>}}
ENTRY main {
  a = f32[4,3] parameter(0)
  l = f32[2,3] custom-call(a), custom_call_target="xla.sdy.GlobalToLocalShape", )"
               R"(custom_call_has_side_effect=true, )"
               R"(frontend_attributes={xla.sdy.in_shardings="#sdy.sharding_per_value<[<@mesh, [{\"x\"}, )"
               R"({}]>]>",xla.sdy.manual_axes="#sdy<manual_axes{\"x\"}>"}
  n = f32[2,3] negate(l)
  ROOT g = f32[4,3] custom-call(n), custom_call_target="xla.sdy.LocalToGlobalShape", )"
               R"(custom_call_has_side_effect=true, )"
               R"(frontend_attributes={xla.sdy.manual_axes="#sdy<manual_axes{\"x\"}>",xla.sdy.out_shardings="#sdy.)"
               R"(sharding_per_value<[<@mesh, [{\"x\"}, {}]>]>"}
}
)");
  const DeviceGrid grid = gridOf(module, 0, 0).value();
  ASSERT_EQ(grid.count(), 2);
  auto object = objectOf(module);
  ASSERT_TRUE(object) << object.error().toString();
  const Library library(*object, "program");
  ASSERT_TRUE(library.run);
  const DeviceArrays arguments = argumentsByDevice(module, grid, {}, {}).value(),
                     expected = onDevices(module, grid, arguments).value();
  expectSame(flat(expected), call(library, flat(arguments), flat(expected)));
}

// A device that fails stops the others, and its message is the caller's.
TEST(AheadOfTimeCalls, OneDeviceThatFailsEndsTheRun) {
  const Module module = moduleOf(
      "HloModule m, replica_count=2\nENTRY main { x = f32[4] parameter(0)  t = token[] after-all()  i = u32[] "
      "replica-id()  "
      "r = (f32[4], u32[], token[]) recv(t), channel_id=1  d = (f32[4], token[]) recv-done(r), channel_id=1  ROOT y = "
      "f32[4] get-tuple-element(d), index=0 }\n");
  auto object = objectOf(module);
  ASSERT_TRUE(object) << object.error().toString();
  const Library library(*object, "program");
  ASSERT_TRUE(library.run);
  const Literal x = fillParameter(Shape::arrayRowMajor(ElementType::F32, {4}), 0, {}).value();
  const Called called = call(library, {x, x}, {x, x});
  EXPECT_EQ(called.answer, 4);
  EXPECT_NE(called.error, "");
}

TEST(AheadOfTimeCalls, WhatNeedsTesseraIsNamed) {
  const Module module = moduleOf(
      "HloModule m\nENTRY main { t = token[] after-all()  noise = (f32[4], token[]) infeed(t)  ROOT x = f32[4] "
      "get-tuple-element(noise), index=0 }\n");
  auto object = objectOf(module);
  ASSERT_FALSE(object);
  EXPECT_EQ(object.error().kind, ErrorKind::Unsupported);
  EXPECT_NE(object.error().message.find("noise cannot be compiled ahead of time"), std::string::npos)
      << object.error().message;
}

// --- the corpus

enum class Outcome { Same, Refused, Different, Skipped };

Outcome compareProgram(const std::string& name, std::string& why) {
  Module module = moduleOf(slurp(corpusTexts() / name / "before.hlo"));
  const auto grid = gridOf(module, 0, 0);
  if (!grid) {
    why = grid.error().message;
    return Outcome::Skipped;
  }
  NamedArrays inputs;
  if (const auto file = wholeCorpus() / name / "inputs.npz"; !wholeCorpus().empty() && std::filesystem::exists(file))
    inputs = readNpz(file).value();
  auto object = objectOf(module);
  if (!object) {
    why = object.error().message;
    return Outcome::Refused;
  }
  const Library library(*object, "program");
  if (!library.run) return Outcome::Different;
  const auto arguments = argumentsByDevice(module, *grid, inputs, {});
  const auto expected = arguments ? onDevices(module, *grid, *arguments) : std::unexpected(arguments.error());
  if (!expected) {
    why = expected.error().message;
    return Outcome::Skipped;
  }
  const std::vector<Literal> results = flat(*expected);
  const bool isDynamic = grid->count() == 1 && object->header.find("memory for the bounds") != std::string::npos;
  const Called called =
      isDynamic ? callInBounds(module, library, flat(*arguments)) : call(library, flat(*arguments), results);
  why = called.error;
  if (called.answer != 0) return Outcome::Different;
  for (size_t i = 0; i < results.size(); ++i)
    if (!results[i].identical(called.results[i])) return Outcome::Different;
  return Outcome::Same;
}

TEST(AheadOfTimeCorpus, GivesTheBitsOfARun) {
  if (!longTier()) TESSERA_SKIP("long-tier");
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(corpusTexts()))
    if (std::filesystem::exists(entry.path() / "before.hlo") && !isBad(entry.path().filename().string()))
      names.push_back(entry.path().filename().string());
  std::sort(names.begin(), names.end());
  int same = 0, refused = 0, skipped = 0;
  for (const std::string& name : names) {
    std::string why;
    switch (compareProgram(name, why)) {
      case Outcome::Same: ++same; break;
      case Outcome::Refused:
        ++refused;
        std::printf("refused: %s: %s\n", name.c_str(), why.c_str());
        break;
      case Outcome::Skipped:
        ++skipped;
        std::printf("no run: %s: %s\n", name.c_str(), why.c_str());
        break;
      case Outcome::Different: ADD_FAILURE() << name << " " << why; break;
    }
  }
  std::printf("%d of %zu programs equal, %d refused, %d without a run\n", same, names.size(), refused, skipped);
  EXPECT_GT(same, 0);
}

}  // namespace
}  // namespace tessera
