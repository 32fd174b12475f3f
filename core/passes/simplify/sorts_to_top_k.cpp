// See sorts_to_top_k.h.
#include "core/passes/simplify/sorts_to_top_k.h"

#include <algorithm>
#include <optional>

#include "core/base/tuning.h"
#include "core/passes/control/loop_form.h"

namespace tessera {
namespace {

using Ids = std::vector<InstructionId>;
using Slices = std::vector<SliceDimension>;

// Types that the kernel of topk orders as whole numbers of their width.
bool hasKernel(ElementType type) {
  const bool isPlainFloat =
      type == ElementType::F64 || type == ElementType::F32 || type == ElementType::F16 || type == ElementType::BF16;
  return isPlainFloat || (isInteger(type) && info(type).bits >= 8);
}

// Does the comparator say that the first operand's larger (true) or smaller elements come first? Comparators that call
// -0 and 0 or two NaN equal leave their order open, unless the sort is stable.
std::optional<bool> largestFirst(const Module& module, const Instruction& sort) {
  const auto callees = module.callees(sort);
  if (callees.size() != 1) return std::nullopt;
  const Instruction& root = module.at(module.at(callees[0]).root);
  if (root.opcode != Opcode::Compare) return std::nullopt;
  const Instruction &a = module.at(root.operands[0]), &b = module.at(root.operands[1]);
  if (a.opcode != Opcode::Parameter || b.opcode != Opcode::Parameter || a.parameterNumber + b.parameterNumber != 1)
    return std::nullopt;
  const bool isTotal = root.attributes->textOr(Attr::type, "") == "TOTALORDER";
  if (isFloat(a.shape->type) && !isTotal && sort.attributes->boolOr(Attr::is_stable, false)) return std::nullopt;
  const std::string_view direction = root.attributes->textOr(Attr::direction, "");
  if (direction != "GT" && direction != "LT") return std::nullopt;
  return (direction == "GT") == (a.parameterNumber == 0);
}

// Counts places along the last dimension, as topk does.
bool isPlaces(const Module& module, InstructionId id) {
  const Instruction& in = module.at(id);
  const auto last = static_cast<int64_t>(in.shape->rank()) - 1;
  if (in.shape->type != ElementType::S32) return false;
  if (in.opcode == Opcode::Iota) return in.attributes->intOr(Attr::iota_dimension, -1) == last;
  if (in.opcode != Opcode::Broadcast) return false;
  const Instruction& of = module.at(in.operands[0]);
  const auto* dims = in.attributes->get<std::vector<int64_t>>(Attr::dimensions);
  return of.opcode == Opcode::Iota && of.shape->rank() == 1 && dims && *dims == std::vector<int64_t>{last};
}

struct Reader {
  InstructionId slice;
  size_t result;  // 0: values, 1: places
};

// All that read the sort, when each takes the beginnings of lines.
std::optional<std::vector<Reader>> readersOf(const Module& module, const Instruction& sort) {
  const Computation& computation = module.at(sort.computation);
  if (computation.root == sort.id) return std::nullopt;
  std::vector<std::pair<InstructionId, size_t>> results;
  if (!sort.shape->isTuple()) results.emplace_back(sort.id, 0);
  for (InstructionId id : computation.instructions)
    if (sort.shape->isTuple() && std::ranges::find(module.at(id).operands, sort.id) != module.at(id).operands.end()) {
      const auto i = elementOf(module, id, sort.id);
      if (!i || computation.root == id) return std::nullopt;
      results.emplace_back(id, *i);
    }
  std::vector<Reader> out;
  for (InstructionId id : computation.instructions) {
    const Instruction& in = module.at(id);
    for (const auto& [result, index] : results) {
      if (std::ranges::find(in.operands, result) == in.operands.end()) continue;
      const auto* slices = in.opcode == Opcode::Slice ? in.attributes->get<Slices>(Attr::slice) : nullptr;
      const bool isWhole =
          slices &&
          std::ranges::all_of(*slices, [](const SliceDimension& d) { return d.start == 0 && d.stride == 1; }) &&
          std::ranges::equal(std::span(*slices).first(slices->size() - 1),
                             std::span(module.shapeOf(result).dimensions).first(slices->size() - 1), {},
                             &SliceDimension::limit);
      if (!isWhole) return std::nullopt;
      out.push_back({id, index});
    }
  }
  return out;
}

bool makeTopK(Rewriter& rewriter, InstructionId id) {
  Module& module = rewriter.module();
  const Instruction sort = rewriter.visit(id);
  const Shape values = module.shapeOf(sort.operands[0]);
  const auto* dims = sort.attributes->get<std::vector<int64_t>>(Attr::dimensions);
  if (values.rank() == 0 || !dims || *dims != std::vector<int64_t>{static_cast<int64_t>(values.rank()) - 1} ||
      hasSideEffect(sort))
    return false;
  const bool arePlaces = sort.operands.size() == 1 || (sort.operands.size() == 2 && isPlaces(module, sort.operands[1]));
  const auto largest = arePlaces && hasKernel(values.type) ? largestFirst(module, sort) : std::nullopt;
  const auto readers = largest ? readersOf(module, sort) : std::nullopt;
  if (!readers || readers->empty()) return false;
  int64_t k = 0;
  for (const Reader& reader : *readers) k = std::max(k, module.shapeOf(reader.slice).dimensions.back());
  if (k == 0 || k * tuning().simplify.topKShare > values.dimensions.back() || values.dimensions.back() >= INT32_MAX)
    return false;

  std::vector<int64_t> first = values.dimensions;
  first.back() = k;
  const Shape results[] = {Shape::arrayRowMajor(values.type, first), Shape::arrayRowMajor(ElementType::S32, first)};
  AttributeSet attributes;
  attributes.set(Attr::k, k);
  attributes.set(Attr::largest, *largest);
  const InstructionId origin[] = {id};
  const InstructionId top = rewriter.add(sort.computation, Opcode::Topk, Shape::tuple({results[0], results[1]}),
                                         {&sort.operands[0], 1}, std::move(attributes), origin);
  for (const Reader& reader : *readers) {
    AttributeSet index;
    index.set(Attr::index, static_cast<int64_t>(reader.result));
    const InstructionId from[] = {id, reader.slice};
    InstructionId part = rewriter.add(sort.computation, Opcode::GetTupleElement, results[reader.result], {&top, 1},
                                      std::move(index), from);
    if (module.shapeOf(reader.slice).dimensions != first)
      part = rewriter.add(sort.computation, Opcode::Slice, module.shapeOf(reader.slice), {&part, 1},
                          *module.at(reader.slice).attributes, from);
    rewriter.replace(reader.slice, part);
  }
  return true;
}

}  // namespace

Result<bool> makeTopKOfSorts(Module& module) {
  bool changed = false;
  for (ComputationId computation : controlComputations(module))
    for (InstructionId id : Ids(module.at(computation).instructions)) {
      if (!module.contains(id) || module.at(id).opcode != Opcode::Sort) continue;
      Rewriter rewriter(module, "sorts-to-top-k");
      if (!makeTopK(rewriter, id)) continue;
      TESSERA_TRY(rewriter.finish());
      changed = true;
    }
  return changed;
}

}  // namespace tessera
