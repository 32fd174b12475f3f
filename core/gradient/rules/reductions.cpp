// Gradients of reductions: sums repeat the cotangent, products multiply it by what the others give (zeros included),
// maxima and minima send it to where they were found.
#include <algorithm>
#include <cmath>
#include <limits>

#include "core/gradient/rules.h"
#include "core/hlo/index_math.h"
#include "core/ops/shared/window_math.h"

namespace tessera::gradient {
namespace {

bool isExtreme(std::optional<Opcode> reducer) { return reducer == Opcode::Maximum || reducer == Opcode::Minimum; }

// A sum's initial value counts once in every result.
void giveInitialOfSum(Rule& r, size_t operand) {
  if (r.wants(operand)) r.give(operand, reduce(Opcode::Add, r.d(), otherDims(r.forward.shape->rank(), {})));
}

// The formulas below hold for these.
bool isSimple(const Rule& r, std::optional<Opcode> reducer) {
  if (reducer == Opcode::Add) return true;
  return (reducer == Opcode::Multiply || isExtreme(reducer)) && !r.wants(1);
}

// --- reduce

struct ReduceSite {
  Rule& r;
  Ints dims, kept;

  explicit ReduceSite(Rule& rule)
      : r(rule),
        dims(rule.attributes().ints(Attr::dimensions)),
        kept(otherDims(rule.operandShape(0).rank(), rule.attributes().ints(Attr::dimensions))) {}
  Value spread(Value value) const { return broadcast(value, kept, r.operandShape(0)); }
};

// The product of the others is the product of what is not zero over the element, unless another one is zero.
Value productShare(const ReduceSite& s) {
  const Value x = s.r.operand(0), isZero = compare("EQ", x, zerosOf(x));
  const Value nonZero = select(isZero, s.r.emit.filled(x.shape(), 1), x), zeros = convert(isZero, x.type());
  const Value product = reduce(Opcode::Multiply, nonZero, s.dims);
  const Value otherZeros = s.spread(reduce(Opcode::Add, zeros, s.dims)) - zeros;
  return select(compare("EQ", otherZeros, zerosOf(x)), s.spread(product) / nonZero, zerosOf(x));
}

// Shared evenly where several elements are the largest; none where the initial value is.
Value extremeCotangent(const ReduceSite& s) {
  const Value x = s.r.operand(0), found = compare("EQ", x, s.spread(s.r.result()));
  const Value count = reduce(Opcode::Add, convert(found, x.type()), s.dims);
  return select(found, s.spread(s.r.d() / count), zerosOf(x));
}

// Reductions of several arrays of which one counts places along the one dimension: (value, index) of a maximum.
Status placedReduceRule(Rule& r) {
  const size_t n = r.operandCount() / 2;
  const ReduceSite s(r);
  bool wantsInitial = false;
  for (size_t k = 0; k < n; ++k) wantsInitial = wantsInitial || r.wants(n + k);
  for (size_t i = 0; i < n; ++i) {
    const Instruction& in = r.emit.module.at(r.forward.operands[i]);
    if (wantsInitial || in.opcode != Opcode::Iota || s.dims != Ints{in.attributes->intOr(Attr::iota_dimension, -1)})
      continue;
    const Value chosen = compare("EQ", r.operand(i), s.spread(r.emit.leaf(r.result(), i)));
    for (size_t k = 0; k < n; ++k) {
      if (!r.d(k)) continue;
      if (r.wants(k)) r.give(k, select(chosen, s.spread(r.d(k)), r.emit.zeros(r.operandShape(k))));
    }
    return {};
  }
  return foldRule(r);
}

// --- reduce-window

struct WindowSite {
  Rule& r;
  Window window;

