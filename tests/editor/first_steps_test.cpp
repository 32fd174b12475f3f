// The first minute of somebody who has never seen the program: buttons that look like buttons, things to click, what
// comes next in one line, a search that begins with what is of use. Real key and mouse events; each step undone and
// redone.
#include <QAction>
#include <QCommandLinkButton>
#include <QDockWidget>
#include <QLabel>
#include <QListWidget>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QTest>
#include <QToolButton>
#include <QToolTip>
#include <QTreeWidget>

#include "app/studio/window/panels.h"
#include "editor/panels/help_panel.h"
#include "editor/panels/inspect/instruction_facts.h"
#include "editor/panels/text/text_panel.h"
#include "editor/values/play_bar.h"
#include "tests/editor/hand.h"
#include "tests/editor/qt_tests.h"

namespace tessera::first_steps_test {

class FirstStepsTest : public QObject {
  Q_OBJECT

 private:
  std::unique_ptr<Hand> hand_;

  Hand& hand() { return *hand_; }
  QWidget* emptyHint() { return hand().window().findChild<QWidget*>(QStringLiteral("emptyHint")); }
  QLabel* nextHint() { return hand().window().findChild<QLabel*>(QStringLiteral("nextHint")); }
  void press(const char* name) {
    auto* button = hand().window().findChild<QPushButton*>(QString::fromLatin1(name));
    QVERIFY2(button && button->isVisible(), name);
    QTest::mouseClick(button, Qt::LeftButton, {}, button->rect().center());
    hand().settle();
  }
  QString firstRow() { return hand().window().addSearch().list()->item(0)->text(); }

 private slots:
  void init() { hand_ = std::make_unique<Hand>(); }
  void cleanup() { hand_.reset(); }

  void aClickGivesTheFirstValue() {
    QVERIFY(emptyHint()->isVisible());
    const std::string before = hand().text();
    press("start f32[4,8]");
    const InstructionId made = hand().selected();
    QVERIFY(made.valid() && hand().at(made).opcode == Opcode::Parameter);
    QCOMPARE(hand().shape(made), std::string("f32[4,8]"));
    QVERIFY(hand().document().live().valueOf(made));  // a value of one's own, without a run being asked for
    QVERIFY(!emptyHint()->isVisible());
    const std::string after = hand().text();
    hand().undo();
    QCOMPARE(hand().text(), before);
    QVERIFY(emptyHint()->isVisible());
    hand().redo();
    QCOMPARE(hand().text(), after);
    QVERIFY(hand().canvas().hasFocus());  // keys go on there
  }

  // Words of the buttons find what these make.
  void whatTheButtonsSayIsFound() {
    for (const auto& [words, shape] : {std::pair("table", "f32[4,8]"), {"a row", "f32[8]"}, {"number", "f32[]"}}) {
      QCOMPARE(hand().shape(hand().add(words)), std::string(shape));
      hand().undo();
    }
  }

  // It leaves what it will read in sight.
  // Also where the pointer is over it.
  void theSearchLeavesTheSelectionInSight() {
    const InstructionId x = hand().add("f32[4,8]");
    hand().click(x);
    const QRectF box = hand().canvas().viewport().toWidget(hand().canvas().boxOf(x));
    QCursor::setPos(hand().canvas().mapToGlobal(box.center().toPoint()));
    QTest::qWait(20);
    hand().key(Qt::Key_Tab);
    const AddSearch& search = hand().window().addSearch();
    QVERIFY(search.isVisible());
    QVERIFY(!QRectF(search.geometry()).intersects(box));
  }

