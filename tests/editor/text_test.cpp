// Typing HLO text as a person does: words are completed at the cursor, what does not read is underlined where it stands
// and listed, and an unfinished graph is typed, undone and run like any other.
#include <QHelpEvent>
#include <QListWidget>
#include <QPlainTextEdit>
#include <QStandardPaths>
#include <QTemporaryDir>
#include <QTest>
#include <QTextBlock>
#include <QToolButton>

#include "app/studio/window/panels.h"
#include "editor/panels/run/results_panel.h"
#include "editor/panels/text/text_panel.h"
#include "editor/text/completion.h"
#include "tests/editor/hand.h"
#include "tests/editor/qt_tests.h"

namespace tessera::text_test {
namespace {

QStringList wordsAt(const Module& module, const char* textWithBar) {
  std::string text = textWithBar;
  const size_t bar = text.find('|');
  text.erase(bar, 1);
  QStringList out;
  for (const Completion& each : completionsAt(module, text, bar).items) out << QString::fromStdString(each.text);
  return out;
}

}  // namespace

class TextTest : public QObject {
  Q_OBJECT

 private:
  std::unique_ptr<Hand> hand_;
  QTemporaryDir folder_;

  Hand& hand() { return *hand_; }
  HloEdit& edit() { return *hand().window().panels().text->edit(); }
  QPlainTextEdit* field() { return edit().field(); }
  CompletionList* list() { return edit().completion(); }
  void openText(const char* text) {
    const QString path = folder_.filePath("t.hlo");
    QFile file(path);
    if (!file.open(QIODevice::WriteOnly) || file.write(text) < 0) qFatal("cannot write a test file");
    file.close();
    hand().window().openFile(path);
    hand().settle();
    startTyping();
  }
  void startTyping() {
    hand().window().panels().raise(QStringLiteral("text"));
    hand().window().panels().text->editButton()->setChecked(true);
    field()->setFocus();
    QVERIFY(field()->hasFocus());
  }
  // The cursor behind the first place where these words stand.
  void goBehind(const char* words) {
    QTextCursor cursor = field()->document()->find(QString::fromLatin1(words), 0, QTextDocument::FindCaseSensitively);
    QVERIFY2(!cursor.isNull(), words);
    cursor.clearSelection();
    field()->setTextCursor(cursor);
  }
  void type(const char* words) { QTest::keyClicks(field(), QString::fromLatin1(words)); }
  void press(Qt::Key key, Qt::KeyboardModifiers modifiers = {}) { QTest::keyClick(field(), key, modifiers); }
  void read() {
    edit().readNow();
    hand().settle();
  }

 private slots:
  void init() {
    QStandardPaths::setTestModeEnabled(true);
    hand_ = std::make_unique<Hand>();
  }
  void cleanup() { hand_.reset(); }

  void eachPlaceHasItsWords() {
    const ReadResult read = readHloText(
        "HloModule m\n\nsum { x = f32[] parameter(0)\n y = f32[] parameter(1)\n ROOT s = f32[] add(x, y) }\n\nENTRY e "
        "{ ROOT c = f32[] constant(1) }\n");
    QVERIFY(read.module);
    const Module& m = *read.module;
    const char* const above = "ENTRY %e {\n  %one = f32[2] parameter(0)\n  %two = f32[3] negate(%one)\n";
    const auto at = [&](const char* line) { return wordsAt(m, (std::string(above) + line).c_str()); };
    QVERIFY(at("  %z = redu|").contains("reduce(") && at("  %z = redu|").contains("reduce-window("));
    QVERIFY(at("  %z = f3|").contains("f32["));
    QVERIFY(at("  %z = f32[2]{0} mult|") == QStringList{"multiply("});
    QVERIFY(!at("  %z = f32[2] f3|").contains("f32["));
    QCOMPARE(at("  %z = f32[2] add(|"), QStringList({"%two", "%one", "?"}));  // the nearest first
    QCOMPARE(at("  %z = f32[2] add(%one, %t|"), QStringList{"%two"});
    QCOMPARE(at("  %z = f32[2] add(%one, t|"), QStringList{"%two"});
    QVERIFY(at("  %z = f32[2] constant(|").isEmpty());
    QCOMPARE(at("  %z = f32[2] transpose(%one), |").first(), QStringLiteral("dimensions="));
    QVERIFY(!at("  %z = f32[2] gather(%one, %two), offset_dims={0}, |").contains("offset_dims="));
    QVERIFY(at("  %z = f32[2] gather(%one, %two), offset_dims={0}, s|").contains("slice_sizes="));
    QVERIFY(at("  %z = pred[2] compare(%one, %two), direction=|").contains("LT"));
    QCOMPARE(at("  %z = f32[] reduce(%one, %two), dimensions={0}, to_apply=%|"), QStringList{"%sum"});
    QVERIFY(at("  %z = f32[] reduce(%one, %two), dimensions={0}, to_apply=|").contains("?"));
    QVERIFY(at("  %z|").isEmpty());
    QVERIFY(at("  // red|").isEmpty());
    QVERIFY(at("  %z = f32[2] add(%one), metadata={op_name=\"re|").isEmpty());
    QVERIFY(at("  %z = junk(((|").contains("%one"));
    QVERIFY(at("|").isEmpty());
    const std::string whole =
        std::string(above) +
        "  ROOT %z = ?(f32[2], pred[]) sort(/*index=0*/%one, %two), dimensions={0}, is_stable=true, to_apply=%sum\n}\n";
    for (size_t cut = 0; cut <= whole.size(); ++cut) QVERIFY(completionsAt(m, whole, cut).begin <= cut);
  }

