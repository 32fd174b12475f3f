// See navigation.h. Entries of the lists are made again for each word that is typed.
#include "app/studio/window/navigation.h"

#include <QAction>
#include <QFileInfo>
#include <QLineEdit>
#include <QListWidget>
#include <QMainWindow>
#include <algorithm>
#include <unordered_map>
#include <utility>

#include "app/studio/window/documents/current_document.h"
#include "core/base/sorting.h"
#include "core/tools/find_instruction.h"
#include "core/tools/link.h"
#include "core/tools/query/search.h"
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

struct FoundPlace {
  int rank = 0;               // less is better
  InstructionId instruction;  // invalid: the computation
  ComputationId computation;
  const char* mark = "";
};

// Words are matched with all texts of a line; what is more than words is a query: "f64" is the type. An equal name
// ranks first, then operations of that name.
class PlaceSearch {
 public:
  PlaceSearch(const Module& module, const QString& words)
      : module_(module), words_(words), typed_(words.trimmed().toLower().toStdString()) {
    const auto query = Query::parse(words.toStdString());
    isQuery_ = query && !query->isWords();
    if (!isQuery_) return;
    asked_.resize(module.instructionSlots());
    for (InstructionId id : tessera::search(module, *query)) asked_[id.value] = true;
  }

  std::vector<FoundPlace> places(const std::vector<InstructionId>& bookmarks) {
    for (InstructionId id : bookmarks) add(id, QT_TRANSLATE_NOOP("Navigation", " · bookmark"), kBookmarked);
    for (ComputationId id : module_.order())
      if (!isQuery_ && words_.match({module_.at(id).name, "computation"}))
        out_.push_back({rank(module_.at(id).name, "computation"), {}, id, ""});
    for (auto computation = module_.order().rbegin(); computation != module_.order().rend(); ++computation)
      for (InstructionId id : module_.at(*computation).instructions) add(id, "", 0);  // the entry is last
    sortBy(out_, &FoundPlace::rank);
    if (out_.size() > kMaxFound) out_.resize(kMaxFound);
    return std::move(out_);
  }
  const std::string& shapeOf(const Instruction& in) {
    std::string& shape = shapes_[in.shape];
    if (shape.empty()) shape = toString(*in.shape, false).substr(0, kShapeLength);
    return shape;
  }

 private:
  int rank(std::string_view name, std::string_view opcode) const {
    return typed_.empty() || isQuery_ ? 0 : rankOf(typed_, name, opcode);
  }
  void add(InstructionId id, const char* mark, int better) {
    if (out_.size() >= (typed_.empty() || isQuery_ ? kMaxFound : kMaxRanked)) return;
    const Instruction& in = module_.at(id);
    const std::string_view opcode = nameOf(in.opcode), home = module_.at(in.computation).name;
    const bool matches =
        isQuery_ ? static_cast<bool>(asked_[id.value]) : words_.match({in.name, opcode, shapeOf(in), mark, home});
    if (matches) out_.push_back({rank(in.name, opcode) - better, id, {}, mark});
  }

  const Module& module_;
  const SearchWords words_;
  const std::string typed_;
  bool isQuery_ = false;
  std::vector<bool> asked_;                               // by instruction, of a query
  std::unordered_map<const Shape*, std::string> shapes_;  // there are few, and a hundred thousand instructions
  std::vector<FoundPlace> out_;
};

// A command without the menus that it is in.
QString ownName(const QuickEntry& entry) { return entry.title.section(QStringLiteral(" › "), -1); }
bool beginsWith(const QuickEntry& entry, const QString& words) {
  return ownName(entry).startsWith(words.trimmed(), Qt::CaseInsensitive);
}

}  // namespace

Navigation::Navigation(QMainWindow& window, CurrentDocument& current, bool remembers)
    : QObject(&window),
      window_(window),
      current_(current),
      remembers_(remembers),
      list_(new QuickList(window.centralWidget())) {}

void Navigation::takeKeys() { keys_.emplace(window_, remembers_); }

PlaceHistory& Navigation::history() { return current_.pane().places(); }

// --- places

void Navigation::goToAnything() {
  if (!current_.document().isOpen() || current_.document().isPlainGraph()) return;
  list_->open(tr("Go to an instruction, a computation, a bookmark, a command"),
              [this](const QString& words) { return places(words); });
}