  // A pointer that chose a node means no place: what is added to it stands where its wire says.
  void whatIsAddedToAClickedNodeStandsBeyondIt() {
    const InstructionId x = hand().add("f32[4,8]");
    hand().click(x);
    QCursor::setPos(hand().canvas().mapToGlobal(hand().bodyOf(x)));
    QTest::qWait(20);
    const InstructionId power = hand().add("exp");
    const QRectF from = hand().canvas().boxOf(x), to = hand().canvas().boxOf(power);
    QVERIFY(to.left() > from.right());
    QVERIFY2(std::abs(to.top() - from.top()) < 1, qPrintable(QString::number(to.top() - from.top())));
    hand().canvas().viewport().panBy({0, 150});  // it is over no node any more, and did not move
    const QRectF last = hand().canvas().boxOf(hand().add("negate"));
    QVERIFY(last.left() > to.right());
    QVERIFY2(std::abs(last.top() - to.top()) < 1, qPrintable(QString::number(last.top() - to.top())));
  }

  void theSearchStandsBelowTheSelection() {
    hand().add("f32[4,8]");
    const InstructionId power = hand().add("exp");
    hand().key(Qt::Key_Tab);
    AddSearch& search = hand().window().addSearch();
    QTest::keyClicks(search.field(), "softmax");
    QVERIFY(search.isVisible());
    QVERIFY(!hand().canvas().viewport().toWidget(hand().canvas().boxOf(power)).toRect().intersects(search.geometry()));
  }

  void theOtherBeginnings() {
    press("start 3.5");
    QVERIFY(hand().at(hand().selected()).opcode == Opcode::Constant);
    hand().undo();
    press("start f32[8]");
    QCOMPARE(hand().shape(hand().selected()), std::string("f32[8]"));
    hand().undo();
    press("start");
    QVERIFY(hand().window().addSearch().isVisible());
    hand().take("f32[2]");
    QCOMPARE(hand().shape(hand().selected()), std::string("f32[2]"));
  }

  void betweenTheBeginningsIsCanvas() {
    const QPoint at = emptyHint()->mapTo(&hand().canvas(), QPoint(3, 3));
    hand().doubleClick(at);
    QVERIFY(hand().window().addSearch().isVisible());
  }

  void aScriptHearsThatNothingIsFound() {
    QVERIFY(playCommand(hand().window(), "add f32[4]").has_value());
    QVERIFY(!playCommand(hand().window(), "add no_such_thing_at_all"));
  }

  void theSearchOfAnEmptyGraphBeginsWithWhatStandsAlone() {
    hand().key(Qt::Key_Tab);
    QVERIFY2(firstRow().startsWith("parameter f32[4,8]"), qPrintable(firstRow()));
    hand().enter(hand().window().addSearch().field());
    QCOMPARE(hand().shape(hand().selected()), std::string("f32[4,8]"));
    hand().key(Qt::Key_Tab);
    QVERIFY2(firstRow().startsWith("add "), qPrintable(firstRow()));  // what is used every day, not what begins with a
  }

  void aWireSaysWhatIsLookedFor() {
    const InstructionId x = hand().add("f32[2,3]");
    hand().drag(hand().outputOf(x), hand().emptyPlace());
    QCOMPARE(hand().window().addSearch().field()->placeholderText(), QStringLiteral("What takes f32[2,3]"));
    QTest::keyClick(hand().window().addSearch().field(), Qt::Key_Escape);
    hand().key(Qt::Key_Tab);
    QVERIFY(hand().window().addSearch().field()->placeholderText().startsWith("Operation"));
  }

  void oneLineSaysWhatIsNext() {
    QVERIFY(!nextHint()->isVisible());
    const InstructionId x = hand().add("f32[4]");
    QVERIFY(nextHint()->isVisible());
    QVERIFY2(nextHint()->text().contains("from its output"), qPrintable(nextHint()->text()));
    const InstructionId sum = hand().add("add");
    QVERIFY2(nextHint()->text().contains("open field"), qPrintable(nextHint()->text()));
    hand().wire(x, sum, 1);
    QVERIFY(!nextHint()->isVisible());  // nobody who has done it is told again
    hand().undo();
    QVERIFY(nextHint()->isVisible());
  }

  void whatOnlyGivesItsInputDoesNotPlay() {
    press("start f32[8]");
    const auto* bar = hand().window().findChild<PlayBar*>();
    QVERIFY(bar && !bar->isVisible());
    const auto* feeds = hand().window().findChild<QAction*>("feed back");
    QVERIFY(feeds && !feeds->isEnabled());
    hand().add("negate");
    QVERIFY(feeds->isEnabled());
    QVERIFY(!bar->isVisible());  // until it is requested
  }

