// ArrangeController by hand: nodes moved, put into wires and pulled out, wires cut and led, frames, notes, mute; every
// gesture undone and redone, places saved beside the graph.
#include <QTemporaryDir>
#include <QTest>

#include "editor/controllers/arrange_controller.h"
#include "tests/editor/hand.h"
#include "tests/editor/qt_tests.h"

namespace tessera::moving_test {

class MovingTest : public QObject {
  Q_OBJECT

 private:
  std::unique_ptr<Hand> hand_;
  InstructionId x_, exp_, neg_;

  QPointF place(InstructionId id) { return hand_->canvas().boxOf(id).topLeft(); }
  void dragWith(QPoint from, QPoint to, Qt::KeyboardModifiers modifiers, Qt::MouseButton button = Qt::LeftButton) {
    QTest::mousePress(&hand_->canvas(), button, modifiers, from);
    for (int i = 1; i <= 4; ++i) {
      QMouseEvent move(QEvent::MouseMove, from + (to - from) * i / 4,
                       hand_->canvas().mapToGlobal(from + (to - from) * i / 4), Qt::NoButton, button, modifiers);
      QApplication::sendEvent(&hand_->canvas(), &move);
    }
    QTest::mouseRelease(&hand_->canvas(), button, modifiers, to);
    hand_->settle();
  }
  QPoint bodyOf(InstructionId id) { return hand_->bodyOf(id) - QPoint(20, 4); }
  QPoint middleOf(InstructionId from, InstructionId to) { return (hand_->outputOf(from) + hand_->inputOf(to, 0)) / 2; }
  void typeTitle(const char* words) {
    QLineEdit* field = hand_->window().pane().arrangement().field().field();
    QVERIFY(field->isVisible());
    field->selectAll();
    QTest::keyClicks(field, words);
    QTest::keyClick(field, Qt::Key_Return);
    hand_->settle();
  }

 private slots:
  void init() {
    hand_ = std::make_unique<Hand>();
    x_ = hand_->add("f32[4]");
    exp_ = hand_->add("exp");
    neg_ = hand_->add("negate");
  }
  void cleanup() { hand_.reset(); }

  void aNodeStaysWhereItWasPut() {
    const QPointF before = place(exp_), others = place(neg_);
    dragWith(bodyOf(exp_), bodyOf(exp_) + QPoint(160, 10), {});
    const QPointF moved = place(exp_) - before;
    QVERIFY2(std::abs(moved.x() * hand_->canvas().viewport().zoom() - 160) < 3, qPrintable(QString::number(moved.x())));
    hand_->add("sine");  // the graph grows and nothing jumps
    QCOMPARE(place(exp_), before + moved);
    QCOMPARE(place(neg_), others);
    hand_->undo();
    hand_->undo();
    QCOMPARE(place(exp_), before);
    hand_->redo();
    QCOMPARE(place(exp_), before + moved);
    hand_->canvas().setSelection({});
    hand_->document().select({});
    hand_->key(Qt::Key_L, Qt::ControlModifier);
    QCOMPARE(place(exp_), before);
  }

  // Copies of copies of what stands far apart stay beside their originals.
  void copiesDoNotRunAway() {
    hand_->document().arrange("Far", [](ProjectPage& page) { page.instructions["negate"] = {60000, 20000}; });
    hand_->settle();
    const double across = place(neg_).x() - place(x_).x();
    for (int i = 0; i < 3; ++i) {
      hand_->key(Qt::Key_A, Qt::ControlModifier);
      hand_->key(Qt::Key_D, Qt::ControlModifier);
    }
    const RectF& bounds = hand_->document().view().scene().arrangement->bounds;
    QVERIFY2(bounds.width < across + 5000, qPrintable(QString::number(bounds.width)));
    QCOMPARE(hand_->module().instructionCount(), size_t{24});
  }

