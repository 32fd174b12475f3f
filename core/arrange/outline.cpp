// Six steps: instructions go into scopes and repeated blocks (place), what is used in one group only goes there too
// (gather), groups that say nothing are left out (prune), groups that data leaves and enters again are cut (untangle),
// what is still too many is folded into clusters, and what has no telling name gets one.
#include "core/arrange/outline.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <span>
#include <unordered_map>

#include "core/arrange/arrangement.h"
#include "core/arrange/clusters.h"
#include "core/arrange/compact_order.h"
#include "core/arrange/outliers.h"
#include "core/arrange/outline_names.h"
#include "core/arrange/repeats.h"
#include "core/arrange/scope_turns.h"
#include "core/arrange/scopes.h"
#include "core/arrange/stretches.h"
#include "core/arrange/training_parts.h"
#include "core/arrange/untangle.h"
#include "core/base/hash.h"
#include "core/base/sorting.h"

namespace tessera {
namespace {

constexpr size_t kFewInstructions = 80;  // containers up to this size are not searched for repeats
constexpr size_t kManyParameters = 12;   // fewer stay on the page: they are the interface
// Of a computation without names, where not one instruction in so many has a scope:
constexpr size_t kNameless = 8;
constexpr size_t kFewUnits = 30;  // boxes that a container may show
constexpr size_t kStretches = 12, kShortStretch = 8, kLeastStretch = 4;

class OutlineBuilder {
 public:
  OutlineBuilder(const Module& module, const Computation& computation, const UserTable& users,
                 const std::vector<bool>& hubs, const std::vector<int32_t>& positions)
      : module_(module), computation_(computation), users_(users), hubs_(hubs), positions_(positions) {}

  // withBlocks: repeated blocks become stacks.
  Outline run(ScopeTree tree, bool withBlocks) {
    tree_ = std::move(tree);
    withBlocks_ = withBlocks;
    operands_ = operandPlaces();
    nameless_ = withBlocks && isNameless();
    if (nameless_) tree_ = scopesOfParts();
    out_.groupOf.assign(computation_.instructions.size(), -1);
    if (withBlocks_)
      stacks_ = numberedStacks(tree_, signatures());
    else
      stacks_.of.assign(tree_.scopes.size(), -1);
    turns_ = scopeTurns(tree_, operands_, contentFlags());
    countCuts();
    if (nameless_)
      placeParts();
    else
      placeByRole(contentIn(-1, true));
    gather();
    countInstructions(out_, hubs_);
    prune();
    makeClusters(module_, computation_, operands_, hubs_, cuts_, out_, untangle(out_, operands_, hubs_));
    countInstructions(out_, hubs_);
    nameGroups(module_, computation_, users_, positions_, tree_, hubs_, out_);
    noteOutliers(module_, computation_, hubs_, out_);
    countChildren();
    return std::move(out_);
  }

 private:
  int32_t count() const { return static_cast<int32_t>(computation_.instructions.size()); }
  const Instruction& instruction(int32_t i) const { return module_.at(computation_.instructions[at(i)]); }
  OutlineGroup& group(int32_t g) { return out_.groups[at(g)]; }
  bool isParameter(int32_t i) const { return instruction(i).opcode == Opcode::Parameter; }
  bool isContent(int32_t i) const { return !hubs_[at(i)] && !isParameter(i); }
  // Of one scope alone, or of all.
  std::vector<int32_t> contentIn(int32_t scope, bool all) const {
    std::vector<int32_t> out;
    for (int32_t i = 0; i < count(); ++i)
      if (isContent(i) && (all || tree_.scopeOf[at(i)] == scope)) out.push_back(i);
    return out;
  }
  std::vector<bool> contentFlags() const {
    std::vector<bool> out(at(count()));
    for (int32_t i = 0; i < count(); ++i) out[at(i)] = isContent(i);
    return out;
  }
  OperandPlaces operandPlaces() const {
    OperandPlaces out;
    for (int32_t i = 0; i < count(); ++i) {
      for (InstructionId operand : instruction(i).operands)
        if (module_.contains(operand) && module_.at(operand).computation == computation_.id)
          out.items.push_back(placeOf(operand));
      out.begin.push_back(static_cast<uint32_t>(out.items.size()));
    }
    return out;
  }
  int32_t placeOf(InstructionId id) const { return positions_[id.value]; }

