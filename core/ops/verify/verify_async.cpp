// Operations in two halves: a start is read by exactly one update or done, and a done ends a start of its kind; both
// halves of a send or receive name one channel. And threads: a computation of another thread is entered by async-start.
#include <algorithm>
#include <array>
#include <set>
#include <unordered_map>

#include "core/ops/inference/instruction_checks.h"
#include "core/ops/verify/verify_groups.h"

namespace tessera {
namespace {

// What may read a start, and what a done may end. A send or receive may be passed on by a loop's tuple.
struct Pairing {
  Opcode opcode;
  bool begins;  // its users are meant; else its first operand
  std::array<Opcode, 2> partners;
};
constexpr Pairing kPairings[] = {
    {Opcode::AsyncStart, true, {Opcode::AsyncUpdate, Opcode::AsyncDone}},
    {Opcode::AsyncUpdate, true, {Opcode::AsyncUpdate, Opcode::AsyncDone}},
    {Opcode::AsyncUpdate, false, {Opcode::AsyncUpdate, Opcode::AsyncStart}},
    {Opcode::AsyncDone, false, {Opcode::AsyncUpdate, Opcode::AsyncStart}},
    {Opcode::AllReduceStart, true, {Opcode::AllReduceDone, Opcode::AllReduceDone}},
    {Opcode::AllReduceDone, false, {Opcode::AllReduceStart, Opcode::AllReduceStart}},
    {Opcode::AllGatherStart, true, {Opcode::AllGatherDone, Opcode::AllGatherDone}},
    {Opcode::AllGatherDone, false, {Opcode::AllGatherStart, Opcode::AllGatherStart}},
    {Opcode::CollectivePermuteStart, true, {Opcode::CollectivePermuteDone, Opcode::CollectivePermuteDone}},
    {Opcode::CollectivePermuteDone, false, {Opcode::CollectivePermuteStart, Opcode::CollectivePermuteStart}},
    {Opcode::CopyStart, true, {Opcode::CopyDone, Opcode::CopyDone}},
    {Opcode::CopyDone, false, {Opcode::CopyStart, Opcode::CopyStart}},
    {Opcode::Send, true, {Opcode::SendDone, Opcode::Tuple}},
    {Opcode::SendDone, false, {Opcode::Send, Opcode::GetTupleElement}},
    {Opcode::Recv, true, {Opcode::RecvDone, Opcode::Tuple}},
    {Opcode::RecvDone, false, {Opcode::Recv, Opcode::GetTupleElement}},
};

std::string partnersText(const Pairing& pairing) {
  std::string out(nameOf(pairing.partners[0]));
  return pairing.partners[1] == pairing.partners[0] ? out : out + " or " + std::string(nameOf(pairing.partners[1]));
}

bool isPartner(const Pairing& pairing, Opcode opcode) {
  return std::ranges::find(pairing.partners, opcode) != pairing.partners.end();
}

void checkReaders(const Module& module, const UserTable& users, const Instruction& start, const Pairing& pairing,
                  Diagnostics& out) {
  const auto readers = users.users(start.id);
  if (readers.size() != 1) {
    out.add(diagnosticAt(start, start.reference() + " has to be ended exactly once", "async-pair",
                         "one " + partnersText(pairing), std::to_string(readers.size()) + " users"));
    return;
  }
  const Instruction& reader = module.at(readers[0]);
  if (!isPartner(pairing, reader.opcode))
    out.add(diagnosticAt(start, start.reference() + " is read by " + reader.reference() + ", which does not end it",
                         "async-pair", partnersText(pairing), std::string(reader.opcodeName())));
}

void checkEnded(const Module& module, const Instruction& done, const Pairing& pairing, Diagnostics& out) {
  if (done.operands.empty() || !done.operands[0].valid() || !module.contains(done.operands[0]))
    return;  // reported with the operands
  const Instruction& start = module.at(done.operands[0]);
  if (!isPartner(pairing, start.opcode))
    out.add(diagnosticAt(done, done.reference() + " ends " + start.reference() + ", which begins nothing of its kind",
                         "async-pair", partnersText(pairing), std::string(start.opcodeName())));
}

// A send-done or recv-done right behind its start says the same about the channel.
void checkChannel(const Module& module, const Instruction& done, Diagnostics& out) {
  if (done.opcode != Opcode::SendDone && done.opcode != Opcode::RecvDone) return;
  if (done.operands.empty() || !done.operands[0].valid() || !module.contains(done.operands[0])) return;
  const Instruction& start = module.at(done.operands[0]);
  if (start.opcode != Opcode::Send && start.opcode != Opcode::Recv) return;
  const auto channel = [](const Instruction& i) {
    return i.attributes->has(Attr::channel_id) ? std::to_string(i.attributes->intOr(Attr::channel_id, 0))
                                               : std::string("none");
  };
  if (done.attributes->has(Attr::channel_id) && channel(done) != channel(start))
    out.add(diagnosticAt(done, done.reference() + " has another channel than " + start.reference(), "channel",
                         channel(start), channel(done)));
  const auto host = [](const Instruction& i) { return i.attributes->boolOr(Attr::is_host_transfer, false); };
  if (host(done) != host(start))
    out.add(diagnosticAt(done, done.reference() + " and " + start.reference() + " differ in is_host_transfer",
                         "channel", host(start) ? "true" : "false", host(done) ? "true" : "false"));
}

std::string threadOf(const Computation& computation) {
  return computation.executionThread.empty() ? "main" : computation.executionThread;
}

bool isAsync(Opcode opcode) {
  return opcode == Opcode::AsyncStart || opcode == Opcode::AsyncUpdate || opcode == Opcode::AsyncDone;
}

bool runsCallees(Opcode opcode) {
  switch (opcode) {
    case Opcode::Call:
    case Opcode::Fusion:
    case Opcode::While:
    case Opcode::Conditional: return true;
    default: return isAsync(opcode);
  }
}

void checkThreads(const Module& module, const Instruction& instruction, Diagnostics& out) {
  if (!runsCallees(instruction.opcode)) return;
  const std::string own = isAsync(instruction.opcode)
                              ? std::string(instruction.attributes->textOr(Attr::async_execution_thread, "main"))
                              : threadOf(module.at(instruction.computation));
  for (ComputationId callee : module.callees(instruction)) {
    if (!module.contains(callee)) continue;
    const std::string thread = threadOf(module.at(callee));
    if (thread != own)
      out.add(diagnosticAt(
          instruction,
          instruction.reference() + " runs %" + module.at(callee).name + ", which belongs to another thread", "thread",
          own, thread));
  }
}

std::set<ComputationId> startedComputations(const Module& module) {
  std::set<ComputationId> out;
  for (ComputationId computation : module.order())
    for (InstructionId id : module.at(computation).instructions)
      if (module.at(id).opcode == Opcode::AsyncStart)
        for (ComputationId callee : module.callees(module.at(id))) out.insert(callee);
  return out;
}

// A computation is started in one place; what goes on or ends the call names no other one, and no other thread.
using Starts = std::unordered_map<uint32_t, const Instruction*>;  // by what goes on with them

void checkChain(const Module& module, const Instruction& later, Starts& starts, Diagnostics& out) {
  if (later.opcode == Opcode::AsyncStart) starts[later.id.value] = &later;
  if (later.opcode != Opcode::AsyncUpdate && later.opcode != Opcode::AsyncDone) return;
  const auto known = later.operands.empty() ? starts.end() : starts.find(later.operands[0].value);
  if (known == starts.end()) return;  // reported as a pair
  const Instruction* start = known->second;
  starts[later.id.value] = start;
  const std::vector<ComputationId> own = module.callees(later), started = module.callees(*start);
  if (!own.empty() && !started.empty() && own != started && module.contains(own[0]) && module.contains(started[0]))
    out.add(diagnosticAt(later, later.reference() + " names another computation than " + start->reference(),
                         "async-pair", "%" + module.at(started[0]).name, "%" + module.at(own[0]).name));
  const std::string_view thread = start->attributes->textOr(Attr::async_execution_thread, "main"),
                         ownThread = later.attributes->textOr(Attr::async_execution_thread, thread);
  if (ownThread != thread)
    out.add(diagnosticAt(later, later.reference() + " names another thread than " + start->reference(), "thread",
                         std::string(thread), std::string(ownThread)));
}

void checkStartedOnce(const Module& module, const Instruction& start, std::set<ComputationId>& seen, Diagnostics& out) {
  if (start.opcode != Opcode::AsyncStart) return;
  for (ComputationId callee : module.callees(start))
    if (module.contains(callee) && !seen.insert(callee).second)
      out.add(diagnosticAt(start,
                           start.reference() + " starts %" + module.at(callee).name + ", which another start runs",
                           "async-pair"));
}

// A send or receive that is all that a started computation does: its context is the result.
bool isHandedOut(const Module& module, const Instruction& instruction, const std::set<ComputationId>& started) {
  const bool message = instruction.opcode == Opcode::Send || instruction.opcode == Opcode::Recv;
  return message && started.contains(instruction.computation) &&
         module.at(instruction.computation).root == instruction.id;
}

}  // namespace

void verifyAsyncPairs(const Module& module, const UserTable& users, Diagnostics& out) {
  const std::set<ComputationId> started = startedComputations(module);
  std::set<ComputationId> startedOnce;
  Starts starts;
  for (ComputationId computation : module.order())
    for (InstructionId id : module.at(computation).instructions) {
      const Instruction& instruction = module.at(id);
      for (const Pairing& pairing : kPairings) {
        if (pairing.opcode != instruction.opcode) continue;
        if (pairing.begins && isHandedOut(module, instruction, started)) continue;
        if (pairing.begins)
          checkReaders(module, users, instruction, pairing, out);
        else
          checkEnded(module, instruction, pairing, out);
      }
      checkChannel(module, instruction, out);
      checkThreads(module, instruction, out);
      checkChain(module, instruction, starts, out);
      checkStartedOnce(module, instruction, startedOnce, out);
    }
}

}  // namespace tessera
