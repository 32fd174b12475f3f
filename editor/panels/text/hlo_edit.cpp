// Each parse that changes something is a step of the document's history. Completion is in hlo_edit_completion.cpp.
#include "editor/panels/text/hlo_edit.h"

#include <QHelpEvent>
#include <QKeyEvent>
#include <QListWidget>
#include <QSyntaxHighlighter>
#include <QTextBlock>
#include <QToolTip>
#include <QVBoxLayout>
#include <algorithm>

#include "core/edit/text_edit.h"
#include "core/ops/inference/unfinished.h"
#include "editor/document/document.h"
#include "editor/look/type_scale.h"
#include "editor/text/error_label.h"
#include "editor/text/hlo_highlight.h"
#include "editor/text/numbered_edit.h"
#include "editor/text/plain_text.h"

namespace tessera {
namespace {

constexpr int kTypingWaitMs = 250;
constexpr size_t kMaxCheckedInstructions = 5000;
constexpr int kMaxListed = 4;  // lines of the list that are in sight

class Highlighter : public QSyntaxHighlighter {
 public:
  Highlighter(QTextDocument* document, const Theme* theme) : QSyntaxHighlighter(document), theme_(theme) {}

 protected:
  void highlightBlock(const QString& text) override {
    for (const QTextLayout::FormatRange& range : highlightHlo(text, *theme_))
      setFormat(range.start, range.length, range.format);
  }

