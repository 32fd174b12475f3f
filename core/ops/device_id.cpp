// replica-id and partition-id: the numbers of the device that runs the program. They are values of the run, not of the
// graph: 0 where a program runs alone.
#include "core/devices/communicator.h"
#include "core/ops/op.h"

namespace tessera {
namespace {

Result<Shape> inferDeviceId(const InferContext&) { return Shape::array(ElementType::U32, {}); }

Result<Literal> evaluateReplica(const EvaluateContext& context) {
  return Literal::scalar(ElementType::U32,
                         static_cast<uint32_t>(context.communicator ? context.communicator->replica() : 0));
}
Result<Literal> evaluatePartition(const EvaluateContext& context) {
  return Literal::scalar(ElementType::U32,
                         static_cast<uint32_t>(context.communicator ? context.communicator->partition() : 0));
}

}  // namespace

const OpDef kReplicaId = {
    .opcode = Opcode::ReplicaId,
    .kind = ExecutionKind::Effect,
    .category = {OpCategory::Communication, kNoTraits, OpColor::Constant},
    .summary = "The number of the replica that runs.",
    .doc = "The result is $0 … N-1$ where $N$ replicas run; all partitions of a replica get the same number.",
    .operands = {},
    .attributes = {},
    .constraints = {},
    .inferShape = inferDeviceId,
    .evaluate = evaluateReplica,
};
const OpDef kPartitionId = {
    .opcode = Opcode::PartitionId,
    .kind = ExecutionKind::Effect,
    .category = {OpCategory::Communication, kNoTraits, OpColor::Constant},
    .summary = "The number of the partition that runs.",
    .doc = "The result is $0 … M-1$ where a program is cut into $M$ partitions.",
    .operands = {},
    .attributes = {},
    .constraints = {},
    .inferShape = inferDeviceId,
    .evaluate = evaluatePartition,
};

}  // namespace tessera
