// ProgramRun: a document's program compiled, run and profiled by a worker; what came of it and where its time went,
// here or in a profile that another program recorded. Used by the Run menu, the results and profile panels, and the
// scene, which shows the times as heat.
#pragma once

#include <QObject>
#include <QString>
#include <QStringList>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <vector>

#include "core/profile/op_times.h"
#include "core/profile/profile.h"
#include "core/profile/timeline.h"
#include "editor/document/background.h"

namespace tessera {

class Document;

// What a run gave: leaves of the root in order, and how long each phase took.
struct RunOutcome {
  std::vector<Literal> outputs;
  Profile profile;  // of the median run
  std::shared_ptr<const Profile> allRuns;
  std::vector<QString> outputTexts;  // parallel to outputs: values, or their first ones with a summary
  double compileMs = 0, runMs = 0;   // runMs: the median
  int runs = 0;
  int64_t peakBytes = 0;
  QString counters;  // what the processor counted in a run, or why it did not
  // Of all: whose source the settings say, and that inputs.npz beside the file has. The others have default values.
  size_t arguments = 0, argumentsChosen = 0, argumentsFromFile = 0;
  std::vector<std::string> names;    // of what the outputs are, where the root is not complete; else empty
  std::vector<std::string> leftOut;  // instructions that are not complete and did not run
};

// Where the times come from.
struct ProfileOrigin {
  QString words;  // "median of 5 runs, after one to warm up"
  // Of a profile that was opened:
  QString path;
  QString warnings;     // what is odd about it; empty: nothing
  QStringList modules;  // that it holds, the one of the graph first; empty: the graph is none of them
};

class ProgramRun : public QObject {
  Q_OBJECT

 public:
  ProgramRun(Document& document, Background& background) : document_(document), background_(background) {}

  void start();
  // Reads a profile of any kind and lays its times over the graph, in place of a run's. Without a graph, the module of
  // the profile that took longest becomes one, or the one that is asked for (ProfileOrigin::modules).
  void openProfile(const QString& path, const QString& module = {});
  bool isReading() const { return state_.reading != nullptr; }  // a profile
  Progress readingProgress() const { return {tr("Reading %1").arg(state_.readFile), -1}; }
  // At once: what the worker still makes is dropped.
  void cancelReading();
  void cancel();
  // It replaces a part: the times of what it leaves as it is stay, though the program as a whole was never run.
  void keepTimesOverNextEdit() { state_.keepsTimes = true; }
  bool isRunning() const { return state_.running != nullptr; }
  const Progress& progress() const { return state_.progress; }
  const std::optional<RunOutcome>& outcome() const { return state_.outcome; }
  // Of the run, or the one that was opened; null: there is none.
  const Profile* profile() const;
  // What a worker makes of the profile afterwards; null: not yet, or there is none.
  const std::shared_ptr<const OpTimes>& times() const { return state_.times; }
  const std::shared_ptr<const Timeline>& timeline() const { return state_.timeline; }
  const ProfileOrigin& origin() const { return state_.origin; }
  // Of a profile that says which device it is of; else null.
  std::shared_ptr<const DevicePeaks> recordedDevice() const { return state_.device; }
  bool isOwnRun() const { return state_.outcome.has_value() || state_.wasOwnRun; }

  // --- for Document
  void begin();          // another file; says nothing
  void forgetOutcome();  // it is of an older graph; says nothing
  // After a step of the history: the times of the graph that is there again, or what is left of them. False: there are
  // none.
  bool bringBack();

 signals:
  void outcomeChanged();
  void runningChanged();
  void progressed();
  void failed(QString message, tessera::ErrorKind kind);
  void cancelled();
  // After outcomeChanged. hasTimes: of instructions; else nothing but its timeline is shown.
  void profileOpened(QString summary, bool hasTimes);
  void ofAnotherModule(QString path);  // a profile that does not fit the graph and holds its own module
  void analysed();                     // times() and timeline() are there, or gone

 private:
  struct Answer;
  struct OpenedProfile;
  using Analysis = std::pair<std::shared_ptr<const OpTimes>, std::shared_ptr<const Timeline>>;
  using AnalysisWork = std::function<Analysis(const std::shared_ptr<const Module>&)>;
  struct Laid {                      // over one state of the graph
    std::optional<Profile> profile;  // none: its timeline is all that is shown
    ProfileOrigin origin;
    bool own = false;  // of a run
    std::shared_ptr<const DevicePeaks> device = {};
    AnalysisWork work;  // on a worker
  };
  void install(OpenedProfile& opened);
  void keepOnly(Laid laid);  // what was kept before is gone
  void lay(const Laid& laid);
  Laid leftOf(Laid laid) const;
  void endRunning();
  void finish(Answer& answer);
  void analyse(AnalysisWork work);
  void tell(const CancelToken& run, const Progress& progress);

  struct State {  // of one file
    std::optional<RunOutcome> outcome;
    std::optional<Profile> opened;  // of a file, or left of what there was; then there is no outcome
    bool wasOwnRun = false;         // what is left is of a run
    bool keepsTimes = false;        // over the next edit
    std::optional<Laid> left;       // while that is made
    // Times of the last run or of the profile that was opened since, by the state of the graph that they lay over.
    std::map<uint64_t, std::shared_ptr<const Laid>> kept;
    std::shared_ptr<const OpTimes> times;
    std::shared_ptr<const Timeline> timeline;
    ProfileOrigin origin;
    std::shared_ptr<const DevicePeaks> device;
    CancelToken running;  // null: nothing runs
    Progress progress;
    CancelToken reading;  // a profile; null: none
    QString readFile;
  };
  Document& document_;
  Background& background_;
  State state_;
};

}  // namespace tessera
