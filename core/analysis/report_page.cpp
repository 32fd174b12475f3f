// See report_page.h. The graph's page is in an iframe; tables are sorted by a few lines of script.
#include "core/analysis/report_page.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/analysis/measure.h"
#include "core/base/markup.h"
#include "core/base/sorting.h"
#include "core/base/units.h"
#include "core/export/html.h"
#include "core/profile/op_tree.h"

namespace tessera {
namespace {

constexpr size_t kMostRows = 500;  // of a table
constexpr size_t kMostLive = 40;
constexpr double kThinnest = 0.004;  // of the whole: thinner boxes are not written

constexpr const char* kStyle = R"(
:root{color-scheme:light dark;--line:#8884;--mild:#8888;--compute:#e0883a;--memory:#3f8fd6;--overhead:#9a63c0}
body{font:14px/1.45 system-ui,sans-serif;margin:24px auto;max-width:1280px;padding:0 16px}
h1{font-size:20px}h2{font-size:16px;margin:28px 0 6px}p{margin:4px 0}
table{border-collapse:collapse;width:100%}.wide{overflow-x:auto}
td,th{padding:2px 8px;border-bottom:1px solid var(--line);text-align:right;white-space:nowrap;
font-variant-numeric:tabular-nums}
td:first-child,th:first-child{text-align:left;white-space:normal;overflow-wrap:anywhere;min-width:16em}
th{cursor:pointer;position:sticky;top:0;background:Canvas}
td.word,th.word{text-align:left}
.drawing{width:100%;height:auto;font-size:11px}.drawing text{fill:CanvasText}.grid{stroke:var(--line)}
.roof{stroke:CanvasText;stroke-width:1.4}.area{fill:var(--memory);opacity:.6}circle{opacity:.75;stroke:var(--mild)}
circle.compute,.b-compute{fill:var(--compute)}circle.memory{fill:var(--memory)}circle.overhead{fill:var(--overhead)}
circle.unknown{fill:var(--mild)}
.boxes,.row{display:flex;width:100%}.box{overflow:hidden;min-width:0}
.box>span{display:block;overflow:hidden;white-space:nowrap;text-overflow:ellipsis;padding:1px 4px;margin:0 1px 1px 0;
background:color-mix(in srgb,var(--c) 32%,Canvas);font-size:12px}
iframe{width:100%;height:640px;border:1px solid var(--line)}
.key i{display:inline-block;width:10px;height:10px;margin:0 4px 0 12px}
)";

constexpr const char* kScript = R"(
for (const head of document.querySelectorAll('th')) head.addEventListener('click', () => {
  const body = head.closest('table').tBodies[0], column = head.cellIndex, rows = [...body.rows];
  const value = row => {
    const cell = row.cells[column];
    return cell.dataset.n === undefined ? cell.textContent : +cell.dataset.n;
  };
  const down = head.dataset.down = head.dataset.down === '1' ? '' : '1';
  rows.sort((a, b) => { const x = value(a), y = value(b); return (x < y ? -1 : x > y ? 1 : 0) * (down ? -1 : 1); });
  body.append(...rows);
});
)";

class ReportWriter {
 public:
  explicit ReportWriter(const ReportInput& input) : in_(input), profile_(*input.profile) {}

  std::string write() {
    const std::string title = escapedForMarkup(in_.title);
    out_ = fmt::format(
        "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><title>{}</title><style>{}</style>"
        "</head><body>\n<h1>{}</h1>\n",
        title, kStyle, title);
    summary();
    graph();
    boxes();
    instructions();
    groups(OpGrouping::Opcode, "By opcode");
    groups(OpGrouping::Category, "By category");
    groups(OpGrouping::Source, "By source line");
    roofline();
    memory();
    communication();
    lost();
    out_ += fmt::format("<script>{}</script>\n</body></html>\n", kScript);
    return std::move(out_);
  }

 private:
  void heading(const std::string& words) { out_ += fmt::format("<h2>{}</h2>\n", escapedForMarkup(words)); }
  void paragraph(const std::string& words) { out_ += fmt::format("<p>{}</p>\n", escapedForMarkup(words)); }

  // --- tables
  void beginTable(std::initializer_list<const char*> titles) {
    out_ += "<div class=\"wide\"><table><thead><tr>";
    for (const char* title : titles) out_ += fmt::format("<th>{}</th>", title);
    out_ += "</tr></thead><tbody>\n";
  }
  void endTable() { out_ += "</tbody></table></div>\n"; }
  void word(const std::string& text) { out_ += fmt::format("<td class=\"word\">{}</td>", escapedForMarkup(text)); }
  void cell(double number, const std::string& text) {
    out_ += fmt::format("<td data-n=\"{:.9g}\">{}</td>", number, text);
  }
  void time(double ns) { cell(ns, ns > 0 ? durationText(ns) : ""); }
  void rate(double giga) { cell(giga, giga > 0 ? fmt::format("{:.3g}", giga) : ""); }
  void share(double of, double all) { cell(of, all > 0 ? fmt::format("{:.1f} %", 100 * of / all) : ""); }
  void cut(size_t all) {
    if (all > kMostRows) paragraph(fmt::format("… and {} more rows", all - kMostRows));
  }

