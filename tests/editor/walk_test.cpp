// A random walk of a careless and impatient person: keys, clicks, drags, typed lines, text, copies, saving, runs,
// panels and dialogs anywhere in the window. Nothing crashes; at every rest the text that stands reads back as it is;
// undoing everything gives back the first text. TESSERA_TIER=long walks 100,000 events; TESSERA_WALK=N and
// TESSERA_SEED=S choose, TESSERA_WALK_DOCUMENT=N how many of them one document gets; TESSERA_WALK_SAY=1 names every
// event. Every thousand events it says how far it is and what they cost the UI thread, in its own time: others who use
// the machine do not count.
#include <time.h>
#include <QAbstractButton>
#include <QApplication>
#include <QClipboard>
#include <QComboBox>
#include <QDir>
#include <QDockWidget>
#include <QElapsedTimer>
#include <QGuiApplication>
#include <QHeaderView>
#include <QMenu>
#include <QPlainTextEdit>
#include <QSpinBox>
#include <QTabBar>
#include <QTemporaryDir>
#include <QTest>
#include <QTimer>
#include <QToolButton>
#include <QTreeView>

#include <map>
#include <numeric>
#include <random>

#include "app/studio/actions/key_map.h"
#include "app/studio/window/navigation.h"
#include "app/studio/window/panels.h"
#include "core/formats/module_file.h"
#include "core/formats/project.h"
#include "editor/controllers/arrange_controller.h"
#include "editor/controllers/block_actions.h"
#include "editor/panels/size_panel.h"
#include "editor/panels/text/text_panel.h"
#include "tests/editor/hand.h"

using namespace tessera;

namespace {

constexpr int kEventsOfOneDocument = 500, kSaidEvery = 1000;
constexpr size_t kTooMany = 250;  // instructions; then the person begins anew in the same document
constexpr double kSlowMs = 100;

// What this thread has worked.
double workedMs() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) * 1e3 + static_cast<double>(now.tv_nsec) / 1e6;
}

const char* const kLines[] = {"f32[2,3]",
                              "add",
                              "exp",
                              "reduce max",
                              "multiply 2",
                              "counting loop",
                              "matmul f32[3,4]",
                              "transpose",
                              "tuple",
                              "s32[3]",
                              "iota s32[4]",
                              "convert s32[2,3]",
                              "select",
                              "dot",
                              "junk?",
                              "concatenate",
                              "while",
                              "pad",
                              "gather",
                              "scatter",
                              "sort",
                              "call",
                              "softmax",
                              "linear block",
                              "conditional",
                              "convolution",
                              "reshape f32[6]",
                              "slice",
                              "dynamic slice",
                              "custom call",
                              "fft",
                              "all reduce",
                              "rng",
                              "f32[0]",
                              "f32[<=4]",
                              "bf16[2,3]",
                              "c64[3]",
                              "reduce window",
                              "get tuple element",
                              "clamp",
                              "compare"};
const char* const kValues[] = {"1.5",
                               "-inf",
                               "{1,2,3}",
                               "iota",
                               "x",
                               "7",
                               "true",
                               "{0,1}",
                               "{}",
                               "f32[4]",
                               "b01f_01io->b01f",
                               "{size=3 pad=1_1}",
                               "0_0_0x1_1_0",
                               "%add",
                               "?",
                               "99999999999999999999",
                               "-1",
                               "\"",
                               "{{0,1}}",
                               "nan",
                               "[0:2]",
                               "f32[1000000,1000000]",
                               "GT",
                               ""};
const char* const kTyped[] = {"%",
                              "add(",
                              "?",
                              "f32[2]",
                              " ",
                              ",",
                              "}",
                              "dimensions={0}",
                              "%x = f32[3] parameter(0)",
                              "ROOT ",
                              "constant(1)",
                              "/*",
                              "\"",
                              "=",
                              "offset_dims=?",
                              "neg"};
const char* const kJunk[] = {"",
                             "hello",
                             "HloModule m\n\nENTRY %e {\n",
                             "HloModule m\n\nENTRY %e () -> ? {\n}\n",
                             "%a = f32[2] add(?, ?)",
                             "\xff\xfe\x00",
                             "tessera project 1\nend\n",
                             "%g = ? gather(?, ?), offset_dims=?",
                             "{}{}{}((((",
                             "ENTRY main { ROOT a = f32[] constant(1) }",
                             "f32[4] negate(f32[4] x)",
                             "%a = f32[99999999999,99999999999] parameter(0)"};

}  // namespace

