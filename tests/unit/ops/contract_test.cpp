// Reductions, contractions, scatter and sort on small modules built by hand: inferred shapes, refusals by label, and
// evaluated values that were worked out on paper.
#include <gtest/gtest.h>

#include <cstring>
#include <utility>

#include "core/cost/cost.h"
#include "core/evaluate/evaluate.h"
#include "core/hlo/module.h"
#include "core/ops/inference/infer.h"

namespace tessera {
namespace {

using E = ElementType;
using Ids = std::vector<InstructionId>;
using Ints = std::vector<int64_t>;

Shape f32(Ints dims) { return Shape::arrayRowMajor(E::F32, std::move(dims)); }

template <class T>
Literal literalOf(E type, Ints dims, std::vector<T> values) {
  return Literal::fromBytes(Shape::arrayRowMajor(type, std::move(dims)), std::as_bytes(std::span(values))).value();
}

struct ContractGraph {
  Module module;
  ComputationId entry;
  ContractGraph() : entry(module.addComputation("main")) { module.setEntry(entry); }

  InstructionId parameter(ComputationId in, const Shape& shape) {
    Instruction instruction;
    instruction.opcode = Opcode::Parameter;
    instruction.parameterNumber = static_cast<int32_t>(module.at(in).parameters.size());
    const std::string name = module.at(in).name + ".p" + std::to_string(instruction.parameterNumber);
    instruction.name = name;
    return module.add(in, instruction, shape);
  }
  InstructionId parameter(const Shape& shape) { return parameter(entry, shape); }
  ComputationId binary(Opcode opcode, AttributeSet attributes = {}, E result = E::F32) {
    const ComputationId id =
        module.addComputation(std::string(nameOf(opcode)) + std::to_string(module.computationSlots()));
    const Ids operands = {parameter(id, f32({})), parameter(id, f32({}))};
    module.setRoot(id, module.add(id, opcode, Shape::arrayRowMajor(result, {}), operands, std::move(attributes)));
    return id;
  }
  ComputationId compare(const char* direction) {
    AttributeSet attributes;
    attributes.set(Attr::direction, std::string(direction));
    return binary(Opcode::Compare, attributes, E::Pred);
  }
  InstructionId root(Opcode opcode, const Shape& shape, const Ids& operands, AttributeSet attributes) {
    const InstructionId id = module.add(entry, opcode, shape, operands, std::move(attributes));
    module.setRoot(entry, id);
    return id;
  }
  std::vector<float> run(const std::vector<Literal>& arguments) {
    const auto shape = inferInstruction(module, module.entryComputation().root);
    EXPECT_TRUE(shape) << shape.error().toString();
    if (!shape) return {};
    EXPECT_TRUE(sameIgnoringLayout(*shape, module.shapeOf(module.entryComputation().root))) << toString(*shape);
    const auto out = evaluateModule(module, arguments);
    EXPECT_TRUE(out) << out.error().toString();
    if (!out) return {};
    const auto data = out->front().data<float>();
    return {data.begin(), data.end()};
  }
};

Window windowOf(std::vector<WindowDimension> dims) { return Window{std::move(dims)}; }

TEST(OpsContract, ReduceSumsRowsAndRefusesBadDimensions) {
  ContractGraph g;
  const auto x = g.parameter(f32({2, 3})), zero = g.parameter(f32({}));
  AttributeSet attributes;
  attributes.set(Attr::dimensions, Ints{1});
  attributes.set(Attr::to_apply, g.binary(Opcode::Add));
  const auto id = g.root(Opcode::Reduce, f32({2}), {x, zero}, attributes);
  EXPECT_EQ(g.run({literalOf<float>(E::F32, {2, 3}, {1, 2, 3, 4, 5, 6}), literalOf<float>(E::F32, {}, {10})}),
            (std::vector<float>{16, 25}));
  EXPECT_EQ(costOf(g.module, id).flops, 4);
  attributes.set(Attr::dimensions, Ints{2});
  g.module.setAttributes(id, attributes);
  const auto bad = inferInstruction(g.module, id);
  ASSERT_FALSE(bad);
  EXPECT_NE(bad.error().label.find("C4"), std::string::npos);
}

TEST(OpsContract, DotOfBatchesWithTransposedRight) {
  ContractGraph g;
  const auto x = g.parameter(f32({2, 1, 2})), y = g.parameter(f32({2, 2, 2}));
  AttributeSet attributes;
  attributes.set(Attr::lhs_batch_dims, Ints{0});
  attributes.set(Attr::rhs_batch_dims, Ints{0});
  attributes.set(Attr::lhs_contracting_dims, Ints{2});
  attributes.set(Attr::rhs_contracting_dims, Ints{2});
  const auto id = g.root(Opcode::Dot, f32({2, 1, 2}), {x, y}, attributes);
  EXPECT_EQ(g.run({literalOf<float>(E::F32, {2, 1, 2}, {1, 2, 3, 4}),
                   literalOf<float>(E::F32, {2, 2, 2}, {1, 0, 0, 1, 1, 1, 2, 0})}),
            (std::vector<float>{1, 2, 7, 6}));
  EXPECT_EQ(costOf(g.module, id).flops, 16);
  EXPECT_EQ(costOf(g.module, id).bytesAccessed, 4 * (4 + 8 + 4));
}

TEST(OpsContract, ConvolutionWithPaddingStrideAndReversal) {
  ContractGraph g;
  const auto x = g.parameter(f32({1, 4, 1})), k = g.parameter(f32({3, 1, 1}));
  ConvolutionDimensions dims;
  dims.inputBatch = dims.outputBatch = 0;
  dims.inputFeature = dims.outputFeature = 2;
  dims.kernelInput = 1;
  dims.kernelOutput = 2;
  dims.inputSpatial = dims.outputSpatial = {1};
  dims.kernelSpatial = {0};
  AttributeSet attributes;
  attributes.set(Attr::dim_labels, Boxed<ConvolutionDimensions>(dims));
  attributes.set(Attr::window, windowOf({{.size = 3, .stride = 2, .paddingLow = 1, .paddingHigh = 0}}));
  const auto id = g.root(Opcode::Convolution, f32({1, 2, 1}), {x, k}, attributes);
  const std::vector<Literal> values = {literalOf<float>(E::F32, {1, 4, 1}, {1, 2, 3, 4}),
                                       literalOf<float>(E::F32, {3, 1, 1}, {1, 10, 100})};
  EXPECT_EQ(g.run(values), (std::vector<float>{210, 432}));
  EXPECT_EQ(costOf(g.module, id).flops, 10);  // one of the six products is in padding
  attributes.set(Attr::window,
                 windowOf({{.size = 3, .stride = 2, .paddingLow = 1, .paddingHigh = 0, .reversal = true}}));
  g.module.setAttributes(id, attributes);
  EXPECT_EQ(g.run(values), (std::vector<float>{12, 234}));
}

// Products of a window's elements with an input element, by trying all: padding and holes give none.
int64_t productsOf(const WindowDimension& w, int64_t size, int64_t positions) {
  int64_t count = 0;
  for (int64_t p = 0; p < positions; ++p)
    for (int64_t k = 0; k < w.size; ++k) {
      const int64_t at = p * w.stride + k * w.windowDilation - w.paddingLow;
      count += at >= 0 && at <= (size - 1) * w.baseDilation && at % w.baseDilation == 0;
    }
  return count;
}

void expectCountedProducts(const WindowDimension& window, int64_t size) {
  const int64_t spread = (size - 1) * window.baseDilation + 1 + window.paddingLow + window.paddingHigh,
                span = (window.size - 1) * window.windowDilation + 1;
  if (spread < span) return;
  const int64_t positions = (spread - span) / window.stride + 1;
  ContractGraph g;
  const auto x = g.parameter(f32({1, 1, size})), k = g.parameter(f32({1, 1, window.size}));
  ConvolutionDimensions dims;
  dims.inputBatch = dims.outputBatch = dims.kernelOutput = 0;
  dims.inputFeature = dims.outputFeature = dims.kernelInput = 1;
  dims.inputSpatial = dims.outputSpatial = dims.kernelSpatial = {2};
  AttributeSet attributes;
  attributes.set(Attr::dim_labels, Boxed<ConvolutionDimensions>(dims));
  attributes.set(Attr::window, windowOf({window}));
  const auto id = g.root(Opcode::Convolution, f32({1, 1, positions}), {x, k}, attributes);
  ASSERT_EQ(costOf(g.module, id).flops, static_cast<double>(2 * productsOf(window, size, positions)))
      << "size " << size << ", window " << window.size << ", stride " << window.stride << ", padding "
      << window.paddingLow << "_" << window.paddingHigh << ", dilation " << window.windowDilation << " and "
      << window.baseDilation;
}

TEST(OpsContract, ConvolutionCostsTheProductsThatMeetAnElement) {
  for (int64_t at = 0; at < 4 * 3 * 3 * 4 * 3 * 2 * 3; ++at) {
    int64_t rest = at;
    const auto next = [&](int64_t first, int64_t count) { return first + std::exchange(rest, rest / count) % count; };
    WindowDimension window;
    const int64_t size = next(1, 4);
    window.size = next(1, 3), window.stride = next(1, 3), window.paddingLow = next(-1, 4);
    window.paddingHigh = next(-1, 3), window.windowDilation = next(1, 2), window.baseDilation = next(1, 3);
    expectCountedProducts(window, size);
  }
}

TEST(OpsContract, ReduceWindowLeavesPaddingOut) {
  ContractGraph g;
  const auto x = g.parameter(f32({4})), zero = g.parameter(f32({}));
  AttributeSet attributes;
  attributes.set(Attr::window, windowOf({{.size = 3, .stride = 2, .paddingLow = 1, .paddingHigh = 0}}));
  attributes.set(Attr::to_apply, g.binary(Opcode::Maximum));
  g.root(Opcode::ReduceWindow, f32({2}), {x, zero}, attributes);
  EXPECT_EQ(g.run({literalOf<float>(E::F32, {4}, {-5, -6, -7, -8}), literalOf<float>(E::F32, {}, {-100})}),
            (std::vector<float>{-5, -6}));
}

TEST(OpsContract, SelectAndScatterAddsWhereWindowsOverlap) {
  ContractGraph g;
  const auto x = g.parameter(f32({3})), source = g.parameter(f32({2})), zero = g.parameter(f32({}));
  AttributeSet attributes;
  attributes.set(Attr::window, windowOf({{.size = 2, .stride = 1}}));
  attributes.set(Attr::select, g.compare("GE"));
  attributes.set(Attr::scatter, g.binary(Opcode::Add));
  g.root(Opcode::SelectAndScatter, f32({3}), {x, source, zero}, attributes);
  EXPECT_EQ(g.run({literalOf<float>(E::F32, {3}, {1, 9, 2}), literalOf<float>(E::F32, {2}, {3, 4}),
                   literalOf<float>(E::F32, {}, {0})}),
            (std::vector<float>{0, 7, 0}));
}

TEST(OpsContract, ScatterAddsAndSkipsWhatLiesOutside) {
  ContractGraph g;
  const auto x = g.parameter(f32({3, 2})), rows = g.parameter(Shape::arrayRowMajor(E::S32, {4, 1})),
             updates = g.parameter(f32({4, 2}));
  AttributeSet attributes;
  attributes.set(Attr::update_window_dims, Ints{1});
  attributes.set(Attr::inserted_window_dims, Ints{0});
  attributes.set(Attr::scatter_dims_to_operand_dims, Ints{0});
  attributes.set(Attr::index_vector_dim, int64_t{1});
  attributes.set(Attr::to_apply, g.binary(Opcode::Add));
  g.root(Opcode::Scatter, f32({3, 2}), {x, rows, updates}, attributes);
  EXPECT_EQ(
      g.run({literalOf<float>(E::F32, {3, 2}, {0, 0, 1, 1, 2, 2}), literalOf<int32_t>(E::S32, {4, 1}, {1, -1, 3, 1}),
             literalOf<float>(E::F32, {4, 2}, {10, 20, 5, 5, 6, 6, 100, 200})}),
      (std::vector<float>{0, 0, 111, 221, 2, 2}));
}

TEST(OpsContract, SortsColumnsDescending) {
  ContractGraph g;
  const auto x = g.parameter(f32({3, 2}));
  AttributeSet attributes;
  attributes.set(Attr::dimensions, Ints{0});
  attributes.set(Attr::to_apply, g.compare("GT"));
  g.root(Opcode::Sort, f32({3, 2}), {x}, attributes);
  EXPECT_EQ(g.run({literalOf<float>(E::F32, {3, 2}, {1, 6, 3, 5, 2, 4})}), (std::vector<float>{3, 6, 2, 5, 1, 4}));
}

}  // namespace
}  // namespace tessera
