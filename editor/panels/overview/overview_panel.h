// OverviewPanel: what the open file is: facts, where its cost is as a treemap, the ten costliest instructions, and the
// first findings. A click on any of them asks for its place. Used by app/studio.
#pragma once

#include <QWidget>

#include "core/base/ids.h"
#include "editor/text/link_press.h"

class QLabel;
class QTextBrowser;
class QTreeWidget;
class QTreeWidgetItem;
class QUrl;

namespace tessera {

class Document;
class Treemap;
struct ModuleReport;

class OverviewPanel : public QWidget {
  Q_OBJECT

 public:
  explicit OverviewPanel(Document& document, QWidget* parent = nullptr);

  QTextBrowser* facts() const { return facts_; }
  QTextBrowser* findings() const { return findings_; }
  Treemap* treemap() const { return treemap_; }
  QTreeWidget* top() const { return top_; }
  QString stateText() const;

 signals:
  void revealWanted(tessera::InstructionId id);
  void findingsWanted();  // all of them
  void canvasWanted();    // a click on a link went to what is there

 protected:
  void showEvent(QShowEvent* event) override;
  void changeEvent(QEvent* event) override;

 private:
  void layOut();
  void refresh();
  void clear();
  void showFacts(const ModuleReport& report);
  void showTop(const ModuleReport& report);
  void showFindings(const ModuleReport& report);
  void showZoom();
  void follow(const QUrl& url);
  void go(const QTreeWidgetItem* item);

  Document& document_;
  QLabel *state_, *costTitle_, *topTitle_;
  QTextBrowser *facts_, *findings_;
  Treemap* treemap_;
  QTreeWidget* top_;
  LinkPress press_;
};

// One line over the canvas for files that are seen whole: what the file is, and a way to the rest.
class OverviewStrip : public QWidget {
  Q_OBJECT

 public:
  explicit OverviewStrip(Document& document, QWidget* parent = nullptr);
  QString text() const;

 signals:
  void overviewWanted();

 protected:
  void showEvent(QShowEvent* event) override;

 private:
  void refresh();

  Document& document_;
  QLabel* words_;
};

// Above so many instructions the overview is the first view of a file, below it is a strip.
inline constexpr size_t kLargeModule = 500;

}  // namespace tessera
