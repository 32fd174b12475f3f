// ExportDialog: lets the user choose the part of the graph (what is visible, the selection, the whole) and the format,
// and writes it to a file or the clipboard; a worker makes it. Used by the File menu.
#pragma once

#include <QDialog>
#include <functional>

#include "app/studio/export/graph_export.h"

class QButtonGroup;
class QCheckBox;
class QComboBox;
class QDoubleSpinBox;
class QLabel;
class QPushButton;

namespace tessera {

class ExportDialog : public QDialog {
  Q_OBJECT

 public:
  ExportDialog(const Document& document, const Canvas& canvas, QWidget* parent);

  QComboBox* form() const { return form_; }
  QDoubleSpinBox* scale() const { return scale_; }
  QButtonGroup* part() const { return part_; }
  QPushButton* copyButton() const { return copy_; }
  QPushButton* saveButton() const { return save_; }
  QString stateText() const;
  bool isWriting() const { return writing_; }

  void save(const QString& path);  // in the chosen format; saved() or stateText() follows
  void copy();

 signals:
  void saved(QString path);
  void copied();

 private:
  void layOut();
  void update();
  GraphExport chosen() const;
  void make(std::function<void(const std::string&)> done);
  void askWhere();

  const Document& document_;
  const Canvas& canvas_;
  QButtonGroup* part_;
  QComboBox *form_, *theme_;
  QDoubleSpinBox* scale_;
  QCheckBox* legend_;
  QLabel *scaleLabel_, *size_, *state_;
  QPushButton *copy_, *save_;
  bool writing_ = false;
};

}  // namespace tessera
