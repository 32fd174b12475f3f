// See html.h. The data is one JSON object of columns, deflated and in base64: a browser unpacks that by itself. Texts
// appear once in `strings`, and levels that are arranged alike (repeated blocks) share one entry of `layouts`.
#include "core/export/html.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>
#include <unordered_map>

#include "core/export/levels.h"
#include "core/export/web_files.h"
#include "core/picture/plain_graph.h"

namespace tessera {
namespace {

using Json = nlohmann::ordered_json;
constexpr size_t kLongestText = 1000;  // bytes of a name or shape that a page carries
constexpr size_t kSmallestPage = 4;    // boxes of a computation that is listed

struct RoleName {
  ColorRole role;
  const char* name;
};
constexpr RoleName kRoles[] = {
    {ColorRole::Background, "background"},
    {ColorRole::NodeFill, "nodeFill"},
    {ColorRole::NodeBorder, "nodeBorder"},
    {ColorRole::NodeText, "nodeText"},
    {ColorRole::NodeSubtext, "nodeSubtext"},
    {ColorRole::GroupFill, "groupFill"},
    {ColorRole::GroupBorder, "groupBorder"},
    {ColorRole::GroupText, "groupText"},
    {ColorRole::Wire, "wire"},
    {ColorRole::Selection, "selection"},
    {ColorRole::Hatch, "hatch"},
    {ColorRole::Elementwise, "elementwise"},
    {ColorRole::DataMovement, "movement"},
    {ColorRole::Reduction, "reduction"},
    {ColorRole::LinearAlgebra, "algebra"},
    {ColorRole::Control, "control"},
    {ColorRole::Parameter, "parameter"},
    {ColorRole::Constant, "constant"},
    {ColorRole::Collective, "collective"},
    {ColorRole::Other, "other"},
    {ColorRole::Heat0, "heat0"},
    {ColorRole::Heat1, "heat1"},
    {ColorRole::Heat2, "heat2"},
    {ColorRole::Heat3, "heat3"},
    {ColorRole::Heat4, "heat4"},
    {ColorRole::Heat5, "heat5"},
    {ColorRole::Heat6, "heat6"},
    {ColorRole::Heat7, "heat7"},
    {ColorRole::Heat8, "heat8"},
    {ColorRole::Heat9, "heat9"},
};

Json paletteOf(Theme theme) {
  Json out;
  for (const RoleName& row : kRoles) {
    const Rgba c = colorOf(row.role, theme);
    out[row.name] = fmt::format("#{:02x}{:02x}{:02x}", c.r, c.g, c.b);
  }
  return out;
}

std::string shortened(std::string_view text) {
  if (text.size() <= kLongestText) return std::string(text);
  return std::string(text.substr(0, kLongestText)) + "…";
}

// Texts by number, each once.
class Texts {
 public:
  int64_t operator()(std::string_view text) {
    const auto [found, isNew] = numbers_.try_emplace(shortened(text), static_cast<int64_t>(all_.size()));
    if (isNew) all_.push_back(found->first);
    return found->second;
  }
  std::vector<std::string> take() { return std::move(all_); }

 private:
  std::unordered_map<std::string, int64_t> numbers_;
  std::vector<std::string> all_;
};

// Instructions by number: those of all pages, in the order of their computations.
class InstructionColumns {
 public:
  explicit InstructionColumns(Texts& texts) : texts_(texts) {
    for (const char* key : {"name", "opcode", "shape", "opName", "source", "operands"}) columns_[key] = Json::array();
  }

  void addAll(const Module& module, const Levels& levels) {
    numbers_.assign(module.instructionSlots(), -1);
    for (ComputationId computation : module.order())
      if (levels.pageOf[computation.value] >= 0)
        for (InstructionId id : module.at(computation).instructions) add(module, module.at(id));
  }
  void addTimes(const Overlay& overlay) {
    std::vector<double> times(static_cast<size_t>(count_));
    std::vector<int> measured(times.size());
    const auto add = [&](InstructionId id, const Overlay::Entry& entry) {
      const int64_t number = of(id);
      if (number < 0) return;
      times[static_cast<size_t>(number)] += std::round(entry.value * 10) / 10;
      measured[static_cast<size_t>(number)] = entry.measured;
    };
    for (const auto& [id, entry] : overlay.entries) add(id, entry);
    for (const Overlay::Whole& whole : overlay.wholes)
      if (of(whole.inside) < 0) add(whole.instruction, whole.entry);
    columns_["time"] = times;
    columns_["measured"] = measured;
  }
  // A node of a graph that is no module.
  int64_t addPlain(const ViewNode& node) {
    row(node.title, {}, node.subtitle, {}, {});
    return count_++;
  }
  void readsPlain(int64_t user, int64_t operand) {
    columns_["operands"][static_cast<size_t>(user)].push_back(user - operand);
  }
  int64_t of(InstructionId id) const { return id.value < numbers_.size() ? numbers_[id.value] : -1; }
  Json take() { return std::move(columns_); }

