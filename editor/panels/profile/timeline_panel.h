// TimelinePanel: what ran when: the tracks, and beside them the span that is selected or the sums of a stretch of time.
// A span selects its instructions everywhere; what the document selects is outlined in the tracks.
#pragma once

#include <QWidget>

#include "core/base/ids.h"
#include "core/base/result.h"
#include "core/profile/timeline.h"

class QLabel;
class QTreeWidget;

namespace tessera {

class Document;
class TimelineView;

class TimelinePanel : public QWidget {
  Q_OBJECT

 public:
  explicit TimelinePanel(Document& document, QWidget* parent = nullptr);

  TimelineView* view() const { return view_; }
  QTreeWidget* sums() const { return sums_; }
  QString details() const;
  // Chrome trace JSON, which Perfetto opens; failed() may follow.
  void exportTrace(const QString& path);

 signals:
  void revealWanted(tessera::InstructionId id);
  void failed(QString message);

 protected:
  void resizeEvent(QResizeEvent* event) override;

 private:
  QWidget* makeBar();
  QWidget* makeFacts();
  void show();
  void showEmptyText();
  void showSpan();
  void showStretch();
  void showSums(int64_t beginNs, int64_t endNs, const std::vector<uint32_t>& tracks);
  void selectSum();
  void choose(std::vector<InstructionId> instructions);
  void chooseExport();

  Document& document_;
  std::shared_ptr<const Timeline> timeline_;
  QLabel *words_, *empty_, *details_;
  TimelineView* view_;
  QTreeWidget* sums_;
  bool choosing_ = false;  // the selection comes from here
};

}  // namespace tessera
