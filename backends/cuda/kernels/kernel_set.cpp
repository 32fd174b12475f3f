// See kernel_set.h.
#include "backends/cuda/kernels/kernel_set.h"

#include <algorithm>
#include <atomic>
#include <cctype>
#include <mutex>
#include <new>
#include <thread>
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
#include <llvm/Transforms/Scalar/LoopUnrollPass.h>
#include <llvm/Transforms/Scalar/SROA.h>
#include <llvm/Transforms/Scalar/SimplifyCFG.h>

#include "backends/codegen/grid/grid_attention.h"
#include "backends/codegen/grid/grid_contraction.h"
#include "backends/codegen/grid/grid_emitter.h"
#include "backends/codegen/grid/grid_region.h"
#include "backends/codegen/grid/grid_transpose.h"
#include "backends/codegen/llvm_failures.h"
#include "backends/codegen/nest/program_analysis.h"
#include "backends/cuda/kernels/device_functions.h"

namespace tessera::cuda {

namespace {

constexpr size_t kMaxParameters = 500;  // of 8 bytes, in 4 KiB
constexpr size_t kShardKernels = 8, kMostShards = 8;

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
  // Loops that are marked; what they read equally is read once, across shuffles, which write no memory. Before
  // addresses are taken apart, each in its own way.
  each.addPass(llvm::LoopUnrollPass(llvm::LoopUnrollOptions(2, true)));
  each.addPass(llvm::EarlyCSEPass(true));
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

codegen::GridTarget gridTargetOf(const Architecture& architecture) {
  return {.isAmpere = architecture.number >= kFirstWithMatrices,
          .hasWarpgroupProducts = architecture.hasWarpgroupProducts,
          .sharedBytes = architecture.sharedBytes};
}

Status checkParameters(size_t arrays) {
  if (arrays > kMaxParameters) return failUnsupported(fmt::format("a kernel takes {} arrays at most", kMaxParameters));
  return {};
}

struct ProgramHash {
  size_t operator()(const LoopProgram& program) const { return hashValue(program.body); }
};

// Some of the kernels, so that several threads can compile.
struct Shard {
  llvm::LLVMContext context;
  std::unique_ptr<llvm::TargetMachine> machine;
  std::unique_ptr<llvm::Module> module;

  Status open(const Architecture& architecture);
  // Takes back what a kernel has added that cannot be.
  void forget(const std::string& name);
  Result<std::string> compile();
};

Status Shard::open(const Architecture& architecture) {
  TESSERA_ASSIGN_OR_RETURN(machine, makeNvptxMachine(architecture));
  module = std::make_unique<llvm::Module>("tessera", context);
  module->setDataLayout(machine->createDataLayout());
  module->setTargetTriple(machine->getTargetTriple().str());
  return {};
}

void Shard::forget(const std::string& name) {
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
}

Result<std::string> Shard::compile() {
  std::string problem;
  llvm::raw_string_ostream problems(problem);
  if (llvm::verifyModule(*module, &problems)) return fail("code generation: " + problems.str());
  runPasses(*module, *machine);
  llvm::SmallVector<char, 0> out;
  llvm::raw_svector_ostream stream(out);
  llvm::legacy::PassManager passes;
  if (machine->addPassesToEmitFile(passes, stream, nullptr, llvm::CodeGenFileType::AssemblyFile))
    return fail("code generation: this target writes no PTX");
  passes.run(*module);
  return std::string(out.data(), out.size());
}

}  // namespace

struct KernelSet::Impl {
  explicit Impl(const Architecture& target) : architecture(target) {}

  Result<Shard*> nextShard();
  Result<size_t> take(KernelLaunch launch, Shard& shard, const Status& emitted);
  Result<std::string> compileShard(size_t number);

