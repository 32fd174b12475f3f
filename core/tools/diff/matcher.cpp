// Pairs are found in this order: what has the same hash and is alone with it; neighbours of pairs that are alike but
// for their neighbours; what is alike beyond something that came or went; neighbours with other attributes, then with
// other shapes, then with other opcodes. Each pair that is found puts its neighbours into one queue, so time is linear
// but for the queue.
#include "core/tools/diff/matcher.h"

#include <algorithm>
#include <array>
#include <queue>
#include <set>
#include <unordered_map>

#include "core/base/sorting.h"
#include "core/tools/diff/gaps.h"
#include "core/tools/diff/twins.h"

namespace tessera {
namespace {

constexpr size_t kMaxUserPairs = 64;  // of one pair; what many read is found from its other neighbours
constexpr size_t kManyOperands = 32;  // what has more is not weighed again for each of them

class Matcher {
 public:
  Matcher(const LabelledGraph& left, const LabelledGraph& right, ComputationId a, ComputationId b)
      : left_(left), right_(right), partners_(left, right, a, b) {}

  ComputationMatch run() {
    byHashes();
    if (!partners_.isWhole()) byNeighbours();
    settleTwins(partners_);
    return std::move(partners_.match);
  }

 private:
  using Hashes = std::vector<uint64_t>;
  struct Candidate {
    int score;
    InstructionId left, right;
    bool operator<(const Candidate& other) const {
      if (score != other.score) return score < other.score;
      return left != other.left ? left > other.left : right > other.right;
    }
  };

  using Queue = std::priority_queue<Candidate>;

  void byNeighbours() {
    anchorBy(left_.withoutLayouts(), right_.withoutLayouts());
    drain(Kinship::SameLabel);
    beyondGaps(loneBeyondGaps);
    drain(Kinship::SameShape);
    beyondGaps(loneBeyondGaps);
    drain(Kinship::SameShape);
    beyondGaps(nearestBeyondGaps);
    drain(Kinship::SameShape);
    anchorByLabels();
    drain(Kinship::SameShape);
    if (!partners_.isWhole()) anchorBy(left_.outline(), right_.outline());
    drain(Kinship::SameOpcode);
    drain(Kinship::Stranger);
    sameValues(left_.hashes().down, right_.hashes().down);
    drain(Kinship::Stranger);
  }

  void accept(InstructionId a, InstructionId b) {
    partners_.pair(a, b);
    proposeOperands(a, b);
    proposeUsers(a, b);
  }

  // --- anchors
  void byHashes() {
    const GraphHashes &one = left_.hashes(), &other = right_.hashes();
    anchor(one.exact, other.exact, false);
    drain(Kinship::SameLabel);
    anchor(one.down, other.down, true);
    drain(Kinship::SameLabel);
    anchor(one.up, other.up, false);
    drain(Kinship::SameLabel);
    sameValues(one.exact, other.exact);
    if (partners_.one.root.valid() && partners_.other.root.valid()) propose(partners_.one.root, partners_.other.root);
    drain(Kinship::SameLabel);
    anchor(one.down, other.down, false);
    drain(Kinship::SameLabel);
  }

  void anchorBy(const GraphHashes& one, const GraphHashes& other) {
    anchor(one.exact, other.exact, false);
    anchor(one.down, other.down, true);
    anchor(one.up, other.up, true);
  }

  // What is the only one of its label, matched ones included: all around it may have changed.
  void anchorByLabels() {
    std::unordered_map<uint64_t, std::pair<uint32_t, uint32_t>> counts;
    for (InstructionId id : partners_.one.instructions) ++counts[left_.label(id)].first;
    for (InstructionId id : partners_.other.instructions) ++counts[right_.label(id)].second;
    std::unordered_map<uint64_t, InstructionId> lone;
    for (InstructionId id : partners_.other.instructions)
      if (partners_.isFreeRight(id) && counts[right_.label(id)] == std::pair(1u, 1u)) lone[right_.label(id)] = id;
    for (InstructionId id : partners_.one.instructions) {
      const auto found = partners_.isFree(id) ? lone.find(left_.label(id)) : lone.end();
      if (found != lone.end() && !left_.at(id).operands.empty()) accept(id, found->second);
    }
  }

