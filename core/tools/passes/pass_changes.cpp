// Partners first: of two files those of core/tools/diff/diff, of one module by id, and by provenance where a pass
// copies into a fusion. Then every pair is compared once more, so that both say the same words.
#include "core/tools/passes/pass_changes.h"

#include <algorithm>
#include <map>
#include <unordered_map>
#include <unordered_set>

#include <fmt/format.h>

#include "core/tools/diff/attribute_diff.h"
#include "core/tools/diff/diff.h"

namespace tessera {
namespace {

constexpr std::string_view kMarkNames[kPassMarks] = {"added",  "removed", "fused",  "moved",
                                                     "relaid", "changed", "rewired"};
constexpr size_t kListed = 6;  // names in a phrase

bool isFusionOp(const Instruction& instruction) { return instruction.opcode == Opcode::Fusion; }

class PassPartners {
 public:
  PassPartners(const Module& before, const Module& after) : before_(before), after_(after) {
    out_.toAfter.resize(before.instructionSlots());
    out_.toBefore.resize(after.instructionSlots());
  }

  PassChanges byStructure() {
    const DiffResult found = diff(before_, after_);
    for (InstructionId id : inOrder(before_)) {
      const InstructionId partner = found.left[id.value].partner;
      if (partner.valid() && !out_.toBefore[partner.value].valid()) pair(id, partner);
    }
    for (InstructionId id : inOrder(after_)) enterFusion(id);
    return std::move(out_);
  }

  PassChanges byIds() {
    for (InstructionId id : inOrder(after_))
      if (before_.contains(id)) pair(id, id);
    std::map<std::pair<Opcode, std::vector<InstructionId>>, std::vector<InstructionId>> gone;
    for (InstructionId id : inOrder(before_))
      if (const Instruction& in = before_.at(id); !out_.toAfter[id.value].valid() && in.provenance)
        gone[{in.opcode, in.provenance->sources}].push_back(id);
    for (InstructionId id : inOrder(after_)) {
      const Instruction& in = after_.at(id);
      if (out_.toBefore[id.value].valid() || !in.provenance || isFusionOp(in)) continue;
      const auto found = gone.find({in.opcode, in.provenance->sources});
      if (found == gone.end() || found->second.empty()) continue;
      pair(found->second.front(), id);
      found->second.erase(found->second.begin());
    }
    return std::move(out_);
  }

  static std::vector<InstructionId> inOrder(const Module& module) {
    std::vector<InstructionId> out;
    for (ComputationId computation : module.order())
      for (InstructionId id : module.at(computation).instructions) out.push_back(id);
    return out;
  }

 private:
  void pair(InstructionId a, InstructionId b) {
    out_.toAfter[a.value] = b;
    out_.toBefore[b.value] = a;
  }

  // A fusion in the place of what it does: that one is inside now.
  void enterFusion(InstructionId fusion) {
    const InstructionId a = out_.toBefore[fusion.value];
    const Instruction& outer = after_.at(fusion);
    if (!a.valid() || !isFusionOp(outer) || isFusionOp(before_.at(a))) return;
    const auto called = after_.callees(outer);
    if (called.empty() || !after_.contains(called[0])) return;
    const auto isIt = [&](InstructionId id) {
      const Instruction& in = after_.at(id);
      return !out_.toBefore[id.value].valid() && in.opcode == before_.at(a).opcode &&
             sameIgnoringLayout(*in.shape, *before_.at(a).shape);
    };
    const auto& inside = after_.at(called[0]).instructions;
    const auto found = std::find_if(inside.rbegin(), inside.rend(), isIt);
    if (found == inside.rend()) return;
    out_.toBefore[fusion.value] = {};
    pair(a, *found);
  }

  const Module &before_, &after_;
  PassChanges out_;
};

class PassTeller {
 public:
  PassTeller(const Module& before, const Module& after, PassChanges& out) : before_(before), after_(after), out_(out) {
    for (InstructionId id : PassPartners::inOrder(after_))
      if (isFusionOp(after_.at(id)))
        for (ComputationId called : after_.callees(after_.at(id))) fusionOf_[called.value] = id;
    pairComputations();
  }

  void tell() {
    for (InstructionId id : PassPartners::inOrder(after_))
      if (out_.toBefore[id.value].valid())
        tellPair(out_.toBefore[id.value], id);
      else if (!isBound(after_.at(id)))
        out_.changes.push_back({PassMark::Added, {}, id, {}});
    std::unordered_set<uint32_t> fusedBefore;
    for (InstructionId id : PassPartners::inOrder(before_))
      if (isFusionOp(before_.at(id)))
        for (ComputationId called : before_.callees(before_.at(id))) fusedBefore.insert(called.value);
    const auto wasBound = [&](const Instruction& in) {
      return in.opcode == Opcode::Parameter && fusedBefore.contains(in.computation.value);
    };
    for (InstructionId id : PassPartners::inOrder(before_))
      if (!out_.toAfter[id.value].valid() && !wasBound(before_.at(id)))
        out_.changes.push_back({PassMark::Removed, id, {}, goneWords(id)});
    for (PassChange& change : out_.changes)
      if (change.mark == PassMark::Added) change.words = addedWords(change.after);
  }

