// A heading and a list as high as its lines.
#include "editor/panels/popups/choice_list.h"

#include <QLabel>
#include <QListWidget>
#include <QVBoxLayout>
#include <algorithm>

#include "editor/text/plain_text.h"

namespace tessera {
namespace {
constexpr int kMaxChoices = 10, kNarrowestChoice = 220, kWidestChoice = 420;
}

ChoiceList::ChoiceList(QWidget* parent)
    : PopupFrame(parent), heading_(new PlainLabel(this)), list_(new QListWidget(this)) {
  heading_->setWordWrap(true);
  list_->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
  list_->setAccessibleName(tr("Choices"));
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(kMargin, kMargin, kMargin, kMargin);
  layout->setSpacing(kMargin);
  layout->addWidget(heading_);
  layout->addWidget(list_, 1);
  watch(*list_);
  connect(list_, &QListWidget::currentRowChanged, this, [this](int row) {
    if (isVisible() && row >= 0) emit highlighted(row);
  });
  connect(list_, &QListWidget::itemClicked, this, &ChoiceList::accept);
}

QString ChoiceList::heading() const { return heading_->text(); }

void ChoiceList::openAt(QPoint at, const QString& heading, const QStringList& lines) {
  list_->clear();
  heading_->setText(heading);
  heading_->setVisible(!heading.isEmpty());
  list_->addItems(lines);
  const int wide =
      std::clamp(std::max(list_->sizeHintForColumn(0) + 40, heading_->fontMetrics().horizontalAdvance(heading) + 20),
                 kNarrowestChoice, kWidestChoice);
  const int line = list_->sizeHintForRow(0);
  const int high = line * static_cast<int>(std::min<qsizetype>(lines.size(), kMaxChoices)) + 8 +
                   (heading.isEmpty() ? 0 : heading_->heightForWidth(wide - 2 * kMargin) + kMargin) + 2 * kMargin;
  PopupFrame::openAt(at, {wide, high});
  list_->setFocus();
  list_->setCurrentRow(0);
  emit highlighted(0);
}

void ChoiceList::accept() {
  const int row = list_->currentRow();
  leave();
  emit chosen(row);
}

}  // namespace tessera
