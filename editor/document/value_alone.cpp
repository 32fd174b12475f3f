// See value_alone.h. Arguments are those of the parameters that stayed; those of a call are values alone, too.
#include "editor/document/value_alone.h"

#include <optional>
#include <utility>
#include <vector>

#include "backends/backend.h"
#include "core/devices/collectives.h"
#include "core/evaluate/trace.h"
#include "core/hlo/numbers.h"
#include "core/ops/inference/callee_index.h"
#include "core/ops/inference/infer.h"
#include "core/tools/cut_out.h"
#include "editor/document/node_values.h"

namespace tessera {
namespace {

// Leaves of a run in the order of the value's own.
Literal assembled(const Shape& shape, const std::vector<Literal>& leaves, size_t& next) {
  if (shape.isToken()) return Literal::token();
  if (!shape.isTuple()) return next < leaves.size() ? leaves[next++] : Literal();
  std::vector<Literal> elements;
  for (const Shape& element : shape.elements) elements.push_back(assembled(element, leaves, next));
  return Literal::tuple(std::move(elements));
}

void takeLeaves(const Literal& value, std::vector<Literal>& out) {
  for (const Literal& element : value.elements()) takeLeaves(element, out);
  if (value.shape().isArray()) out.push_back(value);
}

class ValueAlone {
 public:
  ValueAlone(const Module& module, const FileAccess& files, const RunSettings& settings,
             const std::atomic<bool>& cancel)
      : module_(module), files_(files), settings_(settings), cancel_(cancel) {}

  Result<Literal> value(InstructionId id) {
    TESSERA_ASSIGN_OR_RETURN(const Module alone, extract(module_, id));
    const Diagnostics found = verify(alone);  // what it needs may still be open
    for (const Diagnostic& d : found.items())
      if (d.severity == Severity::Error) return std::unexpected(d);
    std::optional<FeedArrays> feeds = feedsOf(alone, files_, settings_);
    if (feeds && module_.at(id).computation != module_.entry())
      return fail("what infeeds give inside a call is known while all values are live");
    const std::shared_ptr<const CustomCallLibrary> targets = targetsOf(alone, files_, settings_);
    std::vector<Literal> arguments;
    for (InstructionId parameter : alone.entryComputation().parameters) {
      const std::optional<InstructionId> same = parameterNamed(module_.at(id).computation, alone.at(parameter).name);
      if (!same) return fail(alone.at(parameter).reference() + " has no value");
      TESSERA_ASSIGN_OR_RETURN(const Literal whole, argument(*same));
      takeLeaves(whole, arguments);
    }
    TESSERA_ASSIGN_OR_RETURN(const std::vector<Literal> leaves, run(alone, arguments, feeds, targets.get()));
    size_t next = 0;
    return assembled(module_.shapeOf(id), leaves, next);
  }

 private:
  std::optional<InstructionId> parameterNamed(ComputationId computation, std::string_view name) const {
    for (InstructionId id : module_.at(computation).parameters)
      if (module_.contains(id) && module_.at(id).name == name) return id;
    return std::nullopt;
  }

  Result<std::vector<Literal>> run(const Module& alone, const std::vector<Literal>& arguments,
                                   std::optional<FeedArrays>& feeds, const CustomCallLibrary* targets) const {
    TESSERA_ASSIGN_OR_RETURN(auto backend, makeBackend(settings_.backend));
    CompileOptions options;
    options.cancel = &cancel_;
    options.device = settings_.device;
    options.customCalls = targets;
    TESSERA_ASSIGN_OR_RETURN(auto executable, backend->compile(alone, options));
    RunOptions run;
    run.cancel = &cancel_;
    HostFeeds host = feeds ? feeds->feeds() : HostFeeds();
    host.customCalls = targets;
    DeviceGroup group({}, std::move(host));
    ThreadCommunicator communicator(group, 0);
    if (feeds || targets) run.communicator = &communicator;
    return executable->run(arguments, run);
  }

