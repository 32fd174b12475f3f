// Each pattern hangs on an instruction that is rare elsewhere (an rsqrt, an exponential that is divided by its sum);
// from there a few steps back or forward tell it. Steps go through what does not compute, into fusions and out of them.
#include "core/arrange/recognise.h"

#include <algorithm>
#include <optional>
#include <span>

#include "core/arrange/arrangement.h"
#include "core/base/sorting.h"

namespace tessera {
namespace {

constexpr int kMostSteps = 24;      // without computing
constexpr size_t kMostLooked = 40;  // instructions of one look

class Recogniser {
 public:
  Recogniser(const Module& module, const Computation& computation, const UserTable& users,
             const std::vector<int32_t>& positions)
      : module_(module),
        computation_(computation),
        users_(users),
        positions_(positions),
        callers_(module.computationSlots()) {
    addCallers(computation);
  }

  std::vector<Recognised> run() {
    for (size_t k = 0; k < inside_.size(); ++k) {
      const auto& [id, item] = inside_[k];
      for (InstructionId i : module_.at(id).instructions)
        if (const auto pattern = patternAt(module_.at(i)))
          out_.push_back({*pattern, item >= 0 ? item : positions_[i.value]});
    }
    sortBy(out_, &Recognised::item);
    return std::move(out_);
  }

 private:
  // --- fusions and calls are looked into, each from its first caller
  void addCallers(const Computation& outer) {
    inside_.push_back({outer.id, -1});
    for (size_t k = 0; k < inside_.size(); ++k) {
      const auto [id, item] = inside_[k];
      for (InstructionId i : module_.at(id).instructions) {
        const Opcode opcode = module_.at(i).opcode;
        if (opcode == Opcode::While || opcode == Opcode::Conditional) addBodies(i, item);
        const auto callee = bodyOf(module_.at(i));
        if (!callee || callers_[callee->value].valid() || *callee == outer.id) continue;
        callers_[callee->value] = i;
        inside_.push_back({*callee, item >= 0 ? item : positions_[i.value]});
      }
    }
  }
  // Of a loop and its like: each body by itself, what it reads is not followed.
  void addBodies(InstructionId caller, int32_t item) {
    for (ComputationId body : module_.callees(module_.at(caller)))
      if (module_.contains(body) && module_.contains(module_.at(body).root) &&
          std::ranges::find(inside_, body, [](const auto& one) { return one.first; }) == inside_.end())
        inside_.push_back({body, item >= 0 ? item : positions_[caller.value]});
  }
  std::optional<ComputationId> bodyOf(const Instruction& i) const {
    if (i.opcode != Opcode::Fusion && i.opcode != Opcode::Call) return std::nullopt;
    const std::vector<ComputationId> callees = module_.callees(i);
    const bool known = callees.size() == 1 && module_.contains(callees[0]);
    return known && module_.contains(module_.at(callees[0]).root) ? std::optional(callees[0]) : std::nullopt;
  }

  // --- steps that compute nothing
  // What an operand comes from.
  const Instruction& source(InstructionId id) const {
    const Instruction* i = &module_.at(id);
    for (int step = 0; step < kMostSteps; ++step) {
      const InstructionId next = before(*i);
      if (!next.valid() || !module_.contains(next)) break;
      i = &module_.at(next);
    }
    return *i;
  }
  InstructionId before(const Instruction& i) const {
    if (passesOn(i.opcode)) return i.operands.empty() ? InstructionId() : i.operands[0];
    if (i.opcode == Opcode::Parameter) {
      const InstructionId caller = callers_[i.computation.value];
      const auto number = static_cast<size_t>(i.parameterNumber);
      return caller.valid() && number < module_.at(caller).operands.size() ? module_.at(caller).operands[number]
                                                                           : InstructionId();
    }
    if (i.opcode == Opcode::GetTupleElement && isComplete(i)) {
      const Instruction* tuple = &module_.at(i.operands[0]);
      if (const auto body = bodyOf(*tuple)) tuple = &module_.at(module_.at(*body).root);
      const auto index = static_cast<size_t>(i.attributes->intOr(Attr::index, 0));
      return tuple->opcode == Opcode::Tuple && index < tuple->operands.size() ? tuple->operands[index]
                                                                              : InstructionId();
    }
    const auto body = bodyOf(i);
    return body && callers_[body->value].valid() ? module_.at(*body).root : InstructionId();
  }
  static bool passesOn(Opcode opcode) {
    constexpr Opcode kPassing[] = {Opcode::Broadcast, Opcode::Convert,   Opcode::Reshape,         Opcode::Bitcast,
                                   Opcode::Copy,      Opcode::Transpose, Opcode::ReducePrecision, Opcode::Slice};
    return std::ranges::find(kPassing, opcode) != std::end(kPassing);
  }
  const Instruction& operand(const Instruction& i, size_t k) const { return source(i.operands[k]); }
  bool hasOperands(const Instruction& i, size_t n) const {
    return i.operands.size() >= n &&
           std::ranges::all_of(i.operands, [&](InstructionId o) { return module_.contains(o); });
  }

