// The first of a few types and sizes that parse and that inference accepts.
#include "core/edit/wiring/field.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <utility>

#include "core/edit/refusal.h"
#include "core/edit/wiring/wiring.h"
#include "core/formats/hlo_text.h"

namespace tessera {
namespace {

constexpr size_t kLongestShown = 40;

std::string trimmed(const std::string& text) {
  const auto begin = text.find_first_not_of(" \t\n");
  return begin == std::string::npos ? "" : text.substr(begin, text.find_last_not_of(" \t\n") - begin + 1);
}

// The sizes that nested braces say: {{1,2},{3,4}} is [2,2]. Uneven braces are found by the literal's reader.
std::vector<int64_t> sizesOfBraces(const std::string& text) {
  std::vector<int64_t> sizes;
  std::vector<bool> counted;
  size_t depth = 0;
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '{') {
      if (++depth > sizes.size()) sizes.push_back(1), counted.push_back(false);
    } else if (text[i] == '}') {
      if (depth > 0) counted[--depth] = true;
    } else if (text[i] == ',' && depth > 0 && !counted[depth - 1]) {
      ++sizes[depth - 1];
    }
  }
  return sizes;
}

std::vector<ElementType> typesToTry(const Module& module, const Instruction& user, int32_t operand,
                                    const std::string& text) {
  std::vector<ElementType> out;
  const auto shapes = operandShapes(module, user);
  for (size_t i = 0; i < shapes.size(); ++i)
    if (static_cast<int32_t>(i) != operand && shapes[i] && shapes[i]->isArray()) out.push_back(shapes[i]->type);
  if (text == "true" || text == "false") out.insert(out.begin(), ElementType::Pred);
  const bool fraction = text.find_first_of(".en") != std::string::npos;
  for (ElementType type : {ElementType::F32, ElementType::S32, ElementType::Pred})
    if (type != ElementType::S32 || !fraction) out.push_back(type);
  return out;
}

// Sizes that a single value may be spread over: none, then what the other inputs have.
std::vector<Shape> shapesToTry(const Module& module, const Instruction& user, int32_t operand, ElementType type) {
  std::vector<Shape> out{Shape::array(type, {})};
  const auto shapes = operandShapes(module, user);
  for (size_t i = 0; i < shapes.size(); ++i)
    if (static_cast<int32_t>(i) != operand && shapes[i] && shapes[i]->isArray() && !shapes[i]->dimensions.empty())
      out.push_back(Shape::array(type, shapes[i]->dimensions));
  if (isElementwiseOp(user.opcode) && out.size() > 1) std::rotate(out.begin(), out.begin() + 1, out.end());
  return out;
}

bool isReadOnlyBy(const Module& module, InstructionId value, InstructionId user) {
  const Computation& computation = module.at(module.at(value).computation);
  if (computation.root == value) return false;
  int reads = 0;
  for (InstructionId id : computation.instructions)
    for (InstructionId operand : module.at(id).operands)
      if (operand == value && (id != user || ++reads > 1)) return false;
  return true;
}

bool isConstant(const Module& module, InstructionId id) {
  return module.contains(id) && module.at(id).opcode == Opcode::Constant;
}
bool isGenerated(const Module& module, InstructionId id) {
  return isConstant(module, id) || (module.contains(id) && module.at(id).opcode == Opcode::Iota);
}
bool isSpread(const Module& module, InstructionId id) {
  return module.contains(id) && module.at(id).opcode == Opcode::Broadcast && module.at(id).operands.size() == 1 &&
         isConstant(module, module.at(id).operands[0]);
}

// The old constant goes first, so that the new one may have its name.
void removeOld(const Module& module, InstructionId user, int32_t operand, Edit& edit) {
  const auto& operands = module.at(user).operands;
  if (static_cast<size_t>(operand) >= operands.size() || !operands[static_cast<size_t>(operand)].valid()) return;
  const InstructionId old = operands[static_cast<size_t>(operand)];
  if (!isReadOnlyBy(module, old, user) || (!isGenerated(module, old) && !isSpread(module, old))) return;
  edit.actions.push_back(SetOperand{user, operand, {}});
  edit.actions.push_back(RemoveInstruction{old});
  if (isSpread(module, old) && isReadOnlyBy(module, module.at(old).operands[0], old))
    edit.actions.push_back(RemoveInstruction{module.at(old).operands[0]});
}

class Filling {
 public:
  Filling(const Module& module, InstructionId user, int32_t operand, std::string text)
      : module_(module), instruction_(module.at(user)), user_(user), operand_(operand), text_(std::move(text)) {}

