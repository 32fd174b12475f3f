// ReplaceGroup: the selection becomes a call, the call runs what was read, and is inlined.
#include <fmt/format.h>

#include <algorithm>

#include "core/edit/performer.h"
#include "core/edit/refusal.h"
#include "core/edit/structure/grouping.h"
#include "core/formats/hlo_text.h"

namespace tessera {
namespace {

Status checkShape(const Shape& wanted, const Shape& found, const std::string& what) {
  if (sameIgnoringLayout(wanted, found)) return {};
  return fail({.message = what + " has another shape than what it takes the place of",
               .expected = toString(wanted, false),
               .found = toString(found, false)});
}

// What it is given and what is read of it, in the order of the selection's.
Status checkFits(const Module& module, const GroupedSelection& place, const Module& part) {
  const Computation& entry = part.entryComputation();
  if (!part.contains(entry.root)) return fail("the part has no result");
  if (entry.parameters.size() != place.inputs.size())
    return fail({.message = "the part has another number of inputs than what it takes the place of",
                 .expected = std::to_string(place.inputs.size()),
                 .found = std::to_string(entry.parameters.size())});
  for (size_t k = 0; k < place.inputs.size(); ++k)
    TESSERA_TRY(checkShape(module.shapeOf(place.inputs[k]), part.shapeOf(entry.parameters[k]),
                           fmt::format("input {} of the part", k)));
  const Shape& result = part.shapeOf(entry.root);
  if (place.results.size() == 1) return checkShape(module.shapeOf(place.results[0]), result, "the part's result");
  const size_t count = result.isTuple() ? result.elements.size() : 1;
  if (!result.isTuple() || count != place.results.size())
    return fail({.message = "the part gives another number of results than what it takes the place of",
                 .expected = std::to_string(place.results.size()),
                 .found = std::to_string(count)});
  for (size_t k = 0; k < count; ++k)
    TESSERA_TRY(
        checkShape(module.shapeOf(place.results[k]), result.elements[k], fmt::format("result {} of the part", k)));
  return {};
}

// The same with an entry that does nothing: what was the entry is a computation that can be imported.
std::string asImport(Module part, const std::string& name) {
  const ComputationId replacement = part.entry();
  part.edit(replacement).name = name;
  const ComputationId entry = part.addComputation(name + ".entry");
  Instruction nothing;
  nothing.opcode = Opcode::Constant;
  nothing.name = "nothing";
  nothing.literal = std::make_shared<const Literal>(Literal::scalar(ElementType::Pred, true));
  part.setRoot(entry, part.add(entry, std::move(nothing), Shape::array(ElementType::Pred, {})));
  std::vector<ComputationId> order = part.order();
  if (std::ranges::count(order, entry) == 0) order.push_back(entry);
  part.setOrder(std::move(order));
  part.setEntry(entry);
  part.setConfig({});
  return printHloText(part);
}

}  // namespace

Status Performer::operator()(const ReplaceGroup& action) {
  constexpr const char* kName = "tessera_replacement";
  std::vector<InstructionId> ids;
  for (InstructionId id : action.instructions) {
    TESSERA_ASSIGN_OR_RETURN(id, resolve(id));
    ids.push_back(id);
  }
  TESSERA_ASSIGN_OR_RETURN(const GroupedSelection place, groupingOf(module_, ids));
  const ReadResult read = readHloText(action.text);
  if (!read.module)
    return fail(read.diagnostics.empty() ? "this is no HLO text" : read.diagnostics.items().front().message);
  TESSERA_TRY(checkFits(module_, place, *read.module));
  const size_t first = added_.size();
  TESSERA_TRY((*this)(GroupInstructions{ids, "replaced", Opcode::Call, ""}));
  const InstructionId caller = added_[first];
  const ComputationId before = module_.callees(module_.at(caller)).front();
  for (InstructionId id : module_.at(before).instructions)  // what comes may have the names of what goes
    module_.setName(id, fmt::format("{}.{}", kName, module_.at(id).name));
  TESSERA_TRY((*this)(AddComputations{asImport(*read.module, kName)}));
  const auto replacement = module_.findComputation(renamed(kName));
  if (!replacement) return fail("the part could not be taken in");
  AttributeSet attributes = *module_.at(caller).attributes;
  attributes.set(Attr::to_apply, *replacement);
  module_.setAttributes(caller, std::move(attributes));
  const std::vector<InstructionId> gone = module_.at(before).instructions;
  module_.remove(before);
  for (InstructionId id : gone) touch(id);
  const std::vector<InstructionId> come = module_.at(*replacement).instructions;
  TESSERA_TRY((*this)(InlineCall{caller}));
  added_.insert(added_.end(), come.begin(), come.end());
  std::erase_if(added_, [this](InstructionId id) { return !module_.contains(id); });
  return {};
}

}  // namespace tessera
