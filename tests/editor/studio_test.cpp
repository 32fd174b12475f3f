// The whole studio with real key and mouse events on the offscreen platform: opening, one selection in all places,
// shape edits with undo and redo, running and cancelling, files that cannot be opened, recent files and the theme.
#include <sys/resource.h>

#include <QAbstractItemModel>
#include <QCommandLinkButton>
#include <QDir>
#include <QDockWidget>
#include <QDragEnterEvent>
#include <QFile>
#include <QHeaderView>
#include <QLabel>
#include <QLineEdit>
#include <QMimeData>
#include <QPushButton>
#include <QScrollBar>
#include <QSettings>
#include <QSignalSpy>
#include <QStandardPaths>
#include <QTemporaryDir>
#include <QTest>
#include <QTextBrowser>
#include <QTreeView>
#include <csignal>

#include "app/studio/script/script.h"
#include "app/studio/window/main_window.h"
#include "app/studio/window/panels.h"
#include "core/formats/hlo_text.h"
#include "editor/canvas/canvas.h"
#include "editor/document/document.h"
#include "editor/layout_lab/layout_panel.h"
#include "editor/panels/banner.h"
#include "editor/panels/inspect/inspector.h"
#include "editor/panels/inspect/table_panel.h"
#include "editor/panels/profile/profile_panel.h"
#include "editor/panels/run/results_panel.h"
#include "editor/panels/text/text_panel.h"
#include "tests/editor/qt_tests.h"

namespace tessera::studio_test {
namespace {

const char* const kMlp = R"(HloModule mlp

ENTRY main {
  x = f32[4,8]{1,0} parameter(0)
  w = f32[8,3]{1,0} parameter(1)
  product = f32[4,3]{1,0} dot(x, w), lhs_contracting_dims={1}, rhs_contracting_dims={0}
  ROOT activated = f32[4,3]{1,0} tanh(product)
}
)";

// A loop that takes far longer than anybody waits.
const char* const kEndless = R"(HloModule endless

body {
  s = (s32[], f32[4096]{0}) parameter(0)
  i = s32[] get-tuple-element(s), index=0
  v = f32[4096]{0} get-tuple-element(s), index=1
  one = s32[] constant(1)
  next = s32[] add(i, one)
  changed = f32[4096]{0} tanh(v)
  ROOT r = (s32[], f32[4096]{0}) tuple(next, changed)
}

condition {
  s = (s32[], f32[4096]{0}) parameter(0)
  i = s32[] get-tuple-element(s), index=0
  limit = s32[] constant(2000000000)
  ROOT less = pred[] compare(i, limit), direction=LT
}

ENTRY main {
  v = f32[4096]{0} parameter(0)
  zero = s32[] constant(0)
  s = (s32[], f32[4096]{0}) tuple(zero, v)
  ROOT w = (s32[], f32[4096]{0}) while(s), condition=condition, body=body
}
)";

}  // namespace

class StudioTest : public QObject {
  Q_OBJECT

 private:
  QTemporaryDir folder_;
  std::unique_ptr<MainWindow> window_;

  QString write(const QString& name, const QByteArray& content) {
    QFile file(folder_.filePath(name));
    if (!file.open(QIODevice::WriteOnly) || file.write(content) != content.size()) qFatal("cannot write a test file");
    return file.fileName();
  }
  void open(const QString& path) {
    window_->openFile(path);
    QVERIFY(waitUntilIdle(*window_));
  }
  Document& document() { return window_->document(); }
  InstructionId id(const char* name) { return document().module().findInstruction(name).value(); }
  std::string shapeOf(const char* name) { return toString(document().module().shapeOf(id(name)), false); }
  std::vector<InstructionId> only(const char* name) { return {id(name)}; }
  void key(Qt::Key key, Qt::KeyboardModifiers modifiers = {}) { QTest::keyClick(window_.get(), key, modifiers); }
  void clickLineOf(const char* name) {
    HloTextView* view = window_->panels().text->view();
    const int line = view->text()->lineOf(id(name)) - view->firstVisibleLine();
    const int height = view->lineHeight();
    QTest::mouseClick(view->viewport(), Qt::LeftButton, {}, QPoint(120, line * height + height / 2));
  }
  QTreeView* profileTable() { return window_->panels().profile->table(); }

 private slots:
  void initTestCase() {
    QStandardPaths::setTestModeEnabled(true);
    QCoreApplication::setOrganizationName("TesseraTest");
    QCoreApplication::setApplicationName("studio_test");
    QSettings().clear();
  }

