// ModuleOverview: what the open module is, where its cost is and what to look at in it (core/overview), worked out by a
// worker while somebody looks, anew after edits and runs. Used by the overview and findings panels and the inspector's
// page of a group.
#pragma once

#include <QObject>
#include <QString>
#include <QTimer>
#include <memory>
#include <optional>
#include <vector>

#include "core/overview/facts.h"
#include "core/overview/findings.h"
#include "core/overview/group_summary.h"

namespace tessera {

class Background;
class Document;

// Of one snapshot; measured where the module ran.
struct ModuleReport {
  ModuleReport(Module of, std::optional<Profile> measured);

  const Module module;
  const std::optional<Profile> profile;  // times only
  const Workload work;
  const Overview overview;
  const CostScope scopes, families;  // by each scope; numbered ones as one
  const std::vector<Finding> findings;
};

class ModuleOverview : public QObject {
  Q_OBJECT

 public:
  ModuleOverview(Document& document, Background& background);

  // Somebody looks: changed() follows, unless the report is there already.
  void want();
  // Of the module as it is, or as it was before the last edit or run while the next one is made; null: there is none.
  const ModuleReport* report() const { return report_.get(); }
  bool isFresh() const { return fresh_; }
  bool isWaiting() const { return soon_.isActive(); }  // for another edit, before it works
  const QString& problem() const { return problem_; }  // why there is none; empty: it is not known yet

  // The group of the computation that is shown; described() follows.
  void describe(const QString& group);

  // --- for Document
  void begin();   // another file
  void forget();  // of another graph, or after a run

 signals:
  void stale();    // what was known is of an older graph; whoever is seen asks again
  void changed();  // report() or problem()
  void described(tessera::GroupSummary summary);

 private:
  struct Answer;
  void start();
  void describeNow();

  Document& document_;
  Background& background_;
  std::shared_ptr<const ModuleReport> report_;
  QString problem_, group_;
  QTimer soon_;  // an edit follows the other
  bool fresh_ = false, wanted_ = false, running_ = false;
  uint64_t version_ = 0, descriptions_ = 0;
};

}  // namespace tessera
