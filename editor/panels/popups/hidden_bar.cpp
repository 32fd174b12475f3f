// See hidden_bar.h.
#include "editor/panels/popups/hidden_bar.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QPushButton>

#include "editor/document/document.h"
#include "editor/text/plain_text.h"

namespace tessera {

HiddenBar::HiddenBar(Document& document, QWidget* parent)
    : UnderlinedBar(parent),
      document_(document),
      words_(new PlainLabel(this)),
      show_(new QPushButton(tr("Show all"), this)) {
  setObjectName(QStringLiteral("hiddenBar"));
  setAutoFillBackground(true);
  auto* layout = new QHBoxLayout(this);
  layout->setContentsMargins(12, 4, 8, 4);
  layout->addWidget(words_, 1);
  layout->addWidget(show_);
  connect(show_, &QPushButton::clicked, &document_.view(), &SceneView::showHidden);
  connect(&document_.view(), &SceneView::changed, this, &HiddenBar::say);
  say();
}

QString HiddenBar::words() const { return words_->text(); }

void HiddenBar::say() {
  const HiddenBoxes& hidden = document_.view().scene().options.hidden;
  const size_t count = hidden.instructions.size() + hidden.groups.size();
  words_->setText(count == 1 ? tr("1 box is hidden.") : tr("%L1 boxes are hidden.").arg(count));
  setVisible(count > 0);
}

}  // namespace tessera
