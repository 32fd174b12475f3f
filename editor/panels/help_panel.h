// HelpPanel: the page of the selected instruction's operation, the same as `tessera help OP` and the HTML docs; without
// a selection the list of all operations. Links lead from one page to another and open the examples.
#pragma once

#include <QTextBrowser>
#include <string>

namespace tessera {

class Document;

class HelpPanel : public QTextBrowser {
  Q_OBJECT

 public:
  explicit HelpPanel(Document& document, QWidget* parent = nullptr);
  // False when there is no page of this name.
  bool showOperation(const QString& opcode);
  // Where the manual's chapters lie, as Markdown with pictures; without it only operations are shown.
  void setManual(const QString& folder) { manual_ = folder; }
  bool showChapter(const QString& name);  // false when there is none of this name
  void showSelection();                   // of the document; the list when nothing is selected
  void showList();
  // What is asked of by the name of an example: the text of its file; empty: there is none.
  static std::string exampleNamed(const QString& name);
  const QString& shown() const { return shown_; }  // an opcode, or a chapter's file; empty: the list

 signals:
  void exampleWanted(QString title, std::string hlo);  // to be opened

 protected:
  QVariant loadResource(int type, const QUrl& name) override;
  void doSetSource(const QUrl& name, QTextDocument::ResourceType type) override;
  void showEvent(QShowEvent* event) override;

 private:
  QVariant picture(const QString& path) const;

  Document& document_;
  QString shown_, manual_;
};

}  // namespace tessera
