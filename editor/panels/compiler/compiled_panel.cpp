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
#include <mutex>

#include "backends/backend.h"
#include "backends/derived.h"
#include "core/edit/wiring/splicing.h"
#include "core/formats/hlo_text.h"
#include "core/ops/inference/infer.h"
#include "core/tools/explain.h"
#include "editor/document/document.h"
#include "editor/look/type_scale.h"
#include "editor/text/plain_text.h"

namespace tessera {

struct CompiledPanel::Program {
  Module source;
  std::unique_ptr<Executable> executable;
  mutable std::mutex mutex;  // listing compiles kernels
};

struct CompiledPanel::Listing {
  QString steps;
  QStringList pages;
};

namespace {

constexpr size_t kSmall = 3000;          // instructions that are compiled without being asked for
constexpr qsizetype kLongest = 2000000;  // characters of a page
enum Page { kLoops, kIrBefore, kIrAfter, kAssembly, kPages };

QString escaped(const std::string& text) { return QString::fromStdString(text).toHtmlEscaped(); }

// 1.2 k, 3.4 M.
QString amount(double value, const QString& unit) {
  const char* prefixes[] = {"", "k", "M", "G", "T", "P"};
  int p = 0;
  for (; value >= 999.5 && p < 5; ++p) value /= 1000;
  return QStringLiteral("%1 %2%3").arg(value, 0, 'g', 3).arg(QLatin1String(prefixes[p]), unit);
}

QString duration(double ns) {
  return ns < 1e3   ? QStringLiteral("%1 ns").arg(ns, 0, 'g', 3)
         : ns < 1e6 ? QStringLiteral("%1 µs").arg(ns / 1e3, 0, 'g', 3)
                    : QStringLiteral("%1 ms").arg(ns / 1e6, 0, 'g', 4);
}

QString keyedRow(const QString& key, const QString& value) {
  return QStringLiteral("<tr><td style='padding-right:12px'>%1</td><td>%2</td></tr>").arg(key, value);
}

QString timeRows(const StepListing& step, const Profile* profile, double attainableNs) {
  QString out;
  if (profile && profile->runs > 0)
    for (const StepProfile& each : profile->steps)
      if (each.name == step.name && each.count > 0) {
        const double ns = static_cast<double>(each.totalNs) / static_cast<double>(profile->runs);
        out += keyedRow(QObject::tr("measured"),
                        QObject::tr("%1 a run, done %2")
                                .arg(duration(ns), each.count == profile->runs
                                                       ? QObject::tr("once")
                                                       : QObject::tr("%L1 times").arg(each.count / profile->runs)) +
                            (attainableNs > 0 && ns > 0
                                 ? QObject::tr(", %1 % of what is attainable").arg(100 * attainableNs / ns, 0, 'f', 0)
                                 : QString()));
        break;
      }
  if (attainableNs > 0)
    out +=
        keyedRow(QObject::tr("attainable"), QObject::tr("%1 on this machine, from memory").arg(duration(attainableNs)));
  return out;
}

QString stepPage(const StepListing& step, const Profile* profile, double attainableNs) {
  QString rows =
      keyedRow(QObject::tr("estimated"), QObject::tr("%1, %2").arg(amount(step.flops, QObject::tr("flops")),
                                                                   amount(step.bytes, QStringLiteral("B")))) +
      timeRows(step, profile, attainableNs);
  for (const BufferLocation& buffer : step.buffers)
    rows += keyedRow(escaped(buffer.role), QObject::tr("%1 at %2, %3")
                                               .arg(escaped(buffer.place))
                                               .arg(buffer.offset)
                                               .arg(amount(static_cast<double>(buffer.bytes), QStringLiteral("B"))));
  return QStringLiteral("<p style='margin:8px 0 2px 0'><b>%1</b></p><table>%2</table>").arg(escaped(step.what), rows);
}

std::string loopsOf(const Module& optimized, InstructionId id) {
  const auto told = explain(optimized, id);
  if (!told) return told.error().message + "\n";
  if (told->loopNest.empty()) return "no loop nest: " + told->without + "\n";
  std::string out;
  for (size_t i = 0; i < told->buffers.size(); ++i)
    out += "operand" + std::to_string(i) + " is " + told->buffers[i] + "\n";
  return out + told->loopNest;
}

QString kept(const std::string& text) {
  QString out = QString::fromStdString(text);
  if (out.size() > kLongest)
    out = out.left(kLongest) + QObject::tr("\n… cut here: %L1 characters in all").arg(out.size());
  return out;
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
  for (const QString& title : {tr("Loop nest"), tr("IR before"), tr("IR after"), tr("Assembly")}) {
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
  connect(&document_.run(), &ProgramRun::outcomeChanged, this, [this] {
    listed_ = {};
    follow();
  });
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

void CompiledPanel::cancelCompiling() {
  if (cancel_) *cancel_ = true;
}

void CompiledPanel::compile() {
  if (!document_.isOpen() || document_.isPlainGraph() || cancel_) return;
  cancel_ = std::make_shared<std::atomic<bool>>(false);
  failed_ = false;
  clear(tr("Compiling …"));
  emit compilingChanged();
  compile_->hide();
  ++busy_;
  pool_.start([panel = QPointer(this), module = withoutMuted(document_.module(), document_.muted()),
               request = ++request_, cancel = cancel_]() mutable {
    auto program = std::make_shared<Program>(std::move(module));
    CompileOptions options;
    options.cancel = cancel.get();
    options.kernelCache = defaultKernelCache();
    QString why;
    const Diagnostics found = verify(program->source);
    for (const Diagnostic& d : found.items())
      if (d.severity == Severity::Error && why.isEmpty()) why = QString::fromStdString(d.toString());
    auto backend = makeBackend("cpu");
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

CompiledPanel::Listing CompiledPanel::listingOf(const Program& program, const Profile* profile, InstructionId id,
                                                const Roofline* roofline) {
  Listing out;
  const Module& optimized = program.executable->optimized();
  std::string pages[kPages];
  const std::lock_guard lock(program.mutex);
  for (InstructionId each : derivedOf(optimized, id)) {
    const std::string text = printInstruction(optimized, each);
    QStringList sources;
    for (const std::string& name : sourcesOf(program.source, optimized, each)) sources << escaped(name);
    out.steps += QStringLiteral("<p style='margin:10px 0 0 0'><code>%1</code></p><p style='margin:0'>%2</p>")
                     .arg(escaped(text), QObject::tr("computes %1").arg(sources.join(QStringLiteral(", "))));
    out.steps += QStringLiteral("<p style='margin:0'>%1</p>").arg(escaped(insertionText(optimized, each)));
    const std::string head = "; " + std::string(optimized.at(each).name) + "\n";
    pages[kLoops] += head + loopsOf(optimized, each) + "\n";
    const auto steps = program.executable->list(each, true);
    if (!steps) {
      out.steps += QStringLiteral("<p>%1</p>").arg(escaped(steps.error().message));
      continue;
    }
    if (steps->empty()) out.steps += QStringLiteral("<p>%1</p>").arg(QObject::tr("no step of its own"));
    const Shape& shape = optimized.shapeOf(each);
    const std::string type(nameOf(shape.isArray() ? shape.type : ElementType::F32));
    for (const StepListing& step : *steps) {
      out.steps += stepPage(step, profile, roofline ? roofline->attainableNs(type, step.flops, step.bytes) : 0);
      const std::string none = head + "none: code of the run time or of a library\n\n";
      pages[kIrBefore] += step.irBefore.empty() ? none : head + step.irBefore + "\n";
      pages[kIrAfter] += step.irAfter.empty() ? none : head + step.irAfter + "\n";
      pages[kAssembly] += step.assembly.empty() ? none : head + step.assembly + "\n";
    }
  }
  if (out.steps.isEmpty())
    out.steps = QObject::tr("Nothing of it is left in the compiled program: it was folded, merged or not needed.");
  for (const std::string& page : pages) out.pages << kept(page);
  return out;
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
  words_->setText(
      tr("The CPU's program for %1").arg(QString::fromStdString(std::string(program_->source.at(listed_).name))));
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
