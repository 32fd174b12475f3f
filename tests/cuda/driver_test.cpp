// What is said where there is no driver or no card. Where there is one, that the same kernel runs on it.
#include "tests/cuda/device_case.h"
#include "tests/support/skips.h"

namespace tessera::cuda {
namespace {

constexpr const char* kTwice = R"(.version 7.0
.target sm_70
.address_size 64
.visible .entry twice(.param .u64 p) {
  .reg .b64 %rd<4>; .reg .b32 %r<3>; .reg .f32 %f<3>;
  ld.param.u64 %rd1, [p];
  cvta.to.global.u64 %rd1, %rd1;
  mov.u32 %r1, %tid.x;
  mul.wide.u32 %rd2, %r1, 4;
  add.s64 %rd3, %rd1, %rd2;
  ld.global.f32 %f1, [%rd3];
  add.f32 %f2, %f1, %f1;
  st.global.f32 [%rd3], %f2;
  ret;
})";

TEST(CudaDriver, WithoutACardASentenceSaysWhatIsMissing) {
  const auto devices = listDevices();
  if (devices) TESSERA_SKIP("has-cuda");
  const auto opened = openDevice(0);
  ASSERT_FALSE(opened);
  for (const Diagnostic& error : {devices.error(), opened.error()}) {
    EXPECT_EQ(error.kind, ErrorKind::Unsupported);
    EXPECT_TRUE(error.message.find("CUDA driver") != std::string::npos) << error.message;
  }
}

TEST(CudaDriver, ACardRunsAKernel) {
  auto device = openDevice(0);
  if (!device) TESSERA_SKIP("no-cuda", device.error().message);
  const auto code = (*device)->assemble(kTwice);
  ASSERT_TRUE(code) << code.error().toString();
  const auto module = (*device)->load(*code);
  ASSERT_TRUE(module) << module.error().toString();
  const auto kernel = (*device)->kernel(*module, "twice");
  ASSERT_TRUE(kernel) << kernel.error().toString();
  std::vector<float> values{1, 2, 3, 4};
  const auto memory = (*device)->allocate(16);
  ASSERT_TRUE(memory) << memory.error().toString();
  const Arguments arguments(*memory);
  EXPECT_TRUE((*device)->copyToDevice(*memory, std::as_bytes(std::span(values)), StreamId::Default));
  EXPECT_TRUE((*device)->launch({.kernel = *kernel, .block = {4}, .parameters = arguments.bytes()}, StreamId::Default));
  EXPECT_TRUE((*device)->copyToHost(std::as_writable_bytes(std::span(values)), *memory, StreamId::Default));
  EXPECT_TRUE((*device)->synchronize(StreamId::Default));
  EXPECT_EQ(values, (std::vector<float>{2, 4, 6, 8}));
}

}  // namespace
}  // namespace tessera::cuda
