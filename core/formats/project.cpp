// See project.h. The form, a keyword a line:
//   tessera project 1
//   graph "model.hlo"                  only when the graph is elsewhere
//   show "main.5"
//   flow right                         or down; without it, as the graph's form asks for
//   run backend evaluator              how it is run, see run_settings.h
//   page "main.5"                      the lines below belong to it
//   flow right                         of the places on this page
//   groups                             says that the open groups follow; all others are closed
//   open "main/layer_0"
//   at "add.3" 120 40.5                an instruction's box
//   group-at "main/layer_1" 0 200      a group's
//   frame 0 0 400 200 "encoder" 3      a colour's number, when it has one
//   note 10 -40 200 30 "why this is here"
//   via "add.3" 1 40 60 40 90          points that the wire to input 1 passes
//   mute "add.3"                       a run passes it by
//   large "add.3"                      its value is shown large
//   watch "add.3"                      its value is shown, however long that takes
//   size "x" 0 "B"                     what a dimension is called
//   bookmark "add.3"
//   hlo                                HLO text follows, up to the last line
//   end
#include "core/formats/project.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>

#include "core/base/sorting.h"
#include "core/formats/file_content.h"
#include "core/formats/hlo_text/lexer.h"

namespace tessera {
namespace {

constexpr std::string_view kMagic = "tessera project ";
constexpr int64_t kVersion = 1;
constexpr double kLargest = 1e9;  // number of a file

// What is said of an instruction in one word.
constexpr std::pair<std::string_view, std::set<std::string> ProjectPage::*> kMarks[] = {
    {"mute", &ProjectPage::muted}, {"large", &ProjectPage::enlarged}, {"watch", &ProjectPage::watched}};

std::string inQuotes(std::string_view text) {
  std::string out = "\"";
  text::appendEscaped(out, text);
  return out + '"';
}

// As a file says it: in tenths, without "-0".
double shown(double value) {
  const double tenths = std::round(keptInReach(value) * 10);
  return tenths == 0 ? 0 : tenths / 10;
}

std::string number(double value) {
  char buffer[48];
  return {buffer, std::to_chars(buffer, buffer + sizeof buffer, shown(value)).ptr};
}

// Reads lines, one keyword each, into a Project.
class Reader {
 public:
  explicit Reader(std::string_view content) : rest_(content), content_(content) {}

  Result<ProjectContent> read() {
    TESSERA_TRY(readVersion());
    TESSERA_TRY(findEnd());
    while (!rest_.empty()) {
      nextLine();
      if (line_.empty()) continue;
      if (word() == "hlo" && line_.empty()) return graphHere();
      TESSERA_TRY(readItem());
    }
    if (out_.project.graphFile.empty()) return wrong("the project has no graph", "hlo, or graph \"FILE\" above");
    return std::move(out_);
  }

 private:
  std::unexpected<Diagnostic> wrong(std::string message, std::string expected = {}, std::string found = {}) const {
    return fail({.message = std::move(message),
                 .expected = std::move(expected),
                 .found = std::move(found),
                 .position = {lineNumber_, 1}});
  }

  void nextLine() {
    const size_t end = rest_.find('\n');
    whole_ = line_ = rest_.substr(0, end);
    rest_ = end == std::string_view::npos ? std::string_view() : rest_.substr(end + 1);
    ++lineNumber_;
    if (line_.ends_with('\r')) line_.remove_suffix(1);
    keyword_ = {};
  }
  std::string_view word() {
    const size_t end = line_.find(' ');
    keyword_ = line_.substr(0, end);
    line_ = end == std::string_view::npos ? std::string_view() : line_.substr(end + 1);
    return keyword_;
  }

  Status readVersion() {
    nextLine();
    if (!line_.starts_with(kMagic))
      return wrong("the first line of the project file is broken", "tessera project 1",
                   std::string(line_.substr(0, 40)));
    const std::string_view text = line_.substr(kMagic.size());
    int64_t version = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), version);
    if (error != std::errc() || end != text.data() + text.size() || version < 1)
      return wrong("the version of the project file does not read", "a number", std::string(text));
    if (version > kVersion)
      return wrong("the project was written by a newer Tessera; this one reads version " + std::to_string(kVersion) +
                       " and older ones",
                   std::to_string(kVersion), std::to_string(version));
    return {};
  }

