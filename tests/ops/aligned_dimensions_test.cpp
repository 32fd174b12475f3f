// `aligned` of a dimension relation says that element i along the result's dimension is made of the elements i along
// the operand's and of no others; fusion and hues trust it. Here a slice of an operand is changed and the evaluator
// says which elements of the result change: none beside the slice may. Where dimensions have the same size and are not
// said to be aligned, some case must show that they are not.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <optional>
#include <set>

#include "core/evaluate/evaluate.h"
#include "core/ops/shared/dimension_relations.h"
#include "core/tools/cut_out.h"
#include "tests/ops/case_file.h"

namespace tessera::cases {
namespace {

constexpr int64_t kMaxElements = 1 << 14;

// Calls `visit` with the byte offset and the index along dimension `d` of every element.
template <class Visit>
void forEachElement(const Literal& array, uint32_t d, const Visit& visit) {
  const Shape& shape = array.shape();
  int64_t stride = 1;
  for (size_t i = d + 1; i < shape.dimensions.size(); ++i) stride *= shape.dimensions[i];
  const auto width = static_cast<size_t>(byteWidth(shape.type));
  for (int64_t at = 0; at < array.elementCount(); ++at)
    visit(static_cast<size_t>(at) * width, at / stride % shape.dimensions[d], width);
}

// The elements with index `i` along `d` from `other`, the rest from `array`.
Literal withSlice(const Literal& array, const Literal& other, uint32_t d, int64_t i) {
  Literal out = Literal::allocate(array.shape()).value();
  forEachElement(array, d, [&](size_t offset, int64_t index, size_t width) {
    std::memcpy(out.mutableBytes().data() + offset, (index == i ? other : array).bytes().data() + offset, width);
  });
  return out;
}

bool differsBeside(const Literal& a, const Literal& b, uint32_t d, int64_t i) {
  bool differs = false;
  forEachElement(a, d, [&](size_t offset, int64_t index, size_t width) {
    differs = differs || (index != i && std::memcmp(a.bytes().data() + offset, b.bytes().data() + offset, width) != 0);
  });
  return differs;
}

// One instruction alone, its operands as arguments that a rule fills.
class Probe {
 public:
  static std::optional<Probe> of(const Module& module, InstructionId id) {
    auto alone = isolate(module, id);
    if (!alone) return std::nullopt;
    Probe probe(std::move(*alone));
    return probe.usable() ? std::optional(std::move(probe)) : std::nullopt;
  }

  DimensionRelations relations() const { return dimensionRelationsOf(module_, root()); }
  const Instruction& root() const { return module_.at(module_.entryComputation().root); }

  // Whether some slice of the operand's dimension reaches beside the same slice of the result's; nothing where either
  // is no argument, no result or of one element.
  std::optional<bool> reachesBeside(const DimensionRelation& row) const {
    const auto argument = argumentOf(row.from);
    if (!argument || row.to.leaf >= results_.size()) return std::nullopt;
    const Literal& result = results_[row.to.leaf];
    const int64_t size = result.shape().dimensions[row.to.dimension];
    if (size < 2 || size != arguments_[*argument].shape().dimensions[row.from.dimension]) return std::nullopt;
    for (int64_t i : {int64_t{0}, size - 1}) {
      std::vector<Literal> changed = arguments_;
      changed[*argument] = withSlice(arguments_[*argument], others_[*argument], row.from.dimension, i);
      const auto results = evaluateModule(module_, changed);
      if (!results) return std::nullopt;
      if (differsBeside(result, (*results)[row.to.leaf], row.to.dimension, i)) return true;
    }
    return false;
  }

 private:
  explicit Probe(Module module) : module_(std::move(module)) {}

  bool usable() {
    std::set<InstructionId> operands;
    for (InstructionId operand : root().operands)
      if (!operands.insert(operand).second) return false;  // a change of the one would be one of the other
    const std::vector<Shape> shapes = entryArgumentShapes(module_);
    for (size_t i = 0; i < shapes.size(); ++i) {
      if (shapes[i].hasDynamicDimensions() || shapes[i].elementCount().value_or(kMaxElements + 1) > kMaxElements)
        return false;
      arguments_.push_back(fillParameter(shapes[i], i, {1, 2.0, 4}).value());
      others_.push_back(fillParameter(shapes[i], i, {2, 2.0, 4}).value());
    }
    auto results = evaluateModule(module_, arguments_);
    if (!results) return false;  // collectives of several devices, among others
    results_ = std::move(*results);
    return results_.size() == leavesOf(*root().shape).size();
  }

  std::optional<size_t> argumentOf(const DimensionRef& ref) const {
    const InstructionId operand = root().operands[ref.value];
    size_t before = 0;
    for (InstructionId parameter : module_.entryComputation().parameters) {
      if (parameter == operand) return before + ref.leaf;
      for (const ShapeLeaf& leaf : leavesOf(module_.shapeOf(parameter))) before += leaf.shape->isArray();
    }
    return std::nullopt;  // a token
  }

  Module module_;
  std::vector<Literal> arguments_, others_, results_;
};

struct Findings {
  std::set<std::string> aligned, refuted, unclaimed;  // opcodes
};

void checkRelations(const Probe& probe, Findings& findings) {
  const std::string opcode(probe.root().opcodeName());
  for (const DimensionRelation& row : probe.relations().rows) {
    if (row.to.of != DimensionRef::Of::Result || row.from.of != DimensionRef::Of::Operand) continue;
    if (!row.aligned && row.rule != DimensionRule::Same) continue;
    const auto reaches = probe.reachesBeside(row);
    if (!reaches) continue;
    (row.aligned ? findings.aligned : *reaches ? findings.refuted : findings.unclaimed).insert(opcode);
    EXPECT_FALSE(row.aligned && *reaches)
        << opcode << " says that dimension " << row.to.dimension << " of the result is aligned with dimension "
        << row.from.dimension << " of operand " << row.from.value << ", but an element is made of others";
  }
}

TEST(AlignedDimensions, OfEveryCaseFileAreTrue) {
  Findings findings;
  for (const std::string& name : fileNames())
    forEachModule(readFile(name), [&](const Module& module) {
      for (InstructionId id : module.entryComputation().instructions)
        if (nameOf(module.at(id).opcode) == name)
          if (const auto probe = Probe::of(module, id)) checkRelations(*probe, findings);
    });
  for (const char* opcode : {"add", "broadcast", "concatenate", "dot", "reduce", "sort", "transpose"})
    EXPECT_TRUE(findings.aligned.contains(opcode)) << opcode;
  // Elements that come from other devices are their own on one device; a state's counter rarely carries.
  const std::set<std::string> notShown = {"all-gather", "all-to-all", "reduce-scatter", "rng-bit-generator"};
  for (const std::string& opcode : findings.unclaimed)
    EXPECT_TRUE(findings.refuted.contains(opcode) || notShown.contains(opcode))
        << opcode << " does not say that dimensions are aligned, but no case shows that they are not";
}

}  // namespace
}  // namespace tessera::cases
