// See group_facts.h. Section by section, as a person asks.
#include "editor/panels/inspect/group_facts.h"

#include <QObject>
#include <algorithm>

#include "core/base/units.h"
#include "core/picture/picture.h"
#include "editor/look/type_scale.h"
#include "editor/text/html_text.h"

namespace tessera {
namespace {

constexpr size_t kTopGroupParts = 5, kMostGroupValues = 8;
constexpr size_t kLongestGroupShape = 60;

QString groupHeading(const QString& title) {
  return QStringLiteral("<p style='margin:10px 0 2px 0'><b>%1</b></p>").arg(title);
}

QString groupRow(const QString& key, const QString& value) {
  return QStringLiteral(
             "<tr><td class='muted' style='padding:1px 10px 1px 0; white-space:nowrap'>%1</td><td>%2</td></tr>")
      .arg(key, value);
}

QString groupInstructionLink(const Module& module, InstructionId id, const QString& text) {
  return module.contains(id) ? QStringLiteral("<a href='instruction:%1'>%2</a>").arg(id.value).arg(text) : text;
}

QString groupNameLink(const Module& module, InstructionId id) {
  return module.contains(id) ? groupInstructionLink(module, id, htmlText(module.at(id).name)) : QString();
}

double groupShare(double weight, double total) { return total > 0 ? weight / total : 0; }

QString weightText(const GroupSummary& summary, double weight) {
  const QString part = htmlText(percentText(groupShare(weight, summary.totalWeight)));
  return summary.measured ? QObject::tr("%1, %2 of the run").arg(htmlText(durationText(weight)), part)
                          : QObject::tr("%1 of the run (estimated)").arg(part);
}

QString workRows(const GroupSummary& summary) {
  QString out =
      groupRow(summary.measured ? QObject::tr("time") : QObject::tr("cost"), weightText(summary, summary.weight));
  out += groupRow(QObject::tr("flops"), htmlText(amountText(summary.cost.flops)));
  if (summary.cost.transcendentals > 0)
    out += groupRow(QObject::tr("transcendentals"), htmlText(amountText(summary.cost.transcendentals)));
  out += groupRow(QObject::tr("read and written"), htmlText(bytesText(summary.cost.bytesAccessed)));
  return out;
}

QString valuesSection(const Module& module, const QString& title, const std::vector<GroupSummary::Value>& values) {
  if (values.empty()) return {};
  double bytes = 0;
  QString rows;
  for (size_t k = 0; k < values.size(); ++k) {
    bytes += values[k].bytes;
    if (k >= kMostGroupValues || !module.contains(values[k].instruction)) continue;
    const Shape& shape = module.shapeOf(values[k].instruction);
    const std::string what =
        shape.isTuple() ? std::to_string(shape.elements.size()) + " elements" : toString(shape, false);
    rows +=
        QStringLiteral("<tr><td style='padding:1px 10px 1px 0'>%1</td><td>%2 <span class='muted'>%3</span></td></tr>")
            .arg(groupNameLink(module, values[k].instruction), htmlText(what.substr(0, kLongestGroupShape)),
                 htmlText(bytesText(values[k].bytes)));
  }
  if (values.size() > kMostGroupValues)
    rows += groupRow(QObject::tr("… and %L1 more").arg(values.size() - kMostGroupValues), QString());
  return groupHeading(QObject::tr("%1: %L2, %3").arg(title).arg(values.size()).arg(htmlText(bytesText(bytes)))) +
         QStringLiteral("<table>%1</table>").arg(rows);
}

QString partsSection(const Module& module, const GroupSummary& summary) {
  if (summary.parts.empty()) return {};
  const auto groups =
      static_cast<size_t>(std::ranges::count_if(summary.parts, [](const auto& part) { return !part.group.empty(); }));
  QString rows;
  for (size_t k = 0; k < std::min(summary.parts.size(), kTopGroupParts); ++k) {
    const GroupSummary::Part& part = summary.parts[k];
    if (part.weight <= 0) break;
    rows += QStringLiteral(
                "<tr><td align='right' style='padding:1px 10px 1px 0'>%1</td><td>%2 <span "
                "class='muted'>%3</span></td></tr>")
                .arg(htmlText(percentText(groupShare(part.weight, summary.weight))),
                     groupInstructionLink(module, part.instruction, htmlText(part.title)),
                     part.group.empty() && module.contains(part.instruction)
                         ? htmlText(module.at(part.instruction).name)
                         : QObject::tr("%L1 instructions").arg(part.instructions));
  }
  QString out = groupHeading(QObject::tr("Parts: %L1 (%L2 groups)").arg(summary.parts.size()).arg(groups));
  if (rows.isEmpty()) return out;
  return out + QStringLiteral("<p class='muted' style='margin:0'>%1</p><table>%2</table>")
                   .arg(QObject::tr("the costliest, of its own cost"), rows);
}

}  // namespace

QString groupFacts(const Module& module, const GroupSummary& summary) {
  QString out =
      QStringLiteral("<p style='font-size:%3;margin:0'>%1</p><p class='muted' style='margin:0 0 4px 0'>%2</p>")
          .arg(htmlText(summary.title), htmlText(summary.subtitle), pointsOf(TypeSize::Heading));
  out += QStringLiteral("<table>%1</table>").arg(workRows(summary));
  out += partsSection(module, summary);
  out += valuesSection(module, QObject::tr("Goes in"), summary.inputs);
  out += valuesSection(module, QObject::tr("Comes out"), summary.outputs);
  out += valuesSection(module, QObject::tr("Parameters"), summary.parameters);
  return out + QStringLiteral("<p class='muted' style='margin:10px 0 0 0'>%1</p>").arg(htmlText(summary.path));
}

}  // namespace tessera
