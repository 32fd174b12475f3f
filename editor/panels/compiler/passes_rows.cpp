// The rows, the changed text, the history and the counts of PassesPanel. See passes_panel.h.
#include <QLabel>
#include <QPlainTextEdit>
#include <QTextBlock>
#include <QTreeWidget>

#include "core/base/units.h"
#include "core/tools/passes/pass_film.h"
#include "editor/canvas/canvas.h"
#include "editor/canvas/dimension_color.h"
#include "editor/document/document.h"
#include "editor/panels/compiler/pass_strip.h"
#include "editor/panels/compiler/passes_panel.h"
#include "editor/text/plain_text.h"

namespace tessera {
namespace {

constexpr int kHistoryPriority = 1, kCountPriority = 0;
constexpr size_t kMostRows = 5000;

QString wordsOfPass(const std::string& text) { return QString::fromStdString(text); }

QString nameInPass(const Module& module, InstructionId id) {
  const std::string_view name = module.at(id).name;
  return QString::fromUtf8(name.data(), static_cast<qsizetype>(name.size()));
}

QString costText(const PassCost& cost) {
  return QStringList{QObject::tr("%L1 instructions").arg(cost.instructions),
                     QObject::tr("%1 flops").arg(wordsOfPass(amountText(cost.flops))),
                     wordsOfPass(bytesText(cost.bytes)),
                     QObject::tr("peak %1").arg(wordsOfPass(bytesText(static_cast<double>(cost.peak))))}
      .join(QStringLiteral(", "));
}

}  // namespace

struct PassesPanel::Past {
  uint64_t request = 0;
  std::shared_ptr<const InstructionHistory> history;
};

void PassesPanel::fillChanges() {
  const Theme theme = themeOf(palette());
  for (const PassChange& change : frame_->changes->changes) {
    if (static_cast<size_t>(changes_->topLevelItemCount()) >= kMostRows) {
      new QTreeWidgetItem(changes_, {tr("… and %L1 more").arg(frame_->changes->changes.size() - kMostRows), {}});
      break;
    }
    const bool isThere = change.after.valid();
    auto* row = new QTreeWidgetItem(
        changes_, {isThere ? nameInPass(*frame_->module, change.after) : nameInPass(*frame_->before, change.before),
                   wordsOfPass(phraseOf(change))});
    row->setData(0, kIdOrMoment, isThere ? change.after.value : UINT32_MAX);
    row->setForeground(1, colorOf(tintOf(change.mark), theme));
  }
}

void PassesPanel::fillText(const std::vector<PassLine>& lines) {
  const Theme theme = themeOf(palette());
  QString all;
  std::vector<std::pair<int, NodeTint>> coloured;
  for (size_t i = 0; i < std::min(lines.size(), kMostRows); ++i) {
    if (lines[i].sign == '+') coloured.emplace_back(static_cast<int>(i), NodeTint::Added);
    if (lines[i].sign == '-') coloured.emplace_back(static_cast<int>(i), NodeTint::Removed);
    all += QString(QLatin1Char(lines[i].sign)) + QLatin1Char(' ') + wordsOfPass(lines[i].text) + QLatin1Char('\n');
  }
  if (lines.size() > kMostRows) all += tr("… and %L1 lines more").arg(lines.size() - kMostRows);
  text_->setPlainText(all);
  QList<QTextEdit::ExtraSelection> marks;
  for (const auto& [line, tint] : coloured) {
    QColor color = colorOf(tint, theme);
    color.setAlphaF(0.18F);
    QTextEdit::ExtraSelection mark;
    mark.cursor = QTextCursor(text_->document()->findBlockByNumber(line));
    mark.format.setBackground(color);
    mark.format.setProperty(QTextFormat::FullWidthSelection, true);
    marks << mark;
  }
  text_->setExtraSelections(marks);
}

void PassesPanel::showWords() {
  if (!trouble_.isEmpty()) return words_->setText(trouble_);
  const QString waiting = !isFilming()    ? QString()
                          : from_ == kOwn ? tr("Running the passes …")
                                          : tr("Reading the folder …");
  if (!frame_ && isFilming()) return words_->setText(waiting);
  if (!frame_)
    return words_->setText(!document_.isOpen() || document_.isPlainGraph() ? tr("There is no graph to run passes on")
                                                                           : QString());
  QStringList parts{isFilming() ? waiting : strip_->accessibleDescription()};
  if (frame_->before) parts << wordsOfPass(countsText(*frame_->changes));
  parts << costText(frame_->cost);
  QString out = parts.join(QStringLiteral(" · "));
  if (!notes_.isEmpty()) out += QStringLiteral(" · ") + notes_;
  words_->setText(out);
  words_->setToolTip(asPlainText(out));
}

// --- the selection and its history

void PassesPanel::select(InstructionId id) {
  if (frame_) wantHistory(frame_->moment, id, {});
}

// Of an instruction of a moment, or by name of the last moment that has one.
void PassesPanel::wantHistory(size_t moment, InstructionId id, const std::string& name) {
  if (!film_) return;
  inBackground(kHistoryPriority,
               [this, film = film_, moment, id, name, request = ++historyRequest_]() -> std::function<void()> {
                 auto at = std::pair(moment, id);
                 if (!name.empty()) {
                   const auto found = lastNamed(film->trail(), name);
                   if (!found) return [] {};
                   at = *found;
                 }
                 auto made = historyOf(film->trail(), at.first, at.second);
                 if (!made) return [] {};
                 Past past{request, std::make_shared<const InstructionHistory>(*std::move(made))};
                 return [this, past] { takeHistory(past); };
               });
}

void PassesPanel::takeHistory(const Past& past) {
  if (past.request != historyRequest_ || !film_) return;
  past_ = past.history;
  history_->clear();
  std::vector<bool> touched(static_cast<size_t>(strip_->count()));
  for (const PassEvent& event : past_->events) {
    touched[event.moment] = true;
    const auto moment = static_cast<int>(event.moment);
    auto* row = new QTreeWidgetItem(history_, {wordsOfPass(film_->trail().moments()[event.moment].title()),
                                               wordsOfPass(event.words), wordsOfPass(event.name)});
    row->setData(0, kIdOrMoment, moment);
  }
  strip_->setTouched(std::move(touched));
  markSelection();
  tellDocument();
}

void PassesPanel::clearHistory() {
  ++historyRequest_;
  past_.reset();
  history_->clear();
  strip_->setTouched({});
}

void PassesPanel::markSelection() {
  if (!frame_ || !past_) return;
  const InstructionId now = past_->ids[frame_->moment];
  canvas_->setSelection(frame_->module->contains(now) ? std::vector{now} : std::vector<InstructionId>(), true);
}

void PassesPanel::stepToTouch(int by) {
  if (!past_) return;
  const auto now = static_cast<size_t>(strip_->current()), to = nextTouch(*past_, now, by);
  if (to == now) return;
  strip_->setCurrent(static_cast<int>(to));
  wantFrame();
}

void PassesPanel::followDocument() {
  if (telling_ || !film_ || !isVisible()) return;
  const InstructionId id = document_.selected();
  if (document_.selection().size() != 1 || !document_.module().contains(id)) return;
  if (from_ == kOwn) return wantHistory(0, id, {});
  wantHistory(0, {}, std::string(document_.module().at(id).name));
}

// The instruction of the open graph that it is: of our passes that of the start, of a dump one that has its name.
void PassesPanel::tellDocument() {
  InstructionId there;
  if (from_ == kOwn) {
    there = past_->ids.front();
  } else {
    for (auto event = past_->events.rbegin(); event != past_->events.rend() && !there.valid(); ++event)
      there = document_.module().findInstruction(event->name).value_or(InstructionId());
  }
  telling_ = true;
  if (document_.module().contains(there)) document_.select({there});
  telling_ = false;
}

// What each pass did, for the strip; one at a time, so that a frame never waits long.
void PassesPanel::countNext(int moment) {
  if (!film_ || moment >= strip_->count()) return;
  inBackground(kCountPriority, [this, film = film_, moment, request = filmRequest_]() -> std::function<void()> {
    const auto changes = film->trail().changesTo(static_cast<size_t>(moment));
    PassStrip::Counts counts{};
    for (size_t i = 0; changes && i < kPassMarks; ++i) counts[i] = (*changes)->count(static_cast<PassMark>(i));
    return [this, moment, request, counts, readable = changes.has_value()] {
      if (request != filmRequest_) return;
      if (readable)
        strip_->setCounts(moment, counts);
      else
        strip_->setUnreadable(moment);
      countNext(moment + 1);
    };
  });
}

}  // namespace tessera
