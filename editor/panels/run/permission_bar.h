// A bar that lists what the open file asks for and nobody allowed yet, an item a row: a library to load, a file to read
// or to write. Nothing of it happens before the user presses the row's "Allow". Used by the main window.
#pragma once

#include <QFrame>

class QVBoxLayout;

namespace tessera {

class Document;

class PermissionBar : public QFrame {
  Q_OBJECT

 public:
  explicit PermissionBar(Document& document, QWidget* parent = nullptr);
  QStringList asks() const;  // as the rows show them

 private:
  void rebuild();
  void addRow(int row);

  Document& document_;
  QWidget* rows_ = nullptr;
  QVBoxLayout* layout_;
};

}  // namespace tessera
