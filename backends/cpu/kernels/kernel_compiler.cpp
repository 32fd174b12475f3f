// See kernel_compiler.h. The pass list is short on purpose: the emitter already places each node in its loop.
#include "backends/cpu/kernels/kernel_compiler.h"

#include <mutex>
#include <new>

#include <llvm/Analysis/CGSCCPassManager.h>
#include <llvm/Analysis/LoopAnalysisManager.h>
#include <llvm/BinaryFormat/Dwarf.h>
#include <llvm/IR/DIBuilder.h>
#include <llvm/IR/LegacyPassManager.h>
#include <llvm/IR/Verifier.h>
#include <llvm/MC/TargetRegistry.h>
#include <llvm/Passes/PassBuilder.h>
#include <llvm/Support/TargetSelect.h>
#include <llvm/Target/TargetMachine.h>
#include <llvm/TargetParser/Host.h>
#include <llvm/Transforms/Scalar/EarlyCSE.h>
#include <llvm/Transforms/Scalar/LICM.h>
#include <llvm/Transforms/Scalar/SROA.h>
#include <llvm/Transforms/Scalar/SimplifyCFG.h>
#include <llvm/Transforms/Utils/Mem2Reg.h>

#include "backends/codegen/contraction_tile.h"
#include "backends/codegen/kernel_emitter.h"
#include "backends/codegen/kernel_function.h"
#include "backends/codegen/llvm_failures.h"
#include "backends/codegen/nest/program_analysis.h"
#include "backends/codegen/region_emitter.h"
#include "backends/cpu/kernels/marked_assembly.h"
#include "backends/cpu/kernels/object_split.h"

