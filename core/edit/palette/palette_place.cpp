// Placing: the actions that put an entry into a computation, with the instructions that HLO needs beside it.
#include <algorithm>

#include "core/edit/palette/palette.h"
#include "core/edit/palette/palette_draft.h"
#include "core/edit/palette/palette_forms.h"
#include "core/edit/palette/palette_loop.h"
#include "core/edit/palette/palette_scan.h"
#include "core/edit/wiring/implied_broadcast.h"
#include "core/hlo/element_type.h"
#include "core/ops/op.h"

namespace tessera {
namespace {

// An after-all of nothing is placed with its token.
bool takesShape(Opcode opcode) { return opcode == Opcode::AfterAll || hasTrait(opcode, kWrittenShape); }

class Placing {
 public:
  Placing(const Module& module, ComputationId computation, const PaletteEntry& entry)
      : module_(module), computation_(computation), entry_(entry) {}

  Edit make(std::span<const InstructionId> sources) {
    chooseOperands(sources);
    std::vector<NewAttribute> attributes = entry_.attributes;
    if (entry_.reducer != Opcode::Unknown)
      addReduction(attributes);
    else if (!entry_.literal.empty() && entry_.opcode != Opcode::Constant)
      addScalarOperand();
    addParameter();
    addBroadcasts();
    const InstructionId made =
        entry_.opcode == Opcode::Constant
            ? addConstant(shapeOfNew().value())
            : add({computation_, entry_.opcode, "", operands_, std::move(attributes), shapeOfNew(), ""});
    if (becomesRoot(module_, computation_, sources_)) edit_.actions.push_back(SetRoot{made});
    edit_.title = "Add " + entry_.title;
    return std::move(edit_);
  }

 private:
  InstructionId add(AddInstruction action) {
    edit_.actions.push_back(std::move(action));
    return newInstruction(added_++);
  }

  std::optional<Shape> shapeOfNew() const {
    if (entry_.shape && takesShape(entry_.opcode)) return entry_.shape;
    if (entry_.opcode == Opcode::Parameter || entry_.opcode == Opcode::Constant)
      return Shape::array(ElementType::F32, {});
    if (entry_.opcode == Opcode::Iota) return Shape::array(ElementType::S32, {8});
    const bool converts = entry_.opcode == Opcode::Convert || entry_.opcode == Opcode::BitcastConvert;
    if (converts && !shapes_.empty() && shapes_[0] && shapes_[0]->isArray()) return converted(*shapes_[0]);
    return std::nullopt;
  }

  // To the type of the line; else to the default one.
  std::optional<Shape> converted(const Shape& from) const {
    const Draft said{module_, computation_, {}, entry_, {}, 0};
    if (const auto type = elementTypeFromName(said.option("type"))) return Shape::array(*type, from.dimensions);
    if (entry_.opcode == Opcode::BitcastConvert) return std::nullopt;
    return Shape::array(otherType(from.type), from.dimensions);
  }

  // A complex number has no conversion to a real one.
  static ElementType otherType(ElementType type) {
    if (isComplex(type)) return type == ElementType::C64 ? ElementType::C128 : ElementType::C64;
    return type == ElementType::F32 ? ElementType::S32 : ElementType::F32;
  }

  // A single value fills an array by a broadcast, which costs nothing to keep.
  InstructionId addConstant(const Shape& shape) {
    const std::string text = !entry_.literal.empty() ? entry_.literal : shape.type == ElementType::Pred ? "false" : "0";
    if (shape.dimensions.empty() || text.starts_with('{'))
      return add({computation_, Opcode::Constant, "", {}, {}, shape, text});
    const InstructionId value = add({computation_, Opcode::Constant, "", {}, {}, Shape::array(shape.type, {}), text});
    return add({computation_, Opcode::Broadcast, "", {value}, {{Attr::dimensions, "{}"}}, shape, ""});
  }

