// See help_panel.h. The pages of operations are made from the OpDefs when they are looked at; chapters are files.
#include "editor/panels/help_panel.h"

#include <QFile>
#include <QImage>
#include <QPainter>
#include <QScrollBar>
#include <QSvgRenderer>
#include <algorithm>
#include <map>

#include "core/tools/help/help_page.h"
#include "core/tools/help/reference_figure.h"
#include "editor/document/document.h"

namespace tessera {
namespace {

constexpr qreal kMostFigureWidth = 420;
constexpr int kPictureMargin = 40;
const QString kChapterEnding = QStringLiteral(".md");

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
    const bool reads = shown_.endsWith(kChapterEnding);  // a chapter stays while somebody follows it
    if (isVisible() && !reads && document_.selected().valid()) showSelection();
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

bool HelpPanel::showChapter(const QString& name) {
  QFile file(manual_ + QLatin1Char('/') + name + kChapterEnding);
  if (manual_.isEmpty() || name.contains(QLatin1Char('/')) || !file.open(QIODevice::ReadOnly)) return false;
  shown_ = name + kChapterEnding;
  setMarkdown(QString::fromUtf8(file.readAll()));
  verticalScrollBar()->setValue(0);
  return true;
}

// A chapter's picture, as wide as the panel at most.
QVariant HelpPanel::picture(const QString& path) const {
  const QImage picture(manual_ + QLatin1Char('/') + path);
  const int room = std::max(viewport()->width() - kPictureMargin, 100);
  return picture.width() <= room ? picture : picture.scaledToWidth(room, Qt::SmoothTransformation);
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
  const QString manual =
      manual_.isEmpty() ? QString() : QStringLiteral("<p><a href=\"index.md\">%1</a></p>").arg(tr("The manual"));
  setHtml(manual + listOfOperations());
}

std::string HelpPanel::exampleNamed(const QString& name) {
  if (const ReferenceExample* one = findReferenceExample(name.toStdString())) return std::string(one->file);
  return exampleOf(name.toStdString()).text;
}

// Drawn at the scale of the screen.
QVariant HelpPanel::loadResource(int type, const QUrl& name) {
  const bool ofChapter = type == QTextDocument::ImageResource && name.scheme().isEmpty() && !manual_.isEmpty();
  if (ofChapter) return picture(name.path());
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
  const QString path = name.path();
  if (name.scheme().isEmpty() && path.endsWith(kChapterEnding)) {
    showChapter(path.chopped(kChapterEnding.size()));
    return;
  }
  if (name.scheme() != QLatin1String("op")) return;
  if (name.path().isEmpty() || !showOperation(name.path())) showList();
}

void HelpPanel::showEvent(QShowEvent* event) {
  QTextBrowser::showEvent(event);
  if (shown_.endsWith(kChapterEnding)) return;
  if (document_.isOpen() && document_.selected().valid())
    showSelection();
  else if (shown_.isEmpty())
    showList();
}

}  // namespace tessera
