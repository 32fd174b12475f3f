// What a new user sees move or glow without having asked for it: after an edit boxes keep their place on the screen,
// the view stays where it is while the graph grows, an empty or half-wired graph is no error, and what is in the hand
// may be undone meanwhile.
#include <QDockWidget>
#include <QStandardPaths>
#include <QTest>
#include <QTreeView>
#include <cmath>

#include "app/studio/window/panels.h"
#include "editor/panels/inspect/table_panel.h"
#include "tests/editor/hand.h"
#include "tests/editor/qt_tests.h"

namespace tessera::steady_test {

class SteadyTest : public QObject {
  Q_OBJECT

 private:
  std::unique_ptr<Hand> hand_;

  Hand& hand() { return *hand_; }
  QPointF onScreen(InstructionId id) {
    return hand().canvas().viewport().toWidget(hand().canvas().boxOf(id).topLeft());
  }
  QRectF frameOnScreen(InstructionId id) {
    const QRectF box = hand().canvas().boxOf(id);
    return {hand().canvas().viewport().toWidget(box.topLeft()), hand().canvas().viewport().toWidget(box.bottomRight())};
  }
  static double distance(QPointF a, QPointF b) { return std::hypot(a.x() - b.x(), a.y() - b.y()); }
  QString diagnosticsTitle() { return hand().window().panels().find(QStringLiteral("diagnostics"))->windowTitle(); }

 private slots:
  void init() {
    QStandardPaths::setTestModeEnabled(true);
    hand_ = std::make_unique<Hand>();
  }
  void cleanup() { hand_.reset(); }

  void boxesStayWhileTheGraphGrows() {
    const InstructionId first = hand().add("f32[4]");
    const QPointF at = onScreen(first);
    InstructionId last = first;
    for (const char* line : {"exp", "negate"}) {
      last = hand().drawTo(last, line);
      QVERIFY2(distance(onScreen(first), at) < 12, line);
    }
    hand().undoAll();
    hand().redoAll();
    QVERIFY(hand().canvas().rect().contains(frameOnScreen(first).toRect()));
  }

  // What reads the graph only through other new nodes comes beside those, not to the pointer or over a node.
  void aWholeStepStandsBesideWhatItReads() {
    hand().add("f32[4,8]");
    hand().addLast("linear 2");
    hand().addLast("mse");
    hand().addLast("training step 0.1");
    hand().settle();
    const GraphView& view = *hand().canvas().view();
    std::vector<QRectF> boxes;
    for (const ViewNode& node : view.nodes)
      if (node.kind == ViewNode::Kind::Instruction) boxes.push_back(hand().canvas().boxOf(node.instruction));
    for (size_t a = 0; a < boxes.size(); ++a)
      for (size_t b = 0; b < a; ++b) QVERIFY(!boxes[a].intersects(boxes[b]));
    const Module& module = hand().module();
    const QRectF step = hand().canvas().boxOf(module.at(module.entry()).root);
    for (InstructionId operand : module.at(module.at(module.entry()).root).operands)
      QVERIFY(hand().canvas().boxOf(operand).left() < step.left());
  }

  // Nobody likes a view that moves by itself: the zoom stays, and what comes into sight moves nothing. Only what would
  // come out of sight is gone to.
  void theViewIsTheUsers() {
    Viewport& viewport = hand().canvas().viewport();
    InstructionId last = hand().add("f32[4]");
    std::vector<InstructionId> all{last};
    const double zoom = viewport.zoom();
    int stayed = 0, moved = 0;
    for (int i = 0; i < 16; ++i) {
      const QRectF seen = viewport.free();
      all.push_back(last = hand().add("exp"));
      QCOMPARE(viewport.zoom(), zoom);
      QVERIFY2(viewport.free().contains(hand().canvas().boxOf(last)), qPrintable(QString::number(i)));
      const bool stays = viewport.free() == seen;
      stays ? ++stayed : ++moved;
      if (stays) continue;
      const QRectF box = hand().canvas().boxOf(last), inner = seen.adjusted(8, 8, -8, -8);
      QVERIFY(!inner.contains(box));
      if (box.top() > inner.top() && box.bottom() < inner.bottom()) QCOMPARE(viewport.free().top(), seen.top());
    }
    QVERIFY2(stayed >= 2 && moved >= 2, qPrintable(QStringLiteral("%1 %2").arg(stayed).arg(moved)));
    viewport.fitAll();
    for (InstructionId id : all) QVERIFY(hand().canvas().rect().contains(frameOnScreen(id).toRect()));
  }

