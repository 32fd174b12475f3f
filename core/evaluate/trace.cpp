// A computation is traced by giving it another root: a tuple of all that is complete. A call's arguments are found by
// evaluating its caller alone, in a computation of its own, and watching what it calls.
#include "core/evaluate/trace.h"

#include <algorithm>

#include "core/devices/collectives.h"
#include "core/evaluate/applications.h"
#include "core/evaluate/feed_arrays.h"
#include "core/ops/inference/infer.h"
#include "core/ops/op.h"

namespace tessera {
namespace {

constexpr size_t kMaxCarried = 1000;

// Computations that can be run: all they hold is connected and infers, and none calls itself.
class Callees {
 public:
  explicit Callees(const Module& module) : module_(module), known_(module.computationSlots(), Unknown) {}

  bool complete(const Instruction& caller) {
    return std::ranges::all_of(module_.callees(caller), [&](ComputationId id) { return complete(id); });
  }

 private:
  enum State : uint8_t { Unknown, Complete, Not };
  bool complete(ComputationId id) {
    if (!module_.contains(id)) return false;
    if (known_[id.value] != Unknown) return known_[id.value] == Complete;
    known_[id.value] = Not;  // until it is known, so that one that calls itself is not
    const Computation& computation = module_.at(id);
    bool all = computation.root.valid();
    for (InstructionId each : computation.instructions) all = all && complete(each);
    known_[id.value] = all ? Complete : Not;
    return all;
  }
  bool complete(InstructionId id) {
    const Instruction& instruction = module_.at(id);
    const auto inferred = inferInstruction(module_, id);
    return inferred && compatible(*inferred, *instruction.shape) && complete(instruction);
  }

  const Module& module_;
  std::vector<State> known_;
};

// The computation without what is incomplete, its root a tuple of `shown`.
void showAll(Module& copy, ComputationId id, const std::vector<InstructionId>& shown) {
  std::vector<bool> kept(copy.instructionSlots(), false);
  for (InstructionId each : shown) kept[each.value] = true;
  std::vector<InstructionId> gone;
  for (InstructionId each : copy.at(id).instructions)
    if (!kept[each.value] && copy.at(each).opcode != Opcode::Parameter) gone.push_back(each);
  copy.removeAll(id, gone);
  std::vector<Shape> shapes;
  for (InstructionId each : shown) shapes.push_back(copy.shapeOf(each));
  Instruction tuple;
  tuple.opcode = Opcode::Tuple;
  tuple.name = "values";
  tuple.operands = shown;
  copy.setRoot(id, copy.add(id, std::move(tuple), Shape::tuple(std::move(shapes))));
}

// A body that is being edited may take other values than its caller gives.
Status takesArguments(const Module& module, const CallTrace& trace) {
  const auto& parameters = module.at(trace.computation).parameters;
  bool fits = parameters.size() == trace.arguments.size();
  for (size_t i = 0; fits && i < parameters.size(); ++i)
    fits = compatible(module.shapeOf(parameters[i]), trace.arguments[i].shape());
  if (fits) return {};
  return fail("%" + module.at(trace.computation).name + " takes other values than its caller gives");
}

// What evaluations share.
struct Outside {
  const std::atomic<bool>* cancel;
  FeedArrays* feeds;                 // null: none
  const CustomCallLibrary* library;  // null: built-in targets only

