// Which part draws what, and the sizes that belong to it. What is not named here is Fusion's.
#include "app/studio/preferences/style/studio_style.h"

#include <QAbstractItemView>
#include <QAbstractSpinBox>
#include <QComboBox>
#include <QDialog>
#include <QLineEdit>
#include <QPainter>
#include <QScrollBar>
#include <QStyleOption>
#include <QTabBar>
#include <QToolButton>
#include <QTreeView>
#include <algorithm>

#include "app/studio/preferences/style/button_look.h"
#include "app/studio/preferences/style/scroll_bar_look.h"
#include "app/studio/preferences/style/style_paint.h"
#include "app/studio/preferences/style/tab_look.h"
#include "editor/look/menu_button.h"
#include "editor/preferences/preferences.h"

namespace tessera {
namespace {

constexpr int kDockGlideMs = 150;
constexpr QMargins kRoomInHeader{8, 4, 8, 5}, kRoomInMenuBarItem{8, 7, 8, 7};
constexpr int kRoomInTreeRow = 4;    // above and below its words together
constexpr int kHeaderIndent = 6;     // of its words, at either side
constexpr int kRoomInTabButton = 3;  // of both sides together
constexpr qreal kProgressCorner = 2, kTabButtonCorner = 3;
constexpr int kMenuArrow = 10, kMenuArrowMargin = 6;

template <class Widget>
bool isA(const QWidget* widget) {
  return qobject_cast<const Widget*>(widget) != nullptr;
}
bool isInTabBar(const QWidget* widget) { return widget && isA<QTabBar>(widget->parentWidget()); }
// One that stands for itself: those in a spin box or combo box are parts of it, and one without a frame edits a cell.
bool isField(const QStyleOption* option, const QWidget* widget) {
  const auto* frame = qstyleoption_cast<const QStyleOptionFrame*>(option);
  const QWidget* parent = widget ? widget->parentWidget() : nullptr;
  return frame && frame->lineWidth > 0 && !isA<QAbstractSpinBox>(parent) && !isA<QComboBox>(parent);
}

void drawMenuBarItem(const QStyle& style, const QStyleOptionMenuItem& item, QPainter& painter, const QWidget* widget) {
  if (item.state & QStyle::State_Selected) painter.fillRect(item.rect, item.palette.button());
  int flags = Qt::AlignCenter | Qt::TextShowMnemonic | Qt::TextDontClip | Qt::TextSingleLine;
  if (!style.styleHint(QStyle::SH_UnderlineShortcut, &item, widget)) flags |= Qt::TextHideMnemonic;
  style.drawItemText(&painter, item.rect, flags, item.palette, item.state & QStyle::State_Enabled, item.text,
                     QPalette::ButtonText);
}

void drawHeaderSection(const QStyleOption& option, QPainter& painter) {
  painter.fillRect(option.rect, option.palette.window());
  drawBottomLine(painter, option.rect, borderIn(option.palette));
}

void drawProgress(const QStyleOptionProgressBar& bar, QPainter& painter) {
  const double share = double(bar.progress - bar.minimum) / (double(bar.maximum) - bar.minimum);
  const int width = static_cast<int>(std::clamp(share, 0., 1.) * bar.rect.width());
  const QRect done = QStyle::visualRect(bar.direction, bar.rect, {bar.rect.topLeft(), QSize(width, bar.rect.height())});
  if (width > 0) fillRounded(painter, done, bar.palette.color(QPalette::Highlight), kProgressCorner);
}

// Lists and tables have a border in dialogs alone, scroll areas nowhere, unless they ask for another frame.
void chooseFrame(QAbstractScrollArea& area) {
  if (area.frameShape() != QFrame::StyledPanel) return;
  if (!isA<QAbstractItemView>(&area) || !isA<QDialog>(area.window())) area.setFrameShape(QFrame::NoFrame);
}

}  // namespace

void StudioStyle::polish(QWidget* widget) {
  QProxyStyle::polish(widget);
  if (auto* area = qobject_cast<QAbstractScrollArea*>(widget)) chooseFrame(*area);
  if (isA<QScrollBar>(widget)) widget->setAttribute(Qt::WA_OpaquePaintEvent, false);
  if (isA<QTabBar>(widget) || isA<QLineEdit>(widget)) widget->setAttribute(Qt::WA_Hover);
}

// A tree does not animate: one that is filled anew while its rows still unfold takes no clicks from then on (QTreeView
// returns to the state before the second animation, which is that of the first).
int StudioStyle::styleHint(StyleHint hint, const QStyleOption* option, const QWidget* widget,
                           QStyleHintReturn* data) const {
  if (hint == SH_DialogButtonBox_ButtonsHaveIcons) return 0;  // Fusion's are not ours
  if (hint != SH_Widget_Animation_Duration) return QProxyStyle::styleHint(hint, option, widget, data);
  return isA<QAbstractItemView>(widget) ? 0 : transitionMs(kDockGlideMs);
}

int StudioStyle::pixelMetric(PixelMetric metric, const QStyleOption* option, const QWidget* widget) const {
  switch (metric) {
    case PM_DockWidgetSeparatorExtent: return 3;
    case PM_ToolTipLabelFrameWidth: return 5;
    case PM_ToolBarFrameWidth: return 4;
    case PM_ToolBarItemMargin: return 0;
    case PM_ToolBarItemSpacing: return 2;
    case PM_ScrollBarExtent: return kScrollBarExtent;
    case PM_ScrollBarSliderMin: return kShortestHandle;
    case PM_TabBarTabHSpace: return roomAboutTab(widget).left() + roomAboutTab(widget).right();
    case PM_TabBarTabVSpace: return roomAboutTab(widget).top() + roomAboutTab(widget).bottom();
    case PM_TabBarTabShiftHorizontal:
    case PM_TabBarTabShiftVertical: return 0;
    default: return QProxyStyle::pixelMetric(metric, option, widget);
  }
}

QSize StudioStyle::sizeFromContents(ContentsType type, const QStyleOption* option, const QSize& contents,
                                    const QWidget* widget) const {
  const QSize usual = QProxyStyle::sizeFromContents(type, option, contents, widget);
  switch (type) {
    case CT_PushButton:
      if (const auto* button = qstyleoption_cast<const QStyleOptionButton*>(option))
        return contents.grownBy(roomInButton(*button));
      return usual;
    case CT_ToolButton: return isInTabBar(widget) ? contents + QSize(kRoomInTabButton, kRoomInTabButton) : usual;
    case CT_LineEdit: return isField(option, widget) ? contents.grownBy(kRoomInField) : usual;
    case CT_HeaderSection: return usual.grownBy(kRoomInHeader);
    case CT_ItemViewItem: return isA<QTreeView>(widget) ? usual + QSize(0, kRoomInTreeRow) : usual;
    case CT_MenuBarItem: return contents.grownBy(kRoomInMenuBarItem);
    case CT_TabBarTab: return contents;
    default: return usual;
  }
}

QRect StudioStyle::subElementRect(SubElement element, const QStyleOption* option, const QWidget* widget) const {
  if (element == SE_LineEditContents && isField(option, widget)) return option->rect.marginsRemoved(kRoomInField);
  return QProxyStyle::subElementRect(element, option, widget);
}

QRect StudioStyle::subControlRect(ComplexControl control, const QStyleOptionComplex* option, SubControl part,
                                  const QWidget* widget) const {
  if (control == CC_ScrollBar)
    if (const auto* bar = qstyleoption_cast<const QStyleOptionSlider*>(option)) return partOfScrollBar(*bar, part);
  return QProxyStyle::subControlRect(control, option, part, widget);
}

void StudioStyle::drawPrimitive(PrimitiveElement element, const QStyleOption* option, QPainter* painter,
                                const QWidget* widget) const {
  const QPalette& palette = option->palette;
  switch (element) {
    case PE_IndicatorCheckBox:
    case PE_IndicatorRadioButton: return drawIndicator(*option, *painter, element == PE_IndicatorRadioButton);
    case PE_FrameStatusBarItem: return;
    case PE_IndicatorArrowDown:
      if (isA<QToolButton>(widget)) {  // Fusion's is in the corner
        QStyleOption arrow = *option;
        arrow.rect.moveCenter({arrow.rect.center().x(), widget->rect().center().y()});
        return QProxyStyle::drawPrimitive(element, &arrow, painter, widget);
      }
      break;
    case PE_PanelMenu:  // Fusion's border is darker than a dark surface
      painter->fillRect(option->rect, borderIn(palette));
      return painter->fillRect(option->rect.adjusted(1, 1, -1, -1), palette.base());
    case PE_IndicatorDockWidgetResizeHandle: return painter->fillRect(option->rect, borderIn(palette));
    case PE_PanelTipLabel:
      painter->fillRect(option->rect, borderIn(palette));
      return painter->fillRect(option->rect.adjusted(1, 1, -1, -1), palette.toolTipBase());
    case PE_PanelButtonTool:
      if (!isInTabBar(widget)) break;
      if (option->state & State_MouseOver) fillRounded(*painter, option->rect, borderIn(palette), kTabButtonCorner);
      return;
    case PE_PanelLineEdit:
      if (isField(option, widget)) return drawField(*static_cast<const QStyleOptionFrame*>(option), *painter);
      break;
    default: break;
  }
  QProxyStyle::drawPrimitive(element, option, painter, widget);
}

void StudioStyle::drawControl(ControlElement element, const QStyleOption* option, QPainter* painter,
                              const QWidget* widget) const {
  const QPalette& palette = option->palette;
  switch (element) {
    case CE_PushButtonBevel:
      if (const auto* button = qstyleoption_cast<const QStyleOptionButton*>(option)) {
        drawButton(*button, *painter);
        if (!(button->features & QStyleOptionButton::HasMenu)) return;
        QStyleOptionButton arrow = *button;
        arrow.rect = QRect(0, 0, kMenuArrow, kMenuArrow);
        arrow.rect.moveCenter(button->rect.center());
        arrow.rect.moveRight(button->rect.right() - kMenuArrowMargin);
        return drawPrimitive(PE_IndicatorArrowDown, &arrow, painter, widget);
      }
      break;
    case CE_TabBarTabShape:
      if (const auto* tab = qstyleoption_cast<const QStyleOptionTab*>(option))
        return drawTabShape(*tab, *painter, widget);
      break;
    case CE_TabBarTabLabel:
      if (const auto* tab = qstyleoption_cast<const QStyleOptionTab*>(option)) {
        const QStyleOptionTab label = labelOfTab(*tab, widget);
        return QProxyStyle::drawControl(element, &label, painter, widget);
      }
      break;
    case CE_MenuBarItem:
      if (const auto* item = qstyleoption_cast<const QStyleOptionMenuItem*>(option))
        return drawMenuBarItem(*this, *item, *painter, widget);
      break;
    case CE_ToolBar: return drawBottomLine(*painter, option->rect, borderIn(palette));
    case CE_HeaderSection: return drawHeaderSection(*option, *painter);
    case CE_HeaderLabel:
      if (const auto* header = qstyleoption_cast<const QStyleOptionHeader*>(option)) {
        QStyleOptionHeader label = *header;
        label.rect.adjust(kHeaderIndent, 0, -kHeaderIndent, 0);
        return QProxyStyle::drawControl(element, &label, painter, widget);
      }
      break;
    case CE_HeaderEmptyArea: return painter->fillRect(option->rect, palette.window());
    case CE_ShapedFrame:
      if (const auto* frame = qstyleoption_cast<const QStyleOptionFrame*>(option);
          frame && frame->frameShape == QFrame::StyledPanel && isA<QAbstractItemView>(widget))
        return drawRounded(*painter, option->rect, Qt::transparent, borderIn(palette));
      break;
    case CE_ProgressBarGroove:
      return fillRounded(*painter, option->rect, palette.color(QPalette::Button), kProgressCorner);
    case CE_ProgressBarContents:
      if (const auto* bar = qstyleoption_cast<const QStyleOptionProgressBar*>(option);
          bar && bar->maximum > bar->minimum)
        return drawProgress(*bar, *painter);
      break;
    default: break;
  }
  QProxyStyle::drawControl(element, option, painter, widget);
}

void StudioStyle::drawComplexControl(ComplexControl control, const QStyleOptionComplex* option, QPainter* painter,
                                     const QWidget* widget) const {
  if (control == CC_ScrollBar)
    if (const auto* bar = qstyleoption_cast<const QStyleOptionSlider*>(option)) return drawScrollBar(*bar, *painter);
  if (const auto* button = qstyleoption_cast<const QStyleOptionToolButton*>(option); button && hidesMenuArrow(widget)) {
    QStyleOptionToolButton plain = *button;
    plain.features &= ~QStyleOptionToolButton::HasMenu;
    return QProxyStyle::drawComplexControl(control, &plain, painter, widget);
  }
  QProxyStyle::drawComplexControl(control, option, painter, widget);
  if (const auto* box = qstyleoption_cast<const QStyleOptionSpinBox*>(option); box && box->frame)
    drawFrameOfField(*box, *painter);  // Fusion's is darker than a dark surface
}

}  // namespace tessera
