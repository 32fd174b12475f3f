// Control messages between ranks: that one has failed, and where each waits. Rank 0 queries all others when
// it has waited for a while itself; when all wait and nothing has moved between two rounds of answers, the run can
// never continue, and all ranks fail with a list of which rank waits for which. Used by world.
#pragma once

#include <mpi.h>

#include <chrono>
#include <deque>
#include <optional>
#include <string>
#include <vector>

#include "core/base/result.h"

namespace tessera::mpi {

using Clock = std::chrono::steady_clock;
double secondsSince(Clock::time_point begin);

// What a rank does now. `number` grows with each wait, so that two answers of the same wait are known as such.
struct Situation {
  int64_t number = 0, waitsFor = -1;  // the rank that it waits for; -1: any
  bool blocked = false;               // needs another rank to come, and does not only transfer
  char what[200] = {};                // the instruction

  void set(const std::string& text);
};

class Watch {
 public:
  Watch(MPI_Comm control, int rank, int ranks);
  ~Watch();
  Watch(const Watch&) = delete;
  Watch& operator=(const Watch&) = delete;

  Situation now;
  const std::optional<Diagnostic>& failure() const { return failure_; }
  // The first failure stays, and goes to all other ranks unless it came from one of them.
  void fail(const Diagnostic& failure);
  // Takes what the others say and answers; `waiting`: for how many seconds this rank has waited.
  void serve(double waiting);
  // Sends bytes that are kept until they have left.
  void send(const void* data, size_t size, int target, int tag);

 private:
  struct Sending {
    std::vector<std::byte> bytes;
    MPI_Request request;
  };
  void takeFailure();
  void answerProbe();
  void probe();
  void takeAnswers();
  void judge();
  std::string describe(int rank) const;

  MPI_Comm control_;
  int rank_, ranks_;
  std::optional<Diagnostic> failure_;
  std::deque<Sending> sending_;
  std::vector<Situation> answers_, before_;  // by rank; of rank 0
  int missing_ = 0;                          // answers
  Clock::time_point asked_ = Clock::now();
};

}  // namespace tessera::mpi
