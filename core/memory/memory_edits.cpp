// See memory_edits.h. An edit is tried by making it: the report of the edited copy is its prediction.
#include "core/memory/memory_edits.h"

#include <algorithm>
#include <charconv>
#include <set>

#include <fmt/format.h>

#include "core/base/sorting.h"
#include "core/cost/cost.h"
#include "core/ops/op.h"
#include "core/passes/buffers/schedule.h"
#include "core/passes/rewriter.h"

namespace tessera {
namespace {

constexpr size_t kTriedInstructions = 400000;  // of all copies together
constexpr size_t kMaxTries = 8;                // of each kind

std::unexpected<Diagnostic> refused(std::string message) { return fail(ErrorKind::Usage, std::move(message)); }

// --- donate

// Results in memory that no argument has given yet, and arguments that give theirs to none.
class Donor {
 public:
  explicit Donor(const Module& module) : module_(module), config_(module.config()) {
    for (const AliasEntry& alias : config_.inputOutputAlias) {
      taken_.insert(alias.outputIndex);
      given_.insert({alias.parameter, alias.parameterIndex});
    }
    const InstructionId root = module_.entryComputation().root;
    uint32_t place = 0;
    for (ShapeLeaf& leaf : leavesOf(module_.shapeOf(root))) {
      results_.push_back({leaf.shape, std::move(leaf.index), {}});
      for (InstructionId operand : module_.at(definitionOf(module_, {root, place++}).instruction).operands)
        results_.back().reads.push_back(definitionOf(module_, {operand, 0}));
    }
  }

  // The aliases that the parameter's leaves may get: each a result of its shape, if possible one that is computed from
  // the parameter, which is then read no more.
  std::vector<AliasEntry> aliasesOf(int64_t number) {
    std::vector<AliasEntry> out;
    const InstructionId parameter = module_.entryComputation().parameters[static_cast<size_t>(number)];
    uint32_t place = 0;
    for (const ShapeLeaf& leaf : leavesOf(module_.shapeOf(parameter))) {
      const MemoryValue value{parameter, place++};
      if (!leaf.shape->isArray() || given_.contains({number, leaf.index})) continue;
      if (const auto result = resultLike(*leaf.shape, value)) {
        taken_.insert(*result);
        out.push_back({*result, number, leaf.index, false});
      }
    }
    return out;
  }

 private:
  struct ResultLeaf {
    const Shape* shape;
    std::vector<int64_t> index;
    std::vector<MemoryValue> reads;  // what it is computed from
  };

  std::optional<std::vector<int64_t>> resultLike(const Shape& shape, MemoryValue argument) const {
    const ResultLeaf* first = nullptr;
    for (const ResultLeaf& result : results_) {
      if (*result.shape != shape || taken_.contains(result.index)) continue;
      if (std::ranges::find(result.reads, argument) != result.reads.end()) return result.index;
      if (!first) first = &result;
    }
    return first ? std::optional(first->index) : std::nullopt;
  }

