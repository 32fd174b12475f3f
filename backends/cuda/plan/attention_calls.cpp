// See attention_calls.h.
#include "backends/cuda/plan/attention_calls.h"

#include <algorithm>
#include <limits>

#include "core/passes/patterns.h"

namespace tessera::cuda {

namespace {

using Ints = std::vector<int64_t>;
constexpr int64_t kWholeElements = 8;  // 16 bytes

// A dimension of an array that is read or written through transposes.
struct Dimension {
  int64_t size, stride;
};
struct View {
  size_t parameter = 0;
  std::vector<Dimension> dims;
};

std::vector<Dimension> denseDims(const Shape& shape) {
  std::vector<Dimension> out(shape.dimensions.size());
  int64_t stride = 1;
  for (size_t d = out.size(); d-- > 0; stride *= shape.dimensions[d]) out[d] = {shape.dimensions[d], stride};
  return out;
}

// One dimension of the keys, of the queries, and one that is summed up in each dot.
class AttentionReader {
 public:
  AttentionReader(const Module& module, ComputationId inside) : module_(module), inside_(inside) {}

  std::optional<LibraryPlan> read() {
    LibraryPlan plan;
    plan.call.operation = LibraryOperation::Attention;
    std::vector<Dimension> result;
    const auto values = resultDot(result);
    if (!values) return std::nullopt;
    for (const size_t side : {size_t{0}, size_t{1}})
      if (matchWeights(*values, side) && describe(*values, side, result, plan)) return plan;
    return std::nullopt;
  }

 private:
  const Instruction& at(InstructionId id) const { return module_.at(id); }
  const Instruction& operand(const Instruction& in, size_t k) const { return at(in.operands[k]); }
  const Instruction& behindConverts(const Instruction& from) const {
    const Instruction* in = &from;
    while (in->opcode == Opcode::Convert && isFloat(operand(*in, 0).shape->type)) in = &operand(*in, 0);
    return *in;
  }

  // The dot of the values, and its dimensions in the result's memory.
  const Instruction* resultDotOf(const Instruction& root, Ints& order) const {
    const Instruction* in = &root;
    for (;;) {
      if (in->opcode == Opcode::Transpose) {
        const Ints& moved = in->attributes->ints(Attr::dimensions);
        Ints next(order.size());
        for (size_t d = 0; d < order.size(); ++d) next[d] = moved[static_cast<size_t>(order[d])];
        order = next;
      } else if (in->opcode != Opcode::Convert || !isFloat(operand(*in, 0).shape->type)) {
        break;
      }
      in = &operand(*in, 0);
    }
    return in->opcode == Opcode::Dot ? in : nullptr;
  }
  const Instruction* resultDot(std::vector<Dimension>& out) const {
    const Instruction& root = at(module_.at(inside_).root);
    if (!root.shape->isArray()) return nullptr;
    Ints order(root.shape->dimensions.size());
    for (size_t d = 0; d < order.size(); ++d) order[d] = static_cast<int64_t>(d);
    const Instruction* dot = resultDotOf(root, order);
    const std::vector<Dimension> stored = denseDims(*root.shape);
    out.resize(stored.size());
    for (size_t d = 0; dot && d < order.size(); ++d) out[static_cast<size_t>(order[d])] = stored[d];
    return dot;
  }

  // The array that a factor of a dot is, through transposes.
  std::optional<View> viewOf(const Instruction& factor) const {
    const Instruction& from = behindConverts(factor);
    if (from.opcode == Opcode::Parameter)
      return View{static_cast<size_t>(from.parameterNumber), denseDims(*from.shape)};
    if (from.opcode != Opcode::Transpose) return std::nullopt;
    auto inner = viewOf(operand(from, 0));
    if (!inner) return std::nullopt;
    View out{inner->parameter, {}};
    for (const int64_t d : from.attributes->ints(Attr::dimensions))
      out.dims.push_back(inner->dims[static_cast<size_t>(d)]);
    return out;
  }

  bool isReduction(const Instruction& in, Opcode by, double initial) const {
    if (in.opcode != Opcode::Reduce || in.operands.size() != 2 || splatValue(module_, in.operands[1]) != initial)
      return false;
    const std::vector<ComputationId> callees = module_.callees(in);
    return callees.size() == 1 && at(module_.at(callees[0]).root).opcode == by;
  }

