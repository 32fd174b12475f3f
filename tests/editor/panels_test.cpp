// Panels of the window as a user meets them: what comes to the front after a run, what keeps its size, its selection,
// its place. Real key and mouse events where the user has any.
#include <QDockWidget>
#include <QMenuBar>
#include <QPushButton>
#include <QScrollBar>
#include <QSignalSpy>
#include <QSplitter>
#include <QTest>
#include <QToolButton>
#include <QTreeWidget>
#include <cstdlib>

#include "app/studio/window/panels.h"
#include "core/tools/help/op_examples.h"
#include "editor/layout_lab/layout_panel.h"
#include "editor/panels/help_panel.h"
#include "editor/panels/palette_panel.h"
#include "editor/panels/text/hlo_edit.h"
#include "editor/panels/text/text_panel.h"
#include "editor/text/numbered_edit.h"
#include "editor/values/value_panel.h"
#include "editor/values/value_view.h"
#include "tests/editor/hand.h"
#include "tests/editor/qt_tests.h"

namespace tessera::panels_test {
namespace {

constexpr const char* kTwo = R"(HloModule two

ENTRY main {
  x = f32[4,8] parameter(0)
  y = f32[4,8] negate(x)
  ROOT z = f32[4,8] multiply(x, y)
}
)";

QAction* menuAction(const MainWindow& window, const QString& path) {
  QList<QAction*> here = window.menuBar()->actions();
  QAction* found = nullptr;
  for (const QString& part : path.split(QLatin1Char('/'))) {
    found = nullptr;
    for (QAction* action : here)
      if (action->text().remove(QLatin1Char('&')) == part) found = action;
    if (!found) return nullptr;
    if (found->menu()) here = found->menu()->actions();
  }
  return found;
}

}  // namespace

class PanelsTest : public QObject {
  Q_OBJECT

 private:
  std::unique_ptr<Hand> hand_;

  Hand& hand() { return *hand_; }
  Panels& panels() { return hand().window().panels(); }
  bool isInFront(const char* name) { return panels().home.isInFront(*panels().find(QLatin1String(name))); }

 private slots:
  void init() { hand_ = std::make_unique<Hand>(); }
  void cleanup() { hand_.reset(); }

  void aRunShowsItsResults() {
    hand().openText(kTwo);
    QTest::keyClick(&hand().window(), Qt::Key_F5);
    hand().settle();
    QTRY_VERIFY(isInFront("results"));
  }

  void choosingAPanelInTheMenuBringsItToTheFront() {
    hand().openText(kTwo);
    panels().raise(QStringLiteral("text"));
    hand().settle();
    QAction* action = menuAction(hand().window(), QStringLiteral("View/Panels/Value"));
    QVERIFY(action && !action->isChecked());
    action->trigger();
    hand().settle();
    QVERIFY(isInFront("value"));
  }

  void undoGivesTheSelectionBack() {
    hand().openText(kTwo);
    const InstructionId x = hand().named("x"), y = hand().named("y");
    hand().document().select({x, y});
    hand().key(Qt::Key_Delete);
    QVERIFY(!hand().module().contains(y));
    hand().undo();
    QCOMPARE(hand().document().selection(), (std::vector<InstructionId>{x, y}));
    hand().redo();
    QVERIFY(hand().document().selection() != (std::vector<InstructionId>{x, y}));
  }

  // However much it changes elsewhere.
  void undoStaysInTheComputationThatItChanges() {
    std::string text = "HloModule m\ncalled {\n  p0 = f32[4] parameter(0)\n";
    for (int i = 1; i < 60; ++i)
      text += (i < 59 ? "  p" : "  ROOT p") + std::to_string(i) + " = f32[4] tanh(p" + std::to_string(i - 1) + ")\n";
    hand().openText(
        (text + "}\nENTRY main {\n  x = f32[4] parameter(0)\n  ROOT y = f32[4] call(x), to_apply=called\n}").c_str(),
        false);
    Edit edit{"Rename all", {}};
    for (ComputationId computation : hand().module().order())
      for (InstructionId id : hand().module().at(computation).instructions)
        edit.actions.push_back(Rename{id, "new_" + std::string(hand().at(id).name)});
    hand().document().perform(std::move(edit));
    hand().settle();
    hand().undo();
    QCOMPARE(hand().document().view().computation(), hand().module().entry());
  }

  void thePaletteKeepsItsSectionsOpen() {
    hand().openText(kTwo);
    panels().raise(QStringLiteral("palette"));
    hand().settle();
    QTreeWidget* tree = panels().palette->tree();
    QTreeWidgetItem* section = tree->topLevelItem(tree->topLevelItemCount() / 2);
    const QString name = section->text(0);
    tree->expandAll();
    hand().settle();
    tree->verticalScrollBar()->setValue(3);
    panels().palette->noteUse(QStringLiteral("add"));  // as a drag does
    const auto isOpen = [&] { return tree->findItems(name, Qt::MatchExactly).value(0)->isExpanded(); };
    QVERIFY(isOpen());
    QCOMPARE(tree->verticalScrollBar()->value(), 3);
    QTest::keyClicks(panels().palette->field(), "add");
    panels().palette->field()->clear();
    QVERIFY(isOpen());
  }

  void theLayoutPanelGivesItsHeightBack() {
    hand().window().resize(1366, 768);
    hand().openText(kTwo);
    panels().raise(QStringLiteral("text"));
    hand().settle();
    QTest::qWait(500);  // docks glide
    const int before = hand().canvas().height();
    panels().raise(QStringLiteral("layout"));
    hand().settle();
    QTRY_VERIFY(hand().canvas().height() < before);
    QTest::qWait(500);
    panels().raise(QStringLiteral("text"));
    hand().settle();
    QTRY_VERIFY2(std::abs(hand().canvas().height() - before) <= 4,
                 qPrintable(QString::number(hand().canvas().height() - before)));
  }

