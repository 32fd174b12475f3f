// BlockActions: the palette dock and the user's library of blocks: placing by double click or drop, saving the
// selection as a block, updating the uses of a block to the library's version. Uses PalettePanel and core/edit's
// blocks; made by MainWindow.
#pragma once

#include <QObject>
#include <QString>
#include <QThreadPool>
#include <vector>

#include "core/edit/palette/blocks.h"

namespace tessera {

class GraphEditController;
class Canvas;
class Document;
class PalettePanel;

class BlockActions : public QObject {
  Q_OBJECT

 public:
  // remembers: favourites and recents are kept between sessions, and the library is the user's own file.
  BlockActions(Document& document, Canvas& canvas, GraphEditController& graphEdit, PalettePanel& palette,
               bool remembers, QObject* parent);

  void setLibrary(const QString& path);  // reads it; one that is not there is empty
  const QString& library() const { return path_; }
  const std::vector<Block>& blocks() const { return blocks_; }
  void askForName();  // and saves the selection
  // The selection as a block of the library, under a known name as its next version, and a call of it in the place of
  // what was selected. A worker writes it; saved() or explained() follows.
  void saveSelection(const QString& name, const QString& summary);
  bool isSaving() const { return saving_ > 0; }
  bool offersUpdate() const { return !outdated_.empty(); }
  void update();  // every use that is older than the library

 signals:
  void explained(QString why);
  void saved(QString name);          // of a block, which the library on the disk has
  void updateOffered(QString text);  // empty: no use is older than the library

 protected:
  bool eventFilter(QObject* watched, QEvent* event) override;

 private:
  void place(const QString& name);
  void spreadBlocks();  // to palette and search
  void showOffer();
  void turnInto(const std::string& name, const std::vector<InstructionId>& selected);

  Document& document_;
  Canvas& canvas_;
  GraphEditController& graphEdit_;
  PalettePanel& palette_;
  QString path_;
  std::vector<Block> blocks_;
  std::vector<InstructionId> outdated_;  // uses in the graph that are older than the library
  bool remembers_;
  int saving_ = 0;
  QThreadPool pool_;  // last: who goes waits until everything is written
};

}  // namespace tessera
