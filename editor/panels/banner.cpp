// The bar's three parts: text, "Details", close.
#include "editor/panels/banner.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QStyle>
#include <QToolButton>

#include "editor/look/icon.h"
#include "editor/look/qt_colors.h"
#include "editor/text/plain_text.h"

namespace tessera {
namespace {
constexpr qsizetype kMaxCharacters = 600;

QString lookOf(Ink background, Ink words) {
  return QStringLiteral(
             "#banner { background: %1; } #banner QLabel, #banner QToolButton { color: %2; "
             "background: transparent; } #banner QToolButton { border: 1px solid rgba(128,128,128,160); "
             "border-radius: 4px; padding: 3px 9px; } #banner QToolButton:hover { background: "
             "rgba(255,255,255,40); }")
      .arg(colorOf(background, Theme::Light).name(), colorOf(words, Theme::Light).name());
}

}  // namespace

Banner::Banner(QWidget* parent) : QFrame(parent) {
  setObjectName(QStringLiteral("banner"));
  setAutoFillBackground(true);
  text_ = new PlainLabel(this);
  text_->setTextFormat(Qt::PlainText);
  text_->setWordWrap(true);
  text_->setTextInteractionFlags(Qt::TextSelectableByMouse);
  details_ = new QToolButton(this);
  details_->setText(tr("Details"));
  close_ = new QToolButton(this);
  auto* layout = new QHBoxLayout(this);
  layout->setContentsMargins(12, 8, 8, 8);
  layout->addWidget(text_, 1);
  layout->addWidget(details_, 0, Qt::AlignTop);
  layout->addWidget(close_, 0, Qt::AlignTop);
  connect(details_, &QToolButton::clicked, this, &Banner::detailsWanted);
  connect(close_, &QToolButton::clicked, this, &QWidget::hide);
  hide();
}

void Banner::showMessage(const QString& message) { say(message, Ink::ErrorBanner, Ink::OnErrorBanner); }

void Banner::showNote(const QString& message) { say(message, Ink::Notice, Ink::OnNotice); }

void Banner::showRefusal(const QString& message) {
  showMessage(message);
  isOfGesture_ = true;
}

void Banner::showHint(const QString& message) {
  showNote(message);
  isOfGesture_ = true;
}

void Banner::goOn() {
  if (isOfGesture_) hide();
}

void Banner::say(const QString& message, Ink background, Ink words) {
  isOfGesture_ = false;
  setStyleSheet(lookOf(background, words));
  showIcon(*close_, "close", tr("Close the message"), colorOf(words, Theme::Light));
  details_->setVisible(background == Ink::ErrorBanner);
  text_->setText(message.size() > kMaxCharacters ? message.left(kMaxCharacters) + QStringLiteral(" …") : message);
  show();
}

QString Banner::message() const { return isHidden() ? QString() : text_->text(); }

}  // namespace tessera
