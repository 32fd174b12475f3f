// See widening.h. Loops that share a body or condition are widened together, so all that they run stays of one shape.
#include "core/edit/wiring/widening.h"

#include <algorithm>
#include <set>

#include "core/edit/performer.h"
#include "core/edit/refusal.h"

namespace tessera {
namespace {

using Ids = std::vector<InstructionId>;

std::string nameOfId(const Module& module, InstructionId id) { return module.at(id).reference(); }

class Widening {
 public:
  Widening(Module& module, InstructionId constant)
      : module_(module),
        constant_(constant),
        home_(module.at(constant).computation),
        shape_(module.shapeOf(constant)) {}

  Result<Widened> run(const Ids& callers) {
    const Opcode opcode = module_.at(callers[0]).opcode;
    for (InstructionId caller : callers) TESSERA_TRY(check(caller, opcode));
    if (opcode == Opcode::While) TESSERA_TRY(widenLoops(callers));
    if (opcode == Opcode::Conditional) widenBranches(callers);
    if (opcode == Opcode::Reduce) widenReductions(callers);
    if (opcode == Opcode::Sort) widenSorts(callers);
    return std::move(out_);
  }

 private:
  Status check(InstructionId caller, Opcode opcode) const {
    const Instruction& instruction = module_.at(caller);
    const std::string name = nameOfId(module_, caller);
    if (instruction.opcode != opcode)
      return refuse(module_, caller,
                    name + " runs the same computation in another way; give one of them a copy of its own first");
    if (std::ranges::any_of(instruction.operands, [](InstructionId each) { return !each.valid(); }))
      return refuse(module_, caller, name + " has an open input");
    const bool scalars = opcode == Opcode::Reduce || opcode == Opcode::Sort;
    if (scalars && !shape_.isScalar())
      return refuse(module_, caller, name + " gives its computation single numbers; this constant is an array");
    const Computation& home = module_.at(home_);
    const size_t wanted =
        scalars ? (opcode == Opcode::Reduce ? instruction.operands.size() : 2 * instruction.operands.size()) : 1;
    if (home.parameters.size() != wanted || !home.root.valid() ||
        std::ranges::any_of(home.parameters, [](InstructionId p) { return !p.valid(); }))
      return refuse(module_, caller, name + " does not fit what it runs");
    return {};
  }

  // --- pieces
  InstructionId add(ComputationId home, Opcode opcode, const char* stem, const Ids& operands, const Shape& shape,
                    AttributeSet attributes = {}) {
    Instruction made;
    made.opcode = opcode;
    made.shapeWritten = false;
    const std::string name = freeName(module_, stem);
    made.name = name;
    made.operands = operands;
    made.attributes = std::make_shared<const AttributeSet>(std::move(attributes));
    const InstructionId id = module_.add(home, std::move(made), shape);
    out_.added.push_back(id);
    touch(id);
    return id;
  }
  void touch(InstructionId id) {
    out_.seeds.push_back(id);
    const ComputationId home = module_.at(id).computation;
    if (std::ranges::find(out_.homes, home) == out_.homes.end()) out_.homes.push_back(home);
  }
  InstructionId element(InstructionId tuple, size_t k, const Shape& shape) {
    AttributeSet attributes;
    attributes.set(Attr::index, static_cast<int64_t>(k));
    return add(module_.at(tuple).computation, Opcode::GetTupleElement, "get-tuple-element", {tuple}, shape,
               std::move(attributes));
  }
  // The constant as its caller has it.
  InstructionId copyIn(ComputationId home) {
    Instruction made;
    made.opcode = Opcode::Constant;
    made.literal = module_.at(constant_).literal;
    const std::string name = freeName(module_, std::string(module_.at(constant_).name));
    made.name = name;
    const InstructionId id = module_.add(home, std::move(made), shape_);
    out_.added.push_back(id);
    touch(id);
    return id;
  }
  InstructionId broadcastIn(InstructionId number, const Shape& like) {
    Shape wide = withoutLayout(like);
    wide.type = shape_.type;
    fillDefaultLayouts(wide);
    if (wide.dimensions.empty()) return number;
    AttributeSet attributes;
    attributes.set(Attr::dimensions, std::vector<int64_t>());
    return add(module_.at(number).computation, Opcode::Broadcast, "broadcast", {number}, wide, std::move(attributes));
  }
  Ids readersOf(InstructionId value) const {
    Ids out;
    for (InstructionId id : module_.at(module_.at(value).computation).instructions)
      if (std::ranges::find(module_.at(id).operands, value) != module_.at(id).operands.end()) out.push_back(id);
    return out;
  }
  void setOperand(InstructionId user, InstructionId from, InstructionId to) {
    Ids operands(module_.at(user).operands.begin(), module_.at(user).operands.end());
    std::ranges::replace(operands, from, to);
    module_.setOperands(user, operands);
    touch(user);
  }
  Shape wider(const Shape& narrow) const {
    std::vector<Shape> elements = narrow.isTuple() ? narrow.elements : std::vector{narrow};
    elements.push_back(shape_);
    return Shape::tuple(std::move(elements));
  }
  static size_t countOf(const Shape& narrow) { return narrow.isTuple() ? narrow.elements.size() : 1; }

