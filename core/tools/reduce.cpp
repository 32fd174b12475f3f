// Delta debugging over the graph. Coarse steps first: a called computation alone, an earlier root, fewer results; then
// sets of instructions become parameters, half of them, a quarter …, one; then single ones inside called computations
// are passed by.
#include "core/tools/reduce.h"

#include <algorithm>
#include <unordered_set>

#include "core/base/result.h"
#include "core/base/sorting.h"
#include "core/ops/inference/infer.h"
#include "core/passes/dead_code.h"
#include "core/tools/cut_out.h"

namespace tessera {
namespace {

class Reducer {
 public:
  Reducer(const Module& module, const ReduceOptions& options) : module_(module), options_(options) {}

  Result<Reduction> run() {
    TESSERA_ASSIGN_OR_RETURN(const bool fails, asks(module_));
    if (!fails) return fail(ErrorKind::Usage, "nothing to reduce: the command succeeds on the module as it is");
    attempt("only what the result needs", cutOut(module_, root(), [](InstructionId) { return false; }));
    attempt("without metadata", bare(module_), true);
    for (bool helped = true; helped && !over();) {
      const int64_t before = accepted_;
      innerComputation();
      earlierRoot();
      fewerResults();
      cutAway();
      passBy();
      helped = accepted_ != before;
    }
    if (error_) return std::unexpected(*error_);
    return Reduction{module_, runs_, runs_ < options_.mostRuns};
  }

 private:
  InstructionId root() const { return module_.entryComputation().root; }
  bool over() const { return error_ || runs_ >= options_.mostRuns; }

  Result<bool> asks(const Module& module) {
    ++runs_;
    return options_.fails(module);
  }

  // Takes the candidate if it is legal, smaller (or simpler) and still fails.
  bool attempt(std::string_view step, Result<Module> candidate, bool simpler = false) {
    if (over() || !candidate) return false;
    if (candidate->instructionCount() >= module_.instructionCount() && !simpler) return false;
    if (inferModule(*candidate).hasErrors() || verify(*candidate).hasErrors()) return false;
    const auto fails = asks(*candidate);
    if (!fails) error_ = fails.error();
    if (!fails || !*fails) return false;
    module_ = std::move(*candidate);
    ++accepted_;
    if (options_.observe) options_.observe(step, module_);
    return true;
  }

  static Module bare(Module module) {
    for (ComputationId computation : module.order())
      for (InstructionId id : std::vector(module.at(computation).instructions)) {
        Instruction& instruction = module.edit(id);
        instruction.metadata = nullptr;
        instruction.note = {};
      }
    module.stackFrames = nullptr;
    return module;
  }

  void innerComputation() {
    std::vector<ComputationId> inner(module_.order());
    std::erase(inner, module_.entry());
    sortBy(inner, [&](ComputationId id) { return module_.at(id).instructions.size(); });
    for (ComputationId id : inner)
      if (attempt("a called computation alone", isolate(module_, id))) return innerComputation();
  }

  // Places spread over the program, early ones first; then the root's operands, which move by one.
  void earlierRoot() {
    constexpr size_t kPlaces = 32;
    for (bool moved = true; moved && !over();) {
      moved = false;
      std::vector<InstructionId> candidates;
      const auto& all = module_.entryComputation().instructions;
      const size_t places = std::min(kPlaces, all.size());
      for (size_t i = 0; i < places; ++i) candidates.push_back(all[i * all.size() / places]);
      const auto operands = module_.at(root()).operands;
      candidates.insert(candidates.end(), operands.begin(), operands.end());
      for (InstructionId id : candidates)
        if (module_.at(id).opcode != Opcode::Parameter && id != root() &&
            attempt("an earlier result", cutOut(module_, id, [](InstructionId) { return false; }))) {
          moved = true;
          break;
        }
    }
  }

  // A tuple at the root with a part of its elements.
  void fewerResults() {
    if (module_.at(root()).opcode != Opcode::Tuple) return;
    for (size_t chunk = module_.at(root()).operands.size() / 2; chunk >= 1 && !over(); chunk /= 2)
      for (size_t from = 0; from < module_.at(root()).operands.size() && !over();)
        if (!attempt("fewer results", withoutResults(from, chunk))) from += chunk;
  }

