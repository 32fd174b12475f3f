// StudioStyle: Fusion with check boxes and radio buttons that are visible in both themes, checked or not. Used by
// theme.
#pragma once

#include <QProxyStyle>

namespace tessera {

class StudioStyle : public QProxyStyle {
 public:
  StudioStyle() : QProxyStyle(QStringLiteral("Fusion")) {}
  int styleHint(StyleHint hint, const QStyleOption* option, const QWidget* widget,
                QStyleHintReturn* data) const override;
  void drawPrimitive(PrimitiveElement element, const QStyleOption* option, QPainter* painter,
                     const QWidget* widget) const override;
};

}  // namespace tessera
