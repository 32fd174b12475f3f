// See source_panel.h.
#include "editor/panels/inspect/source_panel.h"

#include <QComboBox>
#include <QFileDialog>
#include <QFileInfo>
#include <QHBoxLayout>
#include <QLabel>
#include <QMenu>
#include <QPlainTextEdit>
#include <QTextBlock>
#include <QToolButton>
#include <QVBoxLayout>
#include <algorithm>

#include "core/hlo/source_frames.h"
#include "core/tools/query/query.h"
#include "core/tools/source_files.h"
#include "editor/document/document.h"
#include "editor/look/type_scale.h"
#include "editor/text/plain_text.h"

namespace tessera {
namespace {

QString sourceText(std::string_view text) {
  return QString::fromUtf8(text.data(), static_cast<qsizetype>(text.size()));
}

std::vector<std::filesystem::path> foldersOf(const QStringList& names) {
  std::vector<std::filesystem::path> out;
  for (const QString& folder : names) out.emplace_back(folder.toStdString());
  return out;
}

}  // namespace

SourcePanel::SourcePanel(Document& document, QWidget* parent)
    : QWidget(parent),
      document_(document),
      frames_(new QComboBox(this)),
      back_(new QToolButton(this)),
      folderButton_(new QToolButton(this)),
      folderMenu_(new QMenu(this)),
      text_(new QPlainTextEdit(this)),
      state_(new PlainLabel(this)) {
  frames_->setAccessibleName(tr("Frames of the call stack"));
  frames_->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
  back_->setText(tr("Instructions of this line"));
  back_->setToolTip(tr("Searches for what comes from the line of the text cursor"));
  folderButton_->setText(tr("Folders"));
  folderButton_->setToolTip(tr("Where source files are looked for"));
  folderButton_->setPopupMode(QToolButton::InstantPopup);
  folderButton_->setMenu(folderMenu_);
  text_->setReadOnly(true);
  text_->setTextInteractionFlags(Qt::TextSelectableByMouse | Qt::TextSelectableByKeyboard);
  text_->setLineWrapMode(QPlainTextEdit::NoWrap);
  keepFont(*text_, monoFont);
  text_->setAccessibleName(tr("Source"));
  state_->setWordWrap(true);
  auto* row = new QHBoxLayout;
  row->addWidget(frames_, 1);
  row->addWidget(back_);
  row->addWidget(folderButton_);
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(4, 4, 4, 4);
  layout->addLayout(row);
  layout->addWidget(state_);
  layout->addWidget(text_, 1);
  connect(frames_, &QComboBox::currentIndexChanged, this, &SourcePanel::showFrame);
  connect(back_, &QToolButton::clicked, this, &SourcePanel::searchLine);
  connect(&document_, &Document::selectionChanged, this, &SourcePanel::showSelection);
  connect(&document_, &Document::opened, this, &SourcePanel::showSelection);
  fillFolders();
  showSelection();
}

QString SourcePanel::stateText() const { return state_->text(); }

int SourcePanel::markedLine() const {
  const auto marks = text_->extraSelections();
  return marks.isEmpty() ? 0 : marks.front().cursor.blockNumber() + 1;
}

void SourcePanel::setFolders(const QStringList& folders) {
  folders_ = folders;
  fillFolders();
  shown_.clear();
  if (isVisible())
    showSelection();
  else
    showFrame(frames_->currentIndex());
}

void SourcePanel::showEvent(QShowEvent* event) {
  QWidget::showEvent(event);
  showSelection();
}

// While nobody sees it, no file is read.
void SourcePanel::showSelection() {
  if (!isVisible()) return;
  stack_.clear();
  QStringList lines;
  const InstructionId id = document_.selected();
  if (document_.isOpen() && document_.module().contains(id) && document_.module().at(id).metadata)
    for (const SourceFrame& frame : sourceFrames(document_.module(), *document_.module().at(id).metadata)) {
      if (frame.file.empty()) continue;
      stack_.push_back({std::string(frame.file), frame.line});
      const QString place =
          QStringLiteral("%1:%2").arg(sourceText(frame.file.substr(frame.file.rfind('/') + 1))).arg(frame.line);
      lines << (frame.function.empty() ? place : tr("%1 in %2").arg(place, sourceText(frame.function)));
    }
  const QSignalBlocker blocker(frames_);
  frames_->clear();
  frames_->addItems(lines);
  frames_->setCurrentIndex(nearestFound());
  showFrame(frames_->currentIndex());
}

// The innermost frame whose file is there: rather the user's line than that of a library's that it calls.
int SourcePanel::nearestFound() const {
  const auto found = std::ranges::find_if(
      stack_, [&](const Frame& frame) { return findSourceFile(frame.file, foldersOf(folders_)).has_value(); });
  return found != stack_.end() ? static_cast<int>(found - stack_.begin()) : stack_.empty() ? -1 : 0;
}

void SourcePanel::showFrame(int number) {
  const bool any = number >= 0 && static_cast<size_t>(number) < stack_.size();
  back_->setEnabled(any);
  text_->setExtraSelections({});
  if (!any) {
    shown_.clear();
    text_->clear();
    return state_->setText(document_.selected().valid() ? tr("The instruction does not say where it comes from.")
                                                        : tr("Select an instruction."));
  }
  const Frame& frame = stack_[static_cast<size_t>(number)];
  if (shown_ != frame.file) {
    const auto found = findSourceFile(frame.file, foldersOf(folders_));
    shown_ = found ? frame.file : std::string();
    text_->setPlainText(found ? sourceText(found->text) : QString());
    state_->setText(QString::fromStdString(found ? found->path.string() : found.error().message));
  }
  if (!shown_.empty()) mark(frame.line);
}

void SourcePanel::mark(int line) {
  const QTextBlock block = text_->document()->findBlockByNumber(line - 1);
  if (!block.isValid())
    return state_->setText(tr("%1; it has no line %2: it is another version").arg(state_->text()).arg(line));
  QTextEdit::ExtraSelection whole;
  whole.cursor = QTextCursor(block);
  whole.format.setProperty(QTextFormat::FullWidthSelection, true);
  whole.format.setBackground(palette().highlight());
  whole.format.setForeground(palette().highlightedText());
  text_->setExtraSelections({whole});
  text_->setTextCursor(whole.cursor);
  text_->centerCursor();
}

// --- folders

void SourcePanel::fillFolders() {
  folderMenu_->clear();
  connect(folderMenu_->addAction(tr("Add a folder …")), &QAction::triggered, this, &SourcePanel::addFolder);
  if (!folders_.isEmpty()) folderMenu_->addSeparator();
  for (const QString& folder : folders_)
    connect(folderMenu_->addAction(tr("Remove %1").arg(folder)), &QAction::triggered, this, [this, folder] {
      QStringList left = folders_;
      left.removeAll(folder);
      setFolders(left);
      emit foldersChanged();
    });
}

void SourcePanel::addFolder() {
  const QString folder = QFileDialog::getExistingDirectory(this, tr("Source files are below this folder"),
                                                           QFileInfo(document_.file().path()).path());
  if (folder.isEmpty() || folders_.contains(folder)) return;
  setFolders(folders_ + QStringList{folder});
  emit foldersChanged();
}

// Of the line of the cursor; of the frame's line while the file is not there.
void SourcePanel::searchLine() {
  const int number = frames_->currentIndex();
  if (number < 0 || static_cast<size_t>(number) >= stack_.size()) return;
  const Frame& frame = stack_[static_cast<size_t>(number)];
  const int line = shown_.empty() ? frame.line : text_->textCursor().blockNumber() + 1;
  const std::string place = frame.file + ":" + std::to_string(line) + " ";
  emit searchWanted(QStringLiteral("stack:") + QString::fromStdString(quotedForQuery(place, nullptr)));
}

}  // namespace tessera
