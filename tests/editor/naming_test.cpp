// Names of sizes given in the inspector: on nodes and facts, along what flows, kept in the sidecar, undone. Own blocks
// found in the search, and the offer to bring uses up to a block that changed. Layouts dragged in the inspector.
#include <QTemporaryDir>
#include <QTest>
#include <QToolButton>

#include "app/studio/window/documents/document_opener.h"
#include "app/studio/window/panels.h"
#include "core/edit/sizes/size_names.h"
#include "editor/controllers/block_actions.h"
#include "editor/layout_lab/dimension_chips.h"
#include "editor/panels/inspect/inspector.h"
#include "tests/editor/hand.h"
#include "tests/editor/qt_tests.h"

namespace tessera::naming_test {

class NamingTest : public QObject {
  Q_OBJECT

 private:
  std::unique_ptr<Hand> hand_;
  QTemporaryDir folder_;

  Hand& hand() { return *hand_; }
  Inspector* inspector() { return hand().window().panels().inspector; }
  std::string subtitle(InstructionId id) {
    const auto& view = *hand().canvas().view();
    return view.nodes[static_cast<size_t>(view.boxOf(id))].subtitle;
  }
  void typeNames(const char* words) {
    QLineEdit* field = inspector()->sizeNamesField();
    QVERIFY(field->isVisible());
    field->setFocus();
    field->selectAll();
    QTest::keyClick(field, Qt::Key_Delete);
    QTest::keyClicks(field, words);
    QTest::keyClick(field, Qt::Key_Return);
    hand().canvas().setFocus();
    hand().settle();
  }

 private slots:
  void init() { hand_ = std::make_unique<Hand>(); }
  void cleanup() { hand_.reset(); }

  void aNameFollowsWhatFlows() {
    const InstructionId x = hand().add("f32[4,8]");
    const InstructionId product = hand().add("matmul f32[8,16]");
    const InstructionId power = hand().add("exp");
    const std::string text = hand().text();
    hand().click(x);
    typeNames("B, H");
    QCOMPARE(subtitle(x), std::string("f32 B=4×H=8"));
    QCOMPARE(subtitle(product), std::string("f32 B=4×16"));
    QCOMPARE(subtitle(power), std::string("f32 B=4×16"));
    QCOMPARE(hand().text(), text);  // the graph stays
    hand().click(power);
    QVERIFY(inspector()->shownText().contains("B = "));
    QCOMPARE(inspector()->sizeNamesField()->text(), QString("B, "));
    hand().undo();
    QCOMPARE(subtitle(x), std::string("f32 4×8"));
    hand().redo();
    QCOMPARE(subtitle(power), std::string("f32 B=4×16"));
  }

  void aNameIsChangedWhereverItIsSeen() {
    const InstructionId x = hand().add("f32[4,8]");
    const InstructionId power = hand().add("exp");
    hand().click(x);
    typeNames("B");
    hand().click(power);
    typeNames("T, H");
    QCOMPARE(subtitle(x), std::string("f32 T=4×H=8"));
    typeNames("");
    QVERIFY2(subtitle(x) == "f32 4×8", subtitle(x).c_str());
    hand().undo();
    QCOMPARE(subtitle(x), std::string("f32 T=4×H=8"));
    hand().undo();
    QCOMPARE(subtitle(power), std::string("f32 B=4×8"));
  }

  void namesThatDoNotReadAreExplained() {
    const InstructionId x = hand().add("f32[4,8]");
    hand().click(x);
    typeNames("B, 2H");
    QVERIFY(inspector()->errorText().contains("begins with a letter"));
    typeNames("A, B, C");
    QVERIFY(inspector()->errorText().contains("more names"));
    QCOMPARE(subtitle(x), std::string("f32 4×8"));
    typeNames("A, B");
    QVERIFY(inspector()->errorText().isEmpty());
  }

