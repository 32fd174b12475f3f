// See fusion_cost.h. Measured roughly on AVX-512 kernels; only ratios matter.
#include "core/passes/fusion/fusion_cost.h"
#include "core/base/tuning.h"
#include "core/element/scalar_functions.h"

#include <algorithm>

namespace tessera {
namespace {

double elements(const Shape& shape) {
  if (shape.isTuple()) return shape.elements.empty() ? 1 : elements(shape.elements[0]);
  return static_cast<double>(std::max<int64_t>(shape.elementCount().value_or(INT64_MAX), 1));
}

double windowSize(const Instruction& instruction) {
  double size = 1;
  if (const auto* window = instruction.attributes->get<Window>(Attr::window))
    for (const WindowDimension& d : window->dimensions) size *= static_cast<double>(d.size);
  return size;
}

// What a mapped computation costs an element.
double calledPrice(const Module& module, const Instruction& in) {
  double price = 0;
  for (ComputationId callee : module.callees(in))
    for (InstructionId id : module.at(callee).instructions)
      if (const Opcode opcode = module.at(id).opcode; opcode != Opcode::Parameter && opcode != Opcode::Constant)
        price += elementPrice(module, module.at(id));
  return std::max(price, 1.0);
}

}  // namespace

bool hasInnerLoop(Opcode opcode) {
  return opcode == Opcode::Reduce || opcode == Opcode::ReduceWindow || opcode == Opcode::SelectAndScatter;
}

double readsPerEvaluation(const Module& module, const Instruction& user, size_t operand) {
  switch (user.opcode) {
    case Opcode::Reduce:
      if (operand >= user.operands.size() / 2) return 1;
      return std::max(1.0, elements(module.shapeOf(user.operands[operand])) / elements(*user.shape));
    case Opcode::ReduceWindow: return operand >= user.operands.size() / 2 ? 1 : windowSize(user);
    case Opcode::SelectAndScatter:
      return operand == 0 ? windowSize(user) * windowSize(user) : operand == 1 ? windowSize(user) : 1;
    case Opcode::Gather: {
      if (operand == 0) return 1;
      const auto& map = user.attributes->ints(Attr::start_index_map);
      return std::max<double>(1, static_cast<double>(map.size()));
    }
    default: return 1;
  }
}

double elementPrice(const Module& module, const Instruction& in) {
  switch (in.opcode) {
    case Opcode::Broadcast:
    case Opcode::Reshape:
    case Opcode::Transpose:
    case Opcode::Slice:
    case Opcode::Reverse:
    case Opcode::Copy:
    case Opcode::Iota: return 0;
    case Opcode::Concatenate: return 2.0 * static_cast<double>(in.operands.size());
    case Opcode::Pad:
    case Opcode::DynamicSlice: return 2;
    case Opcode::Gather: return 6;
    case Opcode::Reduce: return 2 * readsPerEvaluation(module, in, 0) * static_cast<double>(in.operands.size() / 2);
    case Opcode::ReduceWindow: return 4 * windowSize(in);
    case Opcode::SelectAndScatter: return 8 * windowSize(in) * windowSize(in);
    case Opcode::Map: return calledPrice(module, in);
    default: break;
  }
  const ScalarFunctionInfo* function = scalarFunctionOf(in.opcode);
  if (!function) return 1;
  return in.shape->isArray() && !isFloat(in.shape->type) ? function->price.fusedOther : function->price.fused;
}

double materialisationPrice(const Shape& shape, bool inLoop) {
  const auto& prices = tuning().fusion;
  const double width = shape.isArray() ? byteWidth(shape.type) / 4.0 : 1, count = elements(shape);
  const double price = 4 * width * count < prices.farBytes ? prices.nearPrice : prices.farPrice;
  return price * count * width + (inLoop && count <= prices.maxRegionElements ? prices.launchInRegion : prices.launch);
}

}  // namespace tessera