  // Has all the inputs that its opcode takes.
  bool isComplete(const Instruction& i) const {
    return hasOperands(i, static_cast<size_t>(std::max(arityOf(i.opcode), 0)));
  }

  // Everything from `from` back, nearest first, as far as `follow` says.
  template <class Follow>
  std::vector<const Instruction*> lookBack(const Instruction& from, Follow&& follow) const {
    std::vector<const Instruction*> out{&from};
    for (size_t k = 0; k < out.size() && out.size() < kMostLooked; ++k) {
      if (k > 0 && !follow(*out[k])) continue;
      if (!hasOperands(*out[k], 0)) continue;
      for (size_t o = 0; o < out[k]->operands.size(); ++o) {
        const Instruction* next = &operand(*out[k], o);
        if (std::ranges::find(out, next) == out.end()) out.push_back(next);
      }
    }
    return out;
  }
  static bool isArithmetic(const Instruction& i) {
    constexpr Opcode kOps[] = {Opcode::Add,     Opcode::Subtract, Opcode::Multiply, Opcode::Divide,
                               Opcode::Maximum, Opcode::Minimum,  Opcode::Negate,   Opcode::Power,
                               Opcode::Select,  Opcode::Clamp,    Opcode::Compare,  Opcode::And};
    return std::ranges::find(kOps, i.opcode) != std::end(kOps);
  }
  // Readers of a value, behind what passes it on, in fusions and outside.
  template <class Found>
  bool anyReader(InstructionId id, Found&& found) const {
    std::vector<InstructionId> open{id};
    for (size_t k = 0; k < open.size() && open.size() < kMostLooked; ++k) {
      const Instruction& own = module_.at(open[k]);
      const InstructionId caller = callers_[own.computation.value];
      if (module_.at(own.computation).root == own.id && caller.valid()) open.push_back(caller);
      for (InstructionId user : users_.users(open[k])) {
        const Instruction& reader = module_.at(user);
        if (found(reader)) return true;
        if (passesOn(reader.opcode) || reader.opcode == Opcode::GetTupleElement || reader.opcode == Opcode::Tuple) {
          open.push_back(user);
        } else if (const auto body = bodyOf(reader)) {
          for (size_t o = 0; o < reader.operands.size() && o < module_.at(*body).parameters.size(); ++o)
            if (reader.operands[o] == open[k]) open.push_back(module_.at(*body).parameters[o]);
        }
      }
    }
    return false;
  }

  bool isSum(const Instruction& i) const {
    if (i.opcode != Opcode::Reduce || !hasOperands(i, 2)) return false;
    const std::vector<ComputationId> callees = module_.callees(i);
    return callees.size() == 1 && module_.contains(callees[0]) && module_.contains(module_.at(callees[0]).root) &&
           module_.at(module_.at(callees[0]).root).opcode == Opcode::Add;
  }
  static bool isProduct(const Instruction& i) { return i.opcode == Opcode::Dot || i.opcode == Opcode::RaggedDot; }
  // An exponential, also when it was copied into another fusion.
  bool sameExponential(const Instruction& a, const Instruction& b) const {
    if (a.opcode != Opcode::Exponential || b.opcode != Opcode::Exponential) return false;
    if (&a == &b) return true;
    return isComplete(a) && isComplete(b) && source(a.operands[0]).opcode == source(b.operands[0]).opcode;
  }

