// DumpPanel: the files of the dump folder that the open file is of: modules, passes, kernels' code, buffer assignment,
// options. A file is read when it is looked at; the lines about the selected instruction are marked, and its kernel's
// code comes to the front, also where the kernel is named after a fusion round it or an equal one. A click on a line,
// or Return, selects the instruction that it is about. A module's file opens as a document.
#pragma once

#include <QThreadPool>
#include <QWidget>
#include <memory>
#include <optional>
#include <vector>

#include "core/formats/dump_code.h"

class QLabel;
class QPlainTextEdit;
class QTreeWidget;
class QTreeWidgetItem;

namespace tessera {

class Document;

class DumpPanel : public QWidget {
  Q_OBJECT

 public:
  explicit DumpPanel(Document& document, QWidget* parent = nullptr);
  ~DumpPanel() override;

  // While the document is of no file: the folder that is shown.
  void showFolder(const QString& folder);
  QTreeWidget* files() const { return files_; }
  QPlainTextEdit* text() const { return text_; }
  QString words() const;
  const std::vector<LineRange>& marked() const { return marked_; }
  bool isBusy() const { return busy_ > 0; }

 signals:
  void fileWanted(QString path);  // as a document
  void revealWanted(tessera::InstructionId id);

 protected:
  void showEvent(QShowEvent* event) override;
  void resizeEvent(QResizeEvent* event) override;
  bool eventFilter(QObject* watched, QEvent* event) override;

 private:
  void begin();
  void look();
  void fill();
  void addModule(const DumpModule& module);
  void showFile();
  void showText(const QString& name, const QString& text);
  void followSelection();
  void showKernels(std::vector<std::string> kernels);
  void mark();
  void selectInstructionOfLine();
  QString markedWords(const std::string& name) const;
  QTreeWidgetItem* itemOf(const std::string& file) const;
  const DumpModule* moduleOfDocument() const;

  Document& document_;
  QThreadPool pool_;
  QTreeWidget* files_;
  QPlainTextEdit* text_;
  QLabel *words_, *empty_;
  QString folder_;  // empty: the open file is of no dump
  QString given_;   // by showFolder
  std::optional<DumpFolder> dump_;
  QString shown_;                     // the file whose text is seen
  std::vector<std::string> kernels_;  // of the selected instruction, its own name first
  std::vector<LineRange> marked_;
  uint64_t request_ = 0, selectionRequest_ = 0;  // of a file, of the selection's kernels
  int busy_ = 0;
  bool stale_ = true;
};

}  // namespace tessera
