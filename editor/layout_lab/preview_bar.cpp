// See preview_bar.h.
#include "editor/layout_lab/preview_bar.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QPushButton>

#include "editor/text/plain_text.h"

namespace tessera {

PreviewBar::PreviewBar(QWidget* parent)
    : QWidget(parent),
      words_(new PlainLabel(this)),
      apply_(new QPushButton(tr("Apply"), this)),
      back_(new QPushButton(tr("Back"), this)) {
  words_->setWordWrap(true);
  apply_->setObjectName(QStringLiteral("applyLayout"));
  apply_->setToolTip(tr("The value gets this layout; the edit can be undone"));
  back_->setObjectName(QStringLiteral("dropLayout"));
  back_->setToolTip(tr("Shows the layout that the value has"));
  auto* layout = new QHBoxLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->setSpacing(8);
  layout->addWidget(words_, 1);
  layout->addWidget(apply_);
  layout->addWidget(back_);
  hide();
}

void PreviewBar::say(const QString& layout, const QString& whyNot) {
  words_->setText(whyNot.isEmpty() ? tr("A preview: in the graph it is still %1.").arg(layout)
                                   : tr("A preview: in the graph it is %1. %2").arg(layout, whyNot));
  apply_->setVisible(whyNot.isEmpty());
  show();
}

QString PreviewBar::words() const { return isHidden() ? QString() : words_->text(); }

}  // namespace tessera
