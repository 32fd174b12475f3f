// See script_views.h.
#include "app/studio/script/script_views.h"

#include <QComboBox>
#include <QPushButton>
#include <QSpinBox>
#include <QTabWidget>
#include <map>

#include "app/studio/preferences/preference_control.h"
#include "app/studio/script/script_gestures.h"
#include "app/studio/window/documents/part_taker.h"
#include "app/studio/window/main_window.h"
#include "app/studio/window/panels.h"
#include "editor/document/document.h"
#include "editor/panels/compare/devices_panel.h"
#include "editor/panels/compare/numerics_panel.h"
#include "editor/panels/compiler/compiled_panel.h"
#include "editor/panels/compiler/pass_strip.h"
#include "editor/panels/compiler/passes_panel.h"
#include "editor/panels/compiler/warp_panel.h"
#include "editor/panels/popups/kept_searches.h"
#include "editor/panels/popups/search_bar.h"
#include "editor/panels/run/device_chooser.h"
#include "editor/panels/run/run_panel.h"
#include "editor/panels/run/watch_panel.h"

namespace tessera {
namespace {

// With itself at another precision, or without one by the CPU against the reference.
Status compareValues(MainWindow& w, const QString& type) {
  QComboBox& choice = *w.panels().numerics->choice();
  const int found = type.isEmpty() ? 0 : choice.findData(type);
  if (found < 0) return refusedGesture(QObject::tr("there is no precision %1").arg(type));
  choice.setCurrentIndex(found);
  w.panels().numerics->compareButton()->click();
  return {};
}

// "LOOK QUERY"; the query is its name, too.
Status keepSearch(MainWindow& w, const QString& words) {
  const QString look = words.section(QLatin1Char(' '), 0, 0), query = words.section(QLatin1Char(' '), 1);
  const auto known = searchLookNamed(look.toStdString());
  if (!known) return fail(ErrorKind::Usage, "keep: no look is named " + look.toStdString());
  KeptSearches& kept = *w.pane().searchBar().kept();
  kept.keep(query, query);
  kept.show(query, *known);
  return {};
}

// Accesses of a warp of the selected instruction's kernels: "BLOCK WARP", both from 0; empty: the first.
Status lookAtWarp(MainWindow& w, const QString& words) {
  const QStringList numbers = words.split(QLatin1Char(' '), Qt::SkipEmptyParts);
  WarpPanel& panel = *w.panels().warp;
  panel.block()->setValue(numbers.value(0).toInt());
  panel.warp()->setValue(numbers.value(1).toInt());
  panel.lookButton()->click();
  return {};
}

// The N-th pass of the Passes panel, from 0, as a click into its strip; "last", and "next" or "previous" of those that
// touched the selection.
Status lookAtPass(MainWindow& w, const QString& which) {
  PassesPanel& panel = *w.panels().passes;
  PassStrip& strip = *panel.strip();
  if (which == QLatin1String("next") || which == QLatin1String("previous")) {
    panel.stepToTouch(which == QLatin1String("next") ? 1 : -1);
    return {};
  }
  bool isNumber = false;
  const int moment = which == QLatin1String("last") ? strip.count() - 1 : which.toInt(&isNumber);
  if (moment < 0 || moment >= strip.count() || !(isNumber || which == QLatin1String("last")))
    return refusedGesture(QObject::tr("there are %1 passes, from 0").arg(strip.count()));
  strip.choose(moment);
  return {};
}

Status showTabNamed(QTabWidget& tabs, const QString& name) {
  for (int tab = 0; tab < tabs.count(); ++tab)
    if (tabs.tabText(tab).compare(name, Qt::CaseInsensitive) == 0 && tabs.isTabVisible(tab)) {
      tabs.setCurrentIndex(tab);
      return {};
    }
  return refusedGesture(QObject::tr("the panel has no tab %1").arg(name));
}

// Of the next run, as the run panel's chooser calls it.
Status chooseDevice(MainWindow& w, const QString& name) {
  DeviceChooser& devices = *w.panels().run->device();
  const int found = devices.findText(name);
  if (found < 0) return refusedGesture(QObject::tr("there is no device %1").arg(name));
  devices.setCurrentIndex(found);
  emit devices.activated(found);
  return {};
}

// By its name in the menu, or with "linear" behind it.
Status measure(MainWindow& w, const QString& words) {
  QString name = words;
  const bool linear = name.endsWith(QLatin1String(" linear"));
  if (linear) name.chop(7);
  const auto found = measureNamed(name.toStdString());
  if (!found) return refusedGesture(QObject::tr("there is no measure %1").arg(name));
  w.document().measures().setLinear(linear);
  w.document().measures().choose(*found);
  return {};
}

const std::map<QString, ViewCommand>& viewCommands() {
  using W = MainWindow&;
  using S = const QString&;
  static const std::map<QString, ViewCommand> table{
      {"measure", measure},
      {"fade-below",
       [](W w, S heat) {
         w.document().measures().setThreshold(heat.toDouble());
         return Status{};
       }},
      {"critical-path",
       [](W w, S on) {
         w.document().measures().showCriticalPath(on != QLatin1String("off"));
         return Status{};
       }},
      {"take-out",
       [](W w, S) {
         w.parts().takeOut();
         return Status{};
       }},
      {"watch",
       [](W w, S steps) {
         WatchPanel& watch = *w.panels().watch;
         watch.watch(w.document().selection());
         watch.steps()->setValue(steps.toInt());
         watch.runButton()->click();
         return Status{};
       }},
      {"compare-values", compareValues},
      {"keep", keepSearch},
      {"compare-devices",
       [](W w, S) {
         w.panels().devices->runButton()->click();
         return Status{};
       }},
      {"warp", lookAtWarp},
      {"source-folder",
       [](W w, S folder) {
         w.preferenceControl().setSourceFolders({folder});
         return Status{};
       }},
      {"pass", lookAtPass},
      {"pass-tab", [](W w, S name) { return showTabNamed(*w.panels().passes->tabs(), name); }},
      {"compiled-tab", [](W w, S name) { return showTabNamed(*w.panels().compiled->tabs(), name); }},
      {"device", chooseDevice},
  };
  return table;
}

}  // namespace

ViewCommand viewCommandNamed(const QString& name) {
  const auto found = viewCommands().find(name);
  return found == viewCommands().end() ? nullptr : found->second;
}

}  // namespace tessera
