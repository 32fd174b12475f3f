// See dynamic_rules.h. A rule leaves the operation as it is over bounds where padding does no harm, and fills or moves
// elements where it would. The values are those of XLA's dynamic padder.
#include "core/passes/dynamic_rules.h"

#include <algorithm>

#include <fmt/format.h>

#include "core/ops/faults.h"
#include "core/ops/index_space.h"
#include "core/ops/op.h"
#include "core/ops/reshape_sizes.h"

namespace tessera {
namespace {

class Rule {
 public:
  Rule(Rewriter& rewriter, DynamicSizes& sizes, InstructionId id)
      : rewriter_(rewriter), sizes_(sizes), id_(id), original_(rewriter.module().at(id)),
        operands_(original_.operands.begin(), original_.operands.end()), build_(rewriter, id) {
    for (InstructionId& operand : operands_) operand = rewriter.resolve(operand);
    shape_ = staticShape(*original_.shape);
  }

  Status apply();

 private:
  const AttributeSet& attributes() const { return *original_.attributes; }
  const std::vector<int64_t>& dims(size_t operand) const { return build_.shapeOf(operands_[operand]).dimensions; }
  const DimensionSizes& sizes(size_t operand, size_t leaf = 0) const { return sizes_.of(operands_[operand], leaf); }
  InstructionId size(size_t operand, size_t d) const { return d < sizes(operand).size() ? sizes(operand)[d] : InstructionId(); }
  bool isDynamic(size_t operand, size_t d) const { return size(operand, d).valid(); }
  bool anyDynamic() const { return std::ranges::any_of(operands_, [&](InstructionId id) { return sizes_.any(id); }); }
  DimensionSizes noSizes() const { return DimensionSizes(shape_.dimensions.size()); }

  // The instruction stays, over these operands; or another one stands in its place.
  void keep(DimensionSizes result) { keepLeaves({std::move(result)}); }
  void keepLeaves(LeafSizes result);
  void standIn(InstructionId by, DimensionSizes result);
  InstructionId again() { return build_.add(original_.opcode, shape_, operands_, *original_.attributes); }
  void fill(size_t operand, std::span<const int64_t> which, InstructionId value) {
    operands_[operand] = carry(build_.filled(operands_[operand], sizes(operand), which, value), operands_[operand]);
  }
  InstructionId carry(InstructionId now, InstructionId before) {
    if (now != before && sizes_.any(before)) sizes_.set(now, sizes_.leaves(before));
    return now;
  }

  Status unsupported() const;
  void getSize();
  void setSize();
  void passOn();
  void elementwise();
  void repeatSingles(const DimensionSizes& result);
  void broadcast();
  void transpose();
  void reduce();
  void dot();
  void convolve();
  void concatenate();
  void pad();
  void reverse();
  void slice();
  void dynamicSlice();
  void dynamicUpdateSlice();
  void gather();
  void scatter();
  void sort();
  void reduceWindow();
  void selectAndScatter();
  void reshape(DimensionSizes result);
  DimensionSizes reshapedSizes();
  InstructionId windowed(InstructionId size, const WindowDimension& window);

