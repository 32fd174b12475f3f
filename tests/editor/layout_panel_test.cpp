// The layout panel with real mouse, wheel and key events, on the offscreen platform.
// `layout_panel_test --pictures DIR` writes a PNG of every preset in both themes instead.
#include <QApplication>
#include <QComboBox>
#include <QDir>
#include <QElapsedTimer>
#include <QLabel>
#include <QLineEdit>
#include <QMouseEvent>
#include <QPushButton>
#include <QRegularExpression>
#include <QScrollBar>
#include <QTest>
#include <QTextDocument>
#include <QToolButton>
#include <QWheelEvent>
#include <algorithm>
#include <cmath>

#include "core/formats/hlo_text.h"
#include "editor/layout_lab/dimension_chips.h"
#include "editor/layout_lab/grid_pane.h"
#include "editor/layout_lab/layout_panel.h"
#include "editor/layout_lab/layout_view.h"
#include "editor/layout_lab/memory_pane.h"
#include "editor/layout_lab/presets.h"
#include "editor/layout_lab/preview_bar.h"

using namespace tessera;

namespace {

QPalette paletteOf(bool dark) {
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

void write(const QString& path, const QString& preset, const QString& text, bool dark, QSize size,
           std::optional<int64_t> chosen) {
  LayoutPanel panel;
  panel.setPalette(paletteOf(dark));
  panel.setAutoFillBackground(true);
  panel.resize(size);
  panel.show();
  if (preset.isEmpty())
    panel.showShapeText(text);
  else
    panel.setPreset(preset);
  QApplication::processEvents();
  if (chosen) panel.state()->choose(chosen);
  panel.finishAnimations();
  QApplication::processEvents();
  panel.grab().save(path);
}

// A chip in the hand, elements on their way.
void writeDrag(const QString& path) {
  LayoutPanel panel;
  panel.setPalette(paletteOf(false));
  panel.setAutoFillBackground(true);
  panel.resize(1100, 620);
  panel.show();
  panel.setPreset(QStringLiteral("slices"));
  panel.finishAnimations();
  QApplication::processEvents();
  DimensionChips* chips = panel.chips();
  const QPoint from = chips->chipRect(1).center(), to = chips->chipRect(2).center() + QPoint(60, 0);
  QTest::mousePress(chips, Qt::LeftButton, {}, from);
  for (int step = 1; step <= 10; ++step) {
    const QPoint at = from + (to - from) * step / 10;
    QMouseEvent move(QEvent::MouseMove, at, chips->mapToGlobal(at), Qt::NoButton, Qt::LeftButton, Qt::NoModifier);
    QApplication::sendEvent(chips, &move);
  }
  QTest::qWait(200);
  panel.grab().save(path);
}

int writePictures(const QString& folder) {
  QDir().mkpath(folder);
  int at = 0;
  for (const LayoutPreset& preset : layoutPresets()) {
    const QString name = QString::fromUtf8(preset.name.data(), static_cast<qsizetype>(preset.name.size()));
    for (const bool dark : {false, true})
      write(folder + QStringLiteral("/%1_%2.png").arg(at).arg(dark ? "dark" : "light"), name, {}, dark, {1100, 620},
            preset.name == "TPU bf16" ? 1024 + 2 : 4);
    ++at;
  }
  const QStringList more = {QStringLiteral("f32[2,4,32,32]{2,3,1,0:T(8,128)}"),
                            QStringLiteral("s8[4611686018427387904]{0}"),
                            QStringLiteral("f32[]{:T(128)}"),
                            QStringLiteral("f32[64,64]{0,1}"),
                            QStringLiteral("f32[0,3]"),
                            QStringLiteral("f32[12"),
                            QStringLiteral("bf16[768]{0:T(1024)(128)(2,1)}")};
  for (const QString& text : more) {
    write(folder + QStringLiteral("/more_%1.png").arg(at), {}, text, at % 2, {1100, 620}, std::nullopt);
    ++at;
  }
  writeDrag(folder + QStringLiteral("/drag.png"));
  write(folder + QStringLiteral("/flat.png"), QStringLiteral("padded 3×5"), {}, true, {1200, 400}, 4);
  write(folder + QStringLiteral("/flat_tpu.png"), QStringLiteral("TPU bf16"), {}, true, {1200, 440}, 4);
  write(folder + QStringLiteral("/narrow.png"), QStringLiteral("padded 3×5"), {}, false, {460, 700}, 4);
  return 0;
}

Shape shapeOf(const char* text) {
  auto shape = parseShape(text);
  if (!shape) qFatal("%s: %s", text, shape.error().message.c_str());
  return *shape;
}

}  // namespace

class LayoutPanelTest : public QObject {
  Q_OBJECT

