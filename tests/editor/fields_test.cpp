// Constants inside the nodes that read them: typed, dragged, changed in place, pulled out as nodes of their own and
// folded back, found, marked and saved. With real mouse and key events; every change is undone and done again.
#include <QAction>
#include <QTemporaryDir>
#include <QTest>

#include "core/formats/module_file.h"
#include "editor/controllers/canvas_binding.h"
#include "tests/editor/hand.h"
#include "tests/editor/qt_tests.h"

namespace tessera::fields_test {

class FieldsTest : public QObject {
  Q_OBJECT

 private:
  std::unique_ptr<Hand> hand_;
  QTemporaryDir folder_;

  Hand& hand() { return *hand_; }
  QString file(const char* name) { return folder_.filePath(QLatin1String(name)); }
  void open(const QString& path) {
    hand().window().openFile(path);
    hand().settle();
  }
  void openText(const char* text) {
    QVERIFY(writeFileAtomically(file("m.hlo").toStdString(), text).has_value());
    open(file("m.hlo"));
  }
  void undo() {
    QTest::keyClick(&hand().window(), Qt::Key_Z, Qt::ControlModifier);
    hand().settle();
  }
  void redo() {
    QTest::keyClick(&hand().window(), Qt::Key_Z, Qt::ControlModifier | Qt::ShiftModifier);
    hand().settle();
  }
  void checkOneStep(const std::string& before) {
    const std::string after = hand().text();
    QVERIFY(after != before);
    undo();
    QCOMPARE(hand().text(), before);
    redo();
    QCOMPARE(hand().text(), after);
  }
  bool isInside(InstructionId value, InstructionId user) {
    const int32_t box = hand().canvas().view()->boxOf(user);
    return hand().nodeOf(value).owner == box && hand().canvas().boxOf(user).contains(hand().canvas().boxOf(value));
  }
  QLineEdit* line() { return hand().window().pane().graphEdit().field().field(); }
  void changeInPlace(InstructionId value, const char* text) {
    hand().doubleClick(hand().bodyOf(value));
    QVERIFY(line()->isVisible());
    line()->selectAll();
    hand().type(line(), text);
    hand().enter(line());
  }
  InstructionId second(InstructionId user) { return hand().at(user).operands[1]; }
  QAction* action(const QString& text) {
    for (QAction* each : hand().window().findChildren<QAction*>())
      if (each->text().remove(QLatin1Char('&')) == text) return each;
    qFatal("no such action");
  }

 private slots:
  void init() { hand_ = std::make_unique<Hand>(); }
  void cleanup() { hand_.reset(); }

  void whatIsTypedStandsInTheNode() {
    hand().add("f32[2,3]");
    const InstructionId product = hand().add("multiply");
    const std::string before = hand().text();
    QTest::mouseClick(&hand().canvas(), Qt::LeftButton, {}, hand().fieldOf(product, 1));
    hand().type(line(), "1.5");
    hand().enter(line());
    const InstructionId wide = second(product);
    QVERIFY(hand().at(wide).opcode == Opcode::Broadcast);
    QVERIFY(isInside(wide, product));
    QCOMPARE(hand().nodeOf(wide).title, std::string("1.5"));
    QCOMPARE(hand().nodeOf(wide).label, std::string("rhs"));
    QCOMPARE(hand().canvas().view()->boxOf(hand().at(wide).operands[0]), hand().canvas().view()->boxOf(wide));
    checkOneStep(before);
  }

  void aDragAlongItIsOneStep() {
    hand().add("f32[4]");
    const InstructionId product = hand().add("multiply 2");
    const std::string before = hand().text();
    const QPoint at = hand().bodyOf(second(product));
    hand().drag(at, at + QPoint(50, 0));
    QVERIFY2(hand().text().find("constant(3)") != std::string::npos, hand().text().c_str());
    QVERIFY(isInside(second(product), product));
    QCOMPARE(hand().nodeOf(second(product)).title, std::string("3"));
    checkOneStep(before);
  }

