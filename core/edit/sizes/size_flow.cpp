// See size_flow.h. Every dimension begins as an atom of its own; the rules unite them, whatever the order.
#include "core/edit/sizes/size_flow.h"

#include <algorithm>
#include <map>

#include "core/edit/wiring/wiring.h"
#include "core/ops/inference/infer.h"

namespace tessera {
namespace {

using Dims = std::vector<SizeTerm>;
using Ints = std::vector<int64_t>;

size_t at(int64_t i) { return static_cast<size_t>(i); }
bool holds(const Ints& values, int64_t value) { return std::ranges::find(values, value) != values.end(); }

class Rules {
 public:
  Rules(const Module& module, SizeFlow& flow) : module_(module), flow_(flow) {}

  void run() {
    flow_.values.resize(module_.instructionSlots());
    for (ComputationId computation : module_.order())
      for (InstructionId id : module_.at(computation).instructions) makeAtoms(id);
    for (ComputationId computation : module_.order())
      for (InstructionId id : module_.at(computation).instructions)
        if (operandsStand(id) && agrees(id)) relate(id);
    relateSlices();
  }

 private:
  void makeAtoms(InstructionId id) {
    for (const ShapeLeaf& leaf : leavesOf(module_.shapeOf(id))) {
      Dims& dims = flow_.values[id.value].emplace_back();
      for (int64_t size : leaf.shape->dimensions) dims.push_back(flow_.terms.atom(size));
    }
  }
  bool operandsStand(InstructionId id) const {
    const auto& operands = module_.at(id).operands;
    return std::ranges::all_of(operands,
                               [&](InstructionId operand) { return operand.valid() && module_.contains(operand); });
  }
  // Rules are only read where they hold: attributes of a broken instruction may name anything.
  bool agrees(InstructionId id) const {
    const auto inferred = inferInstruction(module_, id);
    return inferred && compatible(inferred->shape, module_.shapeOf(id));
  }
  std::vector<Dims>& leaves(InstructionId id) { return flow_.values[id.value]; }
  const Dims& dims(InstructionId id) const {
    static const Dims kNone;
    return flow_.values[id.value].empty() ? kNone : flow_.values[id.value].front();
  }
  int64_t size(SizeTerm term) const { return flow_.terms.sizeOf(term); }

  void same(InstructionId id, SizeTerm a, SizeTerm b) {
    if (!flow_.terms.unite(a, b) && size(a) == size(b))
      flow_.balances.push_back({{a}, {b}, id, "two sizes that are made in unlike ways meet here"});
  }
  void same(InstructionId id, const Dims& a, const Dims& b) {
    if (a.size() != b.size()) return;
    for (size_t d = 0; d < a.size(); ++d) same(id, a[d], b[d]);
  }
  void sameLeaves(InstructionId id, const std::vector<Dims>& a, size_t from, const std::vector<Dims>& b) {
    for (size_t i = 0; i < b.size() && from + i < a.size(); ++i) same(id, a[from + i], b[i]);
  }
  void fix(InstructionId id, const Dims& all, const std::string& reason) {
    for (SizeTerm term : all) flow_.fixed.push_back({term, id, reason});
  }
  // Nothing tells how a result follows: neither it nor what it reads may change.
  void opaque(InstructionId id) {
    const std::string name(nameOf(module_.at(id).opcode));
    const std::string reason =
        name + (module_.at(id).opcode == Opcode::CustomCall ? ": only its target knows how its sizes follow"
                                                            : ": how its sizes follow cannot be told");
    for (const Dims& leaf : leaves(id)) fix(id, leaf, reason);
    for (InstructionId operand : module_.at(id).operands)
      for (const Dims& leaf : leaves(operand)) fix(id, leaf, reason);
  }

