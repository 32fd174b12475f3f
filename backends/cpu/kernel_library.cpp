// See kernel_library.h. The pass list is short on purpose: the emitter already places each node in its loop.
#include "backends/cpu/kernel_library.h"

#include <cstring>
#include <mutex>
#include <optional>
#include <thread>
#include <unordered_map>

#include <llvm/Analysis/CGSCCPassManager.h>
#include <llvm/Analysis/LoopAnalysisManager.h>
#include <llvm/ExecutionEngine/Orc/LLJIT.h>
#include <llvm/IR/LegacyPassManager.h>
#include <llvm/IR/Verifier.h>
#include <llvm/MC/TargetRegistry.h>
#include <llvm/Passes/PassBuilder.h>
#include <llvm/Support/SmallVectorMemoryBuffer.h>
#include <llvm/Support/TargetSelect.h>
#include <llvm/Target/TargetMachine.h>
#include <llvm/Transforms/Scalar/EarlyCSE.h>
#include <llvm/Transforms/Scalar/LICM.h>
#include <llvm/Transforms/Scalar/SimplifyCFG.h>
#include <llvm/Transforms/Utils/Mem2Reg.h>

#include "backends/codegen/contraction_tile.h"
#include "backends/codegen/flatten_axis.h"
#include "backends/codegen/kernel_emitter.h"
#include "backends/codegen/program_analysis.h"
#include "backends/codegen/runtime_functions.h"

namespace tessera::cpu {

namespace {

struct Pending {
  LoopProgram program;
  std::string owner;
  std::string symbol;
  codegen::ProgramAnalysis analysis;
  codegen::KernelNest nest;
  std::optional<codegen::TileShape> tile;  // instead of a program
};

std::unexpected<Diagnostic> llvmFailure(llvm::Error error) {
  return fail("code generation: " + llvm::toString(std::move(error)));
}

llvm::orc::JITTargetMachineBuilder hostTarget() {
  static std::once_flag once;
  std::call_once(once, [] {
    llvm::InitializeNativeTarget();
    llvm::InitializeNativeTargetAsmPrinter();
  });
  auto host = llvm::orc::JITTargetMachineBuilder::detectHost();
  if (!host) {
    llvm::consumeError(host.takeError());
    return llvm::orc::JITTargetMachineBuilder(llvm::Triple("x86_64-unknown-linux-gnu"));
  }
  host->setCodeGenOptLevel(llvm::CodeGenOptLevel::Less);
  host->setRelocationModel(llvm::Reloc::PIC_);
  return *host;
}

codegen::Target vectorTarget(llvm::orc::JITTargetMachineBuilder& host) {
  std::string features = host.getFeatures().getString();
  auto has = [&](const char* feature) { return features.find(feature) != std::string::npos; };
  codegen::Target target{16, has("+fma")};
  if (has("+avx2")) target.vectorBytes = 32;
  if (has("+avx512bw") && has("+avx512vl") && has("+avx512dq")) target.vectorBytes = 64;
  return target;
}

void optimize(llvm::Module& module, llvm::TargetMachine& machine) {
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
  llvm::FunctionPassManager passes;
  passes.addPass(llvm::PromotePass());
  passes.addPass(llvm::EarlyCSEPass());
  passes.addPass(llvm::createFunctionToLoopPassAdaptor(llvm::LICMPass(llvm::LICMOptions()), true));
  passes.addPass(llvm::SimplifyCFGPass());
  for (llvm::Function& function : module)
    if (!function.isDeclaration()) passes.run(function, functions);
}

Result<std::unique_ptr<llvm::MemoryBuffer>> compileBatch(std::span<Pending*> batch, llvm::TargetMachine& machine) {
  llvm::LLVMContext context;
  llvm::Module module("tessera", context);
  module.setDataLayout(machine.createDataLayout());
  module.setTargetTriple(machine.getTargetTriple().str());
  for (Pending* kernel : batch) {
    if (kernel->tile) {
      codegen::emitTile(module, kernel->symbol, *kernel->tile);
      continue;
    }
    Status emitted = codegen::emitKernel(module, kernel->symbol, kernel->program, kernel->analysis, kernel->nest);
    if (!emitted) {
      Diagnostic d = std::move(emitted).error();
      d.message = kernel->owner + ": " + d.message;
      d.instructionName = kernel->owner;
      return fail(std::move(d));
    }
  }
  std::string problem;
  llvm::raw_string_ostream stream(problem);
  if (llvm::verifyModule(module, &stream)) return fail("code generation: " + stream.str());
  optimize(module, machine);
  llvm::SmallVector<char, 0> object;
  llvm::raw_svector_ostream out(object);
  llvm::legacy::PassManager codegen;
  if (machine.addPassesToEmitFile(codegen, out, nullptr, llvm::CodeGenFileType::ObjectFile))
    return fail("code generation: this target writes no object code");
  codegen.run(module);
  return std::make_unique<llvm::SmallVectorMemoryBuffer>(std::move(object), "kernels", false);
}

}  // namespace

struct KernelLibrary::Impl {
  llvm::orc::JITTargetMachineBuilder host = hostTarget();
  codegen::Target target = vectorTarget(host);
  std::unique_ptr<llvm::orc::LLJIT> jit;
  std::vector<std::unique_ptr<Pending>> pending;
  std::unordered_multimap<size_t, size_t> byHash;
  std::vector<std::function<void()>> preparations;

