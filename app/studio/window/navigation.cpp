// See navigation.h. Entries of the lists are made again for each word that is typed.
#include "app/studio/window/navigation.h"

#include <QAction>
#include <QDockWidget>
#include <QLineEdit>
#include <QListWidget>
#include <QSettings>
#include <algorithm>
#include <unordered_map>
#include <utility>

#include "app/studio/window/document_pane.h"
#include "app/studio/window/main_window.h"
#include "app/studio/window/panels.h"
#include "core/tools/query/search.h"
#include "editor/canvas/canvas.h"
#include "editor/controllers/place_history.h"
#include "editor/document/document.h"

namespace tessera {
namespace {

constexpr size_t kMaxFound = 200, kMaxRanked = 20000, kShapeLength = 60;
constexpr int kBookmarked = 2;  // ranks that a bookmark is better

QString text(std::string_view view) { return QString::fromUtf8(view.data(), static_cast<qsizetype>(view.size())); }

// How well an instruction or computation is meant by what was typed; less is better.
int rankOf(std::string_view words, std::string_view name, std::string_view opcode) {
  if (name == words) return 0;
  if (opcode == words) return 1;
  if (name.starts_with(words)) return 2;
  if (opcode.starts_with(words)) return 3;
  return name.find(words) != std::string_view::npos ? 4 : 5;
}

}  // namespace

Navigation::Navigation(MainWindow& window, bool remembers)
    : QObject(&window),
      window_(window),
      remembers_(remembers),
      keys_(window, remembers ? std::make_unique<QSettings>().get() : nullptr),
      list_(new QuickList(window.centralWidget())) {}

PlaceHistory& Navigation::history() { return window_.pane().places(); }

// --- places

void Navigation::goToAnything() {
  if (!window_.document().isOpen() || window_.document().isPlainGraph()) return;
  list_->open(tr("Go to an instruction, a computation, a bookmark"),
              [this](const QString& words) { return places(words); });
}

// Words are looked for in all that a line says; what is more than words is a query: "f64" is the type. What is named so
// comes first, then operations of that name.
std::vector<QuickEntry> Navigation::places(const QString& words) {
  const Module& module = window_.document().module();
  const SearchWords search(words);
  const auto query = Query::parse(words.toStdString());
  const bool isQuery = query && !query->isWords();
  const std::string typed = words.trimmed().toLower().toStdString();
  std::vector<bool> found(module.instructionSlots());
  if (isQuery)
    for (InstructionId id : tessera::search(module, *query)) found[id.value] = true;
  std::unordered_map<const Shape*, std::string> shapes;  // there are few, and a hundred thousand instructions
  struct Place {
    int rank;
    InstructionId instruction;  // invalid: the computation
    ComputationId computation;
    const char* mark;
  };
  std::vector<Place> all;
  const size_t most = typed.empty() || isQuery ? kMaxFound : kMaxRanked;
  const auto shapeOf = [&](const Instruction& in) -> const std::string& {
    std::string& shape = shapes[in.shape];
    if (shape.empty()) shape = toString(*in.shape, false).substr(0, kShapeLength);
    return shape;
  };
  const auto add = [&](InstructionId id, const char* mark, int better) {
    if (all.size() >= most) return;
    const Instruction& in = module.at(id);
    const std::string_view opcode = nameOf(in.opcode), home = module.at(in.computation).name;
    const bool matches =
        isQuery ? static_cast<bool>(found[id.value]) : search.match({in.name, opcode, shapeOf(in), mark, home});
    if (matches)
      all.push_back({(typed.empty() || isQuery ? 0 : rankOf(typed, in.name, opcode)) - better, id, {}, mark});
  };
  for (InstructionId id : history().bookmarks()) add(id, QT_TR_NOOP(" · bookmark"), kBookmarked);
  for (ComputationId id : module.order())
    if (!isQuery && search.match({module.at(id).name, "computation"}))
      all.push_back({typed.empty() ? 0 : rankOf(typed, module.at(id).name, "computation"), {}, id, ""});
  for (auto computation = module.order().rbegin(); computation != module.order().rend(); ++computation)
    for (InstructionId id : module.at(*computation).instructions) add(id, "", 0);  // the entry stands last
  std::ranges::stable_sort(all, {}, &Place::rank);
  std::vector<QuickEntry> out;
  for (const Place& place : all) {
    if (out.size() >= kMaxFound) break;
    if (!place.instruction.valid()) {
      const Computation& computation = module.at(place.computation);
      out.push_back({text(computation.name), tr("computation, %L1 instructions").arg(computation.instructions.size()),
                     [this, id = place.computation] { window_.document().view().showComputation(id); }});
      continue;
    }
    const Instruction& in = module.at(place.instruction);
    const QString detail = text(nameOf(in.opcode)) + QLatin1Char(' ') + text(shapeOf(in)) + tr(place.mark) +
                           tr(" in %1").arg(text(module.at(in.computation).name));
    out.push_back({text(in.name), detail, [this, id = place.instruction] { history().goTo(id); }});
  }
  return out;
}

// --- commands and keys

void Navigation::chooseCommand() {
  list_->open(tr("Commands"), [this](const QString& words) { return commands(words); });
}

std::vector<QuickEntry> Navigation::commands(const QString& words) {
  std::vector<QuickEntry> out;
  for (const KeyMap::Entry& entry : keys_.entries()) {
    if (!entry.action->isEnabled() || !matchesWords(entry.name, words)) continue;
    out.push_back({entry.name, entry.action->shortcut().toString(QKeySequence::NativeText),
                   [action = entry.action] { action->trigger(); }});
  }
  return out;
}

void Navigation::showKeys() {
  capturing_.clear();
  list_->open(tr("Keys: type to search; Enter changes a key, Enter then Delete removes it"),
              [this](const QString& words) { return keyLines(words); });
}

std::vector<QuickEntry> Navigation::keyLines(const QString& words) {
  std::vector<QuickEntry> out;
  for (const KeyMap::Entry& entry : keys_.entries()) {
    const QString keys = QKeySequence::listToString(entry.action->shortcuts(), QKeySequence::NativeText);
    if (!matchesWords(entry.name + QLatin1Char(' ') + keys, words)) continue;
    const auto rebind = [this, &entry] {
      capturing_ = entry.name;
      list_->captureKey([this, &entry](const QKeySequence& key) {
        capturing_.clear();
        const std::unique_ptr<QSettings> settings = remembers_ ? std::make_unique<QSettings>() : nullptr;
        if (key == QKeySequence(Qt::Key_Delete))
          keys_.rebind(entry, {}, settings.get());
        else if (key == QKeySequence(Qt::Key_Backspace))
          keys_.reset(entry, settings.get());
        else if (!key.isEmpty())
          keys_.rebind(entry, key, settings.get());
        list_->refresh();
      });
      list_->refresh();
    };
    out.push_back(
        {entry.name,
         capturing_ == entry.name ? tr("press the new key · Delete: none · Backspace: default · Esc: keep") : keys,
         rebind, true});
  }
  // What the mouse does has no action.
  static const std::pair<const char*, const char*> kGestures[] = {
      {QT_TR_NOOP("Pan"), QT_TR_NOOP("middle drag, Space drag, two fingers, Shift+wheel, Ctrl+arrows")},
      {QT_TR_NOOP("Zoom at the pointer"), QT_TR_NOOP("wheel, pinch, + and -")},
      {QT_TR_NOOP("Select"), QT_TR_NOOP("click, Shift+click, drag a box; arrows walk along wires")},
      {QT_TR_NOOP("Move boxes, frames and notes"), QT_TR_NOOP("drag them; on a wire: into it")},
      {QT_TR_NOOP("Pull a node out of its wires"), QT_TR_NOOP("shake it, or Ctrl+Shift+drag")},
      {QT_TR_NOOP("Cut wires"), QT_TR_NOOP("Ctrl+right drag over them")},
      {QT_TR_NOOP("Reroute a wire"),
       QT_TR_NOOP("double click the wire adds a point; double click the point removes it")},
      {QT_TR_NOOP("Wire"),
       QT_TR_NOOP("drag from the lower edge of a node to an input, a node or empty canvas; off an input: unwire")},
      {QT_TR_NOOP("Type a value"), QT_TR_NOOP("click an open input, double click a constant")},
      {QT_TR_NOOP("Change a number"), QT_TR_NOOP("drag along it, on a node or beside one; with Shift: finely")},
      {QT_TR_NOOP("Open or close a group, enter a computation"), QT_TR_NOOP("double click, Enter")},
      {QT_TR_NOOP("Add an operation here"), QT_TR_NOOP("double click on empty canvas")}};
  for (const auto& [what, how] : kGestures)
    if (matchesWords(tr(what) + QLatin1Char(' ') + tr(how), words)) out.push_back({tr(what), tr(how), [] {}, true});
  return out;
}

// --- panels

void Navigation::nextPanel(bool backwards) {
  std::vector<QWidget*> all{&window_.canvas()};
  if (window_.beside()) all.push_back(&window_.beside()->canvas());
  for (QDockWidget* dock : window_.panels().docks)
    if (dock->isVisible() && !dock->visibleRegion().isEmpty() && dock->widget()) all.push_back(dock->widget());
  const QWidget* focus = window_.focusWidget();
  size_t at = 0;
  for (size_t i = 0; i < all.size(); ++i)
    if (focus && (all[i] == focus || all[i]->isAncestorOf(focus))) at = i;
  QWidget* next = all[(at + (backwards ? all.size() - 1 : 1)) % all.size()];
  if (next->focusPolicy() == Qt::NoFocus)
    for (QWidget* inner : next->findChildren<QWidget*>())
      if (inner->isVisible() && (inner->focusPolicy() & Qt::TabFocus)) return inner->setFocus(Qt::TabFocusReason);
  next->setFocus(Qt::TabFocusReason);
}

}  // namespace tessera
