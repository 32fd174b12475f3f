// Ways without the mouse: keys that mean one thing each and can be given anew, go to anything, commands, places and
// bookmarks; and a size changed everywhere from its panel.
#include <QAction>
#include <QComboBox>
#include <QPushButton>
#include <QSignalSpy>
#include <QStatusBar>
#include <QTest>

#include "app/studio/window/navigation.h"
#include "editor/controllers/arrange_controller.h"
#include "editor/panels/popups/quick_list.h"
#include "editor/panels/size_panel.h"
#include "tests/editor/hand.h"
#include "tests/editor/qt_tests.h"

namespace tessera::navigation_test {

class NavigationTest : public QObject {
  Q_OBJECT

 private:
  std::unique_ptr<Hand> hand_;

  Navigation& navigation() { return hand_->window().navigation(); }
  void press(Qt::Key key, Qt::KeyboardModifiers modifiers) {
    hand_->canvas().setFocus();
    QTest::keyClick(&hand_->canvas(), key, modifiers);
    hand_->settle();
  }
  void take(const char* words) {
    QVERIFY(navigation().list().isVisible());
    QTest::keyClicks(navigation().list().field(), words);
    QTest::keyClick(navigation().list().field(), Qt::Key_Return);
    hand_->settle();
  }
  const KeyMap::Entry* named(const char* part) {
    for (const auto& entry : navigation().keys().entries())
      if (entry.name.contains(QLatin1String(part))) return &entry;
    return nullptr;
  }

 private slots:
  void init() { hand_ = std::make_unique<Hand>(); }
  void cleanup() { hand_.reset(); }

  // Actions of the window act everywhere, those of the canvas only there: no two of either kind may share a key.
  void noKeyMeansTwoThings() {
    const auto& entries = navigation().keys().entries();
    QVERIFY(entries.size() > 40);
    for (size_t i = 0; i < entries.size(); ++i)
      for (size_t j = i + 1; j < entries.size(); ++j)
        for (const QKeySequence& key : entries[i].action->shortcuts())
          QVERIFY2(!entries[j].action->shortcuts().contains(key),
                   qPrintable(key.toString() + ": " + entries[i].name + ", " + entries[j].name));
    for (const auto& entry : entries)  // letters alone are for the canvas
      for (const QKeySequence& key : entry.action->shortcuts())
        if (key[0].keyboardModifiers() == Qt::NoModifier && key[0].key() >= Qt::Key_A && key[0].key() <= Qt::Key_Z)
          QVERIFY2(entry.action->shortcutContext() == Qt::WidgetShortcut, qPrintable(entry.name));
  }

  void keysAreGivenAnew() {
    hand_->add("f32[4]");
    const auto* mute = named("Mute");
    const auto* tidy = named("Tidy");
    QVERIFY(mute && tidy);
    press(Qt::Key_Question, {});
    QVERIFY(navigation().list().isVisible());
    QTest::keyClicks(navigation().list().field(), "mute");
    QTest::keyClick(navigation().list().field(), Qt::Key_Return);
    QTest::keyClick(navigation().list().field(), Qt::Key_L, Qt::ControlModifier);
    QCOMPARE(mute->action->shortcut(), QKeySequence(Qt::CTRL | Qt::Key_L));
    QVERIFY(!tidy->action->shortcuts().contains(QKeySequence(Qt::CTRL | Qt::Key_L)));
    QTest::keyClick(navigation().list().field(), Qt::Key_Return);
    QTest::keyClick(navigation().list().field(), Qt::Key_Backspace);
    QCOMPARE(mute->action->shortcut(), QKeySequence(Qt::Key_M));
    QTest::keyClick(navigation().list().field(), Qt::Key_Escape);
    QVERIFY(!navigation().list().isVisible());
  }

