// Groups made by hand with real keys and mouse: a selection into a call or a fusion, back again, a number that becomes
// a parameter, a selection written as a module; each undone and redone to the same text.
#include <QFileDialog>
#include <QTemporaryDir>
#include <QTest>
#include <QTimer>

#include "editor/controllers/group_actions.h"
#include "editor/panels/banner.h"
#include "tests/editor/hand.h"
#include "tests/editor/qt_tests.h"

namespace tessera::grouping_test {

class GroupingTest : public QObject {
  Q_OBJECT

 private:
  std::unique_ptr<Hand> hand_;

  Hand& hand() { return *hand_; }
  // x → exp → multiply by the negated x: a diamond.
  void buildDiamond() {
    const InstructionId x = hand().add("f32[4]");
    hand().add("exp");
    hand().click(x);
    hand().add("negate");
    hand().wire(hand().named("exponential"), hand().named("negate"), 0);
    hand().click(hand().named("negate"));
    hand().add("multiply 2");
    hand().key(Qt::Key_R);
  }
  void choose(int line) {
    QVERIFY(hand().window().pane().groups().choices().isVisible());
    QListWidget* list = hand().window().pane().groups().choices().list();
    for (int k = 0; k < line; ++k) QTest::keyClick(list, Qt::Key_Down);
    QTest::keyClick(list, Qt::Key_Return);
    hand().settle();
  }

 private slots:
  void init() { hand_ = std::make_unique<Hand>(); }
  void cleanup() { hand_.reset(); }

  void aSelectionBecomesACallAndBack() {
    buildDiamond();
    const std::string before = hand().text();
    const size_t count = hand().module().instructionCount();
    hand().click(hand().named("exponential"));
    hand().click(hand().named("negate"), Qt::ShiftModifier);
    hand().key(Qt::Key_G, Qt::ControlModifier | Qt::ShiftModifier);
    choose(0);
    QVERIFY(hand().at(hand().selected()).opcode == Opcode::Call);
    QCOMPARE(hand().shape(hand().selected()), std::string("f32[4]"));
    QVERIFY(hand().document().diagnostics().empty());
    checkOneStep(hand(), before);
    hand().click(hand().named("group"));
    const std::string grouped = hand().text();
    hand().key(Qt::Key_U, Qt::ControlModifier | Qt::ShiftModifier);
    QCOMPARE(hand().module().instructionCount(), count);
    QVERIFY(hand().selected() == hand().named("negate"));
    checkOneStep(hand(), grouped);
  }

  // Whatever room there is: what becomes one is seen while it is chosen.
  void theChoiceStandsBesideWhatIsSelected() {
    hand().window().resize(1366, 768);
    hand().add("f32[4,8]");
    for (const char* line : {"matmul f32[8,16]", "add f32[16]", "relu"}) hand().add(line);
    hand().click(hand().named("maximum"));
    hand().click(hand().named("add"), Qt::ShiftModifier);
    hand().key(Qt::Key_G, Qt::ControlModifier | Qt::ShiftModifier);
    const ChoiceList& list = hand().window().pane().groups().choices();
    QVERIFY(list.isVisible());
    for (const char* name : {"add", "maximum"})
      QVERIFY2(
          !hand().canvas().viewport().toWidget(hand().canvas().boxOf(hand().named(name))).intersects(list.geometry()),
          name);
  }

  void aFusionIsChosenByKey() {
    buildDiamond();
    const std::string before = hand().text();
    hand().click(hand().named("negate"));
    hand().key(Qt::Key_G, Qt::ControlModifier | Qt::ShiftModifier);
    choose(1);
    QVERIFY(hand().at(hand().selected()).opcode == Opcode::Fusion);
    QCOMPARE(hand().at(hand().selected()).attributes->textOr(Attr::kind, ""), std::string_view("kLoop"));
    checkOneStep(hand(), before);
  }

  void escapeGroupsNothing() {
    buildDiamond();
    const std::string before = hand().text();
    hand().click(hand().named("negate"));
    hand().key(Qt::Key_G, Qt::ControlModifier | Qt::ShiftModifier);
    QTest::keyClick(hand().window().pane().groups().choices().list(), Qt::Key_Escape);
    hand().settle();
    QCOMPARE(hand().text(), before);
    QVERIFY(!hand().window().pane().groups().choices().isVisible());
  }

  void aPathThatComesBackIsExplained() {
    buildDiamond();
    const std::string before = hand().text();
    hand().click(hand().named("exponential"));
    hand().click(hand().named("multiply"), Qt::ShiftModifier);
    hand().key(Qt::Key_G, Qt::ControlModifier | Qt::ShiftModifier);
    QVERIFY(hand().window().banner().isVisible());
    QVERIFY(hand().window().banner().message().contains("negate"));
    QCOMPARE(hand().text(), before);
  }

  void aNumberBecomesAParameterAndKeepsItsValue() {
    buildDiamond();
    const std::string before = hand().text();
    hand().click(hand().named("multiply"));
    hand().key(Qt::Key_P, Qt::ControlModifier | Qt::AltModifier);
    QCOMPARE(hand().module().entryComputation().parameters.size(), size_t{2});
    QCOMPARE(hand().document().runSettings().sources.at(1), std::string("constant 2"));
    checkOneStep(hand(), before);
    hand().click(hand().named("exponential"));
    hand().key(Qt::Key_P, Qt::ControlModifier | Qt::AltModifier);
    QVERIFY(hand().window().banner().isVisible());
  }

  void aSelectionIsWrittenAsAModule() {
    buildDiamond();
    QTemporaryDir folder;
    const QString path = folder.filePath("piece.hlo");
    hand().click(hand().named("exponential"));
    hand().click(hand().named("negate"), Qt::ShiftModifier);
    QTimer::singleShot(300, this, [&] {
      auto* dialog = qobject_cast<QFileDialog*>(QApplication::activeModalWidget());
      QVERIFY(dialog);
      auto* field = dialog->findChild<QLineEdit*>();
      field->selectAll();
      QTest::keyClicks(field, path);
      QTest::keyClick(field, Qt::Key_Return);
    });
    hand().key(Qt::Key_X, Qt::ControlModifier | Qt::AltModifier);
    QTRY_VERIFY(QFile::exists(path));
    hand().window().openFile(path);
    hand().settle();
    QCOMPARE(hand().module().instructionCount(), size_t{3});
    QVERIFY(hand().document().diagnostics().empty());
  }
};

TESSERA_QT_TEST(grouping_test, GroupingTest)
}  // namespace tessera::grouping_test
#include "grouping_test.moc"
