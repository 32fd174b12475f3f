// The whole studio with real key and mouse events on the offscreen platform: where it begins, one selection in all
// places, shape edits with undo and redo, the theme.
#include <QAbstractItemModel>
#include <QCommandLinkButton>
#include <QDockWidget>
#include <QLabel>
#include <QLineEdit>
#include <QTest>

#include "app/studio/window/documents/document_opener.h"
#include "editor/layout_lab/layout_panel.h"
#include "tests/editor/qt_tests.h"
#include "tests/editor/studio_hand.h"

namespace tessera::studio_test {

class StudioTest : public StudioHand {
  Q_OBJECT

 private slots:
  void initTestCase() { beginTests(); }
  void init() { openWindow(); }
  void cleanup() { window_.reset(); }

  void titlesOnTheStartPageAreWhole() {
    MainWindow fresh(false);
    fresh.resize(1300, 850);
    fresh.show();
    QVERIFY(QTest::qWaitForWindowExposed(&fresh));
    const auto links = fresh.findChildren<QCommandLinkButton*>();
    QVERIFY(links.size() > 10);
    for (QCommandLinkButton* link : links) {
      QFont bold = link->font();
      bold.setBold(true);
      const QRect room(0, 0, link->width(), QWIDGETSIZE_MAX);
      const int title = QFontMetrics(bold).boundingRect(room, Qt::TextWordWrap, link->text()).height();
      const int words = link->fontMetrics().boundingRect(room, Qt::TextWordWrap, link->description()).height();
      QVERIFY2(link->height() >= title + words, qPrintable(link->text()));
    }
  }

  void theStartPageStandsAloneUntilSomethingIsOpen() {
    MainWindow fresh(false);
    fresh.resize(1300, 850);
    fresh.show();
    QVERIFY(QTest::qWaitForWindowExposed(&fresh));
    for (QDockWidget* dock : fresh.panels().docks) QVERIFY(!dock->isVisible());
    fresh.openFile(write("mlp.hlo", kMlp));
    QVERIFY(waitUntilIdle(fresh));
    QVERIFY(fresh.panels().find("inspector")->isVisible());
  }

  void theFirstGraphLivesBesideTheDoors() {
    MainWindow fresh(false);
    fresh.resize(1300, 850);
    fresh.show();
    QVERIFY(QTest::qWaitForWindowExposed(&fresh));
    fresh.opener().showFirstGraph();
    QVERIFY(waitUntilIdle(fresh));
    QVERIFY(fresh.findChild<QLabel*>(QStringLiteral("firstHint"))->isVisible());
    QVERIFY(!fresh.panels().find("inspector")->isVisible());
    const auto number = fresh.document().module().findInstruction("number");
    QCOMPARE(fresh.document().live().values().at(*number).text, QStringLiteral("0.6"));
    const QString before =
        fresh.document().live().values().at(fresh.document().module().findInstruction("relu").value()).text;
    const QRectF box = fresh.canvas().boxOf(*number);
    const QPoint at = fresh.canvas().viewport().toWidget(QPointF(box.left() + 18, box.bottom() - 8)).toPoint();
    QTest::mousePress(&fresh.canvas(), Qt::LeftButton, {}, at);
    QTest::mouseMove(&fresh.canvas(), at + QPoint(40, 0));
    QTest::mouseMove(&fresh.canvas(), at + QPoint(90, 0));
    QTest::mouseRelease(&fresh.canvas(), Qt::LeftButton, {}, at + QPoint(90, 0));
    QVERIFY(waitUntilIdle(fresh));
    QCOMPARE(fresh.document().live().values().at(*number).text, QStringLiteral("1.5"));
    QVERIFY(fresh.document().live().values().at(fresh.document().module().findInstruction("relu").value()).text !=
            before);
    QTest::keyClick(&fresh, Qt::Key_Z, Qt::ControlModifier);
    QVERIFY(waitUntilIdle(fresh));
    QCOMPARE(fresh.document().live().values().at(*number).text, QStringLiteral("0.6"));
    QTest::mouseClick(fresh.findChild<QCommandLinkButton*>(QStringLiteral("example softmax")), Qt::LeftButton);
    QVERIFY(waitUntilIdle(fresh));
    QVERIFY(fresh.document().file().path().endsWith("softmax.hlo"));
    QVERIFY(!fresh.findChild<QLabel*>(QStringLiteral("firstHint")));
    QVERIFY(fresh.panels().find("inspector")->isVisible());
  }