  void relate(InstructionId id) {
    const Instruction& in = module_.at(id);
    switch (in.opcode) {
      case Opcode::Parameter:
      case Opcode::Iota:
      case Opcode::Constant:
      case Opcode::Rng: return;
      case Opcode::RngBitGenerator: return fix(id, leaves(id)[0], "the state of the generator");
      case Opcode::Tuple: return tuple(id, in);
      case Opcode::GetTupleElement: return element(id, in);
      case Opcode::Broadcast: return broadcast(id, in);
      case Opcode::Reshape: return reshape(id, in);
      case Opcode::Transpose: return transpose(id, in);
      case Opcode::Reduce: return reduce(id, in);
      case Opcode::Dot: return dot(id, in);
      case Opcode::Slice: return;  // together, below
      case Opcode::DynamicSlice: return window(id, dims(in.operands[0]), dims(id));
      case Opcode::DynamicUpdateSlice:
        same(id, dims(id), dims(in.operands[0]));
        return window(id, dims(in.operands[0]), dims(in.operands[1]));
      case Opcode::Concatenate: return concatenate(id, in);
      case Opcode::Pad: return pad(id, in);
      case Opcode::Gather: return gather(id, in);
      case Opcode::Scatter: return scatter(id, in);
      case Opcode::Convolution: return convolution(id, in);
      case Opcode::ReduceWindow: return reduceWindow(id, in);
      case Opcode::While:
      case Opcode::Call:
      case Opcode::Fusion:
      case Opcode::Conditional: return callee(id, in);
      case Opcode::Fft: return fft(id, in);
      case Opcode::BatchNormTraining:
      case Opcode::BatchNormInference:
      case Opcode::BatchNormGrad: return batchNorm(id, in);
      case Opcode::Topk: return topk(id, in);
      case Opcode::Scan: return scan(id, in);
      case Opcode::RaggedDot: return raggedDot(id, in);
      case Opcode::ScaledDot: return scaledDot(id, in);
      case Opcode::TriangularSolve: return triangularSolve(id, in);
      case Opcode::AllGather:
      case Opcode::ReduceScatter: return sharedOut(id, in);
      case Opcode::SetDimensionSize: return same(id, dims(id), dims(in.operands[0]));
      case Opcode::GetDimensionSize:
      case Opcode::AfterAll: return;
      default: return others(id, in);
    }
  }

  // Results of the operands' sizes: elementwise, reverse, copy, sort, select-and-scatter …
  void others(InstructionId id, const Instruction& in) {
    static constexpr Opcode kAlike[] = {Opcode::Reverse,    Opcode::Copy,           Opcode::Sort,
                                        Opcode::OptBarrier, Opcode::AllReduce,      Opcode::CollectivePermute,
                                        Opcode::Cholesky,   Opcode::AddDependency,  Opcode::Domain,
                                        Opcode::Map,        Opcode::ReducePrecision};
    if (in.opcode == Opcode::SelectAndScatter) return same(id, dims(id), dims(in.operands[0]));
    if (!isElementwiseOp(in.opcode) && std::ranges::find(kAlike, in.opcode) == std::end(kAlike)) return opaque(id);
    std::vector<Dims> all;
    for (InstructionId operand : in.operands) all.insert(all.end(), leaves(operand).begin(), leaves(operand).end());
    if (leaves(id).empty()) return;
    for (size_t k = 0; k < all.size(); ++k) same(id, leaves(id)[leaves(id).size() == all.size() ? k : 0], all[k]);
  }

