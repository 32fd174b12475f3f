// Slices at places of the run, gather, scatter and sort over sizes of the run: see dynamic_rule.h.
#include "core/passes/dynamic/dynamic_rule.h"

#include <fmt/format.h>

#include "core/hlo/index_math.h"

namespace tessera {

// An update with sizes is mixed with what is there, in a copy that has room for its bounds behind the end.
void DynamicRule::dynamicUpdateSlice() {
  const DimensionSizes result = sizes(0);
  if (!sizes_.any(operands_[1])) return keep(result);
  const std::vector<int64_t> whole = dims(0), part = dims(1);
  InstructionId roomy = operands_[0];
  std::vector<InstructionId> starts;
  for (size_t d = 0; d < whole.size(); ++d) {
    if (isDynamic(1, d)) roomy = build_.pad(roomy, build_.zeroOf(shape_.type), d, 0, part[d]);
    const InstructionId given = build_.make(Opcode::Convert, build_.shapeOf(build_.number(0)), {operands_[2 + d]});
    const InstructionId most = build_.subtract(build_.number(whole[d]), build_.sizeOr(sizes(1), d, part[d]));
    starts.push_back(build_.maximum(build_.minimum(given, most), build_.number(0)));
  }
  std::vector<InstructionId> reading{roomy}, writing{roomy};
  reading.insert(reading.end(), starts.begin(), starts.end());
  AttributeSet slice;
  slice.set(Attr::dynamic_slice_sizes, part);
  const InstructionId old =
      build_.make(Opcode::DynamicSlice, Shape::arrayRowMajor(shape_.type, part), reading, std::move(slice));
  writing.push_back(build_.select(build_.mask(part, sizes(1), build_.everyDimension(operands_[1])), operands_[1], old));
  writing.insert(writing.end(), starts.begin(), starts.end());
  InstructionId out = build_.make(Opcode::DynamicUpdateSlice, build_.shapeOf(roomy), writing);
  for (size_t d = 0; d < whole.size(); ++d)
    if (isDynamic(1, d)) out = build_.slice(out, d, 0, whole[d]);
  standIn(out, result);
}

// Indices that do not count point nowhere.
void DynamicRule::scatter() {
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
  const InstructionId nowhere = build_.lowestOf(
      build_.shapeOf(operands_[n]).type == ElementType::Pred ? ElementType::S32 : build_.shapeOf(operands_[n]).type);
  operands_[n] = build_.filled(operands_[n], places, build_.everyDimension(operands_[n]), nowhere);
  LeafSizes result;
  for (size_t i = 0; i < n; ++i) result.push_back(sizes(i));
  keepLeaves(std::move(result));
}

// The comparator of a sort of `count` operands with a further one of pred, which is compared first.
static ComputationId comparatorByFlag(Rewriter& rewriter, const Instruction& sort, size_t count) {
  Module& module = rewriter.module();
  const ComputationId comparator = rewriter.cloneComputation(module.callees(sort)[0]);
  const InstructionId root = module.at(comparator).root;
  StaticBuilder inside(rewriter, root);
  InstructionId flags[2];
  for (size_t i = 0; i < 2; ++i) {
    Instruction parameter;
    const std::string name = fmt::format("behind.t{}", module.instructionSlots());
    parameter.name = name;
    parameter.opcode = Opcode::Parameter;
    parameter.parameterNumber = static_cast<int32_t>(2 * count + i);
    parameter.provenance = module.at(root).provenance;
    flags[i] = module.add(comparator, std::move(parameter), Shape::arrayRowMajor(ElementType::Pred, {}));
  }
  const InstructionId before = inside.compare("LT", flags[0], flags[1]),
                      same = inside.compare("EQ", flags[0], flags[1]);
  module.setRoot(comparator, inside.elementwise(Opcode::Or, before, inside.elementwise(Opcode::And, same, root)));
  return comparator;
}

// A further operand, false where elements count and true behind them, is the first key.
void DynamicRule::sort() {
  const auto along = static_cast<size_t>(attributes().ints(Attr::dimensions)[0]);
  const size_t n = operands_.size();
  LeafSizes result;
  DimensionSizes first(1);
  for (size_t i = 0; i < n; ++i) {
    result.push_back(sizes(i));
    if (isDynamic(i, along))
      first[0] =
          first[0].valid() && first[0] != size(i, along) ? build_.minimum(first[0], size(i, along)) : size(i, along);
  }
  if (!first[0].valid()) return keepLeaves(std::move(result));
  const std::vector<int64_t> whole = dims(0);
  const InstructionId behind = build_.compare("GE", build_.iota(whole, along), build_.broadcast(first[0], whole));
  std::vector<InstructionId> operands = operands_;
  operands.push_back(behind);
  AttributeSet attributes = *original_.attributes;
  attributes.set(Attr::to_apply, comparatorByFlag(rewriter_, original_, n));
  std::vector<Shape> shapes;
  for (InstructionId operand : operands) shapes.push_back(build_.shapeOf(operand));
  const InstructionId sorted = build_.make(Opcode::Sort, Shape::tuple(shapes), operands, std::move(attributes));
  std::vector<InstructionId> parts;
  for (size_t i = 0; i < n; ++i) {
    AttributeSet which;
    which.set(Attr::index, static_cast<int64_t>(i));
    parts.push_back(build_.make(Opcode::GetTupleElement, shapes[i], {sorted}, std::move(which)));
  }
  const InstructionId out = n == 1 ? parts[0] : build_.make(Opcode::Tuple, shape_, parts);
  sizes_.set(out, std::move(result));
  rewriter_.replace(id_, out);
}

}  // namespace tessera