  // Pairs whose hash nothing else has; with `onlyInner`, only those that have operands.
  void anchor(const Hashes& one, const Hashes& other, bool onlyInner) {
    struct Holders {
      uint32_t lefts = 0, rights = 0;
      InstructionId left, right;
    };
    std::unordered_map<uint64_t, Holders> holders;
    for (InstructionId id : partners_.one.instructions)
      if (partners_.isFree(id) && (!onlyInner || !left_.at(id).operands.empty())) {
        Holders& found = holders[one[id.value]];
        ++found.lefts, found.left = id;
      }
    for (InstructionId id : partners_.other.instructions)
      if (partners_.isFreeRight(id)) {
        const auto found = holders.find(other[id.value]);
        if (found != holders.end()) ++found->second.rights, found->second.right = id;
      }
    for (InstructionId id : partners_.one.instructions) {
      if (!partners_.isFree(id)) continue;
      const auto found = holders.find(one[id.value]);
      if (found != holders.end() && found->second.lefts == 1 && found->second.rights == 1)
        accept(found->second.left, found->second.right);
    }
  }

  // Several with one hash are as good as each other: in order, each with all that follows from it.
  void sameValues(const Hashes& one, const Hashes& other) {
    struct Row {
      std::vector<InstructionId> ids;
      size_t next = 0;
    };
    std::unordered_map<uint64_t, Row> rights;
    std::vector<InstructionId> ordered = partners_.other.instructions, lefts = partners_.one.instructions;
    inOrderOfParameters(right_, ordered);
    inOrderOfParameters(left_, lefts);
    for (InstructionId id : ordered)
      if (partners_.isFreeRight(id)) rights[other[id.value]].ids.push_back(id);
    for (InstructionId id : lefts) {
      const auto found = partners_.isFree(id) ? rights.find(one[id.value]) : rights.end();
      if (found == rights.end()) continue;
      Row& row = found->second;
      while (row.next < row.ids.size() && !partners_.isFreeRight(row.ids[row.next])) ++row.next;
      if (row.next == row.ids.size()) continue;
      accept(id, row.ids[row.next]);
      drain(Kinship::SameLabel);
    }
  }
  static void inOrderOfParameters(const LabelledGraph& graph, std::vector<InstructionId>& ids) {
    sortBy(ids, [&](InstructionId id) { return graph.at(id).parameterNumber; });
  }

  int scoreOf(InstructionId a, InstructionId b) const {
    return 1000 * partners_.sameMeaning(a, b) + 100 * partners_.sameHashes(a, b) +
           std::clamp(partners_.evidence(a, b).balance(), -40, 40);
  }

  void propose(InstructionId a, InstructionId b) {
    if (!left_.module().contains(a) || !right_.module().contains(b) || !partners_.isFree(a) ||
        !partners_.isFreeRight(b))
      return;
    if (left_.at(a).computation != partners_.one.id || right_.at(b).computation != partners_.other.id) return;
    if (left_.at(a).operands.size() > kManyOperands && !waiting_.insert({a, b}).second) return;
    queues_[static_cast<size_t>(partners_.kinship(a, b))].push({scoreOf(a, b), a, b});
  }

  void proposeOperands(InstructionId a, InstructionId b) {
    const Instruction &x = left_.at(a), &y = right_.at(b);
    const std::vector<uint32_t> positions = partners_.aligned(x, y);
    for (size_t i = 0; i < positions.size(); ++i)
      if (positions[i] < y.operands.size()) propose(x.operands[i], y.operands[positions[i]]);
  }

