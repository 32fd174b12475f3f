// See kernel_set.h.
#include "backends/cuda/kernels/kernel_set.h"

#include <cctype>
#include <mutex>
#include <new>
#include <unordered_map>

#include <fmt/format.h>
#include <llvm/IR/LegacyPassManager.h>
#include <llvm/IR/Verifier.h>
#include <llvm/MC/TargetRegistry.h>
#include <llvm/Passes/PassBuilder.h>
#include <llvm/Support/TargetSelect.h>
#include <llvm/Target/TargetMachine.h>
#include <llvm/Transforms/IPO/AlwaysInliner.h>
#include <llvm/Transforms/InstCombine/InstCombine.h>
#include <llvm/Transforms/Scalar/CorrelatedValuePropagation.h>
#include <llvm/Transforms/Scalar/EarlyCSE.h>
#include <llvm/Transforms/Scalar/LICM.h>
#include <llvm/Transforms/Scalar/SROA.h>
#include <llvm/Transforms/Scalar/SimplifyCFG.h>

#include "backends/codegen/grid/grid_contraction.h"
#include "backends/codegen/grid/grid_emitter.h"
#include "backends/codegen/llvm_failures.h"
#include "backends/codegen/nest/program_analysis.h"
#include "backends/cuda/kernels/device_functions.h"

namespace tessera::cuda {

namespace {

constexpr size_t kMaxParameters = 500;  // of 8 bytes, in 4 KiB
constexpr int kFirstWithMatrices = 80;  // architecture whose tensor cores multiply bf16 and matrices 16 deep

// Backends of several devices compile at once, each in its thread; LLVM's registry is filled by the first.
Result<std::unique_ptr<llvm::TargetMachine>> makeNvptxMachine(const Architecture& architecture) {
  static std::once_flag once;
  std::call_once(once, [] {
    LLVMInitializeNVPTXTargetInfo();
    LLVMInitializeNVPTXTarget();
    LLVMInitializeNVPTXTargetMC();
    LLVMInitializeNVPTXAsmPrinter();
    codegen::throwLlvmFailures();
  });
  const char* triple = "nvptx64-nvidia-cuda";
  std::string problem;
  const llvm::Target* target = llvm::TargetRegistry::lookupTarget(triple, problem);
  if (!target) return failUnsupported("this LLVM has no target for CUDA devices: " + problem);
  std::unique_ptr<llvm::TargetMachine> machine(
      target->createTargetMachine(triple, architecture.name, architecture.features, {}, std::nullopt, std::nullopt,
                                  llvm::CodeGenOptLevel::Default));
  if (!machine) return failUnsupported("this LLVM knows no " + architecture.name);
  return machine;
}

// Its own name as far as PTX has its characters.
std::string symbolOf(const std::string& owner, size_t number) {
  std::string out = "k" + std::to_string(number) + "_";
  for (char c : owner) out += std::isalnum(static_cast<unsigned char>(c)) ? c : '_';
  return out;
}

void runPasses(llvm::Module& module, llvm::TargetMachine& machine) {
  llvm::LoopAnalysisManager loops;
  llvm::FunctionAnalysisManager functions;
  llvm::CGSCCAnalysisManager components;
  llvm::ModuleAnalysisManager modules;
  llvm::PassBuilder builder(&machine);
  builder.registerModuleAnalyses(modules);
  builder.registerCGSCCAnalyses(components);
  builder.registerFunctionAnalyses(functions);
  builder.registerLoopAnalyses(loops);
  builder.crossRegisterProxies(loops, functions, components, modules);
  llvm::FunctionPassManager each;
  each.addPass(llvm::SROAPass(llvm::SROAOptions::ModifyCFG));
  each.addPass(llvm::EarlyCSEPass());
  each.addPass(llvm::InstCombinePass());
  each.addPass(llvm::CorrelatedValuePropagationPass());
  each.addPass(llvm::createFunctionToLoopPassAdaptor(llvm::LICMPass(llvm::LICMOptions()), true));
  each.addPass(llvm::EarlyCSEPass());
  each.addPass(llvm::InstCombinePass());
  each.addPass(llvm::SimplifyCFGPass());
  llvm::ModulePassManager all;
  all.addPass(llvm::AlwaysInlinerPass());
  all.addPass(llvm::createModuleToFunctionPassAdaptor(std::move(each)));
  all.run(module, modules);
}

// What one description added, so that it can be taken back.
void removeUnused(llvm::Module& module) {
  for (llvm::Function& function : llvm::make_early_inc_range(module))
    if (function.use_empty() && (function.isDeclaration() || function.hasLocalLinkage())) function.eraseFromParent();
  for (llvm::GlobalVariable& variable : llvm::make_early_inc_range(module.globals()))
    if (variable.use_empty()) variable.eraseFromParent();
}

// The name of a function that no device has.
std::string missingFunction(const llvm::Module& module) {
  for (const llvm::Function& function : module)
    if (function.isDeclaration() && !function.isIntrinsic()) return function.getName().str();
  return "";
}

struct ProgramHash {
  size_t operator()(const LoopProgram& program) const { return hashValue(program.body); }
};

}  // namespace

struct KernelSet::Impl {
  explicit Impl(const Architecture& target) : architecture(target) {}

  Result<size_t> take(KernelLaunch launch, const Status& emitted);
  Result<size_t> refuse(const std::string& name, Diagnostic why);

