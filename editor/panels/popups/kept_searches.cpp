// See kept_searches.h.
#include "editor/panels/popups/kept_searches.h"

#include <QActionGroup>
#include <QInputDialog>
#include <QLineEdit>
#include <QMenu>
#include <QPixmap>
#include <algorithm>

#include "editor/document/document.h"
#include "editor/preferences/settings.h"
#include "editor/text/menu_text.h"

namespace tessera {
namespace {

constexpr const char* kKeptSetting = "keptSearches";        // queries by name
constexpr const char* kShownSetting = "shownKeptSearches";  // names of looks by name
constexpr int kSwatch = 12;                                 // pixels

}  // namespace

QIcon swatchOf(SearchLook look) {
  QPixmap swatch(kSwatch, kSwatch);
  swatch.fill(colorOf(look));
  return swatch;
}

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
  const QSettings settings = keptSettings();
  const QVariantMap known = settings.value(QLatin1String(kKeptSetting)).toMap();
  const QVariantMap looks = settings.value(QLatin1String(kShownSetting)).toMap();
  kept_.clear();
  for (auto each = known.cbegin(); each != known.cend(); ++each) {
    kept_.emplace_back(each.key(), each->toString());
    const auto look = searchLookNamed(looks.value(each.key()).toString().toStdString());
    document_.shownSearches().show(each.key(), each->toString(), look.value_or(SearchLook::None));
  }
}

void KeptSearches::write() const {
  if (!remembers_) return;
  QVariantMap all, looks;
  for (const auto& [name, query] : kept_) {
    all.insert(name, query);
    const SearchLook look = document_.shownSearches().lookOf(name);
    if (look != SearchLook::None) looks.insert(name, QLatin1String(rowOf(look).name));
  }
  keepSettings({{QLatin1String(kKeptSetting), all}, {QLatin1String(kShownSetting), looks}});
}

void KeptSearches::keep(const QString& name, const QString& query) {
  std::erase_if(kept_, [&](const auto& each) { return each.first == name; });
  kept_.insert(std::ranges::lower_bound(kept_, std::pair(name, query)), {name, query});
  show(name, document_.shownSearches().lookOf(name));
}

void KeptSearches::forget(const QString& name) {
  show(name, SearchLook::None);
  std::erase_if(kept_, [&](const auto& each) { return each.first == name; });
  write();
}

void KeptSearches::show(const QString& name, SearchLook look) {
  const auto kept = std::ranges::find(kept_, name, &std::pair<QString, QString>::first);
  if (kept == kept_.end()) return;
  document_.shownSearches().show(name, kept->second, look);
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
  for (const auto& [name, query] : kept_) addKept(name, query);
}

void KeptSearches::addKept(const QString& name, const QString& query) {
  QMenu* own = menu()->addMenu(asMenuText(tr("%1:  %2").arg(name, query)));
  own->addAction(tr("&Look for it"), this, [this, query] { field_.setText(query); });
  own->addSeparator();
  auto* looks = new QActionGroup(own);
  for (const SearchLookRow& row : kSearchLooks) {
    QAction* look = own->addAction(tr(row.name), this, [this, name, look = row.look] { show(name, look); });
    look->setActionGroup(looks);
    look->setCheckable(true);
    look->setChecked(document_.shownSearches().lookOf(name) == row.look);
    if (isColor(row.look)) look->setIcon(swatchOf(row.look));
  }
  own->addSeparator();
  own->addAction(tr("&Forget"), this, [this, name] { forget(name); });
}

void KeptSearches::askForName() {
  const QString query = field_.text();
  const QString name = QInputDialog::getText(this, tr("Keep a search"), tr("Name of the search %1").arg(query),
                                             QLineEdit::Normal, query);
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