  void placesAreSavedBesideTheGraph() {
    QTemporaryDir folder;
    dragWith(bodyOf(exp_), bodyOf(exp_) + QPoint(200, 0), {});
    const QPointF there = place(exp_);
    QVERIFY(hand_->document().file().isModified());
    QVERIFY(hand_->document().file().save(folder.filePath("a.hlo")));
    QVERIFY(QFile::exists(folder.filePath("a.hlo.tessera")));
    QVERIFY(!hand_->document().file().isModified());
    hand_->window().openFile(folder.filePath("a.hlo"));
    hand_->settle();
    const QPointF reopened = place(hand_->named("exponential"));
    QVERIFY(std::abs(reopened.x() - there.x()) < 0.2 && std::abs(reopened.y() - there.y()) < 0.2);
  }

  void severalAreMovedAligned() {
    hand_->click(exp_);
    hand_->click(neg_, Qt::ShiftModifier);
    const QPointF a = place(exp_), b = place(neg_);
    dragWith(bodyOf(neg_), bodyOf(neg_) + QPoint(90, 0), {});
    QVERIFY(place(exp_).x() > a.x() + 50 && place(neg_).x() > b.x() + 50);
    dragWith(bodyOf(x_), bodyOf(x_) + QPoint(-70, 0), {});
    hand_->click(exp_);
    hand_->click(x_, Qt::ShiftModifier);
    hand_->window().pane().arrangement().align(Alignment::Left);
    hand_->settle();
    QCOMPARE(place(exp_).x(), place(x_).x());
    hand_->undo();
    QVERIFY(place(exp_).x() != place(x_).x());
  }

  void aNodeDroppedOnAWireGoesIntoIt() {
    hand_->canvas().setSelection({});
    hand_->document().select({});
    hand_->settle();
    const InstructionId lone = hand_->add("tanh");
    const std::string text = hand_->text();
    dragWith(bodyOf(lone), middleOf(exp_, neg_) - QPoint(20, 4), {});
    QVERIFY(hand_->at(lone).operands[0] == exp_);
    QVERIFY(hand_->at(neg_).operands[0] == lone);
    hand_->undo();
    QCOMPARE(hand_->text(), text);
    hand_->redo();
    // Where no port of its neighbours is under it.
    dragWith(hand_->bodyOf(lone), hand_->bodyOf(lone) + QPoint(0, 160), Qt::ControlModifier | Qt::ShiftModifier);
    QVERIFY(hand_->at(neg_).operands[0] == exp_);
    QVERIFY(!hand_->at(lone).operands[0].valid());
    hand_->undo();
    QVERIFY(hand_->at(neg_).operands[0] == lone);
  }

  void shakingPullsOut() {
    const QPoint at = bodyOf(exp_);
    QTest::mousePress(&hand_->canvas(), Qt::LeftButton, {}, at);
    for (int i = 0; i < 8; ++i) QTest::mouseMove(&hand_->canvas(), at + QPoint(i % 2 ? -30 : 30, i));
    QTest::mouseRelease(&hand_->canvas(), Qt::LeftButton, {}, at + QPoint(30, 8));
    hand_->settle();
    QVERIFY(hand_->at(neg_).operands[0] == x_);
    hand_->undo();
    QVERIFY(hand_->at(neg_).operands[0] == exp_);
  }

  void aStrokeCutsWires() {
    const QPoint at = middleOf(exp_, neg_);
    dragWith(at - QPoint(0, 60), at + QPoint(2, 60), Qt::ControlModifier, Qt::RightButton);
    QVERIFY(!hand_->at(neg_).operands[0].valid());
    hand_->undo();
    QVERIFY(hand_->at(neg_).operands[0] == exp_);
  }

