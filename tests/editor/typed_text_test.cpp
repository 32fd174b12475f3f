// HLO text typed into the text panel: what becomes an edit, what is refused where, with real key events.
#include <QPlainTextEdit>
#include <QPushButton>
#include <QSignalSpy>
#include <QTest>
#include <QToolButton>

#include "app/studio/window/panels.h"
#include "core/edit/text_edit.h"
#include "editor/panels/text/hlo_edit.h"
#include "editor/panels/text/text_panel.h"
#include "tests/editor/hand.h"
#include "tests/editor/qt_tests.h"

namespace tessera::typed_text_test {

class TypedTextTest : public QObject {
  Q_OBJECT

 private:
  std::unique_ptr<Hand> hand_;

  Hand& hand() { return *hand_; }
  void openText(const char* text, const char* select) {
    hand().openText(text);
    hand().document().select({hand().named(select)});
    hand().settle();
    QCoreApplication::processEvents();
  }
  HloEdit* editing() {
    TextPanel* panel = hand().window().panels().text;
    hand().window().panels().raise("text");
    QTest::mouseClick(panel->editButton(), Qt::LeftButton);
    return panel->edit();
  }
  void typed(HloEdit* edit, const char* from, const char* to) {
    QPlainTextEdit* field = edit->field();
    field->moveCursor(QTextCursor::Start);
    QVERIFY2(field->find(QLatin1String(from)), qPrintable(field->toPlainText()));
    field->setFocus();
    QTest::keyClicks(field, to);
    edit->readNow();
    hand().settle();
  }

 private slots:
  void init() { hand_ = std::make_unique<Hand>(); }
  void cleanup() { hand_.reset(); }

  // --- the text
  void typedTextBecomesAnEditThatKeepsWhatStays() {
    openText(
        "HloModule m\nENTRY main {\n  x = f32[4] parameter(0)\n  y = f32[4] negate(x)\n  ROOT z = f32[4] add(y, x)\n}",
        "y");
    const InstructionId z = hand().named("z"), y = hand().named("y");
    const std::string before = hand().text();
    HloEdit* edit = editing();
    typed(edit, "negate", "tanh");
    QVERIFY(hand().at(hand().named("y")).opcode == Opcode::Tanh);
    QVERIFY(hand().named("z") == z);
    QVERIFY(hand().at(z).operands[0] == hand().named("y"));
    hand().undo();
    QCOMPARE(hand().text(), before);
    QVERIFY2(edit->field()->toPlainText().contains("negate"),
             qPrintable(edit->field()->toPlainText()));  // the text follows
    QVERIFY(hand().named("y") == y);
    typed(edit, "f32[4]{0} negate", "f32[5]{0} negate");  // a shape that does not follow
    QVERIFY(!edit->errorText().isEmpty());
    QCOMPARE(hand().text(), before);
  }

  // What is typed is of the computation and the file whose text stands there.
  void brokenTextDoesNotGoIntoAnotherComputation() {
    const char* calls =
        "HloModule m\ntwice { p = f32[4] parameter(0) ROOT q = f32[4] add(p, p) }\nENTRY main {\n  x = f32[4] "
        "parameter(0)\n  ROOT c = f32[4] call(x), to_apply=twice\n}";
    openText(calls, "c");
    const std::string before = hand().text();
    HloEdit* edit = editing();
    typed(edit, "call(", "call(w");
    QVERIFY(!edit->errorText().isEmpty());
    hand().document().view().showComputation(*hand().module().findComputation("twice"));
    hand().settle();
    QVERIFY2(edit->field()->toPlainText().contains("add("), qPrintable(edit->field()->toPlainText()));
    edit->readNow();
    hand().settle();
    QCOMPARE(hand().text(), before);
    // Into another file neither.
    typed(edit, "add(", "ad(");
    openText("HloModule n\nENTRY main {\n  ROOT x = f32[4] parameter(0)\n}", "x");
    QVERIFY2(!edit->field()->toPlainText().contains("ad("), qPrintable(edit->field()->toPlainText()));
  }

  void textThatIsTooLargeToEditIsNotPrinted() {
    std::string text = "HloModule m\nENTRY main {\n  x0 = f32[] parameter(0)\n";
    for (int i = 1; i <= 5001; ++i)
      text += "  x" + std::to_string(i) + " = f32[] negate(x" + std::to_string(i - 1) + ")\n";
    hand().openText((text + "  ROOT r = f32[] abs(x5001)\n}").c_str(), false);
    HloEdit* edit = editing();
    QVERIFY(edit->field()->isReadOnly());
    QSignalSpy filled(edit->field(), &QPlainTextEdit::textChanged);
    hand().document().perform({"Rename", {Rename{hand().named("r"), "last"}}});
    hand().settle();
    QCOMPARE(filled.count(), 0);
  }

  void whatDoesNotReadIsMarkedInItsPlace() {
    openText("HloModule m\nENTRY main {\n  x = f32[4] parameter(0)\n  ROOT y = f32[4] negate(x)\n}", "y");
    const std::string before = hand().text();
    HloEdit* edit = editing();
    typed(edit, "negate(", "negate(w");
    QVERIFY2(edit->errorText().contains("w"), qPrintable(edit->errorText()));
    QCOMPARE(edit->errorLine(), 2);
    QCOMPARE(hand().text(), before);
    typed(edit, "negate(w", "negate(");
    QVERIFY(edit->errorText().isEmpty());
    TextPanel* panel = hand().window().panels().text;
    panel->findField()->setText("negate");
    QTest::keyClicks(panel->replaceField(), "abs");
    QTest::keyClick(panel->replaceField(), Qt::Key_Return);
    hand().settle();
    QVERIFY2(hand().text().find("abs(") != std::string::npos, hand().text().c_str());
  }

  void linesAreAddedAndRenamed() {
    openText("HloModule m\nENTRY main {\n  x = f32[4] parameter(0)\n  ROOT y = f32[4] negate(x)\n}", "y");
    const InstructionId y = hand().named("y");
    const auto renamed = editFromText(hand().module(), hand().module().entry(),
                                      "ENTRY %main (x: f32[4]) -> f32[4] {\n  %x = f32[4]{0} parameter(0)\n  %two = "
                                      "f32[] constant(2)\n  %twos = f32[4]{0} broadcast(%two), dimensions={}\n  %less "
                                      "= f32[4]{0} negate(%x)\n  ROOT %sum = f32[4]{0} add(%less, %twos)\n}\n");
    QVERIFY2(renamed.has_value(), renamed ? "" : renamed.error().message.c_str());
    hand().document().perform(*renamed);
    hand().settle();
    QVERIFY(hand().named("less") == y);
    QVERIFY(hand().at(hand().module().entryComputation().root).name == "sum");
    QVERIFY(hand().document().diagnostics().empty());
  }
};

TESSERA_QT_TEST(typed_text_test, TypedTextTest)
}  // namespace tessera::typed_text_test
#include "typed_text_test.moc"
