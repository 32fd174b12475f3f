// See help_panel.h. The pages are made from the OpDefs when they are looked at; nothing is loaded from files.
#include "editor/panels/help_panel.h"

#include <map>

#include "core/tools/help_page.h"
#include "editor/document/document.h"

namespace tessera {
namespace {

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
          QString::fromStdString(tessera::toHtml(*page, false)));
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

void HelpPanel::doSetSource(const QUrl& name, QTextDocument::ResourceType) {
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
