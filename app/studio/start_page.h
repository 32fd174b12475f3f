// The page that is shown while no file is open: open, the files used last, and the examples that come with Tessera.
#pragma once

#include <QStringList>
#include <QWidget>

class QVBoxLayout;

namespace tessera {

class StartPage : public QWidget {
  Q_OBJECT

 public:
  explicit StartPage(QWidget* parent = nullptr);
  void setRecentFiles(const QStringList& paths);
  // The folder of examples: beside the program or where it was installed; empty when there is none.
  static QString examplesFolder();

 signals:
  void fileChosen(QString path);
  void openWanted();
  void newWanted();

 private:
  void addExamples(QVBoxLayout* column);

  QVBoxLayout* recent_;
};

}  // namespace tessera
