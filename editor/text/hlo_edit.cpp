// Each reading that changes something is a step of the document's history.
#include "editor/text/hlo_edit.h"

#include <QKeyEvent>
#include <QLabel>
#include <QSyntaxHighlighter>
#include <QTextBlock>
#include <QVBoxLayout>

#include "core/edit/text_edit.h"
#include "editor/document/document.h"
#include "editor/text/hlo_highlight.h"

namespace tessera {
namespace {

constexpr int kWaitMs = 250;
constexpr size_t kMostInstructions = 5000;

class Highlighter : public QSyntaxHighlighter {
 public:
  Highlighter(QTextDocument* document, const Theme* theme) : QSyntaxHighlighter(document), theme_(theme) {}

 protected:
  void highlightBlock(const QString& text) override {
    for (const QTextLayout::FormatRange& range : highlightHlo(text, *theme_)) setFormat(range.start, range.length, range.format);
  }

 private:
  const Theme* theme_;
};

}  // namespace

HloEdit::HloEdit(Document& document, QWidget* parent) : QWidget(parent), document_(document), field_(new QPlainTextEdit(this)), error_(new QLabel(this)) {
  field_->setLineWrapMode(QPlainTextEdit::NoWrap);
  field_->setUndoRedoEnabled(false);  // the document's history is the only one
  field_->setAccessibleName(tr("HLO text of the computation"));
  QFont mono(QStringLiteral("monospace"));
  mono.setStyleHint(QFont::Monospace);
  field_->setFont(mono);
  field_->installEventFilter(this);
  new Highlighter(field_->document(), &theme_);
  error_->setWordWrap(true);
  error_->setContentsMargins(8, 3, 8, 3);
  error_->hide();
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->setSpacing(0);
  layout->addWidget(field_, 1);
  layout->addWidget(error_);
  timer_.setSingleShot(true);
  timer_.setInterval(kWaitMs);
  connect(&timer_, &QTimer::timeout, this, &HloEdit::readNow);
  connect(field_, &QPlainTextEdit::textChanged, this, [this] {
    if (!filling_) timer_.start();
  });
  connect(&document_, &Document::moduleChanged, this, &HloEdit::follow);
  connect(&document_, &Document::sceneChanged, this, &HloEdit::follow);
}

QString HloEdit::errorText() const { return error_->text(); }

void HloEdit::setTheme(Theme theme) {
  theme_ = theme;
  QPalette colors = error_->palette();
  colors.setColor(QPalette::WindowText, theme == Theme::Dark ? QColor(0xff, 0x8a, 0x80) : QColor(0xb3, 0x26, 0x1e));
  error_->setPalette(colors);
  if (isVisible()) begin();
}

void HloEdit::begin() {
  typing_ = false;
  timer_.stop();
  filling_ = true;
  const bool open = document_.isOpen() && !document_.isPlainGraph();
  const bool small = open && document_.module().instructionCount() <= kMostInstructions;
  field_->setReadOnly(!small);
  field_->setPlainText(small ? QString::fromStdString(computationText(document_.module(), document_.computation())) : QString());
  filling_ = false;
  mark(open && !small ? tr("Only graphs of up to %L1 instructions are edited as text.").arg(kMostInstructions) : QString(), -1);
}

// The graph was changed elsewhere, or undone: the text follows, unless it is the hand's own typing that did it.
void HloEdit::follow() {
  if (!isVisible() || !document_.isOpen() || timer_.isActive() || errorLine_ >= 0) return;
  const QString now = QString::fromStdString(computationText(document_.module(), document_.computation()));
  if (typing_ && field_->hasFocus()) {
    if (const auto same = editFromText(document_.module(), document_.computation(), field_->toPlainText().toStdString()); same && same->actions.empty()) return;
  }
  if (now == field_->toPlainText()) return;
  const int at = field_->textCursor().position();
  begin();
  QTextCursor cursor = field_->textCursor();
  cursor.setPosition(std::min(at, static_cast<int>(field_->toPlainText().size())));
  field_->setTextCursor(cursor);
}

void HloEdit::readNow() {
  timer_.stop();
  if (!document_.isOpen() || field_->isReadOnly()) return;
  auto edit = editFromText(document_.module(), document_.computation(), field_->toPlainText().toStdString());
  if (!edit) return mark(QString::fromStdString(edit.error().message), static_cast<int>(edit.error().position.line) - 1);
  mark({}, -1);
  if (edit->actions.empty()) return;
  typing_ = true;
  document_.perform(*std::move(edit), false, document_.selected());
}

// The line is tinted; without a line only the words are there.
void HloEdit::mark(const QString& message, int line) {
  errorLine_ = message.isEmpty() ? -1 : std::max(line, 0);
  error_->setText(message.isEmpty() || line < 0 ? message : tr("line %1: %2").arg(line + 1).arg(message));
  error_->setVisible(!message.isEmpty());
  QList<QTextEdit::ExtraSelection> marks;
  if (!message.isEmpty() && line >= 0) {
    QTextEdit::ExtraSelection mark;
    mark.cursor = QTextCursor(field_->document()->findBlockByNumber(line));
    QColor tint = error_->palette().color(QPalette::WindowText);
    tint.setAlpha(50);
    mark.format.setBackground(tint);
    mark.format.setProperty(QTextFormat::FullWidthSelection, true);
    marks << mark;
  }
  field_->setExtraSelections(marks);
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
  field_->setPlainText(text.replace(words, by));
  readNow();
  return count;
}

// Undo and redo are the document's.
bool HloEdit::eventFilter(QObject* watched, QEvent* event) {
  if (event->type() == QEvent::ShortcutOverride) {
    const auto* key = static_cast<QKeyEvent*>(event);
    if (key->matches(QKeySequence::Undo) || key->matches(QKeySequence::Redo)) {
      event->ignore();
      return true;
    }
    event->accept();
  }
  return QWidget::eventFilter(watched, event);
}

}  // namespace tessera
