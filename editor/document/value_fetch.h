// ValueFetch: one value of a document, computed on the CPU where nothing is live. Used by the value panel.
#pragma once

#include <QObject>
#include <QString>
#include <memory>

#include "core/hlo/literal.h"
#include "editor/document/background.h"

namespace tessera {

class Document;

class ValueFetch : public QObject {
  Q_OBJECT

 public:
  ValueFetch(Document& document, Background& background) : document_(document), background_(background) {}

  // In place of a value that is still being computed; fetched() or failed() follows.
  void start(InstructionId id);
  void cancel();  // at once: what the worker still makes is dropped
  bool isRunning() const { return running_ != nullptr; }

  const Progress& progress() const { return progress_; }

  void begin();  // for Document: another file; says nothing

 signals:
  void fetched(tessera::InstructionId id, std::shared_ptr<const tessera::Literal> value);
  void runningChanged();
  void progressed();
  void failed(QString message, tessera::ErrorKind kind);
  void cancelled();

 private:
  void end();

  Document& document_;
  Background& background_;
  CancelToken running_;  // null: nothing is being computed
  Progress progress_;
};

}  // namespace tessera
