// A hand for Qt tests of building: real key and mouse events on the canvas of a MainWindow, each counted as a gesture.
// Used by build_test, tasks_test and others.
#pragma once

#include <QLineEdit>
#include <QListWidget>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QTest>
#include <memory>

#include "app/studio/script/script.h"
#include "app/studio/script/script_moves.h"
#include "app/studio/window/main_window.h"
#include "core/arrange/box_style.h"
#include "core/formats/hlo_text.h"
#include "core/formats/module_file.h"
#include "editor/canvas/canvas.h"
#include "editor/canvas/highlights.h"
#include "editor/canvas/tools/wire_tool.h"
#include "editor/controllers/block_actions.h"
#include "editor/controllers/graph_edit_controller.h"
#include "editor/document/document.h"
#include "editor/panels/popups/add_search.h"
#include "editor/panels/popups/choice_list.h"
#include "editor/panels/popups/value_field.h"

namespace tessera {

class Hand {
 public:
  Hand() : window_(std::make_unique<MainWindow>(false)) {
    window_->resize(1400, 950);
    window_->show();
    if (!QTest::qWaitForWindowExposed(window_.get())) qFatal("the window does not show");
    window_->activateWindow();
    QTest::keyClick(window_.get(), Qt::Key_N, Qt::ControlModifier);
    settle();
  }

  int gestures = 0;

  MainWindow& window() { return *window_; }
  Document& document() { return window_->document(); }
  const Module& module() { return document().module(); }
  Canvas& canvas() { return window_->canvas(); }
  InstructionId selected() { return document().selected(); }
  const Instruction& at(InstructionId id) { return module().at(id); }
  std::string shape(InstructionId id) { return toString(module().shapeOf(id), false); }
  std::string text() { return printHloText(module()); }
  InstructionId named(const char* name) { return module().findInstruction(name).value(); }

  void settle() {
    if (!waitUntilIdle(*window_)) qFatal("the window does not come to rest");
  }

  // Opens a file that holds the text; with `live` the graph runs after each edit.
  void openText(const char* text, bool live = true) {
    const QString path = folder_.filePath(QStringLiteral("graph.hlo"));
    if (!writeFileAtomically(path.toStdString(), text)) qFatal("cannot write a test's file");
    window_->openFile(path);
    settle();
    if (!document().isOpen()) qFatal("a test's file does not open");
    document().live().setOn(live);
    settle();
  }

  // --- gestures
  void key(Qt::Key key, Qt::KeyboardModifiers modifiers = {}) {
    ++gestures;
    canvas().setFocus();
    QTest::keyClick(&canvas(), key, modifiers);
    settle();
  }
  void type(QLineEdit* field, const char* words) {
    ++gestures;
    QTest::keyClicks(field, words);
  }
  void enter(QWidget* widget) {
    ++gestures;
    QTest::keyClick(widget, Qt::Key_Return);
    settle();
  }
  // The selection as a block of the library; false: it was refused.
  bool saveBlock(const QString& name, const QString& summary) {
    BlockActions& blocks = window_->pane().blocks();
    QSignalSpy saved(&blocks, &BlockActions::saved);
    blocks.saveSelection(name, summary);
    if (!QTest::qWaitFor([&] { return !blocks.isSaving(); })) qFatal("a block is not saved");
    settle();
    return saved.count() == 1;
  }
  InstructionId take(const char* line) {  // in the search that is open
    QLineEdit* field = window_->addSearch().field();
    type(field, line);
    enter(field);
    return selected();
  }
  // The search stays open for the next one: one Tab, then two gestures each.
  InstructionId addMore(const char* line) {
    AddSearch& search = window_->addSearch();
    if (!search.isVisible()) key(Qt::Key_Tab);
    type(search.field(), line);
    ++gestures;
    QTest::keyClick(search.field(), Qt::Key_Return, Qt::ShiftModifier);
    settle();
    QTest::qWait(1);  // it opens in the next event
    if (!search.isVisible()) qFatal("the search does not open again");
    return selected();
  }
  InstructionId addLast(const char* line) { return window_->addSearch().isVisible() ? take(line) : add(line); }
  InstructionId add(const char* line) {
    key(Qt::Key_Tab);
    return take(line);
  }
  void click(InstructionId id, Qt::KeyboardModifiers modifiers = {}) {
    ++gestures;
    QTest::mouseClick(&canvas(), Qt::LeftButton, modifiers, bodyOf(id));
    settle();
  }
  void doubleClick(QPoint at) {
    ++gestures;
    QTest::mouseDClick(&canvas(), Qt::LeftButton, {}, at);
    QTest::mouseRelease(&canvas(), Qt::LeftButton, {}, at);
    settle();
  }
  void carry(QPoint from, QPoint to) {  // presses and moves; the button stays down
    QTest::mousePress(&canvas(), Qt::LeftButton, {}, from);
    QTest::mouseMove(&canvas(), (from + to) / 2);
    QTest::mouseMove(&canvas(), to);
  }
  void drag(QPoint from, QPoint to) {
    ++gestures;
    carry(from, to);
    QTest::mouseRelease(&canvas(), Qt::LeftButton, {}, to);
    settle();
  }
  // Draws a wire to empty canvas and takes what the line finds.
  InstructionId drawTo(InstructionId from, const char* line) {
    drag(outputOf(from), placeBelow(from));
    return take(line);
  }
  void wire(InstructionId from, InstructionId user, int32_t operand) { drag(outputOf(from), inputOf(user, operand)); }

