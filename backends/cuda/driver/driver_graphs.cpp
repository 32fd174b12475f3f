// See driver_device.h: what is captured into graphs, and loops and branches within them (CUDA 12.4 and later).
#include "backends/cuda/driver/driver_device.h"

namespace tessera::cuda::driver {

namespace {

// The condition is whether the number at `address` lies in [low, high], or does not.
constexpr const char* kConditionPtx = R"(.version 7.0
.target sm_70
.address_size 64
.extern .func cudaGraphSetConditional (.param .b64 condition, .param .b32 value);
.visible .entry tessera_set_condition(.param .u64 condition, .param .u64 address, .param .s32 low, .param .s32 high,
                                      .param .u32 wide, .param .u32 negated) {
  .reg .b64 %c, %a;
  .reg .b32 %v, %l, %h, %w, %n, %r;
  .reg .pred %p, %q;
  ld.param.u64 %c, [condition];
  ld.param.u64 %a, [address];
  ld.param.s32 %l, [low];
  ld.param.s32 %h, [high];
  ld.param.u32 %w, [wide];
  ld.param.u32 %n, [negated];
  cvta.to.global.u64 %a, %a;
  setp.ne.u32 %p, %w, 0;
  @%p ld.global.s32 %v, [%a];
  @!%p ld.global.u8 %v, [%a];
  setp.ge.s32 %q, %v, %l;
  setp.le.and.s32 %q, %v, %h, %q;
  selp.u32 %r, 1, 0, %q;
  xor.b32 %r, %r, %n;
  {
    .param .b64 p0;
    st.param.b64 [p0], %c;
    .param .b32 p1;
    st.param.b32 [p1], %r;
    call.uni cudaGraphSetConditional, (p0, p1);
  }
  ret;
}
)";

}  // namespace

// Relaxed: code and libraries may be loaded while work is captured.
Status DriverDevice::beginCapture(StreamId stream) {
  TESSERA_TRY(enter());
  return check(driver_.streamBeginCapture(streamOf(stream), CaptureMode::Relaxed), "beginning a graph");
}

Result<GraphId> DriverDevice::endCapture(StreamId stream) {
  TESSERA_TRY(enter());
  Handle graph = nullptr, instance = nullptr;
  TESSERA_TRY(check(driver_.streamEndCapture(streamOf(stream), &graph), "ending a graph"));
  const Code code = driver_.graphInstantiate(&instance, graph, 0);
  (void)driver_.graphDestroy(graph);  // its instance is on its own
  TESSERA_TRY(check(code, "making a graph ready"));
  return idOf<GraphId>(instance);
}

Status DriverDevice::launchGraph(GraphId graph, StreamId stream) {
  TESSERA_TRY(enter());
  return check(driver_.graphLaunch(handleOf(graph), streamOf(stream)), "launching a graph");
}

Status DriverDevice::releaseGraph(GraphId graph) {
  TESSERA_TRY(enter());
  return check(driver_.graphInstanceDestroy(handleOf(graph)), "releasing a graph");
}

Result<ConditionId> DriverDevice::makeCondition(StreamId captured) {
  TESSERA_TRY(enter());
  TESSERA_ASSIGN_OR_RETURN(const CapturePlace place, placeOf(captured));
  uint64_t condition = 0;
  TESSERA_TRY(check(driver_.graphConditionalHandleCreate(&condition, place.graph, context_, 0, kConditionAssignDefault),
                    "making a condition"));
  return static_cast<ConditionId>(condition);
}

Status DriverDevice::setCondition(ConditionId condition, const ConditionTest& test, StreamId captured) {
  TESSERA_TRY(enter());
  TESSERA_TRY(loadConditions());
  struct {
    uint64_t condition, address;
    int low, high;
    unsigned isWide, isNegated;
  } parameters{static_cast<uint64_t>(condition), test.address, test.low, test.high, test.bytes == 4, test.isNegated};
  size_t bytes = sizeof parameters;
  void* extra[] = {kParameterBuffer, &parameters, kParameterBytes, &bytes, nullptr};
  return check(driver_.launchKernel(setCondition_, 1, 1, 1, 1, 1, 1, 0, streamOf(captured), nullptr, extra),
               "setting a condition");
}

// The node stands behind all that the stream has captured so far, and what follows stands behind the node.
Result<StreamId> DriverDevice::beginConditional(StreamId captured, ConditionId condition, Conditional kind) {
  TESSERA_TRY(enter());
  TESSERA_ASSIGN_OR_RETURN(const CapturePlace place, placeOf(captured));
  GraphNodeParameters parameters;
  parameters.condition = static_cast<uint64_t>(condition);
  parameters.conditionType = kind == Conditional::While;
  parameters.context = context_;
  Handle node = nullptr, body = nullptr;
  TESSERA_TRY(check(driver_.graphAddNode(&node, place.graph, place.dependencies, place.count, &parameters),
                    "adding a loop or a branch to a graph"));
  TESSERA_TRY(check(driver_.streamUpdateCaptureDependencies(streamOf(captured), &node, 1, kSetCaptureDependencies),
                    "adding a loop or a branch to a graph"));
  TESSERA_TRY(check(driver_.streamCreate(&body, kStreamNonBlocking), "making a stream"));
  TESSERA_TRY(
      check(driver_.streamBeginCaptureToGraph(body, parameters.bodies[0], nullptr, nullptr, 0, CaptureMode::Relaxed),
            "beginning the body of a loop or a branch"));
  return idOf<StreamId>(body);
}

// The body's graph belongs to its node.
Status DriverDevice::endConditional(StreamId, StreamId body) {
  TESSERA_TRY(enter());
  Handle graph = nullptr;
  const Code code = driver_.streamEndCapture(handleOf(body), &graph);
  (void)driver_.streamDestroy(handleOf(body));
  return check(code, "ending the body of a loop or a branch");
}

Result<DriverDevice::CapturePlace> DriverDevice::placeOf(StreamId captured) {
  CapturePlace place;
  int status = 0;
  uint64_t id = 0;
  TESSERA_TRY(check(
      driver_.streamGetCaptureInfo(streamOf(captured), &status, &id, &place.graph, &place.dependencies, &place.count),
      "asking for what is captured"));
  if (!place.graph) return fail(ErrorKind::Runtime, "CUDA_ERROR_ILLEGAL_STATE: the stream is not being captured");
  return place;
}

// The driver itself has the function that sets conditions.
Status DriverDevice::loadConditions() {
  if (conditions_) return {};
  TESSERA_TRY(check(driver_.moduleLoadData(&conditions_, kConditionPtx), "loading the kernel of conditions"));
  return check(driver_.moduleGetFunction(&setCondition_, conditions_, "tessera_set_condition"),
               "looking for the kernel of conditions");
}

}  // namespace tessera::cuda::driver
