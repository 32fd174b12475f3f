// CommunicationPanel: what devices exchanged: per kind, group and mesh axis, and per collective below that, bytes, time
// from start to done, what no computation hides, rates, skew. A row selects its instructions; the exposed time becomes
// an overlay.
#pragma once

#include <QThreadPool>
#include <QWidget>
#include <memory>

#include "core/analysis/communication.h"

class QLabel;
class QTreeWidget;
class QTreeWidgetItem;

namespace tessera {

class Document;

class CommunicationPanel : public QWidget {
  Q_OBJECT

 public:
  explicit CommunicationPanel(Document& document, QWidget* parent = nullptr);
  ~CommunicationPanel() override;

  QTreeWidget* table() const { return table_; }
  QString words() const;
  const std::shared_ptr<const CommunicationTimes>& found() const { return found_; }
  bool isBusy() const { return busy_ > 0; }

 signals:
  void revealWanted(tessera::InstructionId id);

 protected:
  void showEvent(QShowEvent* event) override;
  void resizeEvent(QResizeEvent* event) override;

 private:
  void measure();
  void take(std::shared_ptr<const CommunicationTimes> found);
  void fill();
  QTreeWidgetItem* itemFor(const CollectiveUse& use, const QString& name) const;
  void selectRows();
  void showSelection();

  Document& document_;
  QThreadPool pool_;
  QTreeWidget* table_;
  QLabel *words_, *empty_;
  std::shared_ptr<const CommunicationTimes> found_;
  uint64_t request_ = 0;
  int busy_ = 0;
  bool choosing_ = false, stale_ = true;
};

}  // namespace tessera
