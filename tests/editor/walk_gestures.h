// What the person of the random walk does: keys, clicks, drags, typed lines, text, copies, saving, runs, panels and
// dialogs anywhere in the window.
#pragma once

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
#include "tests/editor/walk_words.h"

namespace tessera {

class WalkGestures : public QObject {
 protected:
  std::mt19937 random_{7};
  QTemporaryDir folder_;

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
    for (ValueField* field : {&hand.window().pane().graphEdit().field(), &hand.window().pane().arrangement().field()}) {
      if (!field->isVisible()) continue;
      typeInto(field->field(), one(kValues));
      if (field->isVisible()) QTest::keyClick(field->field(), Qt::Key_Escape);
    }
    SizePanel& sizes = hand.window().pane().arrangement().sizes();
    if (sizes.isVisible()) {
      sizes.sizeField()->selectAll();
      const char* const lengths[] = {"2", "5", "0", "x", "-1"};
      typeInto(sizes.sizeField(), one(lengths));
      if (sizes.isVisible()) QTest::keyClick(&sizes, Qt::Key_Escape);
    }
    ChoiceList& choices = hand.window().pane().graphEdit().choices();
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
    void (WalkGestures::*play)(Hand&);
  };
  static const std::vector<Kind>& kinds() {
    static const std::vector<Kind> all = {
        {"search", 14, &WalkGestures::search},
        {"click", 8, &WalkGestures::click},
        {"double click", 4, &WalkGestures::doubleClick},
        {"wire", 14, &WalkGestures::wire},
        {"pull", 6, &WalkGestures::pullAny},
        {"remove", 5, &WalkGestures::removeKey},
        {"copies", 6, &WalkGestures::copies},
        {"junk", 2, &WalkGestures::pasteJunk},
        {"undo", 8, &WalkGestures::undoOrRedo},
        {"arrange", 6, &WalkGestures::arrangeKey},
        {"control", 4, &WalkGestures::controlKey},
        {"walk", 4, &WalkGestures::arrows},
        {"wheel", 3, &WalkGestures::wheel},
        {"hover", 3, &WalkGestures::hover},
        {"field", 8, &WalkGestures::fieldAnywhere},
        {"button", 6, &WalkGestures::buttonAnywhere},
        {"box", 2, &WalkGestures::boxAnywhere},
        {"row", 3, &WalkGestures::rowAnywhere},
        {"text", 8, &WalkGestures::typeText},
        {"save", 3, &WalkGestures::save},
        {"run", 2, &WalkGestures::run},
        {"block", 2, &WalkGestures::block},
        {"action", 6, &WalkGestures::actionAnywhere},
        {"panel", 2, &WalkGestures::panel},
        {"computation", 3, &WalkGestures::goElsewhere},
        {"window", 1, &WalkGestures::resizeWindow},
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
        {Qt::Key_W, Qt::Key_M, Qt::Key_X, Qt::Key_P, Qt::Key_N, Qt::Key_L, Qt::Key_S, Qt::Key_A, Qt::Key_F, Qt::Key_R,
         Qt::Key_C, Qt::Key_B, Qt::Key_Question},
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
    hand.window().pane().blocks().setLibrary(folder_.filePath("walk.tessera-blocks"));
    if (below(2))
      hand.window().pane().blocks().saveSelection(below(2) ? "one" : "two", "made on a walk");
    else
      hand.window().pane().blocks().update();
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
  // Till no worker has anything to say: pictures are not waited for.
  void rest(Hand& hand) {
    QElapsedTimer clock;
    clock.start();
    QCoreApplication::processEvents(QEventLoop::AllEvents, 5);
    while (hand.document().isBusy() && clock.elapsed() < 20000) {
      QTest::qSleep(1);  // waiting for a worker is no work of this thread
      QCoreApplication::processEvents(QEventLoop::AllEvents, 5);
    }
    QVERIFY2(!hand.document().isBusy(), "the window does not come to rest");
  }
};

}  // namespace tessera
