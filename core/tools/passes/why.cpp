// See why.h. A chain follows values through what keeps the bytes as they are, up to what asks for their layout.
#include "core/tools/passes/why.h"

#include <algorithm>
#include <optional>
#include <unordered_set>

#include <fmt/format.h>

#include "core/cost/cost.h"
#include "core/ops/op.h"

namespace tessera {
namespace {

constexpr size_t kLongestChain = 12, kNeighbours = 40;

struct Mover {
  Opcode opcode;
  std::string_view words;  // what it does; of copies and conversions the shapes say it
};
constexpr Mover kMovers[] = {{Opcode::Copy, ""},
                             {Opcode::Convert, ""},
                             {Opcode::Transpose, "it puts the dimensions in another order"},
                             {Opcode::Pad, "it makes the array larger"},
                             {Opcode::Bitcast, "it moves nothing, the same bytes under another shape"},
                             {Opcode::Reshape, "it gives the elements another shape"}};

bool movesData(Opcode opcode) { return std::ranges::find(kMovers, opcode, &Mover::opcode) != std::end(kMovers); }

std::string_view wordsOfMover(Opcode opcode) { return std::ranges::find(kMovers, opcode, &Mover::opcode)->words; }

class WhyFinder {
 public:
  WhyFinder(const Module& module, InstructionId id) : module_(module), users_(module), in_(module.at(id)) {}

  Why find() {
    out_.bytes = costOf(module_, in_.id).bytesAccessed;
    if (in_.opcode == Opcode::Fusion)
      ofFusion();
    else if (in_.provenance && in_.provenance->insertion)
      asNoted(*in_.provenance->insertion);
    else
      inferred();
    return std::move(out_);
  }

 private:
  std::string name(InstructionId id) const { return module_.at(id).reference(); }
  void link(InstructionId id, std::string words) {
    if (out_.chain.size() < kLongestChain) out_.chain.push_back({id, std::move(words)});
  }
  // What it moves; in a fusion the fusion's operand.
  InstructionId operand() const {
    if (in_.operands.empty() || !module_.contains(in_.operands[0])) return {};
    const Instruction& from = module_.at(in_.operands[0]);
    if (from.opcode != Opcode::Parameter || from.computation == module_.entry()) return from.id;
    const auto callers = callersOf(from.computation);
    if (callers.size() != 1 || module_.at(callers[0]).opcode != Opcode::Fusion) return from.id;
    const auto& given = module_.at(callers[0]).operands;
    const auto place = static_cast<size_t>(from.parameterNumber);
    return place < given.size() && module_.contains(given[place]) ? given[place] : from.id;
  }

  void asNoted(const Insertion& insertion) {
    out_.known = true;
    out_.answer = fmt::format("inserted for {}: {}", name(insertion.user), insertion.reason);
    if (const InstructionId from = operand(); from.valid()) link(from, "gives " + toString(module_.shapeOf(from)));
    link(in_.id, "makes " + toString(*in_.shape));
    if (module_.contains(insertion.user)) link(insertion.user, "takes " + toString(*in_.shape));
  }

  void inferred() {
    const InstructionId from = operand();
    if (!from.valid()) {
      out_.answer = "it has no operand to be made from";
      return;
    }
    link(from, "gives " + toString(module_.shapeOf(from)));
    link(in_.id, "makes " + toString(*in_.shape));
    const InstructionId asker = followUsers(in_.id);
    out_.answer = sentence(module_.at(from), asker);
  }

  // Up to what is no mere passing on; out of fusions to who reads them. Gives the last one.
  InstructionId followUsers(InstructionId id) {
    std::unordered_set<uint32_t> met;
    while (met.insert(id.value).second && out_.chain.size() < kLongestChain) {
      const Computation& computation = module_.at(module_.at(id).computation);
      if (computation.root == id && computation.id == module_.entry()) {
        out_.chain.back().words += ", the result of the program";
        return {};
      }
      const bool leaves = computation.root == id;
      const auto callers = leaves ? callersOf(computation.id) : std::vector<InstructionId>();
      const std::span<const InstructionId> users = leaves ? std::span(callers) : users_.users(id);
      if (users.empty()) return id;
      id = users.front();
      const Opcode user = module_.at(id).opcode;
      link(id, fmt::format("{} it{}", leaves ? "calls" : "reads",
                           users.size() > 1 ? fmt::format(", as {} more do", users.size() - 1) : std::string()));
      const bool passes = movesData(user) || user == Opcode::Tuple || user == Opcode::GetTupleElement ||
                          (user == Opcode::Fusion && leaves);
      if (!passes) return id;
    }
    return id;
  }

  std::vector<InstructionId> callersOf(ComputationId computation) const {
    std::vector<InstructionId> out;
    for (ComputationId each : module_.order())
      for (InstructionId id : module_.at(each).instructions)
        if (const auto called = module_.callees(module_.at(id)); std::ranges::find(called, computation) != called.end())
          out.push_back(id);
    return out;
  }

