// See nccl.h.
#include "backends/cuda/libraries/nccl.h"

#include <fmt/format.h>

namespace tessera::cuda {

namespace {

constexpr int kInProgress = 7;

// Numbers of the library's header.
std::optional<int> numberOf(ElementType type) {
  switch (type) {
    case ElementType::S8: return 0;
    case ElementType::U8:
    case ElementType::Pred: return 1;
    case ElementType::S32: return 2;
    case ElementType::U32: return 3;
    case ElementType::S64: return 4;
    case ElementType::U64: return 5;
    case ElementType::F16: return 6;
    case ElementType::F32: return 7;
    case ElementType::F64: return 8;
    case ElementType::BF16: return 9;
    default: return std::nullopt;
  }
}
int typeOf(ElementType type) { return numberOf(type).value_or(1); }

}  // namespace

bool NcclGroup::has(ElementType type) { return numberOf(type).has_value(); }

Result<const Nccl*> Nccl::get() { return openedOnce<Nccl>(); }

Status Nccl::open() {
  TESSERA_ASSIGN_OR_RETURN(void* file, openLibraryFile("NCCL", {"libnccl.so.2"}, {"nccl"}));
#define TESSERA_LIBRARY_FUNCTION(symbol, name, parameters) TESSERA_TRY(findFunction(file, "NCCL", #symbol, name));
#include "backends/cuda/libraries/nccl.inc"
#undef TESSERA_LIBRARY_FUNCTION
  textOf_ = reinterpret_cast<const char* (*)(int)>(symbolOf(file, "ncclGetErrorString"));
  int version = 0;  // 22707: 2.27.7
  TESSERA_TRY(check(getVersion(&version), "asking for its version"));
  version_ = fmt::format("{}.{}.{}", version / 10000, version % 10000 / 100, version % 100);
  return {};
}

Status Nccl::check(int result, const char* doing) const {
  if (result == 0 || result == kInProgress) return {};
  return fail(ErrorKind::Runtime,
              fmt::format("NCCL: {}, {}", textOf_ ? textOf_(result) : std::to_string(result), doing));
}

NcclGroup::~NcclGroup() {
  if (group_) (void)nccl_.destroy(group_);
}

Status NcclGroup::open(const Nccl::UniqueId& id, int rank) {
  return nccl_.check(nccl_.init(&group_, ranks_, id, rank), "connecting the cards of a group");
}

Status NcclGroup::allReduce(DeviceAddress from, DeviceAddress to, int64_t count, ElementType type,
                            NcclReduction reduction, void* stream) {
  return nccl_.check(nccl_.allReduce(pointer(from), pointer(to), static_cast<size_t>(count), typeOf(type),
                                     static_cast<int>(reduction), group_, stream),
                     "reducing over cards");
}

Status NcclGroup::reduceScatter(DeviceAddress from, DeviceAddress to, int64_t countEach, ElementType type,
                                NcclReduction reduction, void* stream) {
  return nccl_.check(nccl_.reduceScatter(pointer(from), pointer(to), static_cast<size_t>(countEach), typeOf(type),
                                         static_cast<int>(reduction), group_, stream),
                     "reducing over cards");
}

Status NcclGroup::allGather(DeviceAddress from, DeviceAddress to, int64_t countEach, ElementType type, void* stream) {
  return nccl_.check(
      nccl_.allGather(pointer(from), pointer(to), static_cast<size_t>(countEach), typeOf(type), group_, stream),
      "gathering from cards");
}

Status NcclGroup::allToAll(DeviceAddress from, DeviceAddress to, int64_t countEach, ElementType type, void* stream) {
  const auto bytes = static_cast<DeviceAddress>(countEach) * static_cast<DeviceAddress>(byteWidth(type));
  const auto count = static_cast<size_t>(countEach);
  TESSERA_TRY(nccl_.check(nccl_.begin(), "exchanging between cards"));
  Status status;
  for (int peer = 0; peer < ranks_ && status; ++peer) {
    const DeviceAddress piece = static_cast<DeviceAddress>(peer) * bytes;
    status =
        nccl_.check(nccl_.send(pointer(from + piece), count, typeOf(type), peer, group_, stream), "sending to a card");
    if (status)
      status = nccl_.check(nccl_.receive(pointer(to + piece), count, typeOf(type), peer, group_, stream),
                           "receiving from a card");
  }
  const Status ended = nccl_.check(nccl_.end(), "exchanging between cards");
  return status ? ended : status;
}

Status NcclGroup::permute(DeviceAddress from, DeviceAddress to, int64_t count, ElementType type,
                          std::optional<int> target, std::optional<int> source, void* stream) {
  const auto size = static_cast<size_t>(count);
  TESSERA_TRY(nccl_.check(nccl_.begin(), "exchanging between cards"));
  Status status;
  if (target)
    status = nccl_.check(nccl_.send(pointer(from), size, typeOf(type), *target, group_, stream), "sending to a card");
  if (source && status)
    status =
        nccl_.check(nccl_.receive(pointer(to), size, typeOf(type), *source, group_, stream), "receiving from a card");
  const Status ended = nccl_.check(nccl_.end(), "exchanging between cards");
  return status ? ended : status;
}

Status NcclGroup::error() {
  int error = 0;
  TESSERA_TRY(nccl_.check(nccl_.getAsyncError(group_, &error), "asking after the other cards"));
  return nccl_.check(error, "on another card");
}

void NcclGroup::abandon() {
  if (group_) (void)nccl_.abort(group_);
  group_ = nullptr;
}

}  // namespace tessera::cuda
