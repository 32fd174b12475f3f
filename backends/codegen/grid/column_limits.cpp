// See column_limits.h.
#include "backends/codegen/grid/column_limits.h"

#include <algorithm>
#include <bit>
#include <map>
#include <optional>

#include "backends/codegen/grid/grid_attention.h"
#include "core/element/scalar_math.h"

namespace tessera::codegen {

namespace {

constexpr double kHidden = -1e8;     // scores at most as large are those of hidden columns
constexpr double kFarBelow = -1e30;  // of such a score less any row's maximum; its exponential is zero

double asDouble(TypedScalar value) {
  const TypedScalar inputs[] = {value};
  return std::bit_cast<double>(applyScalar({.op = NodeOp::Convert, .type = ElementType::F64}, inputs).low);
}

// Values of nodes where one condition has a known value, and hidden scores are far below any row's maximum.
class HiddenValues {
 public:
  HiddenValues(const ElementProgram& body, NodeId condition, bool value) : body_(body) {
    known_[condition] = TypedScalar{ElementType::Pred, {.low = value}};
  }

  std::optional<TypedScalar> of(NodeId id) {
    const auto [known, isNew] = known_.emplace(id, std::nullopt);
    if (isNew) known_[id] = compute(id);
    return known_[id];
  }
  // What is subtracted from hidden scores.
  const std::vector<NodeId>& maxima() const { return maxima_; }

 private:
  std::optional<TypedScalar> compute(NodeId id) {
    const Node& node = body_.at(id);
    const auto inputs = body_.inputsOf(id);
    if (node.op == NodeOp::Constant) return TypedScalar{node.type, {node.bits0, node.bits1}};
    if (inputs.empty() || node.op == NodeOp::Read || node.op == NodeOp::ReadIf || node.op == NodeOp::ReadOutput)
      return std::nullopt;
    if (node.op == NodeOp::Select) {
      const auto condition = of(inputs[0]);
      return condition ? of(inputs[condition->bits.low != 0 ? 1 : 2]) : std::nullopt;
    }
    std::vector<TypedScalar> values;
    for (const NodeId input : inputs)
      if (const auto value = of(input)) values.push_back(*value);
    if (values.size() == inputs.size()) return TypedScalar{node.type, applyScalar(node, values)};
    return values.size() == 1 ? computeHalf(node, inputs, values[0]) : std::nullopt;
  }

  // Of a known and an unknown number.
  std::optional<TypedScalar> computeHalf(const Node& node, std::span<const NodeId> inputs, TypedScalar value) {
    const bool isFirst = of(inputs[0]).has_value();
    if (node.op == NodeOp::And && value.bits.low == 0) return value;
    if (!isFloat(node.type) || !isFloat(value.type)) return std::nullopt;
    const double number = asDouble(value);
    if (node.op == NodeOp::Add && number <= kHidden) return value;
    if (node.op == NodeOp::Subtract && isFirst && number <= kHidden) {
      maxima_.push_back(inputs[1]);
      return TypedScalar{node.type, scalarFromDouble(node.type, kFarBelow)};
    }
    const bool staysZero = node.op == NodeOp::Multiply || (node.op == NodeOp::Divide && isFirst);
    return staysZero && number == 0 ? std::optional(value) : std::nullopt;
  }

  const ElementProgram& body_;
  std::map<NodeId, std::optional<TypedScalar>> known_;
  std::vector<NodeId> maxima_;
};

class LimitFinder {
 public:
  LimitFinder(const LoopProgram& program, const ProgramAnalysis& analysis, const AttentionMap& map)
      : body_(program.body), analysis_(analysis), map_(map) {}

  ColumnLimits run() {
    if (map_.rows.size() != 1 || map_.columns.size() != 1) return {};
    std::vector<bool> seen(body_.nodes.size());
    for (const AttentionMap::Sum& sum : map_.sums)
      findConditions(map_.softmax ? map_.softmax->score : sum.weight, seen);
    ColumnLimits out;
    for (const NodeId condition : conditions_)
      for (const bool isSeen : {true, false}) {
        ColumnLimits tighter = out;
        if (addLimits(condition, isSeen, tighter) && hides(condition, !isSeen, tighter)) out = std::move(tighter);
      }
    return out;
  }

 private:
  // constant + row · rows + column · columns
  struct Linear {
    int64_t row = 0, column = 0, constant = 0;
    Linear plus(const Linear& other, int64_t times) const {
      return {row + times * other.row, column + times * other.column, constant + times * other.constant};
    }
  };

  // Those that are of positions alone.
  void findConditions(NodeId id, std::vector<bool>& seen) {
    if (seen[id.value]) return;
    seen[id.value] = true;
    ColumnLimits limits;
    if (body_.at(id).type == ElementType::Pred && (addLimits(id, true, limits) || addLimits(id, false, limits)))
      return conditions_.push_back(id);
    for (const NodeId input : body_.inputsOf(id)) findConditions(input, seen);
  }

