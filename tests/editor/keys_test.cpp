// Building without a pointer: sources of inputs by key and name, an operation in place of another, selections, and the
// menus of node, port, wire, group and page with their keys.
#include <QMenu>
#include <QMenuBar>
#include <QSignalSpy>
#include <QTest>
#include <QTextBrowser>
#include <map>

#include "app/studio/window/panels.h"
#include "editor/controllers/run_controller.h"
#include "editor/document/player.h"
#include "editor/panels/inspect/inspector.h"
#include "editor/panels/popups/source_pick.h"
#include "editor/panels/run/run_panel.h"
#include "editor/values/value_panel.h"
#include "editor/values/value_view.h"
#include "tests/editor/hand.h"
#include "tests/editor/qt_tests.h"

namespace tessera::keys_test {

class KeysTest : public QObject {
  Q_OBJECT

 private:
  std::unique_ptr<Hand> hand_;
  Hand& hand() { return *hand_; }
  static constexpr const char* kText = R"(HloModule m
block { p = f32[4] parameter(0)
  ROOT y = f32[4] tanh(p) }
ENTRY main {
  a = f32[4] parameter(0)
  b = f32[4] parameter(1)
  called = f32[4] call(a), to_apply=block
  s = f32[4] add(called, b)
  t = f32[4] exponential(s)
  u = f32[4] exponential(t)
  ROOT r = f32[4] multiply(u, b)
})";

  void checkNoErrors() {
    for (const Diagnostic& d : hand().document().diagnostics())
      QVERIFY2(d.severity != Severity::Error, d.message.c_str());
  }
  void checkBudget(const char* task, int budget) {
    std::printf("gestures by keys alone: %s %d of %d\n", task, hand().gestures, budget);
    QVERIFY2(hand().gestures <= budget, task);
  }
  // The list of what fits is open: what is typed chooses.
  void choose(const char* words) {
    SourcePick& pick = hand().window().pane().graphEdit().sources();
    QVERIFY(pick.isVisible());
    hand().type(pick.field(), words);
    hand().enter(pick.field());
    QVERIFY(!pick.isVisible());
  }
  // By the list of places: a computation is shown, an instruction selected.
  void goTo(const char* words) {
    hand().key(Qt::Key_K, Qt::ControlModifier);
    auto* field = qobject_cast<QLineEdit*>(QApplication::focusWidget());
    QVERIFY(field);
    hand().type(field, words);
    hand().enter(field);
  }
  QMenu* menu() {
    const auto menus = hand().canvas().findChildren<QMenu*>(QStringLiteral("canvas-menu"));
    for (QMenu* each : menus)
      if (each->isVisible()) return each;
    return nullptr;
  }
  QMenu* menuAt(QPoint at) {
    QContextMenuEvent event(QContextMenuEvent::Mouse, at, hand().canvas().mapToGlobal(at));
    QApplication::sendEvent(&hand().canvas(), &event);
    return menu();
  }
  static QStringList textsOf(const QMenu* menu) {
    QStringList out;
    for (QAction* action : menu ? menu->actions() : QList<QAction*>())
      if (action->menu())
        out << textsOf(action->menu());
      else if (!action->isSeparator())
        out << action->text().remove(QLatin1Char('&')).section(QLatin1Char('\t'), 0, 0);
    return out;
  }
  void take(QMenu* menu, const char* text) {
    for (QAction* action : menu->actions())
      if (action->text().remove(QLatin1Char('&')).startsWith(QLatin1String(text))) {
        action->trigger();
        menu->close();
        return hand().settle();
      }
    QFAIL(text);
  }
  static QStringList lettersOf(const QMenu* menu) {
    QStringList out;
    for (const QAction* action : menu ? menu->actions() : QList<QAction*>())
      if (!action->isSeparator()) out << QKeySequence::mnemonic(action->text()).toString();
    return out;
  }
  // Each item has a letter of its own that is underlined; lists of files, panels and the like have none.
  static void checkLetters(const QMenu* menu) {
    QStringList letters = lettersOf(menu);
    for (const QAction* action : menu ? menu->actions() : QList<QAction*>())
      if (const QMenu* inner = action->menu(); inner && !inner->isEmpty() && !lettersOf(inner).front().isEmpty())
        checkLetters(inner);
    QVERIFY2(!letters.contains(QString()), qPrintable(textsOf(menu).join(QStringLiteral(" | "))));
    const qsizetype items = letters.size();
    letters.removeDuplicates();
    QVERIFY2(letters.size() == items, qPrintable(textsOf(menu).join(QStringLiteral(" | "))));
  }
  QPoint onWire(const char* value, const char* user) {
    const auto& view = *hand().canvas().view();
    for (size_t e = 0; e < view.edges.size(); ++e) {
      if (view.edges[e].value != hand().named(value) || view.edges[e].to != view.boxOf(hand().named(user))) continue;
      const auto& route = hand().document().view().scene().arrangement->routes[e];
      const PointF a = route[route.size() - 2], b = route.back();
      return hand().canvas().viewport().toWidget(QPointF((a.x + b.x) / 2, (a.y + b.y) / 2)).toPoint();
    }
    return {};
  }