  // --- patterns
  std::optional<Pattern> patternAt(const Instruction& i) const {
    if (!isComplete(i)) return std::nullopt;
    switch (i.opcode) {
      case Opcode::Divide:
      case Opcode::Multiply: return softmaxAt(i);
      case Opcode::Log: return logSoftmaxAt(i);
      case Opcode::Rsqrt: return normAt(i);
      case Opcode::Sqrt: return adamAt(i);
      case Opcode::Dot: return mlpAt(i);
      case Opcode::Gather: return embeddingAt(i);
      case Opcode::Xor: return threefryAt(i);
      case Opcode::Add:
      case Opcode::Subtract: return stepAt(i);
      case Opcode::Rng:
      case Opcode::RngBitGenerator: return Pattern::RandomBits;
      case Opcode::BatchNormTraining:
      case Opcode::BatchNormInference: return Pattern::BatchNorm;
      default: return std::nullopt;
    }
  }

  // exp(x) / sum(exp(x)), or exp(x) · (1 / sum(exp(x))).
  std::optional<Pattern> softmaxAt(const Instruction& i) const {
    const Instruction& exponential = operand(i, 0);
    if (exponential.opcode != Opcode::Exponential) return std::nullopt;
    const Instruction* sum = &operand(i, 1);
    if (i.opcode == Opcode::Multiply && sum->opcode == Opcode::Divide && hasOperands(*sum, 2)) sum = &operand(*sum, 1);
    if (!isSum(*sum) || !sameExponential(operand(*sum, 0), exponential)) return std::nullopt;
    return isBetweenProducts(i, exponential) ? Pattern::Attention : Pattern::Softmax;
  }
  bool isBetweenProducts(const Instruction& softmax, const Instruction& exponential) const {
    if (!anyReader(softmax.id, isProduct)) return false;
    const auto back = lookBack(exponential, [](const Instruction& i) { return isArithmetic(i); });
    return std::ranges::any_of(back, [](const Instruction* i) { return isProduct(*i); });
  }

  std::optional<Pattern> logSoftmaxAt(const Instruction& i) const {
    const Instruction& sum = operand(i, 0);
    if (!isSum(sum) || operand(sum, 0).opcode != Opcode::Exponential) return std::nullopt;
    return endsInALoss(i) ? Pattern::CrossEntropy : Pattern::LogSoftmax;
  }
  // A sum of what follows, to few numbers, with a choice by labels on the way.
  bool endsInALoss(const Instruction& log) const {
    std::vector<InstructionId> open{log.id};
    bool chosen = false;
    for (size_t k = 0; k < open.size() && open.size() < kMostLooked; ++k) {
      bool ends = false;
      anyReader(open[k], [&](const Instruction& reader) {
        chosen |=
            reader.opcode == Opcode::Gather || reader.opcode == Opcode::Select || reader.opcode == Opcode::Multiply;
        ends |= chosen && isSum(reader) && reader.shape->rank() <= 1;
        const bool onwards = isArithmetic(reader) || reader.opcode == Opcode::Gather;
        if (onwards && std::ranges::find(open, reader.id) == open.end()) open.push_back(reader.id);
        return ends;
      });
      if (ends) return true;
    }
    return false;
  }

