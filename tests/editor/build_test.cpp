// Building by hand, gesture by gesture, with real keys and mouse: searching, wiring, refusals and repairs, values typed
// into inputs, the clipboard, attributes, undo of each.
#include <QClipboard>
#include <QGuiApplication>
#include <QTest>
#include <QTextBrowser>

#include "app/studio/window/panels.h"
#include "editor/panels/banner.h"
#include "editor/panels/inspect/attribute_form.h"
#include "editor/panels/inspect/inspector.h"
#include "tests/editor/hand.h"
#include "tests/editor/qt_tests.h"

namespace tessera::build_test {

class BuildTest : public QObject {
  Q_OBJECT

 private:
  std::unique_ptr<Hand> hand_;

  Hand& hand() { return *hand_; }

 private slots:
  void init() { hand_ = std::make_unique<Hand>(); }
  void cleanup() { hand_.reset(); }

  // --- the document and the search
  void aNewDocumentIsEmpty() {
    QVERIFY(hand().document().isOpen());
    QCOMPARE(hand().module().instructionCount(), size_t{0});
    QVERIFY(hand().canvas().isVisible());
    QVERIFY(!hand().document().file().isModified());
    QVERIFY(hand().window().windowTitle().startsWith("untitled"));
  }

  void modifiedClearsWhenUndoneToWhatWasSaved() {
    hand().add("f32[4]");
    QVERIFY(hand().document().file().isModified());
    hand().undoAll();
    QVERIFY(!hand().document().file().isModified());
    hand().redoAll();
    QVERIFY(hand().document().file().isModified());
  }

  void escapeClosesTheSearchAndChangesNothing() {
    hand().key(Qt::Key_Tab);
    QTest::keyClicks(hand().window().addSearch().field(), "add");
    QTest::keyClick(hand().window().addSearch().field(), Qt::Key_Escape);
    QVERIFY(!hand().window().addSearch().isVisible());
    QCOMPARE(hand().module().instructionCount(), size_t{0});
  }

  void aDoubleClickOnEmptyCanvasOpensTheSearch() {
    hand().doubleClick(QPoint(200, 150));
    QVERIFY(hand().window().addSearch().isVisible());
    QVERIFY(hand().window().addSearch().list()->count() > 80);
  }

  void shiftAOpensTheSearchAndArrowsChoose() {
    hand().key(Qt::Key_A, Qt::ShiftModifier);
    AddSearch& search = hand().window().addSearch();
    QTest::keyClicks(search.field(), "reduce");
    QTest::keyClick(search.field(), Qt::Key_Down);
    QCOMPARE(search.list()->currentRow(), 1);
  }

  void anEmptyCanvasSaysWhatCanBeDone() {
    const auto* hint = hand().window().findChild<QWidget*>(QStringLiteral("emptyHint"));
    QVERIFY(hint && hint->isVisible());
    hand().add("f32[4]");
    QVERIFY(!hint->isVisible());
    hand().key(Qt::Key_Z, Qt::ControlModifier);
    QVERIFY(hint->isVisible());
  }

  // --- wires
  void aWireFromOutputToInputConnects() {
    const InstructionId x = hand().add("f32[4]"), sum = hand().add("add");
    QVERIFY(!hand().at(sum).operands[1].valid());
    QVERIFY(hand().text().find("?") != std::string::npos);  // an unfinished graph is text, too
    const std::string before = hand().text();
    hand().wire(x, sum, 1);
    QVERIFY(hand().at(sum).operands[1] == x);
    QVERIFY(hand().document().diagnostics().empty());
    checkOneStep(hand(), before);
  }

  void aWireOnTheBodyTakesTheFirstInputThatFits() {
    const InstructionId x = hand().add("f32[4]"), sum = hand().add("add");
    hand().drag(hand().outputOf(x), hand().bodyOf(sum));
    QVERIFY(hand().at(sum).operands[1] == x);
  }

