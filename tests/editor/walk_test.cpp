// A random walk of a careless and impatient person: keys, clicks, drags, typed lines, text, copies, saving, runs,
// panels and dialogs anywhere in the window. Nothing crashes; at every rest the text that stands reads back as it is;
// undoing everything gives back the first text. TESSERA_TIER=long walks 100,000 events; TESSERA_WALK=N and
// TESSERA_SEED=S choose, TESSERA_WALK_DOCUMENT=N how many of them one document gets; TESSERA_WALK_SAY=1 names every
// event. Every thousand events it says how far it is and what they cost the UI thread, in its own time: others who use
// the machine do not count.
#include <QApplication>
#include <QElapsedTimer>
#include <QMenu>
#include <QTest>
#include <QTimer>
#include <map>
#include <numeric>

#include "app/studio/window/documents/document_pane.h"
#include "app/studio/window/documents/pane_area.h"
#include "core/formats/project.h"
#include "tests/editor/thread_clock.h"
#include "tests/editor/walk_gestures.h"

using namespace tessera;

namespace {

constexpr int kEventsOfOneDocument = 500, kSaidEvery = 1000;
constexpr size_t kTooMany = 250;  // instructions; then the person begins anew in the same document
constexpr double kSlowMs = 100;
constexpr int kTypingMs = 300;  // typed text is read after that

}  // namespace

class WalkTest : public WalkGestures {
  Q_OBJECT

 private:
  QElapsedTimer clock_;
  int walked_ = 0, slow_ = 0;
  double worked_ = 0, slowest_ = 0;  // of the events since it was said last
  const char* slowestKind_ = "";

  void step(Hand& hand, int number) {
    static const int total =
        std::accumulate(kinds().begin(), kinds().end(), 0, [](int sum, const Kind& kind) { return sum + kind.weight; });
    static const bool say = qEnvironmentVariableIsSet("TESSERA_WALK_SAY");
    int at = below(total);
    const Kind* kind = &kinds().front();
    for (const Kind& each : kinds())
      if ((at -= each.weight) < 0) {
        kind = &each;
        break;
      }
    if (say) std::fprintf(stderr, "%d %s\n", number, kind->name);
    const double before = threadMs();
    if (below(3)) hand.canvas().setFocus();
    (this->*kind->play)(hand);
    answer(hand);
    if (below(3)) {  // else impatient
      rest(hand);
      answer(hand);
    }
    note(hand, kind->name, threadMs() - before);
  }
  void note(Hand& hand, const char* kind, double ms) {
    ++walked_;
    worked_ += ms;
    if (ms > slowest_) slowest_ = ms, slowestKind_ = kind;
    const size_t size = hand.module().instructionCount();
    if (ms > kSlowMs) {
      ++slow_;
      std::fprintf(stderr, "event %d: %s took the UI thread %.0f ms in a graph of %zu instructions\n", walked_, kind,
                   ms, size);
    }
    if (walked_ % kSaidEvery) return;
    std::fprintf(stderr, "%d events in %lld s: %.2f ms each, the slowest %.0f ms (%s); %zu instructions\n", walked_,
                 static_cast<long long>(clock_.elapsed() / 1000), worked_ / kSaidEvery, slowest_, slowestKind_, size);
    worked_ = slowest_ = 0;
  }
  // Copies of copies grow without bounds: all goes but the history.
  void beginAnew(Hand& hand) {
    hand.document().view().showComputation(hand.module().entry());
    rest(hand);
    hand.canvas().setFocus();
    QTest::keyClick(&hand.canvas(), Qt::Key_A, Qt::ControlModifier);
    QTest::keyClick(&hand.canvas(), Qt::Key_Delete);
    rest(hand);
  }
  // What stands is what its text says.
  void checkText(Hand& hand, int number) {
    const std::string text = hand.text();
    const ReadResult read = readHloText(text);
    QVERIFY2(read.module, qPrintable(QStringLiteral("event %1: %2\n%3")
                                         .arg(number)
                                         .arg(read.diagnostics.empty()
                                                  ? QString()
                                                  : QString::fromStdString(read.diagnostics.items()[0].toString()),
                                              QString::fromStdString(text))));
    const std::string again = printHloText(*read.module);
    QVERIFY2(again == text, qPrintable(QStringLiteral("event %1: %2").arg(number).arg(firstDifference(again, text))));
    QVERIFY(readProjectModule(printProject(hand.document().project(), &hand.module()), "walk.tessera").module);
  }
  static QString firstDifference(const std::string& read, const std::string& was) {
    const QStringList now = QString::fromStdString(read).split('\n'), before = QString::fromStdString(was).split('\n');
    for (qsizetype i = 0; i < std::min(now.size(), before.size()); ++i)
      if (now[i] != before[i])
        return QStringLiteral("line %1 reads as\n%2\nand was\n%3").arg(i + 1).arg(now[i], before[i]);
    return QStringLiteral("one text ends before the other");
  }
  void undoAll(Hand& hand) {
    hand.document().cancel();
    QTest::qWait(kTypingMs);
    rest(hand);
    while (hand.document().canUndo()) {
      hand.document().undo();
      if (below(20) == 0) rest(hand);
    }
    rest(hand);
  }

