// See permission_bar.h. The rows are made anew whenever the document's asks change.
#include "editor/panels/run/permission_bar.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QToolButton>
#include <QVBoxLayout>
#include <algorithm>

#include "editor/document/document.h"
#include "editor/look/icon.h"
#include "editor/look/qt_colors.h"
#include "editor/text/plain_text.h"

namespace tessera {
namespace {

constexpr int kMaxRows = 12;  // further ones come when these are allowed

}  // namespace

PermissionBar::PermissionBar(Document& document, QWidget* parent)
    : QFrame(parent), document_(document), layout_(new QVBoxLayout(this)) {
  setObjectName(QStringLiteral("permissions"));
  setAutoFillBackground(true);
  setStyleSheet(QStringLiteral("#permissions { background: %1; } #permissions QLabel, #permissions QToolButton { "
                               "color: %2; background: transparent; } #permissions QToolButton { border: 1px solid "
                               "rgba(0,0,0,110); border-radius: 4px; padding: 3px 9px; }")
                    .arg(colorOf(Ink::Notice, Theme::Light).name(), colorOf(Ink::OnNotice, Theme::Light).name()));
  layout_->setContentsMargins(12, 8, 8, 8);
  auto* top = new QHBoxLayout;
  auto* title =
      new PlainLabel(tr("This project names files that it may not use yet. Allow only what you trust: a library "
                        "runs with your rights."),
                     this);
  title->setWordWrap(true);
  auto* close = new QToolButton(this);
  showIcon(*close, "close", tr("Allow nothing"), colorOf(Ink::OnNotice, Theme::Light));
  connect(close, &QToolButton::clicked, this, &QWidget::hide);
  top->addWidget(title, 1);
  top->addWidget(close, 0, Qt::AlignTop);
  layout_->addLayout(top);
  connect(&document_, &Document::asksChanged, this, &PermissionBar::rebuild);
  rebuild();
}

void PermissionBar::rebuild() {
  if (rows_) {
    rows_->hide();  // not deleted yet: the click that changed them came from one of its buttons
    rows_->deleteLater();
  }
  rows_ = new QWidget(this);
  auto* rows = new QVBoxLayout(rows_);
  rows->setContentsMargins(0, 0, 0, 0);
  layout_->addWidget(rows_);
  const int count = std::min(static_cast<int>(document_.asks().size()), kMaxRows);
  for (int row = 0; row < count; ++row) addRow(row);
  setVisible(count > 0);
}

void PermissionBar::addRow(int row) {
  const FileAsk ask = document_.asks()[static_cast<size_t>(row)];
  auto* line = new QHBoxLayout;
  auto* words = new PlainLabel(QString::fromStdString(ask.words()), rows_);
  words->setTextFormat(Qt::PlainText);
  words->setWordWrap(true);
  auto* allow = new QToolButton(rows_);
  allow->setText(tr("Allow"));
  allow->setAccessibleName(tr("Allow to %1").arg(words->text()));
  connect(allow, &QToolButton::clicked, &document_, [this, ask] { document_.allow(ask); });
  line->addWidget(words, 1);
  line->addWidget(allow, 0, Qt::AlignTop);
  static_cast<QVBoxLayout*>(rows_->layout())->addLayout(line);
}

QStringList PermissionBar::asks() const {
  QStringList out;
  for (const QLabel* label : rows_->findChildren<QLabel*>()) out << label->text();
  return out;
}

}  // namespace tessera