 private:
  void row(std::string_view name, std::string_view opcode, std::string_view shape, std::string_view opName,
           std::string_view source) {
    columns_["name"].push_back(shortened(name));
    columns_["opcode"].push_back(texts_(opcode));
    columns_["shape"].push_back(texts_(shape));
    columns_["opName"].push_back(texts_(opName));
    columns_["source"].push_back(texts_(source));
    columns_["operands"].push_back(Json::array());
  }
  void add(const Module& module, const Instruction& instruction) {
    const Metadata* metadata = instruction.metadata;
    std::string source;
    if (metadata && !metadata->sourceFile.empty())
      source = metadata->sourceFile + ":" + std::to_string(metadata->sourceLine);
    row(instruction.name, instruction.opcodeName(), toString(*instruction.shape),
        metadata ? std::string_view(metadata->opName) : std::string_view(), source);
    for (InstructionId operand : instruction.operands)
      if (module.contains(operand) && of(operand) >= 0) columns_["operands"].back().push_back(count_ - of(operand));
    numbers_[instruction.id.value] = count_++;
  }

  Texts& texts_;
  Json columns_;
  std::vector<int64_t> numbers_;  // by InstructionId value
  int64_t count_ = 0;
};

int64_t rounded(float value) { return std::lround(value); }

// Points as differences; those in the middle of a vertical line say nothing.
void appendRoute(std::vector<int64_t>& out, const std::vector<PointF>& route, PointF origin) {
  std::vector<std::pair<int64_t, int64_t>> points;
  for (const PointF& p : route) {
    const std::pair<int64_t, int64_t> next{rounded(p.x - origin.x), rounded(p.y - origin.y)};
    const size_t n = points.size();
    if (n > 1 && points[n - 1].first == next.first && points[n - 2].first == next.first) points.pop_back();
    points.push_back(next);
  }
  out.push_back(static_cast<int64_t>(points.size()));
  std::pair<int64_t, int64_t> before{0, 0};
  for (const auto& [x, y] : points) {
    out.push_back(x - before.first);
    out.push_back(y - before.second);
    before = {x, y};
  }
}

Json layoutOf(const OpenLevel& level) {
  const Arrangement& arrangement = level.arrangement;
  const PointF origin{arrangement.bounds.x, arrangement.bounds.y};
  std::vector<int64_t> places, wires;
  for (const RectF& b : arrangement.boxes)
    places.insert(places.end(),
                  {rounded(b.x - origin.x), rounded(b.y - origin.y), rounded(b.width), rounded(b.height)});
  for (size_t e = 0; e < level.edges.size(); ++e) {
    if (arrangement.routes[e].size() < 2) continue;
    wires.insert(wires.end(), {level.edges[e].from, level.edges[e].to});
    appendRoute(wires, arrangement.routes[e], origin);
  }
  return {{"size", {rounded(arrangement.bounds.width), rounded(arrangement.bounds.height)}},
          {"places", std::move(places)},
          {"wires", std::move(wires)}};
}

// As canvas.js knows it.
std::string unitOf(const Overlay* overlay) {
  switch (overlay ? overlay->unit : OverlayUnit::Nanoseconds) {
    case OverlayUnit::Bytes: return "B";
    case OverlayUnit::Flops: return "flop";
    case OverlayUnit::Count: return "count";
    default: return "ns";
  }
}

class PageWriter {
 public:
  explicit PageWriter(const Levels& levels) : levels_(levels), instructions_(texts_) {}

  std::string run(const Module& module, const HtmlOptions& options) {
    instructions_.addAll(module, levels_);
    if (options.overlay) instructions_.addTimes(*options.overlay);
    for (const OpenLevel& level : levels_.all)
      for (const OpenLevel::Box& box : level.boxes) {
        const ViewNode& node = box.node;
        const bool isInstruction = node.group.empty() || node.caller;
        addBox(box, instructions_.of(node.instruction), categoryOf(module.at(node.instruction)),
               node.caller     ? module.at(node.instruction).name
               : isInstruction ? std::string_view()
                               : node.group);
      }
    out_["overlayTitle"] = options.overlay ? options.overlay->title : "";
    out_["overlayUnit"] = unitOf(options.overlay);
    out_["open"] = std::vector<std::string>(options.openGroups.begin(), options.openGroups.end());
    std::sort(out_["open"].begin(), out_["open"].end());
    return finish(module.name, levels_.pageOf[options.shown.value], options.theme);
  }

