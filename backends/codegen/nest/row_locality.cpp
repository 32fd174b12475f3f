// See row_locality.h.
#include "backends/codegen/nest/row_locality.h"

#include <algorithm>

namespace tessera::codegen {

namespace {

class LocalityFinder {
 public:
  LocalityFinder(const LoopProgram& program, const ProgramAnalysis& analysis, const KernelNest& nest,
                 const std::vector<bool>& local)
      : program_(program), analysis_(analysis), nest_(nest), local_(local) {}

  std::optional<RowLocality> find() const {
    if (program_.stores.size() != 1 || program_.stores[0].guard.valid() || nest_.axis < 0 || nest_.inner >= 0 ||
        !nest_.sequential.empty())
      return std::nullopt;
    if (!storesInOrder()) return std::nullopt;
    if (!nest_.outer.empty() && allReads([&](const Address& a) { return staysInRow(a); }))
      return RowLocality{axisSize(), nest_.blocks, readsFirst()};
    if (nest_.outer.empty() && nest_.blocks > 1 && allReads([&](const Address& a) { return isStoreAddress(a); }))
      return RowLocality{nest_.block, 1, true};
    return std::nullopt;
  }

 private:
  int64_t sizeOf(int32_t counter) const { return analysis_.counters[static_cast<size_t>(counter)].size; }
  int64_t axisSize() const { return sizeOf(nest_.axis); }
  const Address& store() const { return analysis_.storeAddresses[0]; }

  // Items walk the result front to back.
  bool storesInOrder() const {
    if (store().constant != 0 || !store().others.empty() || store().coefficientOf(nest_.axis) != 1) return false;
    int64_t stride = axisSize();
    for (size_t i = nest_.outer.size(); i-- > 0;) {
      if (store().coefficientOf(nest_.outer[i]) != stride) return false;
      stride *= sizeOf(nest_.outer[i]);
    }
    return true;
  }

  bool sameOuter(const Address& address) const {
    return address.others.empty() && std::ranges::all_of(nest_.outer, [&](int32_t c) {
             return address.coefficientOf(c) == store().coefficientOf(c);
           });
  }

  // Whatever the axis and the loops are at, the element is one of the item's row.
  bool staysInRow(const Address& address) const {
    if (!sameOuter(address)) return false;
    int64_t low = address.constant, high = address.constant;
    for (const CounterTerm& term : address.terms) {
      if (std::ranges::find(nest_.outer, term.counter) != nest_.outer.end()) continue;
      (term.coefficient < 0 ? low : high) += term.coefficient * (sizeOf(term.counter) - 1);
    }
    return low >= 0 && high < axisSize();
  }

  bool isStoreAddress(const Address& address) const {
    return sameOuter(address) && address.constant == 0 && address.terms.size() == store().terms.size() &&
           address.coefficientOf(nest_.axis) == 1;
  }

  // Each local element is read either at its own place or by a loop that ends before the row is stored.
  bool readsFirst() const {
    return allReads([&](const Address& address) { return isStoreAddress(address); },
                    [&](size_t n) { return nest_.blocks == 1 && endsBeforeStores(n); });
  }

  bool seesAxis(size_t n) const { return (analysis_.dependence[n].counters >> nest_.axis & 1) != 0; }

  bool endsBeforeStores(size_t n) const {
    if (seesAxis(n)) return false;
    for (size_t m = 0; m < program_.body.nodes.size(); ++m) {
      const Node& node = program_.body.nodes[m];
      if (node.op != NodeOp::LoopResult || !analysis_.dependence[n].loops.test(node.bits0)) continue;
      if (seesAxis(m) || analysis_.homeLoop[m] >= 0) return false;
    }
    return true;
  }

  template <class Test>
  bool allReads(Test&& test) const {
    return allReads(test, [&](size_t n) { return test(*analysis_.addresses[n]); });
  }

  // inLoop: asked for the nodes that are in a loop.
  template <class Test, class LoopTest>
  bool allReads(Test&& test, LoopTest&& inLoop) const {
    for (size_t n = 0; n < program_.body.nodes.size(); ++n) {
      const Node& node = program_.body.nodes[n];
      const bool reads = (node.op == NodeOp::Read || node.op == NodeOp::ReadIf) && analysis_.needed[n];
      if (!reads || !local_[node.bits0]) continue;
      if (!(analysis_.dependence[n].loops.any() ? inLoop(n) : test(*analysis_.addresses[n]))) return false;
    }
    return true;
  }

  const LoopProgram& program_;
  const ProgramAnalysis& analysis_;
  const KernelNest& nest_;
  const std::vector<bool>& local_;
};

}  // namespace

std::optional<RowLocality> rowLocalityOf(const LoopProgram& program, const ProgramAnalysis& analysis,
                                         const KernelNest& nest, const std::vector<bool>& local) {
  return LocalityFinder(program, analysis, nest, local).find();
}

}  // namespace tessera::codegen