  // The last line is "end": a file that was cut short has none.
  Status findEnd() {
    std::string_view body = rest_;
    while (!body.empty() && (body.back() == '\n' || body.back() == '\r' || body.back() == ' ')) body.remove_suffix(1);
    const size_t newline = body.rfind('\n');
    const size_t begin = newline == std::string_view::npos ? 0 : newline + 1;
    if (body.substr(begin) == "end") {
      rest_ = body.substr(0, begin);
      return {};
    }
    lineNumber_ =
        static_cast<uint32_t>(1 + std::ranges::count(content_.substr(0, content_.size() - rest_.size()), '\n') +
                              std::ranges::count(body, '\n'));
    return wrong("the project file ends too early: its last line is missing", "end");
  }

  Result<ProjectContent> graphHere() {
    if (!out_.project.graphFile.empty())
      return wrong("the project has its graph twice: here and in " + out_.project.graphFile);
    out_.graph = rest_;
    out_.graphLine = lineNumber_ + 1;
    return std::move(out_);
  }

  Status readItem() {
    const std::string_view key = keyword_;
    std::string text;
    if (key == "graph") return readText(out_.project.graphFile);
    if (key == "show") return readText(out_.project.shown);
    if (key == "flow") return readFlow(out_.project.pages.empty() ? out_.project.flow : out_.project.pages.back().flow);
    if (key == "run") {
      Status read = readRunSetting(out_.project.run, line_);
      if (!read) read.error().position = {lineNumber_, 1};
      return read;
    }
    if (key == "page") {
      TESSERA_TRY(readText(text));
      if (out_.project.find(text)) return wrong("the page " + inQuotes(text) + " appears twice");
      page_ = &out_.project.page(text);
      return {};
    }
    constexpr std::string_view kPageWords[] = {"groups", "open", "at",    "group-at", "frame", "note",
                                               "via",    "mute", "large", "watch",    "size",  "bookmark"};
    if (std::ranges::find(kPageWords, key) == std::end(kPageWords))
      return wrong(
          "the line does not read",
          "graph, show, run, flow, page, groups, open, at, group-at, frame, note, via, mute, large, watch, size, "
          "bookmark, hlo or end",
          std::string(whole_.substr(0, 60)));
    if (out_.project.pages.empty()) return wrong("the line belongs to no page", "page \"COMPUTATION\" above");
    page_ = &out_.project.pages.back();
    return readPageItem(key);
  }

  Status readPageItem(std::string_view key) {
    std::string text;
    if (key == "groups") {
      page_->opened = true;
      return atEnd();
    }
    if (key == "open") {
      TESSERA_TRY(readText(text));
      page_->openGroups.push_back(std::move(text));
      page_->opened = true;
      return {};
    }
    if (key == "frame" || key == "note") {
      PageBox& box = (key == "frame" ? page_->frames : page_->notes).emplace_back();
      for (double* value : {&box.x, &box.y, &box.width, &box.height}) TESSERA_TRY(readNumber(*value));
      if (box.width < 0 || box.height < 0) return wrong("a " + std::string(key) + " has a negative size");
      TESSERA_TRY(readString(box.text));
      skipBlanks();
      return line_.empty() ? Status() : readCount(box.color, kPageColors);
    }
    if (key == "bookmark") {
      TESSERA_TRY(readText(text));
      page_->bookmarks.push_back(std::move(text));
      return {};
    }
    for (const auto& [word, names] : kMarks)
      if (key == word) {
        TESSERA_TRY(readText(text));
        (page_->*names).insert(std::move(text));
        return {};
      }
    if (key == "via" || key == "size") return readSpot(key);
    PagePoint point;
    TESSERA_TRY(readString(text));
    TESSERA_TRY(readNumber(point.x));
    TESSERA_TRY(readNumber(point.y));
    auto& places = key == "at" ? page_->instructions : page_->groups;
    if (!places.emplace(text, point).second) return wrong(inQuotes(text) + " has two places");
    return atEnd();
  }

