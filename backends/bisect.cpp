// Candidates come from core/tools/reduce: cuts of the module whose parameters keep the names of the values that they
// stand for. A recorder has those values of the whole module, by name.
#include "backends/bisect.h"

#include <algorithm>
#include <map>

#include <fmt/format.h>

#include "backends/run_request.h"
#include "core/evaluate/evaluate.h"
#include "core/tools/cut_out.h"
#include "core/tools/reduce.h"

namespace tessera {
namespace {

constexpr int kTimedRuns = 5;

void appendLeaves(const Literal& literal, std::vector<Literal>& out) {
  for (const Literal& element : literal.elements()) appendLeaves(element, out);
  if (literal.shape().isArray()) out.push_back(literal);
}

// The values of a module's entry, computed when a cut first asks for them; what stands elsewhere follows the fill rule.
class Recorder {
 public:
  Recorder(const Module& module, std::span<const Literal> arguments, std::string backend)
      : side_{&module, std::move(backend), {arguments.begin(), arguments.end()}} {
    size_t leaf = 0;
    for (InstructionId id : module.entryComputation().parameters) {
      for (const ShapeLeaf& one : leavesOf(module.shapeOf(id)))
        if (!one.shape->isToken()) known_[std::string(module.at(id).name)].push_back(side_.arguments[leaf++]);
    }
    for (InstructionId id : module.entryComputation().instructions) byName_.emplace(module.at(id).name, id);
  }

  Result<std::vector<Literal>> argumentsOf(const Module& cut) {
    TESSERA_TRY(record(cut));
    std::vector<Literal> out;
    for (InstructionId id : cut.entryComputation().parameters) {
      const auto found = known_.find(std::string(cut.at(id).name));
      size_t leaf = 0;
      for (const ShapeLeaf& one : leavesOf(cut.shapeOf(id))) {
        if (one.shape->isToken()) continue;
        const bool fits =
            found != known_.end() && leaf < found->second.size() && compatible(found->second[leaf].shape(), *one.shape);
        if (fits) {
          out.push_back(found->second[leaf++]);
          continue;
        }
        TESSERA_ASSIGN_OR_RETURN(Literal filled, fillParameter(*one.shape, out.size(), FillRule()));
        out.push_back(std::move(filled));
      }
    }
    return out;
  }

 private:
  // All that the cut asks for and is not known, in one run.
  Status record(const Module& cut) {
    std::vector<InstructionId> wanted;
    for (InstructionId id : cut.entryComputation().parameters) {
      const auto found = byName_.find(cut.at(id).name);
      if (found == byName_.end() || known_.contains(std::string(cut.at(id).name))) continue;
      if (side_.module->shapeOf(found->second).isToken()) continue;
      wanted.push_back(found->second);
    }
    if (wanted.empty()) return {};
    TESSERA_ASSIGN_OR_RETURN(const std::vector<Literal> values, valuesOf(side_, wanted));
    size_t leaf = 0;
    for (InstructionId id : wanted)
      for (const ShapeLeaf& one : leavesOf(side_.module->shapeOf(id)))
        if (!one.shape->isToken() && leaf < values.size())
          known_[std::string(side_.module->at(id).name)].push_back(values[leaf++]);
    return {};
  }

