// Rows of the diagnostics table.
#include "editor/models/diagnostics_model.h"

#include <QFileInfo>
#include <QGuiApplication>
#include <QPalette>
#include <algorithm>

#include "core/ops/inference/unfinished.h"
#include "editor/text/error_label.h"
#include "editor/text/plain_text.h"

namespace tessera {
namespace {

enum Column { kSeverity, kInstruction, kMessage, kPlace, kColumns };

QString severityText(const Diagnostic& d) {
  if (isOpenPlace(d)) return QObject::tr("Open");
  switch (d.severity) {
    case Severity::Error: return QObject::tr("Error");
    case Severity::Warning: return QObject::tr("Warning");
    case Severity::Note: return QObject::tr("Note");
  }
  return {};
}

QString messageOf(const Diagnostic& d) {
  QString out = QString::fromStdString(d.message);
  if (!d.label.empty() && !isOpenPlace(d)) out += QStringLiteral(" [%1]").arg(QString::fromStdString(d.label));
  if (!d.expected.empty())
    out += QObject::tr(" (expected %1").arg(QString::fromStdString(d.expected)) +
           (d.found.empty() ? QStringLiteral(")") : QObject::tr(", found %1)").arg(QString::fromStdString(d.found)));
  return out;
}

// "before.hlo:12:3", as far as it is known.
QString placeOf(const Diagnostic& d) {
  const QString file = QFileInfo(QString::fromStdString(d.file)).fileName();
  if (!d.position.line) return file;
  const QString place = QStringLiteral("%1:%2").arg(d.position.line).arg(d.position.column);
  return file.isEmpty() ? place : file + QLatin1Char(':') + place;
}

QVariant textOf(const Diagnostic& d, int column) {
  switch (column) {
    case kSeverity: return severityText(d);
    case kInstruction: return QString::fromStdString(d.instructionName);
    case kMessage: return messageOf(d);
    case kPlace: return placeOf(d);
    default: return {};
  }
}

}  // namespace

bool isOpenPlace(const Diagnostic& d) { return d.label == kUnfinished; }

void DiagnosticsModel::setDiagnostics(std::vector<Diagnostic> diagnostics) {
  beginResetModel();
  diagnostics_ = std::move(diagnostics);
  endResetModel();
}

InstructionId DiagnosticsModel::instructionAt(int row) const {
  return row >= 0 && row < rowCount() ? diagnostics_[static_cast<size_t>(row)].instruction : InstructionId();
}

int DiagnosticsModel::rowOf(InstructionId id) const {
  const auto found = std::ranges::find(diagnostics_, id, &Diagnostic::instruction);
  return id.valid() && found != diagnostics_.end() ? static_cast<int>(found - diagnostics_.begin()) : -1;
}

int DiagnosticsModel::rowCount(const QModelIndex& parent) const {
  return parent.isValid() ? 0 : static_cast<int>(diagnostics_.size());
}
int DiagnosticsModel::columnCount(const QModelIndex& parent) const { return parent.isValid() ? 0 : kColumns; }

QVariant DiagnosticsModel::data(const QModelIndex& index, int role) const {
  if (!index.isValid()) return {};
  const Diagnostic& d = diagnostics_[static_cast<size_t>(index.row())];
  if (role == Qt::DisplayRole) return textOf(d, index.column());
  if (role == Qt::ToolTipRole) return asPlainText(QString::fromStdString(d.toString()));
  if (role == Qt::ForegroundRole && index.column() == kSeverity && d.severity == Severity::Error && !isOpenPlace(d))
    return errorColor(QGuiApplication::palette());
  return {};
}

QVariant DiagnosticsModel::headerData(int section, Qt::Orientation orientation, int role) const {
  if (orientation != Qt::Horizontal || role != Qt::DisplayRole) return {};
  const QString titles[] = {tr("Severity"), tr("Instruction"), tr("Message"), tr("In the file")};
  return titles[section];
}

}  // namespace tessera
