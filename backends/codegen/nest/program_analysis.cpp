// See program_analysis.h. One pass over the nodes per question; all are linear in the program but for the checks of
// mergeable dimensions, which cost accesses × dimensions.
#include "backends/codegen/nest/program_analysis.h"

#include <algorithm>

#include "backends/codegen/nest/integer_ranges.h"
#include "core/base/checked_math.h"
#include "core/element/scalar_functions.h"
#include "core/hlo/index_math.h"

namespace tessera::codegen {

namespace {

bool isIndexNode(NodeOp op) { return op == NodeOp::OutputIndex || op == NodeOp::LoopIndex; }

}  // namespace

LoopProgram asLoopProgram(const ElementProgram& program) {
  LoopProgram out;
  out.body = program;
  ElementProgram& body = out.body;
  for (Shape& operand : body.operands) operand = withoutLayout(operand);
  std::vector<NodeId> indices;
  for (size_t d = 0; d < body.outputDims.size(); ++d) {
    indices.push_back(NodeId{static_cast<uint32_t>(body.nodes.size())});
    body.nodes.push_back(Node{NodeOp::OutputIndex, ElementType::S64, 0, 0, d, 0});
  }
  for (size_t r = 0; r < body.results.size(); ++r) {
    out.outputs.push_back(Shape::array(body.at(body.results[r]).type, body.outputDims));
    out.initialOperand.push_back(-1);
    out.stores.push_back(Store{r, indices, NodeId{}, body.results[r]});
  }
  body.results.clear();
  out.parallelDims = static_cast<int64_t>(body.outputDims.size());
  return out;
}

int64_t Address::coefficientOf(int32_t counter) const {
  for (const CounterTerm& term : terms)
    if (term.counter == counter) return term.coefficient;
  return 0;
}

// constant + Σ coefficient · variable, coefficients dense by variable.
struct ProgramAnalysis::Form {
  int64_t constant = 0;
  std::vector<std::pair<int32_t, int64_t>> terms;  // sorted by variable

  void add(const Form& other, int64_t scale) {
    constant += other.constant * scale;
    for (const auto& [variable, coefficient] : other.terms) addTerm(variable, coefficient * scale);
  }
  void addTerm(int32_t variable, int64_t coefficient) {
    auto at = std::lower_bound(terms.begin(), terms.end(), variable,
                               [](const auto& term, int32_t v) { return term.first < v; });
    if (at != terms.end() && at->first == variable) {
      at->second += coefficient;
      if (at->second == 0) terms.erase(at);
    } else if (coefficient != 0) {
      terms.insert(at, {variable, coefficient});
    }
  }
  int64_t coefficientOf(int32_t variable) const {
    for (const auto& [v, c] : terms)
      if (v == variable) return c;
    return 0;
  }
};

struct ProgramAnalysis::Work {
  const LoopProgram& program;
  const ElementProgram& body;
  ProgramAnalysis& out;
  std::vector<int64_t> variableSize;
  std::vector<bool> freeVariable;          // its value is used outside affine addresses
  std::vector<std::optional<Form>> forms;  // by node
  struct Access {
    Form form;
    std::vector<std::pair<NodeId, int64_t>> others;
  };
  std::vector<std::optional<Access>> accesses;  // by node
  std::vector<Access> storeAccesses;

