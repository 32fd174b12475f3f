// Names and paths as texts of menus, tabs and buttons, where Qt takes an & for the mark of a key.
#pragma once

#include <QString>

namespace tessera {

inline QString asMenuText(QString text) { return text.replace(QLatin1Char('&'), QStringLiteral("&&")); }

}  // namespace tessera