  // As many sources as the op takes; of those it takes any number of, all, and at least one input.
  void chooseOperands(std::span<const InstructionId> sources) {
    const int arity = arityOf(entry_.opcode);
    const OpDef* op = findOp(entry_.opcode);
    size_t count =
        arity >= 0 ? static_cast<size_t>(arity) : std::max<size_t>(sources.size(), op ? op->operands.size() : 1);
    if (entry_.opcode == Opcode::Tuple || entry_.opcode == Opcode::Concatenate)
      count = std::max<size_t>(sources.size(), 1);
    if (entry_.reducer != Opcode::Unknown) count = 2;
    operands_.resize(count);
    takeNamed();
    const bool valued = !entry_.literal.empty() || entry_.shape;  // the line says the second input itself
    size_t next = 0;
    for (size_t i = 0; i < (valued ? std::min<size_t>(count, 1) : count) && next < sources.size(); ++i) {
      if (operands_[i].valid()) continue;  // named in the line
      const InstructionId source = sources[next++];
      if (module_.contains(source) && module_.at(source).computation == computation_)
        sources_.push_back(operands_[i] = source);
    }
    for (InstructionId id : operands_) shapes_.push_back(id.valid() ? module_.at(id).shape : nullptr);
  }

  // "lhs=exponential"
  void takeNamed() {
    const OpDef* op = findOp(entry_.opcode);
    for (const std::string& each : entry_.inputs) {
      const size_t equals = each.find('=');
      for (size_t i = 0; op && i < std::min(op->operands.size(), operands_.size()); ++i)
        if (op->operands[i].name == each.substr(0, equals))
          if (const InstructionId value = valueNamed(module_, computation_, each.substr(equals + 1)); value.valid())
            sources_.push_back(operands_[i] = value);
    }
  }

  ElementType typeOfFirst() const {
    return !shapes_.empty() && shapes_[0] && shapes_[0]->isArray() ? shapes_[0]->type : ElementType::F32;
  }

  // The value that changes nothing: -inf and inf of floats, 0, 1.
  std::string initialValue(ElementType type) const {
    if (!entry_.literal.empty())
      return type == ElementType::Pred ? (entry_.literal == "0" ? "false" : "true") : entry_.literal;
    const bool largest = entry_.reducer == Opcode::Maximum;
    if (isFloat(type)) return largest ? "-inf" : "inf";
    return extremeInteger(type, largest);
  }
  static std::string extremeInteger(ElementType type, bool least) {
    const int bits = info(type).bits;
    if (type == ElementType::Pred) return least ? "false" : "true";
    if (!isSigned(type)) return least ? "0" : std::to_string(bits >= 64 ? ~uint64_t{0} : (uint64_t{1} << bits) - 1);
    const uint64_t top = uint64_t{1} << (bits - 1);
    return least ? "-" + std::to_string(top) : std::to_string(top - 1);
  }

  void addReduction(std::vector<NewAttribute>& attributes) {
    const ElementType type = typeOfFirst();
    const std::string name = std::string(nameOf(entry_.reducer)) + "." + std::string(nameOf(type));
    edit_.actions.push_back(AddReducer{name, entry_.reducer, type});
    if (!operands_[1].valid())
      operands_[1] = add({computation_, Opcode::Constant, "", {}, {}, Shape::array(type, {}), initialValue(type)});
    attributes.push_back({Attr::to_apply, "%" + name});
    const Draft said{module_, computation_, {}, entry_, {}, 0};
    if (shapes_[0] && shapes_[0]->rank() > 0 && !said.numbers("axis").empty())
      attributes.push_back({Attr::dimensions, "{" + std::to_string(said.axis(shapes_[0]->rank(), -1)) + "}"});
  }

  void addScalarOperand() {
    if (operands_.size() < 2 || operands_[1].valid()) return;
    scalar_ = Shape::array(typeOfFirst(), {});
    operands_[1] = add({computation_, Opcode::Constant, "", {}, {}, scalar_, entry_.literal});
    shapes_[1] = &scalar_;
  }

  // "matmul f32[8,16]": a shape said with an op that infers its own is that of a new input.
  void addParameter() {
    if (!entry_.shape || takesShape(entry_.opcode) || computation_ != module_.entry()) return;
    const auto open = std::ranges::find_if(operands_, [](InstructionId id) { return !id.valid(); });
    if (open == operands_.end()) return;
    const std::string stem = stemOfParameter();
    *open = add({computation_,
                 Opcode::Parameter,
                 stem.empty() ? stem : numberedName(module_, stem),
                 {},
                 {},
                 *entry_.shape,
                 ""});
    shapes_[static_cast<size_t>(open - operands_.begin())] = &*entry_.shape;
  }

