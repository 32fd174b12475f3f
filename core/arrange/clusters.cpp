// No cluster makes a cycle: parameters have no operands; the elements of one tuple have the same one; loose
// instructions of one cluster have one height, so none is above another; pieces are stretches of a topological order.
#include "core/arrange/clusters.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <span>

#include "core/arrange/arrangement.h"
#include "core/base/hash.h"

namespace tessera {
namespace {

constexpr size_t kMaxBoxes = 200;  // a container with more is cut into pieces
constexpr size_t kManyParts = 12;
constexpr size_t kManyElements = 12;
constexpr size_t kManyLoose = 12;  // of one kind and height
constexpr size_t kFewLoose = 40;   // loose ones that may stay loose
constexpr size_t kClusterSize = 40;
constexpr size_t kMinPiece = 4;  // fewer stay as they are

using Box = OutlineLevel::Box;

class ClusterMaker {
 public:
  ClusterMaker(const Module& module, const Computation& computation, const OperandPlaces& operands,
               const std::vector<bool>& hubs, const std::vector<uint32_t>& cuts, Outline& outline)
      : module_(module), computation_(computation), operands_(operands), hubs_(hubs), cuts_(cuts), outline_(outline) {}

  void run(OutlineLevels levels) {
    const size_t groups = outline_.groups.size();
    for (size_t slot = 0; slot < levels.size(); ++slot) {
      const auto container = static_cast<int32_t>(slot) - 1;
      if (container >= 0 && outline_.groups[at(container)].kind == OutlineGroup::Kind::Repeat) continue;
      foldParameters(container, levels[slot].boxes);
      foldElements(container, levels[slot].boxes);
      foldLoose(container, levels[slot]);
    }
    if (outline_.groups.size() > groups) levels = levelsOf(outline_, operands_, hubs_);
    for (size_t slot = 0; slot < levels.size(); ++slot)
      if (levels[slot].boxes.size() > kMaxBoxes) foldPieces(static_cast<int32_t>(slot) - 1, levels[slot]);
  }

 private:
  OutlineGroup& group(int32_t g) { return outline_.groups[at(g)]; }
  const Instruction& instruction(int32_t item) const { return module_.at(computation_.instructions[at(item)]); }
  bool isParameter(const Box& box) const { return box.item >= 0 && instruction(box.item).opcode == Opcode::Parameter; }
  bool isRoot(const Box& box) const {
    return box.item >= 0 && computation_.instructions[at(box.item)] == computation_.root;
  }

  int32_t addCluster(int32_t container, std::string_view what, std::string title, std::span<const Box> boxes) {
    const std::string prefix = container < 0 ? std::string() : group(container).path + "/";
    std::string path = fmt::format("{}{}@{}", prefix, what, instruction(boxes[0].first).name);
    outline_.groups.push_back(
        {OutlineGroup::Kind::Cluster, std::move(path), std::move(title), container, boxes[0].first, 0, 0, false, {}});
    const auto cluster = static_cast<int32_t>(outline_.groups.size()) - 1;
    for (const Box& box : boxes) {
      if (box.group >= 0)
        group(box.group).parent = cluster, group(cluster).instructions += group(box.group).instructions;
      else
        outline_.groupOf[at(box.item)] = cluster, ++group(cluster).instructions;
    }
    return cluster;
  }

  // --- parameters, by the argument that they are parts of
  std::string argumentOf(const Box& box) const {
    const std::string title = titleOf(module_, computation_.instructions[at(box.item)]);
    return title.substr(0, title.find_first_of("[."));
  }
  void foldParameters(int32_t container, const std::vector<Box>& boxes) {
    std::vector<Box> parameters;
    for (const Box& box : boxes)
      if (isParameter(box) && !isRoot(box)) parameters.push_back(box);
    if (parameters.size() <= kManyParts) return;
    std::map<std::string, std::vector<Box>> arguments;
    for (const Box& box : parameters) arguments[argumentOf(box)].push_back(box);
    const bool byArgument = arguments.size() <= kManyParts;
    if (!byArgument) addCluster(container, "parameters", "parameters", parameters);
    for (const auto& [name, parts] : arguments)
      if (byArgument && parts.size() > 1)
        addCluster(container, "parameters", arguments.size() > 1 ? "parameters " + name : "parameters", parts);
  }

  void foldElements(int32_t container, const std::vector<Box>& boxes) {
    std::map<InstructionId, std::vector<Box>> fans;
    for (const Box& box : boxes) {
      if (box.item < 0 || isRoot(box)) continue;
      const Instruction& i = instruction(box.item);
      if (i.opcode == Opcode::GetTupleElement && !i.operands.empty() && module_.contains(i.operands[0]))
        fans[i.operands[0]].push_back(box);
    }
    for (const auto& [tuple, fan] : fans)
      if (fan.size() > kManyElements)
        addCluster(container, "elements", fmt::format("elements of {}", module_.at(tuple).name), fan);
  }

