// ViewBuilder: makes the GraphView of a computation: boxes and groups, then fields and hubs, then edges. `Known` is
// what all views of a snapshot share (view_known.h). Used by view.cpp alone.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <stop_token>
#include <unordered_map>
#include <unordered_set>

#include "core/arrange/arrangement.h"
#include "core/arrange/outline.h"
#include "core/arrange/outline_names.h"
#include "core/arrange/shape_chains.h"
#include "core/arrange/view_items.h"
#include "core/arrange/view_ports.h"
#include "core/base/name_counter.h"
#include "core/ops/op.h"

namespace tessera {

inline constexpr size_t kTrivialCallee = 3;  // callees up to this size (x + y) are told by the title
inline constexpr size_t kDeepestCall = 64;
inline constexpr size_t kMaxAttached = 6;  // hubs beside one group; more are its inner affair
inline constexpr int32_t kMaxFields = 8;   // rows in one node; more are beside it

// How the boxes of one instruction are wired: where operands arrive and where its result leaves.
struct ViewPorts {
  int32_t frame = -1;               // the box itself
  int32_t output = -1;              // frame, or the inner root of an open call
  std::vector<int32_t> parameters;  // boxes of an open call's parameters; empty: operands arrive at the frame
};

template <class Known>
class ViewBuilder {
 public:
  // stop: asked for every instruction; what is built then is of no use.
  ViewBuilder(Known& known, const ViewOptions& options, bool openAll, std::stop_token stop)
      : known_(known), module_(known.module), options_(options), openAll_(openAll), stop_(std::move(stop)) {
    view_.boxes.assign(module_.instructionSlots(), -1);
    hiddenMapped_.assign(module_.computationSlots(), false);
  }

  GraphView build(ComputationId computation) {
    view_.computation = computation;
    view_.valueStrip = options_.valueStrip;
    addComputation(computation, "", -1);
    return std::move(view_);
  }

 private:
  using PortList = std::vector<ViewPorts>;  // parallel to the computation's instructions; without a frame: a hub

  bool isOpen(const std::string& path) const { return openAll_ || options_.openGroups.contains(path); }

  int32_t addNode(ViewNode node) {
    view_.nodes.push_back(std::move(node));
    return static_cast<int32_t>(view_.nodes.size()) - 1;
  }
  ViewNode& node(int32_t index) { return view_.nodes[static_cast<size_t>(index)]; }

  // --- hubs
  std::string hubTitle(const Instruction& hub) const {
    return titleOf(module_, hub.opcode == Opcode::Broadcast ? hub.operands[0] : hub.id);
  }
  void attach(const Instruction& hub, int32_t user, int32_t operand) {
    const uint64_t key = static_cast<uint64_t>(hub.id.value) << 32 | static_cast<uint32_t>(user);
    if (!attached_.insert(key).second) return;
    const bool group = node(user).kind == ViewNode::Kind::CollapsedGroup;
    if (group && (hub.opcode != Opcode::Parameter || ++attachedTo_[user] > kMaxAttached)) return;  // an inner affair
    const int32_t box =
        addNode({ViewNode::Kind::Attached, hub.id, {}, hubTitle(hub), subtitleOf(module_, hub.id), node(user).parent});
    node(box).output = portOf(*hub.shape);
    view_.edges.push_back({box, user, hub.id, operand});
    if (view_.boxes[hub.id.value] < 0) view_.boxes[hub.id.value] = box;
    if (options_.fields) makeField(hub, box, user, operand);
  }
  // In a row of its reader, where that is drawn as a node and has room.
  void makeField(const Instruction& hub, int32_t box, int32_t user, int32_t operand) {
    const ViewNode& reader = node(user);
    if (reader.kind != ViewNode::Kind::Instruction || reader.chip || !isField(module_, known_.users, hub)) return;
    if (reader.instruction != known_.users.users(hub.id).front() || ++fieldsIn_[user] > kMaxFields) return;
    ViewNode& field = node(box);
    field.owner = user;
    field.label = inputName(module_.at(reader.instruction), operand);
    field.group = fieldPath(hub);
    const Instruction* constant = constantBehind(module_, hub);
    field.number = constant && constant->literal && constant->shape->isScalar() && !isComplex(constant->shape->type) &&
                   (constant == &hub || isReadOnce(module_, known_.users, *constant));
    if (field.title == "constant") field.title = subtitleOf(module_, hub.id);
  }
  std::string fieldPath(const Instruction& hub) const { return prefixes_.back() + std::string(hub.name); }
  // A field that was pulled out is no hub of this view.
  bool isPulledOut(const Instruction& hub) const {
    return options_.fields && !options_.openGroups.empty() && options_.openGroups.contains(fieldPath(hub)) &&
           isField(module_, known_.users, hub);
  }

