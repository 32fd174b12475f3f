// QMainWindow recreates the tab bars of docks and sets only their text: icons and buttons are updated after each
// change.
#include "app/studio/window/dock_titles.h"

#include <QDockWidget>
#include <QEvent>
#include <QHBoxLayout>
#include <QLabel>
#include <QMainWindow>
#include <QMouseEvent>
#include <QTabBar>
#include <QToolButton>
#include <algorithm>
#include <utility>

#include "app/studio/window/panels.h"
#include "editor/look/icon.h"
#include "editor/look/underlined_bar.h"
#include "editor/text/plain_text.h"

namespace tessera {
namespace {

constexpr int kBesideIcon = 4;  // in a tab, by QTabBar

// The title bar of a dock that is not tabified; it ignores mouse presses, so that the dock is dragged by them.
class DockTitle : public UnderlinedBar {
 public:
  explicit DockTitle(QDockWidget& dock) : UnderlinedBar(&dock), dock_(dock), icon_(new PlainLabel(this)) {
    setObjectName(QStringLiteral("dockTitle"));
    auto* words = new PlainLabel(dock.windowTitle(), this);
    QObject::connect(&dock, &QWidget::windowTitleChanged, words, &QLabel::setText);
    auto* floats = new QToolButton(this);
    showIcon(*floats, "float", QObject::tr("In a window of its own, or back"));
    QObject::connect(floats, &QToolButton::clicked, &dock, [&dock] { dock.setFloating(!dock.isFloating()); });
    auto* close = new QToolButton(this);
    showIcon(*close, "close", QObject::tr("Close"));
    QObject::connect(close, &QToolButton::clicked, &dock, &QDockWidget::hide);
    auto* row = new QHBoxLayout(this);
    row->setContentsMargins(8, 4, 4, 4);
    row->setSpacing(4);
    row->addWidget(icon_);
    row->addWidget(words, 1);
    for (QToolButton* each : {floats, close}) {
      each->setAutoRaise(true);
      each->setFocusPolicy(Qt::NoFocus);
      row->addWidget(each);
    }
    showIconOfDock();
  }

 protected:
  void changeEvent(QEvent* event) override {
    if (event->type() == QEvent::PaletteChange) showIconOfDock();
    UnderlinedBar::changeEvent(event);
  }