  void tuple(InstructionId id, const Instruction& in) {
    size_t from = 0;
    for (InstructionId operand : in.operands) {
      sameLeaves(id, leaves(id), from, leaves(operand));
      from += leaves(operand).size();
    }
  }
  void element(InstructionId id, const Instruction& in) {
    const Shape& whole = module_.shapeOf(in.operands[0]);
    const auto index = in.attributes->intOr(Attr::index, 0);
    size_t from = 0;
    for (int64_t i = 0; i < index && at(i) < whole.elements.size(); ++i) from += leavesOf(whole.elements[at(i)]).size();
    sameLeaves(id, leaves(in.operands[0]), from, leaves(id));
  }
  void broadcast(InstructionId id, const Instruction& in) {
    const Ints& to = in.attributes->ints(Attr::dimensions);
    const Dims& from = dims(in.operands[0]);
    for (size_t d = 0; d < to.size() && d < from.size(); ++d) same(id, from[d], dims(id)[at(to[d])]);
  }
  void reshape(InstructionId id, const Instruction& in) {
    const Dims &from = dims(in.operands[0]), &to = dims(id);
    if (!flow_.terms.uniteProducts(from, to))
      flow_.balances.push_back({from, to, id, "the dimensions are merged here in a way that leaves no single size"});
    for (const Dims* side : {&from, &to})
      for (SizeTerm term : *side)
        if (size(term) == 1) flow_.fixed.push_back({term, id, "a size of 1 that a reshape adds or takes away"});
  }
  void transpose(InstructionId id, const Instruction& in) {
    const Ints& order = in.attributes->ints(Attr::dimensions);
    for (size_t d = 0; d < order.size() && d < dims(id).size(); ++d)
      same(id, dims(id)[d], dims(in.operands[0])[at(order[d])]);
  }
  void reduce(InstructionId id, const Instruction& in) {
    const Ints& gone = in.attributes->ints(Attr::dimensions);
    const Dims& first = dims(in.operands[0]);
    for (size_t k = 0; k < in.operands.size() / 2; ++k) same(id, first, dims(in.operands[k]));
    Dims left;
    for (size_t d = 0; d < first.size(); ++d)
      if (!holds(gone, static_cast<int64_t>(d))) left.push_back(first[d]);
    for (const Dims& leaf : leaves(id)) same(id, leaf, left);
  }
  void dot(InstructionId id, const Instruction& in) {
    const Dims &l = dims(in.operands[0]), &r = dims(in.operands[1]);
    const Ints &lb = in.attributes->ints(Attr::lhs_batch_dims), &rb = in.attributes->ints(Attr::rhs_batch_dims);
    const Ints &lc = in.attributes->ints(Attr::lhs_contracting_dims),
               &rc = in.attributes->ints(Attr::rhs_contracting_dims);
    for (size_t i = 0; i < std::min(lc.size(), rc.size()); ++i) same(id, l[at(lc[i])], r[at(rc[i])]);
    Dims out;
    for (size_t i = 0; i < std::min(lb.size(), rb.size()); ++i)
      same(id, l[at(lb[i])], r[at(rb[i])]), out.push_back(l[at(lb[i])]);
    for (size_t d = 0; d < l.size(); ++d)
      if (!holds(lb, static_cast<int64_t>(d)) && !holds(lc, static_cast<int64_t>(d))) out.push_back(l[d]);
    for (size_t d = 0; d < r.size(); ++d)
      if (!holds(rb, static_cast<int64_t>(d)) && !holds(rc, static_cast<int64_t>(d))) out.push_back(r[d]);
    same(id, dims(id), out);
  }