  bool isDilated() const {
    return std::ranges::any_of(window.dimensions,
                               [](const WindowDimension& w) { return w.windowDilation != 1 || w.baseDilation != 1; });
  }
  // Sums over the windows that cover each element of the operand: the cotangent, spread by the stride, under the same
  // window.
  Value coveringSum(Value g) const {
    const Shape operand = r.operandShape(0);
    Window adjoint;
    for (size_t d = 0; d < window.dimensions.size(); ++d) {
      const WindowDimension& w = window.dimensions[d];
      const auto dilated = [](int64_t size, int64_t by) { return size == 0 ? 0 : (size - 1) * by + 1; };
      const int64_t reach = dilated(w.size, w.windowDilation), low = reach - 1 - w.paddingLow;
      const int64_t high =
          dilated(operand.dimensions[d], w.baseDilation) + reach - 1 - dilated(g.dims()[d], w.stride) - low;
      adjoint.dimensions.push_back({w.size, w.baseDilation, low, high, w.windowDilation, w.stride});
    }
    return windowed(Opcode::Add, g, adjoint);
  }
  Value windowed(Opcode reducer, Value x, const Window& by) const {
    AttributeSet attributes;
    attributes.set(Attr::window, by);
    attributes.set(Attr::to_apply, r.emit.session.reducer(reducer, x.type()));
    return r.emit.make(Opcode::ReduceWindow, {x, r.emit.scalar(x.type(), reducer == Opcode::Add ? 0 : 1)},
                       std::move(attributes));
  }
};

// As productShare, window by window: with one zero in a window its element alone gets the product of the others.
Value windowProductCotangent(const WindowSite& s) {
  Emitter& emit = s.r.emit;
  const Value x = s.r.operand(0), g = s.r.d(), isZero = compare("EQ", x, zerosOf(x));
  const Value nonZero = select(isZero, emit.filled(x.shape(), 1), x);
  const Value product = g * s.windowed(Opcode::Multiply, nonZero, s.window);
  const Value zeros = s.windowed(Opcode::Add, convert(isZero, x.type()), s.window);
  const auto where = [&](double count) {
    return s.coveringSum(select(compare("EQ", zeros, emit.filled(zeros.shape(), count)), product, zerosOf(product)));
  };
  return select(isZero, where(1), where(0) / nonZero);
}

// Each window's cotangent goes to the first element that won; where the initial value won, nowhere.
Value selectedCotangent(const WindowSite& s, Opcode reducer) {
  Rule& r = s.r;
  const Value initial = r.operand(1), x = r.operand(0);
  Value g = r.d();
  if (!r.emit.splatOf(initial) || std::isfinite(*r.emit.splatOf(initial)))
    g = select(compare("EQ", r.result(), broadcastScalar(initial, g.dims())), zerosOf(g), g);
  AttributeSet attributes;
  attributes.set(Attr::window, s.window);
  attributes.set(Attr::select, r.emit.session.comparison(reducer == Opcode::Maximum ? "GE" : "LE", x.type()));
  attributes.set(Attr::scatter, r.emit.session.reducer(Opcode::Add, x.type()));
  return r.emit.make(Opcode::SelectAndScatter, {x, convert(g, x.type()), r.emit.scalar(x.type(), 0)},
                     std::move(attributes));
}

// (value, cotangent) pairs under the window: of the element that `direction` selects, its partner.
ComputationId partnerProgram(Rule& r, std::string_view direction, ElementType type) {
  Session& session = r.emit.session;
  const ComputationId id = session.module.addComputation(session.freeComputationName("partner_of_selected"));
  Emitter emit(session, id);
  const Shape scalar = Shape::arrayRowMajor(type, {});
  std::vector<Value> p;
  for (const char* name : {"value", "partner", "other_value", "other_partner"})
    p.push_back(addParameter(emit, name, scalar));
  const Value keep = compare(direction, p[0], p[2]);
  const Value parts[] = {select(keep, p[0], p[2]), select(keep, p[1], p[3])};
  finishComputation(emit, emit.tuple(parts));
  return id;
}

}  // namespace

std::optional<Opcode> operationOf(const Module& module, ComputationId computation) {
  const Computation& c = module.at(computation);
  if (c.parameters.size() != 2 || !c.root.valid()) return std::nullopt;
  const auto through = [&](InstructionId id) {  // converts of narrow types around the function
    while (module.at(id).opcode == Opcode::Convert) id = module.at(id).operands[0];
    return id;
  };
  const Instruction& root = module.at(through(c.root));
  if (root.operands.size() != 2) return std::nullopt;
  const InstructionId a = through(root.operands[0]), b = through(root.operands[1]);
  const bool both = (a == c.parameters[0] && b == c.parameters[1]) || (a == c.parameters[1] && b == c.parameters[0]);
  return both ? std::optional(root.opcode) : std::nullopt;
}

Status reduceRule(Rule& r) {
  if (r.operandCount() != 2) return placedReduceRule(r);
  const auto reducer = operationOf(r.emit.module, r.callees()[0]);
  const ReduceSite s(r);
  if (r.forward.shape->isTuple() || !isSimple(r, reducer)) return foldRule(r);
  if (r.wants(0)) {
    if (reducer == Opcode::Add) r.give(0, s.spread(r.d()));
    if (reducer == Opcode::Multiply) {
      const Value start = broadcastScalar(r.operand(1), r.operandShape(0).dimensions);
      r.give(0, s.spread(r.d()) * (start * productShare(s)));
    }
    if (isExtreme(reducer)) r.give(0, extremeCotangent(s));
  }
  giveInitialOfSum(r, 1);
  return {};
}

Status reduceWindowRule(Rule& r) {
  if (r.operandCount() != 2 || r.forward.shape->isTuple()) return foldRule(r);
  const auto reducer = operationOf(r.emit.module, r.callees()[0]);
  const WindowSite s{r, windowOr(r.attributes(), r.operandShape(0).dimensions.size())};
  if (!isSimple(r, reducer) || (isExtreme(reducer) && s.isDilated())) return foldRule(r);
  if (r.wants(0)) {
    if (reducer == Opcode::Add) r.give(0, s.coveringSum(r.d()));
    if (reducer == Opcode::Multiply)
      r.give(0, broadcastScalar(r.operand(1), r.operandShape(0).dimensions) * windowProductCotangent(s));
    if (isExtreme(reducer)) r.give(0, selectedCotangent(s, *reducer));
  }
  giveInitialOfSum(r, 1);
  return {};
}

// The source's cotangent is read at the places that were selected; these places themselves do not move.
Status selectAndScatterRule(Rule& r) {
  const ComputationId chooser = *r.attributes().get<ComputationId>(Attr::select);
  if (operationOf(r.emit.module, *r.attributes().get<ComputationId>(Attr::scatter)) != Opcode::Add)
    return r.refuse("select-and-scatter has a gradient only where it adds");
  const Instruction& choice = r.emit.module.at(r.emit.module.at(chooser).root);
  const std::string direction(choice.attributes->textOr(Attr::direction, ""));
  const bool largest = direction == "GE" || direction == "GT", smallest = direction == "LE" || direction == "LT";
  if (operationOf(r.emit.module, chooser) != Opcode::Compare || (!largest && !smallest))
    return r.refuse("select-and-scatter has a gradient only where it selects the largest or smallest");
  if (r.wants(1)) {
    const Value x = r.operand(0), g = convert(r.d(), x.type());
    const double far = largest ? -std::numeric_limits<double>::infinity() : std::numeric_limits<double>::infinity();
    AttributeSet attributes;
    attributes.set(Attr::window, windowOr(r.attributes(), x.dims().size()));
    attributes.set(Attr::to_apply, partnerProgram(r, direction, x.type()));
    const Value pairs = r.emit.make(
        Opcode::ReduceWindow, {x, g, r.emit.scalar(x.type(), far), r.emit.scalar(x.type(), 0)}, std::move(attributes));
    r.give(1, r.emit.element(pairs, 1));
  }
  giveInitialOfSum(r, 2);
  return {};
}

}  // namespace tessera::gradient
