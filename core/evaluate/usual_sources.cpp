// The kind of a parameter follows from its readers, also through ops that only change its form.
#include "core/evaluate/usual_sources.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "core/hlo/element_type.h"

namespace tessera {
namespace {

constexpr int kDeepest = 6;  // readers that only change the form

class Usual {
 public:
  explicit Usual(const Module& module) : module_(module), users_(module) {}

  std::string of(InstructionId parameter) const {
    const Shape& shape = module_.shapeOf(parameter);
    if (!shape.isArray()) return "rule";
    if (isFloat(shape.type) && isUnderRoot(parameter, 0)) return "uniform 0 1";
    if (isFloat(shape.type)) return "normal 0 " + fmt::format("{:.3g}", deviationOf(parameter, shape));
    if (isInteger(shape.type))
      if (const auto rows = rowsBehind(parameter, 0); rows && *rows > 0) return fmt::format("uniform 0 {}", *rows - 1);
    return "rule";
  }
  bool isWeight(InstructionId parameter) const {
    const Shape& shape = module_.shapeOf(parameter);
    if (!shape.isArray() || !isFloat(shape.type)) return false;
    return fanIn(parameter, 0) > 0 || (shape.rank() <= 1 && isOnlyAdded(parameter, 0)) || isTable(parameter);
  }

 private:
  // Rows of it are gathered.
  bool isTable(InstructionId id) const {
    const auto readers = users_.users(id);
    return !readers.empty() && std::ranges::all_of(readers, [&](InstructionId user) {
      return module_.at(user).opcode == Opcode::Gather && module_.at(user).operands[0] == id;
    });
  }
  static bool changesForm(Opcode opcode) {
    return opcode == Opcode::Reshape || opcode == Opcode::Transpose || opcode == Opcode::Broadcast ||
           opcode == Opcode::Convert || opcode == Opcode::Copy || opcode == Opcode::Bitcast;
  }

  double deviationOf(InstructionId parameter, const Shape& shape) const {
    if (const int64_t n = fanIn(parameter, 0); n > 0) return 1 / std::sqrt(static_cast<double>(n));
    return shape.rank() == 1 && isOnlyAdded(parameter, 0) ? 0.1 : 1;
  }

  // Its root or logarithm is taken, as of the mean squares of an optimizer, after no more than sums, scalings and
  // bounds, here or in a computation that is called with it.
  bool isUnderRoot(InstructionId id, int depth) const {
    return std::ranges::any_of(users_.users(id), [&](InstructionId user) {
      const Instruction& reader = module_.at(user);
      constexpr Opcode kRoots[] = {Opcode::Sqrt, Opcode::Rsqrt, Opcode::Log};
      if (std::ranges::find(kRoots, reader.opcode) != std::end(kRoots)) return true;
      if (reader.opcode == Opcode::Call) return depth < kDeepest && isUnderRootOfCallee(reader, id, depth + 1);
      const bool passes = changesForm(reader.opcode) || reader.opcode == Opcode::Add || isScaling(reader, id);
      return passes && depth < kDeepest && isUnderRoot(user, depth + 1);
    });
  }
  bool isUnderRootOfCallee(const Instruction& call, InstructionId id, int depth) const {
    for (ComputationId callee : module_.callees(call))
      for (size_t k = 0; module_.contains(callee) && k < call.operands.size(); ++k)
        if (call.operands[k] == id && k < module_.at(callee).parameters.size())
          if (const InstructionId inner = module_.at(callee).parameters[k];
              module_.contains(inner) && isUnderRoot(inner, depth))
            return true;
    return false;
  }
  // One number for all elements multiplies, divides or bounds them.
  bool isScaling(const Instruction& reader, InstructionId id) const {
    if (reader.operands.size() != 2) return false;
    const bool isFirst = reader.operands[0] == id;
    const bool isEitherWay = reader.opcode == Opcode::Multiply || reader.opcode == Opcode::Maximum;
    return (isEitherWay && isNumber(reader.operands[isFirst ? 1 : 0])) ||
           (reader.opcode == Opcode::Divide && isFirst && isNumber(reader.operands[1]));
  }
  bool isNumber(InstructionId id) const {
    if (!module_.contains(id)) return false;  // an open input
    const Instruction& instruction = module_.at(id);
    const bool isBroadcast = instruction.opcode == Opcode::Broadcast && instruction.operands.size() == 1;
    return instruction.shape->isScalar() || (isBroadcast && module_.contains(instruction.operands[0]) &&
                                             module_.shapeOf(instruction.operands[0]).isScalar());
  }

