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

struct Summary {
  double least = INFINITY, most = -INFINITY, sum = 0;
  int64_t nans = 0, infinities = 0, finite = 0;
};

Summary textSummary(const Literal& value) {
  Summary out;
  const ElementType type = value.shape().type;
  const auto width = static_cast<size_t>(byteWidth(type));
  const std::byte* data = value.bytes().data();
  for (int64_t i = 0; i < value.elementCount(); ++i, data += width) {
    const double element = loadDouble(type, data);
    if (std::isnan(element)) {
      ++out.nans;
      continue;
    }
    if (std::isinf(element)) {
      ++out.infinities;
      continue;
    }
    ++out.finite;
    out.least = std::min(out.least, element);
    out.most = std::max(out.most, element);
    out.sum += element;
  }
  return out;
}

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

QString valueText(const Literal& value) {
  if (!value.shape().isArray()) return QString::fromStdString(toString(value.shape()));
  if (value.elementCount() <= kShownWhole) return QString::fromStdString(printLiteral(value)).simplified();
  QString out = firstElements(value) + QStringLiteral(", …");
  if (isComplex(value.shape().type)) return out;
  const Summary s = textSummary(value);
  if (s.finite)
    out += QObject::tr("\nleast %1, greatest %2, mean %3")
               .arg(s.least)
               .arg(s.most)
               .arg(s.sum / static_cast<double>(s.finite));
  if (s.nans) out += QObject::tr("\n%1 NaN").arg(s.nans);
  if (s.infinities) out += QObject::tr("\n%1 infinite").arg(s.infinities);
  return out;
}

}  // namespace tessera
