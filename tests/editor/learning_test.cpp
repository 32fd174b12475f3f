// The Learn button: within two clicks a lesson's graph is live; each step of each lesson is done by hand; names lead to
// nodes; what is done is remembered; another document ends a lesson.
#include <QComboBox>
#include <QCommandLinkButton>
#include <QDockWidget>
#include <QLabel>
#include <QPushButton>
#include <QRegularExpression>
#include <QSlider>
#include <QStandardPaths>
#include <QTest>
#include <algorithm>

#include "app/studio/preferences/preference_control.h"
#include "app/studio/window/documents/document_opener.h"
#include "app/studio/window/documents/document_pane.h"
#include "app/studio/window/documents/document_tabs.h"
#include "app/studio/window/panels.h"
#include "core/tools/help/op_examples.h"
#include "editor/controllers/lesson_controller.h"
#include "editor/controllers/node_labels.h"
#include "editor/controllers/run_controller.h"
#include "editor/layout_lab/dimension_chips.h"
#include "editor/layout_lab/layout_panel.h"
#include "editor/lessons/lesson.h"
#include "editor/lessons/lesson_panel.h"
#include "editor/lessons/step_row.h"
#include "editor/panels/inspect/attribute_form.h"
#include "editor/panels/inspect/inspector.h"
#include "editor/preferences/preferences.h"
#include "editor/values/call_bar.h"
#include "tests/editor/hand.h"
#include "tests/editor/qt_tests.h"

namespace tessera::learning_test {

class LearningTest : public QObject {
  Q_OBJECT

 private:
  std::unique_ptr<Hand> hand_;

  Hand& hand() { return *hand_; }
  LessonPanel& panel() { return hand().window().pane().lessons().panel(); }
  InstructionId named(std::string_view name) { return hand().module().findInstruction(name).value(); }
  // A number's place in the strip of its node.
  QPoint numberOf(InstructionId id) {
    const QRectF box = hand().canvas().boxOf(id);
    return hand().canvas().viewport().toWidget(QPointF(box.left() + 18, box.bottom() - 8)).toPoint();
  }

  static QString textOf(std::string_view text) {
    return QString::fromUtf8(text.data(), static_cast<qsizetype>(text.size()));
  }
  size_t stepsDone() {
    return static_cast<size_t>(std::ranges::count(panel().steps(), StepRow::State::Done, &StepRow::state));
  }
  // Every name in the words is an instruction of the graph.
  void checkLinks(const Lesson& lesson) {
    static const QRegularExpression link(QStringLiteral("node:([^\"]+)"));
    for (const LessonStep& step : lesson.steps)
      for (const auto& match : link.globalMatch(textOf(step.words)))
        QVERIFY2(hand().module().findInstruction(match.captured(1).toStdString()), qPrintable(match.captured(1)));
  }
  // Does what a step asks for.
  void take(const Lesson& lesson, size_t i) {
    const LessonStep& step = lesson.steps[i];
    switch (step.check.kind) {
      case Check::Kind::Answered: return answer(i);
      case Check::Kind::Equals:
      case Check::Kind::Above: return dragUntil(lesson, i);
      case Check::Kind::Shaped: return shape(lesson);
      case Check::Kind::LaidOut: return layOut(lesson);
      case Check::Kind::LooksInto: return lookInto(lesson);
    }
  }
  void answer(size_t i) {
    const LessonStep& step = lessons()[static_cast<size_t>(panel().lesson())].steps[i];
    const auto right = std::ranges::find_if(step.choices, &Choice::isRight);
    QVERIFY(right != step.choices.end());
    QTest::mouseClick(panel().steps()[i]->choices()[static_cast<size_t>(right - step.choices.begin())], Qt::LeftButton);
    hand().settle();
  }
  void dragUntil(const Lesson& lesson, size_t i) {
    for (int k = 0; k < 200 && stepsDone() == i; ++k) {
      const QPoint at = numberOf(named(lesson.handle));
      hand().drag(at, at + QPoint(8, 0));
    }
  }
  void typeAttribute(const char* name, const char* text) {
    auto* field = hand().window().panels().inspector->form()->field(QLatin1String(name));
    QVERIFY2(field, name);
    field->setFocus();
    field->selectAll();
    QTest::keyClicks(field, text);
    QTest::keyClick(field, Qt::Key_Return);
    hand().settle();
  }
  void shape(const Lesson& lesson) {
    hand().click(named(lesson.selects));
    if (lesson.id == "transpose") typeAttribute("dimensions", "{1,2,0}");
    if (lesson.id == "convolution") typeAttribute("window", "{size=3x3 stride=2x2 pad=1_1x1_1}");
    if (lesson.id != "dot") return;
    typeAttribute("lhs_contracting_dims", "{}");
    typeAttribute("rhs_contracting_dims", "{}");
  }
  void layOut(const Lesson& lesson) {
    LayoutPanel* layout = hand().window().panels().layout;
    if (lesson.id == "layout") {
      auto* chips = layout->findChild<DimensionChips*>();
      const QPoint from = chips->chipRect(0).center(), to = chips->chipRect(1).center() + QPoint(20, 0);
      QTest::mousePress(chips, Qt::LeftButton, {}, from);
      QTest::mouseMove(chips, (from + to) / 2);
      QTest::mouseMove(chips, to);
      QTest::mouseRelease(chips, Qt::LeftButton, {}, to);
    } else {
      auto* field = layout->findChild<QLineEdit*>(QStringLiteral("shapeText"));
      field->setFocus();
      field->selectAll();
      QTest::keyClicks(field, textOf(lesson.steps.back().check.shape));
      QTest::keyClick(field, Qt::Key_Return);
    }
    if (auto* apply = layout->findChild<QPushButton*>(QStringLiteral("applyLayout")); apply && apply->isVisible())
      QTest::mouseClick(apply, Qt::LeftButton);
    hand().settle();
  }
  void lookInto(const Lesson& lesson) {
    if (lesson.id == "reduce") hand().doubleClick(hand().bodyOf(named("down")));
    hand().settle();
    hand().click(named(lesson.id == "reduce" ? "sum" : "doubled"));
    CallBar& bar = hand().window().pane().runController().callBar();
    QTRY_VERIFY(bar.isVisible());
    bar.slider()->setFocus();
    for (int k = 0; k < 3; ++k) QTest::keyClick(bar.slider(), Qt::Key_Right);
    hand().settle();
  }

