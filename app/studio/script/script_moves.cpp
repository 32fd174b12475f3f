// See script_moves.h. A command that ends in "-hold" leaves the button down, for pictures.
#include "app/studio/script/script_moves.h"

#include <QApplication>
#include <QComboBox>
#include <QContextMenuEvent>
#include <QLineEdit>
#include <QListWidget>
#include <QMouseEvent>
#include <QStringList>
#include <map>

#include "app/studio/script/script_gestures.h"
#include "app/studio/window/main_window.h"
#include "editor/canvas/canvas.h"
#include "editor/canvas/tools/wire_tool.h"
#include "editor/controllers/arrange_controller.h"
#include "editor/document/document.h"
#include "editor/panels/popups/value_field.h"
#include "editor/panels/size_panel.h"

namespace tessera {
namespace {

void pointer(MainWindow& w, QEvent::Type type, QPointF at, Qt::MouseButton button, Qt::KeyboardModifiers modifiers) {
  const bool moves = type == QEvent::MouseMove;
  QMouseEvent event(type, at, w.canvas().mapToGlobal(at), moves ? Qt::NoButton : button,
                    type == QEvent::MouseButtonRelease ? Qt::NoButton : button, modifiers);
  QApplication::sendEvent(&w.canvas(), &event);
}

void drag(MainWindow& w, QPointF from, QPointF to, bool hold, Qt::MouseButton button = Qt::LeftButton,
          Qt::KeyboardModifiers modifiers = {}) {
  constexpr int kSteps = 6;
  pointer(w, QEvent::MouseButtonPress, from, button, modifiers);
  for (int i = 1; i <= kSteps; ++i) pointer(w, QEvent::MouseMove, from + (to - from) * i / kSteps, button, modifiers);
  if (!hold) pointer(w, QEvent::MouseButtonRelease, to, button, modifiers);
}

Result<QPointF> bodyOf(MainWindow& w, const QString& name) {
  const auto id = w.document().isOpen() ? w.document().module().findInstruction(name.toStdString()) : std::nullopt;
  if (!id || w.canvas().boxOf(*id).isEmpty())
    return std::unexpected(refusedGesture(QObject::tr("%1 is not on the canvas").arg(name)).error());
  const QRectF box = w.canvas().boxOf(*id);
  return w.canvas().viewport().toWidget(box.topLeft() + QPointF(box.width() * 0.25, 10));
}

// "NAME DX DY", in pixels.
Status moveBy(MainWindow& w, const QString& words, bool hold, Qt::KeyboardModifiers modifiers = {}) {
  const QStringList parts = words.split(QLatin1Char(' '), Qt::SkipEmptyParts);
  if (parts.size() != 3) return refusedGesture(QObject::tr("a move is NAME DX DY"));
  TESSERA_ASSIGN_OR_RETURN(const QPointF from, bodyOf(w, parts[0]));
  drag(w, from, from + QPointF(parts[1].toDouble(), parts[2].toDouble()), hold, Qt::LeftButton, modifiers);
  return {};
}

// As the right button does it; the menu stays open. Without a name it is that of the page.
Status openMenu(MainWindow& w, const QString& name) {
  QPointF at(16, 16);
  if (!name.isEmpty()) {
    TESSERA_ASSIGN_OR_RETURN(at, bodyOf(w, name));
  }
  QContextMenuEvent event(QContextMenuEvent::Mouse, at.toPoint(), w.canvas().mapToGlobal(at.toPoint()));
  QApplication::sendEvent(&w.canvas(), &event);
  return {};
}

// "NAME USER INPUT": the node is dropped on the wire to that input.
Status insert(MainWindow& w, const QString& words, bool hold) {
  const QStringList parts = words.split(QLatin1Char(' '), Qt::SkipEmptyParts);
  const auto user = w.document().isOpen() && parts.size() == 3
                        ? w.document().module().findInstruction(parts[1].toStdString())
                        : std::nullopt;
  const size_t input = parts.size() == 3 ? parts[2].toUInt() : 0;
  if (!user || input >= w.document().module().at(*user).operands.size())
    return refusedGesture(QObject::tr("a drop is NAME USER INPUT"));
  const InstructionId value = w.document().module().at(*user).operands[input];
  TESSERA_ASSIGN_OR_RETURN(const QPointF from, bodyOf(w, parts[0]));
  const auto& view = *w.canvas().view();
  const auto id = w.document().module().findInstruction(parts[0].toStdString());
  if (!value.valid() || view.boxOf(value) < 0 || view.boxOf(*user) < 0)
    return refusedGesture(QObject::tr("the wire is not on the canvas"));
  const QPointF middle = (w.canvas().wires().outputAt(view.boxOf(value)) +
                          w.canvas().wires().inputAt(view.boxOf(*user), static_cast<int32_t>(input))) /
                         2;
  const QPointF centre = w.canvas().viewport().toWidget(w.canvas().boxOf(*id).center());
  drag(w, from, from + middle - centre, hold);
  return {};
}

// "X Y X Y": over wires, in pixels of the canvas.
Status stroke(MainWindow& w, const QString& words, bool hold) {
  const QStringList parts = words.split(QLatin1Char(' '), Qt::SkipEmptyParts);
  if (parts.size() != 4) return refusedGesture(QObject::tr("a stroke is X Y X Y"));
  drag(w, {parts[0].toDouble(), parts[1].toDouble()}, {parts[2].toDouble(), parts[3].toDouble()}, hold, Qt::RightButton,
       Qt::ControlModifier);
  return {};
}

Status pick(MainWindow& w, const QString& words) {
  std::vector<InstructionId> all;
  for (const QString& name : words.split(QLatin1Char(' '), Qt::SkipEmptyParts)) {
    const auto id = w.document().isOpen() ? w.document().module().findInstruction(name.toStdString()) : std::nullopt;
    if (!id) return refusedGesture(QObject::tr("there is no instruction %1").arg(name));
    all.push_back(*id);
  }
  w.document().select(std::move(all));
  w.canvas().setFocus();
  return {};
}

// "DIMENSION SIZE": previews the change of a size of the selection; Return takes it.
Status size(MainWindow& w, const QString& words) {
  w.pane().arrangement().changeSize();
  SizePanel& panel = w.pane().arrangement().sizes();
  if (!panel.isVisible()) return refusedGesture(QObject::tr("nothing with a dimension is selected"));
  panel.dimensions()->setCurrentIndex(words.section(QLatin1Char(' '), 0, 0).toInt());
  panel.sizeField()->setText(words.section(QLatin1Char(' '), 1, 1));
  emit panel.sizeField()->textEdited(panel.sizeField()->text());
  panel.look();
  return {};
}

// Ticks everything that the panel only offers.
Status sizeAll(MainWindow& w, const QString&) {
  QListWidget* choices = w.pane().arrangement().sizes().choices();
  for (int i = 0; i < choices->count(); ++i) choices->item(i)->setCheckState(Qt::Checked);
  return {};
}

}  // namespace

QPointF freeDropBeyond(Canvas& canvas, int32_t node) {
  constexpr int kReach = 32;  // so far that a wire does not snap to an input
  const auto isFree = [&](QPointF at) {
    const QRectF around(canvas.viewport().toScene(at - QPointF(kReach, kReach)),
                        canvas.viewport().toScene(at + QPointF(kReach, kReach)));
    for (size_t v = 0; v < canvas.view()->nodes.size(); ++v)
      if (canvas.frameOf(static_cast<int32_t>(v)).intersects(around)) return false;
    return canvas.itemAt(at) < 0;
  };
  const bool right = canvas.view()->flow == Flow::Right;
  const QPointF from = canvas.wires().outputAt(node);
  for (int along = 36; along < 300; along += 12)
    for (int across : {0, 120, -120, 240, -240})
      if (const QPointF at = from + (right ? QPointF(along, across) : QPointF(across * 1.6, along));
          canvas.rect().adjusted(8, 8, -8, -8).contains(at.toPoint()) && isFree(at))
        return at;
  return QPointF(canvas.width() - 25, canvas.height() - 25);
}

GestureCommand moveNamed(const QString& name) {
  using W = MainWindow&;
  using S = const QString&;
  static const std::map<QString, GestureCommand> table{
      {"menu", openMenu},
      {"move", [](W w, S words) { return moveBy(w, words, false); }},
      {"move-hold", [](W w, S words) { return moveBy(w, words, true); }},
      {"pull", [](W w, S words) { return moveBy(w, words, false, Qt::ControlModifier | Qt::ShiftModifier); }},
      {"insert", [](W w, S words) { return insert(w, words, false); }},
      {"insert-hold", [](W w, S words) { return insert(w, words, true); }},
      {"stroke", [](W w, S words) { return stroke(w, words, false); }},
      {"stroke-hold", [](W w, S words) { return stroke(w, words, true); }},
      {"pick", pick},
      {"size-to", size},
      {"size-all", sizeAll},
  };
  const auto found = table.find(name);
  return found == table.end() ? nullptr : found->second;
}

}  // namespace tessera
