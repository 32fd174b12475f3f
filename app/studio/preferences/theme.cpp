// Fusion style with two palettes; the style sheet only sets spacing and thin borders. Docks glide as long as other
// transitions.
#include "app/studio/preferences/theme.h"

#include <QApplication>
#include <QPalette>
#include <QProxyStyle>

#include "editor/look/qt_colors.h"
#include "editor/preferences/preferences.h"

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

constexpr int kDockGlideMs = 150;

class FusionStyle : public QProxyStyle {
 public:
  FusionStyle() : QProxyStyle(QStringLiteral("Fusion")) {}
  int styleHint(StyleHint hint, const QStyleOption* option, const QWidget* widget,
                QStyleHintReturn* data) const override {
    return hint == SH_Widget_Animation_Duration ? transitionMs(kDockGlideMs)
                                                : QProxyStyle::styleHint(hint, option, widget, data);
  }
};

}  // namespace

void applyTheme(Theme theme) {
  const auto name = [theme](Ink ink) { return colorOf(ink, theme).name(); };
  QApplication::setStyle(new FusionStyle);
  QApplication::setPalette(paletteOf(theme));
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
          "QToolBar { border: none; border-bottom: 1px solid %1; padding: 2px 4px; spacing: 2px; }")
          .arg(name(Ink::Border), name(Ink::Window), name(Ink::Quiet), name(Ink::Button), name(Ink::Base),
               name(Ink::Text), name(Ink::Highlight)));
}

}  // namespace tessera