 private:
  // A parameter of a fusion is an end of a wire and no work.
  bool isBound(const Instruction& in) const {
    return in.opcode == Opcode::Parameter && fusionOf_.contains(in.computation.value);
  }

  // Which computation most of another's instructions are in now; a fused one is never what was called before.
  void pairComputations() {
    std::map<uint32_t, std::map<uint32_t, size_t>> votes;
    for (InstructionId id : PassPartners::inOrder(after_))
      if (const InstructionId a = out_.toBefore[id.value]; a.valid())
        ++votes[after_.at(id).computation.value][before_.at(a).computation.value];
    for (const auto& [now, from] : votes)
      partnerOf_[now] = std::ranges::max_element(from, {}, [](const auto& one) { return one.second; })->first;
    for (const auto& [computation, fusion] : fusionOf_) {
      const InstructionId a = out_.toBefore[fusion.value];
      partnerOf_[computation] = UINT32_MAX;
      if (!a.valid() || !isFusionOp(before_.at(a))) continue;
      const auto called = before_.callees(before_.at(a));
      if (!called.empty()) partnerOf_[computation] = called[0].value;
    }
    partnerOf_[after_.entry().value] = before_.entry().value;
  }

  void tellPair(InstructionId a, InstructionId b) {
    const Instruction &x = before_.at(a), &y = after_.at(b);
    std::string words;
    const auto add = [&](PassMark mark, const std::string& text) {
      if (text.empty()) return;
      words += (words.empty() ? "" : "; ") + text;
      mark_ = std::min(mark_, mark);
    };
    mark_ = PassMark::Rewired;
    const auto partner = partnerOf_.find(y.computation.value);
    if (partner == partnerOf_.end() || partner->second != x.computation.value) add(placeMark(y), placeWords(x, y));
    add(PassMark::Relaid, layoutWords(x, y));
    add(PassMark::Changed, changeWords(x, y));
    const std::string operands = operandWords(x, y);
    if (words.empty()) add(PassMark::Rewired, operands);
    if (!words.empty()) out_.changes.push_back({mark_, a, b, std::move(words)});
  }

  PassMark placeMark(const Instruction& y) const {
    return fusionOf_.contains(y.computation.value) ? PassMark::Fused : PassMark::Moved;
  }
  std::string placeWords(const Instruction& x, const Instruction& y) const {
    if (const auto fusion = fusionOf_.find(y.computation.value); fusion != fusionOf_.end())
      return "into " + after_.at(fusion->second).reference();
    return fmt::format("from %{} to %{}", before_.at(x.computation).name, after_.at(y.computation).name);
  }
  std::string layoutWords(const Instruction& x, const Instruction& y) const {
    if (*x.shape == *y.shape || !sameIgnoringLayout(*x.shape, *y.shape)) return {};
    return fmt::format("layout {} → {}", toString(*x.shape), toString(*y.shape));
  }
  std::string changeWords(const Instruction& x, const Instruction& y) const {
    std::string out;
    const auto add = [&](std::string_view what, std::string_view a, std::string_view b) {
      const auto shown = [](std::string_view text) {
        return text.empty() ? "none" : text.size() > 60 ? std::string(text.substr(0, 60)) + "…" : std::string(text);
      };
      out += fmt::format("{}{} {} → {}", out.empty() ? "" : "; ", what, shown(a), shown(b));
    };
    if (x.opcodeName() != y.opcodeName()) add("opcode", x.opcodeName(), y.opcodeName());
    if (!sameIgnoringLayout(*x.shape, *y.shape)) add("shape", toString(*x.shape), toString(*y.shape));
    if (x.opcode == y.opcode)
      for (const AttributeDifference& one : attributeDifferences(before_, x, after_, y))
        add(one.name, one.inLeft, one.inRight);
    if (x.literal && y.literal && !x.literal->identical(*y.literal) && !x.literal->elided())
      out += std::string(out.empty() ? "" : "; ") + "another value";
    return out;
  }

  // Notes what users of a removed instruction read now, too.
  std::string operandWords(const Instruction& x, const Instruction& y) {
    const auto operandOf = [](const Module& module, const Instruction& in, size_t i) {
      return i < in.operands.size() && module.contains(in.operands[i]) ? in.operands[i] : InstructionId();
    };
    std::string out;
    for (size_t i = 0; i < std::max(x.operands.size(), y.operands.size()); ++i) {
      const InstructionId p = operandOf(before_, x, i), q = operandOf(after_, y, i);
      if (p.valid() && q.valid() && out_.toAfter[p.value] == q) continue;
      if (p.valid() && q.valid() && !out_.toAfter[p.value].valid()) standIn_.try_emplace(p.value, q);
      out += fmt::format("{}operand {}: {} → {}", out.empty() ? "" : "; ", i, nameOrNone(before_, p),
                         nameOrNone(after_, q));
    }
    return out;
  }
  static std::string nameOrNone(const Module& module, InstructionId id) {
    return id.valid() ? module.at(id).reference() : "none";
  }