  Architecture architecture;
  std::vector<std::unique_ptr<Shard>> shards;
  std::vector<KernelLaunch> launches;
  std::unordered_map<LoopProgram, size_t, ProgramHash> programs;
  std::unordered_map<std::string, size_t> templates;
  std::vector<std::pair<RegionProgram, size_t>> regions;
};

// Whose kernel it is follows from its number alone, so that the text does not depend on the machine.
size_t shardOf(size_t kernel) { return kernel / kShardKernels % kMostShards; }

Result<Shard*> KernelSet::Impl::nextShard() {
  const size_t number = shardOf(launches.size());
  if (number == shards.size()) {
    auto shard = std::make_unique<Shard>();
    TESSERA_TRY(shard->open(architecture));
    shards.push_back(std::move(shard));
  }
  return shards[number].get();
}

Result<size_t> KernelSet::Impl::take(KernelLaunch launch, Shard& shard, const Status& emitted) {
  if (!emitted) {
    shard.forget(launch.name);
    return std::unexpected(emitted.error());
  }
  defineDeviceFunctions(*shard.module);
  if (const std::string missing = missingFunction(*shard.module); !missing.empty()) {
    shard.forget(launch.name);
    return failUnsupported(missing.substr(missing.find('_') + 1) + " has no code for a device");
  }
  launches.push_back(std::move(launch));
  return launches.size() - 1;
}

KernelSet::KernelSet(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
KernelSet::~KernelSet() = default;
const std::vector<KernelLaunch>& KernelSet::launches() const { return impl_->launches; }
const Architecture& KernelSet::architecture() const { return impl_->architecture; }

Result<std::unique_ptr<KernelSet>> KernelSet::make(const Architecture& architecture) {
  auto impl = std::make_unique<Impl>(architecture);
  TESSERA_TRY(impl->nextShard());
  return std::unique_ptr<KernelSet>(new KernelSet(std::move(impl)));
}

Result<size_t> KernelSet::add(LoopProgram program, const std::string& owner) {
  if (const auto known = impl_->programs.find(program); known != impl_->programs.end()) return known->second;
  TESSERA_TRY(checkParameters(program.body.operands.size() + program.outputs.size()));
  TESSERA_ASSIGN_OR_RETURN(const codegen::ProgramAnalysis analysis, codegen::ProgramAnalysis::of(program));
  TESSERA_ASSIGN_OR_RETURN(Shard * shard, impl_->nextShard());
  const std::string name = symbolOf(owner, impl_->launches.size());
  const codegen::GridTarget target = gridTargetOf(impl_->architecture);
  KernelLaunch launch{.name = name};
  Status emitted;
  if (const auto attention = codegen::AttentionMap::of(program, analysis, target)) {
    launch.blocks = attention->blocks(), launch.blockThreads = attention->grid.blockThreads;
    launch.dynamicSharedBytes = attention->dynamicSharedBytes;
    launch.text = attention->text();
    emitted = codegen::emitAttentionKernel(*shard->module, name, program, analysis, *attention);
  } else if (const auto tiles = codegen::ContractionMap::of(program, analysis, target)) {
    launch.blocks = tiles->blocks(), launch.blockThreads = tiles->grid.blockThreads, launch.text = tiles->text();
    launch.dynamicSharedBytes = tiles->dynamicSharedBytes;
    emitted = codegen::emitContractionKernel(*shard->module, name, program, analysis, *tiles);
  } else if (const auto crossed = codegen::TransposeMap::of(program, analysis)) {
    launch.blocks = crossed->blocks(), launch.blockThreads = crossed->grid.blockThreads, launch.text = crossed->text();
    emitted = codegen::emitTransposeKernel(*shard->module, name, program, analysis, *crossed);
  } else {
    const codegen::GridMap map = codegen::GridMap::of(program, analysis);
    launch.blocks = map.blocks(), launch.blockThreads = map.blockThreads, launch.text = map.text();
    emitted = codegen::emitGridKernel(*shard->module, name, program, analysis, map);
  }
  if (launch.blocks > INT32_MAX) emitted = failUnsupported("the grid would have too many blocks");
  TESSERA_ASSIGN_OR_RETURN(const size_t index, impl_->take(std::move(launch), *shard, emitted));
  impl_->programs.emplace(std::move(program), index);
  return index;
}

Result<size_t> KernelSet::add(const RegionProgram& region, const codegen::RegionMap& map, const std::string& owner) {
  if (const auto known = std::ranges::find(impl_->regions, region, &std::pair<RegionProgram, size_t>::first);
      known != impl_->regions.end())
    return known->second;
  TESSERA_TRY(checkParameters(map.read.size() + map.written.size()));
  TESSERA_ASSIGN_OR_RETURN(Shard * shard, impl_->nextShard());
  KernelLaunch launch{
      .name = symbolOf(owner, impl_->launches.size()), .blockThreads = map.blockThreads, .text = map.text()};
  const Status emitted = codegen::emitRegionKernel(*shard->module, launch.name, region, map);
  TESSERA_ASSIGN_OR_RETURN(const size_t index, impl_->take(std::move(launch), *shard, emitted));
  impl_->regions.emplace_back(region, index);
  return index;
}

Status KernelSet::checkAttention(const LoopProgram& program, const Architecture& architecture) {
  TESSERA_ASSIGN_OR_RETURN(const codegen::ProgramAnalysis analysis, codegen::ProgramAnalysis::of(program));
  const auto map = codegen::AttentionMap::of(program, analysis, gridTargetOf(architecture));
  return map ? Status{} : std::unexpected(map.error());
}

Result<size_t> KernelSet::add(const KernelTemplate& kernel, const std::string& owner) {
  if (const auto known = impl_->templates.find(kernel.key); known != impl_->templates.end()) return known->second;
  TESSERA_ASSIGN_OR_RETURN(Shard * shard, impl_->nextShard());
  KernelLaunch launch = kernel.launch;
  launch.name = symbolOf(owner, impl_->launches.size());
  const Status emitted = kernel.emit(*shard->module, launch.name);
  TESSERA_ASSIGN_OR_RETURN(const size_t index, impl_->take(std::move(launch), *shard, emitted));
  impl_->templates.emplace(kernel.key, index);
  return index;
}

std::vector<uint32_t> KernelSet::moduleOf() const {
  std::vector<uint32_t> out;
  for (size_t k = 0; k < impl_->launches.size(); ++k) out.push_back(static_cast<uint32_t>(shardOf(k)));
  return out;
}

std::string KernelSet::irOf(size_t kernel) const {
  std::string text;
  llvm::raw_string_ostream stream(text);
  if (const llvm::Function* function =
          impl_->shards[shardOf(kernel)]->module->getFunction(impl_->launches[kernel].name))
    function->print(stream);
  return stream.str();
}

// LLVM cannot end well what memory ended or an error left half done: it stays as it lies.
Result<std::string> KernelSet::Impl::compileShard(size_t number) {
  try {
    return shards[number]->compile();
  } catch (const std::bad_alloc&) {
    (void)shards[number].release();
    return fail(ErrorKind::Runtime, "not enough memory to compile");
  } catch (const std::exception& refusal) {
    (void)shards[number].release();
    return fail("code generation: " + std::string(refusal.what()));
  }
}

Result<std::vector<std::string>> KernelSet::compile(int threads) {
  std::vector<std::string> out;
  if (impl_->launches.empty()) return out;
  const size_t count = shardOf(std::min(impl_->launches.size(), kShardKernels * kMostShards) - 1) + 1;
  std::vector<Result<std::string>> texts(count);
  std::atomic<size_t> next{0};
  const auto work = [&] {
    for (size_t number = next++; number < count; number = next++) texts[number] = impl_->compileShard(number);
  };
  {
    const size_t most = threads > 0 ? static_cast<size_t>(threads) : std::max(1u, std::thread::hardware_concurrency());
    std::vector<std::jthread> helpers;
    for (size_t i = 1; i < std::min(most, count); ++i) helpers.emplace_back(work);
    work();
  }
  for (Result<std::string>& text : texts) {
    TESSERA_ASSIGN_OR_RETURN(std::string each, std::move(text));
    out.push_back(std::move(each));
  }
  return out;
}

}  // namespace tessera::cuda
