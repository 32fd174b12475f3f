// Repairs of a refused wire: small changes of the value, one after a conversion where the type is wrong too. What
// inference accepts is offered, the simplest first.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <numeric>

#include "core/base/sorting.h"
#include "core/edit/sizes/sizes.h"
#include "core/edit/wiring/implied_broadcast.h"
#include "core/edit/wiring/wiring.h"
#include "core/ops/inference/infer_checks.h"

namespace tessera {
namespace {

constexpr size_t kMaxRepairs = 9, kMaxPermutedRank = 4;
class Repairs {
 public:
  Repairs(const Module& module, InstructionId value, InstructionId user, int32_t operand)
      : module_(module), value_(value), user_(user), operand_(operand), from_(withoutLayout(module.shapeOf(value))) {}

  std::vector<ConnectionOption> make() {
    if (!from_.isArray() || from_.hasDynamicDimensions()) return {};
    resizeCallee();
    for (const Shape* other : otherShapes()) {
      if (other->type != from_.type) {
        begin("convert to " + std::string(nameOf(other->type)));
        from_.type = other->type;
        at_ = add(Opcode::Convert, {}, from_);
        finish();
      }
      shapeLike(*other);
      from_ = withoutLayout(module_.shapeOf(value_));
    }
    transposes();
    for (const Shape* other : otherShapes()) resizes(*other);
    return std::move(out_);
  }

 private:
  // What a called computation takes at this input; null: the user calls none.
  const Shape* calleesShape() const {
    const InstructionId parameter = calleesParameter();
    return parameter.valid() && module_.shapeOf(parameter).isArray() ? &module_.shapeOf(parameter) : nullptr;
  }
  InstructionId calleesParameter() const {
    const Instruction& user = module_.at(user_);
    const auto callees = module_.callees(user);
    if (user.opcode != Opcode::Call || callees.size() != 1 || !module_.contains(callees[0])) return {};
    const auto& parameters = module_.at(callees[0]).parameters;
    const bool known = operand_ >= 0 && static_cast<size_t>(operand_) < parameters.size();
    return known ? parameters[static_cast<size_t>(operand_)] : InstructionId();
  }
  // What is called gets the value's sizes, with all that goes with them: weights of a block, say. The input is opened
  // first: what was wired to it keeps its size.
  void resizeCallee() {
    const Shape* wanted = calleesShape();
    if (!wanted || wanted->type != from_.type || wanted->rank() != from_.rank() || *wanted == from_) return;
    const auto opened = apply(module_, {"", {SetOperand{user_, operand_, {}}}});
    if (!opened) return;
    std::vector<SizeWish> wishes;
    for (size_t d = 0; d < from_.dimensions.size(); ++d)
      if (from_.dimensions[d] != wanted->dimensions[d])
        wishes.push_back({{calleesParameter(), 0, static_cast<int32_t>(d)}, from_.dimensions[d]});
    const Sizes sizes(opened->module);
    auto resized = sizes.resized(wishes);
    if (!resized || !resized->stops.empty()) return;
    const bool block = module_.at(user_).attributes->boolOr(Attr::is_composite, false);
    begin(fmt::format("resize the {} to {}", block ? "block" : "called computation",
                      toString(Shape::array(from_.type, from_.dimensions), false)));
    edit_ = std::move(resized->edit);
    finish();
  }

  // What the other inputs have, of an elementwise user the largest first.
  std::vector<const Shape*> otherShapes() const {
    std::vector<const Shape*> out;
    if (const Shape* wanted = calleesShape()) return {wanted};
    const auto shapes = operandShapes(module_, module_.at(user_));
    for (size_t i = 0; i < shapes.size(); ++i)
      if (static_cast<int32_t>(i) != operand_ && shapes[i] && shapes[i]->isArray()) out.push_back(shapes[i]);
    sortWith(out, [](const Shape* a, const Shape* b) { return a->dimensions.size() > b->dimensions.size(); });
    return out;
  }

  // --- one repair: begun with or without a conversion, then a step, then tried
  void begin(std::string title) {
    edit_ = {};
    added_ = 0;
    at_ = value_;
    title_ = std::move(title);
  }
  // Begins, and converts first where `from_` has another type than the value.
  void beginConverted(const std::string& title) {
    begin(title);
    const Shape& own = module_.shapeOf(value_);
    if (own.type == from_.type) return;
    title_ = fmt::format("convert to {}, {}", nameOf(from_.type), title);
    Shape converted = withoutLayout(own);
    converted.type = from_.type;
    at_ = add(Opcode::Convert, {}, converted);
  }
  InstructionId add(Opcode opcode, std::vector<NewAttribute> attributes, const Shape& shape,
                    std::vector<InstructionId> more = {}) {
    std::vector<InstructionId> operands{at_};
    operands.insert(operands.end(), more.begin(), more.end());
    edit_.actions.push_back(AddInstruction{module_.at(user_).computation, opcode, "", std::move(operands),
                                           std::move(attributes), shape, ""});
    return newInstruction(added_++);
  }
  InstructionId addZero(ElementType type) {
    edit_.actions.push_back(AddInstruction{module_.at(user_).computation,
                                           Opcode::Constant,
                                           "",
                                           {},
                                           {},
                                           Shape::array(type, {}),
                                           type == ElementType::Pred ? "false" : "0"});
    return newInstruction(added_++);
  }
  void finish() {
    edit_.actions.push_back(SetOperand{user_, operand_, at_});
    edit_.title = title_;
    title_[0] = static_cast<char>(std::tolower(title_[0]));
    if (out_.size() >= kMaxRepairs ||
        std::ranges::any_of(out_, [&](const ConnectionOption& w) { return w.title == title_; }))
      return;
    if (auto result = tried(module_, edit_, user_)) out_.push_back({title_, std::move(edit_), std::move(*result)});
  }

