// TimelineView: the tracks of a Timeline over time, painted a pixel at a time from the pyramids of their lanes. Keys
// and mouse as in Perfetto: W S zoom, A D pan, F shows the selection, M marks it, a drag selects a stretch, Shift +
// drag pans, Ctrl + wheel zooms, the wheel scrolls. Used by TimelinePanel.
#pragma once

#include <QAbstractScrollArea>
#include <QImage>
#include <QStaticText>
#include <memory>
#include <optional>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "core/profile/timeline.h"

namespace tessera {

struct TimeRange {
  int64_t beginNs = 0, endNs = 0;
  bool operator==(const TimeRange&) const = default;
};

class TimelineView : public QAbstractScrollArea {
  Q_OBJECT

 public:
  explicit TimelineView(QWidget* parent = nullptr);

  // The module is that of the instructions; null: nothing is shown.
  void setTimeline(std::shared_ptr<const Timeline> timeline, std::shared_ptr<const Module> module);
  // Spans that stand for one of the instructions are outlined; the first one is brought into sight where none is.
  void markInstructions(const std::vector<InstructionId>& instructions);

  const std::optional<SpanPlace>& selected() const { return selected_; }
  const std::optional<TimeRange>& stretch() const { return stretch_; }
  const std::vector<uint32_t>& stretchTracks() const { return stretchTracks_; }
  const std::vector<int64_t>& marks() const { return marks_; }  // two at most
  void select(const SpanPlace& place);
  void showAll();
  void showRange(TimeRange range);

  // --- what is where, in the viewport
  TimeRange range() const { return range_; }
  double xOf(int64_t ns) const;
  int64_t timeAt(double x) const;
  std::optional<SpanPlace> spanAt(QPointF at) const;
  QRectF boxOf(const SpanPlace& place) const;
  QString tipOf(const SpanPlace& place) const;
  QString measured() const;  // between the marks; empty: there are not two
  double lastPaintMs() const { return lastPaintMs_; }

 signals:
  void spanSelected();
  void stretchSelected();
  void marksChanged();
  void activated(tessera::SpanPlace place);  // by double click

 protected:
  void paintEvent(QPaintEvent* event) override;
  void resizeEvent(QResizeEvent* event) override;
  void mousePressEvent(QMouseEvent* event) override;
  void mouseMoveEvent(QMouseEvent* event) override;
  void mouseReleaseEvent(QMouseEvent* event) override;
  void mouseDoubleClickEvent(QMouseEvent* event) override;
  void wheelEvent(QWheelEvent* event) override;
  void keyPressEvent(QKeyEvent* event) override;
  bool event(QEvent* event) override;
  bool viewportEvent(QEvent* event) override;

 private:
  static constexpr int kLabelWidth = 170, kRulerHeight = 22, kLaneHeight = 16, kTrackGap = 5, kProcessHeight = 18;
  struct Row {  // a lane, or the title of a process
    int32_t track = -1;
    uint32_t lane = 0;
    int top = 0;
    QString title;
  };
  enum class Drag { None, Stretch, Pan };

  void placeRows();
  int rowY(const Row& row) const;
  int contentWidth() const;
  void setRange(int64_t beginNs, int64_t endNs);
  void zoom(double factor, double x);
  void pan(double pixels);
  void updateStretch(QPointF at);
  void setMark();
  void stepTo(int step);
  void clearSelection();
  void bringIntoSight(const SpanPlace& place);
  double pointerX() const;

  void paintLane(QImage& image, const Row& row, double scale);
  void paintLabels(QPainter& painter, const Row& row);
  void paintTitles(QPainter& painter);
  void paintRuler(QPainter& painter);
  void paintTicks(QPainter& painter, int64_t beginNs, int64_t endNs, const QString& before);
  void paintBreaks(QPainter& painter);
  void paintOutlines(QPainter& painter);
  void paintFlows(QPainter& painter);
  void paintStretch(QPainter& painter);
  QRgb colorOf(uint32_t name);
  const QStaticText& labelOf(uint32_t name, int width, const QFontMetrics& metrics);

  std::shared_ptr<const Timeline> timeline_;
  std::shared_ptr<const Module> module_;
  std::vector<Row> rows_;
  int height_ = 0;
  TimeRange range_;
  std::vector<QRgb> colors_;                          // by name
  std::unordered_map<uint64_t, QStaticText> labels_;  // by name and width
  bool dark_ = false;
  std::vector<TimelineBar> bars_;
  std::unordered_set<uint32_t> marked_;  // names
  std::optional<SpanPlace> selected_;
  std::vector<TimelineFlow> arrows_;  // of what is selected
  std::optional<TimeRange> stretch_;
  std::vector<uint32_t> stretchTracks_;
  std::vector<int64_t> marks_;
  Drag drag_ = Drag::None;
  QPointF pressed_, last_;
  double lastPaintMs_ = 0;
};

}  // namespace tessera
