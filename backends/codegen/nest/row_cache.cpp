// See row_cache.h. Walks are numbered in the order in which they run: the loops outside the axis, then the axis.
#include "backends/codegen/nest/row_cache.h"

#include <algorithm>
#include <map>
#include <tuple>

#include "core/base/tuning.h"

namespace tessera::codegen {

namespace {

constexpr int32_t kNoWalk = -1;

// Whose values in registers are plain numbers of one width.
bool isKept(ElementType type) { return isFloat(type) || type == ElementType::S32 || type == ElementType::U32; }

class RowFinder {
 public:
  RowFinder(const LoopProgram& program, const ProgramAnalysis& analysis, const KernelNest& nest)
      : program_(program), body_(program.body), analysis_(analysis), nest_(nest) {}
  RowCache run();

 private:
  // A counter that walks the row in pass `order`.
  struct Walk {
    int32_t counter = -1;
    size_t order = 0;
  };
  using Key = std::tuple<NodeOp, ElementType, uint64_t, uint64_t, std::vector<int64_t>>;

  void findWalks();
  bool isWalk(size_t loop) const;
  int32_t walkOf(uint32_t n) const;
  void number();
  bool keyOf(uint32_t n, Key& key) const;
  void addressKey(uint32_t n, std::vector<int64_t>& key) const;
  int64_t counterKey(int32_t counter, int32_t walk) const;
  void choose();
  bool takesFromEarlierWalk(uint32_t n);
  template <class Fn>
  void forInputs(uint32_t n, Fn&& fn) const;

