// StudioStyle: Fusion with flat tabs and buttons, thin borders and scroll bars, in the colours of the palette, so that
// another theme is another palette: a style sheet is read anew for every widget. Used by theme.
#pragma once

#include <QProxyStyle>

namespace tessera {

class StudioStyle : public QProxyStyle {
 public:
  StudioStyle() : QProxyStyle(QStringLiteral("Fusion")) {}
  using QProxyStyle::polish;
  void polish(QWidget* widget) override;
  int styleHint(StyleHint hint, const QStyleOption* option, const QWidget* widget,
                QStyleHintReturn* data) const override;
  int pixelMetric(PixelMetric metric, const QStyleOption* option, const QWidget* widget) const override;
  QSize sizeFromContents(ContentsType type, const QStyleOption* option, const QSize& contents,
                         const QWidget* widget) const override;
  QRect subElementRect(SubElement element, const QStyleOption* option, const QWidget* widget) const override;
  QRect subControlRect(ComplexControl control, const QStyleOptionComplex* option, SubControl part,
                       const QWidget* widget) const override;
  void drawPrimitive(PrimitiveElement element, const QStyleOption* option, QPainter* painter,
                     const QWidget* widget) const override;
  void drawControl(ControlElement element, const QStyleOption* option, QPainter* painter,
                   const QWidget* widget) const override;
  void drawComplexControl(ComplexControl control, const QStyleOptionComplex* option, QPainter* painter,
                          const QWidget* widget) const override;
};

}  // namespace tessera