  // The root of a variance: a mean of squares behind it.
  std::optional<Pattern> normAt(const Instruction& i) const {
    if (const auto known = optimizerOfRoot(i)) return known;
    const auto back = lookBack(i, [](const Instruction& from) { return isArithmetic(from); });
    if (std::ranges::any_of(back, [&](const Instruction* b) { return rateOfKept(*b); })) return std::nullopt;
    const auto sum = std::ranges::find_if(back, [&](const Instruction* b) { return isSum(*b); });
    if (sum == back.end()) return normByKnownVariance(back);
    if (!std::ranges::any_of(back, [&](const Instruction* b) { return isMeanOf(*b, **sum); })) return std::nullopt;
    const auto& dimensions = (*sum)->attributes->ints(Attr::dimensions);
    const int64_t rank = module_.shapeOf((*sum)->operands[0]).rank();
    if (std::ranges::find(dimensions, 0) != dimensions.end())
      return rank > 1 ? std::optional(Pattern::BatchNorm) : std::nullopt;
    if (dimensions.size() != 1 || dimensions[0] != rank - 1) return Pattern::GroupNorm;
    const auto square = lookBack(**sum, [](const Instruction& from) { return isArithmetic(from); });
    const auto isSubtraction = [](const Instruction* b) { return b->opcode == Opcode::Subtract; };
    const bool centred =
        std::ranges::any_of(back, isSubtraction) ||
        std::any_of(square.begin(), square.begin() + std::min<std::ptrdiff_t>(square.end() - square.begin(), 4),
                    isSubtraction);
    return centred ? Pattern::LayerNorm : Pattern::RmsNorm;
  }

  // A sum over how many there are, however that is written.
  bool isMeanOf(const Instruction& i, const Instruction& sum) const {
    if ((i.opcode != Opcode::Divide && i.opcode != Opcode::Multiply) || !hasOperands(i, 2)) return false;
    const auto isCount = [](const Instruction& n) { return isNumber(n) || n.shape->isScalar(); };
    return (&operand(i, 0) == &sum && isCount(operand(i, 1))) || (&operand(i, 1) == &sum && isCount(operand(i, 0)));
  }
  // The variance comes in, as it does in a batch norm that is not trained.
  std::optional<Pattern> normByKnownVariance(const std::vector<const Instruction*>& back) const {
    const bool comesIn =
        back.size() <= 4 && std::ranges::any_of(back, [&](const Instruction* b) {
          return b->opcode == Opcode::Parameter && b->computation == computation_.id && b->shape->rank() == 1;
        });
    return comesIn ? std::optional(Pattern::BatchNorm) : std::nullopt;
  }

  // m / (√v + ε), where v is kept or no sum over elements makes it.
  std::optional<Pattern> adamAt(const Instruction& i) const {
    if (const auto known = optimizerOfRoot(i)) return known;
    const auto back = lookBack(i, [](const Instruction& from) { return isArithmetic(from); });
    if (std::ranges::any_of(back, [](const Instruction* b) { return b->opcode == Opcode::Reduce; }))
      return std::nullopt;
    const bool mixes = std::ranges::any_of(back, [&](const Instruction* b) { return isMovingAverage(*b); });
    const bool divides = anyScaledBy(i, [](const Instruction& reader) { return reader.opcode == Opcode::Divide; });
    return mixes && divides ? std::optional(Pattern::Adam) : std::nullopt;
  }
  // By a root of squares that are kept from step to step.
  std::optional<Pattern> optimizerOfRoot(const Instruction& root) const {
    if (root.shape->rank() == 0) return std::nullopt;
    bool averaged = false, summed = false;
    for (const Instruction* b : lookBack(root, isArithmetic)) {
      if (b->shape->elementCount() != root.shape->elementCount()) continue;
      const Instruction* rate = rateOfKept(*b);
      if (rate && (!isNumber(*rate) || addsSumOfSquares(*b))) return std::nullopt;  // Adafactor's
      averaged |= rate != nullptr;
      summed |= isSumOfSquares(*b);
    }
    if (!averaged) return summed ? std::optional(Pattern::Adagrad) : std::nullopt;
    const bool ofAverage = anyScaledBy(root, [&](const Instruction& reader) {
      return std::ranges::any_of(reader.operands, [&](InstructionId o) {
        const auto back = lookBack(source(o), isArithmetic);
        return std::ranges::find(back, &root) == back.end() &&
               std::ranges::any_of(back, [&](const Instruction* b) { return rateOfKept(*b) && isMovingAverage(*b); });
      });
    });
    return ofAverage ? Pattern::Adam : Pattern::RmsProp;
  }
  // What is multiplied with a root or divided by it, with a number added or without.
  template <class Found>
  bool anyScaledBy(const Instruction& root, Found&& found) const {
    const auto scales = [&](const Instruction& reader) {
      return (reader.opcode == Opcode::Divide || reader.opcode == Opcode::Multiply) && isComplete(reader) &&
             found(reader);
    };
    return anyReader(root.id, [&](const Instruction& reader) {
      return scales(reader) || (reader.opcode == Opcode::Add && anyReader(reader.id, scales));
    });
  }
  bool isSquare(const Instruction& i) const {
    return i.opcode == Opcode::Multiply && isComplete(i) && &operand(i, 0) == &operand(i, 1);
  }
  // … + b · (sum over rows or columns of squares)
  bool addsSumOfSquares(const Instruction& sum) const {
    return std::ranges::any_of(sum.operands, [&](InstructionId o) {
      const Instruction& part = source(o);
      return part.opcode == Opcode::Multiply && std::ranges::any_of(part.operands, [&](InstructionId f) {
               return isSum(source(f)) && isSquare(operand(source(f), 0));
             });
    });
  }
  // kept + g²
  bool isSumOfSquares(const Instruction& sum) const {
    if (sum.opcode != Opcode::Add || !hasOperands(sum, 2)) return false;
    for (size_t o = 0; o < 2; ++o) {
      const Instruction &kept = operand(sum, o), &square = operand(sum, 1 - o);
      if (kept.opcode == Opcode::Parameter && kept.computation == computation_.id &&
          sameIgnoringLayout(*kept.shape, *sum.shape) && isSquare(square))
        return true;
    }
    return false;
  }
  // A product with a number, which may be in a factor `depth` products further.
  bool isScaled(const Instruction& i, int depth = 0) const {
    if (i.opcode != Opcode::Multiply || !hasOperands(i, 2)) return false;
    const Instruction &a = operand(i, 0), &b = operand(i, 1);
    return isNumber(a) || isNumber(b) || (depth > 0 && (isScaled(a, depth - 1) || isScaled(b, depth - 1)));
  }
  static bool isNumber(const Instruction& i) { return i.opcode == Opcode::Constant; }
  // a · x + b · y, where y may be a square
  bool isMovingAverage(const Instruction& i) const {
    return i.opcode == Opcode::Add && hasOperands(i, 2) && isScaled(operand(i, 0), 2) && isScaled(operand(i, 1), 2);
  }

