// Two panes side by side: two documents, one document at two places, and how a split ends.
#include <QApplication>
#include <QStandardPaths>
#include <QTimer>
#include <QToolButton>

#include "app/studio/window/documents/pane_area.h"
#include "app/studio/window/panels.h"
#include "editor/panels/text/text_panel.h"
#include "editor/text/hlo_text_view.h"
#include "tests/editor/qt_tests.h"
#include "tests/editor/tabs_hand.h"

namespace tessera::split_view_test {

class SplitViewTest : public TabsHand {
  Q_OBJECT

 private:
  // --- two panes
  DocumentPane& half(int at) {  // from the left
    std::vector<DocumentPane*> seen;
    for (DocumentPane* pane : {&window().pane(), window().area().beside()})
      if (pane) seen.push_back(pane);
    std::ranges::sort(seen, {}, [&](DocumentPane* pane) { return pane->mapTo(&window(), QPoint()).x(); });
    return *seen.at(static_cast<size_t>(at));
  }

  void clickIn(DocumentPane& pane) {
    QTest::mouseClick(&pane.canvas(), Qt::LeftButton, {}, QPoint(5, pane.canvas().height() - 5));
    settle();
  }

 private slots:
  void initTestCase() { QStandardPaths::setTestModeEnabled(true); }
  void init() { show(); }
  void cleanup() { window_.reset(); }

  void twoDocumentsSideBySide() {
    openThree();
    key(Qt::Key_Backslash);
    QVERIFY(window().area().beside());
    QCOMPARE(current(), QStringLiteral("c.hlo"));
    QCOMPARE(half(0).name(), QStringLiteral("c.hlo"));
    QCOMPARE(half(1).name(), QStringLiteral("a.hlo"));
    QVERIFY(half(0).canvas().isVisible() && half(1).canvas().isVisible());
    QVERIFY(std::abs(half(0).width() - half(1).width()) < 20);
    // The focus decides on which one menus act.
    clickIn(half(1));
    QCOMPARE(current(), QStringLiteral("a.hlo"));
    QVERIFY(window().windowTitle().startsWith("a.hlo"));
    QCOMPARE(tabs().currentIndex(), 0);
    QVERIFY(window().panels().text->view()->text()->text.find("HloModule a") != std::string::npos);
    edit();
    key(Qt::Key_Z);
    QVERIFY(!document().canUndo() && document().canRedo());
    // A tab takes the half that has the focus.
    click(1);
    QCOMPARE(half(0).name(), QStringLiteral("c.hlo"));
    QCOMPARE(half(1).name(), QStringLiteral("b.hlo"));
    click(2);  // which is seen already
    QCOMPARE(current(), QStringLiteral("c.hlo"));
    QCOMPARE(half(1).name(), QStringLiteral("b.hlo"));
    key(Qt::Key_Backslash);
    QVERIFY(!window().area().beside());
    QCOMPARE(current(), QStringLiteral("c.hlo"));
    QCOMPARE(panes(), 3);
  }

  void oneDocumentAtTwoPlaces() {
    open(graph("a"));
    key(Qt::Key_Backslash);
    QCOMPARE(tabs().count(), 1);
    QCOMPARE(&half(0).document(), &half(1).document());
    clickIn(half(1));
    DocumentPane& other = half(0);
    const double zoom = other.canvas().viewport().zoom();
    const QPointF centre = other.canvas().viewport().visible().center();
    window().canvas().viewport().zoomBy(3, QPointF(10, 10));
    settle();
    QCOMPARE(other.canvas().viewport().zoom(), zoom);
    // A selection is seen in both and moves neither but the one that it was made in.
    document().select({document().module().findInstruction("out").value()});
    settle();
    QCOMPARE(other.canvas().viewport().visible().center(), centre);
    edit();
    QVERIFY(other.canvas().boxOf(document().module().findInstruction("a").value()).isValid());
    key(Qt::Key_W);  // this half, not the document
    QCOMPARE(tabs().count(), 1);
    QVERIFY(!window().area().beside());
    QVERIFY(document().canUndo());
    QCOMPARE(panes(), 1);
  }

  void aSplitEndsWithItsDocument() {
    openThree();
    key(Qt::Key_Backslash);
    key(Qt::Key_W);
    QVERIFY(!window().area().beside());
    QCOMPARE(current(), QStringLiteral("a.hlo"));
    QCOMPARE(names(), (QStringList{"a.hlo", "b.hlo"}));
    QVERIFY(playCommand(window(), "split same").has_value());
    QVERIFY(window().area().beside());
    click(0, Qt::MiddleButton);
    QCOMPARE(names(), QStringList{"b.hlo"});
    QVERIFY(!window().area().beside());
    QCOMPARE(panes(), 1);
    key(Qt::Key_Backslash);
    click(0, Qt::MiddleButton);
    QVERIFY(window().pane().isFirstGraph());
  }

  // The second picture of a document has no tab: alone, the first one stands where it was looked at.
  void theSecondPictureOfADocumentDoesNotStayAlone() {
    openThree();
    QVERIFY(playCommand(window(), "split same").has_value());
    clickIn(half(1));
    window().canvas().viewport().zoomBy(3, QPointF(10, 10));
    settle();
    const double zoom = window().canvas().viewport().zoom();
    key(Qt::Key_Backslash);
    QVERIFY(!window().area().beside() && !window().pane().isTwin());
    QCOMPARE(current(), QStringLiteral("c.hlo"));
    QCOMPARE(window().canvas().viewport().zoom(), zoom);
    QCOMPARE(panes(), 3);
    click(2, Qt::MiddleButton);
    document().view().openAllGroups();  // tasks of all panes are asked for
    settle();
    QCOMPARE(names(), (QStringList{"a.hlo", "b.hlo"}));
    QCOMPARE(panes(), 2);
  }

  void anotherDocumentIsChosenForAHalf() {
    openThree();
    key(Qt::Key_Backslash);
    auto* title = half(1).findChild<QFrame*>("paneHeader")->findChild<QToolButton*>();
    QTimer::singleShot(100, this, [] {
      QWidget* menu = QApplication::activePopupWidget();
      QVERIFY(menu);
      QTest::keyClick(menu, Qt::Key_Down);
      QTest::keyClick(menu, Qt::Key_Down);
      QTest::keyClick(menu, Qt::Key_Return);
    });
    QTest::mouseClick(title, Qt::LeftButton);
    settle();
    QCOMPARE(half(1).name(), QStringLiteral("b.hlo"));
    QCOMPARE(current(), QStringLiteral("b.hlo"));
  }
};

TESSERA_QT_TEST(split_view_test, SplitViewTest)
}  // namespace tessera::split_view_test
#include "split_view_test.moc"
