// A RunOutcome as a line and a table.
#include "editor/panels/run/results_panel.h"

#include <QHeaderView>
#include <QLabel>
#include <QTreeView>
#include <QVBoxLayout>
#include <algorithm>

#include "core/base/units.h"
#include "editor/document/document.h"
#include "editor/models/outputs_model.h"
#include "editor/panels/popups/row_menu.h"
#include "editor/text/plain_text.h"

namespace tessera {
namespace {

QString argumentsText(const RunOutcome& outcome) {
  if (outcome.arguments == 0) return QObject::tr("no arguments");
  const size_t others = outcome.arguments - outcome.argumentsChosen - outcome.argumentsFromFile;
  if (others == outcome.arguments) return QObject::tr("default values for %1 arguments").arg(outcome.arguments);
  QStringList out;
  if (outcome.argumentsChosen) out << QObject::tr("%1 chosen").arg(outcome.argumentsChosen);
  if (outcome.argumentsFromFile) out << QObject::tr("%1 from inputs.npz").arg(outcome.argumentsFromFile);
  if (others) out << QObject::tr("%1 with default values").arg(others);
  return QObject::tr("arguments: %1").arg(out.join(QStringLiteral(", ")));
}

QString leftOutText(const RunOutcome& outcome) {
  if (outcome.leftOut.empty()) return {};
  constexpr size_t kMaxNamed = 4;
  QStringList names;
  for (size_t k = 0; k < std::min(outcome.leftOut.size(), kMaxNamed); ++k)
    names << QString::fromStdString(outcome.leftOut[k]);
  if (outcome.leftOut.size() > kMaxNamed) names << QStringLiteral("…");
  return QObject::tr("\nThe complete part ran. Not finished yet: %1").arg(names.join(QStringLiteral(", ")));
}

QString summaryOf(const RunOutcome& outcome) {
  const QString runs =
      outcome.runs > 1 ? QObject::tr("the median of %1 runs").arg(outcome.runs) : QObject::tr("one run");
  return QObject::tr("%1, %2 · compiled in %3 ms · peak memory %4 · %5")
             .arg(QString::fromStdString(durationText(outcome.runMs * 1e6)), runs)
             .arg(outcome.compileMs, 0, 'f', 1)
             .arg(QString::fromStdString(bytesText(static_cast<double>(outcome.peakBytes))), argumentsText(outcome)) +
         QStringLiteral(" · ") + outcome.counters + leftOutText(outcome);
}

}  // namespace

ResultsPanel::ResultsPanel(Document& document, QWidget* parent)
    : QWidget(parent),
      document_(document),
      summary_(new PlainLabel(this)),
      table_(new QTreeView(this)),
      model_(new OutputsModel(this)) {
  summary_->setContentsMargins(8, 4, 8, 4);
  summary_->setWordWrap(true);
  table_->setModel(model_);
  table_->setRootIsDecorated(false);
  table_->setUniformRowHeights(true);
  addRowMenu(*table_);
  table_->setAlternatingRowColors(true);
  const int em = table_->fontMetrics().averageCharWidth();
  table_->setColumnWidth(OutputsModel::kNumber, 12 * em);
  table_->setColumnWidth(OutputsModel::kShape, 26 * em);
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->setSpacing(0);
  layout->addWidget(summary_);
  layout->addWidget(table_, 1);
  connect(&document_.run(), &ProgramRun::outcomeChanged, this, &ResultsPanel::show);
  show();
}

QString ResultsPanel::summary() const { return summary_->text(); }

void ResultsPanel::show() {
  const auto& outcome = document_.run().outcome();
  std::vector<Shape> shapes;
  if (outcome)
    for (const Literal& output : outcome->outputs) shapes.push_back(output.shape());
  std::vector<QString> names;
  if (outcome)
    for (const std::string& name : outcome->names) names.push_back(QString::fromStdString(name));
  model_->setOutputs(std::move(shapes), outcome ? outcome->outputTexts : std::vector<QString>(), std::move(names));
  summary_->setText(outcome ? summaryOf(*outcome) : tr("Run the graph (F5) to see its outputs here."));
  summary_->setEnabled(outcome.has_value());
}

}  // namespace tessera
