// Positions are read from the canvas when a gesture is played.
#include "app/studio/script/script_gestures.h"

#include <QApplication>
#include <QKeyEvent>
#include <QLineEdit>
#include <QListWidget>
#include <QMouseEvent>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QStringList>
#include <QTabWidget>
#include <QTextBlock>
#include <QToolButton>
#include <map>

#include "app/studio/script/script.h"
#include "app/studio/script/script_moves.h"
#include "app/studio/window/documents/document_opener.h"
#include "app/studio/window/main_window.h"
#include "app/studio/window/panels.h"
#include "editor/canvas/canvas.h"
#include "editor/canvas/tools/wire_tool.h"
#include "editor/controllers/graph_edit_controller.h"
#include "editor/controllers/run_controller.h"
#include "editor/document/document.h"
#include "editor/document/player.h"
#include "editor/panels/popups/add_search.h"
#include "editor/panels/popups/value_field.h"
#include "editor/panels/run/run_panel.h"
#include "editor/panels/text/text_panel.h"
#include "editor/values/call_bar.h"
#include "editor/values/play_bar.h"
#include "editor/values/value_panel.h"
#include "editor/values/value_view.h"

namespace tessera {

Status refusedGesture(const QString& message) {
  return fail({.kind = ErrorKind::Usage, .message = message.toStdString()});
}

namespace {

void pointer(MainWindow& w, QEvent::Type type, QPointF at) {
  const Qt::MouseButton button = type == QEvent::MouseMove ? Qt::NoButton : Qt::LeftButton;
  QMouseEvent event(type, at, w.canvas().mapToGlobal(at), button,
                    type == QEvent::MouseButtonRelease ? Qt::NoButton : Qt::LeftButton, Qt::NoModifier);
  QApplication::sendEvent(&w.canvas(), &event);
}

struct Wire {
  QPointF from, to;
};

// "VALUE USER INPUT": from the output of one to an input of the other.
Result<Wire> wireOf(MainWindow& w, const QString& words) {
  const QStringList parts = words.split(QLatin1Char(' '), Qt::SkipEmptyParts);
  if (parts.size() != 3 || !w.document().isOpen())
    return std::unexpected(refusedGesture(QObject::tr("a wire is VALUE USER INPUT")).error());
  const Module& module = w.document().module();
  const auto value = module.findInstruction(parts[0].toStdString()),
             user = module.findInstruction(parts[1].toStdString());
  const int operand = parts[2].toInt();
  if (!value || !user || w.canvas().view()->boxOf(*value) < 0 || w.canvas().view()->boxOf(*user) < 0)
    return std::unexpected(refusedGesture(QObject::tr("%1 has names that are not on the canvas").arg(words)).error());
  return Wire{w.canvas().wires().outputAt(w.canvas().view()->boxOf(*value)),
              w.canvas().wires().inputAt(w.canvas().view()->boxOf(*user), operand)};
}

Status carry(MainWindow& w, const QString& words) {
  TESSERA_ASSIGN_OR_RETURN(const Wire wire, wireOf(w, words));
  pointer(w, QEvent::MouseButtonPress, wire.from);
  pointer(w, QEvent::MouseMove, (wire.from + wire.to) / 2);
  pointer(w, QEvent::MouseMove, wire.to + QPointF(2, -1));
  return {};
}

Status wire(MainWindow& w, const QString& words) {
  TESSERA_TRY(carry(w, words));
  TESSERA_ASSIGN_OR_RETURN(const Wire wire, wireOf(w, words));
  pointer(w, QEvent::MouseButtonRelease, wire.to);
  return {};
}

Status search(MainWindow& w, const QString& line) {
  QLineEdit* field = w.addSearch().field();
  field->setText(line);
  const QListWidgetItem* first = w.addSearch().list()->item(0);
  if (!w.addSearch().isVisible() || !first || first->flags() == Qt::NoItemFlags)  // a line that says so is no find
    return refusedGesture(QObject::tr("nothing is found for %1").arg(line));
  QKeyEvent enter(QEvent::KeyPress, Qt::Key_Return, Qt::NoModifier);
  QApplication::sendEvent(field, &enter);
  return {};
}

Status add(MainWindow& w, const QString& line) {
  w.pane().graphEdit().openSearch(w.canvas().rect().center());
  return search(w, line);
}

// "VALUE LINE": the wire is dropped on empty canvas.
Status draw(MainWindow& w, const QString& words) {
  const auto value = w.document().isOpen()
                         ? w.document().module().findInstruction(words.section(QLatin1Char(' '), 0, 0).toStdString())
                         : std::nullopt;
  if (!value || w.canvas().view()->boxOf(*value) < 0)
    return refusedGesture(QObject::tr("%1 has a name that is not on the canvas").arg(words));
  const int32_t node = w.canvas().view()->boxOf(*value);
  const QPointF to = freeDropBeyond(w.canvas(), node);
  pointer(w, QEvent::MouseButtonPress, w.canvas().wires().outputAt(node));
  pointer(w, QEvent::MouseMove, to - QPointF(9, 9));
  pointer(w, QEvent::MouseMove, to);
  pointer(w, QEvent::MouseButtonRelease, to);
  const QString line = words.section(QLatin1Char(' '), 1);
  return line.isEmpty() ? Status{} : search(w, line);
}

Status field(MainWindow& w, const QString& words) {
  const auto user = w.document().isOpen()
                        ? w.document().module().findInstruction(words.section(QLatin1Char(' '), 0, 0).toStdString())
                        : std::nullopt;
  if (!user) return refusedGesture(QObject::tr("%1 has a name that is not there").arg(words));
  emit w.canvas().inputClicked(*user, words.section(QLatin1Char(' '), 1, 1).toInt());
  QLineEdit* line = w.pane().graphEdit().field().field();
  line->setText(words.section(QLatin1Char(' '), 2));
  QKeyEvent enter(QEvent::KeyPress, Qt::Key_Return, Qt::NoModifier);
  QApplication::sendEvent(line, &enter);
  return {};
}

// "VALUE PIXELS": a drag along the number on a node.
Status scrub(MainWindow& w, const QString& words) {
  const auto id = w.document().isOpen()
                      ? w.document().module().findInstruction(words.section(QLatin1Char(' '), 0, 0).toStdString())
                      : std::nullopt;
  if (!id || w.canvas().boxOf(*id).isEmpty())
    return refusedGesture(QObject::tr("%1 has a name that is not on the canvas").arg(words));
  const QRectF box = w.canvas().boxOf(*id);
  const QPointF at = w.canvas().viewport().toWidget(QPointF(box.left() + 18, box.bottom() - 8)),
                to = at + QPointF(words.section(QLatin1Char(' '), 1).toDouble(), 0);
  pointer(w, QEvent::MouseButtonPress, at);
  pointer(w, QEvent::MouseMove, (at + to) / 2);
  pointer(w, QEvent::MouseMove, to);
  pointer(w, QEvent::MouseButtonRelease, to);
  return {};
}

// As Ctrl+Shift+click.
Status value(MainWindow& w, const QString& name) {
  const auto id = w.document().isOpen() ? w.document().module().findInstruction(name.toStdString()) : std::nullopt;
  if (!id) return refusedGesture(QObject::tr("there is no instruction %1").arg(name));
  w.document().select({*id});
  emit w.canvas().valueWanted(*id);
  return {};
}

// Argument and where it comes from: "0 image cat.png".
Status source(MainWindow& w, const QString& words) {
  QLineEdit* line = w.panels().run->source(words.section(QLatin1Char(' '), 0, 0).toInt());
  if (!line) return refusedGesture(QObject::tr("there is no argument %1").arg(words));
  line->setText(words.section(QLatin1Char(' '), 1));
  emit line->textEdited(line->text());
  emit line->editingFinished();
  return {};
}

Status play(MainWindow& w, const QString& steps) {
  Player& player = w.pane().runController().player();
  if (!player.canPlay()) player.setFeedsBack(true);
  waitUntilIdle(w);
  if (!player.canPlay()) return refusedGesture(QObject::tr("no output has the shape of an input"));
  for (int i = 0; i < steps.toInt(); ++i) {
    w.pane().runController().playBar().stepButton()->click();
    waitUntilIdle(w);
  }
  return {};
}

Status lookAt(MainWindow& w, const QString& application) {
  if (!w.pane().runController().callBar().isVisible())
    return refusedGesture(QObject::tr("no called computation is shown"));
  w.pane().runController().callBar().lookAt(application.toLongLong());
  return {};
}

QWidget* focused(MainWindow& w) {
  if (QWidget* menu = QApplication::activePopupWidget()) return menu;
  return QApplication::focusWidget() ? QApplication::focusWidget() : &w.canvas();
}

Status key(MainWindow& w, const QString& keys) {
  const QKeySequence sequence(keys);
  if (sequence.isEmpty()) return refusedGesture(QObject::tr("%1 is no key").arg(keys));
  QKeyEvent press(QEvent::KeyPress, sequence[0].key(), sequence[0].keyboardModifiers());
  QApplication::sendEvent(focused(w), &press);
  return {};
}

Status type(MainWindow& w, const QString& text) {
  for (const QChar c : text) {
    QKeyEvent press(QEvent::KeyPress, 0, Qt::NoModifier, QString(c));
    QApplication::sendEvent(focused(w), &press);
  }
  return {};
}

// Types in the text of the computation that is shown, from the end of a line on (from 1).
Status editText(MainWindow& w, const QString& line) {
  w.panels().raise(QStringLiteral("text"));
  TextPanel& panel = *w.panels().text;
  panel.editButton()->setChecked(true);
  QPlainTextEdit* field = panel.edit()->field();
  const QTextBlock block = field->document()->findBlockByNumber(line.toInt() - 1);
  if (!block.isValid()) return refusedGesture(QObject::tr("the text has no line %1").arg(line));
  QTextCursor cursor(block);
  cursor.movePosition(QTextCursor::EndOfBlock);
  field->setTextCursor(cursor);
  field->setFocus();
  return {};
}

}  // namespace

GestureCommand gestureNamed(const QString& name) {
  static const std::map<QString, GestureCommand> table{
      {"new",
       [](MainWindow& w, const QString&) {
         w.opener().newFile();
         return Status{};
       }},
      {"add", add},
      {"wire", wire},
      {"carry", carry},
      {"draw", draw},
      {"field", field},
      {"scrub", scrub},
      {"value", value},
      {"value-tab",
       [](MainWindow& w, const QString& tab) {
         w.panels().value->current()->tabs()->setCurrentIndex(tab.toInt());
         return Status{};
       }},
      {"pin",
       [](MainWindow& w, const QString&) {
         w.panels().value->pinButton()->click();
         return Status{};
       }},
      {"source", source},
      {"play", play},
      {"look-at", lookAt},
      {"carried",
       [](MainWindow& w, const QString&) {
         w.pane().runController().callBar().tableButton()->click();
         return Status{};
       }},
      {"live",
       [](MainWindow& w, const QString& on) {
         w.document().live().setOn(on != QLatin1String("off"));
         return Status{};
       }},
      {"key", key},
      {"type", type},
      {"edit-text", editText},
      {"read-text",
       [](MainWindow& w, const QString&) {
         w.panels().text->edit()->readNow();
         return Status{};
       }},
  };
  const auto found = table.find(name);
  return found == table.end() ? moveNamed(name) : found->second;
}

}  // namespace tessera
