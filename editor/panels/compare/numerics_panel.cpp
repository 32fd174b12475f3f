// See numerics_panel.h. Compared by a worker on request.
#include "editor/panels/compare/numerics_panel.h"

#include <QComboBox>
#include <QFileDialog>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QLabel>
#include <QPointer>
#include <QPushButton>
#include <QToolButton>
#include <QTreeWidget>
#include <QVBoxLayout>
#include <array>

#include "backends/reproducer.h"
#include "backends/run_request.h"
#include "core/edit/wiring/splicing.h"
#include "core/ops/inference/infer.h"
#include "editor/document/document.h"
#include "editor/document/node_values.h"
#include "editor/look/columns.h"
#include "editor/panels/bar_button.h"
#include "editor/panels/number_item.h"
#include "editor/text/plain_text.h"
#include "editor/text/status_line.h"
#include "editor/text/unit_words.h"

namespace tessera {

// What was compared and what came of it.
struct NumericsFound {
  std::unique_ptr<ComparedPair> pair;
  ValueComparison values;
  bool two = false;        // versions, not one module on two backends
  bool thisIsLeft = true;  // the open graph's side
  Overlay errors;
  InstructionId own(size_t row) const { return thisIsLeft ? values.values[row].left : values.values[row].right; }
};

namespace {

enum NumericsColumn {
  kNumericsName,
  kNumericsShape,
  kNumericsAbsolute,
  kNumericsRelative,
  kNumericsShare,
  kNumericsSpecials,
  kNumericsMismatch,
  kNumericsColumns
};
constexpr int kNumericsId = Qt::UserRole + 2;

struct Way {
  enum class Kind : uint8_t { Backends, Precision, Document } kind = Kind::Backends;
  ElementType type = ElementType::F64;
};

Overlay errorsOf(const NumericsFound& found) {
  const MeasureInfo& info = infoOf(Measure::Error);
  Overlay out{.kind = info.kind, .unit = info.unit};
  for (size_t row = 0; row < found.values.values.size(); ++row)
    if (const double share = found.values.values[row].comparison.worstShare; share > 0)
      out.entries.push_back({found.own(row), {.value = share, .measured = true}});
  sortEntries(out);
  out.title = "numeric error, 1 is what is allowed";
  return out;
}

// The left side is the reference: of backends the evaluator, of precisions this graph, of documents the other one.
Result<std::shared_ptr<const NumericsFound>> numericsOf(const Module& module, std::optional<Module> other, Way way,
                                                        const ArgumentRules& rules) {
  const Diagnostics faults = verify(module);
  for (const Diagnostic& d : faults.items())
    if (d.severity == Severity::Error) return std::unexpected(d);
  auto out = std::make_shared<NumericsFound>();
  const bool versions = way.kind == Way::Kind::Document;
  Module left = versions ? *std::move(other) : module;
  TESSERA_ASSIGN_OR_RETURN(std::vector<Literal> arguments, argumentsBy(rules, left));
  TESSERA_ASSIGN_OR_RETURN(
      out->pair, comparedPair(std::move(left), versions ? std::optional(module) : std::nullopt,
                              way.kind == Way::Kind::Precision ? std::optional(way.type) : std::nullopt,
                              {way.kind == Way::Kind::Backends ? "evaluator" : "cpu", "cpu"}, std::move(arguments)));
  TESSERA_ASSIGN_OR_RETURN(out->values, compareValues(out->pair->left, out->pair->right, out->pair->pairs, {}));
  out->two = way.kind != Way::Kind::Backends;
  out->thisIsLeft = !versions;
  out->errors = errorsOf(*out);
  return std::shared_ptr<const NumericsFound>(out);
}

QString specialWords(const ComparedValue& value) {
  const auto words = [](const char* name, int64_t left, int64_t right) {
    return left + right > 0 ? QStringLiteral("%1 %2 | %3").arg(QLatin1String(name)).arg(left).arg(right) : QString();
  };
  const QString nans = words("NaN", value.leftNans, value.rightNans),
                infinities = words("Inf", value.leftInfinities, value.rightInfinities);
  return nans.isEmpty() || infinities.isEmpty() ? nans + infinities : nans + QStringLiteral(", ") + infinities;
}

}  // namespace

NumericsPanel::NumericsPanel(Document& document, QWidget* parent)
    : QWidget(parent), document_(document), table_(new QTreeWidget(this)) {
  pool_.setMaxThreadCount(1);
  table_->setRootIsDecorated(false);
  table_->setHeaderLabels({tr("Value"), tr("Shape"), tr("Largest error"), tr("relative"), tr("Of what is allowed"),
                           tr("NaN, infinities"), tr("First mismatch")});
  table_->setUniformRowHeights(true);
  table_->setAlternatingRowColors(true);
  table_->setAllColumnsShowFocus(true);
  table_->setSortingEnabled(true);
  setColumnLetters(*table_, std::array{30, 22, 14, 12, 18, 20, 60});
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->setSpacing(0);
  layout->addWidget(makeBar());
  layout->addWidget(words_);
  layout->addWidget(table_, 1);
  connect(table_, &QTreeWidget::itemSelectionChanged, this, &NumericsPanel::selectRow);
  connect(table_, &QTreeWidget::itemDoubleClicked, this, [this](const QTreeWidgetItem* item) {
    const InstructionId id(item->data(0, kNumericsId).toUInt());
    if (document_.module().contains(id)) emit revealWanted(id);
  });
  connect(&document_, &Document::moduleChanged, this, &NumericsPanel::forget);
  connect(&document_, &Document::opened, this, &NumericsPanel::forget);
  connect(&document_, &Document::selectionChanged, this, &NumericsPanel::showSelection);
  listChoices();
  forget();
}

NumericsPanel::~NumericsPanel() { pool_.waitForDone(); }

QWidget* NumericsPanel::makeBar() {
  auto* bar = new QWidget(this);
  auto* row = new QHBoxLayout(bar);
  row->setContentsMargins(4, 4, 4, 4);
  choice_ = new QComboBox(bar);
  choice_->setToolTip(tr("The other way to compute the same, on the same arguments"));
  compare_ = new QPushButton(tr("Compare"), bar);
  row->addWidget(choice_);
  row->addWidget(compare_);
  const auto button = [&](const QString& text, const QString& tip) {
    QToolButton* out = makeBarButton(bar, text, tip);
    row->addWidget(out);
    return out;
  };
  first_ =
      button(tr("First divergence"), tr("The first value that differs though all that it is computed from agrees"));
  special_ = button(tr("First NaN"), tr("The first value with a NaN or infinity that nothing before it has"));
  path_ = button(tr("Growth"), tr("Lights the path from the first divergence to the result"));
  path_->setCheckable(true);
  write_ = button(tr("Reproducer …"),
                  tr("Writes the smallest module that shows the difference, with its inputs and the command"));
  row->addStretch(1);
  words_ = new StatusLine(this);  // below the buttons, which leave it no room in a narrow window
  words_->setContentsMargins(8, 0, 8, 4);
  connect(compare_, &QPushButton::clicked, this, &NumericsPanel::compare);
  connect(first_, &QToolButton::clicked, this, &NumericsPanel::goToFirst);
  connect(special_, &QToolButton::clicked, this, [this] {
    const auto& values = found_->values;
    if (const auto at = values.firstNan ? values.firstNan : values.firstInfinity) emit revealWanted(found_->own(*at));
  });
  connect(path_, &QToolButton::toggled, this, &NumericsPanel::showPath);
  connect(write_, &QToolButton::clicked, this, &NumericsPanel::chooseFolder);
  return bar;
}

QString NumericsPanel::words() const { return words_->text(); }

void NumericsPanel::listChoices() {
  const QString shown = choice_->currentText();
  choice_->clear();
  choice_->addItem(tr("the CPU against the reference"), static_cast<int>(Way::Kind::Backends));
  for (const char* type : {"f64", "f32", "bf16", "f16"})
    choice_->addItem(tr("itself with floats as %1").arg(QLatin1String(type)), QLatin1String(type));
  if (others_)
    for (const auto& [name, document] : others_())
      choice_->addItem(name, QVariant::fromValue(QPointer<QObject>(document)));
  choice_->setCurrentIndex(std::max(0, choice_->findText(shown)));
}

void NumericsPanel::showEvent(QShowEvent* event) {
  QWidget::showEvent(event);
  listChoices();
}

void NumericsPanel::hideEvent(QHideEvent* event) {
  QWidget::hideEvent(event);
  path_->setChecked(false);
}

// --- comparing

void NumericsPanel::forget() {
  ++request_;
  found_.reset();
  table_->clear();
  path_->setChecked(false);
  for (QToolButton* each : {first_, special_, path_, write_}) each->setEnabled(false);
  compare_->setEnabled(document_.isOpen() && !document_.isPlainGraph());
  words_->setText(tr("Computes every value both ways and compares them"));
}

void NumericsPanel::compare() {
  if (!document_.isOpen() || document_.isPlainGraph()) return;
  forget();
  const QVariant chosen = choice_->currentData();
  Way way;
  std::optional<Module> other;
  if (chosen.typeId() == QMetaType::QString) {
    way = {Way::Kind::Precision, elementTypeFromName(chosen.toString().toStdString()).value_or(ElementType::F64)};
  } else if (auto* document = qobject_cast<Document*>(chosen.value<QPointer<QObject>>().data())) {
    way.kind = Way::Kind::Document;
    other = document->module();
  }
  auto rules = argumentRulesOf(document_.runSettings(), document_.filesOfRun());
  if (!rules) return words_->setText(QString::fromStdString(rules.error().toString()));
  rules->decodeImage = decodePicture;
  words_->setText(tr("comparing …"));
  compare_->setEnabled(false);
  ++busy_;
  pool_.start([this, request = request_, module = withoutMuted(document_.module(), document_.muted()),
               other = std::move(other), way, rules = *std::move(rules)]() mutable {
    auto made = std::make_shared<Result<std::shared_ptr<const NumericsFound>>>(
        numericsOf(module, std::move(other), way, rules));
    QMetaObject::invokeMethod(
        this,
        [this, request, made] {
          --busy_;
          if (request != request_) return;
          compare_->setEnabled(true);
          if (*made) return take(**made);
          words_->setText(QString::fromStdString(made->error().toString()));
        },
        Qt::QueuedConnection);
  });
}

void NumericsPanel::take(std::shared_ptr<const NumericsFound> found) {
  found_ = std::move(found);
  const ValueComparison& values = found_->values;
  first_->setEnabled(values.first.has_value());
  special_->setEnabled(values.firstNan || values.firstInfinity);
  path_->setEnabled(!values.path.empty());
  write_->setEnabled(values.differing > 0);
  QString words = tr("%L2 of %L1 values differ, the results are %3")
                      .arg(values.values.size())
                      .arg(values.differing)
                      .arg(values.resultsEqual ? tr("equal") : tr("different"));
  if (values.first) words += tr("; first: %1").arg(toQString(document_.module().at(found_->own(*values.first)).name));
  words_->setText(words);
  document_.measures().give(Measure::Error, std::make_shared<const Overlay>(found_->errors));
  fill();
}

void NumericsPanel::fill() {
  choosing_ = true;
  table_->setSortingEnabled(false);
  for (size_t row = 0; row < found_->values.values.size(); ++row) {
    const ComparedValue& value = found_->values.values[row];
    const InstructionId id = found_->own(row);
    if (!document_.module().contains(id)) continue;
    const Instruction& instruction = document_.module().at(id);
    auto* item = new NumberItem(table_);
    item->setText(kNumericsName, toQString(instruction.name));
    item->setText(kNumericsShape, QString::fromStdString(toString(*instruction.shape, false)));
    const auto number = [&](NumericsColumn column, double of) {
      item->setNumber(column, of, QString::number(of, 'g', 3));
    };
    number(kNumericsAbsolute, value.comparison.maxAbsError);
    number(kNumericsRelative, value.comparison.maxRelError);
    number(kNumericsShare, value.comparison.worstShare);
    item->setText(kNumericsSpecials, specialWords(value));
    if (!value.comparison.equal)
      item->setText(kNumericsMismatch, QString::fromStdString(value.comparison.firstMismatch));
    item->setToolTip(kNumericsMismatch, asPlainText(item->text(kNumericsMismatch)));
    item->setData(0, kNumericsId, id.value);
  }
  table_->setSortingEnabled(true);
  table_->sortByColumn(kNumericsShare, Qt::DescendingOrder);
  choosing_ = false;
  showSelection();
}

// --- where it is

void NumericsPanel::selectRow() {
  if (choosing_ || table_->selectedItems().isEmpty()) return;
  const InstructionId id(table_->selectedItems()[0]->data(0, kNumericsId).toUInt());
  choosing_ = true;
  if (document_.module().contains(id)) document_.select({id});
  choosing_ = false;
}

void NumericsPanel::showSelection() {
  if (choosing_) return;
  choosing_ = true;
  table_->clearSelection();
  const InstructionId selected = document_.selected();
  for (int row = 0; row < table_->topLevelItemCount() && selected.valid(); ++row) {
    QTreeWidgetItem* item = table_->topLevelItem(row);
    if (InstructionId(item->data(0, kNumericsId).toUInt()) != selected) continue;
    item->setSelected(true);
    table_->scrollToItem(item);
    break;
  }
  choosing_ = false;
}

void NumericsPanel::goToFirst() {
  if (found_ && found_->values.first) emit revealWanted(found_->own(*found_->values.first));
}

void NumericsPanel::showPath(bool shown) {
  if (!shown || !found_) return document_.view().light(std::nullopt);
  std::vector<InstructionId> path;
  for (size_t row : found_->values.path) path.push_back(found_->own(row));
  document_.view().light(std::move(path));
}

// --- the reproducer

void NumericsPanel::chooseFolder() {
  const QString folder = QFileDialog::getExistingDirectory(this, tr("The folder for the reproducer"));
  if (!folder.isEmpty()) writeTo(folder);
}

void NumericsPanel::writeTo(const QString& folder) {
  if (!found_) return;
  words_->setText(tr("looking for the smallest module …"));
  ++busy_;
  pool_.start([this, request = request_, found = found_, folder = folder.toStdString()] {
    const auto written = std::make_shared<Result<WrittenReproducer>>(
        writeReproducer(*found->pair, found->two, 0, BisectOptions(), folder));
    QMetaObject::invokeMethod(
        this,
        [this, request, written, folder] {
          --busy_;
          if (request != request_) return;
          if (!*written) return words_->setText(QString::fromStdString(written->error().toString()));
          words_->setText(tr("%L1 instructions in %2; run there: %3")
                              .arg((*written)->files[0].instructions)
                              .arg(QString::fromStdString(folder), QString::fromStdString((*written)->command)));
        },
        Qt::QueuedConnection);
  });
}

}  // namespace tessera
