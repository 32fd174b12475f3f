// sort: rows along one dimension. A comparator that orders numbers becomes a key for each element, made by a kernel, and
// rows are sorted by the keys' digits; any other comparator is called. Rows are spread over threads, long ones are shared.
#include <algorithm>
#include <numeric>

#include "backends/codegen/flatten_axis.h"
#include "backends/codegen/row_locality.h"
#include "backends/codegen/unroll_short.h"
#include "backends/cpu/sort_by_calls.h"
#include "backends/cpu/sort_key.h"
#include "backends/runtime/radix_sort.h"
#include "backends/runtime/radix_sort_step.h"
#include "core/element/compose.h"

namespace tessera::cpu {

namespace {

constexpr int64_t kFew = 64;  // elements of a row that are sorted by comparison of items
constexpr int64_t kFewRows = 8;                // of so many or more, or of short ones, each thread sorts its own …
constexpr int64_t kGroup = 1 << 11, kMostGroup = 1 << 17;  // … in groups of so many elements, whose items alone are in memory

// Few long rows are sorted one after the other by all threads; a kernel that cannot run in parts makes all items at once.
RowGroups groupsOf(const LoopProgram& program, const SortShape& shape, const codegen::Target& target) {
  const int64_t all = shape.rows * shape.length, unit = shape.length * shape.inner;
  if (all == 0 || (shape.rows < kFewRows && shape.length >= ParallelRadixSort::kWorthSharing) || program.body.operands.size() > 32) return {};
  auto analysis = codegen::ProgramAnalysis::of(program);
  if (!analysis) return {};
  const auto nest = codegen::KernelNest::of(program, *analysis, target);
  const auto locality = codegen::rowLocalityOf(program, *analysis, nest, std::vector<bool>(program.body.operands.size(), false));
  if (!locality) return {};
  const int64_t step = locality->elements / std::gcd(locality->elements, unit), wanted = (std::clamp<int64_t>(all / 8, 1, kGroup) + unit - 1) / unit;
  const int64_t units = (wanted + step - 1) / step * step, elements = units * unit;
  if (elements > kMostGroup || elements > all / 2) return {};
  return {(all + elements - 1) / elements, elements, units * shape.inner, *locality};
}

Result<StepPtr> planRadix(LibraryContext& context, const SortKey& key, const SortShape& shape, std::vector<int> widths, SortPayload payload, KeyForm form = {}) {
  LoopProgram program = codegen::flattenShortAxis(codegen::unrollShort(codegen::asLoopProgram(expandApproximations(key.items))), context.kernels.target().vectorBytes / 4);
  RadixSort sort;
  sort.shape = shape;
  sort.groups = groupsOf(program, shape, context.kernels.target());
  sort.isWide = key.isWide;
  sort.payload = payload;
  sort.form = form;
  sort.kernelSlots = sort.operands = context.operands;
  sort.outputs = context.outputs;
  sort.widths = std::move(widths);
  const bool grouped = sort.groups.count > 0, keysAlone = payload == SortPayload::None;
  sort.isShared = !grouped && shape.length >= ParallelRadixSort::kWorthSharing && shape.rows < 2 * context.threads;
  const int64_t all = shape.rows * shape.length, elements = sort.isShared ? all : context.threads * shape.length;  // of rows that are sorted
  const int64_t itemBytes = keysAlone ? 4 : key.isWide ? sizeof(WideItem) : sizeof(uint64_t);
  sort.items = context.outputs[0];  // keys without payload lie where their values will
  if (!keysAlone || grouped) {
    TESSERA_ASSIGN_OR_RETURN(sort.items, context.scratch((keysAlone ? 4 : 8) * (grouped ? context.threads * sort.groups.elements : all)));
  }
  TESSERA_ASSIGN_OR_RETURN(sort.kernel, context.kernels.add(std::move(program), std::string(context.instruction.name)));
  sort.kernelSlots.push_back(sort.items);
  const bool reuses = !key.isWide && shape.inner == 1;  // the kernel's items are the rows already
  sort.sorted = sort.items;
  if (!reuses) {
    TESSERA_ASSIGN_OR_RETURN(sort.sorted, context.scratch(itemBytes * elements));
  }
  TESSERA_ASSIGN_OR_RETURN(sort.spare, context.scratch(itemBytes * elements));
  context.what = "sort (radix)";
  return makeRadixSortStep(std::move(sort));
}

}  // namespace

Result<StepPtr> planSort(LibraryContext& context) {
  const Instruction& sort = context.instruction;
  std::vector<ComputationId> callees = context.module.callees(sort);
  const Shape& first = context.module.shapeOf(sort.operands[0]);
  const std::vector<int64_t>& dimensions = sort.attributes->ints(Attr::dimensions);
  if (callees.size() != 1 || first.rank() == 0) return fail(std::string(sort.name) + ": sort without a comparator or a dimension");
  const auto dimension = static_cast<size_t>(dimensions.empty() ? first.rank() - 1 : dimensions[0]);
  auto comparator = composeScalar(context.module, callees[0]);
  if (!comparator) return fail(std::move(comparator).error());
  SortShape shape;
  shape.length = first.dimensions[dimension];
  for (size_t d = 0; d < first.dimensions.size(); ++d) {
    if (d != dimension) shape.rows *= first.dimensions[d];
    if (d > dimension) shape.inner *= first.dimensions[d];
  }
  std::vector<Shape> operands;
  std::vector<int> widths;
  for (InstructionId operand : sort.operands) {
    operands.push_back(context.module.shapeOf(operand));
    widths.push_back(byteWidth(operands.back().type));
  }
  const bool isWhole = operands[0].type == ElementType::Pred || info(operands[0].type).bits == 8 * widths[0];
  const bool byValue = operands.size() == 1 && widths[0] <= 4 && isWhole && shape.length > kFew;
  const auto form = byValue && shape.inner == 1 && context.outputs[0] != context.operands[0] ? sortsByKeyAlone(*comparator, operands) : std::nullopt;
  const SortPayload payload = form ? SortPayload::None : byValue ? SortPayload::Value : SortPayload::Index;
  const bool fits = shape.length <= INT32_MAX && shape.rows <= (int64_t{1} << 55) / std::max<int64_t>(shape.length, 1);
  auto key = fits ? sortKeyOf(*comparator, operands, static_cast<int64_t>(dimension), payload) : std::nullopt;
  if (!key) return planSortByCalls(context, *comparator, shape, std::move(widths));
  return planRadix(context, *key, shape, std::move(widths), payload, form.value_or(KeyForm{}));
}

}  // namespace tessera::cpu
