// See findings_panel.h. A finding's further places are rows below it, made when it is opened.
#include "editor/panels/overview/findings_panel.h"

#include <QHeaderView>
#include <QLabel>
#include <QTreeWidget>
#include <QVBoxLayout>
#include <algorithm>

#include "editor/document/document.h"
#include "editor/panels/overview/overview_html.h"
#include "editor/panels/popups/row_menu.h"
#include "editor/text/plain_text.h"

namespace tessera {
namespace {

constexpr int kFindingPlace = Qt::UserRole, kFindingNumber = Qt::UserRole + 1;
constexpr size_t kMostFindingPlaces = 200;  // as rows; the search finds the others
enum FindingColumn { kFindingRule, kFindingText, kFindingWorth, kFindingWhere };

QString aboutFindingRule(std::string_view name) {
  const auto& rules = rulesOfFindings();
  const auto found = std::ranges::find(rules, name, &FindingRule::name);
  return found == rules.end() ? QString() : QString::fromUtf8(found->about.data(), qsizetype(found->about.size()));
}

}  // namespace

FindingsPanel::FindingsPanel(Document& document, QWidget* parent)
    : QWidget(parent), document_(document), list_(new QTreeWidget(this)), state_(new PlainLabel(this)) {
  list_->setHeaderLabels({tr("Rule"), tr("Finding"), tr("Number"), tr("Where")});
  list_->setUniformRowHeights(true);
  addRowMenu(*list_);
  list_->setAlternatingRowColors(true);
  list_->setAllColumnsShowFocus(true);
  list_->setAccessibleName(tr("Findings, the costliest first"));
  list_->header()->setStretchLastSection(false);
  for (int column : {kFindingRule, kFindingWorth})
    list_->header()->setSectionResizeMode(column, QHeaderView::ResizeToContents);
  list_->header()->setSectionResizeMode(kFindingText, QHeaderView::Stretch);
  list_->setColumnWidth(kFindingWhere, 34 * list_->fontMetrics().averageCharWidth());
  state_->setWordWrap(true);
  state_->setContentsMargins(8, 4, 8, 4);
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->setSpacing(0);
  layout->addWidget(state_);
  layout->addWidget(list_, 1);
  connect(list_, &QTreeWidget::itemExpanded, this, [this](QTreeWidgetItem* item) { fill(*item); });
  connect(list_, &QTreeWidget::itemClicked, this, &FindingsPanel::go);
  connect(list_, &QTreeWidget::itemActivated, this, &FindingsPanel::go);
  connect(&document_.overview(), &ModuleOverview::changed, this, &FindingsPanel::refresh);
  connect(&document_.overview(), &ModuleOverview::stale, this, &FindingsPanel::refresh);
  refresh();
}

QString FindingsPanel::stateText() const { return state_->text(); }

void FindingsPanel::refresh() {
  ModuleOverview& overview = document_.overview();
  if (isVisible()) overview.want();
  const ModuleReport* report = overview.report();
  list_->clear();
  state_->setText(!document_.isOpen() || document_.isPlainGraph() ? tr("Nothing is open that computes.")
                  : !overview.problem().isEmpty() ? tr("The graph is not whole yet: %1").arg(overview.problem())
                  : !report                       ? tr("Looking …")
                  : report->findings.empty()      ? tr("No findings.")
                  : report->work.measured()
                      ? tr("Times are of the last run; other numbers come from shapes and trip counts.")
                      : tr("Numbers are estimated from shapes and trip counts; after a run (F5) times are measured."));
  for (size_t k = 0; report && k < report->findings.size(); ++k) addFinding(static_cast<int>(k), report->findings[k]);
}

void FindingsPanel::addFinding(int number, const Finding& finding) {
  const Module& module = document_.overview().report()->module;
  const size_t places = finding.instructions.size();
  QString where = QString::fromStdString(placeText(module, finding.instructions.front()));
  if (places > 1) where += tr(" and %L1 more").arg(places - 1);
  auto* row = new QTreeWidgetItem(list_, {QString::fromUtf8(finding.rule.data(), qsizetype(finding.rule.size())),
                                          QString::fromStdString(finding.text), numberOf(finding), where});
  row->setToolTip(kFindingRule, asPlainText(aboutFindingRule(finding.rule)));
  row->setToolTip(kFindingText, asPlainText(row->text(kFindingText)));
  row->setToolTip(kFindingWhere, asPlainText(where));
  row->setTextAlignment(kFindingWorth, Qt::AlignRight | Qt::AlignVCenter);
  row->setData(0, kFindingPlace, finding.instructions.front().value);
  row->setData(0, kFindingNumber, number);
  if (places > 1) row->setChildIndicatorPolicy(QTreeWidgetItem::ShowIndicator);
}

void FindingsPanel::fill(QTreeWidgetItem& item) {
  const ModuleReport* report = document_.overview().report();
  if (!report || item.parent() || item.childCount() > 0) return;
  const Finding& finding = report->findings[static_cast<size_t>(item.data(0, kFindingNumber).toInt())];
  QList<QTreeWidgetItem*> rows;
  for (size_t k = 0; k < std::min(finding.instructions.size(), kMostFindingPlaces); ++k) {
    const InstructionId id = finding.instructions[k];
    const Instruction& i = report->module.at(id);
    auto* row = new QTreeWidgetItem(
        {QString(), QString::fromStdString(placeText(report->module, id)),
         finding.timeNs > 0 ? QString::fromStdString(durationText(report->work.timeOf(id))) : QString(),
         QString::fromStdString(toString(*i.shape, false))});
    row->setTextAlignment(kFindingWorth, Qt::AlignRight | Qt::AlignVCenter);
    row->setData(0, kFindingPlace, id.value);
    rows << row;
  }
  if (const size_t left = finding.instructions.size() - std::min(finding.instructions.size(), kMostFindingPlaces);
      left > 0)
    rows << new QTreeWidgetItem({QString(), tr("… and %L1 more; `tessera findings --json` has all").arg(left)});
  item.addChildren(rows);
}

void FindingsPanel::go(const QTreeWidgetItem* item) {
  const QVariant place = item ? item->data(0, kFindingPlace) : QVariant();
  if (place.isValid()) emit revealWanted(InstructionId(place.toUInt()));
}

void FindingsPanel::showEvent(QShowEvent* event) {
  QWidget::showEvent(event);
  refresh();
}

}  // namespace tessera
