// See product_end.h.
#include "core/passes/fusion/product_end.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <span>
#include <unordered_map>
#include <unordered_set>

#include "core/ops/shared/window_math.h"
#include "core/passes/dead_code.h"
#include "core/passes/patterns.h"
#include "core/passes/rewriter.h"

namespace tessera {
namespace {

constexpr int64_t kFewestProductElements = 1 << 10;  // of a result whose end is worth a form of its own
constexpr size_t kMostOfAFunction = 24;              // instructions

// A convolution of a gradient, whose base is dilated, has no end in a library.
bool isForwardConvolution(const Instruction& in) {
  const auto* dims = in.attributes->get<ConvolutionDimensions>(Attr::dim_labels);
  return in.opcode == Opcode::Convolution && dims &&
         std::ranges::all_of(windowOr(*in.attributes, dims->inputSpatial.size()).dimensions,
                             [](const WindowDimension& w) { return w.baseDilation == 1; });
}

bool mayHaveEnd(const Instruction& in) {
  const ElementType type = in.shape->isArray() ? in.shape->type : ElementType::Pred;
  return (in.opcode == Opcode::Dot || isForwardConvolution(in)) && in.operands.size() == 2 &&
         !in.shape->hasDynamicDimensions() &&
         (type == ElementType::F32 || type == ElementType::BF16 || type == ElementType::F16 ||
          type == ElementType::F64);
}

using UsersOf = std::function<std::span<const InstructionId>(InstructionId)>;

double gelu(double x) {
  const double inner = std::sqrt(2 / M_PI) * (x + 0.044715 * x * x * x);
  return x / 2 * (1 + std::tanh(inner));
}

class EndMatcher {
 public:
  EndMatcher(const Module& module, const UsersOf& users, InstructionId product)
      : module_(module), users_(users), product_(product), last_(product) {}

  std::optional<ProductEnd> run() {
    if (!mayHaveEnd(at(product_))) return std::nullopt;
    out_.product = product_;
    members_ = {product_.value};
    takeScale();
    takeBias();
    const bool isConvolution = at(product_).opcode == Opcode::Convolution;
    if (!takeRelu() && !isConvolution) takeGelu();
    if (last_ == product_ || (isConvolution && !out_.bias.valid())) return std::nullopt;
    takeConstants();
    for (InstructionId id : module_.at(at(product_).computation).instructions)
      if (members_.contains(id.value) && id != last_) out_.members.push_back(id);
    out_.members.push_back(last_);
    return std::move(out_);
  }

 private:
  const Instruction& at(InstructionId id) const { return module_.at(id); }
  bool isRoot(InstructionId id) const { return module_.at(at(id).computation).root == id; }
  bool hasForm(InstructionId id) const { return *at(id).shape == *at(product_).shape; }

  // The one reader of `id`, of the same form, and which of its operands it is; the other is of this form as well.
  std::optional<std::pair<InstructionId, size_t>> readerOf(InstructionId id, Opcode opcode) const {
    if (isRoot(id) || users_(id).size() != 1) return std::nullopt;
    const InstructionId user = users_(id)[0];
    if (at(user).opcode != opcode || !hasForm(user) || at(user).operands[0] == at(user).operands[1])
      return std::nullopt;
    return std::pair(user, size_t{at(user).operands[1] == id});
  }

  void advance(InstructionId to) {
    last_ = to;
    members_.insert(to.value);
  }

  void takeScale() {
    for (const Opcode opcode : {Opcode::Multiply, Opcode::Divide}) {
      const auto reader = readerOf(last_, opcode);
      if (!reader || (opcode == Opcode::Divide && reader->second != 0)) continue;
      const auto factor = splatValue(module_, at(reader->first).operands[1 - reader->second]);
      if (!factor || !std::isfinite(*factor) || *factor == 0) continue;
      out_.scale = opcode == Opcode::Multiply ? *factor : 1 / *factor;
      return advance(reader->first);
    }
  }

  // The dimensions of a bias in the product.
  std::vector<int64_t> columns() const {
    const Instruction& product = at(product_);
    const AttributeSet& attributes = *product.attributes;
    if (product.opcode == Opcode::Convolution)
      return {attributes.get<ConvolutionDimensions>(Attr::dim_labels)->outputFeature};
    const int64_t rank = product.shape->rank();
    const auto inRight = static_cast<int64_t>(attributes.ints(Attr::rhs_batch_dims).size() +
                                              attributes.ints(Attr::rhs_contracting_dims).size());
    std::vector<int64_t> out;
    for (int64_t d = rank - module_.shapeOf(product.operands[1]).rank() + inRight; d < rank; ++d) out.push_back(d);
    return out;
  }

  void takeBias() {
    const auto reader = readerOf(last_, Opcode::Add);
    if (!reader) return;
    const InstructionId repeated = at(reader->first).operands[1 - reader->second];
    const Instruction& broadcast = at(repeated);
    if (broadcast.opcode != Opcode::Broadcast || module_.shapeOf(broadcast.operands[0]).rank() == 0) return;
    if (broadcast.attributes->ints(Attr::dimensions) != columns()) return;
    out_.bias = broadcast.operands[0];
    members_.insert(repeated.value);
    advance(reader->first);
  }

  bool takeRelu() {
    const auto reader = readerOf(last_, Opcode::Maximum);
    if (!reader || splatValue(module_, at(reader->first).operands[1 - reader->second]) != 0.0) return false;
    out_.function = ProductFunction::Relu;
    advance(reader->first);
    return true;
  }