  std::string runPlain(const std::string& name, Theme theme) {
    for (const OpenLevel& level : levels_.all) addPlainLevel(level);
    out_["overlayTitle"] = "";
    out_["open"] = Json::array();
    for (const OpenLevel& level : levels_.all)
      for (const OpenLevel::Box& box : level.boxes)
        if (!box.opens.empty()) out_["open"].push_back(box.node.group);
    return finish(name, levels_.pages.front(), theme);
  }

 private:
  void addPlainLevel(const OpenLevel& level) {
    std::vector<int64_t> numbers;
    for (const OpenLevel::Box& box : level.boxes) {
      numbers.push_back(box.opens.empty() ? instructions_.addPlain(box.node) : -1);
      addBox(box, numbers.back(), ColorRole::Other, box.node.group);
    }
    for (const ViewEdge& edge : level.edges)
      if (numbers[at(edge.from)] >= 0 && numbers[at(edge.to)] >= 0)
        instructions_.readsPlain(numbers[at(edge.to)], numbers[at(edge.from)]);
  }
  void addBox(const OpenLevel::Box& box, int64_t instruction, ColorRole role, std::string_view path) {
    const ViewNode& node = box.node;
    const int kind = node.kind == ViewNode::Kind::Instruction ? 0 : node.kind == ViewNode::Kind::Attached ? 1 : 2;
    kinds_.push_back(kind);
    titles_.push_back(texts_(node.title));
    subtitles_.push_back(texts_(node.subtitle));
    paths_.push_back(texts_(path));
    numbers_.push_back(instruction);
    repeats_.push_back(static_cast<int64_t>(node.repeats));
    callers_.push_back(node.caller);
    roles_.push_back(std::ranges::find(kRoles, role, &RoleName::role) - std::begin(kRoles));
    if (box.opens.size() > 1)
      opens_.push_back(box.opens);
    else
      opens_.push_back(box.opens.empty() ? -1 : box.opens.front());
  }

  Json levelColumns() {
    std::map<std::string, size_t> known;
    std::vector<size_t> layouts;
    std::vector<int64_t> titles;
    std::vector<size_t> counts;
    for (const OpenLevel& level : levels_.all) {
      Json layout = layoutOf(level);
      const auto [found, isNew] = known.try_emplace(layout.dump(), known.size());
      if (isNew) out_["layouts"].push_back(std::move(layout));
      layouts.push_back(found->second);
      titles.push_back(texts_(level.title));
      counts.push_back(level.boxes.size());
    }
    return {{"boxes", counts}, {"layout", layouts}, {"title", titles}};
  }
  std::vector<int> listedPages(int shown) const {
    std::vector<int> out;
    for (int page : levels_.pages)
      if (page == shown || levels_.all[static_cast<size_t>(page)].boxes.size() >= kSmallestPage) out.push_back(page);
    return out;
  }
  Json boxColumns() {
    return {{"kind", kinds_},          {"title", titles_},    {"subtitle", subtitles_},
            {"path", paths_},          {"opens", opens_},     {"caller", callers_},
            {"instruction", numbers_}, {"repeats", repeats_}, {"role", roles_}};
  }

  std::string finish(const std::string& name, int page, std::optional<Theme> theme) {
    out_["module"] = shortened(name);
    out_["theme"] = !theme ? "reader" : *theme == Theme::Dark ? "dark" : "light";
    out_["page"] = page;
    out_["pages"] = listedPages(page);
    out_["layouts"] = out_.contains("layouts") ? out_["layouts"] : Json::array();
    out_["levels"] = levelColumns();
    out_["boxes"] = boxColumns();
    out_["instructions"] = instructions_.take();
    out_["roles"] = Json::array();
    for (const RoleName& row : kRoles) out_["roles"].push_back(row.name);
    out_["palette"] = {{"light", paletteOf(Theme::Light)}, {"dark", paletteOf(Theme::Dark)}};
    out_["strings"] = texts_.take();
    return web::pageWith(shortened(name), out_.dump(-1, ' ', false, Json::error_handler_t::replace));
  }

  const Levels& levels_;
  Texts texts_;
  InstructionColumns instructions_;
  Json out_, opens_ = Json::array();
  std::vector<int> kinds_, callers_;
  std::vector<int64_t> titles_, subtitles_, paths_, numbers_, repeats_, roles_;
};

}  // namespace

std::string toHtmlPage(const Module& module, const HtmlOptions& options) {
  const Levels levels = levelsOf(module, options.shown);
  return PageWriter(levels).run(module, options);
}

std::string toHtmlPage(const PlainGraph& graph, Theme theme) {
  const Levels levels = levelsOf(viewOf(graph));
  return PageWriter(levels).runPlain(graph.name, theme);
}

}  // namespace tessera