 private:
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

 private slots:
  void init() {
    edits_.clear();
    panel_ = std::make_unique<LayoutPanel>();
    connect(panel_.get(), &LayoutPanel::layoutEdited, this, [this](const Shape& shape) { edits_.push_back(shape); });
    panel_->setPalette(paletteOf(false));
    panel_->resize(1100, 640);
    panel_->show();
    QVERIFY(QTest::qWaitForWindowExposed(panel_.get()));
    panel_->activateWindow();
  }

  void theReferencesExamples() {
    panel_->setPreset(QStringLiteral("column-major"));
    QCOMPARE(inMemory(), QStringLiteral("a d b e c f"));
    QCOMPARE(label("bufferReadout"), QStringLiteral("24 bytes for 6 elements of 4 B\nno waste"));
    panel_->setPreset(QStringLiteral("row-major"));
    QCOMPARE(inMemory(), QStringLiteral("a b c d e f"));
    QVERIFY(label("formulaReadout").startsWith(QStringLiteral("linear = i0*3 + i1")));
    panel_->setPreset(QStringLiteral("padded 3×5"));
    QCOMPARE(inMemory(), QStringLiteral("a d 0 b e 0 c f 0 0 0 0 0 0 0"));
    QCOMPARE(label("bufferReadout"), QStringLiteral("60 bytes for 6 elements of 4 B\nwaste 36 bytes, 60.0 %"));
    QCOMPARE(field("paddedDimensions")->text(), QStringLiteral("3,5"));
    panel_->setPreset(QStringLiteral("no such"));
    QVERIFY(panel_->errorText().contains(QStringLiteral("no such")));
    QVERIFY(edits_.empty());
  }

  void everyPresetIsShown() {
    for (const LayoutPreset& preset : layoutPresets()) {
      panel_->setPreset(QString::fromUtf8(preset.name.data(), static_cast<qsizetype>(preset.name.size())));
      QCOMPARE(panel_->errorText(), QString());
      QCOMPARE(panel_->findChild<QComboBox*>(QStringLiteral("presets"))->currentText().toStdString(),
               std::string(preset.name));
      QVERIFY(!panel_->grab().isNull());
    }
  }

  void hoverLinksBothWays() {
    panel_->setPreset(QStringLiteral("padded 3×5"));
    pointAt(grid(), 4);
    QCOMPARE(panel_->state()->current(), std::optional<int64_t>(4));
    QCOMPARE(label("elementReadout"), QStringLiteral("element e  at index (1, 1)\nlinear index 4 · bytes 16 … 19"));
    QVERIFY(label("formulaReadout").contains(QStringLiteral("= 1*3 + 1 = 4")));
    pointAt(memory(), 7);  // f is at (1, 2): third column, second row of the grid
    QCOMPARE(label("elementReadout"), QStringLiteral("element f  at index (1, 2)\nlinear index 7 · bytes 28 … 31"));
    pointAt(memory(), 14);
    QVERIFY(label("elementReadout").startsWith(QStringLiteral("padding  at index (2, 4)")));
    QTest::mouseMove(panel_.get(), QPoint(3, 3));
    QTRY_COMPARE(panel_->state()->current(), std::nullopt);
  }

