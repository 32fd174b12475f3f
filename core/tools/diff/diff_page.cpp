// Both modules side by side, a table a pair of computations: what stands for each other is one row. Runs of equal rows
// fold; very long ones are only counted.
#include "core/tools/diff/diff_page.h"

#include <algorithm>
#include <map>
#include <unordered_map>
#include <unordered_set>

#include <fmt/format.h>

#include "core/base/markup.h"

namespace tessera {
namespace {

constexpr size_t kContext = 3;          // equal rows that stay open beside a difference
constexpr size_t kMaxFoldedRows = 400;  // of one run

constexpr const char* kStyle = R"(
:root{color-scheme:light dark;--changed:#b8860033;--added:#1a9c4a2e;--removed:#d0342c2e;--line:#8884}
body{font:14px/1.45 system-ui,sans-serif;margin:24px;max-width:1800px}
table{border-collapse:collapse;width:100%;table-layout:fixed;margin:4px 0 20px}
td,th{padding:2px 8px;text-align:left;vertical-align:top;border-bottom:1px solid var(--line);overflow-wrap:anywhere}
.code td{font:12px/1.5 ui-monospace,monospace}
.numbers{width:auto}.numbers td{text-align:right;font-variant-numeric:tabular-nums}
.numbers td:first-child{text-align:left}
.changed td{background:var(--changed)}.added td:last-child{background:var(--added)}
.removed td:first-child{background:var(--removed)}
.what{color:#888;padding-left:1.5em;display:block}summary{cursor:pointer;color:#888}h2{font-size:15px;margin:18px 0 0}
)";

// A row: an instruction of one module or of both.
struct Row {
  InstructionId left, right;
};

class Page {
 public:
  Page(const Module& left, const Module& right, const DiffResult& found) : left_(left), right_(right), found_(found) {
    for (const ChangedInstruction& one : found.changed) changes_[{one.left, one.right}] = &one.changes;
  }

  std::string write(const std::string& leftName, const std::string& rightName, const CostDelta& cost) {
    const std::string a = escapedForMarkup(leftName), b = escapedForMarkup(rightName);
    out_ = fmt::format(
        "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><title>{} and {}</title><style>{}</style>"
        "</head><body>\n<h1>{} → {}</h1>\n<p>{} matched, {} changed, {} added, {} removed</p>\n",
        a, b, kStyle, a, b, found_.matched, found_.changed.size(), found_.added.size(), found_.removed.size());
    costs(cost);
    computationChanges();
    for (const auto& [one, other] : found_.computationPairs) {
      if (!shownLeft_.insert(one).second) continue;
      shownRight_.insert(other);
      section("%" + left_.at(one).name + " → %" + right_.at(other).name, rowsOf(one, other));
    }
    rest();
    out_ += "</body></html>\n";
    return std::move(out_);
  }

 private:
  void costs(const CostDelta& cost) {
    out_ += "<table class=\"numbers\"><tr><th></th><th>before</th><th>after</th><th>difference</th></tr>\n";
    const auto row = [this](const char* name, double one, double other) {
      const double share = one != 0 ? 100 * (other - one) / one : 0;
      out_ += fmt::format("<tr><td>{}</td><td>{:.0f}</td><td>{:.0f}</td><td>{:+.0f}{}</td></tr>\n", name, one, other,
                          other - one, one != 0 ? fmt::format(" ({:+.1f} %)", share) : "");
    };
    row("flops", cost.left.flops, cost.right.flops);
    row("bytes accessed", cost.left.bytesAccessed, cost.right.bytesAccessed);
    row("peak bytes", static_cast<double>(cost.leftPeak), static_cast<double>(cost.rightPeak));
    out_ += "</table>\n";
  }

  void computationChanges() {
    for (const ChangedComputation& one : found_.computations)
      for (const Change& change : one.changes)
        out_ += fmt::format("<p><code>%{}</code> {}</p>\n", escapedForMarkup(left_.at(one.left).name), words(change));
  }

  static std::string words(const Change& change) {
    return fmt::format("{}: {} → {}", escapedForMarkup(change.what), escapedForMarkup(change.inLeft),
                       escapedForMarkup(change.inRight));
  }

  // In the order of the right computation; what is gone precedes what followed it. What moved to or from another
  // computation is in both.
  std::vector<Row> rowsOf(ComputationId one, ComputationId other) const {
    std::vector<Row> rows;
    const auto& gone = left_.at(one).instructions;
    std::unordered_map<InstructionId, size_t> places;
    for (size_t i = 0; i < gone.size(); ++i) places[gone[i]] = i;
    size_t next = 0;
    const auto goneUpTo = [&](size_t place) {
      for (; next < place; ++next)
        if (const InstructionId partner = found_.left[gone[next].value].partner;
            !partner.valid() || right_.at(partner).computation != other)
          rows.push_back({gone[next], partner});
    };
    for (InstructionId id : right_.at(other).instructions) {
      const InstructionId partner = found_.right[id.value].partner;
      const auto place = places.find(partner);
      if (place != places.end()) goneUpTo(std::max(next, place->second));
      rows.push_back({partner, id});
    }
    goneUpTo(gone.size());
    return rows;
  }

  // Computations that have no partner.
  void rest() {
    for (ComputationId id : left_.order()) {
      if (shownLeft_.contains(id) || isCopy(found_.left, left_.at(id))) continue;
      std::vector<Row> rows;
      for (InstructionId in : left_.at(id).instructions) rows.push_back({in, found_.left[in.value].partner});
      section("%" + left_.at(id).name, rows);
    }
    for (ComputationId id : right_.order()) {
      if (shownRight_.contains(id) || isCopy(found_.right, right_.at(id))) continue;
      std::vector<Row> rows;
      for (InstructionId in : right_.at(id).instructions) rows.push_back({found_.right[in.value].partner, in});
      section("%" + right_.at(id).name, rows);
    }
  }
  static bool isCopy(const std::vector<InstructionDiff>& states, const Computation& computation) {
    return std::ranges::all_of(computation.instructions,
                               [&](InstructionId id) { return states[id.value].state == DiffState::Matched; });
  }

  bool isEqual(const Row& row) const {
    return row.left.valid() && row.right.valid() && !changes_.contains({row.left, row.right});
  }

  void section(const std::string& title, const std::vector<Row>& rows) {
    out_ += "<h2>" + escapedForMarkup(title) + "</h2>\n";
    for (size_t i = 0; i < rows.size();) {
      size_t end = i;
      while (end < rows.size() && isEqual(rows[end])) ++end;
      const size_t begin = i == 0 ? 0 : std::min(i + kContext, end);
      const size_t stop = end == rows.size() ? end : std::max(begin, end - std::min(end, kContext));
      table(rows, i, begin);
      folded(rows, begin, stop);
      size_t until = end;
      while (until < rows.size() && !isEqual(rows[until])) ++until;
      table(rows, stop, until);
      i = until;
    }
  }

  void folded(const std::vector<Row>& rows, size_t begin, size_t end) {
    if (begin == end) return;
    if (end - begin > kMaxFoldedRows) {
      out_ += fmt::format("<p class=\"what\">{} equal instructions</p>\n", end - begin);
      return;
    }
    out_ += fmt::format("<details><summary>{} equal instructions</summary>\n", end - begin);
    table(rows, begin, end);
    out_ += "</details>\n";
  }

  void table(const std::vector<Row>& rows, size_t begin, size_t end) {
    if (begin == end) return;
    out_ += "<table class=\"code\">\n";
    for (size_t i = begin; i < end; ++i) line(rows[i]);
    out_ += "</table>\n";
  }

  void line(const Row& row) {
    const auto changes = changes_.find({row.left, row.right});
    const bool changed = changes != changes_.end();
    const char* state = !row.left.valid() ? "added" : !row.right.valid() ? "removed" : changed ? "changed" : "matched";
    out_ +=
        fmt::format("<tr class=\"{}\"><td>{}</td><td>{}", state, textOf(left_, row.left), textOf(right_, row.right));
    if (changed)
      for (const Change& change : *changes->second) out_ += "<span class=\"what\">" + words(change) + "</span>";
    out_ += "</td></tr>\n";
  }
  static std::string textOf(const Module& module, InstructionId id) {
    return id.valid() ? escapedForMarkup(shortDescription(module, id)) : std::string();
  }

  const Module &left_, &right_;
  const DiffResult& found_;
  std::map<std::pair<InstructionId, InstructionId>, const std::vector<Change>*> changes_;
  std::unordered_set<ComputationId> shownLeft_, shownRight_;
  std::string out_;
};

}  // namespace

std::string diffPage(const Module& left, const std::string& leftName, const Module& right, const std::string& rightName,
                     const DiffResult& found, const CostDelta& cost) {
  return Page(left, right, found).write(leftName, rightName, cost);
}

}  // namespace tessera
