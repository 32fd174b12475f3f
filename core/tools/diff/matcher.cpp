// Pairs are found in this order: what has the same hash and is alone with it; neighbours of pairs that are alike but
// for their neighbours; what is alike beyond something that came or went; neighbours with other attributes, then with
// other shapes, then with other opcodes. Each pair that is found puts its neighbours into one queue, so time is linear
// but for the queue.
#include "core/tools/diff/matcher.h"

#include <algorithm>
#include <array>
#include <queue>
#include <unordered_map>

#include "core/tools/diff/operand_alignment.h"

namespace tessera {
namespace {

enum class Kinship : uint8_t { Stranger, SameOpcode, SameShape, SameLabel };

constexpr size_t kMaxUserPairs = 64;   // of one pair; what many read is found from its other neighbours
constexpr size_t kMaxUsersAsked = 32;  // of an instruction, for evidence
constexpr size_t kMaxGap = 24;         // instructions looked at beyond a gap, …
constexpr int kMaxGapDepth = 3;        // … and how far

struct Evidence {
  int agree = 0, conflict = 0;  // neighbours that are partners; neighbours whose partners are elsewhere
};

class Matcher {
 public:
  Matcher(const LabelledGraph& left, const LabelledGraph& right, ComputationId a, ComputationId b)
      : left_(left), right_(right), one_(left.module().at(a)), other_(right.module().at(b)) {
    out_ = {a, b, std::vector<uint32_t>(one_.instructions.size(), kUnmatched),
            std::vector<uint32_t>(other_.instructions.size(), kUnmatched)};
  }

  ComputationMatch run() {
    byHashes();
    if (!isWhole()) byNeighbours();
    settleTwins();
    return std::move(out_);
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
    beyondGaps();
    drain(Kinship::SameLabel);
    drain(Kinship::SameShape);
    beyondGaps();
    drain(Kinship::SameShape);
    byOutline();
    drain(Kinship::Stranger);
    sameValues(left_.hashes().down, right_.hashes().down);
    drain(Kinship::Stranger);
  }

  // --- who is matched
  uint32_t& partner(InstructionId left) { return out_.toRight[left_.placeOf(left)]; }
  uint32_t& partnerOfRight(InstructionId right) { return out_.toLeft[right_.placeOf(right)]; }
  bool isFree(InstructionId left) const { return out_.toRight[left_.placeOf(left)] == kUnmatched; }
  bool isFreeRight(InstructionId right) const { return out_.toLeft[right_.placeOf(right)] == kUnmatched; }
  bool arePartners(InstructionId left, InstructionId right) const {
    return out_.toRight[left_.placeOf(left)] == right_.placeOf(right);
  }
  bool isWhole() const {
    return std::ranges::find(out_.toRight, kUnmatched) == out_.toRight.end() &&
           std::ranges::find(out_.toLeft, kUnmatched) == out_.toLeft.end();
  }

  void accept(InstructionId a, InstructionId b) {
    partner(a) = right_.placeOf(b);
    partnerOfRight(b) = left_.placeOf(a);
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
    if (one_.root.valid() && other_.root.valid()) propose(one_.root, other_.root);
    drain(Kinship::SameLabel);
    anchor(one.down, other.down, false);
    drain(Kinship::SameLabel);
  }

  void byOutline() {
    if (isWhole()) return;
    const GraphHashes &one = left_.outline(), &other = right_.outline();
    anchor(one.exact, other.exact, false);
    anchor(one.down, other.down, true);
    anchor(one.up, other.up, true);
    drain(Kinship::SameOpcode);
  }