namespace tessera::cpu {

namespace {

std::unique_ptr<llvm::TargetMachine> makeMachine(const HostProcessor& host) {
  static std::once_flag once;
  std::call_once(once, [] {
    llvm::InitializeNativeTarget();
    llvm::InitializeNativeTargetAsmPrinter();
    codegen::throwLlvmFailures();
  });
  std::string problem, triple = llvm::sys::getProcessTriple();
  const llvm::Target* target = llvm::TargetRegistry::lookupTarget(triple, problem);
  if (!target) return nullptr;
  llvm::TargetOptions options;
  options.FunctionSections = true;  // so that each kernel can be taken out of its object
  return std::unique_ptr<llvm::TargetMachine>(target->createTargetMachine(triple, host.name, host.features, options,
                                                                          llvm::Reloc::PIC_, llvm::CodeModel::Small,
                                                                          llvm::CodeGenOptLevel::Less, true));
}

struct Analyses {
  explicit Analyses(llvm::TargetMachine& machine) {
    llvm::PassBuilder builder(&machine);
    builder.registerModuleAnalyses(modules);
    builder.registerCGSCCAnalyses(components);
    builder.registerFunctionAnalyses(functions);
    builder.registerLoopAnalyses(loops);
    builder.crossRegisterProxies(loops, functions, components, modules);
  }
  llvm::LoopAnalysisManager loops;
  llvm::FunctionAnalysisManager functions;
  llvm::CGSCCAnalysisManager components;
  llvm::ModuleAnalysisManager modules;
};

// The passes write into the stream, last when they are destroyed.
struct Generation {
  llvm::SmallVector<char, 0> out;
  llvm::raw_svector_ostream stream{out};
  llvm::legacy::PassManager passes;
};

// What LLVM works on for one compilation.
struct Job {
  llvm::LLVMContext context;
  llvm::Module module{"tessera", context};
  std::unique_ptr<Analyses> analyses;
  Generation generation;
};

void optimize(llvm::Module& module, llvm::FunctionAnalysisManager& functions) {
  llvm::FunctionPassManager slots, passes;
  slots.addPass(llvm::SROAPass(llvm::SROAOptions::ModifyCFG));
  passes.addPass(llvm::PromotePass());
  passes.addPass(llvm::EarlyCSEPass());
  passes.addPass(llvm::createFunctionToLoopPassAdaptor(llvm::LICMPass(llvm::LICMOptions()), true));
  passes.addPass(llvm::SimplifyCFGPass());
  for (llvm::Function& function : module) {
    if (function.isDeclaration()) continue;
    if (function.hasFnAttribute(codegen::kRegionAttribute)) slots.run(function, functions);
    passes.run(function, functions);
  }
}

// An error says whose kernel it is.
Status owned(Status emitted, const KernelSource& source) {
  if (emitted) return {};
  Diagnostic d = std::move(emitted).error();
  d.message = source.owner + ": " + d.message;
  d.instructionName = source.owner;
  return fail(std::move(d));
}

Status emit(llvm::Module& module, const std::string& symbol, const KernelSource& source, const codegen::Target& target,
            std::span<const codegen::SourceLines> lines = {}) {
  if (source.tile) {
    codegen::emitTile(module, symbol, *source.tile);
    return {};
  }
  if (source.region) return owned(codegen::emitRegion(module, symbol, *source.region, target, lines), source);
  TESSERA_ASSIGN_OR_RETURN(codegen::ProgramAnalysis analysis, codegen::ProgramAnalysis::of(source.program));
  codegen::KernelNest nest = codegen::KernelNest::of(source.program, analysis, target);
  nest.streams = source.streams;
  return owned(codegen::emitKernel(module, symbol, source.program, analysis, nest,
                                   lines.empty() ? codegen::SourceLines() : lines.front()),
               source);
}

std::string textOf(const llvm::Module& module) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  module.print(stream, nullptr);
  return stream.str();
}

Result<llvm::StringRef> generate(llvm::Module& module, llvm::TargetMachine& machine, llvm::CodeGenFileType type,
                                 Generation& generation) {
  if (machine.addPassesToEmitFile(generation.passes, generation.stream, nullptr, type))
    return fail("code generation: this target writes no object code");
  generation.passes.run(module);
  return llvm::StringRef(generation.out.data(), generation.out.size());
}

// What line numbers belong to: no information for debuggers but the lines themselves.
llvm::DISubprogram* describeFunction(llvm::Module& module, const char* symbol) {
  module.addModuleFlag(llvm::Module::Warning, "Debug Info Version", llvm::DEBUG_METADATA_VERSION);
  llvm::DIBuilder builder(module);
  llvm::DIFile* file = builder.createFile("kernel", ".");
  builder.createCompileUnit(llvm::dwarf::DW_LANG_C, file, "tessera", true, "", 0, "",
                            llvm::DICompileUnit::DebugDirectivesOnly);
  llvm::DISubprogram* out = builder.createFunction(file, symbol, symbol, file, 1,
                                                   builder.createSubroutineType(builder.getOrCreateTypeArray({})), 1,
                                                   llvm::DINode::FlagZero, llvm::DISubprogram::SPFlagDefinition);
  builder.finalize();
  return out;
}

Status verify(const llvm::Module& module) {
  std::string problem;
  llvm::raw_string_ostream stream(problem);
  if (llvm::verifyModule(module, &stream)) return fail("code generation: " + stream.str());
  return {};
}

}  // namespace

struct KernelCompiler::Impl {
  HostProcessor host;
  std::unique_ptr<llvm::TargetMachine> machine;

  Result<std::vector<KernelCode>> compile(Job& job, std::span<const KernelSource* const> sources) const;
  Status prepare(llvm::Module& module) const {
    if (!machine) return fail("code generation: LLVM does not know this processor");
    module.setDataLayout(machine->createDataLayout());
    module.setTargetTriple(machine->getTargetTriple().str());
    return {};
  }
  Result<std::string> assembly(llvm::LLVMContext& context, const char* symbol, const KernelSource& source,
                               const KernelMarks& marks) const;
};