  void aWireOnEmptyCanvasFindsOnlyWhatTakesIt() {
    const InstructionId x = hand().add("f32[2,3]");
    hand().drag(hand().outputOf(x), hand().emptyPlace());
    AddSearch& search = hand().window().addSearch();
    QVERIFY(search.isVisible());
    QTest::keyClicks(search.field(), "and");
    for (int row = 0; row < search.list()->count(); ++row)
      QVERIFY(!search.list()->item(row)->text().startsWith("and "));
    search.field()->clear();
    QTest::keyClicks(search.field(), "reduce max");
    QVERIFY(search.list()->item(0)->text().contains("f32[2]"));  // how it will fit
    hand().enter(search.field());
    QVERIFY(hand().at(hand().selected()).operands[0] == x);
  }

  void aSearchThatWasLeftForgetsTheWire() {
    const InstructionId x = hand().add("f32[2]"), y = hand().add("f32[3]");
    hand().drag(hand().outputOf(x), hand().emptyPlace());
    QVERIFY(hand().window().addSearch().isVisible());
    QTest::keyClick(hand().window().addSearch().field(), Qt::Key_Escape);
    hand().click(y);
    hand().window().pane().graphEdit().place(searchPalette("negate", 1)[0]);  // from the palette
    hand().settle();
    QCOMPARE(hand().at(hand().selected()).operands[0], y);
  }

  void theResultStandsBesideThePointerAndEscapeLetsGo() {
    const InstructionId x = hand().add("f32[2,3]"), minus = hand().add("negate");
    const InstructionId y = hand().add("exp");
    const std::string before = hand().text();
    hand().carry(hand().outputOf(x), hand().inputOf(y, 0));
    QVERIFY(hand().canvas().wires().isCarrying());
    QVERIFY(hand().canvas().wires().shownVerdict().contains("f32[2,3]"));
    QTest::keyClick(&hand().canvas(), Qt::Key_Escape);
    QVERIFY(!hand().canvas().wires().isCarrying());
    QTest::mouseRelease(&hand().canvas(), Qt::LeftButton, {}, hand().inputOf(y, 0));
    QCOMPARE(hand().text(), before);
    QVERIFY(hand().at(y).operands[0] == minus);
  }

  void aRefusedInputSaysWhyAfterAMomentAndOffersRepairs() {
    const InstructionId x = hand().add("f32[2,3]"), sum = hand().add("add");
    hand().canvas().setFocus();
    QTest::mouseClick(&hand().canvas(), Qt::LeftButton, {}, hand().emptyPlace());  // nothing is selected
    const InstructionId y = hand().add("f32[3,2]");
    const std::string before = hand().text();
    hand().carry(hand().outputOf(y), hand().inputOf(sum, 1));
    QVERIFY(hand().canvas().wires().shownVerdict().isEmpty());
    QTest::qWait(200);
    QCOMPARE(hand().canvas().wires().shownVerdict(), QStringLiteral("dimension 0 is 3 here, 2 there"));
    QTest::mouseRelease(&hand().canvas(), Qt::LeftButton, {}, hand().inputOf(sum, 1));
    ChoiceList& choices = hand().window().pane().graphEdit().choices();
    QVERIFY(choices.isVisible());
    QVERIFY(choices.list()->item(0)->text().startsWith("transpose"));
    QTest::keyClick(choices.list(), Qt::Key_Escape);  // the wire is in the hand again
    QVERIFY(!choices.isVisible());
    QVERIFY(hand().canvas().wires().isCarrying());
    QCOMPARE(hand().text(), before);
    QTest::mouseMove(&hand().canvas(), hand().inputOf(sum, 1) + QPoint(2, 0));
    QTest::mouseClick(&hand().canvas(), Qt::LeftButton, {}, hand().inputOf(sum, 1));
    QVERIFY(choices.isVisible());
    hand().enter(choices.list());
    QVERIFY(!hand().canvas().wires().isCarrying());
    QVERIFY(hand().at(hand().at(sum).operands[1]).opcode == Opcode::Transpose);
    QVERIFY(hand().document().diagnostics().empty());
    QVERIFY(hand().at(sum).operands[0] == x);
    checkOneStep(hand(), before);
  }

  void severalPlacementsAreAChoice() {
    hand().add("f32[3,3]");
    const InstructionId sum = hand().add("add");
    QTest::mouseClick(&hand().canvas(), Qt::LeftButton, {}, hand().emptyPlace());
    const InstructionId row = hand().add("f32[3]");
    hand().wire(row, sum, 1);
    ChoiceList& choices = hand().window().pane().graphEdit().choices();
    QVERIFY(choices.isVisible());
    QCOMPARE(choices.list()->count(), 2);
    QTest::keyClick(choices.list(), Qt::Key_Down);
    hand().enter(choices.list());
    const InstructionId wide = hand().at(sum).operands[1];
    QVERIFY(hand().at(wide).opcode == Opcode::Broadcast);
    QCOMPARE(hand().at(wide).attributes->ints(Attr::dimensions), std::vector<int64_t>{1});
  }

