// A process that is terminated from outside, as mpirun ends all ranks when one has died, reports where it was; so does
// one that a call of MPI does not come back to. Used by world.
#pragma once

#include <string>

namespace tessera::mpi {

void speakWhenEnded(int rank, bool json);
// What the process does, for the sentence.
void nowAt(const std::string& what);
// A call of MPI that waits for all ranks and cannot be polled: the process ends with a sentence when it has not come
// back after so many seconds; 0: never.
class CallLimit {
 public:
  CallLimit(double seconds, const std::string& what);
  ~CallLimit();
  CallLimit(const CallLimit&) = delete;
  CallLimit& operator=(const CallLimit&) = delete;
};
// From now on the process ends by itself, at once.
void endUndisturbed();

}  // namespace tessera::mpi
