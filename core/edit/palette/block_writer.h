// Writer: the lines of a shipped block's HLO text. Used by shipped_blocks.cpp and the files of blocks that are listed
// at the end.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"
#include "core/hlo/element_type.h"
#include "core/hlo/module.h"
#include "core/hlo/shape.h"

namespace tessera {

using BlockSizes = std::vector<int64_t>;

// Lines of one computation; each gives its name and keeps its shape.
class BlockWriter {
 public:
  explicit BlockWriter(ElementType type) : type_(type) {}

  struct Value {
    std::string name;
    BlockSizes sizes;
  };

  Value parameter(const std::string& name, const BlockSizes& sizes) {
    lines_ += fmt::format("  {} = {} parameter({})\n", name, shape(sizes), parameters_++);
    return {name, sizes};
  }
  Value make(const std::string& name, const BlockSizes& sizes, const std::string& expression) {
    lines_ += fmt::format("  {} = {} {}\n", name, shape(sizes), expression);
    last_ = name;
    return {name, sizes};
  }
  // What has another type than the block's floats.
  void line(const std::string& name, const std::string& written, const std::string& expression) {
    lines_ += fmt::format("  {} = {} {}\n", name, written, expression);
    last_ = name;
  }
  void typedParameter(const std::string& name, const std::string& written) {
    lines_ += fmt::format("  {} = {} parameter({})\n", name, written, parameters_++);
  }
  Value unary(const std::string& name, const std::string& op, const Value& x) {
    return make(name, x.sizes, fmt::format("{}({})", op, x.name));
  }
  Value binary(const std::string& name, const std::string& op, const Value& x, const Value& y) {
    return make(name, x.sizes, fmt::format("{}({}, {})", op, x.name, y.name));
  }
  Value number(const std::string& name, const std::string& value, const BlockSizes& sizes) {
    make(name, {}, "constant(" + value + ")");
    return sizes.empty() ? Value{name, {}} : spread({name, {}}, sizes, {}, name + ".all");
  }
  Value spread(const Value& x, const BlockSizes& sizes, const BlockSizes& dimensions, const std::string& name) {
    return make(name, sizes, fmt::format("broadcast({}), dimensions={{{}}}", x.name, fmt::join(dimensions, ",")));
  }
  // "add" from 0 or "maximum" from -inf.
  Value reduceOver(const std::string& name, const std::string& op, const Value& x, const BlockSizes& dimensions) {
    const std::string reducer = fmt::format("block.{}.{}", op, nameOf(type_));
    if (reducers_.find(reducer + " ") == std::string::npos)
      reducers_ += fmt::format(
          "{0} {{\n  {1}.a = {2} parameter(0)\n  {1}.b = {2} parameter(1)\n  ROOT {1}.c = {2} {1}({1}.a, "
          "{1}.b)\n}}\n\n",
          reducer, op, shape({}));
    make(name + ".start", {}, op == "add" ? "constant(0)" : "constant(-inf)");
    BlockSizes kept;
    for (size_t d = 0; d < x.sizes.size(); ++d)
      if (std::ranges::find(dimensions, static_cast<int64_t>(d)) == dimensions.end()) kept.push_back(x.sizes[d]);
    return make(name, kept,
                fmt::format("reduce({}, {}.start), dimensions={{{}}}, to_apply={}", x.name, name,
                            fmt::join(dimensions, ","), reducer));
  }
  // The last dimension times the rows of a matrix.
  Value product(const std::string& name, const Value& x, const Value& weights) {
    BlockSizes sizes(x.sizes.begin(), x.sizes.end() - 1);
    sizes.push_back(weights.sizes.back());
    return make(name, sizes,
                fmt::format("dot({}, {}), lhs_contracting_dims={{{}}}, rhs_contracting_dims={{0}}", x.name,
                            weights.name, x.sizes.size() - 1));
  }
  // Over the last dimension.
  Value reduceLast(const std::string& name, const std::string& op, const Value& x) {
    return reduceOver(name, op, x, {static_cast<int64_t>(x.sizes.size()) - 1});
  }
  Value spreadBack(const Value& reduced, const BlockSizes& sizes, const std::string& name) {
    BlockSizes dimensions;
    for (size_t d = 0; d + 1 < sizes.size(); ++d) dimensions.push_back(static_cast<int64_t>(d));
    return spread(reduced, sizes, dimensions, name);
  }
  Value softmax(const Value& x) {
    const Value most = reduceLast("most", "maximum", x);
    const Value shifted = binary("shifted", "subtract", x, spreadBack(most, x.sizes, "most.all"));
    const Value powers = unary("powers", "exponential", shifted);
    return binary("softmax", "divide", powers, spreadBack(reduceLast("total", "add", powers), x.sizes, "total.all"));
  }
  std::string text(const std::string& name) {
    const std::string mark = "  " + last_ + " = ";
    const size_t at = lines_.rfind(mark);
    lines_.insert(at + 2, "ROOT ");
    return fmt::format("HloModule {0}\n\n{1}ENTRY {0} {{\n{2}}}\n", name, reducers_, lines_);
  }

 private:
  std::string shape(const BlockSizes& sizes) const {
    return fmt::format("{}[{}]", nameOf(type_), fmt::join(sizes, ","));
  }
  ElementType type_;
  int parameters_ = 0;
  std::string lines_, reducers_, last_;
};

struct BlockInputs {
  std::span<const Shape> given;
  ElementType type = ElementType::F32;
  bool has(size_t k) const { return k < given.size(); }
  std::string number = {};  // behind the name: "dropout 0.2"; empty: none
  int64_t wholeNumber(int64_t otherwise) const {
    int64_t value = otherwise;
    std::from_chars(number.data(), number.data() + number.size(), value);
    return std::max<int64_t>(value, 1);
  }
  bool isInteger(size_t k) const { return has(k) && tessera::isInteger(given[k].type); }
  BlockSizes sizes(size_t k, BlockSizes otherwise) const { return has(k) ? given[k].dimensions : otherwise; }
};

// One block: its text for shapes, or why these do not go together.
struct ShippedBlock {
  std::string_view name, category, summary, words;
  Result<std::string> (*make)(const BlockInputs&);
  int64_t bits = -1;  // the input that may be integers: the state of a generator, numbers of classes
};
// The module of a block's text; fails with what is wrong with it.
Result<Module> readBlock(const std::string& text);

std::span<const ShippedBlock> trainingBlocks();   // shipped_training_blocks.cpp
std::span<const ShippedBlock> arrayBlocks();      // shipped_array_blocks.cpp
std::span<const ShippedBlock> attentionBlocks();  // shipped_attention_blocks.cpp
std::span<const ShippedBlock> recurrentBlocks();  // shipped_recurrent_blocks.cpp

}  // namespace tessera
