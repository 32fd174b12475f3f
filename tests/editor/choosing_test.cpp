// What is chosen, said or dragged instead of being drawn: dimensions by letter, ready computations, numbers beside
// their readers, what can feed an open input; constants of called computations that become parameters; elements of a
// map one by one.
#include <QAction>
#include <QLabel>
#include <QTableWidget>
#include <QTest>
#include <QToolButton>

#include "app/studio/window/panels.h"
#include "core/hlo/numbers.h"
#include "editor/controllers/arrange_controller.h"
#include "editor/controllers/node_labels.h"
#include "editor/controllers/run_controller.h"
#include "editor/panels/banner.h"
#include "editor/panels/inspect/attribute_form.h"
#include "editor/panels/inspect/inspector.h"
#include "editor/panels/inspect/instruction_facts.h"
#include "editor/panels/size_panel.h"
#include "editor/values/call_bar.h"
#include "tests/editor/hand.h"
#include "tests/editor/qt_tests.h"

namespace tessera::choosing_test {

class ChoosingTest : public QObject {
  Q_OBJECT

 private:
  std::unique_ptr<Hand> hand_;

  Hand& hand() { return *hand_; }
  AttributeForm& form() { return *hand().window().panels().inspector->form(); }
  // Types over what the line holds; the focus leaves it at the end.
  void say(const char* line, const char* words) {
    QLineEdit* field = form().field(line);
    QVERIFY2(field, line);
    field->setFocus();
    field->selectAll();
    QTest::keyClicks(field, words);
    hand().settle();
  }
  void finish(const char* line) {
    QTest::keyClick(form().field(line), Qt::Key_Return);
    hand().settle();
  }
  double valueOf(const char* name) {
    const Literal* value = hand().document().live().valueOf(hand().named(name));
    return value ? loadDouble(value->shape().type, value->bytes().data()) : -1;
  }

 private slots:
  void init() { hand_ = std::make_unique<Hand>(); }
  void cleanup() { hand_.reset(); }

  void dimensionsAreSaidByLetterAndFromTheEnd() {
    hand().add("f32[2,3,4]");
    const InstructionId sum = hand().add("reduce sum");
    const std::string before = hand().text();
    say("dimensions", "{q}");
    QVERIFY2(form().errorOf("dimensions").contains("i, j, k"), qPrintable(form().errorOf("dimensions")));
    QCOMPARE(hand().text(), before);
    say("dimensions", "{i,k}");
    QVERIFY2(form().errorOf("dimensions").isEmpty(), qPrintable(form().errorOf("dimensions")));
    QCOMPARE(hand().shape(sum), std::string("f32[3]"));
    finish("dimensions");
    QCOMPARE(form().field("dimensions")->text(), QString("{0,2}"));
    hand().undo();
    QCOMPARE(hand().text(), before);
    hand().redo();
    QCOMPARE(hand().shape(sum), std::string("f32[3]"));
    say("dimensions", "{-3}");
    QCOMPARE(hand().shape(sum), std::string("f32[3,4]"));
  }

  void aSizesNameIsALetter() {
    const InstructionId x = hand().add("f32[2,3]");
    hand().click(x);
    QLineEdit* names = nullptr;
    for (QLineEdit* each : hand().window().panels().inspector->findChildren<QLineEdit*>())
      if (each->accessibleName() == "Size names") names = each;
    QVERIFY(names);
    names->setFocus();
    QTest::keyClicks(names, "B, T");
    QTest::keyClick(names, Qt::Key_Return);
    hand().settle();
    hand().click(x);
    const InstructionId sum = hand().add("reduce sum");
    say("dimensions", "{B}");
    QVERIFY2(form().errorOf("dimensions").isEmpty(), qPrintable(form().errorOf("dimensions")));
    QCOMPARE(hand().shape(sum), std::string("f32[3]"));
  }

  void aReadyReducerIsChosen() {
    hand().add("f32[2,3]");
    const InstructionId sum = hand().add("reduce sum");
    const std::string before = hand().text();
    say("to_apply", "maximum");
    finish("to_apply");
    QCOMPARE(form().field("to_apply")->text(), QString("%maximum.f32"));
    checkOneStep(hand(), before);
    QVERIFY(tooltipOf(hand().module(), sum).contains("no identity"));  // 0 was a sum's
    QVERIFY(!tooltipOf(hand().module(), hand().module().at(sum).operands[0]).contains("no identity"));
  }

