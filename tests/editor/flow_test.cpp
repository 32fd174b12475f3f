// Which way wires run, by hand: a new document flows to the right, the flow is turned and turned back, goes with the
// project, and arrow keys, drops and typed values follow it. Values shown large; pills that open.
#include <QTemporaryDir>
#include <QTest>

#include "core/formats/project.h"
#include "editor/controllers/arrange_controller.h"
#include "editor/look/qt_colors.h"
#include "editor/panels/banner.h"
#include "editor/panels/popups/value_field.h"
#include "tests/editor/hand.h"
#include "tests/editor/qt_tests.h"

namespace tessera::flow_test {

class FlowTest : public QObject {
  Q_OBJECT

 private:
  std::unique_ptr<Hand> hand_;
  Hand& hand() { return *hand_; }
  QRectF box(InstructionId id) { return hand().canvas().boxOf(id); }
  Flow flow() { return hand().canvas().view()->flow; }

 private slots:
  void init() { hand_ = std::make_unique<Hand>(); }
  void cleanup() { hand_.reset(); }

  void aNewGraphGrowsToTheRight() {
    const InstructionId x = hand().add("f32[4]"), power = hand().add("exp");
    QCOMPARE(flow(), Flow::Right);
    QVERIFY(box(power).left() > box(x).right());
    const InstructionId dropped = hand().drawTo(power, "negate");
    QVERIFY(box(dropped).left() > box(power).right());
    QCOMPARE(hand().outputOf(power).y(), hand().inputOf(dropped, 0).y());  // along one line
  }

  void theFlowIsTurnedAndTurnedBack() {
    const InstructionId x = hand().add("f32[4]"), power = hand().add("exp");
    const QPointF stood = box(power).topLeft();
    hand().key(Qt::Key_L, Qt::ControlModifier | Qt::AltModifier);
    QCOMPARE(flow(), Flow::Down);
    QVERIFY(box(power).top() > box(x).bottom());
    hand().add("sine");
    QCOMPARE(flow(), Flow::Down);  // it is the document's
    hand().undo();
    hand().undo();
    QCOMPARE(flow(), Flow::Right);
    QCOMPARE(box(power).topLeft(), stood);  // positions come back
    hand().redo();
    QCOMPARE(flow(), Flow::Down);
  }

  void theFlowIsSavedWithThePlaces() {
    QTemporaryDir folder;
    const InstructionId x = hand().add("f32[4]");
    hand().add("exp");
    hand().document().setFlow(PageFlow::Down);
    hand().settle();
    hand().add("negate");
    const QPointF stood = box(x).topLeft();
    for (const char* name : {"a.hlo", "b.tessera"}) {
      QVERIFY(hand().document().file().save(folder.filePath(name)));
      hand().window().openFile(folder.filePath(name));
      hand().settle();
      QCOMPARE(flow(), Flow::Down);
      const QPointF there = box(hand().named("parameter")).topLeft();
      QVERIFY(std::abs(there.x() - stood.x()) < 0.2 && std::abs(there.y() - stood.y()) < 0.2);
    }
  }

  void arrowsWalkAlongTheFlow() {
    const InstructionId x = hand().add("f32[4]"), power = hand().add("exp");
    hand().click(x);
    hand().key(Qt::Key_Right);
    QVERIFY(hand().selected() == power);
    hand().key(Qt::Key_Left);
    QVERIFY(hand().selected() == x);
    hand().document().setFlow(PageFlow::Down);
    hand().settle();
    hand().click(x);
    hand().key(Qt::Key_Down);
    QVERIFY(hand().selected() == power);
  }

