// See sizes.h. The edit says only what inference cannot find: shapes of parameters, iotas, broadcasts, reshapes and
// constants, lengths of slices and gathers. Whether all agrees afterwards is inference's word, not ours.
#include "core/edit/sizes/sizes.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <unordered_set>

#include "core/edit/resized_constant.h"
#include "core/edit/sizes/size_flow.h"
#include "core/edit/sizes/size_numbers.h"
#include "core/formats/hlo_text.h"
#include "core/ops/inference/infer.h"
#include "core/ops/inference/infer_checks.h"

namespace tessera {
namespace {

// One change: new sizes of variables, and what follows for each value.
class Change {
 public:
  Change(const Module& module, const SizeFlow& flow, NewSizes sizes)
      : module_(module), flow_(flow), sizes_(std::move(sizes)) {}

  Resizing make() {
    for (ComputationId computation : module_.order())
      for (InstructionId id : module_.at(computation).instructions) visit(id);
    for (const SizeFlow::Fixed& each : flow_.fixed)
      if (after(each.term) != flow_.terms.sizeOf(each.term)) stop(each.instruction, each.reason);
    for (const SizeFlow::SizeConstraint& each : flow_.constraints)
      if (product(each.left) != product(each.right)) stop(each.instruction, each.reason);
    return std::move(out_);
  }

 private:
  std::optional<int64_t> after(SymbolicSize term) { return flow_.terms.after(term, sizes_, known_); }
  // As a wide number: the two sides are only compared.
  double product(const std::vector<SymbolicSize>& terms) {
    double out = 1;
    for (SymbolicSize term : terms) out *= static_cast<double>(after(term).value_or(-1));
    return out;
  }
  void stop(InstructionId id, std::string reason) {
    if (stopped_.insert(id.value).second) out_.stops.push_back({id, std::move(reason)});
  }

  // The shape with its new sizes; nullopt: it stays. Dimensions that nothing is left of stop.
  std::optional<Shape> newShape(InstructionId id) {
    Shape shape = module_.shapeOf(id);
    size_t leaf = 0;
    bool changed = false, possible = true;
    resize(shape, flow_.values[id.value], leaf, changed, possible);
    if (!possible) stop(id, "nothing would be left of a dimension, or it would be too large");
    return changed && possible ? std::optional(std::move(shape)) : std::nullopt;
  }
  void resize(Shape& shape, const std::vector<std::vector<SymbolicSize>>& leaves, size_t& leaf, bool& changed,
              bool& possible) {
    if (shape.isTuple()) {
      for (Shape& element : shape.elements) resize(element, leaves, leaf, changed, possible);
      return;
    }
    const size_t at = leaf++;
    if (at >= leaves.size()) return;
    for (size_t d = 0; d < shape.dimensions.size() && d < leaves[at].size(); ++d) {
      const auto size = after(leaves[at][d]);
      possible = possible && size.has_value();
      changed = changed || size != flow_.terms.sizeOf(leaves[at][d]);
      if (size) shape.dimensions[d] = *size;
    }
  }

  void visit(InstructionId id) {
    const Instruction& in = module_.at(id);
    const auto shape = newShape(id);
    if (in.opcode == Opcode::Slice) slice(id, in);
    if (in.opcode == Opcode::Gather) gather(id, in);
    if (in.opcode == Opcode::Fft) transform(id, in);
    if (!shape) return;
    switch (in.opcode) {
      case Opcode::Parameter: return say(id, *shape, SetParameterShape{id, *shape});
      case Opcode::Iota:
      case Opcode::Broadcast:
      case Opcode::Reshape:
      case Opcode::Rng:
      case Opcode::RngBitGenerator:
      case Opcode::AllGather:
      case Opcode::ReduceScatter: return say(id, *shape, SetShape{id, *shape});
      case Opcode::Constant:
        if (!in.literal || !regrown(*in.literal, *shape))
          return stop(id, "its data is given for " + toString(*in.shape, false));
        return say(id, *shape, SetShape{id, *shape});
      case Opcode::DynamicSlice: attribute(id, Attr::dynamic_slice_sizes, listOf(shape->dimensions)); break;
      default: break;
    }
    ++out_.following;
  }
  void say(InstructionId id, const Shape& shape, EditAction action) {
    out_.changes.push_back({id, toString(*module_.at(id).shape, false) + " becomes " + toString(shape, false)});
    out_.edit.actions.push_back(std::move(action));
  }
  void attribute(InstructionId id, Attr name, std::string text) {
    const AttributeValue* old = module_.at(id).attributes->find(name);
    if (old && printAttributeValue(module_, *old, kindOf(name)) == text) return;
    out_.changes.push_back({id, std::string(nameOf(name)) + " becomes " + text});
    out_.edit.actions.push_back(SetAttribute{id, name, std::move(text)});
  }