  void aReadyComparatorIsChosen() {
    hand().openText(R"(HloModule s
less { a = f32[] parameter(0) b = f32[] parameter(1) c = s32[] parameter(2) d = s32[] parameter(3) ROOT )"
                    R"(before = pred[] compare(a, b), direction=LT }
ENTRY main {
  x = f32[4] constant({2, 1, 2, 1})
  i = s32[4] constant({1, 2, 0, 3})
  s = (f32[4], s32[4]) sort(x, i), dimensions={0}, to_apply=less
  ROOT keys = s32[4] get-tuple-element(s), index=1
})");
    hand().click(hand().named("s"));
    const std::string before = hand().text();
    say("to_apply", "lexicographic descending");
    finish("to_apply");
    QVERIFY(hand().document().diagnostics().empty());
    const auto order = hand().document().live().valueOf(hand().named("keys"))->data<int32_t>();
    QCOMPARE(std::vector<int32_t>(order.begin(), order.end()), (std::vector<int32_t>{1, 0, 3, 2}));
    checkOneStep(hand(), before);
  }

  void aNumberBesideItsReaderIsDragged() {
    hand().add("f32[4]");
    hand().add("multiply 2");
    const std::string before = hand().text();
    const InstructionId wide = hand().at(hand().named("multiply")).operands[1];
    QVERIFY(hand().at(wide).opcode == Opcode::Broadcast);
    const QPoint at = hand().bodyOf(wide);
    hand().drag(at, at + QPoint(50, 0));
    QVERIFY2(hand().text().find("constant(3)") != std::string::npos, hand().text().c_str());
    checkOneStep(hand(), before);
  }

  void theSearchSaysWhyItFindsNothing() {
    hand().add("f32[4]");
    const std::string before = hand().text();
    QTest::keyClick(&hand().canvas(), Qt::Key_Tab);
    AddSearch& search = hand().window().addSearch();
    QTRY_VERIFY(search.isVisible());
    for (const auto& [line, why] : {std::pair("exponential 3", "exponential takes no 3"),
                                    std::pair("no such thing", "Nothing has these words")}) {
      search.field()->clear();
      QTest::keyClicks(search.field(), line);
      QCOMPARE(search.list()->count(), 1);
      QCOMPARE(search.list()->item(0)->text(), QString(why));
      QTest::keyClick(search.field(), Qt::Key_Return);
      QVERIFY(search.isVisible());
    }
    QCOMPARE(hand().text(), before);
    QTest::keyClick(search.field(), Qt::Key_Escape);
  }

  void anOpenInputIsOfferedWhatFeedsIt() {
    hand().add("pred[2,3]");
    const InstructionId both = hand().add("and");
    hand().drag(hand().inputOf(both, 1), hand().emptyPlace());
    AddSearch& search = hand().window().addSearch();
    QVERIFY(search.isVisible());
    QTest::keyClicks(search.field(), "cosine");
    QCOMPARE(search.list()->currentRow(), -1);
    QCOMPARE(search.list()->item(0)->text(), QStringLiteral("Nothing of this name gives what is wanted"));
    search.field()->selectAll();
    const InstructionId made = hand().take("compare");
    QVERIFY(hand().at(made).opcode == Opcode::Compare);
    QVERIFY(hand().at(both).operands[1] == made);
  }

  // No rule says what the other side of a product is: the product itself does.
  void anOpenInputOfADotIsOfferedWhatItTakes() {
    hand().add("f32[2,3]");
    const InstructionId product = hand().add("dot");
    const std::string before = hand().text();
    hand().drag(hand().inputOf(product, 1), hand().emptyPlace());
    AddSearch& search = hand().window().addSearch();
    QVERIFY(search.isVisible());
    QVERIFY2(search.field()->placeholderText().startsWith("What gives f32[3"),
             qPrintable(search.field()->placeholderText()));
    QTest::keyClicks(search.field(), "compare");  // pred is no other side of f32
    QCOMPARE(search.list()->currentRow(), -1);
    search.field()->selectAll();
    const InstructionId made = hand().take("parameter");
    QVERIFY(hand().at(product).operands[1] == made);
    QVERIFY2(hand().document().diagnostics().empty(), hand().text().c_str());
    checkOneStep(hand(), before);
  }

