// CardCollectives: collectives of a program between cards by NCCL, where all members have it and a card each; what it
// has no form for (other reducers, pieces along inner dimensions, ragged exchanges) the host does through the run's
// Communicator, which also brings the members of a group together.
#pragma once

#include <map>
#include <memory>
#include <span>
#include <vector>

#include "backends/backend.h"
#include "backends/cuda/device.h"
#include "backends/cuda/libraries/nccl.h"
#include "core/ops/op.h"

namespace tessera::cuda {

class CardCollectives {
 public:
  void beginRun(Communicator* communicator) { communicator_ = communicator; }
  // After a run that failed, which all members know of: groups are made anew.
  void forget() { groups_.clear(); }
  // False: the host has to do it. Waits until it has ended. operands and results: of the arrays.
  Result<bool> run(const EvaluateContext& context, Device& device, std::span<const DeviceAddress> operands,
                   std::span<const DeviceAddress> results, StreamId stream, const std::atomic<bool>* cancel);

 private:
  struct Call;
  Result<NcclGroup*> groupOf(const EvaluateContext& context, const std::vector<int64_t>& members, Device& device);
  Status wait(NcclGroup& group, Device& device, StreamId stream, const std::atomic<bool>* cancel);

  Communicator* communicator_ = nullptr;
  // Null: its members have no NCCL, or share a card.
  std::map<std::vector<int64_t>, std::unique_ptr<NcclGroup>> groups_;
};

}  // namespace tessera::cuda