  // A parameter that goes out again as parameter - rate · something.
  std::optional<Pattern> stepAt(const Instruction& i) const {
    const InstructionId root = computation_.root;
    const Instruction& base = operand(i, 0);
    if (!hasOperands(i, 2) || base.opcode != Opcode::Parameter || base.computation != computation_.id)
      return std::nullopt;
    if (!isFloat(i.shape->type) || !sameIgnoringLayout(*i.shape, *base.shape)) return std::nullopt;
    const bool goesOut = i.id == root || anyReader(i.id, [&](const Instruction& r) { return r.id == root; });
    const Instruction& step = operand(i, 1);
    if (!goesOut || !isScaled(step)) return std::nullopt;
    const Instruction& direction = isNumber(operand(step, 0)) ? operand(step, 1) : operand(step, 0);
    const auto back = lookBack(direction, [](const Instruction& from) { return isArithmetic(from); });
    if (std::ranges::any_of(back, [&](const Instruction* b) { return isRootOfFactors(*b, *i.shape); }))
      return Pattern::Adafactor;
    for (const Instruction* b : back)
      if (b->opcode == Opcode::Sqrt || b->opcode == Opcode::Rsqrt)
        if (const auto known = optimizerOfRoot(*b)) return known;
    // The root of a norm clips the step, and one of sums over rows or columns is another optimizer's.
    bool isByOtherRoots = false;
    for (const Instruction* b : back) {
      if (!isArithmetic(direction) || b->opcode != Opcode::Sqrt) continue;
      if (b->shape->elementCount() == i.shape->elementCount()) return Pattern::Adam;
      isByOtherRoots |= b->shape->rank() > 0;
    }
    if (isByOtherRoots) return std::nullopt;
    if (const auto sign = std::ranges::find(back, Opcode::Sign, &Instruction::opcode); sign != back.end())
      return isSignOfAverage(**sign) ? std::optional(Pattern::Lion) : std::nullopt;
    const Instruction& own = withoutDecay(direction, base);
    const bool keeps =
        own.opcode == Opcode::Add && hasOperands(own, 2) && (isScaled(operand(own, 0)) || isScaled(operand(own, 1)));
    return keeps ? Pattern::Momentum : Pattern::Sgd;
  }