  void anImpliedBroadcastIsAChipThatOpens() {
    hand().add("f32[2,3]");
    const InstructionId sum = hand().add("add");
    QTest::mouseClick(&hand().canvas(), Qt::LeftButton, {}, hand().emptyPlace());
    const InstructionId row = hand().add("f32[3]");
    hand().wire(row, sum, 1);
    const InstructionId wide = hand().at(sum).operands[1];
    const auto node = [&] {
      return hand().canvas().view()->nodes[static_cast<size_t>(hand().canvas().view()->boxOf(wide))];
    };
    QVERIFY(node().chip);
    hand().doubleClick(hand().bodyOf(wide));
    QVERIFY(!node().chip);
  }

  void aWirePulledOffAnInputOpensIt() {
    const InstructionId x = hand().add("f32[4]"), minus = hand().add("negate");
    const std::string before = hand().text();
    hand().drag(hand().inputOf(minus, 0), hand().emptyPlace());
    QVERIFY(!hand().at(minus).operands[0].valid());
    QVERIFY(hand().module().contains(x));
    checkOneStep(hand(), before);
  }

  // Beside the node and its dangling wire, wherever that is dropped, while words shorten the list as well.
  void theSearchOfADroppedWireLeavesItsNodeAndWireInSight() {
    const InstructionId x = hand().add("f32[4]");
    hand().window().resize(1366, 768);
    hand().settle();
    constexpr qreal kNear = 200;
    const QRectF box = hand().canvas().viewport().toWidget(hand().canvas().boxOf(x));
    for (const QPoint by : {QPoint(60, 60), QPoint(-60, 60), QPoint(60, -120), QPoint(-160, -120), QPoint(0, 30)}) {
      const QPoint port = hand().outputOf(x), at = port + by;
      hand().drag(port, at);
      const AddSearch& search = hand().window().addSearch();
      for (const char* words : {"", "exponential"}) {
        QTest::keyClicks(search.field(), words);
        QVERIFY(search.isVisible());
        const QString where = QStringLiteral("%1, %2 '%3'").arg(by.x()).arg(by.y()).arg(QLatin1String(words));
        const QRectF frame(search.geometry());
        QVERIFY2(!frame.intersects(box), qPrintable(where));
        QVERIFY2(!frame.intersects(QRectF(QRect(port, at).normalized()).adjusted(1, 1, -1, -1)), qPrintable(where));
        const QRectF near = frame.adjusted(-kNear, -kNear, kNear, kNear);
        QVERIFY2(near.contains(at), qPrintable(where));
        QVERIFY(hand().canvas().wires().isCarrying());
      }
      QTest::keyClick(search.field(), Qt::Key_Escape);
      hand().settle();
      QVERIFY(!hand().canvas().wires().isCarrying());
    }
    hand().drag(hand().outputOf(x), hand().outputOf(x) + QPoint(60, 60));
    hand().take("exponential");
    QVERIFY(!hand().canvas().wires().isCarrying());
    const InstructionId sum = hand().add("add");
    hand().drag(hand().inputOf(sum, 1), hand().inputOf(sum, 1) + QPoint(-60, 60));
    QVERIFY(hand().window().addSearch().isVisible() && hand().canvas().wires().isCarrying());
    hand().canvas().setFocus();
    QVERIFY(!hand().window().addSearch().isVisible() && !hand().canvas().wires().isCarrying());
  }

  void aRefusedWireShowsItsRepairsBesideWhatTakesIt() {
    const InstructionId x = hand().add("f32[4]");
    hand().key(Qt::Key_Escape);
    hand().add("f32[3]");
    const InstructionId sum = hand().add("add");
    hand().drag(hand().outputOf(x), hand().inputOf(sum, 1));
    const ChoiceList& repairs = hand().window().pane().graphEdit().choices();
    QVERIFY(repairs.isVisible());
    QVERIFY(!QRectF(repairs.geometry()).intersects(hand().canvas().viewport().toWidget(hand().canvas().boxOf(sum))));
  }