  // An input with the points of its wire, or a dimension with its name.
  Status readSpot(std::string_view key) {
    PageSpot spot;
    TESSERA_TRY(readString(spot.first));
    TESSERA_TRY(readWhole(spot.second, INT32_MAX));
    if (key == "size") {
      std::string name;
      TESSERA_TRY(readText(name));
      return page_->sizeNames.emplace(std::move(spot), std::move(name)).second ? Status()
                                                                               : wrong("a dimension has two names");
    }
    auto& points = page_->reroutes[std::move(spot)];
    for (skipBlanks(); !line_.empty(); skipBlanks()) {
      PagePoint& point = points.emplace_back();
      TESSERA_TRY(readNumber(point.x));
      TESSERA_TRY(readNumber(point.y));
    }
    return {};
  }

  Status readFlow(PageFlow& out) {
    if (line_ != "right" && line_ != "down")
      return wrong("the flow of a page does not read", "right or down", std::string(line_.substr(0, 60)));
    out = line_ == "right" ? PageFlow::Right : PageFlow::Down;
    return {};
  }

  void skipBlanks() {
    while (line_.starts_with(' ')) line_.remove_prefix(1);
  }
  Status atEnd() {
    skipBlanks();
    return line_.empty() ? Status()
                         : wrong("there is more on the line than belongs there", {}, std::string(line_.substr(0, 60)));
  }
  Status readString(std::string& out) {
    skipBlanks();
    size_t end = 1;
    while (end < line_.size() && line_[end] != '"') end += line_[end] == '\\' ? 2 : 1;
    if (!line_.starts_with('"') || end >= line_.size())
      return wrong("a text in quotes is missing or has no end", "\"…\"", std::string(whole_.substr(0, 60)));
    out = text::unescape(line_.substr(1, end - 1));
    line_ = line_.substr(end + 1);
    return {};
  }
  Status readText(std::string& out) {
    TESSERA_TRY(readString(out));
    return atEnd();
  }
  // A whole number from 0, below a limit.
  Status readWhole(int32_t& out, int32_t below) {
    double value = 0;
    TESSERA_TRY(readNumber(value));
    if (value < 0 || value >= below || value != std::floor(value))
      return wrong("a number is out of range", "0 to " + std::to_string(below - 1), fmt::format("{}", value));
    out = static_cast<int32_t>(value);
    return {};
  }
  Status readCount(int32_t& out, int32_t below) {
    TESSERA_TRY(readWhole(out, below));
    return atEnd();
  }
  Status readNumber(double& out) {
    skipBlanks();
    const auto [end, error] = std::from_chars(line_.data(), line_.data() + line_.size(), out);
    if (error != std::errc() || !(std::abs(out) <= kLargest))
      return wrong("a number does not read", "a number", std::string(whole_.substr(0, 60)));
    line_.remove_prefix(static_cast<size_t>(end - line_.data()));
    return {};
  }

  std::string_view rest_, content_, line_, whole_, keyword_;
  uint32_t lineNumber_ = 0;
  ProjectContent out_;
  ProjectPage* page_ = nullptr;
};

void appendBoxes(std::string& out, std::string_view key, std::vector<PageBox> boxes) {
  sortBy(boxes, [](const PageBox& b) {
    return std::tuple(shown(b.y), shown(b.x), b.text, shown(b.width), shown(b.height), b.color);
  });
  for (const PageBox& b : boxes)
    out += std::string(key) + ' ' + number(b.x) + ' ' + number(b.y) + ' ' + number(b.width) + ' ' + number(b.height) +
           ' ' + inQuotes(b.text) + (b.color ? ' ' + std::to_string(b.color) : std::string()) + '\n';
}