  void anOperationIsTypedWithItsNames() {
    openText(
        "HloModule m\n\nENTRY %main (x: f32[4]) -> f32[4] {\n  %x = f32[4]{0} parameter(0)\n  ROOT %y = f32[4]{0} "
        "negate(%x)\n}\n");
    goBehind("parameter(0)");
    press(Qt::Key_Return);
    type("  %both = mult");
    QVERIFY(list()->isVisible());
    QCOMPARE(list()->chosen(), QStringLiteral("multiply("));
    press(Qt::Key_Return);
    QVERIFY2(field()->toPlainText().contains("%both = multiply("), qPrintable(field()->toPlainText()));
    QVERIFY(list()->isVisible());  // the names that can stand there
    QCOMPARE(list()->words().first(), QStringLiteral("%x"));
    press(Qt::Key_Tab);
    type(", ");
    press(Qt::Key_Down);
    press(Qt::Key_Return);
    type(")");
    QVERIFY(!list()->isVisible());
    read();
    QVERIFY2(edit().errorText().isEmpty(), qPrintable(edit().errorText()));
    QCOMPARE(hand().shape(hand().named("both")), std::string("f32[4]"));
    hand().undoAll();
    QVERIFY(!hand().module().findInstruction("both"));
  }

  void theListIsLeftByEscAndAskedForByCtrlSpace() {
    openText(
        "HloModule m\n\nENTRY %main (x: f32[4]) -> f32[4] {\n  %x = f32[4]{0} parameter(0)\n  ROOT %y = f32[4]{0} "
        "negate(%x)\n}\n");
    goBehind("negate(%x)");
    press(Qt::Key_Space, Qt::ControlModifier);
    QVERIFY(!list()->isVisible());  // nothing can stand there
    goBehind("neg");
    press(Qt::Key_Space, Qt::ControlModifier);
    QVERIFY(list()->isVisible());
    const QString before = field()->toPlainText();
    press(Qt::Key_Escape);
    QVERIFY(!list()->isVisible());
    QCOMPARE(field()->toPlainText(), before);
    press(Qt::Key_Space, Qt::ControlModifier);
    hand().canvas().setFocus();
    QVERIFY(!list()->isVisible());
  }