  // --- called computations
  bool isCaller(const Instruction& i, const std::vector<ComputationId>& callees) const {
    if (options_.grouping == Grouping::None) return false;
    switch (i.opcode) {
      case Opcode::Fusion:
      case Opcode::Call:
      case Opcode::While:
      case Opcode::Conditional: return !callees.empty();
      default: break;
    }
    return std::any_of(callees.begin(), callees.end(), [&](ComputationId c) {
      return module_.contains(c) && module_.at(c).instructions.size() > kTrivialCallee;
    });
  }
  // Everything that the callees hold is shown by `box`, unless a visible place is known.
  size_t mapHidden(const std::vector<ComputationId>& callees, int32_t box, size_t depth = 0) {
    size_t count = 0;
    for (ComputationId callee : callees) {
      if (!module_.contains(callee) || depth > kDeepestCall) continue;
      count += module_.at(callee).instructions.size();
      if (hiddenMapped_[callee.value]) continue;
      hiddenMapped_[callee.value] = true;
      for (InstructionId inner : module_.at(callee).instructions) {
        if (view_.boxes[inner.value] < 0) view_.boxes[inner.value] = box;
        mapHidden(module_.callees(module_.at(inner)), box, depth + 1);
      }
    }
    return count;
  }
  static std::string roleOf(const Instruction& caller, size_t callee) {
    if (caller.opcode == Opcode::While) return callee == 0 ? "condition" : "body";
    return fmt::format("branch {}", callee);
  }
  // "v1 ×2": which version, and how many of it the module has.
  std::string blockNote(const BlockName& block) const {
    const size_t copies = known_.copiesOf(block);
    return "v" + block.version + (copies > 1 ? fmt::format(" ×{}", copies) : std::string());
  }
  ViewPorts addCaller(const Instruction& i, const std::vector<ComputationId>& callees, const std::string& path,
                      int32_t parent) {
    const bool open = isOpen(path) && callStack_.size() < kDeepestCall &&
                      std::none_of(callees.begin(), callees.end(), [&](ComputationId c) {
                        return std::find(callStack_.begin(), callStack_.end(), c) != callStack_.end();
                      });
    const auto kind = open ? ViewNode::Kind::OpenGroup : ViewNode::Kind::CollapsedGroup;
    const int32_t frame = addNode({kind, i.id, path, titleOf(module_, i.id), subtitleOf(module_, i.id), parent});
    node(frame).caller = true;
    if (const BlockName block = blockNameOf(i); !block.name.empty())
      node(frame).subtitle = blockNote(block) + " · " + node(frame).subtitle;
    view_.boxes[i.id.value] = frame;
    ViewPorts ports{frame, frame, {}};
    if (!open) {
      node(frame).boxesInside = node(frame).instructionCount = mapHidden(callees, frame);
      node(frame).leaves = i.id;
    } else if (callees.size() == 1) {
      openSingle(i, callees[0], path, ports);
    } else {
      openSeveral(i, callees, path, frame);
    }
    return ports;
  }
  void openSingle(const Instruction& i, ComputationId callee, const std::string& path, ViewPorts& ports) {
    if (!module_.contains(callee)) return;
    const Computation& inner = module_.at(callee);
    node(ports.frame).instructionCount = inner.instructions.size();
    const PortList list = addComputation(callee, path + "/", ports.frame);
    const bool callLike = inner.parameters.size() == i.operands.size();
    if (!callLike || !module_.contains(inner.root) || portsOf(list, inner.root).output < 0) return;
    ports.output = portsOf(list, inner.root).output;
    for (InstructionId parameter : inner.parameters) ports.parameters.push_back(portsOf(list, parameter).output);
  }
  const ViewPorts& portsOf(const PortList& list, InstructionId id) const {
    return list[static_cast<size_t>(known_.positions[id.value])];
  }
  // "body step" of a loop's computation "step"; a computation that is named for its role has one word.
  std::string calledTitle(const std::string& role, ComputationId callee) const {
    const std::string name(withoutNumber(module_.at(callee).name));
    return name == role ? role : role + " " + std::string(module_.at(callee).name);
  }
  void openSeveral(const Instruction& i, const std::vector<ComputationId>& callees, const std::string& path,
                   int32_t frame) {
    for (size_t c = 0; c < callees.size(); ++c) {
      if (!module_.contains(callees[c])) continue;
      const std::string role = roleOf(i, c), inner = path + "/" + role;
      const size_t count = module_.at(callees[c]).instructions.size();
      node(frame).instructionCount += count;
      const auto kind = isOpen(inner) ? ViewNode::Kind::OpenGroup : ViewNode::Kind::CollapsedGroup;
      const int32_t box = addNode({kind, module_.at(callees[c]).root, inner, calledTitle(role, callees[c]),
                                   fmt::format("{} instructions", count), frame, count, count});
      if (kind == ViewNode::Kind::OpenGroup)
        addComputation(callees[c], inner + "/", box);
      else
        mapHidden({callees[c]}, box);
    }
  }

