// The simulated device as a device: memory, streams, events, graphs, launches and their failures, cancelling.
#include <sys/resource.h>

#include <array>
#include <chrono>
#include <thread>

#include "tests/cuda/device_case.h"

namespace tessera::cuda {
namespace {

constexpr const char* kText = R"(.version 7.0
.target sm_70
.address_size 64
.visible .entry addOne(.param .u64 p, .param .u32 n) .maxntid 128, 1, 1 {
  .reg .b64 %rd<4>; .reg .b32 %r<6>; .reg .pred %p;
  ld.param.u64 %rd1, [p]; ld.param.u32 %r1, [n];
  mov.u32 %r2, %ctaid.x; mov.u32 %r3, %ntid.x; mov.u32 %r4, %tid.x;
  mad.lo.u32 %r2, %r2, %r3, %r4;
  setp.ge.u32 %p, %r2, %r1;
  @%p ret;
  mul.wide.u32 %rd2, %r2, 4; add.s64 %rd3, %rd1, %rd2;
  ld.global.u32 %r5, [%rd3]; add.u32 %r5, %r5, 1; st.global.u32 [%rd3], %r5;
  ret;
}
.visible .entry forever(.param .u64 p) {
  .reg .b64 %rd; .reg .b32 %r; .reg .pred %q;
  ld.param.u64 %rd, [p];
L: ld.volatile.global.u32 %r, [%rd]; setp.eq.u32 %q, %r, 0; @%q bra L;
  ret;
}
.visible .entry traps() { trap; ret; }
.extern .shared .align 16 .b8 buffer[];
.visible .entry shares(.param .u64 p) {
  .reg .b64 %rd<4>; .reg .b32 %r<4>;
  .shared .align 4 .b8 own[64];
  ld.param.u64 %rd1, [p]; mov.u32 %r1, %dynamic_smem_size;
  st.shared.u32 [own+60], 5; mov.u64 %rd2, buffer+12; st.shared.u32 [%rd2], 6;
  ld.shared.u32 %r2, [own+60]; add.u32 %r1, %r1, %r2;
  ld.shared.u32 %r2, [buffer+12]; add.u32 %r1, %r1, %r2;
  st.global.u32 [%rd1], %r1; ret;
})";

class CudaDevice : public DeviceCase {
 protected:
  void SetUp() override { load(kText); }
  Launch addOne(const Arguments& arguments, unsigned n) {
    return {.kernel = *device->kernel(module, "addOne"),
            .grid = {(n + 127) / 128},
            .block = {128},
            .parameters = arguments.bytes()};
  }
};

TEST_F(CudaDevice, MemoryIsCountedRefusedAndNeverComesAgain) {
  auto small = makeSimulatedDevice("sm_80", 1 << 20);
  EXPECT_EQ(small->info().architecture(), "sm_80");
  const auto first = small->allocate(1000000);
  ASSERT_TRUE(first);
  EXPECT_EQ(*first % 256, 0u);
  EXPECT_EQ(small->memory()->free, (1 << 20) - 1000000);
  const auto second = small->allocate(100000);
  ASSERT_FALSE(second);
  EXPECT_EQ(second.error().kind, ErrorKind::Runtime);
  EXPECT_EQ(second.error().message,
            "CUDA_ERROR_OUT_OF_MEMORY: not enough memory on the device: 100 KB asked, 48.6 KB of 1.05 MB free");
  EXPECT_FALSE(small->release(*first + 256));
  EXPECT_TRUE(small->release(*first));
  EXPECT_FALSE(small->release(*first));
  const auto again = small->allocate(1000000);
  ASSERT_TRUE(again);
  EXPECT_NE(*again, *first);
}

TEST_F(CudaDevice, CopiesStayWithinAllocations) {
  const auto memory = zeros<uint32_t>(4);
  std::vector<std::byte> bytes(32);
  EXPECT_FALSE(device->copyToDevice(memory, bytes, StreamId::Default));
  EXPECT_FALSE(device->copyToHost(bytes, memory, StreamId::Default));
  EXPECT_FALSE(device->fill(memory + 8, 1, 12, StreamId::Default));
  EXPECT_TRUE(device->fill(memory + 4, 0xff, 8, StreamId::Default));
  EXPECT_TRUE(device->copyOnDevice(memory, memory + 4, 4, StreamId::Default));
  EXPECT_EQ(download<uint32_t>(memory, 4), (std::vector<uint32_t>{~0u, ~0u, ~0u, 0}));
}

TEST_F(CudaDevice, AStreamIsDoneInOrderWhenSomebodyWaits) {
  const auto memory = zeros<uint32_t>(200);
  const auto stream = device->makeStream();
  ASSERT_TRUE(stream);
  const Arguments arguments(memory, 200u);
  std::vector<uint32_t> ones(200, 10), found(200);
  EXPECT_TRUE(device->launch(addOne(arguments, 200), *stream));
  EXPECT_TRUE(device->copyToDevice(memory, std::as_bytes(std::span(ones)), *stream));
  ones.assign(200, 0);  // memory that is not pinned has been read already
  EXPECT_TRUE(device->launch(addOne(arguments, 200), *stream));
  EXPECT_TRUE(device->copyToHost(std::as_writable_bytes(std::span(found)), memory, *stream));
  EXPECT_TRUE(device->synchronize(*stream));
  EXPECT_EQ(found, std::vector<uint32_t>(200, 11));
  EXPECT_TRUE(device->releaseStream(*stream));
  EXPECT_FALSE(device->synchronize(*stream));
}

TEST_F(CudaDevice, PinnedMemoryIsReadInItsTurn) {
  const auto pinned = device->allocatePinned(4);
  ASSERT_TRUE(pinned);
  const auto memory = zeros<uint32_t>(1);
  const Arguments arguments(memory, 1u);
  EXPECT_TRUE(device->launch(addOne(arguments, 1), StreamId::Default));
  EXPECT_TRUE(device->copyToDevice(memory, {*pinned, 4}, StreamId::Default));
  const uint32_t late = 42;
  std::memcpy(*pinned, &late, 4);
  EXPECT_EQ(download<uint32_t>(memory, 1)[0], 42u);
  EXPECT_TRUE(device->releasePinned(*pinned));
  EXPECT_FALSE(device->releasePinned(*pinned));
}

TEST_F(CudaDevice, EventsOrderStreamsAndTellTimes) {
  const auto memory = zeros<uint32_t>(1);
  const auto first = *device->makeStream(), second = *device->makeStream();
  const auto begin = *device->makeEvent(), end = *device->makeEvent();
  const Arguments arguments(memory, 1u);
  EXPECT_TRUE(device->record(begin, first));
  EXPECT_TRUE(device->launch(addOne(arguments, 1), first));
  EXPECT_TRUE(device->record(end, first));
  EXPECT_TRUE(device->wait(second, end));
  uint32_t found = 0;
  EXPECT_TRUE(device->copyToHost(std::as_writable_bytes(std::span(&found, 1)), memory, second));
  EXPECT_FALSE(device->milliseconds(begin, end));
  EXPECT_TRUE(device->synchronize(second));
  EXPECT_EQ(found, 1u);
  const auto time = device->milliseconds(begin, end);
  ASSERT_TRUE(time);
  EXPECT_GE(*time, 0);
  EXPECT_LT(*time, 10000);
}

// What a stream does behind an event that others wait for may itself wait for them.
TEST_F(CudaDevice, StreamsWaitForEachOtherInTurns) {
  const auto memory = zeros<uint32_t>(1);
  const auto first = *device->makeStream(), second = *device->makeStream();
  const auto one = *device->makeEvent(), two = *device->makeEvent(), three = *device->makeEvent();
  const Arguments arguments(memory, 1u);
  std::array<uint32_t, 2> found = {};
  EXPECT_TRUE(device->launch(addOne(arguments, 1), second));
  EXPECT_TRUE(device->record(one, second));
  EXPECT_TRUE(device->wait(first, one));
  EXPECT_TRUE(device->copyToHost(std::as_writable_bytes(std::span(found).first(1)), memory, first));
  EXPECT_TRUE(device->launch(addOne(arguments, 1), first));
  EXPECT_TRUE(device->record(two, first));
  EXPECT_TRUE(device->wait(second, two));
  EXPECT_TRUE(device->copyToHost(std::as_writable_bytes(std::span(found).last(1)), memory, second));
  EXPECT_TRUE(device->launch(addOne(arguments, 1), second));
  EXPECT_TRUE(device->record(three, second));
  EXPECT_TRUE(device->wait(first, three));
  EXPECT_TRUE(device->synchronize(first));
  EXPECT_EQ(found, (std::array<uint32_t, 2>{1, 2}));
  EXPECT_EQ(download<uint32_t>(memory, 1)[0], 3u);
}

// Whoever waits for an event waits for its record at that time, whatever becomes of the event.
TEST_F(CudaDevice, AnEventIsRecordedAgainInAnotherStream) {
  const auto memory = zeros<uint32_t>(1);
  const auto first = *device->makeStream(), second = *device->makeStream();
  const auto event = *device->makeEvent();
  const Arguments arguments(memory, 1u);
  uint32_t found = 0;
  EXPECT_TRUE(device->launch(addOne(arguments, 1), second));
  EXPECT_TRUE(device->record(event, second));
  EXPECT_TRUE(device->wait(first, event));
  EXPECT_TRUE(device->copyToHost(std::as_writable_bytes(std::span(&found, 1)), memory, first));
  EXPECT_TRUE(device->record(event, first));
  EXPECT_TRUE(device->synchronize(first));
  EXPECT_EQ(found, 1u);
}

TEST_F(CudaDevice, AGraphIsWhatWasCaptured) {
  const auto memory = zeros<uint32_t>(1);
  const auto stream = *device->makeStream(), other = *device->makeStream();
  const auto fork = *device->makeEvent(), join = *device->makeEvent();
  ASSERT_TRUE(device->beginCapture(stream));
  {
    const Arguments arguments(memory, 1u);
    EXPECT_TRUE(device->launch(addOne(arguments, 1), stream));
    EXPECT_TRUE(device->record(fork, stream));
    EXPECT_TRUE(device->wait(other, fork));
    EXPECT_TRUE(device->launch(addOne(arguments, 1), other));
    EXPECT_TRUE(device->record(join, other));
    EXPECT_TRUE(device->wait(stream, join));
  }  // the arguments were copied
  const auto graph = device->endCapture(stream);
  ASSERT_TRUE(graph);
  EXPECT_EQ(download<uint32_t>(memory, 1)[0], 0u);  // capturing does nothing
  for (int i = 0; i < 3; ++i) EXPECT_TRUE(device->launchGraph(*graph, stream));
  EXPECT_TRUE(device->synchronize(stream));
  EXPECT_EQ(download<uint32_t>(memory, 1)[0], 6u);
  EXPECT_TRUE(device->releaseGraph(*graph));
  EXPECT_FALSE(device->launchGraph(*graph, stream));
  EXPECT_FALSE(device->endCapture(stream));
}

TEST_F(CudaDevice, AKernelWithoutEndIsCancelledWithinASecond) {
  const auto memory = zeros<uint32_t>(1);
  const Arguments arguments(memory);
  ASSERT_TRUE(device->launch(
      {.kernel = *device->kernel(module, "forever"), .grid = {4}, .block = {256}, .parameters = arguments.bytes()},
      StreamId::Default));
  std::atomic<bool> cancel = false;
  std::jthread canceller([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    cancel = true;
  });
  const auto begin = std::chrono::steady_clock::now();
  const Status status = device->synchronize(StreamId::Default, &cancel);
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(10));  // on a loaded machine, too
  ASSERT_FALSE(status);
  EXPECT_EQ(status.error().message, "cancelled");
  run("addOne", {1}, {128}, Arguments(memory, 1u));  // the device is as good as before
  EXPECT_EQ(download<uint32_t>(memory, 1)[0], 1u);
}