class WalkTest : public QObject {
  Q_OBJECT

 private:
  std::mt19937 random_{7};
  QTemporaryDir folder_;
  QElapsedTimer clock_;
  int walked_ = 0, slow_ = 0;
  double worked_ = 0, slowest_ = 0;  // of the events since it was said last
  const char* slowestKind_ = "";

  int below(int n) { return static_cast<int>(random_() % static_cast<unsigned>(std::max(1, n))); }
  template <size_t N>
  const char* one(const char* const (&of)[N]) {
    return of[below(static_cast<int>(N))];
  }

  // A widget of a kind that a person could use now.
  template <class Widget>
  Widget* anyOf(QWidget& in) {
    QList<Widget*> seen;
    for (Widget* each : in.findChildren<Widget*>())
      if (each->isVisible() && each->isEnabled()) seen << each;
    return seen.isEmpty() ? nullptr : seen[below(static_cast<int>(seen.size()))];
  }

  // At a socket, on a body, or anywhere.
  QPoint somewhere(Hand& hand) {
    const Module& module = hand.module();
    if (below(4) > 0 && module.contains(hand.document().view().computation())) {
      const auto& all = module.at(hand.document().view().computation()).instructions;
      if (!all.empty()) {
        const InstructionId id = all[static_cast<size_t>(below(static_cast<int>(all.size())))];
        const bool drawn = hand.canvas().view() && id.value < hand.canvas().view()->boxes.size();
        const int32_t node = drawn ? hand.canvas().view()->boxOf(id) : -1;
        if (node >= 0 && below(3) == 0) return hand.canvas().wires().outputAt(node).toPoint();
        const size_t inputs = module.at(id).operands.size();
        if (node >= 0 && inputs > 0 && below(2) == 0)
          return hand.canvas().wires().inputAt(node, below(static_cast<int>(inputs))).toPoint();
        if (node >= 0) return hand.bodyOf(id);
      }
    }
    return {below(hand.canvas().width()), below(hand.canvas().height())};
  }

  void typeInto(QWidget* widget, const char* line) {
    QTest::keyClicks(widget, QString::fromLatin1(line));
    QTest::keyClick(widget, below(5) ? Qt::Key_Return : Qt::Key_Escape);
  }

  // What has opened over the canvas is answered or left.
  void answer(Hand& hand) {
    if (hand.window().addSearch().isVisible()) typeInto(hand.window().addSearch().field(), one(kLines));
    for (ValueField* field : {&hand.window().graphEdit().field(), &hand.window().arrangement().field()}) {
      if (!field->isVisible()) continue;
      typeInto(field->field(), one(kValues));
      if (field->isVisible()) QTest::keyClick(field->field(), Qt::Key_Escape);
    }
    SizePanel& sizes = hand.window().arrangement().sizes();
    if (sizes.isVisible()) {
      sizes.sizeField()->selectAll();
      const char* const lengths[] = {"2", "5", "0", "x", "-1"};
      typeInto(sizes.sizeField(), one(lengths));
      if (sizes.isVisible()) QTest::keyClick(&sizes, Qt::Key_Escape);
    }
    ChoiceList& choices = hand.window().graphEdit().choices();
    if (choices.isVisible()) QTest::keyClick(choices.list(), below(2) ? Qt::Key_Return : Qt::Key_Escape);
    QuickList& quick = hand.window().navigation().list();
    if (quick.isVisible()) {
      const char* const words[] = {"add", "fit", "theme", "panel", "zzz", "note", "main"};
      if (below(2)) QTest::keyClicks(quick.field(), QString::fromLatin1(one(words)));
      QTest::keyClick(quick.field(), below(3) ? Qt::Key_Escape : Qt::Key_Down);
      if (quick.isVisible()) QTest::keyClick(quick.field(), Qt::Key_Escape);
    }
  }

  void moveTo(Hand& hand, QPoint at, Qt::MouseButton button, Qt::KeyboardModifiers modifiers) {
    QMouseEvent move(QEvent::MouseMove, at, hand.canvas().mapToGlobal(at), Qt::NoButton, button, modifiers);
    QApplication::sendEvent(&hand.canvas(), &move);
  }
  void pull(Hand& hand, Qt::MouseButton button, Qt::KeyboardModifiers modifiers) {
    const QPoint from = somewhere(hand), to = somewhere(hand);
    QTest::mousePress(&hand.canvas(), button, modifiers, from);
    for (const QPoint& at : {(from + to) / 2, to}) moveTo(hand, at, button, modifiers);
    if (below(6) == 0)
      QTest::keyClick(&hand.canvas(), below(2) ? Qt::Key_Escape : Qt::Key_Delete);  // in the middle of it
    QTest::mouseRelease(&hand.canvas(), button, modifiers, to);
  }
  void key(Hand& hand, std::initializer_list<Qt::Key> keys, Qt::KeyboardModifiers modifiers = {}) {
    QTest::keyClick(&hand.canvas(), keys.begin()[below(static_cast<int>(keys.size()))], modifiers);
  }