  // Scales stand for blocks of what they scale, one for all, or one for each.
  void scaledDot(InstructionId id, const Instruction& in) {
    dot(id, in);
    for (size_t k = 0; k < 2; ++k) {
      const Dims &values = dims(in.operands[k]), &scales = dims(in.operands[k + 2]);
      for (size_t d = 0; d < std::min(values.size(), scales.size()); ++d) {
        const int64_t scaled = size(scales[d]), block = scaled > 0 ? size(values[d]) / scaled : 1;
        if (size(values[d]) == scaled)
          same(id, scales[d], values[d]);
        else if (scaled == 1 || block < 1)
          fix(id, {scales[d]}, "one scale for all of the dimension");
        else
          same(id, scales[d], flow_.terms.mapped(values[d], [block](int64_t n) { return n / block; }));
      }
    }
  }
  // The ragged dimension is free (rhs has a group dimension), contracted (a result for each group) or a batch.
  void raggedDot(InstructionId id, const Instruction& in) {
    const AttributeSet& a = *in.attributes;
    const Dims &l = dims(in.operands[0]), &r = dims(in.operands[1]), &groups = dims(in.operands[2]);
    const Ints &lb = a.ints(Attr::lhs_batch_dims), &rb = a.ints(Attr::rhs_batch_dims),
               &lc = a.ints(Attr::lhs_contracting_dims), &rc = a.ints(Attr::rhs_contracting_dims);
    const Ints &ragged = a.ints(Attr::lhs_ragged_dims), &grouped = a.ints(Attr::rhs_group_dims);
    if (groups.empty() || ragged.empty()) return opaque(id);
    if (groups.size() > 1) fix(id, groups, "group sizes of several dimensions follow by hand");
    for (size_t i = 0; i < std::min(lc.size(), rc.size()); ++i) same(id, l[at(lc[i])], r[at(rc[i])]);
    for (size_t i = 0; i < std::min(lb.size(), rb.size()); ++i) same(id, l[at(lb[i])], r[at(rb[i])]);
    if (!grouped.empty()) same(id, r[at(grouped[0])], groups.back());
    Dims out;
    if (holds(lc, ragged[0])) out.push_back(groups.back());
    for (int64_t d : lb) out.push_back(l[at(d)]);
    for (size_t d = 0; d < l.size(); ++d)
      if (!holds(lb, static_cast<int64_t>(d)) && !holds(lc, static_cast<int64_t>(d))) out.push_back(l[d]);
    for (size_t d = 0; d < r.size(); ++d)
      if (!holds(rb, static_cast<int64_t>(d)) && !holds(rc, static_cast<int64_t>(d)) &&
          !holds(grouped, static_cast<int64_t>(d)))
        out.push_back(r[d]);
    same(id, dims(id), out);
  }
  // The last dimensions are transformed, as long as fft_length says, which follows; of a real transform's complex side
  // the last is half.
  void fft(InstructionId id, const Instruction& in) {
    const bool fromReal = in.attributes->textOr(Attr::fft_type, "") == "RFFT",
               toReal = in.attributes->textOr(Attr::fft_type, "") == "IRFFT";
    const Dims &from = dims(in.operands[0]), &to = dims(id);
    if (!fromReal && !toReal) return same(id, from, to);
    for (size_t d = 0; d + 1 < std::min(from.size(), to.size()); ++d) same(id, from[d], to[d]);
    if (from.empty() || to.empty()) return;
    const SizeTerm real = fromReal ? from.back() : to.back(), half = fromReal ? to.back() : from.back();
    if (const auto known = halves_.find(flow_.terms.find(half)); known != halves_.end())
      return same(id, real, known->second);  // there and back
    same(id, half, flow_.terms.mapped(real, [](int64_t n) { return n == 0 ? 0 : n / 2 + 1; }));
    halves_[flow_.terms.find(half)] = real;
  }
  // Operands and results are arrays like the first, or hold one element a feature.
  void batchNorm(InstructionId id, const Instruction& in) {
    const Dims& first = dims(in.operands[0]);
    const int64_t feature = in.attributes->intOr(Attr::feature_index, 0);
    if (feature < 0 || at(feature) >= first.size()) return opaque(id);
    const auto relateOne = [&](const Dims& each, bool whole) {
      whole ? same(id, each, first) : same(id, each, Dims{first[at(feature)]});
    };
    for (size_t k = 1; k < in.operands.size(); ++k)
      relateOne(dims(in.operands[k]), in.opcode == Opcode::BatchNormGrad && k == 4);
    for (size_t k = 0; k < leaves(id).size(); ++k) relateOne(leaves(id)[k], k == 0);
  }
  void topk(InstructionId id, const Instruction& in) {
    const Dims& from = dims(in.operands[0]);
    for (const Dims& leaf : leaves(id)) {
      for (size_t d = 0; d + 1 < std::min(from.size(), leaf.size()); ++d) same(id, leaf[d], from[d]);
      if (!leaf.empty()) fix(id, {leaf.back()}, "k says how many are given");
    }
  }
  // Slices lose the dimension of the steps, which is one and the same in inputs and outputs; what is carried keeps its
  // shape.
  void scan(InstructionId id, const Instruction& in) {
    const Ints& along = in.attributes->ints(Attr::dimensions);
    const auto callees = module_.callees(in);
    const auto carries = at(in.attributes->intOr(Attr::num_carries, 0));
    if (along.empty() || callees.empty() || carries > in.operands.size() || !module_.at(callees[0]).root.valid())
      return opaque(id);
    const Computation& body = module_.at(callees[0]);
    const size_t inputs = in.operands.size() - carries,
                 outputs = leaves(id).size() - std::min(carries, leaves(id).size());
    std::vector<SizeTerm> steps;
    const auto sliced = [&](const Dims& whole, const Dims& slice) {
      if (whole.size() != slice.size() + 1 || at(along[0]) >= whole.size()) return;
      steps.push_back(whole[at(along[0])]);
      for (size_t d = 0; d < slice.size(); ++d) same(id, slice[d], whole[d < at(along[0]) ? d : d + 1]);
    };
    for (size_t k = 0; k < std::min(in.operands.size(), body.parameters.size()); ++k) {
      if (!body.parameters[k].valid()) continue;
      if (k < inputs)
        sliced(dims(in.operands[k]), dims(body.parameters[k]));
      else
        sameLeaves(id, leaves(in.operands[k]), 0, leaves(body.parameters[k]));
    }
    for (size_t k = 0; k < std::min(leaves(id).size(), leaves(body.root).size()); ++k) {
      if (k < outputs)
        sliced(leaves(id)[k], leaves(body.root)[k]);
      else
        same(id, leaves(id)[k], leaves(body.root)[k]),
            sameLeaves(id, {leaves(id)[k]}, 0, leaves(in.operands[inputs + k - outputs]));
    }
    for (SizeTerm step : steps) same(id, step, steps.front());
    if (inputs == 0) fix(id, steps, "only what is written says how many steps there are");
  }
  void triangularSolve(InstructionId id, const Instruction& in) {
    const Dims &a = dims(in.operands[0]), &b = dims(in.operands[1]);
    same(id, dims(id), b);
    if (a.size() < 2 || a.size() != b.size()) return;
    const size_t rank = a.size();
    for (size_t d = 0; d + 2 < rank; ++d) same(id, a[d], b[d]);
    same(id, a[rank - 2], a[rank - 1]);
    same(id, a[rank - 1], b[in.attributes->boolOr(Attr::left_side, false) ? rank - 2 : rank - 1]);
  }
  // One dimension grows by the number of devices, or is shared out among them.
  void sharedOut(InstructionId id, const Instruction& in) {
    const Ints& along = in.attributes->ints(Attr::dimensions);
    for (size_t k = 0; k < std::min(in.operands.size(), leaves(id).size()); ++k) {
      const Dims &from = dims(in.operands[k]), &to = leaves(id)[k];
      for (size_t d = 0; d < std::min(from.size(), to.size()); ++d) {
        if (!holds(along, static_cast<int64_t>(d)) || size(from[d]) == size(to[d])) {
          same(id, from[d], to[d]);
          continue;
        }
        const SizeTerm small = in.opcode == Opcode::AllGather ? from[d] : to[d],
                       large = in.opcode == Opcode::AllGather ? to[d] : from[d];
        const int64_t devices = size(small) > 0 ? size(large) / size(small) : 1;
        same(id, large, flow_.terms.mapped(small, [devices](int64_t n) { return n * devices; }));
      }
    }
  }

