// Fusion style with two palettes; the style sheet only sets spacing and thin borders.
#include "app/studio/theme.h"

#include <QApplication>
#include <QPalette>
#include <QStyleFactory>

namespace tessera {
namespace {

struct Colors {
  QRgb window, base, alternate, text, button, disabled, highlight, link, border;
};
constexpr Colors kLight{0xfff3f4f6, 0xffffffff, 0xfff7f8fa, 0xff1c2330, 0xffe9ebef,
                        0xff6b7280, 0xff2f6fd6, 0xff1b5aa8, 0xffd3d7de};
constexpr Colors kDark{0xff22252b, 0xff1a1c21, 0xff20232a, 0xffdfe3ea, 0xff2d313a,
                       0xff9098a6, 0xff3f7de0, 0xff8ab8f0, 0xff3a3f4a};

QPalette paletteOf(const Colors& c) {
  QPalette p;
  const auto color = [](QRgb rgb) { return QColor::fromRgb(rgb); };
  p.setColor(QPalette::Window, color(c.window));
  p.setColor(QPalette::WindowText, color(c.text));
  p.setColor(QPalette::Base, color(c.base));
  p.setColor(QPalette::AlternateBase, color(c.alternate));
  p.setColor(QPalette::Text, color(c.text));
  p.setColor(QPalette::Button, color(c.button));
  p.setColor(QPalette::ButtonText, color(c.text));
  p.setColor(QPalette::PlaceholderText, color(c.disabled));
  p.setColor(QPalette::ToolTipBase, color(c.base));
  p.setColor(QPalette::ToolTipText, color(c.text));
  p.setColor(QPalette::Highlight, color(c.highlight));
  p.setColor(QPalette::HighlightedText, Qt::white);
  p.setColor(QPalette::Link, color(c.link));
  p.setColor(QPalette::LinkVisited, color(c.link));
  p.setColor(QPalette::Mid, color(c.border));
  p.setColor(QPalette::Light, color(c.button).lighter(110));
  p.setColor(QPalette::Midlight, color(c.button));
  p.setColor(QPalette::Dark, color(c.border).darker(130));
  p.setColor(QPalette::Shadow, color(c.border).darker(200));
  for (auto role : {QPalette::WindowText, QPalette::Text, QPalette::ButtonText})
    p.setColor(QPalette::Disabled, role, color(c.disabled));
  return p;
}

}  // namespace

void applyTheme(Theme theme) {
  const Colors& c = theme == Theme::Dark ? kDark : kLight;
  QApplication::setStyle(QStyleFactory::create(QStringLiteral("Fusion")));
  QApplication::setPalette(paletteOf(c));
  const QString border = QColor::fromRgb(c.border).name(), window = QColor::fromRgb(c.window).name(),
                quiet = QColor::fromRgb(c.disabled).name(), button = QColor::fromRgb(c.button).name(),
                base = QColor::fromRgb(c.base).name(), text = QColor::fromRgb(c.text).name(),
                highlight = QColor::fromRgb(c.highlight).name();
  qApp->setStyleSheet(
      QStringLiteral(
          "QToolTip { border: 1px solid %1; padding: 4px; }"
          "QDockWidget::title { background: %2; padding: 5px 8px; border-bottom: 1px solid %1; }"
          "QMainWindow::separator { background: %1; width: 3px; height: 3px; }"
          "QAbstractScrollArea { border: none; }"
          "#completions { border: 1px solid %3; }"  // text of the same colour is below it
          "QHeaderView { background: %2; }"
          "QTreeView::item { padding: 2px 6px; }"
          "QMenuBar::item { padding: 7px 8px; background: transparent; }"  // as high as the tabs beside it
          "QMenuBar::item:selected { background: %4; }"
          "#documents::tab { padding: 7px 6px 7px 12px; border: none; border-right: 1px solid %1; color: %3; }"
          "#documents::tab:selected { background: %5; color: %6; border-top: 2px solid %7; padding-top: 5px; }"
          "#documents::tab:hover:!selected { background: %4; }"
          "#documents QToolButton { border: none; background: transparent; color: %3; }"
          "#documents QToolButton:hover { background: %1; border-radius: 3px; }"
          "QPushButton { padding: 5px 14px; }"
          "QHeaderView::section { background: %2; border: none; border-bottom: 1px solid %1; padding: 4px 8px; }"
          "QLineEdit { padding: 3px 6px; border: 1px solid %1; border-radius: 4px; }"
          "QToolBar { border: none; border-bottom: 1px solid %1; padding: 3px; spacing: 4px; }")
          .arg(border, window, quiet, button, base, text, highlight));
}

}  // namespace tessera
