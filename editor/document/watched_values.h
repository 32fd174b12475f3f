// WatchedValues: values that the user asked for on their nodes, where the graph is too large to be evaluated after
// every edit. Each is computed alone on the CPU, one after the other, and anew when the graph or its arguments change.
// Used by the canvas and the value panel.
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
  bool contains(InstructionId id) const { return state_.watched.contains(id); }
  const std::set<InstructionId>& watched() const { return state_.watched; }
  // What nodes show: a value, that it is being computed, or why it is not there.
  const NodeValues& values() const { return state_.nodes; }
  std::shared_ptr<const Literal> valueOf(InstructionId id) const;  // of the graph as it is; null: it has none
  QString whyNone(InstructionId id) const;                         // empty: it has one, or is not watched

  bool isComputing() const { return state_.running != nullptr; }
  const Progress& progress() const { return state_.progress; }
  void cancel();  // nodes say so until something changes

  // --- for Document
  void begin();    // another file; says nothing
  void compute();  // all of them, for the graph as it is now

 signals:
  void changed();     // values
  void computing();   // or no longer, or another one
  void roomWanted();  // other nodes than before show a value

 private:
  void next();
  void show(InstructionId id, NodeValue value);
  void setRunning(CancelToken token);

  struct State {  // of one file
    std::set<InstructionId> watched;
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
