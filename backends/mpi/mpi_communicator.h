// MpiCommunicator: a rank's end of the devices of a run. Each collective is MPI's own non-blocking one, on the
// communicator of its group; arrays are reduced and gathered in place, and blocks along a dimension move as derived
// types, without being packed. A started collective goes on while the program does other work, until its done. Used by
// mpi_engine.
#pragma once

#include <deque>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "backends/mpi/reductions.h"
#include "backends/mpi/world.h"
#include "core/devices/communicator.h"

namespace tessera::mpi {

class MpiCommunicator final : public Communicator {
 public:
  // reordered: takes the names of instructions whose reductions are not in the order of the group.
  MpiCommunicator(World& world, DeviceGrid grid, HostFeeds feeds, std::set<std::string>& reordered)
      : Communicator(grid, world.rank()), world_(world), feeds_(std::move(feeds)), reordered_(reordered) {}
  ~MpiCommunicator() override;

  Result<DeviceValues> exchange(const Rendezvous& rendezvous, Literal value, const Cancelled& cancelled) override;
  Status send(int64_t channel, int64_t target, Literal value) override;
  Result<Literal> receive(int64_t channel, const Shape& shape, std::string what, const Cancelled& cancelled) override;
  Result<Literal> infeed(const Shape& shape) override { return feeds_.take(device(), shape); }
  Status outfeed(const Literal& value) override { return feeds_.give(device(), value); }
  const CustomCallLibrary* customCalls() const override { return feeds_.customCalls; }

  Result<DeviceValues> allReduce(const Rendezvous& rendezvous, DeviceValues arrays, const DeviceReduction& reduction,
                                 const Cancelled& cancelled) override;
  Result<DeviceValues> reduceScatter(const Rendezvous& rendezvous, DeviceValues arrays,
                                     const DeviceReduction& reduction, int64_t dim, std::span<const Shape> results,
                                     const Cancelled& cancelled) override;
  Result<DeviceValues> allGather(const Rendezvous& rendezvous, DeviceValues arrays, int64_t dim,
                                 std::span<const Shape> results, const Cancelled& cancelled) override;
  Result<Literal> allToAll(const Rendezvous& rendezvous, Literal array, int64_t dim,
                           const Cancelled& cancelled) override;
  Result<DeviceValues> swap(const Rendezvous& rendezvous, DeviceValues arrays, std::span<const Shape> received,
                            const Cancelled& cancelled) override;
  Result<DeviceValues> permute(const Rendezvous& rendezvous, Literal value, const std::vector<int64_t>& targets,
                               const std::vector<int64_t>& sources, const Cancelled& cancelled) override;
  Result<DeviceValues> broadcast(const Rendezvous& rendezvous, DeviceValues arrays,
                                 const Cancelled& cancelled) override;
  Result<std::optional<DeviceValues>> finish(const std::string& ticket, const Cancelled& cancelled) override;

 private:
  // A collective on its way: what it needs until it has ended, and what it gives.
  struct Transfer {
    std::string what;
    std::vector<MPI_Request> requests;
    std::vector<Literal> kept;
    std::vector<std::unique_ptr<ArrayReduction>> reductions;
    DeviceValues results;
  };
  struct Mail {
    Literal array;
    MPI_Request request;
  };

  Result<MPI_Comm> meet(const Rendezvous& rendezvous, std::span<const Literal> arrays, const Cancelled& cancelled);
  // Of this many elements in one call of MPI.
  Status checkCount(const std::string& what, int64_t elements);
  // The results, now or, where there is a ticket and MPI needs nothing of the caller, at finish().
  Result<DeviceValues> end(const Rendezvous& rendezvous, Transfer transfer, const Cancelled& cancelled);
  Result<DeviceValues> wait(Transfer& transfer, const Cancelled& cancelled);
  Result<ArrayReduction*> reductionIn(Transfer& transfer, const Rendezvous& rendezvous,
                                      const DeviceReduction& reduction, ElementType type);
  Result<Literal> receiveArray(int tag, const Shape& shape, const std::string& what, const Cancelled& cancelled);
  int tagOf(int64_t channel) const;

  World& world_;
  HostFeeds feeds_;
  std::set<std::string>& reordered_;
  std::map<std::string, Transfer> started_;  // by ticket
  std::deque<Mail> mail_;                    // sent, not yet gone
};

}  // namespace tessera::mpi
