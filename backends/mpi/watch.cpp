// See watch.h.
#include "backends/mpi/watch.h"

#include <algorithm>
#include <cstring>

namespace tessera::mpi {
namespace {

enum Tag : int { kFailure = 1, kProbe = 2, kAnswer = 3 };

constexpr double kPatience = 0.5;  // seconds of waiting before rank 0 asks, and between two rounds

struct FailureNote {
  ErrorKind kind;
  char message[1000];
};

void copyText(char* to, size_t size, const std::string& text) {
  const size_t length = std::min(size - 1, text.size());
  std::memcpy(to, text.data(), length);
  to[length] = '\0';
}

// A message with this tag, if one is there.
template <class Note>
std::optional<Note> received(MPI_Comm comm, Tag tag, int* from = nullptr) {
  int flag = 0;
  MPI_Status status;
  MPI_Iprobe(MPI_ANY_SOURCE, tag, comm, &flag, &status);
  if (!flag) return std::nullopt;
  Note note{};
  MPI_Recv(&note, sizeof note, MPI_BYTE, status.MPI_SOURCE, tag, comm, MPI_STATUS_IGNORE);
  if (from) *from = status.MPI_SOURCE;
  return note;
}

}  // namespace

double secondsSince(Clock::time_point begin) { return std::chrono::duration<double>(Clock::now() - begin).count(); }

void Situation::set(const std::string& text) { copyText(what, sizeof what, text); }

Watch::Watch(MPI_Comm control, int rank, int ranks)
    : control_(control), rank_(rank), ranks_(ranks), answers_(static_cast<size_t>(ranks)) {}

Watch::~Watch() {
  for (Sending& sending : sending_) MPI_Request_free(&sending.request);
}

void Watch::send(const void* data, size_t size, int target, int tag) {
  std::erase_if(sending_, [](Sending& sending) {
    int done = 0;
    MPI_Test(&sending.request, &done, MPI_STATUS_IGNORE);
    return done != 0;
  });
  const auto* bytes = static_cast<const std::byte*>(data);
  Sending& sending = sending_.emplace_back(std::vector<std::byte>(bytes, bytes + size), MPI_REQUEST_NULL);
  MPI_Isend(sending.bytes.data(), static_cast<int>(size), MPI_BYTE, target, tag, control_, &sending.request);
}

void Watch::fail(const Diagnostic& failure) {
  if (failure_) return;
  failure_ = failure;
  FailureNote note{failure.kind, {}};
  Diagnostic shown = failure;
  shown.file.clear();
  shown.position = {};
  std::string text = shown.toString();
  constexpr std::string_view kStart = "error: ";
  if (text.starts_with(kStart)) text.erase(0, kStart.size());
  copyText(note.message, sizeof note.message, text);
  for (int other = 0; other < ranks_; ++other)
    if (other != rank_) send(&note, sizeof note, other, kFailure);
}

void Watch::takeFailure() {
  const auto note = received<FailureNote>(control_, kFailure);
  if (note && !failure_) failure_ = Diagnostic{.kind = note->kind, .message = note->message};
}

void Watch::answerProbe() {
  if (received<int64_t>(control_, kProbe)) send(&now, sizeof now, 0, kAnswer);
}

void Watch::serve(double waiting) {
  takeFailure();
  if (rank_ != 0) return answerProbe();
  takeAnswers();
  if (now.blocked && waiting > kPatience && missing_ == 0 && secondsSince(asked_) > kPatience) probe();
}

void Watch::probe() {
  asked_ = Clock::now();
  const int64_t question = 0;
  for (int other = 1; other < ranks_; ++other) send(&question, sizeof question, other, kProbe);
  missing_ = ranks_ - 1;
  if (missing_ == 0) judge();
}

void Watch::takeAnswers() {
  int from = 0;
  while (missing_ > 0) {
    const auto answer = received<Situation>(control_, kAnswer, &from);
    if (!answer) return;
    answers_[static_cast<size_t>(from)] = *answer;
    if (--missing_ == 0) judge();
  }
}

// All have answered: when all are blocked where they were a round before, nobody is left who could do anything.
void Watch::judge() {
  answers_[0] = now;
  const bool stuck = std::ranges::all_of(answers_, &Situation::blocked) && before_.size() == answers_.size() &&
                     std::ranges::equal(answers_, before_, {}, &Situation::number, &Situation::number);
  before_ = answers_;
  if (!stuck || failure_) return;
  // The first rank that waits at an instruction, for one that waits elsewhere.
  for (int rank = 0; rank < ranks_; ++rank) {
    const Situation& own = answers_[static_cast<size_t>(rank)];
    const bool other = own.waitsFor >= 0 && own.waitsFor < ranks_ &&
                       std::strcmp(own.what, answers_[static_cast<size_t>(own.waitsFor)].what) != 0;
    if (!other) continue;
    return fail(
        {.kind = ErrorKind::Runtime,
         .message = describe(rank) + ", and " + describe(static_cast<int>(own.waitsFor)) + ": no rank can go on"});
  }
  fail({.kind = ErrorKind::Runtime, .message = describe(0) + ": no rank can go on"});
}

std::string Watch::describe(int rank) const {
  const Situation& situation = answers_[static_cast<size_t>(rank)];
  std::string out = "rank " + std::to_string(rank) + " waits at " + situation.what;
  return situation.waitsFor < 0 ? out : out + " for rank " + std::to_string(situation.waitsFor);
}

}  // namespace tessera::mpi
