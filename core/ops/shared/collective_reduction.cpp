// See collective_reduction.h.
#include "core/ops/shared/collective_reduction.h"

#include "core/ops/inference/infer_checks.h"
#include "core/ops/shared/collective_groups.h"
#include "core/ops/shared/evaluate_loops.h"
#include "core/ops/shared/scalar_callee.h"
#include "core/ops/shared/scalar_function.h"

namespace tessera {
namespace {

Result<Literal> foldArrays(const EvaluateContext& context, std::span<const Literal> values) {
  const Literal& first = values[0];
  if (values.size() == 1) return first;
  const ElementType type = first.shape().type;
  const auto width = static_cast<size_t>(byteWidth(type));
  TESSERA_ASSIGN_OR_RETURN(Literal out, Literal::allocate(first.shape()));
  ScalarFunction reducer(context, 0, {type, type}, {type});
  reducer.keepPrecision();
  const int64_t count = out.elementCount();
  for (int64_t i = 0; i < count; ++i) {
    if (i % 4096 == 0 && isCancelled(context)) return failCancelled();
    const size_t at = static_cast<size_t>(i) * width;
    ScalarValue sum = loadScalar(type, first.bytes().data() + at);
    for (size_t v = 1; v < values.size(); ++v) {
      const ScalarValue arguments[2] = {sum, loadScalar(type, values[v].bytes().data() + at)};
      TESSERA_TRY(reducer.apply(arguments, std::span(&sum, 1)));
    }
    storeScalar(type, out.mutableBytes().data() + at, sum);
  }
  return out;
}

}  // namespace

Status checkDeviceReducer(const InferContext& context, std::string_view label) {
  const ProgramShape* program = context.computations.empty() ? nullptr : &context.computations[0];
  const auto wrong = [&](std::string expected) {
    return context.violated(label, "to_apply does not reduce the operands", std::move(expected));
  };
  if (!program || program->parameters.size() != 2) return wrong("two scalar parameters");
  for (const Shape& parameter : program->parameters)
    if (!parameter.isScalar() || !program->result.isScalar() || !sameButPrecision(parameter.type, program->result.type))
      return wrong("(T[], T[]) -> T[]");
  for (const Shape* operand : context.operands)
    if (!sameButPrecision(operand->type, program->result.type)) return wrong("scalars of the operands' type");
  return {};
}

DeviceReduction reductionOf(const EvaluateContext& context) {
  DeviceReduction out{[&context](std::span<const Literal> values) { return foldArrays(context, values); }, {}};
  if (context.module) out.operation = reducerOf(*context.module, context.instruction, 0);
  return out;
}

}  // namespace tessera
