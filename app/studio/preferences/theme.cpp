// Two palettes for one style.
#include "app/studio/preferences/theme.h"

#include <QApplication>
#include <QPalette>

#include "app/studio/preferences/style/studio_style.h"
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

}  // namespace

// Of what is applied already nothing is left to do: a style or palette visits all widgets of all windows.
void applyTheme(Theme theme) {
  static constexpr const char* kApplied = "tesseraTheme";
  const QVariant before = qApp->property(kApplied);
  if (!before.isValid()) QApplication::setStyle(new StudioStyle);  // one for both themes
  if (before == static_cast<int>(theme)) return;
  qApp->setProperty(kApplied, static_cast<int>(theme));
  QApplication::setPalette(paletteOf(theme));
}

}  // namespace tessera
