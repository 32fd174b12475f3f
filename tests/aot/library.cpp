// See library.h.
#include "tests/aot/library.h"

#include <dlfcn.h>

#include <algorithm>
#include <cstring>
#include <fstream>
#include <span>

#include "core/evaluate/device_values.h"
#include "core/evaluate/dynamic_values.h"
#include "core/evaluate/evaluate.h"
#include "core/evaluate/replicas.h"
#include "core/formats/hlo_text.h"
#include "core/ops/inference/infer.h"

namespace tessera::aot {

Library::Library(const CompiledObject& object, const std::string& name) {
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

Library::~Library() {
  if (handle_) ::dlclose(handle_);
  std::error_code error;
  if (!folder_.empty()) std::filesystem::remove_all(folder_, error);
}

Memory memoryOf(size_t bytes) { return Memory(bytes == 0 ? nullptr : std::aligned_alloc(64, (bytes + 63) / 64 * 64)); }

const char* const kComputations = R"(
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

Module programOf(const std::string& entry, const std::string& header) {
  return moduleOf("HloModule m" + header + "\n" + kComputations + "ENTRY main { " + entry + " }\n");
}

std::vector<Literal> filled(const Module& module) {
  std::vector<Literal> out;
  for (const Shape& shape : entryArgumentShapes(module)) out.push_back(fillParameter(shape, out.size(), {}).value());
  return out;
}

Result<CompiledObject> objectOf(const Module& module, const std::string& isa, int threads) {
  CompileOptions options;
  options.keepsCode = true;
  options.isa = isa;
  options.threads = threads;
  TESSERA_ASSIGN_OR_RETURN(auto executable, makeBackend("cpu").value()->compile(module, options));
  return executable->object("program");
}

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

namespace {

// Arrays of a call, each as large as its bounds, and the sizes of their dynamic dimensions.
struct Bounded {
  std::vector<Literal> arrays, sizes;

  // value null: a result.
  void add(const Shape& shape, const Literal* value) {
    for (int64_t d = 0; d < shape.rank(); ++d)
      if (shape.isDynamicDimension(d))
        sizes.push_back(Literal::scalar<int32_t>(
            ElementType::S32, value ? static_cast<int32_t>(value->shape().dimensions[static_cast<size_t>(d)]) : -1));
    const Shape bounds = Shape::arrayRowMajor(shape.type, shape.dimensions);
    arrays.push_back(value ? padTo(*value, bounds).value() : Literal::allocate(bounds).value());
  }
  // The arrays, then the sizes.
  std::vector<Literal> all() const {
    std::vector<Literal> out = arrays;
    out.insert(out.end(), sizes.begin(), sizes.end());
    return out;
  }
};

}  // namespace

Called callInBounds(const Module& module, const Library& library, const std::vector<Literal>& arguments) {
  Bounded in, like;
  const std::vector<Shape> shapes = entryArgumentShapes(module);
  for (size_t i = 0; i < shapes.size(); ++i) in.add(shapes[i], &arguments[i]);
  std::vector<Shape> results;
  for (const ShapeLeaf& leaf : leavesOf(module.shapeOf(module.entryComputation().root)))
    if (leaf.shape->isArray()) results.push_back(*leaf.shape);
  for (const Shape& shape : results) like.add(shape, nullptr);
  Called called = call(library, in.all(), like.all());
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

}  // namespace tessera::aot