  int32_t addGroup(OutlineGroup::Kind kind, std::string path, std::string title, int32_t parent, int32_t first) {
    out_.groups.push_back({kind, std::move(path), std::move(title), parent, first, 0, 0, false, {}});
    return static_cast<int32_t>(out_.groups.size()) - 1;
  }

  // --- scopes
  // By scope: the opcodes that it holds, in any order.
  std::vector<uint64_t> signatures() const {
    std::vector<uint64_t> out(tree_.scopes.size());
    for (int32_t i = 0; i < count(); ++i) {
      if (!isContent(i)) continue;
      const uint64_t own = mixedHash(static_cast<uint64_t>(instruction(i).opcode), 17);
      for (int32_t s = tree_.scopeOf[at(i)]; s >= 0; s = tree_.scopes[at(s)].parent) out[at(s)] += own;
    }
    return out;
  }
  int32_t turnOf(int32_t scope, int32_t item) const {
    const auto found = turns_.find(turnKey(scope, item));
    return found == turns_.end() ? 0 : found->second;
  }
  bool inStack(int32_t scope, int32_t base) const {
    for (; scope != base && scope >= 0; scope = tree_.scopes[at(scope)].parent)
      if (stacks_.of[at(scope)] >= 0) return true;
    return false;
  }

  // --- placing
  // The group of a scope inside a container that is in the scope `base` itself.
  int32_t enter(int32_t container, int32_t base, int32_t scope, int32_t item) {
    if (scope < 0 || scope == base || tree_.scopes[at(scope)].depth <= (base < 0 ? -1 : tree_.scopes[at(base)].depth))
      return container;
    const Scope& s = tree_.scopes[at(scope)];
    int32_t parent = enter(container, base, s.parent, item);
    const bool stacked = stacks_.of[at(scope)] >= 0;
    if (stacked) parent = enterStack(container, stacks_.of[at(scope)], parent, item);
    auto& pieces = scopeGroups_[static_cast<uint64_t>(parent + 1) << 32 | static_cast<uint32_t>(scope)];
    const int32_t turn = stacked ? 0 : turnOf(scope, item);
    for (auto [known, group] : pieces)
      if (known == turn) return group;
    std::string path = inside(container, base, s.path);
    if (!pieces.empty()) path += fmt::format("~{}", pieces.size() + 1);
    const int32_t made = addGroup(stacked ? OutlineGroup::Kind::Member : OutlineGroup::Kind::Scope, std::move(path),
                                  titleOfScope(s), parent, item);
    pieces.push_back({turn, made});
    return made;
  }
  // A number alone is one of what is around it: "layer 3".
  std::string titleOfScope(const Scope& scope) const {
    const bool number = scope.name.find_first_not_of("0123456789") == scope.name.npos;
    return number && scope.parent >= 0 ? tree_.scopes[at(scope.parent)].name + " " + scope.name : scope.name;
  }
  int32_t enterStack(int32_t container, int32_t stack, int32_t parent, int32_t first) {
    const uint64_t key = static_cast<uint64_t>(container + 1) << 32 | static_cast<uint32_t>(stack);
    const auto [known, isNew] = stackGroups_.try_emplace(key, -1);
    if (isNew)
      known->second = addGroup(OutlineGroup::Kind::Repeat, inside(container, -1, stacks_.stacks[at(stack)].path),
                               stacks_.stacks[at(stack)].title, parent, first);
    return known->second;
  }
  std::string inside(int32_t container, int32_t base, const std::string& path) {
    if (container < 0) return path;
    const size_t known = base < 0 ? 0 : tree_.scopes[at(base)].path.size() + 1;
    return group(container).path + "/" + path.substr(std::min(known, path.size()));
  }
  int32_t commonScope(std::span<const int32_t> items) const {
    int32_t common = tree_.scopeOf[at(items[0])];
    for (int32_t i : items) {
      int32_t other = tree_.scopeOf[at(i)];
      auto depth = [&](int32_t s) { return s < 0 ? -1 : tree_.scopes[at(s)].depth; };
      while (common != other) {
        if (depth(common) >= depth(other))
          common = tree_.scopes[at(common)].parent;
        else
          other = tree_.scopes[at(other)].parent;
      }
    }
    return common;
  }

