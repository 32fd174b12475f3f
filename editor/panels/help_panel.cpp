// See help_panel.h. The pages are made from the OpDefs when they are looked at; nothing is loaded from files.
#include "editor/panels/help_panel.h"

#include <QImage>
#include <QPainter>
#include <QSvgRenderer>
#include <map>

#include "core/tools/help_page.h"
#include "core/tools/reference_figure.h"
#include "editor/document/document.h"

namespace tessera {
namespace {

constexpr qreal kMostFigureWidth = 420;

QString listOfOperations() {
  std::map<std::string_view, QStringList> categories;
  for (const OpDef* op : allOps()) {
    const QString name = QString::fromUtf8(nameOf(op->opcode));
    categories[nameOf(op->category.category)] << QStringLiteral("<a href=\"op:%1\">%1</a>").arg(name);
  }
  QString out = QStringLiteral("<h2>%1</h2>").arg(HelpPanel::tr("Operations"));
  for (const auto& [category, links] : categories)
    out += QStringLiteral("<h3>%1</h3><p>%2</p>")
               .arg(QString::fromUtf8(category).toHtmlEscaped(), links.join(QStringLiteral(" · ")));
  return out;
}

}  // namespace

HelpPanel::HelpPanel(Document& document, QWidget* parent) : QTextBrowser(parent), document_(document) {
  setAccessibleName(tr("Help"));
  setOpenLinks(true);
  const auto follow = [this] {
    if (isVisible() && document_.selected().valid()) showSelection();
  };
  connect(&document_, &Document::selectionChanged, this, follow);
  connect(&document_, &Document::moduleChanged, this, follow);
}

bool HelpPanel::showOperation(const QString& opcode) {
  const auto page = helpPage(opcode.toStdString());
  if (!page) return false;
  if (shown_ == opcode) return true;
  shown_ = opcode;
  setHtml(QStringLiteral("<p><a href=\"op:\">%1</a></p>").arg(tr("All operations")) +
          QString::fromStdString(tessera::toHtml(*page, HtmlViewer::RichText)));
  return true;
}

void HelpPanel::showSelection() {
  const InstructionId id = document_.selected();
  if (!id.valid()) return showList();
  const QString opcode = QString::fromUtf8(document_.module().at(id).opcodeName());
  if (showOperation(opcode)) return;
  shown_ = opcode;
  setHtml(QStringLiteral("<p><a href=\"op:\">%1</a></p><p>%2</p>")
              .arg(tr("All operations"), tr("%1 is read and printed, but has no page.").arg(opcode.toHtmlEscaped())));
}

void HelpPanel::showList() {
  shown_.clear();
  setHtml(listOfOperations());
}

std::string HelpPanel::exampleNamed(const QString& name) {
  if (const ReferenceExample* one = findReferenceExample(name.toStdString())) return std::string(one->file);
  return exampleOf(name.toStdString()).text;
}

// Drawn at the scale of the screen.
QVariant HelpPanel::loadResource(int type, const QUrl& name) {
  if (name.scheme() != QLatin1String("figure")) return QTextBrowser::loadResource(type, name);
  const ReferenceExample* one = findReferenceExample(name.path().toStdString());
  const auto svg = one ? figureOf(*one) : Result<std::string>(fail("no such figure"));
  if (!svg) return {};
  QSvgRenderer renderer(QByteArray::fromStdString(*svg));
  const QSizeF size = QSizeF(renderer.defaultSize()).scaled(kMostFigureWidth, kMostFigureWidth, Qt::KeepAspectRatio);
  const QSizeF fitting = size.boundedTo(QSizeF(renderer.defaultSize()));
  QImage image((fitting * devicePixelRatioF()).toSize(), QImage::Format_ARGB32_Premultiplied);
  image.setDevicePixelRatio(devicePixelRatioF());
  image.fill(Qt::transparent);
  QPainter painter(&image);
  renderer.render(&painter, QRectF({}, fitting));
  return image;
}

void HelpPanel::doSetSource(const QUrl& name, QTextDocument::ResourceType) {
  if (name.scheme() == QLatin1String("example")) {
    emit exampleWanted(name.path(), exampleNamed(name.path()));
    return;
  }
  if (name.scheme() != QLatin1String("op")) return;
  if (name.path().isEmpty() || !showOperation(name.path())) showList();
}

void HelpPanel::showEvent(QShowEvent* event) {
  QTextBrowser::showEvent(event);
  if (document_.isOpen() && document_.selected().valid())
    showSelection();
  else if (shown_.isEmpty())
    showList();
}

}  // namespace tessera
