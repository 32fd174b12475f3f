// makeView: what is shown of a computation. Scopes and called computations become groups, open or collapsed; hubs
// (constants, iotas, parameters with many users) are attached beside each user; edges are lifted to the boxes that
// show their ends. One sweep over the visible computations; arrange comes next.
#include <fmt/format.h>

#include <algorithm>
#include <unordered_map>
#include <unordered_set>

#include "core/arrange/arrangement.h"
#include "core/arrange/scopes.h"

namespace tessera {
namespace {

constexpr size_t kManyUsers = 8;          // a parameter with more users is a hub
constexpr size_t kTrivialCallee = 3;      // callees up to this size (x + y) are told by the title
constexpr size_t kDeepestCall = 64;

// How the boxes of one instruction are wired: where operands arrive and where its result leaves.
struct Ports {
  int32_t frame = -1;                // the box itself
  int32_t output = -1;               // frame, or the inner root of an open call
  std::vector<int32_t> parameters;   // boxes of an open call's parameters; empty: operands arrive at the frame
};

class ViewBuilder {
 public:
  ViewBuilder(const Module& module, const ViewOptions& options, bool openAll)
      : module_(module), options_(options), openAll_(openAll), users_(module) {
    view_.boxes.assign(module.instructionSlots(), -1);
    hiddenMapped_.assign(module.computationSlots(), false);
  }

  GraphView build(ComputationId computation) {
    view_.computation = computation;
    addComputation(computation, "", -1);
    return std::move(view_);
  }

 private:
  using PortMap = std::unordered_map<uint32_t, Ports>;

  bool isOpen(const std::string& path) const { return openAll_ || options_.openGroups.contains(path); }

  int32_t addNode(ViewNode node) {
    view_.nodes.push_back(std::move(node));
    return static_cast<int32_t>(view_.nodes.size()) - 1;
  }
  ViewNode& node(int32_t index) { return view_.nodes[static_cast<size_t>(index)]; }

  // --- hubs
  bool isScalarConstant(const Instruction& i) const {
    return i.opcode == Opcode::Constant && i.shape->isArray();
  }
  bool isHub(const Instruction& i, const Computation& computation) const {
    if (!options_.attachHubs || i.id == computation.root || users_.users(i.id).empty()) return false;
    switch (i.opcode) {
      case Opcode::Constant:
      case Opcode::Iota:
      case Opcode::PartitionId:
      case Opcode::ReplicaId: return true;
      case Opcode::Broadcast:
        return i.operands.size() == 1 && module_.contains(i.operands[0]) && isScalarConstant(module_.at(i.operands[0]));
      case Opcode::Parameter: return users_.users(i.id).size() > kManyUsers;
      default: return false;
    }
  }
  std::string hubTitle(const Instruction& hub) const {
    return titleOf(module_, hub.opcode == Opcode::Broadcast ? hub.operands[0] : hub.id);
  }
  void attach(const Instruction& hub, int32_t user, int32_t operand) {
    const uint64_t key = static_cast<uint64_t>(hub.id.value) << 32 | static_cast<uint32_t>(user);
    if (!attached_.insert(key).second) return;
    const bool group = node(user).kind == ViewNode::Kind::CollapsedGroup;
    if (group && hub.opcode != Opcode::Parameter) return;  // an inner affair
    const int32_t box = addNode({ViewNode::Kind::Attached, hub.id, {}, hubTitle(hub), subtitleOf(module_, hub.id),
                                 node(user).parent, 1});
    view_.edges.push_back({box, user, hub.id, operand});
    if (view_.boxes[hub.id.value] < 0) view_.boxes[hub.id.value] = box;
  }