  // --- kinds of events
  struct Kind {
    const char* name;
    int weight;
    void (WalkTest::*play)(Hand&);
  };
  static const std::vector<Kind>& kinds() {
    static const std::vector<Kind> all = {
        {"search", 14, &WalkTest::search},
        {"click", 8, &WalkTest::click},
        {"double click", 4, &WalkTest::doubleClick},
        {"wire", 14, &WalkTest::wire},
        {"pull", 6, &WalkTest::pullAny},
        {"remove", 5, &WalkTest::removeKey},
        {"copies", 6, &WalkTest::copies},
        {"junk", 2, &WalkTest::pasteJunk},
        {"undo", 8, &WalkTest::undoOrRedo},
        {"arrange", 6, &WalkTest::arrangeKey},
        {"control", 4, &WalkTest::controlKey},
        {"walk", 4, &WalkTest::arrows},
        {"wheel", 3, &WalkTest::wheel},
        {"hover", 3, &WalkTest::hover},
        {"field", 8, &WalkTest::fieldAnywhere},
        {"button", 6, &WalkTest::buttonAnywhere},
        {"box", 2, &WalkTest::boxAnywhere},
        {"row", 3, &WalkTest::rowAnywhere},
        {"text", 8, &WalkTest::typeText},
        {"save", 3, &WalkTest::save},
        {"run", 2, &WalkTest::run},
        {"block", 2, &WalkTest::block},
        {"action", 6, &WalkTest::actionAnywhere},
        {"panel", 2, &WalkTest::panel},
        {"computation", 3, &WalkTest::goElsewhere},
        {"window", 1, &WalkTest::resizeWindow},
    };
    return all;
  }