  // A row's maximum or sum, repeated along the keys; the array that it is of.
  const Instruction* rowsOf(const Instruction& broadcast, Opcode by, double initial) {
    const Instruction& repeated = behindConverts(broadcast);
    if (repeated.opcode != Opcode::Broadcast) return nullptr;
    const Instruction* reduced = &behindConverts(operand(repeated, 0));
    if (by == Opcode::Maximum && reduced->opcode == Opcode::Maximum)
      for (const size_t k : {size_t{0}, size_t{1}})
        if (splatValue(module_, reduced->operands[k]) == initial) {
          reduced = &behindConverts(operand(*reduced, 1 - k));
          break;
        }
    if (!isReduction(*reduced, by, initial)) return nullptr;
    const Ints& over = reduced->attributes->ints(Attr::dimensions);
    if (over.size() != 1 || (keys_ >= 0 && over[0] != keys_)) return nullptr;
    keys_ = over[0];
    Ints others;
    for (int64_t d = 0; d < repeated.shape->rank(); ++d)
      if (d != keys_) others.push_back(d);
    return repeated.attributes->ints(Attr::dimensions) == others ? &behindConverts(operand(*reduced, 0)) : nullptr;
  }

  // Powers over their sums, of scores less their maximum; the scores are a dot times a number.
  bool matchWeights(const Instruction& values, size_t side) {
    keys_ = -1;
    const Instruction& quotient = behindConverts(operand(values, side));
    if (quotient.opcode != Opcode::Divide) return false;
    const Instruction& power = behindConverts(operand(quotient, 0));
    if (power.opcode != Opcode::Exponential || rowsOf(operand(quotient, 1), Opcode::Add, 0) != &power) return false;
    const Instruction& shifted = behindConverts(operand(power, 0));
    if (shifted.opcode != Opcode::Subtract || shifted.shape->type != ElementType::F32) return false;
    const Instruction& score = behindConverts(operand(shifted, 0));
    const double lowest = -std::numeric_limits<double>::infinity();
    return rowsOf(operand(shifted, 1), Opcode::Maximum, lowest) == &score && matchScore(score);
  }
  bool matchScore(const Instruction& score) {
    scale_ = 1;
    scores_ = &score;
    while (scores_->opcode != Opcode::Dot) {
      const bool isProduct = scores_->opcode == Opcode::Multiply;
      if (!isProduct && scores_->opcode != Opcode::Divide) return false;
      auto number = splatValue(module_, scores_->operands[1]);
      const bool isSecond = number.has_value();
      if (!isSecond && isProduct) number = splatValue(module_, scores_->operands[0]);
      if (!number) return false;
      scale_ = isProduct ? scale_ * *number : scale_ / *number;
      scores_ = &behindConverts(operand(*scores_, isSecond ? 0 : 1));
    }
    return true;
  }

  // A dot's dimensions: those of the batch, the one of the factor that is neither batch nor summed up, and that one.
  struct Roles {
    Ints batch;
    int64_t own, summed;
  };
  std::optional<Roles> rolesOf(const Instruction& dot, size_t factor) const {
    const AttributeSet& attributes = *dot.attributes;
    Roles out{attributes.ints(factor == 0 ? Attr::lhs_batch_dims : Attr::rhs_batch_dims), -1, -1};
    const Ints& summed = attributes.ints(factor == 0 ? Attr::lhs_contracting_dims : Attr::rhs_contracting_dims);
    const int64_t rank = operand(dot, factor).shape->rank();
    if (summed.size() != 1 || out.batch.size() > 2 || rank != static_cast<int64_t>(out.batch.size()) + 2)
      return std::nullopt;
    out.summed = summed[0];
    for (int64_t d = 0; d < rank; ++d)
      if (d != out.summed && std::ranges::find(out.batch, d) == out.batch.end()) out.own = d;
    return out;
  }