  void theLayoutPanelShowsTheDocumentThatIsOpen() {
    hand().openText(kTwo);
    panels().raise(QStringLiteral("layout"));
    hand().document().select({hand().named("y")});
    hand().settle();
    hand().openText("HloModule other\n\nENTRY main {\n  ROOT q = s32[7] iota(), iota_dimension=0\n}\n");
    QVERIFY(panels().layout->shape());
    QCOMPARE(toString(*panels().layout->shape(), false), std::string("s32[7]"));
  }

  void comparedValuesHaveHalfEach() {
    hand().openText(kTwo);
    panels().raise(QStringLiteral("value"));
    hand().document().select({hand().named("x")});
    hand().settle();
    ValuePanel* value = panels().value;
    for (QPushButton* button : value->findChildren<QPushButton*>())
      if (button->isCheckable()) QTest::mouseClick(button, Qt::LeftButton);
    hand().document().select({hand().named("z")});
    hand().settle();
    const QList<int> sizes = value->findChild<QSplitter*>()->sizes();
    QVERIFY2(std::abs(sizes[0] - sizes[1]) <= 2, qPrintable(QStringLiteral("%1 %2").arg(sizes[0]).arg(sizes[1])));
  }

  void theSelectedLineStaysInSightInALowerPanel() {
    std::string text = "HloModule m\nENTRY main {\n  x = f32[4] parameter(0)\n";
    for (int i = 0; i < 40; ++i) text += "  t" + std::to_string(i) + " = f32[4] tanh(x)\n";
    hand().openText((text + "  ROOT r = f32[4] negate(t0)\n}").c_str(), false);
    hand().window().panels().raise(QStringLiteral("text"));
    hand().settle();
    HloTextView* view = hand().window().panels().text->view();
    const auto lineOf = [&](const char* name) {
      return view->text()->lineOf(hand().named(name)) - view->firstVisibleLine();
    };
    const auto lines = [&] { return view->viewport()->height() / view->lineHeight(); };
    hand().document().select({hand().named("t20")});
    view->verticalScrollBar()->setValue(view->firstVisibleLine() + lineOf("t20") - lines() + 1);
    QCOMPARE(lineOf("t20"), lines() - 1);  // the last one that is seen
    auto* dock = hand().window().findChild<QDockWidget*>(QStringLiteral("text"));
    const int before = lines();
    hand().window().resizeDocks({dock}, {dock->height() - 3 * view->lineHeight()}, Qt::Vertical);
    QTRY_VERIFY(lines() <= before - 2);
    QVERIFY2(lineOf("t20") < lines(), qPrintable(QString::number(lineOf("t20"))));
  }

  void theTextEditorNumbersItsLines() {
    hand().openText(kTwo);
    panels().raise(QStringLiteral("text"));
    for (QToolButton* button : panels().text->findChildren<QToolButton*>())
      if (button->text() == QLatin1String("Edit")) button->click();
    hand().settle();
    auto* field = panels().text->findChild<NumberedEdit*>();
    QVERIFY(field && field->isVisible());
    QVERIFY(field->viewport()->x() >= field->gutterWidth());
    QCOMPARE(field->numberAt(field->cursorRect().center().y()), 1);
    QTextCursor cursor = field->textCursor();
    cursor.movePosition(QTextCursor::Down, QTextCursor::MoveAnchor, 2);
    field->setTextCursor(cursor);
    QCOMPARE(field->numberAt(field->cursorRect().center().y()), 3);
    QTest::keyClicks(field, "!");  // errors speak of the same lines
    panels().text->findChild<HloEdit*>()->readNow();
    QVERIFY(panels().text->findChild<HloEdit*>()->errorText().startsWith(QLatin1String("line 3:")));
  }

  // A scroll bar that comes by the margin must not go by it again, without an end.
  void theGutterSettlesAtEverySize() {
    NumberedEdit edit;
    edit.show();
    for (int lines = 1; lines <= 14; ++lines) {
      edit.setPlainText(QStringLiteral("a b c\n").repeated(lines));
      for (int width = 30; width <= 120; width += 3)
        for (int height = 20; height <= 120; height += 7) edit.resize(width, height);
    }
    QVERIFY(edit.viewport()->x() >= edit.gutterWidth());
  }

  void helpDrawsItsFiguresAndOpensItsExamples() {
    hand().openText(kTwo);
    panels().raise(QStringLiteral("help"));
    HelpPanel* help = panels().help;
    const ReferenceExample* withFigure = &referenceExamples().front();
    QVERIFY(help->showOperation(QString::fromStdString(withFigure->ops.front())));
    QVERIFY2(!help->toPlainText().contains(QLatin1String("}}")), "words of a drawing stand in the text");
    const QUrl figure(QStringLiteral("figure:%1").arg(QString::fromUtf8(withFigure->name.data())));
    const auto image = help->document()->resource(QTextDocument::ImageResource, figure).value<QImage>();
    QVERIFY(image.width() > 50 && image.height() > 20);
    help->setSource(QUrl(QStringLiteral("example:concatenate")));  // what a click on the link does
    hand().settle();
    QVERIFY(hand().text().find("concatenate(") != std::string::npos);
    QVERIFY(hand().document().live().isOn());
  }
};

TESSERA_QT_TEST(panels_test, PanelsTest)
}  // namespace tessera::panels_test
#include "panels_test.moc"
