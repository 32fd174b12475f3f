// Highlights: what is painted on nodes and wires above the tiles: selection, hover, errors with their reasons, and what
// an edit would change or just changed. Used by Canvas; errors and previews come from the controllers.
#pragma once

#include <QColor>
#include <QString>
#include <optional>
#include <utility>
#include <vector>

#include "core/base/ids.h"
#include "core/picture/picture.h"
#include "editor/canvas/node_tint.h"
#include "editor/look/search_look.h"

class QPainter;
class QRectF;

namespace tessera {

class Canvas;

// What a node would become if the drag ended here: its new shape, or what would be wrong with it.
struct NodePreview {
  InstructionId instruction;
  QString text;
  bool wrong = false;
};

class Highlights {
 public:
  explicit Highlights(Canvas& canvas) : canvas_(canvas) {}

  // Instructions where something is wrong, with the reason.
  using Mark = std::pair<InstructionId, QString>;
  void setMarks(std::vector<Mark> marks);
  const std::vector<Mark>& marks() const { return marks_; }
  // What nodes would become, or became just now: they glow, with the new shape or the reason.
  void setPreview(std::vector<NodePreview> preview);
  const std::vector<NodePreview>& preview() const { return preview_; }

  // What a search found: it is lit and all else is dimmed. None: nothing is looked for.
  void setFound(std::optional<std::vector<InstructionId>> found);
  const std::vector<int32_t>& foundNodes() const { return foundNodes_; }  // boxes that show some of it
  // What a comparison found; a closed group has the tint of what it hides, Changed where that differs.
  void setTints(std::vector<std::pair<InstructionId, NodeTint>> tints);
  const std::vector<std::pair<int32_t, NodeTint>>& tintedNodes() const { return tintedNodes_; }
  // In colours of searches; a closed group has those of what it hides, side by side if there are several.
  void setColored(std::vector<std::pair<InstructionId, SearchLook>> colored);
  const std::vector<std::pair<int32_t, std::vector<SearchLook>>>& coloredNodes() const { return coloredNodes_; }
  void pictureChanged();  // for Canvas

  // exposed: what is to be painted, in pixels of the widget; wires: those of the selection, too.
  void paint(QPainter& painter, const QRectF& exposed, bool wires) const;
  void paintPreview(QPainter& painter) const;
  void paintWire(QPainter& painter, const PictureItem& wire, double opacity) const;

 private:
  void lightBelow(QPainter& holes, int32_t node, const QRectF& frame) const;
  QColor colorOf(ColorRole role, double opacity = 1) const;
  int32_t drawnBox(int32_t node) const;
  void paintFound(QPainter& painter, const QRectF& visible) const;
  void paintTints(QPainter& painter, const QRectF& visible) const;
  void paintColored(QPainter& painter, const QRectF& visible) const;
  void findTinted();
  void findColored();
  QRectF seenBox(const QRectF& scene) const;
  void paintOutline(QPainter& painter, const QRectF& scene, double opacity, double width) const;
  void paintSelection(QPainter& painter, const QRectF& visible) const;
  void paintSelectedWires(QPainter& painter, const QRectF& visible) const;
  void paintMarks(QPainter& painter, const QRectF& visible) const;
  void paintHover(QPainter& painter) const;

  Canvas& canvas_;
  std::vector<Mark> marks_;
  std::vector<NodePreview> preview_;
  std::optional<std::vector<InstructionId>> found_;
  std::vector<int32_t> foundNodes_;
  std::vector<std::pair<InstructionId, NodeTint>> tints_;
  std::vector<std::pair<int32_t, NodeTint>> tintedNodes_;  // by box
  std::vector<std::pair<InstructionId, SearchLook>> colored_;
  std::vector<std::pair<int32_t, std::vector<SearchLook>>> coloredNodes_;  // by box
};

}  // namespace tessera