  void anOpenInputIsNoMistake() {
    hand().add("f32[2,3]");
    const InstructionId sum = hand().add("add");
    QVERIFY(hand().canvas().highlights().marks().empty());  // its field says that it is open
    hand().drag(hand().outputOf(hand().named("parameter")), hand().emptyPlace());
    AddSearch& search = hand().window().addSearch();
    QTest::keyClicks(search.field(), "dot");
    QVERIFY(search.list()->count() > 0);  // its second input may stay open
    QTest::keyClick(search.field(), Qt::Key_Escape);
    hand().click(sum);
    hand().wire(hand().named("parameter"), sum, 1);
    hand().add("reduce sum");
    say("to_apply", "multiply");
    finish("to_apply");
    QCOMPARE(hand().canvas().highlights().marks().size(), size_t{1});
    QVERIFY(hand().canvas().highlights().marks()[0].second.contains("no identity"));
  }

  void whatExplainsStandsBesideTheCanvas() {
    hand().add("f32[4,2]");
    hand().add("counting loop");
    hand().click(hand().named("parameter"));
    hand().key(Qt::Key_S);
    SizePanel& sizes = hand().window().pane().arrangement().sizes();
    QVERIFY(sizes.isVisible());
    const auto place = [&](QWidget& widget) { return QRect(widget.mapTo(&hand().window(), QPoint()), widget.size()); };
    QVERIFY(!place(sizes).intersects(place(hand().canvas())));
    QTest::keyClick(&sizes, Qt::Key_Escape);
    QVERIFY(!sizes.isVisible() && hand().canvas().hasFocus());
    hand().document().view().showComputation(hand().module().findComputation("loop.body").value());
    hand().settle();
    CallBar& bar = hand().window().pane().runController().callBar();
    QTest::mouseClick(bar.tableButton(), Qt::LeftButton);
    hand().settle();
    QVERIFY(bar.table()->isVisible());
    QVERIFY(!place(*bar.table()).intersects(place(hand().canvas())));
    const QRectF state = hand().canvas().boxOf(hand().named("state"));
    QVERIFY(hand().canvas().viewport().toWidget(state.topLeft()).y() > bar.geometry().bottom());
    hand().document().view().showComputation(hand().module().entry());
    hand().settle();
    QVERIFY(!bar.table()->isVisible());
  }

  void aConstantOfACalledComputationBecomesItsParameter() {
    hand().openText(R"(HloModule m
scale { a = f32[] parameter(0) factor = f32[] constant(3) ROOT s = f32[] multiply(a, factor) }
ENTRY main {
  x = f32[] constant(5)
  ROOT u = f32[] call(x), to_apply=scale
})");
    hand().document().view().showComputation(hand().module().findComputation("scale").value());
    hand().settle();
    hand().click(hand().named("s"));
    const std::string before = hand().text();
    hand().key(Qt::Key_P, Qt::ControlModifier | Qt::AltModifier);
    QVERIFY2(!hand().window().banner().isVisible(), qPrintable(hand().window().banner().message()));
    QVERIFY(hand().at(hand().named("factor")).opcode == Opcode::Parameter);
    QCOMPARE(hand().at(hand().named("u")).operands.size(), size_t{2});
    QVERIFY(hand().document().diagnostics().empty());
    QCOMPARE(valueOf("u"), 15.0);
    checkOneStep(hand(), before);
  }

  void theWayIntoAComputationLeadsBack() {
    hand().add("f32[4]");
    hand().add("counting loop");
    auto* way = hand().window().findChild<QLabel*>("breadcrumbs");
    QVERIFY(way && way->text().isEmpty());
    hand().document().view().showComputation(hand().module().findComputation("loop.body").value());
    hand().settle();
    QVERIFY2(way->text().contains("main</a> › loop.body"), qPrintable(way->text()));
    QTest::mouseMove(way, QPoint(way->contentsRect().left() + 6, way->height() / 2));
    QTest::mouseClick(way, Qt::LeftButton, {}, QPoint(way->contentsRect().left() + 6, way->height() / 2));
    hand().settle();
    QVERIFY(hand().document().view().computation() == hand().module().entry());
    QVERIFY(way->text().isEmpty());
  }

