// Frames and notes of a page: made, named, resized, coloured, removed.
#include <algorithm>
#include <cmath>

#include "core/picture/page.h"
#include "editor/canvas/canvas.h"
#include "editor/canvas/page_items.h"
#include "editor/controllers/arrange_controller.h"
#include "editor/controllers/page_box.h"
#include "editor/document/document.h"
#include "editor/document/noted_places.h"
#include "editor/panels/popups/value_field.h"

namespace tessera {
namespace {

constexpr double kFramePadding = 18, kFrameHeader = 32, kNoteWidth = 200;

double noteHeight(const QString& text) {
  return 20 + 14.5 * std::ceil(std::max<double>(static_cast<double>(text.size()) * 6.4, 1) / (kNoteWidth - 16));
}

}  // namespace

void ArrangeController::frameSelection() {
  const auto nodes = selectedNodes();
  if (nodes.empty()) return emit hinted(tr("Select what the frame should go round first."));
  const Scene scene = document_.view().scene();
  QRectF around;
  for (size_t v = 0; v < scene.view->nodes.size(); ++v) {
    const RectF& box = scene.arrangement->boxes[v];
    bool in = std::ranges::find(nodes, static_cast<int32_t>(v)) != nodes.end();
    for (const ViewEdge& edge : scene.view->edges)  // constants beside what they feed
      in = in || (edge.from == static_cast<int32_t>(v) && scene.view->nodes[v].kind == ViewNode::Kind::Attached &&
                  std::ranges::find(nodes, edge.to) != nodes.end());
    if (in) around |= QRectF(box.x, box.y, box.width, box.height);
  }
  around.adjust(-kFramePadding, -kFrameHeader, kFramePadding, kFramePadding);
  const int item = document_.page() ? static_cast<int>(document_.page()->frames.size()) : 0;
  document_.arrange(tr("Frame"), [scene, around, module = document_.module()](ProjectPage& page) {
    noteAll(page, module, *scene.view, *scene.arrangement);
    page.frames.push_back({around.x(), around.y(), around.width(), around.height(), "frame"});
  });
  canvas_.pageItems().select({item});
  editPageItem(item);
}

void ArrangeController::addNote(QPointF widget) {
  if (!document_.isOpen() || document_.isPlainGraph()) return;
  const QPointF scene = canvas_.viewport().toScene(widget);
  const ProjectPage* page = document_.page();
  const int item = page ? static_cast<int>(page->frames.size() + page->notes.size()) : 0;
  document_.arrange(tr("Note"), [scene](ProjectPage& p) {
    p.notes.push_back({scene.x(), scene.y(), kNoteWidth, noteHeight({}), "note"});
  });
  canvas_.pageItems().select({item});
  editPageItem(item);
}

void ArrangeController::editPageItem(int item) {
  const ProjectPage* page = document_.page();
  if (!page) return;
  ProjectPage copy = *page;
  const PageBox* box = pageBox(copy, item);
  if (!box) return;
  const bool note = item >= static_cast<int>(copy.frames.size());
  disconnect(field_, &ValueField::entered, this, nullptr);
  connect(field_, &ValueField::entered, this, [this, item, note](const QString& text) {
    document_.arrange(note ? tr("Text of a note") : tr("Title of a frame"), [item, note, text](ProjectPage& p) {
      PageBox* changed = pageBox(p, item);
      if (!changed) return;
      changed->text = text.toStdString();
      if (note) changed->height = std::max(changed->height, noteHeight(text));
    });
  });
  const QPoint place = canvas_.viewport().toWidget({box->x, box->y}).toPoint();
  field_->openAt(place, note ? tr("note") : tr("frame"), QString::fromStdString(box->text),
                 [](const QString&) { return QString(); });
}

void ArrangeController::resizePageItem(int item, QRectF scene) {
  document_.arrange(tr("Resize a frame"), [item, scene](ProjectPage& page) {
    if (PageBox* box = pageBox(page, item)) box->width = scene.width(), box->height = scene.height();
  });
}

void ArrangeController::nextColor() {
  const auto items = canvas_.pageItems().selected();
  if (items.empty()) return emit hinted(tr("Select a frame or a note first."));
  document_.arrange(tr("Colour"), [items](ProjectPage& page) {
    for (int item : items)
      if (PageBox* box = pageBox(page, item)) box->color = (box->color + 1) % kPageColors;
  });
}

bool ArrangeController::removePageItems() {
  std::vector<int> items = canvas_.pageItems().selected();
  if (items.empty() || !document_.page()) return false;
  canvas_.pageItems().select({});
  std::ranges::sort(items, std::greater<>());  // notes stand behind frames, later ones go first
  document_.arrange(tr("Delete frames and notes"), [items](ProjectPage& page) {
    for (int item : items) {
      const auto frames = static_cast<int>(page.frames.size());
      if (item < frames)
        page.frames.erase(page.frames.begin() + item);
      else if (item - frames < static_cast<int>(page.notes.size()))
        page.notes.erase(page.notes.begin() + (item - frames));
    }
  });
  return true;
}

}  // namespace tessera