  void theStartPageBeginsAGraph() {
    MainWindow fresh(false);
    fresh.resize(1300, 850);
    fresh.show();
    QVERIFY(QTest::qWaitForWindowExposed(&fresh));
    QTest::mouseClick(fresh.findChild<QCommandLinkButton*>(QStringLiteral("build")), Qt::LeftButton);
    QVERIFY(waitUntilIdle(fresh));
    QVERIFY(fresh.document().isOpen());
    QVERIFY(fresh.panels().find("inspector")->isVisible());
  }

  void opensAndShowsAPicture() {
    QVERIFY(document().isOpen());
    QVERIFY(window_->canvas().picture() && !window_->canvas().picture()->items.empty());
    QVERIFY(window_->canvas().isVisible());
    QVERIFY(window_->windowTitle().startsWith("mlp.hlo"));
    QVERIFY(window_->panels().text->view()->text()->text.find("%product = f32[4,3]{1,0} dot(") != std::string::npos);
  }

  void aLineOfTheTextSelectsEverywhere() {
    clickLineOf("product");
    QVERIFY(document().selection() == only("product"));
    QVERIFY(window_->canvas().selection() == only("product"));
    const QString facts = window_->panels().inspector->shownText();
    QVERIFY2(facts.contains("dimension 0 = 4") && !facts.contains("lhs_contracting_dims"),
             qPrintable(facts));  // the form has it
    int fields = 0;
    for (const QLineEdit* field : window_->panels().inspector->findChildren<QLineEdit*>())
      fields += field->accessibleName() == "lhs_contracting_dims" ? 1 : 0;
    QCOMPARE(fields, 1);
  }

  void aNodeOnTheCanvasSelectsEverywhere() {
    Canvas& canvas = window_->canvas();
    QTest::mouseClick(
        &canvas, Qt::LeftButton, {},
        canvas.viewport()
            .toWidget(QPointF(canvas.boxOf(id("activated")).center().x(), canvas.boxOf(id("activated")).top() + 15))
            .toPoint());
    QVERIFY(document().selection() == only("activated"));
    QVERIFY(window_->panels().inspector->shownText().contains("activated in main"));
  }

  void findSelectsTheInstruction() {
    key(Qt::Key_F, Qt::ControlModifier | Qt::AltModifier);
    QLineEdit* field = window_->panels().text->findField();
    QTRY_VERIFY(field->hasFocus());
    QTest::keyClicks(field, "TANH(");
    QTest::keyClick(field, Qt::Key_Return);
    QVERIFY(document().selection() == only("activated"));
  }

  void searchGoesRoundInBothDirections() {
    const HloText& text = *document().text();
    const auto line = [&](const char* name) { return static_cast<size_t>(text.lineOf(id(name))); };
    QCOMPARE(text.find("F32[4,3]", line("product") + 1, false), std::optional(line("activated")));
    QCOMPARE(text.find("parameter(1)", line("product"), false), std::optional(line("w")));  // wrapped
    QCOMPARE(text.find("parameter(", line("w"), true), std::optional(line("w")));
    QCOMPARE(text.find("tanh(", line("w"), true), std::optional(line("activated")));  // wrapped
    QVERIFY(!text.find("nowhere", 0, false) && !text.find("nowhere", 0, true) &&
            !text.find(std::string(5000, 'x'), 0, true));
  }

  void arrowsWalkOverTheInstructionsOfTheText() {
    clickLineOf("x");
    QTest::keyClick(window_->panels().text->view(), Qt::Key_Down);
    QVERIFY(document().selection() == only("w"));
    QTest::keyClick(window_->panels().text->view(), Qt::Key_Up);
    QVERIFY(document().selection() == only("x"));
  }

