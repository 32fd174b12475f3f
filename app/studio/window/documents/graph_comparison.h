// GraphComparison: a graph compared with that of another document, which is seen beside it; both as one graph. Used by
// the File menu and the panels of differences.
#pragma once

#include <QObject>
#include <utility>
#include <vector>

namespace tessera {

class CurrentDocument;
class Document;
class DocumentOpener;
class DocumentPane;
class DocumentTabs;
class PaneArea;

class GraphComparison : public QObject {
  Q_OBJECT

 public:
  GraphComparison(CurrentDocument& current, PaneArea& area, DocumentTabs& tabs, DocumentOpener& opener,
                  QObject* parent);

  // What differs in the pane's graph from a file's, which opens beside it; "": the user chooses one.
  void compareWithFile(DocumentPane& pane, QString path = {});

 private:
  void connectPane(DocumentPane& pane);
  std::vector<std::pair<QString, Document*>> othersThan(const DocumentPane& pane) const;
  void compare(DocumentPane& pane, DocumentPane& other);
  void showBeside(DocumentPane& pane, DocumentPane& other);
  void openMerged(DocumentPane& from);

  CurrentDocument& current_;
  PaneArea& area_;
  DocumentTabs& tabs_;
  DocumentOpener& opener_;
};

}  // namespace tessera
