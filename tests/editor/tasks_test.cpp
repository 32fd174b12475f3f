// Whole computations built from an empty canvas with real keys and mouse: values checked, undone and redone to the same
// text, and the gestures counted against a budget.
#include <QTest>
#include <cmath>

#include "core/evaluate/argument_source.h"
#include "core/evaluate/compare.h"
#include "core/evaluate/evaluate.h"
#include "core/evaluate/usual_sources.h"
#include "tests/editor/hand.h"
#include "tests/editor/qt_tests.h"

namespace tessera::tasks_test {

class TasksTest : public QObject {
  Q_OBJECT

 private:
  std::unique_ptr<Hand> hand_;

  // Runs by key; the outputs against the reference evaluator.
  std::vector<Literal> runAndCheck() {
    hand_->key(Qt::Key_Return, Qt::ControlModifier);
    if (!hand_->document().run().outcome()) return {};
    std::vector<Literal> arguments;
    const auto shapes = entryArgumentShapes(hand_->module());
    const std::vector<std::string> sources = usualSources(hand_->module());
    for (size_t i = 0; i < shapes.size(); ++i)
      arguments.push_back(argumentFrom(sources[i], shapes[i], {{}, i, readNamedFile, decodeNetpbm}).value());
    const auto expected = evaluateModule(hand_->module(), arguments);
    const auto& found = hand_->document().run().outcome()->outputs;
    if (!expected || found.size() != expected->size()) return {};
    for (size_t i = 0; i < found.size(); ++i)
      if (!compareLiterals((*expected)[i], found[i], defaultTolerance(found[i].shape().type), "out").equal) return {};
    return found;
  }
  // Step by step down to nothing and up again: every step gives back the text that stood there.
  void checkUndoAndRedo() {
    std::vector<std::string> texts{hand_->text()};
    while (hand_->document().canUndo()) {
      hand_->undo();
      texts.push_back(hand_->text());
    }
    QCOMPARE(hand_->module().instructionCount(), size_t{0});
    for (size_t step = texts.size() - 1; step-- > 0;) {
      QVERIFY(hand_->document().canRedo());
      hand_->redo();
      QCOMPARE(hand_->text(), texts[step]);
    }
    QVERIFY(!hand_->document().canRedo());
  }
  void checkBudget(const char* task, int budget) {
    std::printf("gestures: %s %d of %d\n", task, hand_->gestures, budget);
    QVERIFY2(hand_->gestures <= budget, task);
  }
  void checkNoErrors() {
    QVERIFY2(hand_->document().diagnostics().empty(),
             hand_->document().diagnostics().empty() ? "" : hand_->document().diagnostics()[0].toString().c_str());
  }

 private slots:
  void init() { hand_ = std::make_unique<Hand>(); }
  void cleanup() { hand_.reset(); }

  void softmax() {
    const InstructionId x = hand_->addMore("f32[2,3]");
    hand_->addMore("reduce max");
    hand_->addMore("subtract lhs=parameter");  // the selected maximum is its other input
    QVERIFY(hand_->at(hand_->selected()).operands[0] == x);
    hand_->addMore("exp");
    hand_->addMore("reduce sum");
    const InstructionId y = hand_->addLast("divide lhs=exponential");
    checkNoErrors();
    QVERIFY(hand_->module().entryComputation().root == y);
    QCOMPARE(hand_->shape(y), std::string("f32[2,3]"));
    const auto values = runAndCheck();
    QCOMPARE(values.size(), size_t{1});
    for (size_t row = 0; row < 2; ++row) {
      double sum = 0;
      for (size_t c = 0; c < 3; ++c) sum += values[0].data<float>()[row * 3 + c];
      QVERIFY(std::abs(sum - 1) < 1e-5);
    }
    checkBudget("softmax", 14);
    checkUndoAndRedo();
  }

  void twoLayerPerceptron() {
    for (const char* line : {"f32[4,8]", "matmul f32[8,16]", "add f32[16]", "relu", "matmul f32[16,3]"})
      hand_->addMore(line);
    hand_->addLast("add f32[3]");
    checkNoErrors();
    QCOMPARE(hand_->shape(hand_->module().entryComputation().root), std::string("f32[4,3]"));
    QCOMPARE(runAndCheck().size(), size_t{1});
    checkBudget("two-layer perceptron", 14);
    checkUndoAndRedo();
  }

  // The perceptron's loss, its parameters and one entry: a step of descent in ten gestures more.
  void trainingStepOfAPerceptron() {
    hand_->add("f32[4,8]");
    for (const char* line : {"matmul f32[8,16]", "add f32[16]", "relu", "matmul f32[16,3]", "add f32[3]"})
      hand_->add(line);
    const std::vector<InstructionId> parameters = hand_->module().entryComputation().parameters;
    hand_->gestures = 0;
    hand_->add("mse");
    for (size_t k = 1; k < parameters.size(); ++k) hand_->click(parameters[k], Qt::ShiftModifier);
    hand_->add("training step");
    checkBudget("training step of a perceptron, beside it", 10);
    checkNoErrors();
    QCOMPARE(hand_->shape(hand_->module().entryComputation().root),
             std::string("(f32[8,16], f32[16], f32[16,3], f32[3], f32[])"));
    QVERIFY(hand_->module().findInstruction("d_W1"));
    QCOMPARE(runAndCheck().size(), size_t{5});
    checkUndoAndRedo();
  }