  ComparedSide side_;
  std::map<std::string, std::vector<Literal>> known_;
  std::map<std::string_view, InstructionId> byName_;
};

Result<std::vector<Literal>> outputsOn(const Module& module, const std::string& name,
                                       std::span<const Literal> arguments) {
  TESSERA_ASSIGN_OR_RETURN(const auto executable, compileOn(name, module));
  return executable->run(arguments);
}

Tolerance toleranceOf(const ComparedTolerance& given, ElementType type) {
  const Tolerance usual = defaultTolerance(type);
  return {given.rtol.value_or(usual.rtol), given.atol.value_or(usual.atol), given.floor.value_or(usual.floor)};
}

bool differ(std::span<const Literal> expected, std::span<const Literal> found, const ComparedTolerance& tolerance) {
  for (size_t i = 0; i < std::min(expected.size(), found.size()); ++i)
    if (!compareLiterals(expected[i], found[i], toleranceOf(tolerance, expected[i].shape().type), "out").equal)
      return true;
  return expected.size() != found.size();
}

// The quickest of a few runs: others wait for other processes.
Result<double> milliseconds(const Module& module, const std::string& backend, std::span<const Literal> arguments) {
  RunRequest request;
  const BackendChoice choice = backendChoice(backend);
  request.backend = choice.backend;
  request.compile.device = choice.device;
  request.warmUps = 1;
  request.runs = kTimedRuns;
  for (size_t i = 0; i < arguments.size(); ++i) request.arguments.given["arg" + std::to_string(i)] = arguments[i];
  TESSERA_ASSIGN_OR_RETURN(const RunReport ran, runModule(module, request));
  return ran.quickestMs();
}

Result<Reproducer> reproduced(const Module& module, Recorder& recorder, const BisectOptions& options,
                              const std::function<Result<bool>(const Module&, std::span<const Literal>)>& shows) {
  ReduceOptions how;
  how.mostRuns = options.mostRuns;
  how.observe = options.observe;
  // A cut that cannot run alone shows nothing.
  how.fails = [&](const Module& candidate) -> Result<bool> {
    const auto arguments = recorder.argumentsOf(candidate);
    if (!arguments) return false;
    const auto found = shows(candidate, *arguments);
    return found && *found;
  };
  TESSERA_ASSIGN_OR_RETURN(Reduction reduced, reduceModule(module, how));
  TESSERA_ASSIGN_OR_RETURN(std::vector<Literal> arguments, recorder.argumentsOf(reduced.module));
  return Reproducer{std::move(reduced.module), std::move(arguments), reduced.runs};
}

}  // namespace

Result<Reproducer> bisectBackends(const Module& module, std::span<const Literal> arguments,
                                  const std::string& reference, const std::string& suspect,
                                  const BisectOptions& options) {
  const auto shows = [&](const Module& candidate, std::span<const Literal> given) -> Result<bool> {
    TESSERA_ASSIGN_OR_RETURN(const std::vector<Literal> expected, outputsOn(candidate, reference, given));
    TESSERA_ASSIGN_OR_RETURN(const std::vector<Literal> found, outputsOn(candidate, suspect, given));
    return differ(expected, found, options.tolerance);
  };
  TESSERA_ASSIGN_OR_RETURN(const bool whole, shows(module, arguments));
  if (!whole)
    return fail(ErrorKind::Usage,
                fmt::format("nothing to bisect: {} and {} give the same results", reference, suspect));
  Recorder recorder(module, arguments, reference);
  return reproduced(module, recorder, options, shows);
}

Result<Reproducer> bisectTime(const Module& module, std::span<const Literal> arguments, const std::string& backend,
                              double share, const BisectOptions& options) {
  TESSERA_ASSIGN_OR_RETURN(const double whole, milliseconds(module, backend, arguments));
  Recorder recorder(module, arguments, backend);
  const auto shows = [&](const Module& candidate, std::span<const Literal> given) -> Result<bool> {
    TESSERA_ASSIGN_OR_RETURN(const double taken, milliseconds(candidate, backend, given));
    return taken >= share * whole;
  };
  return reproduced(module, recorder, options, shows);
}

namespace {

// Cuts of two versions below the first instruction that differs, at equal heights.
class VersionCuts {
 public:
  VersionCuts(const ComparedSide& left, const ComparedSide& right, const ComparedValue& first,
              const BisectOptions& options)
      : left_(left),
        right_(right),
        first_(first),
        options_(options),
        recorder_(*left.module, left.arguments, left.backend) {}

  Result<ReproducerPair> cut(int64_t height) {
    const auto one = [&](const Module& module, InstructionId id) {
      return height == 0 ? isolate(module, id) : extract(module, id, height);
    };
    TESSERA_ASSIGN_OR_RETURN(Module left, one(*left_.module, first_.left));
    TESSERA_ASSIGN_OR_RETURN(Module right, one(*right_.module, first_.right));
    TESSERA_ASSIGN_OR_RETURN(std::vector<Literal> arguments, recorder_.argumentsOf(left));
    return ReproducerPair{std::move(left), std::move(right), std::move(arguments)};
  }

  // As whoever compares the two files sees it.
  bool differs(const ReproducerPair& cut) const {
    const auto pair = comparedPair(cut.left, cut.right, std::nullopt, {left_.backend, right_.backend}, cut.arguments);
    if (!pair) return false;
    const auto found = compareValues((*pair)->left, (*pair)->right, (*pair)->pairs, options_.tolerance);
    return found && !found->resultsEqual;
  }

 private:
  const ComparedSide &left_, &right_;
  const ComparedValue& first_;
  const BisectOptions& options_;
  Recorder recorder_;
};

}  // namespace

// Both cuts get the left module's values. What differs only because small errors of its operands grow needs some of
// what made them, too.
Result<ReproducerPair> bisectVersions(const ComparedSide& left, const ComparedSide& right, const DiffResult& pairs,
                                      const BisectOptions& options) {
  TESSERA_ASSIGN_OR_RETURN(const ValueComparison found, compareValues(left, right, pairs, options.tolerance));
  if (!found.first) return fail(ErrorKind::Usage, "nothing to bisect: no value of the two differs");
  VersionCuts cuts(left, right, found.values[*found.first], options);
  TESSERA_ASSIGN_OR_RETURN(ReproducerPair best, cuts.cut(0));
  if (cuts.differs(best)) return best;
  const auto highest = static_cast<int64_t>(left.module->entryComputation().instructions.size());
  int64_t equal = 0, height = 1;
  const auto shows = [&](int64_t at) {
    auto made = cuts.cut(at);
    if (!made || !cuts.differs(*made)) return false;
    best = *std::move(made);
    return true;
  };
  while (!shows(height)) {
    if (height >= highest) return fail(ErrorKind::Usage, "the difference is not there in any part of the two alone");
    equal = height;
    height = std::min(2 * height, highest);
  }
  while (height - equal > 1) {
    const int64_t middle = equal + (height - equal) / 2;
    (shows(middle) ? height : equal) = middle;
  }
  return best;
}

}  // namespace tessera