  // The lengths are those of the real side, or of the result.
  void transform(InstructionId id, const Instruction& in) {
    const auto* lengths = in.attributes->get<std::vector<int64_t>>(Attr::fft_length);
    const InstructionId side = in.attributes->textOr(Attr::fft_type, "") == "RFFT" ? in.operands[0] : id;
    if (!lengths || !side.valid() || flow_.values[side.value].empty()) return;
    const auto& dims = flow_.values[side.value].front();
    std::vector<int64_t> now = *lengths;
    for (size_t k = 0; k < now.size() && now.size() <= dims.size(); ++k)
      if (const auto length = after(dims[dims.size() - now.size() + k])) now[k] = *length;
    if (now != *lengths) attribute(id, Attr::fft_length, listOf(now));
  }
  void slice(InstructionId id, const Instruction& in) {
    const auto* old = in.attributes->get<std::vector<SliceDimension>>(Attr::slice);
    if (!old || !in.operands[0].valid() || flow_.values[id.value].empty()) return;
    std::vector<SliceDimension> rows = *old;
    const auto& dims = flow_.values[id.value].front();
    for (size_t d = 0; d < rows.size() && d < dims.size(); ++d) {
      const auto length = after(dims[d]);
      if (!length || *length == flow_.terms.sizeOf(dims[d])) continue;
      rows[d].limit = rows[d].start + (*length - 1) * rows[d].stride + 1;
    }
    for (const SizeFlow::SliceStart& each : starts(id)) {
      int64_t start = each.start;
      for (SymbolicSize term : each.before) start += after(term).value_or(0);
      rows[each.dimension].limit += start - rows[each.dimension].start;
      rows[each.dimension].start = start;
    }
    if (rows == *old) return;
    attribute(id, Attr::slice, printAttributeValue(module_, rows, AttributeKind::Slices));
  }
  std::vector<SizeFlow::SliceStart> starts(InstructionId id) {
    if (starts_.empty())
      for (const SizeFlow::SliceStart& each : flow_.sliceStarts) starts_.emplace(each.slice.value, each);
    std::vector<SizeFlow::SliceStart> out;
    const auto [first, last] = starts_.equal_range(id.value);
    for (auto each = first; each != last; ++each) out.push_back(each->second);
    return out;
  }

  // Slices as large as the operand stay so.
  void gather(InstructionId id, const Instruction& in) {
    const auto* old = in.attributes->get<std::vector<int64_t>>(Attr::slice_sizes);
    if (!old || in.operands.empty() || !in.operands[0].valid() || flow_.values[in.operands[0].value].empty()) return;
    const auto& operand = flow_.values[in.operands[0].value].front();
    std::vector<int64_t> sizes = *old;
    for (size_t d = 0; d < sizes.size() && d < operand.size(); ++d)
      if (sizes[d] == flow_.terms.sizeOf(operand[d]) && sizes[d] != 1) sizes[d] = after(operand[d]).value_or(sizes[d]);
    if (sizes != *old) attribute(id, Attr::slice_sizes, listOf(sizes));
  }