 private slots:
  void init() { hand_ = std::make_unique<Hand>(); }
  void cleanup() { hand_.reset(); }

  // No pointer at all: what stands where is said by names.
  void softmaxByKeysAlone() {
    hand().addMore("f32[2,3]");
    hand().addMore("reduce max");
    hand().addMore("subtract lhs=parameter");
    hand().addMore("exp");
    hand().addMore("reduce sum");
    const InstructionId y = hand().addLast("divide lhs=exponential");
    checkNoErrors();
    QVERIFY(hand().module().entryComputation().root == y);
    QCOMPARE(hand().shape(y), std::string("f32[2,3]"));
    for (InstructionId operand : hand().at(y).operands) QVERIFY(operand.valid());
    checkBudget("softmax", 14);
    hand().undoAll();
    QVERIFY(hand().module().entryComputation().instructions.empty());
  }

  // A node that is built by choosing what feeds it becomes the result, as one that is added does.
  void theResultFollowsWhatIsPicked() {
    const InstructionId x = hand().add("f32[2,3]");
    hand().add("exp");
    const InstructionId power = hand().selected();
    const InstructionId sum = hand().add("reduce sum");
    QVERIFY(hand().module().entryComputation().root == sum);
    hand().key(Qt::Key_Left);  // a new graph flows to the right
    QVERIFY(hand().selected() == power);
    const InstructionId y = hand().add("divide");
    QVERIFY(hand().module().entryComputation().root == sum);
    hand().key(Qt::Key_Return);
    choose("reduce sum");
    QVERIFY(hand().module().entryComputation().root == y);
    QVERIFY(x.valid());
    hand().undo();
    QVERIFY(hand().module().entryComputation().root == sum);
  }

  void aNameThatMeansNothingIsTold() {
    hand().add("f32[4]");
    const std::string before = hand().text();
    QSignalSpy told(&hand().window().pane().graphEdit(), &GraphEditController::explained);
    hand().add("subtract lhs=nobody");
    QCOMPARE(hand().text(), before);
    QCOMPARE(told.size(), 1);
    QVERIFY(told[0][0].toString().contains(QLatin1String("nobody")));
  }

  void perceptronByKeysAlone() {
    for (const char* line : {"f32[4,8]", "matmul f32[8,16]", "add f32[16]", "relu", "matmul f32[16,3]"})
      hand().addMore(line);
    hand().addLast("add f32[3]");
    checkNoErrors();
    QCOMPARE(hand().shape(hand().module().entryComputation().root), std::string("f32[4,3]"));
    checkBudget("two-layer perceptron", 14);
  }

  void convolutionByKeysAlone() {
    hand().addMore("f32[1,8,8,3]");
    const InstructionId y = hand().addLast("conv f32[3,3,3,4]");
    checkNoErrors();
    QCOMPARE(hand().shape(y), std::string("f32[1,8,8,4]"));
    checkBudget("convolution", 5);
  }

  // Doubles what it carries ten times: the body is entered, and what it gives is chosen, by name.
  void countingLoopByKeysAlone() {
    hand().addMore("f32[4]");
    hand().addLast("counting loop");
    goTo("loop.body");
    hand().add("multiply 2 lhs=carried.1");
    const InstructionId doubled = hand().selected();
    goTo("state.next");
    hand().key(Qt::Key_2);
    choose("multiply");
    QVERIFY(hand().at(hand().named("state.next")).operands[1] == doubled);
    checkNoErrors();
    checkBudget("counting loop", 20);
    hand().undoAll();
    QVERIFY(hand().module().entryComputation().instructions.empty());
  }

