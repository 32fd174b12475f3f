// See cufft.h.
#include "backends/cuda/libraries/cufft.h"

#include <optional>

#include <fmt/format.h>

namespace tessera::cuda {

namespace {

// Numbers of the library's header.
enum Type { kC2C = 0x29, kR2C = 0x2a, kZ2Z = 0x69, kD2Z = 0x6a };
constexpr int kForward = -1, kInverse = 1;

Status check(int status, const char* doing) {
  if (status == 0) return {};
  return fail(ErrorKind::Runtime, fmt::format("cuFFT: status {}, {}", status, doing));
}

std::optional<int> typeOf(const LibraryCall& call) {
  if (call.in == ElementType::C64 && call.out == ElementType::C64) return kC2C;
  if (call.in == ElementType::C128 && call.out == ElementType::C128) return kZ2Z;
  if (call.in == ElementType::F32 && call.out == ElementType::C64) return kR2C;
  if (call.in == ElementType::F64 && call.out == ElementType::C128) return kD2Z;
  return std::nullopt;
}

}  // namespace

Result<const Cufft*> Cufft::get() { return openedOnce<Cufft>(); }

Status Cufft::open() {
  // Of CUDA 13 and of CUDA 12.
  TESSERA_ASSIGN_OR_RETURN(void* file, openLibraryFile("cuFFT", {"libcufft.so.12", "libcufft.so.11"}, {"cufft"}));
#define TESSERA_LIBRARY_FUNCTION(symbol, name, parameters) TESSERA_TRY(findFunction(file, "cuFFT", #symbol, name));
#include "backends/cuda/libraries/cufft.inc"
#undef TESSERA_LIBRARY_FUNCTION
  int version = 0;  // 11400: 11.4
  TESSERA_TRY(check(getVersion(&version), "asking for its version"));
  version_ = fmt::format("{}.{}", version / 1000, version % 1000 / 100);
  return {};
}

CufftPlans::~CufftPlans() {
  for (const auto& [call, plan] : plans_) (void)library_->destroy(plan.number);
}

Result<CufftPlans::Plan> CufftPlans::planFor(const LibraryCall& call) {
  const std::string key = toString(call);
  if (const auto known = plans_.find(key); known != plans_.end()) return known->second;
  const auto type = typeOf(call);
  if (!type) return failUnsupported("cuFFT's transforms to real numbers overwrite what they read");
  std::vector<long long> lengths(call.lengths.begin(), call.lengths.end());
  Plan plan;
  TESSERA_TRY(check(library_->create(&plan.number), "making a plan"));
  // Null embeddings: dense arrays.
  int status = library_->setAutoAllocation(plan.number, 0);
  if (status == 0)
    status = library_->makePlan(plan.number, static_cast<int>(lengths.size()), lengths.data(), nullptr, 1, 0, nullptr,
                                1, 0, *type, call.batch, &plan.workspaceBytes);
  if (status != 0) {
    (void)library_->destroy(plan.number);
    return failUnsupported(fmt::format("cuFFT has no plan for it (status {})", status));
  }
  return plans_[key] = plan;
}

Status CufftPlans::choose(LibraryCall& call) {
  TESSERA_ASSIGN_OR_RETURN(const Plan plan, planFor(call));
  call.workspaceBytes = static_cast<int64_t>(plan.workspaceBytes);
  return {};
}

Status CufftPlans::run(const LibraryCall& call, DeviceAddress from, DeviceAddress to, DeviceAddress workspace,
                       void* stream) {
  TESSERA_ASSIGN_OR_RETURN(const Plan plan, planFor(call));
  TESSERA_TRY(check(library_->setStream(plan.number, stream), "choosing a stream"));
  TESSERA_TRY(check(library_->setWorkspace(plan.number, pointer(workspace)), "giving it memory"));
  const int direction = call.isInverse ? kInverse : kForward;
  switch (*typeOf(call)) {
    case kC2C: return check(library_->runC2C(plan.number, pointer(from), pointer(to), direction), "transforming");
    case kZ2Z: return check(library_->runZ2Z(plan.number, pointer(from), pointer(to), direction), "transforming");
    case kR2C: return check(library_->runR2C(plan.number, pointer(from), pointer(to)), "transforming");
    default: return check(library_->runD2Z(plan.number, pointer(from), pointer(to)), "transforming");
  }
}

}  // namespace tessera::cuda
