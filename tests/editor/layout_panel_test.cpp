// The layout panel with real mouse, wheel and key events: what it shows, hovering, choosing, scrolling, large and
// strange shapes, colours. `layout_panel_test --pictures DIR` writes a PNG of every preset in both themes instead.
#include <QApplication>
#include <QComboBox>
#include <QElapsedTimer>
#include <QScrollBar>
#include <QTest>
#include <QWheelEvent>
#include <algorithm>
#include <cmath>

#include "editor/preferences/preferences.h"
#include "tests/editor/layout_hand.h"
#include "tests/editor/layout_pictures.h"

using namespace tessera;

class LayoutPanelTest : public LayoutHand {
  Q_OBJECT

 private slots:
  void init() { showPanel(); }

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

  void hugeShapesAreOnlyLookedAtWhereVisible() {
    type("shapeText", QStringLiteral("s8[4611686018427387904]"));
    QCOMPARE(panel_->errorText(), QString());
    const int64_t last = (int64_t{1} << 62) - 1;
    QElapsedTimer clock;
    clock.start();
    panel_->state()->choose(last);
    QVERIFY(memory()->shows(last) && grid()->shows(last));
    QVERIFY(!panel_->grab().isNull());
    QVERIFY(clock.elapsed() < 10000);
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
    panel_->showShape(parsedShape("f32[?]"), QStringLiteral("w"));
    QVERIFY(panel_->errorText().contains(QStringLiteral("no bound")));
    QVERIFY(!panel_->shape());  // a wire: nothing of another one is shown
    QVERIFY(!panel_->grab().isNull());
    panel_->showShape(Shape::token(), QStringLiteral("t"));
    QVERIFY(panel_->errorText().contains(QStringLiteral("no array")));
    QTest::keyClick(grid(), Qt::Key_Right);
    QTest::keyClick(memory(), Qt::Key_Right);
    panel_->showShape(parsedShape("f32[2,3]"), QStringLiteral("u"));
    QCOMPARE(panel_->errorText(), QString());
    QCOMPARE(inMemory(), QStringLiteral("a b c d e f"));
  }

  void leavesOfATuple() {
    panel_->showShape(parsedShape("(f32[2,3]{1,0}, (token[], s32[4]{0}))"), QStringLiteral("t"));
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
    QVERIFY(edits_[0].elements[0] == parsedShape("f32[2,3]{1,0}"));
  }

  void packedElementsShareBytes() {
    panel_->setPreset(QStringLiteral("packed s4"));
    pointAt(memory(), 5);
    QVERIFY(label("elementReadout").contains(QStringLiteral("linear index 5 · byte 2, packed")));
    QVERIFY(label("bufferReadout").startsWith(QStringLiteral("8 bytes for 15 elements of 4 bits")));
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
    QVERIFY(clock.elapsed() < 10000);
  }

  void namesAreLegibleInBothThemes() {
    const auto luminance = [](const QColor& c) {
      const auto part = [](double v) { return v <= 0.03928 ? v / 12.92 : std::pow((v + 0.055) / 1.055, 2.4); };
      return 0.2126 * part(c.redF()) + 0.7152 * part(c.greenF()) + 0.0722 * part(c.blueF());
    };
    for (const bool dark : {false, true}) {
      const LabColors colors = LabColors::of(lightOrDark(dark));
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

  void elementsStandAtOnceWhereTransitionsAreOffOrAnotherArrayIsShown() {
    const auto stands = [this] {
      const QImage now = memory()->grab().toImage();
      panel_->finishAnimations();
      return now == memory()->grab().toImage();
    };
    panel_->setPreset(QStringLiteral("row-major"));
    panel_->finishAnimations();
    preferences().animations = false;
    QTest::keyClick(panel_->chips(), Qt::Key_Right, Qt::ControlModifier);
    preferences().animations = true;
    QVERIFY(stands());
    Shape other = *panel_->shape();
    std::ranges::reverse(other.layout->minorToMajor);
    panel_->showShape(other, QStringLiteral("x"), {});
    QVERIFY(stands());
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
