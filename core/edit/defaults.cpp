// One rule an attribute, not an op: `dimensions` of a reduction is the last one, of a transpose the reversed order, …
#include "core/edit/defaults.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <numeric>

#include "core/edit/index_ways.h"
#include "core/ops/inference/infer_checks.h"
#include "core/ops/op.h"

namespace tessera {
namespace {

std::vector<int64_t> upTo(size_t count) {
  std::vector<int64_t> out(count);
  std::iota(out.begin(), out.end(), 0);
  return out;
}

// Where the operand's dimensions go: behind the result's leading ones, as sizes align in most languages.
std::string broadcastDimensions(const Shape& from, const Shape& to) {
  std::vector<int64_t> out = upTo(from.dimensions.size());
  if (to.dimensions.size() >= out.size())
    for (int64_t& d : out) d += static_cast<int64_t>(to.dimensions.size() - out.size());
  return listOf(out);
}

std::string dimensionsText(const Instruction& instruction, const Shape& operand) {
  const size_t rank = operand.dimensions.size();
  std::vector<int64_t> reversed = upTo(rank);
  std::ranges::reverse(reversed);
  switch (instruction.opcode) {
    case Opcode::Broadcast: return broadcastDimensions(operand, *instruction.shape);
    case Opcode::Transpose: return listOf(reversed);
    case Opcode::Map: return listOf(upTo(rank));
    case Opcode::Reverse:
    case Opcode::Concatenate: return rank ? "{0}" : "";
    default: return rank ? listOf({static_cast<int64_t>(rank) - 1}) : "{}";
  }
}

std::string wholeSlice(const Shape& operand) {
  std::string out;
  for (int64_t size : operand.dimensions) out += fmt::format("{}[0:{}]", out.empty() ? "" : ", ", size);
  return "{" + out + "}";
}

std::string noPadding(const Shape& operand) {
  std::string out;
  for (size_t d = 0; d < operand.dimensions.size(); ++d) out += d ? "x0_0" : "0_0";
  return out;
}

// The kernel's own sizes, padded so that an odd kernel keeps the picture's size. Kernels are spatial…, in, out.
std::string sameWindow(const Shape& kernel) {
  if (kernel.dimensions.size() < 3) return "";
  const std::span<const int64_t> sizes(kernel.dimensions.data(), kernel.dimensions.size() - 2);
  std::string padding;
  for (int64_t size : sizes) padding += fmt::format("{}{}_{}", padding.empty() ? "" : "x", (size - 1) / 2, size / 2);
  return fmt::format("{{size={} pad={}}}", fmt::join(sizes, "x"), padding);
}

std::string channelsLast(const Shape& input) {
  if (input.dimensions.size() < 3) return "";
  std::string spatial;
  for (size_t d = 0; d + 2 < input.dimensions.size(); ++d) spatial += static_cast<char>('0' + d);
  return "b" + spatial + "f_" + spatial + "io->b" + spatial + "f";
}

// Three wide over the spatial dimensions, padded so that the size stays: of four and more dimensions those between
// batch and features, as channelsLast() has them; else the last two.
std::string windowOfThree(const Shape& operand) {
  const size_t rank = operand.dimensions.size();
  std::string size, padding;
  for (size_t d = 0; d < rank; ++d) {
    const bool wide = rank >= 4 ? d > 0 && d + 1 < rank : d + 2 >= rank;
    size += (d ? "x" : "") + std::string(wide ? "3" : "1");
    padding += (d ? "x" : "") + std::string(wide ? "1_1" : "0_0");
  }
  return rank ? "{size=" + size + " pad=" + padding + "}" : "";
}

std::string textFor(const AttributeRow& row, const Instruction& instruction, std::span<const Shape* const> operands) {
  const Shape scalar = Shape::array(ElementType::F32, {});
  const Shape& first = operands.empty() ? scalar : *operands[0];
  const Shape& second = operands.size() > 1 ? *operands[1] : scalar;
  const auto last = static_cast<int64_t>(first.dimensions.size()) - 1;
  switch (row.name) {
    case Attr::dimensions: return dimensionsText(instruction, first);
    case Attr::slice: return wholeSlice(first);
    case Attr::padding: return noPadding(first);
    case Attr::dynamic_slice_sizes: return listOf(first.dimensions);
    case Attr::lhs_contracting_dims: return last >= 0 ? listOf({last}) : "";
    case Attr::rhs_contracting_dims:
      return second.dimensions.empty()
                 ? ""
                 : listOf({std::max<int64_t>(0, static_cast<int64_t>(second.dimensions.size()) - 2)});
    case Attr::window:
      return instruction.opcode == Opcode::Convolution    ? sameWindow(second)
             : instruction.opcode == Opcode::ReduceWindow ? windowOfThree(first)
                                                          : "";
    case Attr::dim_labels: return channelsLast(first);
    case Attr::iota_dimension:
    case Attr::index: return "0";
    case Attr::feature_index: return last >= 0 ? std::to_string(last) : "";
    case Attr::epsilon: return "0.001";
    default: break;
  }
  if (!row.defaultText.empty()) return std::string(row.defaultText);
  return std::string(row.choices.substr(0, row.choices.find(' ')));
}

bool isMeant(const AttributeRow& row) {
  return row.required || row.name == Attr::dimensions || row.name == Attr::window ||
         row.name == Attr::lhs_contracting_dims || row.name == Attr::rhs_contracting_dims;
}

// For a gather or scatter without any dimension numbers: those of the first form.
std::vector<NewAttribute> indexDefaults(const Module& module, InstructionId id) {
  const std::vector<IndexWay> ways = indexWays(module, id);
  if (ways.empty()) return {};
  for (const NewAttribute& each : ways[0].attributes)
    if (module.at(id).attributes->has(each.name)) return {};
  return ways[0].attributes;
}

}  // namespace

std::vector<NewAttribute> defaultAttributes(const Module& module, InstructionId id) {
  const Instruction& instruction = module.at(id);
  std::vector<const Shape*> operands;
  for (InstructionId operand : instruction.operands) {
    if (!module.contains(operand)) return {};
    operands.push_back(module.at(operand).shape);
  }
  std::vector<NewAttribute> out = indexDefaults(module, id);
  for (const AttributeRow& row : attributeRowsOf(instruction.opcode)) {
    if (!isMeant(row) || instruction.attributes->has(row.name)) continue;
    if (std::string text = textFor(row, instruction, operands); !text.empty())
      out.push_back({row.name, std::move(text)});
  }
  return out;
}

}  // namespace tessera