  // Strides of the batch, the heads, the rows and their elements.
  static Ints stridesOf(const View& view, const Ints& batch, int64_t rows, int64_t elements) {
    Ints out;
    int64_t whole = 1;
    for (const Dimension& d : view.dims) whole *= d.size;
    for (size_t missing = batch.size(); missing < 2; ++missing) out.push_back(whole);
    for (const int64_t d : batch) out.push_back(view.dims[static_cast<size_t>(d)].stride);
    out.push_back(view.dims[static_cast<size_t>(rows)].stride);
    out.push_back(view.dims[static_cast<size_t>(elements)].stride);
    return out;
  }

  // side: of the weights in the dot of the values.
  bool describe(const Instruction& values, size_t side, const std::vector<Dimension>& result, LibraryPlan& plan) const {
    const auto value = rolesOf(values, 1 - side), weights = rolesOf(values, side);
    if (!value || !weights || weights->summed != keys_) return false;
    // The dot of the scores gives its batch, the left factor's own dimension, then the right one's.
    const auto batches = static_cast<int64_t>(weights->batch.size());
    const size_t keySide = keys_ == batches ? 0 : 1;
    const auto query = rolesOf(*scores_, 1 - keySide), key = rolesOf(*scores_, keySide);
    if (!query || !key || keys_ < batches || static_cast<int64_t>(query->batch.size()) != batches) return false;
    for (int64_t b = 0; b < batches; ++b)
      if (weights->batch[static_cast<size_t>(b)] != b) return false;
    const auto q = viewOf(operand(*scores_, 1 - keySide)), k = viewOf(operand(*scores_, keySide)),
               v = viewOf(operand(values, 1 - side));
    if (!q || !k || !v) return false;
    // So does the dot of the values: the weights' rows stand where their factor does.
    const View o{0, result};
    Ints batch(static_cast<size_t>(batches));
    for (int64_t b = 0; b < batches; ++b) batch[static_cast<size_t>(b)] = b;
    AttentionCall& a = plan.call.attention;
    a.qStrides = stridesOf(*q, query->batch, query->own, query->summed);
    a.kStrides = stridesOf(*k, key->batch, key->own, key->summed);
    a.vStrides = stridesOf(*v, value->batch, value->summed, value->own);
    a.oStrides = stridesOf(o, batch, side == 0 ? batches : batches + 1, side == 0 ? batches + 1 : batches);
    const auto sizeOf = [](const View& view, int64_t d) { return view.dims[static_cast<size_t>(d)].size; };
    a.queries = sizeOf(*q, query->own), a.keys = sizeOf(*k, key->own);
    a.depth = sizeOf(*q, query->summed), a.width = sizeOf(*v, value->own);
    if (batches > 0) a.heads = sizeOf(*q, query->batch.back());
    if (batches > 1) a.batch = sizeOf(*q, query->batch[0]);
    a.scale = scale_;
    plan.operands = {q->parameter, k->parameter, v->parameter};
    return takeTypes(plan) && isAligned(a);
  }

  bool takeTypes(LibraryPlan& plan) const {
    const Shape& root = *at(module_.at(inside_).root).shape;
    plan.call.in = plan.call.out = root.type;
    if (root.type != ElementType::BF16 && root.type != ElementType::F16) return false;
    return std::ranges::all_of(plan.operands, [&](size_t parameter) {
      return at(module_.at(inside_).parameters[parameter]).shape->type == root.type;
    });
  }
  static bool isAligned(const AttentionCall& a) {
    for (const Ints* strides : {&a.qStrides, &a.kStrides, &a.vStrides, &a.oStrides})
      if (strides->back() != 1 ||
          std::ranges::any_of(strides->begin(), strides->end() - 1, [](int64_t s) { return s % kWholeElements != 0; }))
        return false;
    return a.depth % kWholeElements == 0 && a.width % kWholeElements == 0;
  }

  const Module& module_;
  ComputationId inside_;
  int64_t keys_ = -1;  // the scores' dimension
  const Instruction* scores_ = nullptr;
  double scale_ = 1;
};

}  // namespace

std::optional<LibraryPlan> attentionPlanOf(const Module& module, const Instruction& fusion) {
  const std::vector<ComputationId> callees = module.callees(fusion);
  if (callees.size() != 1 || fusion.attributes->textOr(Attr::kind, "") != "kOutput") return std::nullopt;
  return AttentionReader(module, callees[0]).read();
}

}  // namespace tessera::cuda
