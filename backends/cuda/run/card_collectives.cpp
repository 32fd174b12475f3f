// See card_collectives.h.
#include "backends/cuda/run/card_collectives.h"

#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <optional>

#include "core/ops/shared/collective_groups.h"
#include "core/ops/shared/collective_reduction.h"

namespace tessera::cuda {

namespace {

// What a member tells the others: whether it has NCCL, which card it has, and the id that it would give the group.
struct MemberWord {
  uint8_t hasNccl = 0;
  std::array<char, 64> host = {};
  int32_t ordinal = 0;
  Nccl::UniqueId id = {};
};

bool sameCard(const MemberWord& a, const MemberWord& b) { return a.host == b.host && a.ordinal == b.ordinal; }

std::optional<NcclReduction> reductionFor(const EvaluateContext& context, ElementType type) {
  const auto operation = reductionOf(context).operation;
  if (!operation) return std::nullopt;
  // The library's maximum of floats may lose what is no number.
  switch (*operation) {
    case Opcode::Add: return type == ElementType::Pred ? std::nullopt : std::optional(NcclReduction::Sum);
    case Opcode::Multiply: return type == ElementType::Pred ? std::nullopt : std::optional(NcclReduction::Product);
    case Opcode::Maximum: return isFloat(type) ? std::nullopt : std::optional(NcclReduction::Maximum);
    case Opcode::Minimum: return isFloat(type) ? std::nullopt : std::optional(NcclReduction::Minimum);
    default: return std::nullopt;
  }
}

// Pieces along a dimension lie behind each other where nothing stands before it.
bool isOutermost(const Shape& shape, int64_t dimension) {
  return std::all_of(shape.dimensions.begin(), shape.dimensions.begin() + dimension, [](int64_t d) { return d == 1; });
}

int64_t countOf(const Shape& shape) { return shape.elementCount().value_or(0); }

}  // namespace

// What an instruction asks of a group, all members alike.
struct CardCollectives::Call {
  enum class Kind : uint8_t { None, AllReduce, ReduceScatter, AllGather, AllToAll, Permute } kind = Kind::None;
  NcclReduction reduction = NcclReduction::Sum;
  std::vector<int64_t> members;
  std::optional<int> target, source;  // of a permute, as ranks

  static Call of(const EvaluateContext& context);