  void numberVariables();
  int32_t variableOf(const Node& node) const;
  void computeForms();
  std::optional<Form> formOf(const Node& node) const;
  Access accessOf(std::span<const NodeId> indices, const Shape& shape) const;
  void collectAccesses();
  void markNeeded();
  void groupVariables();
  bool mergeable(int32_t outer, int32_t minor, int64_t groupSize) const;
  Address addressOf(const Access& access) const;
  Status computeDependence();
  void findHomes();
  void findReducible();
};

void ProgramAnalysis::Work::numberVariables() {
  auto addSpace = [&](const std::vector<int64_t>& sizes) {
    out.spaceFirst_.push_back(static_cast<int32_t>(variableSize.size()));
    variableSize.insert(variableSize.end(), sizes.begin(), sizes.end());
  };
  addSpace(body.outputDims);
  for (const Loop& loop : body.loops) addSpace(loop.ranges);
  freeVariable.assign(variableSize.size(), false);
}

int32_t ProgramAnalysis::Work::variableOf(const Node& node) const {
  if (node.op == NodeOp::OutputIndex) return out.spaceFirst_[0] + static_cast<int32_t>(node.bits0);
  return out.spaceFirst_[1 + node.bits0] + static_cast<int32_t>(node.bits1);
}

std::optional<ProgramAnalysis::Form> ProgramAnalysis::Work::formOf(const Node& node) const {
  auto input = [&](size_t i) -> const std::optional<Form>& { return forms[body.inputs[node.firstInput + i].value]; };
  Form form;
  switch (node.op) {
    case NodeOp::Constant: form.constant = static_cast<int64_t>(node.bits0); return form;
    case NodeOp::OutputIndex:
    case NodeOp::LoopIndex:
      if (variableSize[static_cast<size_t>(variableOf(node))] != 1) form.addTerm(variableOf(node), 1);
      return form;
    case NodeOp::Add:
    case NodeOp::Subtract:
      if (!input(0) || !input(1)) return std::nullopt;
      form = *input(0);
      form.add(*input(1), node.op == NodeOp::Add ? 1 : -1);
      return form;
    case NodeOp::Multiply: {
      if (!input(0) || !input(1)) return std::nullopt;
      size_t constant = input(1)->terms.empty() ? 1 : 0;
      if (!input(constant)->terms.empty()) return std::nullopt;
      form.add(*input(1 - constant), input(constant)->constant);
      return form;
    }
    default: return std::nullopt;
  }
}

void ProgramAnalysis::Work::computeForms() {
  forms.resize(body.nodes.size());
  for (size_t n = 0; n < body.nodes.size(); ++n)
    if (body.nodes[n].type == ElementType::S64) forms[n] = formOf(body.nodes[n]);
}

ProgramAnalysis::Work::Access ProgramAnalysis::Work::accessOf(std::span<const NodeId> indices,
                                                              const Shape& shape) const {
  Access access;
  std::vector<int64_t> strides = rowMajorStrides(shape.dimensions);
  for (size_t d = 0; d < indices.size(); ++d) {
    if (shape.dimensions[d] == 1) continue;  // an index in bounds is 0
    if (const auto& form = forms[indices[d].value])
      access.form.add(*form, strides[d]);
    else
      access.others.emplace_back(indices[d], strides[d]);
  }
  return access;
}

void ProgramAnalysis::Work::collectAccesses() {
  accesses.resize(body.nodes.size());
  for (size_t n = 0; n < body.nodes.size(); ++n) {
    const Node& node = body.nodes[n];
    auto inputs = body.inputsOf(NodeId{static_cast<uint32_t>(n)});
    if (node.op == NodeOp::Read) accesses[n] = accessOf(inputs, body.operands[node.bits0]);
    if (node.op == NodeOp::ReadIf) accesses[n] = accessOf(inputs.subspan(2), body.operands[node.bits0]);
    if (node.op == NodeOp::ReadOutput) accesses[n] = accessOf(inputs, program.outputs[node.bits0]);
  }
  for (const Store& store : program.stores)
    storeAccesses.push_back(accessOf(store.indices, program.outputs[store.output]));
}

void ProgramAnalysis::Work::markNeeded() {
  out.needed.assign(body.nodes.size(), false);
  std::vector<NodeId> stack;
  auto need = [&](NodeId id) {
    if (!id.valid() || out.needed[id.value]) return;
    out.needed[id.value] = true;
    stack.push_back(id);
  };
  for (size_t s = 0; s < program.stores.size(); ++s) {
    need(program.stores[s].value);
    need(program.stores[s].guard);
    for (const auto& [node, stride] : storeAccesses[s].others) need(node);
  }
  std::vector<bool> loopSeen(body.loops.size(), false);
  while (!stack.empty()) {
    NodeId id = stack.back();
    stack.pop_back();
    const Node& node = body.at(id);
    if (isIndexNode(node.op)) freeVariable[static_cast<size_t>(variableOf(node))] = true;
    if (node.op == NodeOp::LoopResult && !loopSeen[node.bits0]) {
      loopSeen[node.bits0] = true;
      for (NodeId n : body.loops[node.bits0].inits) need(n);
      for (NodeId n : body.loops[node.bits0].next) need(n);
    }
    if (const auto& access = accesses[id.value]) {
      for (const auto& [other, stride] : access->others) need(other);
      if (node.op == NodeOp::ReadIf) {
        need(body.inputsOf(id)[0]);
        need(body.inputsOf(id)[1]);
      }
    } else {
      for (NodeId input : body.inputsOf(id)) need(input);
    }
  }
}

bool ProgramAnalysis::Work::mergeable(int32_t outer, int32_t minor, int64_t groupSize) const {
  if (freeVariable[static_cast<size_t>(outer)] || freeVariable[static_cast<size_t>(minor)]) return false;
  auto agrees = [&](const Access& access) {
    auto product = checkedMul(access.form.coefficientOf(minor), groupSize);
    return product && access.form.coefficientOf(outer) == *product;
  };
  for (size_t n = 0; n < accesses.size(); ++n)
    if (accesses[n] && out.needed[n] && !agrees(*accesses[n])) return false;
  return std::all_of(storeAccesses.begin(), storeAccesses.end(), agrees);
}

void ProgramAnalysis::Work::groupVariables() {
  out.variableCounter_.assign(variableSize.size(), -1);
  for (size_t space = 0; space < out.spaceFirst_.size(); ++space) {
    int32_t first = out.spaceFirst_[space];
    int32_t end =
        space + 1 < out.spaceFirst_.size() ? out.spaceFirst_[space + 1] : static_cast<int32_t>(variableSize.size());
    bool ordered = space == 0 && program.parallelDims != static_cast<int64_t>(body.outputDims.size());
    std::vector<int32_t> minorToMajor;
    int32_t minor = -1;
    for (int32_t v = end - 1; v >= first; --v) {
      int64_t size = variableSize[static_cast<size_t>(v)];
      if (size == 1 && !ordered) continue;
      if (minor >= 0 && !ordered && mergeable(v, minor, out.counters.back().size)) {
        out.counters.back().size *= size;
        out.variableCounter_[static_cast<size_t>(v)] = -2;  // part of a group; never read by itself
        continue;
      }
      minor = v;
      out.variableCounter_[static_cast<size_t>(v)] = static_cast<int32_t>(out.counters.size());
      minorToMajor.push_back(static_cast<int32_t>(out.counters.size()));
      out.counters.push_back(Counter{static_cast<int32_t>(space), size});
    }
    out.spaceCounters.emplace_back(minorToMajor.rbegin(), minorToMajor.rend());
  }
}

Address ProgramAnalysis::Work::addressOf(const Access& access) const {
  Address address;
  address.constant = access.form.constant;
  address.others = access.others;
  for (const auto& [variable, coefficient] : access.form.terms) {
    int32_t counter = out.variableCounter_[static_cast<size_t>(variable)];
    if (counter >= 0) address.terms.push_back({counter, coefficient});
  }
  return address;
}

Status ProgramAnalysis::Work::computeDependence() {
  out.dependence.resize(body.nodes.size());
  auto addCounter = [&](Dependence& to, int32_t counter) {
    if (counter < 0) return;
    int32_t space = out.counters[static_cast<size_t>(counter)].space;
    if (space == 0)
      to.counters |= uint64_t{1} << counter;
    else
      to.loops.set(static_cast<size_t>(space - 1));
  };
  for (size_t n = 0; n < body.nodes.size(); ++n) {
    const Node& node = body.nodes[n];
    Dependence& dep = out.dependence[n];
    auto join = [&](NodeId id) {
      dep.loops |= out.dependence[id.value].loops;
      dep.counters |= out.dependence[id.value].counters;
    };
    if (isIndexNode(node.op)) {
      addCounter(dep, out.variableCounter_[static_cast<size_t>(variableOf(node))]);
      if (node.op == NodeOp::LoopIndex) dep.loops.set(node.bits0);
    } else if (node.op == NodeOp::Accumulator) {
      dep.loops.set(node.bits0);
    } else if (node.op == NodeOp::LoopResult) {
      const Loop& loop = body.loops[node.bits0];
      for (NodeId id : loop.next) {
        if (id.value > n) return fail("element program: a loop's body stands after its result");
        join(id);
      }
      dep.loops.reset(node.bits0);
      for (NodeId id : loop.inits) join(id);
    } else if (accesses[n]) {
      for (const CounterTerm& term : out.addresses[n]->terms) addCounter(dep, term.counter);
      for (const auto& [other, stride] : accesses[n]->others) join(other);
      if (node.op == NodeOp::ReadIf) {
        join(body.inputsOf(NodeId{static_cast<uint32_t>(n)})[0]);
        join(body.inputsOf(NodeId{static_cast<uint32_t>(n)})[1]);
      }
    } else {
      for (NodeId id : body.inputsOf(NodeId{static_cast<uint32_t>(n)})) join(id);
    }
  }
  return {};
}

// A loop is nested one deeper than the deepest loop that its result sees; a node lives in the deepest loop it sees.
// Results of outer loops stand after those of the loops in their bodies, hence backwards.
void ProgramAnalysis::Work::findHomes() {
  std::vector<size_t> depth(body.loops.size(), 0);
  for (size_t n = body.nodes.size(); n-- > 0;) {
    if (body.nodes[n].op != NodeOp::LoopResult) continue;
    size_t& mine = depth[body.nodes[n].bits0];
    mine = std::max<size_t>(mine, 1);
    for (size_t l = 0; l < body.loops.size(); ++l)
      if (out.dependence[n].loops.test(l)) mine = std::max(mine, depth[l] + 1);
  }
  out.homeLoop.assign(body.nodes.size(), -1);
  for (size_t n = 0; n < body.nodes.size(); ++n)
    for (size_t l = 0; l < body.loops.size(); ++l)
      if (out.dependence[n].loops.test(l)) {
        int32_t& home = out.homeLoop[n];
        if (home < 0 || depth[l] > depth[static_cast<size_t>(home)]) home = static_cast<int32_t>(l);
      }
}

void ProgramAnalysis::Work::findReducible() {
  out.reducible.assign(body.loops.size(), false);
  for (size_t l = 0; l < body.loops.size(); ++l) {
    const Loop& loop = body.loops[l];
    if (!loop.associative) continue;
    std::vector<bool> sees(body.nodes.size(), false);  // sees an accumulator of this loop
    for (size_t n = 0; n < body.nodes.size(); ++n) {
      const Node& node = body.nodes[n];
      sees[n] = node.op == NodeOp::Accumulator && node.bits0 == l;
      for (NodeId input : body.inputsOf(NodeId{static_cast<uint32_t>(n)})) sees[n] = sees[n] || sees[input.value];
    }
    bool all = !loop.next.empty();
    for (size_t k = 0; k < loop.next.size(); ++k) {
      const Node& next = body.at(loop.next[k]);
      auto inputs = body.inputsOf(loop.next[k]);
      if (!isCommutative(next.op) || isComplex(next.type)) {
        all = false;
        break;
      }
      auto isAccumulator = [&](NodeId id) {
        const Node& node = body.at(id);
        return node.op == NodeOp::Accumulator && node.bits0 == l && node.bits1 == k;
      };
      all = all && ((isAccumulator(inputs[0]) && !sees[inputs[1].value]) ||
                    (isAccumulator(inputs[1]) && !sees[inputs[0].value]));
    }
    // An inner loop would hide accumulators from `sees`; such bodies stay in order.
    for (size_t n = 0; n < body.nodes.size() && all; ++n)
      if (body.nodes[n].op == NodeOp::LoopResult && body.nodes[n].bits0 != l && out.dependence[n].loops.test(l))
        all = false;
    out.reducible[l] = all;
  }
}

int32_t ProgramAnalysis::counterOf(const ElementProgram& program, NodeId id) const {
  const Node& node = program.at(id);
  size_t variable = node.op == NodeOp::OutputIndex ? static_cast<size_t>(spaceFirst_[0]) + node.bits0
                                                   : static_cast<size_t>(spaceFirst_[1 + node.bits0]) + node.bits1;
  return std::max(variableCounter_[variable], -1);
}

Result<ProgramAnalysis> ProgramAnalysis::of(const LoopProgram& program) {
  if (program.body.loops.size() > kMaxLoops || program.body.outputDims.size() > 64) {
    return fail(ErrorKind::Unsupported, "the kernel has too many loops");
  }
  ProgramAnalysis out;
  Work work{program, program.body, out, {}, {}, {}, {}, {}};
  work.numberVariables();
  work.computeForms();
  work.collectAccesses();
  work.markNeeded();
  work.groupVariables();
  out.addresses.resize(program.body.nodes.size());
  for (size_t n = 0; n < program.body.nodes.size(); ++n)
    if (work.accesses[n]) out.addresses[n] = work.addressOf(*work.accesses[n]);
  for (const auto& access : work.storeAccesses) out.storeAddresses.push_back(work.addressOf(access));
  TESSERA_TRY(work.computeDependence());
  work.findHomes();
  work.findReducible();
  out.narrow = fitsIn32Bits(program.body);
  return out;
}

}  // namespace tessera::codegen