  Result<Literal> argument(InstructionId parameter) {
    const Instruction& instruction = module_.at(parameter);
    return instruction.computation == module_.entry() ? argumentOfEntry(parameter) : argumentOfCall(instruction);
  }

  Result<Literal> argumentOfEntry(InstructionId parameter) {
    if (!possible_) {
      TESSERA_ASSIGN_OR_RETURN(possible_, possibleArgumentsOf(module_, files_, settings_, cancel_));
      TESSERA_ASSIGN_OR_RETURN(whole_, wholeArguments(module_, possible_->values));
    }
    if (const Diagnostic* wrong = possible_->wrongOf(module_, parameter)) return fail(*wrong);
    return whole_[static_cast<size_t>(module_.at(parameter).parameterNumber)];
  }

  // What its first caller gives it.
  Result<Literal> argumentOfCall(const Instruction& parameter) {
    const CallPath path = pathTo(module_, parameter.computation);
    if (path.empty()) return fail("nothing calls %" + std::string(module_.at(parameter.computation).name));
    const Instruction& caller = module_.at(path.back().caller);
    size_t operand = static_cast<size_t>(parameter.parameterNumber);
    if (caller.opcode == Opcode::Conditional) {
      TESSERA_ASSIGN_OR_RETURN(operand, operandOfBranch(caller, parameter.computation));
    } else if (caller.opcode == Opcode::While) {
      TESSERA_TRY(runsBody(caller, parameter.computation));
    } else if (caller.opcode != Opcode::Call && caller.opcode != Opcode::Fusion) {
      return fail("values inside " + caller.reference() + " are known while all values are live");
    }
    if (operand >= caller.operands.size() || !module_.contains(caller.operands[operand]))
      return fail(caller.reference() + " has an open input");
    return value(caller.operands[operand]);
  }

  // The condition itself always runs.
  Status runsBody(const Instruction& loop, ComputationId called) {
    const auto* condition = loop.attributes->get<ComputationId>(Attr::condition);
    if (!condition || *condition == called || !module_.contains(module_.at(*condition).root)) return {};
    TESSERA_ASSIGN_OR_RETURN(const Literal goesOn, value(module_.at(*condition).root));
    if (loadDouble(goesOn.shape().type, goesOn.bytes().data()) != 0) return {};
    return fail("the first call of " + loop.reference() + " has no iteration");
  }

  Result<size_t> operandOfBranch(const Instruction& conditional, ComputationId branch) {
    const std::vector<ComputationId> branches = branchesOf(*conditional.attributes);
    if (branches.empty() || conditional.operands.empty() || !module_.contains(conditional.operands[0]))
      return fail(conditional.reference() + " has an open input");
    TESSERA_ASSIGN_OR_RETURN(const Literal selector, value(conditional.operands[0]));
    const double chosen = loadDouble(selector.shape().type, selector.bytes().data());
    const bool isTruth = selector.shape().type == ElementType::Pred;
    const auto last = static_cast<double>(branches.size() - 1);
    const bool inside = chosen >= 0 && chosen <= last;
    const auto taken = static_cast<size_t>(isTruth ? (chosen != 0 ? 0 : 1) : inside ? chosen : last);
    if (taken >= branches.size() || branches[taken] != branch)
      return fail("the first call of " + conditional.reference() + " takes another branch");
    return taken + 1;
  }

  const Module& module_;
  const FileAccess& files_;
  const RunSettings& settings_;
  const std::atomic<bool>& cancel_;
  std::optional<PossibleArguments> possible_;
  std::vector<Literal> whole_;
};

}  // namespace

Result<Literal> valueAlone(const Module& module, InstructionId id, const FileAccess& files, const RunSettings& settings,
                           const std::atomic<bool>& cancel) {
  return ValueAlone(module, files, settings, cancel).value(id);
}

}  // namespace tessera