  std::optional<Linear> linear(NodeId id) const {
    const Node& node = body_.at(id);
    if (node.type != ElementType::S32 && node.type != ElementType::S64) return std::nullopt;
    const auto inputs = body_.inputsOf(id);
    switch (node.op) {
      case NodeOp::Constant: return Linear{.constant = scalarAsInt({node.type, {node.bits0, 0}})};
      case NodeOp::OutputIndex:
      case NodeOp::LoopIndex: {
        const int32_t counter = analysis_.counterOf(body_, id);
        if (counter == map_.rows[0]) return Linear{.row = 1};
        return counter == map_.columns[0] ? std::optional(Linear{.column = 1}) : std::nullopt;
      }
      case NodeOp::Convert: return linear(inputs[0]);
      case NodeOp::Add:
      case NodeOp::Subtract: {
        const auto a = linear(inputs[0]), b = linear(inputs[1]);
        if (!a || !b) return std::nullopt;
        return a->plus(*b, node.op == NodeOp::Add ? 1 : -1);
      }
      default: return std::nullopt;
    }
  }

  // Adds what holds exactly where the condition has the value; false: it is no such condition.
  bool addLimits(NodeId condition, bool value, ColumnLimits& out) const {
    const Node& node = body_.at(condition);
    const auto inputs = body_.inputsOf(condition);
    if (node.op == NodeOp::And) return value && addLimits(inputs[0], true, out) && addLimits(inputs[1], true, out);
    if (node.op == NodeOp::Not) return addLimits(inputs[0], !value, out);
    if (node.op != NodeOp::Compare) return false;
    const auto a = linear(inputs[0]), b = linear(inputs[1]);
    if (!a || !b) return false;
    using enum CompareDirection;
    const auto direction = static_cast<CompareDirection>(node.bits0);
    if (direction == Eq || direction == Ne) return false;
    const bool isGreater = (direction == Ge || direction == Gt) == value;
    const bool isStrict = (direction == Gt || direction == Lt) == value;
    Linear least = isGreater ? a->plus(*b, -1) : b->plus(*a, -1);  // at least zero
    if (isStrict) --least.constant;
    if (least.column * least.column != 1 || least.row * least.row > 1) return false;
    if (least.column > 0)
      out.first.push_back({-least.row, -least.constant});
    else
      out.last.push_back({least.row, least.constant});
    return true;
  }

  bool hides(NodeId condition, bool value, const ColumnLimits& limits) const {
    HiddenValues values(body_, condition, value);
    for (const AttentionMap::Sum& sum : map_.sums) {
      const auto hidden = values.of(map_.softmax ? map_.softmax->score : sum.weight);
      if (!hidden || !isFloat(hidden->type)) return false;
      const bool isLargest = map_.softmax || sum.join == NodeOp::Maximum;
      if (isLargest ? asDouble(*hidden) > kHidden : asDouble(*hidden) != 0) return false;
      if (isLargest && !everyRowSees(limits)) return false;
    }
    return std::ranges::all_of(values.maxima(), [&](NodeId most) {
      return analysis_.dependence[most.value].loops.test(map_.loop) ? everyColumnIsSeen(limits) : everyRowSees(limits);
    });
  }

  bool everyRowSees(const ColumnLimits& limits) const {
    for (int64_t row = 0; row < map_.rowCount; ++row)
      if (const auto [begin, end] = limits.range(row, row, map_.columnCount); begin >= end) return false;
    return true;
  }
  bool everyColumnIsSeen(const ColumnLimits& limits) const {
    std::vector<int64_t> change(static_cast<size_t>(map_.columnCount) + 1, 0);  // of the number of rows that see it
    for (int64_t row = 0; row < map_.rowCount; ++row)
      if (const auto [begin, end] = limits.range(row, row, map_.columnCount); begin < end)
        ++change[static_cast<size_t>(begin)], --change[static_cast<size_t>(end)];
    int64_t rows = 0;
    for (size_t column = 0; column + 1 < change.size(); ++column)
      if ((rows += change[column]) == 0) return false;
    return true;
  }

  const ElementProgram& body_;
  const ProgramAnalysis& analysis_;
  const AttentionMap& map_;
  std::vector<NodeId> conditions_;
};

}  // namespace

std::pair<int64_t, int64_t> ColumnLimits::range(int64_t firstRow, int64_t lastRow, int64_t columns) const {
  int64_t begin = 0, end = columns;
  for (const Limit& limit : first)
    begin = std::max(begin, std::min(limit.slope * firstRow, limit.slope * lastRow) + limit.constant);
  for (const Limit& limit : last)
    end = std::min(end, std::max(limit.slope * firstRow, limit.slope * lastRow) + limit.constant + 1);
  return {std::min(begin, columns), std::max(end, int64_t{0})};
}

ColumnLimits ColumnLimits::of(const LoopProgram& program, const ProgramAnalysis& analysis, const AttentionMap& map) {
  return LimitFinder(program, analysis, map).run();
}

}  // namespace tessera::codegen
