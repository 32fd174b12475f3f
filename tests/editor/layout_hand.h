// A layout panel with real mouse and key events.
#pragma once

#include <QApplication>
#include <QLabel>
#include <QLineEdit>
#include <QMouseEvent>
#include <QObject>
#include <QPalette>
#include <QPushButton>
#include <QTest>
#include <QTextDocument>
#include <memory>

#include "core/formats/hlo_text.h"
#include "editor/layout_lab/dimension_chips.h"
#include "editor/layout_lab/grid_pane.h"
#include "editor/layout_lab/layout_panel.h"
#include "editor/layout_lab/layout_view.h"
#include "editor/layout_lab/memory_pane.h"
#include "editor/layout_lab/presets.h"
#include "editor/layout_lab/preview_bar.h"

namespace tessera {

inline QPalette lightOrDark(bool dark) {
  QPalette p;
  const auto set = [&](QPalette::ColorRole role, uint32_t light, uint32_t night) {
    p.setColor(role, QColor::fromRgb(dark ? night : light));
  };
  set(QPalette::Window, 0xf3f5f8, 0x1a1e25);
  set(QPalette::WindowText, 0x161b22, 0xeef2f7);
  set(QPalette::Base, 0xffffff, 0x14171c);
  set(QPalette::Text, 0x161b22, 0xeef2f7);
  set(QPalette::Button, 0xe9edf3, 0x2a313c);
  set(QPalette::ButtonText, 0x161b22, 0xeef2f7);
  set(QPalette::Highlight, 0x0b62d6, 0x5aa9ff);
  set(QPalette::HighlightedText, 0xffffff, 0x0c1016);
  set(QPalette::PlaceholderText, 0x8a94a3, 0x6b778a);
  return p;
}

inline Shape parsedShape(const char* text) {
  auto shape = parseShape(text);
  if (!shape) qFatal("%s: %s", text, shape.error().message.c_str());
  return *shape;
}

class LayoutHand : public QObject {
 protected:
  std::unique_ptr<LayoutPanel> panel_;
  std::vector<Shape> edits_;

  void apply() {
    QVERIFY(panel_->preview()->isVisible());
    QTest::mouseClick(panel_->preview()->apply(), Qt::LeftButton);
  }

  GridPane* grid() { return panel_->view()->grid(); }
  MemoryPane* memory() { return panel_->view()->memory(); }
  const LayoutModel& model() { return *panel_->state()->model(); }
  QLineEdit* field(const char* name) { return panel_->findChild<QLineEdit*>(QString::fromUtf8(name)); }
  QString label(const char* name) {
    QTextDocument text;
    text.setHtml(panel_->findChild<QLabel*>(QString::fromUtf8(name))->text());
    return text.toPlainText().replace(QChar::Nbsp, ' ');
  }
  QString text() { return QString::fromStdString(toString(*panel_->shape())); }
  QString inMemory() {
    QString out;
    for (int64_t i = 0; i < model().positions(); ++i) {
      const auto index = model().memory().index(i);
      out += (i ? QStringLiteral(" ") : QString()) +
             QString::fromStdString(index ? model().elementName(*index) : model().paddingText());
    }
    return out;
  }
  void type(const char* name, const QString& text) {
    QLineEdit* edit = field(name);
    edit->setFocus();
    edit->selectAll();
    if (text.isEmpty())
      QTest::keyClick(edit, Qt::Key_Delete);
    else
      QTest::keyClicks(edit, text);
  }
  void pointAt(CellPane* pane, int64_t linear) {
    const auto rect = pane->rectOf(linear);
    QVERIFY(rect);
    QTest::mouseMove(pane, rect->center().toPoint());
  }
  // Drags the chip of a dimension to the place of another, in steps, as a hand does; the button stays down.
  void dragChip(int64_t dimension, int64_t to) {
    DimensionChips* chips = panel_->chips();
    const QPoint from = chips->chipRect(dimension).center(), target = chips->chipRect(to).center();
    QTest::mousePress(chips, Qt::LeftButton, {}, from);
    for (int step = 1; step <= 10; ++step) moveHeld(chips, from + (target - from) * step / 10);
  }
  static void moveHeld(QWidget* widget, QPoint at) {
    QMouseEvent move(QEvent::MouseMove, at, widget->mapToGlobal(at), Qt::NoButton, Qt::LeftButton, Qt::NoModifier);
    QApplication::sendEvent(widget, &move);
  }

  void showPanel() {
    edits_.clear();
    panel_ = std::make_unique<LayoutPanel>();
    connect(panel_.get(), &LayoutPanel::layoutEdited, this, [this](const Shape& shape) { edits_.push_back(shape); });
    panel_->setPalette(lightOrDark(false));
    panel_->resize(1100, 640);
    panel_->show();
    QVERIFY(QTest::qWaitForWindowExposed(panel_.get()));
    panel_->activateWindow();
  }
};

}  // namespace tessera
