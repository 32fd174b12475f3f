// Cost counting. One counter per question; costs of computations are remembered, so a reducer that a thousand
// instructions call is counted once.
#include "core/cost/cost.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <numeric>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "core/ops/inference/infer.h"
#include "core/ops/shared/window_math.h"

namespace tessera {
namespace {

constexpr double kPointerBytes = 8;

double elementsOf(const Shape& shape) {
  if (shape.isTuple()) return shape.elements.empty() ? 0 : elementsOf(shape.elements.front());
  double count = shape.isArray() ? 1 : 0;
  for (int64_t d : shape.dimensions) count *= d == Shape::kUnbounded ? 0 : static_cast<double>(d);
  return count;
}

// Packed where the layout says so (s4 with E(4)). A tuple is its leaves: what an instruction reads or writes of it.
double bytesOf(const Shape& shape) {
  if (shape.isTuple()) {
    double sum = 0;
    for (const Shape& element : shape.elements) sum += bytesOf(element);
    return sum;
  }
  if (!shape.isArray()) return 0;
  const int64_t bits = shape.layout ? shape.layout->elementSizeInBits : 0;
  return bits > 0 ? std::ceil(elementsOf(shape) * static_cast<double>(bits) / 8)
                  : elementsOf(shape) * byteWidth(shape.type);
}

double pointerTableBytes(const Shape& tuple) { return kPointerBytes * static_cast<double>(tuple.elements.size()); }

double floorLog2(int64_t n) { return n <= 1 ? 0 : static_cast<double>(std::bit_width(static_cast<uint64_t>(n)) - 1); }
double ceilLog2(double n) {
  constexpr double kMost = 9e18;  // fits 64 bits
  return n <= 1 ? 0 : static_cast<double>(std::bit_width(static_cast<uint64_t>(std::min(n, kMost)) - 1));
}

enum class Work : uint8_t { None, Flop, Transcendental };

Work workOf(Opcode opcode) {
  using O = Opcode;
  switch (opcode) {
    case O::Erf:
    case O::Exponential:
    case O::ExponentialMinusOne:
    case O::Log:
    case O::LogPlusOne:
    case O::Logistic:
    case O::Power:
    case O::Tanh:
    case O::Sine:
    case O::Cosine:
    case O::Tan:
    case O::Sqrt:
    case O::Rsqrt:
    case O::Cbrt:
    case O::Atan2:
    case O::Acos:
    case O::Acosh:
    case O::Asin:
    case O::Asinh:
    case O::Atanh:
    case O::Sinh:
    case O::Cosh:
    case O::Rng:
    case O::RngBitGenerator: return Work::Transcendental;
    case O::Abs:
    case O::Add:
    case O::And:
    case O::BitcastConvert:
    case O::Ceil:
    case O::Clamp:
    case O::Compare:
    case O::Complex:
    case O::Convert:
    case O::CountLeadingZeros:
    case O::Divide:
    case O::Floor:
    case O::Imag:
    case O::IsFinite:
    case O::Maximum:
    case O::Minimum:
    case O::Mulhi:
    case O::Multiply:
    case O::Negate:
    case O::Not:
    case O::Or:
    case O::Popcnt:
    case O::Real:
    case O::ReducePrecision:
    case O::Remainder:
    case O::RoundNearestAfz:
    case O::RoundNearestEven:
    case O::Select:
    case O::ShiftLeft:
    case O::ShiftRightArithmetic:
    case O::ShiftRightLogical:
    case O::Sign:
    case O::StochasticConvert:
    case O::Subtract:
    case O::Xor: return Work::Flop;
    default: return Work::None;
  }
}

class CostCounter {
 public:
  explicit CostCounter(const Module& module) : module_(module) {}

  Cost of(ComputationId id) {
    countFirst({id});
    return known(id);
  }

  Cost of(const Instruction& instruction) {
    countFirst(module_.callees(instruction));
    return own(instruction);
  }

