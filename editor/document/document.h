// Document: the one open module. It holds the graph with its history, selection and diagnostics; its file, picture, run
// and values are parts of their own. It lives on the UI thread; workers do the rest on snapshots. Used by panels,
// controllers and the main window.
#pragma once

#include <QObject>
#include <QString>
#include <memory>
#include <unordered_map>
#include <vector>

#include "core/edit/edit.h"
#include "core/formats/project.h"
#include "core/picture/plain_graph.h"
#include "core/trust/file_access.h"
#include "editor/document/background.h"
#include "editor/document/document_file.h"
#include "editor/document/edit_queue.h"
#include "editor/document/live_values.h"
#include "editor/document/module_overview.h"
#include "editor/document/module_search.h"
#include "editor/document/node_measures.h"
#include "editor/document/program_run.h"
#include "editor/document/scene_view.h"
#include "editor/document/shown_searches.h"
#include "editor/document/value_fetch.h"
#include "editor/document/watched_values.h"
#include "editor/text/hlo_text.h"

namespace tessera {

// All that an edit adds, for what is selected after it.
inline constexpr InstructionId kAllAdded{InstructionId::kInvalid - 1};

class Document : public QObject {
  Q_OBJECT

 public:
  explicit Document(QObject* parent = nullptr);
  ~Document() override;

  DocumentFile& file() { return file_; }
  const DocumentFile& file() const { return file_; }
  SceneView& view() { return view_; }
  const SceneView& view() const { return view_; }
  ProgramRun& run() { return run_; }
  const ProgramRun& run() const { return run_; }
  LiveValues& live() { return live_; }
  const LiveValues& live() const { return live_; }
  ValueFetch& fetch() { return fetch_; }
  const ValueFetch& fetch() const { return fetch_; }
  WatchedValues& watched() { return watched_; }
  const WatchedValues& watched() const { return watched_; }
  ModuleSearch& search() { return search_; }
  const ModuleSearch& search() const { return search_; }
  ShownSearches& shownSearches() { return shownSearches_; }
  const ShownSearches& shownSearches() const { return shownSearches_; }
  ModuleOverview& overview() { return overview_; }
  const ModuleOverview& overview() const { return overview_; }
  NodeMeasures& measures() { return measures_; }
  const NodeMeasures& measures() const { return measures_; }

  bool isOpen() const { return edits_.hasModule(); }
  const Module& module() const { return edits_.history().current(); }
  uint64_t revision() const { return revision_; }  // another number after every change of the module
  // A Graphviz file: a picture to look at, with an empty module; it is neither run nor edited.
  bool isPlainGraph() const { return state_.plain != nullptr; }
  const std::shared_ptr<const PlainGraph>& plainGraph() const { return state_.plain; }
  const std::shared_ptr<const HloText>& text() const { return state_.text; }
  std::vector<InstructionId> usersOf(InstructionId id) const;

  void select(std::vector<InstructionId> selection);
  const std::vector<InstructionId>& selection() const { return state_.selection; }
  InstructionId selected() const { return state_.selection.empty() ? InstructionId() : state_.selection.front(); }

  // In the background, after what was asked before. selects: what is selected afterwards, new instructions by
  // newInstruction(k), kAllAdded; invalid: what the edit added last. key: of a gesture that goes on (gesture.h).
  void perform(Edit edit, InstructionId selects = {}, StepKey key = {});
  // After the edits that are still being done; what was undone or done again is in stepped().
  void undo() {
    if (!stepTyped(true)) edits_.undo();
  }
  void redo() {
    if (!stepTyped(false)) edits_.redo();
  }
  bool canUndo() const { return edits_.canUndo(); }
  bool canRedo() const { return edits_.canRedo(); }
  QString undoTitle() const { return QString::fromStdString(history().undoTitle()); }
  QString redoTitle() const { return QString::fromStdString(history().redoTitle()); }
  const History& history() const { return edits_.history(); }

  // What is arranged round the graph: places, frames, notes, what is muted. Undone and redone like the graph.
  const Project& project() const { return state_.project; }
  const ProjectPage* page() const;  // of the computation that is shown; null: it has none
  using PageChange = EditQueue::PageChange;
  void arrange(const QString& title, PageChange change);
  void arrange(const QString& title, ComputationId computation, PageChange change);
  // Which way wires run, on every page; places are forgotten.
  void setFlow(PageFlow flow);
  std::vector<InstructionId> muted() const;

