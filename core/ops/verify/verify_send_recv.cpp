// Sends and receives that wait for each other: a recv-done waits for the send of its channel, which has to be reached
// first. Within one computation that can be decided: where a send comes after a recv-done (by what it needs, or by the
// schedule) and that recv-done waits, on some device, for a send that comes after the first, nothing ever moves. The
// reference forbids such cycles. Channels whose other end is elsewhere (a host, another computation or program) are not
// judged, nor those with several sends or receives, where one may belong to an earlier turn of a loop. A warning: XLA
// compiles such programs, and a run ends with the names of those that wait.
#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <unordered_set>

#include "core/ops/inference/instruction_checks.h"
#include "core/ops/shared/send_recv_pairs.h"
#include "core/ops/verify/verify_groups.h"

namespace tessera {
namespace {

constexpr size_t kMaxChannels = 256;   // of one computation; the check looks at each pair of them
constexpr size_t kMaxPairs = 1 << 16;  // of devices, over all channels

struct Channel {
  const Instruction *send = nullptr, *recv = nullptr, *done = nullptr;
  int count = 0;                                   // of instructions in the whole module
  std::vector<std::pair<int64_t, int64_t>> pairs;  // source, target
  std::vector<size_t> after;                       // channels whose send comes after this one's recv-done
};

// A place where a device waits: the recv-done of a channel.
using Wait = std::pair<size_t, int64_t>;

class Deadlocks {
 public:
  Deadlocks(const Module& module, Diagnostics& out) : module_(module), out_(out) {}

  void check() {
    std::map<int64_t, Channel> all;
    for (ComputationId computation : module_.order())
      for (InstructionId id : module_.at(computation).instructions) collect(module_.at(id), all);
    for (ComputationId computation : module_.order()) {
      channels_.clear();
      safe_.clear();
      for (const auto& [number, channel] : all)
        if (isWhole(channel) && channel.send->computation == computation) channels_.push_back(channel);
      if (!channels_.empty() && channels_.size() <= kMaxChannels && findPairs()) check(module_.at(computation));
    }
  }

 private:
  void collect(const Instruction& instruction, std::map<int64_t, Channel>& all) const {
    const bool send = instruction.opcode == Opcode::Send, recv = instruction.opcode == Opcode::Recv;
    if (!send && !recv && instruction.opcode != Opcode::RecvDone) return;
    const auto number = channelOf(instruction);
    if (!number) return;
    Channel& channel = all[*number];
    (send ? channel.send : recv ? channel.recv : channel.done) = &instruction;
    ++channel.count;
  }

  // Both ends are here, and the recv-done is that of the recv.
  static bool isWhole(const Channel& channel) {
    if (!channel.send || !channel.recv || !channel.done || channel.count != 3) return false;
    if (channel.send->attributes->boolOr(Attr::is_host_transfer, false)) return false;
    const auto operands = channel.done->operands;
    return channel.send->computation == channel.done->computation && operands.size() == 1 &&
           operands[0] == channel.recv->id;
  }

  // Without pairs every device sends to itself. False when there are too many.
  bool findPairs() {
    std::set<int64_t> devices;
    size_t count = 0;
    for (Channel& channel : channels_) {
      channel.pairs = sendReceivePairs(*channel.send);
      count += channel.pairs.size();
      for (const auto& [source, target] : channel.pairs) devices.insert({source, target});
    }
    if (devices.empty()) devices.insert(0);
    if (count > kMaxPairs || devices.size() * channels_.size() > kMaxPairs) return false;
    for (Channel& channel : channels_)
      if (channel.pairs.empty())
        for (int64_t device : devices) channel.pairs.emplace_back(device, device);
    return true;
  }

  void check(const Computation& computation) {
    for (Channel& channel : channels_) findSendsAfter(computation, channel);
    for (size_t c = 0; c < channels_.size(); ++c)
      for (const auto& [source, target] : channels_[c].pairs)
        if (!reported_ && !safe_.contains({c, target})) follow({c, target});
  }