  // A layer with its weights, where all of it has room.
  void whatABlockBringsComesIntoSight() {
    hand().add("f32[4,8]");
    Viewport& viewport = hand().canvas().viewport();
    const QRectF box = hand().canvas().boxOf(hand().selected());
    viewport.place(box.bottomLeft(), QPointF(60, hand().canvas().height() - 120));
    hand().add("linear 16");
    for (const ViewNode& node : hand().canvas().view()->nodes)
      if (node.kind == ViewNode::Kind::Instruction || node.kind == ViewNode::Kind::CollapsedGroup)
        QVERIFY2(viewport.free().contains(hand().canvas().boxOf(node.shows())), node.title.c_str());
  }

  // What is all in sight stays so while groups open, and only then.
  void allGroupsOpenInSight() {
    hand().add("f32[4]");
    hand().add("counting loop");
    Viewport& viewport = hand().canvas().viewport();
    QTest::keyClick(&hand().window(), Qt::Key_E, Qt::ControlModifier);
    hand().settle();
    const auto isIn = [&](const char* name) {
      return viewport.free().contains(hand().canvas().boxOf(hand().named(name)));
    };
    QVERIFY(isIn("parameter") && isIn("get-tuple-element") && viewport.zoom() < 1);
    QTest::keyClick(&hand().window(), Qt::Key_E, Qt::ControlModifier | Qt::ShiftModifier);
    hand().settle();
    viewport.zoomBy(1.2, hand().bodyOf(hand().named("parameter")));
    const double zoom = viewport.zoom();
    QTest::keyClick(&hand().window(), Qt::Key_E, Qt::ControlModifier);
    hand().settle();
    QCOMPARE(viewport.zoom(), zoom);
  }

  // Nor do wires, typed sizes, deleting and taking back move it.
  void editsLeaveTheViewAlone() {
    const InstructionId first = hand().add("f32[4]");
    const InstructionId sum = hand().add("add"), last = hand().add("exp");
    Viewport& viewport = hand().canvas().viewport();
    viewport.zoomBy(1.1, hand().bodyOf(first));
    const QRectF seen = viewport.free();
    hand().wire(first, sum, 1);
    QCOMPARE(viewport.free(), seen);
    hand().document().perform({"Shape", {SetParameterShape{first, Shape::array(ElementType::F32, {4, 4})}}}, first);
    hand().settle();
    QCOMPARE(viewport.free(), seen);
    hand().click(last);
    hand().key(Qt::Key_Delete);
    QCOMPARE(viewport.free(), seen);
    hand().undo();
    QCOMPARE(viewport.free(), seen);
  }

  // All boxes together, too: what is seen does not go along with what the hand moves.
  void whatIsDraggedIsSeenToMove() {
    const InstructionId first = hand().add("f32[4]");
    const QPoint by(-120, 60);
    QPointF at = onScreen(first);
    hand().drag(hand().bodyOf(first), hand().bodyOf(first) + by);
    QVERIFY(distance(onScreen(first), at + by) < 2);
    const InstructionId second = hand().drawTo(first, "exp");
    hand().key(Qt::Key_A, Qt::ControlModifier);
    at = onScreen(second);
    hand().drag(hand().bodyOf(first), hand().bodyOf(first) + by);
    QVERIFY(distance(onScreen(second), at + by) < 2);
  }

  // Where the person looks stays, zoomed in on a part.
  void aPartThatIsLookedAtStays() {
    const InstructionId first = hand().add("f32[4]");
    InstructionId last = first;
    for (int i = 0; i < 4; ++i) last = hand().drawTo(last, "exp");
    hand().canvas().viewport().zoomBy(1.5, hand().bodyOf(first));
    const QPointF at = onScreen(first);
    const double zoom = hand().canvas().viewport().zoom();
    hand().click(first);
    hand().key(Qt::Key_D, Qt::ControlModifier);
    QCOMPARE(hand().canvas().viewport().zoom(), zoom);
    hand().key(Qt::Key_Z, Qt::ControlModifier);
    QVERIFY(distance(onScreen(first), at) < 12);
  }

