// See dump_panel.h.
#include "editor/panels/compiler/dump_panel.h"

#include <QDir>
#include <QFileInfo>
#include <QHeaderView>
#include <QKeyEvent>
#include <QLabel>
#include <QPlainTextEdit>
#include <QPointer>
#include <QSplitter>
#include <QTextBlock>
#include <QTreeWidget>
#include <QVBoxLayout>
#include <algorithm>
#include <map>

#include "core/formats/file_content.h"
#include "core/tools/passes/kernel_names.h"
#include "editor/document/document.h"
#include "editor/text/plain_text.h"
#include "editor/text/status_line.h"
#include "editor/text/unit_words.h"

namespace tessera {
namespace {

constexpr int kFileName = Qt::UserRole + 1;
constexpr uint64_t kLargestFile = uint64_t{64} << 20;
constexpr qsizetype kLongestText = 8'000'000;  // characters

// In the order in which they are of use.
constexpr std::pair<DumpRole, const char*> kGroups[] = {
    {DumpRole::Stage, QT_TR_NOOP("Stages")},
    {DumpRole::LlvmIr, QT_TR_NOOP("LLVM IR")},
    {DumpRole::Ptx, QT_TR_NOOP("PTX")},
    {DumpRole::BufferAssignment, QT_TR_NOOP("Buffer assignment")},
    {DumpRole::LiveRange, QT_TR_NOOP("Live ranges")},
    {DumpRole::MemoryReport, QT_TR_NOOP("Memory report")},
    {DumpRole::Thunks, QT_TR_NOOP("Thunks")},
    {DumpRole::Mlir, QT_TR_NOOP("MLIR")},
    {DumpRole::MachineCode, QT_TR_NOOP("Machine code")},
    {DumpRole::DebugOptions, QT_TR_NOOP("Options")},
    {DumpRole::Snapshot, QT_TR_NOOP("Snapshots")},
    {DumpRole::Drawing, QT_TR_NOOP("Drawings")},
    {DumpRole::Other, QT_TR_NOOP("Others")},
};

bool isModuleFile(const QString& name) {
  return name.endsWith(QLatin1String(".txt")) || name.endsWith(QLatin1String(".hlo.pb")) ||
         name.endsWith(QLatin1String(".hlo"));
}

QTreeWidgetItem* fileItem(const std::string& name, const QString& shown, uint64_t bytes) {
  auto* out = new QTreeWidgetItem({shown, bytesWords(static_cast<int64_t>(bytes))});
  out->setData(0, kFileName, QString::fromStdString(name));
  out->setToolTip(0, asPlainText(QString::fromStdString(name)));
  out->setTextAlignment(1, Qt::AlignRight | Qt::AlignVCenter);
  return out;
}

QString textOrReason(const QString& folder, const QString& name) {
  const std::filesystem::path root = folder.toStdString(), file = name.toStdString();
  std::error_code error;
  if (const uint64_t bytes = std::filesystem::file_size(root / file, error); !error && bytes > kLargestFile)
    return QObject::tr("%1: larger than what is shown here").arg(bytesWords(static_cast<int64_t>(bytes)));
  const auto content = readFileBeneath(root, file);
  if (!content) return QString::fromStdString(content.error().toString());
  if (content->find('\0') != content->npos)
    return QObject::tr("Not text: %1. Double click opens what is a module.")
        .arg(bytesWords(static_cast<int64_t>(content->size())));
  QString out = QString::fromStdString(*content);
  if (out.size() > kLongestText) out = out.left(kLongestText) + QObject::tr("\n… cut here");
  return out;
}

// ".ir-with-opt.ll" of a kernel's code, ".ptx".
std::string_view formOf(std::string_view file) {
  const size_t end = file.rfind('.'), form = file.rfind(".ir-");
  return file.substr(std::min({end, form, file.size()}));
}

}  // namespace

DumpPanel::DumpPanel(Document& document, QWidget* parent)
    : QWidget(parent),
      document_(document),
      files_(new QTreeWidget(this)),
      text_(new QPlainTextEdit(this)),
      words_(new StatusLine(this)),
      empty_(new EmptyLabel(
          tr("The open file is of no dump folder. Open one (File menu) that XLA wrote with --xla_dump_to."), this)) {
  pool_.setMaxThreadCount(1);
  files_->setHeaderLabels({tr("File"), tr("Size")});
  files_->setUniformRowHeights(true);
  files_->setIndentation(12);
  files_->setTextElideMode(Qt::ElideMiddle);  // names differ at their ends
  files_->header()->setStretchLastSection(false);
  files_->header()->setSectionResizeMode(0, QHeaderView::Stretch);
  text_->setReadOnly(true);
  text_->setLineWrapMode(QPlainTextEdit::NoWrap);
  QFont mono(QStringLiteral("monospace"));
  mono.setStyleHint(QFont::Monospace);
  text_->setFont(mono);
  text_->setAccessibleName(tr("Text of the file"));
  text_->setTextInteractionFlags(Qt::TextSelectableByMouse | Qt::TextSelectableByKeyboard);
  text_->installEventFilter(this);
  text_->viewport()->installEventFilter(this);
  auto* right = new QWidget(this);
  auto* column = new QVBoxLayout(right);
  column->setContentsMargins(4, 4, 4, 0);
  words_->setEnabled(false);
  column->addWidget(words_);
  column->addWidget(text_, 1);
  auto* split = new QSplitter(this);
  split->addWidget(files_);
  split->addWidget(right);
  split->setSizes({420, 580});
  split->setStretchFactor(1, 1);
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->addWidget(split);
  connect(files_, &QTreeWidget::itemSelectionChanged, this, &DumpPanel::showFile);
  connect(files_, &QTreeWidget::itemDoubleClicked, this, [this](const QTreeWidgetItem* item) {
    const QString name = item->data(0, kFileName).toString();
    if (isModuleFile(name)) emit fileWanted(QDir(folder_).filePath(name));
  });
  connect(&document_, &Document::opened, this, &DumpPanel::begin);
  connect(&document_, &Document::selectionChanged, this, &DumpPanel::followSelection);
}

DumpPanel::~DumpPanel() { pool_.waitForDone(); }

QString DumpPanel::words() const { return words_->text(); }

void DumpPanel::showFolder(const QString& folder) {
  begin();
  given_ = folder;
  if (isVisible()) look();
}

void DumpPanel::begin() {
  stale_ = true;
  given_.clear();
  ++request_;
  dump_.reset();
  folder_.clear();
  shown_.clear();
  files_->clear();
  text_->clear();
  words_->clear();
  marked_.clear();
  kernels_.clear();
  ++selectionRequest_;
  if (isVisible()) look();
}

void DumpPanel::showEvent(QShowEvent* event) {
  QWidget::showEvent(event);
  if (stale_) look();
}

void DumpPanel::resizeEvent(QResizeEvent*) { empty_->setGeometry(rect().adjusted(12, 24, -12, 0)); }

// --- the files

void DumpPanel::look() {
  stale_ = false;
  const QString path = document_.isOpen() ? document_.file().path() : QString();
  const QString beside = path.isEmpty() ? given_ : QFileInfo(path).absolutePath();
  if (!beside.isEmpty() && isDumpFolder(beside.toStdString())) {
    if (auto read = readDumpFolder(beside.toStdString())) {
      folder_ = beside;
      dump_ = *std::move(read);
    }
  }
  empty_->setVisible(!dump_);
  fill();
  followSelection();
}

void DumpPanel::fill() {
  files_->clear();
  if (!dump_) return;
  for (const DumpModule& module : dump_->modules) addModule(module);
  if (!dump_->others.empty()) {
    auto* others = new QTreeWidgetItem(files_, {tr("of no module")});
    for (const std::string& file : dump_->others) others->addChild(fileItem(file, QString::fromStdString(file), 0));
  }
  const size_t modules = dump_->modules.size();
  QString words = modules == 1 ? tr("%L1 files of one module").arg(dump_->files)
                               : tr("%L1 files of %L2 modules").arg(dump_->files).arg(modules);
  for (const std::string& warning : dump_->warnings) words += QStringLiteral("; ") + QString::fromStdString(warning);
  words_->setText(words);
}

void DumpPanel::addModule(const DumpModule& module) {
  auto* top = new QTreeWidgetItem(files_, {QString::fromStdString(module.name), QString()});
  top->setExpanded(moduleOfDocument() == &module);
  std::map<std::string, uint64_t> bytes;
  for (const DumpFile& file : module.files) bytes[file.name] = file.bytes;
  if (!module.passes.empty()) {
    auto* passes = new QTreeWidgetItem(top, {tr("Passes (%L1)").arg(module.passes.size())});
    for (const DumpPass& pass : module.passes)
      for (const std::string& file : pass.files)
        passes->addChild(fileItem(file,
                                  QStringLiteral("%1 %2: %3%4")
                                      .arg(pass.number, 4, 10, QLatin1Char('0'))
                                      .arg(toQString(pass.pipeline), toQString(pass.after),
                                           file.ends_with(".txt") ? QString() : tr(" (protobuf)")),
                                  bytes[file]));
  }
  for (const auto& [role, title] : kGroups) {
    QTreeWidgetItem* group = nullptr;
    for (const DumpFile& file : module.files) {
      if (file.role != role) continue;
      if (!group) group = new QTreeWidgetItem(top, {tr(title)});
      QString name = QString::fromStdString(file.name);
      for (const QString& head :
           {QStringLiteral("module_%1.%2.").arg(module.id, 4, 10, QLatin1Char('0')).arg(toQString(module.name)),
            QStringLiteral("__compute_module_")})  // that many begin with
        if (name.startsWith(head)) name.remove(0, head.size());
      group->addChild(fileItem(file.name, name, file.bytes));
    }
  }
}

const DumpModule* DumpPanel::moduleOfDocument() const {
  if (!dump_) return nullptr;
  const std::string name = QFileInfo(document_.file().path()).fileName().toStdString();
  for (const DumpModule& module : dump_->modules)
    if (std::ranges::any_of(module.files, [&](const DumpFile& file) { return file.name == name; })) return &module;
  return dump_->modules.empty() ? nullptr : &dump_->modules.front();
}

QTreeWidgetItem* DumpPanel::itemOf(const std::string& file) const {
  const QString name = QString::fromStdString(file);
  for (QTreeWidgetItemIterator at(files_); *at; ++at)
    if ((*at)->data(0, kFileName).toString() == name) return *at;
  return nullptr;
}

// --- one file

void DumpPanel::showFile() {
  const QList<QTreeWidgetItem*> chosen = files_->selectedItems();
  const QString name = chosen.isEmpty() ? QString() : chosen[0]->data(0, kFileName).toString();
  if (name.isEmpty() || name == shown_) return;
  ++busy_;
  pool_.start([panel = QPointer(this), folder = folder_, name, request = ++request_] {
    const QString text = textOrReason(folder, name);
    QMetaObject::invokeMethod(
        panel,
        [panel, name, text, request] {
          if (!panel) return;
          --panel->busy_;
          if (request == panel->request_) panel->showText(name, text);
        },
        Qt::QueuedConnection);
  });
}

void DumpPanel::showText(const QString& name, const QString& text) {
  shown_ = name;
  text_->setPlainText(text);
  mark();
}

// What the marked lines have to do with the selected instruction, where that is not plain.
QString DumpPanel::markedWords(const std::string& name) const {
  if (kernels_.empty()) return {};
  const QString selected = QString::fromStdString(kernels_[0]);
  if (marked_.empty() && kernels_.size() > 1)
    return tr("nothing about %1, which %2 computes, in ").arg(selected, QString::fromStdString(kernels_[1]));
  if (marked_.empty()) return tr("nothing about %1 in ").arg(selected);
  if (name == kernels_[0]) return {};
  return tr("%1, whose kernel computes %2, in ").arg(QString::fromStdString(name), selected);
}

// Which kernels compute it takes a look at the whole module: that is a worker's.
void DumpPanel::followSelection() {
  if (!isVisible() || !dump_) return;
  const InstructionId selected = document_.selected();
  ++selectionRequest_;
  if (!selected.valid() || document_.isPlainGraph()) return showKernels({});
  ++busy_;
  pool_.start([panel = QPointer(this), module = document_.module(), selected, request = selectionRequest_] {
    auto kernels = kernelNames(module, selected);
    QMetaObject::invokeMethod(
        panel,
        [panel, kernels = std::move(kernels), request] {
          if (!panel) return;
          --panel->busy_;
          if (request == panel->selectionRequest_) panel->showKernels(kernels);
        },
        Qt::QueuedConnection);
  });
}

// The code of the selected instruction's kernel comes to the front, unless what is seen has lines about it.
void DumpPanel::showKernels(std::vector<std::string> kernels) {
  kernels_ = std::move(kernels);
  mark();
  const DumpModule* module = moduleOfDocument();
  if (!module || kernels_.empty() || !marked_.empty()) return;
  const auto code = codeOf(*module, kernels_);
  if (code.empty()) return;
  const auto isOfTheSameForm = [&](const DumpFile* file) { return formOf(file->name) == formOf(shown_.toStdString()); };
  const auto same = std::ranges::find_if(code, isOfTheSameForm);
  if (QTreeWidgetItem* item = itemOf((same == code.end() ? code.front() : *same)->name))
    files_->setCurrentItem(item);  // marked when it is read
}

void DumpPanel::mark() {
  CodeLines about = linesAbout(text_->toPlainText().toStdString(), kernels_);
  marked_ = std::move(about.lines);
  if (!shown_.isEmpty()) words_->setText(markedWords(about.name) + shown_);
  QList<QTextEdit::ExtraSelection> shown;
  constexpr size_t kMostMarks = 2000;
  size_t marks = 0;
  for (const LineRange& range : marked_)
    for (size_t line = range.first; line <= range.last && marks < kMostMarks; ++line, ++marks) {
      QTextEdit::ExtraSelection selection;
      selection.cursor = QTextCursor(text_->document()->findBlockByNumber(static_cast<int>(line)));
      QColor color = palette().color(QPalette::Highlight);
      color.setAlpha(60);
      selection.format.setBackground(color);
      selection.format.setProperty(QTextFormat::FullWidthSelection, true);
      shown.push_back(selection);
    }
  text_->setExtraSelections(shown);
  const auto line = static_cast<size_t>(text_->textCursor().blockNumber());
  const auto holdsLine = [&](const LineRange& range) { return range.first <= line && line <= range.last; };
  if (marked_.empty() || std::ranges::any_of(marked_, holdsLine)) return;
  text_->setTextCursor(QTextCursor(text_->document()->findBlockByNumber(static_cast<int>(marked_[0].first))));
  text_->centerCursor();
}

// --- from a line back

bool DumpPanel::eventFilter(QObject* watched, QEvent* event) {
  const bool isClick = watched == text_->viewport() && event->type() == QEvent::MouseButtonRelease &&
                       static_cast<QMouseEvent*>(event)->button() == Qt::LeftButton;
  const bool isReturn = watched == text_ && event->type() == QEvent::KeyPress &&
                        (static_cast<QKeyEvent*>(event)->key() == Qt::Key_Return ||
                         static_cast<QKeyEvent*>(event)->key() == Qt::Key_Enter);
  if ((isClick || isReturn) && !text_->textCursor().hasSelection()) selectInstructionOfLine();
  return QWidget::eventFilter(watched, event);
}

void DumpPanel::selectInstructionOfLine() {
  if (shown_.isEmpty()) return;
  const int line = text_->textCursor().blockNumber();
  const InstructionId id =
      instructionAt(text_->toPlainText().toStdString(), static_cast<size_t>(line), document_.module());
  if (!id.valid())
    return words_->setText(tr("line %L1 is about no instruction of the graph; %2").arg(line + 1).arg(shown_));
  if (id != document_.selected()) emit revealWanted(id);
}

}  // namespace tessera