  // A part of a whole: what is as large as the whole stays so.
  void window(InstructionId id, const Dims& whole, const Dims& part) {
    for (size_t d = 0; d < std::min(whole.size(), part.size()); ++d)
      if (size(whole[d]) == size(part[d])) same(id, whole[d], part[d]);
  }
  void concatenate(InstructionId id, const Instruction& in) {
    const Ints& along = in.attributes->ints(Attr::dimensions);
    if (along.empty()) return;
    std::vector<SizeTerm> parts;
    for (InstructionId operand : in.operands) {
      for (size_t d = 0; d < dims(operand).size(); ++d)
        if (d != at(along[0])) same(id, dims(id)[d], dims(operand)[d]);
      parts.push_back(dims(operand)[at(along[0])]);
    }
    same(id, dims(id)[at(along[0])], parts.size() == 1 ? parts[0] : flow_.terms.sum(parts, 0));
  }
  void pad(InstructionId id, const Instruction& in) {
    const auto* padding = in.attributes->get<std::vector<PaddingDimension>>(Attr::padding);
    const Dims& from = dims(in.operands[0]);
    if (!padding || padding->size() != from.size()) return;
    for (size_t d = 0; d < from.size(); ++d) {
      const PaddingDimension p = (*padding)[d];
      const int64_t more = p.low + p.high;
      if (p.interior == 0 && more == 0)
        same(id, dims(id)[d], from[d]);
      else if (p.interior == 0)
        same(id, dims(id)[d], flow_.terms.sum({from[d]}, more));
      else
        same(id, dims(id)[d], flow_.terms.mapped(from[d], [p, more](int64_t n) {
          return n + std::max<int64_t>(n - 1, 0) * p.interior + more;
        }));
    }
  }