  void goesToAnythingAndBack() {
    hand_->add("f32[4]");
    hand_->add("counting loop");
    const InstructionId x = hand_->named("parameter");
    QSignalSpy messages(hand_->window().findChild<QStatusBar*>(), &QStatusBar::messageChanged);
    const auto said = [&](const QString& message) { return messages.contains(QVariantList{message}); };
    press(Qt::Key_B, Qt::ControlModifier | Qt::ShiftModifier);
    QVERIFY(said(QStringLiteral("There is no bookmark yet: Ctrl+B sets one")));
    hand_->document().select({});
    press(Qt::Key_B, Qt::ControlModifier);
    QVERIFY(said(QStringLiteral("Select an instruction on the canvas first")));
    hand_->click(x);
    press(Qt::Key_B, Qt::ControlModifier);
    QCOMPARE(hand_->document().page()->bookmarks.size(), size_t{1});
    QVERIFY(said(QStringLiteral("Bookmarked parameter")));
    const ComputationId entry = hand_->document().view().computation();
    press(Qt::Key_K, Qt::ControlModifier);
    take("body computation");
    QVERIFY(hand_->document().view().computation() != entry);
    press(Qt::Key_Left, Qt::AltModifier);
    QVERIFY(hand_->document().view().computation() == entry);
    press(Qt::Key_Right, Qt::AltModifier);
    QVERIFY(hand_->document().view().computation() != entry);
    press(Qt::Key_B, Qt::ControlModifier | Qt::ShiftModifier);
    QVERIFY(hand_->selected() == x);
  }

  // Words that name no place find commands; words that nothing has are answered, and the field stays readable.
  void wordsThatNameNoPlace() {
    hand_->add("f32[4]");
    press(Qt::Key_K, Qt::ControlModifier);
    QuickList& list = navigation().list();
    QTest::keyClicks(list.field(), "fit all");
    QVERIFY(list.list()->count() > 0 && list.list()->item(0)->text().contains(QLatin1String("Fit all")));
    list.field()->selectAll();
    QTest::keyClicks(list.field(), "take");  // its letters are in "Paste keeping inputs", too
    QVERIFY2(list.list()->item(0)->text().contains(QLatin1String("Take out")),
             qPrintable(list.list()->item(0)->text()));
    list.field()->selectAll();
    QTest::keyClicks(list.field(), "qqqq");
    QCOMPARE(list.list()->count(), 1);
    QVERIFY(!(list.list()->item(0)->flags() & Qt::ItemIsEnabled));
    QTest::qWait(20);
    QVERIFY2(list.field()->height() >= list.field()->minimumSizeHint().height(),
             qPrintable(QString::number(list.field()->height())));
    QTest::keyClick(list.field(), Qt::Key_Return);
    QTest::keyClick(list.field(), Qt::Key_Escape);
    QVERIFY(!list.isVisible());
  }

  // What is called exactly so is first; the menus that it is in tell it from its namesakes.
  void theSourcePanelByItsName() {
    hand_->add("f32[4]");
    press(Qt::Key_K, Qt::ControlModifier);
    QuickList& list = navigation().list();
    QTest::keyClicks(list.field(), "source");
    QVERIFY(list.list()->count() > 1);
    QVERIFY2(list.list()->item(0)->text().startsWith(QStringLiteral("View › Panels › Source ")),
             qPrintable(list.list()->item(0)->text()));
    QTest::keyClick(list.field(), Qt::Key_Escape);
  }

  // A name that begins with the words is before one that has their letters somewhere.
  void commandsThatBeginWithTheWords() {
    const InstructionId x = hand_->add("f32[4]");
    hand_->document().perform({"Rename", {Rename{x, "first_input"}}});
    hand_->settle();
    press(Qt::Key_K, Qt::ControlModifier);
    QuickList& list = navigation().list();
    QTest::keyClicks(list.field(), "fit");
    QStringList lines;
    for (int row = 0; row < list.list()->count(); ++row) lines << list.list()->item(row)->text();
    QVERIFY2(lines[0].contains(QStringLiteral("› Fit ")), qPrintable(lines.join('\n')));
    QVERIFY2(lines.join('\n').contains(QStringLiteral("first_input")), qPrintable(lines.join('\n')));
    QTest::keyClick(list.field(), Qt::Key_Escape);
  }

  void commandsByName() {
    const InstructionId x = hand_->add("f32[4]");
    const InstructionId e = hand_->add("exp");
    hand_->click(e);
    press(Qt::Key_P, Qt::ControlModifier | Qt::ShiftModifier);
    take("uplicate");
    QCOMPARE(hand_->module().at(hand_->module().entry()).instructions.size(), size_t{3});
    QVERIFY(hand_->at(hand_->selected()).operands[0] == x);
  }

