// See widen_products.h.
#include "core/passes/expand/widen_products.h"

#include "core/base/tuning.h"
#include "core/ops/op.h"
#include "core/passes/rewriter.h"

namespace tessera {
namespace {

bool isNarrow(ElementType type) { return isFloat(type) && !isComplex(type) && info(type).bits < 32; }

// Whether the types of both sides are multiplied as they are.
using IsNative = bool (*)(ElementType a, ElementType b);
bool isForProcessors(ElementType a, ElementType b) { return a == b && a == ElementType::BF16; }
bool isForDevices(ElementType a, ElementType b) {
  const auto isByte = [](ElementType type) { return type == ElementType::F8E4M3FN || type == ElementType::F8E5M2; };
  return (a == b && (a == ElementType::BF16 || a == ElementType::F16)) || (isByte(a) && isByte(b));
}

// Both sides float of at most 32 bits, one narrow, and not multiplied as they are.
bool isToBeWidened(const Module& module, const Instruction& in, IsNative isNative) {
  if (!hasTrait(in.opcode, kContraction)) return false;
  if (in.operands.size() != 2 || !in.shape->isArray() ||
      in.shape->elementCount().value_or(0) < tuning().simplify.widenedElements)
    return false;
  if (in.attributes->has(Attr::algorithm) || in.attributes->has(Attr::sparsity_config)) return false;
  const ElementType a = module.shapeOf(in.operands[0]).type, b = module.shapeOf(in.operands[1]).type,
                    result = in.shape->type;
  const bool fits = (isNarrow(a) || a == ElementType::F32) && (isNarrow(b) || b == ElementType::F32) &&
                    (isNarrow(result) || result == ElementType::F32);
  return fits && !isNative(a, b) && (isNarrow(a) || isNarrow(b));
}

InstructionId asType(Rewriter& rewriter, InstructionId value, ElementType type, InstructionId from) {
  const Module& module = rewriter.module();
  Shape shape = module.shapeOf(value);
  if (shape.type == type) return value;
  shape.type = type;
  return rewriter.add(module.at(from).computation, Opcode::Convert, shape, {&value, 1}, {}, {&from, 1});
}

void widen(Rewriter& rewriter, InstructionId id) {
  const Instruction in = rewriter.visit(id);
  const InstructionId operands[] = {asType(rewriter, in.operands[0], ElementType::F32, id),
                                    asType(rewriter, in.operands[1], ElementType::F32, id)};
  Shape shape = *in.shape;
  shape.type = ElementType::F32;
  const InstructionId product = rewriter.add(in.computation, in.opcode, shape, operands, *in.attributes, {&id, 1});
  rewriter.replace(id, asType(rewriter, product, in.shape->type, id));
}

Result<bool> widenAll(Module& module, const char* pass, IsNative isNative) {
  Rewriter rewriter(module, pass);
  for (ComputationId computation : controlComputations(module))
    for (InstructionId id : std::vector<InstructionId>(module.at(computation).instructions))
      if (isToBeWidened(module, module.at(id), isNative)) widen(rewriter, id);
  return rewriter.finish();
}

}  // namespace

Result<bool> widenProducts(Module& module) { return widenAll(module, "widen-products", isForProcessors); }
Result<bool> widenProductsForDevice(Module& module) {
  return widenAll(module, "widen-products-for-device", isForDevices);
}

}  // namespace tessera