  void theLinkIsDrawn() {
    panel_->setPreset(QStringLiteral("row-major"));
    panel_->finishAnimations();
    const QImage before = panel_->view()->grab().toImage();
    pointAt(grid(), 4);
    panel_->finishAnimations();
    const QImage after = panel_->view()->grab().toImage();
    const QColor accent = panel_->palette().color(QPalette::Highlight);
    const int gap = grid()->geometry().right() + 5;  // the line must cross from pane to pane
    const auto near = [&](const QColor& c) {
      return std::abs(c.red() - accent.red()) + std::abs(c.green() - accent.green()) +
                 std::abs(c.blue() - accent.blue()) <
             150;
    };
    int found = 0;
    for (int y = 0; y < after.height(); ++y)
      found += after.pixel(gap, y) != before.pixel(gap, y) && near(after.pixelColor(gap, y));
    QVERIFY(found >= 1);
    QVERIFY(found < 12);
  }

  void chosenByClickAndWalkedByKeys() {
    panel_->setPreset(QStringLiteral("padded 3×5"));
    QTest::mouseClick(grid(), Qt::LeftButton, {}, grid()->rectOf(0)->center().toPoint());
    QCOMPARE(panel_->state()->chosen(), std::optional<int64_t>(0));
    QTest::keyClick(grid(), Qt::Key_Right);
    QCOMPARE(panel_->state()->chosen(), std::optional<int64_t>(3));  // (0, 1) in column-major
    QTest::keyClick(grid(), Qt::Key_Down);
    QCOMPARE(panel_->state()->chosen(), std::optional<int64_t>(4));
    QTest::keyClick(grid(), Qt::Key_End);
    QCOMPARE(panel_->state()->chosen(), std::optional<int64_t>(13));
    QTest::keyClick(memory(), Qt::Key_Right);
    QTest::keyClick(memory(), Qt::Key_Right);  // the end holds
    QCOMPARE(panel_->state()->chosen(), std::optional<int64_t>(14));
    QTest::keyClick(memory(), Qt::Key_Home);
    QCOMPARE(panel_->state()->chosen(),
             std::optional<int64_t>(14 / memory()->positionsPerRow() * memory()->positionsPerRow()));
    QTest::keyClick(memory(), Qt::Key_Escape);
    QCOMPARE(panel_->state()->chosen(), std::nullopt);
  }

  void memoryWalksOnThroughRowEnds() {
    panel_->showShapeText(QStringLiteral("f32[40,8]{1,0}"));
    const int64_t end = memory()->positionsPerRow() - 1;
    QTest::mouseClick(memory(), Qt::LeftButton, {}, memory()->rectOf(end)->center().toPoint());
    QTest::keyClick(memory(), Qt::Key_Right);
    QCOMPARE(panel_->state()->chosen(), std::optional<int64_t>(end + 1));
    QTest::keyClick(memory(), Qt::Key_Left);
    QCOMPARE(panel_->state()->chosen(), std::optional<int64_t>(end));
  }

  void dragOfAChipChangesTheOrder() {
    panel_->showShape(shapeOf("f32[2,3]{1,0}"), QStringLiteral("add.3"));
    QTest::mouseClick(grid(), Qt::LeftButton, {}, grid()->rectOf(1)->center().toPoint());  // b
    dragChip(1, 0);
    QCOMPARE(text(), QStringLiteral("f32[2,3]{0,1}"));  // memory answers while the chip is held
    QVERIFY(edits_.empty());
    QTest::mouseRelease(panel_->chips(), Qt::LeftButton, {}, panel_->chips()->chipRect(1).center());
    QCOMPARE(inMemory(), QStringLiteral("a d b e c f"));
    QCOMPARE(field("shapeText")->text(), QStringLiteral("f32[2,3]{0,1}"));
    QVERIFY(edits_.empty());  // a preview, marked as such
    QVERIFY(panel_->preview()->words().contains(QStringLiteral("still f32[2,3]{1,0}")));
    apply();
    QCOMPARE(edits_.size(), size_t{1});
    QCOMPARE(QString::fromStdString(toString(edits_[0])), QStringLiteral("f32[2,3]{0,1}"));
    QVERIFY(panel_->preview()->isHidden());
    QCOMPARE(panel_->state()->chosen(), std::optional<int64_t>(2));  // still b
  }