  // Infeeds read from an array on.
  Result<Literal> evaluate(const Module& module, ComputationId computation, std::span<const Literal> arguments,
                           EvaluateOptions options, int64_t from) const {
    options.cancel = cancel;
    if (!feeds && !library) return evaluateComputation(module, computation, arguments, options);
    if (feeds) feeds->startAt(from);
    HostFeeds host = feeds ? feeds->feeds() : HostFeeds();
    host.customCalls = library;
    DeviceGroup group({}, std::move(host));
    ThreadCommunicator communicator(group, 0);
    options.communicator = &communicator;
    return evaluateComputation(module, computation, arguments, options);
  }
};

// A call, and how many arrays were fed before it and before each call in it.
struct Reached {
  CallTrace trace;
  int64_t fed = 0;
  std::unordered_map<InstructionId, int64_t> fedBefore = {};
};

Status traceCall(const Module& module, Reached& call, const Outside& outside,
                 std::span<const InstructionId> unknown = {}) {
  CallTrace& trace = call.trace;
  const std::vector<InstructionId> shown = completePart(module, trace.computation, unknown);
  if (shown.empty()) return {};
  TESSERA_TRY(takesArguments(module, trace));
  Module copy = module;
  showAll(copy, trace.computation, shown);
  EvaluateOptions options;
  if (outside.feeds)
    options.called = [&](InstructionId caller, ComputationId, std::span<const Literal>) {
      call.fedBefore.try_emplace(caller, outside.feeds->position());
    };
  TESSERA_ASSIGN_OR_RETURN(const Literal all,
                           outside.evaluate(copy, trace.computation, trace.arguments, options, call.fed));
  for (size_t i = 0; i < shown.size() && i < all.elements().size(); ++i)
    trace.values.emplace(shown[i], all.elements()[i]);
  return {};
}

// The application of a path's step while its caller runs.
struct Watch {
  ComputationId computation;
  int64_t wanted = 0, seen = 0, taken = 0;
  std::vector<Literal> arguments = {};
  bool carries = false;
  std::vector<Literal> carried = {};
  int64_t fed = 0;  // before the one that was taken