  // Forward, backward and update of a training step stay apart, however they are mixed in order: the norm of all
  // gradients reads each as soon as it is there. A compiler's fusions hold several of them, and their scopes are the
  // first one's.
  void placeByRole(std::span<const int32_t> items) {
    if (std::ranges::any_of(items, [&](int32_t i) { return instruction(i).opcode == Opcode::Fusion; }))
      return place(-1, -1, items);
    std::map<ScopeRole, std::vector<int32_t>> byRole;
    ScopeRole role = ScopeRole::Plain;
    for (int32_t i : items) {
      if (tree_.scopeOf[at(i)] >= 0) role = roleOf(i);  // what has no scope is of the part before it
      byRole[role].push_back(i);
    }
    for (const auto& [part, own] : byRole) place(-1, -1, own);
  }
  ScopeRole roleOf(int32_t item) const {
    const ScopeRole role = tree_.scopes[at(tree_.scopeOf[at(item)])].role;
    return role == ScopeRole::Recomputed ? ScopeRole::Backward : role;
  }
  void place(int32_t container, int32_t base, std::span<const int32_t> items) {
    const std::vector<Repeat> repeats = repeatsIn(base, items);
    size_t next = 0, units = items.size();
    for (const Repeat& repeat : repeats) units -= repeat.period * repeat.count - 1;
    for (const Repeat& repeat : repeats) {
      placeRun(container, base, items.subspan(next, repeat.begin - next), units);
      placeRepeat(container, base, items.subspan(repeat.begin, repeat.period * repeat.count), repeat);
      next = repeat.end();
    }
    placeRun(container, base, items.subspan(next), units);
  }
  // units: boxes that the container would show if nothing in it were folded.
  void placeRun(int32_t container, int32_t base, std::span<const int32_t> items, size_t units) {
    if (nameless_ && units > kFewUnits)
      placeStretches(container, base, items, units);
    else
      placeSingly(container, base, items);
  }
  void placeSingly(int32_t container, int32_t base, std::span<const int32_t> items) {
    for (int32_t i : items) out_.groupOf[at(i)] = enter(container, base, tree_.scopeOf[at(i)], i);
  }
  void placeRepeat(int32_t container, int32_t base, std::span<const int32_t> items, const Repeat& repeat) {
    int32_t common = commonScope(items);
    if (common < 0 || (base >= 0 && tree_.scopes[at(common)].depth < tree_.scopes[at(base)].depth)) common = base;
    const int32_t parent = enter(container, base, common, items[0]);
    const std::string_view first = instruction(items[0]).name;
    const std::string path =
        parent < 0 ? fmt::format("repeat@{}", first) : fmt::format("{}/repeat@{}", group(parent).path, first);
    const BlockNames names = namesOfBlocks(module_, computation_, items, repeat.period);
    const int32_t stack = addGroup(OutlineGroup::Kind::Repeat, path, names.stack, parent, items[0]);
    for (size_t k = 0; k < repeat.count; ++k) {
      const auto block = items.subspan(k * repeat.period, repeat.period);
      const int32_t member =
          addGroup(OutlineGroup::Kind::Member, fmt::format("{}/{}", path, k), names.blocks[k], stack, block[0]);
      place(member, common, block);
    }
  }

  // --- placing without names
  bool isNameless() const {
    const std::vector<int32_t> items = contentIn(-1, true);
    const auto named = std::ranges::count_if(items, [&](int32_t i) { return tree_.scopeOf[at(i)] >= 0; });
    return items.size() > kFewInstructions && static_cast<size_t>(named) * kNameless < items.size();
  }
  // What the parts of a training step would be as scopes; none: it is no such step. The update is named by what it
  // does.
  ScopeTree scopesOfParts() const {
    ScopeTree out;
    out.scopeOf.assign(at(count()), -1);
    const std::vector<TrainingPart> parts =
        trainingParts(module_, computation_, users_, positions_, operands_, contentFlags());
    if (parts.empty()) return out;
    out.scopes = {{.path = "forward", .name = "forward", .pattern = 1, .role = ScopeRole::Forward},
                  {.path = "backward", .name = "backward", .pattern = 2, .role = ScopeRole::Backward},
                  {.path = "update", .pattern = 3}};
    for (size_t i = 0; i < parts.size(); ++i) out.scopeOf[i] = static_cast<int32_t>(parts[i]) - 1;
    return out;
  }
  void placeParts() {
    for (int32_t s = -1; s < static_cast<int32_t>(tree_.scopes.size()); ++s) {
      const std::vector<int32_t> items = contentIn(s, false);
      if (items.empty()) continue;
      const bool backward = s >= 0 && tree_.scopes[at(s)].role == ScopeRole::Backward;
      place(enter(-1, -1, s, items[0]), s, compactOrder(items, operands_, backward ? Toward::Inputs : Toward::Results));
    }
  }
  void placeStretches(int32_t container, int32_t base, std::span<const int32_t> items, size_t units) {
    const size_t length = std::max(kShortStretch, units / kStretches);
    size_t begin = 0;
    for (size_t end : stretchesOf(partingCosts(module_, computation_, items, operands_), items.size() / length)) {
      const auto stretch = items.subspan(begin, end - begin);
      begin = end;
      if (stretch.size() < kLeastStretch || stretch.size() == units) {
        placeSingly(container, base, stretch);
        continue;
      }
      const std::string prefix = container < 0 ? std::string() : group(container).path + "/";
      const int32_t part =
          addGroup(OutlineGroup::Kind::Scope, fmt::format("{}part@{}", prefix, instruction(stretch[0]).name), {},
                   container, stretch[0]);
      placeRun(part, base, stretch, stretch.size());
    }
  }

