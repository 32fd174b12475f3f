// Engine: what connects the processes of a run that is spread over several. Each process is a rank and computes one
// device; rank 0 prints and writes. "mpi" is a module that is opened at the first request, so that other runs do not
// need MPI. Runs on threads of one process need no engine (core/evaluate/replicas.h). Used by backends/run_request.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "core/devices/communicator.h"

namespace tessera {

struct EngineOptions {
  // Seconds that a rank waits for another one at most; 0: without end. Waits that can never end are found sooner.
  double waitLimit = 300;
  // A process that is ended from outside prints one JSON object, as the program does otherwise.
  bool json = false;
};

class Engine {
 public:
  // Waits briefly until all ranks have ended, also after a failure, so that each can print its error.
  virtual ~Engine() = default;
  virtual int64_t rank() const = 0;
  virtual int64_t ranks() const = 0;
  // This rank as device rank() of the grid. The engine must outlive it.
  virtual std::unique_ptr<Communicator> connect(DeviceGrid grid, HostFeeds feeds) = 0;
  // All ranks come here and bring the same text, or all fail with the two that differ.
  virtual Status agree(const std::string& what, const std::string& text) = 0;
  // The bytes of every rank, at rank 0; nothing elsewhere.
  virtual Result<std::vector<std::string>> gather(const std::string& what, const std::string& bytes) = 0;
  // The largest value that a rank brings.
  virtual Result<double> largest(const std::string& what, double value) = 0;
  // Tells the other ranks, whose next wait fails with it. A failure that came from them is known already.
  virtual void fail(const Diagnostic& failure) = 0;
  // Instructions whose reductions were so far not in the order of the group, which threads keep.
  virtual std::vector<std::string> reordered() const = 0;
};

// "mpi". ErrorKind::Unsupported names what is missing.
Result<std::unique_ptr<Engine>> openEngine(std::string_view name, const EngineOptions& options);

}  // namespace tessera
