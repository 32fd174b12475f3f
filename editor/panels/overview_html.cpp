// See overview_html.h. All that comes out of a file is escaped.
#include "editor/panels/overview_html.h"

#include <QStringList>
#include <algorithm>

#include "core/base/units.h"
#include "core/picture/picture.h"

namespace tessera {
namespace {

constexpr size_t kFirstFindings = 4;

QString escapedWord(const std::string& text) { return QString::fromStdString(text).toHtmlEscaped(); }

QString placeLink(const Module& module, InstructionId id, const QString& text) {
  return module.contains(id) ? QStringLiteral("<a href='instruction:%1'>%2</a>").arg(id.value).arg(text) : text;
}

QString factCell(const Module& module, const OverviewFact& fact) {
  QStringList items;
  for (const OverviewFact::Item& item : fact.items)
    items << placeLink(module, item.instruction, escapedWord(item.text));
  if (fact.more) items << QStringLiteral("…");
  return escapedWord(fact.text) + items.join(QStringLiteral(", "));
}

double bytesIn(const std::vector<Overview::Array>& arrays) {
  double out = 0;
  for (const Overview::Array& array : arrays) out += array.bytes;
  return out;
}

}  // namespace

QString factsHtml(const ModuleReport& report) {
  QString out =
      QStringLiteral("<p style='font-size:14pt;margin:0'>%1</p><p class='muted' style='margin:0 0 6px 0'>%2</p>")
          .arg(escapedWord(report.module.name), escapedWord(stageText(report.overview.stage)));
  out += QStringLiteral("<table>");
  for (const OverviewFact& fact : factsOf(report.overview))
    out += QStringLiteral(
               "<tr><td class='muted' style='padding:1px 10px 1px 0;white-space:nowrap'>%1</td><td>%2</td></tr>")
               .arg(escapedWord(fact.label), factCell(report.module, fact));
  return out + QStringLiteral("</table>");
}

QString numberOf(const Finding& finding) {
  const auto told = [](const std::string& number, const QString& how) {
    return QString::fromStdString(number) + QLatin1Char(' ') + how;
  };
  if (finding.timeNs > 0) return told(durationText(finding.timeNs), QObject::tr("measured"));
  const QString sign = finding.estimated ? QObject::tr("(estimated)") : QString();
  if (finding.bytes > 0) return told(bytesText(finding.bytes), sign).trimmed();
  if (finding.flops > 0) return told(amountText(finding.flops) + " flops", sign).trimmed();
  return sign;
}

QString findingsHtml(const ModuleReport& report) {
  const std::vector<Finding>& all = report.findings;
  if (all.empty()) return QStringLiteral("<p class='muted'>%1</p>").arg(QObject::tr("No findings."));
  QString out;
  for (size_t k = 0; k < std::min(all.size(), kFirstFindings); ++k) {
    const InstructionId place = all[k].instructions.front();
    out += QStringLiteral("<p style='margin:0 0 6px 0'>%1 <span class='muted'>%2</span><br>%3</p>")
               .arg(escapedWord(all[k].text), numberOf(all[k]).toHtmlEscaped(),
                    placeLink(report.module, place, escapedWord(placeText(report.module, place))));
  }
  if (all.size() <= kFirstFindings) return out;
  return out + QStringLiteral("<p style='margin:0'><a href='findings:'>%1</a></p>")
                   .arg(QObject::tr("All %L1 findings").arg(all.size()));
}

QString lineOf(const ModuleReport& report) {
  const Overview& overview = report.overview;
  const auto text = [](const std::string& words) { return QString::fromStdString(words); };
  QStringList out{text(report.module.name), text(stageText(overview.stage)),
                  overview.instructions == 1
                      ? QObject::tr("one instruction")
                      : QObject::tr("%1 instructions").arg(text(countText(overview.instructions)))};
  if (overview.parameters) out << QObject::tr("%1 parameters").arg(text(amountText(overview.parameters->elements)));
  out << QObject::tr("%1 flops").arg(text(amountText(overview.work.flops)));
  out << QObject::tr("%1 in, %2 out")
             .arg(text(bytesText(bytesIn(overview.inputs))), text(bytesText(bytesIn(overview.outputs))));
  if (!report.findings.empty())
    out << (report.findings.size() == 1 ? QObject::tr("one finding")
                                        : QObject::tr("%L1 findings").arg(report.findings.size()));
  return out.join(QStringLiteral(" · "));
}

}  // namespace tessera
