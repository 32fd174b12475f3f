// See world.h.
#include "backends/mpi/world.h"

#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <numeric>

#include "backends/mpi/last_signal.h"

namespace tessera::mpi {
namespace {

enum BarrierTag : int { kArrival = 10, kGo = 11 };

constexpr double kEndLimit = 10;  // seconds for the others to come to the end after a failure

uint64_t hashOf(const std::string& text) {
  uint64_t hash = 14695981039346656037u;  // FNV-1a: the same in every process
  for (unsigned char c : text) hash = (hash ^ c) * 1099511628211u;
  return hash;
}

void copyText(std::span<char> to, const std::string& text) {
  const size_t length = std::min(to.size() - 1, text.size());
  std::memcpy(to.data(), text.data(), length);
  to[length] = '\0';
}

// Spins at first, then leaves the processor to others: there may be more ranks than cores. A transfer goes on only
// while somebody polls, so that it never sleeps.
void rest(int64_t turn, bool blocked) {
  constexpr int64_t kSpins = 200, kYields = 2000;
  if (turn < kSpins) return;
  if (turn < kYields || !blocked)
    ::sched_yield();
  else
    ::usleep(turn < 2 * kYields ? 50 : 500);
}

}  // namespace

// What a rank has come for.
struct World::Header {
  uint64_t meeting = 0, detail = 0;  // hashes of the meeting's key and members, and of the detail
  char what[200] = {}, words[400] = {};
};

Result<std::unique_ptr<World>> World::open(const EngineOptions& options) {
  int provided = 0, initialized = 0;
  MPI_Initialized(&initialized);
  if (initialized) return tessera::fail(ErrorKind::Usage, "one process takes part in one MPI run");
  const CallLimit limit(options.waitLimit, "while the ranks start");
  // The thread that computes is not always the one that began.
  if (MPI_Init_thread(nullptr, nullptr, MPI_THREAD_SERIALIZED, &provided) != MPI_SUCCESS ||
      provided < MPI_THREAD_SERIALIZED)
    return tessera::fail(ErrorKind::Unsupported, "MPI does not start with support for threads");
  std::unique_ptr<World> out(new World);
  MPI_Comm_rank(MPI_COMM_WORLD, &out->rank_);
  MPI_Comm_size(MPI_COMM_WORLD, &out->ranks_);
  for (MPI_Comm* comm : {&out->control_, &out->values_, &out->mail_}) {
    MPI_Comm_dup(MPI_COMM_WORLD, comm);
    MPI_Comm_set_errhandler(*comm, MPI_ERRORS_RETURN);
  }
  out->waitLimit_ = options.waitLimit;
  out->watch_ = std::make_unique<Watch>(out->control_, out->rank_, out->ranks_);
  speakWhenEnded(out->rank_, options.json);
  nowAt("before the run");
  return out;
}

World::~World() {
  if (watch_->failure()) endTogether();
  watch_.reset();
  endUndisturbed();
  // A process that ends without it is told by mpirun; with a transfer that is still open it would wait.
  const CallLimit limit(waitLimit_, "while the ranks end");
  if (!leftUnfinished_) MPI_Finalize();
}

// Every rank says its failure before the first one ends, since mpirun then ends the others.
void World::endTogether() {
  MPI_Request request = MPI_REQUEST_NULL;
  if (MPI_Ibarrier(control_, &request) != MPI_SUCCESS) return;
  const Clock::time_point begin = Clock::now();
  int done = 0;
  const double limit = waitLimit_ > 0 ? std::min(kEndLimit, waitLimit_) : kEndLimit;
  for (int64_t turn = 0; !done && secondsSince(begin) < limit; ++turn) {
    MPI_Test(&request, &done, MPI_STATUS_IGNORE);
    watch_->serve(0);
    rest(turn, true);
  }
  leftUnfinished_ = leftUnfinished_ || !done;
}

std::unexpected<Diagnostic> World::fail(Diagnostic failure) {
  watch_->fail(failure);
  return std::unexpected(std::move(failure));
}

Status World::check(int code, const std::string& what) {
  if (code == MPI_SUCCESS) return {};
  char text[MPI_MAX_ERROR_STRING] = {};
  int length = 0;
  MPI_Error_string(code, text, &length);
  return fail({.kind = ErrorKind::Runtime, .message = what + ": MPI fails: " + text});
}

Status World::wait(Waiting waiting, const std::function<bool(Waiting&)>& done, const Cancelled& cancelled) {
  const Clock::time_point begin = Clock::now();
  constexpr int64_t kServed = 64;  // turns between two looks at what others say
  for (int64_t turn = 0; !done(waiting); ++turn) {
    rest(turn, waiting.blocked);
    if (turn == 0) {
      ++watch_->now.number;
      watch_->now.blocked = waiting.blocked;
      watch_->now.set(waiting.what);
      nowAt("while it waits at " + waiting.what);
    }
    watch_->now.waitsFor = waiting.waitsFor;
    if (turn % kServed != kServed - 1) continue;
    const double seconds = secondsSince(begin);
    watch_->serve(seconds);
    if (watch_->failure()) return std::unexpected(*watch_->failure());
    if (cancelled && cancelled()) return fail(failCancelled().error());
    if (waitLimit_ > 0 && seconds > waitLimit_)
      return fail({.kind = ErrorKind::Runtime,
                   .message = "rank " + std::to_string(rank_) + " has waited at " + waiting.what +
                              (waiting.waitsFor >= 0 ? " for rank " + std::to_string(waiting.waitsFor) : "") +
                              " for longer than the limit of " + std::to_string(static_cast<int64_t>(waitLimit_)) +
                              " s"});
  }
  if (watch_->now.blocked) nowAt("after " + waiting.what);
  watch_->now.blocked = false;
  return {};
}

Status World::wait(const std::string& what, std::span<MPI_Request> requests, const Cancelled& cancelled) {
  int code = MPI_SUCCESS;
  const auto done = [&](Waiting&) {
    int flag = 0;
    code = MPI_Testall(static_cast<int>(requests.size()), requests.data(), &flag, MPI_STATUSES_IGNORE);
    return flag != 0 || code != MPI_SUCCESS;
  };
  if (Status waited = wait({what}, done, cancelled); !waited) {
    leftUnfinished_ = true;
    return waited;
  }
  return check(code, what);
}

// Messages that have not come are no longer wanted.
void World::drop(std::span<MPI_Request> requests) {
  for (MPI_Request& request : requests) {
    if (request == MPI_REQUEST_NULL) continue;
    MPI_Cancel(&request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
  }
}

Status World::compare(const Header& own, const Header& other, int64_t rank) {
  if (own.meeting == other.meeting && own.detail == other.detail) return {};
  const std::string here = "rank " + std::to_string(rank_), there = "rank " + std::to_string(rank);
  std::string message = here + " waits at " + own.what + " for " + there + ", which waits at " + other.what;
  if (own.meeting == other.meeting)
    message = std::string(own.what) + " differs: " + here + " has " + own.words + ", " + there + " has " + other.words;
  return fail({.kind = ErrorKind::Runtime, .message = std::move(message)});
}

// Everybody's header comes here; then everybody may go.
Status World::meetAsFirst(const Rendezvous& rendezvous, const Header& own, const Cancelled& cancelled) {
  const auto& members = rendezvous.members;
  std::vector<Header> headers(members.size());
  std::vector<MPI_Request> requests(members.size(), MPI_REQUEST_NULL);
  for (size_t i = 1; i < members.size(); ++i)
    MPI_Irecv(&headers[i], sizeof(Header), MPI_BYTE, static_cast<int>(members[i]), kArrival, control_, &requests[i]);
  // In the order of arrival, so that a rank that has come for something else is told at once.
  Status differs;
  const auto arrived = [&](Waiting& waiting) {
    bool all = true;
    for (size_t i = 1; i < members.size(); ++i) {
      if (requests[i] == MPI_REQUEST_NULL) continue;
      int flag = 0;
      MPI_Test(&requests[i], &flag, MPI_STATUS_IGNORE);
      if (flag && differs) differs = compare(own, headers[i], members[i]);
      if (!flag && all) waiting.waitsFor = members[i];
      all = all && flag;
    }
    return all || !differs;
  };
  const Status waited = wait({own.what, true, -1}, arrived, cancelled);
  drop(requests);
  TESSERA_TRY(waited);
  TESSERA_TRY(differs);
  for (size_t i = 1; i < members.size(); ++i) watch_->send("", 0, static_cast<int>(members[i]), kGo);
  return {};
}

Status World::meetTheFirst(const Rendezvous& rendezvous, const Header& own, const Cancelled& cancelled) {
  const auto first = static_cast<int>(rendezvous.members[0]);
  watch_->send(&own, sizeof own, first, kArrival);
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Irecv(nullptr, 0, MPI_BYTE, first, kGo, control_, &request);
  const auto may = [&](Waiting&) {
    int flag = 0;
    MPI_Test(&request, &flag, MPI_STATUS_IGNORE);
    return flag != 0;
  };
  const Status waited = wait({own.what, true, first}, may, cancelled);
  drop(std::span(&request, 1));
  return waited;
}

Result<MPI_Comm> World::meet(const Rendezvous& rendezvous, const std::string& detail, const Cancelled& cancelled) {
  if (watch_->failure()) return std::unexpected(*watch_->failure());
  std::string key = rendezvous.key;
  for (int64_t member : rendezvous.members) key += " " + std::to_string(member);
  Header own{hashOf(key), hashOf(detail)};
  copyText(own.what, rendezvous.what);
  copyText(own.words, detail);
  if (rendezvous.members.size() > 1)
    TESSERA_TRY(rendezvous.members[0] == rank_ ? meetAsFirst(rendezvous, own, cancelled)
                                               : meetTheFirst(rendezvous, own, cancelled));
  return connectionOf(rendezvous.members);
}

// All members are here, so that a call which waits for all of them ends.
Result<MPI_Comm> World::connectionOf(const std::vector<int64_t>& members) {
  const auto known = groups_.find(members);
  if (known != groups_.end()) return known->second;
  std::vector<int64_t> all(static_cast<size_t>(ranks_));
  std::iota(all.begin(), all.end(), 0);
  if (members == all) return groups_[members] = values_;
  const std::vector<int> numbers(members.begin(), members.end());
  MPI_Group world = MPI_GROUP_NULL, group = MPI_GROUP_NULL;
  MPI_Comm comm = MPI_COMM_NULL;
  MPI_Comm_group(values_, &world);
  MPI_Group_incl(world, static_cast<int>(numbers.size()), numbers.data(), &group);
  const CallLimit limit(waitLimit_, "while ranks are connected");
  const int code = MPI_Comm_create_group(values_, group, numbers[0], &comm);
  MPI_Group_free(&group);
  MPI_Group_free(&world);
  TESSERA_TRY(check(code, "connecting " + std::to_string(members.size()) + " ranks"));
  MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
  return groups_[members] = comm;
}

}  // namespace tessera::mpi
