// What the compiled panel has of a graph: its executable, and the texts of an instruction. Used by compiled_panel
// alone.
#pragma once

#include <QStringList>
#include <memory>
#include <mutex>
#include <optional>

#include "backends/backend.h"
#include "backends/device_tools.h"
#include "editor/panels/compiler/compiled_panel.h"

namespace tessera {

// The panel's tabs behind the steps.
enum Page { kLoops, kIrBefore, kIrAfter, kAssembly, kMachineCode, kPages };

struct CompiledPanel::Program {
  Module source;
  std::unique_ptr<Executable> executable;
  bool isForCard = false;
  mutable std::mutex mutex;                                // listing compiles kernels
  mutable std::optional<Result<MachineCode>> machineCode;  // of a card, once it was asked for
};

struct CompiledPanel::Listing {
  QString steps;
  QStringList pages;
};

}  // namespace tessera
