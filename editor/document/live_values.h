// LiveValues: while a graph is small enough it is evaluated after every edit, in the call that is looked at, and nodes
// show their values. Used by the canvas, the value panel, the bars that play and choose a call.
#pragma once

#include <QElapsedTimer>
#include <QObject>
#include <QString>
#include <map>
#include <memory>
#include <vector>

#include "core/evaluate/trace.h"
#include "core/hlo/literal.h"
#include "editor/document/background.h"
#include "editor/document/node_values.h"

namespace tessera {

class Document;

class LiveValues : public QObject {
  Q_OBJECT

 public:
  LiveValues(Document& document, Background& background) : document_(document), background_(background) {}

  void setOn(bool on);
  bool isOn() const { return state_.on; }
  const NodeValues& values() const { return state_.values; }
  // The whole value of an instruction in the call that is looked at; null: it has none.
  const Literal* valueOf(InstructionId id) const { return state_.trace ? state_.trace->find(id) : nullptr; }
  const std::shared_ptr<const Trace>& trace() const { return state_.trace; }  // null: nothing was evaluated
  // Why there are no values; empty: there are, or none are wanted.
  const QString& failure() const { return state_.failure; }
  // Instructions of the entry that have none, with what is wrong: an argument that cannot be made, an operation that
  // fails. What does not depend on them has its value.
  const Faults& faults() const { return state_.faults; }
  // Why this one has no value; empty: it has, or nothing is wrong and it is open or was not reached.
  QString whyNone(InstructionId id) const;
  // Which call of a called computation is looked at; the one that is shown or selected gets its first.
  const CallPath& callPath() const { return state_.callPath; }
  void lookInto(CallPath path);
  // Play: these arguments, by leaf, go over what the settings say; those of other shapes do not count.
  void playWith(std::map<int64_t, Literal> arguments);
  const std::map<int64_t, Literal>& played() const { return state_.played; }
  bool showsValuesOf(const Module& module) const { return state_.on && isCheapToRun(module); }

  // --- for Document
  void stop();  // at once: what the worker still makes is dropped
  bool isEvaluating() const { return state_.evaluates; }
  bool evaluatesFor(int ms) const { return state_.evaluates && since_.hasExpired(ms); }
  void begin(bool on);       // another file; says nothing
  void evaluate();           // what is there now, in place of an evaluation that goes on
  void leaveRemovedCalls();  // nobody is shown a way through what an edit or undo took away
  void followSelection();
  void followScene();  // called computations that are opened or closed get or lose their values

 signals:
  void changed();
  void evaluating();  // or no longer

 private:
  struct Found;
  std::vector<ComputationId> calledInSight() const;
  void take(Found& found);
  void setEvaluating(bool on);

  struct State {  // of one file
    bool on = false;
    NodeValues values;
    std::shared_ptr<const Trace> trace;
    QString failure;
    Faults faults;
    std::unordered_map<InstructionId, InstructionId> lacking;  // what has no value, with the fault that it depends on
    CallPath callPath;
    std::vector<ComputationId> inSight;  // called computations whose values were asked for
    std::map<int64_t, Literal> played;
    CancelToken evaluation;
    bool evaluates = false;
  };
  Document& document_;
  Background& background_;
  State state_;
  QElapsedTimer since_;  // of the evaluation that goes on
};

}  // namespace tessera
