// See row_menu.h. What is copied are the words of the columns, parted by tabs, as spreadsheets take them.
#include "editor/panels/popups/row_menu.h"

#include <QAbstractItemView>
#include <QAction>
#include <QClipboard>
#include <QGuiApplication>
#include <QMenu>

namespace tessera {
namespace {

QString wordsOf(const QAbstractItemModel& model, const QModelIndex& row) {
  QStringList out;
  for (int column = 0; column < model.columnCount(row.parent()); ++column)
    out << model.data(row.siblingAtColumn(column), Qt::DisplayRole).toString();
  return out.join(QLatin1Char('\t'));
}

void addWords(const QAbstractItemModel& model, const QModelIndex& parent, QStringList& out) {
  for (int row = 0; row < model.rowCount(parent); ++row) {
    const QModelIndex index = model.index(row, 0, parent);
    out << wordsOf(model, index);
    addWords(model, index, out);
  }
}

void copyText(const QString& text) {
  if (!text.isEmpty()) QGuiApplication::clipboard()->setText(text);
}

void copySelected(const QAbstractItemView& view) {
  QStringList out;
  for (const QModelIndex& row : view.selectionModel()->selectedRows()) out << wordsOf(*view.model(), row);
  copyText(out.join(QLatin1Char('\n')));
}

}  // namespace

void addRowMenu(QAbstractItemView& view, bool goes) {
  auto* copies = new QAction(QObject::tr("&Copy the row"), &view);
  copies->setShortcut(QKeySequence::Copy);
  copies->setShortcutContext(Qt::WidgetShortcut);
  copies->setShortcutVisibleInContextMenu(true);
  view.addAction(copies);
  QObject::connect(copies, &QAction::triggered, &view, [&view] { copySelected(view); });
  view.setContextMenuPolicy(Qt::CustomContextMenu);
  QObject::connect(&view, &QWidget::customContextMenuRequested, &view, [&view, copies, goes](const QPoint& at) {
    const QModelIndex index = view.indexAt(at);
    if (!view.model() || !index.isValid()) return;
    auto* menu = new QMenu(&view);
    menu->setObjectName(QStringLiteral("row-menu"));
    menu->setAttribute(Qt::WA_DeleteOnClose);
    if (goes)
      QObject::connect(menu->addAction(QObject::tr("&Go there") + QLatin1Char('\t') + QObject::tr("Double click")),
                       &QAction::triggered, &view,
                       [&view, row = QPersistentModelIndex(index)] { emit view.doubleClicked(row); });
    menu->addAction(copies);
    QObject::connect(menu->addAction(QObject::tr("Copy &all rows")), &QAction::triggered, &view, [&view] {
      QStringList all;
      addWords(*view.model(), {}, all);
      copyText(all.join(QLatin1Char('\n')));
    });
    menu->popup(view.viewport()->mapToGlobal(at));
  });
}

}  // namespace tessera