void appendFlow(std::string& out, PageFlow flow) {
  if (flow != PageFlow::ByForm) out += flow == PageFlow::Right ? "flow right\n" : "flow down\n";
}

void appendPage(std::string& out, const ProjectPage& page) {
  out += "page " + inQuotes(page.computation) + '\n';
  if (page.isPlaced()) appendFlow(out, page.flow);
  if (page.opened) out += "groups\n";
  std::vector<std::string> open = page.openGroups;
  std::ranges::sort(open);
  for (const std::string& group : open) out += "open " + inQuotes(group) + '\n';
  for (const auto& [name, p] : page.instructions)
    out += "at " + inQuotes(name) + ' ' + number(p.x) + ' ' + number(p.y) + '\n';
  for (const auto& [name, p] : page.groups)
    out += "group-at " + inQuotes(name) + ' ' + number(p.x) + ' ' + number(p.y) + '\n';
  appendBoxes(out, "frame", page.frames);
  appendBoxes(out, "note", page.notes);
  for (const auto& [spot, points] : page.reroutes) {
    out += "via " + inQuotes(spot.first) + ' ' + std::to_string(spot.second);
    for (const PagePoint& p : points) out += ' ' + number(p.x) + ' ' + number(p.y);
    out += '\n';
  }
  for (const auto& [word, names] : kMarks)
    for (const std::string& name : page.*names) out += std::string(word) + ' ' + inQuotes(name) + '\n';
  for (const auto& [spot, name] : page.sizeNames)
    out += "size " + inQuotes(spot.first) + ' ' + std::to_string(spot.second) + ' ' + inQuotes(name) + '\n';
  for (const std::string& name : page.bookmarks) out += "bookmark " + inQuotes(name) + '\n';
}

bool isEmpty(const ProjectPage& page) { return !page.opened && !page.arranged(); }

}  // namespace

// Also where the first line itself is broken or cut short.
bool looksLikeProject(std::string_view content) {
  return content.starts_with(kMagic.substr(0, 9)) || (!content.empty() && kMagic.starts_with(content));
}

Result<ProjectContent> parseProject(std::string_view content) {
  auto out = Reader(content).read();
  if (out) out->project.keepInReach();
  return out;
}

std::string printProject(const Project& project, const Module* graph) {
  std::string out = std::string(kMagic) + std::to_string(kVersion) + '\n';
  if (!graph) out += "graph " + inQuotes(project.graphFile) + '\n';
  if (!project.shown.empty()) out += "show " + inQuotes(project.shown) + '\n';
  appendFlow(out, project.flow);
  out += printRunSettings(project.run);
  std::vector<const ProjectPage*> pages;
  for (const ProjectPage& page : project.pages)
    if (!isEmpty(page)) pages.push_back(&page);
  sortBy(pages, &ProjectPage::computation);
  for (const ProjectPage* page : pages) appendPage(out, *page);
  if (!graph) return out + "end\n";
  std::string text = printHloText(*graph);
  while (text.ends_with('\n')) text.pop_back();
  return out + "hlo\n" + text + "\nend\n";
}

std::filesystem::path sidecarOf(const std::filesystem::path& graph) { return graph.string() + ".tessera"; }

Result<Project> readArrangement(const std::filesystem::path& path) {
  std::filesystem::path source = path;
  const std::string head = firstBytesOf(path);
  const bool readsAll = head.empty() || isPacked(head) || looksLikeProject(head);  // dumps are large
  Result<std::string> content = readsAll ? readFile(path) : Result<std::string>(head);
  if (!content || !looksLikeProject(*content)) {
    source = sidecarOf(path);
    std::error_code error;
    if (!std::filesystem::exists(std::filesystem::symlink_status(source, error))) return Project();
    content = readFileBeneath(source.parent_path(), source.filename());
  }
  if (!content) return std::unexpected(std::move(content).error());
  auto parsed = parseProject(*content);
  if (parsed) return std::move(parsed->project);
  Diagnostic d = std::move(parsed).error();
  d.file = source.string();
  return std::unexpected(std::move(d));
}

}  // namespace tessera