  Rewriter& rewriter_;
  DynamicSizes& sizes_;
  InstructionId id_;
  const Instruction original_;  // a copy: adding instructions moves records
  std::vector<InstructionId> operands_;
  Shape shape_;
  StaticBuilder build_;
};

void Rule::keepLeaves(LeafSizes result) {
  Module& module = rewriter_.module();
  if (!std::ranges::equal(operands_, module.at(id_).operands)) module.setOperands(id_, operands_);
  if (*module.at(id_).shape != shape_) module.setShape(id_, shape_);
  rewriter_.touch(module.at(id_).computation);
  sizes_.set(id_, std::move(result));
}

void Rule::standIn(InstructionId by, DimensionSizes result) {
  sizes_.set(by, {std::move(result)});
  rewriter_.replace(id_, by);
}

Status Rule::unsupported() const {
  Diagnostic d;
  d.fault = Fault::Unsupported;
  d.message = fmt::format("{} ({}) of values with dynamic dimensions cannot be compiled", original_.name, original_.opcodeName());
  d.instruction = id_;
  d.instructionName = std::string(original_.name);
  d.position = original_.position;
  return std::unexpected(std::move(d));
}

void Rule::getSize() {
  const auto d = static_cast<size_t>(attributes().ints(Attr::dimensions)[0]);
  rewriter_.replace(id_, build_.sizeOr(sizes(0), d, dims(0)[d]));
}

void Rule::setSize() {
  const auto d = static_cast<size_t>(attributes().ints(Attr::dimensions)[0]);
  DimensionSizes result = sizes(0);
  result.resize(dims(0).size());
  result[d] = operands_[1];
  const Instruction& given = rewriter_.module().at(operands_[1]);
  if (given.opcode == Opcode::Constant && given.literal && given.literal->data<int32_t>()[0] == dims(0)[d]) result[d] = {};
  standIn(build_.add(Opcode::Copy, shape_, {operands_[0]}), std::move(result));
}

// Identities: every leaf as in operand 0; tuples take theirs from all operands.
void Rule::passOn() {
  LeafSizes result;
  const auto append = [&](const LeafSizes& more, size_t count) {
    result.insert(result.end(), more.begin(), more.end());
    result.resize(result.size() + count - more.size());
  };
  if (original_.opcode == Opcode::Tuple) {
    for (InstructionId operand : operands_) append(sizes_.leaves(operand), leavesOf(build_.shapeOf(operand)).size());
  } else if (original_.opcode == Opcode::GetTupleElement) {
    const Shape& tuple = build_.shapeOf(operands_[0]);
    const auto index = static_cast<size_t>(attributes().intOr(Attr::index, 0));
    size_t first = 0;
    for (size_t i = 0; i < index; ++i) first += leavesOf(tuple.elements[i]).size();
    for (size_t i = 0; i < leavesOf(shape_).size(); ++i) result.push_back(sizes(0, first + i));
  } else {
    result = sizes_.leaves(operands_[0]);
  }
  keepLeaves(std::move(result));
}

// Sizes that differ meet in the smaller one; a single element meets any size.
void Rule::elementwise() {
  DimensionSizes result = noSizes();
  for (size_t d = 0; d < result.size(); ++d)
    for (size_t i = 0; i < operands_.size(); ++i) {
      const InstructionId one = size(i, d);
      if (!one.valid() || one == result[d]) continue;
      if (!result[d].valid()) {
        result[d] = one;
        continue;
      }
      const InstructionId a = result[d], single = build_.number(1);
      const InstructionId other = build_.add(Opcode::Select, build_.shapeOf(a), {build_.equal(one, single), a, build_.least(a, one)});
      result[d] = build_.add(Opcode::Select, build_.shapeOf(a), {build_.equal(a, single), one, other});
    }
  repeatSingles(result);
  keep(std::move(result));
}

void Rule::repeatSingles(const DimensionSizes& result) {
  for (size_t i = 0; i < operands_.size(); ++i)
    for (size_t d = 0; d < result.size(); ++d) {
      if (!isDynamic(i, d) || size(i, d) == result[d]) continue;
      const InstructionId operand = operands_[i];
      const std::vector<int64_t> whole = dims(i);
      if (whole[d] == 0) continue;
      std::vector<int64_t> kept = whole, to;
      kept.erase(kept.begin() + static_cast<int64_t>(d));
      for (int64_t k = 0; k < static_cast<int64_t>(whole.size()); ++k)
        if (k != static_cast<int64_t>(d)) to.push_back(k);
      const InstructionId first = build_.reshape(build_.slice(operand, d, 0, 1), kept);
      const InstructionId single = build_.broadcast(build_.equal(size(i, d), build_.number(1)), whole);
      operands_[i] = carry(build_.select(single, build_.broadcast(first, whole, to), operand), operand);
    }
}

void Rule::broadcast() {
  DimensionSizes result = noSizes();
  const auto& to = attributes().ints(Attr::dimensions);
  for (size_t i = 0; i < to.size(); ++i) result[static_cast<size_t>(to[i])] = size(0, i);
  keep(std::move(result));
}

void Rule::transpose() {
  DimensionSizes result;
  for (int64_t from : attributes().ints(Attr::dimensions)) result.push_back(size(0, static_cast<size_t>(from)));
  keep(std::move(result));
}

// Elements that do not count become the initial value.
void Rule::reduce() {
  const size_t n = operands_.size() / 2;
  const auto& reduced = attributes().ints(Attr::dimensions);
  DimensionSizes all(dims(0).size());
  for (size_t i = 0; i < n; ++i)
    for (size_t d = 0; d < all.size(); ++d)
      if (isDynamic(i, d)) all[d] = all[d].valid() && all[d] != size(i, d) ? build_.least(all[d], size(i, d)) : size(i, d);
  for (size_t i = 0; i < n; ++i) operands_[i] = build_.filled(operands_[i], all, reduced, operands_[n + i]);
  DimensionSizes result;
  for (int64_t d : otherDims(static_cast<int64_t>(all.size()), reduced)) result.push_back(all[static_cast<size_t>(d)]);
  keepLeaves(LeafSizes(n, result));
}

// What does not count of a contracting dimension becomes 0, on both sides.
void Rule::dot() {
  const Attr batch[] = {Attr::lhs_batch_dims, Attr::rhs_batch_dims}, contracting[] = {Attr::lhs_contracting_dims, Attr::rhs_contracting_dims};
  const auto& left = attributes().ints(contracting[0]);
  const auto& right = attributes().ints(contracting[1]);
  DimensionSizes both[] = {sizes(0), sizes(1)};
  both[0].resize(dims(0).size());
  both[1].resize(dims(1).size());
  for (size_t i = 0; i < left.size(); ++i) {
    InstructionId &a = both[0][static_cast<size_t>(left[i])], &b = both[1][static_cast<size_t>(right[i])];
    if (a.valid() && b.valid() && a != b) a = b = build_.least(a, b);
    else if (a.valid()) b = a;
    else a = b;
  }
  DimensionSizes result;
  for (size_t side = 0; side < 2; ++side) {
    const auto rank = static_cast<int64_t>(dims(side).size());
    if (side == 0)
      for (size_t i = 0; i < attributes().ints(batch[0]).size(); ++i) {
        const InstructionId a = both[0][static_cast<size_t>(attributes().ints(batch[0])[i])];
        result.push_back(a.valid() ? a : both[1][static_cast<size_t>(attributes().ints(batch[1])[i])]);
      }
    for (int64_t d : otherDims(rank, attributes().ints(batch[side]), attributes().ints(contracting[side]))) result.push_back(both[side][static_cast<size_t>(d)]);
    operands_[side] = build_.filled(operands_[side], both[side], attributes().ints(contracting[side]), build_.zeroOf(build_.shapeOf(operands_[side]).type));
  }
  keep(std::move(result));
}

// Positions of a window over `size` elements: none below 0.
InstructionId Rule::windowed(InstructionId size, const WindowDimension& w) {
  const InstructionId zero = build_.number(0), one = build_.number(1);
  InstructionId base = size;
  if (w.baseDilation != 1) base = build_.most(build_.plus(build_.times(build_.minus(size, one), build_.number(w.baseDilation)), one), zero);
  const int64_t window = (w.size - 1) * w.windowDilation + 1;
  const InstructionId room = build_.plus(base, build_.number(w.paddingLow + w.paddingHigh - window + w.stride));
  return build_.most(build_.over(room, build_.number(w.stride)), zero);
}

void Rule::convolve() {
  const auto* labels = attributes().get<ConvolutionDimensions>(Attr::dim_labels);
  const auto* window = attributes().get<Window>(Attr::window);
  DimensionSizes result = noSizes();
  result[static_cast<size_t>(labels->outputBatch)] = size(0, static_cast<size_t>(labels->inputBatch));
  result[static_cast<size_t>(labels->outputFeature)] = size(1, static_cast<size_t>(labels->kernelOutput));
  for (size_t i = 0; i < labels->inputSpatial.size(); ++i) {
    const InstructionId in = size(0, static_cast<size_t>(labels->inputSpatial[i]));
    if (in.valid()) result[static_cast<size_t>(labels->outputSpatial[i])] = windowed(in, window ? window->dimensions[i] : WindowDimension());
  }
  for (size_t i = 0; i < 2; ++i) fill(i, build_.everyDimension(operands_[i]), build_.zeroOf(build_.shapeOf(operands_[i]).type));
  keep(std::move(result));
}

// Operands are written one over the other, each at the end of what counts of those before it.
void Rule::concatenate() {
  const auto along = static_cast<size_t>(attributes().ints(Attr::dimensions)[0]);
  DimensionSizes result = noSizes();
  for (size_t i = 0; i < operands_.size(); ++i)
    for (size_t d = 0; d < result.size(); ++d)
      if (d != along && isDynamic(i, d)) result[d] = result[d].valid() && result[d] != size(i, d) ? build_.least(result[d], size(i, d)) : size(i, d);
  InstructionId end = build_.number(0), out = again();
  bool moved = false;
  for (size_t i = 0; i < operands_.size(); ++i) {
    if (moved) out = build_.updateFrom(out, operands_[i], along, end);
    moved = moved || isDynamic(i, along);
    end = build_.plus(end, build_.clamped(build_.sizeOr(sizes(i), along, dims(i)[along]), 0, dims(i)[along]));
  }
  if (moved) result[along] = end;
  standIn(out, std::move(result));
}

void Rule::pad() {
  const auto* padding = attributes().get<std::vector<PaddingDimension>>(Attr::padding);
  DimensionSizes result = noSizes();
  for (size_t d = 0; d < result.size(); ++d) {
    if (!isDynamic(0, d)) continue;
    const PaddingDimension& p = (*padding)[d];
    const InstructionId holes = build_.times(build_.most(build_.minus(size(0, d), build_.number(1)), build_.number(0)), build_.number(p.interior));
    result[d] = build_.most(build_.plus(build_.plus(size(0, d), holes), build_.number(p.low + p.high)), build_.number(0));
  }
  fill(0, build_.everyDimension(operands_[0]), operands_[1]);
  keep(std::move(result));
}

// Reversed over the bound, then moved to the origin.
void Rule::reverse() {
  const DimensionSizes result = sizes(0);
  const std::vector<int64_t> whole = dims(0);
  InstructionId out = again();
  for (int64_t each : attributes().ints(Attr::dimensions)) {
    const auto d = static_cast<size_t>(each);
    if (!isDynamic(0, d) || whole[d] == 0) continue;
    const InstructionId twice = build_.pad(out, build_.zeroOf(shape_.type), d, 0, whole[d]);
    out = build_.sliceFrom(twice, d, build_.minus(build_.number(whole[d]), size(0, d)), whole[d]);
  }
  standIn(out, result);
}

void Rule::slice() {
  const auto* ranges = attributes().get<std::vector<SliceDimension>>(Attr::slice);
  DimensionSizes result = noSizes();
  for (size_t d = 0; d < result.size(); ++d) {
    if (!isDynamic(0, d)) continue;
    const SliceDimension& r = (*ranges)[d];
    const bool all = r.start == 0 && r.stride == 1 && r.limit == dims(0)[d];
    const InstructionId left = build_.plus(size(0, d), build_.number(r.stride - 1 - r.start));
    result[d] = all ? size(0, d) : build_.clamped(build_.over(build_.most(left, build_.number(0)), build_.number(r.stride)), 0, shape_.dimensions[d]);
  }
  keep(std::move(result));
}

void Rule::dynamicSlice() {
  DimensionSizes result = noSizes();
  for (size_t d = 0; d < result.size(); ++d)
    if (shape_.dimensions[d] == dims(0)[d]) result[d] = size(0, d);
  keep(std::move(result));
}

// An update with sizes is mixed with what is there, in a copy that has room for its bounds behind the end.
void Rule::dynamicUpdateSlice() {
  const DimensionSizes result = sizes(0);
  if (!sizes_.any(operands_[1])) return keep(result);
  const std::vector<int64_t> whole = dims(0), part = dims(1);
  InstructionId roomy = operands_[0];
  std::vector<InstructionId> starts;
  for (size_t d = 0; d < whole.size(); ++d) {
    if (isDynamic(1, d)) roomy = build_.pad(roomy, build_.zeroOf(shape_.type), d, 0, part[d]);
    const InstructionId given = build_.add(Opcode::Convert, build_.shapeOf(build_.number(0)), {operands_[2 + d]});
    const InstructionId most = build_.minus(build_.number(whole[d]), build_.sizeOr(sizes(1), d, part[d]));
    starts.push_back(build_.most(build_.least(given, most), build_.number(0)));
  }
  std::vector<InstructionId> reading{roomy}, writing{roomy};
  reading.insert(reading.end(), starts.begin(), starts.end());
  AttributeSet slice;
  slice.set(Attr::dynamic_slice_sizes, part);
  const InstructionId old = build_.add(Opcode::DynamicSlice, Shape::arrayRowMajor(shape_.type, part), reading, std::move(slice));
  writing.push_back(build_.select(build_.mask(part, sizes(1), build_.everyDimension(operands_[1])), operands_[1], old));
  writing.insert(writing.end(), starts.begin(), starts.end());
  InstructionId out = build_.add(Opcode::DynamicUpdateSlice, build_.shapeOf(roomy), writing);
  for (size_t d = 0; d < whole.size(); ++d)
    if (isDynamic(1, d)) out = build_.slice(out, d, 0, whole[d]);
  standIn(out, result);
}

void Rule::gather() {
  const auto& offsets = attributes().ints(Attr::offset_dims);
  const int64_t vector = attributes().intOr(Attr::index_vector_dim, 0);
  DimensionSizes result = noSizes();
  size_t index = 0, offset = 0;
  for (size_t d = 0; d < result.size(); ++d) {
    if (containsDim(offsets, static_cast<int64_t>(d))) continue;
    if (static_cast<int64_t>(index) == vector) ++index;
    result[d] = size(1, index++);
  }
  for (size_t d = 0; d < dims(0).size(); ++d) {
    const auto at = static_cast<int64_t>(d);
    if (containsDim(attributes().ints(Attr::collapsed_slice_dims), at) || containsDim(attributes().ints(Attr::operand_batching_dims), at)) continue;
    const auto to = static_cast<size_t>(offsets[offset++]);
    if (shape_.dimensions[to] == dims(0)[d]) result[to] = size(0, d);
  }
  keep(std::move(result));
}

// Indices that do not count point nowhere.
void Rule::scatter() {
  const size_t n = (operands_.size() - 1) / 2;
  const auto& window = attributes().ints(Attr::update_window_dims);
  const int64_t vector = attributes().intOr(Attr::index_vector_dim, 0);
  DimensionSizes places(dims(n).size());
  size_t index = 0;
  for (size_t d = 0; d < dims(n + 1).size(); ++d) {
    if (containsDim(window, static_cast<int64_t>(d))) continue;
    if (static_cast<int64_t>(index) == vector) ++index;
    places[index] = size(n, index).valid() ? size(n, index) : size(n + 1, d);
    ++index;
  }
  const InstructionId nowhere = build_.lowestOf(build_.shapeOf(operands_[n]).type == ElementType::Pred ? ElementType::S32 : build_.shapeOf(operands_[n]).type);
  operands_[n] = build_.filled(operands_[n], places, build_.everyDimension(operands_[n]), nowhere);
  LeafSizes result;
  for (size_t i = 0; i < n; ++i) result.push_back(sizes(i));
  keepLeaves(std::move(result));
}

// A further operand, false where elements count and true behind them, is the first key.
void Rule::sort() {
  const auto along = static_cast<size_t>(attributes().ints(Attr::dimensions)[0]);
  const size_t n = operands_.size();
  LeafSizes result;
  DimensionSizes first(1);
  for (size_t i = 0; i < n; ++i) {
    result.push_back(sizes(i));
    if (isDynamic(i, along)) first[0] = first[0].valid() && first[0] != size(i, along) ? build_.least(first[0], size(i, along)) : size(i, along);
  }
  if (!first[0].valid()) return keepLeaves(std::move(result));
  const std::vector<int64_t> whole = dims(0);
  const InstructionId behind = build_.compare("GE", build_.iota(whole, along), build_.broadcast(first[0], whole));
  std::vector<InstructionId> operands = operands_;
  operands.push_back(behind);
  Module& module = rewriter_.module();
  const ComputationId comparator = rewriter_.cloneComputation(module.callees(original_)[0]);
  const InstructionId root = module.at(comparator).root;
  StaticBuilder inside(rewriter_, root);
  InstructionId keys[2];
  for (size_t i = 0; i < 2; ++i) {
    Instruction parameter;
    const std::string name = fmt::format("behind.t{}", module.instructionSlots());
    parameter.name = name;
    parameter.opcode = Opcode::Parameter;
    parameter.parameterNumber = static_cast<int32_t>(2 * n + i);
    parameter.provenance = module.at(root).provenance;
    keys[i] = module.add(comparator, std::move(parameter), Shape::arrayRowMajor(ElementType::Pred, {}));
  }
  const InstructionId before = inside.compare("LT", keys[0], keys[1]), same = inside.compare("EQ", keys[0], keys[1]);
  module.setRoot(comparator, inside.elementwise(Opcode::Or, before, inside.elementwise(Opcode::And, same, root)));
  AttributeSet attributes = *original_.attributes;
  attributes.set(Attr::to_apply, comparator);
  std::vector<Shape> shapes;
  for (InstructionId operand : operands) shapes.push_back(build_.shapeOf(operand));
  const InstructionId sorted = build_.add(Opcode::Sort, Shape::tuple(shapes), operands, std::move(attributes));
  std::vector<InstructionId> parts;
  for (size_t i = 0; i < n; ++i) {
    AttributeSet which;
    which.set(Attr::index, static_cast<int64_t>(i));
    parts.push_back(build_.add(Opcode::GetTupleElement, shapes[i], {sorted}, std::move(which)));
  }
  const InstructionId out = n == 1 ? parts[0] : build_.add(Opcode::Tuple, shape_, parts);
  sizes_.set(out, std::move(result));
  rewriter_.replace(id_, out);
}

void Rule::reduceWindow() {
  const size_t n = operands_.size() / 2;
  const auto* window = attributes().get<Window>(Attr::window);
  DimensionSizes result(dims(0).size());
  for (size_t d = 0; d < result.size(); ++d)
    for (size_t i = 0; i < n && !result[d].valid(); ++i)
      if (isDynamic(i, d)) result[d] = windowed(size(i, d), window ? window->dimensions[d] : WindowDimension());
  for (size_t i = 0; i < n; ++i) fill(i, build_.everyDimension(operands_[i]), operands_[n + i]);
  keepLeaves(LeafSizes(n, result));
}

// No window selects what does not count, and no source that does not count is scattered.
void Rule::selectAndScatter() {
  const DimensionSizes result = sizes(0);
  fill(0, build_.everyDimension(operands_[0]), build_.lowestOf(build_.shapeOf(operands_[0]).type));
  fill(1, build_.everyDimension(operands_[1]), operands_[2]);
  keep(result);
}

DimensionSizes Rule::reshapedSizes() {
  DimensionSizes result = noSizes();
  const int64_t inferred = attributes().intOr(Attr::inferred_dimension, -1);
  for (const ReshapeGroup& group : reshapeGroups(build_.shapeOf(operands_[0]), *original_.shape, inferred)) {
    InstructionId count;
    int64_t fixed = 1;
    for (size_t d : group.from) {
      if (!isDynamic(0, d)) fixed *= dims(0)[d];
      else count = count.valid() ? build_.times(count, size(0, d)) : size(0, d);
    }
    if (!count.valid() || !group.open) continue;
    if (fixed != 1) count = build_.times(count, build_.number(fixed));
    result[*group.open] = group.others > 1 ? build_.over(count, build_.number(group.others)) : count;
  }
  return result;
}

// Element i, in row-major order of what counts in the result, is element i of what counts in the operand: its place in
// the bounds of the operand is worked out for each element of the result, and gathered.
void Rule::reshape(DimensionSizes result) {
  const std::vector<int64_t> from = dims(0), to = shape_.dimensions;
  const InstructionId one = build_.number(1);
  const auto whole = [&](InstructionId scalar) { return build_.broadcast(scalar, to); };
  InstructionId linear = whole(build_.number(0)), stride = one;
  for (size_t d = to.size(); d-- > 0;) {
    linear = build_.elementwise(Opcode::Add, linear, build_.elementwise(Opcode::Multiply, build_.iota(to, d), whole(stride)));
    stride = build_.times(stride, build_.sizeOr(result, d, to[d]));
  }
  InstructionId place = whole(build_.number(0));
  int64_t dense = 1;
  for (size_t d = from.size(); d-- > 0;) {
    const InstructionId size = whole(build_.most(build_.sizeOr(sizes(0), d, from[d]), one));
    const InstructionId at = build_.elementwise(Opcode::Remainder, linear, size);
    place = build_.elementwise(Opcode::Add, place, build_.elementwise(Opcode::Multiply, at, whole(build_.number(dense))));
    linear = build_.elementwise(Opcode::Divide, linear, size);
    dense *= from[d];
  }
  AttributeSet gather;
  gather.set(Attr::offset_dims, std::vector<int64_t>{});
  gather.set(Attr::collapsed_slice_dims, std::vector<int64_t>{0});
  gather.set(Attr::start_index_map, std::vector<int64_t>{0});
  gather.set(Attr::index_vector_dim, static_cast<int64_t>(to.size()));
  gather.set(Attr::slice_sizes, std::vector<int64_t>{1});
  const InstructionId flat = build_.reshape(operands_[0], {dense});
  standIn(build_.add(Opcode::Gather, Shape::arrayRowMajor(shape_.type, to), {flat, place}, std::move(gather)), std::move(result));
}

bool changesShapeOnly(Opcode opcode) { return opcode == Opcode::Reshape || opcode == Opcode::Bitcast; }

bool isIdentity(Opcode opcode) {
  switch (opcode) {
    case Opcode::Tuple: case Opcode::GetTupleElement: case Opcode::OptBarrier: case Opcode::Domain: case Opcode::AddDependency:
    case Opcode::Copy: case Opcode::CopyStart: case Opcode::CopyDone: case Opcode::AllReduce:
      return true;
    default: return false;
  }
}

Status Rule::apply() {
  if (original_.opcode == Opcode::GetDimensionSize) return getSize(), Status();
  if (original_.opcode == Opcode::SetDimensionSize) return setSize(), Status();
  if (original_.opcode == Opcode::DynamicReshape) return reshape(DimensionSizes(operands_.begin() + 1, operands_.end())), Status();
  const OpDef* op = findOp(original_.opcode);
  const bool isEffect = op && op->kind == ExecutionKind::Effect;
  if (!anyDynamic() && isEffect && shape_ != *original_.shape) return unsupported();
  if (!anyDynamic()) return keepLeaves({}), Status();
  if (isIdentity(original_.opcode)) return passOn(), Status();
  if (changesShapeOnly(original_.opcode)) return reshape(reshapedSizes()), Status();
  switch (original_.opcode) {
    case Opcode::Broadcast: return broadcast(), Status();
    case Opcode::Transpose: return transpose(), Status();
    case Opcode::Reduce: return reduce(), Status();
    case Opcode::Dot: return dot(), Status();
    case Opcode::Convolution: return convolve(), Status();
    case Opcode::Concatenate: return concatenate(), Status();
    case Opcode::Pad: return pad(), Status();
    case Opcode::Reverse: return reverse(), Status();
    case Opcode::Slice: return slice(), Status();
    case Opcode::DynamicSlice: return dynamicSlice(), Status();
    case Opcode::DynamicUpdateSlice: return dynamicUpdateSlice(), Status();
    case Opcode::Gather: return gather(), Status();
    case Opcode::Scatter: return scatter(), Status();
    case Opcode::Sort: return sort(), Status();
    case Opcode::ReduceWindow: return reduceWindow(), Status();
    case Opcode::SelectAndScatter: return selectAndScatter(), Status();
    case Opcode::AfterAll: return keepLeaves({}), Status();
    default: break;
  }
  if (op && op->category == "Elementwise" && shape_.isArray()) return elementwise(), Status();
  return unsupported();
}

}  // namespace

const DimensionSizes& DynamicSizes::of(InstructionId id, size_t leaf) const {
  static const DimensionSizes none;
  const LeafSizes& all = leaves(id);
  return leaf < all.size() ? all[leaf] : none;
}

const LeafSizes& DynamicSizes::leaves(InstructionId id) const {
  static const LeafSizes none;
  const auto found = sizes_.find(id.value);
  return found == sizes_.end() ? none : found->second;
}

void DynamicSizes::set(InstructionId id, LeafSizes sizes) {
  const auto isSet = [](const DimensionSizes& each) { return std::ranges::any_of(each, &InstructionId::valid); };
  if (std::ranges::any_of(sizes, isSet)) sizes_[id.value] = std::move(sizes);
}

Shape staticShape(Shape shape) {
  shape.dynamic.clear();
  for (Shape& element : shape.elements) element = staticShape(std::move(element));
  return shape;
}

Status makeStatic(Rewriter& rewriter, DynamicSizes& sizes, InstructionId id) { return Rule(rewriter, sizes, id).apply(); }

}  // namespace tessera
