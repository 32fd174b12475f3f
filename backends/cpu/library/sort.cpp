// sort: rows along one dimension. A comparator that orders numbers becomes a key for each element, made by a kernel,
// and rows are sorted by the keys' digits; any other comparator is called. Rows are spread over threads, long ones are
// shared: keys of 32 bits are dealt into buckets where the results lie, others are sorted in scratch.
#include <algorithm>
#include <numeric>

#include "backends/codegen/nest/row_locality.h"
#include "backends/codegen/nest/unroll_tiny.h"
#include "backends/cpu/library/sort_by_calls.h"
#include "backends/cpu/library/sort_key.h"
#include "backends/runtime/sort/bucket_sort_step.h"
#include "backends/runtime/sort/radix_sort.h"
#include "backends/runtime/sort/radix_sort_step.h"
#include "core/base/tuning.h"
#include "core/compose/compose.h"
#include "core/element/approximations/approximations.h"

namespace tessera::cpu {

namespace {

// How the kernel runs on a part of the elements.
std::optional<codegen::RowLocality> localityOf(const LoopProgram& program, const codegen::Target& target) {
  if (program.body.operands.size() > 32) return std::nullopt;
  auto analysis = codegen::ProgramAnalysis::of(program);
  if (!analysis) return std::nullopt;
  const auto nest = codegen::KernelNest::of(program, *analysis, target);
  return codegen::rowLocalityOf(program, *analysis, nest, std::vector<bool>(program.body.operands.size(), false));
}

LoopProgram kernelOf(const SortKey& key, const codegen::Target& target) {
  return codegen::kernelForm(codegen::asLoopProgram(expandApproximations(key.items)), target);
}

// Few long rows are sorted one after the other by all threads; a kernel that cannot run in parts makes all items at
// once.
RowGroups groupsOf(const LoopProgram& program, const SortShape& shape, const codegen::Target& target) {
  const auto& limits = tuning().sort;
  const int64_t all = shape.rows * shape.length, unit = shape.length * shape.inner;
  if (all == 0 || (shape.rows < limits.fewRows && shape.length >= limits.sharedItems)) return {};
  const auto locality = localityOf(program, target);
  if (!locality) return {};
  const int64_t step = locality->elements / std::gcd(locality->elements, unit),
                wanted = (std::clamp<int64_t>(all / limits.wantedGroups, 1, limits.groupElements) + unit - 1) / unit;
  const int64_t units = (wanted + step - 1) / step * step, elements = units * unit;
  if (elements > limits.maxGroupElements || elements > all / 2) return {};
  return {(all + elements - 1) / elements, elements, units * shape.inner, *locality};
}

bool isInPlace(const LibraryContext& context) {
  return std::ranges::any_of(context.outputs, [&](int slot) { return std::ranges::count(context.operands, slot) > 0; });
}

// Of words of `bytes`, one an element: a result of such elements lends its memory until it is written, else scratch.
Result<int> slotForWords(LibraryContext& context, const SortShape& shape, std::span<const int> widths, int bytes,
                         int taken = -1) {
  for (size_t k = 0; k < widths.size() && !isInPlace(context); ++k)
    if (widths[k] == bytes && context.outputs[k] != taken) return context.outputs[k];
  return context.scratch(bytes * shape.rows * shape.length);
}

Result<StepPtr> planRadix(LibraryContext& context, const SortKey& key, const SortShape& shape, std::vector<int> widths,
                          SortPayload payload, KeyForm form = {}) {
  LoopProgram program = kernelOf(key, context.kernels.target());
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
  sort.isShared = !grouped && shape.length >= tuning().sort.sharedItems && shape.rows < 2 * context.threads;
  const int64_t busy = sort.busyThreads(context.threads), all = shape.rows * shape.length,
                elements = sort.isShared ? all : busy * shape.length;  // of rows that are sorted
  const int64_t itemBytes = keysAlone ? 4 : key.isWide ? sizeof(WideItem) : sizeof(uint64_t);
  sort.items = context.outputs[0];  // keys without payload are where their values will
  if (key.isWide && !grouped) {
    TESSERA_ASSIGN_OR_RETURN(sort.items, slotForWords(context, shape, sort.widths, 8));
  } else if (!keysAlone || grouped) {
    TESSERA_ASSIGN_OR_RETURN(sort.items,
                             context.scratch((keysAlone ? 4 : 8) * (grouped ? busy * sort.groups.elements : all)));
  }
  TESSERA_ASSIGN_OR_RETURN(sort.kernel, context.kernels.add(std::move(program), std::string(context.instruction.name)));
  sort.kernelSlots.push_back(sort.items);
  const bool reuses = !key.isWide && shape.inner == 1;  // the kernel's items are the rows already
  sort.sorted = sort.items;
  if (!reuses) {
    TESSERA_ASSIGN_OR_RETURN(sort.sorted, context.scratch(itemBytes * elements));
  }
  TESSERA_ASSIGN_OR_RETURN(sort.spare, context.scratch(shape.length > RadixSort::kOnStack ? itemBytes * elements : 0));
  context.what = "sort (radix)";
  return makeRadixSortStep(std::move(sort));
}

// Rows that are between each other, so that no thread makes the items of its own: keys of 4 bytes an element where a
// result will lie, rather than items of 8. nullptr: not such.
Result<StepPtr> planKeysInResult(LibraryContext& context, const ElementProgram& comparator,
                                 std::span<const Shape> operands, const SortShape& shape, std::vector<int> widths,
                                 int64_t dimension, SortPayload payload) {
  if (shape.length >= tuning().sort.sharedItems || payload == SortPayload::None) return nullptr;
  const auto key = sortKeyOf(comparator, operands, dimension, SortPayload::None);
  if (!key || key->isWide) return nullptr;
  RadixSort sort;
  sort.shape = shape;
  const int64_t busy = sort.busyThreads(context.threads), rowBytes = busy * shape.length * 8;
  LoopProgram program = kernelOf(*key, context.kernels.target());
  if (busy == shape.rows || groupsOf(program, shape, context.kernels.target()).count > 0) return nullptr;
  sort.payload = payload;
  sort.addsPayload = true;
  sort.kernelSlots = sort.operands = context.operands;
  sort.outputs = context.outputs;
  TESSERA_ASSIGN_OR_RETURN(sort.items, slotForWords(context, shape, widths, 4));
  sort.widths = std::move(widths);
  TESSERA_ASSIGN_OR_RETURN(sort.kernel, context.kernels.add(std::move(program), std::string(context.instruction.name)));
  sort.kernelSlots.push_back(sort.items);
  TESSERA_ASSIGN_OR_RETURN(sort.sorted, context.scratch(rowBytes));
  TESSERA_ASSIGN_OR_RETURN(sort.spare, context.scratch(shape.length > RadixSort::kOnStack ? rowBytes : 0));
  context.what = "sort (radix)";
  return makeRadixSortStep(std::move(sort));
}

// Long rows by 32-bit keys; nullptr: not such. Results are written while operands are still read.
Result<StepPtr> planBuckets(LibraryContext& context, const ElementProgram& comparator, std::span<const Shape> operands,
                            const SortShape& shape, const std::vector<int>& widths, int64_t dimension) {
  if (shape.inner != 1 || shape.rows >= tuning().sort.fewRows || shape.length < tuning().sort.bucketedElements)
    return nullptr;
  if (isInPlace(context)) return nullptr;
  const auto key = sortKeyOf(comparator, operands, dimension, SortPayload::None);
  if (!key || key->isWide) return nullptr;
  LoopProgram program = kernelOf(*key, context.kernels.target());
  const auto locality = localityOf(program, context.kernels.target());
  constexpr int64_t kMaxElements = 1 << 13;
  if (!locality || locality->elements > kMaxElements || (shape.rows > 1 && shape.length % locality->elements != 0))
    return nullptr;
  auto step = std::make_unique<BucketSortStep>();
  step->shape = shape;
  step->locality = *locality;
  step->kernelSlots = step->operands = context.operands;
  step->outputs = context.outputs;
  step->widths = widths;
  if (const auto said = operandRecoverableFromKey(comparator, operands))
    step->keyed = said->operand, step->form = said->form;
  TESSERA_ASSIGN_OR_RETURN(step->keys, slotForWords(context, shape, widths, 4));
  if (operands.size() > 1 || step->keyed < 0) {
    TESSERA_ASSIGN_OR_RETURN(step->indices, slotForWords(context, shape, widths, 4, step->keys));
  }
  TESSERA_ASSIGN_OR_RETURN(step->cells, context.scratch(BucketSort::kCells * static_cast<int64_t>(sizeof(uint16_t))));
  TESSERA_ASSIGN_OR_RETURN(step->chunks, context.scratch(context.threads * step->chunkElements() * 4));
  TESSERA_ASSIGN_OR_RETURN(step->spare, context.scratch(context.threads * step->scratchBytes()));
  TESSERA_ASSIGN_OR_RETURN(step->kernel,
                           context.kernels.add(std::move(program), std::string(context.instruction.name)));
  context.what = "sort (buckets)";
  return step;
}

SortShape sortShapeOf(const Shape& array, size_t dimension) {
  SortShape shape;
  shape.length = array.dimensions[dimension];
  for (size_t d = 0; d < array.dimensions.size(); ++d) {
    if (d != dimension) shape.rows *= array.dimensions[d];
    if (d > dimension) shape.inner *= array.dimensions[d];
  }
  return shape;
}

}  // namespace

Result<StepPtr> planSort(LibraryContext& context) {
  const Instruction& sort = context.instruction;
  std::vector<ComputationId> callees = context.module.callees(sort);
  const Shape& first = context.module.shapeOf(sort.operands[0]);
  const std::vector<int64_t>& dimensions = sort.attributes->ints(Attr::dimensions);
  if (callees.size() != 1 || first.rank() == 0)
    return fail(std::string(sort.name) + ": sort without a comparator or a dimension");
  const auto dimension = static_cast<size_t>(dimensions.empty() ? first.rank() - 1 : dimensions[0]);
  auto comparator = composeScalar(context.module, callees[0]);
  if (!comparator) return fail(std::move(comparator).error());
  const SortShape shape = sortShapeOf(first, dimension);
  std::vector<Shape> operands;
  std::vector<int> widths;
  for (InstructionId operand : sort.operands) {
    operands.push_back(context.module.shapeOf(operand));
    widths.push_back(byteWidth(operands.back().type));
  }
  const bool isWhole = operands[0].type == ElementType::Pred || info(operands[0].type).bits == 8 * widths[0];
  const bool byValue = operands.size() == 1 && widths[0] <= 4 && isWhole && shape.length > RadixSort::kFew;
  const auto said = byValue && shape.inner == 1 && context.outputs[0] != context.operands[0]
                        ? operandRecoverableFromKey(*comparator, operands)
                        : std::nullopt;
  const SortPayload payload = said ? SortPayload::None : byValue ? SortPayload::Value : SortPayload::Index;
  const bool fits = shape.length <= INT32_MAX && shape.rows <= (int64_t{1} << 55) / std::max<int64_t>(shape.length, 1);
  if (fits) {
    TESSERA_ASSIGN_OR_RETURN(
        StepPtr buckets, planBuckets(context, *comparator, operands, shape, widths, static_cast<int64_t>(dimension)));
    if (buckets) return buckets;
    TESSERA_ASSIGN_OR_RETURN(StepPtr keysInResult, planKeysInResult(context, *comparator, operands, shape, widths,
                                                                    static_cast<int64_t>(dimension), payload));
    if (keysInResult) return keysInResult;
  }
  auto key = fits ? sortKeyOf(*comparator, operands, static_cast<int64_t>(dimension), payload) : std::nullopt;
  if (!key) return planSortByCalls(context, *comparator, shape, std::move(widths));
  return planRadix(context, *key, shape, std::move(widths), payload, said ? said->form : KeyForm{});
}

}  // namespace tessera::cpu