  // Exact blocks first; then, in what is left, blocks whose shapes differ (the same update for every parameter).
  std::vector<Repeat> repeatsIn(int32_t base, std::span<const int32_t> items) const {
    if (items.size() <= (nameless_ ? kFewUnits : kFewInstructions) || !withBlocks_) return {};
    std::vector<uint64_t> exact(items.size()), loose(items.size());
    std::vector<uint32_t> cuts(items.size());
    const std::vector<uint32_t> across = nameless_ ? valuesAcross(items, operands_) : std::vector<uint32_t>();
    for (size_t k = 0; k < items.size(); ++k) {
      const Instruction& i = instruction(items[k]);
      const int32_t scope = tree_.scopeOf[at(items[k])];
      cuts[k] = nameless_ ? across[k] : cuts_[at(items[k])];
      loose[k] = mixedHash(static_cast<uint64_t>(i.opcode), scope < 0 ? 0 : tree_.scopes[at(scope)].pattern);
      if (inStack(scope, base)) loose[k] = barrier(items[k]);  // has its place
      exact[k] = mixedHash(loose[k], reinterpret_cast<uintptr_t>(i.shape));
    }
    std::vector<Repeat> out = findRepeats(exact, cuts);
    size_t left = items.size();
    for (const Repeat& r : out) {
      left -= r.period * r.count;
      for (size_t k = r.begin; k < r.end(); ++k) loose[k] = barrier(items[k]);
    }
    if (left <= (nameless_ ? kFewUnits : kFewInstructions)) return out;
    const std::vector<Repeat> more = findRepeats(loose, cuts);
    out.insert(out.end(), more.begin(), more.end());
    sortWith(out, [](const Repeat& a, const Repeat& b) { return a.begin < b.begin; });
    return out;
  }
  static uint64_t barrier(int32_t item) { return mixedHash(static_cast<uint64_t>(item), 0x5bd1e995); }
  // cuts_[i]: how many values that are computed before instruction i are used at i or later.
  void countCuts() {
    std::vector<int32_t> change(at(count()) + 1);
    for (int32_t i = 0; i < count(); ++i) {
      if (!isContent(i)) continue;
      int32_t last = i;
      for (InstructionId user : users_.users(computation_.instructions[at(i)]))
        if (module_.at(user).computation == computation_.id) last = std::max(last, placeOf(user));
      ++change[at(i) + 1 > at(count()) ? at(count()) : at(i) + 1];
      if (last + 1 <= count()) --change[at(last) + 1];
    }
    cuts_.resize(at(count()));
    int32_t live = 0;
    for (size_t i = 0; i < cuts_.size(); ++i) cuts_[i] = static_cast<uint32_t>(std::max(live += change[i], 0));
  }