  void summary() {
    paragraph(fmt::format(
        "{}. Placed {} of {}, unmatched {}.", profile_.format, durationText(static_cast<double>(profile_.placedNs)),
        durationText(static_cast<double>(profile_.totalNs)), durationText(static_cast<double>(profile_.unmatchedNs))));
    if (profile_.steps > 0)
      paragraph(fmt::format("{} steps; all numbers below are of one, with {} of instructions.", profile_.steps,
                            durationText(in_.times.totalNs)));
    if (in_.device) paragraph(fmt::format("Held against {} ({}).", in_.device->name, in_.device->source));
    for (const std::string& warning : profile_.warnings) paragraph(warning);
  }

  void graph() {
    if (!in_.module) return;
    heading("Graph");
    Overlay overlay = selfTimesOf(in_.times, *in_.module);
    overlay.title = fmt::format("self time · {} in all", durationText(in_.times.totalNs));
    const std::string page =
        toHtmlPage(*in_.module, {.shown = in_.module->entry(), .theme = std::nullopt, .overlay = &overlay});
    out_ += fmt::format("<iframe title=\"graph\" srcdoc=\"{}\"></iframe>\n", escapedForMarkup(page));
  }

  // --- nested boxes
  void box(const OpTree& tree, int32_t number, double whole, int depth) {
    constexpr int kDeepest = 8;
    const OpRow& row = tree.rows[static_cast<size_t>(number)];
    if (row.totalNs < kThinnest * whole || depth > kDeepest) return;
    const size_t color = std::hash<std::string>()(row.facts.opcode.empty() ? row.facts.name : row.facts.opcode) % 360;
    out_ += fmt::format(
        "<div class=\"box\" style=\"flex:{:.6g};--c:hsl({} 60% 50%)\"><span title=\"{}: {}, {:.1f} %\">{}"
        "</span>",
        row.totalNs / whole, color, escapedForMarkup(row.facts.name), durationText(row.totalNs),
        100 * row.totalNs / whole, escapedForMarkup(row.facts.name));
    if (!row.children.empty()) {
      out_ += "<div class=\"row\">";
      double inside = 0;
      for (int32_t child : row.children) {
        inside += tree.rows[static_cast<size_t>(child)].totalNs;
        box(tree, child, whole, depth + 1);
      }
      if (row.totalNs > inside)
        out_ += fmt::format("<div style=\"flex:{:.6g}\"></div>", (row.totalNs - inside) / whole);
      out_ += "</div>";
    }
    out_ += "</div>";
  }
  void boxes() {
    const OpTree tree = opTree(in_.times, OpGrouping::Scope);
    if (tree.totalNs <= 0) return;
    heading("Where the time goes");
    out_ += "<div class=\"boxes\">";
    for (int32_t root : tree.roots) box(tree, root, tree.totalNs, 1);
    out_ += "</div>\n";
  }

  // --- the profile
  void instructions() {
    std::vector<const OpUnit*> sorted;
    for (const OpUnit& unit : in_.times.units) sorted.push_back(&unit);
    sortDescending(sorted, &OpUnit::selfNs);
    heading("Kernels");
    beginTable({"instruction", "self", "", "total", "count", "GF/s", "GB/s", "bound by", "attainable", "wasted",
                "opcode", "scope", "source"});
    for (size_t i = 0; i < std::min(sorted.size(), kMostRows); ++i) {
      const OpUnit& unit = *sorted[i];
      out_ += "<tr>";
      word(unit.facts.name);
      time(unit.selfNs), share(unit.selfNs, in_.times.totalNs), time(unit.totalNs);
      cell(unit.count, fmt::format("{:g}", unit.count));
      rate(unit.selfNs > 0 ? unit.flops / unit.selfNs : 0), rate(unit.selfNs > 0 ? unit.bytes / unit.selfNs : 0);
      word(std::string(nameOf(unit.bound)));
      time(unit.attainableNs), time(unit.wastedNs());
      word(unit.facts.opcode), word(unit.facts.scope), word(unit.facts.source);
      out_ += "</tr>\n";
    }
    endTable();
    cut(sorted.size());
  }
  void groups(OpGrouping by, const char* title) {
    const OpTree tree = opTree(in_.times, by);
    heading(title);
    beginTable({"group", "total", "", "count", "GF/s", "GB/s", "wasted"});
    for (size_t i = 0; i < std::min(tree.roots.size(), kMostRows); ++i) {
      const OpRow& row = tree.rows[static_cast<size_t>(tree.roots[i])];
      out_ += "<tr>";
      word(row.facts.name);
      time(row.totalNs), share(row.totalNs, tree.totalNs);
      cell(row.count, fmt::format("{:g}", row.count));
      rate(row.ratedNs > 0 ? row.flops / row.ratedNs : 0), rate(row.ratedNs > 0 ? row.bytes / row.ratedNs : 0);
      time(row.wastedNs);
      out_ += "</tr>\n";
    }
    endTable();
    cut(tree.roots.size());
  }

