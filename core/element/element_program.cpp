// See element_program.h: affine forms, hashing and the loop nest as text.
#include "core/element/element_program.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/base/hash.h"
#include "core/element/loop_nest.h"
#include "core/element/scalar_functions.h"
#include "core/element/scalar_math.h"
#include "core/hlo/numbers.h"

namespace tessera {
namespace {

// --- affine forms

bool wrapAccumulate(int64_t& sum, int64_t a, int64_t b) {
  int64_t product = 0;
  return !__builtin_mul_overflow(a, b, &product) && !__builtin_add_overflow(sum, product, &sum);
}

std::optional<int64_t> constantOf(const ElementProgram& program, NodeId id) {
  const Node& node = program.at(id);
  if (node.op != NodeOp::Constant || !isInteger(node.type)) return std::nullopt;
  return scalarAsInt({node.type, {node.bits0, node.bits1}});
}

constexpr int kDeepestSum = 64;

// Adds scale · id to the form; false when it is not affine.
bool gather(const ElementProgram& program, NodeId id, int64_t scale, AffineForm& form, int depth) {
  if (auto value = constantOf(program, id)) return wrapAccumulate(form.constant, *value, scale);
  const Node& node = program.at(id);
  if (node.type != ElementType::S64 || depth > kDeepestSum) return false;
  const auto in = program.inputsOf(id);
  switch (node.op) {
    case NodeOp::OutputIndex:
    case NodeOp::LoopIndex: {
      for (AffineTerm& term : form.terms)
        if (term.variable == id) return wrapAccumulate(term.coefficient, scale, 1);
      form.terms.push_back({id, scale});
      return true;
    }
    case NodeOp::Add:
      return gather(program, in[0], scale, form, depth + 1) && gather(program, in[1], scale, form, depth + 1);
    case NodeOp::Subtract:
      return gather(program, in[0], scale, form, depth + 1) && gather(program, in[1], -scale, form, depth + 1);
    case NodeOp::Negate: return gather(program, in[0], -scale, form, depth + 1);
    case NodeOp::Multiply: {
      NodeId factor = in[1], other = in[0];
      if (!constantOf(program, factor)) std::swap(factor, other);
      const auto value = constantOf(program, factor);
      int64_t product = 0;
      if (!value || __builtin_mul_overflow(*value, scale, &product)) return false;
      return gather(program, other, product, form, depth + 1);
    }
    default: return false;
  }
}

// --- text

constexpr std::string_view kComparisons[] = {"==", "!=", ">=", ">", "<=", "<"};

std::string constantText(const Node& node) {
  const ScalarBits bits{node.bits0, node.bits1};
  if (node.type == ElementType::Pred) return bits.low ? "true" : "false";
  if (isComplex(node.type)) {
    const auto value = loadComplex(node.type, &bits);
    return fmt::format("({}, {})", value.real(), value.imag());
  }
  if (node.type == ElementType::F32) return fmt::format("{}", static_cast<float>(loadDouble(node.type, &bits)));
  if (isFloat(node.type)) return fmt::format("{}", loadDouble(node.type, &bits));
  const int64_t value = scalarAsInt({node.type, bits});
  return node.type == ElementType::U64 ? fmt::format("{}", static_cast<uint64_t>(value)) : fmt::format("{}", value);
}

class Printer {
 public:
  explicit Printer(const ElementProgram& program) : program_(program), nest_(loopNest(program)) {}

  std::string header(std::span<const Shape> outputs) const {
    std::string out;
    for (size_t i = 0; i < program_.operands.size(); ++i) out += buffer("operand", i, program_.operands[i]);
    for (size_t i = 0; i < outputs.size(); ++i) out += buffer("output", i, outputs[i]);
    return out;
  }

  // for i0 < 32, i1 < 128
  std::string space(std::string_view prefix) const {
    if (program_.outputDims.empty()) return "once";
    std::string out = "for";
    for (size_t d = 0; d < program_.outputDims.size(); ++d)
      out += fmt::format("{} {}{} < {}", d ? "," : "", prefix, d, program_.outputDims[d]);
    return out;
  }

  void body(int32_t loop, int indent, std::string& out) {
    for (NodeId id : nest_.bodyOf(loop)) {
      const Node& node = program_.at(id);
      if (node.op == NodeOp::LoopResult)
        nestedLoop(static_cast<size_t>(node.bits0), indent, out);
      else if (!isInline(node))
        out += fmt::format("{:{}}v{} = {} {}\n", "", indent, id.value, nameOf(node.type), right(id));
    }
  }

