// In the axes of the flow, as columns.h. So many columns that they have the form of the room; each ends with the row
// that fills it.
#include "core/arrange/ribbon.h"

#include <cmath>

#include "core/arrange/flow.h"

namespace tessera {
namespace {

constexpr float kTooSmall = 0.01f;  // zoom at which boxes are dots
constexpr float kRibbonGutter = 64;

}  // namespace

std::optional<Fold> foldOfRibbon(const Level& level, Flow flow, const Room& room) {
  const PointF page = along(flow, PointF{level.width, level.height});
  if (level.rows.size() < 2 || room.zoomOf(page.x, page.y) >= kTooSmall) return std::nullopt;
  const PointF form = along(flow, PointF{room.width, room.height});
  const float pitch = level.width + kRibbonGutter;
  const float columns = std::round(std::sqrt(level.height * form.x / (pitch * form.y)));
  if (columns < 2) return std::nullopt;
  const float wanted = level.height / columns, top = level.rows.front().top;
  Fold out;
  size_t first = 0;
  for (size_t row = 0; row < level.rows.size(); ++row) {
    const float filled = level.rows[row].bottom - level.rows[first].top;
    if (filled < wanted && row + 1 < level.rows.size()) continue;
    out.ends.push_back(row + 1);
    out.shifts.push_back({static_cast<float>(out.shifts.size()) * pitch, top - level.rows[first].top});
    out.height = std::max(out.height, filled);
    first = row + 1;
  }
  out.width = static_cast<float>(out.ends.size()) * pitch - kRibbonGutter;
  return out;
}

}  // namespace tessera