  // --- groups
  // Where the instructions of a group of the outline stand: in an open box, or hidden by a collapsed one.
  struct Place {
    int32_t box = -2;  // -2: not known yet
    bool hidden = false;
  };
  struct Level {
    ComputationId computation;
    const Outline& outline;
    std::string prefix;
    std::vector<Place> places;  // by group
    Place page;
  };
  Place placeOf(Level& level, int32_t group) {
    if (group < 0) return level.page;
    Place& known = level.places[static_cast<size_t>(group)];
    if (known.box != -2) return known;
    const OutlineGroup& own = level.outline.groups[static_cast<size_t>(group)];
    const Place outer = placeOf(level, own.parent);
    return known = outer.hidden || own.transparent ? outer : addGroup(level, own, outer.box);
  }
  Place addGroup(const Level& level, const OutlineGroup& group, int32_t parent) {
    const std::string path = level.prefix + group.path;
    const bool open = isOpen(path), stack = group.kind == OutlineGroup::Kind::Repeat;
    std::string subtitle = fmt::format("{} instructions", group.instructions);
    if (stack)
      subtitle = fmt::format("{} × {}", group.children, group.instructions / std::max<size_t>(group.children, 1));
    subtitle += stack ? " instructions" : "";
    if (!group.note.empty()) subtitle += " · " + group.note;
    const int32_t box =
        addNode({open ? ViewNode::Kind::OpenGroup : ViewNode::Kind::CollapsedGroup,
                 module_.at(level.computation).instructions[static_cast<size_t>(group.first)], path, group.title,
                 subtitle, parent, group.instructions, group.children, stack ? group.children : 0});
    return {box, !open};
  }