  // The gradient alone, from the menu's key, is one step that can be undone.
  void gradientOfTheSelection() {
    hand_->add("f32[4]");
    hand_->add("sine");
    hand_->key(Qt::Key_G, Qt::ControlModifier | Qt::AltModifier);
    checkNoErrors();
    QVERIFY(hand_->module().findInstruction("d_parameter"));
    checkUndoAndRedo();
  }

  void convolutionWithSamePadding() {
    hand_->addMore("f32[1,8,8,3]");
    hand_->addLast("conv f32[3,3,3,4]");
    checkNoErrors();
    QCOMPARE(hand_->shape(hand_->module().entryComputation().root), std::string("f32[1,8,8,4]"));
    checkBudget("convolution", 5);
    QCOMPARE(runAndCheck().size(), size_t{1});
    checkUndoAndRedo();
  }

  void embeddingAndAttention() {
    const InstructionId words = hand_->addMore("s32[2,6]");
    hand_->addMore("embedding lookup f32[10,8]");
    const InstructionId y = hand_->addLast("attention");
    checkNoErrors();
    QVERIFY(words.valid());
    QCOMPARE(hand_->shape(y), std::string("f32[2,6,8]"));
    QCOMPARE(runAndCheck().size(), size_t{1});
    checkBudget("embedding and attention", 12);
    checkUndoAndRedo();
  }

  // Doubles what it carries ten times; the body is edited where it is opened.
  void countingLoop() {
    hand_->add("f32[4]");
    hand_->add("counting loop");
    const InstructionId loop = hand_->named("loop");
    hand_->doubleClick(hand_->bodyOf(loop));
    hand_->doubleClick(hand_->groupTitle("loop/body"));
    const InstructionId carried = hand_->named("carried.1"), next = hand_->named("state.next");
    hand_->click(carried);
    const InstructionId doubled = hand_->add("multiply 2");
    QVERIFY(hand_->at(doubled).computation == hand_->at(carried).computation);
    hand_->key(Qt::Key_Home);
    hand_->wire(doubled, next, 1);
    QVERIFY(hand_->at(next).operands[1] == doubled);
    checkNoErrors();
    const auto values = runAndCheck();
    QCOMPARE(values.size(), size_t{1});
    const auto input = argumentFrom("normal 0 1", Shape::arrayRowMajor(ElementType::F32, {4}), {});
    for (size_t i = 0; i < 4; ++i)
      QVERIFY(std::abs(values[0].data<float>()[i] - 1024 * input->data<float>()[i]) < 1e-3);
    checkBudget("counting loop", 20);
    checkUndoAndRedo();
  }

  void gameOfLife() {
    const InstructionId alive = hand_->add("pred[8,8]");
    hand_->add("convert s32[8,8]");
    const InstructionId around = hand_->add("reduce-window sum");
    hand_->add("compare 3 direction=EQ");
    const InstructionId born = hand_->selected();
    hand_->drawTo(around, "compare 4 direction=EQ");
    const InstructionId kept = hand_->drawTo(alive, "and");
    QVERIFY(hand_->at(kept).operands[0] == alive);
    hand_->drawTo(born, "or");
    checkNoErrors();
    QCOMPARE(hand_->shape(hand_->selected()), std::string("pred[8,8]"));
    hand_->key(Qt::Key_R);
    const auto values = runAndCheck();
    QCOMPARE(values.size(), size_t{1});
    const auto before = fillParameter(Shape::arrayRowMajor(ElementType::Pred, {8, 8}), 0, {});
    const auto cell = [&](int r, int c) {
      return r >= 0 && r < 8 && c >= 0 && c < 8 && before->data<uint8_t>()[static_cast<size_t>(r * 8 + c)] != 0;
    };
    for (int r = 0; r < 8; ++r)
      for (int c = 0; c < 8; ++c) {
        int sum = 0;
        for (int dr = -1; dr <= 1; ++dr)
          for (int dc = -1; dc <= 1; ++dc) sum += cell(r + dr, c + dc);
        QCOMPARE(values[0].data<uint8_t>()[static_cast<size_t>(r * 8 + c)] != 0, sum == 3 || (sum == 4 && cell(r, c)));
      }
    checkBudget("game of life", 25);
    checkUndoAndRedo();
  }
};

TESSERA_QT_TEST(tasks_test, TasksTest)
}  // namespace tessera::tasks_test
#include "tasks_test.moc"