  void aWireDrawnFromAnOpenInputAddsWhatFeedsIt() {
    hand().add("f32[2,3]");
    const InstructionId sum = hand().add("add");
    hand().drag(hand().inputOf(sum, 1), hand().emptyPlace());
    QVERIFY(hand().window().addSearch().isVisible());
    hand().take("parameter");
    QVERIFY(hand().at(sum).operands[1].valid());
    QCOMPARE(hand().shape(hand().at(sum).operands[1]), std::string("f32[2,3]"));
    QVERIFY(hand().document().diagnostics().empty());
  }

  // --- values
  void anOpenInputIsAField() {
    hand().add("f32[2,3]");
    const InstructionId product = hand().add("multiply");
    const std::string before = hand().text();
    QTest::mouseClick(&hand().canvas(), Qt::LeftButton, {}, hand().fieldOf(product, 1));
    ValueField& field = hand().window().pane().graphEdit().field();
    QVERIFY(field.isVisible());
    QTest::keyClicks(field.field(), "1.5x");
    QVERIFY(!field.errorText().isEmpty());  // explained while it is typed
    QTest::keyClick(field.field(), Qt::Key_Return);
    QVERIFY(field.isVisible());
    QTest::keyClick(field.field(), Qt::Key_Backspace);
    QVERIFY(field.errorText().isEmpty());
    hand().enter(field.field());
    QVERIFY(!field.isVisible());
    QVERIFY(hand().document().diagnostics().empty());
    const InstructionId wide = hand().at(product).operands[1];
    QCOMPARE(hand().shape(wide), std::string("f32[2,3]"));
    // Drawn at the node, not as a node of its own.
    QVERIFY(hand().canvas().view()->nodes[static_cast<size_t>(hand().canvas().view()->boxOf(wide))].kind ==
            ViewNode::Kind::Attached);
    checkOneStep(hand(), before);
  }

  void aDoubleClickOnAConstantChangesItsValue() {
    hand().add("f32[2,3]");
    const InstructionId product = hand().add("multiply 2");
    const InstructionId wide = hand().at(product).operands[1];
    hand().doubleClick(hand().bodyOf(wide));
    ValueField& field = hand().window().pane().graphEdit().field();
    QVERIFY(field.isVisible());
    QCOMPARE(field.field()->text(), QStringLiteral("2"));
    hand().type(field.field(), "7");
    hand().enter(field.field());
    QVERIFY(hand().text().find("constant(7)") != std::string::npos);
  }

  void valuesStandOnNodesAfterEveryEdit() {
    hand().add("3 f32[]");
    const InstructionId root = hand().add("multiply 2");
    QTRY_VERIFY(hand().document().live().values().contains(root));
    QCOMPARE(hand().document().live().values().at(root).text, QStringLiteral("6"));
    hand().add("divide 0");
    QTRY_VERIFY(hand().document().live().values().contains(hand().selected()));
    QVERIFY(hand().document().live().values().at(hand().selected()).bad);
    const InstructionId open = hand().add("add");  // the complete part goes on running
    QTRY_VERIFY(hand().document().live().values().contains(root));
    QVERIFY(!hand().document().live().values().contains(open));
  }

  // --- the selection
  void deleteHealsAndDuplicateCopies() {
    const InstructionId x = hand().add("f32[4]"), minus = hand().add("negate"), power = hand().add("exp");
    const std::string before = hand().text();
    hand().click(minus);
    hand().key(Qt::Key_Delete);
    QVERIFY(!hand().module().contains(minus));
    QVERIFY(hand().at(power).operands[0] == x);
    checkOneStep(hand(), before);
    hand().click(power);
    hand().key(Qt::Key_D, Qt::ControlModifier);
    const InstructionId copy = hand().selected();
    QVERIFY(copy != power && hand().at(copy).opcode == Opcode::Exponential && hand().at(copy).operands[0] == x);
    hand().key(Qt::Key_R);
    QVERIFY(hand().module().entryComputation().root == copy);
  }

