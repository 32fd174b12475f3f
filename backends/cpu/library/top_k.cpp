// topk: along the minor dimension, as runtime/sort/top_k_step. Types without an integer of their width are left to
// `evaluate`.
#include <algorithm>

#include "backends/cpu/library/library_steps.h"
#include "backends/runtime/sort/top_k_step.h"
#include "core/base/tuning.h"

namespace tessera::cpu {

namespace {

// Few long lines are cut into shards that are much longer than what they give.
TopK shapeOf(const Shape& operand, int64_t k) {
  const auto& limits = tuning().sort;
  TopK shape;
  shape.k = k;
  shape.length = operand.dimensions.back();
  for (size_t d = 0; d + 1 < operand.dimensions.size(); ++d) shape.lines *= operand.dimensions[d];
  if (shape.lines < limits.manyTopKLines && shape.length >= 2 * limits.topKShard)
    shape.shards = std::clamp<int64_t>(shape.length / std::max(limits.topKShard, limits.topKShardShare * k), 1,
                                       limits.maxTopKShards);
  shape.room = std::min(2 * k + limits.topKRoom, shape.shard() + 1);
  return shape;
}

}  // namespace

Result<StepPtr> planTopK(LibraryContext& context) {
  const Shape& operand = context.module.shapeOf(context.instruction.operands[0]);
  const int64_t k = context.instruction.attributes->intOr(Attr::k, 0);
  const ElementType type = operand.type;
  const bool isPlainFloat =
      type == ElementType::F64 || type == ElementType::F32 || type == ElementType::F16 || type == ElementType::BF16;
  const bool isPred = type == ElementType::Pred;
  const int bits = isPred ? 8 : info(type).bits;
  if (!isPlainFloat && !isInteger(type) && !isPred) return StepPtr{};
  if (operand.rank() == 0 || operand.dimensions.back() >= INT32_MAX || context.outputs.size() != 2) return StepPtr{};
  TopK topK = shapeOf(operand, k);
  topK.width = bits / 8;
  const int64_t itemBytes = bits % 8 == 0 ? topKItemBytes(topK.width) : 0;
  if (itemBytes == 0) return StepPtr{};
  topK.order = isPlainFloat ? TopKOrder::Float : isSigned(type) ? TopKOrder::Signed : TopKOrder::Unsigned;
  topK.largest = context.instruction.attributes->boolOr(Attr::largest, true);
  topK.from = context.operands[0];
  topK.values = context.outputs[0];
  topK.indices = context.outputs[1];
  TESSERA_ASSIGN_OR_RETURN(topK.scratch, context.scratch(itemBytes * context.threads * topK.room));
  TESSERA_ASSIGN_OR_RETURN(topK.joined,
                           context.scratch(topK.shards > 1 ? itemBytes * topK.lines * topK.shards * topK.k : 0));
  context.what = "top k";
  return makeTopKStep(topK);
}

}  // namespace tessera::cpu
