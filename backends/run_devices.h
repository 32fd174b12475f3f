// The devices of a run as a request sees them: compiled once, run repeatedly. They are threads of this process,
// or this process is one of several ranks of an engine. Used by run_request.
#pragma once

#include <memory>

#include "backends/run_request.h"

namespace tessera {

class RunDevices {
 public:
  virtual ~RunDevices() = default;
  virtual Status compile(const Module& module, Backend& backend) = 0;
  // Milliseconds that it took. profile: where the measurements are added; null: none are made.
  virtual Result<double> run(DeviceArrays& outputs, Profile* profile) = 0;
  // What outfeeds gave in the last run.
  virtual const NamedArrays& outfeed() const = 0;
  // What is known at the end, of all devices together.
  virtual Status measure(RunReport& report) = 0;
};

// Adds what one device reports; what another one has reported, too, is counted there.
void addDeviceReports(RunReport& report, std::vector<DeviceReport> ofDevice);

// Both read the arguments of their devices at once.
Result<std::unique_ptr<RunDevices>> threadDevices(const Module& module, const RunRequest& request, DeviceGrid grid);
// request.engine's.
Result<std::unique_ptr<RunDevices>> rankDevice(const Module& module, const RunRequest& request, DeviceGrid grid);

}  // namespace tessera
