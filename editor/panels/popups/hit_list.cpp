// See hit_list.h. It is filled while it is seen, with the first of very many.
#include "editor/panels/popups/hit_list.h"

#include <QHeaderView>

#include "editor/document/document.h"
#include "editor/text/plain_text.h"

namespace tessera {
namespace {

constexpr size_t kMostListedHits = 1000, kLongestHitShape = 80;
constexpr int kHitId = Qt::UserRole, kHitListHeight = 170;

QString hitText(std::string_view text) { return QString::fromUtf8(text.data(), static_cast<qsizetype>(text.size())); }

}  // namespace

HitList::HitList(Document& document, QWidget* parent) : QTreeWidget(parent), document_(document) {
  setHeaderLabels({tr("Instruction"), tr("Operation"), tr("Result"), tr("Computation")});
  setRootIsDecorated(false);
  setUniformRowHeights(true);
  setTextElideMode(Qt::ElideMiddle);
  setAccessibleName(tr("What the search found"));
  setFixedHeight(kHitListHeight);
  header()->setSectionResizeMode(QHeaderView::Stretch);
  hide();
  connect(&document_.search(), &ModuleSearch::changed, this, &HitList::fill);
  connect(&document_, &Document::selectionChanged, this, &HitList::markSelected);
  connect(this, &QTreeWidget::itemClicked, this, &HitList::go);
  connect(this, &QTreeWidget::itemActivated, this, &HitList::go);
}

void HitList::showEvent(QShowEvent* event) {
  QTreeWidget::showEvent(event);
  fill();
}

void HitList::fill() {
  if (!isVisible()) return;
  clear();
  const auto& hits = document_.search().hits();
  const Module& module = document_.module();
  QList<QTreeWidgetItem*> rows;
  for (InstructionId id : std::span(hits).first(std::min(hits.size(), kMostListedHits))) {
    if (!module.contains(id)) continue;
    const Instruction& in = module.at(id);
    auto* row = new QTreeWidgetItem({hitText(in.name), hitText(in.opcodeName()),
                                     hitText(toString(*in.shape, false).substr(0, kLongestHitShape)),
                                     hitText(module.at(in.computation).name)});
    row->setData(0, kHitId, id.value);
    for (int column = 0; column < row->columnCount(); ++column) row->setToolTip(column, asPlainText(row->text(column)));
    rows << row;
  }
  if (hits.size() > kMostListedHits) {
    auto* rest = new QTreeWidgetItem({tr("… and %L1 more").arg(hits.size() - kMostListedHits)});
    rest->setFlags(Qt::NoItemFlags);
    rows << rest;
  }
  addTopLevelItems(rows);
  markSelected();
}

void HitList::markSelected() {
  if (!isVisible()) return;
  const InstructionId selected = document_.selected();
  for (int k = 0; selected.valid() && k < topLevelItemCount(); ++k)
    if (const QVariant id = topLevelItem(k)->data(0, kHitId); id.isValid() && id.toUInt() == selected.value)
      return setCurrentItem(topLevelItem(k));
  setCurrentItem(nullptr);
}

void HitList::go(const QTreeWidgetItem* item) {
  const QVariant id = item ? item->data(0, kHitId) : QVariant();
  if (id.isValid() && document_.module().contains(InstructionId(id.toUInt())))
    emit revealWanted(InstructionId(id.toUInt()));
}

}  // namespace tessera