  const Module& module_;
  const SizeFlow& flow_;
  const NewSizes sizes_;
  SymbolicSizes::Known known_;
  Resizing out_;
  std::unordered_set<uint32_t> stopped_;
  std::multimap<uint32_t, SizeFlow::SliceStart> starts_;
};

const SymbolicSize* termOf(const SizeFlow& flow, DimensionSpot spot) {
  if (spot.instruction.value >= flow.values.size() || spot.leaf < 0 || spot.dimension < 0) return nullptr;
  const auto& leaves = flow.values[spot.instruction.value];
  if (static_cast<size_t>(spot.leaf) >= leaves.size()) return nullptr;
  const auto& dims = leaves[static_cast<size_t>(spot.leaf)];
  return static_cast<size_t>(spot.dimension) < dims.size() ? &dims[static_cast<size_t>(spot.dimension)] : nullptr;
}

// What inference says against the graph afterwards and did not say before.
void addErrors(const Module& module, Resizing& resizing) {
  const auto done = apply(module, resizing.edit);
  if (!done) return resizing.stops.push_back({done.error().instruction, done.error().message});
  const Diagnostics before = verify(module);
  std::unordered_set<std::string> known, stopped;
  for (const Diagnostic& d : before.items()) known.insert(d.toString());
  for (const Resizing::Line& line : resizing.stops) stopped.insert(std::to_string(line.instruction.value));
  for (const Diagnostic& d : done->diagnostics.items()) {
    if (d.severity != Severity::Error || known.contains(d.toString()) ||
        !stopped.insert(std::to_string(d.instruction.value)).second)
      continue;
    std::string text = d.message;
    if (!d.expected.empty()) text += fmt::format(" (expected {}, found {})", d.expected, d.found);
    resizing.stops.push_back({d.instruction, std::move(text)});
  }
}

}  // namespace

Sizes::Sizes(const Module& module) : module_(module), flow_(std::make_unique<SizeFlow>(module)) {}
Sizes::~Sizes() = default;
Sizes::Sizes(Sizes&&) noexcept = default;

bool Sizes::same(DimensionSpot a, DimensionSpot b) const {
  const SymbolicSize *first = termOf(*flow_, a), *second = termOf(*flow_, b);
  return first && second && flow_->terms.find(*first) == flow_->terms.find(*second);
}

std::vector<DimensionSpot> Sizes::sameAs(DimensionSpot spot) const {
  std::vector<DimensionSpot> out;
  const SymbolicSize* wanted = termOf(*flow_, spot);
  if (!wanted) return out;
  const SymbolicSize root = flow_->terms.find(*wanted);
  for (ComputationId computation : module_.order())
    for (InstructionId id : module_.at(computation).instructions) {
      const auto& leaves = flow_->values[id.value];
      for (size_t leaf = 0; leaf < leaves.size(); ++leaf)
        for (size_t d = 0; d < leaves[leaf].size(); ++d)
          if (flow_->terms.find(leaves[leaf][d]) == root)
            out.push_back({id, static_cast<int32_t>(leaf), static_cast<int32_t>(d)});
    }
  return out;
}

std::optional<uint32_t> Sizes::classOf(DimensionSpot spot) const {
  const SymbolicSize* term = termOf(*flow_, spot);
  return term ? std::optional(flow_->terms.find(*term)) : std::nullopt;
}

std::vector<DimensionSpot> Sizes::othersLike(DimensionSpot spot) const {
  std::vector<DimensionSpot> out;
  const SymbolicSize* wanted = termOf(*flow_, spot);
  if (!wanted) return out;
  std::set<SymbolicSize> seen{flow_->terms.find(*wanted)};
  for (InstructionId id : module_.entryComputation().parameters) {
    if (!id.valid()) continue;
    const auto& leaves = flow_->values[id.value];
    for (size_t leaf = 0; leaf < leaves.size(); ++leaf)
      for (size_t d = 0; d < leaves[leaf].size(); ++d)
        if (flow_->terms.sizeOf(leaves[leaf][d]) == flow_->terms.sizeOf(*wanted) &&
            seen.insert(flow_->terms.find(leaves[leaf][d])).second)
          out.push_back({id, static_cast<int32_t>(leaf), static_cast<int32_t>(d)});
  }
  return out;
}

Result<Resizing> Sizes::resized(std::span<const SizeWish> wishes, const std::set<InstructionId>& numbers) const {
  NewSizes sizes;
  std::vector<std::pair<int64_t, int64_t>> changes;
  std::string title = "Resize";
  for (const SizeWish& wish : wishes) {
    const SymbolicSize* term = termOf(*flow_, wish.spot);
    if (!term) return fail("there is no such dimension");
    if (wish.size < 0 || wish.size > (int64_t{1} << 40)) return fail(fmt::format("{} is no size", wish.size));
    const int64_t old = flow_->terms.sizeOf(*term);
    if (!flow_->terms.solve(*term, wish.size, sizes))
      return fail(fmt::format(
          "{} cannot become {}: it is made of other sizes that do not divide it, or that are asked to be different",
          nameOf(module_, wish.spot), wish.size));
    changes.emplace_back(old, wish.size);
    title += fmt::format("{} {} to {}", changes.size() > 1 ? "," : "", old, wish.size);
  }
  Resizing out = Change(module_, *flow_, std::move(sizes)).make();
  out.numbers = numbersLike(module_, changes);
  for (const Resizing::Number& number : out.numbers)
    if (numbers.contains(number.constant)) {
      out.edit.actions.push_back(SetLiteral{number.constant, number.value});
      out.changes.push_back({number.constant, number.meaning + ": becomes " + number.value});
    }
  std::erase_if(out.numbers, [&](const Resizing::Number& number) { return numbers.contains(number.constant); });
  out.edit.title = std::move(title);
  if (!out.edit.actions.empty()) addErrors(module_, out);
  return out;
}

std::string nameOf(const Module& module, DimensionSpot spot) {
  const std::string name(module.at(spot.instruction).name);
  return spot.leaf > 0 || module.shapeOf(spot.instruction).isTuple()
             ? fmt::format("{}:{}.{}", name, spot.leaf, spot.dimension)
             : fmt::format("{}:{}", name, spot.dimension);
}

Result<DimensionSpot> dimensionNamed(const Module& module, std::string_view words) {
  const size_t colon = words.rfind(':');
  const std::string name(words.substr(0, colon));
  const auto id = module.findInstruction(name);
  if (!id) return fail("there is no instruction " + name);
  DimensionSpot spot{*id, 0, 0};
  const auto leaves = leavesOf(module.shapeOf(*id));
  if (colon == std::string_view::npos) {
    if (leaves.size() != 1 || leaves[0].shape->dimensions.size() != 1)
      return fail(fmt::format("{} is {}: say which dimension, {}:0", name, toString(module.shapeOf(*id), false), name));
    return spot;
  }
  std::string_view numbers = words.substr(colon + 1);
  if (const size_t dot = numbers.find('.'); dot != std::string_view::npos) {
    const auto [end, error] = std::from_chars(numbers.data(), numbers.data() + dot, spot.leaf);
    if (error != std::errc() || end != numbers.data() + dot) return fail(fmt::format("\"{}\" is no dimension", words));
    numbers.remove_prefix(dot + 1);
  }
  const auto [end, error] = std::from_chars(numbers.data(), numbers.data() + numbers.size(), spot.dimension);
  if (error != std::errc() || end != numbers.data() + numbers.size() || numbers.empty())
    return fail(fmt::format("\"{}\" is no dimension", words));
  if (spot.leaf < 0 || static_cast<size_t>(spot.leaf) >= leaves.size())
    return fail(fmt::format("{} has no array {}", name, spot.leaf));
  const auto rank = static_cast<int32_t>(leaves[static_cast<size_t>(spot.leaf)].shape->dimensions.size());
  if (spot.dimension < 0) spot.dimension += rank;  // from the end
  if (spot.dimension < 0 || spot.dimension >= rank)
    return fail(fmt::format("{} is {}: it has no dimension {}", name, toString(module.shapeOf(*id), false), numbers));
  return spot;
}

}  // namespace tessera