// A link as it was copied, or with the name of the file that is open alone, or with none.
std::optional<QuickEntry> Navigation::linked(const QString& words) {
  const LinkParts link = splitLink(words.toStdString());
  if (link.name.empty()) return std::nullopt;
  const QFileInfo file(QString::fromStdString(link.file)), own(current_.document().file().path());
  const bool isHere = link.file.empty() || link.file == own.fileName().toStdString() || file == own;
  if (!isHere && !file.isFile()) return std::nullopt;
  if (!isHere)
    return QuickEntry{tr("Open %1 at %2").arg(file.fileName(), QString::fromStdString(link.name)), file.path(),
                      [this, words] { emit linkChosen(words); }};
  const auto id = instructionNamed(current_.document().module(), link.name);
  if (!id) return QuickEntry{QString::fromStdString(id.error().message), {}, [] {}, true};
  return QuickEntry{QString::fromStdString(link.name), tr("link"), [this, id = *id] { history().goTo(id); }};
}

std::vector<QuickEntry> Navigation::places(const QString& words) {
  if (auto link = linked(words)) return {*std::move(link)};
  const Module& module = current_.document().module();
  PlaceSearch search(module, words);
  std::vector<QuickEntry> out;
  for (const FoundPlace& place : search.places(history().bookmarks())) {
    if (!place.instruction.valid()) {
      const Computation& computation = module.at(place.computation);
      out.push_back({text(computation.name), tr("computation, %L1 instructions").arg(computation.instructions.size()),
                     [this, id = place.computation] { current_.document().view().showComputation(id); }});
      continue;
    }
    const Instruction& in = module.at(place.instruction);
    const QString detail = text(nameOf(in.opcode)) + QLatin1Char(' ') + text(search.shapeOf(in)) + tr(place.mark) +
                           tr(" in %1").arg(text(module.at(in.computation).name));
    out.push_back({text(in.name), detail, [this, id = place.instruction] { history().goTo(id); }});
  }
  if (words.isEmpty()) return out;
  for (QuickEntry& command : commands(words)) {  // whoever looks for a panel here finds its command
    command.detail = command.detail.isEmpty() ? tr("command") : tr("command, %1").arg(command.detail);
    out.push_back(std::move(command));
  }
  std::ranges::stable_partition(out, [&](const QuickEntry& each) { return beginsWith(each, words); });
  return out;
}

// --- commands and keys

void Navigation::chooseCommand() {
  list_->open(tr("Commands"), [this](const QString& words) { return commands(words); });
}

std::vector<QuickEntry> Navigation::commands(const QString& words) {
  std::vector<QuickEntry> out;
  for (const KeyMap::Entry& entry : keys_->entries()) {
    if (!entry.action->isEnabled() || !matchesWords(entry.place, words)) continue;
    out.push_back({entry.place, entry.action->shortcut().toString(QKeySequence::NativeText),
                   [action = entry.action] { action->trigger(); }});
  }
  std::ranges::stable_partition(out, [&](const QuickEntry& each) { return beginsWith(each, words); });
  std::ranges::stable_partition(out, [&](const QuickEntry& each) {  // that is called so
    return ownName(each).compare(words.trimmed(), Qt::CaseInsensitive) == 0;
  });
  return out;
}

void Navigation::showKeys() {
  capturing_.clear();
  list_->open(tr("Keys: type to search; Enter changes a key, Enter then Delete removes it"),
              [this](const QString& words) { return keyLines(words); });
}

std::vector<QuickEntry> Navigation::keyLines(const QString& words) {
  std::vector<QuickEntry> out;
  for (const KeyMap::Entry& entry : keys_->entries()) {
    const QString keys = QKeySequence::listToString(entry.action->shortcuts(), QKeySequence::NativeText);
    if (!matchesWords(entry.place + QLatin1Char(' ') + keys, words)) continue;
    const auto rebind = [this, &entry] {
      capturing_ = entry.name;
      list_->captureKey([this, &entry](const QKeySequence& key) {
        capturing_.clear();
        if (key == QKeySequence(Qt::Key_Delete))
          keys_->rebind(entry, {});
        else if (key == QKeySequence(Qt::Key_Backspace))
          keys_->reset(entry);
        else if (!key.isEmpty())
          keys_->rebind(entry, key);
        list_->refresh();
      });
      list_->refresh();
    };
    out.push_back(
        {entry.place,
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
       QT_TR_NOOP("drag from the output of a node to an input, a node or empty canvas; off an input: unwire")},
      {QT_TR_NOOP("Type a value"), QT_TR_NOOP("click an open input, double click a constant")},
      {QT_TR_NOOP("Change a number"),
       QT_TR_NOOP("drag along it, on a node or beside one; Page Up, Page Down; with Shift: finely")},
      {QT_TR_NOOP("Open or close a group, enter a computation"), QT_TR_NOOP("double click, Enter")},
      {QT_TR_NOOP("Add an operation here"), QT_TR_NOOP("double click on empty canvas")}};
  for (const auto& [what, how] : kGestures)
    if (matchesWords(tr(what) + QLatin1Char(' ') + tr(how), words)) out.push_back({tr(what), tr(how), [] {}, true});
  return out;
}

}  // namespace tessera