  // A value gets the wider shape; what took its elements goes on, what read it whole gets what it was, made of
  // elements.
  void widenValue(InstructionId value, const Shape& narrow) {
    const Ids readers = readersOf(value);
    module_.setShape(value, wider(narrow));
    touch(value);
    const ComputationId home = module_.at(value).computation;
    const bool isRoot = module_.at(home).root == value;
    const auto takesElement = [&](InstructionId id) {
      return narrow.isTuple() && module_.at(id).opcode == Opcode::GetTupleElement;
    };
    if (!isRoot && std::ranges::all_of(readers, takesElement)) return;
    InstructionId whole;
    if (narrow.isTuple()) {
      Ids elements;
      for (size_t k = 0; k < narrow.elements.size(); ++k) elements.push_back(element(value, k, narrow.elements[k]));
      whole = add(home, Opcode::Tuple, "tuple", elements, narrow);
    } else {
      whole = element(value, 0, narrow);
    }
    for (InstructionId reader : readers)
      if (!takesElement(reader)) setOperand(reader, value, whole);
    if (isRoot) module_.setRoot(home, whole);
  }

  // A tuple of what a value held and one more. A tuple that only `reader` reads (or no instruction, where it is a root)
  // is extended itself.
  InstructionId extended(InstructionId value, InstructionId more, InstructionId reader) {
    const Shape narrow = module_.shapeOf(value);
    const ComputationId home = module_.at(value).computation;
    const Ids readers = readersOf(value);
    const bool isRoot = module_.at(home).root == value;
    const bool own = reader.valid() ? readers == Ids{reader} && !isRoot &&
                                          std::ranges::count(module_.at(reader).operands, value) == 1
                                    : readers.empty();
    Ids elements;
    if (module_.at(value).opcode == Opcode::Tuple)
      elements.assign(module_.at(value).operands.begin(), module_.at(value).operands.end());
    else if (narrow.isTuple())
      for (size_t k = 0; k < narrow.elements.size(); ++k) elements.push_back(element(value, k, narrow.elements[k]));
    else
      elements = {value};
    elements.push_back(more);
    if (module_.at(value).opcode != Opcode::Tuple || !own)
      return add(home, Opcode::Tuple, "tuple", elements, wider(narrow));
    module_.setOperands(value, elements);
    module_.setShape(value, wider(narrow));
    touch(value);
    return value;
  }

  // The constant itself becomes the last element of what its computation is given.
  void takeFrom(InstructionId parameter, size_t k) {
    Instruction& taken = module_.edit(constant_);
    taken.opcode = Opcode::GetTupleElement;
    taken.literal = nullptr;
    taken.shapeWritten = false;
    AttributeSet attributes;
    attributes.set(Attr::index, static_cast<int64_t>(k));
    module_.setAttributes(constant_, std::move(attributes));
    module_.setOperands(constant_, Ids{parameter});
    touch(constant_);
  }
  void becomeParameter(int32_t number) {
    Instruction& taken = module_.edit(constant_);
    taken.opcode = Opcode::Parameter;
    taken.literal = nullptr;
    taken.parameterNumber = number;
    touch(constant_);
  }

  // --- loops
  Status widenLoops(const Ids& first) {
    std::set<InstructionId> loops(first.begin(), first.end());
    std::set<ComputationId> bodies, conditions;
    for (size_t known = 0; known != loops.size();) {
      known = loops.size();
      for (InstructionId loop : Ids(loops.begin(), loops.end())) {
        const auto callees = module_.callees(module_.at(loop));
        if (callees.size() != 2)
          return refuse(module_, loop, nameOfId(module_, loop) + " lacks its condition or its body");
        conditions.insert(callees[0]);
        bodies.insert(callees[1]);
        for (ComputationId callee : callees)
          for (InstructionId caller : callersOf(module_, callee)) {
            TESSERA_TRY(check(caller, Opcode::While));
            loops.insert(caller);
          }
      }
    }
    const Shape narrow = module_.shapeOf(module_.at(home_).parameters[0]);
    std::set<ComputationId> all = bodies;
    all.insert(conditions.begin(), conditions.end());
    for (ComputationId computation : all) {
      if (module_.at(computation).parameters.size() != 1 || !module_.at(computation).root.valid())
        return refuse(module_, constant_, "a computation of the loop does not take one value");
      if (bodies.contains(computation) && conditions.contains(computation))
        return refuse(module_, constant_, "one computation is both the condition and the body of a loop");
    }
    for (InstructionId loop : loops) {  // while the constant is one
      const InstructionId given = copyIn(module_.at(loop).computation), start = module_.at(loop).operands[0];
      const InstructionId carried = extended(start, given, loop);
      module_.setOperands(loop, Ids{carried});
      widenValue(loop, narrow);
    }
    for (ComputationId computation : all) {
      const InstructionId parameter = module_.at(computation).parameters[0];
      widenValue(parameter, narrow);
      const bool own = computation == home_;
      if (own) takeFrom(parameter, countOf(narrow));
      if (!bodies.contains(computation)) continue;
      const InstructionId passed = own ? constant_ : element(parameter, countOf(narrow), shape_);
      module_.setRoot(computation, extended(module_.at(computation).root, passed, {}));
    }
    return {};
  }

