// See cuda_executable.h. What readers see of it is in cuda_listing.cpp.
#include "backends/cuda/run/cuda_executable.h"

#include <algorithm>
#include <chrono>
#include <new>

#include <fmt/format.h>

#include "core/ops/op.h"

namespace tessera::cuda {

namespace {

int64_t nowNs() {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

}  // namespace

CudaExecutable::CudaExecutable(std::unique_ptr<CudaProgram> program, CudaTarget target)
    : program_(std::move(program)),
      target_(std::move(target)),
      host_(std::make_unique<HostEvaluation>(program_->optimized)),
      arrays_(program_->optimized) {}

Result<std::unique_ptr<CudaExecutable>> CudaExecutable::make(std::unique_ptr<CudaProgram> program,
                                                             std::unique_ptr<Device> device, CudaTarget target) {
  std::unique_ptr<CudaExecutable> out(new CudaExecutable(std::move(program), std::move(target)));
  if (device) TESSERA_TRY(out->open(std::move(device)));
  return out;
}

Status CudaExecutable::load(PlanRunner& runner, bool isFresh) {
  std::vector<std::string> code;
  for (const std::string& ptx : program_->program.ptx) {
    TESSERA_ASSIGN_OR_RETURN(std::string each, target_.assemble(runner.device(), ptx, isFresh));
    code.push_back(std::move(each));
  }
  return runner.load(code);
}

// Code that an earlier process has left and that this driver refuses is made anew.
Status CudaExecutable::open(std::unique_ptr<Device> device) {
  auto runner = std::make_unique<PlanRunner>(std::move(device), program_->program);
  if (!load(*runner, false)) TESSERA_TRY(load(*runner, true));
  runner_ = std::move(runner);
  return {};
}

KernelCounts CudaExecutable::kernelCounts() const {
  const auto kernels = static_cast<int64_t>(program_->program.launches.size());
  KernelCounts out{kernels, program_->program.isFromCache ? kernels : 0, 0};
  for (const std::string& ptx : program_->program.ptx) out.codeBytes += static_cast<int64_t>(ptx.size());
  return out;
}

// --- runs

// A device that an error has spoilt is opened again by the next run.
Status CudaExecutable::runInto(std::span<const Literal> arguments, std::vector<Literal>& outputs,
                               const RunOptions& options, Profile* profile) {
  std::lock_guard lock(mutex_);
  if (!target_.open) return failUnsupported("the program was compiled for another machine's device");
  try {
    if (!runner_) {
      TESSERA_ASSIGN_OR_RETURN(auto device, target_.open());
      TESSERA_TRY(open(std::move(device)));
    }
    const Status status = runLocked(arguments, outputs, options, profile);
    if (!status) collectives_.forget();
    if (!status && runner_->device().isLost()) {
      earlierReports_ = deviceReports();
      runner_.reset();
    }
    return status;
  } catch (const std::bad_alloc&) {
    return fail(ErrorKind::Runtime, "not enough memory in the middle of the run");
  }
}

Status CudaExecutable::runLocked(std::span<const Literal> arguments, std::vector<Literal>& outputs,
                                 const RunOptions& options, Profile* profile) {
  TESSERA_TRY(arrays_.check(arguments));
  TESSERA_TRY(arrays_.allocate(arguments, outputs));
  host_->beginRun();
  collectives_.beginRun(options.communicator);
  RunCall call;
  for (const Literal& argument : arguments) call.arguments.push_back(argument.bytes());
  for (Literal& output : outputs) call.results.push_back(output.mutableBytes());
  call.cancel = options.cancel;
  call.argumentsStay = options.argumentsStay;
  call.resultsStay = options.resultsStay;
  call.host = [&](const DeviceStep& step) { return runHost(step, options); };
  std::vector<MeasuredStep> measured;
  if (profile) call.measured = &measured;
  const int64_t begin = nowNs();
  TESSERA_TRY(runner_->run(call));
  if (!profile) return {};
  openProfile(*profile);
  addMeasured(measured, nowNs() - begin, *profile);
  shareOut(*profile);
  return {};
}

// A collective that NCCL has; the arrays stay on the card. False: the host does it.
Result<bool> CudaExecutable::runBetweenCards(const DeviceStep& step, const RunOptions& options) {
  if (!options.communicator || runner_->device().info().ordinal < 0) return false;
  std::vector<DeviceAddress> operands, results;
  for (const int slot : step.operands) operands.push_back(slot < 0 ? 0 : runner_->addressOf(slot));
  for (const int slot : step.results) results.push_back(slot < 0 ? 0 : runner_->addressOf(slot));
  return host_->withContext(step.instruction, options, [&](const EvaluateContext& context) {
    return collectives_.run(context, runner_->device(), operands, results, runner_->mainStream(), options.cancel);
  });
}

// An instruction by the evaluator: its operands come from the device, its results go there.
Status CudaExecutable::runHost(const DeviceStep& step, const RunOptions& options) {
  TESSERA_ASSIGN_OR_RETURN(const bool isDone, runBetweenCards(step, options));
  if (isDone) return {};
  const Instruction& instruction = optimized().at(step.instruction);
  std::vector<Literal> operands;
  for (InstructionId operand : instruction.operands)
    for (const ShapeLeaf& leaf : leavesOf(optimized().shapeOf(operand))) {
      const int slot = step.operands[operands.size()];
      if (!leaf.shape->isArray() || slot < 0) {
        operands.push_back(Literal::token());
        continue;
      }
      TESSERA_ASSIGN_OR_RETURN(Literal literal, Literal::allocate(*leaf.shape));
      TESSERA_TRY(runner_->read(slot, literal.mutableBytes()));
      operands.push_back(std::move(literal));
    }
  TESSERA_ASSIGN_OR_RETURN(const std::vector<Literal> results, host_->evaluate(step.instruction, operands, options));
  for (size_t k = 0; k < results.size() && k < step.results.size(); ++k)
    if (step.results[k] >= 0) TESSERA_TRY(runner_->write(step.results[k], results[k].bytes()));
  return {};
}

std::vector<DeviceReport> CudaExecutable::deviceReports() const {
  std::vector<DeviceReport> out = earlierReports_;
  if (!runner_) return out;
  for (const Report& report : runner_->device().reports())
    out.push_back({report.kind, report.kernel, report.place, report.text, report.isError, report.count});
  return out;
}

}  // namespace tessera::cuda
