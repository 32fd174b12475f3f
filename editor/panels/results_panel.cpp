// The page of a RunOutcome.
#include "editor/panels/results_panel.h"

#include <QEvent>

#include "editor/document/document.h"
#include "editor/panels/instruction_facts.h"

namespace tessera {
namespace {

constexpr size_t kMostOutputs = 200;

QString bytesText(int64_t bytes) {
  const char* units[] = {"B", "KiB", "MiB", "GiB", "TiB"};
  auto value = static_cast<double>(bytes);
  int unit = 0;
  for (; value >= 1024 && unit < 4; ++unit) value /= 1024;
  return QStringLiteral("%1 %2").arg(value, 0, 'f', unit == 0 ? 0 : 1).arg(QLatin1String(units[unit]));
}

QString argumentsText(const RunOutcome& outcome) {
  if (outcome.arguments == 0) return QObject::tr("no arguments");
  if (outcome.argumentsFromFile == 0) return QObject::tr("%1 arguments by the fill rule").arg(outcome.arguments);
  return QObject::tr("%1 of %2 arguments from inputs.npz").arg(outcome.argumentsFromFile).arg(outcome.arguments);
}

QString outputRow(size_t number, const Literal& value, const QString& text) {
  return QStringLiteral("<tr><td style='padding:3px 14px 3px 0'>%1</td><td style='padding:3px 14px 3px 0'><code>%2</code></td>"
                        "<td style='padding:3px 0'><code>%3</code></td></tr>")
      .arg(number)
      .arg(QString::fromStdString(toString(value.shape(), false)).left(120).toHtmlEscaped(),
           text.toHtmlEscaped().replace(QLatin1Char('\n'), QStringLiteral("<br>")));
}

}  // namespace

ResultsPanel::ResultsPanel(Document& document, QWidget* parent) : QTextBrowser(parent), source_(document) {
  connect(&source_, &Document::outcomeChanged, this, &ResultsPanel::show);
  show();
}

void ResultsPanel::changeEvent(QEvent* event) {
  QTextBrowser::changeEvent(event);
  if (event->type() == QEvent::PaletteChange) show();
}

void ResultsPanel::show() {
  document()->setDefaultStyleSheet(factsStyle(palette()));
  const auto& outcome = source_.outcome();
  if (!outcome) {
    setHtml(QStringLiteral("<p class='muted'>%1</p>").arg(tr("Run the graph (F5) to see its outputs here.")));
    return;
  }
  QString html = QStringLiteral("<p><b>%1</b> a run · compiled in %2 ms · peak memory %3 · %4</p><table>")
                     .arg(QString::fromStdString(durationText(outcome->runMs * 1e6)))
                     .arg(outcome->compileMs, 0, 'f', 1)
                     .arg(bytesText(outcome->peakBytes), argumentsText(*outcome));
  const size_t shown = std::min(outcome->outputs.size(), kMostOutputs);
  for (size_t i = 0; i < shown; ++i) html += outputRow(i, outcome->outputs[i], outcome->outputTexts[i]);
  html += QStringLiteral("</table>");
  if (shown < outcome->outputs.size()) html += tr("<p>… and %1 more outputs</p>").arg(outcome->outputs.size() - shown);
  setHtml(html);
}

}  // namespace tessera
