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
}

Banner::Banner(QWidget* parent) : QFrame(parent) {
  setObjectName(QStringLiteral("banner"));
  setAutoFillBackground(true);
  setStyleSheet(
      QStringLiteral("#banner { background: %1; } #banner QLabel, #banner QToolButton { color: %2; "
                     "background: transparent; } #banner QToolButton { border: 1px solid rgba(255,255,255,120); "
                     "border-radius: 4px; padding: 3px 9px; } #banner QToolButton:hover { background: "
                     "rgba(255,255,255,40); }")
          .arg(colorOf(Ink::ErrorBanner, Theme::Light).name(), colorOf(Ink::OnErrorBanner, Theme::Light).name()));
  text_ = new PlainLabel(this);
  text_->setTextFormat(Qt::PlainText);
  text_->setWordWrap(true);
  text_->setTextInteractionFlags(Qt::TextSelectableByMouse);
  auto* details = new QToolButton(this);
  details->setText(tr("Details"));
  auto* close = new QToolButton(this);
  showIcon(*close, "close", tr("Close the message"), colorOf(Ink::OnErrorBanner, Theme::Light));
  auto* layout = new QHBoxLayout(this);
  layout->setContentsMargins(12, 8, 8, 8);
  layout->addWidget(text_, 1);
  layout->addWidget(details, 0, Qt::AlignTop);
  layout->addWidget(close, 0, Qt::AlignTop);
  connect(details, &QToolButton::clicked, this, &Banner::detailsWanted);
  connect(close, &QToolButton::clicked, this, &QWidget::hide);
  hide();
}

void Banner::showMessage(const QString& message) {
  text_->setText(message.size() > kMaxCharacters ? message.left(kMaxCharacters) + QStringLiteral(" …") : message);
  show();
}

QString Banner::message() const { return isHidden() ? QString() : text_->text(); }

}  // namespace tessera
