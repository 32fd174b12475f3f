// Document: the one open module with everything that is derived from it: history, selection, picture, text,
// diagnostics, profile and outputs. Lives on the UI thread; reading, inference, arrangement, printing, compiling and
// running are done by workers on snapshots, whose answers come back as queued calls. Before: core and backends; after:
// panels and main window.
#pragma once

#include <QObject>
#include <QString>
#include <QStringList>
#include <QThreadPool>
#include <atomic>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <variant>
#include <vector>

#include "core/edit/edit.h"
#include "core/formats/project.h"
#include "core/picture/picture.h"
#include "core/picture/plain_graph.h"
#include "core/profile/profile.h"
#include "core/trust/file_access.h"
#include "editor/document/node_values.h"
#include "editor/document/scene_maker.h"
#include "editor/text/hlo_text.h"

namespace tessera {

// What a run gave: leaves of the root in order, and how long each phase took.
struct RunOutcome {
  std::vector<Literal> outputs;
  Profile profile;                   // of the quickest run
  std::vector<QString> outputTexts;  // parallel to outputs: values, or their first ones with a summary
  double compileMs = 0, runMs = 0;   // runMs: the quickest
  int runs = 0;
  int64_t peakBytes = 0;
  size_t arguments = 0, argumentsFromFile = 0;  // from inputs.npz beside the file; the others by the fill rule
  std::vector<std::string> names;               // of what the outputs are, where the root is not complete; else empty
  std::vector<std::string> leftOut;             // instructions that are not complete and did not run
};

// What undo or redo left.
struct HistoryStep {
  Module before;
  Project arranged;  // before as well
  QString title;
  bool undone = false;
};

class Document : public QObject {
  Q_OBJECT

 public:
  explicit Document(QObject* parent = nullptr);
  ~Document() override;

  // Reads in the background; opened() or failed() follows. What is open stays until then.
  void open(const QString& path);
  void create();                                // an empty document without a file; opened() follows at once
  void createFrom(const std::string& project);  // the same with the graph of a project file's text, live
  bool isOpen() const { return history_.has_value(); }
  const QString& path() const { return path_; }
  // Files directly in this folder are the program's: what is made of them goes elsewhere, a run's outfeed to the home
  // folder.
  void setProgramFolder(const QString& folder) { programFolder_ = folder; }
  bool isOfProgram() const;
  const Module& module() const { return history_->current(); }
  // A Graphviz file: a picture to look at, with an empty module; it is neither run nor edited.
  bool isPlainGraph() const { return plain_ != nullptr; }

  ComputationId computation() const { return scene_.computation; }
  void showComputation(ComputationId computation);
  void toggleGroup(const QString& group);
  // False when the computation has no such group. Looks for it on the calling thread.
  bool openGroup(const QString& group);
  QStringList groupNames(int most) const;  // of the computation that is shown, outer ones first
  // Opens the groups that hide an instruction (in the computation that shows it) and selects it.
  void reveal(InstructionId id);
  void openAllGroups();
  void closeAllGroups();
  // Whether constants, broadcast numbers and iotas that one input reads stand in their readers.
  void showFields(bool shown);
  bool fieldsShown() const { return fields_; }
  const Scene& scene() const { return scene_; }
  const std::shared_ptr<const HloText>& text() const { return text_; }

  void select(std::vector<InstructionId> selection);
  const std::vector<InstructionId>& selection() const { return selection_; }
  InstructionId selected() const { return selection_.empty() ? InstructionId() : selection_.front(); }
  std::vector<InstructionId> usersOf(InstructionId id) const;

  // In the background, after what was asked before. selects: what is selected afterwards, new instructions by
  // newInstruction(k); invalid: what the edit added last. key: of a gesture that goes on (gesture.h).
  void perform(Edit edit, InstructionId selects = {}, StepKey key = {});
  // After the edits that are still being done; what was undone or done again is in stepped().
  void undo();
  void redo();
  bool canUndo() const { return history_ && (history_->canUndo() || editing_); }
  bool canRedo() const;
  QString undoTitle() const { return QString::fromStdString(history_->undoTitle()); }
  QString redoTitle() const { return QString::fromStdString(history_->redoTitle()); }
  bool isModified() const { return history_ && history_->state() != savedState_; }
  // A file that was saved for another path when a session ended badly: what it holds is not saved there yet.
  void openRecovered(const QString& file, const QString& path);
  // What a person arranged round the graph: places, frames, notes, what is muted. Undone and redone like the graph.
  const Project& project() const { return project_; }
  const ProjectPage* page() const;  // of the computation that is shown; null: nothing is said of it
  using PageChange = std::function<void(ProjectPage&)>;
  void arrange(const QString& title, PageChange change);
  std::vector<InstructionId> muted() const;