  void embeddingAndAttentionByKeysAlone() {
    hand().addMore("s32[2,6]");
    hand().addMore("embedding lookup f32[10,8]");
    const InstructionId y = hand().addLast("attention");
    checkNoErrors();
    QCOMPARE(hand().shape(y), std::string("f32[2,6,8]"));
    checkBudget("embedding and attention", 12);
  }

  // The loss of a perceptron alone is selected: its weights are what a step changes.
  void trainingStepByKeysAlone() {
    for (const char* line : {"f32[4,8]", "matmul f32[8,16]", "add f32[16]", "relu", "matmul f32[16,3]"})
      hand().addMore(line);
    hand().addLast("add f32[3]");
    hand().gestures = 0;
    hand().addMore("mse");
    hand().addLast("training step 0.1");
    checkNoErrors();
    QCOMPARE(hand().shape(hand().module().entryComputation().root),
             std::string("(f32[8,16], f32[16], f32[16,3], f32[3], f32[])"));
    checkBudget("training step of a perceptron, beside it", 10);
  }

  void gameOfLifeByKeysAlone() {
    hand().addMore("pred[8,8]");
    hand().addMore("convert s32[8,8]");
    hand().addMore("reduce-window sum");
    hand().addMore("compare 3 direction=EQ");
    hand().addMore("compare 4 lhs=reduce-window direction=EQ");
    hand().addMore("and rhs=parameter");
    hand().addLast("or rhs=compare");
    checkNoErrors();
    QCOMPARE(hand().shape(hand().selected()), std::string("pred[8,8]"));
    checkBudget("game of life", 25);
  }

  void aDigitChoosesForAnInputThatIsWired() {
    hand().openText(kText, false);
    hand().document().select({hand().named("r")});
    const std::string before = hand().text();
    hand().key(Qt::Key_2);
    choose("t");
    QVERIFY(hand().at(hand().named("r")).operands[1] == hand().named("t"));
    checkOneStep(hand(), before);
  }

  void aValueIsTypedWhereASourceIsChosen() {
    hand().add("f32[4]");
    const InstructionId sum = hand().add("add");
    hand().key(Qt::Key_Return);
    choose("2.5");
    QVERIFY(hand().at(sum).operands[1].valid());
    checkNoErrors();
    QVERIFY(hand().text().find("2.5") != std::string::npos);
  }

  void anOperationGivesWayToAnotherThatFits() {
    hand().openText(kText, false);
    hand().document().select({hand().named("t")});
    const std::string before = hand().text();
    hand().key(Qt::Key_H, Qt::ControlModifier);
    QVERIFY(hand().window().addSearch().isVisible());
    const InstructionId made = hand().take("cosine");
    QVERIFY(hand().at(made).opcode == Opcode::Cosine);
    QVERIFY(hand().at(made).operands[0] == hand().named("s"));
    QVERIFY(hand().at(hand().named("u")).operands[0] == made);
    QVERIFY(!hand().module().findInstruction("t"));
    checkOneStep(hand(), before);
  }

  void whatDoesNotFitIsNotOffered() {
    hand().openText(kText, false);
    hand().document().select({hand().named("t")});
    hand().key(Qt::Key_H, Qt::ControlModifier);
    AddSearch& search = hand().window().addSearch();
    search.field()->setText(QStringLiteral("transpose"));  // of four numbers it may give the same shape
    search.field()->setText(QStringLiteral("dot"));
    for (int row = 0; row < search.list()->count(); ++row)
      QVERIFY2(!search.list()->item(row)->text().startsWith(QLatin1String("dot")),
               qPrintable(search.list()->item(row)->text()));
  }

  void selectionsByKey() {
    hand().openText(kText, false);
    hand().key(Qt::Key_A, Qt::ControlModifier);
    QCOMPARE(hand().document().selection().size(), size_t{7});
    hand().document().select({hand().named("t")});
    hand().key(Qt::Key_I, Qt::ControlModifier);
    QCOMPARE(hand().document().selection().size(), size_t{6});
    hand().document().select({hand().named("t")});
    hand().key(Qt::Key_G, Qt::ShiftModifier);
    QCOMPARE(hand().document().selection().size(), size_t{2});
  }

