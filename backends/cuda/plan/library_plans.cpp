// See library_plans.h.
#include "backends/cuda/plan/library_plans.h"

#include <algorithm>
#include <numeric>

#include "backends/cuda/plan/store_program.h"
#include "core/element/element_builder.h"

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

bool hasTypes(ElementType in, ElementType out) {
  switch (in) {
    case ElementType::F32:
    case ElementType::F64:
    case ElementType::C64:
    case ElementType::C128: return out == in;
    case ElementType::F16:
    case ElementType::BF16: return out == in || out == ElementType::F32;
    case ElementType::S8: return out == ElementType::S32;
    default: return false;
  }
}

std::optional<LibraryCall> productOf(const Module& module, const Instruction& dot) {
  const Shape &a = module.shapeOf(dot.operands[0]), &b = module.shapeOf(dot.operands[1]);
  if (a.type != b.type || !hasTypes(a.type, dot.shape->type)) return std::nullopt;
  const AttributeSet& attributes = *dot.attributes;
  const auto left = factorOf(a, attributes.ints(Attr::lhs_batch_dims), attributes.ints(Attr::lhs_contracting_dims));
  const auto right = factorOf(b, attributes.ints(Attr::rhs_batch_dims), attributes.ints(Attr::rhs_contracting_dims));
  if (!left || !right || left->batch * left->free * right->free * left->contracted == 0) return std::nullopt;
  LibraryCall call;
  call.operation = LibraryOperation::MatrixProduct;
  call.in = a.type, call.out = dot.shape->type;
  call.batch = left->batch, call.m = left->free, call.n = right->free, call.k = left->contracted;
  call.aTransposed = left->isContractedFirst;
  call.bTransposed = !right->isContractedFirst;
  call.allowsTf32 = attributes.textOr(Attr::algorithm, "") == "dot_tf32_tf32_f32";
  return call;
}

std::optional<LibraryCall> transformOf(const Module& module, const Instruction& fft) {
  const Shape& operand = module.shapeOf(fft.operands[0]);
  const std::string_view type = fft.attributes->textOr(Attr::fft_type, "");
  LibraryCall call;
  call.operation = LibraryOperation::Fourier;
  call.in = operand.type, call.out = fft.shape->type;
  call.lengths = fft.attributes->ints(Attr::fft_length);
  call.isInverse = type == "IFFT";
  if (type == "IRFFT" || fft.shape->elementCount().value_or(0) == 0) return std::nullopt;
  for (size_t d = 0; d + call.lengths.size() < operand.dimensions.size(); ++d) call.batch *= operand.dimensions[d];
  return call;
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

}  // namespace

std::optional<LibraryCall> libraryCallOf(const Module& module, const Instruction& instruction) {
  if (instruction.opcode == Opcode::Dot) return productOf(module, instruction);
  if (instruction.opcode == Opcode::Fft) return transformOf(module, instruction);
  return std::nullopt;
}

Status planLibrary(PlanDraft& draft, const Instruction& instruction, LibraryCall call, Libraries& libraries,
                   Steps& out) {
  TESSERA_ASSIGN_OR_RETURN(const std::string library, libraries.choose(call));
  DeviceStep step = draft.stepOf(instruction, DeviceStep::Kind::Library, library + ": " + toString(call));
  step.operands = draft.operandsOf(instruction);
  step.results = draft.resultsOf(instruction);
  if (call.isInverse) {
    TESSERA_ASSIGN_OR_RETURN(step.results[0], draft.scratchFor(instruction, *instruction.shape));
  }
  if (call.workspaceBytes > 0) {
    TESSERA_ASSIGN_OR_RETURN(
        const int workspace,
        draft.scratchFor(instruction, Shape::arrayRowMajor(ElementType::U8, {call.workspaceBytes})));
    step.results.push_back(workspace);
  }
  step.call = call;
  const int result = step.results[0];
  out.push_back(std::move(step));
  return call.isInverse ? planScale(draft, instruction, call, result, out) : Status();
}

}  // namespace tessera::cuda
