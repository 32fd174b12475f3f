// See arrange_menu.h.
#include "app/studio/window/menus/arrange_menu.h"

#include <QCursor>
#include <QMenu>
#include <QMenuBar>
#include <algorithm>
#include <tuple>
#include <utility>

#include "app/studio/actions/actions.h"
#include "app/studio/window/documents/current_document.h"
#include "app/studio/window/panels.h"
#include "editor/canvas/canvas.h"
#include "editor/controllers/arrange_controller.h"
#include "editor/document/document.h"
#include "editor/values/value_panel.h"

namespace tessera {

ArrangeMenu::ArrangeMenu(QMenuBar& bar, Actions& actions, CurrentDocument& current, QObject* parent)
    : QObject(parent), actions_(actions), current_(current) {
  QMenu& menu = *bar.addMenu(tr("&Arrange"));
  add(menu, "tidy", tr("Tidy all, &or the selection"), QKeySequence(Qt::CTRL | Qt::Key_L),
      [](ArrangeController& c) { c.tidy(); });
  addFlows(*menu.addMenu(tr("Wires &run")));
  add(menu, "turn-flow", tr("&Turn the flow"), QKeySequence(Qt::CTRL | Qt::ALT | Qt::Key_L),
      [](ArrangeController& c) { c.turnFlow(); });
  addAlignments(*menu.addMenu(tr("&Align and distribute")));
  menu.addSeparator();
  add(menu, "frame", tr("&Frame the selection"), QKeySequence(Qt::CTRL | Qt::Key_G),
      [](ArrangeController& c) { c.frameSelection(); });
  add(menu, "note", tr("&Note at the pointer"), QKeySequence(Qt::Key_T),
      [this](ArrangeController& c) { c.addNote(pointerOnCanvas()); });
  add(menu, "color", tr("Next &colour of a frame or note"), QKeySequence(Qt::SHIFT | Qt::Key_C),
      [](ArrangeController& c) { c.nextColor(); });
  menu.addSeparator();
  add(menu, "mute", tr("&Mute (bypassed when run)"), QKeySequence(Qt::Key_M),
      [](ArrangeController& c) { c.toggleMute(); });
  add(menu, "enlarge", tr("Sho&w the value large on the node"), QKeySequence(Qt::Key_E),
      [](ArrangeController& c) { c.toggleLarge(); });
  actions_.addOverCanvas(menu, {tr("See the &value in its panel"),
                                {QKeySequence(Qt::SHIFT | Qt::Key_E)},
                                [this](bool) {
                                  current_.panels().raise(QStringLiteral("value"));
                                  current_.panels().value->want(current_.document().selected());
                                },
                                QStringLiteral("value"),
                                [this] { return current_.hasSelection(); }});
  actions_.addOverCanvas(menu, {tr("Watch the value on the node, on re&quest"),
                                {QKeySequence(Qt::Key_W)},
                                [this](bool on) {
                                  WatchedValues& watched = current_.document().watched();
                                  on ? watched.watch(current_.document().selection())
                                     : watched.forget(current_.document().selection());
                                },
                                QStringLiteral("watch-value"),
                                [this] { return current_.hasSelection() && !current_.document().live().trace(); },
                                [this] { return current_.hasSelection() && watchesSelection(); }});
  add(menu, "swap", tr("&Swap two inputs"), QKeySequence(Qt::Key_X), [](ArrangeController& c) { c.swapInputs(); });
  add(menu, "pull-out", tr("Pull out of &its wires"), QKeySequence(Qt::Key_P),
      [](ArrangeController& c) { c.pullOut(); });
  const auto resize = [](ArrangeController& c) { c.changeSize(); };
  add(menu, "size", tr("Change a si&ze everywhere …"), QKeySequence(Qt::Key_S), resize);
  menu.addSeparator();
  add(menu, "select-needed", tr("Select all it &depends on"), QKeySequence(Qt::Key_L),
      [](ArrangeController& c) { c.selectAlong(true); });
  add(menu, "select-users", tr("Select all that &use it"), QKeySequence(Qt::SHIFT | Qt::Key_L),
      [](ArrangeController& c) { c.selectAlong(false); });
}

bool ArrangeMenu::watchesSelection() const {
  const WatchedValues& watched = current_.document().watched();
  return watched.isAwake() &&
         std::ranges::all_of(current_.document().selection(), [&](InstructionId id) { return watched.contains(id); });
}

void ArrangeMenu::add(QMenu& menu, const char* id, const QString& text, const QKeySequence& key, Run run) {
  actions_.addOverCanvas(
      menu,
      {text, {key}, [this, run = std::move(run)](bool) { run(current_.pane().arrangement()); }, QLatin1String(id)});
}

void ArrangeMenu::addFlows(QMenu& menu) {
  const std::tuple<const char*, QString, PageFlow> kFlows[] = {
      {"flow-right", tr("To the &right"), PageFlow::Right},
      {"flow-down", tr("&Downwards"), PageFlow::Down},
      {"flow-form", tr("As the &form of the graph asks for"), PageFlow::ByForm}};
  for (const auto& [id, text, way] : kFlows)
    actions_.addOverCanvas(menu,
                           {text,
                            {},
                            [this, way](bool) { current_.document().setFlow(way); },
                            QLatin1String(id),
                            [this] { return current_.isModule(); },
                            [this, way] { return current_.isOpen() && current_.document().project().flow == way; }});
}

void ArrangeMenu::addAlignments(QMenu& menu) {
  const std::pair<QString, Alignment> kAlignments[] = {{tr("Align &left"), Alignment::Left},
                                                       {tr("Align &centres"), Alignment::Centre},
                                                       {tr("Align &right"), Alignment::Right},
                                                       {tr("Align &top"), Alignment::Top},
                                                       {tr("Align &middles"), Alignment::Middle},
                                                       {tr("Align &bottom"), Alignment::Bottom},
                                                       {tr("Distribute &across"), Alignment::SpreadAcross},
                                                       {tr("Distribute &down"), Alignment::SpreadDown}};
  for (const auto& [text, alignment] : kAlignments)
    add(menu, "", text, {}, [alignment](ArrangeController& c) { c.align(alignment); });
}

QPoint ArrangeMenu::pointerOnCanvas() const {
  const QPoint at = current_.canvas().mapFromGlobal(QCursor::pos());
  return current_.canvas().rect().contains(at) ? at : current_.canvas().rect().center();
}

}  // namespace tessera