  void aPreviewGoesBack() {
    panel_->showShape(shapeOf("f32[2,3]{1,0}"), QStringLiteral("x"));
    dragChip(1, 0);
    QTest::mouseRelease(panel_->chips(), Qt::LeftButton, {}, panel_->chips()->chipRect(1).center());
    QCOMPARE(text(), QStringLiteral("f32[2,3]{0,1}"));
    QTest::mouseClick(panel_->preview()->back(), Qt::LeftButton);
    QCOMPARE(text(), QStringLiteral("f32[2,3]{1,0}"));
    QVERIFY(panel_->preview()->isHidden() && edits_.empty());
    panel_->showShape(shapeOf("f32[2,3]{1,0}"), QStringLiteral("x"), {}, QStringLiteral("It follows."));
    dragChip(1, 0);
    QTest::mouseRelease(panel_->chips(), Qt::LeftButton, {}, panel_->chips()->chipRect(1).center());
    QVERIFY(panel_->preview()->words().contains(QStringLiteral("It follows.")));
    QVERIFY(panel_->preview()->apply()->isHidden());
  }

  void escapePutsTheChipBack() {
    panel_->showShape(shapeOf("f32[2,3,4]{2,1,0}"), QStringLiteral("x"));
    dragChip(2, 0);
    QCOMPARE(text(), QStringLiteral("f32[2,3,4]{1,0,2}"));
    QTest::keyClick(panel_->chips(), Qt::Key_Escape);
    QTest::mouseRelease(panel_->chips(), Qt::LeftButton, {}, QPoint(5, 5));
    QCOMPARE(text(), QStringLiteral("f32[2,3,4]{2,1,0}"));
    QVERIFY(edits_.empty());
  }

  void chipsByKeys() {
    panel_->showShape(shapeOf("f32[2,3,4]{2,1,0}"), QStringLiteral("x"));
    QTest::keyClick(panel_->chips(), Qt::Key_Right);
    QTest::keyClick(panel_->chips(), Qt::Key_Right, Qt::ControlModifier);
    QCOMPARE(text(), QStringLiteral("f32[2,3,4]{2,0,1}"));
    QTest::keyClick(panel_->chips(), Qt::Key_Right, Qt::ControlModifier);  // already last
    apply();
    QCOMPARE(edits_.size(), size_t{1});
  }

  void aClickOnAChipIsNoEdit() {
    panel_->showShape(shapeOf("f32[2,3]{1,0}"), QStringLiteral("x"));
    QTest::mouseClick(panel_->chips(), Qt::LeftButton, {}, panel_->chips()->chipRect(0).center());
    QCOMPARE(text(), QStringLiteral("f32[2,3]{1,0}"));
    QVERIFY(edits_.empty());
  }

  void paddingIsTyped() {
    panel_->showShape(shapeOf("f32[2,3]{0,1}"), QStringLiteral("x"));
    type("paddedDimensions", QStringLiteral("3,5"));
    type("paddingValue", QStringLiteral("0"));
    QCOMPARE(inMemory(), QStringLiteral("a d 0 b e 0 c f 0 0 0 0 0 0 0"));
    QTest::keyClick(field("paddingValue"), Qt::Key_Return);
    apply();
    QVERIFY(!edits_.empty());
    QCOMPARE(edits_.back().layout->paddedDimensions, (std::vector<int64_t>{3, 5}));
    QCOMPARE(edits_.back().layout->paddingValue, std::optional<double>(0));
    type("paddedDimensions", QStringLiteral("1,5"));
    QCOMPARE(panel_->errorText(), QStringLiteral("padded_dimensions: expected 2 sizes of at least 2,3, found 1,5"));
    QCOMPARE(model().positions(), int64_t{15});  // the last good picture stays
    type("paddedDimensions", {});
    QCOMPARE(panel_->errorText(), QString());
    QCOMPARE(model().positions(), int64_t{6});
    type("paddingValue", QStringLiteral("zero"));
    QVERIFY(panel_->errorText().startsWith(QStringLiteral("padding_value: expected a number")));
  }

