// HelpPanel: the page of the selected instruction's operation, the same as `tessera help OP` and the HTML docs; without
// a selection the list of all operations. Links lead from one page to another.
#pragma once

#include <QTextBrowser>

namespace tessera {

class Document;

class HelpPanel : public QTextBrowser {
  Q_OBJECT

 public:
  explicit HelpPanel(Document& document, QWidget* parent = nullptr);
  // False when there is no page of this name.
  bool showOperation(const QString& opcode);
  void showSelection();  // of the document; the list when nothing is selected
  void showList();
  const QString& shown() const { return shown_; }  // an opcode; empty: the list

 protected:
  void doSetSource(const QUrl& name, QTextDocument::ResourceType type) override;
  void showEvent(QShowEvent* event) override;

 private:
  Document& document_;
  QString shown_;
};

}  // namespace tessera