  std::string goneWords(InstructionId id) const {
    if (const InstructionId into = mergedInto(id); into.valid()) return "merged into " + after_.at(into).reference();
    const auto found = standIn_.find(id.value);
    return found == standIn_.end() ? std::string() : "its users read " + after_.at(found->second).reference();
  }

  // The fusion that does now what this one did.
  InstructionId mergedInto(InstructionId gone) const {
    if (!isFusionOp(before_.at(gone))) return {};
    for (ComputationId called : before_.callees(before_.at(gone))) {
      const InstructionId root = before_.at(called).root, now = root.valid() ? out_.toAfter[root.value] : root;
      if (!now.valid()) continue;
      if (const auto found = fusionOf_.find(after_.at(now).computation.value); found != fusionOf_.end())
        return found->second;
    }
    return {};
  }

  std::string addedWords(InstructionId id) const {
    const Instruction& in = after_.at(id);
    if (isFusionOp(in)) return membersOf(id);
    if (in.provenance && in.provenance->insertion) {
      const Insertion& why = *in.provenance->insertion;
      return fmt::format("for {}: {}", after_.at(why.user).reference(), why.reason);
    }
    if (const auto fusion = fusionOf_.find(in.computation.value); fusion != fusionOf_.end())
      return "in " + after_.at(fusion->second).reference();
    return in.operands.empty() ? std::string() : "reads " + list(after_, in.operands);
  }
  std::string membersOf(InstructionId fusion) const {
    std::vector<InstructionId> members;
    for (const PassChange& change : out_.changes)
      if (change.mark == PassMark::Fused && fusionOf_.at(after_.at(change.after).computation.value) == fusion)
        members.push_back(change.before);
    return members.empty() ? std::string() : "by fusion of " + list(before_, members);
  }
  static std::string list(const Module& module, std::span<const InstructionId> ids) {
    std::string out;
    for (size_t i = 0; i < std::min(ids.size(), kListed); ++i)
      out += (i ? ", " : "") + (module.contains(ids[i]) ? module.at(ids[i]).reference() : "nothing");
    return ids.size() > kListed ? fmt::format("{} and {} more", out, ids.size() - kListed) : out;
  }

  const Module &before_, &after_;
  PassChanges& out_;
  std::unordered_map<uint32_t, InstructionId> fusionOf_;  // by computation
  std::unordered_map<uint32_t, uint32_t> partnerOf_;      // computation before, by computation after
  std::unordered_map<uint32_t, InstructionId> standIn_;   // what users of a removed one read, by its id
  PassMark mark_ = PassMark::Rewired;
};

}  // namespace

std::string_view nameOf(PassMark mark) { return kMarkNames[static_cast<size_t>(mark)]; }

size_t PassChanges::count(PassMark mark) const {
  return static_cast<size_t>(std::ranges::count(changes, mark, &PassChange::mark));
}

const PassChange* PassChanges::of(InstructionId id) const {
  const auto found = std::ranges::find(changes, id, &PassChange::after);
  return !id.valid() || found == changes.end() ? nullptr : &*found;
}

const PassChange* PassChanges::ofRemoved(InstructionId id) const {
  const auto isIt = [&](const PassChange& change) { return change.mark == PassMark::Removed && change.before == id; };
  const auto found = std::ranges::find_if(changes, isIt);
  return found == changes.end() ? nullptr : &*found;
}

PassChanges passChanges(const Module& before, const Module& after, SameIds ids) {
  PassPartners partners(before, after);
  PassChanges out = ids == SameIds::Yes ? partners.byIds() : partners.byStructure();
  PassTeller(before, after, out).tell();
  return out;
}

std::string countsText(const PassChanges& changes) {
  std::string out;
  for (size_t i = 0; i < kPassMarks; ++i)
    if (const size_t count = changes.count(static_cast<PassMark>(i)))
      out += fmt::format("{}{} {}", out.empty() ? "" : ", ", count, nameOf(static_cast<PassMark>(i)));
  return out.empty() ? "nothing changed" : out;
}

std::string phraseOf(const PassChange& change) {
  const std::string mark(nameOf(change.mark));
  return change.words.empty() ? mark
         : change.mark == PassMark::Added || change.mark == PassMark::Fused || change.mark == PassMark::Moved
             ? mark + " " + change.words
             : mark + ": " + change.words;
}

}  // namespace tessera