  void gather(InstructionId id, const Instruction& in) {
    const AttributeSet& a = *in.attributes;
    const Dims &operand = dims(in.operands[0]), &starts = dims(in.operands[1]), &out = dims(id);
    const Ints &offset = a.ints(Attr::offset_dims), &collapsed = a.ints(Attr::collapsed_slice_dims),
               &batching = a.ints(Attr::operand_batching_dims);
    const Ints& startsBatching = a.ints(Attr::start_indices_batching_dims);
    for (size_t i = 0; i < std::min(batching.size(), startsBatching.size()); ++i)
      same(id, operand[at(batching[i])], starts[at(startsBatching[i])]);
    alongOffsets(id, operand, out, offset, [&](int64_t d) { return holds(collapsed, d) || holds(batching, d); });
    alongIndices(id, starts, out, offset, a.intOr(Attr::index_vector_dim, static_cast<int64_t>(starts.size())));
  }
  void scatter(InstructionId id, const Instruction& in) {
    const AttributeSet& a = *in.attributes;
    const size_t arrays = in.operands.size() / 2;
    if (arrays == 0) return;
    const Dims& starts = dims(in.operands[arrays]);
    const Ints &windows = a.ints(Attr::update_window_dims), &inserted = a.ints(Attr::inserted_window_dims),
               &batching = a.ints(Attr::input_batching_dims);
    const Ints& startsBatching = a.ints(Attr::scatter_indices_batching_dims);
    for (size_t k = 0; k < arrays; ++k) {
      const Dims &operand = dims(in.operands[k]), &updates = dims(in.operands[arrays + 1 + k]);
      same(id, leaves(id)[std::min(k, leaves(id).size() - 1)], operand);
      for (size_t i = 0; i < std::min(batching.size(), startsBatching.size()); ++i)
        same(id, operand[at(batching[i])], starts[at(startsBatching[i])]);
      alongOffsets(id, operand, updates, windows, [&](int64_t d) { return holds(inserted, d) || holds(batching, d); });
      alongIndices(id, starts, updates, windows, a.intOr(Attr::index_vector_dim, static_cast<int64_t>(starts.size())));
    }
  }
  // Slices' own dimensions stand in `slices` at `offset`: as large as the operand's they stay so.
  template <class Hidden>
  void alongOffsets(InstructionId id, const Dims& operand, const Dims& slices, const Ints& offset, Hidden hidden) {
    size_t k = 0;
    for (size_t d = 0; d < operand.size() && k < offset.size(); ++d) {
      if (hidden(static_cast<int64_t>(d))) continue;
      const SizeTerm part = slices[at(offset[k++])];
      if (size(part) == size(operand[d])) same(id, part, operand[d]);
    }
  }
  void alongIndices(InstructionId id, const Dims& starts, const Dims& slices, const Ints& offset, int64_t vector) {
    size_t d = 0;
    for (size_t i = 0; i < slices.size(); ++i) {
      if (holds(offset, static_cast<int64_t>(i))) continue;
      if (d == at(vector)) ++d;
      if (d < starts.size()) same(id, slices[i], starts[d++]);
    }
    if (at(vector) < starts.size())
      flow_.fixed.push_back({starts[at(vector)], id, "it holds one index for each dimension that is looked up"});
  }