  void shiftDeleteLeavesInputsOpen() {
    hand().add("f32[4]");
    const InstructionId minus = hand().add("negate"), power = hand().add("exp");
    const std::string before = hand().text();
    hand().click(minus);
    hand().key(Qt::Key_Delete, Qt::ShiftModifier);
    QVERIFY(!hand().module().contains(minus));
    QVERIFY(!hand().at(power).operands[0].valid());
    checkOneStep(hand(), before);
  }

  void aReducerIsEnteredAndLeft() {
    hand().add("f32[2,3]");
    const InstructionId most = hand().add("reduce max");
    const ComputationId entry = hand().document().view().computation();
    hand().doubleClick(hand().bodyOf(most));
    QVERIFY(hand().document().view().computation() != entry);
    const std::string before = hand().text();
    hand().click(hand().module().at(hand().document().view().computation()).root);
    const InstructionId changed = hand().add("negate");  // edited where it is, across the boundary undone
    QVERIFY(hand().at(changed).computation == hand().document().view().computation());
    hand().key(Qt::Key_Up, Qt::AltModifier);
    QVERIFY(hand().document().view().computation() == entry);
    QVERIFY(hand().selected() == most);
    checkOneStep(hand(), before);
  }

  void theClipboardHoldsText() {
    const InstructionId x = hand().add("f32[2,3]"), most = hand().add("reduce max"), power = hand().add("exp");
    hand().click(most);
    hand().click(power, Qt::ShiftModifier);
    hand().key(Qt::Key_C, Qt::ControlModifier);
    QVERIFY(QGuiApplication::clipboard()->text().contains("exponential("));
    std::string before = hand().text();
    hand().key(Qt::Key_V, Qt::ControlModifier | Qt::ShiftModifier);
    QVERIFY(hand().at(hand().at(hand().selected()).operands[0]).operands[0] == x);
    QVERIFY(std::ranges::count(hand().document().selection(), hand().at(hand().selected()).operands[0]) ==
            1);  // all of it
    checkOneStep(hand(), before);
    hand().key(Qt::Key_V, Qt::ControlModifier);
    QVERIFY(!hand().at(hand().at(hand().selected()).operands[0]).operands[0].valid());
    hand().click(power);
    before = hand().text();
    hand().key(Qt::Key_X, Qt::ControlModifier);
    QVERIFY(!hand().module().contains(power));
    checkOneStep(hand(), before);
  }

  void junkInTheClipboardIsExplained() {
    hand().add("f32[4]");
    const std::string before = hand().text();
    QGuiApplication::clipboard()->setText("%a = f32[2] no(");
    hand().key(Qt::Key_V, Qt::ControlModifier);
    QVERIFY(hand().window().banner().isVisible());
    QCOMPARE(hand().text(), before);
  }

  // --- attributes
  void attributesAreTypedInTheInspector() {
    hand().add("f32[2,3,4]");
    const InstructionId turned = hand().add("transpose");
    AttributeForm* form = hand().window().panels().inspector->form();
    QLineEdit* field = form->field("dimensions");
    QVERIFY(field);
    QCOMPARE(field->text(), QStringLiteral("{2,1,0}"));
    const std::string before = hand().text();
    field->selectAll();
    QTest::keyClicks(field, "{0,-1,");
    QVERIFY(!form->errorOf("dimensions").isEmpty());
    QTest::keyClicks(field, "1}");
    hand().settle();
    QVERIFY(form->errorOf("dimensions").isEmpty());
    QCOMPARE(hand().shape(turned), std::string("f32[2,4,3]"));
    QTest::keyClick(field, Qt::Key_Return);
    checkOneStep(hand(), before);
  }

  void aNameThatIsThereIsRefusedWhileItIsTyped() {
    hand().add("f32[2]");
    hand().add("negate");
    AttributeForm* form = hand().window().panels().inspector->form();
    QLineEdit* field = form->field("name");
    field->selectAll();
    QTest::keyClicks(field, "parameter");
    hand().settle();
    QVERIFY(!form->errorOf("name").isEmpty());
    field->selectAll();
    QTest::keyClicks(field, "minus");
    hand().settle();
    QVERIFY(hand().module().findInstruction("minus").has_value());
    QVERIFY(!hand().window().banner().isVisible());
  }
};

TESSERA_QT_TEST(build_test, BuildTest)
}  // namespace tessera::build_test
#include "build_test.moc"
