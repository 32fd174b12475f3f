// What all views of a snapshot share: users, hubs and outlines, made when first asked for. Used by view.
#pragma once

#include <array>
#include <functional>
#include <map>
#include <unordered_map>

#include "core/arrange/arrangement.h"
#include "core/arrange/outline.h"
#include "core/arrange/outline_names.h"
#include "core/arrange/view_items.h"

namespace tessera {

struct ViewMaker::Known {
  explicit Known(const Module& snapshot) : module(snapshot), users(module), positions(module.instructionSlots(), -1) {
    for (ComputationId id : module.order()) {
      const auto& instructions = module.at(id).instructions;
      for (size_t i = 0; i < instructions.size(); ++i) positions[instructions[i].value] = static_cast<int32_t>(i);
    }
  }

  struct Plan {
    std::vector<bool> hubs;
    Outline outline;
  };
  const Plan& planOf(ComputationId id, Grouping grouping) {
    auto& known = plans[static_cast<size_t>(grouping)];
    const auto [found, isNew] = known.try_emplace(id);
    if (!isNew) return found->second;
    const Computation& computation = module.at(id);
    Plan& plan = found->second;
    for (InstructionId i : computation.instructions)
      plan.hubs.push_back(isHub(module, users, module.at(i), computation));
    plan.outline = outlineFor(computation, grouping, plan.hubs);
    return plan;
  }
  Outline outlineFor(const Computation& computation, Grouping grouping, const std::vector<bool>& hubs) const {
    const auto by = [&](const std::function<std::vector<std::string>(InstructionId)>& segments) {
      return outlineBy(scopesBy(computation, segments), module, computation, users, hubs, positions);
    };
    switch (grouping) {
      case Grouping::Scopes: return outlineOf(module, computation, users, hubs, positions);
      case Grouping::SourceLines: return by([&](InstructionId id) { return sourceSegmentsOf(module, id); });
      case Grouping::Kernels:
        return by([&](InstructionId id) {
          const bool known = id.value < kernels.size() && !kernels[id.value].empty();
          return known ? std::vector<std::string>{kernels[id.value]} : std::vector<std::string>();
        });
      case Grouping::Computations:
      case Grouping::None: break;
    }
    return {{}, std::vector<int32_t>(computation.instructions.size(), -1)};
  }

  size_t copiesOf(const BlockName& block) {
    if (copies.empty())
      for (ComputationId id : module.order())
        for (InstructionId i : module.at(id).instructions)
          if (module.at(i).opcode == Opcode::Call) ++copies[blockNameOf(module.at(i))];
    return copies[block];
  }

  Module module;
  UserTable users;
  std::map<BlockName, size_t> copies;                            // of blocks, once it was asked for
  std::vector<int32_t> positions;                                // by InstructionId value: its place in its computation
  std::array<std::unordered_map<ComputationId, Plan>, 5> plans;  // by grouping
  std::array<std::unordered_map<ComputationId, std::vector<GroupPlace>>, 5> groups;  // by grouping, once asked for
  std::vector<std::string> kernels;
};

}  // namespace tessera
