// A run of an executable that has run before allocates nothing: operator new is counted for the whole test program, and
// what libraries ask for aligned memory. Not under the address sanitizer, which has its own of both.
#ifndef __SANITIZE_ADDRESS__
#include <gtest/gtest.h>
#include <malloc.h>

#include <atomic>
#include <cerrno>
#include <cstdlib>
#include <new>
#include <string>

#include "backends/backend.h"
#include "core/evaluate/evaluate.h"
#include "core/formats/hlo_text.h"

namespace {
std::atomic<bool> counting{false};
std::atomic<int64_t> allocations{0};

void* counted(std::size_t size, std::size_t alignment) {
  if (counting.load(std::memory_order_relaxed)) allocations.fetch_add(1);
  const std::size_t rounded = (size + alignment - 1) / alignment * alignment;
  return alignment > alignof(std::max_align_t) ? std::aligned_alloc(alignment, rounded) : std::malloc(size ? size : 1);
}
void* countedOrThrow(std::size_t size, std::size_t alignment) {
  if (void* p = counted(size, alignment)) return p;
  throw std::bad_alloc();
}
}  // namespace

void* operator new(std::size_t size) { return countedOrThrow(size, 1); }
void* operator new[](std::size_t size) { return countedOrThrow(size, 1); }
void* operator new(std::size_t size, std::align_val_t alignment) {
  return countedOrThrow(size, static_cast<std::size_t>(alignment));
}
void* operator new[](std::size_t size, std::align_val_t alignment) {
  return countedOrThrow(size, static_cast<std::size_t>(alignment));
}
void* operator new(std::size_t size, const std::nothrow_t&) noexcept { return counted(size, 1); }
void* operator new[](std::size_t size, const std::nothrow_t&) noexcept { return counted(size, 1); }
void operator delete(void* p) noexcept { std::free(p); }
void operator delete[](void* p) noexcept { std::free(p); }
void operator delete(void* p, std::size_t) noexcept { std::free(p); }
void operator delete[](void* p, std::size_t) noexcept { std::free(p); }
void operator delete(void* p, std::align_val_t) noexcept { std::free(p); }
void operator delete[](void* p, std::align_val_t) noexcept { std::free(p); }
void operator delete(void* p, std::size_t, std::align_val_t) noexcept { std::free(p); }
void operator delete[](void* p, std::size_t, std::align_val_t) noexcept { std::free(p); }
void operator delete(void* p, const std::nothrow_t&) noexcept { std::free(p); }
void operator delete[](void* p, const std::nothrow_t&) noexcept { std::free(p); }

// Where oneDNN takes its memory.
extern "C" int posix_memalign(void** out, std::size_t alignment, std::size_t size) noexcept {
  if (counting.load(std::memory_order_relaxed)) allocations.fetch_add(1);
  *out = ::memalign(alignment, size);
  return *out ? 0 : ENOMEM;
}