  std::string text(NodeId id) const {
    const Node& node = program_.at(id);
    switch (node.op) {
      case NodeOp::Constant: return constantText(node);
      case NodeOp::OutputIndex: return fmt::format("i{}", node.bits0);
      case NodeOp::LoopIndex: return fmt::format("r{}_{}", node.bits0, node.bits1);
      case NodeOp::Accumulator:
      case NodeOp::LoopResult: return fmt::format("a{}_{}", node.bits0, node.bits1);
      case NodeOp::DimensionSize: return fmt::format("size(operand{}, {})", node.bits0, node.bits1);
      default: break;
    }
    if (auto form = affineForm(program_, id)) return affineText(*form);
    return fmt::format("v{}", id.value);
  }

  std::string list(std::span<const NodeId> ids) const {
    std::string out;
    for (NodeId id : ids) out += (out.empty() ? "" : ", ") + text(id);
    return out;
  }

 private:
  static std::string buffer(std::string_view kind, size_t number, const Shape& shape) {
    std::vector<int64_t> strides(shape.dimensions.size(), 0);
    const bool plain = !shape.layout || shape.layout->isPlain();
    int64_t stride = 1;
    for (int64_t i = 0; i < shape.rank(); ++i) {
      const int64_t d = shape.layout ? shape.layout->minorToMajor[static_cast<size_t>(i)] : shape.rank() - 1 - i;
      strides[static_cast<size_t>(d)] = stride;
      stride *= std::max<int64_t>(shape.dimensions[static_cast<size_t>(d)], 1);
    }
    return fmt::format("{}{}: {}, {}\n", kind, number, toString(shape),
                       plain ? fmt::format("strides [{}]", fmt::join(strides, ", ")) : std::string("tiled or padded"));
  }

  std::string affineText(const AffineForm& form) const {
    std::string out;
    for (const AffineTerm& term : form.terms) {
      if (!out.empty()) out += " + ";
      out += term.coefficient == 1 ? text(term.variable) : fmt::format("{}*{}", term.coefficient, text(term.variable));
    }
    if (form.constant != 0 || out.empty())
      out += out.empty() ? fmt::format("{}", form.constant) : fmt::format(" + {}", form.constant);
    return out;
  }

  bool isInline(const Node& node) const {
    if (isLeaf(node.op)) return true;
    const auto id = static_cast<uint32_t>(&node - program_.nodes.data());
    return affineForm(program_, NodeId{id}).has_value();
  }

  std::string right(NodeId id) const {
    const Node& node = program_.at(id);
    const auto in = program_.inputsOf(id);
    switch (node.op) {
      case NodeOp::Read: return fmt::format("operand{}[{}]", node.bits0, list(in));
      case NodeOp::ReadOutput: return fmt::format("output{}[{}]", node.bits0, list(in));
      case NodeOp::ReadIf:
        return fmt::format("{} ? operand{}[{}] : {}", text(in[0]), node.bits0, list(in.subspan(2)), text(in[1]));
      case NodeOp::Select: return fmt::format("{} ? {} : {}", text(in[0]), text(in[1]), text(in[2]));
      case NodeOp::Compare: return fmt::format("{} {} {}", text(in[0]), kComparisons[node.bits0], text(in[1]));
      case NodeOp::ReducePrecision:
        return fmt::format("reduce-precision({}, e{}, m{})", text(in[0]), node.bits0, node.bits1);
      default: return fmt::format("{}({})", nameOf(node.op), list(in));
    }
  }

  void nestedLoop(size_t number, int indent, std::string& out) {
    if (std::find(printed_.begin(), printed_.end(), number) != printed_.end()) return;
    printed_.push_back(number);
    const Loop& loop = program_.loops[number];
    for (size_t i = 0; i < loop.inits.size(); ++i)
      out += fmt::format("{:{}}a{}_{} = {}\n", "", indent, number, i, text(loop.inits[i]));
    out += fmt::format("{:{}}for", "", indent);
    for (size_t d = 0; d < loop.ranges.size(); ++d)
      out += fmt::format("{} r{}_{} < {}", d ? "," : "", number, d, loop.ranges[d]);
    out += '\n';
    body(static_cast<int32_t>(number), indent + 2, out);
    std::string left, values;
    for (size_t i = 0; i < loop.next.size(); ++i) {
      left += fmt::format("{}a{}_{}", i ? ", " : "", number, i);
      values += (i ? ", " : "") + text(loop.next[i]);
    }
    out += fmt::format("{:{}}{} = {}\n", "", indent + 2, left, values);
  }