  // A recv-done may leave its channel to its recv.
  std::optional<int64_t> channelOf(const Instruction& instruction) const {
    const Instruction* at = &instruction;
    if (at->opcode == Opcode::RecvDone && !at->attributes->has(Attr::channel_id) && !at->operands.empty() &&
        at->operands[0].valid() && module_.contains(at->operands[0]))
      at = &module_.at(at->operands[0]);
    if (!at->attributes->has(Attr::channel_id)) return std::nullopt;
    return at->attributes->intOr(Attr::channel_id, 0);
  }

  void findSendsAfter(const Computation& computation, Channel& channel) const {
    const std::unordered_set<uint32_t> later = module_.config().isScheduled.value_or(false)
                                                   ? scheduledAfter(computation, channel.done->id)
                                                   : needing(computation, channel.done->id);
    for (size_t c = 0; c < channels_.size(); ++c)
      if (later.contains(channels_[c].send->id.value)) channel.after.push_back(c);
  }

  static std::unordered_set<uint32_t> scheduledAfter(const Computation& computation, InstructionId done) {
    std::unordered_set<uint32_t> out;
    auto at = std::ranges::find(computation.instructions, done);
    for (; at != computation.instructions.end(); ++at) out.insert(at->value);
    return out;
  }

  // Through operands and control predecessors.
  std::unordered_set<uint32_t> needing(const Computation& computation, InstructionId done) const {
    std::unordered_set<uint32_t> out{done.value};
    for (InstructionId id : computation.instructions) {
      const Instruction& instruction = module_.at(id);
      const auto needed = [&](InstructionId other) { return out.contains(other.value); };
      const auto* before = instruction.attributes->get<std::vector<InstructionId>>(Attr::control_predecessors);
      if (std::ranges::any_of(instruction.operands, needed) || (before && std::ranges::any_of(*before, needed)))
        out.insert(id.value);
    }
    return out;
  }

  // Depth first over waits, with a stack of its own; a wait that comes back to an open one is a deadlock.
  void follow(Wait start) {
    std::vector<std::pair<Wait, std::vector<Wait>>> stack;
    std::set<Wait> open{start};
    stack.emplace_back(start, waitsBehind(start));
    while (!stack.empty() && !reported_) {
      auto& [wait, rest] = stack.back();
      if (rest.empty()) {
        safe_.insert(wait);
        open.erase(wait);
        stack.pop_back();
        continue;
      }
      const Wait next = rest.back();
      rest.pop_back();
      if (open.contains(next)) return report(next);
      if (safe_.contains(next)) continue;
      open.insert(next);
      std::vector<Wait> behind = waitsBehind(next);
      stack.emplace_back(next, std::move(behind));
    }
  }

  // What a recv-done on a device waits for: on each source, the recv-dones that come before the send there.
  std::vector<Wait> waitsBehind(const Wait& wait) const {
    std::vector<Wait> out;
    for (const auto& [source, target] : channels_[wait.first].pairs) {
      if (target != wait.second) continue;
      for (size_t c = 0; c < channels_.size(); ++c) {
        const bool before = std::ranges::find(channels_[c].after, wait.first) != channels_[c].after.end();
        const bool waits = before && std::ranges::any_of(channels_[c].pairs,
                                                         [s = source](const auto& pair) { return pair.second == s; });
        if (waits) out.emplace_back(c, source);
      }
    }
    return out;
  }

  void report(const Wait& wait) {
    reported_ = true;
    const Instruction &done = *channels_[wait.first].done, &send = *channels_[wait.first].send;
    Diagnostic d = diagnosticAt(done,
                                done.reference() + " waits on device " + std::to_string(wait.second) + " for %" +
                                    std::string(send.name) + ", which waits for it",
                                "send-recv-order", "send before recv-done", "a cycle of waits");
    d.severity = Severity::Warning;
    out_.add(std::move(d));
  }

  const Module& module_;
  Diagnostics& out_;
  std::vector<Channel> channels_;
  std::set<Wait> safe_;
  bool reported_ = false;
};

}  // namespace

void verifySendRecv(const Module& module, Diagnostics& out) { Deadlocks(module, out).check(); }

}  // namespace tessera