  // --- menus

  void everyKindOfThingHasItsMenu() {
    hand().openText(kText, false);
    const auto holds = [&](QPoint at, std::initializer_list<const char*> wanted) {
      QMenu* shown = menuAt(at);
      const QStringList texts = textsOf(shown);
      for (const char* each : wanted)
        QVERIFY2(texts.contains(QString::fromUtf8(each)),
                 qPrintable(QString::fromUtf8(each) + QStringLiteral(" in ") + texts.join(QStringLiteral(" | "))));
      checkLetters(shown);
      if (shown) shown->close();
      hand().settle();
    };
    holds(hand().bodyOf(hand().named("t")), {"Replace by another operation …", "Delete and reconnect",
                                             "Mute (bypassed when run)", "Select all of the same kind"});
    holds(hand().inputOf(hand().named("s"), 1), {"Choose what feeds it …", "Unwire"});
    holds(hand().outputOf(hand().named("s")), {"Add what takes it …", "Make it the result"});
    holds(onWire("t", "u"), {"Add an operation into it …", "Cut the wire", "Add a point"});
    hand().document().view().toggleGroup(QStringLiteral("called"));  // small calls open by themselves
    hand().settle();
    holds(hand().bodyOf(hand().named("called")), {"Open the group", "Show what it calls", "Inline calls and fusions"});
    holds(hand().emptyPlace(), {"Add an operation …", "Paste", "Select all", "Tidy all, or the selection"});
  }

  void itemsShowTheirKeysAndAct() {
    hand().openText(kText, false);
    QMenu* shown = menuAt(hand().bodyOf(hand().named("t")));
    QVERIFY(shown);
    QVERIFY(hand().selected() == hand().named("t"));  // what the menu is for is selected
    for (QAction* action : shown->actions())
      if (action->text().contains(QLatin1String("Delete and"))) {
        QCOMPARE(action->shortcut(), QKeySequence(Qt::Key_Delete));
        QVERIFY(action->isShortcutVisibleInContextMenu());
      }
    take(shown, "Delete and reconnect");
    QVERIFY(!hand().module().findInstruction("t"));
    QVERIFY(hand().at(hand().named("u")).operands[0] == hand().named("s"));
    take(menuAt(onWire("s", "u")), "Cut the wire");
    QVERIFY(!hand().at(hand().named("u")).operands[0].valid());
    take(menuAt(hand().inputOf(hand().named("u"), 0)), "Choose what feeds it");
    choose("called");
    QVERIFY(hand().at(hand().named("u")).operands[0] == hand().named("called"));
  }

  // The canvas still has the focus behind the menu.
  void lettersInAnOpenMenuAreTheMenus() {
    hand().openText(kText, false);
    const auto muted = [&] { return hand().document().muted(); };
    hand().click(hand().named("t"));
    hand().key(Qt::Key_M);
    QCOMPARE(muted().size(), size_t{1});
    hand().key(Qt::Key_M);  // with no menu open it is the canvas's key
    QVERIFY(muted().empty());
    QMenu* shown = menuAt(hand().bodyOf(hand().named("t")));
    for (const Qt::Key key : {Qt::Key_J, Qt::Key_Delete, Qt::Key_Tab}) QTest::keyClick(shown, key);
    QVERIFY(menu() == shown);
    QTest::keyClick(shown, Qt::Key_M);
    hand().settle();
    QVERIFY(!menu());
    QCOMPARE(muted(), std::vector{hand().named("t")});
    QMenu* file = hand().window().menuBar()->actions().front()->menu();
    file->popup(hand().window().mapToGlobal(QPoint(0, 20)));
    QTest::keyClick(file, Qt::Key_Delete);
    QTest::keyClick(file, Qt::Key_Escape);
    hand().settle();
    QVERIFY(hand().module().findInstruction("t"));
    QCOMPARE(muted().size(), size_t{1});
  }

  void lettersOfEveryMenuAreItsOwn() {
    hand().openText(kText, false);
    const auto menus = hand().window().menuBar()->actions();
    QVERIFY(menus.size() > 6);
    for (const QAction* each : menus) {
      QVERIFY2(each->menu() && !each->menu()->isEmpty(), qPrintable(each->text()));
      checkLetters(each->menu());
    }
  }

