// An action that changes its text keeps the first one as its name, under which its keys are kept.
#include "app/studio/actions/actions.h"

#include <QAction>
#include <QMenu>
#include <algorithm>

#include "editor/look/icon.h"
#include "editor/text/plain_text.h"

namespace tessera {

QAction* Actions::add(QMenu& menu, ActionSpec spec) {
  QAction* action = menu.addAction(spec.text);
  spec.keys.removeAll(QKeySequence());  // an empty one would be the same key as every other empty one
  action->setShortcuts(spec.keys);
  action->setObjectName(spec.id);
  action->setIcon(iconOf(QString(spec.id).replace(QLatin1Char(' '), QLatin1Char('-'))));
  action->setCheckable(spec.isChecked != nullptr);
  if (spec.currentText) action->setProperty("name", QString(spec.text).remove(QLatin1Char('&')));
  connect(action, &QAction::triggered, this, spec.run);
  all_.emplace_back(action, std::move(spec));
  return action;
}

QAction* Actions::addOverCanvas(QMenu& menu, ActionSpec spec) {
  QAction* action = addAlsoOnCanvas(menu, std::move(spec));
  action->setShortcutContext(Qt::WidgetShortcut);
  return action;
}

QAction* Actions::addAlsoOnCanvas(QMenu& menu, ActionSpec spec) {
  return ofCanvas_.emplace_back(add(menu, std::move(spec)));
}

void Actions::addCanvas(QWidget& canvas) {
  for (QAction* action : ofCanvas_) canvas.addAction(action);
}

const std::pair<QAction*, ActionSpec>& Actions::entry(const QString& id) const {
  const auto found = std::ranges::find_if(all_, [&](const auto& each) { return each.second.id == id; });
  if (found == all_.end()) qFatal("there is no action %s", qPrintable(id));
  return *found;
}

QAction* Actions::find(const QString& id) const { return entry(id).first; }

void Actions::updateOne(const QString& id) {
  const auto& [action, spec] = entry(id);
  if (spec.isEnabled) action->setEnabled(spec.isEnabled());
}

void Actions::update() {
  for (const auto& [action, spec] : all_) {
    if (spec.isEnabled) action->setEnabled(spec.isEnabled());
    if (spec.isChecked) action->setChecked(spec.isChecked());
    if (!spec.currentText) continue;
    const QString iconText = action->iconText();  // the tool bar's, which stays
    action->setText(spec.currentText());
    action->setIconText(iconText);
    action->setToolTip({});  // what Qt makes of the text: without its mnemonic
    action->setToolTip(asPlainText(action->toolTip()));
  }
}

}  // namespace tessera
