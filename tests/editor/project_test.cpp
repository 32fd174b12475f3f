// The studio with files that are more or less than a module: projects and their sidecars, Graphviz pictures, and the
// help page of the selection.
#include <QApplication>
#include <QFile>
#include <QFileDialog>
#include <QStandardPaths>
#include <QTemporaryDir>
#include <QTest>
#include <QTimer>

#include "app/studio/script/script.h"
#include "app/studio/start/start_page.h"
#include "app/studio/window/main_window.h"
#include "app/studio/window/panels.h"
#include "editor/canvas/canvas.h"
#include "editor/document/document.h"
#include "editor/panels/banner.h"
#include "editor/panels/help_panel.h"
#include "tests/editor/qt_tests.h"

namespace tessera::project_test {
namespace {

const char* const kGraph = R"(HloModule m

%body (p: f32[2]) -> f32[2] {
  %p = f32[2]{0} parameter(0)
  ROOT %n = f32[2]{0} negate(%p)
}

ENTRY %main (a: f32[2]) -> f32[2] {
  %a = f32[2]{0} parameter(0)
  ROOT %c = f32[2]{0} call(%a), to_apply=%body
}
)";

}  // namespace

class ProjectTest : public QObject {
  Q_OBJECT

 private:
  QTemporaryDir folder_;
  std::unique_ptr<MainWindow> window_;

  QString write(const QString& name, const QByteArray& content) {
    QFile file(folder_.filePath(name));
    if (!file.open(QIODevice::WriteOnly) || file.write(content) != content.size()) qFatal("cannot write a test file");
    return file.fileName();
  }
  QByteArray contentOf(const QString& name) {
    QFile file(folder_.filePath(name));
    return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
  }
  void open(const QString& path) {
    window_->openFile(path);
    QVERIFY(waitUntilIdle(*window_));
  }
  Document& document() { return window_->document(); }
  InstructionId id(const char* name) { return document().module().findInstruction(name).value(); }
  bool pictureSays(const std::string& text) {
    const auto& items = document().view().scene().picture->items;
    return std::ranges::any_of(items, [&](const PictureItem& item) { return item.text == text; });
  }

 private slots:
  void init() {
    QStandardPaths::setTestModeEnabled(true);
    window_ = std::make_unique<MainWindow>(false);
    window_->resize(1000, 700);
    window_->show();
    QVERIFY(QTest::qWaitForWindowExposed(window_.get()));
  }
  void cleanup() { window_.reset(); }

  void aProjectKeepsItsArrangement() {
    const QByteArray arranged =
        "show \"body\"\npage \"body\"\ngroups\nat \"n\" 300 500\nframe 280 480 200 90 \"inner\"\n";
    open(write("p.tessera", "tessera project 1\n" + arranged + "hlo\n" + kGraph + "end\n"));
    QCOMPARE(document().module().at(document().view().computation()).name, std::string("body"));
    const RectF box = document().view().scene().arrangement->boxes[static_cast<size_t>(
        document().view().scene().view->boxOf(id("n")))];
    QCOMPARE(box.x, 300.f);
    QCOMPARE(box.y, 500.f);
    QVERIFY(pictureSays("inner"));
    QVERIFY(document().file().save(folder_.filePath("q.tessera")));
    const QByteArray saved = contentOf("q.tessera");
    QVERIFY2(saved.startsWith("tessera project 1\n" + arranged + "hlo\nHloModule m\n") && saved.endsWith("}\nend\n"),
             saved.constData());
  }

  void savingHloWritesASidecarForWhatWasPlaced() {
    open(write("plain.hlo", kGraph));
    QVERIFY(document().file().save(folder_.filePath("plain2.hlo")));
    QVERIFY(!QFile::exists(folder_.filePath("plain2.hlo.tessera")));
    open(write("p.tessera",
               QByteArray("tessera project 1\npage \"main\"\nnote 0 -90 200 40 \"why\"\nhlo\n") + kGraph + "end\n"));
    QVERIFY(document().file().savesSidecar(folder_.filePath("r.hlo")));
    QVERIFY(document().file().save(folder_.filePath("r.hlo")));
    QVERIFY(contentOf("r.hlo").startsWith("HloModule m\n"));
    QVERIFY(contentOf("r.hlo.tessera").startsWith("tessera project 1\ngraph \"r.hlo\"\nshow \"main\"\n"));
    open(folder_.filePath("r.hlo"));
    QVERIFY(pictureSays("why"));
  }

