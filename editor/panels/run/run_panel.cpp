// Fields of the settings; lines for the arguments are made anew when the parameters change.
#include "editor/panels/run/run_panel.h"

#include <QClipboard>
#include <QCompleter>
#include <QDir>
#include <QFileDialog>
#include <QFileInfo>
#include <QFormLayout>
#include <QGridLayout>
#include <QGuiApplication>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QScrollArea>
#include <QSignalBlocker>
#include <QSpinBox>
#include <QToolButton>
#include <QVBoxLayout>

#include "core/evaluate/argument_source.h"
#include "editor/document/document.h"
#include "editor/panels/run/device_chooser.h"
#include "editor/text/error_label.h"
#include "editor/text/plain_text.h"

namespace tessera {
namespace {

constexpr size_t kMaxOutputLines = 64;

QStringList argumentNames(const Module& module) {
  QStringList out;
  for (InstructionId id : module.entryComputation().parameters) {
    if (!id.valid()) continue;
    const auto leaves = leavesOf(module.shapeOf(id));
    for (const ShapeLeaf& leaf : leaves) {
      if (leaf.shape->isToken()) continue;
      QString index;
      for (int64_t i : leaf.index) index += QStringLiteral("[%1]").arg(i);
      out << QString::fromUtf8(module.at(id).name.data(), static_cast<qsizetype>(module.at(id).name.size())) + index +
                 QStringLiteral("  ") + QString::fromStdString(toString(*leaf.shape, false));
    }
  }
  return out;
}

// A command line is the user's own word: what the file names and nobody allowed is not put into it.
RunSettings withoutAsked(RunSettings settings, const std::vector<FileAsk>& asks) {
  for (const FileAsk& ask : asks) {
    if (ask.request.use == FileUse::Library) settings.library.clear();
    if (ask.request.use == FileUse::Infeed) settings.infeed.clear();
    if (ask.request.use == FileUse::Outfeed) settings.outfeed.clear();
    if (ask.request.use == FileUse::Argument)
      std::erase_if(settings.sources, [&](const auto& each) { return fileOfSource(each.second) == ask.request.name; });
  }
  return settings;
}

QString errorOf(const QString& text) {
  if (text.isEmpty()) return {};
  const Status known = checkArgumentSource(text.toStdString());
  return known ? QString() : QString::fromStdString(known.error().message);
}

}  // namespace

RunPanel::RunPanel(Document& document, QWidget* parent)
    : QWidget(parent),
      document_(document),
      device_(new DeviceChooser(this)),
      deviceWords_(new PlainLabel(this)),
      threads_(new QSpinBox(this)),
      replicas_(new QSpinBox(this)),
      partitions_(new QSpinBox(this)),
      seed_(new QLineEdit(this)),
      infeed_(nullptr),
      outfeed_(nullptr),
      library_(nullptr),
      arguments_(new QWidget(this)),
      grid_(new QGridLayout(arguments_)),
      command_(new PlainLabel(this)) {
  setAutoFillBackground(true);
  setBackgroundRole(QPalette::Base);
  deviceWords_->setWordWrap(true);
  deviceWords_->hide();
  threads_->setRange(0, 4096);
  threads_->setSpecialValueText(tr("all cores"));
  for (QSpinBox* box : {replicas_, partitions_}) {
    box->setRange(0, 1024);
    box->setSpecialValueText(tr("as the module says"));
  }
  auto* form = new QFormLayout;
  form->setVerticalSpacing(4);
  form->addRow(tr("Device"), device_);
  form->addRow(QString(), deviceWords_);
  form->addRow(tr("Threads"), threads_);
  form->addRow(tr("Replicas"), replicas_);
  form->addRow(tr("Partitions"), partitions_);
  form->addRow(tr("Seed"), seed_);
  addFile(form, tr("Infeed (npz)"), infeed_, &RunSettings::infeed);
  addFile(form, tr("Outfeed (npz)"), outfeed_, &RunSettings::outfeed);
  addFile(form, tr("Custom calls"), library_, &RunSettings::library);
  auto* stub = new QPushButton(tr("Copy a C stub of a custom call"), this);
  form->addRow(QString(), stub);
  auto* page = new QWidget;
  auto* columns = new QHBoxLayout(page);
  columns->setContentsMargins(8, 4, 8, 4);
  columns->setSpacing(20);
  columns->addLayout(form, 2);
  columns->addLayout(makeArguments(), 3);
  auto* scroll = new QScrollArea(this);
  scroll->setWidgetResizable(true);
  scroll->setWidget(page);
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->addWidget(scroll);
  connect(stub, &QPushButton::clicked, this, [] { QGuiApplication::clipboard()->setText(customCallStub()); });
  makeFields();
  connect(&document_, &Document::runSettingsChanged, this, &RunPanel::show);
  connect(&document_, &Document::moduleChanged, this, &RunPanel::show);
  connect(&document_, &Document::asksChanged, this, &RunPanel::show);
  connect(&document_, &Document::opened, this, &RunPanel::begin);
  show();
}

QLayout* RunPanel::makeArguments() {
  grid_->setContentsMargins(0, 0, 0, 0);
  grid_->setVerticalSpacing(2);
  grid_->setColumnStretch(1, 1);
  auto* copy = new QPushButton(tr("Copy as command"), this);
  command_->setWordWrap(true);
  command_->setTextInteractionFlags(Qt::TextSelectableByMouse);
  auto* right = new QVBoxLayout;
  auto* head = new PlainLabel(
      tr("Where arguments come from; an empty field: inputs.npz beside the file, else default values"), this);
  head->setWordWrap(true);
  right->addWidget(head);
  right->addWidget(arguments_);
  right->addWidget(command_);
  right->addWidget(copy, 0, Qt::AlignLeft);
  right->addStretch(1);
  connect(copy, &QPushButton::clicked, this, &RunPanel::copyCommand);
  return right;
}

template <class Change>
void RunPanel::change(const QString& title, Change make, StepKey key) {
  if (!document_.isOpen()) return;
  RunSettings settings = document_.runSettings();
  make(settings);
  if (settings != document_.runSettings()) document_.setRunSettings(std::move(settings), title, std::move(key));
}

void RunPanel::makeFields() {
  connect(device_, &DeviceChooser::chosen, this, [this](const QString& backend, const QString& device) {
    change(tr("Device"), [&](RunSettings& s) {
      s.backend = backend.toStdString();
      s.device = device.toStdString();
    });
  });
  connect(device_, &DeviceChooser::known, this, [this] {
    deviceWords_->setText(device_->reason().isEmpty() ? QString() : tr("CUDA is not here: %1").arg(device_->reason()));
    deviceWords_->setVisible(!device_->reason().isEmpty());
  });
  connect(threads_, &QSpinBox::valueChanged, this,
          [this](int count) { change(tr("Threads"), [&](RunSettings& s) { s.threads = count; }); });
  connect(replicas_, &QSpinBox::valueChanged, this,
          [this](int count) { change(tr("Replicas"), [&](RunSettings& s) { s.replicas = count; }); });
  connect(partitions_, &QSpinBox::valueChanged, this,
          [this](int count) { change(tr("Partitions"), [&](RunSettings& s) { s.partitions = count; }); });
  connect(seed_, &QLineEdit::editingFinished, this, [this] {
    if (!seed_->isModified()) return;
    seed_->setModified(false);
    bool reads = false;
    const qulonglong seed = seed_->text().toULongLong(&reads);
    if (reads)
      change(tr("Seed"), [&](RunSettings& s) { s.seed = seed; });
    else
      show();
  });
}

void RunPanel::addFile(QFormLayout* form, const QString& label, QLineEdit*& field, std::string RunSettings::*member) {
  field = new QLineEdit(this);
  field->setPlaceholderText(tr("none"));
  field->setAccessibleName(label);
  auto* choose = new QToolButton(this);
  choose->setText(QStringLiteral("…"));
  choose->setToolTip(tr("Choose a file"));
  auto* line = new QHBoxLayout;
  line->addWidget(field, 1);
  line->addWidget(choose);
  form->addRow(label, line);
  QLineEdit* made = field;
  connect(field, &QLineEdit::editingFinished, this, [this, label, made, member] {
    if (!made->isModified()) return;  // a name that was not typed is no word of the user's
    made->setModified(false);
    change(label, [&](RunSettings& s) { s.*member = made->text().trimmed().toStdString(); });
  });
  connect(choose, &QToolButton::clicked, this, [this, label, member] {
    const QString path = QFileDialog::getOpenFileName(this, label, QFileInfo(document_.file().path()).path());
    if (!path.isEmpty()) change(label, [&](RunSettings& s) { s.*member = path.toStdString(); });
  });
}

QLineEdit* RunPanel::source(int64_t argument) const {
  return argument >= 0 && argument < lines_.size() ? lines_[argument].field : nullptr;
}

QString RunPanel::sourceError(int64_t argument) const {
  return argument >= 0 && argument < lines_.size() ? lines_[argument].error->text() : QString();
}

// What stands in a field, even in one that has the focus, was said of the document before.
void RunPanel::begin() {
  typing_ = -1;
  gesture_.end();
  for (QLineEdit* field : {seed_, infeed_, outfeed_, library_}) field->setText({});
  show();
}

void RunPanel::show() {
  const bool open = document_.isOpen() && !document_.isPlainGraph();
  setEnabled(open);
  if (!open) return;
  const RunSettings& s = document_.runSettings();
  const QSignalBlocker blockers[]{QSignalBlocker(threads_), QSignalBlocker(replicas_), QSignalBlocker(partitions_)};
  device_->setCurrent(s.backend, s.device);
  threads_->setValue(s.threads);
  replicas_->setValue(static_cast<int>(s.replicas));
  partitions_->setValue(static_cast<int>(s.partitions));
  const auto fill = [](QLineEdit* field, const QString& text) {
    if (!field->isModified() && field->text() != text) field->setText(text);
  };
  fill(seed_, QString::number(s.seed));
  fill(infeed_, QString::fromStdString(s.infeed));
  fill(outfeed_, QString::fromStdString(s.outfeed));
  fill(library_, QString::fromStdString(s.library));
  rebuildArguments();
  for (qsizetype i = 0; i < lines_.size(); ++i) {
    if (i == typing_) continue;
    const auto source = s.sources.find(i);
    const QString text = source == s.sources.end() ? QString() : QString::fromStdString(source->second);
    if (lines_[i].field->text() != text) lines_[i].field->setText(text);
    lines_[i].error->say(errorOf(text));
  }
  command_->setText(command());
}

void RunPanel::rebuildArguments() {
  QStringList names = argumentNames(document_.module()).mid(0, kMaxOutputLines);
  if (names == shown_) return;
  shown_ = names;
  typing_ = -1;
  lines_.clear();
  while (QLayoutItem* item = grid_->takeAt(0)) {
    delete item->widget();
    delete item;
  }
  for (int row = 0; row < names.size(); ++row) {
    auto* field = new QLineEdit(arguments_);
    const QString kinds = tr("rule · constant 1 · ramp 0 1 · uniform -1 1 · normal 0 1 · npy FILE · image FILE");
    field->setPlaceholderText(kinds);
    field->setCompleter(new QCompleter(
        QStringList{"rule", "constant 0", "ramp 0 1", "uniform 0 1", "normal 0 1", "npy ", "image "}, field));
    field->setAccessibleName(names[row]);
    auto* error = new ErrorLabel(arguments_);
    auto* choose = new QToolButton(arguments_);
    choose->setText(QStringLiteral("…"));
    choose->setToolTip(tr("An npy array or a picture"));
    grid_->addWidget(new PlainLabel(names[row], arguments_), 2 * row, 0);
    grid_->addWidget(field, 2 * row, 1);
    grid_->addWidget(choose, 2 * row, 2);
    grid_->addWidget(error, 2 * row + 1, 1);
    lines_.push_back({field, error});
    connect(field, &QLineEdit::textEdited, this, [this, row](const QString& text) { typed(row, text); });
    connect(field, &QLineEdit::editingFinished, this, [this] {
      typing_ = -1;
      gesture_.end();
      show();
    });
    connect(choose, &QToolButton::clicked, this, [this, row] { browse(row); });
  }
}

// What reads is a setting at once; what does not is explained and changes nothing.
void RunPanel::typed(int64_t argument, const QString& text) {
  if (typing_ != argument) gesture_.end();
  typing_ = argument;
  const QString words = text.trimmed(), wrong = errorOf(words);
  lines_[argument].error->say(wrong);
  if (!wrong.isEmpty()) return;
  change(
      tr("Source of argument %1").arg(argument),
      [&](RunSettings& s) {
        if (words.isEmpty())
          s.sources.erase(argument);
        else
          s.sources[argument] = words.toStdString();
      },
      gesture_.key({}, "argument " + std::to_string(argument)));
}

void RunPanel::browse(int64_t argument) {
  const QString path = QFileDialog::getOpenFileName(
      this, tr("An array or a picture"), QFileInfo(document_.file().path()).path(),
      tr("Arrays and pictures (*.npy *.png *.jpg *.jpeg *.pgm *.ppm *.bmp);;All files (*)"));
  if (path.isEmpty()) return;
  const std::string source = (path.endsWith(QStringLiteral(".npy")) ? "npy " : "image ") + path.toStdString();
  change(tr("Source of argument %1").arg(argument), [&](RunSettings& s) { s.sources[argument] = source; });
}

QString RunPanel::deviceWords() const { return deviceWords_->text(); }

QString RunPanel::command() const {
  if (!document_.isOpen()) return {};
  const QString path = document_.file().path().isEmpty() ? document_.file().fileName() : document_.file().path();
  const QString inputs = QFileInfo(path).dir().filePath(QStringLiteral("inputs.npz"));
  const bool there = !document_.file().path().isEmpty() && QFileInfo::exists(inputs);
  return QString::fromStdString(commandOf(withoutAsked(document_.runSettings(), document_.asks()), path.toStdString(),
                                          there ? inputs.toStdString() : std::string()));
}

void RunPanel::copyCommand() const { QGuiApplication::clipboard()->setText(command()); }

QString RunPanel::customCallStub() {
  return QStringLiteral(
      "/* A custom call for Tessera: cc -shared -fPIC -O2 -o libmine.so mine.c\n"
      "   In HLO: custom-call(%x), custom_call_target=\"my_target\", api_version=API_VERSION_ORIGINAL\n"
      "   out is the result's buffer (for a tuple an array of buffers), in[i] the i-th operand's, dense in its layout. "
      "*/\n"
      "#include <stddef.h>\n\n"
      "void my_target(void* out, const void** in) {\n"
      "  const float* x = in[0];\n"
      "  float* y = out;\n"
      "  for (size_t i = 0; i < 8; ++i) y[i] = 2 * x[i];  /* 8: the elements of your shape */\n"
      "}\n");
}

}  // namespace tessera
