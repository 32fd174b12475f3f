// A column: title, list, words, two buttons.
#include "editor/lessons/lesson_panel.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QListWidget>
#include <QPushButton>
#include <QScrollArea>
#include <QToolButton>
#include <QVBoxLayout>
#include <algorithm>

#include "editor/lessons/lesson.h"
#include "editor/look/icon.h"
#include "editor/look/type_scale.h"
#include "editor/text/plain_text.h"

namespace tessera {
namespace {

constexpr int kLessonWidth = 340, kLessonMargin = 12;

}  // namespace

LessonPanel::LessonPanel(QWidget* parent)
    : QWidget(parent),
      list_(new QListWidget(this)),
      title_(new PlainLabel(this)),
      words_(new PlainLabel(this)),
      previous_(new QPushButton(tr("‹ Previous"), this)),
      next_(new QPushButton(tr("Next ›"), this)) {
  setFixedWidth(kLessonWidth);
  setAutoFillBackground(true);
  list_->setAccessibleName(tr("Lessons"));
  list_->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
  list_->setVerticalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
  int number = 0;
  for (const Lesson& each : lessons())
    list_->addItem(QStringLiteral("%1  %2").arg(++number).arg(QString::fromUtf8(each.title)));
  list_->setFixedHeight(list_->sizeHintForRow(0) * list_->count() + 2 * list_->frameWidth() + 2);
  auto* close = new QToolButton(this);
  showIcon(*close, "close", tr("Close the lessons"));
  close->setAutoRaise(true);
  auto* head = new QHBoxLayout;
  head->addWidget(new PlainLabel(tr("Lessons"), this), 1);
  head->addWidget(close);
  auto* kept = new PlainLabel(tr("What you change here is kept only if you save it."), this);
  kept->setWordWrap(true);
  kept->setForegroundRole(QPalette::PlaceholderText);
  auto* buttons = new QHBoxLayout;
  buttons->addWidget(previous_);
  buttons->addWidget(next_);
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(kLessonMargin, 8, kLessonMargin, kLessonMargin);
  layout->addLayout(head);
  layout->addWidget(list_);
  layout->addSpacing(8);
  layout->addWidget(makePage(), 1);
  layout->addWidget(kept);
  layout->addLayout(buttons);
  connect(list_, &QListWidget::itemClicked, this, [this] { emit lessonWanted(list_->currentRow()); });
  connect(list_, &QListWidget::itemActivated, this, [this] { emit lessonWanted(list_->currentRow()); });
  connect(previous_, &QPushButton::clicked, this, [this] { emit lessonWanted(lesson_ - 1); });
  connect(next_, &QPushButton::clicked, this, [this] { emit lessonWanted(lesson_ + 1); });
  connect(close, &QToolButton::clicked, this, &LessonPanel::closed);
  hide();
}

QWidget* LessonPanel::makePage() {
  QFont larger = sized(title_->font(), TypeSize::Heading);
  larger.setBold(true);
  for (QLabel* label : {title_, words_})
    label->setWordWrap(true), label->setTextFormat(label == title_ ? Qt::PlainText : Qt::RichText);
  title_->setFont(larger);
  words_->setAlignment(Qt::AlignTop);
  words_->setTextInteractionFlags(Qt::TextSelectableByMouse);
  auto* page = new QWidget;
  auto* inside = new QVBoxLayout(page);
  inside->setContentsMargins(0, 0, 8, 0);
  inside->addWidget(title_);
  inside->addWidget(words_, 1);
  auto* scroll = new QScrollArea(this);
  scroll->setWidgetResizable(true);
  scroll->setFrameShape(QFrame::NoFrame);
  scroll->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
  scroll->setWidget(page);
  return scroll;
}

QString LessonPanel::words() const { return words_->text(); }

void LessonPanel::showLesson(int lesson) {
  if (lesson < 0 || static_cast<size_t>(lesson) >= lessons().size()) return;
  lesson_ = lesson;
  const Lesson& shown = lessons()[static_cast<size_t>(lesson)];
  list_->setCurrentRow(lesson);
  title_->setText(QString::fromUtf8(shown.title));
  words_->setText(QString::fromUtf8(shown.words));
  previous_->setEnabled(lesson > 0);
  next_->setEnabled(static_cast<size_t>(lesson) + 1 < lessons().size());
}

}  // namespace tessera