  // Open inputs have fields in their rows.
  void aValueIsTypedInTheRowOfAnInput() {
    hand().add("f32[4]");
    const InstructionId sum = hand().add("add");
    const QPoint field = hand().fieldOf(sum, 1);
    QVERIFY(box(sum).contains(hand().canvas().viewport().toScene(field)));
    QTest::mouseClick(&hand().canvas(), Qt::LeftButton, {}, field);
    hand().settle();
    ValueField& typed = hand().window().pane().graphEdit().field();
    QVERIFY(typed.isVisible());
    QTest::keyClicks(typed.field(), "2.5");
    QTest::keyClick(typed.field(), Qt::Key_Return);
    hand().settle();
    QVERIFY(hand().at(sum).operands[1].valid());
  }

  void softmaxIsReadableAtFit() {
    for (const char* line : {"f32[2,3]", "reduce max", "subtract lhs=parameter", "exp", "reduce sum"})
      hand().addMore(line);
    hand().addLast("divide lhs=exponential");
    hand().window().resize(1366, 768);
    hand().settle();
    hand().canvas().viewport().fitAll();
    QVERIFY2(hand().canvas().viewport().zoom() >= 0.75, qPrintable(QString::number(hand().canvas().viewport().zoom())));
  }

  void aValueIsShownLarge() {
    hand().add("f32[8,8]");
    const InstructionId y = hand().add("tanh");
    const double before = box(y).height();
    hand().key(Qt::Key_E);
    QVERIFY(box(y).height() > before + 80);
    hand().key(Qt::Key_E);
    QCOMPARE(box(y).height(), before);
    hand().undo();
    QVERIFY(box(y).height() > before + 80);
  }

  // What a key needs first is no error: it is said calmly and leaves with the next gesture.
  void aHintIsCalmAndLeaves() {
    const InstructionId x = hand_->add("f32[4]");
    const Banner& banner = hand_->window().pane().banner();
    const auto background = [&] { return hand_->window().pane().banner().grab().toImage().pixelColor(2, 2); };
    for (const bool added : {false, true}) {
      hand_->document().select({});
      hand_->key(Qt::Key_E);
      QVERIFY2(banner.message().startsWith(QLatin1String("Select")), qPrintable(banner.message()));
      QCOMPARE(background(), colorOf(Ink::Notice, Theme::Light));
      if (added)
        hand_->add("exp");
      else
        hand_->click(x);
      QVERIFY2(banner.message().isEmpty(), qPrintable(banner.message()));
    }
    hand_->add("subtract lhs=nobody");
    QVERIFY2(banner.message().contains(QLatin1String("nobody")), qPrintable(banner.message()));
    QCOMPARE(background(), colorOf(Ink::ErrorBanner, Theme::Light));
    hand_->add("sine");
    QVERIFY2(banner.message().isEmpty(), qPrintable(banner.message()));
  }

  void aPillOfSeveralOpensAndCutsAtItsBeginning() {
    hand().openText(R"(HloModule chained
ENTRY main {
  x = f32[2,3] parameter(0)
  y = f32[2,3] tanh(x)
  flat = f32[6] reshape(y)
  wide = f32[4,6] broadcast(flat), dimensions={1}
  ROOT out = f32[4,6] negate(wide)
})",
                    false);
    const auto boxes = [&] { return hand().canvas().view()->nodes.size(); };
    QCOMPARE(boxes(), size_t{4});
    const auto& view = *hand().canvas().view();
    const int32_t pill = view.boxOf(hand().named("wide"));
    for (size_t e = 0; e < view.edges.size(); ++e)
      if (view.edges[e].to == pill) emit hand().canvas().wiresCut({static_cast<int>(e)});
    hand().settle();
    QVERIFY(!hand().at(hand().named("flat")).operands[0].valid());  // the first of its members
    hand().undo();
    QTest::mouseDClick(&hand().canvas(), Qt::LeftButton, {}, hand().bodyOf(hand().named("wide")));
    hand().settle();
    QCOMPARE(boxes(), size_t{5});
    hand().click(hand().named("flat"));
    QVERIFY(hand().selected() == hand().named("flat"));
  }
};

TESSERA_QT_TEST(flow_test, FlowTest)
}  // namespace tessera::flow_test
#include "flow_test.moc"
