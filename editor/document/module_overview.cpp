// See module_overview.h. One report is made at a time; what changes meanwhile makes the next.
#include "editor/document/module_overview.h"

#include <utility>

#include "core/ops/inference/infer.h"
#include "editor/document/background.h"
#include "editor/document/document.h"
#include "editor/document/priorities.h"

namespace tessera {
namespace {

constexpr int kReportSettleMs = 150;   // after the last edit, where the work is felt
constexpr size_t kQuickReport = 2000;  // instructions

// Costs are those of whole graphs: an open input has no shape.
QString firstVerifyError(const Module& module) {
  const Diagnostics found = verify(module);
  for (const Diagnostic& d : found.items())
    if (d.severity == Severity::Error) return QString::fromStdString(d.message);
  return {};
}

// Without the steps and the timeline, which are long.
std::optional<Profile> timesAlone(const Profile* profile) {
  if (!profile) return std::nullopt;
  Profile out;
  out.module = profile->module;
  out.runs = profile->runs;
  out.totalNs = profile->totalNs;
  out.sources = profile->sources;
  return out;
}

}  // namespace

ModuleReport::ModuleReport(Module of, std::optional<Profile> measured)
    : module(std::move(of)),
      profile(std::move(measured)),
      work(module, profile ? &*profile : nullptr),
      overview(overviewOf(work)),
      scopes(costByScope(work)),
      families(costByScopeFamily(work)),
      findings(findingsOf(work)) {}

struct ModuleOverview::Answer {
  std::shared_ptr<const ModuleReport> report;
  QString problem;
};

ModuleOverview::ModuleOverview(Document& document, Background& background)
    : document_(document), background_(background) {
  soon_.setSingleShot(true);
  soon_.setInterval(kReportSettleMs);
  connect(&soon_, &QTimer::timeout, this, &ModuleOverview::start);
}

void ModuleOverview::begin() {
  group_.clear();
  background_.dispose(std::exchange(report_, nullptr));
  forget();
}

void ModuleOverview::forget() {
  ++version_;
  fresh_ = wanted_ = false;
  problem_.clear();
  emit stale();
}

void ModuleOverview::want() {
  if (fresh_ || wanted_ || !document_.isOpen() || document_.isPlainGraph()) return;
  wanted_ = true;
  if (document_.module().instructionCount() > kQuickReport)
    soon_.start();  // the first picture comes first
  else
    start();
}

void ModuleOverview::start() {
  if (running_ || !wanted_ || !document_.isOpen() || document_.isPlainGraph()) return;
  running_ = true;
  background_.start(kPrinting,
                    [this, module = document_.module(), times = timesAlone(document_.run().profile()),
                     version = version_]() mutable -> Background::Answer {
                      auto answer = std::make_shared<Answer>();
                      answer->problem = firstVerifyError(module);
                      if (answer->problem.isEmpty())
                        answer->report = std::make_shared<const ModuleReport>(std::move(module), std::move(times));
                      return [this, answer, version] {
                        running_ = false;
                        if (version != version_) {
                          background_.dispose(std::move(answer->report));
                          return start();
                        }
                        background_.dispose(std::exchange(report_, std::move(answer->report)));
                        problem_ = answer->problem;
                        fresh_ = true;
                        wanted_ = false;
                        emit changed();
                        describeNow();
                      };
                    });
}

// --- a group

void ModuleOverview::describe(const QString& group) {
  group_ = group;
  ++descriptions_;
  if (group_.isEmpty()) return;
  fresh_ ? describeNow() : want();
}

// Its parts are what opening it would show.
void ModuleOverview::describeNow() {
  const Scene& scene = document_.view().scene();
  if (group_.isEmpty() || !report_ || !scene.view) return;
  background_.startForFile(
      kArrangement,
      [this, report = report_, maker = document_.view().makerOfScene(), computation = scene.computation,
       options = scene.options, group = group_.toStdString(), request = descriptions_]() -> Background::Answer {
        const GraphView view = maker->viewOfParts(computation, options, group);
        auto summary = summaryOf(report->work, view, view.findGroup(group));
        return [this, summary = std::move(summary), request] {
          if (request == descriptions_ && summary) emit described(*summary);
        };
      });
}

}  // namespace tessera