  void aSizeEverywhere() {
    const InstructionId x = hand_->add("f32[4,8]");
    hand_->add("matmul f32[8,16]");
    hand_->add("add f32[16]");
    const std::string before = hand_->text();
    hand_->click(x);
    press(Qt::Key_S, {});
    SizePanel& panel = hand_->window().pane().arrangement().sizes();
    QVERIFY(panel.isVisible());
    panel.dimensions()->setCurrentIndex(1);
    panel.nameField()->setText("H");
    panel.sizeField()->setFocus();
    panel.sizeField()->selectAll();
    QTest::keyClicks(panel.sizeField(), "5");
    QTRY_VERIFY(panel.changes()->count() >= 2);
    QVERIFY(panel.changes()->item(0)->text().contains("f32[4,5]"));
    QTest::keyClick(panel.sizeField(), Qt::Key_Return);
    hand_->settle();
    QVERIFY(!panel.isVisible());
    QCOMPARE(hand_->shape(x), std::string("f32[4,5]"));
    for (const Diagnostic& d : hand_->document().diagnostics())
      QVERIFY2(d.severity != Severity::Error, d.toString().c_str());
    hand_->undoAll();
    hand_->redoAll();
    QCOMPARE(hand_->shape(x), std::string("f32[4,5]"));
    hand_->undo();
    QCOMPARE(hand_->text(), before);
  }

  void choicesOfASizeTakeNoMoreRoomThanTheyNeed() {
    const InstructionId x = hand_->add("f32[4,8]");
    hand_->add("matmul f32[8,8]");
    hand_->click(x);
    press(Qt::Key_S, {});
    SizePanel& panel = hand_->window().pane().arrangement().sizes();
    panel.dimensions()->setCurrentIndex(1);
    QCoreApplication::processEvents();
    const auto lists = panel.findChildren<QListWidget*>();
    QCOMPARE(lists.size(), 2);
    QCOMPARE(lists[0]->count(), 1);  // W1:1 too
    QVERIFY(lists[0]->isVisible());
    QVERIFY2(lists[0]->height() < 3 * lists[0]->sizeHintForRow(0), qPrintable(QString::number(lists[0]->height())));
    QVERIFY(lists[1]->height() > 5 * lists[0]->height());
    QTest::keyClick(&panel, Qt::Key_Escape);
  }

  // Of a large graph by a worker; what is asked meanwhile counts.
  void aSizeOfALargeGraphDoesNotHoldTheWindowUp() {
    std::string text = "HloModule m\nENTRY main {\n  x0 = f32[8] parameter(0)\n";
    for (int i = 1; i <= 4000; ++i)
      text += "  x" + std::to_string(i) + " = f32[8] negate(x" + std::to_string(i - 1) + ")\n";
    hand_->openText((text + "  ROOT r = f32[8] abs(x4000)\n}").c_str(), false);
    SizePanel& panel = hand_->window().pane().arrangement().sizes();
    QVERIFY(panel.openFor(hand_->named("x0")));
    QVERIFY(!panel.button()->isEnabled());
    panel.sizeField()->selectAll();
    QTest::keyClicks(panel.sizeField(), "5");
    QTRY_VERIFY_WITH_TIMEOUT(panel.button()->isEnabled(), 20000);
    QCOMPARE(panel.sizeField()->text(), QString("5"));
    QTest::mouseClick(panel.button(), Qt::LeftButton);
    hand_->settle();
    QCOMPARE(hand_->shape(hand_->named("r")), std::string("f32[5]"));
    // Another document ends what is being followed.
    QVERIFY(panel.openFor(hand_->named("x0")));
    hand_->openText("HloModule n\nENTRY main {\n  ROOT x = f32[4] parameter(0)\n}", false);
    QVERIFY(!panel.isVisible());
    QTest::qWait(200);
    QVERIFY(!panel.button()->isEnabled());
  }

  void whatAWireWouldDo() {
    const InstructionId a = hand_->add("f32[4]");
    hand_->document().select({});
    const InstructionId b = hand_->add("f32[4]");
    hand_->click(a);
    const InstructionId n = hand_->add("negate");
    const InstructionId e = hand_->add("exp");
    hand_->document().select({});
    const InstructionId wide = hand_->add("f32[7]");
    hand_->carry(hand_->outputOf(wide), hand_->inputOf(n, 0));
    QVERIFY(!hand_->canvas().highlights().preview().empty());
    bool downstream = false;
    for (const NodePreview& each : hand_->canvas().highlights().preview())
      downstream = downstream || (each.instruction == e && each.text.contains("f32[7]"));
    QVERIFY(downstream);
    QTest::keyClick(&hand_->canvas(), Qt::Key_Escape);
    QVERIFY(hand_->canvas().highlights().preview().empty());
    QVERIFY(hand_->at(n).operands[0] == a && b.valid());
  }
};

TESSERA_QT_TEST(navigation_test, NavigationTest)
}  // namespace tessera::navigation_test
#include "navigation_test.moc"