 private:
  const Theme* theme_;
};

bool inEditedWord(QChar c) { return c.isLetterOrNumber() || c == u'_' || c == u'-' || c == u'.' || c == u'%'; }

// The word at a column; the rest of the line where there is none.
std::pair<int, int> wordAt(const QString& line, int column) {
  const int size = static_cast<int>(line.size());
  int begin = std::clamp(column, 0, size), end = begin;
  while (end < size && inEditedWord(line[end])) ++end;
  if (end == begin && end < size) ++end;
  if (end > begin) return {begin, end};
  while (begin > 0 && line[begin - 1].isSpace()) --begin;
  return {std::max(0, begin - 1), size};  // behind the end: its last character
}

// The line of a name's definition, from 0; -1: none.
int lineOf(const QPlainTextEdit& field, const std::string& name) {
  const QString bare = QString::fromStdString(name);
  for (QTextBlock block = field.document()->begin(); block.isValid(); block = block.next()) {
    QString words = block.text().section(QLatin1Char('='), 0, 0).trimmed();
    if (words.startsWith(QLatin1String("ROOT "))) words = words.mid(5).trimmed();
    if (words.startsWith(QLatin1Char('%'))) words = words.mid(1);
    if (words == bare && block.text().contains(QLatin1Char('='))) return block.blockNumber();
  }
  return -1;
}

}  // namespace

HloEdit::HloEdit(Document& document, QWidget* parent)
    : QWidget(parent),
      document_(document),
      field_(new NumberedEdit(this)),
      list_(new QListWidget(this)),
      completion_(new CompletionList(this)) {
  field_->setLineWrapMode(QPlainTextEdit::NoWrap);
  field_->setAccessibleName(tr("HLO text of the computation"));
  keepFont(*field_, monoFont);
  field_->installEventFilter(this);
  new Highlighter(field_->document(), &theme_);
  field_->viewport()->installEventFilter(this);
  list_->setAccessibleName(tr("What is wrong in the text"));
  list_->setTextElideMode(Qt::ElideRight);
  list_->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
  list_->setFrameShape(QFrame::NoFrame);
  list_->hide();
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->setSpacing(0);
  layout->addWidget(field_, 1);
  layout->addWidget(list_);
  timer_.setSingleShot(true);
  timer_.setInterval(kTypingWaitMs);
  connectParts();
}

void HloEdit::connectParts() {
  connect(&timer_, &QTimer::timeout, this, &HloEdit::readNow);
  connect(field_, &QPlainTextEdit::textChanged, this, [this] {
    if (filling_) return;
    timer_.start();
    complete(false);
  });
  connect(field_, &QPlainTextEdit::cursorPositionChanged, this, [this] {
    if (completion_->isVisible() && !filling_)
      QMetaObject::invokeMethod(
          this, [this] { complete(false); }, Qt::QueuedConnection);
  });
  connect(list_, &QListWidget::itemActivated, this, [this] { goTo(list_->currentRow()); });
  connect(list_, &QListWidget::itemClicked, this, [this] { goTo(list_->currentRow()); });
  connect(completion_, &QTreeWidget::itemClicked, this, &HloEdit::take);
  connect(&document_, &Document::diagnosticsChanged, this, &HloEdit::markGraph);
  connect(&document_, &Document::moduleChanged, this, &HloEdit::follow);
  connect(&document_, &Document::stepAsked, this, [this](bool undo, bool& taken) { taken = taken || stepTyped(undo); });
  connect(&document_.view(), &SceneView::changed, this, &HloEdit::follow);
  connect(&document_, &Document::opened, this, [this] {
    shown_ = {};
    typing_ = false;
    timer_.stop();
    if (isVisible()) begin();  // else when it is shown again
  });
}

QString HloEdit::errorText() const {
  if (!said_.isEmpty()) return said_;
  return problems_.empty() || problems_.front().reads ? QString() : problems_.front().message;
}

void HloEdit::setTheme(Theme theme) {
  theme_ = theme;
  if (isVisible()) begin();
}

void HloEdit::showEvent(QShowEvent* event) {
  QWidget::showEvent(event);
  follow();
}

bool HloEdit::isOpen() const { return document_.isOpen() && !document_.isPlainGraph(); }
bool HloEdit::isSmall() const { return isOpen() && document_.module().instructionCount() <= kMaxCheckedInstructions; }

void HloEdit::begin() {
  typing_ = false;
  timer_.stop();
  completion_->hide();
  filling_ = true;
  const bool small = isSmall();
  shown_ = isOpen() ? document_.view().computation() : ComputationId();
  field_->setReadOnly(!small);
  field_->setPlainText(small ? QString::fromStdString(computationText(document_.module(), shown_)) : QString());
  filling_ = false;
  mark({});
  if (isOpen() && !small)
    say(tr("Only graphs of up to %L1 instructions are edited as text.").arg(kMaxCheckedInstructions));
}

// The graph was changed elsewhere, or undone: the text follows, unless it was typed here. Another computation ends what
// was typed for the one before: what reads is read, what does not is dropped.
void HloEdit::follow() {
  if (!isVisible() || !document_.isOpen()) return;
  if (!isSmall() && field_->isReadOnly()) return;  // as it was: there is nothing to print
  if (shown_ != document_.view().computation()) {
    if (timer_.isActive()) readNow();
    return begin();
  }
  if (timer_.isActive() || errorLine_ >= 0) return;
  if (!isSmall()) return begin();
  const QString now = QString::fromStdString(computationText(document_.module(), shown_));
  if (typing_ && field_->hasFocus()) {
    if (const auto same = editFromText(document_.module(), shown_, field_->toPlainText().toStdString());
        same && same->actions.empty())
      return;
  }
  if (now == field_->toPlainText()) return;
  const int at = field_->textCursor().position();
  begin();
  QTextCursor cursor = field_->textCursor();
  cursor.setPosition(std::min(at, static_cast<int>(field_->toPlainText().size())));
  field_->setTextCursor(cursor);
}

// The document's history knows what reads; the field's own knows what was typed since and does not read.
bool HloEdit::stepTyped(bool undo) {
  if (timer_.isActive()) readNow();
  if (!isVisible() || field_->isReadOnly()) return false;
  if (undo ? errorLine_ < 0 || !field_->document()->isUndoAvailable() : !field_->document()->isRedoAvailable())
    return false;
  completion_->hide();
  undo ? field_->undo() : field_->redo();
  readNow();
  return true;
}

void HloEdit::readNow() {
  timer_.stop();
  if (!document_.isOpen() || field_->isReadOnly() || !document_.module().contains(shown_)) return;
  const std::string typed = field_->toPlainText().toStdString();
  auto edit = editFromText(document_.module(), shown_, typed);
  if (!edit) return mark(problemsInText(document_.module(), shown_, typed));
  mark({});
  if (edit->actions.empty()) return;
  typing_ = true;
  field_->document()->clearUndoRedoStacks();
  document_.perform(*std::move(edit), document_.selected());
}

// --- what is wrong

HloEdit::Problem HloEdit::problemOf(const Diagnostic& d, int line, int column, bool reads) const {
  Problem out;
  out.reads = reads;
  out.message = QString::fromStdString(d.message);
  if (!d.expected.empty() && d.message.find(d.expected) == std::string::npos)
    out.message += tr("; expected %1").arg(QString::fromStdString(d.expected));
  if (!d.found.empty() && d.message.find(d.found) == std::string::npos)
    out.message += tr(", found %1").arg(QString::fromStdString(d.found));
  const QTextBlock block = line >= 0 ? field_->document()->findBlockByNumber(line) : QTextBlock();
  if (!block.isValid()) return out;
  out.message = tr("line %1: %2").arg(line + 1).arg(out.message);
  const auto [begin, end] = wordAt(block.text(), column);
  out.begin = block.position() + begin;
  out.end = block.position() + end;
  return out;
}

void HloEdit::say(const QString& message) {
  said_ = message;
  errorLine_ = -1;
  showProblems();
}

// The columns of the reader count bytes, which are letters as long as names are ASCII.
void HloEdit::mark(const std::vector<Diagnostic>& wrong) {
  said_.clear();
  problems_.clear();
  errorLine_ = wrong.empty() ? -1 : std::max(static_cast<int>(wrong.front().position.line) - 1, 0);
  for (const Diagnostic& d : wrong)
    problems_.push_back(
        problemOf(d, static_cast<int>(d.position.line) - 1, static_cast<int>(d.position.column) - 1, false));
  markGraph();
}

// The graph's own diagnostics, at the `?` of an open place, else at the instruction's name.
void HloEdit::markGraph() {
  std::erase_if(problems_, [](const Problem& problem) { return problem.reads; });
  if (document_.isOpen() && problems_.empty() && isVisible())
    for (const Diagnostic& d : document_.diagnostics()) {
      const bool here = document_.module().contains(d.instruction) &&
                        document_.module().at(d.instruction).computation == document_.view().computation();
      const int line = here ? lineOf(*field_, d.instructionName) : -1;
      if (line < 0) continue;
      const QString text = field_->document()->findBlockByNumber(line).text();
      const qsizetype open =
          d.label == kUnfinished ? text.indexOf(QLatin1Char('?'), text.indexOf(QLatin1Char('('))) : -1;
      const qsizetype name = text.indexOf(QString::fromStdString(d.instructionName));
      problems_.push_back(problemOf(d, line, static_cast<int>(open >= 0 ? open : name), true));
    }
  showProblems();
}

void HloEdit::showProblems() {
  list_->clear();
  if (!said_.isEmpty()) list_->addItem(said_);
  QList<QTextEdit::ExtraSelection> marks;
  for (const Problem& problem : problems_) {
    const QColor color = colorOf(problem.reads ? Ink::CodeOpen : Ink::Error, theme_);
    auto* item = new QListWidgetItem(problem.message, list_);
    item->setForeground(color);
    item->setToolTip(asPlainText(problem.message));
    if (problem.end == problem.begin) continue;
    QTextEdit::ExtraSelection mark;
    mark.cursor = QTextCursor(field_->document());
    mark.cursor.setPosition(problem.begin);
    mark.cursor.setPosition(problem.end, QTextCursor::KeepAnchor);
    mark.format.setUnderlineStyle(QTextCharFormat::WaveUnderline);
    mark.format.setUnderlineColor(color);
    QColor tint = color;
    tint.setAlpha(40);
    mark.format.setBackground(tint);
    marks << mark;
  }
  field_->setExtraSelections(marks);
  list_->setVisible(list_->count() > 0);
  list_->setFixedHeight(std::min(list_->count(), kMaxListed) * std::max(list_->sizeHintForRow(0), 16) + 4);
}

void HloEdit::goTo(int problem) {
  const int row = problem - (said_.isEmpty() ? 0 : 1);
  if (row < 0 || row >= static_cast<int>(problems_.size())) return;
  QTextCursor cursor = field_->textCursor();
  cursor.setPosition(problems_[static_cast<size_t>(row)].begin);
  field_->setTextCursor(cursor);
  field_->setFocus();
}

QString HloEdit::problemAt(QPoint inViewport) const {
  const int at = field_->cursorForPosition(inViewport).position();
  for (const Problem& problem : problems_)
    if (at >= problem.begin && at <= problem.end && problem.end > problem.begin) return problem.message;
  return {};
}

bool HloEdit::findNext(const QString& words, bool backwards) {
  const auto flags = backwards ? QTextDocument::FindBackward : QTextDocument::FindFlags();
  if (field_->find(words, flags)) return true;
  QTextCursor around = field_->textCursor();
  around.movePosition(backwards ? QTextCursor::End : QTextCursor::Start);
  field_->setTextCursor(around);
  return field_->find(words, flags);
}

int HloEdit::replaceAll(const QString& words, const QString& by) {
  if (words.isEmpty() || field_->isReadOnly()) return 0;
  QString text = field_->toPlainText();
  const auto count = static_cast<int>(text.count(words));
  if (!count) return 0;
  QTextCursor all(field_->document());  // a step of its own where it does not read
  all.select(QTextCursor::Document);
  all.insertText(text.replace(words, by));
  readNow();
  return count;
}

// Undo and redo are the document's. A tooltip says what is underlined.
bool HloEdit::eventFilter(QObject* watched, QEvent* event) {
  if (event->type() == QEvent::ShortcutOverride) {
    const auto* key = static_cast<QKeyEvent*>(event);
    if (key->matches(QKeySequence::Undo) || key->matches(QKeySequence::Redo)) {
      event->ignore();
      return true;
    }
    event->accept();
  }
  if (watched == field_ && event->type() == QEvent::KeyPress) {
    const auto* key = static_cast<QKeyEvent*>(event);
    if (keyForCompletion(key->key(), static_cast<int>(key->modifiers()))) return true;
    if ((key->key() == Qt::Key_Return || key->key() == Qt::Key_Enter) && key->modifiers() == Qt::NoModifier &&
        !field_->isReadOnly())
      return beginLine(), true;
  }
  if (completion_ && watched == field_ && (event->type() == QEvent::FocusOut || event->type() == QEvent::Hide))
    completion_->hide();
  if (watched == field_->viewport() && event->type() == QEvent::ToolTip) {
    const auto* help = static_cast<QHelpEvent*>(event);
    QToolTip::showText(help->globalPos(), asPlainText(problemAt(help->pos())), field_);
    return true;
  }
  return QWidget::eventFilter(watched, event);
}

}  // namespace tessera
