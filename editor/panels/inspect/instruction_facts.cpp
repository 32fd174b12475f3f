// The inspector's page, section by section.
#include "editor/panels/inspect/instruction_facts.h"

#include <QObject>
#include <QPalette>
#include <QStringList>
#include <algorithm>

#include "core/arrange/arrangement.h"
#include "core/arrange/source_functions.h"
#include "core/base/units.h"
#include "core/edit/wiring/initial_value.h"
#include "core/formats/hlo_text.h"
#include "core/hlo/memory_map.h"
#include "core/hlo/source_frames.h"
#include "core/ops/inference/unfinished.h"
#include "core/ops/op.h"
#include "core/ops/shared/dimension_reasons.h"
#include "core/overview/workload.h"
#include "core/picture/picture.h"
#include "core/profile/op_tree.h"
#include "core/tools/passes/why.h"
#include "editor/look/type_scale.h"
#include "editor/text/error_label.h"
#include "editor/text/html_text.h"
#include "editor/text/unit_words.h"

namespace tessera {
namespace {

constexpr size_t kMaxLinks = 40;
constexpr qsizetype kMaxValue = 400;
constexpr size_t kMaxShape = 2000;

QString code(std::string_view text) { return QStringLiteral("<code>%1</code>").arg(htmlText(text)); }
QString heading(const QString& title) {
  return QStringLiteral("<p style='margin:10px 0 2px 0'><b>%1</b></p>").arg(title);
}
QString factRow(const QString& key, const QString& value) {
  return QStringLiteral("<tr><td style='padding:1px 10px 1px 0; white-space:nowrap'>%1</td><td>%2</td></tr>")
      .arg(key, value);
}
QString table(const QString& rows) {
  return rows.isEmpty() ? QString() : QStringLiteral("<table>%1</table>").arg(rows);
}

QString link(const Module& module, InstructionId id) {
  if (!module.contains(id)) return QStringLiteral("<span class='muted'>%1</span>").arg(QObject::tr("open"));
  const Instruction& i = module.at(id);
  return QStringLiteral("<a href='instruction:%1'>%2</a> <span class='muted'>%3</span>")
      .arg(id.value)
      .arg(htmlText(i.name), htmlText(toString(*i.shape, false).substr(0, 80)));
}

QString links(const Module& module, std::span<const InstructionId> ids) {
  QString rows;
  for (size_t i = 0; i < ids.size() && i < kMaxLinks; ++i) rows += factRow(QString::number(i), link(module, ids[i]));
  if (ids.size() > kMaxLinks) rows += factRow(QString(), QObject::tr("… and %1 more").arg(ids.size() - kMaxLinks));
  return table(rows);
}

QString shapeSection(const Module& module, const Instruction& i, const QString& dimensions) {
  if (lacksShape(module, i.id))
    return heading(QObject::tr("Result")) + table(factRow(QObject::tr("shape"), QObject::tr("not known yet")));
  QString rows = factRow(QObject::tr("shape"), code(toString(*i.shape).substr(0, kMaxShape)));
  if (i.shape->isArray()) {
    if (const auto count = i.shape->elementCount()) rows += factRow(QObject::tr("elements"), QString::number(*count));
    const auto bytes = i.shape->denseBytes();
    if (bytes) rows += factRow(QObject::tr("bytes"), QString::number(*bytes));
    // Tiles and padding take more, packed elements less.
    if (const auto map = MemoryMap::of(*i.shape); map && bytes && map->bytes() != *bytes)
      rows += factRow(QObject::tr("bytes in memory"),
                      QObject::tr("%1, of which %2 padding").arg(map->bytes()).arg(map->wasteBytes()));
  }
  if (!dimensions.isEmpty()) rows += factRow(QObject::tr("dimensions"), dimensions);
  QString out = heading(QObject::tr("Result")) + table(rows);
  const std::vector<std::string> reasons = dimensionReasons(module, i.id);
  if (reasons.empty()) return out;
  QString why;
  for (size_t d = 0; d < reasons.size(); ++d) why += factRow(QString::number(d), htmlText(reasons[d]));
  return out + heading(QObject::tr("Why these dimensions")) + table(why);
}

// The form above the page has a field for each of the op's own rows.
bool hasField(Opcode opcode, Attr name) {
  return std::ranges::any_of(attributeRowsOf(opcode), [&](const AttributeRow& row) { return row.name == name; });
}

QString attributeSection(const Module& module, const Instruction& i) {
  QString rows;
  if (i.parameterNumber >= 0) rows += factRow(QObject::tr("number"), QString::number(i.parameterNumber));
  for (const Attribute& a : i.attributes->items()) {
    if (hasField(i.opcode, a.name)) continue;
    const std::string value = printAttributeValue(module, a.value, kindOf(a.name));
    QString shown = QString::fromStdString(value);
    if (shown.size() > kMaxValue) shown = shown.left(kMaxValue) + QStringLiteral(" …");
    rows += factRow(htmlText(nameOf(a.name)), QStringLiteral("<code>%1</code>").arg(shown.toHtmlEscaped()));
  }
  for (const UnknownAttribute& a : i.attributes->unknown)
    rows += factRow(htmlText(a.name), code(std::string_view(a.value.text).substr(0, static_cast<size_t>(kMaxValue))));
  return rows.isEmpty() ? rows : heading(QObject::tr("Further attributes")) + table(rows);
}

QString calleeSection(const Module& module, const Instruction& i) {
  QString rows;
  for (ComputationId c : module.callees(i))
    rows += factRow(QObject::tr("calls"),
                    QStringLiteral("<a href='computation:%1'>%2</a>").arg(c.value).arg(htmlText(module.at(c).name)));
  return rows.isEmpty() ? rows : heading(QObject::tr("Computations")) + table(rows);
}

// The frames of the call stack, innermost first, each a link to its line.
QString sourceRows(const Module& module, const Metadata& m) {
  constexpr size_t kMostFrames = 8;
  QString rows;
  const std::vector<SourceFrame> frames = sourceFrames(module, m);
  for (size_t k = 0; k < std::min(frames.size(), kMostFrames); ++k) {
    const SourceFrame& frame = frames[k];
    if (frame.file.empty()) continue;
    QString place = QStringLiteral("<a href='source:'>%1:%2</a>").arg(htmlText(frame.file)).arg(frame.line);
    if (!frame.function.empty()) place += QObject::tr(" in %1").arg(htmlText(frame.function));
    rows += factRow(k == 0 ? QObject::tr("source") : QString(), place);
  }
  if (frames.size() > kMostFrames) rows += factRow({}, QObject::tr("… and %1 more").arg(frames.size() - kMostFrames));
  return rows;
}

QString metadataSection(const Module& module, const Instruction& i) {
  if (!i.metadata) return {};
  const Metadata& m = *i.metadata;
  QString rows;
  if (!m.opType.empty()) rows += factRow(QStringLiteral("op_type"), htmlText(m.opType));
  if (!m.opName.empty()) rows += factRow(QStringLiteral("op_name"), htmlText(m.opName));
  const QString source = sourceRows(module, m);
  rows += source;
  if (m.stackFrameId && source.isEmpty()) rows += factRow(QObject::tr("stack frame"), QString::number(m.stackFrameId));
  return rows.isEmpty() ? rows : heading(QObject::tr("Metadata")) + table(rows);
}

// The page is the instruction's; lines of the file are not those of the text panel.
Diagnostic withoutPlace(Diagnostic d) {
  d.file.clear();
  d.position = {};
  return d;
}

}  // namespace

QString factsOf(const Module& module, InstructionId id, std::span<const InstructionId> users,
                std::span<const Diagnostic> diagnostics, const QString& dimensions) {
  const Instruction& i = module.at(id);
  QString out = QStringLiteral("<p style='font-size:%4;margin:0'>%1</p><p style='margin:0'>%2 in %3</p>")
                    .arg(htmlText(titleOf(module, id)), code(i.name), code(module.at(i.computation).name),
                         pointsOf(TypeSize::Heading));
  const OpDef* op = findOp(i.opcode);
  if (op) out += QStringLiteral("<p class='muted' style='margin:4px 0'>%1</p>").arg(htmlText(op->summary));
  // Attributes follow from the inputs: while one is open, that alone is to be done.
  const bool open = std::ranges::any_of(i.operands, [](InstructionId operand) { return !operand.valid(); });
  for (const Diagnostic& d : diagnostics)
    if (d.instruction == id && d.label == kUnfinished && open &&
        d.message.find("lacks the attribute") != std::string::npos)
      continue;
    else if (d.instruction == id && d.label == kUnfinished)
      out += QStringLiteral("<p class='muted' style='margin:4px 0'>%1</p>").arg(htmlText(d.message));
    else if (d.instruction == id)
      out += QStringLiteral("<p class='error' style='margin:4px 0'>%1</p>").arg(htmlText(withoutPlace(d).toString()));
  out += shapeSection(module, i, dimensions);
  if (!i.operands.empty()) out += heading(QObject::tr("Operands")) + links(module, i.operands);
  if (!users.empty()) out += heading(QObject::tr("Users")) + links(module, users);
  out += attributeSection(module, i) + calleeSection(module, i) + metadataSection(module, i);
  if (!i.note.empty()) out += heading(QObject::tr("Note")) + htmlText(i.note);
  return out;
}

namespace {

// null: it is not known, or not measured as one.
const OpUnit* unitOf(const OpTimes* times, InstructionId id) {
  if (!times) return nullptr;
  const auto unit = std::ranges::find(times->units, id, [](const OpUnit& each) { return each.facts.instruction; });
  return unit != times->units.end() && unit->measured ? &*unit : nullptr;
}

// What a time is, beside which the spread begins with a median.
QString kindOfTime(bool measured, const OpTimes* times, const OpUnit* unit) {
  if (!measured) return QObject::tr(" (its part of a step, estimated)");
  if (!unit || unit->medianNs <= 0) return {};
  return times->runs > 0 ? QObject::tr(" (the mean of the steps)") : QObject::tr(" (all that was recorded)");
}

// As the profile table's.
QString spreadRow(const OpTimes& times, const OpUnit& unit) {
  const std::string spread = spreadText(unit.lowNs, unit.medianNs, unit.highNs);
  if (spread.empty()) return {};
  return factRow(times.spreadOf == "run" ? QObject::tr("each run") : QObject::tr("each execution"),
                 QString::fromStdString(spread));
}

QString roofRows(const OpUnit* unit) {
  if (!unit || unit->selfNs <= 0) return {};
  if (unit->bound == BoundBy::Unknown)
    return factRow(QObject::tr("of attainable"),
                   QStringLiteral("<a href='peaks:'>%1</a>").arg(QObject::tr("measure this machine")));
  QString rows;
  if (unit->attainableNs > 0)
    rows += factRow(QObject::tr("of attainable"), toQString(percentText(unit->attainableNs / unit->selfNs)));
  return rows + factRow(QObject::tr("bound by"), toQString(nameOf(unit->bound)));
}

}  // namespace

QString runFactsOf(const Profile& profile, const OpTimes* times, InstructionId id) {
  const auto found = std::ranges::lower_bound(profile.sources, id, {}, &SourceProfile::instruction);
  if (found == profile.sources.end() || found->instruction != id || found->timeNs <= 0) return {};
  double total = 0;
  for (const SourceProfile& each : profile.sources) total += each.timeNs;
  const auto word = [](const std::string& text) { return QString::fromStdString(text); };
  const double runs = static_cast<double>(std::max<int64_t>(profile.runs, 1));
  const OpUnit* unit = found->measured ? unitOf(times, id) : nullptr;
  QString rows =
      factRow(QObject::tr("time"), word(durationText(found->timeNs / runs)) + kindOfTime(found->measured, times, unit));
  if (unit) rows += spreadRow(*times, *unit);
  rows += factRow(QObject::tr("share"), word(percentText(found->timeNs / total)));
  if (!found->measured) return heading(QObject::tr("This run")) + table(rows);  // a share of a step has no rate
  if (found->bytes > 0)
    rows +=
        factRow(QObject::tr("memory"), QObject::tr("%1/s").arg(word(bytesText(found->bytes / found->timeNs * 1e9))));
  if (found->flops > 0)
    rows +=
        factRow(QObject::tr("arithmetic"),
                QObject::tr("%1flops/s").arg(word(amountText(found->flops / found->timeNs * 1e9)) + QLatin1Char(' ')));
  return heading(QObject::tr("This run")) + table(rows + roofRows(unit));
}

namespace {

// Of a library that was installed, not of the program.
bool isOfLibrary(std::string_view file) {
  return file.find("site-packages/") != file.npos || file.find("dist-packages/") != file.npos;
}

QString placeOf(const SourceFrame& frame) {
  const std::string_view file(frame.file);
  const QString place = QStringLiteral("<a href='source:'>%1:%2</a>")
                            .arg(htmlText(file.substr(file.find_last_of("/\\") + 1)))
                            .arg(frame.line);
  const std::string function = shortFunctionName(frame.function);
  return function.empty() ? place : QObject::tr("%1 in %2").arg(place, htmlText(function));
}

}  // namespace

QString sourceFactsOf(const Module& module, InstructionId id) {
  const Instruction& i = module.at(id);
  if (!i.metadata) return {};
  std::vector<SourceFrame> frames = sourceFrames(module, *i.metadata);
  std::erase_if(frames, [](const SourceFrame& frame) { return frame.file.empty(); });
  if (frames.empty()) return {};
  QString rows = factRow(QObject::tr("source"), placeOf(frames[0]));
  const auto own = std::ranges::find_if_not(frames, isOfLibrary, &SourceFrame::file);
  if (own != frames.begin() && own != frames.end()) rows += factRow(QObject::tr("called from"), placeOf(*own));
  return table(rows);
}

QString whyFactsOf(const Module& module, InstructionId id) {
  if (!stageOf(module).optimised) return {};
  const auto why = whyHere(module, id);
  if (!why) return {};
  const QString answer = (why->known ? QString() : QObject::tr("Inferred: ")) + htmlText(why->answer);
  QString links;  // words below their link: beside it a narrow panel has no room for them
  for (const WhyLink& each : why->chain)
    links +=
        QStringLiteral("<p style='margin:4px 0 0 8px'>%1<br>%2</p>").arg(link(module, each.id), htmlText(each.words));
  const QString moves = QObject::tr("It moves %1 each time.").arg(QString::fromStdString(bytesText(why->bytes)));
  return heading(QObject::tr("Why it is here")) + QStringLiteral("<p style='margin:0'>%1</p>").arg(answer) + links +
         QStringLiteral("<p style='margin:4px 0 0 0'>%1</p>").arg(moves);
}

QString factsStyle(const QPalette& palette) {
  return QStringLiteral("a { color: %1 } .muted { color: %2 } .error { color: %3 }")
      .arg(palette.color(QPalette::Link).name(), palette.color(QPalette::PlaceholderText).name(),
           errorColor(palette).name());
}

QString tooltipOf(const Module& module, InstructionId id, const QString& dimensions) {
  if (!module.contains(id)) return {};
  const Instruction& i = module.at(id);
  QStringList lines{QStringLiteral("<b>%1</b>").arg(htmlText(titleOf(module, id))), code(i.name),
                    code(toString(*i.shape).substr(0, 200))};
  if (!dimensions.isEmpty()) lines << dimensions;
  if (i.metadata && !i.metadata->opName.empty()) lines << htmlText(i.metadata->opName);
  if (i.metadata && !i.metadata->sourceFile.empty())
    lines << htmlText(i.metadata->sourceFile) + QStringLiteral(":%1").arg(i.metadata->sourceLine);
  constexpr size_t kMaxReasons = 8;
  const std::vector<std::string> reasons = dimensionReasons(module, id);
  for (size_t d = 0; d < std::min(reasons.size(), kMaxReasons); ++d) lines << htmlText(reasons[d]);
  if (const auto warning = initialValueWarning(module, id)) lines << htmlText(*warning);
  return lines.join(QStringLiteral("<br>"));
}

}  // namespace tessera
