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
#include "core/arrange/text_metrics.h"
#include "core/base/units.h"
#include "core/picture/overlay.h"

namespace tessera {

enum class ColorRole : uint8_t {
  Background,
  Grid,
  NodeFill,
  NodeBorder,
  NodeText,
  NodeSubtext,
  GroupFill,
  GroupBorder,
  GroupText,
  Wire,
  Selection,
  Error,
  Hatch,
  // categories of ops, for the title bars
  Elementwise,
  DataMovement,
  Reduction,
  LinearAlgebra,
  Control,
  Parameter,
  Constant,
  Collective,
  Other,
  // heat 0 … 9, cold to hot
  Heat0,
  Heat1,
  Heat2,
  Heat3,
  Heat4,
  Heat5,
  Heat6,
  Heat7,
  Heat8,
  Heat9,
  // less than before, by how much
  Cool0,
  Cool1,
  Cool2,
  Cool3,
  Cool4,
  // what bounds a node
  BoundCompute,
  BoundMemory,
  BoundOverhead,
  // text of a size: every dimension that is the same one has one of these
  Hue0,
  Hue1,
  Hue2,
  Hue3,
  Hue4,
  Hue5,
  Hue6,
  Hue7,
};
struct Rgba {
  uint8_t r = 0, g = 0, b = 0, a = 255;
};
enum class Theme : uint8_t { Light, Dark };
Rgba colorOf(ColorRole role, Theme theme);

inline constexpr float kAnyZoom = 1e9f;

struct PictureItem {
  enum class Kind : uint8_t { Box, Path, Text };
  // The part of the picture that it is, for hit tests; the position in the list only determines painting order.
  enum class Part : uint8_t {
    Other,
    Frame,      // of a node or group: its whole box
    Title,      // the first text in it
    PullMark,   // of a field: pulls it out as a node of its own
    FoldMark,   // of what was pulled out: folds it back
    Port,       // of an input or the result
    Source,     // of a parameter: where its value comes from
    PageFrame,  // drawn by the user around nodes, behind them
    PageNote,
  };
  Kind kind = Kind::Box;
  Part part = Part::Other;
  RectF bounds;                // Text: baseline is bounds.y + 0.8·size
  std::vector<PointF> points;  // Path: polyline; cubic when `curved` (points 3n+1)
  std::string text;
  std::string whole;  // Text: what it says where `text` is cut to its box; empty: all of it
  float size = 12;    // Text: px
  RectF room;       // Text: what it may fill when seen from afar, where it is as large as can be read; empty: it is not
  float width = 1;  // stroke
  float radius = 0;  // Box corners
  ColorRole fill = ColorRole::NodeFill, stroke = ColorRole::NodeBorder;
  bool filled = true, stroked = true, curved = false, hatched = false, bold = false, arrow = false;
  InstructionId instruction;  // what a click on it means; invalid: nothing
  int32_t viewNode = -1;      // the box it belongs to
  int32_t viewEdge = -1;      // the wire that it is, as an index of GraphView::edges
  int32_t pageItem = -1;      // a frame or note of the page: frames first, then notes
  float minZoom = 0;          // not drawn below this zoom (level of detail)
  float maxZoom = kAnyZoom;   // nor from this zoom on
  bool isSeenAt(double zoom) const { return minZoom <= zoom && zoom < maxZoom; }
  const RectF& reach() const { return room.width > 0 ? room : bounds; }  // where it may be painted
  bool isFieldMark() const { return part == Part::PullMark || part == Part::FoldMark; }
};

// From afar: below this zoom a node is its title and its colour.
inline constexpr float kReadableZoom = 0.6f;
inline constexpr float kFarText = 11.5f;  // pixels

// Boxes; of larger views the canvas alone draws ports, of what is in sight.
inline constexpr size_t kMostWithPorts = 20000;

struct Picture {
  RectF bounds;
  std::vector<PictureItem> items;  // painter's order
};

ColorRole heatRole(double heat);  // Heat0 … Heat9
ColorRole coolRole(double heat);  // Cool0 … Cool4
inline constexpr int kHues = 8;
ColorRole hueRole(int hue);  // Hue0 … Hue7; NodeSubtext below 0
ColorRole categoryOf(const Instruction& instruction);
ColorRole typeRole(ElementType type);  // of ports: floats, narrow floats, integers, unsigned ones, pred, complex

// The colour of a box under an overlay.
ColorRole roleOf(const Overlay& overlay, const Overlay::Entry& entry);

// Not all of it when `stop` was requested.
Picture draw(const Module& module, const GraphView& view, const Arrangement& arrangement,
             const Overlay* overlay = nullptr, const std::stop_token& stop = {});
// The colours of an overlay with their times, as a picture of its own; withLegend sets it above another picture.
Picture legendOf(const Overlay& overlay);
Picture withLegend(Picture picture, const Overlay& overlay);
std::string toSvg(const Picture& picture, Theme theme);

}  // namespace tessera
