// See kept_searches.h.
#include "editor/panels/popups/kept_searches.h"

#include <QInputDialog>
#include <QLineEdit>
#include <QMenu>
#include <QSettings>
#include <algorithm>

#include "editor/document/document.h"
#include "editor/text/menu_text.h"

namespace tessera {
namespace {

constexpr const char* kKeptSetting = "keptSearches";

}  // namespace

KeptSearches::KeptSearches(Document& document, QLineEdit& field, QWidget* parent)
    : QToolButton(parent), document_(document), field_(field) {
  setText(tr("Kept"));
  setToolTip(tr("Searches that were kept under a name"));
  setAccessibleName(toolTip());
  setAutoRaise(true);
  setFocusPolicy(Qt::NoFocus);
  setPopupMode(QToolButton::InstantPopup);
  auto* menu = new QMenu(this);
  setMenu(menu);
  connect(menu, &QMenu::aboutToShow, this, &KeptSearches::fillMenu);
  connect(&document_.search(), &ModuleSearch::changed, this, &KeptSearches::light);
}

void KeptSearches::remember() {
  remembers_ = true;
  const QVariantMap known = QSettings().value(QLatin1String(kKeptSetting)).toMap();
  kept_.clear();
  for (auto each = known.cbegin(); each != known.cend(); ++each) kept_.emplace_back(each.key(), each->toString());
}

void KeptSearches::write() const {
  if (!remembers_) return;
  QVariantMap all;
  for (const auto& [name, query] : kept_) all.insert(name, query);
  QSettings().setValue(QLatin1String(kKeptSetting), all);
}

void KeptSearches::keep(const QString& name, const QString& query) {
  std::erase_if(kept_, [&](const auto& each) { return each.first == name; });
  kept_.insert(std::ranges::lower_bound(kept_, std::pair(name, query)), {name, query});
  write();
}

void KeptSearches::forget(const QString& name) {
  std::erase_if(kept_, [&](const auto& each) { return each.first == name; });
  write();
}

void KeptSearches::fillMenu() {
  menu()->clear();
  QAction* keep = menu()->addAction(tr("&Keep this search …"), this, &KeptSearches::askForName);
  keep->setEnabled(document_.search().isOn() && !document_.search().error());
  QAction* lit = menu()->addAction(tr("What is found stays &lit"));
  lit->setCheckable(true);
  lit->setChecked(staysLit_);
  connect(lit, &QAction::toggled, this, &KeptSearches::setStaysLit);
  if (kept_.empty()) return;
  menu()->addSeparator();
  for (const auto& [name, query] : kept_)
    menu()->addAction(asMenuText(tr("%1:  %2").arg(name, query)), this,
                      [this, query = query] { field_.setText(query); });
  QMenu* forgotten = menu()->addMenu(tr("&Forget"));
  for (const auto& [name, query] : kept_)
    forgotten->addAction(asMenuText(name), this, [this, name = name] { forget(name); });
}

void KeptSearches::askForName() {
  const QString query = field_.text();
  const QString name = QInputDialog::getText(this, tr("Keep a search"), tr("Name of the search %1").arg(query));
  if (!name.trimmed().isEmpty()) keep(name.trimmed(), query);
}

void KeptSearches::setStaysLit(bool stays) {
  staysLit_ = stays;
  if (stays) return light();
  document_.view().light(std::nullopt);
}

// The canvas shows it once nothing is looked for any more.
void KeptSearches::light() {
  if (staysLit_ && document_.search().isOn()) document_.view().light(document_.search().hits());
}

}  // namespace tessera