  // --- gathering
  int32_t depthOf(int32_t g) const {
    int32_t depth = 0;
    for (; g >= 0; g = out_.groups[at(g)].parent) ++depth;
    return depth;
  }
  int32_t commonGroup(int32_t a, int32_t b) const {
    int32_t depthA = depthOf(a), depthB = depthOf(b);
    for (; a != b;) {
      if (depthA >= depthB)
        a = out_.groups[at(a)].parent, --depthA;
      else
        b = out_.groups[at(b)].parent, --depthB;
    }
    return a;
  }
  bool holds(int32_t outer, int32_t inner) const {
    for (; inner >= 0; inner = out_.groups[at(inner)].parent)
      if (inner == outer) return true;
    return outer < 0;
  }
  // What has no scope of its own goes to its users if one group holds them all, else to its operands.
  // Few parameters stay on the page: they are the interface.
  void gather() {
    const bool fewParameters = computation_.parameters.size() <= kManyParameters;
    for (int32_t i = count(); i-- > 0;) {
      if (tree_.scopeOf[at(i)] >= 0 || (isParameter(i) && fewParameters)) continue;
      const auto users = users_.users(computation_.instructions[at(i)]);
      int32_t target = -2;
      for (InstructionId user : users) {
        if (module_.at(user).computation != computation_.id) continue;
        const int32_t g = out_.groupOf[at(placeOf(user))];
        target = target == -2 ? g : commonGroup(target, g);
      }
      moveInto(i, target);
    }
    for (int32_t i = 0; i < count(); ++i) {
      if (out_.groupOf[at(i)] >= 0 || tree_.scopeOf[at(i)] >= 0 || !isContent(i)) continue;
      if (computation_.instructions[at(i)] == computation_.root) continue;
      int32_t target = -2;
      for (InstructionId operand : instruction(i).operands) {
        if (!module_.contains(operand) || !isContent(placeOf(operand))) continue;
        const int32_t g = out_.groupOf[at(placeOf(operand))];
        target = target == -2 ? g : commonGroup(target, g);
      }
      moveInto(i, target);
    }
  }
  void moveInto(int32_t i, int32_t target) {
    if (target >= 0 && group(target).kind == OutlineGroup::Kind::Repeat)
      target = group(target).parent;  // between members
    int32_t& own = out_.groupOf[at(i)];
    if (target < 0 || target == own || !holds(own, target)) return;
    own = target;
  }

  // --- pruning
  // A scope that holds one instruction, nothing but one other group, or everything that has a scope, says nothing.
  void prune() {
    std::vector<size_t> largestChild(out_.groups.size());
    size_t scoped = 0;
    for (const OutlineGroup& g : out_.groups) {
      if (g.parent < 0)
        scoped += g.instructions;
      else
        largestChild[at(g.parent)] = std::max(largestChild[at(g.parent)], g.instructions);
    }
    for (size_t g = 0; g < out_.groups.size(); ++g) {
      OutlineGroup& own = out_.groups[g];
      const bool stacked = own.kind == OutlineGroup::Kind::Repeat || own.kind == OutlineGroup::Kind::Member;
      // A kernel or a line may hold all there is and says it.
      const bool all = own.instructions == scoped && (withBlocks_ || largestChild[g] > 0);
      own.transparent = own.instructions < 2 || (!stacked && (all || largestChild[g] == own.instructions));
    }
  }

  void countChildren() {
    const auto count = [&](int32_t parent) {
      if (parent >= 0 && group(parent).transparent) parent = out_.drawnParent(parent);
      if (parent >= 0) ++group(parent).children;
    };
    for (size_t i = 0; i < out_.groupOf.size(); ++i)
      if (!hubs_[i]) count(out_.groupOf[i]);
    for (const OutlineGroup& g : out_.groups)
      if (!g.transparent && g.instructions > 0) count(g.parent);
  }

  const Module& module_;
  const Computation& computation_;
  const UserTable& users_;
  const std::vector<bool>& hubs_;
  const std::vector<int32_t>& positions_;
  OperandPlaces operands_;
  ScopeTree tree_;
  bool withBlocks_ = true, nameless_ = false;
  NumberedStacks stacks_;
  std::vector<uint32_t> cuts_;
  ScopeTurns turns_;
  std::unordered_map<uint64_t, std::vector<std::pair<int32_t, int32_t>>> scopeGroups_;  // by parent, scope: turn, group
  std::unordered_map<uint64_t, int32_t> stackGroups_;
  Outline out_;
};

}  // namespace

Outline outlineOf(const Module& module, const Computation& computation, const UserTable& users,
                  const std::vector<bool>& hubs, const std::vector<int32_t>& positions) {
  return OutlineBuilder(module, computation, users, hubs, positions).run(scopesOf(module, computation), true);
}

Outline outlineBy(ScopeTree scopes, const Module& module, const Computation& computation, const UserTable& users,
                  const std::vector<bool>& hubs, const std::vector<int32_t>& positions) {
  return OutlineBuilder(module, computation, users, hubs, positions).run(std::move(scopes), false);
}

}  // namespace tessera
