// send, send-done, recv, recv-done: a value from one place of a program (or device) to another, by channel. A send
// leaves the value and goes on; recv-done waits for it. Where the value goes is in the frontend attribute
// _xla_send_recv_source_target_pairs, as XLA writes it; without it, it stays on its device.
#include "core/base/result.h"
#include "core/devices/communicator.h"
#include "core/ops/op.h"
#include "core/ops/shared/send_recv_pairs.h"
#include "core/ops/shared/zero_values.h"

namespace tessera {
namespace {

constexpr OperandDoc kSendOperands[] = {{"value", "what is sent"}, {"token", "what has to be done first"}};
constexpr OperandDoc kSendDoneOperands[] = {{"context", "what send gave"}};
constexpr OperandDoc kRecvOperands[] = {{"token", "what has to be done first"}};
constexpr OperandDoc kRecvDoneOperands[] = {{"context", "what recv gave"}};
constexpr AttributeRow kSendRecvAttributes[] = {
    {Attr::channel_id, false, "", "the channel: sends and receives of one number belong together"},
    {Attr::is_host_transfer, false, "false", "the other end is the host"},
};
constexpr Constraint kSendConstraints[] = {{"C1", "the second operand is a token"}};
constexpr Constraint kRecvConstraints[] = {
    {"C1", "the operand is a token"},
    {"C2", "the result is written as (data, u32[], token[])"},
};
constexpr Constraint kContextConstraints[] = {{"C1", "the operand is a context: (data, u32[], token[])"}};

bool isContext(const Shape& shape) {
  return shape.isTuple() && shape.elements.size() == 3 && shape.elements[1].isScalar() &&
         shape.elements[1].type == ElementType::U32 && shape.elements[2].isToken();
}

Result<Shape> inferSend(const InferContext& context) {
  if (!context.operand(1).isToken())
    return context.violated("C1", "the second operand is no token", "token[]", toString(context.operand(1), false));
  return Shape::tuple({withoutLayout(context.operand(0)), Shape::array(ElementType::U32, {}), Shape::token()});
}
void sendLayout(const InferContext& context, Shape& result) { result.elements[0] = context.operand(0); }

Result<Shape> inferRecv(const InferContext& context) {
  if (!context.operand(0).isToken())
    return context.violated("C1", "the operand is no token", "token[]", toString(context.operand(0), false));
  if (!context.written || !isContext(*context.written))
    return context.violated("C2", "the result of a recv is a context", "(data, u32[], token[])",
                            context.written ? toString(*context.written, false) : "");
  return withoutLayout(*context.written);
}

Status checkContext(const InferContext& context) {
  if (isContext(context.operand(0))) return {};
  return context.violated("C1", "the operand is no context", "(data, u32[], token[])",
                          toString(context.operand(0), false));
}

Result<Shape> inferSendDone(const InferContext& context) {
  TESSERA_TRY(checkContext(context));
  return Shape::token();
}
Result<Shape> inferRecvDone(const InferContext& context) {
  TESSERA_TRY(checkContext(context));
  return Shape::tuple({withoutLayout(context.operand(0).elements[0]), Shape::token()});
}
void recvDoneLayout(const InferContext& context, Shape& result) {
  if (!context.operand(0).elements.empty()) result.elements[0] = context.operand(0).elements[0];
}

bool isHostTransfer(const EvaluateContext& context) {
  return context.instruction.attributes->boolOr(Attr::is_host_transfer, false);
}

Result<Communicator*> communicatorOf(const EvaluateContext& context) {
  if (context.communicator) return context.communicator;
  return fail(ErrorKind::Runtime, context.instruction.reference() + " has nobody to exchange data with");
}

// The context's number is the channel, so that a done without a channel_id knows it.
Result<Literal> evaluateSend(const EvaluateContext& context) {
  TESSERA_ASSIGN_OR_RETURN(Communicator * communicator, communicatorOf(context));
  const int64_t channel = context.instruction.attributes->intOr(Attr::channel_id, 0);
  const Literal& value = context.operands[0];
  if (isHostTransfer(context)) {
    TESSERA_TRY(communicator->outfeed(value));
  } else if (const auto pairs = sendReceivePairs(context.instruction); pairs.empty()) {
    TESSERA_TRY(communicator->send(channel, communicator->device(), value));
  } else {
    for (const auto& [source, target] : pairs)
      if (source == communicator->device()) TESSERA_TRY(communicator->send(channel, target, value));
  }
  return Literal::tuple({value, Literal::scalar(ElementType::U32, static_cast<uint32_t>(channel)), Literal::token()});
}
Result<Literal> evaluateSendDone(const EvaluateContext&) { return Literal::token(); }

Result<Literal> evaluateRecv(const EvaluateContext& context) {
  TESSERA_ASSIGN_OR_RETURN(Literal empty, zerosOf(context.shape.elements[0]));
  const int64_t channel = context.instruction.attributes->intOr(Attr::channel_id, 0);
  return Literal::tuple(
      {std::move(empty), Literal::scalar(ElementType::U32, static_cast<uint32_t>(channel)), Literal::token()});
}

Result<Literal> received(const EvaluateContext& context, Communicator& communicator) {
  const Shape& data = context.shape.elements[0];
  if (isHostTransfer(context)) return communicator.infeed(data);
  const auto pairs = sendReceivePairs(context.instruction);
  bool isTarget = pairs.empty();
  for (const auto& pair : pairs) isTarget = isTarget || pair.second == communicator.device();
  if (!isTarget) return zerosOf(data);
  const Literal& number = context.operands[0].elements()[1];
  const std::string what = context.instruction.reference() + " (recv-done)";
  return communicator.receive(number.data<uint32_t>()[0], data, what, context.cancelled);
}

Result<Literal> evaluateRecvDone(const EvaluateContext& context) {
  TESSERA_ASSIGN_OR_RETURN(Communicator * communicator, communicatorOf(context));
  TESSERA_ASSIGN_OR_RETURN(Literal value, received(context, *communicator));
  if (!compatible(value.shape(), context.shape.elements[0]))
    return fail(ErrorKind::Runtime, context.instruction.reference() + " receives " + toString(value.shape(), false) +
                                        " and expects " + toString(context.shape.elements[0], false));
  return Literal::tuple({std::move(value), Literal::token()});
}

}  // namespace

const OpDef kSend = {
    .opcode = Opcode::Send,
    .kind = ExecutionKind::Effect,
    .category = {OpCategory::Communication, kSideEffect | kStartsAsync},
    .summary = "Begins to send a value on a channel.",
    .doc =
        "The result is (value, u32[], token[]), a context that exactly one send-done reads. With is_host_transfer the "
        "value goes to the run's sink.",
    .operands = kSendOperands,
    .attributes = kSendRecvAttributes,
    .constraints = kSendConstraints,
    .inferShape = inferSend,
    .inferLayout = sendLayout,
    .evaluate = evaluateSend,
};
const OpDef kSendDone = {
    .opcode = Opcode::SendDone,
    .kind = ExecutionKind::Effect,
    .category = {OpCategory::Communication, kSideEffect | kEndsAsync},
    .summary = "Ends a send.",
    .doc = "The result is a token that is there once the value has left.",
    .operands = kSendDoneOperands,
    .attributes = kSendRecvAttributes,
    .constraints = kContextConstraints,
    .inferShape = inferSendDone,
    .evaluate = evaluateSendDone,
};
const OpDef kRecv = {
    .opcode = Opcode::Recv,
    .kind = ExecutionKind::Effect,
    .category = {OpCategory::Communication, kSideEffect | kWrittenShape | kStartsAsync},
    .summary = "Makes room for a value that comes on a channel.",
    .doc =
        "The result is (data, u32[], token[]), a context that exactly one recv-done reads. With is_host_transfer the "
        "value comes from the run's source.",
    .operands = kRecvOperands,
    .attributes = kSendRecvAttributes,
    .constraints = kRecvConstraints,
    .inferShape = inferRecv,
    .evaluate = evaluateRecv,
};
const OpDef kRecvDone = {
    .opcode = Opcode::RecvDone,
    .kind = ExecutionKind::Effect,
    .category = {OpCategory::Communication, kSideEffect | kEndsAsync},
    .summary = "Waits for a value that comes on a channel.",
    .doc = "The result is the value that a send of the same channel has sent, and a token.",
    .operands = kRecvDoneOperands,
    .attributes = kSendRecvAttributes,
    .constraints = kContextConstraints,
    .inferShape = inferRecvDone,
    .inferLayout = recvDoneLayout,
    .evaluate = evaluateRecvDone,
};

}  // namespace tessera