  // --- the steps
  void shapeLike(const Shape& other) {
    transposeTo(other.dimensions);
    if (from_.elementCount() && from_.elementCount() == other.elementCount() && from_.dimensions != other.dimensions) {
      beginConverted(fmt::format("reshape to {}", toString(Shape::array(from_.type, other.dimensions), false)));
      at_ = add(Opcode::Reshape, {}, Shape::array(from_.type, other.dimensions));
      finish();
    }
    Shape to = withoutLayout(other);
    to.type = from_.type;
    for (const std::vector<int64_t>& dimensions : broadcastPlacements(from_, to)) {
      beginConverted(dimensions.empty() ? "broadcast" : fmt::format("broadcast to {}", fmt::join(dimensions, ", ")));
      at_ = add(Opcode::Broadcast, {{Attr::dimensions, listOf(dimensions)}}, to);
      finish();
    }
    resizeTo(other.dimensions);
  }
  void transposeBy(const std::vector<int64_t>& order) {
    std::vector<int64_t> sizes;
    for (int64_t d : order) sizes.push_back(from_.dimensions[static_cast<size_t>(d)]);
    beginConverted(fmt::format("transpose {{{}}}", fmt::join(order, ",")));
    at_ = add(Opcode::Transpose, {{Attr::dimensions, listOf(order)}}, Shape::array(from_.type, sizes));
    finish();
  }
  void transposeTo(const std::vector<int64_t>& wanted) {
    const size_t rank = from_.dimensions.size();
    if (rank < 2 || rank > kMaxPermutedRank || wanted.size() != rank) return;
    std::vector<int64_t> order(rank);
    std::iota(order.begin(), order.end(), 0);
    while (std::ranges::next_permutation(order).found) {
      bool same = true;
      for (size_t d = 0; d < rank; ++d) same = same && from_.dimensions[static_cast<size_t>(order[d])] == wanted[d];
      if (same) return transposeBy(order);
    }
  }
  void transposes() {
    if (from_.dimensions.size() < 2 || from_.dimensions.size() > kMaxPermutedRank) return;
    std::vector<int64_t> order(from_.dimensions.size());
    std::iota(order.begin(), order.end(), 0);
    while (std::ranges::next_permutation(order).found) transposeBy(order);
  }
  // Cut where it is too large, padded with zeros where it is too small.
  void resizeTo(const std::vector<int64_t>& wanted) {
    if (wanted.size() != from_.dimensions.size() || wanted == from_.dimensions) return;
    const std::vector<int64_t> own = from_.dimensions;
    std::vector<int64_t> cut;
    std::string slice, padding;
    for (size_t d = 0; d < own.size(); ++d) {
      cut.push_back(std::min(own[d], wanted[d]));
      slice += fmt::format("{}[0:{}]", d ? ", " : "", cut[d]);
      padding += fmt::format("{}0_{}", d ? "x" : "", wanted[d] - cut[d]);
    }
    const bool slices = cut != own, pads = cut != wanted;
    const std::string sizes = fmt::format("{}", fmt::join(wanted, "×"));
    beginConverted(slices && pads ? "slice and pad to " + sizes : (slices ? "slice to " : "pad to ") + sizes);
    if (slices) at_ = add(Opcode::Slice, {{Attr::slice, "{" + slice + "}"}}, Shape::array(from_.type, cut));
    if (pads) {
      const InstructionId before = at_, zero = addZero(from_.type);
      at_ = before;
      at_ = add(Opcode::Pad, {{Attr::padding, padding}}, Shape::array(from_.type, wanted), {zero});
    }
    finish();
  }
  // One dimension made as large as any of the other input's.
  void resizes(const Shape& other) {
    for (size_t d = 0; d < from_.dimensions.size(); ++d)
      for (int64_t size : other.dimensions) {
        std::vector<int64_t> wanted = from_.dimensions;
        if (size <= 0 || wanted[d] == size) continue;
        wanted[d] = size;
        resizeTo(wanted);
      }
  }

  const Module& module_;
  const InstructionId value_, user_;
  const int32_t operand_;
  Shape from_;
  Edit edit_;
  std::string title_;
  uint32_t added_ = 0;
  InstructionId at_;
  std::vector<ConnectionOption> out_;
};

}  // namespace

std::vector<ConnectionOption> repairsOf(const Module& module, InstructionId value, InstructionId user,
                                        int32_t operand) {
  return Repairs(module, value, user, operand).make();
}

}  // namespace tessera
