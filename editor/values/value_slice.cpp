// Index maths of a plane, statistics and comparison.
#include "editor/values/value_slice.h"

#include <QObject>
#include <QStringList>
#include <algorithm>
#include <cmath>

#include "core/formats/hlo_text.h"
#include "core/hlo/numbers.h"

namespace tessera {
namespace {

const std::byte* bytesAt(const Literal& value, int64_t index) {
  return value.bytes().data() + static_cast<size_t>(index) * static_cast<size_t>(byteWidth(value.shape().type));
}

QString indexText(const Shape& shape, int64_t linear) {
  QStringList out;
  for (size_t d = shape.dimensions.size(); d-- > 0;) {
    out.prepend(QString::number(linear % shape.dimensions[d]));
    linear /= shape.dimensions[d];
  }
  return QLatin1Char('[') + out.join(QLatin1Char(',')) + QLatin1Char(']');
}

QString sixDigits(double value) { return QString::number(value, 'g', 6); }

}  // namespace

int64_t ValueSlice::rows() const {
  if (!isArray()) return 0;
  const auto& sizes = value_.shape().dimensions;
  return sizes.empty() ? 1 : sizes.size() == 1 ? sizes[0] : sizes[sizes.size() - 2];
}

int64_t ValueSlice::columns() const {
  if (!isArray()) return 0;
  const auto& sizes = value_.shape().dimensions;
  return sizes.size() < 2 ? 1 : sizes.back();
}

size_t ValueSlice::chosenDimensions() const {
  return isArray() && value_.shape().dimensions.size() > 2 ? value_.shape().dimensions.size() - 2 : 0;
}

void ValueSlice::setIndices(std::vector<int64_t> indices) {
  indices.resize(chosenDimensions(), 0);
  offset_ = 0;
  for (size_t d = 0; d < indices.size(); ++d) {
    const int64_t size = value_.shape().dimensions[d];
    indices[d] = std::clamp<int64_t>(indices[d], 0, std::max<int64_t>(size - 1, 0));
    offset_ = offset_ * size + indices[d];
  }
  offset_ *= rows() * columns();
  indices_ = std::move(indices);
}

int64_t ValueSlice::linear(int64_t row, int64_t column) const { return offset_ + row * columns() + column; }

double ValueSlice::number(int64_t row, int64_t column) const { return numberAt(value_, linear(row, column)); }

QString ValueSlice::text(int64_t row, int64_t column) const {
  const ElementType type = value_.shape().type;
  const std::byte* at = bytesAt(value_, linear(row, column));
  if (type == ElementType::Pred) return loadInt(type, at) ? QStringLiteral("true") : QStringLiteral("false");
  if (isInteger(type))
    return isSigned(type) ? QString::number(loadInt(type, at))
                          : QString::number(static_cast<quint64>(loadInt(type, at)));
  if (isComplex(type)) {
    const auto element = loadComplex(type, at);
    return QStringLiteral("%1 %2 %3i")
        .arg(QString::number(element.real(), 'g', 7), element.imag() < 0 ? QStringLiteral("−") : QStringLiteral("+"),
             QString::number(std::abs(element.imag()), 'g', 7));
  }
  const double value = loadDouble(type, at);
  if (std::isnan(value)) return QStringLiteral("NaN");
  if (std::isinf(value)) return value > 0 ? QStringLiteral("inf") : QStringLiteral("-inf");
  return QString::number(value, 'g', type == ElementType::F64 ? 15 : byteWidth(type) >= 4 ? 8 : 5);
}

QString ValueSlice::csv() const {
  QString out;
  for (int64_t r = 0; r < rows(); ++r) {
    for (int64_t c = 0; c < columns(); ++c)
      out += (c ? QStringLiteral(",") : QString()) + text(r, c).remove(QLatin1Char(' '));
    out += QLatin1Char('\n');
  }
  return out;
}

QString summaryText(const Literal& value) {
  if (!value.shape().isArray()) return QString::fromStdString(toString(value.shape(), false));
  const ValueSummary s = summaryOf(value);
  if (s.count == 0) return QObject::tr("no elements");
  QStringList parts;
  if (s.count > 1) parts << QObject::tr("%L1 elements").arg(s.count);
  if (s.anyFinite && s.count > 1)
    parts << QObject::tr("min %1").arg(sixDigits(s.least)) << QObject::tr("max %1").arg(sixDigits(s.most))
          << QObject::tr("mean %1").arg(sixDigits(s.mean)) << QObject::tr("σ %1").arg(sixDigits(s.deviation));
  if (s.count > 1 || s.nans) parts << QObject::tr("%L1 NaN").arg(s.nans);
  if (s.infinities) parts << QObject::tr("%L1 infinite").arg(s.infinities);
  if (s.count > 1) parts << QObject::tr("%L1 zero").arg(s.zeros);
  return parts.join(QStringLiteral(" · "));
}

std::vector<int64_t> countsOf(const Literal& value, const ValueSummary& summary, int bars) {
  std::vector<int64_t> out(static_cast<size_t>(bars), 0);
  const double span = summary.most - summary.least;
  for (int64_t i = 0; i < value.elementCount(); ++i) {
    const double element = numberAt(value, i);
    if (!std::isfinite(element)) continue;
    const double part = span > 0 ? (element - summary.least) / span : 0.5;
    ++out[static_cast<size_t>(std::clamp(static_cast<int>(part * bars), 0, bars - 1))];
  }
  return out;
}

QString differenceText(const Literal& a, const Literal& b) {
  const Shape &left = a.shape(), &right = b.shape();
  if (!left.isArray() || !right.isArray() || left.dimensions != right.dimensions)
    return QObject::tr("The shapes differ: %1 and %2.")
        .arg(QString::fromStdString(toString(left, false)), QString::fromStdString(toString(right, false)));
  int64_t differing = 0, worst = -1;
  double most = 0, sum = 0;
  for (int64_t i = 0; i < a.elementCount(); ++i) {
    const double x = numberAt(a, i), y = numberAt(b, i);
    if (x == y || (std::isnan(x) && std::isnan(y))) continue;
    ++differing;
    const double off = std::abs(x - y);
    if (worst < 0 || !(off <= most)) most = off, worst = i;
    if (std::isfinite(off)) sum += off;
  }
  if (!differing) return QObject::tr("Equal, element by element.");
  return QObject::tr("%L1 of %L2 elements differ · largest difference %3 at %4 · mean %5")
      .arg(differing)
      .arg(a.elementCount())
      .arg(sixDigits(most), indexText(left, worst), sixDigits(sum / static_cast<double>(a.elementCount())));
}

}  // namespace tessera
