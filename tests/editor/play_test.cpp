// Programs that are played step by step, and the bar of a called computation.
#include <QAction>
#include <QComboBox>
#include <QElapsedTimer>
#include <QPushButton>
#include <QSlider>
#include <QSpinBox>
#include <QTableView>
#include <QTableWidget>
#include <QTest>
#include <QToolButton>

#include "core/evaluate/argument_source.h"
#include "core/formats/module_file.h"
#include "editor/controllers/run_controller.h"
#include "editor/document/player.h"
#include "editor/values/call_bar.h"
#include "editor/values/play_bar.h"
#include "tests/editor/qt_tests.h"
#include "tests/editor/values_hand.h"

namespace tessera::play_test {

using namespace values;

class PlayTest : public ValuesHand {
  Q_OBJECT

 private slots:
  void cleanup() { hand_.reset(); }

  void theGameOfLifePlays() {
    hand().openText(R"(HloModule life
sum { a = s32[] parameter(0) b = s32[] parameter(1) ROOT both = s32[] add(a, b) }
ENTRY life {
  board = s32[5,5] parameter(0)
  none = s32[] constant(0)
  around = s32[5,5] reduce-window(board, none), window={size=3x3 pad=1_1x1_1}, to_apply=sum
  three = s32[] constant(3)
  threes = s32[5,5] broadcast(three), dimensions={}
  born = pred[5,5] compare(around, threes), direction=EQ
  four = s32[] constant(4)
  fours = s32[5,5] broadcast(four), dimensions={}
  full = pred[5,5] compare(around, fours), direction=EQ
  alive = pred[5,5] convert(board)
  stays = pred[5,5] and(alive, full)
  next = pred[5,5] or(born, stays)
  ROOT after = s32[5,5] convert(next)
})");
    std::vector<int32_t> blinker(25, 0);
    for (size_t cell : {11, 12, 13}) blinker[cell] = 1;
    const Literal board =
        *Literal::fromBytes(Shape::arrayRowMajor(ElementType::S32, {5, 5}), std::as_bytes(std::span(blinker)));
    const std::string file = folder_.filePath("board.npy").toStdString();
    QVERIFY(writeFileAtomically(file, *npyBytes(board)).has_value());
    RunSettings settings;
    settings.sources[0] = "npy " + file;
    hand().document().setRunSettings(settings, "board");
    hand().settle();
    PlayBar& bar = hand().window().pane().runController().playBar();
    QVERIFY(!bar.isVisible());  // nobody asked for it
    hand().window().findChild<QAction*>("feed back")->trigger();
    hand().settle();
    QVERIFY(bar.isVisible());
    QCOMPARE(valueOf("board", 11), 1.0);
    QTest::mouseClick(bar.stepButton(), Qt::LeftButton);
    hand().settle();
    QCOMPARE(bar.words(), QString("step 1"));
    QCOMPARE(valueOf("board", 11), 0.0);  // it stands upright now
    QCOMPARE(valueOf("board", 7), 1.0);
    QTest::mouseClick(bar.stepButton(), Qt::LeftButton);
    hand().settle();
    QVERIFY(hand().document().live().valueOf(hand().named("board"))->identical(board));
    QTest::mouseClick(bar.playButton(), Qt::LeftButton);
    QTRY_VERIFY(hand().window().pane().runController().player().steps() >= 4);
    QTest::mouseClick(bar.playButton(), Qt::LeftButton);
    hand().settle();
    QVERIFY(!hand().window().pane().runController().player().isPlaying());
    QTest::mouseClick(bar.resetButton(), Qt::LeftButton);
    hand().settle();
    QCOMPARE(bar.words(), QString("step 0"));
    QCOMPARE(valueOf("board", 12), 1.0);
  }

  void feedbackIsTheModulesAliasesOrWhatTheUserSets() {
    hand().openText(
        "HloModule t\nENTRY main {\n  a = f32[2] parameter(0)\n  b = f32[2] parameter(1)\n  c = f32[2] add(a, b)\n  "
        "ROOT r = (f32[2], f32[2]) tuple(b, c)\n}");
    Player& player = hand().window().pane().runController().player();
    QVERIFY(player.feedback().empty());  // what could be fed back is no feedback
    QVERIFY(player.canFeedBack());
    player.setFeedsBack(true);
    hand().settle();
    QCOMPARE(player.feedback().at(0), int64_t{0});
    player.feedBack(0, 1);
    hand().settle();
    QCOMPARE(player.feedback().at(0), int64_t{1});
    player.feedBack(0, -1);
    hand().settle();
    QVERIFY(!player.feedback().contains(0));
    const Module aliased = moduleOf(
        "HloModule a, input_output_alias={ {1}: (1, {}, may-alias) }\nENTRY main {\n  a = f32[2] parameter(0)\n  b = "
        "f32[2] parameter(1)\n  ROOT r = (f32[2], f32[2]) tuple(a, b)\n}");
    QCOMPARE(declaredFeedback(aliased).size(), size_t{1});
    QCOMPARE(declaredFeedback(aliased).at(1), int64_t{1});
  }