  // d of d + number · parameter, which pulls the parameter to zero.
  const Instruction& withoutDecay(const Instruction& direction, const Instruction& parameter) const {
    if (direction.opcode != Opcode::Add || !hasOperands(direction, 2)) return direction;
    for (size_t o = 0; o < 2; ++o) {
      const Instruction& part = operand(direction, o);
      if (isScaled(part) && (&operand(part, 0) == &parameter || &operand(part, 1) == &parameter))
        return operand(direction, 1 - o);
    }
    return direction;
  }
  bool isSignOfAverage(const Instruction& sign) const {
    return hasOperands(sign, 1) && isMovingAverage(operand(sign, 0));
  }
  // What scales a step by sums over rows or columns of squares that are kept, or, where there is one dimension alone,
  // by the squares themselves, which Adafactor forgets at a rate that it computes.
  bool isRootOfFactors(const Instruction& root, const Shape& step) const {
    constexpr Opcode kRoots[] = {Opcode::Power, Opcode::Rsqrt, Opcode::Sqrt};
    if (std::ranges::find(kRoots, root.opcode) == std::end(kRoots) || root.shape->rank() == 0) return false;
    const bool factored = root.shape->elementCount() < step.elementCount();
    return std::ranges::any_of(lookBack(root, isArithmetic), [&](const Instruction* b) {
      const Instruction* rate = rateOfKept(*b);
      return rate && (factored || !isNumber(*rate));
    });
  }
  // r of r · kept + …, where `kept` is a parameter of the sum's shape; null: it is no such sum.
  const Instruction* rateOfKept(const Instruction& sum) const {
    if (sum.opcode != Opcode::Add || sum.shape->rank() == 0 || !hasOperands(sum, 2)) return nullptr;
    for (size_t o = 0; o < 2; ++o) {
      const Instruction& product = operand(sum, o);
      if (product.opcode != Opcode::Multiply || !hasOperands(product, 2)) continue;
      for (size_t k = 0; k < 2; ++k) {
        const Instruction &rate = operand(product, k), &kept = operand(product, 1 - k);
        if (rate.shape->isScalar() && kept.opcode == Opcode::Parameter && kept.computation == computation_.id &&
            sameIgnoringLayout(*kept.shape, *sum.shape))
          return &rate;
      }
    }
    return nullptr;
  }

  // A product with a weight of an activation of a product, where the weight is not that of a recurrence.
  std::optional<Pattern> mlpAt(const Instruction& i) const {
    for (size_t o = 0; o < 2 && hasOperands(i, 2); ++o) {
      if (!isWeight(operand(i, 1 - o))) continue;
      const auto back = activationsBefore(operand(i, o));
      const auto has = [&](auto&& found) {
        return std::ranges::any_of(back, [&](const Instruction* b) { return found(*b); });
      };
      if (!has([&](const Instruction& b) { return isActivation(b); }) || !has(isProduct)) continue;
      if (has([](const Instruction& b) { return b.opcode == Opcode::Reduce; }) || isRecurrent(i, 1 - o, back)) continue;
      return Pattern::Mlp;
    }
    return std::nullopt;
  }
  // Back to products.
  std::vector<const Instruction*> activationsBefore(const Instruction& from) const {
    return lookBack(from, [&](const Instruction& i) { return isActivation(i) || isArithmetic(i); });
  }
  static bool isWeight(const Instruction& i) {
    constexpr Opcode kOps[] = {Opcode::Parameter, Opcode::GetTupleElement, Opcode::Constant, Opcode::AllGather,
                               Opcode::AllGatherDone};
    return std::ranges::find(kOps, i.opcode) != std::end(kOps);
  }
  // Steps of a recurrence multiply by the same weight in the same way, each what comes from the one before.
  bool isRecurrent(const Instruction& product, size_t weight, std::span<const Instruction* const> back) const {
    const Instruction& own = operand(product, weight);
    const auto isLike = [&](const Instruction& other) {
      if (&other == &product || other.opcode != Opcode::Dot || !hasOperands(other, 2)) return false;
      return &operand(other, weight) == &own && contracted(other, weight) == contracted(product, weight);
    };
    if (std::ranges::any_of(back, [&](const Instruction* b) { return isLike(*b); })) return true;
    return anyReader(own.id, [&](const Instruction& other) {
      return isLike(other) && std::ranges::any_of(activationsBefore(operand(other, 1 - weight)),
                                                  [&](const Instruction* b) { return b == &product; });
    });
  }
  static const std::vector<int64_t>& contracted(const Instruction& product, size_t operand) {
    return product.attributes->ints(operand == 0 ? Attr::lhs_contracting_dims : Attr::rhs_contracting_dims);
  }
  bool isActivation(const Instruction& i) const {
    constexpr Opcode kOps[] = {Opcode::Tanh, Opcode::Erf, Opcode::Logistic};
    if (std::ranges::find(kOps, i.opcode) != std::end(kOps)) return true;
    return i.opcode == Opcode::Maximum && hasOperands(i, 2) && (isNumber(operand(i, 0)) || isNumber(operand(i, 1)));
  }

