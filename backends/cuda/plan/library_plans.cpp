// See library_plans.h.
#include "backends/cuda/plan/library_plans.h"

#include <algorithm>
#include <numeric>

#include "backends/cuda/plan/attention_calls.h"
#include "backends/cuda/plan/convolution_calls.h"
#include "backends/cuda/plan/store_program.h"
#include "core/element/element_builder.h"
#include "core/passes/fusion/product_end.h"

namespace tessera::cuda {

namespace {

using Dims = std::vector<int64_t>;

// One factor: batch dimensions first, then the others in two runs, those that are contracted before or behind.
struct Factor {
  int64_t batch = 1, free = 1, contracted = 1;
  bool isContractedFirst = false;
};

std::optional<Factor> factorOf(const Shape& shape, const Dims& batch, const Dims& contracted) {
  Dims first(batch.size()), whole(contracted.size());
  std::iota(first.begin(), first.end(), 0);
  if (batch != first) return std::nullopt;
  Factor out;
  const auto rank = static_cast<int64_t>(shape.dimensions.size()), batches = static_cast<int64_t>(batch.size()),
             count = static_cast<int64_t>(contracted.size());
  const auto isRunFrom = [&](int64_t begin) {
    std::iota(whole.begin(), whole.end(), begin);
    return contracted == whole;
  };
  out.isContractedFirst = isRunFrom(batches) && count < rank - batches;
  if (!out.isContractedFirst && !isRunFrom(rank - count)) return std::nullopt;
  for (int64_t d = 0; d < rank; ++d) {
    const bool isContracted = std::ranges::find(contracted, d) != contracted.end();
    (d < batches ? out.batch : isContracted ? out.contracted : out.free) *= shape.dimensions[static_cast<size_t>(d)];
  }
  return out;
}

bool hasTypes(ElementType in, ElementType right, ElementType out) {
  const auto isByteFloat = [](ElementType type) {
    return type == ElementType::F8E4M3FN || type == ElementType::F8E5M2;
  };
  if (in != right && !(isByteFloat(in) && isByteFloat(right))) return false;
  switch (in) {
    case ElementType::F32:
    case ElementType::F64:
    case ElementType::C64:
    case ElementType::C128: return out == in;
    case ElementType::F16:
    case ElementType::BF16: return out == in || out == ElementType::F32;
    case ElementType::F8E4M3FN:
    case ElementType::F8E5M2: return out == ElementType::F16 || out == ElementType::BF16 || out == ElementType::F32;
    case ElementType::S8: return out == ElementType::S32;
    default: return false;
  }
}

std::optional<LibraryPlan> productOf(const Module& module, const Instruction& dot) {
  const Shape &a = module.shapeOf(dot.operands[0]), &b = module.shapeOf(dot.operands[1]);
  if (!hasTypes(a.type, b.type, dot.shape->type)) return std::nullopt;
  const AttributeSet& attributes = *dot.attributes;
  const auto left = factorOf(a, attributes.ints(Attr::lhs_batch_dims), attributes.ints(Attr::lhs_contracting_dims));
  const auto right = factorOf(b, attributes.ints(Attr::rhs_batch_dims), attributes.ints(Attr::rhs_contracting_dims));
  if (!left || !right || left->batch * left->free * right->free * left->contracted == 0) return std::nullopt;
  LibraryCall call;
  call.operation = LibraryOperation::MatrixProduct;
  call.in = a.type, call.right = b.type, call.out = dot.shape->type;
  call.batch = left->batch, call.m = left->free, call.n = right->free, call.k = left->contracted;
  call.aTransposed = left->isContractedFirst;
  call.bTransposed = !right->isContractedFirst;
  call.allowsTf32 = attributes.textOr(Attr::algorithm, "") == "dot_tf32_tf32_f32";
  return LibraryPlan{call, {}, {}};
}

// A product with its end, as core/passes/fusion/product_end.h makes a fusion of them.
std::optional<LibraryPlan> endedProductOf(const Module& module, const Instruction& fusion) {
  const std::vector<ComputationId> callees = module.callees(fusion);
  if (callees.size() != 1 || fusion.attributes->textOr(Attr::kind, "") != "kOutput") return std::nullopt;
  const auto end = productEndOf(module, callees[0]);
  if (!end) return std::nullopt;
  const Instruction& product = module.at(end->product);
  const bool isConvolution = product.opcode == Opcode::Convolution;
  auto plan = isConvolution ? convolutionPlanOf(module, product) : productOf(module, product);
  if (!plan || (isConvolution && plan->call.operation != LibraryOperation::Convolution)) return std::nullopt;
  plan->call.scale = end->scale;
  plan->call.hasBias = end->bias.valid();
  plan->call.ending = end->function == ProductFunction::Relu   ? ProductEnding::Relu
                      : end->function == ProductFunction::Gelu ? ProductEnding::Gelu
                                                               : ProductEnding::None;
  std::vector<InstructionId> factors(product.operands.begin(), product.operands.end());
  if (end->bias.valid()) factors.push_back(end->bias);
  for (InstructionId factor : factors) {
    if (module.at(factor).opcode != Opcode::Parameter) return std::nullopt;
    plan->operands.push_back(static_cast<size_t>(module.at(factor).parameterNumber));
  }
  return plan;
}

std::optional<LibraryPlan> transformOf(const Module& module, const Instruction& fft) {
  const Shape& operand = module.shapeOf(fft.operands[0]);
  const std::string_view type = fft.attributes->textOr(Attr::fft_type, "");
  LibraryCall call;
  call.operation = LibraryOperation::Fourier;
  call.in = operand.type, call.out = fft.shape->type;
  call.lengths = fft.attributes->ints(Attr::fft_length);
  call.isInverse = type == "IFFT";
  if (type == "IRFFT" || fft.shape->elementCount().value_or(0) == 0) return std::nullopt;
  for (size_t d = 0; d + call.lengths.size() < operand.dimensions.size(); ++d) call.batch *= operand.dimensions[d];
  return LibraryPlan{call, {}, {}};
}

// Libraries leave inverse transforms as they come.
Status planScale(PlanDraft& draft, const Instruction& instruction, const LibraryCall& call, int from, Steps& out) {
  double length = 1;
  for (const int64_t each : call.lengths) length *= static_cast<double>(each);
  const Shape shape = Shape::arrayRowMajor(instruction.shape->type, instruction.shape->dimensions);
  ElementBuilder b({shape}, shape.dimensions);
  std::vector<NodeId> own;
  for (size_t d = 0; d < shape.dimensions.size(); ++d) own.push_back(b.outputIndex(static_cast<int64_t>(d)));
  const NodeId value = b.read(0, own);
  const NodeId scale = b.constant(shape.type == ElementType::C64 ? ElementType::F32 : ElementType::F64, 1 / length);
  const NodeId scaled =
      b.makeComplex(b.multiply(b.unary(NodeOp::Real, value), scale), b.multiply(b.unary(NodeOp::Imag, value), scale));
  LoopProgram program = storeProgram(b, {shape}, {{0, own, {}, scaled}}, static_cast<int64_t>(own.size()));
  return draft.kernel(instruction, std::move(program), {from}, draft.resultsOf(instruction), out);
}

// to[i...] = from[i...] with dimension d of `to` being order[d] of `from`, or, backwards, the other way about.
Status planReordering(PlanDraft& draft, const Instruction& instruction, const Shape& stored, const Dims& order,
                      bool backwards, int from, int to, Steps& out) {
  Shape moved = Shape::arrayRowMajor(stored.type, {});
  for (const int64_t d : order) moved.dimensions.push_back(stored.dimensions[static_cast<size_t>(d)]);
  moved = Shape::arrayRowMajor(moved.type, moved.dimensions);
  const Shape whole = Shape::arrayRowMajor(stored.type, stored.dimensions);
  const Shape &source = backwards ? moved : whole, &target = backwards ? whole : moved;
  ElementBuilder b({source}, target.dimensions);
  std::vector<NodeId> own, read(order.size());
  for (size_t d = 0; d < order.size(); ++d) own.push_back(b.outputIndex(static_cast<int64_t>(d)));
  for (size_t d = 0; d < order.size(); ++d) {
    const auto other = static_cast<size_t>(order[d]);
    read[backwards ? d : other] = own[backwards ? other : d];
  }
  LoopProgram program = storeProgram(b, {target}, {{0, own, {}, b.read(0, read)}}, static_cast<int64_t>(own.size()));
  return draft.kernel(instruction, std::move(program), {from}, {to}, out);
}

// The step alone: what it reads and writes, and its memory.
Result<DeviceStep> stepFor(PlanDraft& draft, const Instruction& instruction, const LibraryPlan& plan,
                           const std::string& library) {
  const LibraryCall& call = plan.call;
  DeviceStep step = draft.stepOf(instruction, DeviceStep::Kind::Library, library + ": " + toString(call));
  const std::vector<int> operands = draft.operandsOf(instruction);
  for (const size_t number : plan.operands) step.operands.push_back(operands[number]);
  if (plan.operands.empty()) step.operands = operands;
  step.results = draft.resultsOf(instruction);
  step.call = call;
  if (call.workspaceBytes == 0) return step;
  TESSERA_ASSIGN_OR_RETURN(const int workspace,
                           draft.scratchFor(instruction, Shape::arrayRowMajor(ElementType::U8, {call.workspaceBytes})));
  step.results.push_back(workspace);
  return step;
}

}  // namespace

std::optional<LibraryPlan> libraryPlanOf(const Module& module, const Instruction& instruction) {
  if (instruction.opcode == Opcode::Dot) return productOf(module, instruction);
  if (instruction.opcode == Opcode::Fusion) {
    auto attention = attentionPlanOf(module, instruction);
    return attention ? attention : endedProductOf(module, instruction);
  }
  if (instruction.opcode == Opcode::Fft) return transformOf(module, instruction);
  if (instruction.opcode == Opcode::Convolution) return convolutionPlanOf(module, instruction);
  return std::nullopt;
}

Status planLibrary(PlanDraft& draft, const Instruction& instruction, LibraryPlan plan, Libraries& libraries,
                   Steps& out) {
  LibraryCall& call = plan.call;
  TESSERA_ASSIGN_OR_RETURN(const std::string library, libraries.choose(call));
  TESSERA_ASSIGN_OR_RETURN(DeviceStep step, stepFor(draft, instruction, plan, library));
  const bool makesFilter = call.operation == LibraryOperation::ConvolutionFilter, moves = !plan.filterOrder.empty();
  const int filter = moves && !makesFilter ? step.operands[1] : step.results[0];
  const size_t filterNumber = plan.operands.empty() ? 1 : plan.operands[1];
  const Shape& filterShape =
      makesFilter || !moves ? *instruction.shape : draft.module().shapeOf(instruction.operands[filterNumber]);
  const int result = step.results[0];
  int scratch = -1;
  if (moves || call.isInverse) {
    TESSERA_ASSIGN_OR_RETURN(scratch, draft.scratchFor(instruction, filterShape));
    (moves && !makesFilter ? step.operands[1] : step.results[0]) = scratch;
  }
  if (moves && !makesFilter)
    TESSERA_TRY(planReordering(draft, instruction, filterShape, plan.filterOrder, false, filter, scratch, out));
  out.push_back(std::move(step));
  if (call.isInverse) return planScale(draft, instruction, call, scratch, out);
  if (moves && makesFilter)
    return planReordering(draft, instruction, filterShape, plan.filterOrder, true, scratch, result, out);
  return {};
}

}  // namespace tessera::cuda
