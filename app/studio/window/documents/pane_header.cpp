// A button with a menu, and a button that closes.
#include "app/studio/window/documents/pane_header.h"
#include "editor/look/icon.h"
#include "editor/look/menu_button.h"
#include "editor/text/menu_text.h"

#include <QHBoxLayout>
#include <QMenu>
#include <QToolButton>

namespace tessera {

PaneHeader::PaneHeader(QWidget* parent)
    : QFrame(parent), title_(new QToolButton(this)), close_(new QToolButton(this)), choices_(new QMenu(this)) {
  setObjectName(QStringLiteral("paneHeader"));
  title_->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
  title_->setIcon(iconOf(QStringLiteral("choose")));
  title_->setLayoutDirection(Qt::RightToLeft);  // the arrow behind the name
  title_->setPopupMode(QToolButton::InstantPopup);
  title_->setMenu(choices_);
  hideMenuArrow(*title_);
  title_->setToolTip(tr("Another document in this half"));
  showIcon(*close_, "close", tr("Close this half"));
  for (QToolButton* each : {title_, close_}) each->setAutoRaise(true);
  connect(close_, &QToolButton::clicked, this, &PaneHeader::closeWanted);
  auto* layout = new QHBoxLayout(this);
  layout->setContentsMargins(8, 2, 4, 2);
  layout->addWidget(title_);
  layout->addStretch(1);
  layout->addWidget(close_);
  hide();
}

// The other one is pale, as a window without the focus is.
void PaneHeader::show(const QString& title, bool isCurrent) {
  title_->setText(asMenuText(title));
  QFont font = title_->font();
  font.setBold(isCurrent);
  title_->setFont(font);
  setAccessibleName(isCurrent ? tr("%1, which menus act on").arg(title) : title);
  QFrame::show();
}

}  // namespace tessera