// Once more in a module with line numbers, which the IR's readers are spared.
Result<std::string> KernelCompiler::Impl::assembly(llvm::LLVMContext& context, const char* symbol,
                                                   const KernelSource& source, const KernelMarks& marks) const {
  llvm::Module module("tessera", context);
  TESSERA_TRY(prepare(module));
  std::vector<codegen::SourceLines> lines;
  llvm::DISubprogram* function = marks.ofNodes.empty() ? nullptr : describeFunction(module, symbol);
  for (const std::vector<uint32_t>& ofNode : marks.ofNodes) lines.push_back({function, ofNode});
  TESSERA_TRY(emit(module, symbol, source, host.target, lines));
  if (function) module.getFunction(symbol)->setSubprogram(function);
  TESSERA_TRY(verify(module));
  Analyses analyses(*machine);
  optimize(module, analyses.functions);
  Generation generation;
  TESSERA_ASSIGN_OR_RETURN(const llvm::StringRef text,
                           generate(module, *machine, llvm::CodeGenFileType::AssemblyFile, generation));
  return function ? withMarks(text, marks.texts) : text.str();
}

Result<codegen::KernelNest> nestOf(const LoopProgram& program, const codegen::Target& target) {
  TESSERA_ASSIGN_OR_RETURN(codegen::ProgramAnalysis analysis, codegen::ProgramAnalysis::of(program));
  return codegen::KernelNest::of(program, analysis, target);
}

KernelCompiler::KernelCompiler(const HostProcessor& host)
    : impl_(std::make_unique<Impl>(Impl{host, makeMachine(host)})) {}
KernelCompiler::~KernelCompiler() = default;

Result<std::vector<KernelCode>> KernelCompiler::Impl::compile(Job& job,
                                                              std::span<const KernelSource* const> sources) const {
  TESSERA_TRY(prepare(job.module));
  std::vector<std::string> symbols;
  for (const KernelSource* source : sources) {
    symbols.push_back("kernel" + std::to_string(symbols.size()));
    TESSERA_TRY(emit(job.module, symbols.back(), *source, host.target));
  }
  TESSERA_TRY(verify(job.module));
  job.analyses = std::make_unique<Analyses>(*machine);
  optimize(job.module, job.analyses->functions);
  TESSERA_ASSIGN_OR_RETURN(const llvm::StringRef object,
                           generate(job.module, *machine, llvm::CodeGenFileType::ObjectFile, job.generation));
  return splitObject(object, symbols);
}

// LLVM, built without exceptions, cannot end well what memory ended: all that it was at is left as it lies, for good.
Result<std::vector<KernelCode>> KernelCompiler::compile(std::span<const KernelSource* const> sources) {
  auto job = std::make_unique<Job>();
  try {
    return impl_->compile(*job, sources);
  } catch (const std::bad_alloc&) {
    (void)job.release();
    (void)impl_->machine.release();
    throw;
  } catch (const std::exception& refusal) {
    (void)job.release();
    (void)impl_->machine.release();
    return fail("code generation: " + std::string(refusal.what()));
  }
}

Result<KernelListing> KernelCompiler::list(const KernelSource& source, const KernelMarks& marks) {
  llvm::LLVMContext context;
  llvm::Module module("tessera", context);
  const char* symbol = source.tile ? "tile" : "kernel";
  TESSERA_TRY(impl_->prepare(module));
  TESSERA_TRY(emit(module, symbol, source, impl_->host.target));
  KernelListing listing;
  listing.before = textOf(module);
  TESSERA_TRY(verify(module));
  Analyses analyses(*impl_->machine);
  optimize(module, analyses.functions);
  listing.after = textOf(module);
  impl_->machine->Options.MCOptions.AsmVerbose = true;
  TESSERA_ASSIGN_OR_RETURN(listing.assembly, impl_->assembly(context, symbol, source, marks));
  return listing;
}

}  // namespace tessera::cpu
