// How soon each kind of background work is cancelled: from the click on its button, or Escape, until the list of tasks
// is empty and the window says so. Prints the times, of a clock that leaves out what others use of the machine.
#include <QElapsedTimer>
#include <QStatusBar>
#include <QTest>
#include <QToolButton>

#include "app/studio/task_list.h"
#include "app/studio/window/documents/document_pane.h"
#include "app/studio/window/documents/document_tabs.h"
#include "app/studio/window/window_status.h"
#include "editor/document/module_search.h"
#include "tests/editor/endless.h"
#include "tests/editor/fair_clock.h"
#include "tests/editor/hand.h"
#include "tests/editor/qt_tests.h"

namespace tessera::cancel_test {
namespace {

constexpr int kSoonMs = 500;   // of a FairClock
constexpr int kRestMs = 1000;  // without work; then nothing more comes

std::string chain(int length, const std::string& shape, const char* opcode) {
  std::string text = "HloModule chain\n\nENTRY e {\n  v0 = " + shape + " parameter(0)\n";
  for (int i = 1; i < length; ++i)
    text += "  v" + std::to_string(i) + " = " + shape + " " + opcode + "(v" + std::to_string(i - 1) + ")\n";
  return text + "  ROOT r = " + shape + " negate(v" + std::to_string(length - 1) + ")\n}\n";
}

// As many products of different sizes, each a kernel of its own.
std::string products(int count) {
  std::string text = "HloModule products\n\nENTRY e {\n  v0 = f32[8,8] parameter(0)\n", parts;
  for (int i = 1; i <= count; ++i) {
    const std::string k = std::to_string(i), n = std::to_string(8 + i % 200),
                      before = std::to_string(8 + (i - 1) % 200);
    text += "  w" + k + " = f32[" + (i == 1 ? "8" : before) + "," + n + "] parameter(" + k + ")\n  v" + k +
            " = f32[8," + n + "] dot(v" + std::to_string(i - 1) + ", w" + k +
            "), lhs_contracting_dims={1}, rhs_contracting_dims={0}\n";
  }
  return text + "  ROOT r = f32[8," + std::to_string(8 + count % 200) + "] tanh(v" + std::to_string(count) + ")\n}\n";
}

}  // namespace

class CancelTest : public QObject {
  Q_OBJECT

 private:
  std::unique_ptr<Hand> hand_;
  QTemporaryDir folder_;

  Hand& hand() { return *hand_; }
  Document& document() { return hand().document(); }
  TaskList& tasks() { return hand().window().status().tasks(); }
  bool shows(const char* words) { return tasks().phases().join(' ').contains(QLatin1String(words)); }
  QString written(const std::string& text) {
    const QString path = folder_.filePath(QStringLiteral("graph.hlo"));
    if (!writeFileAtomically(path.toStdString(), text)) qFatal("cannot write a test's file");
    return path;
  }
  // Whether the task is shown before the window has come to rest, and is still there some later.
  bool isAtWork(const char* words, int after) {
    QElapsedTimer rest;
    rest.start();
    while (!shows(words) && rest.elapsed() < kRestMs) {
      if (hand().window().isBusy()) rest.start();
      QTest::qWait(1);
    }
    if (shows(words)) QTest::qWait(after);
    return shows(words);
  }
  // Cancels the task by its button and prints how long it stayed.
  void cancelAndCheck(const char* phase) {
    hand().window().statusBar()->clearMessage();
    FairClock clock;
    QTest::mouseClick(tasks().first().cancelButton(), Qt::LeftButton);
    while (!tasks().phases().isEmpty() && clock.elapsed() < 10 * kSoonMs) QTest::qWait(1);
    checkSoon(phase, clock.elapsed());
  }
  void checkSoon(const char* phase, double ms) {
    std::printf("cancelled within %.0f ms: %s, %s\n", ms, QTest::currentTestFunction(), phase);
    QVERIFY2(ms <= kSoonMs, qPrintable(QStringLiteral("%1: %2 ms").arg(QLatin1String(phase)).arg(ms)));
  }
  void waitAndCancel(const char* phase, const char* words, int after = 0) {
    QVERIFY2(isAtWork(words, after), qPrintable(QLatin1String(words) + QStringLiteral(" was over")));
    cancelAndCheck(phase);
  }
  // How long work of one size takes differs by ten from machine to machine: start(size) begins ever larger work, in a
  // window of its own, until it is still there after so many milliseconds.
  template <typename Start>
  void growAndCancel(const char* phase, const char* words, int after, int size, const Start& start) {
    for (int attempt = 0; attempt < 5; ++attempt, size *= 2) {
      start(size);
      if (isAtWork(words, after)) return cancelAndCheck(phase);
      cleanup();
      init();
    }
    QFAIL(qPrintable(QLatin1String(words) + QStringLiteral(" was over, however much there was to do")));
  }
  bool saysCancelled() { return hand().window().statusBar()->currentMessage().contains(QStringLiteral("cancelled")); }