  // What is named as the next value of an input goes back to it: a training step plays at once.
  void aTrainingStepPlaysAtOnce() {
    hand().add("f32[4,8]");
    hand().add("linear 2");
    const InstructionId loss = hand().add("mse");
    const QString before = hand().document().live().values().at(loss).text;
    hand().add("training step 0.1");
    QCOMPARE(hand().document().live().values().at(loss).text, before);
    PlayBar& bar = hand().window().pane().runController().playBar();
    QTRY_VERIFY(bar.isVisible());
    const float first = hand().document().live().valueOf(loss)->data<float>()[0];
    for (int k = 0; k < 5; ++k) {
      QTest::mouseClick(bar.stepButton(), Qt::LeftButton);
      hand().settle();
    }
    QVERIFY(hand().document().live().valueOf(loss)->data<float>()[0] < first);
    QCOMPARE(hand().window().pane().runController().player().feedback(),
             (std::map<int64_t, int64_t>{{1, 0}, {2, 1}}));  // W1 and b1
  }

  // A training step has thousands of arguments and results.
  void feedbackOfThousandsIsFoundAtOnce() {
    constexpr int kMany = 6000;
    std::string text = "HloModule many\n\nENTRY main {\n", shape, values;
    for (int k = 0; k < kMany; ++k) {
      text += "  p" + std::to_string(k) + " = f32[8,16] parameter(" + std::to_string(k) + ")\n";
      shape += std::string(k ? ", " : "") + "f32[8,16]";
      values += std::string(k ? ", " : "") + "p" + std::to_string(k);
    }
    text += "  ROOT r = (" + shape + ") tuple(" + values + ")\n}\n";
    const Module module = moduleOf(text.c_str());
    QElapsedTimer clock;
    clock.start();
    const auto feedback = possibleFeedback(module);
    QVERIFY2(clock.elapsed() < 500, qPrintable(QString::number(clock.elapsed())));
    QCOMPARE(feedback.size(), size_t{kMany});
    for (const auto& [argument, output] : feedback) QCOMPARE(argument, output);
  }

  void theBarGoesThroughTheIterations() {
    openLoop();
    CallBar& bar = hand().window().pane().runController().callBar();
    QVERIFY(!bar.isVisible());
    hand().document().select({hand().named("loop")});  // stays selected, out of sight
    hand().document().view().showComputation(hand().module().findComputation("body").value());
    hand().settle();
    QVERIFY(bar.isVisible());
    QVERIFY2(bar.words().contains("iteration 0 of 10"), qPrintable(bar.words()));
    QCOMPARE(bar.callers()->currentText(), QString("loop"));
    bar.slider()->setFocus();
    for (int i = 0; i < 7; ++i) {
      QTest::keyClick(bar.slider(), Qt::Key_Right);
      hand().settle();
    }
    QCOMPARE(valueOf("next"), 8.0);
    QTest::mouseClick(bar.tableButton(), Qt::LeftButton);
    QCOMPARE(bar.table()->rowCount(), 10);
    QCOMPARE(bar.table()->item(4, 1)->text(), QString("4"));
    QCOMPARE(bar.table()->currentRow(), 7);
    bar.table()->setCurrentCell(3, 1);
    hand().settle();
    QCOMPARE(valueOf("next"), 4.0);
    hand().document().view().showComputation(hand().module().entry());
    hand().settle();
    QVERIFY(!bar.isVisible());
  }

  void theBarSaysWhichBranchWasTaken() {
    hand().openText(kBranches);
    CallBar& bar = hand().window().pane().runController().callBar();
    hand().document().view().showComputation(hand().module().findComputation("left").value());
    hand().settle();
    QVERIFY(bar.words().contains("not taken"));
    hand().document().view().showComputation(hand().module().findComputation("right").value());
    hand().settle();
    QVERIFY(bar.words().contains(": taken"));
    QCOMPARE(valueOf("root"), 3.0);
  }
};

TESSERA_QT_TEST(play_test, PlayTest)
}  // namespace tessera::play_test
#include "play_test.moc"