  void see(std::span<const Literal> given, int64_t fedSoFar) {
    if (carries && carried.size() < kMaxCarried && !given.empty()) carried.push_back(given[0]);
    if (seen <= wanted) {
      arguments.assign(given.begin(), given.end());
      taken = seen;
      fed = fedSoFar;
    }
    ++seen;
  }
};

// The same instruction alone in a computation; its operands are the parameters.
InstructionId addAlone(Module& copy, const Instruction& instruction, ComputationId probe) {
  Instruction alone = instruction;
  std::vector<InstructionId> parameters;
  for (size_t k = 0; k < instruction.operands.size(); ++k) {
    Instruction parameter;
    parameter.opcode = Opcode::Parameter;
    parameter.parameterNumber = static_cast<int32_t>(k);
    const std::string name = "operand." + std::to_string(k);
    parameter.name = name;
    const Shape shape = copy.shapeOf(instruction.operands[k]);
    parameters.push_back(copy.add(probe, std::move(parameter), shape));
  }
  alone.operands = parameters;
  const InstructionId made = copy.add(probe, std::move(alone), *instruction.shape);
  copy.setRoot(probe, made);
  return made;
}

// A caller that is not complete runs nothing: what it calls may not fit what it is given, or itself. What a call, a
// fusion or a loop gives first is known without.
Result<Reached> traceUnrun(const Module& module, const Instruction& caller, const CallFrame& frame,
                           std::vector<Literal> operands, const Outside& outside) {
  Reached out;
  out.trace.computation = frame.computation;
  if (caller.opcode != Opcode::Call && caller.opcode != Opcode::Fusion && caller.opcode != Opcode::While) return out;
  out.trace.arguments = std::move(operands);
  if (!takesArguments(module, out.trace)) return out.trace.arguments.clear(), out;
  out.trace.applications = 1;
  TESSERA_TRY(traceCall(module, out, outside));
  return out;
}

Result<Reached> traceFrame(const Module& module, const Reached& from, const CallFrame& frame, const Outside& outside) {
  const CallTrace& outer = from.trace;
  if (!module.contains(frame.caller) || !module.contains(frame.computation))
    return fail("the call is not there any more");
  const Instruction& caller = module.at(frame.caller);
  std::vector<Literal> operands;
  for (InstructionId operand : caller.operands) {
    const auto found = outer.values.find(operand);
    if (found == outer.values.end()) return Reached{{.computation = frame.computation}};  // never reached
    operands.push_back(found->second);
  }
  if (!outer.values.contains(frame.caller)) return traceUnrun(module, caller, frame, std::move(operands), outside);
  Watch watch{frame.computation, std::max<int64_t>(frame.application, 0)};
  watch.carries = caller.opcode == Opcode::While && caller.operands.size() == 1;
  if (hasApplications(caller.opcode)) {
    Application application{frame.computation, watch.wanted, 0, 0, {}};
    TESSERA_TRY(findApplication(module, caller, operands, application, outside.cancel));
    watch.seen = application.count;
    watch.taken = application.taken;
    watch.arguments = std::move(application.arguments);
  } else {
    Module copy = module;
    const ComputationId probe = copy.addComputation("call");
    const InstructionId alone = addAlone(copy, caller, probe);
    EvaluateOptions options;
    options.called = [&](InstructionId id, ComputationId computation, std::span<const Literal> arguments) {
      if (id == alone && computation == frame.computation)
        watch.see(arguments, outside.feeds ? outside.feeds->position() : 0);
    };
    const auto before = from.fedBefore.find(frame.caller);
    TESSERA_ASSIGN_OR_RETURN(
        const Literal result,
        outside.evaluate(copy, probe, operands, options, before == from.fedBefore.end() ? from.fed : before->second));
    (void)result;
  }
  Reached out{{.computation = frame.computation,
               .arguments = std::move(watch.arguments),
               .applications = watch.seen,
               .application = watch.taken,
               .carried = std::move(watch.carried)},
              watch.fed};
  if (watch.seen > 0) TESSERA_TRY(traceCall(module, out, outside));
  return out;
}

CallPath callsIn(const Module& module, ComputationId computation) {
  CallPath out;
  for (InstructionId id : module.at(computation).instructions)
    for (ComputationId callee : module.callees(module.at(id)))
      if (module.contains(callee)) out.push_back({id, callee, 0});
  return out;
}

}  // namespace

const Literal* Trace::find(InstructionId id) const {
  for (auto call = calls.rbegin(); call != calls.rend(); ++call)
    if (const auto found = call->values.find(id); found != call->values.end()) return &found->second;
  const auto found = entry.values.find(id);
  return found == entry.values.end() ? nullptr : &found->second;
}

Result<Trace> traceModule(const Module& module, std::span<const Literal> arguments, const CallPath& path,
                          const std::atomic<bool>* cancel, std::span<const InstructionId> unknown, FeedArrays* feeds,
                          const CustomCallLibrary* library) {
  Trace out;
  if (!module.contains(module.entry())) return out;
  const Outside outside{cancel, feeds, library};
  Reached entry{{.computation = module.entry(), .applications = 1}};
  TESSERA_ASSIGN_OR_RETURN(entry.trace.arguments, wholeArguments(module, arguments));
  TESSERA_TRY(traceCall(module, entry, outside, unknown));
  std::vector<Reached> calls;
  for (const CallFrame& frame : path) {
    TESSERA_ASSIGN_OR_RETURN(Reached call, traceFrame(module, calls.empty() ? entry : calls.back(), frame, outside));
    calls.push_back(std::move(call));
    if (calls.back().trace.applications == 0) break;
  }
  out.entry = std::move(entry.trace);
  for (Reached& each : calls) out.calls.push_back(std::move(each.trace));
  return out;
}

std::vector<InstructionId> completePart(const Module& module, ComputationId computation,
                                        std::span<const InstructionId> unknown) {
  std::vector<bool> complete(module.instructionSlots(), false);
  std::vector<InstructionId> out;
  const auto order = topologicalOrder(module, computation);
  if (!order) return out;
  Callees callees(module);
  for (InstructionId id : *order) {
    if (std::ranges::find(unknown, id) != unknown.end()) continue;
    const auto& operands = module.at(id).operands;
    if (!std::ranges::all_of(operands, [&](InstructionId o) { return module.contains(o) && complete[o.value]; }))
      continue;
    const auto inferred = inferInstruction(module, id);
    if (!inferred || !compatible(*inferred, module.shapeOf(id)) || !callees.complete(module.at(id))) continue;
    complete[id.value] = true;
    out.push_back(id);
  }
  return out;
}

// Depth first, without recursion: calls may be nested tens of thousands deep.
CallPath pathTo(const Module& module, ComputationId computation) {
  CallPath out;
  if (!module.contains(module.entry()) || !module.contains(computation) || computation == module.entry()) return out;
  std::vector<bool> seen(module.computationSlots(), false);
  seen[module.entry().value] = true;
  std::vector<std::pair<CallPath, size_t>> open;  // the calls of each computation on the path, and the next one
  open.push_back({callsIn(module, module.entry()), 0});
  while (!open.empty()) {
    auto& [calls, next] = open.back();
    if (next == calls.size()) {
      open.pop_back();
      if (!out.empty()) out.pop_back();
      continue;
    }
    const CallFrame call = calls[next++];
    if (seen[call.computation.value]) continue;
    seen[call.computation.value] = true;
    out.push_back(call);
    if (call.computation == computation) return out;
    open.push_back({callsIn(module, call.computation), 0});
  }
  return out;
}

}  // namespace tessera
