// See size_names.h.
#include "core/edit/sizes/size_names.h"

#include <algorithm>
#include <cctype>

namespace tessera {
namespace {

constexpr size_t kLongest = 12;

// The instruction that a page speaks of; names of sizes may be given to one in a group that is opened in place.
std::optional<InstructionId> instructionOf(const Module& module, const std::string& page, const std::string& name) {
  if (const auto computation = module.findComputation(page))
    for (InstructionId id : module.at(*computation).instructions)
      if (module.at(id).name == name) return id;
  return module.findInstruction(name);
}

}  // namespace

const std::vector<SizeNames::Named>* SizeNames::find(InstructionId id) const {
  const auto found = byInstruction.find(id);
  return found == byInstruction.end() ? nullptr : &found->second;
}

SizeNames sizeNamesOf(const Module& module, const Sizes& sizes, const Project& project) {
  SizeNames out;
  for (const ProjectPage& page : project.pages)
    for (const auto& [spot, name] : page.sizeNames) {
      const auto id = instructionOf(module, page.computation, spot.first);
      if (!id || !module.shapeOf(*id).isArray() || spot.second < 0 || spot.second >= module.shapeOf(*id).rank())
        continue;
      for (DimensionSpot same : sizes.sameAs({*id, 0, spot.second})) {
        const Shape& shape = module.shapeOf(same.instruction);
        if (!shape.isArray()) continue;
        auto& names = out.byInstruction[same.instruction];
        names.resize(static_cast<size_t>(shape.rank()));
        SizeNames::Named& named = names[static_cast<size_t>(same.dimension)];
        if (named.name.empty()) named = {name, page.computation, spot};
      }
    }
  return out;
}

void nameSize(ProjectPage& page, const SizeNames::Named* before, const PageSpot& at, const std::string& name) {
  if (before && before->page == page.computation) page.sizeNames.erase(before->given);
  page.sizeNames.erase(at);
  if (!name.empty()) page.sizeNames[at] = name;
}

Status checkSizeName(std::string_view name) {
  if (name.empty()) return {};
  if (name.size() > kLongest) return fail("the name of a size has at most " + std::to_string(kLongest) + " letters");
  const auto inner = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_'; };
  if (std::isdigit(static_cast<unsigned char>(name[0])) || !std::ranges::all_of(name, inner))
    return fail("the name of a size has letters, digits and _ only, and begins with a letter");
  return {};
}

}  // namespace tessera
