// See cudnn_attention.h.
#include "backends/cuda/libraries/cudnn_attention.h"

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace tessera::cuda {

namespace {

// Numbers of the library's header.
enum DataType { kFloat = 0, kHalf = 2, kBfloat16 = 9 };
enum DescriptorType {
  kEngineConfig = 3,
  kHeuristic = 4,
  kExecutionPlan = 5,
  kOperationGraph = 15,
  kVariantPack = 16,
  kTensor = 17,
  kAttentionForward = 41
};
enum AttributeType {
  kOfHandle = 0,
  kOfDataType = 1,
  kOfBoolean = 2,
  kOfInt64 = 3,
  kOfPointer = 6,
  kOfHeuristicMode = 8,
  kOfDescriptor = 15
};
enum Attribute {
  kHeuristicMode = 200,
  kHeuristicGraph = 201,
  kHeuristicResults = 202,
  kPlanHandle = 400,
  kPlanConfig = 401,
  kPlanWorkspace = 402,
  kGraphHandle = 800,
  kGraphOperations = 801,
  kTensorAlignment = 900,
  kTensorType = 901,
  kTensorSizes = 902,
  kTensorStrides = 903,
  kTensorId = 906,
  kTensorIsByValue = 908,
  kPackIds = 1000,
  kPackPointers = 1001,
  kPackWorkspace = 1003,
  kAttentionQuery = 2800,
  kAttentionKey = 2801,
  kAttentionValue = 2802,
  kAttentionResult = 2803,
  kAttentionScale = 2805
};
constexpr int kModeA = 3, kMostConfigs = 8;
constexpr int64_t kAlignment = 16;                        // bytes
constexpr std::array<int64_t, 5> kIds = {1, 2, 3, 4, 5};  // q, k, v, the result, the scale

Status refused(int status, const char* doing) {
  if (status == 0) return {};
  return failUnsupported(fmt::format("cuDNN has no attention here (status {}, {})", status, doing));
}

// One of the library's, given back with this.
class Descriptor {
 public:
  static Result<Descriptor> of(const Cudnn& dnn, DescriptorType type) {
    Descriptor out(dnn);
    TESSERA_TRY(refused(dnn.createDescriptor(type, &out.handle_), "making a descriptor"));
    return out;
  }
  Descriptor(Descriptor&& other) noexcept : dnn_(other.dnn_), handle_(std::exchange(other.handle_, nullptr)) {}
  Descriptor& operator=(Descriptor&&) = delete;
  ~Descriptor() {
    if (handle_) (void)dnn_->destroyDescriptor(handle_);
  }

  Status set(Attribute attribute, AttributeType type, int64_t count, const void* values) const {
    return refused(dnn_->setAttribute(handle_, attribute, type, count, values), "describing it");
  }
  Status set(Attribute attribute, const Descriptor& other) const {
    return set(attribute, kOfDescriptor, 1, &other.handle_);
  }
  Status set(Attribute attribute, std::span<const int64_t> values) const {
    return set(attribute, kOfInt64, static_cast<int64_t>(values.size()), values.data());
  }
  Status finish() const { return refused(dnn_->finalize(handle_), "planning it"); }
  void* get() const { return handle_; }

 private:
  explicit Descriptor(const Cudnn& dnn) : dnn_(&dnn) {}
  const Cudnn* dnn_;
  void* handle_ = nullptr;
};

Result<Descriptor> tensorOf(const Cudnn& dnn, int64_t id, int type, std::span<const int64_t> sizes,
                            std::span<const int64_t> strides, bool isByValue) {
  TESSERA_ASSIGN_OR_RETURN(Descriptor out, Descriptor::of(dnn, kTensor));
  TESSERA_TRY(out.set(kTensorType, kOfDataType, 1, &type));
  TESSERA_TRY(out.set(kTensorSizes, sizes));
  TESSERA_TRY(out.set(kTensorStrides, strides));
  TESSERA_TRY(out.set(kTensorId, {&id, 1}));
  TESSERA_TRY(out.set(kTensorAlignment, {&kAlignment, 1}));
  if (isByValue) TESSERA_TRY(out.set(kTensorIsByValue, kOfBoolean, 1, &isByValue));
  TESSERA_TRY(out.finish());
  return out;
}

}  // namespace

struct CudnnAttention::Plan {
  std::vector<Descriptor> kept;  // what the plan refers to; the plan is the last
  int64_t workspaceBytes = 0;
};

CudnnAttention::CudnnAttention() = default;
CudnnAttention::~CudnnAttention() = default;

namespace {

// The operation, and what it is made of, in `kept`.
Result<Descriptor> operationOf(const Cudnn& dnn, const LibraryCall& call, std::vector<Descriptor>& kept) {
  if (call.in != ElementType::BF16 && call.in != ElementType::F16)
    return failUnsupported(fmt::format("cuDNN has no attention of {}", info(call.in).name));
  const AttentionCall& a = call.attention;
  const int type = call.in == ElementType::BF16 ? kBfloat16 : kHalf;
  struct Array {
    Attribute attribute;
    std::array<int64_t, 4> sizes;
    const std::vector<int64_t>& strides;
  };
  const Array arrays[] = {{kAttentionQuery, {a.batch, a.heads, a.queries, a.depth}, a.qStrides},
                          {kAttentionKey, {a.batch, a.heads, a.keys, a.depth}, a.kStrides},
                          {kAttentionValue, {a.batch, a.heads, a.keys, a.width}, a.vStrides},
                          {kAttentionResult, {a.batch, a.heads, a.queries, a.width}, a.oStrides}};
  TESSERA_ASSIGN_OR_RETURN(Descriptor out, Descriptor::of(dnn, kAttentionForward));
  for (size_t i = 0; i < std::size(arrays); ++i) {
    TESSERA_ASSIGN_OR_RETURN(Descriptor tensor,
                             tensorOf(dnn, kIds[i], type, arrays[i].sizes, arrays[i].strides, false));
    TESSERA_TRY(out.set(arrays[i].attribute, tensor));
    kept.push_back(std::move(tensor));
  }
  constexpr std::array<int64_t, 4> kOne = {1, 1, 1, 1};
  TESSERA_ASSIGN_OR_RETURN(Descriptor scale, tensorOf(dnn, kIds[4], kFloat, kOne, kOne, true));
  TESSERA_TRY(out.set(kAttentionScale, scale));
  kept.push_back(std::move(scale));
  TESSERA_TRY(out.finish());
  return out;
}

// The first of the proposed ways that has a plan.
Result<Descriptor> executionPlanOf(const Cudnn& dnn, void* handle, const Descriptor& graph,
                                   std::vector<Descriptor>& kept) {
  TESSERA_ASSIGN_OR_RETURN(Descriptor heuristic, Descriptor::of(dnn, kHeuristic));
  TESSERA_TRY(heuristic.set(kHeuristicGraph, graph));
  TESSERA_TRY(heuristic.set(kHeuristicMode, kOfHeuristicMode, 1, &kModeA));
  TESSERA_TRY(heuristic.finish());
  std::vector<Descriptor> configs;
  std::vector<void*> handles;
  for (int i = 0; i < kMostConfigs; ++i) {
    TESSERA_ASSIGN_OR_RETURN(Descriptor config, Descriptor::of(dnn, kEngineConfig));
    handles.push_back(config.get());
    configs.push_back(std::move(config));
  }
  int64_t count = 0;
  TESSERA_TRY(
      refused(dnn.getAttribute(heuristic.get(), kHeuristicResults, kOfDescriptor, kMostConfigs, &count, handles.data()),
              "asking for an algorithm"));
  for (size_t i = 0; i < configs.size() && static_cast<int64_t>(i) < count; ++i) {
    TESSERA_ASSIGN_OR_RETURN(Descriptor plan, Descriptor::of(dnn, kExecutionPlan));
    TESSERA_TRY(plan.set(kPlanHandle, kOfHandle, 1, &handle));
    TESSERA_TRY(plan.set(kPlanConfig, configs[i]));
    if (!plan.finish()) continue;
    kept.push_back(std::move(heuristic));
    kept.push_back(std::move(configs[i]));
    return plan;
  }
  return failUnsupported(fmt::format("cuDNN has no algorithm for this attention ({} proposed)", count));
}

}  // namespace

Result<const CudnnAttention::Plan*> CudnnAttention::planFor(const LibraryCall& call) {
  const AttentionCall& a = call.attention;
  std::unique_ptr<Plan>& known =
      plans_[fmt::format("{} {} {} {} {}", toString(call), fmt::join(a.qStrides, ","), fmt::join(a.kStrides, ","),
                         fmt::join(a.vStrides, ","), fmt::join(a.oStrides, ","))];
  if (known) return known.get();
  auto made = std::make_unique<Plan>();
  TESSERA_ASSIGN_OR_RETURN(Descriptor operation, operationOf(*library_, call, made->kept));
  TESSERA_ASSIGN_OR_RETURN(Descriptor graph, Descriptor::of(*library_, kOperationGraph));
  TESSERA_TRY(graph.set(kGraphHandle, kOfHandle, 1, &handle_));
  TESSERA_TRY(graph.set(kGraphOperations, operation));
  TESSERA_TRY(graph.finish());
  TESSERA_ASSIGN_OR_RETURN(Descriptor plan, executionPlanOf(*library_, handle_, graph, made->kept));
  int64_t count = 0;
  TESSERA_TRY(refused(library_->getAttribute(plan.get(), kPlanWorkspace, kOfInt64, 1, &count, &made->workspaceBytes),
                      "asking for memory"));
  made->kept.push_back(std::move(operation));
  made->kept.push_back(std::move(graph));
  made->kept.push_back(std::move(plan));
  known = std::move(made);
  return known.get();
}

Status CudnnAttention::choose(LibraryCall& call) {
  TESSERA_ASSIGN_OR_RETURN(const Plan* plan, planFor(call));
  call.workspaceBytes = plan->workspaceBytes;
  return {};
}

Status CudnnAttention::run(const LibraryCall& call, std::span<const DeviceAddress> operands, DeviceAddress result,
                           DeviceAddress workspace, void* stream) {
  TESSERA_ASSIGN_OR_RETURN(const Plan* plan, planFor(call));
  float scale = static_cast<float>(call.attention.scale);
  const std::array<void*, 5> arrays = {pointer(operands[0]), pointer(operands[1]), pointer(operands[2]),
                                       pointer(result), &scale};
  void* const memory = pointer(workspace);
  TESSERA_ASSIGN_OR_RETURN(const Descriptor pack, Descriptor::of(*library_, kVariantPack));
  TESSERA_TRY(pack.set(kPackIds, kIds));
  TESSERA_TRY(pack.set(kPackPointers, kOfPointer, static_cast<int64_t>(arrays.size()), arrays.data()));
  TESSERA_TRY(pack.set(kPackWorkspace, kOfPointer, 1, &memory));
  TESSERA_TRY(pack.finish());
  int status = library_->setStream(handle_, stream);
  if (status == 0) status = library_->execute(handle_, plan->kept.back().get(), pack.get());
  if (status == 0) return {};
  return fail(ErrorKind::Runtime, fmt::format("cuDNN: status {}, computing attention", status));
}

}  // namespace tessera::cuda