  PortList addComputation(ComputationId id, const std::string& prefix, int32_t parent) {
    callStack_.push_back(id);
    prefixes_.push_back(prefix);
    const Computation& computation = module_.at(id);
    const auto& plan = known_.planOf(id, options_.grouping);
    std::vector<bool> hubs = options_.attachHubs ? plan.hubs : std::vector<bool>(plan.hubs.size());
    for (size_t i = 0; options_.fields && i < hubs.size(); ++i)
      if (hubs[i] && isPulledOut(module_.at(computation.instructions[i]))) hubs[i] = false;
    Level level{id, plan.outline, prefix, std::vector<Place>(plan.outline.groups.size()), {parent, false}};
    PortList ports(computation.instructions.size());
    const std::vector<int32_t> chains = chainsOf(computation, plan.outline.groupOf, hubs);
    for (size_t i = 0; i < ports.size() && !stop_.stop_requested(); ++i) {
      if (hubs[i]) continue;
      const Place place = placeOf(level, plan.outline.groupOf[i]);
      if (!chains.empty() && chains[i] >= 0 && !place.hidden) {
        ports[i] = addChained(computation, i, static_cast<size_t>(chains[i]), prefix, place.box, ports);
        continue;
      }
      ports[i] = addInstruction(module_.at(computation.instructions[i]), prefix, place);
    }
    connect(computation, hubs, ports);
    if (module_.contains(computation.root)) noteLeaving(portsOf(ports, computation.root).frame, computation.root);
    callStack_.pop_back();
    prefixes_.pop_back();
    return ports;
  }

  // --- chains
  // Empty: chains are not gathered.
  std::vector<int32_t> chainsOf(const Computation& computation, const std::vector<int32_t>& groupOf,
                                const std::vector<bool>& hubs) const {
    if (!options_.chips) return {};
    return shapeChains(module_, computation, known_.users, hubs, groupOf, known_.positions, options_.placed);
  }
  // One pill for all members, or the member alone where the chain was opened.
  ViewPorts addChained(const Computation& computation, size_t i, size_t last, const std::string& prefix, int32_t parent,
                       PortList& ports) {
    const Instruction& own = module_.at(computation.instructions[i]);
    const Instruction& end = module_.at(computation.instructions[last]);
    const std::string path = prefix + std::string(end.name);
    if (isOpen(path)) {
      const int32_t box = addNode(
          {ViewNode::Kind::Instruction, own.id, path, titleOf(module_, own.id), subtitleOf(module_, own.id), parent});
      view_.boxes[own.id.value] = box;
      return {box, box, {}};
    }
    if (ports[last].frame < 0) {
      const int32_t box = addNode({ViewNode::Kind::Instruction, end.id, path,
                                   fmt::format("{} … {}", nameOf(own.opcode), nameOf(end.opcode)),
                                   subtitleOf(module_, end.id), parent});
      node(box).chip = true;
      node(box).instructionCount = 0;
      ports[last] = {box, box, {}};
    }
    view_.boxes[own.id.value] = ports[last].frame;
    ++node(ports[last].frame).instructionCount;
    return ports[last];
  }

  ViewPorts addInstruction(const Instruction& i, const std::string& prefix, Place place) {
    const std::vector<ComputationId> callees = module_.callees(i);
    if (place.hidden) {
      view_.boxes[i.id.value] = place.box;
      mapHidden(callees, place.box);
      return {place.box, place.box, {}};
    }
    if (isCaller(i, callees)) return addCaller(i, callees, prefix + std::string(i.name), place.box);
    const int32_t box =
        addNode({ViewNode::Kind::Instruction, i.id, {}, titleOf(module_, i.id), subtitleOf(module_, i.id), place.box});
    if (options_.chips && i.opcode == Opcode::Broadcast && !i.shapeWritten) {
      node(box).group = prefix + std::string(i.name);
      node(box).chip = !isOpen(node(box).group);
    }
    if (i.opcode == Opcode::Parameter && i.computation == module_.entry())
      node(box).source = sourceOf(module_, i, options_.sources);
    if (isPulledOut(i)) {
      node(box).group = fieldPath(i);
      node(box).pulled = true;
    }
    view_.boxes[i.id.value] = box;
    mapHidden(callees, box);
    return {box, box, {}};
  }