TEST_F(CudaDevice, LocalMemoryThatTheHostLacksIsAFailure) {
  load(
      ".version 7.0\n.target sm_70\n.address_size 64\n.visible .entry deep() {\n.local .align 8 .b8 l[1048576];\n"
      ".reg .b64 %w;\nmov.u64 %w, l; st.local.u32 [%w], 1; ret;\n}\n");
  run("deep", {1}, {1}, Arguments());
  rlimit before{};
  getrlimit(RLIMIT_AS, &before);
  const rlimit tight{.rlim_cur = rlim_t{900} << 20, .rlim_max = before.rlim_max};
  setrlimit(RLIMIT_AS, &tight);
  const Status status = launch("deep", {1}, {1024}, Arguments());
  setrlimit(RLIMIT_AS, &before);
  ASSERT_FALSE(status);
  EXPECT_NE(status.error().message.find("CUDA_ERROR_OUT_OF_MEMORY: 1.07 GB"), std::string::npos)
      << status.error().message;
}

TEST_F(CudaDevice, WrongLaunchesAreRefused) {
  const auto memory = zeros<uint32_t>(1);
  const Arguments arguments(memory, 1u);
  auto refused = [&](const Launch& launch, const std::string& words) {
    const Status status = device->launch(launch, StreamId::Default);
    ASSERT_FALSE(status);
    EXPECT_NE(status.error().message.find(words), std::string::npos) << status.error().message;
  };
  Launch launch = addOne(arguments, 1);
  launch.block = {129};
  refused(launch, "blocks of 129×1×1 threads; it takes 1 to 128");
  launch.block = {0};
  refused(launch, "blocks of 0×1×1 threads");
  launch = addOne(arguments, 1);
  launch.grid.y = 70000;
  refused(launch, "a grid of 1×70000×1 blocks");
  launch = addOne(Arguments(memory), 1);
  const Arguments shorter(memory);
  launch.parameters = shorter.bytes();
  refused(launch, "8 bytes of parameters; it takes 12");
  launch = addOne(arguments, 1);
  launch.dynamicSharedBytes = 1 << 20;
  refused(launch, "1048576 bytes of shared memory; a block has at most 232448");
  refused({.kernel = KernelId::None}, "CUDA_ERROR_INVALID_HANDLE");
  const auto missing = device->kernel(module, "nothing");
  ASSERT_FALSE(missing);
  EXPECT_EQ(missing.error().expected, "addOne, forever, shares, traps");
}