  Result<Module> withoutResults(size_t from, size_t count) const {
    Module out = module_;
    std::vector<InstructionId> kept(out.at(root()).operands.begin(), out.at(root()).operands.end());
    const auto begin = kept.begin() + static_cast<std::ptrdiff_t>(from);
    kept.erase(begin, begin + static_cast<std::ptrdiff_t>(std::min(count, kept.size() - from)));
    Shape shape = Shape::tuple({});
    for (InstructionId id : kept) shape.elements.push_back(out.shapeOf(id));
    out.setOperands(root(), kept);
    out.setShape(root(), shape);
    return cutOut(out, root(), [](InstructionId) { return false; });
  }

  // Sets of instructions become parameters; all that only they needed goes.
  void cutAway() {
    std::vector<InstructionId> members = cuttable();
    for (size_t chunk = members.size() / 2; chunk >= 1 && !over(); chunk /= 2) {
      for (size_t from = 0; from < members.size() && !over();) {
        const size_t to = std::min(from + chunk, members.size());
        const std::unordered_set<InstructionId> cut(members.begin() + static_cast<std::ptrdiff_t>(from),
                                                    members.begin() + static_cast<std::ptrdiff_t>(to));
        if (attempt("values become parameters",
                    cutOut(module_, root(), [&](InstructionId id) { return cut.contains(id); })))
          members = cuttable();  // new ids
        else
          from = to;
      }
      chunk = std::min(chunk, std::max<size_t>(members.size(), 1));
    }
  }

  std::vector<InstructionId> cuttable() const {
    std::vector<InstructionId> out;
    for (InstructionId id : module_.entryComputation().instructions)
      if (module_.at(id).opcode != Opcode::Parameter && id != root()) out.push_back(id);
    return out;
  }

  // One instruction gives way to an operand of its shape, or, inside a called computation, to zeros.
  void passBy() {
    for (uint32_t slot = 0; slot < module_.instructionSlots() && !over(); ++slot) {
      const InstructionId id(slot);
      if (!module_.contains(id) || !module_.contains(module_.at(id).computation)) continue;
      const Instruction instruction = module_.at(id);
      if (instruction.opcode == Opcode::Parameter || instruction.opcode == Opcode::Constant) continue;
      const auto same = std::ranges::find_if(instruction.operands,
                                             [&](InstructionId o) { return module_.at(o).shape == instruction.shape; });
      const bool gone =
          same != instruction.operands.end() && attempt("an instruction is passed by", replaced(id, *same));
      if (!gone && instruction.computation != module_.entry()) attempt("an instruction becomes zeros", zeroed(id));
    }
  }

  Result<Module> replaced(InstructionId id, InstructionId by) const {
    Module out = module_;
    const ComputationId home = out.at(id).computation;
    for (InstructionId user : std::vector(out.at(home).instructions)) {
      std::vector<InstructionId> operands(out.at(user).operands.begin(), out.at(user).operands.end());
      if (std::ranges::find(operands, id) == operands.end()) continue;
      std::ranges::replace(operands, id, by);
      out.setOperands(user, operands);
    }
    if (out.at(home).root == id) out.setRoot(home, by);
    if (auto cleaned = removeDeadCode(out); !cleaned) return std::unexpected(cleaned.error());
    return cutOut(out, out.entryComputation().root, [](InstructionId) { return false; });
  }

  Result<Module> zeroed(InstructionId id) const {
    constexpr int64_t kMaxElements = 4096;
    const Shape& shape = module_.shapeOf(id);
    if (!shape.isArray() || shape.elementCount().value_or(kMaxElements + 1) > kMaxElements)
      return fail("too large to write out");
    Module out = module_;
    TESSERA_ASSIGN_OR_RETURN(Literal zeros, Literal::zeros(shape));
    Instruction& instruction = out.edit(id);
    instruction.opcode = Opcode::Constant;
    instruction.literal = std::make_shared<const Literal>(std::move(zeros));
    out.setOperands(id, {});
    out.setAttributes(id, {});
    if (auto cleaned = removeDeadCode(out); !cleaned) return std::unexpected(cleaned.error());
    return cutOut(out, out.entryComputation().root, [](InstructionId) { return false; });
  }

  Module module_;
  const ReduceOptions& options_;
  int64_t runs_ = 0, accepted_ = 0;
  std::optional<Diagnostic> error_;
};

}  // namespace

Result<Reduction> reduceModule(const Module& module, const ReduceOptions& options) {
  return Reducer(module, options).run();
}

}  // namespace tessera