  void textIsTyped() {
    panel_->showShape(shapeOf("f32[2,3]{1,0}"), QStringLiteral("x"));
    type("shapeText", QStringLiteral("f32[2,3]{0,1"));
    QVERIFY(panel_->errorText().contains(QStringLiteral("expected '}'")));
    QCOMPARE(text(), QStringLiteral("f32[2,3]{1,0}"));
    QTest::keyClicks(field("shapeText"), QStringLiteral("}"));
    QCOMPARE(panel_->errorText(), QString());
    QCOMPARE(text(), QStringLiteral("f32[2,3]{0,1}"));
    QTest::keyClick(field("shapeText"), Qt::Key_Return);
    apply();
    QCOMPARE(edits_.size(), size_t{1});
    type("shapeText", QStringLiteral("bf16[3,130]{1,0:T(8,128)(2,1)}"));
    QCOMPARE(model().memory().bytes(), int64_t{4096});
    dragChip(0, 1);
    QTest::mouseRelease(panel_->chips(), Qt::LeftButton, {}, panel_->chips()->chipRect(0).center());
    QCOMPARE(text(), QStringLiteral("bf16[3,130]{0,1:T(8,128)(2,1)}"));
    QCOMPARE(edits_.size(), size_t{1});  // another array is looked at, not the wire
  }

  void tilesOfATpuDump() {
    panel_->setPreset(QStringLiteral("TPU bf16"));
    pointAt(grid(), 1);  // (1, 0) lies beside (0, 0)
    QVERIFY(label("elementReadout").startsWith(QStringLiteral("element  at index (1, 0)")));
    QVERIFY(label("formulaReadout")
                .startsWith(QStringLiteral("linear = (i1 / 128)*1024 + (i0 / 2)*256 + (i1 % 128)*2 + i0 % 2")));
    QVERIFY(label("bufferReadout").contains(QStringLiteral("waste 3,316 bytes, 81.0 %")));
    QCOMPARE(model().extents(), (std::vector<int64_t>{8, 256}));
    QVERIFY(!memory()->shows(1024) && !grid()->shows(1024));
    panel_->state()->choose(1024);
    QVERIFY(memory()->shows(1024) && grid()->shows(1024));
    QTest::mouseClick(memory(), Qt::LeftButton, {}, memory()->rectOf(1024)->center().toPoint());
    QVERIFY(label("elementReadout").contains(QStringLiteral("(0, 128)")));
    QCOMPARE(panel_->findChildren<QLineEdit*>(QRegularExpression(QStringLiteral("slice."))).size(), 0);
  }

  void slices() {
    panel_->setPreset(QStringLiteral("slices"));
    QLineEdit* slice = field("slice0");
    QVERIFY(slice && slice->isVisible());
    QTest::mouseClick(panel_->findChild<QToolButton*>(QStringLiteral("sliceUp0")), Qt::LeftButton);
    QCOMPARE(slice->text(), QStringLiteral("1"));
    QTest::mouseClick(panel_->findChild<QToolButton*>(QStringLiteral("sliceUp0")), Qt::LeftButton);
    QCOMPARE(slice->text(), QStringLiteral("1"));  // of 2
    pointAt(memory(), 0);                          // (0, 0, 0) is in the other slice
    QCOMPARE(slice->text(), QStringLiteral("0"));
    QTest::mouseClick(grid(), Qt::LeftButton, {}, grid()->rectOf(0)->center().toPoint());
    QTest::keyClick(grid(), Qt::Key_PageDown);
    QCOMPARE(slice->text(), QStringLiteral("1"));
    QCOMPARE(panel_->state()->chosen(), std::optional<int64_t>(4));
    type("slice0", QStringLiteral("77"));
    QTest::keyClick(slice, Qt::Key_Return);
    QCOMPARE(slice->text(), QStringLiteral("1"));
  }

