// Panels: the panels around the canvas of one document. PanelDocks: the docks of the window that hold them; all
// documents share them and their arrangement, and they show the panels of the current one. The docks' object names
// ("inspector", "text", "diagnostics", "profile", "results", "layout", "help", "value", "run", "palette", "compiled",
// "computations", "source", "timeline", "roofline", "memory", "communication", "differences", "numerics", "passes",
// "dump", "watch", "overview", "findings", "warp", "devices") are what sessions and scripts call them. A new panel is a
// row in panels.cpp and a member of Panels.
#pragma once

#include <QHash>
#include <QList>
#include <QString>
#include <span>

class QDockWidget;
class QMainWindow;
class QWidget;

namespace tessera {

class CommunicationPanel;
class CompiledPanel;
class ComputationsPanel;
class DevicesPanel;
class DiagnosticsPanel;
class DiffPanel;
class Document;
class DumpPanel;
class FindingsPanel;
class HelpPanel;
class Inspector;
class LayoutPanel;
class MemoryPanel;
class NumericsPanel;
class OverviewPanel;
class PalettePanel;
class PassesPanel;
class ProfilePanel;
class ResultsPanel;
class RooflinePanel;
class RunPanel;
class SourcePanel;
class TextPanel;
class TimelinePanel;
class ValuePanel;
class WarpPanel;
class WatchPanel;
struct Panels;

inline constexpr auto kLeft = Qt::LeftDockWidgetArea, kRight = Qt::RightDockWidgetArea,
                      kBottom = Qt::BottomDockWidgetArea;

struct PanelPlace {
  const char* name = nullptr;  // null: none
  Qt::DockWidgetArea area = kBottom;
};

class PanelDocks {
 public:
  explicit PanelDocks(QMainWindow& window);  // empty; call show() and arrange()
  ~PanelDocks();

  const QList<QDockWidget*>& all() const { return docks_; }
  QDockWidget* find(const QString& name) const;           // null: none
  bool raise(const QString& name) const;                  // shows the dock in front of its tabs; false: no such panel
  void arrange(std::span<const PanelPlace> shown) const;  // these and no others, at their first sizes
  void giveFirstSizes() const;                            // to those that are shown
  void keepBelow(const QString& name) const;              // what else stands below is hidden
  void moveTo(QDockWidget& dock, Qt::DockWidgetArea area) const;  // behind those that stand there, and to the front
  bool canMoveTo(const QDockWidget& dock, Qt::DockWidgetArea area) const;  // it stands elsewhere
  QList<QDockWidget*> visibleTabsBeside(const QDockWidget& dock) const;    // without itself
  bool isInFront(const QDockWidget& dock) const;                           // seen, and not behind another tab
  void hideAll() const;                                                    // while nothing is open
  void show(const Panels& panels);                                         // instead of another document's

 private:
  struct Taken {
    const QDockWidget* by = nullptr;
    int before = 0;  // the height of the canvas
    int left = -1;   // what it kept; -1: the docks are still gliding
  };
  void giveRoom(QDockWidget* dock, bool visible);
  void giveBackLater(QDockWidget& dock);
  void giveBack(QDockWidget& dock, const Taken& taken) const;
  int canvasHeight() const;
  bool isBelow(const QDockWidget& dock) const;
  QDockWidget* firstBelow() const;
  void setHeightBelow() const;

  QMainWindow& window_;
  QList<QDockWidget*> docks_;
  Taken taken_;
  mutable bool arranging_ = false;  // what is in front changes on the way
};

struct Panels {
  Panels(Document& document, PanelDocks& home);
  ~Panels();

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
  ComputationsPanel* computations;
  SourcePanel* source;
  TimelinePanel* timeline;
  RooflinePanel* roofline;
  MemoryPanel* memory;
  CommunicationPanel* communication;
  DiffPanel* differences;
  NumericsPanel* numerics;
  PassesPanel* passes;
  DumpPanel* dump;
  WatchPanel* watch;
  OverviewPanel* overview;
  FindingsPanel* findings;
  WarpPanel* warp;
  DevicesPanel* devices;

  PanelDocks& home;
  const QList<QDockWidget*>& docks;
  QHash<QString, QWidget*> contents;  // of the docks, by their names

  QDockWidget* find(const QString& name) const { return home.find(name); }
  bool raise(const QString& name) const { return home.raise(name); }
  bool isBusy() const;  // a worker of one of them has not answered
};

}  // namespace tessera