  // By the name's ending: a project (.tessera: graph and arrangement), protobuf (.pb, .pbtxt) or HLO text. The last two
  // hold the graph only; what a person placed or wrote round it goes to a sidecar. A graph that is on the disk as it
  // stands is not written again. Fails with the reason.
  Status save(const QString& path);
  bool savesSidecar(const QString& path) const;
  // Whether saving to path() would give another program's file another form: comments and fields that are not kept
  // would go.
  bool wouldRewriteOthers() const;
  Status exportSvg(const QString& path, Theme theme) const;  // the computation that is shown

  // Of the open module, and before them those of the file that could not be opened last.
  const std::vector<Diagnostic>& diagnostics() const { return diagnostics_; }

  void run();
  void cancel();  // the run and the fetch of a value
  bool isRunning() const { return running_; }
  bool isFetching() const { return cancelFetch_ != nullptr; }
  const std::optional<RunOutcome>& outcome() const { return outcome_; }
  const std::optional<Overlay>& overlay() const { return overlay_; }
  void showOverlay(bool shown);
  bool overlayShown() const { return overlayShown_; }

  // Live: while the graph is small enough it is evaluated after every edit, and nodes show their values.
  void setLive(bool live);
  bool isLive() const { return live_; }
  const NodeValues& values() const { return values_; }
  // The whole value of an instruction in the call that is looked at; null: it has none.
  const Literal* valueOf(InstructionId id) const { return trace_ ? trace_->find(id) : nullptr; }
  const std::shared_ptr<const Trace>& trace() const { return trace_; }  // null: nothing was evaluated
  const QString& valuesFailure() const {
    return valuesFailure_;
  }  // why there are no values; empty: there are, or none are wanted
  // Which call of a called computation is looked at; the one that is shown or selected gets its first.
  const CallPath& callPath() const { return callPath_; }
  void lookInto(CallPath path);
  // Computes one value on the CPU where nothing is live, in place of one that is still being computed; fetched()
  // follows.
  void fetchValue(InstructionId id);
  // Play: these arguments, by leaf, go over what the settings say; those of other shapes do not count.
  void playWith(std::map<int64_t, Literal> arguments);
  const std::map<int64_t, Literal>& played() const { return played_; }

  // How the document runs. Changes are steps of the history; key as in perform().
  const RunSettings& runSettings() const { return project_.run; }
  void setRunSettings(RunSettings settings, const QString& title, StepKey key = {});

  // What the file names and nobody allowed yet: libraries, feeds, files to read elsewhere. A run needs all of it.
  const std::vector<FileAsk>& asks() const { return asks_; }
  // The user says so; for this graph, this place and a library's content as it is, now and in later sessions.
  void allow(const FileAsk& ask);

  bool isBusy() const { return pending_ > 0; }

 signals:
  void opened();
  void failed(QString message, tessera::ErrorKind kind);  // one or two sentences; details are in diagnostics()
  void pageChanged();                                     // what is arranged round the graph
  void moduleChanged();                                   // content, not only selection
  void stepped(const tessera::HistoryStep& step);         // by undo or redo
  void editingChanged(bool editing);                      // edits are being done
  void sceneChanged(bool keepView);
  void textChanged();
  void selectionChanged();
  void diagnosticsChanged();
  void outcomeChanged();
  void valuesChanged();
  void runSettingsChanged();
  void asksChanged();
  void fetched(tessera::InstructionId id, std::shared_ptr<const tessera::Literal> value);
  void runningChanged();                            // isRunning() or isFetching()
  void progressed(QString stage, double fraction);  // empty stage: nothing is going on

 private:
  struct Opened;
  struct RunAnswer;
  using Answer = std::function<void()>;