  void aLongLiteralIsFoldedUntilItIsDoubleClicked() {
    QByteArray numbers;
    for (int i = 0; i < 200; ++i) numbers += (i ? ", " : "") + QByteArray::number(i);
    open(write("literal.hlo",
               "HloModule literal\n\nENTRY main {\n  ROOT c = s32[200]{0} constant({" + numbers + "})\n}\n"));
    const std::string_view line = document().text()->line(static_cast<size_t>(document().text()->lineOf(id("c"))));
    QVERIFY(line.size() > 800);
    const std::string folded = foldedLine(line);
    QVERIFY2(folded.size() < 200 && folded.find("characters") != std::string::npos, folded.c_str());
    QCOMPARE(foldedLine("  x = f32[] constant(3), metadata={}"), std::string("  x = f32[] constant(3), metadata={}"));
  }

  void theLayoutPanelFollowsTheSelectionAndEditsLayouts() {
    QVERIFY(playCommand(*window_, "panel layout").has_value());
    document().select(only("x"));
    LayoutPanel* panel = window_->panels().layout;
    QCOMPARE(toString(panel->shape().value()), std::string("f32[4,8]{1,0}"));
    emit panel->layoutEdited(parseShape("f32[4,8]{0,1}").value());
    QVERIFY(waitUntilIdle(*window_));
    QCOMPARE(toString(document().module().shapeOf(id("x"))), std::string("f32[4,8]{0,1}"));
    document().select(only("product"));
    QCOMPARE(toString(panel->shape().value(), false), std::string("f32[4,3]"));
    emit panel->layoutEdited(parseShape("f32[4,3]{0,1}").value());
    QVERIFY(waitUntilIdle(*window_));
    QCOMPARE(toString(document().module().shapeOf(id("product"))), std::string("f32[4,3]{0,1}"));
  }

  // Ten nested scopes: the node is hidden until the groups round it are opened.
  void revealOpensTheGroupsThatHideANode() {
    QByteArray text = "HloModule scopes\n\nENTRY main {\n  x = f32[4]{0} parameter(0)\n";
    QByteArray last = "x";
    for (int i = 0; i < 120; ++i) {
      const QByteArray name = "n" + QByteArray::number(i);
      text += (i == 119 ? "  ROOT " : "  ") + name + " = f32[4]{0} " + (i % 2 ? "negate(" : "tanh(") + last +
              "), metadata={op_name=\"jit(f)/s" + QByteArray::number(i / 12) + "/t" + QByteArray::number(i / 4) +
              "/op\"}\n";
      last = name;
    }
    open(write("scopes.hlo", text + "}\n"));
    const auto ownBox = [&](const char* name) {
      const GraphView& view = *document().view().scene().view;
      const int32_t box = view.boxOf(id(name));
      return box >= 0 && view.nodes[static_cast<size_t>(box)].kind == ViewNode::Kind::Instruction;
    };
    QVERIFY(playCommand(*window_, "close-groups").has_value());
    QVERIFY(!ownBox("n57"));
    const QStringList groups = document().view().groupNames(100);
    QVERIFY(groups.size() > 1);
    QVERIFY(playCommand(*window_, "open-group " + groups.last()).has_value());  // an inner one
    const GraphView& opened = *document().view().scene().view;
    const int32_t inner = opened.findGroup(groups.last().toStdString());
    QVERIFY(inner >= 0 && opened.nodes[static_cast<size_t>(inner)].kind == ViewNode::Kind::OpenGroup);
    QVERIFY(playCommand(*window_, "close-groups").has_value());
    QVERIFY(playCommand(*window_, "reveal n57").has_value());
    QVERIFY(ownBox("n57"));
    QVERIFY(document().selection() == only("n57"));
    QVERIFY(QRectF(window_->canvas().rect())
                .contains(window_->canvas().viewport().toWidget(window_->canvas().boxOf(id("n57")).center())));
  }

  void goingIntoAComputationAndBack() {
    open(write("loop.hlo", kEndless));
    QVERIFY(playCommand(*window_, "computation body").has_value());
    QCOMPARE(document().module().at(document().view().computation()).name, std::string("body"));
    QVERIFY(window_->canvas().boxOf(id("changed")).isValid());
    QVERIFY(!window_->canvas().boxOf(id("zero")).isValid());
    document().select(only("zero"));  // which only the entry shows
    QVERIFY(waitUntilIdle(*window_));
    QVERIFY(document().view().computation() == document().module().entry());
    QVERIFY(window_->canvas().boxOf(id("zero")).isValid());
  }

