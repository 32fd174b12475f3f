// The states of a PassTrail as pictures in which boxes keep their positions: what survives a pass keeps its
// position, what is added is beside its operands, a fusion is where its members were, or beside that where there is no
// room, and what is removed leaves an outline. Used by the studio's panel of passes.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "core/arrange/arrangement.h"
#include "core/picture/picture.h"
#include "core/tools/passes/pass_trail.h"

namespace tessera {

struct PassFrame {
  size_t moment = 0;
  ComputationId computation;
  std::shared_ptr<const Module> module, before;  // before: null at the start
  std::shared_ptr<const PassChanges> changes;
  std::shared_ptr<const GraphView> view;
  std::shared_ptr<const Arrangement> arrangement;
  std::shared_ptr<const Picture> picture;
  PassCost cost;
};

class PassFilm {
 public:
  explicit PassFilm(PassTrail trail) : trail_(std::move(trail)), placed_(trail_.moments().size()) {}

  PassTrail& trail() { return trail_; }
  // Frames before it are placed first, so that places do not depend on the way there.
  Result<PassFrame> frameAt(size_t moment);
  // The computation of this name, where a moment has it; "" or another: the entry.
  void showComputation(const std::string& name);
  void toggleGroup(const std::string& path);

 private:
  using Gone = std::vector<std::pair<std::string, RectF>>;  // what the pass before removed, with its description
  struct Placed {
    std::unordered_map<uint32_t, RectF> boxes;  // by instruction id
    std::map<std::string, PointF> groups;
    Gone gone;
    std::shared_ptr<const Arrangement> arrangement;
  };
  ComputationId shownIn(const Module& module) const;
  const ViewOptions& options(const Module& first);
  bool stays(const Placed& before, const PassFrame& frame) const;
  Status place(size_t moment, PassFrame& frame);
  void note(size_t moment, PassFrame& frame, std::shared_ptr<const Arrangement> arrangement, Gone gone);
  void forgetPlaces();

  PassTrail trail_;
  std::vector<std::optional<Placed>> placed_;
  std::optional<ViewOptions> options_;
  std::string computation_;
};

}  // namespace tessera