  Result<Edit> make() {
    if (text_.empty()) return std::unexpected(refusal("type a number, an array such as {1,2,3}, or iota"));
    for (ElementType type : typesToTry(module_, instruction_, operand_, text_)) {
      if (text_.starts_with('{'))
        consider(Shape::array(type, sizesOfBraces(text_)), false);
      else
        for (const Shape& shape : shapesToTry(module_, instruction_, operand_, type)) consider(shape, true);
      if (found_) return std::move(*found_);
    }
    return std::unexpected(why_ ? *why_ : refusal("\"" + text_ + "\" is no value for this input"));
  }

 private:
  Diagnostic refusal(std::string message) const { return refuse(module_, user_, std::move(message)).error(); }

  void consider(const Shape& shape, bool spread) {
    if (found_) return;
    Edit edit{"Value " + text_, {}};
    removeOld(module_, user_, operand_, edit);
    InstructionId made = newInstruction(0);
    const bool wide = spread && !shape.dimensions.empty();
    if (text_.starts_with("iota")) {
      if (shape.dimensions.empty()) return;
      const std::string along = trimmed(text_.substr(4));
      edit.actions.push_back(AddInstruction{instruction_.computation,
                                            Opcode::Iota,
                                            "",
                                            {},
                                            {{Attr::iota_dimension, along.empty() ? "0" : along}},
                                            shape,
                                            ""});
    } else {
      const Shape written = wide ? Shape::array(shape.type, {}) : shape;
      if (auto literal = parseLiteral(text_, written); !literal) return note(literal.error());
      edit.actions.push_back(AddInstruction{instruction_.computation, Opcode::Constant, "", {}, {}, written, text_});
      if (wide) {
        edit.actions.push_back(AddInstruction{
            instruction_.computation, Opcode::Broadcast, "", {made}, {{Attr::dimensions, "{}"}}, shape, ""});
        made = newInstruction(1);
      }
    }
    edit.actions.push_back(SetOperand{user_, operand_, made});
    if (const auto result = tried(module_, edit, user_); !result) return note(result.error());
    found_ = std::move(edit);
  }
  void note(const Diagnostic& d) {
    if (!why_) why_ = d;
  }

  const Module& module_;
  const Instruction& instruction_;
  const InstructionId user_;
  const int32_t operand_;
  const std::string text_;
  std::optional<Edit> found_;
  std::optional<Diagnostic> why_;
};

std::optional<std::string> shown(const Instruction& constant) {
  if (!constant.literal || !constant.shape->isArray()) return std::nullopt;
  const auto count = constant.shape->elementCount();
  if (!count || *count > static_cast<int64_t>(kLongestShown)) return std::nullopt;
  std::string text = printLiteral(*constant.literal);
  std::erase(text, '\n');
  return text.size() <= 4 * kLongestShown ? std::optional(text) : std::nullopt;
}

}  // namespace

Result<Edit> filling(const Module& module, InstructionId user, int32_t operand, const std::string& text) {
  const auto& operands = module.at(user).operands;
  if (operand < 0 || static_cast<size_t>(operand) > operands.size())
    return refuse(module, user, "there is no such input");
  return Filling(module, user, operand, trimmed(text)).make();
}

std::optional<std::string> fieldText(const Module& module, InstructionId user, int32_t operand) {
  const auto& operands = module.at(user).operands;
  if (operand < 0 || static_cast<size_t>(operand) >= operands.size()) return std::nullopt;
  const InstructionId value = operands[static_cast<size_t>(operand)];
  if (isConstant(module, value)) return shown(module.at(value));
  if (isSpread(module, value)) return shown(module.at(module.at(value).operands[0]));
  if (isGenerated(module, value))
    return fmt::format("iota {}", module.at(value).attributes->intOr(Attr::iota_dimension, 0));
  return std::nullopt;
}

std::optional<std::string> valueOf(const Module& module, InstructionId id) {
  return isConstant(module, id) ? shown(module.at(id)) : std::nullopt;
}

Result<Edit> refilling(const Module& module, InstructionId user, int32_t operand, const std::string& text) {
  const auto& operands = module.at(user).operands;
  InstructionId value = operand >= 0 && static_cast<size_t>(operand) < operands.size()
                            ? operands[static_cast<size_t>(operand)]
                            : InstructionId();
  InstructionId reader = user;
  if (isSpread(module, value) && isReadOnlyBy(module, value, user))
    reader = std::exchange(value, module.at(value).operands[0]);
  if (isConstant(module, value) && isReadOnlyBy(module, value, reader))
    if (auto edit = resetting(module, value, text)) return edit;
  return filling(module, user, operand, text);
}

Result<Edit> resetting(const Module& module, InstructionId id, const std::string& typed) {
  const std::string text = trimmed(typed);
  const Instruction& constant = module.at(id);
  if (constant.opcode != Opcode::Constant) return refuse(module, id, "only a constant has a value to set");
  if (const auto literal = parseLiteral(text, *constant.shape); !literal) return std::unexpected(literal.error());
  return Edit{"Value " + text, {SetLiteral{id, text}}};
}

}  // namespace tessera
