// EditQueue: the steps of a document's history, done one after the other in the order in which they were asked for:
// edits by a worker on a copy, arrangement, run settings, undo and redo at once. Used by Document, which tells the rest
// of the editor what changed.
#pragma once

#include <QElapsedTimer>
#include <QObject>
#include <QString>
#include <deque>
#include <functional>
#include <optional>
#include <variant>

#include "core/edit/edit.h"

namespace tessera {

class Background;

// What undo or redo left.
struct HistoryStep {
  Module before;
  Project arranged;  // before as well
  QString title;
  bool undone = false, graphChanged = false;
};

class EditQueue : public QObject {
  Q_OBJECT

 public:
  using PageChange = std::function<void(ProjectPage&)>;

  explicit EditQueue(Background& background);
  ~EditQueue() override;

  void begin(Module module, Project project);    // another file; says nothing
  bool replaceUnedited(const Module& inferred);  // false: an edit came first
  bool hasModule() const { return history_.has_value(); }
  bool isEmpty() const { return waiting_.empty(); }
  bool isEditing() const { return editing_; }
  // The edit that is being done takes so long.
  bool editsFor(int ms) const { return editing_ && since_.hasExpired(ms); }
  void cancelEdit();  // it leaves nothing; what waits behind it follows
  const History& history() const { return *history_; }

  void perform(Edit edit, InstructionId selects, StepKey key);
  void arrange(const QString& title, std::string computation, PageChange change);
  void setFlow(const QString& title, PageFlow flow);  // of all pages, which are arranged anew
  void setRun(const QString& title, RunSettings settings, StepKey key);
  void undo();
  void redo();
  bool canUndo() const { return history_ && (history_->canUndo() || editing_); }
  bool canRedo() const;

 signals:
  void edited(const tessera::EditResult& result, tessera::InstructionId selects);
  void refused(const tessera::Diagnostic& why);
  void pageArranged(bool mutes);  // mutes: others are muted than before
  void runSet();
  void stepped(const tessera::HistoryStep& step);
  void editingChanged(bool editing);
  void cancelled();

 private:
  struct GraphStep {
    Edit edit;
    InstructionId selects;
  };
  struct PageStep {
    std::string title, computation;
    PageChange change;
  };
  struct FlowStep {
    std::string title;
    PageFlow flow = PageFlow::ByForm;
  };
  struct RunStep {
    std::string title;
    RunSettings settings;
  };
  struct HistoryMove {
    bool undo;
  };
  struct Waiting {
    std::variant<GraphStep, PageStep, FlowStep, RunStep, HistoryMove> step;
    StepKey key = {};
  };
  void enqueue(Waiting waiting);
  void startNext();
  void start(GraphStep step, StepKey key);
  void dropItsUndo();
  void finish(History history, const Result<EditResult>& result, InstructionId selects);
  void doStep(const PageStep& step, StepKey key);
  void doStep(const FlowStep& step, StepKey key);
  void doStep(const RunStep& step, StepKey key);
  void doStep(const HistoryMove& step, const StepKey& key);
  void setEditing(bool editing);

  Background& background_;
  std::optional<History> history_;
  std::deque<Waiting> waiting_;
  bool editing_ = false;
  uint64_t request_ = 0;  // an answer to an older one is dropped
  QElapsedTimer since_;   // of the edit that is being done
};

}  // namespace tessera