  // --- edges
  void connect(const Computation& computation, const std::vector<bool>& hubs, const PortList& ports) {
    for (size_t i = 0; i < hubs.size() && !stop_.stop_requested(); ++i) {
      if (hubs[i]) continue;
      const Instruction& user = module_.at(computation.instructions[i]);
      const ViewPorts& at = ports[i];
      for (size_t k = 0; k < user.operands.size(); ++k) {
        const int32_t to = k < at.parameters.size() ? at.parameters[k] : at.frame;
        if (!module_.contains(user.operands[k])) continue;
        const ViewPorts& from = portsOf(ports, user.operands[k]);
        const auto operand = static_cast<int32_t>(k);
        if (from.frame >= 0)
          addEdge(from.output, to, user.operands[k], operand);
        else if (to >= 0)
          attach(module_.at(user.operands[k]), to, operand);
      }
      if (at.frame >= 0) addPorts(user, at, ports);
    }
    mapUnattached(computation, hubs);
  }
  // Where the box is the instruction's own. Of an open call the parameters inside are its inputs.
  void addPorts(const Instruction& user, const ViewPorts& own, const PortList& ports) {
    const bool plain = node(own.frame).kind == ViewNode::Kind::Instruction;
    if (node(own.frame).instruction != user.id || (!plain && !node(own.frame).caller)) return;
    if (node(own.frame).kind != ViewNode::Kind::OpenGroup) return addPorts(user, node(own.frame), plain, ports);
    for (size_t k = 0; k < own.parameters.size() && k < user.operands.size(); ++k)
      if (own.parameters[k] >= 0 && module_.contains(user.operands[k])) {
        node(own.parameters[k]).inputs = {portOf(module_.shapeOf(user.operands[k]))};
        node(own.parameters[k]).inputs[0].operand = static_cast<int32_t>(k);
      }
  }
  // A hub is shown in the box or beside it.
  void addPorts(const Instruction& user, ViewNode& own, bool plain, const PortList& ports) {
    own.result = user.computation == view_.computation && module_.at(user.computation).root == user.id;
    setPorts(module_, user, own, [&](InstructionId operand) { return !plain || portsOf(ports, operand).frame >= 0; });
  }
  void addEdge(int32_t from, int32_t to, InstructionId value, int32_t operand) {
    if (from < 0 || to < 0 || from == to) return;
    noteLeaving(from, value);
    const ViewNode& target = node(to);
    const bool plain = (target.kind == ViewNode::Kind::Instruction ||
                        (target.kind == ViewNode::Kind::CollapsedGroup && target.caller)) &&
                       module_.at(target.instruction).operands.size() <= kMostPorts;
    const uint64_t key = static_cast<uint64_t>(from) << 32 | static_cast<uint32_t>(to);
    if (!plain && !wired_.insert(key).second) return;
    view_.edges.push_back({from, to, value, operand});
  }
  void noteLeaving(int32_t box, InstructionId value) {
    if (box < 0 || node(box).kind != ViewNode::Kind::CollapsedGroup || node(box).caller) return;
    const auto [known, isFirst] = leaving_.try_emplace(box, value);
    if (!isFirst && known->second != value) known->second = InstructionId();  // several, from now on
    node(box).leaves = known->second;
  }
  // Hubs that are drawn nowhere (their users are hidden) are shown by their first user's box.
  void mapUnattached(const Computation& computation, const std::vector<bool>& hubs) {
    for (size_t i = hubs.size(); i-- > 0;) {
      const InstructionId hub = computation.instructions[i];
      if (hubs[i] && view_.boxes[hub.value] < 0) view_.boxes[hub.value] = view_.boxOf(known_.users.users(hub).front());
    }
  }

  Known& known_;
  const Module& module_;
  const ViewOptions& options_;
  bool openAll_;
  std::stop_token stop_;
  GraphView view_;
  std::vector<bool> hiddenMapped_;
  std::vector<ComputationId> callStack_;
  std::unordered_set<uint64_t> attached_, wired_;
  std::unordered_map<int32_t, size_t> attachedTo_;
  std::unordered_map<int32_t, int32_t> fieldsIn_;
  std::unordered_map<int32_t, InstructionId> leaving_;  // by group; invalid: several
  std::vector<std::string> prefixes_;                   // of the computations in callStack_
};

}  // namespace tessera
