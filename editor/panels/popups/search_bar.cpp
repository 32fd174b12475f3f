// See search_bar.h. The search itself is the document's (editor/document/module_search).
#include "editor/panels/popups/search_bar.h"

#include <QHBoxLayout>
#include <QKeyEvent>
#include <QLabel>
#include <QLineEdit>
#include <QToolButton>
#include <QVBoxLayout>
#include <algorithm>

#include "editor/document/document.h"
#include "editor/panels/popups/hit_list.h"
#include "editor/panels/popups/kept_searches.h"
#include "editor/text/completion_list.h"
#include "editor/text/error_label.h"
#include "editor/text/plain_text.h"

namespace tessera {
namespace {

constexpr int kSearchMargin = 4, kPageOfCompletions = 8;

QToolButton* searchButton(const QString& text, const QString& tip, QWidget* parent) {
  auto* button = new QToolButton(parent);
  button->setText(text);
  button->setToolTip(tip);
  button->setAccessibleName(tip);
  button->setAutoRaise(true);
  button->setFocusPolicy(Qt::NoFocus);
  return button;
}

}  // namespace

SearchBar::SearchBar(Document& document, QWidget* parent)
    : QWidget(parent),
      document_(document),
      field_(new QLineEdit(this)),
      count_(new PlainLabel(this)),
      error_(new ErrorLabel(this)),
      previous_(searchButton(QStringLiteral("‹"), tr("Previous hit (Shift+Enter)"), this)),
      next_(searchButton(QStringLiteral("›"), tr("Next hit (Enter)"), this)),
      all_(searchButton(tr("Select all"), tr("Select all hits (Alt+Enter)"), this)),
      listButton_(searchButton(tr("List"), tr("List what is found"), this)),
      hits_(new HitList(document, this)),
      kept_(new KeptSearches(document, *field_, this)),
      list_(new CompletionList(this)) {
  field_->setPlaceholderText(tr("Search: words, f64, op:copy|transpose, bytes>1MB, under:jvp, -in:fusion …"));
  field_->setAccessibleName(tr("Search for instructions"));
  field_->setClearButtonEnabled(true);
  field_->installEventFilter(this);
  auto* close = searchButton(QStringLiteral("×"), tr("Close the search (Esc)"), this);
  listButton_->setCheckable(true);
  auto* row = new QHBoxLayout;
  row->addWidget(field_, 3);
  row->addWidget(error_, 2);
  for (QWidget* each : std::initializer_list<QWidget*>{count_, previous_, next_, all_, listButton_, kept_, close})
    row->addWidget(each);
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(kSearchMargin, kSearchMargin, kSearchMargin, kSearchMargin);
  layout->setSpacing(kSearchMargin);
  layout->addLayout(row);
  layout->addWidget(hits_);
  connect(field_, &QLineEdit::textChanged, &document_.search(), &ModuleSearch::setText);
  connect(field_, &QLineEdit::textEdited, this, [this] { complete(false); });
  connect(previous_, &QToolButton::clicked, this, [this] { step(true); });
  connect(next_, &QToolButton::clicked, this, [this] { step(false); });
  connect(all_, &QToolButton::clicked, this, &SearchBar::selectAll);
  connect(close, &QToolButton::clicked, this, &SearchBar::dismiss);
  connect(listButton_, &QToolButton::toggled, hits_, &QWidget::setVisible);
  connect(hits_, &HitList::revealWanted, this, &SearchBar::revealWanted);
  connect(list_, &QTreeWidget::itemClicked, this, &SearchBar::takeCompletion);
  connect(&document_.search(), &ModuleSearch::changed, this, &SearchBar::tell);
  connect(&document_.search(), &ModuleSearch::completed, this, &SearchBar::showCompletions);
  connect(&document_, &Document::selectionChanged, this, &SearchBar::tell);
  connect(&document_.view(), &SceneView::changed, this, &SearchBar::tell);
  tell();
  hide();
}

void SearchBar::open() {
  QWidget::show();
  field_->setFocus();
  field_->selectAll();
}

// Nothing is looked for any more: the canvas is as it was.
void SearchBar::dismiss() {
  list_->hide();
  hide();
  field_->clear();
  emit closed();
}

QString SearchBar::countText() const { return count_->text(); }
QString SearchBar::errorText() const { return error_->isHidden() ? QString() : error_->text(); }
QStringList SearchBar::completions() const { return list_->isVisible() ? list_->words() : QStringList(); }

std::optional<size_t> SearchBar::placeOfSelected() const {
  const auto& hits = document_.search().hits();
  const auto found = std::ranges::find(hits, document_.selected());
  return found == hits.end() ? std::nullopt : std::optional(static_cast<size_t>(found - hits.begin()));
}

// "3 of 37 hits", "37 hits, 5 in main", "no hits".
void SearchBar::tell() {
  const ModuleSearch& search = document_.search();
  error_->say(search.error() ? QString::fromStdString(search.error()->toString()).section(QStringLiteral("error: "), 1)
                             : search.whyNone());
  const auto& hits = search.hits();
  const bool any = search.isOn() && !hits.empty();
  for (QToolButton* button : {previous_, next_, all_}) button->setEnabled(any);
  if (!any) return count_->setText(search.isOn() ? tr("no hits") : QString());
  const ComputationId shown = document_.view().computation();
  const auto here = static_cast<size_t>(std::ranges::count_if(hits, [&](InstructionId id) {
    return document_.module().contains(id) && document_.module().at(id).computation == shown;
  }));
  QString text = hits.size() == 1 ? tr("1 hit") : tr("%L1 hits").arg(hits.size());
  if (const auto place = placeOfSelected(); place && hits.size() > 1)
    text = tr("%L1 of %L2 hits").arg(*place + 1).arg(hits.size());
  if (here < hits.size()) text += tr(", %L1 in this computation").arg(here);
  count_->setText(text);
}

// From the selected one; from the first of the computation that is shown where none is.
void SearchBar::step(bool backwards) {
  const auto& hits = document_.search().hits();
  if (!document_.search().isOn() || hits.empty()) return;
  size_t to = 0;
  if (const auto place = placeOfSelected()) {
    to = (*place + (backwards ? hits.size() - 1 : 1)) % hits.size();
  } else {
    const auto here = std::ranges::find_if(hits, [&](InstructionId id) {
      return document_.module().at(id).computation == document_.view().computation();
    });
    if (here != hits.end()) to = static_cast<size_t>(here - hits.begin());
  }
  emit revealWanted(hits[to]);
}

void SearchBar::selectAll() {
  if (document_.search().isOn() && !document_.search().hits().empty()) document_.select(document_.search().hits());
}

// --- keys

bool SearchBar::eventFilter(QObject* watched, QEvent* event) {
  if (event->type() == QEvent::FocusOut) list_->hide();
  if (event->type() == QEvent::ShortcutOverride) {
    const auto& key = *static_cast<QKeyEvent*>(event);  // Enter and Escape are the window's, too
    if (key.key() == Qt::Key_Escape || key.key() == Qt::Key_Return || key.key() == Qt::Key_Enter) event->accept();
  }
  if (event->type() == QEvent::KeyPress && keyPressed(*static_cast<QKeyEvent*>(event))) return true;
  return QWidget::eventFilter(watched, event);
}

bool SearchBar::keyPressed(const QKeyEvent& key) {
  if (list_->isVisible() && keyOfList(key)) return true;
  switch (key.key()) {
    case Qt::Key_Down: return complete(true), true;
    case Qt::Key_Escape: return dismiss(), true;
    case Qt::Key_Return:
    case Qt::Key_Enter:
      list_->hide();
      return key.modifiers() & Qt::AltModifier ? selectAll() : step(key.modifiers() & Qt::ShiftModifier), true;
    default: return false;
  }
}

// Enter takes a line only when one was chosen: what is typed may be whole.
bool SearchBar::keyOfList(const QKeyEvent& key) {
  switch (key.key()) {
    case Qt::Key_Down: return list_->step(1), true;
    case Qt::Key_Up: return list_->step(-1), true;
    case Qt::Key_PageDown: return list_->step(kPageOfCompletions), true;
    case Qt::Key_PageUp: return list_->step(-kPageOfCompletions), true;
    case Qt::Key_Escape: return list_->hide(), true;
    case Qt::Key_Tab:
      if (list_->chosen().isEmpty()) list_->step(1);
      return takeCompletion(), true;
    case Qt::Key_Return:
    case Qt::Key_Enter:
      if (list_->chosen().isEmpty() || key.modifiers() & ~Qt::KeypadModifier) return false;
      return takeCompletion(), true;
    default: return false;
  }
}

// --- completion

void SearchBar::complete(bool asked) {
  asked_ = asked;
  list_->hide();
  document_.search().complete(field_->text(), field_->cursorPosition());
}

// Unasked only where a word has begun or a field wants its value, and not for what stands there already.
void SearchBar::showCompletions(const QString& text, const std::vector<QueryCompletion>& found) {
  if (text != field_->text() || !field_->hasFocus() || found.empty()) return list_->hide();
  const QByteArray bytes = text.toUtf8();
  const QByteArray typed = bytes.mid(static_cast<qsizetype>(found.front().from),
                                     static_cast<qsizetype>(found.front().to - found.front().from));
  const bool ofField =
      found.front().from > 0 && !QByteArray(" (-|\t").contains(bytes[static_cast<qsizetype>(found.front().from - 1)]);
  if (!asked_ && typed.isEmpty() && !ofField) return list_->hide();
  if (found.size() == 1 && QByteArray::fromStdString(found.front().text) == typed) return list_->hide();
  found_ = found;
  Completions shown{found.front().from, {}};
  for (const QueryCompletion& each : found) shown.items.push_back({each.text, each.meaning});
  const int left = field_->fontMetrics().horizontalAdvance(
      QString::fromUtf8(bytes.left(static_cast<qsizetype>(found.front().from))));
  list_->setParent(window());
  list_->CompletionList::show(
      shown, QRect(field_->mapTo(window(), QPoint(std::min(left, field_->width() / 2), 0)), QSize(1, field_->height())),
      false);
}

void SearchBar::takeCompletion() {
  const QString word = list_->chosen();
  const auto taken = std::ranges::find(found_, word.toStdString(), &QueryCompletion::text);
  list_->hide();
  if (word.isEmpty() || taken == found_.end()) return;
  const QByteArray bytes = field_->text().toUtf8();
  const QString before = QString::fromUtf8(bytes.left(static_cast<qsizetype>(taken->from))) + word;
  const QString after = QString::fromUtf8(bytes.mid(static_cast<qsizetype>(taken->to)));
  field_->setText(before + after);
  field_->setCursorPosition(static_cast<int>(before.size()));
  if (word.endsWith(QLatin1Char(':')) || word.endsWith(QLatin1Char('>'))) complete(false);  // its value
}

}  // namespace tessera
