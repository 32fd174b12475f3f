// PaneArea: the panes of all open documents, of which one or two side by side are seen: two documents, or one at two
// places. The pane that has the focus is the current one. A twin is a second pane of one document; it has no tab and
// lives while it is seen. Used by the main window and by what opens and closes documents.
#pragma once

#include <QSplitter>
#include <vector>

#include "core/picture/picture.h"

namespace tessera {

class CurrentDocument;
class Document;
class DocumentPane;
class DocumentTabs;
class PanelDocks;

class PaneArea : public QSplitter {
  Q_OBJECT

 public:
  // remembers: what its panes hold is the user's own, see DocumentPane.
  PaneArea(CurrentDocument& current, DocumentTabs& tabs, PanelDocks& docks, bool remembers, QWidget* parent);

  DocumentPane& add(DocumentPane* twinOf = nullptr);  // without a tab, and hidden
  void forget(DocumentPane& pane);                    // it is deleted in a later event
  void removeAll();                                   // at once; nothing may use the current one afterwards

  std::vector<DocumentPane*> all() const;
  DocumentPane* paneOf(const QString& path) const;       // that has a tab; null: none
  DocumentPane* paneOf(const Document* document) const;  // the same
  void goToTab(int step);                                // to the right, round
  bool isBusy() const;                                   // a document reads, runs or draws

  // Another document beside the current one, or the same at another place; again: one alone.
  void split(bool sameDocument);
  void unsplit();
  void leaveSplit(DocumentPane& pane);                       // before it goes
  DocumentPane* beside() const { return beside_; }           // the other one that is seen; null: it is not split
  void putBeside(DocumentPane& half, DocumentPane& wanted);  // in the place of a half
  void showBeside(DocumentPane& pane, DocumentPane& other);  // of which the first is the current one
  void showHeaders();

  void setTheme(Theme theme);
  Theme theme() const { return theme_; }

 signals:
  void added(tessera::DocumentPane& pane);
  void splitEnded();

 private:
  void showCurrent(DocumentPane* before);
  void dropTwins();
  void putInPlaceOf(DocumentPane& before, DocumentPane& pane);
  void shareRoom(QList<int> widths);
  DocumentPane& addTwin(DocumentPane& of);
  void connectHeader(DocumentPane& pane);

  CurrentDocument& current_;
  DocumentTabs& tabs_;
  PanelDocks& docks_;
  const bool remembers_;
  DocumentPane* beside_ = nullptr;
  Theme theme_ = Theme::Light;
};

}  // namespace tessera