  void hugeShapesAreOnlyLookedAtWhereVisible() {
    type("shapeText", QStringLiteral("s8[4611686018427387904]"));
    QCOMPARE(panel_->errorText(), QString());
    const int64_t last = (int64_t{1} << 62) - 1;
    QElapsedTimer clock;
    clock.start();
    panel_->state()->choose(last);
    QVERIFY(memory()->shows(last) && grid()->shows(last));
    QVERIFY(!panel_->grab().isNull());
    QVERIFY(clock.elapsed() < 3000);
    QTest::keyClick(memory(), Qt::Key_Right);
    QCOMPARE(panel_->state()->chosen(), std::optional<int64_t>(last));
    QTest::keyClick(memory(), Qt::Key_Up);
    QCOMPARE(panel_->state()->chosen(), std::optional<int64_t>(last - memory()->positionsPerRow()));
    auto* bar = memory()->findChildren<QScrollBar*>().first();
    bar->setValue(0);
    QVERIFY(memory()->shows(0));
    bar->setValue(bar->maximum());
    QVERIFY(memory()->shows(last));
    type("shapeText", QStringLiteral("s8[2147483648,2147483648]{0,1:T(8,128)}"));
    panel_->state()->choose(model().linearOf(std::vector<int64_t>{2147483647, 5}));
    QVERIFY(!panel_->grab().isNull());
  }

  void whatCannotBeAddressedSaysSo() {
    panel_->showShapeText(QStringLiteral("f32[4611686018427387904]"));
    QVERIFY(panel_->errorText().contains(QStringLiteral("64-bit")));
    QCOMPARE(text(), QStringLiteral("f32[2,3]{1,0}"));  // typed: the last good picture stays
    panel_->showShape(shapeOf("f32[?]"), QStringLiteral("w"));
    QVERIFY(panel_->errorText().contains(QStringLiteral("no bound")));
    QVERIFY(!panel_->shape());  // a wire: nothing of another one is shown
    QVERIFY(!panel_->grab().isNull());
    panel_->showShape(Shape::token(), QStringLiteral("t"));
    QVERIFY(panel_->errorText().contains(QStringLiteral("no array")));
    QTest::keyClick(grid(), Qt::Key_Right);
    QTest::keyClick(memory(), Qt::Key_Right);
    panel_->showShape(shapeOf("f32[2,3]"), QStringLiteral("u"));
    QCOMPARE(panel_->errorText(), QString());
    QCOMPARE(inMemory(), QStringLiteral("a b c d e f"));
  }

  void leavesOfATuple() {
    panel_->showShape(shapeOf("(f32[2,3]{1,0}, (token[], s32[4]{0}))"), QStringLiteral("t"));
    auto* leaves = panel_->findChild<QComboBox*>(QStringLiteral("leaves"));
    QVERIFY(leaves->isVisible());
    QCOMPARE(leaves->count(), 3);
    leaves->setFocus();
    QTest::keyClick(leaves, Qt::Key_Down);
    QVERIFY(panel_->errorText().contains(QStringLiteral("token")));
    QTest::keyClick(leaves, Qt::Key_Down);
    QCOMPARE(text(), QStringLiteral("s32[4]{0}"));
    type("paddedDimensions", QStringLiteral("6"));
    QTest::keyClick(field("paddedDimensions"), Qt::Key_Return);
    apply();
    QCOMPARE(edits_.size(), size_t{1});
    QCOMPARE(edits_[0].elements[1].elements[1].layout->paddedDimensions, std::vector<int64_t>{6});
    QVERIFY(edits_[0].elements[0] == shapeOf("f32[2,3]{1,0}"));
  }