  // Pairs whose hash nothing else has; with `onlyInner`, only those that have operands.
  void anchor(const Hashes& one, const Hashes& other, bool onlyInner) {
    struct Holders {
      uint32_t lefts = 0, rights = 0;
      InstructionId left, right;
    };
    std::unordered_map<uint64_t, Holders> holders;
    for (InstructionId id : one_.instructions)
      if (isFree(id) && (!onlyInner || !left_.at(id).operands.empty())) {
        Holders& found = holders[one[id.value]];
        ++found.lefts, found.left = id;
      }
    for (InstructionId id : other_.instructions)
      if (isFreeRight(id)) {
        const auto found = holders.find(other[id.value]);
        if (found != holders.end()) ++found->second.rights, found->second.right = id;
      }
    for (InstructionId id : one_.instructions) {
      if (!isFree(id)) continue;
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
    std::vector<InstructionId> ordered = other_.instructions, lefts = one_.instructions;
    inOrderOfParameters(right_, ordered);
    inOrderOfParameters(left_, lefts);
    for (InstructionId id : ordered)
      if (isFreeRight(id)) rights[other[id.value]].ids.push_back(id);
    for (InstructionId id : lefts) {
      const auto found = isFree(id) ? rights.find(one[id.value]) : rights.end();
      if (found == rights.end()) continue;
      Row& row = found->second;
      while (row.next < row.ids.size() && !isFreeRight(row.ids[row.next])) ++row.next;
      if (row.next == row.ids.size()) continue;
      accept(id, row.ids[row.next]);
      drain(Kinship::SameLabel);
    }
  }
  static void inOrderOfParameters(const LabelledGraph& graph, std::vector<InstructionId>& ids) {
    std::ranges::stable_sort(ids, {}, [&](InstructionId id) { return graph.at(id).parameterNumber; });
  }

  // --- candidates
  Kinship kinship(InstructionId a, InstructionId b) const {
    if (left_.label(a) == right_.label(b)) return Kinship::SameLabel;
    if (left_.loose(a) == right_.loose(b)) return Kinship::SameShape;
    const Instruction &x = left_.at(a), &y = right_.at(b);
    return x.opcode == y.opcode && x.opcodeName() == y.opcodeName() ? Kinship::SameOpcode : Kinship::Stranger;
  }

  int sameHashes(InstructionId a, InstructionId b) const {
    const GraphHashes &one = left_.hashes(), &other = right_.hashes();
    return 4 * (one.exact[a.value] == other.exact[b.value]) + 2 * (one.down[a.value] == other.down[b.value]) +
           2 * (one.up[a.value] == other.up[b.value]);
  }

  int scoreOf(InstructionId a, InstructionId b) const {
    const Evidence found = evidence(a, b);
    const int balance = std::clamp(found.agree - found.conflict, -40, 40);
    return sameHashes(a, b) * 100 + balance;
  }

  void propose(InstructionId a, InstructionId b) {
    if (!left_.module().contains(a) || !right_.module().contains(b) || !isFree(a) || !isFreeRight(b)) return;
    if (left_.at(a).computation != one_.id || right_.at(b).computation != other_.id) return;
    queues_[static_cast<size_t>(kinship(a, b))].push({scoreOf(a, b), a, b});
  }

  int likeness(InstructionId a, InstructionId b) const {
    if (!left_.module().contains(a) || !right_.module().contains(b)) return 0;
    if (arePartners(a, b)) return 20;
    if (!isFree(a) || !isFreeRight(b)) return -20;
    return static_cast<int>(kinship(a, b)) * 2 + sameHashes(a, b) - 3;
  }

  std::vector<uint32_t> aligned(const Instruction& a, const Instruction& b) const {
    return alignedOperands(left_, a, right_, b, [this](InstructionId x, InstructionId y) { return likeness(x, y); });
  }

  void proposeOperands(InstructionId a, InstructionId b) {
    const Instruction &x = left_.at(a), &y = right_.at(b);
    const std::vector<uint32_t> positions = aligned(x, y);
    for (size_t i = 0; i < positions.size(); ++i)
      if (positions[i] < y.operands.size()) propose(x.operands[i], y.operands[positions[i]]);
  }

  void proposeUsers(InstructionId a, InstructionId b) {
    std::vector<UserEdge> ones, others;
    for (const UserEdge& edge : left_.users(a))
      if (isFree(edge.user)) ones.push_back(edge);
    for (const UserEdge& edge : right_.users(b))
      if (isFreeRight(edge.user)) others.push_back(edge);
    if (ones.size() * others.size() > kMaxUserPairs) return proposeByLabel(ones, others);
    for (const UserEdge& one : ones)
      for (const UserEdge& other : others) proposeUser(one, other);
  }
  void proposeUser(const UserEdge& one, const UserEdge& other) {
    if (mayBeSameEdge(one, other)) propose(one.user, other.user);
  }
  bool mayBeSameEdge(const UserEdge& one, const UserEdge& other) const {
    const Instruction &x = left_.at(one.user), &y = right_.at(other.user);
    return one.position == other.position || x.operands.size() != y.operands.size() ||
           (ignoresOperandOrder(x) && ignoresOperandOrder(y)) ||
           (bindsParameters(left_.module(), x) && bindsParameters(right_.module(), y));
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

  // --- evidence
  Evidence evidence(InstructionId a, InstructionId b) const {
    Evidence out;
    const Instruction &x = left_.at(a), &y = right_.at(b);
    const std::vector<uint32_t> positions = aligned(x, y);
    for (size_t i = 0; i < positions.size(); ++i) {
      if (positions[i] >= y.operands.size()) continue;
      const InstructionId p = x.operands[i], q = y.operands[positions[i]];
      if (!left_.module().contains(p) || !right_.module().contains(q)) continue;
      if (arePartners(p, q))
        ++out.agree;
      else if (!isFree(p) || !isFreeRight(q))
        ++out.conflict;
    }
    askUsers(a, b, out);
    return out;
  }

  void askUsers(InstructionId a, InstructionId b, Evidence& out) const {
    if (a == one_.root && b == other_.root) ++out.agree;
    const auto users = left_.users(a), others = right_.users(b);
    for (const UserEdge& edge : users.first(std::min(users.size(), kMaxUsersAsked))) {
      const uint32_t place = out_.toRight[left_.placeOf(edge.user)];
      if (place == kUnmatched) continue;
      ++(uses(other_.instructions[place], b, edge) ? out.agree : out.conflict);
    }
    for (const UserEdge& edge : others.first(std::min(others.size(), kMaxUsersAsked))) {
      const uint32_t place = out_.toLeft[right_.placeOf(edge.user)];
      if (place != kUnmatched && std::ranges::find(left_.at(one_.instructions[place]).operands, a) ==
                                     left_.at(one_.instructions[place]).operands.end())
        ++out.conflict;
    }
  }
  bool uses(InstructionId user, InstructionId value, const UserEdge& like) const {
    const auto operands = right_.at(user).operands;
    for (uint32_t i = 0; i < operands.size(); ++i)
      if (operands[i] == value && mayBeSameEdge(like, {user, i})) return true;
    return false;
  }

  // --- the queue
  // The nearest kin first; none more distant than `least`.
  void drain(Kinship least) {
    while (Queue* queue = nearest(least)) {
      const Candidate next = queue->top();
      queue->pop();
      if (!isFree(next.left) || !isFreeRight(next.right)) continue;
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
    const Evidence found = evidence(a, b);
    switch (kinship(a, b)) {
      case Kinship::SameLabel: return found.agree >= found.conflict && found.agree > 0;
      case Kinship::SameShape:
      case Kinship::SameOpcode: return found.agree > found.conflict;
      case Kinship::Stranger: return standsInItsPlace(a, b, found);
    }
    return false;
  }

  // Another operation on the same values for the same users.
  bool standsInItsPlace(InstructionId a, InstructionId b, const Evidence& found) const {
    const Instruction &x = left_.at(a), &y = right_.at(b);
    if (found.conflict > 0 || x.operands.size() != y.operands.size() || !compatible(*x.shape, *y.shape)) return false;
    const bool hasUsers = !left_.users(a).empty() || a == one_.root;
    return found.agree > static_cast<int>(x.operands.size()) || (!hasUsers && found.agree > 0);
  }

  // --- beyond what came or went
  // From a pair through unmatched instructions: those with the same label, where each side has one, are partners.
  void beyondGaps() {
    for (InstructionId a : std::vector(one_.instructions)) {
      if (isFree(a)) continue;
      const InstructionId b = other_.instructions[partner(a)];
      pairBeyond(gap<false>(left_, a), gap<false>(right_, b));
      pairBeyond(gap<true>(left_, a), gap<true>(right_, b));
    }
  }
  bool isFreeIn(const LabelledGraph& graph, InstructionId id) const {
    return &graph == &left_ ? isFree(id) : isFreeRight(id);
  }
  template <bool upwards>
  std::vector<InstructionId> gap(const LabelledGraph& graph, InstructionId from) const {
    std::vector<InstructionId> out;
    const auto add = [&](InstructionId id) {
      if (out.size() < kMaxGap && graph.module().contains(id) && isFreeIn(graph, id) &&
          std::ranges::find(out, id) == out.end())
        out.push_back(id);
    };
    const auto step = [&](InstructionId id) {
      if constexpr (upwards)
        for (const UserEdge& edge : graph.users(id).first(std::min(graph.users(id).size(), kMaxUsersAsked)))
          add(edge.user);
      else
        for (InstructionId operand : graph.at(id).operands) add(operand);
    };
    step(from);
    for (size_t begin = 0, depth = 1; depth < kMaxGapDepth && begin < out.size(); ++depth) {
      const size_t end = out.size();
      for (; begin < end; ++begin) step(InstructionId(out[begin]));
    }
    return out;
  }
  void pairBeyond(const std::vector<InstructionId>& ones, const std::vector<InstructionId>& others) {
    for (InstructionId a : ones) {
      const auto sameLeft = [&](InstructionId id) { return left_.label(id) == left_.label(a); };
      const auto sameRight = [&](InstructionId id) { return right_.label(id) == left_.label(a); };
      if (std::ranges::count_if(ones, sameLeft) != 1 || std::ranges::count_if(others, sameRight) != 1) continue;
      const InstructionId b = *std::ranges::find_if(others, sameRight);
      if (isFree(a) && isFreeRight(b)) accept(a, b);
    }
  }

  // --- twins
  // Of instructions with equal labels each may stand for each: where the neighbours of two of them say so they change
  // places, and, where their values are equal, what they are computed from with them.
  void settleTwins() {
    for (InstructionId a : one_.instructions) {
      if (isFree(a)) continue;
      const Instruction &x = left_.at(a), &y = right_.at(other_.instructions[partner(a)]);
      const std::vector<uint32_t> positions = aligned(x, y);
      for (size_t i = 0; i < positions.size(); ++i)
        if (positions[i] < y.operands.size()) settleTwin(x.operands[i], y.operands[positions[i]]);
    }
  }
  void settleTwin(InstructionId p, InstructionId q) {
    if (!left_.module().contains(p) || !right_.module().contains(q) || arePartners(p, q) || isFreeRight(q)) return;
    if (left_.label(p) != right_.label(q)) return;
    exchange(p, one_.instructions[partnerOfRight(q)]);
  }

  void exchange(InstructionId p, InstructionId twin) {
    std::vector<std::pair<InstructionId, InstructionId>> pairs{{p, twin}};
    const auto isThere = [&](InstructionId id) {
      return std::ranges::any_of(pairs, [&](const auto& pair) { return pair.first == id || pair.second == id; });
    };
    for (size_t k = 0; k < pairs.size() && pairs.size() < kMaxGap; ++k) {
      const Instruction &x = left_.at(pairs[k].first), &y = left_.at(pairs[k].second);
      if (left_.hashes().down[x.id.value] != left_.hashes().down[y.id.value]) continue;
      for (size_t i = 0; i < std::min(x.operands.size(), y.operands.size()); ++i) {
        const InstructionId u = x.operands[i], v = y.operands[i];
        if (u == v || left_.hashes().down[u.value] != left_.hashes().down[v.value] || isThere(u) || isThere(v))
          continue;
        pairs.emplace_back(u, v);
      }
    }
    const int before = agreement(pairs);
    for (const auto& [one, other] : pairs) swapPartners(one, other);
    if (agreement(pairs) > before) return;
    for (const auto& [one, other] : pairs) swapPartners(one, other);
  }
  int agreement(const std::vector<std::pair<InstructionId, InstructionId>>& pairs) {
    int sum = 0;
    for (const auto& [one, other] : pairs)
      for (InstructionId id : {one, other}) {
        if (isFree(id)) continue;
        const Evidence found = evidence(id, other_.instructions[partner(id)]);
        sum += found.agree - found.conflict;
      }
    return sum;
  }
  void swapPartners(InstructionId one, InstructionId other) {
    std::swap(partner(one), partner(other));
    for (InstructionId id : {one, other})
      if (!isFree(id)) out_.toLeft[partner(id)] = left_.placeOf(id);
  }

  const LabelledGraph &left_, &right_;
  const Computation &one_, &other_;
  ComputationMatch out_;
  std::array<Queue, 4> queues_;  // by kinship
};

}  // namespace

ComputationMatch matchComputations(const LabelledGraph& left, const LabelledGraph& right, ComputationId a,
                                   ComputationId b) {
  return Matcher(left, right, a, b).run();
}

}  // namespace tessera