 private slots:
  void init() {
    preferences().lessonsDone.clear();
    preferences().lesson.clear();
    hand_ = std::make_unique<Hand>();
  }
  void cleanup() { hand_.reset(); }

  // Values inside what is called stand there from the first picture on.
  void theLoopLessonShowsItsFirstIteration() {
    hand().window().pane().lessons().begin(8);
    hand().settle();
    QVERIFY(hand().document().live().values().contains(named("doubled")));
    hand().click(named("doubled"));
    const CallBar& bar = hand().window().pane().runController().callBar();
    QVERIFY(bar.isVisible());
    const QRectF first = hand().canvas().viewport().toWidget(hand().canvas().boxOf(named("times")));
    QVERIFY2(!first.toRect().intersects(bar.geometry()), "the bar covers the number that is dragged");
  }

  void learnOpensALiveGraph() {
    hand().window().opener().showFirstGraph();
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

  // --- each lesson, step by step
  void everyLessonIsDoneStepByStep() {
    hand().window().resize(1366, 768);
    hand().window().pane().lessons().begin(0);
    hand().settle();
    for (size_t k = 0; k < lessons().size(); ++k) {
      const Lesson& lesson = lessons()[k];
      QCOMPARE(panel().lesson(), static_cast<int>(k));
      QVERIFY2(hand().document().diagnostics().empty(), lesson.title.data());
      QVERIFY2(findReferenceExample(lesson.reference), lesson.reference.data());
      QVERIFY(hand().selected() == named(lesson.selects));
      QVERIFY(hand().window().panels().find(textOf(lesson.panel))->isVisible());
      QVERIFY2(hand().canvas().viewport().zoom() >= kReadableZoom, lesson.title.data());  // else no value is drawn
      checkLinks(lesson);
      for (size_t i = 0; i < lesson.steps.size(); ++i) {
        QVERIFY2(stepsDone() == i, qPrintable(QStringLiteral("%1, step %2").arg(textOf(lesson.id)).arg(i + 1)));
        QVERIFY(panel().ending().isEmpty());
        take(lesson, i);
        QTRY_VERIFY2(stepsDone() == i + 1, qPrintable(QStringLiteral("%1, step %2").arg(textOf(lesson.id)).arg(i + 1)));
      }
      QVERIFY(panel().ending().contains(textOf(lesson.learned)));
      QVERIFY2(panel().progress().contains(QString::number(k + 1)), qPrintable(panel().progress()));
      QVERIFY(preferences().lessonsDone.contains(std::string(lesson.id)));
      QCOMPARE(panel().nextButton()->isEnabled(), k + 1 < lessons().size());
      if (const QString link = QStringLiteral("lesson:%1").arg(k + 1); k == 0) {  // the words lead there, too
        QVERIFY2(panel().ending().contains(link), qPrintable(panel().ending()));
        emit panel().findChild<QLabel*>(QStringLiteral("lessonEnding"))->linkActivated(link);
      } else {
        QTest::mouseClick(panel().nextButton(), Qt::LeftButton);
      }
      hand().settle();
    }
    QVERIFY(panel().ending().contains(QLatin1String("new:")));
    QTest::mouseClick(panel().previousButton(), Qt::LeftButton);
    hand().settle();
    QCOMPARE(panel().lesson(), static_cast<int>(lessons().size()) - 2);
  }

  // The first lesson without a pointer: to the number, up, F6 to the panel, Tab to the choices, arrows among them.
  void aLessonByKeysAlone() {
    hand().window().pane().lessons().begin(0);
    hand().settle();
    QVERIFY(hand().selected() == named("number") && hand().canvas().hasFocus());
    for (int k = 0; k < 100 && stepsDone() == 0; ++k) hand().key(Qt::Key_PageUp);
    QCOMPARE(stepsDone(), size_t{1});
    for (size_t step = 1; step < 3; ++step) {
      QWidget *wrong = panel().steps()[step]->choices()[0], *right = panel().steps()[step]->choices()[1];
      if (hand().canvas().hasFocus()) QTest::keyClick(&hand().canvas(), Qt::Key_F6);
      for (int k = 0; k < 10 && !wrong->hasFocus(); ++k) {
        QVERIFY(panel().isAncestorOf(QApplication::focusWidget()));
        QTest::keyClick(QApplication::focusWidget(), Qt::Key_Tab);
      }
      QTest::keyClick(wrong, Qt::Key_Down);
      QVERIFY(right->hasFocus());
      QCOMPARE(stepsDone(), step);  // passing a choice chooses nothing
      QTest::keyClick(right, Qt::Key_Space);
      QTRY_COMPARE(stepsDone(), step + 1);
    }
    QVERIFY(!panel().ending().isEmpty());
    QVERIFY(panel().nextButton()->hasFocus());
  }

  void aWrongChoiceSaysWhy() {
    hand().window().pane().lessons().begin(2);
    hand().settle();
    StepRow& row = *panel().steps().front();
    QAbstractButton* wrong = row.choices()[1];
    QTest::mouseClick(wrong, Qt::LeftButton, {}, wrong->rect().center() + QPoint(wrong->width() / 2 - 4, 0));
    hand().settle();  // beside its words, in its row
    QVERIFY2(row.said().contains(QLatin1String("{1,0}")), qPrintable(row.said()));
    QCOMPARE(stepsDone(), size_t{0});
  }

  // A name in the words is on the canvas, and leads there.
  void namesInTheWordsLeadToTheirNodes() {
    hand().window().pane().lessons().begin(0);
    hand().settle();
    QVERIFY(hand().window().pane().labels().shows(NodeLabels::Names));
    for (const char* each : {"number", "sum", "rows", "row", "everywhere"})
      QVERIFY2(hand().canvas().view()->boxOf(named(each)) >= 0 && hand().nodeOf(named(each)).owner < 0, each);
    emit panel().linkChosen(QStringLiteral("node:rows"));
    hand().settle();
    QVERIFY(hand().selected() == named("rows"));
  }

  // A node that is in sight stays where it is when its name is clicked.
  void aNameInSightMovesNothing() {
    hand().window().pane().lessons().begin(0);
    hand().settle();
    const QPointF before = hand().canvas().viewport().toWidget({0, 0});
    emit panel().linkChosen(QStringLiteral("node:sum"));
    hand().settle();
    QCOMPARE(hand().canvas().viewport().toWidget({0, 0}), before);
  }

  // Keys that come to the lessons begin where something is to be done.
  void keysBeginAtTheCurrentStep() {
    hand().window().pane().lessons().begin(1);
    hand().settle();
    hand().canvas().setFocus();
    QTest::keyClick(&hand().window(), Qt::Key_F6);
    QVERIFY(panel().steps().front()->choices().front()->hasFocus());
  }

  // What a field refuses is said in whole lines.
  void aRefusalIsReadWhole() {
    hand().window().resize(1366, 738);
    hand().window().pane().lessons().begin(0);
    hand().settle();
    emit panel().linkChosen(QStringLiteral("node:rows"));
    hand().settle();
    QLineEdit* field = hand().window().panels().inspector->form()->field(QStringLiteral("dimensions"));
    field->setFocus();
    field->selectAll();
    QTest::keyClicks(field, "{0}");
    hand().settle();
    const auto* error = field->parentWidget()->findChild<QLabel*>();
    QVERIFY(error && error->isVisible());
    QVERIFY2(error->height() >= error->heightForWidth(error->width()), qPrintable(QString::number(error->height())));
  }

  // Nothing hides the words: the steps of a lesson are seen without scrolling on a small screen, with nothing below.
  void theWordsHaveRoom() {
    hand().window().resize(1366, 768);
    for (size_t k = 0; k < lessons().size(); ++k) {
      hand().window().pane().lessons().begin(static_cast<int>(k));
      hand().settle();
      QTest::qWait(20);
      const StepRow& first = *panel().steps().front();
      QVERIFY2(!first.visibleRegion().isEmpty(), lessons()[k].title.data());
      if (lessons()[k].panel == "layout") {  // the panel takes the height: a question and its answers are still seen
        const QAbstractButton& last = *first.choices()[1];
        QVERIFY2(last.visibleRegion().boundingRect().height() == last.height(), lessons()[k].title.data());
        QVERIFY(panel().nextButton()->isVisible());
      } else {
        QVERIFY2(first.visibleRegion().boundingRect().height() == first.height(), lessons()[k].title.data());
        QVERIFY(panel().height() > 500);
      }
      QVERIFY(hand().canvas().width() >= 560);
    }
  }

  void whatIsDoneIsKeptBetweenSessions() {
    QStandardPaths::setTestModeEnabled(true);
    {
      PreferenceControl control(true, nullptr);
      preferences().lessonsDone = {"broadcast"};
      preferences().lesson = "tiles";
      control.keepLessons();
    }
    preferences().lessonsDone.clear();
    preferences().lesson.clear();
    const PreferenceControl next(true, nullptr);
    QVERIFY(preferences().lessonsDone.contains("broadcast"));
    QCOMPARE(preferences().lesson, std::string("tiles"));
  }

  // In whichever order they are begun.
  void whatIsDraggedIsInSight() {
    for (size_t k = 0; k < lessons().size(); ++k) {
      if (lessons()[k].handle.empty()) continue;
      hand_ = std::make_unique<Hand>();
      hand().window().resize(1366, 768);
      hand().window().opener().beginLesson(static_cast<int>(k));
      hand().settle();
      const QRectF box = hand().canvas().boxOf(named(lessons()[k].handle));
      QVERIFY2(hand().canvas().viewport().free().contains(box), lessons()[k].title.data());
    }
  }

  void learnGoesOnWhereTheUserWas() {
    auto* learn = hand().window().findChild<QAction*>(QStringLiteral("lessons"));
    const auto begun = [&] {
      learn->trigger();
      hand().settle();
      return panel().lesson();
    };
    QCOMPARE(begun(), 0);
    panel().list()->setFocus();
    QTest::keyClick(panel().list(), Qt::Key_Down);
    hand().settle();
    panel().list()->setFocus();
    QTest::keyClick(panel().list(), Qt::Key_Down);
    hand().settle();
    QCOMPARE(begun(), 2);
    preferences().lessonsDone = {std::string(lessons()[2].id), std::string(lessons()[3].id)};
    QCOMPARE(begun(), 4);
    for (const Lesson& each : lessons().subspan(4)) preferences().lessonsDone.insert(std::string(each.id));
    QCOMPARE(begun(), 0);
    preferences().lessonsDone.insert(std::string(lessons()[0].id));
    QCOMPARE(begun(), 1);
    preferences().lessonsDone.insert(std::string(lessons()[1].id));
    QCOMPARE(begun(), 0);  // all are done
  }

  void theListChoosesAndAnotherDocumentEndsIt() {
    hand().window().pane().lessons().begin(0);
    hand().settle();
    QVERIFY(hand().window().tabs().tabText(0).contains(QLatin1String("Lesson 1")));
    panel().list()->setFocus();
    QTest::keyClick(panel().list(), Qt::Key_End);
    hand().settle();
    QCOMPARE(panel().lesson(), static_cast<int>(lessons().size()) - 1);
    QVERIFY(hand().module().findInstruction("loop").has_value());
    QTest::keyClick(&hand().window(), Qt::Key_N, Qt::ControlModifier);
    hand().settle();
    QVERIFY(!panel().isVisible());
    QVERIFY(!hand().window().pane().lessons().isOn());
  }
};

TESSERA_QT_TEST(learning_test, LearningTest)
}  // namespace tessera::learning_test
#include "learning_test.moc"
