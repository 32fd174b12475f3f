// Names of sizes: a name given to one dimension belongs to every dimension that the shape rules say is the same. Used
// by second lines of nodes, the inspector and the size panel.
#pragma once

#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "core/edit/sizes/sizes.h"
#include "core/formats/project.h"

namespace tessera {

struct SizeNames {
  struct Named {
    std::string name;  // empty: this dimension has none
    std::string page;  // the computation in whose page it was given, and where there
    PageSpot given;
  };
  std::unordered_map<InstructionId, std::vector<Named>>
      byInstruction;  // by dimension of an array; others are not there

  const std::vector<Named>* find(InstructionId id) const;  // null: none of its dimensions has a name
};

// O(instructions) once in `sizes`, and what each name reaches.
SizeNames sizeNamesOf(const Module& module, const Sizes& sizes, const Project& project);

// Names a dimension, or takes its name away (empty): what stood at another dimension of the same size goes.
void nameSize(ProjectPage& page, const SizeNames::Named* before, const PageSpot& at, const std::string& name);

// A word of at most 12 letters, digits and _; fails with what is wrong with it. Empty is none.
Status checkSizeName(std::string_view name);

}  // namespace tessera
