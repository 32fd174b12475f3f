// See dimension_hues.h. The entry comes first, its parameters before all else: what a person gives is what letters
// begin with.
#include "core/edit/sizes/dimension_hues.h"

#include <set>
#include <unordered_map>

#include "core/edit/sizes/size_names.h"

namespace tessera {
namespace {

// i … z, a … h, then i2 … as no array has so many.
std::string letterAt(size_t n) {
  constexpr std::string_view kLetters = "ijklmnopqrstuvwxyzabcdefgh";
  const std::string letter(1, kLetters[n % kLetters.size()]);
  return n < kLetters.size() ? letter : letter + std::to_string(n / kLetters.size() + 1);
}

std::vector<InstructionId> inOrder(const Module& module) {
  std::vector<InstructionId> out;
  const auto addAll = [&](ComputationId computation) {
    for (const bool parameters : {true, false})
      for (InstructionId id : module.at(computation).instructions)
        if ((module.at(id).opcode == Opcode::Parameter) == parameters) out.push_back(id);
  };
  addAll(module.entry());
  for (ComputationId computation : module.order())
    if (computation != module.entry()) addAll(computation);
  return out;
}

}  // namespace

DimensionHues::DimensionHues(const Module& module, const Sizes& sizes, const SizeNames* names) {
  std::vector<uint32_t> ranks(module.instructionSlots() + 1);
  const std::vector<InstructionId> all = inOrder(module);
  for (InstructionId id : all)
    if (module.shapeOf(id).isArray()) ranks[id.value + 1] = static_cast<uint32_t>(module.shapeOf(id).dimensions.size());
  for (size_t i = 1; i < ranks.size(); ++i) ranks[i] += ranks[i - 1];
  begin_ = std::move(ranks);
  rows_.resize(begin_.back());
  std::set<std::string> taken;
  if (names)
    for (const auto& [id, named] : names->byInstruction)
      for (const auto& each : named) taken.insert(each.name);
  std::unordered_map<uint32_t, uint32_t> known;  // class: row
  size_t letters = 0;
  int hues = 0;
  for (InstructionId id : all) {
    const auto* named = names ? names->find(id) : nullptr;
    const Shape& shape = module.shapeOf(id);
    for (size_t d = 0; shape.isArray() && d < shape.dimensions.size(); ++d) {
      const auto same = sizes.classOf({id, 0, static_cast<int32_t>(d)});
      const auto [row, isNew] =
          same ? known.try_emplace(*same, static_cast<uint32_t>(hues_.size())) : std::pair(known.end(), true);
      rows_[begin_[id.value] + d] = isNew ? static_cast<uint32_t>(hues_.size()) : row->second;
      if (!isNew) continue;
      DimensionHue made;
      if (named && d < named->size()) made.letter = (*named)[d].name;
      made.named = !made.letter.empty();
      while (!made.named && (made.letter.empty() || taken.contains(made.letter))) made.letter = letterAt(letters++);
      if (shape.dimensions[d] != 1) made.hue = hues++;
      hues_.push_back(std::move(made));
    }
  }
}

const DimensionHue* DimensionHues::find(InstructionId id, size_t dimension) const {
  if (begin_.empty() || id.value >= begin_.size() - 1 || begin_[id.value] + dimension >= begin_[id.value + 1])
    return nullptr;
  return &hues_[rows_[begin_[id.value] + dimension]];
}

std::vector<DimensionHue> DimensionHues::of(InstructionId id) const {
  std::vector<DimensionHue> out;
  for (size_t d = 0; const DimensionHue* each = find(id, d); ++d) out.push_back(*each);
  return out;
}

}  // namespace tessera