  // How the document runs. Changes are steps of the history; key as in perform().
  const RunSettings& runSettings() const { return state_.project.run; }
  void setRunSettings(RunSettings settings, const QString& title, StepKey key = {});

  // What the file names and nobody allowed yet: libraries, feeds, files to read elsewhere. A run needs all of it.
  const std::vector<FileAsk>& asks() const { return state_.asks; }
  // The user says so; for this graph, this place and a library's content as it is, now and in later sessions.
  void allow(const FileAsk& ask);
  // What was allowed, here and for other files; what this document uses comes first.
  std::vector<FileAccess::Granted> allowances() const { return files().granted(runSettings()); }
  void withdraw(const std::string& hash);

  // Of the open module, and before them those of the file that could not be opened last.
  const std::vector<Diagnostic>& diagnostics() const { return state_.diagnostics; }

  void cancel() { run_.cancel(), fetch_.cancel(), watched_.cancel(); }  // a run, and values that were asked for
  // What a user waits for: a file that is read, the run, values that were asked for, an edit, arranging and values on
  // nodes that take long. progressed() tells of changes.
  std::vector<BackgroundTask> tasks();
  bool isBusy() const { return background_.isBusy() || overview_.isWaiting(); }

  // --- for the parts
  void install(OpenedFile file);
  void noteRefused(std::vector<Diagnostic> of);  // a file that could not be opened, here or beside it
  void tellAll();                                // what stands here, for a part that came after it was opened
  void rememberOpenGroups();                     // those that are open now, in the project
  const FileAccess& files() const { return state_.files; }
  FileAccess filesOfRun() const;
  void trustSaved(const std::filesystem::path& folder);  // where the module was just written
  void showAsks(std::vector<FileAsk> asks);

 signals:
  void opened();
  void failed(QString message, tessera::ErrorKind kind);  // one or two sentences; details are in diagnostics()
  void pageChanged();                                     // what is arranged round the graph
  void moduleChanged();                                   // content, not only selection
  // Undo or redo: what was typed comes first. It is read now; where it does not read, the step is its own.
  void stepAsked(bool undo, bool& taken);
  void stepped(const tessera::HistoryStep& step);  // by undo or redo
  void editingChanged(bool editing);               // edits are being done
  void textChanged();
  void selectionChanged();
  void diagnosticsChanged();
  void runSettingsChanged();
  void asksChanged();
  void cancelled(QString what);                     // by the user: nothing is wrong
  void progressed(QString stage, double fraction);  // empty stage: nothing is going on

 private:
  void connectParts();
  void tellProgress();
  void tellSoon();
  void refuse(const OpenedFile& file);
  void inferInBackground();
  void verifyInBackground();
  void printInBackground();
  void edited(const EditResult& result, InstructionId selects);
  bool stepTyped(bool undo) {
    bool taken = false;
    emit stepAsked(undo, taken);
    return taken;
  }
  void moved(const HistoryStep& step);
  void moduleReplaced();
  void noteSelection();
  void restoreSelection();
  void takeProject();  // of the history, with the groups that are open
  void evaluate();     // what nodes show
  void pageReplaced();
  void setDiagnostics(const Diagnostics& found);
  void collectDiagnostics();

  struct State {  // of one file
    Project project;
    FileAccess files;
    std::vector<FileAsk> asks;
    std::shared_ptr<const PlainGraph> plain;  // null: a module is open
    std::shared_ptr<const HloText> text;
    std::vector<InstructionId> selection;
    std::unordered_map<uint64_t, std::vector<InstructionId>> selectionOf;  // the last one of each graph of the history
    std::vector<Diagnostic> refused, read, found, diagnostics;
    mutable std::shared_ptr<const UserTable> users;
    mutable uint64_t usersRevision = 0;
  };
  Background background_;  // first: what the parts started ends before they do
  EditQueue edits_{background_};
  DocumentFile file_{*this, background_};
  SceneView view_{*this, background_};
  ProgramRun run_{*this, background_};
  LiveValues live_{*this, background_};
  ValueFetch fetch_{*this, background_};
  WatchedValues watched_{*this, background_};
  ModuleSearch search_{*this, background_};
  ShownSearches shownSearches_{*this, background_};
  ModuleOverview overview_{*this, background_};
  NodeMeasures measures_{*this, background_};
  State state_;
  uint64_t revision_ = 0;
  bool asksAgain_ = false;  // whether what goes on takes long
};

}  // namespace tessera
