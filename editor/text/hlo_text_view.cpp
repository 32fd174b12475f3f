// Painting, scrolling and mouse of the HLO text view.
#include "editor/text/hlo_text_view.h"

#include <QAction>
#include <QApplication>
#include <QClipboard>
#include <QContextMenuEvent>
#include <QGuiApplication>
#include <QMenu>
#include <QMouseEvent>
#include <QPainter>
#include <QScrollBar>
#include <QTextLayout>
#include <algorithm>

#include "editor/look/type_scale.h"
#include "editor/text/hlo_highlight.h"

namespace tessera {
namespace {

constexpr qsizetype kMaxLaidOut = 4000;  // characters of a line that are laid out

}  // namespace

HloTextView::HloTextView(QWidget* parent) : QAbstractScrollArea(parent) {
  keepFont(*this, monoFont);
  setFocusPolicy(Qt::StrongFocus);
  viewport()->setCursor(Qt::IBeamCursor);
  updateScrollBars();
}

void HloTextView::setText(std::shared_ptr<const HloText> text) {
  const bool first = !text_ || !text;
  text_ = std::move(text);
  unfolded_.clear();
  selected_.clear();
  updateScrollBars();
  if (first) verticalScrollBar()->setValue(0);
  viewport()->update();
}

void HloTextView::setTheme(Theme theme) {
  theme_ = theme;
  viewport()->update();
}

void HloTextView::setSelection(const std::vector<InstructionId>& selection, bool reveal) {
  selected_.clear();
  int first = -1;
  bool visible = false;
  for (InstructionId id : selection) {
    const int line = text_ ? text_->lineOf(id) : -1;
    if (line < 0) continue;
    selected_.insert(line);
    if (first < 0 || line < first) first = line;
    visible = visible || (line >= firstVisibleLine() && line < firstVisibleLine() + visibleLines());
  }
  if (reveal && !visible && first >= 0) scrollToLine(first);
  if (first >= 0) current_ = first;
  viewport()->update();
}

bool HloTextView::find(const QString& words, bool backwards) {
  if (!text_ || text_->lineCount() == 0) return false;
  const size_t count = text_->lineCount();
  const size_t from = (static_cast<size_t>(current_) + (backwards ? count - 1 : 1)) % count;
  const auto line = text_->find(words.toStdString(), from, backwards);
  if (!line) return false;
  current_ = static_cast<int>(*line);
  scrollToLine(current_);
  if (const InstructionId id = text_->instructionAt(*line); id.valid()) emit instructionClicked(id, false);
  viewport()->update();
  return true;
}

int HloTextView::firstVisibleLine() const { return verticalScrollBar()->value(); }
int HloTextView::visibleLines() const { return std::max(1, viewport()->height() / lineHeight_); }

void HloTextView::scrollToLine(int line) { verticalScrollBar()->setValue(line - visibleLines() / 3); }

int HloTextView::gutterWidth() const {
  const size_t lines = text_ ? text_->lineCount() : 1;
  return static_cast<int>(charWidth_ * static_cast<qreal>(std::to_string(lines).size() + 2));
}

int HloTextView::lineAt(QPointF position) const {
  const int line = firstVisibleLine() + static_cast<int>(position.y()) / lineHeight_;
  return text_ && line < static_cast<int>(text_->lineCount()) ? line : -1;
}

QString HloTextView::shownLine(int line) const {
  const std::string_view whole = text_->line(static_cast<size_t>(line));
  const std::string shown = unfolded_.contains(line) ? std::string(whole) : foldedLine(whole);
  return QString::fromStdString(shown).left(unfolded_.contains(line) ? kMaxLaidOut * 4 : kMaxLaidOut);
}

void HloTextView::updateScrollBars() {
  const QFontMetricsF metrics(font());
  lineHeight_ = std::max(1, static_cast<int>(metrics.lineSpacing() + 2));
  charWidth_ = metrics.horizontalAdvance(QLatin1Char('0'));
  const int lines = text_ ? static_cast<int>(text_->lineCount()) : 0;
  verticalScrollBar()->setPageStep(visibleLines());
  verticalScrollBar()->setRange(0, std::max(0, lines - visibleLines()));
  const auto longest = static_cast<qreal>(std::min<size_t>(text_ ? text_->longestLine : 0, kMaxLaidOut));
  const int width = gutterWidth() + static_cast<int>(charWidth_ * longest);
  horizontalScrollBar()->setSingleStep(static_cast<int>(charWidth_ * 4));
  horizontalScrollBar()->setPageStep(viewport()->width());
  horizontalScrollBar()->setRange(0, std::max(0, width - viewport()->width()));
}

// The current line stays in sight in a view that becomes lower.
void HloTextView::resizeEvent(QResizeEvent* event) {
  const int before = (event->oldSize().height() + lineHeight_ - 1) / lineHeight_;
  const bool wasSeen = current_ >= firstVisibleLine() && current_ < firstVisibleLine() + before;
  updateScrollBars();
  if (wasSeen && current_ >= firstVisibleLine() + visibleLines())
    verticalScrollBar()->setValue(current_ - visibleLines() + 1);
}

void HloTextView::changeEvent(QEvent* event) {
  if (event->type() == QEvent::FontChange) updateScrollBars();
  QAbstractScrollArea::changeEvent(event);
}

void HloTextView::paintEvent(QPaintEvent*) {
  QPainter painter(viewport());
  painter.fillRect(viewport()->rect(), palette().base());
  if (!text_) return;
  const int first = firstVisibleLine();
  const int last = std::min(static_cast<int>(text_->lineCount()), first + visibleLines() + 2);
  for (int line = first; line < last; ++line) paintLine(painter, line, (line - first) * lineHeight_);
  painter.fillRect(QRect(0, 0, gutterWidth(), viewport()->height()), palette().window());
  painter.setPen(palette().color(QPalette::PlaceholderText));
  for (int line = first; line < last; ++line)
    painter.drawText(QRect(0, (line - first) * lineHeight_, gutterWidth() - static_cast<int>(charWidth_), lineHeight_),
                     Qt::AlignRight | Qt::AlignVCenter, QString::number(line + 1));
}

void HloTextView::paintLine(QPainter& painter, int line, int y) const {
  if (selected_.contains(line)) {
    QColor back = palette().color(QPalette::Highlight);
    back.setAlphaF(0.25F);
    painter.fillRect(QRect(0, y, viewport()->width(), lineHeight_), back);
  }
  const auto scrolled = static_cast<qreal>(horizontalScrollBar()->value());
  const auto visible = static_cast<qsizetype>((scrolled + viewport()->width()) / charWidth_) + 8;
  const QString shown = shownLine(line).left(visible);
  QTextLayout layout(shown, font());
  layout.setFormats(highlightHlo(shown, theme_));
  layout.beginLayout();
  QTextLine textLine = layout.createLine();
  if (textLine.isValid()) textLine.setLineWidth(1e7);
  layout.endLayout();
  painter.setPen(palette().color(QPalette::Text));
  layout.draw(&painter, QPointF(gutterWidth() + charWidth_ / 2 - scrolled, y + 1));
}

void HloTextView::mousePressEvent(QMouseEvent* event) {
  const int line = lineAt(event->position());
  if (line < 0 || event->button() != Qt::LeftButton) return;
  current_ = line;
  const InstructionId id = text_->instructionAt(static_cast<size_t>(line));
  if (id.valid()) emit instructionClicked(id, event->modifiers() & (Qt::ShiftModifier | Qt::ControlModifier));
}

void HloTextView::mouseDoubleClickEvent(QMouseEvent* event) {
  const int line = lineAt(event->position());
  if (line < 0) return;
  if (!unfolded_.erase(line)) unfolded_.insert(line);
  viewport()->update();
}

void HloTextView::keyPressEvent(QKeyEvent* event) {
  auto* bar = verticalScrollBar();
  if (event->matches(QKeySequence::Copy)) return copySelection();
  if (event->matches(QKeySequence::MoveToStartOfDocument)) return bar->setValue(0);
  if (event->matches(QKeySequence::MoveToEndOfDocument)) return bar->setValue(bar->maximum());
  if (event->key() == Qt::Key_Up) return step(-1);
  if (event->key() == Qt::Key_Down) return step(1);
  QAbstractScrollArea::keyPressEvent(event);
}

// To the next line that is an instruction.
void HloTextView::step(int direction) {
  const int count = text_ ? static_cast<int>(text_->lineCount()) : 0;
  for (int line = current_ + direction; line >= 0 && line < count; line += direction)
    if (const InstructionId id = text_->instructionAt(static_cast<size_t>(line)); id.valid()) {
      current_ = line;
      return emit instructionClicked(id, false);
    }
}

// Of the line under the pointer, which is selected first.
void HloTextView::contextMenuEvent(QContextMenuEvent* event) {
  if (!text_) return;
  const int line = lineAt(viewport()->mapFromGlobal(event->globalPos()));
  const InstructionId id = line < 0 ? InstructionId() : text_->instructionAt(static_cast<size_t>(line));
  if (id.valid() && !selected_.contains(line)) emit instructionClicked(id, false);
  auto* menu = new QMenu(this);
  menu->setObjectName(QStringLiteral("text-menu"));
  menu->setAttribute(Qt::WA_DeleteOnClose);
  const auto add = [&](const QString& words, const QString& key, bool can, auto run) {
    QAction* action = menu->addAction(words + QLatin1Char('\t') + key);
    action->setEnabled(can);
    connect(action, &QAction::triggered, this, run);
  };
  const auto native = [](QKeySequence::StandardKey key) {
    return QKeySequence(key).toString(QKeySequence::NativeText);
  };
  add(tr("&Copy the lines"), native(QKeySequence::Copy), !selected_.empty(), [this] { copySelection(); });
  add(tr("Copy &all"), {}, true, [this] {
    std::string out;
    for (size_t each = 0; each < text_->lineCount(); ++each) out += std::string(text_->line(each)) + "\n";
    QGuiApplication::clipboard()->setText(QString::fromStdString(out));
  });
  menu->addSeparator();
  add(tr("&Find in the text …"), QStringLiteral("Ctrl+Alt+F"), true, [this] { emit findWanted(); });
  add(tr("&Edit the text"), {}, true, [this] { emit editWanted(); });
  if (line >= 0 && shownLine(line).size() != static_cast<qsizetype>(text_->line(static_cast<size_t>(line)).size()))
    add(tr("&Unfold the line"), tr("Double click"), true, [this, line] {
      unfolded_.insert(line);
      viewport()->update();
    });
  menu->popup(event->globalPos());
}

void HloTextView::copySelection() const {
  std::vector<int> lines(selected_.begin(), selected_.end());
  std::ranges::sort(lines);
  std::string out;
  for (int line : lines) out += std::string(text_->line(static_cast<size_t>(line))) + "\n";
  if (!out.empty()) QGuiApplication::clipboard()->setText(QString::fromStdString(out));
}

}  // namespace tessera
