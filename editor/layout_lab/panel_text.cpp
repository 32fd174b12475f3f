// Text in and out of the layout panel's fields.
#include "editor/layout_lab/panel_text.h"

#include <QStringList>

namespace tessera {

QString describe(const Diagnostic& diagnostic) {
  QString out = QString::fromStdString(diagnostic.message);
  if (!diagnostic.expected.empty()) out += QStringLiteral(": expected ") + QString::fromStdString(diagnostic.expected);
  if (!diagnostic.found.empty())
    out += (diagnostic.expected.empty() ? QStringLiteral(": found ") : QStringLiteral(", found ")) +
           QString::fromStdString(diagnostic.found);
  if (diagnostic.position.column > 0) out += QStringLiteral(" (at character %1)").arg(diagnostic.position.column);
  return out;
}

QString leafTitle(const std::vector<int64_t>& index, const Shape& shape) {
  return QStringLiteral("{%1}  %2").arg(sizesText(index), QString::fromStdString(toString(shape, false)));
}

QString sizesText(const std::vector<int64_t>& sizes) {
  QStringList out;
  for (int64_t size : sizes) out << QString::number(size);
  return out.join(',');
}

namespace {

QString orderText(const Layout& layout) {
  const auto& order = layout.minorToMajor;
  if (order.size() == 1) return QStringLiteral("One dimension: memory follows it");
  QString out = QStringLiteral("minor_to_major {%1}: dimension %2 changes fastest").arg(sizesText(order)).arg(order[0]);
  for (size_t i = 1; i < order.size(); ++i) out += QStringLiteral(", then %1").arg(order[i]);
  return out;
}

QString paddingSentence(const LayoutModel& model) {
  QString out;
  if (const auto& padded = model.layout().paddedDimensions; !padded.empty())
    out += QStringLiteral("; in memory the dimensions have the sizes %1").arg(sizesText(padded));
  if (!model.layout().tiles.empty()) out += QStringLiteral("; whole tiles lie one after the other");
  return out;
}

QString contentsText(const LayoutModel& model) {
  constexpr int64_t most = 26;
  if (model.positions() > most || model.elementCount() > most || model.elementCount() == 0) return {};
  QString out;
  for (int64_t linear = 0; linear < model.positions(); ++linear) {
    const auto index = model.memory().index(linear);
    const std::string padding = model.paddingText().empty() ? "·" : model.paddingText();
    out += QStringLiteral(" ") + QString::fromStdString(index ? model.elementName(*index) : padding);
  }
  return QStringLiteral(". Memory holds") + out;
}

}  // namespace

QString layoutSentence(const LayoutModel& model) {
  if (model.rank() == 0) return QStringLiteral("Rank 0: one element, at the first byte");
  return orderText(model.layout()) + paddingSentence(model) + contentsText(model);
}

std::optional<std::vector<int64_t>> parseSizes(std::string_view text) {
  std::vector<int64_t> out;
  const QString all = QString::fromUtf8(text.data(), static_cast<qsizetype>(text.size())).trimmed();
  if (all.isEmpty()) return std::nullopt;
  for (const QString& part : all.split(',')) {
    bool ok = false;
    out.push_back(part.trimmed().toLongLong(&ok));
    if (!ok) return std::nullopt;
  }
  return out;
}

Result<std::vector<int64_t>> readPadding(const QString& text, const Shape& shape) {
  if (text.trimmed().isEmpty()) return std::vector<int64_t>{};
  const std::string wanted = "padded_dimensions: expected " + std::to_string(shape.rank()) + " sizes of at least " +
                             sizesText(shape.dimensions).toStdString() + ", found " + text.trimmed().toStdString();
  const auto sizes = parseSizes(text.toStdString());
  if (!sizes || sizes->size() != shape.dimensions.size()) return fail(wanted);
  for (size_t d = 0; d < sizes->size(); ++d)
    if ((*sizes)[d] < shape.dimensions[d]) return fail(wanted);
  return *sizes;
}

Result<std::optional<double>> readPaddingValue(const QString& text) {
  if (text.trimmed().isEmpty()) return std::optional<double>{};
  bool ok = false;
  const double value = text.trimmed().toDouble(&ok);
  if (!ok) return fail("padding_value: expected a number, inf or nan, found " + text.trimmed().toStdString());
  return std::optional(value);
}

}  // namespace tessera
