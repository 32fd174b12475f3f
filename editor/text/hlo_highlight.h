// Colours of one line of HLO text: names, opcodes, attribute keys, strings, comments and numbers.
#pragma once

#include <QString>
#include <QTextLayout>

#include "core/picture/picture.h"

namespace tessera {

QList<QTextLayout::FormatRange> highlightHlo(const QString& line, Theme theme);

}  // namespace tessera
