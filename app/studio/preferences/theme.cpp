// Two palettes and one style sheet: flat tabs and buttons, thin borders and scroll bars. Each rule names a type or an
// object: Qt tries one that names neither (as a class selector does) on every widget.
#include "app/studio/preferences/theme.h"

#include <QApplication>
#include <QPalette>

#include "app/studio/preferences/studio_style.h"
#include "editor/look/qt_colors.h"

namespace tessera {
namespace {

QPalette paletteOf(Theme theme) {
  QPalette p;
  const auto color = [theme](Ink ink) { return colorOf(ink, theme); };
  p.setColor(QPalette::Window, color(Ink::Window));
  p.setColor(QPalette::WindowText, color(Ink::Text));
  p.setColor(QPalette::Base, color(Ink::Base));
  p.setColor(QPalette::AlternateBase, color(Ink::Alternate));
  p.setColor(QPalette::Text, color(Ink::Text));
  p.setColor(QPalette::Button, color(Ink::Button));
  p.setColor(QPalette::ButtonText, color(Ink::Text));
  p.setColor(QPalette::PlaceholderText, color(Ink::Quiet));
  p.setColor(QPalette::ToolTipBase, color(Ink::Base));
  p.setColor(QPalette::ToolTipText, color(Ink::Text));
  p.setColor(QPalette::Highlight, color(Ink::Highlight));
  p.setColor(QPalette::HighlightedText, color(Ink::OnHighlight));
  p.setColor(QPalette::Link, color(Ink::Link));
  p.setColor(QPalette::LinkVisited, color(Ink::Link));
  p.setColor(QPalette::Mid, color(Ink::Border));
  p.setColor(QPalette::Light, color(Ink::Button).lighter(110));
  p.setColor(QPalette::Midlight, color(Ink::Button));
  p.setColor(QPalette::Dark, color(Ink::Border).darker(130));
  p.setColor(QPalette::Shadow, color(Ink::Border).darker(200));
  for (auto role : {QPalette::WindowText, QPalette::Text, QPalette::ButtonText})
    p.setColor(QPalette::Disabled, role, color(Ink::Quiet));
  return p;
}

// A colour between two others.
QColor between(const QColor& a, const QColor& b) {
  return QColor((a.red() + b.red()) / 2, (a.green() + b.green()) / 2, (a.blue() + b.blue()) / 2);
}

// %1 borders, %2 the window, %3 quiet words, %4 buttons, %5 surfaces of content, %6 words, %7 what is chosen, %8
// handles
constexpr auto kSheet =
    "QToolTip { border: 1px solid %1; padding: 4px; }"
    "QDockWidget::title { background: %2; padding: 5px 8px; border-bottom: 1px solid %1; }"
    "#dockTitle { background: %2; border-bottom: 1px solid %1; }"
    "QMainWindow::separator { background: %1; width: 3px; height: 3px; }"
    "QAbstractScrollArea { border: none; }"
    "QDialog QListView, QDialog QTreeView, QDialog QTableView { border: 1px solid %1; border-radius: 4px; }"
    "#completions { border: 1px solid %3; }"  // text of the same colour is below it
    "QHeaderView { background: %2; }"
    "QHeaderView::section { background: %2; border: none; border-bottom: 1px solid %1; padding: 4px 8px; }"
    "QTreeView::item { padding: 2px 6px; }"
    "QStatusBar::item { border: none; }"
    "QMenuBar::item { padding: 7px 8px; background: transparent; }"  // as high as the tabs beside it
    "QMenuBar::item:selected { background: %4; }"
    // tabs
    "QTabBar::tab { padding: 5px 8px; border: none; border-bottom: 2px solid transparent; color: %3; }"
    "QTabBar::tab:selected { color: %6; border-bottom: 2px solid %7; }"
    "QTabBar::tab:hover:!selected { background: %4; }"
    "QTabBar QToolButton { border: none; background: transparent; }"
    "QTabBar QToolButton:hover { background: %1; border-radius: 3px; }"
    "#documents::tab { padding: 7px 6px 7px 12px; border: none; border-right: 1px solid %1; color: %3; }"
    "#documents::tab:selected { background: %5; color: %6; border-top: 2px solid %7; padding-top: 5px; }"
    "#workspaces::tab { padding: 4px 10px; margin: 2px 1px; border: 1px solid transparent; border-radius: 4px; }"
    "#workspaces::tab:selected { background: %5; border: 1px solid %1; border-bottom: 2px solid %7; }"
    // buttons and fields
    "QPushButton { padding: 5px 14px; border: 1px solid %1; border-radius: 4px; background: %4; }"
    "QPushButton:hover, QPushButton:focus { border-color: %3; }"
    "QPushButton:default { border-color: %7; }"
    "QPushButton:pressed, QPushButton:checked { background: %1; }"
    "QPushButton:flat { border: 1px solid transparent; background: transparent; }"
    "QPushButton:flat:hover, QPushButton:flat:focus { border-color: %1; }"
    "QPushButton::menu-indicator { subcontrol-position: right center; right: 6px; }"
    "QLineEdit { padding: 3px 6px; border: 1px solid %1; border-radius: 4px; }"
    "QLineEdit:focus { border-color: %7; }"
    "QToolBar { border: none; border-bottom: 1px solid %1; padding: 2px 4px; spacing: 2px; }"
    "#paneHeader QToolButton::menu-indicator { image: none; }"
    "QProgressBar { border: none; background: %4; border-radius: 2px; }"
    "QProgressBar::chunk { background: %7; border-radius: 2px; }"
    // scroll bars
    "QScrollBar:vertical { width: 12px; background: transparent; margin: 0; }"
    "QScrollBar:horizontal { height: 12px; background: transparent; margin: 0; }"
    "QScrollBar::handle { background: %8; border-radius: 3px; margin: 3px; }"
    "QScrollBar::handle:hover { background: %3; }"
    "QScrollBar::handle:vertical { min-height: 24px; }"
    "QScrollBar::handle:horizontal { min-width: 24px; }"
    "QScrollBar::add-line, QScrollBar::sub-line { width: 0; height: 0; }"
    "QScrollBar::add-page, QScrollBar::sub-page { background: transparent; }";

}  // namespace

// Of what is applied already nothing is left to do: a style, palette or sheet visits all widgets of all windows.
void applyTheme(Theme theme) {
  static constexpr const char* kApplied = "tesseraTheme";
  const QString wanted = QString::number(static_cast<int>(theme)) + QApplication::font().toString();
  if (qApp->property(kApplied).toString() == wanted) return;
  if (qApp->property(kApplied).isNull()) QApplication::setStyle(new StudioStyle);  // one for both themes
  qApp->setProperty(kApplied, wanted);
  const auto name = [theme](Ink ink) { return colorOf(ink, theme).name(); };
  QApplication::setPalette(paletteOf(theme));
  qApp->setStyleSheet(QString::fromLatin1(kSheet).arg(
      name(Ink::Border), name(Ink::Window), name(Ink::Quiet), name(Ink::Button), name(Ink::Base), name(Ink::Text),
      name(Ink::Highlight), between(colorOf(Ink::Border, theme), colorOf(Ink::Quiet, theme)).name()));
}

}  // namespace tessera