  // --- places
  const ViewNode& nodeOf(InstructionId id) {
    return canvas().view()->nodes[static_cast<size_t>(canvas().view()->boxOf(id))];
  }
  // A node is grabbed by its title: fields of its inputs are below. A field of its own is grabbed left of its mark.
  QPoint bodyOf(InstructionId id) {
    const QRectF box = canvas().boxOf(id);
    if (nodeOf(id).owner >= 0)
      return canvas().viewport().toWidget(box.center() - QPointF(box::kPullMark / 2, 0)).toPoint();
    const ViewNode::Kind kind = nodeOf(id).kind;
    // Of an open group its title: what is inside belongs to others.
    const double below = kind == ViewNode::Kind::Instruction ? std::min(box.height() / 2, 21.0)
                         : kind == ViewNode::Kind::OpenGroup ? box::kGroupHeader / 2.0
                                                             : box.height() / 2;
    return canvas().viewport().toWidget(QPointF(box.center().x(), box.top() + below)).toPoint();
  }
  QPoint markOf(InstructionId id) {  // pulls a field out, or folds it back
    const QRectF box = canvas().boxOf(id);
    return canvas()
        .viewport()
        .toWidget(nodeOf(id).owner >= 0 ? QPointF(box.right() - box::kPullMark / 2, box.center().y())
                                        : QPointF(box.right() - box::kPullMark / 2 - 3, box.top() + 10))
        .toPoint();
  }
  QPoint outputOf(InstructionId id) { return canvas().wires().outputAt(canvas().view()->boxOf(id)).toPoint(); }
  QPoint inputOf(InstructionId id, int32_t operand) {
    return canvas().wires().inputAt(canvas().view()->boxOf(id), operand).toPoint();
  }
  QPoint fieldOf(InstructionId id, int32_t operand) {  // of an open input
    return canvas().wires().fieldOf(canvas().view()->boxOf(id), operand).center().toPoint();
  }
  QPoint emptyPlace() { return {canvas().width() - 25, canvas().height() - 25}; }
  // Where a wire from a node is dropped so that the new node is beyond it.
  QPoint placeBelow(InstructionId id) { return freeDropBeyond(canvas(), canvas().view()->boxOf(id)).toPoint(); }
  QPoint groupTitle(const QString& group) {
    const int32_t node = canvas().view()->findGroup(group.toStdString());
    for (const PictureItem& item : canvas().picture()->items)
      if (item.viewNode == node)
        return canvas().viewport().toWidget(QPointF(item.bounds.x + 30, item.bounds.y + 14)).toPoint();
    qFatal("there is no such group");
  }

  void undo() {
    QTest::keyClick(window_.get(), Qt::Key_Z, Qt::ControlModifier);
    settle();
  }
  void redo() {
    QTest::keyClick(window_.get(), Qt::Key_Z, Qt::ControlModifier | Qt::ShiftModifier);
    settle();
  }
  void undoAll() {
    while (document().canUndo()) undo();
  }
  void redoAll() {
    while (document().canRedo()) redo();
  }

 private:
  QTemporaryDir folder_;
  std::unique_ptr<MainWindow> window_;
};

// Whether the window draws a widget and nothing over it: marks in its corners and its middle are in the window's
// picture. What is behind a tab stands outside or under another one, whatever its visible region says.
inline bool isDrawn(QWidget& window, QWidget& widget) {
  constexpr QRgb kInk = 0xffff00fe;
  const QRect inside = widget.rect().adjusted(4, 4, -8, -8);
  bool drawn = widget.isVisible();
  for (const QPoint& at :
       {inside.topLeft(), inside.topRight(), inside.bottomLeft(), inside.bottomRight(), inside.center()}) {
    QWidget mark(&widget);
    mark.setPalette(QColor(kInk));
    mark.setAutoFillBackground(true);
    mark.setGeometry(QRect(at, QSize(4, 4)));
    mark.show();
    mark.raise();
    const QPoint seen = mark.mapTo(&window, QPoint(1, 1));
    drawn = drawn && window.rect().contains(seen) && window.grab().toImage().pixel(seen) == kInk;
  }
  return drawn;
}

// What was just done is one step: it goes and comes back whole.
inline void checkOneStep(Hand& hand, const std::string& before) {
  const std::string after = hand.text();
  QVERIFY(after != before);
  hand.undo();
  QCOMPARE(hand.text(), before);
  hand.redo();
  QCOMPARE(hand.text(), after);
}

}  // namespace tessera