  // --- branches
  void widenBranches(const Ids& callers) {
    const InstructionId parameter = module_.at(home_).parameters[0];
    const Shape narrow = module_.shapeOf(parameter);
    for (InstructionId caller : callers) {
      const auto branches = module_.callees(module_.at(caller));
      const InstructionId given = copyIn(module_.at(caller).computation);
      for (size_t b = 0; b < branches.size(); ++b) {
        if (branches[b] != home_ || b + 1 >= module_.at(caller).operands.size()) continue;
        const InstructionId wide = extended(module_.at(caller).operands[b + 1], given, caller);
        Ids operands(module_.at(caller).operands.begin(), module_.at(caller).operands.end());
        operands[b + 1] = wide;
        module_.setOperands(caller, operands);
      }
      touch(caller);
    }
    widenValue(parameter, narrow);
    takeFrom(parameter, countOf(narrow));
  }

  // --- reductions: the number comes as one more array of nothing else, and is what its own results are
  void widenReductions(const Ids& callers) {
    for (InstructionId caller : callers) {
      const Shape narrow = module_.shapeOf(caller);
      Ids operands(module_.at(caller).operands.begin(), module_.at(caller).operands.end());
      const size_t n = operands.size() / 2;
      const InstructionId given = copyIn(module_.at(caller).computation);
      operands.insert(operands.begin() + static_cast<std::ptrdiff_t>(n),
                      broadcastIn(given, module_.shapeOf(operands[0])));
      operands.push_back(given);
      module_.setOperands(caller, operands);
      Shape more = narrow.isTuple() ? narrow.elements[0] : narrow;
      more.type = shape_.type;
      widenResult(caller, narrow, more);
    }
    const Ids before = module_.at(home_).parameters;
    const size_t n = before.size() / 2;
    const InstructionId carried = addParameter("carried");
    becomeParameter(static_cast<int32_t>(2 * n + 1));
    Ids parameters(before.begin(), before.begin() + static_cast<std::ptrdiff_t>(n));
    parameters.push_back(carried);
    parameters.insert(parameters.end(), before.begin() + static_cast<std::ptrdiff_t>(n), before.end());
    parameters.push_back(constant_);
    setParameters(std::move(parameters));
    module_.setRoot(home_, extended(module_.at(home_).root, constant_, {}));
  }
  // One more parameter of the number's shape, behind the others.
  InstructionId addParameter(const std::string& stem) {
    Instruction made;
    made.opcode = Opcode::Parameter;
    made.parameterNumber = static_cast<int32_t>(module_.at(home_).parameters.size());
    const std::string name = freeName(module_, stem);
    made.name = name;
    const InstructionId id = module_.add(home_, std::move(made), shape_);
    out_.added.push_back(id);
    return id;
  }
  void setParameters(Ids parameters) {
    for (size_t k = 0; k < parameters.size(); ++k) {
      module_.edit(parameters[k]).parameterNumber = static_cast<int32_t>(k);
      touch(parameters[k]);
    }
    module_.edit(home_).parameters = std::move(parameters);
  }
  void widenResult(InstructionId caller, const Shape& narrow, const Shape& more) {
    widenValue(caller, narrow);
    Shape wide = wider(narrow);
    wide.elements.back() = more;
    module_.setShape(caller, wide);
  }

  // --- sorts: the number goes along with what is sorted
  void widenSorts(const Ids& callers) {
    for (InstructionId caller : callers) {
      const Shape narrow = module_.shapeOf(caller);
      Ids operands(module_.at(caller).operands.begin(), module_.at(caller).operands.end());
      Shape more = module_.shapeOf(operands[0]);
      more.type = shape_.type;
      operands.push_back(broadcastIn(copyIn(module_.at(caller).computation), module_.shapeOf(operands[0])));
      module_.setOperands(caller, operands);
      widenResult(caller, narrow, more);
    }
    Ids parameters = module_.at(home_).parameters;
    const InstructionId second = addParameter("other");
    becomeParameter(static_cast<int32_t>(parameters.size()));
    parameters.push_back(constant_);
    parameters.push_back(second);
    setParameters(std::move(parameters));
  }

  Module& module_;
  const InstructionId constant_;
  const ComputationId home_;
  const Shape shape_;
  Widened out_;
};

}  // namespace

std::vector<InstructionId> callersOf(const Module& module, ComputationId body) {
  Ids out;
  for (ComputationId computation : module.order())
    for (InstructionId id : module.at(computation).instructions) {
      const auto callees = module.callees(module.at(id));
      if (std::ranges::find(callees, body) != callees.end()) out.push_back(id);
    }
  return out;
}

Result<Widened> widen(Module& module, InstructionId constant, const std::vector<InstructionId>& callers) {
  return Widening(module, constant).run(callers);
}

}  // namespace tessera