  void theSidecarKeepsNames() {
    const InstructionId x = hand().add("f32[4,8]");
    hand().add("exp");
    hand().click(x);
    typeNames("B");
    const QString path = folder_.filePath("named.hlo");
    QVERIFY(hand().document().file().save(path).has_value());
    QVERIFY(QFile::exists(path + ".tessera"));
    hand().window().opener().newFile();
    hand().settle();
    hand().window().openFile(path);
    hand().settle();
    QCOMPARE(subtitle(hand().named("exponential")), std::string("f32 B=4×8"));
  }

  // --- layouts
  void aLayoutIsDraggedInTheInspector() {
    const InstructionId x = hand().add("f32[4,8]");
    hand().click(x);
    const std::string before = hand().text();
    DimensionChips* chips = inspector()->layoutChips();
    QVERIFY(chips->isVisible());
    QCOMPARE(chips->order(), (std::vector<int64_t>{1, 0}));
    const QPoint from = chips->chipRect(1).center(), to = chips->chipRect(0).center() + QPoint(20, 0);
    QTest::mousePress(chips, Qt::LeftButton, {}, from);
    QTest::mouseMove(chips, (from + to) / 2);
    QTest::mouseMove(chips, to);
    QTest::mouseRelease(chips, Qt::LeftButton, {}, to);
    hand().settle();
    QCOMPARE(toString(hand().module().shapeOf(x)), std::string("f32[4,8]{0,1}"));
    hand().undo();
    QCOMPARE(hand().text(), before);
    hand().redo();
    QCOMPARE(toString(hand().module().shapeOf(x)), std::string("f32[4,8]{0,1}"));
    hand().click(hand().add("exp"));
    QVERIFY(chips->isVisible());  // of any instruction
    hand().click(hand().add("reduce sum axis=0"));
    QVERIFY(!chips->isVisible());  // one dimension has one order
  }

  // --- own blocks
  void ownBlocksAreFoundInTheSearchAndUpdated() {
    BlockActions& actions = hand().window().pane().blocks();
    actions.setLibrary(folder_.filePath("mine.tessera-blocks"));
    const InstructionId x = hand().add("f32[4]");
    const InstructionId power = hand().add("exp");
    hand().click(power);
    QVERIFY(hand().saveBlock("grow", "e to the x"));
    hand().settle();
    QVERIFY(!hand().module().contains(power));  // a use of the block stands in its place
    QVERIFY(hand().at(hand().selected()).opcode == Opcode::Call);
    hand().click(x);
    const InstructionId use = hand().add("gro");
    QVERIFY(hand().at(use).opcode == Opcode::Call);
    QVERIFY(hand().at(use).operands[0] == x);
    auto* offer = hand().window().findChild<QToolButton*>("updateBlocks");
    QVERIFY(offer && !offer->isVisible());
    hand().click(x);
    const InstructionId minus = hand().add("negate");
    hand().click(minus);
    QVERIFY(hand().saveBlock("grow", "minus x"));
    hand().settle();
    QVERIFY(offer->isVisible());
    const std::string before = hand().text();
    QTest::mouseClick(offer, Qt::LeftButton);
    hand().settle();
    QVERIFY(!offer->isVisible());
    QVERIFY(blockUseOf(hand().module(), use).version == 2);
    hand().undo();
    QCOMPARE(hand().text(), before);
    QVERIFY(offer->isVisible());
  }

  void aBlockForAnotherShapeIsNotOfferedForAWire() {
    BlockActions& actions = hand().window().pane().blocks();
    actions.setLibrary(folder_.filePath("other.tessera-blocks"));
    hand().add("f32[4]");
    hand().click(hand().add("exp"));
    QVERIFY(hand().saveBlock("grow", ""));
    hand().document().select({});
    const InstructionId wide = hand().add("f32[7]");
    hand().drag(hand().outputOf(wide), hand().emptyPlace());
    QTest::keyClicks(hand().window().addSearch().field(), "grow");
    for (int row = 0; row < hand().window().addSearch().list()->count(); ++row)
      QVERIFY(!hand().window().addSearch().list()->item(row)->text().startsWith("grow "));
  }
};

TESSERA_QT_TEST(naming_test, NamingTest)
}  // namespace tessera::naming_test
#include "naming_test.moc"