  void search(Hand& hand) { key(hand, {Qt::Key_Tab}); }
  void click(Hand& hand) {
    const Qt::KeyboardModifiers all[] = {
        {}, {}, {}, Qt::ShiftModifier, Qt::ControlModifier, Qt::ControlModifier | Qt::ShiftModifier};
    QTest::mouseClick(&hand.canvas(), below(8) ? Qt::LeftButton : Qt::RightButton, all[below(6)], somewhere(hand));
  }
  void doubleClick(Hand& hand) { QTest::mouseDClick(&hand.canvas(), Qt::LeftButton, {}, somewhere(hand)); }
  void wire(Hand& hand) {
    const QPoint from = somewhere(hand), to = somewhere(hand);
    QTest::mousePress(&hand.canvas(), Qt::LeftButton, {}, from);
    moveTo(hand, (from + to) / 2, Qt::LeftButton, {});
    moveTo(hand, to, Qt::LeftButton, {});
    if (below(4) == 0) QCoreApplication::processEvents();
    QTest::mouseRelease(&hand.canvas(), Qt::LeftButton, {}, to);
  }
  void pullAny(Hand& hand) {
    switch (below(4)) {
      case 0: return pull(hand, Qt::RightButton, Qt::ControlModifier);
      case 1: return pull(hand, Qt::LeftButton, Qt::ControlModifier | Qt::ShiftModifier);
      case 2: return pull(hand, Qt::MiddleButton, {});
      default: return pull(hand, Qt::LeftButton, below(2) ? Qt::ShiftModifier : Qt::NoModifier);
    }
  }
  void removeKey(Hand& hand) {
    key(hand, {Qt::Key_Delete, Qt::Key_Delete, Qt::Key_Backspace}, below(4) ? Qt::NoModifier : Qt::ShiftModifier);
  }
  void copies(Hand& hand) {
    if (below(5) == 0) key(hand, {Qt::Key_A}, Qt::ControlModifier);
    key(hand, {Qt::Key_C, Qt::Key_V, Qt::Key_X, Qt::Key_D, Qt::Key_V},
        below(5) ? Qt::ControlModifier : Qt::ControlModifier | Qt::ShiftModifier);
  }
  void pasteJunk(Hand& hand) {
    QGuiApplication::clipboard()->setText(QString::fromLatin1(one(kJunk)));
    key(hand, {Qt::Key_V}, Qt::ControlModifier);
  }
  void undoOrRedo(Hand& hand) {
    for (int times = 1 + below(4); times > 0; --times)
      key(hand, {Qt::Key_Z}, below(3) ? Qt::ControlModifier : Qt::ControlModifier | Qt::ShiftModifier);
  }
  void arrangeKey(Hand& hand) {
    key(hand,
        {Qt::Key_M, Qt::Key_X, Qt::Key_P, Qt::Key_N, Qt::Key_L, Qt::Key_S, Qt::Key_A, Qt::Key_F, Qt::Key_R, Qt::Key_C,
         Qt::Key_B, Qt::Key_Question},
        below(4) ? Qt::NoModifier : Qt::ShiftModifier);
  }
  void controlKey(Hand& hand) {
    key(hand,
        {Qt::Key_G, Qt::Key_L, Qt::Key_K, Qt::Key_F, Qt::Key_U, Qt::Key_B, Qt::Key_I, Qt::Key_0, Qt::Key_Plus,
         Qt::Key_Minus, Qt::Key_R, Qt::Key_E, Qt::Key_T},
        below(3) ? Qt::ControlModifier : Qt::ControlModifier | Qt::ShiftModifier);
  }
  void arrows(Hand& hand) {
    key(hand,
        {Qt::Key_Escape, Qt::Key_Up, Qt::Key_Down, Qt::Key_Left, Qt::Key_Right, Qt::Key_Return, Qt::Key_F1, Qt::Key_F2,
         Qt::Key_F3, Qt::Key_F6, Qt::Key_Home},
        below(4) ? Qt::NoModifier : Qt::AltModifier);
  }
  void wheel(Hand& hand) {
    const QPoint at = somewhere(hand);
    QWheelEvent event(at, hand.canvas().mapToGlobal(at), {}, {0, below(2) ? 240 : -240}, Qt::NoButton,
                      below(2) ? Qt::NoModifier : Qt::ControlModifier, Qt::NoScrollPhase, false);
    QApplication::sendEvent(&hand.canvas(), &event);
  }
  void hover(Hand& hand) {
    moveTo(hand, somewhere(hand), Qt::NoButton, {});
    if (below(3) == 0) QTest::qWait(5);
  }
  void fieldAnywhere(Hand& hand) {
    auto* field = anyOf<QLineEdit>(hand.window());
    if (!field || field->isReadOnly()) return;
    field->setFocus();
    if (below(3)) field->selectAll();
    typeInto(field, below(4) ? one(kValues) : one(kLines));
  }
  void buttonAnywhere(Hand& hand) {
    if (auto* button = anyOf<QAbstractButton>(hand.window()))
      QTest::mouseClick(button, Qt::LeftButton, {}, button->rect().center());
  }
  void boxAnywhere(Hand& hand) {
    if (below(2)) {
      if (auto* box = anyOf<QComboBox>(hand.window()); box && box->count() > 0)
        box->setFocus(), QTest::keyClick(box, below(2) ? Qt::Key_Down : Qt::Key_Up);
    } else if (auto* spin = anyOf<QAbstractSpinBox>(hand.window())) {
      spin->setFocus();
      QTest::keyClick(spin, below(2) ? Qt::Key_Up : Qt::Key_Down);
    }
  }
  void rowAnywhere(Hand& hand) {
    auto* view = anyOf<QAbstractItemView>(hand.window());
    if (!view || !view->model() || view->model()->rowCount() == 0) return;
    const QModelIndex at =
        view->model()->index(below(view->model()->rowCount()), below(std::max(1, view->model()->columnCount())));
    const QRect place = view->visualRect(at);
    if (!place.isValid() || !view->viewport()->rect().contains(place.center())) return;
    if (below(3))
      QTest::mouseClick(view->viewport(), Qt::LeftButton, {}, place.center());
    else
      QTest::mouseDClick(view->viewport(), Qt::LeftButton, {}, place.center());
  }
  // In the text of the computation, or out of it.
  void typeText(Hand& hand) {
    TextPanel* panel = hand.window().panels().text;
    hand.window().panels().raise(QStringLiteral("text"));
    if (!panel->editButton()->isChecked() || below(8) == 0)
      panel->editButton()->setChecked(!panel->editButton()->isChecked());
    if (!panel->editButton()->isChecked()) return;
    QPlainTextEdit* field = panel->edit()->field();
    field->setFocus();
    QTextCursor cursor = field->textCursor();
    cursor.setPosition(below(static_cast<int>(field->toPlainText().size()) + 1));
    if (below(3) == 0) cursor.movePosition(QTextCursor::EndOfWord, QTextCursor::KeepAnchor);
    field->setTextCursor(cursor);
    switch (below(6)) {
      case 0: QTest::keyClick(field, Qt::Key_Delete); break;
      case 1:
        QTest::keyClick(field, Qt::Key_Space, Qt::ControlModifier), QTest::keyClick(field, Qt::Key_Down),
            QTest::keyClick(field, below(2) ? Qt::Key_Tab : Qt::Key_Escape);
        break;
      case 2: QTest::keyClick(field, Qt::Key_Return); break;
      default: QTest::keyClicks(field, QString::fromLatin1(one(kTyped)));
    }
    if (below(2)) panel->edit()->readNow();
  }
  void save(Hand& hand) {
    const char* const names[] = {"w.hlo", "w.tessera", "w.pb", "w.pbtxt", "none/w.hlo"};
    const Status done = hand.document().file().save(folder_.filePath(QString::fromLatin1(one(names))));
    if (!done && done.error().message.empty()) QFAIL("a refusal without a reason");
  }
  void run(Hand& hand) {
    if (below(3))
      hand.document().run().start();
    else
      hand.document().cancel();
  }
  void block(Hand& hand) {
    hand.window().blocks().setLibrary(folder_.filePath("walk.tessera-blocks"));
    if (below(2))
      hand.window().blocks().saveSelection(below(2) ? "one" : "two", "made on a walk");
    else
      hand.window().blocks().update();
  }
  // Commands of the menus but those that open another document or end the session.
  void actionAnywhere(Hand& hand) {
    const auto& entries = hand.window().navigation().keys().entries();
    if (entries.empty()) return;
    const auto& entry = entries[static_cast<size_t>(below(static_cast<int>(entries.size())))];
    for (const char* other : {"Open", "open", "New", "Quit", "Exit", "Close window", "xample", "recent"})
      if (entry.name.contains(QLatin1String(other))) return;
    if (entry.action->isEnabled()) entry.action->trigger();
  }
  void panel(Hand& hand) {
    const auto& docks = hand.window().panels().docks;
    QDockWidget* dock = docks[below(static_cast<int>(docks.size()))];
    dock->setVisible(below(3) > 0);
    if (dock->isVisible()) dock->raise();
  }
  void goElsewhere(Hand& hand) {
    const auto& order = hand.module().order();
    if (!order.empty())
      hand.document().view().showComputation(order[static_cast<size_t>(below(static_cast<int>(order.size())))]);
  }
  void resizeWindow(Hand& hand) { hand.window().resize(500 + below(500), 400 + below(300)); }

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
    const double before = workedMs();
    if (below(3)) hand.canvas().setFocus();
    (this->*kind->play)(hand);
    answer(hand);
    if (below(3)) {  // else impatient
      rest(hand);
      answer(hand);
    }
    note(hand, kind->name, workedMs() - before);
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
  // Till no worker has anything to say: pictures are not waited for.
  void rest(Hand& hand) {
    QElapsedTimer clock;
    clock.start();
    do QCoreApplication::processEvents(QEventLoop::AllEvents, 5);
    while (hand.document().isBusy() && clock.elapsed() < 20000);
    QVERIFY2(!hand.document().isBusy(), "the window does not come to rest");
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
    const auto know = [&] {  // an example or a lesson comes in a tab of its own, or in place of another graph
      const Document& document = hand.document();
      if (!document.isOpen() || firsts.contains(&document)) return;
      const auto take = [&firsts, &document] {
        firsts[&document] = {printHloText(document.module()), document.project().arranged()};
      };
      take();
      QObject::connect(&document, &Document::opened, &document, take);
      QObject::connect(&document, &QObject::destroyed, &document, [&firsts, &document] { firsts.erase(&document); });
    };
    know();
    for (int i = 0; i < events; ++i) {
      step(hand, i);
      know();
      if (QTest::currentTestFailed()) break;
      if (i % 10 == 9) rest(hand), checkText(hand, i);
      if (hand.module().instructionCount() > kTooMany) beginAnew(hand);
      if (QTest::currentTestFailed()) break;
    }
    if (!QTest::currentTestFailed()) {
      undoAll(hand);
      QVERIFY2(hand.text() == firsts[&hand.document()].text,
               qPrintable(QStringLiteral("undoing everything gives\n%1").arg(QString::fromStdString(hand.text()))));
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
