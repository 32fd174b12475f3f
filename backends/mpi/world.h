// World: all ranks of an MPI run, and how one waits for others. Nothing here blocks inside MPI for another rank: every
// wait polls, takes failures of other ranks, answers where it waits, and ends at the limit. Before values move, the
// members of a collective synchronise: each sends the first of them a description of its collective, and all go on if
// these are equal.
// So a collective that not all reach, or that is another one elsewhere, is an error with both names. Used by
// mpi_communicator and mpi_engine.
#pragma once

#include <mpi.h>

#include <functional>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "backends/engine.h"
#include "backends/mpi/watch.h"

namespace tessera::mpi {

struct Waiting {
  std::string what;
  bool blocked = false;   // another rank must come; else values are on their way
  int64_t waitsFor = -1;  // the rank
};

class World {
 public:
  static Result<std::unique_ptr<World>> open(const EngineOptions& options);
  ~World();
  World(const World&) = delete;
  World& operator=(const World&) = delete;

  int rank() const { return rank_; }
  int ranks() const { return ranks_; }
  MPI_Comm values() const { return values_; }  // of all ranks
  MPI_Comm mail() const { return mail_; }      // of all ranks: sends and receives by channel

  // Until `done` returns true. Fails with what another rank has failed with, at the limit, and when the user cancels.
  Status wait(Waiting waiting, const std::function<bool(Waiting&)>& done, const Cancelled& cancelled);
  Status wait(const std::string& what, std::span<MPI_Request> requests, const Cancelled& cancelled);
  // The members, devices by rank, come to the same; gives what connects them, numbered in their order. `detail` must be
  // equal, too, and is part of the message.
  Result<MPI_Comm> meet(const Rendezvous& rendezvous, const std::string& detail, const Cancelled& cancelled);
  // Tells all ranks, and fails.
  std::unexpected<Diagnostic> fail(Diagnostic failure);
  // MPI's own calls; what is wrong with them is a failure.
  Status check(int code, const std::string& what);

 private:
  World() = default;
  struct Header;
  Status meetAsFirst(const Rendezvous& rendezvous, const Header& own, const Cancelled& cancelled);
  Status meetTheFirst(const Rendezvous& rendezvous, const Header& own, const Cancelled& cancelled);
  Status compare(const Header& own, const Header& other, int64_t rank);
  Result<MPI_Comm> connectionOf(const std::vector<int64_t>& members);
  void drop(std::span<MPI_Request> requests);
  void endTogether();

  int rank_ = 0, ranks_ = 1;
  double waitLimit_ = 0;
  MPI_Comm control_ = MPI_COMM_NULL, values_ = MPI_COMM_NULL, mail_ = MPI_COMM_NULL;
  std::map<std::vector<int64_t>, MPI_Comm> groups_;
  std::unique_ptr<Watch> watch_;
  bool leftUnfinished_ = false;  // a transfer that MPI cannot take back
};

}  // namespace tessera::mpi
