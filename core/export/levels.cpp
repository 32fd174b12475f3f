// See levels.h. A computation's view with every group open is cut into levels: a box is in the level of its group,
// a wire in the innermost level that holds both ends, between the boxes that lead to them.
#include "core/export/levels.h"

#include <unordered_set>

namespace tessera {
namespace {

class Cutter {
 public:
  Cutter(Levels& out, const GraphView& view) : out_(out), view_(view), levelOf_(view.nodes.size(), -1) {}

  // The page's level, and which box of which level shows each node.
  int cut(std::string title) {
    page_ = addLevel();
    out_.all.back().title = std::move(title);
    for (size_t v = 0; v < view_.nodes.size(); ++v)
      if (view_.nodes[v].kind == ViewNode::Kind::OpenGroup) levelOf_[v] = addLevel();
    place_.resize(view_.nodes.size());
    for (size_t v = 0; v < view_.nodes.size(); ++v) addBox(v);
    for (const ViewEdge& edge : view_.edges) addEdge(edge);
    for (int level = page_; level < static_cast<int>(out_.all.size()); ++level) arrangeLevel(at(level));
    return page_;
  }

 private:
  int addLevel() {
    out_.all.emplace_back();
    return static_cast<int>(out_.all.size()) - 1;
  }
  OpenLevel& at(int level) { return out_.all[static_cast<size_t>(level)]; }
  const ViewNode& node(int32_t v) const { return view_.nodes[tessera::at(v)]; }
  int levelHolding(int32_t v) const { return node(v).parent < 0 ? page_ : levelOf_[tessera::at(node(v).parent)]; }

  void addBox(size_t v) {
    const ViewNode& shown = view_.nodes[v];
    OpenLevel& level = at(levelHolding(static_cast<int32_t>(v)));
    place_[v] = static_cast<int32_t>(level.boxes.size());
    OpenLevel::Box& box = level.boxes.emplace_back();
    box.node = shown;
    box.node.parent = -1;
    if (shown.kind != ViewNode::Kind::OpenGroup) return;
    box.node.kind = ViewNode::Kind::CollapsedGroup;
    box.opens.push_back(levelOf_[v]);
  }
  size_t depthOf(int32_t v) const {
    size_t depth = 0;
    for (v = node(v).parent; v >= 0; v = node(v).parent) ++depth;
    return depth;
  }
  void addEdge(const ViewEdge& edge) {
    int32_t from = edge.from, to = edge.to;
    size_t above = depthOf(from), below = depthOf(to);
    for (; above > below; --above) from = node(from).parent;
    for (; below > above; --below) to = node(to).parent;
    for (; node(from).parent != node(to).parent; from = node(from).parent) to = node(to).parent;
    if (from == to) return;
    const bool lifted = from != edge.from || to != edge.to;
    const uint64_t key = static_cast<uint64_t>(static_cast<uint32_t>(from)) << 32 | static_cast<uint32_t>(to);
    if (lifted && !wired_.insert(key).second) return;
    at(levelHolding(from))
        .edges.push_back({place_[tessera::at(from)], place_[tessera::at(to)], edge.value, edge.operand});
  }
  static void arrangeLevel(OpenLevel& level) {
    GraphView view;
    for (const OpenLevel::Box& box : level.boxes) view.nodes.push_back(box.node);
    view.edges = level.edges;
    level.arrangement = arrange(view);
  }

  Levels& out_;
  const GraphView& view_;
  int page_ = -1;
  std::vector<int> levelOf_;    // by node: what it shows; -1: nothing
  std::vector<int32_t> place_;  // by node: its place in the level that holds it
  std::unordered_set<uint64_t> wired_;
};

// All groups open but those that are calls.
GraphView allGroupsOpen(ViewMaker& maker, ComputationId computation) {
  ViewOptions options;
  for (;;) {
    GraphView view = maker.view(computation, options);
    size_t opened = 0;
    for (const ViewNode& node : view.nodes)
      if (node.kind == ViewNode::Kind::CollapsedGroup && !node.caller)
        opened += options.openGroups.insert(node.group).second ? 1 : 0;
    if (opened == 0) return view;
  }
}

class PageMaker {
 public:
  explicit PageMaker(const Module& module) : module_(module), maker_(module) {
    out_.pageOf.assign(module.computationSlots(), -1);
  }

  void add(ComputationId first) {
    waiting_ = {first};
    for (size_t i = 0; i < waiting_.size(); ++i) addPage(waiting_[i]);
  }
  Levels take() {
    for (OpenLevel& level : out_.all)
      for (OpenLevel::Box& box : level.boxes)
        if (box.node.caller) openCallees(box);
    return std::move(out_);
  }

 private:
  void addPage(ComputationId computation) {
    int& page = out_.pageOf[computation.value];
    if (page >= 0) return;
    const GraphView view = allGroupsOpen(maker_, computation);
    page = Cutter(out_, view).cut(module_.at(computation).name);
    out_.pages.push_back(page);
    for (const ViewNode& node : view.nodes)
      if (node.caller)
        for (ComputationId callee : module_.callees(module_.at(node.instruction)))
          if (module_.contains(callee)) waiting_.push_back(callee);
  }
  void openCallees(OpenLevel::Box& box) {
    for (ComputationId callee : module_.callees(module_.at(box.node.instruction)))
      if (module_.contains(callee)) box.opens.push_back(out_.pageOf[callee.value]);
  }

  const Module& module_;
  ViewMaker maker_;
  Levels out_;
  std::vector<ComputationId> waiting_;
};

}  // namespace

Levels levelsOf(const Module& module, ComputationId shown) {
  PageMaker maker(module);
  if (module.contains(module.entry())) maker.add(module.entry());
  maker.add(shown);
  return maker.take();
}

Levels levelsOf(const GraphView& view) {
  Levels out;
  out.pages.push_back(Cutter(out, view).cut("graph"));
  return out;
}

}  // namespace tessera