 private:
  // Counts the computations and what they call, callees first: a chain of calls may be longer than the stack.
  void countFirst(std::vector<ComputationId> open) {
    while (!open.empty()) {
      const ComputationId next = open.back();
      if (!module_.contains(next) || known_.contains(next)) {
        open.pop_back();
      } else if (entered_.insert(next).second) {
        for (InstructionId id : module_.at(next).instructions)
          for (ComputationId callee : module_.callees(module_.at(id)))
            if (!entered_.contains(callee)) open.push_back(callee);
      } else {
        open.pop_back();
        Cost sum;
        for (InstructionId id : module_.at(next).instructions) add(sum, own(module_.at(id)), 1);
        known_[next] = sum;
      }
    }
  }

  // Nothing for what is not there, and for a call that leads back to its caller.
  Cost known(ComputationId id) const {
    const auto found = known_.find(id);
    return found == known_.end() ? Cost{} : found->second;
  }

  // Of an instruction whose callees are counted.
  Cost own(const Instruction& instruction) {
    if (const OpDef* op = findOp(instruction.opcode); op && op->cost)
      return op->cost(inferContextOf(module_, instruction), *instruction.shape);
    Cost cost;
    if (countCallees(instruction, cost)) return cost;
    countWork(instruction, cost);
    cost.bytesAccessed = bytes(instruction);
    return cost;
  }

  static void add(Cost& sum, const Cost& more, double times) {
    sum.flops += more.flops * times;
    sum.transcendentals += more.transcendentals * times;
    sum.bytesAccessed += more.bytesAccessed * times;
  }
  static void addWork(Cost& sum, const Cost& more, double times) {
    if (times <= 0) return;
    sum.flops += more.flops * times;
    sum.transcendentals += more.transcendentals * times;
  }

  const Shape& operandShape(const Instruction& instruction, size_t i) const {
    static const Shape kNone = Shape::tuple({});
    if (i >= instruction.operands.size() || !module_.contains(instruction.operands[i])) return kNone;
    return module_.shapeOf(instruction.operands[i]);
  }

  Cost callee(const Instruction& instruction, size_t i) {
    const auto callees = module_.callees(instruction);
    return i < callees.size() ? known(callees[i]) : Cost{};
  }

  // Ops whose cost is that of their computations; false for all others.
  bool countCallees(const Instruction& instruction, Cost& cost) {
    const auto callees = module_.callees(instruction);
    switch (instruction.opcode) {
      case Opcode::Call:
      case Opcode::While:
      case Opcode::AsyncStart:
        for (ComputationId id : callees) add(cost, known(id), 1);
        return true;
      case Opcode::Conditional:
        for (ComputationId id : callees) {
          const Cost branch = known(id);
          cost.flops = std::max(cost.flops, branch.flops);
          cost.transcendentals = std::max(cost.transcendentals, branch.transcendentals);
          cost.bytesAccessed = std::max(cost.bytesAccessed, branch.bytesAccessed);
        }
        return true;
      case Opcode::Fusion:
        for (ComputationId id : callees) addWork(cost, known(id), 1);
        cost.bytesAccessed = fusionBytes(instruction);
        return true;
      default: return false;
    }
  }

  void countWork(const Instruction& instruction, Cost& cost) {
    const double elements = elementsOf(*instruction.shape);
    switch (instruction.opcode) {
      case Opcode::Dot: cost.flops = 2 * elements * contracted(instruction); return;
      case Opcode::Convolution: cost.flops = convolutionFlops(instruction); return;
      case Opcode::Map: return addWork(cost, callee(instruction, 0), elements);
      case Opcode::Reduce:
        return addWork(cost, callee(instruction, 0), elementsOf(operandShape(instruction, 0)) - elements);
      case Opcode::ReduceWindow:
        return addWork(cost, callee(instruction, 0), (windowElements(instruction) - 1) * elements);
      case Opcode::SelectAndScatter: {
        const double source = elementsOf(operandShape(instruction, 1));
        addWork(cost, callee(instruction, 0), source * (windowElements(instruction) - 1));
        return addWork(cost, callee(instruction, 1), source);
      }
      case Opcode::Scatter:
        return addWork(cost, callee(instruction, 0),
                       elementsOf(operandShape(instruction, instruction.operands.size() / 2 + 1)));
      case Opcode::Sort: {
        const double n = elementsOf(operandShape(instruction, 0));
        cost.flops = n * ceilLog2(n);
        return;
      }
      case Opcode::AllReduce:
      case Opcode::AllReduceStart:
        for (size_t i = 0; i < instruction.operands.size(); ++i) cost.flops += elementsOf(operandShape(instruction, i));
        return;
      case Opcode::Fft: {
        cost.flops = 8 * elementsOf(operandShape(instruction, 0));  // a complex multiplication and addition a step
        for (int64_t length : instruction.attributes->ints(Attr::fft_length)) cost.flops *= floorLog2(length);
        return;
      }
      default: break;
    }
    if (workOf(instruction.opcode) == Work::Flop) cost.flops = elements;
    if (workOf(instruction.opcode) == Work::Transcendental) cost.transcendentals = elements;
  }