  // A dump of another program: what is arranged round it goes beside it, and its own bytes stay.
  void arrangingLeavesAForeignDumpAlone() {
    const QByteArray dump = QByteArray("// dumped by a compiler\n") + kGraph;
    const QString path = write("dump.hlo", dump);
    open(path);
    document().arrange("Note", [](ProjectPage& page) { page.notes = {{0, -90, 200, 40, "why"}}; });
    QVERIFY(waitUntilIdle(*window_));
    QVERIFY(!document().file().wouldRewriteOthers());
    QVERIFY(document().file().save(path));
    QCOMPARE(contentOf("dump.hlo"), dump);
    QVERIFY(contentOf("dump.hlo.tessera").contains("why"));
    QVERIFY(!document().file().isModified());
    // A changed graph is asked about, once.
    document().perform({"Rename", {Rename{id("c"), "called"}}});
    QVERIFY(waitUntilIdle(*window_));
    QVERIFY(document().file().wouldRewriteOthers());
    QVERIFY(document().file().save(path));
    QVERIFY(!contentOf("dump.hlo").contains("dumped"));
    document().perform({"Rename", {Rename{id("called"), "again"}}});
    QVERIFY(waitUntilIdle(*window_));
    QVERIFY(!document().file().wouldRewriteOthers());
    // What is arranged no more does not come back.
    document().arrange("Note", [](ProjectPage& page) { page.notes.clear(); });
    QVERIFY(waitUntilIdle(*window_));
    QVERIFY(document().file().save(path));
    QVERIFY(!contentOf("dump.hlo.tessera").contains("why"));
    open(path);
    QVERIFY(!pictureSays("why"));
  }

  // Save of a changed example asks for another place; the program's own file and its folder stay as they are.
  void anExampleIsSavedElsewhere() {
    const QString example = StartPage::examplesFolder() + "/softmax.hlo";
    QFile file(example);
    QVERIFY(file.open(QIODevice::ReadOnly));
    const QByteArray before = file.readAll();
    open(example);
    document().arrange("Note", [](ProjectPage& page) { page.notes = {{0, -90, 200, 40, "mine"}}; });
    QVERIFY(waitUntilIdle(*window_));
    QString asked;
    QTimer::singleShot(200, this, [&] {
      if (auto* dialog = qobject_cast<QFileDialog*>(QApplication::activeModalWidget()))
        asked = dialog->directory().path(), dialog->reject();
    });
    QTest::keyClick(window_.get(), Qt::Key_S, Qt::ControlModifier);
    QVERIFY2(!asked.isEmpty() && asked != StartPage::examplesFolder(), qPrintable(asked));
    file.seek(0);
    QCOMPARE(file.readAll(), before);
    QVERIFY(!QFile::exists(example + ".tessera"));
  }

  void aFileThatThisProgramWroteIsItsOwn() {
    open(write("plain.hlo", kGraph));
    for (const char* name : {"own.hlo", "own.pb", "own.pbtxt", "own.tessera"}) {
      QVERIFY(document().file().save(folder_.filePath(name)));
      open(folder_.filePath(name));
      document().perform({"Rename", {Rename{id("c"), "c"}, Rename{id("n"), "m"}}});
      QVERIFY(waitUntilIdle(*window_));
      QVERIFY2(!document().file().wouldRewriteOthers(), name);
      document().undo();
      QVERIFY(waitUntilIdle(*window_));
    }
  }