  const Module& module_;
  const ModuleConfig& config_;
  std::vector<ResultLeaf> results_;
  std::set<std::vector<int64_t>> taken_;
  std::set<std::pair<int64_t, std::vector<int64_t>>> given_;
};

Module withAliases(Module module, const std::vector<AliasEntry>& aliases) {
  ModuleConfig config = module.config();
  config.inputOutputAlias.insert(config.inputOutputAlias.end(), aliases.begin(), aliases.end());
  module.setConfig(std::move(config));
  return module;
}

// Every argument that a result can take; one that is read after the result is written gives nothing.
Module withUsefulAliases(const Module& module) {
  Donor donor(module);
  std::vector<AliasEntry> all;
  for (size_t number = 0; number < module.entryComputation().parameters.size(); ++number)
    for (AliasEntry& alias : donor.aliasesOf(static_cast<int64_t>(number))) all.push_back(std::move(alias));
  const auto report = memoryReport(withAliases(module, all));
  if (!report) return module;
  std::erase_if(all, [&](const AliasEntry& alias) {
    return std::ranges::none_of(report->donations,
                                [&](const AliasEntry& one) { return one.outputIndex == alias.outputIndex; });
  });
  return withAliases(module, all);
}

Result<Module> donated(const Module& module, std::string_view which) {
  if (which == "all") return withUsefulAliases(module);
  int64_t number = -1;
  const auto [end, error] = std::from_chars(which.data(), which.data() + which.size(), number);
  const auto count = static_cast<int64_t>(module.entryComputation().parameters.size());
  if (error != std::errc() || end != which.data() + which.size() || number < 0 || number >= count)
    return refused(fmt::format("donate:{}: expected all or the number of a parameter, 0 to {}", which, count - 1));
  const std::vector<AliasEntry> aliases = Donor(module).aliasesOf(number);
  if (aliases.empty())
    return refused(
        fmt::format("donate:{}: no result has the shape of the parameter, or its memory is given already", number));
  return withAliases(module, aliases);
}

// --- schedule

Result<Module> rescheduled(Module module) {
  TESSERA_TRY(scheduleModule(module));
  return module;
}

// --- rematerialise

// Cheap to compute again, and the same each time.
bool mayBeRepeated(const Module& module, const Instruction& instruction) {
  if (hasSideEffect(instruction) || isStateful(instruction) || !instruction.shape->isArray()) return false;
  if (instruction.opcode == Opcode::Fusion)
    return std::ranges::none_of(module.callees(instruction), [&](ComputationId fused) {
      return std::ranges::any_of(module.at(fused).instructions, [&](InstructionId id) {
        return isStateful(module.at(id)) || hasSideEffect(module.at(id));
      });
    });
  return hasTrait(instruction.opcode, kElementwise | kMovesData) && instruction.opcode != Opcode::Constant &&
         instruction.opcode != Opcode::Parameter;
}

// Users after the widest gap between two uses compute the value again, just before the first of them.
Result<Module> rematerialised(const Module& module, std::string_view name) {
  const auto id = module.findInstruction(name);
  if (!id) return refused(fmt::format("rematerialise:{}: the module has no such instruction", name));
  const Instruction& value = module.at(*id);
  if (!mayBeRepeated(module, value))
    return refused(fmt::format("rematerialise:{}: a {} of {} is not computed twice", name, value.opcodeName(),
                               toString(*value.shape, false)));
  Module out = module;
  std::vector<InstructionId> order = out.at(value.computation).instructions;
  std::vector<size_t> uses{static_cast<size_t>(std::ranges::find(order, *id) - order.begin())};
  for (size_t i = 0; i < order.size(); ++i)
    if (std::ranges::find(out.at(order[i]).operands, *id) != out.at(order[i]).operands.end()) uses.push_back(i);
  if (uses.size() < 3) return refused(fmt::format("rematerialise:{}: it has no second user", name));
  size_t widest = 2;
  for (size_t k = 2; k < uses.size(); ++k)
    if (uses[k] - uses[k - 1] > uses[widest] - uses[widest - 1]) widest = k;
  Instruction again = value;
  std::string unique = fmt::format("{}.remat", name);
  for (int i = 2; out.findInstruction(unique); ++i) unique = fmt::format("{}.remat.{}", name, i);
  again.name = unique;
  const InstructionId made = out.addInterned(value.computation, std::move(again), value.shape);
  for (size_t k = widest; k < uses.size(); ++k) {
    std::vector<InstructionId> operands(out.at(order[uses[k]]).operands.begin(), out.at(order[uses[k]]).operands.end());
    std::ranges::replace(operands, *id, made);
    out.setOperands(order[uses[k]], operands);
  }
  order.insert(order.begin() + static_cast<std::ptrdiff_t>(uses[widest]), made);
  out.edit(value.computation).instructions = std::move(order);
  return out;
}

// --- all of them

// Instructions of the source whose buffers live through the peak without being used there, largest first.
std::vector<std::string> keptForLater(const Module& module, const MemoryReport& now) {
  std::vector<std::string> out;
  for (size_t index : now.liveAt(now.peakMoment)) {
    const MemoryBuffer& buffer = now.buffers[index];
    const ProvenancePtr& from = now.module.at(buffer.instruction).provenance;
    if (buffer.kind != MemoryKind::Temporary || !from || from->sources.size() != 1) continue;
    const InstructionId source = from->sources[0];
    if (buffer.begin < now.peakMoment && buffer.end > now.peakMoment && mayBeRepeated(module, module.at(source)))
      out.emplace_back(module.at(source).name);
  }
  return out;
}

std::vector<std::string> largestDonors(const Module& module, const Module& donatedAll, size_t most) {
  std::vector<std::pair<int64_t, std::string>> rows;
  const auto& all = donatedAll.config().inputOutputAlias;
  for (size_t i = module.config().inputOutputAlias.size(); i < all.size(); ++i) {
    const InstructionId id = module.entryComputation().parameters[static_cast<size_t>(all[i].parameter)];
    rows.emplace_back(module.shapeOf(id).denseBytes().value_or(0), fmt::format("donate:{}", all[i].parameter));
  }
  sortDescending(rows, &std::pair<int64_t, std::string>::first);
  std::vector<std::string> out;
  for (const auto& [bytes, words] : rows)
    if (out.size() < most && std::ranges::find(out, words) == out.end()) out.push_back(words);
  return out;
}

std::string reasonFor(const Module& module, std::string_view words) {
  if (words == "schedule") return "the instructions in another order";
  if (words == "donate:all") return "every result that can takes the memory of an argument that is read no more";
  const std::string_view what = words.substr(words.find(':') + 1);
  if (words.starts_with("rematerialise:"))
    return fmt::format("%{} is computed again for its later users and not kept for them", what);
  const auto number = static_cast<size_t>(std::stoul(std::string(what)));
  return fmt::format("a result takes the memory of %{}", module.at(module.entryComputation().parameters[number]).name);
}

}  // namespace

Result<Module> editedForMemory(const Module& module, std::string_view words) {
  const size_t colon = words.find(':');
  const std::string_view kind = words.substr(0, colon);
  const std::string_view what = colon == std::string_view::npos ? std::string_view() : words.substr(colon + 1);
  if (words == "schedule") return rescheduled(module);
  if (kind == "donate" && !what.empty()) return donated(module, what);
  if (kind == "rematerialise" && !what.empty()) return rematerialised(module, what);
  return refused(fmt::format("{}: expected schedule, donate:N, donate:all or rematerialise:NAME", words));
}

std::vector<MemoryEdit> memoryEdits(const Module& module, const MemoryReport& now) {
  const size_t tries =
      std::clamp<size_t>(kTriedInstructions / std::max<size_t>(1, module.instructionCount()), 1, kMaxTries);
  std::vector<std::string> candidates{"schedule"};
  if (const Module all = withUsefulAliases(module);
      all.config().inputOutputAlias.size() > module.config().inputOutputAlias.size()) {
    candidates.push_back("donate:all");
    for (std::string& words : largestDonors(module, all, tries)) candidates.push_back(std::move(words));
  }
  for (std::string& name : keptForLater(module, now)) {
    if (candidates.size() > 2 + 2 * tries) break;
    candidates.push_back("rematerialise:" + name);
  }
  const Cost before = costOf(module);
  std::vector<MemoryEdit> out;
  for (const std::string& words : candidates) {
    const auto edited = editedForMemory(module, words);
    const auto report = edited ? memoryReport(*edited) : std::unexpected(Diagnostic());
    if (!report || report->peakBytes() >= now.peakBytes()) continue;
    const Cost cost = costOf(*edited);
    out.push_back({words, reasonFor(module, words), report->peakBytes(), cost.flops - before.flops,
                   cost.bytesAccessed - before.bytesAccessed});
  }
  sortBy(out, &MemoryEdit::peakBytes);
  return out;
}

}  // namespace tessera