 private:
  void showIconOfDock() {
    icon_->setPixmap(iconOf(dock_.objectName()).pixmap(QSize(kIconSize, kIconSize), devicePixelRatioF()));
  }
  QDockWidget& dock_;
  QLabel* icon_;
};

// Whether the dock is tabified with another visible dock; its tab then has its name.
bool hasTab(const QMainWindow& window, const QDockWidget& dock) {
  if (dock.isFloating()) return false;
  const auto behind = window.tabifiedDockWidgets(const_cast<QDockWidget*>(&dock));
  return std::ranges::any_of(behind, [](const QDockWidget* each) { return !each->isHidden() && !each->isFloating(); });
}

QToolButton& closeButton(QTabBar& tabs, QDockWidget& dock) {
  auto* out = new QToolButton(&tabs);
  showIcon(*out, "close", QObject::tr("Close %1").arg(dock.windowTitle()));
  out->setAutoRaise(true);
  out->setFocusPolicy(Qt::NoFocus);
  out->setProperty("dock", dock.objectName());
  QObject::connect(out, &QToolButton::clicked, &dock, &QDockWidget::hide);
  return *out;
}

}  // namespace

DockTitles::DockTitles(QMainWindow& window, PanelDocks& docks) : QObject(&window), window_(window), docks_(docks) {
  window.installEventFilter(this);
  for (QDockWidget* dock : docks.all()) {
    titles_[dock] = new DockTitle(*dock);
    emptyTitles_[dock] = new QWidget(dock);
    emptyTitles_[dock]->setFixedHeight(0);
    emptyTitles_[dock]->hide();
    titles_[dock]->hide();
    titles_[dock]->setContextMenuPolicy(Qt::CustomContextMenu);
    connect(titles_[dock], &QWidget::customContextMenuRequested, this,
            [this, dock](QPoint at) { emit menuWanted(dock, titles_[dock]->mapToGlobal(at)); });
    for (const auto signal : {&QDockWidget::visibilityChanged, &QDockWidget::topLevelChanged})
      connect(dock, signal, this, &DockTitles::updateLater);
    connect(dock, &QDockWidget::dockLocationChanged, this, &DockTitles::updateLater);
    connect(dock, &QWidget::windowTitleChanged, this, &DockTitles::updateLater);
  }
  updateAll();
}

bool DockTitles::eventFilter(QObject* watched, QEvent* event) {
  if (watched == &window_) {
    if (event->type() == QEvent::LayoutRequest || event->type() == QEvent::ChildAdded) updateLater();
    return false;
  }
  auto* tabs = qobject_cast<QTabBar*>(watched);
  if (tabs && event->type() == QEvent::Resize) updateLater();
  if (!tabs || event->type() != QEvent::MouseButtonRelease) return false;
  const auto* mouse = static_cast<QMouseEvent*>(event);
  QDockWidget* dock = dockOf(*tabs, tabs->tabAt(mouse->pos()));
  if (dock && mouse->button() == Qt::MiddleButton) dock->hide();
  return false;
}

void DockTitles::updateLater() {
  if (std::exchange(waiting_, true)) return;
  QMetaObject::invokeMethod(this, &DockTitles::updateAll, Qt::QueuedConnection);
}

void DockTitles::updateAll() {
  waiting_ = false;
  for (QDockWidget* dock : docks_.all()) updateTitle(*dock);
  for (QTabBar* tabs : window_.findChildren<QTabBar*>(QString(), Qt::FindDirectChildrenOnly)) updateTabs(*tabs);
}

void DockTitles::updateTitle(QDockWidget& dock) {
  QWidget* wanted = hasTab(window_, dock) ? emptyTitles_[&dock] : titles_[&dock];
  if (dock.titleBarWidget() != wanted) dock.setTitleBarWidget(wanted);
}

// By its title: the data of these tabs belong to Qt, and titles are unique.
QDockWidget* DockTitles::dockOf(const QTabBar& tabs, int index) const {
  if (index < 0) return nullptr;
  const auto found = std::ranges::find_if(
      docks_.all(), [&](const QDockWidget* each) { return each->windowTitle() == tabs.tabText(index); });
  return found == docks_.all().end() ? nullptr : *found;
}

// Names go before icons where there is no room for both.
bool DockTitles::hasRoomForIcons(const QTabBar& tabs) const {
  int wanted = tabs.sizeHint().width();
  for (int i = 0; i < tabs.count(); ++i)
    if (tabs.tabIcon(i).isNull()) wanted += kIconSize + kBesideIcon;
  return wanted <= tabs.width();
}

// Only the current tab has a close button, which leaves room for names. Nothing is set that is already there: each set
// icon or button lays out the window again, which calls this.
void DockTitles::updateTabs(QTabBar& tabs) {
  if (!tabs.property("connected").toBool()) connectTabs(tabs);
  const QStringList before = tabs.property("icons").toStringList();
  const bool icons = hasRoomForIcons(tabs);
  QStringList names;
  for (int i = 0; i < tabs.count(); ++i) {
    QDockWidget* dock = dockOf(tabs, i);
    if (!dock) continue;
    names << dock->objectName();
    if (!icons && !tabs.tabIcon(i).isNull()) tabs.setTabIcon(i, {});
    if (icons && (tabs.tabIcon(i).isNull() || before.value(i) != names.back()))
      tabs.setTabIcon(i, iconOf(names.back()));
    QWidget* close = tabs.tabButton(i, QTabBar::RightSide);
    const bool isFront = i == tabs.currentIndex();
    if ((close ? close->property("dock").toString() : QString()) == (isFront ? names.back() : QString())) continue;
    if (close) close->deleteLater();
    tabs.setTabButton(i, QTabBar::RightSide, isFront ? &closeButton(tabs, *dock) : nullptr);
  }
  tabs.setProperty("icons", names);
}

void DockTitles::connectTabs(QTabBar& tabs) {
  tabs.setProperty("connected", true);
  tabs.setAccessibleName(tr("Panels"));
  tabs.setIconSize({kIconSize, kIconSize});
  tabs.setContextMenuPolicy(Qt::CustomContextMenu);
  tabs.installEventFilter(this);
  connect(&tabs, &QTabBar::currentChanged, this, &DockTitles::updateLater);
  connect(&tabs, &QWidget::customContextMenuRequested, this, [this, bar = &tabs](QPoint at) {
    if (QDockWidget* dock = dockOf(*bar, bar->tabAt(at))) emit menuWanted(dock, bar->mapToGlobal(at));
  });
}

}  // namespace tessera