  std::optional<Pattern> embeddingAt(const Instruction& i) const {
    const Instruction& table = operand(i, 0);
    const bool rows = hasOperands(i, 2) && table.opcode == Opcode::Parameter && isFloat(table.shape->type) &&
                      table.shape->rank() == 2 && isInteger(module_.shapeOf(i.operands[1]).type);
    const auto& sizes = i.attributes->ints(Attr::slice_sizes);
    return rows && sizes.size() == 2 && sizes[0] == 1 && sizes[1] == table.shape->dimensions[1]
               ? std::optional(Pattern::Embedding)
               : std::nullopt;
  }

  // x ^ rotate(y): a round of Threefry.
  std::optional<Pattern> threefryAt(const Instruction& i) const {
    for (size_t k = 0; k < 2 && hasOperands(i, 2); ++k) {
      const Instruction& rotated = operand(i, k);
      if (rotated.opcode != Opcode::Or || !hasOperands(rotated, 2)) continue;
      const Opcode a = operand(rotated, 0).opcode, b = operand(rotated, 1).opcode;
      if ((a == Opcode::ShiftLeft && b == Opcode::ShiftRightLogical) ||
          (b == Opcode::ShiftLeft && a == Opcode::ShiftRightLogical))
        return Pattern::RandomBits;
    }
    return std::nullopt;
  }

  const Module& module_;
  const Computation& computation_;
  const UserTable& users_;
  const std::vector<int32_t>& positions_;
  std::vector<InstructionId> callers_;                     // by computation
  std::vector<std::pair<ComputationId, int32_t>> inside_;  // computations, with the place of the outermost caller
  std::vector<Recognised> out_;
};

}  // namespace

std::string_view nameOf(Pattern pattern) {
  constexpr std::string_view kNames[] = {"attention", "softmax",    "cross-entropy", "log-softmax", "layer norm",
                                         "RMS norm",  "batch norm", "group norm",    "MLP",         "embedding",
                                         "Adam",      "RMSprop",    "Adagrad",       "momentum",    "SGD",
                                         "Adafactor", "Lion",       "random bits"};
  static_assert(std::size(kNames) == static_cast<size_t>(Pattern::RandomBits) + 1);
  return kNames[static_cast<size_t>(pattern)];
}

bool isUpdate(Pattern pattern) {
  constexpr Pattern kUpdates[] = {Pattern::Adam, Pattern::RmsProp,   Pattern::Adagrad, Pattern::Momentum,
                                  Pattern::Sgd,  Pattern::Adafactor, Pattern::Lion};
  return std::ranges::find(kUpdates, pattern) != std::end(kUpdates);
}

std::vector<Recognised> recognise(const Module& module, const Computation& computation, const UserTable& users,
                                  const std::vector<int32_t>& positions) {
  return Recogniser(module, computation, users, positions).run();
}

}  // namespace tessera
