// See measure_menu.h.
#include "editor/panels/profile/measure_menu.h"

#include <QMenu>

#include "editor/document/document.h"
#include "editor/text/plain_text.h"
#include "editor/text/unit_words.h"

namespace tessera {
namespace {

QString capitalised(std::string_view text) {
  QString out = QString::fromUtf8(text.data(), static_cast<qsizetype>(text.size()));
  if (!out.isEmpty()) out[0] = out[0].toUpper();
  return out;
}

QString whyNot(const MeasureInfo& info) {
  switch (info.need) {
    case MeasureNeed::Module: return {};
    case MeasureNeed::Times: return QObject::tr("Needs times: run the graph, or open a profile");
    case MeasureNeed::Peaks: return QObject::tr("Needs times and a device: run the graph, or choose one in Roofline");
    case MeasureNeed::Baseline: return QObject::tr("Needs times to compare with: keep those of a run first");
    case MeasureNeed::Given: return QObject::tr("Made by the panel Communication or Numerics");
  }
  return {};
}

void addMeasures(QMenu& menu, Document& document) {
  NodeMeasures& measures = document.measures();
  for (const MeasureInfo& info : allMeasures()) {
    QAction* action = menu.addAction(capitalised(info.name));
    action->setCheckable(true);
    action->setChecked(measures.measure() == info.measure);
    action->setEnabled(measures.isAvailable(info.measure));
    action->setToolTip(asPlainText(action->isEnabled() ? capitalised(info.about) : whyNot(info)));
    QObject::connect(action, &QAction::triggered, &measures,
                     [&measures, measure = info.measure] { measures.choose(measure); });
  }
}

}  // namespace

void fillMeasureMenu(QMenu& menu, Document& document) {
  NodeMeasures& measures = document.measures();
  menu.clear();
  menu.setToolTipsVisible(true);
  addMeasures(menu, document);
  menu.addSeparator();
  const auto add = [&](const QString& text, bool checkable, bool checked, bool enabled, auto&& does) {
    QAction* action = menu.addAction(text);
    action->setCheckable(checkable);
    if (checkable) action->setChecked(checked);
    action->setEnabled(enabled);
    QObject::connect(action, &QAction::triggered, &measures, does);
  };
  add(QObject::tr("Linear scale"), true, measures.isLinear(), true, [&measures](bool on) { measures.setLinear(on); });
  const CriticalPath& path = measures.criticalPath();
  const QString length =
      path.ns > 0 ? QObject::tr(": %1").arg(QString::fromStdString(durationText(path.ns))) : QString();
  add(QObject::tr("Critical path") + length, true, measures.showsCriticalPath(), measures.selfTimes() != nullptr,
      [&measures](bool on) { measures.showCriticalPath(on); });
  add(QObject::tr("Fade nothing"), false, false, measures.threshold() > 0, [&measures] { measures.setThreshold(0); });
  menu.addSeparator();
  add(QObject::tr("Keep these times to compare with"), false, false, measures.selfTimes() != nullptr,
      [&measures, &document] { measures.keepTimes(document.run().origin().words); });
}

}  // namespace tessera