  // Values need not be computed for it.
  void aDragNeedsNoValues() {
    openText(
        "HloModule m\nENTRY e {\n  p = f32[4]{0} parameter(0)\n  c = f32[] constant(2)\n  b = f32[4]{0} broadcast(c), "
        "dimensions={}\n  ROOT r = f32[4]{0} multiply(p, b)\n}\n");
    hand().document().live().setOn(false);
    hand().settle();
    const std::string before = hand().text();
    const QPoint at = hand().bodyOf(hand().named("b"));
    hand().drag(at, at + QPoint(-100, 0));
    QVERIFY2(hand().text().find("constant(0)") != std::string::npos, hand().text().c_str());
    checkOneStep(before);
  }

  void inPlaceItKeepsItsNameOrBecomesWhatIsTyped() {
    openText(
        "HloModule m\nENTRY e {\n  p = f32[3]{0} parameter(0)\n  two = f32[] constant(2)\n  wide = f32[3]{0} "
        "broadcast(two), dimensions={}\n  ROOT r = f32[3]{0} multiply(p, wide)\n}\n");
    const InstructionId root = hand().named("r");
    std::string before = hand().text();
    changeInPlace(second(root), "7");
    QVERIFY(hand().text().find("two = f32[] constant(7)") != std::string::npos);
    checkOneStep(before);
    before = hand().text();
    changeInPlace(second(root), "{1,2,3}");
    QVERIFY(hand().at(second(root)).opcode == Opcode::Constant);
    QVERIFY(isInside(second(root), root));
    checkOneStep(before);
    before = hand().text();
    changeInPlace(second(root), "iota");
    QVERIFY(hand().at(second(root)).opcode == Opcode::Iota);
    QVERIFY(isInside(second(root), root));
    checkOneStep(before);
    changeInPlace(second(root), "4");
    QVERIFY(hand().at(second(root)).opcode == Opcode::Broadcast);
    QVERIFY(hand().document().diagnostics().empty());
  }

  void whatOthersReadTooStaysTheirs() {
    openText(
        "HloModule m\nENTRY e {\n  p = f32[3]{0} parameter(0)\n  two = f32[] constant(2)\n  wide = f32[3]{0} "
        "broadcast(two), dimensions={}\n"
        "  wide2 = f32[3]{0} broadcast(two), dimensions={}\n  a = f32[3]{0} multiply(p, wide)\n  ROOT r = f32[3]{0} "
        "add(a, wide2)\n}\n");
    const InstructionId root = hand().named("r"), a = hand().named("a");
    QVERIFY(isInside(second(root), root) && isInside(second(a), a));
    const std::string before = hand().text();
    changeInPlace(second(root), "5");
    QCOMPARE(hand().nodeOf(second(root)).title, std::string("5"));
    QCOMPARE(hand().nodeOf(second(a)).title, std::string("2"));
    checkOneStep(before);
  }

  void theMarkPullsItOutAndFoldsItBack() {
    hand().add("f32[2,3]");
    const InstructionId product = hand().add("multiply 2");
    const InstructionId wide = second(product), two = hand().at(wide).operands[0];
    const std::string before = hand().text();
    QTest::mouseClick(&hand().canvas(), Qt::LeftButton, {}, hand().markOf(wide));
    hand().settle();
    QVERIFY(hand().nodeOf(wide).kind == ViewNode::Kind::Instruction);
    QVERIFY(isInside(two, wide));  // the number is in the broadcast now
    QTest::mouseClick(&hand().canvas(), Qt::LeftButton, {}, hand().markOf(two));
    hand().settle();
    QVERIFY(hand().nodeOf(two).pulled);
    QCOMPARE(hand().text(), before);  // only drawn otherwise
    changeInPlace(two, "8");
    QVERIFY(hand().text().find("constant(8)") != std::string::npos);
    checkOneStep(before);
    QVERIFY(hand().nodeOf(two).pulled);
    for (InstructionId each : {two, wide}) {
      QTest::mouseClick(&hand().canvas(), Qt::LeftButton, {}, hand().markOf(each));
      hand().settle();
    }
    QVERIFY(isInside(wide, product));
    QVERIFY(hand().nodeOf(two).owner >= 0);
  }

