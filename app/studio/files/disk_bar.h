// DiskBar: reports that another program changed or removed the file of an open document, with "Reload" and
// "Keep". Nothing waits for the answer. Stands in the OverlayColumn of a DocumentPane.
#pragma once

#include <QTimer>

#include "editor/document/document_file.h"
#include "editor/look/underlined_bar.h"

class QLabel;
class QPushButton;

namespace tessera {

class Document;

class DiskBar : public UnderlinedBar {
  Q_OBJECT

 public:
  DiskBar(Document& document, QWidget* parent);
  QString message() const;  // empty: nothing is shown
  QPushButton* reloadButton() const { return reload_; }
  QPushButton* keepButton() const { return keep_; }

 signals:
  void reloadWanted();

 private:
  void follow();  // the file may be another one
  void check();
  void say();

  Document& document_;
  QTimer settling_;  // programs write in several steps
  FileStamp told_{};
  QLabel* words_;
  QPushButton *reload_, *keep_;
};

}  // namespace tessera