  void whatDoesNotReadIsUnderlinedSaidAndListed() {
    openText(
        "HloModule m\n\nENTRY %main (x: f32[4]) -> f32[4] {\n  %x = f32[4]{0} parameter(0)\n  %a = f32[4]{0} "
        "negate(%x)\n  ROOT %y = f32[4]{0} add(%x, %a)\n}\n");
    goBehind("negate(%x");
    press(Qt::Key_Backspace);
    type("nobody");
    press(Qt::Key_Escape);
    goBehind("add(%x, %a");
    press(Qt::Key_Backspace);
    type("nothing");
    press(Qt::Key_Escape);
    read();
    QCOMPARE(edit().problems().size(), size_t{2});
    QCOMPARE(edit().list()->count(), 2);
    QVERIFY(edit().list()->isVisible());
    QCOMPARE(edit().errorLine(), 2);
    const auto& first = edit().problems().front();
    QCOMPARE(field()->toPlainText().mid(first.begin, first.end - first.begin), QStringLiteral("%nobody"));
    QVERIFY(field()->extraSelections().size() == 2);
    QCOMPARE(field()->extraSelections().at(0).format.underlineStyle(), QTextCharFormat::WaveUnderline);
    QTextCursor there(field()->document());
    there.setPosition(first.begin + 2);
    QVERIFY(edit().problemAt(field()->cursorRect(there).center()).contains("nobody"));
    QTest::mouseClick(edit().list()->viewport(), Qt::LeftButton, {},
                      edit().list()->visualItemRect(edit().list()->item(1)).center());
    QCOMPARE(field()->textCursor().blockNumber(), 3);
    goBehind("%nobody");
    for (int k = 0; k < 6; ++k) press(Qt::Key_Backspace);
    type("x");
    press(Qt::Key_Escape);
    read();
    QCOMPARE(edit().problems().size(), size_t{1});
  }

  // A line that ends in its comma is what is wrong, not the next one; it is said once what is expected.
  void aMissingAttributeIsUnderlinedAtItsComma() {
    openText(
        "HloModule m\n\nENTRY %main (x: f32[4]) -> f32[4] {\n  %x = f32[4]{0} parameter(0)\n  ROOT %y = f32[4]{0} "
        "negate(%x)\n}\n");
    goBehind("parameter(0)");
    press(Qt::Key_Return);
    type("%t = f32[4] transpose(%x),");
    press(Qt::Key_Escape);
    read();
    QCOMPARE(edit().problems().size(), size_t{1});
    const auto& problem = edit().problems().front();
    QCOMPARE(edit().errorLine(), 2);
    QCOMPARE(field()->toPlainText().mid(problem.begin, problem.end - problem.begin), QStringLiteral(","));
    QVERIFY2(problem.message.startsWith("line 3: an attribute is missing after the comma; expected NAME=VALUE"),
             qPrintable(problem.message));
    hand().document().undo();
  }

  void aNewLineStandsAsFarIn() {
    openText(
        "HloModule m\n\nENTRY %main (x: f32[4]) -> f32[4] {\n  %x = f32[4]{0} parameter(0)\n  ROOT %y = f32[4]{0} "
        "negate(%x)\n}\n");
    goBehind("parameter(0)");
    press(Qt::Key_Return);
    type("%z = f32[4] exponential(%x)");
    press(Qt::Key_Escape);
    QVERIFY(field()->toPlainText().contains("\n  %z = "));
    goBehind("f32[4] {");
    press(Qt::Key_Return);
    type("%w = f32[] constant(1)");
    QVERIFY(field()->toPlainText().contains("{\n  %w = "));
  }

  void anUnfinishedGraphIsTyped() {
    startTyping();
    QCOMPARE(field()->toPlainText(), QStringLiteral("ENTRY %main () -> ? {\n}\n"));
    goBehind("{");
    press(Qt::Key_Return);
    type("%x = f32[4] parameter(0)");
    press(Qt::Key_Return);
    type("%twice = ? add(%x, %x");
    press(Qt::Key_Escape);
    type(")");
    press(Qt::Key_Return);
    type("ROOT %open = ? multiply(%twice, ?");
    press(Qt::Key_Escape);
    type(")");
    read();
    QVERIFY2(edit().errorText().isEmpty(), qPrintable(edit().errorText() + "\n" + field()->toPlainText()));
    QCOMPARE(hand().module().instructionCount(), size_t{3});
    QVERIFY(!hand().at(hand().named("open")).operands[1].valid());
    QTRY_VERIFY(!edit().problems().empty());  // the open place, as the graph has it
    const auto& open = edit().problems().front();
    QVERIFY(open.reads && open.message.contains("operand 1"));
    QCOMPARE(field()->toPlainText().mid(open.begin, open.end - open.begin), QStringLiteral("?"));
    QVERIFY(hand().document().live().valueOf(hand().named("twice")));  // what is complete is live
    hand().document().run().start();
    hand().settle();
    QVERIFY(hand().document().run().outcome());
    QCOMPARE(hand().document().run().outcome()->names, std::vector<std::string>{"twice"});
    QCOMPARE(hand().document().run().outcome()->leftOut, std::vector<std::string>{"open"});
    QVERIFY2(hand().window().panels().results->summary().contains("open"),
             qPrintable(hand().window().panels().results->summary()));
    hand().undoAll();
    QCOMPARE(hand().module().instructionCount(), size_t{0});
    QTRY_COMPARE(field()->toPlainText(), QStringLiteral("ENTRY %main () -> ? {\n}\n"));
  }

