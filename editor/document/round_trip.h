// RoundTrip: a part of a document's graph as a document of its own, with the inputs that it had recorded, to be edited
// and run there, checked against what it was, and put back. Created by the window; shown by RoundTripBar.
#pragma once

#include <QObject>
#include <QPointer>
#include <QString>
#include <QTemporaryDir>
#include <QThreadPool>
#include <memory>
#include <optional>
#include <vector>

#include "backends/side_by_side.h"
#include "core/edit/structure/grouping.h"

namespace tessera {

class Document;

// What is taken out, made and written by a worker.
struct TakenPart {
  Module module;  // as it was
  GroupedSelection place;
  std::vector<Literal> inputs;                  // as the whole graph gives them; empty: not recorded
  QString note;                                 // why not
  size_t between = 0;                           // of the members those that were not selected, but lie between
  std::shared_ptr<const QTemporaryDir> folder;  // with the file; null: it was not written
  QString file;                                 // that a document opens
};
// Inputs are recorded where the part is in the entry computation: the graph is run once with the document's
// arguments. What lies between goes with it. Fails where the selection cannot be cut out.
Result<TakenPart> takePart(const Module& module, std::span<const InstructionId> selection,
                           const std::vector<Literal>& arguments, const QString& name);
// The part as a file of a folder that goes with it, and its inputs as inputs.npz beside it.
Status writePart(TakenPart& part);

class RoundTrip : public QObject {
  Q_OBJECT

 public:
  RoundTrip(Document& whole, TakenPart part, QObject* parent);
  ~RoundTrip() override;

  void setPart(Document* part);
  Document* part() const { return edited_; }
  Document* whole() const { return whole_; }
  const TakenPart& taken() const { return part_; }

  void check();  // runs both in turn; checked() follows
  bool isChecking() const { return busy_; }
  const std::optional<SideBySide>& found() const { return found_; }
  const QString& problem() const { return problem_; }  // why nothing was found; empty: nothing was checked yet
  bool isOutdated() const { return changes_ != checkedChanges_; }  // the part was edited since it was checked last
  // The part as it is now takes the place of what it was. The reason where it does not fit.
  Status putBack();

 signals:
  void checked();  // or what was found became outdated

 private:
  QPointer<Document> whole_, edited_;
  const TakenPart part_;
  QThreadPool pool_;
  std::shared_ptr<std::atomic<bool>> cancel_;
  std::optional<SideBySide> found_;
  QString problem_;
  bool busy_ = false;
  int changes_ = 0, checkedChanges_ = 0;
};

}  // namespace tessera