  // By keys: Alt, the letter of the menu, the letter of the item.
  void runSettingsAreInTheRunMenu() {
    hand().openText(kText, false);
    QMenu* run = nullptr;
    for (QAction* each : hand().window().menuBar()->actions())
      if (each->text().contains(QLatin1String("Run"))) run = each->menu();
    QVERIFY(run && !hand().window().panels().run->isVisible());
    run->popup(hand().window().mapToGlobal(QPoint(0, 20)));
    QTest::keyClick(run, Qt::Key_S);
    hand().settle();
    QVERIFY(hand().window().panels().run->isVisible());
  }

  // On a parameter, on the result and on its output; elsewhere it would be one item more to read past.
  void theMenusOfParameterAndResultFeedItBack() {
    hand().openText(kText);
    const Player& player = hand().window().pane().runController().player();
    const QString words = QStringLiteral("Feed the result back");
    const auto offers = [&](QPoint at) {
      QMenu* shown = menuAt(at);
      const bool out = textsOf(shown).contains(words);
      if (shown) shown->close();
      hand().settle();
      return out;
    };
    QVERIFY(!offers(hand().bodyOf(hand().named("t"))));
    QVERIFY(offers(hand().bodyOf(hand().named("a"))) && offers(hand().outputOf(hand().named("r"))));
    take(menuAt(hand().bodyOf(hand().named("r"))), "Feed the result back");
    QCOMPARE(player.feedback(), (std::map<int64_t, int64_t>{{0, 0}}));
    take(menuAt(hand().bodyOf(hand().named("a"))), "Feed the result back");
    QVERIFY(!player.feedsBack());
  }

  // A link of the inspector that is clicked goes to a node, and keys are the canvas's; who goes by keys stays there.
  void keysFollowALinkThatIsClicked() {
    hand().openText(kText, false);
    hand().window().panels().raise(QStringLiteral("inspector"));
    hand().document().select({hand().named("t")});
    hand().settle();
    auto* facts = hand().window().panels().inspector->findChild<QTextBrowser*>();
    const InstructionId operand = hand().named("s");
    const QString wanted = QStringLiteral("instruction:%1").arg(operand.value);
    const QWidget& page = *facts->viewport();
    const auto link = [&]() -> QPoint {
      for (int y = 0; y < page.height(); y += 4)
        for (int x = 0; x < page.width(); x += 4)
          if (facts->anchorAt(QPoint(x, y)) == wanted) return {x, y};
      return {-1, -1};
    };
    QVERIFY(link().x() >= 0);
    QTest::mouseClick(facts->viewport(), Qt::LeftButton, {}, link());
    QVERIFY(hand().selected() == operand);
    QVERIFY(QApplication::focusWidget() == &hand().canvas());
    QTest::keyClick(QApplication::focusWidget(), Qt::Key_M);
    hand().settle();
    QCOMPARE(hand().document().muted(), std::vector{operand});
    facts->setFocus();
    QTest::keyClick(facts, Qt::Key_Tab);
    const InstructionId before = hand().selected();
    QTest::keyClick(facts, Qt::Key_Return);
    hand().settle();
    QVERIFY(hand().selected() != before);
    QVERIFY(QApplication::focusWidget() == facts);
  }

  void aValueIsSeenByKey() {
    hand().openText(kText);
    hand().document().select({hand().named("t")});
    hand().key(Qt::Key_E, Qt::ShiftModifier);
    const ValuePanel& values = *hand().window().panels().value;
    QTRY_VERIFY(values.isVisible());
    QVERIFY2(values.current()->title().startsWith(QLatin1String("t ")), qPrintable(values.current()->title()));
  }

  void theMenuKeyOpensTheMenuOfTheSelection() {
    hand().openText(kText, false);
    hand().document().select({hand().named("t")});
    QContextMenuEvent event(QContextMenuEvent::Keyboard, QPoint(5, 5), hand().canvas().mapToGlobal(QPoint(5, 5)));
    QApplication::sendEvent(&hand().canvas(), &event);
    QVERIFY(menu() && textsOf(menu()).contains(QStringLiteral("Replace by another operation …")));
    menu()->close();
  }
};

TESSERA_QT_TEST(keys_test, KeysTest)
}  // namespace tessera::keys_test
#include "keys_test.moc"
