// See convolution_epilogue.h. Where shards are no ranges of the epilogue's elements, two steps run over whole arrays.
#include "backends/cpu/library/convolution_epilogue.h"

#include "backends/codegen/nest/row_locality.h"
#include "backends/codegen/nest/unroll_tiny.h"
#include "backends/cpu/library/convolution_form.h"
#include "backends/cpu/plan/step_program.h"
#include "core/passes/fusion/convolution_epilogue.h"

namespace tessera::cpu {

namespace {

class EpiloguePlanner {
 public:
  EpiloguePlanner(LibraryContext& context, ComputationId inside, ConvolutionEpilogue found)
      : context_(context),
        module_(context.module),
        found_(found),
        convolution_(module_.at(found.convolution)),
        outside_(module_, inside, context.operands) {}

  Result<StepPtr> plan() {
    TESSERA_ASSIGN_OR_RETURN(const ElementProgram elements, elementsOf(module_, found_.epilogue));
    LoopProgram program = codegen::kernelForm(codegen::asLoopProgram(elements), context_.kernels.target());
    const auto locality = localityOf(program);
    choosePlace(locality);
    TESSERA_ASSIGN_OR_RETURN(const size_t kernel,
                             context_.kernels.add(std::move(program), std::string(context_.instruction.name)));
    if (locality) {
      TESSERA_ASSIGN_OR_RETURN(StepPtr step, planShards(kernel, *locality));
      if (step) return step;
    }
    return planWhole(kernel);
  }

 private:
  std::optional<codegen::RowLocality> localityOf(const LoopProgram& program) const {
    auto analysis = codegen::ProgramAnalysis::of(program);
    if (!analysis || program.body.operands.size() + 1 > DnnlEpilogue::kMaxSlots) return std::nullopt;
    std::vector<bool> local(program.body.operands.size(), false);
    local[found_.operand] = true;
    return codegen::rowLocalityOf(program, *analysis,
                                  codegen::KernelNest::of(program, *analysis, context_.kernels.target()), local);
  }

  // Where the convolution's own result lies: where the epilogue's will, if that overwrites it element by element; else
  // there is a shard of it for each thread.
  void choosePlace(const std::optional<codegen::RowLocality>& locality) {
    const Shape &made = *convolution_.shape, &wanted = *module_.at(found_.epilogue).shape;
    const bool overwrites = locality && locality->mayOverwrite && byteWidth(made.type) == byteWidth(wanted.type);
    place_ = overwrites ? context_.outputs[0] : kSlotOfShard;
  }

  LibraryContext contextOfConvolution() const {
    return {module_,
            convolution_,
            context_.kernels,
            {outside_.of(convolution_.operands[0]), outside_.of(convolution_.operands[1])},
            {place_},
            context_.scratch,
            {},
            context_.threads};
  }

  std::vector<int> kernelSlots() const {
    std::vector<int> slots;
    for (InstructionId operand : module_.at(found_.epilogue).operands) slots.push_back(outside_.of(operand));
    slots[found_.operand] = place_;
    slots.push_back(context_.outputs[0]);
    return slots;
  }

  Result<StepPtr> planShards(size_t kernel, const codegen::RowLocality& locality) {
    LibraryContext inner = contextOfConvolution();
    const auto form = convolutionFormOf(module_, convolution_);
    if (!form) return StepPtr{};
    DnnlEpilogue epilogue{kernel, kernelSlots(), locality, convolution_.shape->elementCount().value_or(0)};
    auto step = planDnnlConvolution(inner, *form, std::move(epilogue));
    if (step && *step) context_.what = inner.what + ", epilogue on each shard";
    return step;
  }

  Result<StepPtr> planWhole(size_t kernel) {
    if (place_ == kSlotOfShard) {
      TESSERA_ASSIGN_OR_RETURN(place_, context_.scratch(convolution_.shape->denseBytes().value_or(INT64_MAX)));
    }
    auto steps = std::make_unique<CompoundStep>();
    LibraryContext inner = contextOfConvolution();
    TESSERA_ASSIGN_OR_RETURN(StepPtr step, planConvolution(inner));
    if (!step) {
      TESSERA_ASSIGN_OR_RETURN(const ElementProgram elements, elementsOf(module_, convolution_.id));
      TESSERA_ASSIGN_OR_RETURN(const size_t own,
                               context_.kernels.add(codegen::asLoopProgram(elements), std::string(convolution_.name)));
      step = std::make_unique<KernelStep>(own, std::vector<int>{inner.operands[0], inner.operands[1], place_});
      inner.what = "convolution (kernel)";
    }
    steps->steps.push_back(std::move(step));
    steps->steps.push_back(std::make_unique<KernelStep>(kernel, kernelSlots()));
    context_.what = inner.what + ", kernel";
    return steps;
  }

  LibraryContext& context_;
  const Module& module_;
  ConvolutionEpilogue found_;
  const Instruction& convolution_;
  OutsideSlots outside_;
  int place_ = -1;
};

}  // namespace

Result<StepPtr> planConvolutionEpilogue(LibraryContext& context) {
  const std::vector<ComputationId> callees = context.module.callees(context.instruction);
  if (callees.size() != 1 || context.outputs.size() != 1) return StepPtr{};
  const auto found = convolutionEpilogueOf(context.module, callees[0]);
  if (!found) return StepPtr{};
  return EpiloguePlanner(context, callees[0], *found).plan();
}

}  // namespace tessera::cpu