  static int64_t windowed(const WindowDimension& w, int64_t n) {
    const auto spread = [](int64_t count, int64_t by) { return count <= 0 ? count : (count - 1) * by + 1; };
    const int64_t room = spread(n, w.baseDilation) + w.paddingLow + w.paddingHigh - spread(w.size, w.windowDilation);
    return room < 0 ? 0 : room / std::max<int64_t>(w.stride, 1) + 1;
  }
  // What a window makes of a dimension; the same where the rule keeps every size.
  void through(InstructionId id, SizeTerm from, SizeTerm to, const WindowDimension& w) {
    const int64_t probe = size(from) + 97;
    if (windowed(w, size(from)) != size(to)) return fix(id, {from, to}, "the window does not say how the size follows");
    if (size(from) == size(to) && windowed(w, probe) == probe) return same(id, from, to);
    same(id, to, flow_.terms.mapped(from, [w](int64_t n) { return windowed(w, n); }));
  }
  void convolution(InstructionId id, const Instruction& in) {
    const auto* labels = in.attributes->get<ConvolutionDimensions>(Attr::dim_labels);
    const auto* window = in.attributes->get<Window>(Attr::window);
    const Dims &input = dims(in.operands[0]), &kernel = dims(in.operands[1]), &out = dims(id);
    if (!labels || in.attributes->intOr(Attr::batch_group_count, 1) != 1) return opaque(id);
    if (in.attributes->intOr(Attr::feature_group_count, 1) == 1)
      same(id, input[at(labels->inputFeature)], kernel[at(labels->kernelInput)]);
    else
      fix(id, {input[at(labels->inputFeature)], kernel[at(labels->kernelInput)], kernel[at(labels->kernelOutput)]},
          "the features are in groups");
    same(id, out[at(labels->outputBatch)], input[at(labels->inputBatch)]);
    same(id, out[at(labels->outputFeature)], kernel[at(labels->kernelOutput)]);
    for (size_t s = 0; s < labels->inputSpatial.size(); ++s) {
      fix(id, {kernel[at(labels->kernelSpatial[s])]}, "the window says how large the kernel is");
      const WindowDimension w = window && s < window->dimensions.size() ? window->dimensions[s] : WindowDimension{};
      through(id, input[at(labels->inputSpatial[s])], out[at(labels->outputSpatial[s])], w);
    }
  }
  void reduceWindow(InstructionId id, const Instruction& in) {
    const auto* window = in.attributes->get<Window>(Attr::window);
    const Dims& from = dims(in.operands[0]);
    for (size_t k = 1; k < in.operands.size() / 2; ++k) same(id, from, dims(in.operands[k]));
    for (const Dims& to : leaves(id))
      for (size_t d = 0; d < from.size(); ++d) {
        const WindowDimension w = window && d < window->dimensions.size() ? window->dimensions[d] : WindowDimension{};
        if (w.size > 1 && w.size == size(from[d]))
          fix(id, {from[d], to[d]}, "the window is as long as the dimension");
        else
          through(id, from[d], to[d], w);
      }
  }

  void callee(InstructionId id, const Instruction& in) {
    const auto callees = module_.callees(in);
    for (size_t c = 0; c < callees.size(); ++c) {
      const Computation& body = module_.at(callees[c]);
      const bool tested = in.opcode == Opcode::While && in.attributes->get<ComputationId>(Attr::condition) &&
                          *in.attributes->get<ComputationId>(Attr::condition) == callees[c];
      if (body.root.valid() && !tested) sameLeaves(id, leaves(id), 0, leaves(body.root));
      for (size_t p = 0; p < body.parameters.size(); ++p) {
        const size_t operand = in.opcode == Opcode::Conditional ? branchOf(in, callees[c], c) + 1 : p;
        if (operand < in.operands.size() && body.parameters[p].valid())
          sameLeaves(id, leaves(in.operands[operand]), 0, leaves(body.parameters[p]));
      }
      if (in.opcode == Opcode::While) sameLeaves(id, leaves(id), 0, leaves(in.operands[0]));
    }
  }
  // true_computation and false_computation may stand in either order.
  static size_t branchOf(const Instruction& in, ComputationId callee, size_t place) {
    const auto* no = in.attributes->get<ComputationId>(Attr::false_computation);
    const auto* yes = in.attributes->get<ComputationId>(Attr::true_computation);
    if (!no || !yes) return place;
    return *no == callee && *yes != callee ? 1 : 0;
  }