  // --- loose instructions of one kind
  uint64_t kindOf(const Instruction& i) const {
    uint64_t out = mixedHash(static_cast<uint64_t>(i.opcode), i.operands.size());
    const std::vector<ComputationId> callees = module_.callees(i);
    if (i.opcode == Opcode::Fusion && callees.size() == 1 && module_.contains(callees[0]) &&
        module_.contains(module_.at(callees[0]).root))
      out = mixedHash(out, static_cast<uint64_t>(module_.at(module_.at(callees[0]).root).opcode));
    return out;
  }
  bool isLoose(const Box& box) const {
    if (box.item < 0 || isRoot(box) || isParameter(box)) return false;
    const Opcode opcode = instruction(box.item).opcode;
    return opcode != Opcode::While && opcode != Opcode::Conditional && opcode != Opcode::GetTupleElement;
  }
  void foldLoose(int32_t container, const OutlineLevel& level) {
    if (static_cast<size_t>(std::ranges::count_if(level.boxes, [&](auto& b) { return isLoose(b); })) <= kFewLoose)
      return;
    const std::vector<int32_t> heights = level.heights();
    if (heights.empty()) return;
    std::map<std::pair<int32_t, uint64_t>, std::vector<Box>> kinds;
    for (size_t k = 0; k < level.boxes.size(); ++k)
      if (isLoose(level.boxes[k]))
        kinds[{heights[k], kindOf(instruction(level.boxes[k].item))}].push_back(level.boxes[k]);
    for (const auto& [kind, boxes] : kinds)
      if (boxes.size() > kManyLoose) addCluster(container, "alike", "", boxes);
  }

  // --- pieces of the order, parted where few values cross, until few enough are left
  struct Placed {
    Box box;
    int32_t section = 0;  // how many boxes that stay visible come before: a piece has all of them on one side
  };
  void foldPieces(int32_t container, const OutlineLevel& level) {
    std::vector<Placed> rest;
    int32_t section = 0;
    for (int32_t k : level.topologicalOrder()) {
      const Box& box = level.boxes[at(k)];
      if (staysVisible(box))
        ++section;
      else
        rest.push_back({box, section});
    }
    while (rest.size() > kMaxBoxes) {
      std::vector<Placed> pieces;
      int32_t left = 0;  // what stays between two pieces parts them
      for (size_t begin = 0; begin < rest.size();) {
        const size_t end = partAfter(rest, begin);
        if (end - begin < kMinPiece) {
          left += 1;
        } else {
          pieces.push_back(pieceOf(container, std::span(rest).subspan(begin, end - begin)));
          pieces.back().section += left;
        }
        begin = end;
      }
      if (pieces.size() >= rest.size()) break;
      rest = std::move(pieces);
    }
  }
  // The root, and groups that say more than a cluster around them would.
  bool staysVisible(const Box& box) {
    if (box.item >= 0) return isRoot(box);
    const OutlineGroup& own = group(box.group);
    return own.kind == OutlineGroup::Kind::Repeat ||
           (own.kind == OutlineGroup::Kind::Scope && own.instructions > kClusterSize);
  }
  Placed pieceOf(int32_t container, std::span<const Placed> placed) {
    std::vector<Box> boxes;
    for (const Placed& p : placed) boxes.push_back(p.box);
    const bool members = container >= 0 && group(container).kind == OutlineGroup::Kind::Repeat;
    const bool range = members || std::ranges::all_of(boxes, [&](const Box& b) { return isParameter(b); });
    const std::string title = range ? titleAt(boxes.front()) + " … " + titleAt(boxes.back()) : std::string();
    const int32_t cluster = addCluster(container, "part", title, boxes);
    return {{boxes[0].first, -1, cluster}, placed[0].section};
  }
  std::string titleAt(const Box& box) {
    return box.group >= 0 ? group(box.group).title : titleOf(module_, computation_.instructions[at(box.item)]);
  }
  size_t partAfter(const std::vector<Placed>& rest, size_t begin) const {
    size_t last = begin;
    while (last < rest.size() && rest[last].section == rest[begin].section) ++last;
    if (last - begin <= kClusterSize * 3 / 2) return last;
    size_t best = begin + kClusterSize;
    for (size_t k = begin + kClusterSize / 2; k < std::min(begin + kClusterSize * 3 / 2, last); ++k)
      if (cuts_[at(rest[k].box.first)] < cuts_[at(rest[best].box.first)]) best = k;
    return best;
  }

  const Module& module_;
  const Computation& computation_;
  const OperandPlaces& operands_;
  const std::vector<bool>& hubs_;
  const std::vector<uint32_t>& cuts_;
  Outline& outline_;
};

}  // namespace

void makeClusters(const Module& module, const Computation& computation, const OperandPlaces& operands,
                  const std::vector<bool>& hubs, const std::vector<uint32_t>& cuts, Outline& outline,
                  OutlineLevels levels) {
  ClusterMaker(module, computation, operands, hubs, cuts, outline).run(std::move(levels));
}

}  // namespace tessera
