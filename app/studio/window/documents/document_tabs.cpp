// Tabs are as wide as their names within bounds; what does not fit is scrolled.
#include "app/studio/window/documents/document_tabs.h"

#include <QApplication>
#include <QClipboard>
#include <QContextMenuEvent>
#include <QDesktopServices>
#include <QFileInfo>
#include <QHBoxLayout>
#include <QMenu>
#include <QMenuBar>
#include <QMouseEvent>
#include <QStyleOptionMenuItem>
#include <QToolButton>
#include <QUrl>

#include "app/studio/window/documents/document_pane.h"
#include "editor/document/document.h"
#include "editor/look/icon.h"
#include "editor/text/menu_text.h"
#include "editor/text/plain_text.h"

namespace tessera {
namespace {

constexpr int kWidest = 230, kNarrowest = 90;

const QString& pathOf(const DocumentPane& pane) { return pane.document().file().path(); }

// The last folders of a path: "a/b" of "/x/a/b/m.hlo" for two.
QString foldersOf(const QString& path, int count) {
  const QStringList all = QFileInfo(path).absolutePath().split(QLatin1Char('/'), Qt::SkipEmptyParts);
  return all.mid(std::max<qsizetype>(0, all.size() - count)).join(QLatin1Char('/'));
}

QString toolTipOf(const DocumentPane& pane) {
  const QString where = pathOf(pane).isEmpty() ? QObject::tr("%1, not saved yet").arg(pane.name()) : pathOf(pane);
  return asPlainText(pane.hasUnsavedWork() ? QObject::tr("%1\nhas changes that are not saved").arg(where) : where);
}

}  // namespace

DocumentTabs::DocumentTabs(QWidget* parent) : QTabBar(parent) {
  setObjectName(QStringLiteral("documents"));
  setAccessibleName(tr("Documents"));
  setFocusPolicy(Qt::NoFocus);  // keys are the canvas's; Ctrl+Tab goes on
  setDocumentMode(true);
  setDrawBase(false);
  setMovable(true);
  setExpanding(false);
  setElideMode(Qt::ElideMiddle);
  setUsesScrollButtons(true);
  setSelectionBehaviorOnRemove(QTabBar::SelectLeftTab);
}

void DocumentTabs::add(DocumentPane& pane) {
  const QSignalBlocker blocker(this);
  const int index = addTab(pane.name());
  setTabData(index, QVariant::fromValue(static_cast<QObject*>(&pane)));
  auto* close = new QToolButton(this);
  showIcon(*close, "close", tr("Close"));
  close->setFocusPolicy(Qt::NoFocus);
  connect(close, &QToolButton::clicked, this, [this, &pane] { emit tabCloseRequested(indexOf(pane)); });
  setTabButton(index, QTabBar::RightSide, close);
  refresh();
}

void DocumentTabs::remove(const DocumentPane& pane) {
  const QSignalBlocker blocker(this);
  if (const int index = indexOf(pane); index >= 0) removeTab(index);
  refresh();
}

DocumentPane* DocumentTabs::pane(int index) const {
  return static_cast<DocumentPane*>(tabData(index).value<QObject*>());
}

int DocumentTabs::indexOf(const DocumentPane& pane) const {
  for (int i = 0; i < count(); ++i)
    if (this->pane(i) == &pane) return i;
  return -1;
}

std::vector<DocumentPane*> DocumentTabs::panes() const {
  std::vector<DocumentPane*> out;
  for (int i = 0; i < count(); ++i) out.push_back(pane(i));
  return out;
}

// As many folders as tell it from the others of its name.
QString DocumentTabs::titleOf(const DocumentPane& pane) const {
  constexpr int kMostFolders = 6;
  int folders = 0;
  for (const DocumentPane* other : panes()) {
    if (other == &pane || other->name() != pane.name() || pathOf(pane).isEmpty() || pathOf(*other) == pathOf(pane))
      continue;
    folders = std::max(folders, 1);
    while (folders < kMostFolders && foldersOf(pathOf(pane), folders) == foldersOf(pathOf(*other), folders)) ++folders;
  }
  return folders ? QStringLiteral("%1 — %2").arg(pane.name(), foldersOf(pathOf(pane), folders)) : pane.name();
}

void DocumentTabs::refresh() {
  for (int i = 0; i < count(); ++i) {
    const DocumentPane& each = *pane(i);
    const QString title = titleOf(each);
    QString text = asMenuText(title);
    if (each.hasUnsavedWork()) text.prepend(QStringLiteral("● "));
    if (tabText(i) != text) setTabText(i, text);
    if (const QString tip = toolTipOf(each); tabToolTip(i) != tip) setTabToolTip(i, tip);
    setAccessibleTabName(i, each.hasUnsavedWork() ? tr("%1, not saved").arg(title) : title);
  }
}

QSize DocumentTabs::tabSizeHint(int index) const {
  const QSize usual = QTabBar::tabSizeHint(index);
  return {std::clamp(usual.width(), kNarrowest, kWidest), usual.height()};
}

QSize DocumentTabs::minimumTabSizeHint(int index) const { return tabSizeHint(index); }

void DocumentTabs::mouseReleaseEvent(QMouseEvent* event) {
  if (event->button() == Qt::MiddleButton && tabAt(event->pos()) >= 0) emit tabCloseRequested(tabAt(event->pos()));
  QTabBar::mouseReleaseEvent(event);
}

void DocumentTabs::contextMenuEvent(QContextMenuEvent* event) {
  const int index = tabAt(event->pos());
  if (index < 0) return;
  const QString path = pathOf(*pane(index));
  QMenu menu(this);
  connect(menu.addAction(tr("&Close")), &QAction::triggered, this, [this, index] { emit tabCloseRequested(index); });
  QAction* others = menu.addAction(tr("Close &others"));
  others->setEnabled(count() > 1);
  connect(others, &QAction::triggered, this, [this, index] { emit othersCloseWanted(index); });
  menu.addSeparator();
  QAction* copy = menu.addAction(tr("Copy &path"));
  connect(copy, &QAction::triggered, this, [path] { QApplication::clipboard()->setText(path); });
  QAction* folder = menu.addAction(tr("Open its &folder"));
  connect(folder, &QAction::triggered, this,
          [path] { QDesktopServices::openUrl(QUrl::fromLocalFile(QFileInfo(path).absolutePath())); });
  for (QAction* each : {copy, folder}) each->setEnabled(!path.isEmpty());
  menu.exec(event->globalPos());
}

// --- the row

TabRow::TabRow(DocumentTabs& tabs, QMenuBar& menus) : QWidget(&menus), menus_(menus), tabs_(tabs) {
  auto* layout = new QHBoxLayout(this);
  layout->setContentsMargins(12, 0, 0, 0);
  layout->addWidget(&tabs, 1, Qt::AlignBottom);
}

QSize TabRow::sizeHint() const {
  int taken = 2 * menus_.style()->pixelMetric(QStyle::PM_MenuBarHMargin, nullptr, &menus_);
  for (const QAction* action : menus_.actions()) {
    QStyleOptionMenuItem option;
    option.initFrom(&menus_);
    option.text = action->text();
    const QSize text = menus_.fontMetrics().size(Qt::TextShowMnemonic, action->text());
    taken += menus_.style()->sizeFromContents(QStyle::CT_MenuBarItem, &option, text, &menus_).width() +
             menus_.style()->pixelMetric(QStyle::PM_MenuBarItemSpacing, nullptr, &menus_);
  }
  return {std::max(0, menus_.width() - taken), tabs_.sizeHint().height()};
}

QSize TabRow::minimumSizeHint() const { return {kNarrowest, tabs_.sizeHint().height()}; }

}  // namespace tessera