  // A file that may not grow, which is what a full disk looks like to a program.
  void aFullDiskIsExplainedAndLosesNothing() {
    const QString path = write("full.hlo", kMlp);
    open(path);
    document().perform({"Shape of x", {SetParameterShape{id("x"), Shape::arrayRowMajor(ElementType::F32, {6, 8})}}});
    QVERIFY(waitUntilIdle(*window_));
    const std::string edited = printHloText(document().module());
    std::signal(SIGXFSZ, SIG_IGN);
    rlimit usual{};
    QCOMPARE(getrlimit(RLIMIT_FSIZE, &usual), 0);
    const rlimit tiny{16, usual.rlim_max};
    QCOMPARE(setrlimit(RLIMIT_FSIZE, &tiny), 0);
    key(Qt::Key_S, Qt::ControlModifier);
    QCOMPARE(setrlimit(RLIMIT_FSIZE, &usual), 0);
    QVERIFY(window_->banner().isVisible());
    QVERIFY(window_->banner().message().contains("full.hlo"));
    QVERIFY(document().file().isModified());
    QCOMPARE(printHloText(document().module()), edited);
    QFile old(path);
    QVERIFY(old.open(QIODevice::ReadOnly));
    QCOMPARE(old.readAll(), QByteArray(kMlp));
    QCOMPARE(QFileInfo(path).dir().entryList({"full.hlo.*"}).size(), 0);
    key(Qt::Key_S, Qt::ControlModifier);  // with room again it is saved
    QVERIFY(!document().file().isModified());
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
    fresh.showFirstGraph();
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

  void init() {
    window_ = std::make_unique<MainWindow>(false);
    window_->resize(1300, 850);
    window_->show();
    QVERIFY(QTest::qWaitForWindowExposed(window_.get()));
    window_->activateWindow();
    open(write("mlp.hlo", kMlp));
  }
  void cleanup() { window_.reset(); }

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

  void aFileIsDroppedIn() {
    const QString path = write("dropped.hlo", kMlp);
    QMimeData data;
    data.setUrls({QUrl::fromLocalFile(path)});
    QDragEnterEvent enter(QPoint(200, 200), Qt::CopyAction, &data, Qt::LeftButton, Qt::NoModifier);
    QCoreApplication::sendEvent(window_.get(), &enter);
    QVERIFY(enter.isAccepted());
    QDropEvent drop(QPointF(200, 200), Qt::CopyAction, &data, Qt::LeftButton, Qt::NoModifier);
    QCoreApplication::sendEvent(window_.get(), &drop);
    QVERIFY(waitUntilIdle(*window_));
    QCOMPARE(document().file().path(), path);
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

  void runningColoursNodesAndFillsTheTable() {
    key(Qt::Key_F5);
    QVERIFY(document().run().isRunning());
    QVERIFY(waitUntilIdle(*window_));
    QVERIFY2(document().run().outcome(), qPrintable(window_->banner().message()));
    QVERIFY(document().measures().overlay()->find(id("product")));
    QCOMPARE(document().run().outcome()->outputs.size(), size_t{1});
    const QAbstractItemModel* outputs = window_->panels().results->table()->model();
    QCOMPARE(outputs->index(0, 1).data().toString(), QString("f32[4,3]"));
    QVERIFY(outputs->index(0, 2).data().toString().startsWith("{ { 0."));
    QVERIFY(window_->panels().results->summary().contains("default values"));
    QVERIFY(profileTable()->model()->rowCount() >= 2);
    bool hot = false;
    for (const PictureItem& item : window_->canvas().picture()->items)
      hot = hot || (item.fill >= ColorRole::Heat0 && item.fill <= ColorRole::Heat9);
    QVERIFY(hot);
  }

  void theProfileTableSortsAndSelects() {
    QVERIFY(playCommand(*window_, "run").has_value());
    const QAbstractItemModel* rows = profileTable()->model();
    const auto rowOf = [&](const char* name) {
      for (int row = 0; row < rows->rowCount(); ++row)
        if (rows->index(row, 0).data().toString() == QLatin1String(name)) return row;
      return -1;
    };
    profileTable()->sortByColumn(0, Qt::AscendingOrder);
    QVERIFY(rowOf("activated") >= 0 && rowOf("activated") < rowOf("product"));
    profileTable()->sortByColumn(0, Qt::DescendingOrder);
    QVERIFY(rowOf("activated") > rowOf("product"));
    window_->panels().raise(QStringLiteral("profile"));
    const QRect cell = profileTable()->visualRect(rows->index(rowOf("product"), 0));
    QTest::mouseClick(profileTable()->viewport(), Qt::LeftButton, {}, cell.center());
    QVERIFY(window_->canvas().selection() == only("product"));
    document().select(only("activated"));
    QCOMPARE(profileTable()->selectionModel()->selectedRows().value(0).row(), rowOf("activated"));
  }

  void anEditTakesTheOldProfileAway() {
    QVERIFY(playCommand(*window_, "run").has_value());
    QVERIFY(playCommand(*window_, "set-shape x f32[2,8]").has_value());
    QVERIFY(!document().run().outcome());
    QCOMPARE(profileTable()->model()->rowCount(), 0);
  }

  void escapeCancelsARun() {
    open(write("endless.hlo", kEndless));
    key(Qt::Key_F5);
    QVERIFY(document().run().isRunning());
    QTest::qWait(600);
    QVERIFY(document().run().isRunning());
    key(Qt::Key_Escape);
    QTRY_VERIFY_WITH_TIMEOUT(!document().run().isRunning(), 10000);
    QVERIFY(!document().run().outcome());
    QVERIFY(document().isOpen());
  }

  void badFiles_data() {
    QTest::addColumn<QByteArray>("content");
    QTest::addColumn<QString>("expected");
    const QByteArray whole(kMlp);
    QTest::newRow("truncated") << whole.left(whole.size() / 2) << "bad.hlo:";
    QTest::newRow("empty") << QByteArray() << "empty";
    QTest::newRow("binary") << QByteArray(
                                   "\x7f"
                                   "ELF\0\1\2\3junk\0\0",
                                   14)
                            << "binary";
    QTest::newRow("undefined name") << QByteArray(whole).replace("tanh(product)", "tanh(nowhere)") << "nowhere";
    QTest::newRow("cycle") << QByteArray(whole).replace("dot(x, w)", "dot(activated, w)") << "cycl";
  }
  void badFiles() {
    QFETCH(QByteArray, content);
    QFETCH(QString, expected);
    open(write("bad.hlo", content));
    const QString message = window_->banner().message();
    QVERIFY2(message.contains(expected, Qt::CaseInsensitive), qPrintable(message));
    QVERIFY(document().file().path().endsWith("mlp.hlo"));  // what was open stays
    QVERIFY(window_->panels().diagnostics->errorCount() > 0);
    QVERIFY(!window_->recentFiles().contains(folder_.filePath("bad.hlo")));
  }

  void aDirectoryAndAMissingFileAreRefused() {
    open(folder_.path());
    QVERIFY2(window_->banner().message().contains("directory"), qPrintable(window_->banner().message()));
    open(folder_.filePath("missing.hlo"));
    QVERIFY2(window_->banner().message().contains("No such file"), qPrintable(window_->banner().message()));
    QVERIFY(document().isOpen());
    open(write("good.hlo", kMlp));
    QVERIFY(window_->banner().message().isEmpty());
    QCOMPARE(window_->panels().diagnostics->errorCount(), 0);
  }

  void hugeShapesAreShownAndRefusedWhenRun() {
    open(write("huge.hlo",
               "HloModule huge\n\nENTRY main {\n  x = f32[4611686018427387904]{0} parameter(0)\n"
               "  ROOT y = f32[4611686018427387904]{0} negate(x)\n}\n"));
    QVERIFY(document().file().path().endsWith("huge.hlo"));
    QVERIFY(window_->canvas().boxOf(id("y")).isValid());
    document().select(only("y"));
    QVERIFY(playCommand(*window_, "run").has_value());
    QVERIFY2(window_->banner().message().contains("4611686018427387904"), qPrintable(window_->banner().message()));
    QVERIFY(!document().run().isRunning());
  }

  void theLastOfTwoQuickOpensWins() {
    const QString first = write("first.hlo", kMlp), second = write("second.hlo", kMlp);
    window_->openFile(first);
    window_->openFile(second);
    QVERIFY(waitUntilIdle(*window_));
    QVERIFY(document().file().path().endsWith("second.hlo"));
  }

  void savingWritesTheEditedText() {
    QVERIFY(playCommand(*window_, "set-shape x f32[2,8]").has_value());
    const QString path = folder_.filePath("saved.hlo");
    QVERIFY(playCommand(*window_, "save " + path).has_value());
    QVERIFY(!window_->isWindowModified());
    open(path);
    QCOMPARE(shapeOf("activated"), std::string("f32[2,3]"));
    QVERIFY(!playCommand(*window_, "save /proc/nowhere/x.hlo").has_value());
  }

  void sessionsAreRemembered() {
    QVERIFY(window_->recentFiles().first().endsWith("mlp.hlo"));
    {
      MainWindow first(true);
      first.openFile(folder_.filePath("mlp.hlo"));
      QVERIFY(waitUntilIdle(first));
      first.setTheme(Theme::Dark);
      first.show();
      first.close();
    }
    MainWindow second(true);
    QCOMPARE(second.recentFiles(), QStringList{folder_.filePath("mlp.hlo")});
    QVERIFY(second.theme() == Theme::Dark);
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
