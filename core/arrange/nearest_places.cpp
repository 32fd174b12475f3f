// Readers come later in the computation, so one walk from its end knows all of them.
#include "core/arrange/nearest_places.h"

#include <optional>
#include <unordered_map>

namespace tessera {
namespace {

constexpr int kFurthestPlace = 4;    // steps
constexpr size_t kMostReached = 16;  // values at each step

class PlaceSearch {
 public:
  PlaceSearch(const Module& module, const Computation& computation, const UserTable& users,
              std::span<const int32_t> places)
      : module_(module), computation_(computation), users_(users), places_(places) {
    for (size_t i = 0; i < places.size(); ++i) position_[computation.instructions[i]] = static_cast<int32_t>(i);
  }

  std::vector<int32_t> search() {
    found_.assign(places_.size(), {});
    for (size_t i = places_.size(); i-- > 0;)
      found_[i] = places_[i] >= 0 ? Near{static_cast<int32_t>(i), 0} : nearest(computation_.instructions[i]);
    std::vector<int32_t> out;
    for (const Near& near : found_) out.push_back(near.position);
    return out;
  }

 private:
  struct Near {
    int32_t position = -1;
    int steps = 0;
  };

  int32_t placeOf(const Near& near) const { return places_[static_cast<size_t>(near.position)]; }

  Near nearest(InstructionId id) const {
    std::optional<Near> first;
    bool agree = true;
    for (InstructionId user : users_.users(id)) {
      const Near near = readBy(user);
      if (near.position < 0 || near.steps == kFurthestPlace) continue;
      agree = agree && (!first || placeOf(near) == placeOf(*first));
      if (!first) first = Near{near.position, near.steps + 1};
    }
    if (first && agree) return *first;
    const Near from = computedFrom(id);
    return from.position >= 0 || !first ? from : *first;
  }

  // Results that are gathered for the caller are no reader.
  Near readBy(InstructionId user) const {
    const auto at = position_.find(user);
    if (at == position_.end()) return {};
    const bool gathers = user == computation_.root && module_.at(user).opcode == Opcode::Tuple;
    const Near near = found_[static_cast<size_t>(at->second)];
    return gathers && near.steps > 0 ? Near{} : near;
  }

  Near computedFrom(InstructionId id) const {
    std::vector<InstructionId> reached{id};
    for (int step = 1; step <= kFurthestPlace; ++step) {
      std::vector<InstructionId> further;
      for (InstructionId at : reached)
        for (InstructionId operand : module_.at(at).operands) {
          const auto found = position_.find(operand);
          if (found == position_.end() || further.size() == kMostReached) continue;
          if (places_[static_cast<size_t>(found->second)] >= 0) return {found->second, step};
          further.push_back(operand);
        }
      reached = std::move(further);
    }
    return {};
  }

  const Module& module_;
  const Computation& computation_;
  const UserTable& users_;
  std::span<const int32_t> places_;
  std::unordered_map<InstructionId, int32_t> position_;
  std::vector<Near> found_;
};

}  // namespace

std::vector<int32_t> nearestPlaces(const Module& module, const Computation& computation, const UserTable& users,
                                   std::span<const int32_t> places) {
  return PlaceSearch(module, computation, users, places).search();
}

}  // namespace tessera
