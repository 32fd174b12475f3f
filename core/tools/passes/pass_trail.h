// A module between its passes, from first to last: of a dump folder, whose files are read when a moment is looked at,
// or of our own pipeline. Used by `tessera passes` and the studio's panel of passes.
#pragma once

#include <atomic>
#include <deque>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"
#include "core/formats/dump_folder.h"
#include "core/hlo/module.h"
#include "core/tools/passes/pass_changes.h"

namespace tessera {

struct PassMoment {
  int64_t number = 0;
  std::string pipeline;
  std::string pass;                // that ran before it; "" at the start of a pipeline
  std::vector<std::string> files;  // of a dump: forms of the same module
  std::string title() const;       // "0009 simplification: algsimp"
};

struct PassCost {
  size_t instructions = 0;
  double flops = 0, bytes = 0;
  int64_t peak = 0;
};

class PassTrail {
 public:
  // The numbered passes of a module, else its stages. `module`: its name, number or both, or a file of it; "": the
  // first that has most passes.
  static Result<PassTrail> ofFolder(const std::filesystem::path& folder, std::string_view module = {});
  // The module alone, before any pass.
  static PassTrail ofStart(const Module& source);
  // passes: by name; none: all. `cancel` is looked at between passes.
  static Result<PassTrail> ofPipeline(const Module& source, const std::vector<std::string>& passes = {},
                                      const std::atomic<bool>* cancel = nullptr);

  const std::string& name() const { return name_; }  // of the module
  const std::vector<PassMoment>& moments() const { return moments_; }
  // Of the folder: "module_0002.jit_step".
  const std::vector<std::string>& otherModules() const { return otherModules_; }
  const std::vector<std::string>& warnings() const { return warnings_; }

  using ModulePtr = std::shared_ptr<const Module>;
  Result<ModulePtr> moduleAt(size_t moment);
  // Against the moment before, or the last before it that can be read; of the first moment: nothing.
  Result<std::shared_ptr<const PassChanges>> changesTo(size_t moment);
  Result<PassCost> costAt(size_t moment);
  // Where the changes to a moment come from.
  Result<size_t> momentBefore(size_t moment);

 private:
  PassTrail() = default;
  Result<ModulePtr> read(size_t moment) const;

  std::filesystem::path folder_;  // empty: our own pipeline
  std::string name_;
  std::vector<PassMoment> moments_;
  std::vector<std::string> warnings_, otherModules_;
  std::vector<ModulePtr> modules_;  // null: not read, or let go again
  std::deque<size_t> kept_;         // of a folder: those in memory, the oldest first
  std::vector<std::shared_ptr<const PassChanges>> changes_;
};

}  // namespace tessera
