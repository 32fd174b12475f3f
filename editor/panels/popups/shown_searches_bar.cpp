// See shown_searches_bar.h.
#include "editor/panels/popups/shown_searches_bar.h"

#include <QHBoxLayout>
#include <QToolButton>

#include "editor/document/document.h"
#include "editor/panels/popups/kept_searches.h"
#include "editor/text/menu_text.h"

namespace tessera {

ShownSearchesBar::ShownSearchesBar(Document& document, QWidget* parent)
    : UnderlinedBar(parent), document_(document), row_(new QHBoxLayout(this)) {
  setAutoFillBackground(true);
  row_->setContentsMargins(12, 2, 8, 2);
  connect(&document_.shownSearches(), &ShownSearches::changed, this, &ShownSearchesBar::fill);
  fill();
}

QStringList ShownSearchesBar::words() const {
  QStringList out;
  for (const QToolButton* button : findChildren<QToolButton*>()) out << button->text();
  return out;
}

// The buttons are made anew: one that was clicked is still at work.
void ShownSearchesBar::fill() {
  while (QLayoutItem* item = row_->takeAt(0)) {
    if (QWidget* button = item->widget()) {
      button->setParent(nullptr);
      button->deleteLater();
    }
    delete item;
  }
  for (const ShownSearch& each : document_.shownSearches().all()) {
    auto* button = new QToolButton(this);
    const QString words = tr("%1 · %L2").arg(each.name).arg(each.hits.size());
    button->setText(asMenuText(isColor(each.look) ? words : tr("only %1").arg(words)));
    if (isColor(each.look)) button->setIcon(swatchOf(each.look));
    button->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
    button->setAutoRaise(true);
    button->setToolTip(tr("%1: a click shows it no more").arg(each.text));
    button->setAccessibleName(tr("%1, shown as %2").arg(words, tr(rowOf(each.look).name)));
    connect(button, &QToolButton::clicked, this, [this, name = each.name] { emit endWanted(name); });
    row_->addWidget(button);
  }
  row_->addStretch(1);
  setVisible(document_.isOpen() && !document_.shownSearches().all().empty());
}

}  // namespace tessera