  void packedElementsShareBytes() {
    panel_->setPreset(QStringLiteral("packed s4"));
    pointAt(memory(), 5);
    QVERIFY(label("elementReadout").contains(QStringLiteral("linear index 5 · byte 2, packed")));
    QVERIFY(label("bufferReadout").startsWith(QStringLiteral("8 bytes for 15 elements of 4 bits")));
  }

  void strangeShapes() {
    for (const char* shape : {"f32[]",
                              "f32[]{:T(128)}",
                              "f32[0]",
                              "f32[0,3]{0,1}",
                              "f32[3,0,2]",
                              "pred[1]",
                              "c128[2,2]",
                              "s4[5]{0:E(4)}",
                              "u1[9]{0:E(1)}",
                              "f32[3,5]{1,0:T(*,4)}",
                              "f32[3,5]{1,0:T(7)(3,2)}",
                              "f32[5]{0:T(4,8,2)}",
                              "f32[3,5]{1,0:T(1000003)}",
                              "f32[7]{0:L(1024)}",
                              "f32[<=3,4]{1,0:M(16)}",
                              "f32[2,3,4,5,6]{0,2,4,1,3:T(2,2)(2,1)}",
                              "f32[1,1,1,1,1,1,1,1]",
                              "bf16[768]{0:T(1024)(128)(2,1)}",
                              "f32[1000000,1000000]{1,0:T(8,128)}",
                              "b(f32[3])",
                              "f32[2]{0:D(C)}",
                              "f32[9223372036854775807,0]",
                              "(f32[2])",
                              "s8[9223372036854775807]",
                              "s8[3074457345618258602,3]{0,1}",
                              "u1[9223372036854775807]{0:T(7)E(1)}"}) {
      panel_->showShapeText(QString::fromUtf8(shape));
      QVERIFY2(panel_->errorText().isEmpty(), qPrintable(QString::fromUtf8(shape) + ": " + panel_->errorText()));
      for (const QSize size : {QSize(1100, 640), QSize(420, 520)}) {
        panel_->resize(size);
        for (CellPane* pane : {static_cast<CellPane*>(grid()), static_cast<CellPane*>(memory())}) {
          QTest::mouseMove(pane, pane->area().center());
          for (const Qt::Key key :
               {Qt::Key_Right, Qt::Key_Down, Qt::Key_PageDown, Qt::Key_End, Qt::Key_Plus, Qt::Key_Left, Qt::Key_0})
            QTest::keyClick(pane, key);
        }
        QTest::keyClick(panel_->chips(), Qt::Key_Right, Qt::ControlModifier);
        QVERIFY(!panel_->grab().isNull());
      }
    }
  }

  void wrongText() {
    for (const char* text :
         {"", "f32", "f32[", "f32[2,3]{1}", "f32[2,3]{1,1}", "f32[2]{0:T()}", "f32[2]{0:T(0)}", "g32[2]", "f32[-1]",
          "f32[99999999999999999999]", "f32[2] x", "(f32[2]", "\xff\xfe", "f32[2]{0:T(*)}", "()", "token[]"}) {
      panel_->showShapeText(QString::fromUtf8(text));
      QVERIFY2(!panel_->errorText().isEmpty(), text);
      QCOMPARE(this->text(), QStringLiteral("f32[2,3]{1,0}"));
    }
  }