  // What the second input of an operation usually is.
  std::string stemOfParameter() const {
    switch (entry_.opcode) {
      case Opcode::Dot: return "W";
      case Opcode::Add: return "b";
      case Opcode::Multiply: return "scale";
      default: return {};
    }
  }

  void addBroadcasts() {
    const OpDef* op = findOp(entry_.opcode);
    if (!op || !op->category.has(kElementwise | kReinterprets) || operands_.size() < 2) return;
    const Shape* largest = nullptr;
    InstructionId wide;
    for (size_t i = 0; i < shapes_.size(); ++i)
      if (const Shape* shape = shapes_[i];
          shape && shape->isArray() && (!largest || shape->dimensions.size() > largest->dimensions.size()))
        largest = shape, wide = operands_[i];
    for (size_t i = 0; largest && i < operands_.size(); ++i) {
      if (!shapes_[i]) continue;
      Shape to = *largest;
      to.type = shapes_[i]->type;
      to.layout.reset();
      const std::string dimensions = dimensionsFor(operands_[i], *shapes_[i], wide, to);
      if (dimensions.empty()) continue;
      operands_[i] =
          add({computation_, Opcode::Broadcast, "", {operands_[i]}, {{Attr::dimensions, dimensions}}, to, ""});
    }
  }

  // What the line says, else where there is just one way or what both are computed of tells which; "" where nothing is
  // to be done.
  std::string dimensionsFor(InstructionId narrow, const Shape& from, InstructionId wide, const Shape& to) const {
    constexpr std::string_view kSaid = "broadcast_dimensions=";
    for (const std::string& each : entry_.said)
      if (each.starts_with(kSaid) && from.dimensions.size() < to.dimensions.size()) return each.substr(kSaid.size());
    const auto placements = broadcastPlacements(from, to);
    const std::vector<int64_t> derived =
        placements.size() > 1 ? derivedPlacement(module_, narrow, wide) : std::vector<int64_t>();
    if (placements.size() != 1 && std::ranges::find(placements, derived) == placements.end()) return {};
    std::string dimensions;
    for (int64_t d : placements.size() == 1 ? placements[0] : derived)
      dimensions += (dimensions.empty() ? "" : ",") + std::to_string(d);
    return "{" + dimensions + "}";
  }

  const Module& module_;
  const ComputationId computation_;
  const PaletteEntry& entry_;
  Edit edit_;
  uint32_t added_ = 0;
  std::vector<InstructionId> operands_, sources_;
  std::vector<const Shape*> shapes_;
  Shape scalar_;
};

}  // namespace

Edit placing(const Module& module, ComputationId computation, const PaletteEntry& entry,
             std::span<const InstructionId> sources) {
  if (!entry.form.empty()) return placingForm(module, computation, entry, sources);
  if (entry.opcode == Opcode::While && !entry.literal.empty())
    return entry.title == kScanTitle ? placingScan(module, computation, sources)
                                     : placingCountingLoop(module, computation, sources, entry.literal);
  return Placing(module, computation, entry).make(sources);
}

std::string numberedName(const Module& module, const std::string& stem) {
  for (size_t k = 1;; ++k)
    if (std::string name = stem + std::to_string(k); !module.findInstruction(name)) return name;
}

InstructionId valueNamed(const Module& module, ComputationId computation, std::string_view name) {
  InstructionId last;
  for (InstructionId id : module.at(computation).instructions) {
    const Instruction& each = module.at(id);
    if (each.name == name) return id;
    if (each.opcodeName() == name) last = id;
  }
  return last;
}

bool becomesRoot(const Module& module, ComputationId computation, std::span<const InstructionId> sources) {
  const InstructionId root = module.at(computation).root;
  if (!root.valid() || std::ranges::find(sources, root) != sources.end()) return true;
  const Opcode opcode = module.at(root).opcode;
  return computation == module.entry() && !sources.empty() &&
         (opcode == Opcode::Parameter || opcode == Opcode::Constant);
}

}  // namespace tessera
