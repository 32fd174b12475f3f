// See shown_searches.h.
#include "editor/document/shown_searches.h"

#include <algorithm>

#include "core/tools/query/search.h"
#include "editor/document/document.h"
#include "editor/document/priorities.h"

namespace tessera {

void ShownSearches::show(const QString& name, const QString& query, SearchLook look) {
  auto parsed = Query::parse(query.toStdString());
  const auto known = std::ranges::find(shown_, name, &ShownSearch::name);
  const bool shows = look != SearchLook::None && parsed;
  if (!shows && known == shown_.end()) return;
  if (!shows)
    shown_.erase(known);
  else if (known == shown_.end())
    shown_.push_back({name, query, look, std::move(*parsed)});
  else
    *known = {name, query, look, std::move(*parsed)};
  again();
}

SearchLook ShownSearches::lookOf(const QString& name) const {
  const auto known = std::ranges::find(shown_, name, &ShownSearch::name);
  return known == shown_.end() ? SearchLook::None : known->look;
}

// What was found stays until the answer is there, so that the canvas does not flicker with each edit.
void ShownSearches::again() {
  cancel(running_);
  running_.reset();
  if (shown_.empty() || !document_.isOpen() || document_.isPlainGraph()) {
    for (ShownSearch& each : shown_) each.hits.clear();
    return emit changed();
  }
  running_ = newCancelToken();
  std::vector<Query> queries;
  for (const ShownSearch& each : shown_) queries.push_back(each.query);
  background_.startForFile(
      kArrangement,
      [this, module = document_.module(), queries = std::move(queries), cancel = running_]() -> Background::Answer {
        std::vector<std::vector<InstructionId>> hits;
        for (const Query& query : queries) hits.push_back(search(module, query, [&] { return cancel->load(); }));
        return [this, hits = std::move(hits), cancel]() mutable {
          if (cancel != running_) return;
          running_.reset();
          for (size_t i = 0; i < shown_.size(); ++i) shown_[i].hits = std::move(hits[i]);
          emit changed();
        };
      });
}

std::optional<std::vector<InstructionId>> ShownSearches::filtered() const {
  std::optional<std::vector<InstructionId>> out;
  for (const ShownSearch& each : shown_) {
    if (each.look != SearchLook::Filter) continue;
    if (!out) out.emplace();
    out->insert(out->end(), each.hits.begin(), each.hits.end());
  }
  return out;
}

std::vector<std::pair<InstructionId, SearchLook>> ShownSearches::colored() const {
  std::vector<std::pair<InstructionId, SearchLook>> out;
  for (const ShownSearch& each : shown_)
    if (isColor(each.look))
      for (const InstructionId id : each.hits) out.emplace_back(id, each.look);
  return out;
}

}  // namespace tessera
