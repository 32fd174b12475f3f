// A window that lists what the user has allowed files to do, those of the open document first, and takes it back. The
// opposite of PermissionBar. Used by the main window.
#pragma once

#include <QDialog>

class QLabel;
class QListWidget;
class QPushButton;

namespace tessera {

class Document;

class PermissionList : public QDialog {
  Q_OBJECT

 public:
  explicit PermissionList(Document& document, QWidget* parent = nullptr);
  QListWidget* list() const { return list_; }
  QPushButton* takeBackButton() const { return takeBack_; }

 private:
  void fill();
  void takeBack();

  Document& document_;
  QLabel* words_;
  QListWidget* list_;
  QPushButton* takeBack_;
};

}  // namespace tessera
