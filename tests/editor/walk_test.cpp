// A random walk of a careless person: keys, clicks, drags and typed lines anywhere on the canvas. Nothing crashes, the text
// that stands reads again, and undoing everything gives back the empty document. TESSERA_WALK=N walks further.
#include <QGuiApplication>
#include <QClipboard>
#include <QTest>
#include <random>

#include "app/studio/arranging.h"
#include "editor/panels/size_panel.h"

#include "tests/editor/hand.h"

using namespace tessera;

class WalkTest : public QObject {
  Q_OBJECT

 private:
  std::mt19937 random_{7};

  int below(int n) { return static_cast<int>(random_() % static_cast<unsigned>(n)); }
  QPoint somewhere(Hand& hand) {
    const Module& module = hand.module();
    if (below(4) > 0 && module.instructionCount() > 0) {  // at a socket or on a body
      const auto& all = module.at(hand.document().computation()).instructions;
      if (!all.empty()) {
        const InstructionId id = all[static_cast<size_t>(below(static_cast<int>(all.size())))];
        const int32_t node = hand.canvas().view()->boxOf(id);
        if (node >= 0 && below(3) == 0) return hand.canvas().outputAt(node).toPoint();
        const size_t inputs = module.at(id).operands.size();
        if (node >= 0 && inputs > 0 && below(2) == 0) return hand.canvas().inputAt(node, below(static_cast<int>(inputs)), inputs).toPoint();
        return hand.bodyOf(id);
      }
    }
    return {below(hand.canvas().width()), below(hand.canvas().height())};
  }
  void typeInto(QWidget* widget, const char* line) {
    QTest::keyClicks(widget, QString::fromLatin1(line));
    QTest::keyClick(widget, below(5) ? Qt::Key_Return : Qt::Key_Escape);
  }
  // What has opened over the canvas is answered or left.
  void answer(Hand& hand) {
    const char* const lines[] = {"f32[2,3]", "add", "exp", "reduce max", "multiply 2", "counting loop", "matmul f32[3,4]", "transpose", "tuple", "s32[3]", "iota s32[4]", "convert s32[2,3]", "select", "dot", "junk?", "concatenate", "while", "pad", "gather"};
    const char* const values[] = {"1.5", "-inf", "{1,2,3}", "iota", "x", "7", "true"};
    if (hand.window().addSearch().isVisible()) typeInto(hand.window().addSearch().field(), lines[below(std::size(lines))]);
    for (ValueField* field : {&hand.window().authoring().field(), &hand.window().arranging().field()}) {
      if (!field->isVisible()) continue;
      typeInto(field->field(), values[below(std::size(values))]);
      if (field->isVisible()) QTest::keyClick(field->field(), Qt::Key_Escape);
    }
    SizePanel& sizes = hand.window().arranging().sizes();
    if (sizes.isVisible()) {
      sizes.sizeField()->selectAll();
      const char* const lengths[] = {"2", "5", "0", "x", "-1"};
      typeInto(sizes.sizeField(), lengths[below(std::size(lengths))]);
      if (sizes.isVisible()) QTest::keyClick(&sizes, Qt::Key_Escape);
    }
    ChoiceList& choices = hand.window().authoring().choices();
    if (choices.isVisible()) QTest::keyClick(choices.list(), below(2) ? Qt::Key_Return : Qt::Key_Escape);
  }
  void pull(Hand& hand, Qt::MouseButton button, Qt::KeyboardModifiers modifiers) {
    const QPoint from = somewhere(hand), to = somewhere(hand);
    QTest::mousePress(&hand.canvas(), button, modifiers, from);
    for (const QPoint& at : {(from + to) / 2, to}) {
      QMouseEvent move(QEvent::MouseMove, at, hand.canvas().mapToGlobal(at), Qt::NoButton, button, modifiers);
      QApplication::sendEvent(&hand.canvas(), &move);
    }
    QTest::mouseRelease(&hand.canvas(), button, modifiers, to);
  }
  void step(Hand& hand) {
    hand.canvas().setFocus();
    switch (below(16)) {
      case 0: case 1: case 2: QTest::keyClick(&hand.canvas(), Qt::Key_Tab); break;
      case 3: QTest::mouseClick(&hand.canvas(), Qt::LeftButton, below(3) ? Qt::NoModifier : Qt::ShiftModifier, somewhere(hand)); break;
      case 4: QTest::mouseDClick(&hand.canvas(), Qt::LeftButton, {}, somewhere(hand)); break;
      case 5: case 6: case 7: hand.drag(somewhere(hand), somewhere(hand)); break;
      case 8: QTest::keyClick(&hand.canvas(), below(2) ? Qt::Key_Delete : Qt::Key_R, below(2) ? Qt::NoModifier : Qt::ShiftModifier); break;
      case 9: {
        const Qt::Key keys[] = {Qt::Key_C, Qt::Key_V, Qt::Key_X, Qt::Key_D};
        QTest::keyClick(&hand.canvas(), keys[below(4)], Qt::ControlModifier);
        break;
      }
      case 10: QTest::keyClick(&hand.canvas(), Qt::Key_Z, below(2) ? Qt::ControlModifier : Qt::ControlModifier | Qt::ShiftModifier); break;
      case 11: {  // arranging
        const Qt::Key keys[] = {Qt::Key_M, Qt::Key_X, Qt::Key_P, Qt::Key_N, Qt::Key_L, Qt::Key_S};
        QTest::keyClick(&hand.canvas(), keys[below(6)]);
        break;
      }
      case 12: QTest::keyClick(&hand.canvas(), below(2) ? Qt::Key_G : Qt::Key_L, Qt::ControlModifier); break;
      case 13: pull(hand, Qt::RightButton, Qt::ControlModifier); break;
      case 14: pull(hand, Qt::LeftButton, below(2) ? Qt::ControlModifier | Qt::ShiftModifier : Qt::NoModifier); break;
      default: QTest::keyClick(&hand.canvas(), below(2) ? Qt::Key_Escape : Qt::Key_Up, below(3) ? Qt::NoModifier : Qt::AltModifier); break;
    }
    answer(hand);
    hand.settle();
    answer(hand);
    hand.settle();
  }

 private slots:
  void nothingIsLost() {
    Hand hand;
    const std::string empty = hand.text();
    const int steps = qEnvironmentVariableIntValue("TESSERA_WALK") > 0 ? qEnvironmentVariableIntValue("TESSERA_WALK") : 150;
    for (int i = 0; i < steps; ++i) {
      step(hand);
      if (hand.module().entryComputation().instructions.empty()) continue;  // an empty graph has no text that reads
      const ReadResult read = readHloText(hand.text());
      QVERIFY2(read.module, qPrintable(QStringLiteral("step %1: %2\n%3").arg(i).arg(read.diagnostics.empty() ? QString() : QString::fromStdString(read.diagnostics.items()[0].toString()), QString::fromStdString(hand.text()))));
    }
    QVERIFY(hand.module().instructionCount() > 0 || hand.document().canUndo());
    hand.undoAll();
    QCOMPARE(hand.text(), empty);
    QVERIFY(!hand.document().project().arranged());
  }
};

QTEST_MAIN(WalkTest)
#include "walk_test.moc"