  // Runs `work` on a worker; the answer that it returns is called here.
  void start(int priority, std::function<Answer()> work);
  // The same; the answer is dropped when another file was opened meanwhile.
  void startForModule(int priority, std::function<Answer()> work);
  // Freeing a big module takes longer than a frame may.
  template <class T>
  void dispose(T&& thing) {
    pool_.start([kept = std::make_shared<std::decay_t<T>>(std::forward<T>(thing))] {}, -1);
  }
  void read(const QString& path, std::optional<QString> recovered);
  void install(std::shared_ptr<Opened> opened);
  void inferInBackground();
  void verifyInBackground();
  void printInBackground();
  using SceneWork = std::function<Scene(SceneMaker&, const Overlay*)>;
  void makeScene(bool keepView, SceneWork work);
  void arrangeAgain(bool keepView);
  void redraw();  // with the overlay as it is now
  void moduleReplaced();
  void leaveRemovedComputation();
  void takeProject();  // of the history, with the groups that are open
  void pageReplaced();
  void rememberPage();  // the groups that are open now
  void refuse(const Opened& file);
  void setDiagnostics(const Diagnostics& found);
  void collectDiagnostics();
  void evaluateInBackground();
  void followCall();   // to the computation that is shown or selected
  void followSight();  // called computations that are opened or closed get or lose their values
  std::vector<ComputationId> calledInSight() const;
  std::shared_ptr<SceneMaker> newScenes() const {
    auto made = std::make_shared<SceneMaker>(module(), project_, nullptr, live_ && isCheapToRun(module()));
    made->setFields(fields_);
    return made;
  }
  void finishRun(std::shared_ptr<RunAnswer> answer);
  void showAsks(std::vector<FileAsk> asks);
  FileAccess filesOfRun() const;

  QThreadPool pool_;
  QString path_, programFolder_;
  std::optional<History> history_;
  std::shared_ptr<SceneMaker> scenes_;
  Project project_;
  std::shared_ptr<const PlainGraph> plain_;  // null: a module is open
  Scene scene_;
  std::shared_ptr<const HloText> text_;
  std::vector<InstructionId> selection_;
  std::vector<Diagnostic> refused_, readDiagnostics_, foundDiagnostics_, diagnostics_;
  mutable std::shared_ptr<const UserTable> users_;
  mutable uint64_t usersRevision_ = 0;
  std::optional<RunOutcome> outcome_;
  std::optional<Overlay> overlay_;
  bool overlayShown_ = true, running_ = false, editing_ = false, live_ = false, fields_ = true;
  // What waits for the edit that is being done.
  struct GraphStep {
    Edit edit;
    InstructionId selects;
  };
  struct PageStep {
    std::string title, computation;
    PageChange change;
  };
  struct RunStep {
    std::string title;
    RunSettings settings;
  };
  struct HistoryMove {
    bool undo;
  };
  struct Waiting {
    std::variant<GraphStep, PageStep, RunStep, HistoryMove> step;
    StepKey key = {};
  };
  void enqueue(Waiting waiting);
  void startNextStep();
  void start(GraphStep step, StepKey key);
  void finish(History history, const Result<EditResult>& result, InstructionId selects);
  void setEditing(bool editing);
  void changePage(const PageStep& step, StepKey key);
  void changeRun(const RunStep& step, StepKey key);
  void moveInHistory(bool undo);
  std::deque<Waiting> waiting_;
  bool holdsGraph(const std::filesystem::path& file) const;
  uint64_t savedState_ = 0, savedGraph_ = 0;  // of the history
  bool ownFile_ = false;                      // written by this document
  NodeValues values_;
  std::shared_ptr<const Trace> trace_;
  QString valuesFailure_;
  CallPath callPath_;
  std::vector<ComputationId> inSight_;  // called computations whose values were asked for
  std::map<int64_t, Literal> played_;
  FileAccess files_;
  std::vector<FileAsk> asks_;
  using CancelToken = std::shared_ptr<std::atomic<bool>>;
  CancelToken cancelValues_, cancelRun_;
  CancelToken cancelFetch_;   // null: no value is being fetched
  uint64_t openRequest_ = 0;  // files chosen
  uint64_t generation_ = 0;   // files opened
  uint64_t revision_ = 0;     // of the module
  uint64_t sceneRequest_ = 0, sceneShown_ = 0;
  int pending_ = 0;
};

}  // namespace tessera