  std::string asked(InstructionId asker) const {
    if (!asker.valid()) return "the program's result has that layout for its caller";
    const Opcode opcode = module_.at(asker).opcode;
    if (hasTrait(opcode, kContraction)) return name(asker) + ", a contraction, reads its operands in that layout";
    if (opcode == Opcode::While || opcode == Opcode::Conditional)
      return name(asker) + " carries it, and its buffer is written while the other is still read";
    if (opcode == Opcode::CustomCall) return name(asker) + ", a library call, demands that layout";
    return name(asker) + " reads it in that form";
  }

  std::string sentence(const Instruction& from, InstructionId asker) const {
    const bool relaid = from.shape->isArray() && in_.shape->isArray() && sameIgnoringLayout(*from.shape, *in_.shape);
    if (in_.opcode == Opcode::Convert)
      return fmt::format("it makes {} of {}: {}", nameOf(in_.shape->type), nameOf(from.shape->type), asked(asker));
    if (in_.opcode != Opcode::Copy) return fmt::format("{}: {}", wordsOfMover(in_.opcode), asked(asker));
    if (relaid && *from.shape != *in_.shape)
      return fmt::format("it changes the layout that {} gives: {}", from.reference(), asked(asker));
    return fmt::format("the bytes are the same: the value of {} must outlive or not share a buffer; {}",
                       from.reference(), asked(asker));
  }

  // --- fusions

  void ofFusion() {
    std::vector<WhyLink> kept;
    for (InstructionId each : in_.operands)
      if (module_.contains(each) && kept.size() < kNeighbours)
        if (auto words = keptOut(each, true); !words.empty()) kept.push_back({each, std::move(words)});
    for (InstructionId each : users_.users(in_.id))
      if (kept.size() < kNeighbours)
        if (auto words = keptOut(each, false); !words.empty()) kept.push_back({each, std::move(words)});
    out_.chain = std::move(kept);
    const size_t inside = module_.callees(in_).empty() ? 0 : module_.at(module_.callees(in_)[0]).instructions.size();
    out_.answer = fmt::format("it holds {} instructions; what stands round it stayed outside:", inside);
  }

  std::string keptOut(InstructionId other, bool isOperand) const {
    const Instruction& in = module_.at(other);
    const size_t readers = users_.users(isOperand ? other : in_.id).size();
    if (in.opcode == Opcode::Parameter) return "an argument: there is nothing to take in";
    if (in.opcode == Opcode::Tuple) return "the result: it only gathers values";
    if (in.opcode == Opcode::Constant) return "a constant that stays in memory";
    if (in.opcode == Opcode::Fusion && kindOf(in) != kindOf(in_))
      return fmt::format("a fusion of kind {}, this one is {}", kindOf(in), kindOf(in_));
    if (readers > 1)
      return fmt::format("{} has {} readers: to take it in would compute it once for each",
                         isOperand ? name(other) : name(in_.id), readers);
    if (hasTrait(in.opcode, kContraction) || in.opcode == Opcode::CustomCall)
      return "a kernel of its own: a library's or tiled";
    if (executesCallees(in.opcode)) return "control flow: it runs other computations";
    if (in.opcode == Opcode::Reduce && !isOperand) return "a reduction with an iteration space of its own";
    if (in.opcode == Opcode::Fusion) return "a fusion whose loops differ, or that would read an operand again";
    return {};
  }

  static std::string kindOf(const Instruction& in) {
    const auto* kind = in.attributes->get<std::string>(Attr::kind);
    return kind ? *kind : "kLoop";
  }

  const Module& module_;
  const UserTable users_;
  const Instruction& in_;
  Why out_;
};

// Of a fusion that holds nothing else.
InstructionId onlyMover(const Module& module, const Instruction& fusion) {
  const auto callees = module.callees(fusion);
  if (fusion.opcode != Opcode::Fusion || callees.size() != 1 || !module.contains(callees[0])) return {};
  const Computation& inside = module.at(callees[0]);
  const auto isOther = [&](InstructionId id) { return id != inside.root && module.at(id).opcode != Opcode::Parameter; };
  if (!movesData(module.at(inside.root).opcode) || std::ranges::any_of(inside.instructions, isOther)) return {};
  return inside.root;
}

}  // namespace

Result<Why> whyHere(const Module& module, InstructionId id) {
  const Instruction& in = module.at(id);
  if (!movesData(in.opcode) && in.opcode != Opcode::Fusion)
    return fail({.kind = ErrorKind::Usage,
                 .message = in.reference() + " computes something of its own",
                 .expected = "a copy, transpose, pad, convert, bitcast, reshape or fusion",
                 .found = std::string(in.opcodeName())});
  const InstructionId mover = onlyMover(module, in);
  return WhyFinder(module, mover.valid() ? mover : id).find();
}

}  // namespace tessera
