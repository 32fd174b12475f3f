// The first places are few on purpose: what is not among them comes when it is asked for, into a tab beside them.
#include "app/studio/window/workspaces.h"

#include <QLayout>
#include <QMainWindow>
#include <QScreen>
#include <QSettings>

#include "app/studio/window/panels.h"

namespace tessera {
namespace {

constexpr int kDockState = 8;  // another number where docks come or go
constexpr size_t kMostPanels = 4;

struct WorkspaceSpec {
  const char *title, *hint;
  PanelPlace panels[kMostPanels];  // the first of a side is in front
};
constexpr WorkspaceSpec kAll[Workspaces::kCount] = {
    {QT_TRANSLATE_NOOP("tessera::Workspaces", "Build"),
     QT_TRANSLATE_NOOP("tessera::Workspaces", "Edit the graph, its attributes and text"),
     {{"palette", kLeft}, {"inspector", kRight}, {"text", kBottom}, {"results", kBottom}}},
    {QT_TRANSLATE_NOOP("tessera::Workspaces", "Learn"),
     QT_TRANSLATE_NOOP("tessera::Workspaces", "What operations do, and the values they make"),
     {{"inspector", kRight}, {"help", kRight}, {"value", kRight}}},
    {QT_TRANSLATE_NOOP("tessera::Workspaces", "Inspect"),
     QT_TRANSLATE_NOOP("tessera::Workspaces", "Look through a program: its computations, text and layouts"),
     {{"computations", kLeft}, {"inspector", kRight}, {"text", kBottom}, {"layout", kBottom}}},
    {QT_TRANSLATE_NOOP("tessera::Workspaces", "Profile"),
     QT_TRANSLATE_NOOP("tessera::Workspaces", "Where the time of a run goes"),
     {{"profile", kBottom}, {"timeline", kBottom}, {"roofline", kBottom}, {"inspector", kRight}}},
    {QT_TRANSLATE_NOOP("tessera::Workspaces", "Compare"),
     QT_TRANSLATE_NOOP("tessera::Workspaces", "Two documents, or two places of one, side by side"),
     {{"inspector", kRight}, {"differences", kBottom}, {"text", kBottom}, {"compiled", kBottom}}}};

}  // namespace

QString Workspaces::title(int workspace) { return tr(kAll[workspace].title); }
QString Workspaces::hint(int workspace) { return tr(kAll[workspace].hint); }

Workspaces::Workspaces(QMainWindow& window, PanelDocks& docks) : QObject(&window), window_(window), docks_(docks) {
  docks_.arrange(kAll[current_].panels);
}

// Widths of a screen of twice the scale are too wide for another.
QString Workspaces::key() const {
  return QStringLiteral("%1@%2").arg(QLatin1String(kAll[current_].title)).arg(window_.devicePixelRatioF());
}

void Workspaces::remember() {
  if (!hidden_) states_[key()] = window_.saveState(kDockState);
}

void Workspaces::apply() const {
  const QByteArray state = states_.value(key());
  if (state.isEmpty() || !restore(state)) docks_.arrange(kAll[current_].panels);
}

// QMainWindow::restoreState goes through the tab bars and shows each. Showing one lays out the window if that is due,
// which replaces the set that is gone through, and crashes: the layout waits until all are there.
bool Workspaces::restore(const QByteArray& state) const {
  QLayout& layout = *window_.layout();
  layout.setEnabled(false);
  const bool done = window_.restoreState(state, kDockState);
  layout.setEnabled(true);
  return done;
}

void Workspaces::choose(int workspace) {
  if (workspace == current_) return;
  remember();
  const int before = std::exchange(current_, workspace);
  if (!hidden_) apply();
  emit chosen(before, current_);
}

void Workspaces::reset() {
  states_.remove(key());
  if (!hidden_) docks_.arrange(kAll[current_].panels);
}

// A window that was not shown yet has no sizes to remember.
void Workspaces::hidePanels() {
  if (window_.isVisible()) remember();
  hidden_ = true;
  docks_.hideAll();
}

void Workspaces::showPanels() {
  if (std::exchange(hidden_, false)) apply();
}

void Workspaces::read(const QSettings& settings) {
  const QVariantMap kept = settings.value(QStringLiteral("workspaces")).toMap();
  for (auto each = kept.begin(); each != kept.end(); ++each) states_[each.key()] = each.value().toByteArray();
  const QString name = settings.value(QStringLiteral("workspace")).toString();
  for (int i = 0; i < kCount; ++i)
    if (name == QLatin1String(kAll[i].title)) current_ = i;
  apply();
  emit chosen(current_, current_);
}

QVariantMap Workspaces::kept() {
  remember();
  QVariantMap states;
  for (auto each = states_.begin(); each != states_.end(); ++each) states[each.key()] = each.value();
  return {{QStringLiteral("workspaces"), states}, {QStringLiteral("workspace"), QLatin1String(kAll[current_].title)}};
}

}  // namespace tessera
