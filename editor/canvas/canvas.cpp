// What the canvas shows: picture, transform, tiles and the layer above them. Gestures are in canvas_input.cpp.
#include "editor/canvas/canvas.h"

#include <QEventLoop>
#include <QPaintEvent>
#include <QPainter>
#include <QThreadPool>
#include <algorithm>
#include <cmath>

#include "core/arrange/text_metrics.h"
#include "editor/canvas/plate.h"
#include "editor/canvas/render.h"
#include "editor/canvas/spatial_index.h"
#include "editor/canvas/tiles.h"
#include "editor/canvas/tools/canvas_tools.h"

namespace tessera {
namespace {

constexpr double kSmallestZoom = 0.0002, kLargestZoom = 6, kFitMargin = 24;
constexpr double kReadableZoom = 0.6;
constexpr double kRowHeight = 110;  // in the scene: a box and the gap to the next
constexpr double kGrowth = 0.3;     // of its size: room for what is added next, when all is made smaller
constexpr size_t kMaxVisibleSelected = 400, kMaxCompared = 4000;

}  // namespace

Canvas::Canvas(QWidget* parent)
    : QWidget(parent), tiles_(std::make_unique<TileStore>()), tools_(std::make_unique<CanvasTools>(*this)) {
  setFocusPolicy(Qt::StrongFocus);
  setMouseTracking(true);
  setAttribute(Qt::WA_OpaquePaintEvent);
  setMinimumSize(160, 120);
  connect(tiles_.get(), &TileStore::filled, this, qOverload<>(&QWidget::update));
  connect(&glide_, &QVariantAnimation::valueChanged, this,
          [this](const QVariant& origin) { setTransform(zoom_, origin.toPointF()); });
}
Canvas::~Canvas() = default;

WireTool& Canvas::wires() { return tools_->wire; }

std::shared_ptr<const SpatialIndex> Canvas::makeIndex(const Picture& picture) {
  return std::make_shared<const SpatialIndex>(picture);
}

void Canvas::setPicture(std::shared_ptr<const Picture> picture, std::shared_ptr<const GraphView> view, KeepView keep,
                        std::shared_ptr<const SpatialIndex> index) {
  glide_.stop();
  const bool first = !picture_;
  const auto pictureBefore = picture_;
  const auto viewBefore = view_;
  const auto indexBefore = index_;
  picture_ = std::move(picture);
  view_ = std::move(view);
  index_ = index || !picture_ ? std::move(index) : makeIndex(*picture_);
  hover_ = -1;
  tools_->wire.pictureChanged();
  if (active_ && !active_->goesOn()) active_ = nullptr;
  endMove();
  pageItems_.clear();
  for (uint32_t i = 0; picture_ && i < picture_->items.size(); ++i)
    if (picture_->items[i].pageItem >= 0) pageItems_.push_back(i);
  std::erase_if(selectedPageItems_, [&](int item) { return pageItemBox(item).isEmpty(); });
  tiles_->reset(picture_, index_, theme_);
  refreshSelectedNodes();
  if (keep == KeepView::No || first)
    fitAll();
  else if (!anchorGroup_.isEmpty())
    keepAnchor();
  else
    staySteady(viewBefore.get(), indexBefore.get());
  anchorGroup_.clear();
  requestVisibleTiles();
  update();
  // A picture of 100,000 boxes is freed for longer than a frame.
  if (pictureBefore) QThreadPool::globalInstance()->start([pictureBefore, viewBefore, indexBefore] {}, -1);
}

// Most of the boxes that stay keep their place on the screen. What is all in sight stays so while the graph grows: when
// it does not fit any more it is made smaller, with room for what comes next, but never too small to read.
void Canvas::staySteady(const GraphView* before, const SpatialIndex* index) {
  const bool whole = fitted_;
  const std::optional<QPointF> shift = before && index ? shiftSince(*before, *index) : std::nullopt;
  if (!shift) return whole ? fitAll() : void();
  setTransform(zoom_, origin_ + *shift);
  if (!whole) return;
  fitted_ = true;
  const QRectF all = toQRectF(picture_->bounds);
  const double margin = 6 / zoom_;
  if (freeScene().adjusted(margin, margin, -margin, -margin).contains(all)) return;
  for (const QRectF& wanted : {all.adjusted(0, 0, all.width() * kGrowth, all.height() * kGrowth), all})
    if (zoomToFit(wanted) >= std::min(kReadableZoom, zoom_)) {
      fit(wanted);
      fitted_ = true;
      return;
    }
  fitted_ = false;
}

// How far boxes of the view before have moved, the middle of all; none: nothing stayed.
std::optional<QPointF> Canvas::shiftSince(const GraphView& before, const SpatialIndex& index) const {
  std::vector<double> x, y;
  if (!view_ || !index_ || before.computation != view_->computation) return std::nullopt;
  for (size_t v = 0; v < before.nodes.size() && x.size() < kMaxCompared; ++v) {
    const ViewNode& node = before.nodes[v];
    const int32_t now = node.kind == ViewNode::Kind::Instruction ? view_->boxOf(node.instruction) : -1;
    if (now < 0 || view_->nodes[static_cast<size_t>(now)].kind != node.kind) continue;
    const RectF from = index.frameBounds(static_cast<int32_t>(v)), to = index_->frameBounds(now);
    if (from.width <= 0 || to.width <= 0) continue;
    x.push_back((to.x + to.width / 2) - (from.x + from.width / 2));
    y.push_back(to.y - from.y);
  }
  if (x.empty()) return std::nullopt;
  const auto middle = [](std::vector<double>& all) {
    const auto at = all.begin() + static_cast<std::ptrdiff_t>(all.size() / 2);
    std::ranges::nth_element(all, at);
    return *at;
  };
  return QPointF(middle(x), middle(y));
}

// The group that was double-clicked stays where it was.
void Canvas::keepAnchor() {
  if (anchorGroup_.isEmpty() || !view_) return;
  const int32_t group = view_->findGroup(anchorGroup_.toStdString());
  const QRectF frame = frameOf(group);
  if (!frame.isEmpty()) setTransform(zoom_, frame.topLeft() - anchorAt_ / zoom_);
}

void Canvas::setTheme(Theme theme) {
  if (theme == theme_) return;
  theme_ = theme;
  tiles_->reset(picture_, index_, theme_);
  requestVisibleTiles();
  update();
}

// --- selection

int32_t Canvas::nodeOf(InstructionId id) const { return view_ ? view_->boxOf(id) : -1; }

QRectF Canvas::frameOf(int32_t viewNode) const {
  return index_ ? toQRectF(index_->frameBounds(viewNode)).translated(tools_->move.movedBy(viewNode)) : QRectF();
}
QRectF Canvas::boxOf(InstructionId id) const { return frameOf(nodeOf(id)); }

void Canvas::setSelection(const std::vector<InstructionId>& selection, bool revealIt) {
  selection_ = selection;
  refreshSelectedNodes();
  if (revealIt) reveal();
  update();
}

// Linear in nodes and wires with small constants: everything may be selected.
void Canvas::refreshSelectedNodes() {
  selectedNodes_.clear();
  selectedWires_.clear();
  if (selection_.empty() || !index_ || !view_) return;
  std::vector<bool> selected(view_->nodes.size());
  for (InstructionId id : selection_)
    if (const int32_t node = nodeOf(id); node >= 0) selected[static_cast<size_t>(node)] = true;
  for (size_t v = 0; v < selected.size(); ++v)
    if (selected[v]) selectedNodes_.push_back(static_cast<int32_t>(v));
  for (size_t e = 0; e < view_->edges.size() && selectedWires_.size() < kMaxVisibleSelected; ++e)
    if (selected[static_cast<size_t>(view_->edges[e].from)] || selected[static_cast<size_t>(view_->edges[e].to)])
      if (const int32_t item = index_->wireItem(e); item >= 0) selectedWires_.push_back(item);
}

void Canvas::reveal() {
  const QRectF visible = visibleScene();
  QRectF all;
  for (int32_t node : selectedNodes_) {
    const QRectF frame = frameOf(node);
    if (visible.intersects(frame)) return;
    all |= frame;
  }
  if (!all.isEmpty()) centerOn(all.center());
}

// Moves the view only where it has to, and then so that a row of neighbours above and below stands in sight where there
// is room: what was just made is wired to them next.
void Canvas::bringIntoView() {
  QRectF all;
  for (int32_t node : selectedNodes_) all |= frameOf(node);
  const double margin = kFitMargin / zoom_;
  const QRectF visible = freeScene();
  if (all.isEmpty() || visible.contains(all.adjusted(-margin, -margin, margin, margin))) return;
  const double row = std::clamp((visible.height() - all.height()) / 2 - margin, 0.0, kRowHeight);
  const QRectF wanted = all.adjusted(-margin, -margin - row, margin, margin + row);
  if (wanted.width() > visible.width() || wanted.height() > visible.height()) return reveal();
  const auto least = [](double from, double to, double low, double high) {
    return from < low ? from - low : to > high ? to - high : 0;
  };
  setTransform(zoom_, origin_ + QPointF(least(wanted.left(), wanted.right(), visible.left(), visible.right()),
                                        least(wanted.top(), wanted.bottom(), visible.top(), visible.bottom())));
}

// --- transform

QPointF Canvas::toScene(QPointF widget) const { return origin_ + widget / zoom_; }
QPointF Canvas::toWidget(QPointF scene) const { return (scene - origin_) * zoom_; }
QRectF Canvas::freeScene() const { return {toScene(contentsRect().topLeft()), QSizeF(contentsRect().size()) / zoom_}; }
QRectF Canvas::visibleScene() const { return {origin_, QSizeF(size()) / zoom_}; }

void Canvas::setTransform(double zoom, QPointF origin) {
  const bool zoomed = zoom != zoom_;
  fitted_ = false;
  zoom_ = zoom;
  origin_ = origin;
  if (picture_) {  // a strip of the picture always stays in sight
    const QRectF bounds = toQRectF(picture_->bounds);
    const double keepX = std::min(60.0, width() / 2.0) / zoom_, keepY = std::min(60.0, height() / 2.0) / zoom_;
    origin_.setX(std::clamp(origin_.x(), bounds.left() - width() / zoom_ + keepX,
                            std::max(bounds.right() - keepX, bounds.left() - width() / zoom_ + keepX)));
    origin_.setY(std::clamp(origin_.y(), bounds.top() - height() / zoom_ + keepY,
                            std::max(bounds.bottom() - keepY, bounds.top() - height() / zoom_ + keepY)));
  }
  requestVisibleTiles();
  update();
  if (zoomed) emit zoomChanged(zoom_);
}

void Canvas::panBy(QPointF pixels) { setTransform(zoom_, origin_ - pixels / zoom_); }

void Canvas::toSceneUnits(QPainter& painter) const {
  painter.scale(zoom_, zoom_);
  painter.translate(-origin_);
}

void Canvas::zoomBy(double factor, QPointF at) {
  const double zoom = std::clamp(zoom_ * factor, kSmallestZoom, kLargestZoom);
  const QPointF fixed = toScene(at);
  setTransform(zoom, fixed - at / zoom);
}

void Canvas::centerOn(QPointF scene) { setTransform(zoom_, scene - QPointF(width(), height()) / 2 / zoom_); }

// Into the contents rectangle: its owner keeps margins free for what stands over the canvas.
double Canvas::zoomToFit(QRectF scene) const {
  const QRectF room = contentsRect();
  const double zoom = std::min({(room.width() - 2 * kFitMargin) / std::max(scene.width(), 1.0),
                                (room.height() - 2 * kFitMargin) / std::max(scene.height(), 1.0), 1.0});
  return std::clamp(zoom, kSmallestZoom, kLargestZoom);
}

void Canvas::fit(QRectF scene) {
  const double bounded = zoomToFit(scene);
  setTransform(bounded, scene.center() - QRectF(contentsRect()).center() / bounded);
}

void Canvas::fitAll() {
  if (picture_) fit(toQRectF(picture_->bounds));
  fitted_ = true;
}

void Canvas::fitSelection() {
  QRectF all;
  for (int32_t node : selectedNodes_) all |= frameOf(node);
  if (all.isEmpty()) return fitAll();
  fit(all.adjusted(-40, -40, 40, 40));
}

void Canvas::resizeEvent(QResizeEvent*) {
  if (fitted_)
    fitAll();
  else
    requestVisibleTiles();
}

// --- tiles

namespace {

std::vector<TileKey> tilesOver(const QRectF& scene, int32_t level) {
  std::vector<TileKey> out;
  const double side = TileStore::kPixels / TileStore::zoomOf(level);
  const auto left = static_cast<int32_t>(std::floor(scene.left() / side));
  const auto right = static_cast<int32_t>(std::floor(scene.right() / side));
  const auto top = static_cast<int32_t>(std::floor(scene.top() / side));
  const auto bottom = static_cast<int32_t>(std::floor(scene.bottom() / side));
  for (int32_t row = top; row <= bottom; ++row)
    for (int32_t column = left; column <= right; ++column) out.push_back({level, column, row});
  return out;
}

}  // namespace

void Canvas::requestVisibleTiles() {
  if (!picture_) return;
  const QRectF wanted = visibleScene().intersected(toQRectF(picture_->bounds));
  if (wanted.isEmpty()) return tiles_->request({});
  tiles_->request(tilesOver(wanted, TileStore::levelFor(zoom_ * devicePixelRatioF())));
}

bool Canvas::tilesReady() const { return tiles_->idle(); }

void Canvas::waitForTiles() {
  QEventLoop loop;
  while (!tiles_->idle()) loop.processEvents(QEventLoop::WaitForMoreEvents | QEventLoop::ExcludeUserInputEvents);
}

void Canvas::paintTiles(QPainter& painter) {
  const QRectF visible = visibleScene().intersected(toQRectF(picture_->bounds));
  if (visible.isEmpty()) return;
  const double pixels = zoom_ * devicePixelRatioF();  // a scene unit
  const int32_t level = TileStore::levelFor(pixels);
  painter.setRenderHint(QPainter::SmoothPixmapTransform, std::abs(TileStore::zoomOf(level) - pixels) > 1e-9);
  // Neighbours meet at whole pixels, so that no seam shows between them.
  auto snapped = [ratio = devicePixelRatioF()](QPointF p) {
    return QPointF(std::round(p.x() * ratio), std::round(p.y() * ratio)) / ratio;
  };
  auto paint = [&](const TileKey& key, const QImage& image) {
    const double side = TileStore::kPixels / TileStore::zoomOf(key.level);
    const QPointF from = snapped(toWidget({key.column * side, key.row * side}));
    const QPointF to = snapped(toWidget({(key.column + 1) * side, (key.row + 1) * side}));
    painter.drawImage(QRectF(from.x(), from.y(), to.x() - from.x(), to.y() - from.y()), image);
  };
  const std::vector<TileKey> keys = tilesOver(visible, level);
  const bool complete =
      std::all_of(keys.begin(), keys.end(), [&](const TileKey& k) { return tiles_->find(k) != nullptr; });
  if (!complete)  // what other levels have already, coarse ones first
    for (int32_t other : {level - 4, level - 3, level - 2, level - 1, level + 1})
      for (const TileKey& key : tilesOver(visible, other))
        if (const QImage* image = tiles_->find(key)) paint(key, *image);
  for (const TileKey& key : keys)
    if (const QImage* image = tiles_->find(key)) paint(key, *image);
}

void Canvas::paintEvent(QPaintEvent*) {
  QPainter painter(this);
  painter.fillRect(rect(), toQColor(ColorRole::Background, theme_));
  if (!picture_) return;
  paintTiles(painter);
  paintMoving(painter);
}

// Selection, hover, marks and what the tools show: few things, painted directly.
void Canvas::paintMoving(QPainter& painter) {
  painter.setRenderHint(QPainter::Antialiasing);
  const QRectF visible = visibleScene();
  tools_->move.paint(painter);
  paintValues(painter, visible);
  if (!tools_->move.isMoving()) paintSelectedWires(painter, visible);
  paintSelection(painter, visible);
  paintMarks(painter, visible);
  paintHover(painter);
  tools_->reroute.paint(painter);
  paintPageSelection(painter);
  paintPreview(painter);
  tools_->wire.paintSockets(painter);
  tools_->wire.paint(painter);
  tools_->cut.paint(painter);
  if (active_ == &tools_->box) tools_->box.paint(painter);
}

void Canvas::paintOutline(QPainter& painter, const QRectF& scene, const QColor& color, double width) const {
  painter.setPen(QPen(color, width));
  painter.setBrush(Qt::NoBrush);
  painter.drawRoundedRect(toWidget(scene).adjusted(-width, -width, width, width), 5 * zoom_ + width, 5 * zoom_ + width);
}

void Canvas::paintSelection(QPainter& painter, const QRectF& visible) {
  size_t painted = 0;
  for (int32_t node : selectedNodes_) {
    const QRectF frame = frameOf(node);
    if (!frame.intersects(visible)) continue;
    paintOutline(painter, frame, toQColor(ColorRole::Selection, theme_), 2.5);
    if (++painted == kMaxVisibleSelected) break;
  }
}

void Canvas::paintHover(QPainter& painter) {
  if (hover_ < 0) return;
  const PictureItem& item = picture_->items[static_cast<size_t>(hover_)];
  QColor faint = toQColor(ColorRole::Selection, theme_);
  faint.setAlphaF(0.7f);
  if (item.kind == PictureItem::Kind::Path)
    paintWire(painter, item, faint);
  else
    paintOutline(painter, frameOf(item.viewNode), faint, 1.5);
}

void Canvas::setPreview(std::vector<NodePreview> preview) {
  preview_ = std::move(preview);
  update();
}

// What changes glows, what would break glows with its reason.
void Canvas::paintPreview(QPainter& painter) {
  const QRectF visible = visibleScene();
  for (const NodePreview& each : preview_) {
    const QRectF frame = boxOf(each.instruction);
    if (frame.isEmpty() || !frame.intersects(visible)) continue;
    const ColorRole role = each.wrong ? ColorRole::Error : ColorRole::Selection;
    const QRectF box = toWidget(frame);
    painter.setBrush(Qt::NoBrush);
    for (int ring = 3; ring > 0; --ring) {
      QColor glow = toQColor(role, theme_);
      glow.setAlphaF(0.35f / static_cast<float>(ring));
      painter.setPen(QPen(glow, 3.0 * ring));
      painter.drawRoundedRect(box, 6, 6);
    }
    if (!each.text.isEmpty())
      paintPlate(painter, size(), box.topRight() + QPointF(6, 4),
                 QString::fromStdString(elideText(each.text.toStdString(), kPlateText, 320)), role, true, theme_);
  }
}

void Canvas::paintSelectedWires(QPainter& painter, const QRectF& visible) {
  QColor color = toQColor(ColorRole::Selection, theme_);
  color.setAlphaF(0.6f);
  for (int32_t item : selectedWires_) {
    const PictureItem& wire = picture_->items[static_cast<size_t>(item)];
    if (zoom_ < wire.minZoom) continue;  // not drawn at all so far out
    if (toQRectF(wire.bounds).adjusted(-2, -2, 2, 2).intersects(visible)) paintWire(painter, wire, color);
  }
}

void Canvas::paintWire(QPainter& painter, const PictureItem& wire, const QColor& color) const {
  PictureItem thick = wire;
  thick.width = static_cast<float>(std::max(2.5, 2.0 / zoom_));
  thick.stroke = ColorRole::Selection;
  thick.minZoom = 0;
  painter.save();
  toSceneUnits(painter);
  painter.setOpacity(color.alphaF());
  paintItem(painter, thick, zoom_, theme_);
  painter.restore();
}

void Canvas::setMarks(std::vector<std::pair<InstructionId, QString>> marks) {
  marks_ = std::move(marks);
  update();
}

void Canvas::paintMarks(QPainter& painter, const QRectF& visible) {
  const QColor color = toQColor(ColorRole::Error, theme_);
  for (const auto& [id, reason] : marks_) {
    const QRectF frame = boxOf(id);
    if (frame.isEmpty() || !frame.intersects(visible)) continue;
    const QRectF box(toWidget(frame.topLeft()), toWidget(frame.bottomRight()));
    painter.setPen(QPen(color, 2));
    painter.setBrush(Qt::NoBrush);
    painter.drawRoundedRect(box.adjusted(-3, -3, 3, 3), 6, 6);
    if (zoom_ < 0.45 || reason.isEmpty()) continue;
    const std::string cut = elideText(reason.toStdString(), 11, 420);
    const QRectF plate(box.left(), box.top() - 21, textWidth(cut, 11) + 12, 17);
    painter.setPen(QPen(color, 1));
    painter.setBrush(toQColor(ColorRole::NodeFill, theme_));
    painter.drawRoundedRect(plate, 3, 3);
    PictureItem text;
    text.kind = PictureItem::Kind::Text;
    text.bounds = {static_cast<float>(plate.x()) + 6, static_cast<float>(plate.y()) + 3, 0, 0};
    text.text = cut;
    text.size = 11;
    text.fill = ColorRole::NodeText;
    paintItem(painter, text, 1, theme_);
  }
}

}  // namespace tessera
