// A file is read once; its lines are black, and get their colour before they are drawn.
#include "editor/look/icon.h"

#include <QAbstractButton>
#include <QFile>
#include <QGuiApplication>
#include <QIconEngine>
#include <QPainter>
#include <QPalette>
#include <QSvgRenderer>

namespace tessera {
namespace {

const QByteArray kBlack = QByteArrayLiteral("#000");

QString fileOf(const QString& name) { return QStringLiteral(":/icons/%1.svg").arg(name); }

class LineIcon : public QIconEngine {
 public:
  LineIcon(QByteArray svg, const QColor& color) : svg_(std::move(svg)), color_(color) {}

  void paint(QPainter* painter, const QRect& rect, QIcon::Mode mode, QIcon::State) override {
    painter->setRenderHint(QPainter::Antialiasing);
    QSvgRenderer(inkedFor(mode)).render(painter, squareIn(rect));
  }
  QPixmap pixmap(const QSize& size, QIcon::Mode mode, QIcon::State state) override {
    QPixmap out(size);
    out.fill(Qt::transparent);
    QPainter painter(&out);
    paint(&painter, out.rect(), mode, state);
    return out;
  }
  QIconEngine* clone() const override { return new LineIcon(svg_, color_); }
  QString key() const override { return QStringLiteral("tessera"); }

 private:
  static QRectF squareIn(const QRect& rect) {
    const int side = std::min(rect.width(), rect.height());
    return {rect.x() + (rect.width() - side) / 2.0, rect.y() + (rect.height() - side) / 2.0, double(side),
            double(side)};
  }
  QByteArray inkedFor(QIcon::Mode mode) const {
    const auto group = mode == QIcon::Disabled ? QPalette::Disabled : QPalette::Active;
    const auto role = mode == QIcon::Selected ? QPalette::HighlightedText : QPalette::ButtonText;
    const QColor color = color_.isValid() ? color_ : QGuiApplication::palette().color(group, role);
    return QByteArray(svg_).replace(kBlack, color.name().toLatin1());
  }

  QByteArray svg_;
  QColor color_;  // invalid: as the words about it
};

}  // namespace

bool hasIcon(const QString& name) { return !name.isEmpty() && QFile::exists(fileOf(name)); }

QIcon iconOf(const QString& name, const QColor& color) {
  QFile file(fileOf(name));
  if (name.isEmpty() || !file.open(QIODevice::ReadOnly)) return {};
  return QIcon(new LineIcon(file.readAll(), color));
}

void showIcon(QAbstractButton& button, const char* name, const QString& tip, const QColor& color) {
  button.setText({});
  button.setIcon(iconOf(QLatin1String(name), color));
  button.setIconSize({kIconSize, kIconSize});
  button.setAccessibleName(tip);
  button.setToolTip(tip);
}

}  // namespace tessera