 private slots:
  void init() { hand_ = std::make_unique<Hand>(); }
  void cleanup() {
    for (DocumentPane* pane : hand().window().tabs().panes()) pane->document().cancel();
    hand().settle();
    hand_.reset();
  }

  // Reading and arranging are one task; a later moment is the other half of it.
  void opening_data() {
    QTest::addColumn<int>("after");
    QTest::newRow("reading") << 20;
    QTest::newRow("arranging") << 250;
  }
  void opening() {
    QFETCH(int, after);
    growAndCancel(after < 100 ? "opening, while it is read" : "opening, while it is arranged", "graph.hlo", after,
                  120000, [&](int size) { hand().window().openFile(written(chain(size, "f32[8]", "exponential"))); });
    QVERIFY(saysCancelled());
  }

  void compiling() {
    growAndCancel("compiling", "Compiling", 0, 1000, [&](int size) {
      hand().openText(products(size).c_str(), false);
      QTest::keyClick(&hand().window(), Qt::Key_F5);
    });
    QVERIFY(saysCancelled());
  }

  // One argument that takes seconds: nobody waits for it.
  void makingArguments() {
    hand().openText(
        "HloModule large\n\nENTRY e {\n  x = f32[80000000] parameter(0)\n"
        "  ROOT r = f32[80000000] negate(x)\n}\n",
        false);
    QTest::keyClick(&hand().window(), Qt::Key_F5);
    waitAndCancel("making arguments", "Making arguments");
    QVERIFY(saysCancelled());
    QVERIFY(!document().run().isRunning());
  }

  void running() {
    hand().window().openFile(written(kForever));
    QTRY_VERIFY(document().module().findInstruction("loop"));
    document().live().setOn(false);
    hand().settle();
    QTest::keyClick(&hand().window(), Qt::Key_F5);
    waitAndCancel("running", "Running", 100);
    QVERIFY(saysCancelled());
  }

  void valuesOnNodes() {
    hand().window().openFile(written(kForever));
    QTRY_VERIFY(document().module().findInstruction("loop"));
    document().live().setOn(true);
    waitAndCancel("values on nodes", "Values on nodes", 50);
  }

  void aGradient() {
    std::string before;
    growAndCancel("a gradient", "Changing the graph", 0, 12000, [&](int size) {
      hand().openText(chain(size, "f32[8]", "tanh").c_str(), false);
      before = hand().text();
      document().select({hand().named("r")});
      QTest::keyClick(&hand().window(), Qt::Key_G, Qt::ControlModifier | Qt::AltModifier);
    });
    QVERIFY(saysCancelled());
    hand().settle();
    QCOMPARE(hand().text(), before);
    QVERIFY(!document().canUndo());
  }

  // Every group of a large graph, opened at once: what was drawn stays.
  void openingGroups() {
    size_t boxes = 0;
    growAndCancel("arranging opened groups", "Arranging", 100, 120000, [&](int size) {
      hand().openText(chain(size, "f32[8]", "exponential").c_str(), false);
      boxes = document().view().scene().view->nodes.size();
      document().view().openAllGroups();
    });
    QVERIFY(saysCancelled());
    hand().settle();
    QCOMPARE(document().view().scene().view->nodes.size(), boxes);
    const auto& nodes = document().view().scene().view->nodes;
    const auto closed = std::ranges::find(nodes, ViewNode::Kind::CollapsedGroup, &ViewNode::kind);
    QVERIFY(closed != nodes.end());
    document().view().toggleGroup(QString::fromStdString(closed->group));
    hand().settle();
    QVERIFY(document().view().scene().view->nodes.size() > boxes);
  }
  // After an edit what is drawn is of an older graph: groups are closed instead.
  void arrangingAfterAnEdit() {
    growAndCancel("arranging after an edit", "Arranging", 0, 30000, [&](int size) {
      hand().openText(chain(size, "f32[8]", "exponential").c_str(), false);
      document().view().openAllGroups();
      hand().settle();
      document().select({hand().named("r")});
      QTest::keyClick(&hand().canvas(), Qt::Key_Delete);
    });
    hand().settle();
    QVERIFY(!hand().module().findInstruction("r"));
    QVERIFY(document().view().scene().options.openGroups.empty());
    QVERIFY(document().view().scene().view->nodes.size() < 1000);
  }

  // Another query, or none, ends the one that runs.
  void aSearch() {
    hand().openText(chain(120000, "f32[8]", "exponential").c_str(), false);
    ModuleSearch& search = document().search();
    search.setText(QStringLiteral("from:v1 feeds:r"));
    QTest::qWait(20);
    FairClock clock;
    search.setText(QString());
    QVERIFY(!search.isOn());
    hand().settle();
    checkSoon("a search, its worker too", clock.elapsed());
  }
};

TESSERA_QT_TEST(cancel_test, CancelTest)
}  // namespace tessera::cancel_test
#include "cancel_test.moc"