TEST_F(CudaDevice, ATrapEndsTheLaunchAlone) {
  const Status status = launch("traps", {3}, {32}, Arguments());
  ASSERT_FALSE(status);
  EXPECT_EQ(status.error().message,
            "CUDA_ERROR_LAUNCH_FAILED: thread (0,0,0) of block (0,0,0) came to a trap in traps (line 21: trap)");
  EXPECT_TRUE(device->synchronize(StreamId::Default));
}

TEST_F(CudaDevice, DynamicSharedMemoryStandsBehindTheKernelsOwn) {
  const auto memory = zeros<uint32_t>(1);
  run("shares", {1}, {1}, Arguments(memory), 16);
  EXPECT_EQ(download<uint32_t>(memory, 1)[0], 27u);
  EXPECT_FALSE(launch("shares", {1}, {1}, Arguments(memory), 8));  // buffer+12 is behind its end
  const auto info = device->kernelInfo(*device->kernel(module, "shares"));
  ASSERT_TRUE(info);
  EXPECT_EQ(info->sharedBytes, 64);
}

TEST_F(CudaDevice, ModulesGoWithTheirKernels) {
  const auto kernel = *device->kernel(module, "traps");
  EXPECT_TRUE(device->unload(module));
  EXPECT_FALSE(device->unload(module));
  EXPECT_FALSE(device->kernelInfo(kernel));
}

TEST_F(CudaDevice, ManyThreadsGiveOneResult) {
  const unsigned n = 100000;
  const auto memory = zeros<uint32_t>(n);
  run("addOne", {(n + 127) / 128}, {128}, Arguments(memory, n));
  EXPECT_EQ(download<uint32_t>(memory, n), std::vector<uint32_t>(n, 1));
}

}  // namespace
}  // namespace tessera::cuda
