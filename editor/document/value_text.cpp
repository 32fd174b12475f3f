// Small values are HLO text; big ones are summed up in one pass.
#include "editor/document/value_text.h"

#include <QObject>
#include <QStringList>
#include <algorithm>
#include <cmath>

#include "core/formats/hlo_text.h"
#include "core/hlo/numbers.h"

namespace tessera {
namespace {

constexpr int64_t kShownWhole = 64, kShownFirst = 8;

QString firstElements(const Literal& value) {
  QStringList out;
  const ElementType type = value.shape().type;
  const auto width = static_cast<size_t>(byteWidth(type));
  for (int64_t i = 0; i < std::min(kShownFirst, value.elementCount()); ++i) {
    const auto element = loadComplex(type, value.bytes().data() + static_cast<size_t>(i) * width);
    out << (isComplex(type) ? QStringLiteral("(%1, %2)").arg(element.real()).arg(element.imag())
                            : QString::number(element.real()));
  }
  return out.join(QStringLiteral(", "));
}

}  // namespace

double numberAt(const Literal& value, int64_t index) {
  const ElementType type = value.shape().type;
  const std::byte* at = value.bytes().data() + static_cast<size_t>(index) * static_cast<size_t>(byteWidth(type));
  return isComplex(type) ? std::abs(loadComplex(type, at)) : loadDouble(type, at);
}

ValueSummary summaryOf(const Literal& value) {
  ValueSummary out;
  out.count = value.elementCount();
  double sum = 0, squares = 0;
  int64_t finite = 0;
  for (int64_t i = 0; i < out.count; ++i) {
    const double element = numberAt(value, i);
    if (std::isnan(element)) {
      ++out.nans;
      continue;
    }
    if (std::isinf(element)) {
      ++out.infinities;
      continue;
    }
    out.least = finite ? std::min(out.least, element) : element;
    out.most = finite ? std::max(out.most, element) : element;
    out.zeros += element == 0;
    ++finite;
    const double step = element - sum;  // Welford: no sum of squares that cancels
    sum += step / static_cast<double>(finite);
    squares += step * (element - sum);
  }
  out.anyFinite = finite > 0;
  out.mean = sum;
  out.deviation = finite > 1 ? std::sqrt(squares / static_cast<double>(finite)) : 0;
  return out;
}

QString valueText(const Literal& value) {
  if (!value.shape().isArray()) return QString::fromStdString(toString(value.shape()));
  if (value.elementCount() <= kShownWhole) return QString::fromStdString(printLiteral(value)).simplified();
  QString out = firstElements(value) + QStringLiteral(", …");
  if (isComplex(value.shape().type)) return out;
  const ValueSummary s = summaryOf(value);
  if (s.anyFinite) out += QObject::tr("\nleast %1, greatest %2, mean %3").arg(s.least).arg(s.most).arg(s.mean);
  if (s.nans) out += QObject::tr("\n%1 NaN").arg(s.nans);
  if (s.infinities) out += QObject::tr("\n%1 infinite").arg(s.infinities);
  return out;
}

}  // namespace tessera
