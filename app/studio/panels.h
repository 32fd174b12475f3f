// Panels: the docks round the canvas and what stands in them. Their object names ("inspector", "text", "diagnostics",
// "profile", "results", "layout", "help", "value", "run",
// "palette", "compiled") are what sessions and scripts call them.
#pragma once

#include <QHash>
#include <QString>

class QDockWidget;
class QMainWindow;
class QWidget;

namespace tessera {

class CompiledPanel;
class DiagnosticsPanel;
class Document;
class HelpPanel;
class Inspector;
class LayoutPanel;
class PalettePanel;
class ProfilePanel;
class ResultsPanel;
class RunPanel;
class TextPanel;
class ValuePanel;

struct Panels {
  Panels(Document& document, QMainWindow& window);

  Inspector* inspector;
  TextPanel* text;
  DiagnosticsPanel* diagnostics;
  ProfilePanel* profile;
  ResultsPanel* results;
  LayoutPanel* layout;
  HelpPanel* help;
  ValuePanel* value;
  RunPanel* run;
  PalettePanel* palette;
  CompiledPanel* compiled;
  QList<QDockWidget*> docks;

  QDockWidget* find(const QString& name) const;  // null: none
  bool raise(const QString& name) const;         // shows the dock in front of its tabs; false: no such panel
  void arrange(QMainWindow& window) const;       // everything at its first place
  void lower(QMainWindow& window) const;         // what stands below gets its first height, the text in front
  void hideAll() const;                          // while nothing is open

 private:
  struct Taken {
    const QDockWidget* by = nullptr;
    int before = 0;  // the height of the canvas
    int left = -1;   // what it kept; -1: the docks are still gliding
  };
  void giveBackLater(QMainWindow& window, QDockWidget& dock);
  static void giveBack(QMainWindow& window, QDockWidget& dock, const Taken& taken);
  Taken taken_;
  QDockWidget* add(QMainWindow& window, QWidget* panel, const QString& name, const QString& title);
};

}  // namespace tessera