  // The picture is older than the graph for a moment after an undo.
  void whatIsInTheHandMayBeUndone() {
    hand().add("f32[4]");
    hand().add("multiply");
    const std::string before = hand().text();
    const InstructionId made = hand().add("exp");
    const QPoint output = hand().outputOf(made), input = hand().inputOf(made, 0), away = hand().emptyPlace();
    for (const QPoint& from : {output, input}) {
      QTest::mousePress(&hand().canvas(), Qt::LeftButton, {}, from);
      QTest::mouseMove(&hand().canvas(), (from + away) / 2);
      QTest::mouseMove(&hand().canvas(), away);
      hand().document().undo();
      QVERIFY(!hand().module().contains(made));
      QTest::mouseRelease(&hand().canvas(), Qt::LeftButton, {}, away);
      QVERIFY(!hand().window().addSearch().isVisible());
      hand().settle();
      QCOMPARE(hand().text(), before);
      hand().document().redo();
      hand().settle();
    }
    // While the search for it is open.
    hand().drag(hand().outputOf(made), away);
    QVERIFY(hand().window().addSearch().isVisible());
    hand().document().undo();
    hand().take("negate");
    QVERIFY(hand().module().findInstruction("negate"));
  }

  // A step out of sight: the canvas glides there, and only then.
  void whatIsTakenBackComesIntoSight() {
    const InstructionId first = hand().add("f32[4]");
    InstructionId last = first;
    for (int i = 0; i < 14; ++i) last = hand().drawTo(last, "exp");
    hand().click(last);
    hand().key(Qt::Key_X);  // no inputs to swap: nothing happens
    const InstructionId twice = hand().drawTo(last, "multiply 2");
    QVERIFY(hand().at(twice).opcode == Opcode::Multiply);
    const auto undo = [&] { QTest::keyClick(&hand().window(), Qt::Key_Z, Qt::ControlModifier), hand().settle(); };
    const auto redo = [&] {
      QTest::keyClick(&hand().window(), Qt::Key_Z, Qt::ControlModifier | Qt::ShiftModifier), hand().settle();
    };
    const auto isSeen = [&](InstructionId id) {
      return QRectF(hand().canvas().rect()).contains(frameOnScreen(id).center());
    };
    hand().canvas().viewport().zoomBy(2, QPointF(hand().canvas().width() / 2.0, 0));
    hand().canvas().viewport().centerOn(hand().canvas().boxOf(first).center());
    QVERIFY(!isSeen(last) && isSeen(first));
    undo();
    redo();
    QTRY_VERIFY(!hand().canvas().viewport().isGliding() && isSeen(twice));
    const QPointF there = onScreen(last);
    undo();
    redo();
    QTest::qWait(400);
    QVERIFY(distance(onScreen(last), there) < 12);  // in sight: it stays
  }

  // Across computations: the one in which the step acted is shown.
  void aStepInAReducerLeadsThere() {
    hand().add("f32[2,3]");
    const InstructionId most = hand().add("reduce max");
    const ComputationId entry = hand().document().view().computation();
    hand().doubleClick(hand().bodyOf(most));
    const ComputationId inner = hand().document().view().computation();
    QVERIFY(inner != entry);
    hand().click(hand().module().at(inner).root);
    hand().add("negate");
    hand().key(Qt::Key_Up, Qt::AltModifier);
    QVERIFY(hand().document().view().computation() == entry);
    QTest::keyClick(&hand().window(), Qt::Key_Z, Qt::ControlModifier);
    hand().settle();
    QTRY_VERIFY(hand().document().view().computation() == inner);
    QTest::keyClick(&hand().window(), Qt::Key_Z, Qt::ControlModifier);
    hand().settle();
    QTRY_VERIFY(hand().document().view().computation() == entry);  // the reduction was made there
  }

  void whatIsOpenIsNoError() {
    QCOMPARE(diagnosticsTitle(), QStringLiteral("Diagnostics"));
    hand().add("f32[4]");
    hand().add("multiply");  // its second input is open
    QVERIFY(hand().text().find('?') != std::string::npos);
    QCOMPARE(diagnosticsTitle(), QStringLiteral("Diagnostics"));
    const QAbstractItemModel* rows = hand().window().panels().diagnostics->table()->model();
    QVERIFY(rows->rowCount() > 0);  // and is listed
    QCOMPARE(rows->data(rows->index(0, 0), Qt::DisplayRole).toString(), QStringLiteral("Open"));
  }
};

TESSERA_QT_TEST(steady_test, SteadyTest)
}  // namespace tessera::steady_test
#include "steady_test.moc"