  void roofline() {
    if (!in_.device) return;
    const std::vector<RooflineDot> dots = rooflineDots(in_.times, *in_.device, OpGrouping::None);
    const std::string drawing = rooflineDrawing(dots, *in_.device);
    if (dots.empty() || drawing.empty()) return;
    heading("Roofline");
    const ModelError error = modelError(dots);
    if (error.kernels > 0)
      paragraph(
          fmt::format("Measured is {:.3g} to {:.3g} times what the device needs at least, {:.3g} in the median, over "
                      "{} kernels.",
                      error.low, error.high, error.median, error.kernels));
    if (error.faster > 0) paragraph(error.doubt() + ".");
    out_ += drawing;
    out_ +=
        "<p class=\"key\">bound by<i style=\"background:var(--compute)\"></i>compute<i "
        "style=\"background:var(--memory)\"></i>memory<i style=\"background:var(--overhead)\"></i>overhead</p>\n";
  }

  void memory() {
    if (!in_.module) return;
    const auto report = memoryReport(*in_.module);
    if (!report || report->moments.empty()) return;
    heading("Memory");
    const Instruction& at = report->module.at(report->moments[report->peakMoment]);
    paragraph(fmt::format("Peak {} at {}, allocated {}; by our buffer assignment, in the module's own order.",
                          bytesText(static_cast<double>(report->peakBytes())), at.name,
                          bytesText(static_cast<double>(report->allocatedBytes()))));
    out_ += memoryDrawing(*report);
    beginTable({"live at the peak", "bytes", "padding", "from", "to", "kind"});
    const std::vector<size_t> live = report->liveAt(report->peakMoment);
    for (size_t i = 0; i < std::min(live.size(), kMostLive); ++i) {
      const MemoryBuffer& buffer = report->buffers[live[i]];
      out_ += "<tr>";
      word(std::string(report->module.at(buffer.instruction).name));
      cell(static_cast<double>(buffer.bytes), bytesText(static_cast<double>(buffer.bytes)));
      cell(static_cast<double>(buffer.padding),
           buffer.padding > 0 ? bytesText(static_cast<double>(buffer.padding)) : "");
      cell(static_cast<double>(buffer.begin), std::to_string(buffer.begin));
      cell(static_cast<double>(buffer.end), std::to_string(buffer.end));
      word(std::string(nameOf(buffer.kind)));
      out_ += "</tr>\n";
    }
    endTable();
  }

  void communication() {
    if (!in_.module) return;
    const CommunicationTimes found = communicationOf(*in_.module, in_.times, profile_.timeline.get());
    if (found.uses.empty()) return;
    heading("Communication");
    beginTable({"kind", "groups", "axis", "count", "bytes each", "time", "exposed", "GB/s", "bus GB/s", "skew"});
    for (const CollectiveUse& use : groupedByKind(found)) {
      out_ += "<tr>";
      word(use.kind), word(use.groups), word(use.axis);
      cell(use.count, fmt::format("{:g}", use.count));
      cell(use.bytes, bytesText(use.bytes));
      time(use.ns), time(use.exposedNs), rate(use.rate()), rate(use.busRate()), time(use.skewNs);
      out_ += "</tr>\n";
    }
    endTable();
    for (const std::string& note : found.notes) paragraph(note);
  }

  void lost() {
    if (in_.times.lost.empty()) return;
    heading("Not placed");
    beginTable({"name", "time", "count", "reason"});
    for (size_t i = 0; i < std::min(in_.times.lost.size(), kMostRows); ++i) {
      const LostTime& row = in_.times.lost[i];
      out_ += "<tr>";
      word(row.name);
      time(static_cast<double>(row.times.selfNs > 0 ? row.times.selfNs : row.times.totalNs));
      cell(static_cast<double>(row.times.count), std::to_string(row.times.count));
      word(row.reason);
      out_ += "</tr>\n";
    }
    endTable();
  }

  const ReportInput& in_;
  const OpProfile& profile_;
  std::string out_;
};

}  // namespace

std::string reportPage(const ReportInput& input) { return ReportWriter(input).write(); }

}  // namespace tessera
