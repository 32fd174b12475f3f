// See overview_html.h. All that comes out of a file is escaped.
#include "editor/panels/overview/overview_html.h"

#include <QStringList>
#include <algorithm>

#include "core/arrange/scopes.h"
#include "core/base/units.h"
#include "core/picture/picture.h"
#include "editor/look/type_scale.h"
#include "editor/text/html_text.h"

namespace tessera {
namespace {

constexpr size_t kFirstFindings = 4;

QString overviewLink(const Module& module, InstructionId id, const QString& text) {
  return module.contains(id) ? QStringLiteral("<a href='instruction:%1'>%2</a>").arg(id.value).arg(text) : text;
}

// Mostly an accident, and slow.
bool isDouble(const std::string& type) { return type.ends_with("f64") || type.ends_with("c128"); }

QString factItem(const OverviewFact& fact, const OverviewFact::Item& item) {
  const QString text = htmlText(shownText(item.text));
  return fact.label == "types" && isDouble(item.text) ? QStringLiteral("<b class='error'>%1 !</b>").arg(text) : text;
}

QString factCell(const Module& module, const OverviewFact& fact) {
  QStringList items;
  for (const OverviewFact::Item& item : fact.items)
    items << overviewLink(module, item.instruction, factItem(fact, item));
  if (fact.more) items << QStringLiteral("…");
  return htmlText(fact.text) + items.join(QStringLiteral(", "));
}

double bytesOfArrays(const std::vector<Overview::Array>& arrays) {
  double out = 0;
  for (const Overview::Array& array : arrays) out += array.bytes;
  return out;
}

}  // namespace

QString factsHtml(const ModuleReport& report) {
  QString out =
      QStringLiteral("<p style='font-size:%3;margin:0'>%1</p><p class='muted' style='margin:0 0 4px 0'>%2</p>")
          .arg(htmlText(report.module.name), htmlText(stageText(report.overview.stage)), pointsOf(TypeSize::Heading));
  out += QStringLiteral("<table>");
  std::vector<OverviewFact> facts = factsOf(report.overview);
  const auto way = hottestScope(report.families);
  if (!way.empty()) facts.push_back({"hottest scope", "", {{hottestText(report.families), way.back()->instruction}}});
  for (const OverviewFact& fact : facts)
    out += QStringLiteral(
               "<tr><td class='muted' style='padding:1px 10px 1px 0;white-space:nowrap'>%1</td><td>%2</td></tr>")
               .arg(htmlText(fact.label), factCell(report.module, fact));
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

namespace {

// Where its text has not said it.
QString numberBehind(const Finding& finding) {
  const QString number = numberOf(finding), alone = number.section(QStringLiteral(" ("), 0, 0);
  const bool isSaid = !alone.isEmpty() && QString::fromStdString(finding.text).contains(alone);
  return isSaid && finding.timeNs == 0 ? number.mid(alone.size()).trimmed() : number;
}

// A link to the place, and the scope that it is in.
QString placeInScope(const ModuleReport& report, InstructionId id) {
  const Metadata* metadata = report.module.at(id).metadata;
  const std::string scope = metadata ? placeNameOf(report.module, *metadata) : std::string();
  const QString link = overviewLink(report.module, id, htmlText(placeText(report.module, id)));
  return scope.empty() ? link : link + QStringLiteral(" · ") + htmlText(scope);
}

}  // namespace

QString findingsHtml(const ModuleReport& report) {
  const std::vector<Finding>& all = report.findings;
  if (all.empty()) return QStringLiteral("<p class='muted'>%1</p>").arg(QObject::tr("No findings."));
  QString out;
  for (size_t k = 0; k < std::min(all.size(), kFirstFindings); ++k) {
    const InstructionId place = all[k].instructions.front();
    out += QStringLiteral("<p style='margin:0 0 6px 0'>%1 <span class='muted'>%2</span><br>%3</p>")
               .arg(htmlText(all[k].text), numberBehind(all[k]).toHtmlEscaped(), placeInScope(report, place));
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
             .arg(text(bytesText(bytesOfArrays(overview.inputs))), text(bytesText(bytesOfArrays(overview.outputs))));
  if (!report.findings.empty())
    out << (report.findings.size() == 1 ? QObject::tr("one finding")
                                        : QObject::tr("%L1 findings").arg(report.findings.size()));
  return out.join(QStringLiteral(" · "));
}

}  // namespace tessera
