// PalettePanel: all that can be added, as a tree: favourites, recent ones, the user's blocks, then operations by
// category. A double click places an entry fed by the selection, a drag drops it on the canvas. Uses core/edit's
// palette; used by BlockActions, which keeps favourites and recent ones.
#pragma once

#include <QStringList>
#include <QTreeWidget>
#include <QWidget>
#include <vector>

#include "core/edit/palette/blocks.h"
#include "core/edit/palette/palette.h"

class QLineEdit;

namespace tessera {

inline constexpr const char* kPaletteMime = "application/x-tessera-palette";

class PaletteTree : public QTreeWidget {
  Q_OBJECT

 public:
  using QTreeWidget::QTreeWidget;

 protected:
  QMimeData* mimeData(const QList<QTreeWidgetItem*>& items) const override;
  QStringList mimeTypes() const override { return {QLatin1String(kPaletteMime)}; }
};

class PalettePanel : public QWidget {
  Q_OBJECT

 public:
  explicit PalettePanel(QWidget* parent = nullptr);
  QLineEdit* field() const { return field_; }
  QTreeWidget* tree() const { return tree_; }
  QTreeWidgetItem* item(const QString& category, const QString& title) const;  // null: it is not there

  void setBlocks(std::vector<Block> blocks);
  void setFavourites(const QStringList& titles);
  const QStringList& favourites() const { return favourites_; }
  void setRecents(const QStringList& titles);
  const QStringList& recents() const { return recents_; }
  void noteUse(const QString& title);

  // What a title of the tree or of a drag stands for: an operation or a block of the library.
  void choose(const QString& title);

 signals:
  void entryChosen(tessera::PaletteEntry entry);
  void blockChosen(QString name);
  void favouritesChanged();

 protected:
  void changeEvent(QEvent* event) override;

 private:
  void fill();
  void take(QTreeWidgetItem* item);
  void keepNamesWhole();
  void rememberOpen();
  QTreeWidgetItem* section(const QString& name, bool openAtFirst, const char* icon);
  void add(QTreeWidgetItem* section, const QString& title, const QString& summary);
  void openMenu(const QPoint& at);

  QLineEdit* field_;
  PaletteTree* tree_;
  std::vector<Block> blocks_;
  QStringList favourites_, recents_;
  QHash<QString, bool> isOpen_;  // sections by name, while nothing is searched for
  QString filledFor_;            // the words
  bool taking_ = false;
};

}  // namespace tessera
