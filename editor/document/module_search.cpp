// See module_search.h.
#include "editor/document/module_search.h"

#include <algorithm>
#include <utility>

#include <fmt/ranges.h>

#include "core/tools/query/search.h"
#include "core/tools/query/unknown_names.h"
#include "editor/document/document.h"
#include "editor/document/priorities.h"

namespace tessera {
namespace {

// Callers before callees, as a person walks them; search goes by the file's order.
std::vector<InstructionId> entryFirst(const Module& module, const std::vector<InstructionId>& found) {
  std::vector<InstructionId> out;
  for (auto end = found.rbegin(); end != found.rend();) {
    auto begin = end;
    while (begin != found.rend() && module.at(*begin).computation == module.at(*end).computation) ++begin;
    out.insert(out.end(), begin.base(), end.base());
    end = begin;
  }
  return out;
}

}  // namespace

void ModuleSearch::setText(const QString& text) {
  if (text == text_) return;
  text_ = text;
  again();
}

// What was found stays until the answer is there, so that the canvas does not flicker with each letter.
void ModuleSearch::again() {
  cancel(running_);
  auto query = Query::parse(text_.toStdString());
  error_ = query ? std::nullopt : std::optional(query.error());
  const bool searches = query && !query->isEmpty() && document_.isOpen() && !document_.isPlainGraph();
  if (!searches) {
    running_.reset();
    on_ = false;
    hits_.clear();
    whyNone_.clear();
    return emit changed();
  }
  running_ = newCancelToken();
  background_.startForFile(
      kArrangement,
      [this, module = document_.module(), query = std::move(*query), cancel = running_]() -> Background::Answer {
        auto hits = entryFirst(module, search(module, query, [&] { return cancel->load(); }));
        auto unknown = hits.empty() ? unknownNames(module, query) : std::vector<std::string>();
        return [this, hits = std::move(hits), unknown = std::move(unknown), cancel]() mutable {
          if (cancel != running_) return;
          running_.reset();
          take(std::move(hits), unknown);
        };
      });
}

void ModuleSearch::take(std::vector<InstructionId> hits, const std::vector<std::string>& unknown) {
  std::erase_if(hits, [&](InstructionId id) { return !document_.module().contains(id); });
  hits_ = std::move(hits);
  whyNone_ = QString::fromStdString(fmt::format("{}", fmt::join(unknown, "\n")));
  on_ = true;
  emit changed();
}

void ModuleSearch::complete(const QString& text, qsizetype cursor) {
  if (!document_.isOpen() || document_.isPlainGraph()) return;
  const auto at = static_cast<size_t>(text.left(cursor).toUtf8().size());
  background_.startForFile(
      kEditing, [this, module = document_.module(), text, at, request = ++completions_]() -> Background::Answer {
        auto found = completeQuery(module, text.toStdString(), at);
        return [this, found = std::move(found), text, request] {
          if (request == completions_) emit completed(text, found);
        };
      });
}

}  // namespace tessera
