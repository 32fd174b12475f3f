// RunPanel: how the document runs: backend, threads, devices, seed, where each argument comes from, feeds, a library of
// custom calls; and the same as a `tessera run` line. Every change is one undo step of the document's RunSettings.
#pragma once

#include <QHash>
#include <QWidget>

#include "core/formats/run_settings.h"

#include "editor/document/gesture.h"

class QComboBox;
class QFormLayout;
class QGridLayout;
class QLabel;
class QLayout;
class QLineEdit;
class QSpinBox;

namespace tessera {

class Document;
class ErrorLabel;

class RunPanel : public QWidget {
  Q_OBJECT

 public:
  explicit RunPanel(Document& document, QWidget* parent = nullptr);
  QLineEdit* source(int64_t argument) const;  // null: there is no such argument
  QString sourceError(int64_t argument) const;
  QComboBox* backend() const { return backend_; }
  QSpinBox* threads() const { return threads_; }
  QSpinBox* replicas() const { return replicas_; }
  QLineEdit* seed() const { return seed_; }
  QString command() const;
  void copyCommand() const;
  static QString customCallStub();

 private:
  struct Line {
    QLineEdit* field;
    ErrorLabel* error;
  };
  void makeFields();
  QLayout* makeArguments();
  void addFile(QFormLayout* form, const QString& label, QLineEdit*& field, std::string RunSettings::*member);
  void begin();  // with another document
  void show();
  void rebuildArguments();
  void typed(int64_t argument, const QString& text);
  void browse(int64_t argument);
  template <class Change>
  void change(const QString& title, Change make, StepKey key = {});

  Document& document_;
  QComboBox* backend_;
  QSpinBox *threads_, *replicas_, *partitions_;
  QLineEdit *seed_, *infeed_, *outfeed_, *library_;
  QWidget* arguments_;
  QGridLayout* grid_;
  QLabel* command_;
  QList<Line> lines_;
  QStringList shown_;  // names and shapes of the arguments that have a line
  int64_t typing_ = -1;
  Gesture gesture_;  // in the line of an argument
};

}  // namespace tessera