  // Slices of one value that lie end to end over a dimension are its parts; else a slice that begins at 0 or ends at
  // the end keeps doing so, and what is cut off keeps its length.
  void relateSlices() {
    std::map<std::pair<InstructionId, size_t>, std::vector<InstructionId>> parts;
    for (ComputationId computation : module_.order())
      for (InstructionId id : module_.at(computation).instructions) {
        if (module_.at(id).opcode != Opcode::Slice || !operandsStand(id)) continue;
        const auto* rows = module_.at(id).attributes->get<std::vector<SliceDimension>>(Attr::slice);
        const Dims& whole = dims(module_.at(id).operands[0]);
        if (!rows || rows->size() != whole.size()) continue;
        for (size_t d = 0; d < whole.size(); ++d) {
          const SliceDimension row = (*rows)[d];
          if (row.start == 0 && row.limit == size(whole[d]) && row.stride == 1)
            same(id, whole[d], dims(id)[d]);
          else
            parts[{module_.at(id).operands[0], d}].push_back(id);
        }
      }
    for (auto& [place, slices] : parts)
      if (!tiles(place.first, place.second, slices))
        for (InstructionId slice : slices) alone(slice, place.second);
  }
  SliceDimension rowOf(InstructionId slice, size_t d) const {
    return (*module_.at(slice).attributes->get<std::vector<SliceDimension>>(Attr::slice))[d];
  }
  bool tiles(InstructionId value, size_t d, std::vector<InstructionId> slices) {
    std::ranges::stable_sort(slices, {}, [&](InstructionId s) { return rowOf(s, d).start; });
    Dims lengths;
    std::vector<SizeFlow::SliceStart> starts;
    int64_t next = 0, begin = -1;
    for (InstructionId slice : slices) {
      const SliceDimension row = rowOf(slice, d);
      if (row.stride != 1 || (row.start != next && row.start != begin)) return false;
      if (row.start == begin && row.limit != next) return false;
      if (row.start == begin) {  // the same stretch once more
        starts.push_back(starts.back());
        starts.back().slice = slice;
        continue;
      }
      starts.push_back({slice, d, 0, lengths});
      begin = row.start;
      next = row.limit;
      lengths.push_back(dims(slice)[d]);
    }
    if (next != size(dims(value)[d]) || lengths.size() < 2) return false;
    for (size_t i = 1; i < starts.size(); ++i)
      if (starts[i].before.size() == starts[i - 1].before.size())
        same(slices[i], dims(slices[i])[d], dims(slices[i - 1])[d]);
    flow_.sliceStarts.insert(flow_.sliceStarts.end(), starts.begin(), starts.end());
    same(slices[0], dims(value)[d], flow_.terms.sum(lengths, 0));
    return true;
  }
  void alone(InstructionId slice, size_t d) {
    constexpr int64_t kShift = 2;  // x[:-1] is cut off at the end, x[:8] is a beginning
    const SliceDimension row = rowOf(slice, d);
    const SizeTerm whole = dims(module_.at(slice).operands[0])[d], part = dims(slice)[d];
    const int64_t cut = size(whole) - row.limit;
    flow_.sliceStarts.push_back({slice, d, row.start, {}});
    if (row.stride == 1 && (cut == 0 || (row.start == 0 && cut <= kShift && row.limit > kShift)))
      same(slice, part, flow_.terms.sum({whole}, -row.start - cut));
    else if (row.stride != 1 && cut < row.stride)
      same(slice, part, flow_.terms.mapped(whole, [row](int64_t n) {
        return std::max<int64_t>(n - row.start + row.stride - 1, 0) / row.stride;
      }));
  }

  const Module& module_;
  SizeFlow& flow_;
  std::map<SizeTerm, SizeTerm> halves_;  // of real transforms: the real side of a complex one
};

}  // namespace

SizeFlow::SizeFlow(const Module& module) { Rules(module, *this).run(); }

}  // namespace tessera