  Architecture architecture;
  llvm::LLVMContext context;
  std::unique_ptr<llvm::TargetMachine> machine;
  std::unique_ptr<llvm::Module> module;
  std::vector<KernelLaunch> launches;
  std::unordered_map<LoopProgram, size_t, ProgramHash> programs;
  std::unordered_map<std::string, size_t> templates;
};

Result<size_t> KernelSet::Impl::refuse(const std::string& name, Diagnostic why) {
  if (llvm::Function* function = module->getFunction(name)) {
    if (auto* notes = module->getNamedMetadata("nvvm.annotations")) {
      std::vector<llvm::MDNode*> kept;
      for (llvm::MDNode* note : notes->operands())
        if (llvm::mdconst::extract<llvm::Function>(note->getOperand(0)) != function) kept.push_back(note);
      notes->clearOperands();
      for (llvm::MDNode* note : kept) notes->addOperand(note);
    }
    function->eraseFromParent();
  }
  for (size_t before = module->size() + 1; before != module->size();) {
    before = module->size();
    removeUnused(*module);
  }
  return fail(std::move(why));
}

Result<size_t> KernelSet::Impl::take(KernelLaunch launch, const Status& emitted) {
  if (!emitted) return refuse(launch.name, emitted.error());
  defineDeviceFunctions(*module);
  if (const std::string missing = missingFunction(*module); !missing.empty())
    return refuse(launch.name, {.kind = ErrorKind::Unsupported,
                                .message = missing.substr(missing.find('_') + 1) + " has no code for a device"});
  launches.push_back(std::move(launch));
  return launches.size() - 1;
}

KernelSet::KernelSet(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
KernelSet::~KernelSet() = default;
const std::vector<KernelLaunch>& KernelSet::launches() const { return impl_->launches; }
const Architecture& KernelSet::architecture() const { return impl_->architecture; }

Result<std::unique_ptr<KernelSet>> KernelSet::make(const Architecture& architecture) {
  auto impl = std::make_unique<Impl>(architecture);
  TESSERA_ASSIGN_OR_RETURN(impl->machine, makeNvptxMachine(architecture));
  impl->module = std::make_unique<llvm::Module>("tessera", impl->context);
  impl->module->setDataLayout(impl->machine->createDataLayout());
  impl->module->setTargetTriple(impl->machine->getTargetTriple().str());
  return std::unique_ptr<KernelSet>(new KernelSet(std::move(impl)));
}

Result<size_t> KernelSet::add(LoopProgram program, const std::string& owner) {
  if (const auto known = impl_->programs.find(program); known != impl_->programs.end()) return known->second;
  if (program.body.operands.size() + program.outputs.size() > kMaxParameters)
    return failUnsupported(fmt::format("a kernel takes {} arrays at most", kMaxParameters));
  TESSERA_ASSIGN_OR_RETURN(const codegen::ProgramAnalysis analysis, codegen::ProgramAnalysis::of(program));
  const std::string name = symbolOf(owner, impl_->launches.size());
  const bool hasTensorCores = impl_->architecture.number >= kFirstWithMatrices;
  KernelLaunch launch;
  Status emitted;
  if (const auto tiles = codegen::ContractionMap::of(program, analysis, hasTensorCores)) {
    launch = {name, tiles->blocks(), tiles->grid.blockThreads, tiles->text()};
    emitted = codegen::emitContractionKernel(*impl_->module, name, program, analysis, *tiles);
  } else {
    const codegen::GridMap map = codegen::GridMap::of(program, analysis);
    launch = {name, map.blocks(), map.blockThreads, map.text()};
    emitted = codegen::emitGridKernel(*impl_->module, name, program, analysis, map);
  }
  if (launch.blocks > INT32_MAX) emitted = failUnsupported("the grid would have too many blocks");
  TESSERA_ASSIGN_OR_RETURN(const size_t index, impl_->take(std::move(launch), emitted));
  impl_->programs.emplace(std::move(program), index);
  return index;
}

Result<size_t> KernelSet::add(const KernelTemplate& kernel, const std::string& owner) {
  if (const auto known = impl_->templates.find(kernel.key); known != impl_->templates.end()) return known->second;
  KernelLaunch launch = kernel.launch;
  launch.name = symbolOf(owner, impl_->launches.size());
  const Status emitted = kernel.emit(*impl_->module, launch.name);
  TESSERA_ASSIGN_OR_RETURN(const size_t index, impl_->take(std::move(launch), emitted));
  impl_->templates.emplace(kernel.key, index);
  return index;
}

std::string KernelSet::irOf(size_t kernel) const {
  std::string text;
  llvm::raw_string_ostream stream(text);
  if (const llvm::Function* function = impl_->module->getFunction(impl_->launches[kernel].name))
    function->print(stream);
  return stream.str();
}

Result<std::string> KernelSet::compile() {
  if (impl_->launches.empty()) return std::string();
  std::string problem;
  llvm::raw_string_ostream problems(problem);
  if (llvm::verifyModule(*impl_->module, &problems)) return fail("code generation: " + problems.str());
  try {
    runPasses(*impl_->module, *impl_->machine);
    llvm::SmallVector<char, 0> out;
    llvm::raw_svector_ostream stream(out);
    llvm::legacy::PassManager passes;
    if (impl_->machine->addPassesToEmitFile(passes, stream, nullptr, llvm::CodeGenFileType::AssemblyFile))
      return fail("code generation: this target writes no PTX");
    passes.run(*impl_->module);
    return std::string(out.data(), out.size());
  } catch (const std::bad_alloc&) {
    (void)impl_.release();  // LLVM cannot end well what memory ended
    throw;
  } catch (const std::exception& refusal) {
    (void)impl_.release();
    return fail("code generation: " + std::string(refusal.what()));
  }
}

}  // namespace tessera::cuda