  struct First {  // what a document was before anything was done to it
    std::string text;
    bool arranged = false;
  };
  void walkOnce(unsigned seed, int events) {
    random_.seed(seed);
    std::map<const Document*, First> firsts;
    Hand hand;
    hand.window().resize(900, 650);
    // An example, a lesson or a part comes in a tab of its own, or in place of another graph, and may be edited in the
    // event that brings it.
    const auto know = [&firsts](const Document& document) {
      const auto take = [&firsts, &document] {
        if (!document.canUndo() && !document.canRedo())  // its shapes were inferred, or it was opened
          firsts[&document] = {printHloText(document.module()), document.project().arranged()};
      };
      if (document.isOpen()) take();
      QObject::connect(&document, &Document::opened, &document, take);
      QObject::connect(&document, &Document::moduleChanged, &document, take);
      QObject::connect(&document, &QObject::destroyed, &document, [&firsts, &document] { firsts.erase(&document); });
    };
    know(hand.document());
    QObject::connect(&hand.window().area(), &PaneArea::added, &hand.window(),
                     [know](DocumentPane& pane) { know(pane.document()); });
    for (int i = 0; i < events; ++i) {
      step(hand, i);
      if (QTest::currentTestFailed()) break;
      if (i % 10 == 9) rest(hand), checkText(hand, i);
      if (hand.module().instructionCount() > kTooMany) beginAnew(hand);
      if (QTest::currentTestFailed()) break;
    }
    if (!QTest::currentTestFailed()) {
      rest(hand);
      undoAll(hand);
      QVERIFY2(hand.text() == firsts[&hand.document()].text,
               qPrintable(QStringLiteral("undoing everything gives\n%1and it was\n%2")
                              .arg(QString::fromStdString(hand.text()),
                                   QString::fromStdString(firsts[&hand.document()].text))));
      QCOMPARE(hand.document().project().arranged(), firsts[&hand.document()].arranged);
    }
    if (QTest::currentTestFailed()) qInfo("seed %u", seed);
  }

 private slots:
  void nothingIsLost() {
    const bool isLong = qgetenv("TESSERA_TIER") == "long";
    const int asked = qEnvironmentVariableIntValue("TESSERA_WALK"), events = asked > 0 ? asked : isLong ? 100000 : 2000;
    const int firstSeed = qEnvironmentVariableIsSet("TESSERA_SEED") ? qEnvironmentVariableIntValue("TESSERA_SEED") : 7;
    // Questions of the window are answered by Esc, as are menus.
    QTimer leave;
    connect(&leave, &QTimer::timeout, this, [] {
      if (QWidget* menu = QApplication::activePopupWidget())
        QTest::keyClick(menu, Qt::Key_Escape);
      else if (QWidget* dialog = QApplication::activeModalWidget())
        QTest::keyClick(dialog, Qt::Key_Escape);
    });
    leave.start(30);
    QDir::setCurrent(folder_.path());  // names that are typed for feeds and values are files there
    clock_.start();
    const int each = qEnvironmentVariableIntValue("TESSERA_WALK_DOCUMENT") > 0
                         ? qEnvironmentVariableIntValue("TESSERA_WALK_DOCUMENT")
                         : kEventsOfOneDocument;
    for (unsigned seed = static_cast<unsigned>(firstSeed); walked_ < events && !QTest::currentTestFailed(); ++seed)
      walkOnce(seed, std::min(each, events - walked_));
    std::fprintf(stderr, "%d events from seed %d in %lld s, %d slow\n", walked_, firstSeed,
                 static_cast<long long>(clock_.elapsed() / 1000), slow_);
  }
};

// A long walk takes longer than Qt gives a test, and what Qt warns of must not silence what the walk says.
int main(int argc, char** argv) {
  qputenv("QTEST_FUNCTION_TIMEOUT", "86400000");
  QApplication app(argc, argv);
  WalkTest test;
  return QTest::qExec(&test, argc, argv);
}
#include "walk_test.moc"