  void aWireIsLedThroughPoints() {
    QTest::mouseDClick(&hand_->canvas(), Qt::LeftButton, {}, middleOf(exp_, neg_));
    hand_->settle();
    const ProjectPage* page = hand_->document().page();
    QVERIFY(page && page->reroutes.size() == 1);
    const PagePoint point = page->reroutes.begin()->second.at(0);
    const QPoint handle = hand_->canvas().viewport().toWidget({point.x, point.y}).toPoint();
    dragWith(handle, handle + QPoint(80, 0), {});
    QVERIFY(hand_->document().page()->reroutes.begin()->second.at(0).x > point.x + 30);
    QTest::mouseDClick(&hand_->canvas(), Qt::LeftButton, {}, handle + QPoint(80, 0));
    hand_->settle();
    QVERIFY(hand_->document().page()->reroutes.empty());
    hand_->undo();
    QCOMPARE(hand_->document().page()->reroutes.size(), size_t{1});
  }

  void inputsAreSwapped() {
    hand_->click(exp_);
    hand_->click(x_, Qt::ShiftModifier);
    const InstructionId sub = hand_->add("subtract");
    const InstructionId first = hand_->at(sub).operands[0], second = hand_->at(sub).operands[1];
    hand_->key(Qt::Key_X);
    QVERIFY(hand_->at(sub).operands[0] == second && hand_->at(sub).operands[1] == first);
    hand_->undo();
    QVERIFY(hand_->at(sub).operands[0] == first);
  }

  void mutedNodesArePassedBy() {
    hand_->document().live().setOn(true);
    hand_->settle();
    const QString plain = hand_->document().live().values().at(neg_).text;
    hand_->click(exp_);
    hand_->key(Qt::Key_M);
    hand_->settle();
    QVERIFY(hand_->document().live().values().at(neg_).text != plain);
    QCOMPARE(hand_->document().muted().size(), size_t{1});
    QVERIFY(hand_->text().find("exponential(") != std::string::npos);
    hand_->key(Qt::Key_M);
    QVERIFY(hand_->document().muted().empty());
    hand_->settle();
    QCOMPARE(hand_->document().live().values().at(neg_).text, plain);
    hand_->click(x_);
    hand_->key(Qt::Key_M);  // a parameter passes nothing on
    QVERIFY(hand_->document().muted().empty());
  }

  void framesAndNotes() {
    hand_->click(exp_);
    hand_->click(neg_, Qt::ShiftModifier);
    hand_->key(Qt::Key_G, Qt::ControlModifier);
    typeTitle("activation");
    const ProjectPage* page = hand_->document().page();
    QCOMPARE(page->frames.size(), size_t{1});
    QCOMPARE(page->frames[0].text, std::string("activation"));
    const QPointF before = place(exp_);
    const QPoint title =
        hand_->canvas().viewport().toWidget({page->frames[0].x + 60, page->frames[0].y + 10}).toPoint();
    dragWith(title, title + QPoint(120, 0), {});
    QVERIFY(place(exp_).x() > before.x() + 60);
    hand_->key(Qt::Key_C, Qt::ShiftModifier);
    QCOMPARE(hand_->document().page()->frames[0].color, 1);
    hand_->key(Qt::Key_T);
    typeTitle("why this is here");
    QCOMPARE(hand_->document().page()->notes.at(0).text, std::string("why this is here"));
    hand_->key(Qt::Key_Delete);
    QVERIFY(hand_->document().page()->notes.empty());
    QVERIFY(hand_->module().contains(exp_));
    hand_->undo();
    QCOMPARE(hand_->document().page()->notes.size(), size_t{1});
    hand_->undoAll();
    hand_->redoAll();
    QCOMPARE(hand_->document().page()->frames.at(0).text, std::string("activation"));
  }

  void alongTheWires() {
    hand_->click(neg_);
    hand_->key(Qt::Key_L);
    QCOMPARE(hand_->document().selection().size(), size_t{3});
    hand_->click(exp_);
    hand_->key(Qt::Key_L, Qt::ShiftModifier);
    QCOMPARE(hand_->document().selection().size(), size_t{2});
  }
};

TESSERA_QT_TEST(moving_test, MovingTest)
}  // namespace tessera::moving_test
#include "moving_test.moc"