  void fittingKeysWork() {
    Canvas& canvas = window_->canvas();
    canvas.setFocus();
    document().select(only("x"));
    key(Qt::Key_F);
    const double near = canvas.viewport().zoom();
    canvas.viewport().zoomBy(0.2, QPointF(0, 0));
    key(Qt::Key_A);
    QVERIFY(canvas.viewport().zoom() <= near);
    QVERIFY(QRectF(canvas.rect())
                .contains(QRectF(canvas.viewport().toWidget(canvas.boxOf(id("x")).topLeft()), QSizeF(1, 1))));
  }

  // Everything downstream follows the parameter; undo and redo are exact.
  void aParameterShapeIsEditedWhileTyping() {
    document().select(only("x"));
    QLineEdit* field = window_->panels().inspector->shapeField();
    QVERIFY(field->isVisible());
    field->setFocus();
    field->selectAll();
    QTest::keyClicks(field, "f32[16,8]");
    QVERIFY(waitUntilIdle(*window_));
    QCOMPARE(shapeOf("product"), std::string("f32[16,3]"));
    QCOMPARE(shapeOf("activated"), std::string("f32[16,3]"));
    QVERIFY(document().diagnostics().empty());
    QVERIFY(window_->isWindowModified());
    window_->canvas().setFocus();
    key(Qt::Key_Z, Qt::ControlModifier);  // one undo for all that was typed
    QVERIFY(waitUntilIdle(*window_));
    QCOMPARE(shapeOf("activated"), std::string("f32[4,3]"));
    QVERIFY(!document().canUndo());
    key(Qt::Key_Z, Qt::ControlModifier | Qt::ShiftModifier);
    QVERIFY(waitUntilIdle(*window_));
    QCOMPARE(shapeOf("activated"), std::string("f32[16,3]"));
  }

  void whatBreaksIsMarkedWithTheReason() {
    QVERIFY(playCommand(*window_, "set-shape x f32[4,9]").has_value());
    const auto& found = document().diagnostics();
    const auto broken = std::ranges::find(found, id("product"), &Diagnostic::instruction);
    QVERIFY(broken != found.end());
    document().select(only("product"));
    QVERIFY(window_->panels().inspector->shownText().contains(QString::fromStdString(broken->message)));
    QVERIFY(window_->panels().diagnostics->errorCount() > 0);
    const QAbstractItemModel* rows = window_->panels().diagnostics->table()->model();
    QVERIFY(rows->rowCount() > 0);
    key(Qt::Key_Z, Qt::ControlModifier);
    QVERIFY(waitUntilIdle(*window_));
    QCOMPARE(window_->panels().diagnostics->errorCount(), 0);
  }

  void textThatIsNoShapeSaysWhyAndChangesNothing() {
    document().select(only("x"));
    QLineEdit* field = window_->panels().inspector->shapeField();
    field->setFocus();
    field->selectAll();
    QTest::keyClicks(field, "f32[4,");
    QVERIFY(waitUntilIdle(*window_));
    QCOMPARE(shapeOf("x"), std::string("f32[4,8]"));
    QVERIFY(!window_->panels().inspector->errorText().isEmpty());
  }

  void theThemeReachesTheCanvas() {
    QVERIFY(window_->theme() == Theme::Light);
    key(Qt::Key_D, Qt::ControlModifier | Qt::ShiftModifier);
    QVERIFY(window_->canvas().theme() == Theme::Dark);
    QVERIFY(window_->palette().color(QPalette::Window).lightness() < 100);
  }

  void scriptsRefuseWhatTheyDoNotKnow() {
    for (const char* line : {"dance", "select nobody", "open-group nowhere", "theme pink", "panel attic", "size 3x4"}) {
      const Status played = playCommand(*window_, line);
      QVERIFY2(!played && played.error().kind == ErrorKind::Usage, line);
    }
    QVERIFY(playCommand(*window_, "# a comment").has_value());
  }
};

TESSERA_QT_TEST(studio_test, StudioTest)
}  // namespace tessera::studio_test
#include "studio_test.moc"