 private:
  void takePermute(const EvaluateContext& context);
};

void CardCollectives::Call::takePermute(const EvaluateContext& context) {
  members = everyMember(context);
  const auto* pairs = context.instruction.attributes->get<std::vector<std::vector<int64_t>>>(Attr::source_target_pairs);
  if (!pairs) return;
  const int64_t own = context.communicator->device();
  const auto rankOf = [&](int64_t device) {
    return static_cast<int>(std::ranges::find(members, device) - members.begin());
  };
  kind = Kind::Permute;
  for (const auto& pair : *pairs) {
    if (pair.size() != 2) return void(kind = Kind::None);
    const int64_t from = deviceOf(context, pair[0]), to = deviceOf(context, pair[1]);
    if (from == own && target) return void(kind = Kind::None);  // one to several
    if (from == own) target = rankOf(to);
    if (to == own) source = rankOf(from);
  }
}

CardCollectives::Call CardCollectives::Call::of(const EvaluateContext& context) {
  Call out;
  const AttributeSet& attributes = *context.instruction.attributes;
  const auto& dimensions = attributes.ints(Attr::dimensions);
  const Shape& first = *context.operandShapes[0];
  const bool isAlong = dimensions.size() == 1 && dimensions[0] < first.rank() && isOutermost(first, dimensions[0]);
  const auto reduced = [&](Kind kind) {
    const auto reduction = reductionFor(context, first.type);
    if (!reduction) return;
    out.kind = kind;
    out.reduction = *reduction;
  };
  switch (context.instruction.opcode) {
    case Opcode::AllReduce: reduced(Kind::AllReduce); break;
    case Opcode::ReduceScatter:
      if (isAlong) reduced(Kind::ReduceScatter);
      break;
    case Opcode::AllGather: out.kind = isAlong ? Kind::AllGather : Kind::None; break;
    case Opcode::AllToAll: out.kind = isAlong && context.operandShapes.size() == 1 ? Kind::AllToAll : Kind::None; break;
    case Opcode::CollectivePermute:
      if (context.operandShapes.size() == 1) out.takePermute(context);
      return out;
    default: break;
  }
  if (out.kind != Kind::None) out.members = membersOf(context);
  return out;
}

// All members come here for a group that they have not met as before, so that none waits for one that does not.
Result<NcclGroup*> CardCollectives::groupOf(const EvaluateContext& context, const std::vector<int64_t>& members,
                                            Device& device) {
  if (const auto known = groups_.find(members); known != groups_.end()) return known->second.get();
  const auto nccl = Nccl::get();
  MemberWord own;
  own.hasNccl = nccl && device.info().ordinal >= 0;
  own.ordinal = device.info().ordinal;
  (void)::gethostname(own.host.data(), own.host.size() - 1);
  if (own.hasNccl) own.hasNccl = (*nccl)->getId(&own.id) == 0;
  TESSERA_ASSIGN_OR_RETURN(Literal word, Literal::allocate(Shape::arrayRowMajor(ElementType::U8, {sizeof own})));
  std::memcpy(word.mutableBytes().data(), &own, sizeof own);
  TESSERA_ASSIGN_OR_RETURN(const std::vector<Literal> words, exchangeAmong(context, members, std::move(word)));
  std::vector<MemberWord> all(words.size());
  for (size_t i = 0; i < all.size(); ++i) std::memcpy(&all[i], words[i].bytes().data(), sizeof all[i]);
  bool isPossible = true;
  for (size_t i = 0; i < all.size(); ++i) {
    isPossible = isPossible && all[i].hasNccl;
    for (size_t j = 0; j < i; ++j) isPossible = isPossible && !sameCard(all[i], all[j]);
  }
  std::unique_ptr<NcclGroup>& group = groups_[members];
  if (!isPossible) return group.get();
  TESSERA_TRY(device.enterContext());
  auto made = std::make_unique<NcclGroup>(**nccl, static_cast<int>(members.size()));
  const auto rank = std::ranges::find(members, communicator_->device()) - members.begin();
  TESSERA_TRY(made->open(all[0].id, static_cast<int>(rank)));
  group = std::move(made);
  return group.get();
}

// A rank that is gone leaves the others' kernels waiting: they are ended when it is known.
Status CardCollectives::wait(NcclGroup& group, Device& device, StreamId stream, const std::atomic<bool>* cancel) {
  Status status = device.synchronize(stream, cancel);
  if (status) status = group.error();
  if (!status) group.abandon();
  return status;
}

Result<bool> CardCollectives::run(const EvaluateContext& context, Device& device,
                                  std::span<const DeviceAddress> operands, std::span<const DeviceAddress> results,
                                  StreamId stream, const std::atomic<bool>* cancel) {
  if (!communicator_ || context.operandShapes.empty()) return false;
  for (const Shape* shape : context.operandShapes)
    if (!shape->isArray() || !NcclGroup::has(shape->type)) return false;
  const Call call = Call::of(context);
  if (call.kind == Call::Kind::None || call.members.size() < 2) return false;
  TESSERA_ASSIGN_OR_RETURN(NcclGroup * group, groupOf(context, call.members, device));
  if (!group) return false;
  TESSERA_TRY(device.enterContext());
  void* const native = device.nativeStream(stream);
  const auto ranks = static_cast<int64_t>(call.members.size());
  for (size_t i = 0; i < operands.size() && i < results.size(); ++i) {
    const Shape& shape = *context.operandShapes[i];
    const int64_t count = countOf(shape);
    Status status;
    switch (call.kind) {
      case Call::Kind::AllReduce:
        status = group->allReduce(operands[i], results[i], count, shape.type, call.reduction, native);
        break;
      case Call::Kind::ReduceScatter:
        status = group->reduceScatter(operands[i], results[i], count / ranks, shape.type, call.reduction, native);
        break;
      case Call::Kind::AllGather: status = group->allGather(operands[i], results[i], count, shape.type, native); break;
      case Call::Kind::AllToAll:
        status = group->allToAll(operands[i], results[i], count / ranks, shape.type, native);
        break;
      case Call::Kind::Permute:
        // Who receives nothing has zeros.
        if (!call.source) status = device.fill(results[i], 0, count * byteWidth(shape.type), stream);
        if (status)
          status = group->permute(operands[i], results[i], count, shape.type, call.target, call.source, native);
        break;
      case Call::Kind::None: break;
    }
    TESSERA_TRY(status);
  }
  TESSERA_TRY(wait(*group, device, stream, cancel));
  return true;
}

}  // namespace tessera::cuda
