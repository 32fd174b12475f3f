// See go_menu.h.
#include "app/studio/window/menus/go_menu.h"

#include <QClipboard>
#include <QGuiApplication>
#include <QLineEdit>
#include <QMenu>
#include <QMenuBar>
#include <QStatusBar>
#include <QStringList>
#include <algorithm>
#include <functional>
#include <span>
#include <utility>
#include <vector>

#include "app/studio/actions/actions.h"
#include "app/studio/window/documents/current_document.h"
#include "app/studio/window/documents/document_tabs.h"
#include "app/studio/window/documents/pane_area.h"
#include "app/studio/window/navigation.h"
#include "app/studio/window/panel_actions.h"
#include "app/studio/window/panels.h"
#include "core/hlo/place_text.h"
#include "core/tools/flow/value_flow.h"
#include "core/tools/query/query.h"
#include "editor/controllers/canvas_binding.h"
#include "editor/controllers/place_history.h"
#include "editor/document/document.h"
#include "editor/panels/inspect/computations_panel.h"
#include "editor/panels/popups/search_bar.h"

namespace tessera {
namespace {

constexpr int kSaidMs = 4000;

// As values go from one to the next, whatever was selected first; those of a loop stay in their order.
std::vector<InstructionId> inOrderOfFlow(const Module& module, const std::vector<InstructionId>& selection) {
  constexpr size_t kMostOrdered = 16;
  if (selection.size() <= 2 || selection.size() > kMostOrdered) return selection;
  const ValueFlow flow(module);
  std::vector<std::pair<size_t, InstructionId>> each;  // how many of them come from it
  for (const InstructionId id : selection) {
    const auto below = flow.cone(std::span(&id, 1), FlowDirection::Down);
    each.emplace_back(
        std::ranges::count_if(selection, [&](InstructionId other) { return std::ranges::binary_search(below, other); }),
        id);
  }
  std::ranges::stable_sort(each, std::ranges::greater(), &std::pair<size_t, InstructionId>::first);
  std::vector<InstructionId> out;
  for (const auto& [count, id] : each) out.push_back(id);
  return out;
}

// Through the selected instructions, or the other way round.
QString pathThrough(const Document& document) {
  QStringList names;
  for (const InstructionId id : inOrderOfFlow(document.module(), document.selection()))
    names << QString::fromStdString(placeText(document.module(), id));
  const auto quoted = [](const QStringList& route) {
    return QString::fromStdString(quotedForQuery(route.join(QLatin1Char(',')).toStdString(), nullptr));
  };
  const QString there = quoted(names);
  std::ranges::reverse(names);
  return QStringLiteral("trace:%1|%2").arg(there, quoted(names));
}

}  // namespace

GoMenu::GoMenu(QMenuBar& bar, Actions& actions, CurrentDocument& current, Navigation& navigation, PaneArea& area,
               DocumentTabs& tabs, PanelActions& panels, QStatusBar& status, QObject* parent)
    : QObject(parent),
      actions_(actions),
      current_(current),
      navigation_(navigation),
      area_(area),
      tabs_(tabs),
      panels_(panels),
      status_(status) {
  QMenu& menu = *bar.addMenu(tr("&Go"));
  const auto add = [&](const char* id, const QString& text, const QKeySequence& key, auto go) {
    actions_.add(menu, {text, {key}, [this, go](bool) { go(navigation_); }, QLatin1String(id)});
  };
  add("go", tr("&Go to anything …"), QKeySequence(Qt::CTRL | Qt::Key_K), [](Navigation& n) { n.goToAnything(); });
  add("commands", tr("&Commands …"), QKeySequence(Qt::CTRL | Qt::SHIFT | Qt::Key_P),
      [](Navigation& n) { n.chooseCommand(); });
  actions_.add(menu, {tr("Co&mputations …"),
                      {QKeySequence(Qt::CTRL | Qt::SHIFT | Qt::Key_O)},
                      [this](bool) {
                        current_.panels().raise(QStringLiteral("computations"));
                        current_.panels().computations->begin();
                      },
                      {},
                      [this] { return current_.isOpen(); }});
  menu.addSeparator();
  addFlowItems(menu);
  menu.addSeparator();
  addHottestItems(menu);
  menu.addSeparator();
  add("back", tr("&Back"), QKeySequence(Qt::ALT | Qt::Key_Left), [](Navigation& n) { n.history().back(); });
  add("forward", tr("&Forward"), QKeySequence(Qt::ALT | Qt::Key_Right), [](Navigation& n) { n.history().forward(); });
  menu.addSeparator();
  addLink(menu);
  add("bookmark", tr("Toggle boo&kmark"), QKeySequence(Qt::CTRL | Qt::Key_B),
      [this](Navigation& n) { status_.showMessage(n.history().toggleBookmark(), kSaidMs); });
  add("", tr("Ne&xt bookmark"), QKeySequence(Qt::CTRL | Qt::SHIFT | Qt::Key_B), [this](Navigation& n) {
    if (!n.history().nextBookmark()) status_.showMessage(tr("There is no bookmark yet: Ctrl+B sets one"), kSaidMs);
  });
  menu.addSeparator();
  addDocuments(menu);
  menu.addSeparator();
  actions_.add(menu, {tr("Next &panel"), {QKeySequence(Qt::Key_F6)}, [this](bool) { panels_.goToPart(1); }});
  actions_.add(menu,
               {tr("P&revious panel"), {QKeySequence(Qt::SHIFT | Qt::Key_F6)}, [this](bool) { panels_.goToPart(-1); }});
}

void GoMenu::addLink(QMenu& menu) {
  actions_.add(
      menu, {tr("Copy a &link to it"),
             {QKeySequence(Qt::CTRL | Qt::SHIFT | Qt::Key_L)},
             [this](bool) {
               const std::string name = placeText(current_.document().module(), current_.document().selected());
               const QString link = current_.document().file().path() + QLatin1Char('#') + QString::fromStdString(name);
               QGuiApplication::clipboard()->setText(link);
               status_.showMessage(tr("Copied %1").arg(link), kSaidMs);
             },
             QStringLiteral("link"),
             [this] { return current_.hasSelection() && !current_.document().file().path().isEmpty(); }});
}

// Where values go, as queries of the search bar: they can be read, changed and walked.
void GoMenu::addFlowItems(QMenu& menu) {
  const auto search = [this](const QString& query) {
    current_.pane().searchBar().open();
    current_.pane().searchBar().field()->setText(query);
  };
  const auto named = [this](const char* field, InstructionId id) {
    const std::string text = placeText(current_.document().module(), id);
    return QLatin1String(field) + QString::fromStdString(quotedForQuery(text, nullptr));
  };
  const auto one = [this] { return current_.hasSelection() && current_.document().selection().size() == 1; };
  actions_.add(menu, {tr("&What it is computed from"),
                      {QKeySequence(Qt::CTRL | Qt::SHIFT | Qt::Key_Up)},
                      [=, this](bool) { search(named("feeds:", current_.document().selected())); },
                      {},
                      one});
  actions_.add(menu, {tr("What is computed from &it"),
                      {QKeySequence(Qt::CTRL | Qt::SHIFT | Qt::Key_Down)},
                      [=, this](bool) { search(named("from:", current_.document().selected())); },
                      {},
                      one});
  actions_.add(menu, {tr("What is &near it"),
                      {QKeySequence(Qt::CTRL | Qt::SHIFT | Qt::Key_Period)},
                      [=, this](bool) { search(named("near:2:", current_.document().selected())); },
                      {},
                      one});
  actions_.add(menu, {tr("What lies be&tween the two"),
                      {},
                      [=, this](bool) {
                        const auto& two = current_.document().selection();
                        search(QStringLiteral("(%1 %2) | (%3 %4)")
                                   .arg(named("from:", two[0]), named("feeds:", two[1]), named("from:", two[1]),
                                        named("feeds:", two[0])));
                      },
                      {},
                      [this] { return current_.isOpen() && current_.document().selection().size() == 2; }});
  actions_.add(menu, {tr("The &shortest path through them"),
                      {},
                      [=, this](bool) { search(pathThrough(current_.document())); },
                      {},
                      [this] { return current_.isOpen() && current_.document().selection().size() >= 2; }});
}

// Along what the colours say, over all computations.
void GoMenu::addHottestItems(QMenu& menu) {
  const auto go = [this](int by) {
    const InstructionId id = current_.document().measures().nextHottest(by);
    if (id.valid()) current_.pane().binding().reveal(id);
  };
  const auto any = [this] { return current_.isOpen() && current_.document().measures().overlay() != nullptr; };
  actions_.addOverCanvas(
      menu,
      {tr("Next &hottest"), {QKeySequence(Qt::Key_N)}, [go](bool) { go(1); }, QStringLiteral("next hottest"), any});
  actions_.addOverCanvas(
      menu, {tr("Pre&vious hottest"), {QKeySequence(Qt::SHIFT | Qt::Key_N)}, [go](bool) { go(-1); }, {}, any});
}

void GoMenu::addDocuments(QMenu& menu) {
  const auto add = [&](const QString& text, int step, const QList<QKeySequence>& keys) {
    actions_.add(menu,
                 {text, keys, [this, step](bool) { area_.goToTab(step); }, {}, [this] { return tabs_.count() > 1; }});
  };
  add(tr("Next &document"), 1, {QKeySequence(Qt::CTRL | Qt::Key_Tab), QKeySequence(Qt::CTRL | Qt::Key_PageDown)});
  add(tr("Previous d&ocument"), -1,
      {QKeySequence(Qt::CTRL | Qt::SHIFT | Qt::Key_Tab), QKeySequence(Qt::CTRL | Qt::SHIFT | Qt::Key_Backtab),
       QKeySequence(Qt::CTRL | Qt::Key_PageUp)});
}

}  // namespace tessera
