// Where to begin, beside the first graph and later beside the canvas: build, open a dump, the examples that come with
// Tessera with their pictures, and the files used last. What is not installed is not offered.
#pragma once

#include <QStringList>
#include <QWidget>
#include <optional>
#include <utility>
#include <vector>

#include "core/picture/picture.h"
#include "editor/document/background.h"

class QCommandLinkButton;
class QVBoxLayout;

namespace tessera {

struct Tour;

class StartPage : public QWidget {
  Q_OBJECT

 public:
  explicit StartPage(QWidget* parent = nullptr);
  void setRecentFiles(const QStringList& paths);
  void showThumbnails(Theme theme);  // draws them in the background, as soon as the page is visible
  // The folder of examples: beside the program or where it was installed; empty when there is none.
  static QString examplesFolder();

 signals:
  void fileChosen(QString path);
  void openWanted();
  void newWanted();
  void lessonsWanted();
  void tourWanted(const tessera::Tour& tour);
  void importHelpWanted();

 private:
  void showEvent(QShowEvent* event) override;
  void drawThumbnails();  // those that are wanted and not yet drawn
  void sayWhereLessonsGoOn();
  void addTours(QVBoxLayout* column);
  void addExamples(QVBoxLayout* column);
  void addDumpHelp(QVBoxLayout* column);

  QCommandLinkButton* learn_;
  QVBoxLayout* recent_;
  std::vector<std::pair<QString, QCommandLinkButton*>> examples_;
  std::optional<Theme> wanted_;
  Background background_;
};

}  // namespace tessera
