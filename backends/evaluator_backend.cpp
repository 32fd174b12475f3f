// The reference evaluator behind the Backend interface. compile() only looks for instructions that cannot be
// evaluated, so that the answer comes before the run; run() walks the module and, when asked, times each instruction.
#include "backends/evaluator_backend.h"

#include <algorithm>
#include <unordered_map>

#include "core/base/sorting.h"
#include "core/custom_calls/custom_calls.h"
#include "core/evaluate/evaluate.h"
#include "core/ops/inference/mixed_precision.h"
#include "core/ops/op.h"
#include "core/passes/partition/partition.h"

namespace tessera {
namespace {

// Gathers the evaluator's observations into steps, sources and a timeline of the profile.
class ProfileRecorder {
 public:
  ProfileRecorder(const Module& module, Profile& profile) : module_(module), profile_(profile), base_(profile.totalNs) {
    for (size_t i = 0; i < profile.steps.size(); ++i) {
      stepOf_[profile.steps[i].instruction] = i;
      before_.push_back(profile.steps[i].totalNs);
    }
  }

  void record(const EvaluatedStep& step) {
    size_t index = stepIndex(step.instruction);
    StepProfile& entry = profile_.steps[index];
    entry.minNs = entry.count == 0 ? step.exclusiveNs : std::min(entry.minNs, step.exclusiveNs);
    entry.totalNs += step.exclusiveNs;
    ++entry.count;
    if (profile_.timeline.size() < kMaxEvents)
      profile_.timeline.push_back({0, static_cast<int32_t>(index), base_ + step.beginNs, base_ + step.endNs});
  }

  void finish(int64_t totalNs) {
    profile_.module = module_.name;
    profile_.totalNs += totalNs;
    profile_.runNs.push_back(totalNs);
    addRunToSteps();
    ++profile_.runs;
    profile_.sources.clear();
    profile_.shares.clear();
    for (const StepProfile& step : profile_.steps) {
      const auto timeNs = static_cast<double>(step.totalNs);
      profile_.shares.push_back({static_cast<int32_t>(profile_.shares.size()), step.instruction, timeNs, 0, 0});
      profile_.sources.push_back({step.instruction, timeNs, 0, 0, true});
    }
    sortBy(profile_.sources, &SourceProfile::instruction);
  }

 private:
  void addRunToSteps() {
    before_.resize(profile_.steps.size());
    for (size_t i = 0; i < profile_.steps.size(); ++i) {
      StepProfile& step = profile_.steps[i];
      step.runNs.resize(static_cast<size_t>(profile_.runs));
      step.runNs.push_back(step.totalNs - before_[i]);
    }
  }

  static constexpr size_t kMaxEvents = 1u << 20;

  size_t stepIndex(InstructionId id) {
    auto [it, isNew] = stepOf_.try_emplace(id, profile_.steps.size());
    if (isNew) {
      const Instruction& instruction = module_.at(id);
      profile_.steps.push_back({id, std::string(instruction.name), std::string(instruction.opcodeName()), 0, 0, 0});
    }
    return it->second;
  }

  const Module& module_;
  Profile& profile_;
  int64_t base_;
  std::vector<int64_t> before_;  // times of the steps in earlier runs
  std::unordered_map<InstructionId, size_t> stepOf_;
};

class EvaluatorExecutable final : public Executable {
 public:
  explicit EvaluatorExecutable(Module module) : module_(std::move(module)) {}

  Status runInto(std::span<const Literal> arguments, std::vector<Literal>& outputs, const RunOptions& options,
                 Profile* profile) override {
    EvaluateOptions evaluation;
    evaluation.cancel = options.cancel;
    evaluation.communicator = options.communicator;
    evaluation.states = &states_;
    std::optional<ProfileRecorder> recorder;
    if (profile) {
      recorder.emplace(module_, *profile);
      evaluation.observe = [&](const EvaluatedStep& step) { recorder->record(step); };
    }
    EvaluateStatistics statistics;
    auto result = evaluateModule(module_, arguments, evaluation, &statistics);
    peakBytes_ = std::max(peakBytes_, statistics.peakBytes);
    if (recorder) recorder->finish(statistics.totalNs);
    TESSERA_ASSIGN_OR_RETURN(outputs, std::move(result));
    return {};
  }
  const Module& optimized() const override { return module_; }
  int64_t peakBytes() const override { return peakBytes_; }

 private:
  Module module_;
  InstructionStates states_;
  int64_t peakBytes_ = 0;
};

class EvaluatorBackend final : public Backend {
 public:
  std::string_view name() const override { return "evaluator"; }

  Result<std::unique_ptr<Executable>> compile(const Module& source, const CompileOptions& options) override {
    TESSERA_ASSIGN_OR_RETURN(const Module module, partitionedAsSaid(source));
    if (options.progress) options.progress("check", 0);
    TESSERA_TRY(canEvaluate(module));
    TESSERA_TRY(checkTargets(module, options.customCalls));
    Module normalized = module;
    TESSERA_TRY(normalizePrecision(normalized));
    if (options.progress) options.progress("check", 1);
    return std::make_unique<EvaluatorExecutable>(std::move(normalized));
  }
};

}  // namespace

std::unique_ptr<Backend> makeEvaluatorBackend() { return std::make_unique<EvaluatorBackend>(); }

}  // namespace tessera
