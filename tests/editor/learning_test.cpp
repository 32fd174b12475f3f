// The Learn button: within two clicks a lesson's graph is live; each lesson's number is dragged and what is to be
// watched changes; next and previous go through; another document ends it.
#include <QCommandLinkButton>
#include <QDockWidget>
#include <QListWidget>
#include <QPushButton>
#include <QTest>
#include <cmath>

#include "app/studio/window/panels.h"
#include "core/tools/help/op_examples.h"
#include "editor/controllers/lesson_controller.h"
#include "editor/controllers/run_controller.h"
#include "editor/layout_lab/dimension_chips.h"
#include "editor/layout_lab/layout_panel.h"
#include "editor/layout_lab/preview_bar.h"
#include "editor/lessons/lesson.h"
#include "editor/lessons/lesson_panel.h"
#include "editor/values/call_bar.h"
#include "tests/editor/hand.h"
#include "tests/editor/qt_tests.h"

namespace tessera::learning_test {

class LearningTest : public QObject {
  Q_OBJECT

 private:
  std::unique_ptr<Hand> hand_;

  Hand& hand() { return *hand_; }
  LessonPanel& panel() { return hand().window().lessons().panel(); }
  InstructionId named(std::string_view name) { return hand().module().findInstruction(name).value(); }
  // A number's place in the strip of its node.
  QPoint numberOf(InstructionId id) {
    const QRectF box = hand().canvas().boxOf(id);
    return hand().canvas().viewport().toWidget(QPointF(box.left() + 18, box.bottom() - 8)).toPoint();
  }

 private slots:
  void init() { hand_ = std::make_unique<Hand>(); }
  void cleanup() { hand_.reset(); }

  // Values inside what is called stand there from the first picture on.
  void theLoopLessonShowsItsFirstIteration() {
    hand().window().lessons().begin(7);
    hand().settle();
    QVERIFY(hand().document().live().values().contains(named("doubled")));
    hand().click(named("doubled"));
    const CallBar& bar = hand().window().runController().callBar();
    QVERIFY(bar.isVisible());
    const QRectF first = hand().canvas().viewport().toWidget(hand().canvas().boxOf(named("times")));
    QVERIFY2(!first.toRect().intersects(bar.geometry()), "the bar covers the number that is dragged");
  }

  void learnOpensALiveGraph() {
    hand().window().showFirstGraph();
    hand().settle();
    auto* button = hand().window().findChild<QCommandLinkButton*>("learn");
    QVERIFY(button && button->isVisible());
    QTest::mouseClick(button, Qt::LeftButton);
    hand().settle();
    QVERIFY(panel().isVisible());
    QVERIFY(!button->isVisible());
    QVERIFY(hand().document().live().isOn());
    QVERIFY(!hand().document().live().values().empty());
  }

  void everyLessonMoves() {
    hand().window().lessons().begin(0);
    hand().settle();
    for (size_t k = 0; k < lessons().size(); ++k) {
      const Lesson& lesson = lessons()[k];
      QCOMPARE(panel().lesson(), static_cast<int>(k));
      QVERIFY2(hand().document().diagnostics().empty(), lesson.title.data());
      QVERIFY2(findReferenceExample(lesson.reference), lesson.reference.data());
      QVERIFY(hand().selected() == named(lesson.selects));
      const Literal* before = hand().document().live().valueOf(named(lesson.watch));
      QVERIFY2(before, lesson.title.data());
      const Literal kept = *before;
      if (!lesson.handle.empty()) {
        const QPoint at = numberOf(named(lesson.handle));
        hand().drag(at, at + QPoint(24, 0));
        const Literal* now = hand().document().live().valueOf(named(lesson.watch));
        QVERIFY2(now && !now->identical(kept), lesson.title.data());
      }
      QVERIFY(hand().window().panels().find(QString::fromUtf8(lesson.panel.data()))->isVisible());
      QCOMPARE(panel().nextButton()->isEnabled(), k + 1 < lessons().size());
      QTest::mouseClick(panel().nextButton(), Qt::LeftButton);
      hand().settle();
    }
    QTest::mouseClick(panel().previousButton(), Qt::LeftButton);
    hand().settle();
    QCOMPARE(panel().lesson(), static_cast<int>(lessons().size()) - 2);
  }

  void theLayoutLessonIsDraggedInThePanel() {
    hand().window().lessons().begin(2);
    hand().settle();
    LayoutPanel* layout = hand().window().panels().layout;
    QVERIFY(layout->isVisible());
    auto* chips = layout->findChild<DimensionChips*>();
    const QPoint from = chips->chipRect(0).center(), to = chips->chipRect(1).center() + QPoint(20, 0);
    QTest::mousePress(chips, Qt::LeftButton, {}, from);
    QTest::mouseMove(chips, (from + to) / 2);
    QTest::mouseMove(chips, to);
    QTest::mouseRelease(chips, Qt::LeftButton, {}, to);
    QTest::mouseClick(layout->preview()->apply(), Qt::LeftButton);
    hand().settle();
    QCOMPARE(toString(hand().module().shapeOf(named("x"))), std::string("f32[2,3]{1,0}"));
  }

  void theListChoosesAndAnotherDocumentEndsIt() {
    hand().window().lessons().begin(0);
    hand().settle();
    QListWidget* list = panel().list();
    QTest::mouseClick(list->viewport(), Qt::LeftButton, {}, list->visualItemRect(list->item(7)).center());
    hand().settle();
    QCOMPARE(panel().lesson(), 7);
    QVERIFY(hand().module().findInstruction("loop").has_value());
    QTest::keyClick(&hand().window(), Qt::Key_N, Qt::ControlModifier);
    hand().settle();
    QVERIFY(!panel().isVisible());
    QVERIFY(!hand().window().lessons().isOn());
  }
};

TESSERA_QT_TEST(learning_test, LearningTest)
}  // namespace tessera::learning_test
#include "learning_test.moc"