  // The number of products that each result adds, with this as the second factor; 0: it is none.
  int64_t fanIn(InstructionId id, int depth) const {
    for (InstructionId user : users_.users(id)) {
      const Instruction& reader = module_.at(user);
      const bool second = reader.operands.size() > 1 && reader.operands[1] == id && reader.operands[0] != id;
      if (second && reader.opcode == Opcode::Dot)
        return productOf(id, reader.attributes->ints(Attr::rhs_contracting_dims));
      if (second && reader.opcode == Opcode::Convolution) return kernelProducts(id, reader);
      if (reader.opcode == Opcode::Call)
        for (size_t k = 1; k < reader.operands.size(); ++k)
          if (reader.operands[k] == id && reader.operands[0] != id)
            if (const int64_t n = fanInOfCallee(reader, k, depth)) return n;
      if (depth < kDeepest && changesForm(reader.opcode))
        if (const int64_t n = fanIn(user, depth + 1)) return n;
    }
    return 0;
  }
  int64_t fanInOfCallee(const Instruction& call, size_t operand, int depth) const {
    for (ComputationId callee : module_.callees(call))
      if (module_.contains(callee) && operand < module_.at(callee).parameters.size() && depth < kDeepest)
        if (const InstructionId inner = module_.at(callee).parameters[operand];
            module_.contains(inner) && (operand == 1 || multipliesInputs(inner)))
          return fanIn(inner, depth + 1);
    return 0;
  }
  // What it multiplies is given or itself a product: a cell's state times its weights, heads side by side times the
  // last weights, unlike attention times its values.
  bool multipliesInputs(InstructionId id) const {
    return std::ranges::any_of(users_.users(id), [&](InstructionId user) {
      const Instruction& reader = module_.at(user);
      return reader.opcode == Opcode::Dot && reader.operands[1] == id && isInputOrProduct(reader.operands[0]);
    });
  }
  bool isInputOrProduct(InstructionId id) const {
    for (int depth = 0; depth < kDeepest && module_.contains(id) && changesForm(module_.at(id).opcode); ++depth)
      id = module_.at(id).operands[0];
    if (!module_.contains(id)) return false;
    const Opcode opcode = module_.at(id).opcode;
    return opcode == Opcode::Parameter || opcode == Opcode::Dot;
  }
  int64_t productOf(InstructionId id, const std::vector<int64_t>& dimensions) const {
    int64_t out = 1;
    const Shape& shape = module_.shapeOf(id);
    for (int64_t d : dimensions)
      if (d >= 0 && d < shape.rank()) out *= shape.dimensions[static_cast<size_t>(d)];
    return out;
  }
  // All of the kernel but what tells results apart.
  int64_t kernelProducts(InstructionId kernel, const Instruction& convolution) const {
    const auto* dims = convolution.attributes->get<ConvolutionDimensions>(Attr::dim_labels);
    if (!dims) return 0;
    std::vector<int64_t> added = dims->kernelSpatial;
    added.push_back(dims->kernelInput);
    return productOf(kernel, added);
  }

  // Beside what a step of descent subtracts from it.
  bool isOnlyAdded(InstructionId id, int depth) const {
    bool added = false;
    for (InstructionId user : users_.users(id)) {
      const Instruction& reader = module_.at(user);
      if (reader.opcode == Opcode::Subtract && reader.operands[0] == id && reader.operands[1] != id) continue;
      if (!adds(user, id, depth)) return false;
      added = true;
    }
    return added;
  }
  bool adds(InstructionId user, InstructionId id, int depth) const {
    const Instruction& reader = module_.at(user);
    if (reader.opcode == Opcode::Add) return true;
    if (reader.opcode == Opcode::Call && depth < kDeepest) return isOnlyAddedInside(reader, id, depth);
    return depth < kDeepest && changesForm(reader.opcode) && isOnlyAdded(user, depth + 1);
  }

  bool isOnlyAddedInside(const Instruction& call, InstructionId id, int depth) const {
    for (size_t k = 0; k < call.operands.size(); ++k)
      for (ComputationId callee : module_.callees(call))
        if (call.operands[k] == id && (!module_.contains(callee) || k >= module_.at(callee).parameters.size() ||
                                       !isOnlyAdded(module_.at(callee).parameters[k], depth + 1)))
          return false;
    return true;
  }

  // Of what is gathered by these indices; none: they are no such thing.
  std::optional<int64_t> rowsBehind(InstructionId id, int depth) const {
    for (InstructionId user : users_.users(id)) {
      const Instruction& reader = module_.at(user);
      if (reader.opcode == Opcode::Gather && reader.operands.size() > 1 && reader.operands[1] == id &&
          module_.contains(reader.operands[0])) {
        const auto& starts = reader.attributes->ints(Attr::start_index_map);
        const Shape& table = module_.shapeOf(reader.operands[0]);
        if (!starts.empty() && starts[0] >= 0 && starts[0] < table.rank())
          return table.dimensions[static_cast<size_t>(starts[0])];
      }
      if (depth < kDeepest && changesForm(reader.opcode))
        if (const auto rows = rowsBehind(user, depth + 1)) return rows;
    }
    return std::nullopt;
  }

  const Module& module_;
  const UserTable users_;
};

}  // namespace

std::vector<std::string> usualSources(const Module& module) {
  std::vector<std::string> out;
  if (!module.contains(module.entry())) return out;
  const Usual usual(module);
  for (InstructionId parameter : module.entryComputation().parameters) {
    if (!parameter.valid()) continue;
    const Shape& shape = module.shapeOf(parameter);
    if (shape.isArray()) {
      out.push_back(usual.of(parameter));
      continue;
    }
    for (const ShapeLeaf& leaf : leavesOf(shape))
      if (!leaf.shape->isToken())
        out.emplace_back(leaf.shape->isArray() && isFloat(leaf.shape->type) ? "normal 0 1" : "rule");
  }
  return out;
}

std::vector<InstructionId> weightsOf(const Module& module) {
  std::vector<InstructionId> out;
  if (!module.contains(module.entry())) return out;
  const Usual usual(module);
  for (InstructionId parameter : module.entryComputation().parameters)
    if (parameter.valid() && usual.isWeight(parameter)) out.push_back(parameter);
  return out;
}

}  // namespace tessera