  void aSidecarThatDoesNotReadIsNotWrittenOver() {
    const QByteArray newer = "tessera project 9\nend\n";
    write("new.hlo.tessera", newer);
    open(write("new.hlo", kGraph));
    document().arrange("Note", [](ProjectPage& page) { page.notes = {{0, -90, 200, 40, "why"}}; });
    QVERIFY(waitUntilIdle(*window_));
    const Status saved = document().file().save(folder_.filePath("new.hlo"));
    QVERIFY(!saved && saved.error().message.find("new.hlo.tessera") != std::string::npos &&
            saved.error().message.find("newer") != std::string::npos);
    QCOMPARE(contentOf("new.hlo.tessera"), newer);
    QVERIFY(document().file().isModified());
    document().undo();
    QVERIFY(waitUntilIdle(*window_));
    QVERIFY(document().file().save(folder_.filePath("new.hlo")));  // nothing is arranged: the graph alone
    QCOMPARE(contentOf("new.hlo.tessera"), newer);
  }

  void endingsThatPromiseSomethingElseAreRefused() {
    open(write("plain.hlo", kGraph));
    for (const char* name : {"m.mlir", "m.hlo.gz", "m.dot"}) {
      const Status saved = document().file().save(folder_.filePath(name));
      QVERIFY2(!saved && saved.error().expected.find(".hlo") != std::string::npos, name);
      QVERIFY(!QFile::exists(folder_.filePath(name)));
    }
    QVERIFY(document().file().path().endsWith("plain.hlo"));
  }

  void protobufIsSavedByItsEnding() {
    open(write("plain.hlo", kGraph));
    QVERIFY(document().file().save(folder_.filePath("m.pb")));
    QVERIFY(!contentOf("m.pb").startsWith("HloModule"));
    open(folder_.filePath("m.pb"));
    QVERIFY(document().module().findInstruction("c"));
  }

  void aBrokenProjectIsExplained() {
    open(write("plain.hlo", kGraph));
    open(write("b.tessera", "tessera project 1\nat nonsense\nend\n"));
    QVERIFY(window_->banner().isVisible());
    QVERIFY(document().file().path().endsWith("plain.hlo"));
    write("plain.hlo.tessera", "tessera project 9\nend\n");
    open(folder_.filePath("plain.hlo"));
    QVERIFY(document().isOpen());
    QCOMPARE(document().diagnostics().size(), size_t{1});
    QFile::remove(folder_.filePath("plain.hlo.tessera"));
  }

  void aGraphvizFileIsLookedAt() {
    open(write("g.dot", "digraph g { label=\"my graph\"; a -> b; subgraph cluster_x { label=inside; b } }"));
    QVERIFY(document().isPlainGraph());
    QVERIFY(pictureSays("a") && pictureSays("b") && pictureSays("▾ inside"));
    document().view().openAllGroups();
    document().view().closeAllGroups();
    document().run().start();
    QVERIFY(waitUntilIdle(*window_));
    QVERIFY(!document().run().isRunning());
    QVERIFY(!document().file().save(folder_.filePath("g.hlo")));
    const RectF box = document().view().scene().arrangement->boxes[1];
    const PointF middle{box.x + box.width / 2, box.y + box.height / 2};
    QTest::mouseClick(&window_->canvas(), Qt::LeftButton, {},
                      window_->canvas().viewport().toWidget(QPointF(middle.x, middle.y)).toPoint());
    QVERIFY(document().selection().empty());
    open(write("plain.hlo", kGraph));
    QVERIFY(!document().isPlainGraph());
  }

  void f1IsHelpOnTheSelection() {
    open(write("plain.hlo", kGraph));
    document().select({id("c")});
    QTest::keyClick(window_.get(), Qt::Key_F1);
    HelpPanel* help = window_->panels().help;
    QTRY_VERIFY(help->isVisible());
    QCOMPARE(help->shown(), QStringLiteral("call"));
    QVERIFY(help->toPlainText().contains("to_apply"));
    document().view().showComputation(*document().module().findComputation("body"));
    QVERIFY(waitUntilIdle(*window_));
    document().select({id("n")});
    QCOMPARE(help->shown(), QStringLiteral("negate"));
    help->showList();
    QVERIFY(help->toPlainText().contains("convolution"));
    help->setSource(QUrl("op:tanh"));
    QCOMPARE(help->shown(), QStringLiteral("tanh"));
  }
};

TESSERA_QT_TEST(project_test, ProjectTest)
}  // namespace tessera::project_test
#include "project_test.moc"