  // Text is read after a pause; an undo before that takes back what was typed, and nothing comes after it.
  void undoTakesBackWhatWasNotReadYet() {
    const std::string empty = hand().text();
    hand().add("f32[4]");
    startTyping();
    hand().settle();
    const std::string first = hand().text();
    goBehind("{");
    press(Qt::Key_Return);
    type("%one = f32[] constant(1)");
    press(Qt::Key_Escape);
    hand().document().undo();
    hand().settle();
    QCOMPARE(hand().text(), first);
    hand().document().redo();
    hand().settle();
    QVERIFY(hand().module().findInstruction("one"));
    type(" ");
    hand().undoAll();
    QTest::qWait(400);
    hand().settle();
    QCOMPARE(hand().text(), empty);
    QVERIFY(!hand().document().canUndo());
  }

  // What does not read is taken back first, and brought again; the graph stays as it was meanwhile.
  void undoTakesBackWhatDoesNotRead() {
    const std::string empty = hand().text();
    hand().add("f32[4]");
    startTyping();
    hand().settle();
    const std::string graph = hand().text();
    const QString before = field()->toPlainText();
    goBehind("parameter(0)");
    type(", foo=3");
    read();
    const QString typed = field()->toPlainText();
    QVERIFY(!edit().errorText().isEmpty());
    for (int i = 0; i < 10 && field()->toPlainText() != before; ++i) hand().document().undo();
    QCOMPARE(field()->toPlainText(), before);
    QVERIFY2(edit().errorText().isEmpty(), qPrintable(edit().errorText()));
    hand().settle();
    QCOMPARE(hand().text(), graph);
    for (int i = 0; i < 10 && field()->toPlainText() != typed; ++i) hand().document().redo();
    QCOMPARE(field()->toPlainText(), typed);
    QCOMPARE(hand().text(), graph);
    for (int i = 0; i < 10 && field()->toPlainText() != before; ++i) hand().document().undo();
    QCOMPARE(edit().replaceAll(QStringLiteral("parameter(0)"), QStringLiteral("parameter(0")), 1);
    QVERIFY(!edit().errorText().isEmpty());
    hand().document().undo();
    QCOMPARE(field()->toPlainText(), before);
    hand().undoAll();
    QCOMPARE(hand().text(), empty);
    QVERIFY(!field()->toPlainText().contains("foo"));
  }

  void anUnfinishedGraphIsSavedAndOpenedAgain() {
    hand().add("gather");
    const std::string now = hand().text();
    QVERIFY(now.find("offset_dims=?") != std::string::npos);
    for (const char* name : {"u.hlo", "u.tessera"}) {
      QVERIFY(hand().document().file().save(folder_.filePath(name)));
      Hand next;
      next.window().openFile(folder_.filePath(name));
      next.settle();
      QCOMPARE(next.text(), now);
    }
    const Status refused = hand().document().file().save(folder_.filePath("u.pb"));
    QVERIFY(!refused && refused.error().message.find("is open") != std::string::npos);
    while (hand().document().canUndo()) hand().document().undo();
    hand().settle();
    for (const char* name : {"e.hlo", "e.tessera"}) {
      QVERIFY(hand().document().file().save(folder_.filePath(name)));
      Hand next;
      next.window().openFile(folder_.filePath(name));
      next.settle();
      QCOMPARE(next.text(), hand().text());
    }
  }

  void anOpenInputLeavesTheRestItsValuesWhenOpenedAgain() {
    hand().add("f32[4]");
    hand().add("tanh");
    hand().document().select({});
    const InstructionId open = hand().add("exp");
    QVERIFY(!hand().at(open).operands[0].valid());
    QVERIFY(hand().document().file().save(folder_.filePath("o.hlo")));
    Hand next;
    next.window().openFile(folder_.filePath("o.hlo"));
    next.settle();
    QTRY_VERIFY(next.document().live().trace());
  }
};

TESSERA_QT_TEST(text_test, TextTest)
}  // namespace tessera::text_test
#include "text_test.moc"
