// WatchedValues: values that the user asked for on their nodes, where the graph is too large to be evaluated after
// every edit. Each is computed alone on the CPU, one after the other, and anew when the graph or its arguments change;
// inside a called computation it is that of the first call. Which they are is kept with the document: what a file
// brings is computed when the user asks for any of it, or runs the file. Used by the canvas and the value panel.
#pragma once

#include <QObject>
#include <map>
#include <memory>
#include <set>
#include <vector>

#include "core/hlo/literal.h"
#include "editor/document/background.h"
#include "editor/document/node_values.h"

namespace tessera {

class Document;

class WatchedValues : public QObject {
  Q_OBJECT

 public:
  WatchedValues(Document& document, Background& background) : document_(document), background_(background) {}

  void watch(const std::vector<InstructionId>& ids);
  void forget(const std::vector<InstructionId>& ids);
  void wake();  // those that came with the file are computed, too
  bool isAwake() const { return state_.awake; }
  bool contains(InstructionId id) const { return state_.watched.contains(id); }
  const std::set<InstructionId>& watched() const { return state_.watched; }
  // What nodes show: a value, that it is being computed, or why it is not there.
  const NodeValues& values() const { return state_.nodes; }
  std::shared_ptr<const Literal> valueOf(InstructionId id) const;  // of the graph as it is; null: it has none
  QString whyNone(InstructionId id) const;                         // empty: it has one, or is not watched
  QString callOf(InstructionId id) const;  // of which call it is; empty: of the entry, or not watched

  bool isComputing() const { return state_.running != nullptr; }
  const Progress& progress() const { return state_.progress; }
  void cancel();  // nodes say so until something changes

  // --- for Document
  void begin();    // another file; says nothing
  void compute();  // all of them, for the graph as it is now
  void take();     // which they are, of the project as it is now; says nothing
  void follow();   // the same, and shows it

 signals:
  void changed();     // values
  void computing();   // or no longer, or another one
  void roomWanted();  // other nodes than before show a value

 private:
  void mark(const std::vector<InstructionId>& ids, bool on);
  NodeValue waiting() const;
  void next();
  void show(InstructionId id, NodeValue value);
  void setRunning(CancelToken token);

  struct State {  // of one file
    std::set<InstructionId> watched;
    bool awake = false;                  // any was asked for since the file was opened
    std::vector<InstructionId> waiting;  // to be computed, the next one at the end
    NodeValues nodes;
    std::map<InstructionId, std::shared_ptr<const Literal>> values;
    CancelToken running;  // null: nothing is being computed
    Progress progress;
  };
  Document& document_;
  Background& background_;
  State state_;
};

}  // namespace tessera