  const LoopProgram& program_;
  const ElementProgram& body_;
  const ProgramAnalysis& analysis_;
  const KernelNest& nest_;
  std::vector<Walk> walks_;         // in order
  std::vector<int32_t> walk_;       // by node: which walk it takes part in
  std::vector<uint32_t> same_;      // by node: the first one of equal value, whatever its walk
  std::vector<uint32_t> earliest_;  // by such a first one: the equal node of the earliest walk
  std::vector<int> price_;          // by node: nodes of its walk that it takes
  int64_t bytes_ = 0;
  RowCache out_;
};

// One pass over the row, in lanes, whose body holds no further loop.
bool RowFinder::isWalk(size_t loop) const {
  const auto& counters = analysis_.spaceCounters[1 + loop];
  if (counters.size() != 1 || !runsOverLanes(program_, analysis_, loop, nest_.lanes)) return false;
  for (uint32_t n = 0; n < body_.nodes.size(); ++n) {
    const Node& node = body_.nodes[n];
    if (node.op != NodeOp::LoopResult) continue;
    if (node.bits0 != loop && analysis_.dependence[n].loops.test(loop)) return false;
    const bool seesAxis = nest_.axis >= 0 && (analysis_.dependence[n].counters >> nest_.axis & 1);
    if (node.bits0 == loop && (analysis_.homeLoop[n] >= 0 || seesAxis)) return false;
  }
  return true;
}

void RowFinder::findWalks() {
  std::vector<bool> seen(body_.loops.size(), false);
  for (const Node& node : body_.nodes) {
    if (node.op != NodeOp::LoopResult || seen[node.bits0]) continue;
    seen[node.bits0] = true;
    if (!analysis_.needed[static_cast<size_t>(&node - body_.nodes.data())] || !isWalk(node.bits0)) continue;
    const int32_t counter = analysis_.spaceCounters[1 + node.bits0][0];
    const int64_t size = analysis_.counters[static_cast<size_t>(counter)].size;
    if (out_.length == 0)
      out_.length = nest_.axis >= 0 ? analysis_.counters[static_cast<size_t>(nest_.axis)].size : size;
    if (size == out_.length) walks_.push_back({counter, walks_.size()});
  }
  if (nest_.axis >= 0 && nest_.blocks == 1 && nest_.sequential.empty()) walks_.push_back({nest_.axis, walks_.size()});
}

// Nodes that see the counter of exactly one walk and no other loop.
int32_t RowFinder::walkOf(uint32_t n) const {
  if (!analysis_.needed[n]) return kNoWalk;
  const Dependence& dependence = analysis_.dependence[n];
  int32_t found = kNoWalk;
  size_t loops = dependence.loops.count();
  for (size_t w = 0; w < walks_.size(); ++w) {
    const int32_t space = analysis_.counters[static_cast<size_t>(walks_[w].counter)].space;
    const bool sees = space == 0 ? (dependence.counters >> walks_[w].counter & 1) != 0
                                 : dependence.loops.test(static_cast<size_t>(space - 1));
    if (!sees) continue;
    if (found != kNoWalk) return kNoWalk;
    found = static_cast<int32_t>(w);
    if (space != 0) --loops;
  }
  return loops == 0 ? found : kNoWalk;
}

int64_t RowFinder::counterKey(int32_t counter, int32_t walk) const {
  return counter == walks_[static_cast<size_t>(walk)].counter ? -1 : counter;
}

void RowFinder::addressKey(uint32_t n, std::vector<int64_t>& key) const {
  const Address& address = *analysis_.addresses[n];
  key.push_back(address.constant);
  std::vector<std::pair<int64_t, int64_t>> terms;
  for (const CounterTerm& term : address.terms)
    terms.emplace_back(counterKey(term.counter, walk_[n]), term.coefficient);
  std::ranges::sort(terms);
  for (auto [counter, coefficient] : terms) key.insert(key.end(), {counter, coefficient});
  key.push_back(INT64_MIN);
  for (const auto& [other, stride] : address.others) key.insert(key.end(), {same_[other.value], stride});
}

// False for what has an identity of its own.
bool RowFinder::keyOf(uint32_t n, Key& key) const {
  const Node& node = body_.nodes[n];
  std::vector<int64_t> parts;
  switch (node.op) {
    case NodeOp::Accumulator:
    case NodeOp::LoopResult:
    case NodeOp::ReadOutput: return false;
    case NodeOp::OutputIndex:
    case NodeOp::LoopIndex:
      key = {NodeOp::OutputIndex, node.type, 0, 0, {counterKey(analysis_.counterOf(body_, NodeId{n}), walk_[n])}};
      return true;
    default: break;
  }
  auto inputs = body_.inputsOf(NodeId{n});
  if (analysis_.addresses[n]) {
    addressKey(n, parts);
    if (node.op == NodeOp::ReadIf) parts.insert(parts.end(), {same_[inputs[0].value], same_[inputs[1].value]});
  } else {
    for (NodeId input : inputs) parts.push_back(same_[input.value]);
  }
  key = {node.op, node.type, node.bits0, node.bits1, std::move(parts)};
  return true;
}

template <class Fn>
void RowFinder::forInputs(uint32_t n, Fn&& fn) const {
  auto inputs = body_.inputsOf(NodeId{n});
  if (!analysis_.addresses[n]) {
    for (NodeId input : inputs) fn(input);
    return;
  }
  for (const auto& [other, stride] : analysis_.addresses[n]->others) fn(other);
  if (body_.nodes[n].op == NodeOp::ReadIf) fn(inputs[0]), fn(inputs[1]);
}

void RowFinder::number() {
  std::map<Key, uint32_t> known;
  same_.resize(body_.nodes.size());
  earliest_.resize(body_.nodes.size());
  price_.assign(body_.nodes.size(), 0);
  for (uint32_t n = 0; n < body_.nodes.size(); ++n) {
    same_[n] = earliest_[n] = n;
    if (walk_[n] == kNoWalk) continue;
    int price = body_.nodes[n].op == NodeOp::Divide || body_.nodes[n].op == NodeOp::Sqrt ? 4 : 1;
    forInputs(n, [&](NodeId input) { price = std::min(price + price_[input.value], 1000); });
    price_[n] = price;
    Key key;
    if (!keyOf(n, key)) continue;
    same_[n] = known.emplace(std::move(key), n).first->second;
    uint32_t& earliest = earliest_[same_[n]];
    if (walk_[n] < walk_[earliest]) earliest = n;
  }
}

// Whether node n is read back; its buffer is opened then.
bool RowFinder::takesFromEarlierWalk(uint32_t n) {
  const uint32_t kept = earliest_[same_[n]];
  const ElementType type = body_.nodes[n].type;
  if (kept == n || walk_[kept] >= walk_[n] || price_[n] < tuning().codegen.keptRowPrice || !isKept(type)) return false;
  if (out_.keptIn[kept] == RowCache::kNone) {
    const int64_t bytes = (out_.length + nest_.lanes) * std::max(byteWidth(type), 4);
    if (bytes_ + bytes > tuning().codegen.keptRowBytes) return false;
    bytes_ += bytes;
    out_.keptIn[kept] = static_cast<int32_t>(out_.buffers.size());
    out_.buffers.push_back(type);
  }
  out_.readFrom[n] = out_.keptIn[kept];
  return true;
}

// From the stores backwards; what is read back needs none of its inputs.
void RowFinder::choose() {
  out_.idle.assign(body_.nodes.size(), true);
  std::vector<uint32_t> open;
  auto reach = [&](NodeId id) {
    if (!id.valid() || !out_.idle[id.value]) return;
    out_.idle[id.value] = false;
    open.push_back(id.value);
  };
  for (size_t s = 0; s < program_.stores.size(); ++s) {
    reach(program_.stores[s].value);
    reach(program_.stores[s].guard);
    for (const auto& [other, stride] : analysis_.storeAddresses[s].others) reach(other);
  }
  while (!open.empty()) {
    const uint32_t n = open.back();
    open.pop_back();
    const Node& node = body_.nodes[n];
    if (node.op == NodeOp::LoopResult) {
      std::ranges::for_each(body_.loops[node.bits0].inits, reach);
      std::ranges::for_each(body_.loops[node.bits0].next, reach);
    }
    if (takesFromEarlierWalk(n))
      reach(NodeId{earliest_[same_[n]]});
    else
      forInputs(n, reach);
  }
}

RowCache RowFinder::run() {
  findWalks();
  const size_t count = body_.nodes.size();
  out_.keptIn.assign(count, RowCache::kNone);
  out_.readFrom.assign(count, RowCache::kNone);
  out_.idle.assign(count, false);
  if (walks_.size() < 2 || nest_.inner >= 0) return std::move(out_);
  walk_.assign(count, kNoWalk);
  for (uint32_t n = 0; n < count; ++n) walk_[n] = walkOf(n);
  number();
  choose();
  return std::move(out_);
}

}  // namespace

RowCache RowCache::of(const LoopProgram& program, const ProgramAnalysis& analysis, const KernelNest& nest) {
  return RowFinder(program, analysis, nest).run();
}

}  // namespace tessera::codegen
