// What of the palette can feed an open input: each entry is placed on a scratch graph over the values that it may be
// meant to be fed with, and inferred.
#include <algorithm>
#include <map>

#include "core/edit/palette/palette.h"
#include "core/edit/wiring/wiring.h"
#include "core/hlo/opcode.h"

namespace tessera {
namespace {

constexpr int64_t kExtra = 4;  // the size of a dimension that an operation takes away

// The scratch graph with one parameter a shape.
struct Scratch {
  Module module = emptyModule();
  std::vector<InstructionId> values;
  explicit Scratch(const std::vector<Shape>& shapes) {
    for (const Shape& each : shapes) {
      Instruction parameter;
      parameter.opcode = Opcode::Parameter;
      const std::string name = "value." + std::to_string(values.size());
      parameter.name = name;
      parameter.parameterNumber = static_cast<int32_t>(values.size());
      parameter.shapeWritten = false;
      Shape shape = each;
      fillDefaultLayouts(shape);
      values.push_back(module.add(module.entry(), std::move(parameter), shape));
      module.setRoot(module.entry(), values.back());
    }
  }
};

// Sets of inputs that may lead to the shape: itself, of other types, reversed, with one dimension more, as a product.
std::vector<std::vector<Shape>> guesses(const Shape& wanted) {
  Shape plain = withoutLayout(wanted), reversed = plain, longer = plain, pred = plain, number = plain;
  std::ranges::reverse(reversed.dimensions);
  longer.dimensions.push_back(kExtra);
  pred.type = ElementType::Pred;
  number.type = isFloat(plain.type) ? ElementType::S32 : ElementType::F32;
  std::vector<std::vector<Shape>> out{
      {plain}, {plain, plain}, {pred, plain, plain}, {plain, plain, plain}, {number, number}, {reversed}, {longer}};
  if (plain.dimensions.size() == 2)
    out.push_back({Shape::array(plain.type, {plain.dimensions[0], kExtra}),
                   Shape::array(plain.type, {kExtra, plain.dimensions[1]})});
  if (!plain.dimensions.empty()) out.push_back({Shape::array(plain.type, {})});
  return out;
}

// What the entry makes of the values; nullopt: it does not go with them.
std::optional<Shape> madeOf(const Scratch& scratch, const PaletteEntry& entry) {
  const int arity = arityOf(entry.opcode);
  if (arity >= 0 && static_cast<size_t>(arity) < scratch.values.size() && entry.form.empty()) return std::nullopt;
  const auto done = apply(scratch.module, placing(scratch.module, scratch.module.entry(), entry, scratch.values));
  if (!done || done->added.empty()) return std::nullopt;
  const InstructionId made = done->added.back();
  for (const Diagnostic& d : done->diagnostics.items())
    if (d.instruction == made) return std::nullopt;  // an input of it is open, or it does not go with these
  return done->module.shapeOf(made);
}

// The guesses for several shapes, each set of inputs once: an entry is placed on it once, whatever it is wanted for.
class Guesses {
 public:
  explicit Guesses(std::span<const Shape> wanted) {
    std::map<std::string, size_t> known;
    for (const Shape& shape : wanted) {
      std::vector<size_t>& own = of_.emplace_back();
      for (const auto& inputs : guesses(shape)) {
        std::string key;
        for (const Shape& input : inputs) key += toString(input, true) + ";";
        const auto [found, isNew] = known.try_emplace(key, scratches_.size());
        if (isNew) scratches_.emplace_back(inputs);
        if (std::ranges::find(own, found->second) == own.end()) own.push_back(found->second);
      }
    }
  }
  void begin(const PaletteEntry& entry) {
    entry_ = &entry;
    made_.assign(scratches_.size(), std::nullopt);
  }
  bool give(size_t number, const Shape& wanted) {
    return std::ranges::any_of(of_[number], [&](size_t scratch) {
      if (!made_[scratch]) made_[scratch] = madeOf(scratches_[scratch], *entry_);
      return *made_[scratch] && compatible(**made_[scratch], wanted);
    });
  }

 private:
  std::vector<Scratch> scratches_;
  std::vector<std::vector<size_t>> of_;                    // by wanted shape
  std::vector<std::optional<std::optional<Shape>>> made_;  // by scratch, of the entry, as far as it was asked for
  const PaletteEntry* entry_ = nullptr;
};

}  // namespace

std::optional<Shape> shapeWantedAt(const Module& module, InstructionId user, int32_t operand) {
  if (!module.contains(user)) return std::nullopt;
  const Instruction& instruction = module.at(user);
  if (operand < 0 || static_cast<size_t>(operand) >= instruction.operands.size() ||
      !isElementwiseOp(instruction.opcode) || instruction.opcode == Opcode::Select)
    return std::nullopt;
  const Shape* largest = nullptr;
  for (const Shape* shape : operandShapes(module, instruction))
    if (shape && shape->isArray() && (!largest || shape->dimensions.size() > largest->dimensions.size()))
      largest = shape;
  return largest ? std::optional(withoutLayout(*largest)) : std::nullopt;
}

std::vector<FittingEntry> searchPaletteGiving(const std::string& line, const Shape& wanted, size_t most) {
  return searchPaletteGiving(line, std::span(&wanted, 1), most);
}

std::vector<FittingEntry> searchPaletteGiving(const std::string& line, std::span<const Shape> wanted, size_t most) {
  Guesses guesses(wanted);
  const Scratch nothing({});
  std::vector<FittingEntry> out;
  for (PaletteEntry& entry : searchPalette(line, kAllEntries)) {
    if (out.size() >= most) break;
    const bool source = arityOf(entry.opcode) == 0;
    guesses.begin(entry);
    for (size_t w = 0; w < wanted.size(); ++w) {
      PaletteEntry shaped = entry;
      if (source && !shaped.shape) shaped.shape = withoutLayout(wanted[w]);
      const auto made = source ? madeOf(nothing, shaped) : std::nullopt;
      if (!(source ? made && compatible(*made, wanted[w]) : guesses.give(w, wanted[w]))) continue;
      out.push_back({std::move(shaped), wanted[w]});
      break;
    }
  }
  return out;
}

}  // namespace tessera
