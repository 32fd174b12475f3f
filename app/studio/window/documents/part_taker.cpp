// See part_taker.h.
#include "app/studio/window/documents/part_taker.h"

#include <QPointer>
#include <QStatusBar>
#include <memory>

#include "app/studio/window/documents/current_document.h"
#include "app/studio/window/documents/document_closer.h"
#include "app/studio/window/documents/pane_area.h"
#include "editor/document/document.h"
#include "editor/document/node_values.h"
#include "editor/document/round_trip.h"
#include "editor/panels/banner.h"

namespace tessera {
namespace {

QString putBackWords() { return QObject::tr("Put back; undo takes it out again"); }

}  // namespace

PartTaker::PartTaker(CurrentDocument& current, PaneArea& area, DocumentCloser& closer, QStatusBar& status,
                     QObject* parent)
    : QObject(parent), current_(current), area_(area), closer_(closer), status_(status) {
  connect(&area_, &PaneArea::added, this, &PartTaker::connectPane);
}

void PartTaker::connectPane(DocumentPane& pane) {
  connect(&pane, &DocumentPane::dropWanted, this, [this, &pane] { closer_.close(pane); });
  connect(&pane, &DocumentPane::putBackDone, this, [this, &pane] {
    if (DocumentPane* whole = area_.paneOf(pane.trip()->whole())) {
      current_.set(*whole);
      whole->binding().followNext();
    }
    status_.showMessage(putBackWords(), 6000);
  });
  connect(&pane.document(), &Document::stepped, this, [this] {
    if (status_.currentMessage() == putBackWords()) status_.clearMessage();
  });
}

// By a worker.
void PartTaker::takeOut() {
  Document& whole = current_.document();
  const QString name = QStringLiteral("%1_part").arg(QString::fromStdString(whole.module().name));
  status_.showMessage(tr("Recording the inputs of the part …"));
  ++taking_;
  const auto work = [module = whole.module(), selection = whole.view().selectedInstructions(),
                     settings = whole.runSettings(), files = whole.filesOfRun(), name]() -> Result<TakenPart> {
    const std::atomic<bool> never = false;
    TESSERA_ASSIGN_OR_RETURN(const std::vector<Literal> arguments, argumentsOf(module, files, settings, never));
    TESSERA_ASSIGN_OR_RETURN(TakenPart part, takePart(module, selection, arguments, name));
    TESSERA_TRY(writePart(part));
    return part;
  };
  pool_.start([this, work, from = QPointer(&whole)] {
    const auto made = std::make_shared<Result<TakenPart>>(work());
    QMetaObject::invokeMethod(
        this, [this, made, from] { openPart(from, std::move(*made)); }, Qt::QueuedConnection);
  });
}

void PartTaker::openPart(Document* whole, Result<TakenPart> part) {
  --taking_;
  status_.clearMessage();
  if (!part) return current_.banner().showMessage(QString::fromStdString(part.error().toString()));
  if (!whole) return;
  const QString file = part->file;
  DocumentPane& pane = area_.add();
  pane.setTrip(std::make_unique<RoundTrip>(*whole, *std::move(part), nullptr));
  pane.document().file().open(file);
}

}  // namespace tessera
