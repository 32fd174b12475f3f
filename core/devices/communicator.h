// What connects the devices of a run: a Communicator is one device's end of it, handed to ops through EvaluateContext
// and RunOptions. A rendezvous is identified by key and members. An implementation must exchange, send and receive;
// each collective has a default in terms of the exchange; an implementation with a faster one overrides it. DeviceGroup
// (collectives.h) connects threads of one process, backends/mpi connects processes, EchoCommunicator is a device
// without peers.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/hlo/literal.h"
#include "core/hlo/opcode.h"

namespace tessera {

// Devices are numbered replica · partitions + partition, as XLA flattens them.
struct DeviceGrid {
  static constexpr int64_t kMaxDevices = 1024;  // each device of a run is a thread or a process

  int64_t replicas = 1, partitions = 1;
  int64_t count() const { return replicas * partitions; }
  bool fits() const {
    return replicas >= 1 && partitions >= 1 && replicas <= kMaxDevices && partitions <= kMaxDevices &&
           count() <= kMaxDevices;
  }
  std::string text() const;                  // "2 replicas", "8 partitions", "2 replicas of 4 partitions"
  std::string nameOf(int64_t device) const;  // "replica 1, partition 0"
};

// Identifies an exchange: devices take part in the same one when key and members are equal. `what` names the
// instruction in messages.
struct Rendezvous {
  std::string key;
  std::vector<int64_t> members;
  std::string what;
  // Not "": the arrays that a collective gives may come later, until finish(ticket) gives them.
  std::string ticket = {};
};

class CustomCallLibrary;  // core/custom_calls/custom_call_library.h

// The outside of the devices: data that comes and goes, in the order of the instructions that take and give it, and the
// user's own targets of custom calls.
struct HostFeeds {
  // Shape of the data without the token; null: there is no source.
  std::function<Result<Literal>(int64_t device, const Shape&)> infeed;
  std::function<Status(int64_t device, const Literal&)> outfeed;
  const CustomCallLibrary* customCalls = nullptr;

  Result<Literal> take(int64_t device, const Shape& shape) const;
  Status give(int64_t device, const Literal& value) const;
};

using DeviceValues = std::vector<Literal>;  // arrays side by side, or one of each member
using Cancelled = std::function<bool()>;

// How values of several devices become one.
struct DeviceReduction {
  // Arrays of one shape, a device each, folded element by element in their order.
  std::function<Result<Literal>(std::span<const Literal>)> fold;
  std::optional<Opcode> operation;  // what fold applies, where it is one operation whose operands may be swapped
};

class Communicator {
 public:
  Communicator(DeviceGrid grid, int64_t device) : grid_(grid), device_(device) {}
  virtual ~Communicator() = default;
  const DeviceGrid& grid() const { return grid_; }
  int64_t device() const { return device_; }
  int64_t replica() const { return device_ / grid_.partitions; }
  int64_t partition() const { return device_ % grid_.partitions; }

  // Gives every member's value in the order of rendezvous.members; this device must be one of them.
  virtual Result<DeviceValues> exchange(const Rendezvous& rendezvous, Literal value,
                                        const Cancelled& cancelled = {}) = 0;
  // Leaves a value for `target` on a channel; never waits.
  virtual Status send(int64_t channel, int64_t target, Literal value) = 0;
  // The oldest value that was sent to this device on the channel, of this shape; waits for it.
  virtual Result<Literal> receive(int64_t channel, const Shape& shape, std::string what,
                                  const Cancelled& cancelled = {}) = 0;
  virtual Result<Literal> infeed(const Shape& shape) = 0;
  virtual Status outfeed(const Literal& value) = 0;
  // Null: the built-in targets only.
  virtual const CustomCallLibrary* customCalls() const = 0;

  // --- collectives: each array by itself, in the order of the members

  virtual Result<DeviceValues> allReduce(const Rendezvous& rendezvous, DeviceValues arrays,
                                         const DeviceReduction& reduction, const Cancelled& cancelled);
  // results: the shape of each block, cut along `dim`.
  virtual Result<DeviceValues> reduceScatter(const Rendezvous& rendezvous, DeviceValues arrays,
                                             const DeviceReduction& reduction, int64_t dim,
                                             std::span<const Shape> results, const Cancelled& cancelled);
  // results: the shape of each whole, joined along `dim`.
  virtual Result<DeviceValues> allGather(const Rendezvous& rendezvous, DeviceValues arrays, int64_t dim,
                                         std::span<const Shape> results, const Cancelled& cancelled);
  // Block j along `dim` goes to member j; the result is as long.
  virtual Result<Literal> allToAll(const Rendezvous& rendezvous, Literal array, int64_t dim,
                                   const Cancelled& cancelled);
  // Array j goes to member j, and the result has one of each; `received`: their shapes.
  virtual Result<DeviceValues> swap(const Rendezvous& rendezvous, DeviceValues arrays, std::span<const Shape> received,
                                    const Cancelled& cancelled);
  // To each device of `targets`; the result has the value of each device of `sources`.
  virtual Result<DeviceValues> permute(const Rendezvous& rendezvous, Literal value, const std::vector<int64_t>& targets,
                                       const std::vector<int64_t>& sources, const Cancelled& cancelled);
  // The first member's.
  virtual Result<DeviceValues> broadcast(const Rendezvous& rendezvous, DeviceValues arrays, const Cancelled& cancelled);
  // The arrays of a collective that was begun under this ticket; absent: it was done at once.
  virtual Result<std::optional<DeviceValues>> finish(const std::string& ticket, const Cancelled& cancelled);

  // Exchange of values that must have one shape.
  Result<DeviceValues> exchangeAlike(const Rendezvous& rendezvous, Literal value, const Cancelled& cancelled = {});

 protected:
  // This device's number among the members, which are devices of the grid; fails where it is none of them.
  Result<size_t> placeIn(const Rendezvous& rendezvous) const;

 private:
  DeviceGrid grid_;
  int64_t device_;
};

// One device without the others: every member brings what this one brings, a value that is received is the last one
// sent, else zeros. For measuring a device's own work, whose values then mean nothing; collectives of a device alone in
// its grid are exact.
class EchoCommunicator final : public Communicator {
 public:
  explicit EchoCommunicator(DeviceGrid grid = {}, int64_t device = 0, HostFeeds feeds = {})
      : Communicator(grid, device), feeds_(std::move(feeds)) {}
  Result<DeviceValues> exchange(const Rendezvous& rendezvous, Literal value, const Cancelled& cancelled) override;
  Status send(int64_t channel, int64_t target, Literal value) override;
  Result<Literal> receive(int64_t channel, const Shape& shape, std::string what, const Cancelled& cancelled) override;
  Result<Literal> infeed(const Shape& shape) override { return feeds_.take(device(), shape); }
  Status outfeed(const Literal& value) override { return feeds_.give(device(), value); }
  const CustomCallLibrary* customCalls() const override { return feeds_.customCalls; }

 private:
  HostFeeds feeds_;
  std::map<int64_t, Literal> sent_;  // by channel
};

// Copies `count` indices of dimension `dim` (all of the others) between dense arrays of equal other dimensions.
void copyBlock(const Literal& from, int64_t fromStart, Literal& to, int64_t toStart, int64_t dim, int64_t count);

}  // namespace tessera