  // Whatever its form: instructions that are a function of x alone, that nothing else reads, and that give gelu's
  // values.
  void takeGelu() {
    std::vector<InstructionId> found{last_};
    for (size_t k = 0; k < found.size() && found.size() <= kMostOfAFunction; ++k)
      for (InstructionId user : users_(found[k]))
        if (isSmooth(at(user).opcode) && hasForm(user) && std::ranges::find(found, user) == found.end())
          found.push_back(user);
    for (InstructionId end : found) {
      std::unordered_set<uint32_t> inside{last_.value};
      if (end == last_ || !collect(end, inside) || !isClosed(inside, end) || !isGelu(end)) continue;
      members_.insert(inside.begin(), inside.end());
      out_.function = ProductFunction::Gelu;
      return advance(end);
    }
  }

  // What `id` is made of beside constants; false: not of x alone, or of too much.
  bool collect(InstructionId id, std::unordered_set<uint32_t>& inside) const {
    if (inside.contains(id.value) || splatValue(module_, id)) return true;
    if (!isSmooth(at(id).opcode) || !hasForm(id) || inside.size() > kMostOfAFunction) return false;
    inside.insert(id.value);
    return std::ranges::all_of(at(id).operands, [&](InstructionId operand) { return collect(operand, inside); });
  }
  bool isClosed(const std::unordered_set<uint32_t>& inside, InstructionId end) const {
    return std::ranges::all_of(inside, [&](uint32_t member) {
      const InstructionId id{member};
      return id == end || (!isRoot(id) && std::ranges::all_of(users_(id), [&](InstructionId user) {
               return inside.contains(user.value);
             }));
    });
  }

  static bool isSmooth(Opcode opcode) {
    return opcode == Opcode::Add || opcode == Opcode::Subtract || opcode == Opcode::Multiply ||
           opcode == Opcode::Divide || opcode == Opcode::Tanh || opcode == Opcode::Power;
  }

  bool isGelu(InstructionId end) const {
    for (const double x : {-4.25, -2.5, -1.375, -0.8125, -0.3, 0.0, 0.21, 0.75, 1.0, 1.6875, 2.9, 5.5}) {
      std::unordered_map<uint32_t, double> values{{last_.value, x}};
      const auto value = valueOf(end, values);
      if (!value || std::abs(*value - gelu(x)) > 1e-3 * std::max(std::abs(x), 1.0) * tolerance()) return false;
    }
    return true;
  }
  // Constants are as exact as their type has them.
  double tolerance() const { return byteWidth(at(product_).shape->type) == 2 ? 8 : 1e-2; }

  std::optional<double> valueOf(InstructionId id, std::unordered_map<uint32_t, double>& values) const {
    if (const auto known = values.find(id.value); known != values.end()) return known->second;
    if (const auto constant = splatValue(module_, id)) return constant;
    const Instruction& in = at(id);
    if (!isSmooth(in.opcode)) return std::nullopt;
    const auto a = valueOf(in.operands[0], values);
    const auto b = in.operands.size() > 1 ? valueOf(in.operands[1], values) : a;
    if (!a || !b) return std::nullopt;
    const double out = in.opcode == Opcode::Add        ? *a + *b
                       : in.opcode == Opcode::Subtract ? *a - *b
                       : in.opcode == Opcode::Multiply ? *a * *b
                       : in.opcode == Opcode::Divide   ? *a / *b
                       : in.opcode == Opcode::Tanh     ? std::tanh(*a)
                                                       : std::pow(*a, *b);
    return values.emplace(id.value, out).first->second;
  }

  // What members read of constants is computed where they are.
  void takeConstants() {
    for (const uint32_t member : std::vector<uint32_t>(members_.begin(), members_.end())) {
      if (member == product_.value) continue;
      for (InstructionId operand : at(InstructionId{member}).operands)
        for (InstructionId id = operand; splatValue(module_, id); id = at(id).operands[0]) {
          members_.insert(id.value);
          if (at(id).operands.empty()) break;
        }
    }
  }

  const Module& module_;
  const UsersOf& users_;
  const InstructionId product_;
  InstructionId last_;  // of what has been taken
  std::unordered_set<uint32_t> members_;
  ProductEnd out_;
};

}  // namespace

std::optional<ProductEnd> productEndAt(const Module& module, const UserTable& users, InstructionId product) {
  return EndMatcher(
             module, [&](InstructionId id) { return users.users(id); }, product)
      .run();
}

std::optional<ProductEnd> productEndOf(const Module& module, ComputationId computation) {
  std::unordered_map<uint32_t, std::vector<InstructionId>> users;
  for (InstructionId id : module.at(computation).instructions)
    for (InstructionId operand : module.at(id).operands)
      if (auto& known = users[operand.value]; known.empty() || known.back() != id) known.push_back(id);
  const UsersOf usersOf = [&](InstructionId id) { return std::span<const InstructionId>(users[id.value]); };
  for (InstructionId id : module.at(computation).instructions) {
    if (!mayHaveEnd(module.at(id))) continue;
    auto found = EndMatcher(module, usersOf, id).run();
    return found && found->members.back() == module.at(computation).root ? found : std::nullopt;
  }
  return std::nullopt;
}

Result<bool> fuseProductEnds(Module& module) {
  bool changed = false;
  Rewriter rewriter(module, "fuse-product-ends");
  const UserTable users(module);
  for (ComputationId computation : controlComputations(module))
    for (InstructionId id : std::vector<InstructionId>(module.at(computation).instructions)) {
      if (!mayHaveEnd(module.at(id)) || module.shapeOf(id).elementCount().value_or(0) < kFewestProductElements)
        continue;
      const auto found = productEndAt(module, users, id);
      if (!found) continue;
      rewriter.fuse(found->members, "kOutput");
      changed = true;
    }
  TESSERA_TRY(rewriter.finish());
  TESSERA_TRY(removeDeadCode(module));
  return changed;
}

}  // namespace tessera