  void aStepThatIsTakenBackShowsWhere() {
    hand().add("f32[4]");
    hand().add("negate");
    const InstructionId twice = hand().add("multiply 2");
    form().field("name")->setFocus();
    say("name", "double");
    finish("name");
    hand().undo();
    QVERIFY(hand().named("multiply") == twice);
    const auto glow = [&] {
      std::vector<InstructionId> out;
      for (const NodePreview& each : hand().canvas().highlights().preview()) out.push_back(each.instruction);
      return out;
    };
    QVERIFY(glow() == std::vector<InstructionId>{twice});
    QVERIFY2(hand().canvas().highlights().preview()[0].text.contains("undone: Rename"),
             qPrintable(hand().canvas().highlights().preview()[0].text));
    hand().redo();
    QVERIFY(glow() == std::vector<InstructionId>{twice});
    QTRY_VERIFY(hand().canvas().highlights().preview().empty());
  }

  void namesAndLayoutsAreWrittenUnderNodes() {
    const InstructionId x = hand().add("f32[4,2]");
    auto* labels = static_cast<NodeLabels*>(hand().window().findChild<QWidget*>("nodeLabels"));
    QVERIFY(labels && !labels->isVisible());
    const QImage before = hand().canvas().grab().toImage();
    for (QAction* action : hand().window().findChildren<QAction*>())
      if (action->text().contains("ames under nodes") || action->text().contains("ayouts under nodes"))
        action->trigger();
    QVERIFY(labels->isVisible());
    QCOMPARE(labels->textOf(x), QString("%parameter · {1,0}"));
    QVERIFY(hand().canvas().grab().toImage() != before);
    hand().click(x);  // the layer takes no mouse
    QVERIFY(hand().selected() == x);
  }

  void theBarGoesThroughTheElementsOfAMap() {
    hand().openText(R"(HloModule m
product { a = f32[] parameter(0) b = f32[] parameter(1) ROOT p = f32[] multiply(a, b) }
ENTRY main {
  x = f32[3] constant({1, 2, 3})
  y = f32[3] constant({4, 5, 6})
  ROOT m = f32[3] map(x, y), dimensions={0}, to_apply=product
})");
    hand().document().view().showComputation(hand().module().findComputation("product").value());
    hand().settle();
    CallBar& bar = hand().window().pane().runController().callBar();
    QVERIFY2(bar.words().contains("application 0 of 3"), qPrintable(bar.words()));
    bar.slider()->setFocus();
    QTest::keyClick(bar.slider(), Qt::Key_End);
    hand().settle();
    QCOMPARE(valueOf("p"), 18.0);
  }

  // Though the rows are made anew for each node.
  void tabGoesThroughTheInspectorFromTheTop() {
    hand().openText(R"(HloModule m
ENTRY main {
  a = f32[4] parameter(0)
  t = f32[4] exponential(a)
  ROOT b = f32[3,4] broadcast(t), dimensions={1}
})");
    Inspector& inspector = *hand().window().panels().inspector;
    hand().window().panels().raise(QStringLiteral("inspector"));
    hand().click(hand().named("t"));
    hand().click(hand().named("b"));
    form().field(QStringLiteral("name"))->setFocus();
    for (const char* next : {"shape", "dimensions"}) {
      QTest::keyClick(QApplication::focusWidget(), Qt::Key_Tab);
      QVERIFY2(QApplication::focusWidget() == form().field(QLatin1String(next)), next);
    }
    QTest::keyClick(QApplication::focusWidget(), Qt::Key_Tab);
    QVERIFY(inspector.isAncestorOf(QApplication::focusWidget()));
    form().field(QStringLiteral("name"))->setFocus();
    QTest::keyClick(QApplication::focusWidget(), Qt::Key_Backtab);
    QVERIFY(inspector.isAncestorOf(QApplication::focusWidget()) && !form().isAncestorOf(QApplication::focusWidget()));
  }
};

TESSERA_QT_TEST(choosing_test, ChoosingTest)
}  // namespace tessera::choosing_test
#include "choosing_test.moc"
