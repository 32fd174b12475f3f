// Picture: an immutable display list made from Module + GraphView + Arrangement + overlay. Canvas tiles, SVG and the
// layout panel all draw this list. Colours are roles that a theme resolves; text is measured by tables of one font
// (DejaVu Sans), never by Qt.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/arrange/arrangement.h"
#include "core/profile/profile.h"

namespace tessera {

enum class ColorRole : uint8_t {
  Background, Grid, NodeFill, NodeBorder, NodeText, NodeSubtext, GroupFill, GroupBorder, GroupText, Wire, Selection,
  Error, Hatch,
  // categories of ops, for the title bars
  Elementwise, DataMovement, Reduction, LinearAlgebra, Control, Parameter, Constant, Collective, Other,
  // heat 0 … 9, cold to hot
  Heat0, Heat1, Heat2, Heat3, Heat4, Heat5, Heat6, Heat7, Heat8, Heat9,
};
struct Rgba {
  uint8_t r = 0, g = 0, b = 0, a = 255;
};
enum class Theme : uint8_t { Light, Dark };
Rgba colorOf(ColorRole role, Theme theme);

struct PictureItem {
  enum class Kind : uint8_t { Box, Path, Text };
  Kind kind = Kind::Box;
  RectF bounds;                     // Text: baseline is bounds.y + 0.8·size
  std::vector<PointF> points;       // Path: polyline; cubic when `curved` (points 3n+1)
  std::string text;
  float size = 12;                  // Text: px
  float width = 1;                  // stroke
  float radius = 0;                 // Box corners
  ColorRole fill = ColorRole::NodeFill, stroke = ColorRole::NodeBorder;
  bool filled = true, stroked = true, curved = false, hatched = false, bold = false, arrow = false;
  InstructionId instruction;        // what a click on it means; invalid: nothing
  int32_t viewNode = -1;            // the box it belongs to
  float minZoom = 0;                // not drawn below this zoom (level of detail)
};

struct Picture {
  RectF bounds;
  std::vector<PictureItem> items;   // painter's order
};

// Heat per instruction of the source module, 0 … 1, and the text of its time; from a Profile.
struct Overlay {
  struct Entry {
    double heat = 0;
    std::string text;      // "1.2 ms"
    bool measured = false; // else apportioned: hatched
  };
  std::vector<std::pair<InstructionId, Entry>> entries;  // sorted by id
  std::string title;
  const Entry* find(InstructionId id) const;
};
Overlay overlayOf(const Profile& profile);

Picture draw(const Module& module, const GraphView& view, const Arrangement& arrangement, const Overlay* overlay = nullptr);
std::string toSvg(const Picture& picture, Theme theme);

// Width in px of a text in DejaVu Sans at a size; bold uses the bold table.
float textWidth(std::string_view utf8, float size, bool bold = false);
// The text cut with "…" to a width.
std::string elideText(std::string_view utf8, float size, float maxWidth, bool bold = false);

}  // namespace tessera
