// Viewport: which part of a scene a widget shows, and how large. Used by Canvas, by its tools, and by all that stands
// over the canvas and has to know where a box is on the screen.
#pragma once

#include <QObject>
#include <QPointF>
#include <QRectF>
#include <QVariantAnimation>
#include <optional>
#include <vector>

class QPainter;
class QWidget;

namespace tessera {

// One notch of the wheel, one press of + or -.
inline constexpr double kZoomStep = 1.2;

class Viewport : public QObject {
  Q_OBJECT

 public:
  explicit Viewport(QWidget& widget);

  double zoom() const { return zoom_; }  // pixels a scene unit
  QPointF toScene(QPointF widget) const { return origin_ + widget / zoom_; }
  QPointF toWidget(QPointF scene) const { return (scene - origin_) * zoom_; }
  QRectF toWidget(const QRectF& scene) const { return {toWidget(scene.topLeft()), toWidget(scene.bottomRight())}; }
  QRectF visible() const;  // scene
  QSizeF room() const;     // pixels in which all is fitted, without margins
  QRectF free() const;     // of it, where nothing stands over the widget (its contents rectangle)
  void toSceneUnits(QPainter& painter) const;

  // Of all that there is; a strip of it always stays in sight.
  void setBounds(std::optional<QRectF> bounds) { bounds_ = bounds; }
  void zoomBy(double factor, QPointF at);  // at: in widget pixels
  void panBy(QPointF pixels);
  void centerOn(QPointF scene);
  // The same, and the point stays in the middle when the widget is resized, until a hand moves the picture.
  void keepCentered(QPointF scene);
  void place(QPointF scene, QPointF widget);  // so that the one is seen at the other
  void fit(QRectF scene);
  void fitAll();
  // Where all of it could not be read, the surroundings of this point are shown instead; none: all, however small.
  void keepReadable(std::optional<QPointF> about) { about_ = about; }
  bool showsAll() const { return fitted_; }  // and goes on doing so when the widget is resized
  void resized();
  // What was seen has moved by so much, and there may be more of it.
  void follow(QPointF shift);
  // There may be more or less of what is seen: the view is the user's.
  void stay();
  // Moves as little as shows the rectangle: with a margin, or with room for a row of boxes above and below where there
  // is any; one that is in sight moves nothing. False: it is larger than what is seen.
  void scrollTo(QRectF scene);
  bool bringIntoView(QRectF scene);
  // Moves, else zooms out as little as shows the whole rectangle; where it could not be read then, its beginning.
  void show(QRectF scene);
  // Smoothly to boxes of the scene (to the first where they are far apart), where none of them is in sight.
  void glideTo(const std::vector<QRectF>& boxes);
  bool isGliding() const { return glide_.state() == QAbstractAnimation::Running; }
  void stop() { glide_.stop(); }

 signals:
  void changed();
  void zoomChanged(double zoom);

 private:
  void set(double zoom, QPointF origin);
  double zoomToFit(QRectF scene) const;

  QWidget& widget_;
  double zoom_ = 1;
  QPointF origin_;  // scene point at the widget's top left
  std::optional<QRectF> bounds_;
  std::optional<QPointF> about_;
  bool fitted_ = true;             // all is in sight and stays so while there comes more or the widget is resized
  std::optional<QPointF> centre_;  // of the scene: stays in the middle when the widget is resized
  QVariantAnimation glide_;        // of origin_; a hand ends it
};

}  // namespace tessera