  const ElementProgram& program_;
  LoopNest nest_;
  std::vector<size_t> printed_;
};

}  // namespace

std::string_view nameOf(NodeOp op) {
  switch (op) {
    case NodeOp::Constant: return "constant";
    case NodeOp::OutputIndex: return "output-index";
    case NodeOp::LoopIndex: return "loop-index";
    case NodeOp::Accumulator: return "accumulator";
    case NodeOp::DimensionSize: return "dimension-size";
    case NodeOp::Read: return "read";
    case NodeOp::ReadIf: return "read-if";
    case NodeOp::ReadOutput: return "read-output";
    case NodeOp::LoopResult: return "loop-result";
    case NodeOp::Select: return "select";
    case NodeOp::Convert: return "convert";
    case NodeOp::BitcastConvert: return "bitcast-convert";
    case NodeOp::Compare: return "compare";
    case NodeOp::ReducePrecision: return "reduce-precision";
    case NodeOp::Fma: return "fma";
    default: return nameOf(scalarFunctionOf(op)->opcode);
  }
}

bool isLeaf(NodeOp op) {
  switch (op) {
    case NodeOp::Constant:
    case NodeOp::OutputIndex:
    case NodeOp::LoopIndex:
    case NodeOp::Accumulator:
    case NodeOp::DimensionSize: return true;
    default: return false;
  }
}

bool isArithmetic(NodeOp op) {
  const ScalarFunctionInfo* function = scalarFunctionOf(op);
  return op == NodeOp::Fma || (function && function->price.fused > 0 && !(function->takes & kGivesComplex));
}

std::optional<AffineForm> affineForm(const ElementProgram& program, NodeId index) {
  AffineForm form;
  if (!gather(program, index, 1, form, 0)) return std::nullopt;
  std::erase_if(form.terms, [](const AffineTerm& term) { return term.coefficient == 0; });
  std::sort(form.terms.begin(), form.terms.end(),
            [](const AffineTerm& a, const AffineTerm& b) { return a.variable < b.variable; });
  return form;
}

size_t hashValue(const ElementProgram& program) {
  size_t seed = program.nodes.size();
  for (const Shape& shape : program.operands) seed = mixedHash(seed, hashValue(shape));
  for (int64_t d : program.outputDims) seed = mixedHash(seed, static_cast<uint64_t>(d));
  for (const Node& node : program.nodes) {
    seed = mixedHash(seed, (static_cast<uint64_t>(node.op) << 8) | static_cast<uint64_t>(node.type));
    seed = mixedHash(mixedHash(seed, node.bits0), node.bits1);
  }
  for (NodeId id : program.inputs) seed = mixedHash(seed, id.value);
  for (const Loop& loop : program.loops) {
    for (int64_t r : loop.ranges) seed = mixedHash(seed, static_cast<uint64_t>(r));
    for (NodeId id : loop.next) seed = mixedHash(seed, id.value);
  }
  for (NodeId id : program.results) seed = mixedHash(seed, id.value);
  return seed;
}

std::string toString(const ElementProgram& program) {
  Printer printer(program);
  std::string out = printer.header({}) + printer.space("i") + '\n';
  printer.body(-1, 2, out);
  std::string indices;
  for (size_t d = 0; d < program.outputDims.size(); ++d) indices += fmt::format("{}i{}", d ? ", " : "", d);
  for (size_t r = 0; r < program.results.size(); ++r)
    out += fmt::format("  result{}[{}] = {}\n", r, indices, printer.text(program.results[r]));
  return out;
}

std::string toString(const LoopProgram& program) {
  Printer printer(program.body);
  std::string out = printer.header(program.outputs);
  for (size_t i = 0; i < program.initialOperand.size(); ++i)
    if (program.initialOperand[i] >= 0) out += fmt::format("output{} = operand{}\n", i, program.initialOperand[i]);
  out += printer.space("i") + '\n';
  printer.body(-1, 2, out);
  for (const Store& store : program.stores) {
    out += "  ";
    if (store.guard.valid()) out += fmt::format("if {}: ", printer.text(store.guard));
    out += fmt::format("output{}[{}] = {}\n", store.output, printer.list(store.indices), printer.text(store.value));
  }
  return out;
}

}  // namespace tessera
