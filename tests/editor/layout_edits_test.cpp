// Layouts edited in their panel: dimensions dragged and moved by keys, padding, tiles, slices and text that are typed.
#include <QLineEdit>
#include <QRegularExpression>
#include <QTest>
#include <QToolButton>

#include "tests/editor/layout_hand.h"
#include "tests/editor/qt_tests.h"

namespace tessera::layout_edits_test {

class LayoutEditsTest : public LayoutHand {
  Q_OBJECT

 private slots:
  void init() { showPanel(); }

  void dragOfAChipChangesTheOrder() {
    panel_->showShape(parsedShape("f32[2,3]{1,0}"), QStringLiteral("add.3"));
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
    panel_->showShape(parsedShape("f32[2,3]{1,0}"), QStringLiteral("x"));
    dragChip(1, 0);
    QTest::mouseRelease(panel_->chips(), Qt::LeftButton, {}, panel_->chips()->chipRect(1).center());
    QCOMPARE(text(), QStringLiteral("f32[2,3]{0,1}"));
    QTest::mouseClick(panel_->preview()->back(), Qt::LeftButton);
    QCOMPARE(text(), QStringLiteral("f32[2,3]{1,0}"));
    QVERIFY(panel_->preview()->isHidden() && edits_.empty());
    panel_->showShape(parsedShape("f32[2,3]{1,0}"), QStringLiteral("x"), {}, QStringLiteral("It follows."));
    dragChip(1, 0);
    QTest::mouseRelease(panel_->chips(), Qt::LeftButton, {}, panel_->chips()->chipRect(1).center());
    QVERIFY(panel_->preview()->words().contains(QStringLiteral("It follows.")));
    QVERIFY(panel_->preview()->apply()->isHidden());
  }

  void escapePutsTheChipBack() {
    panel_->showShape(parsedShape("f32[2,3,4]{2,1,0}"), QStringLiteral("x"));
    dragChip(2, 0);
    QCOMPARE(text(), QStringLiteral("f32[2,3,4]{1,0,2}"));
    QTest::keyClick(panel_->chips(), Qt::Key_Escape);
    QTest::mouseRelease(panel_->chips(), Qt::LeftButton, {}, QPoint(5, 5));
    QCOMPARE(text(), QStringLiteral("f32[2,3,4]{2,1,0}"));
    QVERIFY(edits_.empty());
  }

  void chipsByKeys() {
    panel_->showShape(parsedShape("f32[2,3,4]{2,1,0}"), QStringLiteral("x"));
    QTest::keyClick(panel_->chips(), Qt::Key_Right);
    QTest::keyClick(panel_->chips(), Qt::Key_Right, Qt::ControlModifier);
    QCOMPARE(text(), QStringLiteral("f32[2,3,4]{2,0,1}"));
    QTest::keyClick(panel_->chips(), Qt::Key_Right, Qt::ControlModifier);  // already last
    apply();
    QCOMPARE(edits_.size(), size_t{1});
  }

  void aClickOnAChipIsNoEdit() {
    panel_->showShape(parsedShape("f32[2,3]{1,0}"), QStringLiteral("x"));
    QTest::mouseClick(panel_->chips(), Qt::LeftButton, {}, panel_->chips()->chipRect(0).center());
    QCOMPARE(text(), QStringLiteral("f32[2,3]{1,0}"));
    QVERIFY(edits_.empty());
  }

  void paddingIsTyped() {
    panel_->showShape(parsedShape("f32[2,3]{0,1}"), QStringLiteral("x"));
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
    panel_->showShape(parsedShape("f32[2,3]{1,0}"), QStringLiteral("x"));
    type("shapeText", QStringLiteral("f32[2,3]{0,1"));
    QVERIFY(panel_->errorText().contains(QStringLiteral("expected '}'")));
    QCOMPARE(text(), QStringLiteral("f32[2,3]{1,0}"));
    QTest::keyClick(field("shapeText"), Qt::Key_Return);
    QVERIFY(edits_.empty());  // it does not read
    QTest::keyClicks(field("shapeText"), QStringLiteral("}"));
    QCOMPARE(panel_->errorText(), QString());
    QCOMPARE(text(), QStringLiteral("f32[2,3]{0,1}"));
    QVERIFY(edits_.empty());
    QTest::keyClick(field("shapeText"), Qt::Key_Return);
    QCOMPARE(edits_.size(), size_t{1});
    QVERIFY(panel_->preview()->isHidden());
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

  void wrongText() {
    for (const char* text :
         {"", "f32", "f32[", "f32[2,3]{1}", "f32[2,3]{1,1}", "f32[2]{0:T()}", "f32[2]{0:T(0)}", "g32[2]", "f32[-1]",
          "f32[99999999999999999999]", "f32[2] x", "(f32[2]", "\xff\xfe", "f32[2]{0:T(*)}", "()", "token[]"}) {
      panel_->showShapeText(QString::fromUtf8(text));
      QVERIFY2(!panel_->errorText().isEmpty(), text);
      QCOMPARE(this->text(), QStringLiteral("f32[2,3]{1,0}"));
    }
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
};

TESSERA_QT_TEST(layout_edits_test, LayoutEditsTest)
}  // namespace tessera::layout_edits_test
#include "layout_edits_test.moc"
