// See round_trip.h.
#include "editor/document/round_trip.h"

#include "backends/value_compare.h"
#include "core/evaluate/argument_rules.h"
#include "core/formats/file_content.h"
#include "core/formats/hlo_text.h"
#include "core/formats/npz.h"
#include "editor/document/document.h"
#include "editor/document/node_values.h"

namespace tessera {
namespace {

// Leaves of the inputs in order, as the part's arguments are.
Result<std::vector<Literal>> recorded(const Module& module, const GroupedSelection& place,
                                      const std::vector<Literal>& arguments) {
  for (InstructionId id : place.inputs)
    if (!module.shapeOf(id).isArray()) return fail("an input of the part is no array");
  if (place.inputs.empty()) return std::vector<Literal>();
  return valuesOf({&module, "cpu", arguments}, place.inputs);
}

// Those that were recorded, else what a run of the part takes.
Result<std::vector<Literal>> argumentsOf(const TakenPart& part, const FileAccess& files, const RunSettings& settings,
                                         const std::atomic<bool>& cancel) {
  return part.inputs.empty() ? argumentsOf(part.module, files, settings, cancel) : part.inputs;
}

}  // namespace

Status writePart(TakenPart& part) {
  auto folder = std::make_shared<const QTemporaryDir>();
  if (!folder->isValid()) return fail({.kind = ErrorKind::Output, .message = folder->errorString().toStdString()});
  part.file = folder->filePath(QStringLiteral("%1.hlo").arg(QString::fromStdString(part.module.name)));
  TESSERA_TRY(writeFileAtomically(part.file.toStdString(), printHloText(part.module)));
  if (!part.inputs.empty())
    TESSERA_TRY(
        writeNpz(folder->filePath(QStringLiteral("inputs.npz")).toStdString(), namedLeaves(part.inputs, "arg")));
  part.folder = std::move(folder);
  return {};
}

Result<TakenPart> takePart(const Module& module, std::span<const InstructionId> selection,
                           const std::vector<Literal>& arguments, const QString& name) {
  const std::vector<InstructionId> whole = withBetween(module, selection);
  TESSERA_ASSIGN_OR_RETURN(GroupedSelection place, groupingOf(module, whole));
  TESSERA_ASSIGN_OR_RETURN(Module part, selectionAsModule(module, whole, name.toStdString()));
  TakenPart out{.module = std::move(part), .place = std::move(place), .between = whole.size() - selection.size()};
  if (out.place.home != module.entry()) {
    out.note = QObject::tr("it stands in a called computation: its inputs are default values");
    return out;
  }
  auto inputs = recorded(module, out.place, arguments);
  if (inputs)
    out.inputs = *std::move(inputs);
  else
    out.note = QObject::tr("its inputs are default values: %1").arg(QString::fromStdString(inputs.error().toString()));
  return out;
}

RoundTrip::RoundTrip(Document& whole, TakenPart part, QObject* parent)
    : QObject(parent), whole_(&whole), part_(std::move(part)) {
  pool_.setMaxThreadCount(1);
}

RoundTrip::~RoundTrip() {
  if (cancel_) *cancel_ = true;
  pool_.waitForDone();
}

void RoundTrip::setPart(Document* part) {
  edited_ = part;
  connect(part, &Document::moduleChanged, this, [this] {
    ++changes_;
    if (found_ || !problem_.isEmpty()) emit checked();
  });
}

void RoundTrip::check() {
  if (busy_ || !edited_ || !edited_->isOpen()) return;
  found_.reset();
  problem_.clear();
  checkedChanges_ = changes_;
  cancel_ = std::make_shared<std::atomic<bool>>(false);
  busy_ = true;
  SideBySideOptions options;
  options.threads = static_cast<int>(edited_->runSettings().threads);
  options.cancel = cancel_.get();
  const auto run = [this, cancel = cancel_, options, after = edited_->module(), files = edited_->filesOfRun(),
                    settings = edited_->runSettings()]() -> Result<SideBySide> {
    TESSERA_ASSIGN_OR_RETURN(const std::vector<Literal> arguments, argumentsOf(part_, files, settings, *cancel));
    return runSideBySide(part_.module, after, arguments, options);
  };
  pool_.start([this, run] {
    auto made = std::make_shared<Result<SideBySide>>(run());
    QMetaObject::invokeMethod(
        this,
        [this, made] {
          busy_ = false;
          if (*made)
            found_ = **std::move(made);
          else
            problem_ = QString::fromStdString(made->error().toString());
          emit checked();
        },
        Qt::QueuedConnection);
  });
}

Status RoundTrip::putBack() {
  if (!whole_ || !edited_) return fail("the document that it came from is closed");
  for (InstructionId id : part_.place.members)
    if (!whole_->module().contains(id))
      return fail("the graph that it came from has changed there: what was taken out is gone");
  const Edit edit{"Put a part back", {ReplaceGroup{part_.place.members, printHloText(edited_->module())}}};
  const auto tried = apply(whole_->module(), edit);  // an error is reported before anything is changed
  if (!tried) return std::unexpected(tried.error());
  whole_->run().keepTimesOverNextEdit();
  whole_->perform(edit);
  return {};
}

}  // namespace tessera
