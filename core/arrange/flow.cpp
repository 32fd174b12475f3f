// Both ways are arranged and measured: what a graph's depth and width come to is known no sooner.
#include "core/arrange/flow.h"

#include <algorithm>

namespace tessera {
namespace {

constexpr size_t kMostTried = 300;  // boxes
constexpr float kWell = 0.75f;      // zoom: seen well
constexpr float kClearly = 1.15f;   // times as large

}  // namespace

Flow flowByForm(GraphView view) {
  if (view.nodes.size() > kMostTried) return Flow::Down;
  const auto zoomOf = [&](Flow flow) {
    view.flow = flow;
    return std::min(view.room.zoomOf(arrange(view).bounds), 1.f);
  };
  const float right = zoomOf(Flow::Right);
  if (right >= kWell) return Flow::Right;
  return zoomOf(Flow::Down) > right * kClearly ? Flow::Down : Flow::Right;
}

}  // namespace tessera