  void proposeUsers(InstructionId a, InstructionId b) {
    std::vector<UserEdge> ones, others;
    for (const UserEdge& edge : left_.users(a))
      if (partners_.isFree(edge.user)) ones.push_back(edge);
    for (const UserEdge& edge : right_.users(b))
      if (partners_.isFreeRight(edge.user)) others.push_back(edge);
    if (ones.size() * others.size() > kMaxUserPairs) return proposeByLabel(ones, others);
    for (const UserEdge& one : ones)
      for (const UserEdge& other : others) proposeUser(one, other);
  }
  void proposeUser(const UserEdge& one, const UserEdge& other) {
    if (partners_.mayBeSameEdge(one, other)) propose(one.user, other.user);
  }
  // Of many users those with a label that no other has.
  void proposeByLabel(const std::vector<UserEdge>& ones, const std::vector<UserEdge>& others) {
    struct Holders {
      uint32_t lefts = 0, rights = 0;
      const UserEdge *left = nullptr, *right = nullptr;
    };
    std::unordered_map<uint64_t, Holders> holders;
    for (const UserEdge& edge : ones)
      ++holders[left_.label(edge.user)].lefts, holders[left_.label(edge.user)].left = &edge;
    for (const UserEdge& edge : others)
      ++holders[right_.label(edge.user)].rights, holders[right_.label(edge.user)].right = &edge;
    for (const UserEdge& edge : ones)
      if (const Holders& found = holders[left_.label(edge.user)]; found.lefts == 1 && found.rights == 1)
        proposeUser(*found.left, *found.right);
  }

  // --- the queue
  // The nearest kin first; none more distant than `least`.
  void drain(Kinship least) {
    while (Queue* queue = nearest(least)) {
      const Candidate next = queue->top();
      queue->pop();
      waiting_.erase({next.left, next.right});
      if (!partners_.isFree(next.left) || !partners_.isFreeRight(next.right)) continue;
      if (const int now = scoreOf(next.left, next.right); now < next.score)
        queue->push({now, next.left, next.right});
      else if (isConvincing(next.left, next.right))
        accept(next.left, next.right);
    }
  }
  Queue* nearest(Kinship least) {
    for (size_t k = queues_.size(); k-- > static_cast<size_t>(least);)
      if (!queues_[k].empty()) return &queues_[k];
    return nullptr;
  }

  bool isConvincing(InstructionId a, InstructionId b) const {
    const Evidence found = partners_.evidence(a, b);
    switch (partners_.kinship(a, b)) {
      case Kinship::SameLabel: return found.agree >= found.conflict && found.agree > 0;
      case Kinship::SameShape:
        if (partners_.sameMeaning(a, b)) return found.agree >= found.conflict && found.agree > 0;
        [[fallthrough]];
      case Kinship::SameOpcode: return found.agree > found.conflict;
      case Kinship::Stranger: return standsInItsPlace(a, b, found);
    }
    return false;
  }

  // Another operation on the same values for the same users.
  bool standsInItsPlace(InstructionId a, InstructionId b, const Evidence& found) const {
    const Instruction &x = left_.at(a), &y = right_.at(b);
    if (found.conflict > 0 || x.operands.size() != y.operands.size() || !compatible(*x.shape, *y.shape)) return false;
    const bool hasUsers = !left_.users(a).empty() || a == partners_.one.root;
    return found.agree > static_cast<int>(x.operands.size()) || (!hasUsers && found.agree > 0);
  }

  // --- beyond what came or went
  template <class Find>
  void beyondGaps(const Find& find) {
    for (InstructionId a : partners_.one.instructions) {
      if (partners_.isFree(a)) continue;
      const InstructionPairs found = find(partners_, a, partners_.partnerOf(a));
      for (const auto& [x, y] : found)
        if (partners_.isFree(x) && partners_.isFreeRight(y)) accept(x, y);
      if (!found.empty()) drain(Kinship::SameLabel);
    }
  }

  const LabelledGraph &left_, &right_;
  Partners partners_;
  std::array<Queue, 4> queues_;                                // by kinship
  std::set<std::pair<InstructionId, InstructionId>> waiting_;  // in a queue, of those with many operands
};

}  // namespace

ComputationMatch matchComputations(const LabelledGraph& left, const LabelledGraph& right, ComputationId a,
                                   ComputationId b) {
  return Matcher(left, right, a, b).run();
}

}  // namespace tessera
