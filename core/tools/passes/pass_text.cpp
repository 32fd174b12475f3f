// See pass_text.h. Lines that went follow what stood before them, where that is still there.
#include "core/tools/passes/pass_text.h"

#include <algorithm>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "core/formats/hlo_text.h"

namespace tessera {
namespace {

std::string lineOf(const Module& module, InstructionId id) {
  std::string text = printInstruction(module, id);
  text.erase(0, text.find_first_not_of(' '));
  while (text.ends_with('\n')) text.pop_back();
  return text;
}

class PassTextWriter {
 public:
  PassTextWriter(const Module& before, const Module& after, const PassChanges& changes)
      : before_(before), after_(after) {
    for (const PassChange& change : changes.changes) {
      if (change.after.valid()) touched_.emplace(change.after.value, &change);
      if (change.mark == PassMark::Removed) gone_.insert(change.before.value);
    }
    placeGone(changes);
  }

  std::vector<PassLine> write(size_t context) {
    for (ComputationId computation : after_.order()) writeComputation(computation, context);
    for (ComputationId computation : before_.order()) writeGone(computation);
    return std::move(out_);
  }

 private:
  void placeGone(const PassChanges& changes) {
    for (ComputationId computation : before_.order()) {
      InstructionId last;
      for (InstructionId id : before_.at(computation).instructions) {
        if (const InstructionId now = changes.after(id); now.valid()) last = now;
        if (gone_.contains(id.value) && last.valid()) behind_[last.value].push_back(id);
      }
    }
  }

  void writeComputation(ComputationId computation, size_t context) {
    std::vector<PassLine> lines;
    for (InstructionId id : after_.at(computation).instructions) {
      const auto found = touched_.find(id.value);
      const PassChange* change = found == touched_.end() ? nullptr : found->second;
      if (change && change->before.valid()) lines.push_back({'-', lineOf(before_, change->before), change->before});
      lines.push_back({change ? '+' : ' ', change ? lineOf(after_, id) : "", id});
      if (const auto went = behind_.find(id.value); went != behind_.end())
        for (InstructionId each : went->second) {
          lines.push_back({'-', lineOf(before_, each), each});
          gone_.erase(each.value);
        }
    }
    keepNear(lines, context, computation);
  }

  void keepNear(std::vector<PassLine>& lines, size_t context, ComputationId computation) {
    std::vector<bool> kept(lines.size());
    for (size_t i = 0; i < lines.size(); ++i)
      if (lines[i].sign != ' ')
        for (size_t k = i - std::min(i, context); k < std::min(lines.size(), i + context + 1); ++k) kept[k] = true;
    if (std::ranges::none_of(kept, [](bool one) { return one; })) return;
    out_.push_back({'@', "%" + after_.at(computation).name, {}});
    for (size_t i = 0; i < lines.size(); ++i) {
      if (!kept[i]) {
        if (out_.back().sign != '.') out_.push_back({'.', "…", {}});
        continue;
      }
      if (lines[i].sign == ' ') lines[i].text = lineOf(after_, lines[i].id);
      out_.push_back(std::move(lines[i]));
    }
  }

  // What nothing of which is left in its computation.
  void writeGone(ComputationId computation) {
    bool isFirst = true;
    for (InstructionId id : before_.at(computation).instructions) {
      if (!gone_.contains(id.value)) continue;
      if (std::exchange(isFirst, false)) out_.push_back({'@', "%" + before_.at(computation).name + ", before", {}});
      out_.push_back({'-', lineOf(before_, id), id});
    }
  }

  const Module &before_, &after_;
  std::unordered_map<uint32_t, const PassChange*> touched_;
  std::unordered_set<uint32_t> gone_;
  std::unordered_map<uint32_t, std::vector<InstructionId>> behind_;
  std::vector<PassLine> out_;
};

}  // namespace

std::vector<PassLine> passText(const Module& before, const Module& after, const PassChanges& changes, size_t context) {
  return PassTextWriter(before, after, changes).write(context);
}

}  // namespace tessera