  // --- called computations
  bool isCaller(const Instruction& i, const std::vector<ComputationId>& callees) const {
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
  Ports addCaller(const Instruction& i, const std::vector<ComputationId>& callees, const std::string& path,
                  int32_t parent) {
    const bool open = isOpen(path) && callStack_.size() < kDeepestCall &&
                      std::none_of(callees.begin(), callees.end(), [&](ComputationId c) {
                        return std::find(callStack_.begin(), callStack_.end(), c) != callStack_.end();
                      });
    const auto kind = open ? ViewNode::Kind::OpenGroup : ViewNode::Kind::CollapsedGroup;
    const int32_t frame = addNode({kind, i.id, path, titleOf(module_, i.id), subtitleOf(module_, i.id), parent, 1});
    view_.boxes[i.id.value] = frame;
    Ports ports{frame, frame, {}};
    if (!open) node(frame).instructionCount = mapHidden(callees, frame);
    else if (callees.size() == 1) openSingle(i, callees[0], path, ports);
    else openSeveral(i, callees, path, frame);
    return ports;
  }
  void openSingle(const Instruction& i, ComputationId callee, const std::string& path, Ports& ports) {
    if (!module_.contains(callee)) return;
    const Computation& inner = module_.at(callee);
    node(ports.frame).instructionCount = inner.instructions.size();
    const PortMap map = addComputation(callee, path + "/", ports.frame);
    const auto root = map.find(inner.root.value);
    const bool callLike = inner.parameters.size() == i.operands.size();
    if (!callLike || root == map.end() || root->second.output < 0) return;
    ports.output = root->second.output;
    for (InstructionId parameter : inner.parameters) {
      const auto found = map.find(parameter.value);
      ports.parameters.push_back(found == map.end() ? -1 : found->second.output);
    }
  }
  void openSeveral(const Instruction& i, const std::vector<ComputationId>& callees, const std::string& path,
                   int32_t frame) {
    for (size_t c = 0; c < callees.size(); ++c) {
      if (!module_.contains(callees[c])) continue;
      const std::string role = roleOf(i, c), inner = path + "/" + role;
      const size_t count = module_.at(callees[c]).instructions.size();
      node(frame).instructionCount += count;
      const auto kind = isOpen(inner) ? ViewNode::Kind::OpenGroup : ViewNode::Kind::CollapsedGroup;
      const int32_t box = addNode({kind, module_.at(callees[c]).root, inner, role + " " + module_.at(callees[c]).name,
                                   fmt::format("{} instructions", count), frame, count});
      if (kind == ViewNode::Kind::OpenGroup) addComputation(callees[c], inner + "/", box);
      else mapHidden({callees[c]}, box);
    }
  }

  // --- scopes
  // The box that shows an instruction of `scope`: -1 when it stands by itself in `parent`, which is updated.
  int32_t enterScopes(const ScopeTree& tree, int32_t scope, const std::string& prefix, int32_t& parent,
                      std::vector<int32_t>& boxOfScope, InstructionId instruction) {
    std::vector<int32_t> chain;
    for (int32_t s = scope; s >= 0; s = tree.scopes[static_cast<size_t>(s)].parent)
      if (!tree.scopes[static_cast<size_t>(s)].transparent) chain.push_back(s);
    for (auto s = chain.rbegin(); s != chain.rend(); ++s) {
      const Scope& at = tree.scopes[static_cast<size_t>(*s)];
      const std::string path = prefix + at.path;
      int32_t& box = boxOfScope[static_cast<size_t>(*s)];
      if (box < 0) {
        const auto kind = isOpen(path) ? ViewNode::Kind::OpenGroup : ViewNode::Kind::CollapsedGroup;
        box = addNode({kind, instruction, path, at.name, fmt::format("{} instructions", at.instructions), parent,
                       at.instructions});
      }
      if (node(box).kind == ViewNode::Kind::CollapsedGroup) return box;
      parent = box;
    }
    return -1;
  }

  PortMap addComputation(ComputationId id, const std::string& prefix, int32_t parent) {
    callStack_.push_back(id);
    const Computation& computation = module_.at(id);
    std::vector<bool> hubs(computation.instructions.size()), counted(hubs.size());
    for (size_t i = 0; i < hubs.size(); ++i) {
      hubs[i] = isHub(module_.at(computation.instructions[i]), computation);
      counted[i] = !hubs[i];
    }
    const ScopeTree tree = scopesOf(module_, computation, counted);
    std::vector<int32_t> boxOfScope(tree.scopes.size(), -1);
    PortMap ports;
    ports.reserve(computation.instructions.size());
    for (size_t i = 0; i < hubs.size(); ++i) {
      if (hubs[i]) continue;
      const Instruction& instruction = module_.at(computation.instructions[i]);
      int32_t inside = parent;
      const int32_t scope = options_.groupScopes ? tree.scopeOf[i] : -1;
      const int32_t hidden = enterScopes(tree, scope, prefix, inside, boxOfScope, instruction.id);
      ports[instruction.id.value] = addInstruction(instruction, prefix, inside, hidden);
    }
    connect(computation, hubs, ports);
    callStack_.pop_back();
    return ports;
  }

  Ports addInstruction(const Instruction& i, const std::string& prefix, int32_t parent, int32_t hidden) {
    const std::vector<ComputationId> callees = module_.callees(i);
    if (hidden >= 0) {
      view_.boxes[i.id.value] = hidden;
      mapHidden(callees, hidden);
      return {hidden, hidden, {}};
    }
    if (isCaller(i, callees)) return addCaller(i, callees, prefix + std::string(i.name), parent);
    const int32_t box = addNode({ViewNode::Kind::Instruction, i.id, {}, titleOf(module_, i.id),
                                 subtitleOf(module_, i.id), parent, 1});
    view_.boxes[i.id.value] = box;
    mapHidden(callees, box);
    return {box, box, {}};
  }

  // --- edges
  void connect(const Computation& computation, const std::vector<bool>& hubs, const PortMap& ports) {
    for (size_t i = 0; i < hubs.size(); ++i) {
      if (hubs[i]) continue;
      const Instruction& user = module_.at(computation.instructions[i]);
      const Ports& at = ports.at(user.id.value);
      for (size_t k = 0; k < user.operands.size(); ++k) {
        const int32_t to = k < at.parameters.size() ? at.parameters[k] : at.frame;
        if (!module_.contains(user.operands[k])) continue;
        const auto from = ports.find(user.operands[k].value);
        const auto operand = static_cast<int32_t>(k);
        if (from != ports.end()) addEdge(from->second.output, to, user.operands[k], operand);
        else if (to >= 0) attach(module_.at(user.operands[k]), to, operand);
      }
    }
    mapUnattached(computation, hubs);
  }
  void addEdge(int32_t from, int32_t to, InstructionId value, int32_t operand) {
    if (from < 0 || to < 0 || from == to) return;
    const bool plain =
        node(from).kind == ViewNode::Kind::Instruction && node(to).kind == ViewNode::Kind::Instruction;
    const uint64_t key = static_cast<uint64_t>(from) << 32 | static_cast<uint32_t>(to);
    if (!plain && !wired_.insert(key).second) return;
    view_.edges.push_back({from, to, value, operand});
  }
  // Hubs that are drawn nowhere (their users are hidden) are shown by their first user's box.
  void mapUnattached(const Computation& computation, const std::vector<bool>& hubs) {
    for (size_t i = hubs.size(); i-- > 0;) {
      const InstructionId hub = computation.instructions[i];
      if (hubs[i] && view_.boxes[hub.value] < 0) view_.boxes[hub.value] = view_.boxOf(users_.users(hub).front());
    }
  }

  const Module& module_;
  const ViewOptions& options_;
  bool openAll_;
  UserTable users_;
  GraphView view_;
  std::vector<bool> hiddenMapped_;
  std::vector<ComputationId> callStack_;
  std::unordered_set<uint64_t> attached_, wired_;
};

}  // namespace

GraphView makeView(const Module& module, ComputationId computation, const ViewOptions& options) {
  return ViewBuilder(module, options, false).build(computation);
}

std::vector<std::string> groupPathsOf(const Module& module, ComputationId computation) {
  const ViewOptions options;
  std::vector<std::string> out;
  for (const ViewNode& node : ViewBuilder(module, options, true).build(computation).nodes)
    if (!node.group.empty()) out.push_back(node.group);
  return out;
}

ViewOptions initialView(const Module& module, ComputationId computation, size_t mostBoxes) {
  ViewOptions options;
  for (int round = 0; round < 8; ++round) {
    const GraphView view = makeView(module, computation, options);
    size_t boxes = view.nodes.size();
    std::vector<const ViewNode*> closed;
    for (const ViewNode& node : view.nodes)
      if (node.kind == ViewNode::Kind::CollapsedGroup) closed.push_back(&node);
    std::stable_sort(closed.begin(), closed.end(),
                     [](auto* a, auto* b) { return a->instructionCount < b->instructionCount; });
    bool opened = false;
    for (const ViewNode* node : closed) {
      if (boxes + node->instructionCount > mostBoxes) break;
      boxes += node->instructionCount;
      opened |= options.openGroups.insert(node->group).second;
    }
    if (!opened) break;
  }
  return options;
}

int32_t GraphView::findGroup(std::string_view path) const {
  for (size_t n = 0; n < nodes.size(); ++n)
    if (!nodes[n].group.empty() && nodes[n].group == path) return static_cast<int32_t>(n);
  return -1;
}

}  // namespace tessera