  void aKeyDoesTheSameAndTheViewAll() {
    hand().add("f32[2,3]");
    const InstructionId product = hand().add("multiply 2");
    const InstructionId wide = second(product);
    hand().click(wide);
    QVERIFY(hand().selected() == wide);
    hand().key(Qt::Key_V);
    QVERIFY(hand().nodeOf(wide).pulled);
    hand().key(Qt::Key_V);
    QVERIFY(isInside(wide, product));
    action(QStringLiteral("Constants in the nodes that read them"))->trigger();
    hand().settle();
    QVERIFY(hand().nodeOf(wide).kind == ViewNode::Kind::Attached && hand().nodeOf(wide).owner < 0);
    hand().click(product);
    hand().add("add 3");  // the toggle outlives an edit
    QVERIFY(hand().nodeOf(second(hand().selected())).owner < 0);
    action(QStringLiteral("Constants in the nodes that read them"))->trigger();
    hand().settle();
    QVERIFY(isInside(wide, product));
  }

  void aWireMayTakeItsPlace() {
    const InstructionId x = hand().add("f32[2,3]");
    const InstructionId product = hand().add("multiply 2");
    const std::string before = hand().text();
    hand().wire(x, product, 1);
    QVERIFY(second(product) == x);
    checkOneStep(before);
  }

  // What was pulled out and where it stands is saved with the arrangement.
  void placesAndPulledOutNodesAreSaved() {
    hand().add("f32[2,3]");
    const InstructionId product = hand().add("multiply 2");
    const InstructionId wide = second(product);
    hand().click(wide);
    hand().key(Qt::Key_V);
    hand().drag(hand().bodyOf(wide), hand().bodyOf(wide) + QPoint(-140, -30));
    const QPointF apart = hand().canvas().boxOf(wide).topLeft() - hand().canvas().boxOf(product).topLeft();
    const std::string name(hand().at(wide).name), user(hand().at(product).name);
    QVERIFY(hand().document().file().save(file("kept.hlo")).has_value());
    open(file("kept.hlo"));
    const InstructionId again = hand().named(name.c_str());
    QVERIFY(hand().nodeOf(again).pulled);
    QCOMPARE(hand().canvas().boxOf(again).topLeft() - hand().canvas().boxOf(hand().named(user.c_str())).topLeft(),
             apart);
    QTest::mouseClick(&hand().canvas(), Qt::LeftButton, {}, hand().markOf(again));
    hand().settle();
    QVERIFY(isInside(again, hand().named(user.c_str())));
  }

  void findingSelectingAndMistakesReachIt() {
    openText(
        "HloModule m\nENTRY e {\n  p = f32[3]{0} parameter(0)\n  c = f32[] constant(2)\n  r = f32[3]{0} "
        "reduce-precision(p), exponent_bits=5, mantissa_bits=3\n"
        "  far = f32[4]{0} iota(), iota_dimension=0\n  t = f32[3]{0} add(r, far)\n  ROOT u = f32[3]{0} multiply(t, "
        "p)\n}\n");
    const InstructionId far = hand().named("far"), t = hand().named("t");
    QVERIFY(isInside(far, t));
    hand().window().pane().binding().reveal(far);
    hand().settle();
    QVERIFY(hand().selected() == far);
    QVERIFY(QRectF(hand().canvas().rect())
                .contains(hand().canvas().viewport().toWidget(hand().canvas().boxOf(far).center())));
    QVERIFY(std::ranges::any_of(hand().canvas().highlights().marks(),
                                [&](const auto& mark) { return mark.first == t; }));  // the sizes disagree
  }

  void manyFieldsKeepTheNodeInOneColumn() {
    openText(
        "HloModule m\nENTRY e {\n  p = f32[4,4]{1,0} parameter(0)\n  u = f32[1,1]{1,0} parameter(1)\n  i = s32[] "
        "constant(1)\n  j = s32[] constant(2)\n"
        "  ROOT r = f32[4,4]{1,0} dynamic-update-slice(p, u, i, j)\n}\n");
    const InstructionId root = hand().named("r"), i = hand().named("i"), j = hand().named("j");
    QVERIFY(isInside(i, root) && isInside(j, root));
    QVERIFY(hand().canvas().boxOf(i).bottom() <= hand().canvas().boxOf(j).top());
    QCOMPARE(hand().canvas().boxOf(i).right(), hand().canvas().boxOf(j).right());
    const std::string before = hand().text();
    const QPoint at = hand().bodyOf(j);
    hand().drag(at, at + QPoint(-9, 0));
    QVERIFY(hand().text().find("j = s32[] constant(1)") != std::string::npos);
    checkOneStep(before);
  }
};

TESSERA_QT_TEST(fields_test, FieldsTest)
}  // namespace tessera::fields_test
#include "fields_test.moc"