  Status openJit();
  Status compileAll(int threads, const std::atomic<bool>* cancel);
};

KernelLibrary::KernelLibrary() : impl_(std::make_unique<Impl>()) {}
KernelLibrary::~KernelLibrary() = default;
size_t KernelLibrary::size() const { return impl_->pending.size(); }

Result<size_t> KernelLibrary::add(LoopProgram program, std::string owner) {
  program = codegen::flattenShortAxis(std::move(program), impl_->target.vectorBytes / 4);
  size_t hash = hashValue(program.body) ^ (program.stores.size() * 0x9e3779b97f4a7c15ULL);
  auto [first, last] = impl_->byHash.equal_range(hash);
  for (auto at = first; at != last; ++at)
    if (impl_->pending[at->second]->program == program) return at->second;
  auto pending = std::make_unique<Pending>();
  TESSERA_ASSIGN_OR_RETURN(pending->analysis, codegen::ProgramAnalysis::of(program));
  pending->nest = codegen::KernelNest::of(program, pending->analysis, impl_->target);
  pending->program = std::move(program);
  pending->owner = std::move(owner);
  pending->symbol = "kernel" + std::to_string(impl_->pending.size());
  impl_->byHash.emplace(hash, impl_->pending.size());
  impl_->pending.push_back(std::move(pending));
  return impl_->pending.size() - 1;
}

size_t KernelLibrary::addTile(const codegen::TileShape& tile) {
  for (size_t i = 0; i < impl_->pending.size(); ++i)
    if (impl_->pending[i]->tile == tile) return i;
  auto pending = std::make_unique<Pending>();
  pending->tile = tile;
  pending->symbol = "tile" + std::to_string(impl_->pending.size());
  impl_->pending.push_back(std::move(pending));
  return impl_->pending.size() - 1;
}

void KernelLibrary::prepare(std::function<void()> work) { impl_->preparations.push_back(std::move(work)); }

const codegen::Target& KernelLibrary::target() const { return impl_->target; }

Status KernelLibrary::Impl::openJit() {
  auto made = llvm::orc::LLJITBuilder().setJITTargetMachineBuilder(host).create();
  if (!made) return llvmFailure(made.takeError());
  jit = std::move(*made);
  llvm::orc::SymbolMap symbols;
  for (auto [name, address] : codegen::runtimeFunctions())
    symbols[jit->mangleAndIntern(llvm::StringRef(name.data(), name.size()))] = {
        llvm::orc::ExecutorAddr::fromPtr(address), llvm::JITSymbolFlags::Exported | llvm::JITSymbolFlags::Callable};
  auto addC = [&](const char* name, void* address) {
    symbols[jit->mangleAndIntern(name)] = {llvm::orc::ExecutorAddr::fromPtr(address), llvm::JITSymbolFlags::Exported};
  };
  addC("memcpy", reinterpret_cast<void*>(&std::memcpy));
  addC("memset", reinterpret_cast<void*>(&std::memset));
  if (auto error = jit->getMainJITDylib().define(llvm::orc::absoluteSymbols(std::move(symbols)))) return llvmFailure(std::move(error));
  return {};
}

Status KernelLibrary::Impl::compileAll(int threads, const std::atomic<bool>* cancel) {
  constexpr size_t kBatch = 6;
  size_t batches = (pending.size() + kBatch - 1) / kBatch;
  std::atomic<size_t> next{0}, nextPreparation{0};
  std::mutex mutex;
  std::optional<Diagnostic> failure;
  auto work = [&] {
    for (size_t i; (i = nextPreparation.fetch_add(1)) < preparations.size();) preparations[i]();
    auto machine = llvm::orc::JITTargetMachineBuilder(host).createTargetMachine();
    if (!machine) return llvm::consumeError(machine.takeError());
    for (size_t i; (i = next.fetch_add(1)) < batches;) {
      std::vector<Pending*> batch;
      for (size_t k = i * kBatch; k < std::min(pending.size(), (i + 1) * kBatch); ++k) batch.push_back(pending[k].get());
      bool stop = cancel && cancel->load();
      auto object = stop ? Result<std::unique_ptr<llvm::MemoryBuffer>>(nullptr) : compileBatch(batch, **machine);
      std::lock_guard lock(mutex);
      if (failure || stop) return;
      if (!object) failure = std::move(object).error();
      else if (auto error = jit->addObjectFile(std::move(*object))) failure = llvmFailure(std::move(error)).error();
    }
  };
  {
    std::vector<std::jthread> helpers;
    for (int t = 1; t < threads && static_cast<size_t>(t) < batches + preparations.size(); ++t) helpers.emplace_back(work);
    work();
  }
  if (failure) return fail(std::move(*failure));
  if (cancel && cancel->load()) return fail(Diagnostic{.fault = Fault::Runtime, .message = "cancelled"});
  return {};
}

Status KernelLibrary::compile(int threads, const std::atomic<bool>* cancel) {
  kernels_.resize(impl_->pending.size());
  if (kernels_.empty() && impl_->preparations.empty()) return {};
  if (!kernels_.empty()) TESSERA_TRY(impl_->openJit());
  TESSERA_TRY(impl_->compileAll(threads, cancel));
  for (size_t i = 0; i < kernels_.size(); ++i) {
    const Pending& pending = *impl_->pending[i];
    auto symbol = impl_->jit->lookup(pending.symbol);
    if (!symbol) return llvmFailure(symbol.takeError());
    kernels_[i] = {symbol->toPtr<CompiledKernel::Function>(), pending.nest.parallelCount, pending.nest.costPerItem};
  }
  return {};
}

}  // namespace tessera::cpu