  void panelsThatAreAskedForShowMoreThanALine() {
    hand().window().resize(1366, 720);
    hand().add("f32[4,8]");
    Panels& panels = hand().window().panels();
    panels.raise(QStringLiteral("text"));
    hand().settle();
    const int before = hand().canvas().height();
    QVERIFY2(before > 360, qPrintable(QString::number(before)));  // the canvas has the larger part
    panels.raise(QStringLiteral("value"));
    hand().settle();
    QTRY_VERIFY2(panels.find(QStringLiteral("value"))->height() >= 210,
                 qPrintable(QString::number(panels.find(QStringLiteral("value"))->height())));
  }

  void namesOnHelpPagesAreSetAsCode() {
    QVERIFY(!hand().window().panels().help->toPlainText().contains(QLatin1Char('`')));
    hand().add("f32[4,8]");
    hand().add("get tuple element");
    hand().window().panels().raise(QStringLiteral("help"));
    hand().settle();
    const QString page = hand().window().panels().help->toPlainText();
    QVERIFY2(page.contains("element index of the tuple"), qPrintable(page.left(300)));
  }

  // The list of completions covers text of its own colour: its edge is seen in both themes.
  void theListOfCompletionsHasAnEdge() {
    hand().add("f32[4,8]");
    for (const Theme theme : {Theme::Light, Theme::Dark}) {
      hand().window().setTheme(theme);
      TextPanel* text = hand().window().panels().text;
      hand().window().panels().raise(QStringLiteral("text"));
      if (!text->editButton()->isChecked()) text->editButton()->click();
      hand().settle();
      QPlainTextEdit* field = text->edit()->field();
      field->setFocus();
      QTest::keyClick(field, Qt::Key_End, Qt::ControlModifier);
      QTest::keyClick(field, Qt::Key_Up);
      QTest::keyClick(field, Qt::Key_End);
      QTest::keyClick(field, Qt::Key_Return);
      QTest::keyClicks(field, "%n = f32[4,8] ex");
      QTest::keyClick(field, Qt::Key_Space, Qt::ControlModifier);
      auto* list = hand().window().findChild<QTreeWidget*>(QStringLiteral("completions"));
      QVERIFY(list && list->isVisible());
      const QImage picture = list->grab().toImage();
      const QColor edge = picture.pixelColor(picture.width() / 2, picture.height() - 1),
                   page = hand().window().palette().color(QPalette::Base);
      QVERIFY2(std::abs(edge.lightness() - page.lightness()) > 60, qPrintable(edge.name() + page.name()));
      QTest::keyClick(field, Qt::Key_Escape);
    }
    hand().window().setTheme(Theme::Light);
  }

  void helpStandsBesideTheNode() {
    hand().window().resize(760, 560);  // within the offscreen screen: help stays on it
    press("start f32[4,8]");
    const InstructionId x = hand().selected();
    QVERIFY(tooltipOf(hand().module(), x).contains("dimension 1 = 8, given by the instruction's shape"));
    const QPoint at = hand().bodyOf(x);
    QHelpEvent help(QEvent::ToolTip, at, hand().canvas().mapToGlobal(at));
    QApplication::sendEvent(&hand().canvas(), &help);
    QTRY_VERIFY(QToolTip::isVisible());
    QWidget* tip = nullptr;
    for (QWidget* each : QApplication::topLevelWidgets())
      if (each->isVisible() && each->inherits("QTipLabel")) tip = each;
    QVERIFY(tip);
    QVERIFY(!tip->geometry().contains(hand().canvas().mapToGlobal(hand().outputOf(x))));
    QToolTip::hideText();
  }
};

TESSERA_QT_TEST(first_steps_test, FirstStepsTest)
}  // namespace tessera::first_steps_test
#include "first_steps_test.moc"
