// See settings.h.
#include "editor/preferences/settings.h"

#include <QCoreApplication>
#include <QThreadPool>

namespace tessera {
namespace {

QThreadPool& writer() {
  static auto* const pool = [] {
    auto* made = new QThreadPool;  // never deleted: QSettings may be gone at the end of static objects
    made->setMaxThreadCount(1);
    qAddPostRoutine([] { writer().waitForDone(); });
    return made;
  }();
  return *pool;
}

}  // namespace

void keepSettings(const QVariantMap& values) {
  writer().start([values] {
    QSettings settings;
    for (auto each = values.begin(); each != values.end(); ++each)
      each->isValid() ? settings.setValue(each.key(), *each) : settings.remove(each.key());
  });
}

QSettings keptSettings() {
  writer().waitForDone();
  return QSettings();
}

}  // namespace tessera
