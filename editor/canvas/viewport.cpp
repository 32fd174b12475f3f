// All changes go through set(), which keeps a strip of the scene in sight.
#include "editor/canvas/viewport.h"

#include <QPainter>
#include <QWidget>
#include <algorithm>

#include "core/picture/picture.h"
#include "editor/preferences/preferences.h"

namespace tessera {
namespace {

constexpr double kSmallestZoom = 0.0002, kLargestZoom = 6;
constexpr int kFitMargin = 24;
constexpr double kRowHeight = 110;  // in the scene: a box and the gap to the next
constexpr double kGrowth = 0.3;     // of its size: room for what is added next, when all is made smaller
constexpr double kStrip = 60, kScrollMargin = 30, kSnug = 6;  // pixels
constexpr int kGlideMs = 150;

// How far [from, to] lies outside of [low, high].
double outside(double from, double to, double low, double high) {
  return from < low ? from - low : to > high ? to - high : 0;
}

}  // namespace

Viewport::Viewport(QWidget& widget) : widget_(widget) {
  connect(&glide_, &QVariantAnimation::valueChanged, this,
          [this](const QVariant& origin) { set(zoom_, origin.toPointF()); });
}

QRectF Viewport::visible() const { return {origin_, QSizeF(widget_.size()) / zoom_}; }
QRectF Viewport::free() const {
  const QRect room = widget_.contentsRect();
  return {toScene(room.topLeft()), QSizeF(room.size()) / zoom_};
}

void Viewport::toSceneUnits(QPainter& painter) const {
  painter.scale(zoom_, zoom_);
  painter.translate(-origin_);
}

void Viewport::set(double zoom, QPointF origin) {
  const bool zoomed = zoom != zoom_;
  fitted_ = false;
  centre_.reset();
  zoom_ = zoom;
  origin_ = origin;
  if (bounds_) {
    const double width = widget_.width() / zoom_, height = widget_.height() / zoom_;
    const double keepX = std::min(kStrip / zoom_, width / 2), keepY = std::min(kStrip / zoom_, height / 2);
    const double left = bounds_->left() - width + keepX, top = bounds_->top() - height + keepY;
    origin_.setX(std::clamp(origin_.x(), left, std::max(bounds_->right() - keepX, left)));
    origin_.setY(std::clamp(origin_.y(), top, std::max(bounds_->bottom() - keepY, top)));
  }
  emit changed();
  if (zoomed) emit zoomChanged(zoom_);
}

void Viewport::zoomBy(double factor, QPointF at) {
  const double zoom = std::clamp(zoom_ * factor, kSmallestZoom, kLargestZoom);
  const QPointF fixed = toScene(at);
  set(zoom, fixed - at / zoom);
}

void Viewport::panBy(QPointF pixels) { set(zoom_, origin_ - pixels / zoom_); }
void Viewport::place(QPointF scene, QPointF widget) { set(zoom_, scene - widget / zoom_); }
void Viewport::centerOn(QPointF scene) { place(scene, QPointF(widget_.width(), widget_.height()) / 2); }
void Viewport::keepCentered(QPointF scene) {
  centerOn(scene);
  centre_ = scene;
}

// --- fitting

// Into the contents rectangle: its owner keeps margins free for what stands over the canvas.
double Viewport::zoomToFit(QRectF scene) const {
  const QRectF room = widget_.contentsRect();
  const auto within = [&](double margin) {
    return std::min({(room.width() - 2 * margin) / std::max(scene.width(), 1.0),
                     (room.height() - 2 * margin) / std::max(scene.height(), 1.0), 1.0});
  };
  double zoom = within(kFitMargin);
  if (zoom < kReadableZoom && within(kSnug) >= kReadableZoom) zoom = kReadableZoom;  // rather read than margins
  return std::clamp(zoom, kSmallestZoom, kLargestZoom);
}

QSizeF Viewport::room() const {
  return widget_.contentsRect().marginsRemoved({kFitMargin, kFitMargin, kFitMargin, kFitMargin}).size();
}

void Viewport::fit(QRectF scene) {
  const double bounded = zoomToFit(scene);
  set(bounded, scene.center() - QRectF(widget_.contentsRect()).center() / bounded);
}

void Viewport::fitAll() {
  if (bounds_) fit(*bounds_);
  if (about_ && zoom_ < kReadableZoom) zoomBy(kReadableZoom / zoom_, toWidget(*about_));
  fitted_ = true;
}

void Viewport::resized() {
  if (fitted_)
    fitAll();
  else if (centre_)
    keepCentered(*centre_);
  else
    set(zoom_, origin_);  // a strip stays in sight
}

// What is all in sight stays so while there comes more: when it does not fit any longer it is made smaller, with room
// for what comes next, but never too small to read.
void Viewport::follow(QPointF shift) {
  const bool whole = fitted_;
  const std::optional<QPointF> centre = centre_;
  set(zoom_, origin_ + shift);
  if (centre) centre_ = *centre + shift;
  if (!whole || !bounds_) return;
  fitted_ = true;
  const QRectF all = *bounds_;
  const double margin = kSnug / zoom_;
  if (free().adjusted(margin, margin, -margin, -margin).contains(all)) return;
  const double least = std::min<double>(kReadableZoom, std::max(zoom_, zoomToFit(all)));
  for (const QRectF& wanted : {all.adjusted(0, 0, all.width() * kGrowth, all.height() * kGrowth), all})
    if (zoomToFit(wanted) >= least) {
      fit(wanted);
      fitted_ = true;
      return;
    }
  fitted_ = false;
}

void Viewport::stay() {
  const bool whole = fitted_;
  const std::optional<QPointF> centre = centre_;
  set(zoom_, origin_);
  fitted_ = whole;
  centre_ = centre;
}

// --- going where something is

void Viewport::scrollTo(QRectF scene) {
  if (scene.isEmpty()) return;
  const double margin = kScrollMargin / zoom_;
  const QRectF wanted = scene.adjusted(-margin, -margin, margin, margin), seen = visible();
  QPointF origin = origin_;
  if (wanted.left() < seen.left())
    origin.setX(wanted.left());
  else if (wanted.right() > seen.right())
    origin.setX(std::min(wanted.right() - seen.width(), wanted.left()));
  if (wanted.top() < seen.top())
    origin.setY(wanted.top());
  else if (wanted.bottom() > seen.bottom())
    origin.setY(std::min(wanted.bottom() - seen.height(), wanted.top()));
  if (origin != origin_) set(zoom_, origin);
}

// Only along what is out of sight; up or down, where nothing of it is seen, with the row of neighbours: what was just
// made is wired to them next.
bool Viewport::bringIntoView(QRectF scene) {
  const double margin = kFitMargin / zoom_, snug = kSnug / zoom_;
  const QRectF seen = free();
  if (scene.isEmpty() || seen.contains(scene.adjusted(-snug, -snug, snug, snug))) return true;
  const bool across = scene.left() - snug < seen.left() || scene.right() + snug > seen.right();
  const bool along = scene.top() - snug < seen.top() || scene.bottom() + snug > seen.bottom();
  const bool gone = !seen.intersects(scene);
  const double row = gone ? std::clamp((seen.height() - scene.height()) / 2 - margin, 0.0, kRowHeight) : 0;
  const double x = across ? margin : 0, y = along ? margin + row : 0;
  const QRectF wanted = scene.adjusted(-x, -y, x, y);
  if (wanted.width() > seen.width() || wanted.height() > seen.height()) return false;
  const bool whole = fitted_;
  set(zoom_, origin_ + QPointF(outside(wanted.left(), wanted.right(), seen.left(), seen.right()),
                               outside(wanted.top(), wanted.bottom(), seen.top(), seen.bottom())));
  fitted_ = whole && bounds_ && free().contains(*bounds_);
  return true;
}

void Viewport::show(QRectF scene) {
  if (bringIntoView(scene)) return;
  const double whole = zoomToFit(scene), least = std::min<double>(kReadableZoom, zoom_);
  if (whole >= least) return fit(scene);
  const QPointF corner = QRectF(widget_.contentsRect()).topLeft() + QPointF(kFitMargin, kFitMargin);
  set(least, scene.topLeft() - corner / least);
}

void Viewport::glideTo(const std::vector<QRectF>& boxes) {
  const QRectF seen = free();
  if (boxes.empty() || std::ranges::any_of(boxes, [&](const QRectF& box) { return seen.contains(box.center()); }))
    return;
  QRectF all;
  for (const QRectF& box : boxes) all |= box;
  const bool together = all.width() <= seen.width() && all.height() <= seen.height();
  glide_.stop();
  glide_.setDuration(transitionMs(kGlideMs));
  glide_.setEasingCurve(QEasingCurve::InOutCubic);
  glide_.setStartValue(origin_);
  glide_.setEndValue((together ? all : boxes.front()).center() - (seen.center() - origin_));
  glide_.start();
}

}  // namespace tessera