  void wheelScrollsAndZooms() {
    panel_->showShapeText(QStringLiteral("f32[1000,1000]"));
    const auto turn = [&](int delta, Qt::KeyboardModifiers keys) {
      const QPointF at = memory()->area().center();
      QWheelEvent wheel(at, memory()->mapToGlobal(at), {}, {0, delta}, Qt::NoButton, keys, Qt::NoScrollPhase, false);
      QApplication::sendEvent(memory(), &wheel);
    };
    QVERIFY(memory()->shows(0));
    turn(-120, {});
    QVERIFY(!memory()->shows(0));
    turn(120, {});
    QVERIFY(memory()->shows(0));
    const int cell = memory()->cell();
    turn(120, Qt::ControlModifier);
    QVERIFY(memory()->cell() > cell);
    turn(-120, Qt::ControlModifier);
    turn(-120, Qt::ControlModifier);
    QVERIFY(memory()->cell() < cell);
  }

  void theSentenceFollowsTheLayout() {
    panel_->setPreset(QStringLiteral("row-major"));
    QVERIFY(label("sentence").contains(QStringLiteral("along the rows")));
    dragChip(1, 0);
    QCOMPARE(label("sentence"),
             QStringLiteral("minor_to_major {0,1}: dimension 0 changes fastest, then 1. Memory holds a d b e c f"));
    QTest::mouseRelease(panel_->chips(), Qt::LeftButton);
    QCOMPARE(panel_->findChild<QComboBox*>(QStringLiteral("presets"))->currentIndex(), 0);
  }

  void aFullScreenOfSmallCellsIsQuick() {
    panel_->resize(1920, 1080);
    panel_->showShapeText(QStringLiteral("f32[5000,5000]{0,1:T(8,128)}"));
    for (int i = 0; i < 20; ++i) QTest::keyClick(memory(), Qt::Key_Minus);
    QCOMPARE(memory()->cell(), CellPane::kSmallestCell);
    QElapsedTimer clock;
    clock.start();
    memory()->rearrange();
    QVERIFY(!memory()->grab().isNull());
    qInfo("%d x %d pixels of %d pixel cells: %lld ms", memory()->area().width(), memory()->area().height(),
          memory()->cell(), static_cast<long long>(clock.elapsed()));
    QVERIFY(clock.elapsed() < 1000);
  }

  void namesAreLegibleInBothThemes() {
    const auto luminance = [](const QColor& c) {
      const auto part = [](double v) { return v <= 0.03928 ? v / 12.92 : std::pow((v + 0.055) / 1.055, 2.4); };
      return 0.2126 * part(c.redF()) + 0.7152 * part(c.greenF()) + 0.0722 * part(c.blueF());
    };
    for (const bool dark : {false, true}) {
      const LabColors colors = LabColors::of(paletteOf(dark));
      for (const int64_t rows : {1, 2, 8, 64})
        for (int64_t row = 0; row < rows; ++row)
          for (int64_t column = 0; column < 9; ++column) {
            const QColor fill = colors.element(row, rows, column, 9);
            const double a = luminance(fill), b = luminance(colors.textOn(fill));
            QVERIFY2((std::max(a, b) + 0.05) / (std::min(a, b) + 0.05) >= 4.5, qPrintable(fill.name()));
          }
    }
  }

  void elementsTravelWhenTheOrderChanges() {
    panel_->setPreset(QStringLiteral("row-major"));
    panel_->finishAnimations();
    const QImage before = memory()->grab().toImage();
    QTest::keyClick(panel_->chips(), Qt::Key_Right, Qt::ControlModifier);
    const QImage start = memory()->grab().toImage();  // at the beginning every element is where it was
    panel_->finishAnimations();
    const QImage end = memory()->grab().toImage();
    QVERIFY(before != end);
    const QPoint second = memory()->rectOf(1)->topLeft().toPoint() + QPoint(8, 8);
    QVERIFY(start.pixelColor(second) != end.pixelColor(second));
  }
};

int main(int argc, char** argv) {
  QApplication app(argc, argv);
  if (argc == 3 && QString::fromUtf8(argv[1]) == QStringLiteral("--pictures"))
    return writePictures(QString::fromUtf8(argv[2]));
  LayoutPanelTest test;
  return QTest::qExec(&test, argc, argv);
}

#include "layout_panel_test.moc"
