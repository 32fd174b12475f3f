// Compiling and listing are done by one worker, in order; an answer to an older question is dropped.
#include "editor/panels/compiler/compiled_panel.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QPlainTextEdit>
#include <QPointer>
#include <QPushButton>
#include <QTabWidget>
#include <QTextBrowser>
#include <QVBoxLayout>

#include "core/edit/wiring/splicing.h"
#include "core/ops/inference/infer.h"
#include "editor/document/document.h"
#include "editor/look/type_scale.h"
#include "editor/panels/compiler/compiled_program.h"
#include "editor/text/plain_text.h"

namespace tessera {

namespace {

constexpr size_t kSmall = 3000;  // instructions that are compiled without being asked for

// Of a card the PTX and what the toolkit says of it; of all else the processor's code.
std::string deviceOf(const RunSettings& settings) {
  if (settings.backend != "cuda") return {};
  return settings.device.empty() ? "0" : settings.device;
}

}  // namespace

CompiledPanel::CompiledPanel(Document& document, QWidget* parent)
    : QWidget(parent),
      document_(document),
      words_(new PlainLabel(this)),
      compile_(new QPushButton(tr("Compile"), this)),
      measure_(new QPushButton(tr("Measure this machine"), this)),
      tabs_(new QTabWidget(this)),
      steps_(new QTextBrowser(this)) {
  pool_.setMaxThreadCount(1);
  words_->setWordWrap(true);
  measure_->setToolTip(
      tr("Bytes and operations a second that this machine reaches: the bound each step is held against. Takes about "
         "two seconds."));
  tabs_->addTab(steps_, tr("Steps"));
  for (const QString& title : {tr("Loop nest"), tr("IR before"), tr("IR after"), tr("Assembly"), tr("Machine code")}) {
    auto* page = new QPlainTextEdit(this);
    page->setReadOnly(true);
    page->setLineWrapMode(QPlainTextEdit::NoWrap);
    keepFont(*page, monoFont);
    page->setAccessibleName(title);
    tabs_->addTab(page, title);
    pages_.push_back(page);
  }
  auto* line = new QHBoxLayout;
  line->addWidget(words_, 1);
  line->addWidget(compile_);
  line->addWidget(measure_);
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(8, 4, 8, 0);
  layout->addLayout(line);
  layout->addWidget(tabs_, 1);
  connect(compile_, &QPushButton::clicked, this, &CompiledPanel::compile);
  connect(measure_, &QPushButton::clicked, this, &CompiledPanel::measure);
  connect(&document_, &Document::selectionChanged, this, &CompiledPanel::follow);
  connect(&document_, &Document::moduleChanged, this, &CompiledPanel::forget);
  connect(&document_, &Document::opened, this, &CompiledPanel::forget);
  connect(&document_, &Document::pageChanged, this, &CompiledPanel::forget);  // muted instructions
  connect(&document_, &Document::runSettingsChanged, this, [this] {
    if (device_ != deviceOf(document_.runSettings())) forget();
  });
  connect(&document_.run(), &ProgramRun::outcomeChanged, this, [this] {
    listed_ = {};
    follow();
  });
  showTabs();
  clear({});
}

CompiledPanel::~CompiledPanel() {
  if (cancel_) *cancel_ = true;
  pool_.waitForDone();
}

QString CompiledPanel::words() const { return words_->text(); }
QString CompiledPanel::textOf(int tab) const {
  return tab == 0 ? steps_->toPlainText() : pages_[static_cast<size_t>(tab - 1)]->toPlainText();
}

void CompiledPanel::showEvent(QShowEvent* event) {
  QWidget::showEvent(event);
  follow();
}

void CompiledPanel::clear(const QString& words) {
  words_->setText(words);
  steps_->clear();
  for (QPlainTextEdit* page : pages_) page->clear();
  listed_ = {};
}

// Another graph: what was compiled is of the one before.
void CompiledPanel::forget() {
  if (cancel_) *cancel_ = true;
  cancel_.reset();
  program_.reset();
  failed_ = false;
  ++request_;
  clear({});
  follow();
}

void CompiledPanel::follow() {
  if (!isVisible()) return;
  const bool graph = document_.isOpen() && !document_.isPlainGraph();
  const bool asks = graph && !program_ && !cancel_ && (failed_ || document_.module().instructionCount() > kSmall);
  compile_->setVisible(asks);
  measure_->setVisible(program_ && !roofline_);
  if (!graph) return clear(tr("There is no graph to compile."));
  if (cancel_ || failed_) return;
  if (asks)
    return clear(tr("%L1 instructions: compiling them may take a while.").arg(document_.module().instructionCount()));
  if (!program_) return compile();
  if (!document_.selected().valid()) return clear(tr("Select an instruction to see what it has become."));
  if (listed_ != document_.selected()) list();
}

// A card's code is PTX and what is made of it.
void CompiledPanel::showTabs() {
  const bool isForCard = !device_.empty();
  tabs_->setTabText(1 + kAssembly, isForCard ? tr("PTX") : tr("Assembly"));
  for (const int page : {kIrBefore, kIrAfter}) tabs_->setTabVisible(1 + page, !isForCard);
  tabs_->setTabVisible(1 + kMachineCode, isForCard);
}

void CompiledPanel::cancelCompiling() {
  if (cancel_) *cancel_ = true;
}

void CompiledPanel::compile() {
  if (!document_.isOpen() || document_.isPlainGraph() || cancel_) return;
  cancel_ = std::make_shared<std::atomic<bool>>(false);
  failed_ = false;
  device_ = deviceOf(document_.runSettings());
  showTabs();
  clear(tr("Compiling …"));
  emit compilingChanged();
  compile_->hide();
  ++busy_;
  pool_.start([panel = QPointer(this), module = withoutMuted(document_.module(), document_.muted()),
               request = ++request_, cancel = cancel_, device = device_]() mutable {
    auto program = std::make_shared<Program>(std::move(module));
    program->isForCard = !device.empty();
    CompileOptions options;
    options.device = device;
    options.cancel = cancel.get();
    options.kernelCache = defaultKernelCache();
    QString why;
    const Diagnostics found = verify(program->source);
    for (const Diagnostic& d : found.items())
      if (d.severity == Severity::Error && why.isEmpty()) why = QString::fromStdString(d.toString());
    auto backend = makeBackend(device.empty() ? "cpu" : "cuda");
    auto made = !why.isEmpty() ? Result<std::unique_ptr<Executable>>(fail(why.toStdString()))
                : backend      ? (*backend)->compile(program->source, options)
                               : Result<std::unique_ptr<Executable>>(std::unexpected(backend.error()));
    if (made)
      program->executable = *std::move(made);
    else if (why.isEmpty())
      why = QString::fromStdString(made.error().toString());
    QMetaObject::invokeMethod(
        panel,
        [panel, program = std::move(program), request, cancel, why] {
          if (!panel) return;
          --panel->busy_;
          if (request != panel->request_) return;
          panel->cancel_.reset();
          panel->failed_ = !why.isEmpty();
          emit panel->compilingChanged();
          if (panel->failed_ && *cancel)
            panel->clear(tr("Compiling was cancelled."));
          else if (panel->failed_)
            panel->clear(tr("It does not compile: %1").arg(why));
          else
            panel->program_ = program;
          panel->follow();
        },
        Qt::QueuedConnection);
  });
}

void CompiledPanel::list() {
  listed_ = document_.selected();
  words_->setText(tr("Reading the code …"));
  ++busy_;
  const auto profile =
      document_.run().outcome() ? std::make_shared<const Profile>(document_.run().outcome()->profile) : nullptr;
  pool_.start(
      [panel = QPointer(this), compiled = program_, profile, roofline = roofline_, id = listed_, request = ++request_] {
        const Listing listing = listingOf(*compiled, profile.get(), id, roofline.get());
        QMetaObject::invokeMethod(
            panel,
            [panel, listing, request] {
              if (!panel) return;
              --panel->busy_;
              if (request == panel->request_) panel->show(listing);
            },
            Qt::QueuedConnection);
      });
}

void CompiledPanel::show(const Listing& listing) {
  if (!program_ || !program_->source.contains(listed_)) return;  // another selection, or none, meanwhile
  words_->setText((program_->isForCard ? tr("The card's program for %1") : tr("The CPU's program for %1"))
                      .arg(QString::fromStdString(std::string(program_->source.at(listed_).name))));
  steps_->setHtml(listing.steps);
  for (qsizetype i = 0; i < listing.pages.size(); ++i) pages_[static_cast<size_t>(i)]->setPlainText(listing.pages[i]);
}

void CompiledPanel::measure() {
  measure_->setEnabled(false);
  ++busy_;
  pool_.start([panel = QPointer(this)] {
    auto measured = std::make_shared<const Roofline>(measureRoofline());
    QMetaObject::invokeMethod(
        panel,
        [panel, measured] {
          if (!panel) return;
          --panel->busy_;
          panel->roofline_ = measured;
          panel->listed_ = {};
          panel->follow();
        },
        Qt::QueuedConnection);
  });
}

}  // namespace tessera