  double contracted(const Instruction& instruction) const {
    const Shape& lhs = operandShape(instruction, 0);
    double count = 1;
    for (int64_t d : instruction.attributes->ints(Attr::lhs_contracting_dims))
      if (d >= 0 && d < lhs.rank()) count *= static_cast<double>(lhs.dimensions[static_cast<size_t>(d)]);
    return count;
  }

  double windowElements(const Instruction& instruction) const {
    double count = 1;
    for (const WindowDimension& each : windowOr(*instruction.attributes, 0).dimensions)
      count *= static_cast<double>(each.size);
    return count;
  }

  double convolutionFlops(const Instruction& instruction) const {
    const auto* dims = instruction.attributes->get<ConvolutionDimensions>(Attr::dim_labels);
    const Shape &lhs = operandShape(instruction, 0), &rhs = operandShape(instruction, 1), &out = *instruction.shape;
    if (!dims || out.rank() != lhs.rank() || rhs.rank() != lhs.rank()) return 0;
    const auto at = [](const Shape& shape, int64_t d) {
      return d >= 0 && d < shape.rank() ? shape.dimensions[static_cast<size_t>(d)] : 1;
    };
    double count = static_cast<double>(at(rhs, dims->kernelInput)) * static_cast<double>(at(out, dims->outputFeature)) *
                   static_cast<double>(at(out, dims->outputBatch));
    const Window window = windowOr(*instruction.attributes, dims->inputSpatial.size());
    for (size_t i = 0; i < dims->inputSpatial.size() && i < window.dimensions.size(); ++i)
      count *= validPositions(window.dimensions[i], at(lhs, dims->inputSpatial[i]), at(out, dims->outputSpatial[i]));
    return 2 * count;
  }

  // Pairs (output position, window element) that meet an input element: a sum over the window's elements, of very many
  // over every so manieth.
  static double validPositions(const WindowDimension& window, int64_t size, int64_t positions) {
    constexpr int64_t kMostTerms = int64_t{1} << 20;
    const int64_t each = window.size / kMostTerms + 1;
    double count = 0;
    for (int64_t w = 0; w < window.size; w += each)
      count += static_cast<double>(std::min(each, window.size - w)) *
               static_cast<double>(positionsMeeting(window, size, positions, w));
    return count;
  }

  // Positions p of which the window's element w meets an input element: those in reach, and of them, where the base is
  // dilated, the ones in the one residue class that meets no hole.
  static int64_t positionsMeeting(const WindowDimension& window, int64_t size, int64_t positions, int64_t w) {
    const int64_t shift = w * window.windowDilation - window.paddingLow, stride = window.stride,
                  reach = (size - 1) * window.baseDilation - shift;
    int64_t first = shift >= 0 ? 0 : (-shift + stride - 1) / stride;
    const int64_t past = size <= 0 || reach < 0 ? 0 : std::min(reach / stride + 1, positions);
    const int64_t common = std::gcd(stride, window.baseDilation), period = window.baseDilation / common;
    if (past <= first || shift % common != 0) return 0;
    const int64_t wanted = (-(shift / common) % period + period) % period,
                  residue = wanted * inverseModulo(stride / common, period) % period;
    first += (residue - first % period + period) % period;
    return past <= first ? 0 : (past - first - 1) / period + 1;
  }

