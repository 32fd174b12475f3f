// From one moment to its neighbours by the partners of pass_changes; a moment that cannot be read is stepped over.
#include "core/tools/passes/pass_history.h"

#include <algorithm>

#include "core/tools/find_instruction.h"

namespace tessera {
namespace {

PassEvent eventAt(const Module& module, InstructionId id, size_t moment, std::string words) {
  const Instruction& in = module.at(id);
  return {moment, std::string(in.name), module.at(in.computation).name, std::move(words), id};
}

class HistoryWalk {
 public:
  HistoryWalk(PassTrail& trail, InstructionHistory& out) : trail_(trail), out_(out) {}

  Status back(size_t moment, InstructionId id) {
    while (true) {
      out_.ids[moment] = id;
      TESSERA_ASSIGN_OR_RETURN(const auto module, trail_.moduleAt(moment));
      TESSERA_ASSIGN_OR_RETURN(const auto changes, trail_.changesTo(moment));
      const auto from = trail_.momentBefore(moment);
      const PassChange* change = changes->of(id);
      if (!from) {
        out_.events.push_back(eventAt(*module, id, moment, "there from the start"));
        return {};
      }
      if (change) out_.events.push_back(eventAt(*module, id, moment, phraseOf(*change)));
      const InstructionId earlier = changes->before(id);
      if (!change && !earlier.valid()) out_.events.push_back(eventAt(*module, id, moment, "came with its fusion"));
      id = earlier;
      if (!id.valid()) return {};
      moment = *from;
    }
  }

  Status forth(size_t moment, InstructionId id) {
    for (size_t next = moment + 1; next < trail_.moments().size(); ++next) {
      const auto module = trail_.moduleAt(next);
      if (!module) continue;
      TESSERA_ASSIGN_OR_RETURN(const auto changes, trail_.changesTo(next));
      const InstructionId now = changes->after(id);
      if (!now.valid()) return end(*changes, moment, next, id);
      if (const PassChange* change = changes->of(now))
        out_.events.push_back(eventAt(**module, now, next, phraseOf(*change)));
      out_.ids[next] = id = now;
      moment = next;
    }
    return {};
  }

 private:
  Status end(const PassChanges& changes, size_t moment, size_t next, InstructionId id) {
    TESSERA_ASSIGN_OR_RETURN(const auto before, trail_.moduleAt(moment));
    const PassChange* change = changes.ofRemoved(id);
    out_.events.push_back(eventAt(*before, id, next, change ? phraseOf(*change) : "removed"));
    out_.events.back().id = {};
    return {};
  }

  PassTrail& trail_;
  InstructionHistory& out_;
};

}  // namespace

Result<InstructionHistory> historyOf(PassTrail& trail, size_t moment, InstructionId id) {
  InstructionHistory out;
  out.ids.resize(trail.moments().size());
  HistoryWalk walk(trail, out);
  TESSERA_TRY(walk.back(moment, id));
  std::ranges::reverse(out.events);
  TESSERA_TRY(walk.forth(moment, id));
  return out;
}

Result<std::pair<size_t, InstructionId>> lastNamed(PassTrail& trail, std::string_view name) {
  Diagnostic first;
  for (size_t moment = trail.moments().size(); moment-- > 0;) {
    const auto module = trail.moduleAt(moment);
    auto found = module ? instructionNamed(**module, name) : Result<InstructionId>(std::unexpected(module.error()));
    if (found) return std::pair(moment, *found);
    if (first.message.empty()) first = found.error();
  }
  return fail(std::move(first));
}

size_t nextTouch(const InstructionHistory& history, size_t moment, int by) {
  size_t out = moment;
  for (const PassEvent& event : history.events) {
    if (by > 0 && event.moment > moment) return event.moment;
    if (by < 0 && event.moment < moment) out = event.moment;
  }
  return out;
}

}  // namespace tessera