namespace tessera {
namespace {

int64_t allocationsOfALaterRun(const std::string& text) {
  const auto read = readHloText(text);
  EXPECT_TRUE(read.module) << text;
  std::vector<Literal> arguments, outputs;
  uint64_t leaf = 0;
  for (const Shape& shape : entryArgumentShapes(*read.module))
    arguments.push_back(fillParameter(shape, leaf++, FillRule{3, 1.0, 8}).value());
  auto executable = makeBackend("cpu").value()->compile(*read.module);
  EXPECT_TRUE(executable) << executable.error().toString();
  for (int i = 0; i < 2; ++i) EXPECT_TRUE((*executable)->runInto(arguments, outputs));
  allocations = 0;
  counting = true;
  const bool ran = (*executable)->runInto(arguments, outputs).has_value();
  counting = false;
  EXPECT_TRUE(ran);
  return allocations;
}

constexpr const char* kReducers =
    "HloModule m\n\nadd {\n  x = f32[] parameter(0)\n  y = f32[] parameter(1)\n  ROOT s = f32[] add(x, y)\n}\n\n"
    "less {\n  x = f32[] parameter(0)\n  y = f32[] parameter(1)\n  ROOT c = pred[] compare(x, y), direction=LT, "
    "type=TOTALORDER\n}\n\n"
    "close {\n  x = f32[] parameter(0)\n  y = f32[] parameter(1)\n  p = f32[] multiply(x, y)\n  h = f32[] "
    "constant(-1)\n"
    "  q = pred[] compare(x, y), direction=LT\n  r = pred[] compare(p, h), direction=GT\n  ROOT c = pred[] and(q, "
    "r)\n}\n\n"
    "condition {\n  p = (s32[], f32[64,64]) parameter(0)\n  i = s32[] get-tuple-element(p), index=0\n  n = s32[] "
    "constant(5)\n"
    "  ROOT l = pred[] compare(i, n), direction=LT\n}\n\nbody {\n  p = (s32[], f32[64,64]) parameter(0)\n"
    "  i = s32[] get-tuple-element(p), index=0\n  v = f32[64,64] get-tuple-element(p), index=1\n  one = s32[] "
    "constant(1)\n"
    "  j = s32[] add(i, one)\n  w = f32[64,64] cosine(v)\n  ROOT t = (s32[], f32[64,64]) tuple(j, w)\n}\n\n";

// Kernels, reductions, a loop, both sorts, a product of our own.
TEST(CpuAllocation, ALaterRunAllocatesNothing) {
  EXPECT_EQ(
      allocationsOfALaterRun(
          std::string(kReducers) +
          "ENTRY e {\n  a = f32[64,64] parameter(0)\n  b = f64[40,40] parameter(1)\n  c = f32[200000] parameter(2)\n"
          "  z = s32[] constant(0)\n  f = f32[] constant(0)\n  t = (s32[], f32[64,64]) tuple(z, a)\n"
          "  w = (s32[], f32[64,64]) while(t), condition=condition, body=body\n  v = f32[64,64] get-tuple-element(w), "
          "index=1\n"
          "  r = f32[64] reduce(v, f), dimensions={1}, to_apply=add\n  rr = f32[] reduce(c, f), dimensions={0}, "
          "to_apply=add\n"
          "  d = f64[40,40] dot(b, b), lhs_contracting_dims={1}, rhs_contracting_dims={0}\n"
          "  s = f32[200000] sort(c), dimensions={0}, is_stable=true, to_apply=less\n"
          "  k = f32[64,64] sort(a), dimensions={0}, is_stable=true, to_apply=close\n"
          "  ROOT o = (f32[64], f32[], f64[40,40], f32[200000], f32[64,64]) tuple(r, rr, d, s, k)\n}\n"),
      0);
}

// A loop that is one function.
TEST(CpuAllocation, NorDoesALaterRegion) {
  EXPECT_EQ(
      allocationsOfALaterRun(
          "HloModule m\n\nc {\n  p = (s32[], f32[]) parameter(0)\n  i = s32[] get-tuple-element(p), index=0\n"
          "  n = s32[] constant(5)\n  ROOT l = pred[] compare(i, n), direction=LT\n}\n\nb {\n  p = (s32[], f32[]) "
          "parameter(0)\n"
          "  i = s32[] get-tuple-element(p), index=0\n  v = f32[] get-tuple-element(p), index=1\n  one = s32[] "
          "constant(1)\n"
          "  j = s32[] add(i, one)\n  w = f32[] cosine(v)\n  ROOT t = (s32[], f32[]) tuple(j, w)\n}\n\nENTRY e {\n"
          "  z = s32[] constant(0)\n  a = f32[] parameter(0)\n  t = (s32[], f32[]) tuple(z, a)\n"
          "  ROOT w = (s32[], f32[]) while(t), condition=c, body=b\n}\n"),
      0);
}

std::string product(const std::string& lhs, const std::string& rhs, const std::string& out, int64_t lhsDim,
                    int64_t rhsDim, const std::string& end) {
  return "HloModule m\n\nENTRY e {\n  a = f32" + lhs + " parameter(0)\n  b = f32" + rhs + " parameter(1)\n  d = f32" +
         out + " dot(a, b), lhs_contracting_dims={" + std::to_string(lhsDim) + "}, rhs_contracting_dims={" +
         std::to_string(rhsDim) + "}\n  ROOT r = f32" + out + " " + end + "\n}\n";
}

// Products of f32 matrices with their ends, small ones and such as pack: both sides as they lie, and transposed.
TEST(CpuAllocation, NorDoLaterProducts) {
  for (const char* end : {"tanh(d)", "copy(d)"}) {
    EXPECT_EQ(allocationsOfALaterRun(product("[128,96]", "[96,160]", "[128,160]", 1, 0, end)), 0);
    EXPECT_EQ(allocationsOfALaterRun(product("[300,400]", "[400,500]", "[300,500]", 1, 0, end)), 0);
    EXPECT_EQ(allocationsOfALaterRun(product("[400,300]", "[500,400]", "[300,500]", 0, 1, end)), 0);
  }
}

// Outputs that are given back as arguments are not written over while they are read.
TEST(CpuAllocation, OutputsMayBeTheNextArguments) {
  const auto read = readHloText(
      "HloModule m\n\nENTRY e {\n  a = f32[8] parameter(0)\n  r = f32[8] reverse(a), dimensions={0}\n"
      "  ROOT s = f32[8] add(r, a)\n}\n");
  auto executable = makeBackend("cpu").value()->compile(*read.module).value();
  std::vector<Literal> state{fillParameter(entryArgumentShapes(*read.module)[0], 0, FillRule{3, 1.0, 8}).value()};
  std::vector<Literal> outputs;
  ASSERT_TRUE(executable->runInto(state, outputs));
  const std::vector<Literal> arguments = outputs;
  const Literal expected =
      executable->run(std::vector{Literal::fromBytes(outputs[0].shape(), outputs[0].bytes()).value()}).value()[0];
  ASSERT_TRUE(executable->runInto(arguments, outputs));
  EXPECT_TRUE(outputs[0].identical(expected));
}

}  // namespace
}  // namespace tessera
#endif