  // x with a x = 1 modulo m, by Euclid; 0 for m = 1.
  static int64_t inverseModulo(int64_t a, int64_t m) {
    int64_t r = m, next = a % m, x = 0, y = 1;
    while (next != 0) {
      const int64_t q = r / next;
      r = std::exchange(next, r - q * next);
      x = std::exchange(y, x - q * y);
    }
    return m == 1 ? 0 : (x % m + m) % m;
  }

  double operandBytes(const Instruction& instruction) const {
    double sum = 0;
    for (size_t i = 0; i < instruction.operands.size(); ++i) sum += bytesOf(operandShape(instruction, i));
    return sum;
  }

  double bytes(const Instruction& instruction) const {
    const double out = bytesOf(*instruction.shape);
    const auto operand = [&](size_t i) { return bytesOf(operandShape(instruction, i)); };
    switch (instruction.opcode) {
      case Opcode::Parameter:
      case Opcode::Constant:
      case Opcode::GetTupleElement:
      case Opcode::Bitcast:
      case Opcode::AfterAll:
      case Opcode::OptBarrier:
      case Opcode::AddDependency:
      case Opcode::CustomCall: return 0;  // of a custom call nothing is known
      case Opcode::Tuple: return pointerTableBytes(*instruction.shape);
      case Opcode::Slice: return 2 * out;
      case Opcode::DynamicSlice:
      case Opcode::Gather: return 2 * out + operand(1);
      case Opcode::DynamicUpdateSlice: return 2 * operand(1) + operand(2);
      case Opcode::Scatter: {
        const size_t n = instruction.operands.size() / 2;
        return 2 * operand(n + 1) + operand(n);
      }
      default: return operandBytes(instruction) + out;
    }
  }

  // --- fusions
  double fusionBytes(const Instruction& fusion) {
    const auto callees = module_.callees(fusion);
    if (callees.empty() || !module_.contains(callees.front()) || !module_.at(callees.front()).root.valid())
      return operandBytes(fusion) + bytesOf(*fusion.shape);
    const Computation& body = module_.at(callees.front());
    double sum = writtenBytes(body.root);
    for (InstructionId parameter : body.parameters) sum += readBytes(body, parameter);
    return sum;
  }

  double writtenBytes(InstructionId root) const {
    const Instruction& instruction = module_.at(root);
    if (instruction.opcode == Opcode::DynamicUpdateSlice) return bytesOf(operandShape(instruction, 1));
    if (instruction.opcode != Opcode::Tuple) return bytesOf(*instruction.shape);
    double sum = 0;
    for (InstructionId each : instruction.operands) sum += writtenBytes(each);
    return sum;
  }

  // What the fused computation reads of one parameter: slices read themselves, each broadcast and reshape reads all of
  // it, all else shares one full read.
  double readBytes(const Computation& body, InstructionId parameter) const {
    double parts = 0;
    bool whole = false;
    for (InstructionId id : body.instructions) {
      const Instruction& user = module_.at(id);
      for (size_t i = 0; i < user.operands.size(); ++i) {
        if (user.operands[i] != parameter) continue;
        const bool updated = user.opcode == Opcode::DynamicUpdateSlice && i == 0;
        if (user.opcode == Opcode::Slice || (user.opcode == Opcode::DynamicSlice && i == 0))
          parts += bytesOf(*user.shape);
        else if (user.opcode == Opcode::Broadcast || user.opcode == Opcode::Reshape)
          parts += bytesOf(module_.shapeOf(parameter));
        else if (!updated)
          whole = true;
      }
    }
    return parts + (whole ? bytesOf(module_.shapeOf(parameter)) : 0);
  }

  const Module& module_;
  std::unordered_map<ComputationId, Cost> known_;
  std::unordered_set<ComputationId> entered_;
};

}  // namespace

Cost costOf(const Module& module, InstructionId id) { return CostCounter(module).of(module.at(id)); }

Cost costOf(const Module& module) {
  return module.contains(module.entry()) ? CostCounter(module).of(module.entry()) : Cost{};
}

}  // namespace tessera
