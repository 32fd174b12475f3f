// An edit under way: the nodes that a form of the palette makes, what it is placed on, and what the line gives beside
// its name. Used by palette_forms.cpp and by the files of forms that are listed at the end.
#pragma once

#include <charconv>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/edit/palette/palette.h"

namespace tessera {

using DraftSizes = std::vector<int64_t>;

struct Draft {
  const Module& module;
  ComputationId computation;
  std::span<const InstructionId> sources;
  const PaletteEntry& entry;
  Edit edit;
  uint32_t added = 0;

  InstructionId add(Opcode opcode, std::vector<InstructionId> operands, std::vector<NewAttribute> attributes = {},
                    std::optional<Shape> shape = {}, std::string literal = {}, std::string name = {}) {
    edit.actions.push_back(AddInstruction{computation, opcode, std::move(name), std::move(operands),
                                          std::move(attributes), std::move(shape), std::move(literal)});
    return newInstruction(added++);
  }
  InstructionId constant(ElementType type, std::string value) {
    return add(Opcode::Constant, {}, {}, Shape::array(type, {}), std::move(value));
  }
  InstructionId zero(ElementType type) { return constant(type, type == ElementType::Pred ? "false" : "0"); }
  // The reducer of a type, to be named by an attribute.
  std::string reducer(Opcode opcode, ElementType type) {
    const std::string name = std::string(nameOf(opcode)) + "." + std::string(nameOf(type));
    edit.actions.push_back(AddReducer{name, opcode, type});
    return "%" + name;
  }

  InstructionId source(size_t k) const {
    return k < sources.size() && module.contains(sources[k]) ? sources[k] : InstructionId();
  }
  const Shape* shape(size_t k) const {
    const InstructionId id = source(k);
    return id.valid() && module.shapeOf(id).isArray() ? &module.shapeOf(id) : nullptr;
  }
  // A source, or where there is none a new parameter of the entry; open in other computations.
  struct Input {
    InstructionId id;
    Shape shape;
  };
  Input input(size_t k, const Shape& otherwise, const std::string& name = {}) {
    if (const Shape* given = shape(k)) return {source(k), Shape::array(given->type, given->dimensions)};
    const bool may = !source(k).valid() && computation == module.entry();
    return {may ? add(Opcode::Parameter, {}, {}, otherwise, {}, name) : InstructionId(), otherwise};
  }

  // --- options of the line
  const std::string* attribute(Attr name) const {
    for (const NewAttribute& each : entry.attributes)
      if (each.name == name) return &each.text;
    return nullptr;
  }
  bool says(std::string_view word) const {
    for (const std::string& each : entry.said)
      if (each == word) return true;
    return false;
  }
  // "stride=2": "2"; "": it is not given.
  std::string option(std::string_view key) const {
    for (const std::string& each : entry.said)
      if (each.size() > key.size() && each.starts_with(key) && each[key.size()] == '=')
        return each.substr(key.size() + 1);
    return {};
  }
  // "3x2": {3, 2}; empty: it is not given, or no numbers.
  std::vector<int64_t> numbers(std::string_view key) const {
    std::vector<int64_t> out;
    const std::string text = option(key);
    for (const char *at = text.data(), *end = at + text.size(); at < end; ++at) {
      int64_t value = 0;
      const auto [stopped, error] = std::from_chars(at, end, value);
      if (error != std::errc()) return {};
      out.push_back(value);
      at = stopped;
    }
    return out;
  }
  // The number behind the name: "split 4".
  int64_t number(int64_t otherwise) const {
    int64_t value = otherwise;
    std::from_chars(entry.literal.data(), entry.literal.data() + entry.literal.size(), value);
    return value;
  }
  // "axis=1", from the end where negative; `otherwise` if it is not given or out of range.
  int64_t axis(int64_t rank, int64_t otherwise) const {
    const std::vector<int64_t> said = numbers("axis");
    int64_t out = said.size() == 1 ? said[0] : otherwise;
    if (out < 0) out += rank;
    return out >= 0 && out < rank ? out : otherwise < 0 ? otherwise + rank : otherwise;
  }
};

// The elements whose indices along two dimensions are equal, along the shorter of both. palette_matrices.cpp
InstructionId addDiagonal(Draft& d, InstructionId x, const Shape& shape, size_t first, size_t second);

// A form that is no opcode: its title, and what makes it. What it cannot do with its sources it leaves undone; then the
// plain operation is placed, whose rules say why.
struct DraftForm {
  const char *title, *category, *summary, *words;
  Opcode opcode;
  void (*make)(Draft&);
};
std::span<const DraftForm> layerForms();       // palette_layers.cpp
std::span<const DraftForm> matrixForms();      // palette_matrices.cpp
std::span<const DraftForm> shapeForms();       // palette_shapes.cpp
std::span<const DraftForm> statisticsForms();  // palette_statistics.cpp

}  // namespace tessera
