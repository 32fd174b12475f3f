// The engine "mpi", and the entry point by which backends/registry finds it in this module.
#include <algorithm>
#include <set>

#include "backends/engine.h"
#include "backends/mpi/mpi_communicator.h"
#include "backends/mpi/world.h"

namespace tessera::mpi {
namespace {

class MpiEngine final : public Engine {
 public:
  explicit MpiEngine(std::unique_ptr<World> world) : world_(std::move(world)) {}
  int64_t rank() const override { return world_->rank(); }
  int64_t ranks() const override { return world_->ranks(); }
  std::unique_ptr<Communicator> connect(DeviceGrid grid, HostFeeds feeds) override {
    return std::make_unique<MpiCommunicator>(*world_, grid, std::move(feeds), reordered_);
  }
  Status agree(const std::string& what, const std::string& text) override;
  Result<std::vector<std::string>> gather(const std::string& what, const std::string& bytes) override;
  Result<double> largest(const std::string& what, double value) override;
  void fail(const Diagnostic& failure) override {
    Diagnostic told = failure;
    told.message = "rank " + std::to_string(rank()) + " has failed: " + told.message;
    (void)world_->fail(std::move(told));
  }
  std::vector<std::string> reordered() const override { return {reordered_.begin(), reordered_.end()}; }

 private:
  Result<MPI_Comm> meetAll(const std::string& what, const std::string& text);
  Result<std::string> takeFrom(int rank, const std::string& what, MPI_Comm comm);
  // In pieces, since MPI counts in int.
  template <class Move>
  Status inPieces(size_t size, const std::string& what, const Move& move);

  std::unique_ptr<World> world_;
  std::set<std::string> reordered_;
};

Result<MPI_Comm> MpiEngine::meetAll(const std::string& what, const std::string& text) {
  Rendezvous all{what, {}, what};
  for (int64_t rank = 0; rank < ranks(); ++rank) all.members.push_back(rank);
  return world_->meet(all, text, {});
}

Status MpiEngine::agree(const std::string& what, const std::string& text) {
  TESSERA_TRY(meetAll(what, text));
  return {};
}

template <class Move>
Status MpiEngine::inPieces(size_t size, const std::string& what, const Move& move) {
  constexpr size_t kPiece = size_t{1} << 30;
  for (size_t at = 0; at < size; at += kPiece) {
    MPI_Request request = MPI_REQUEST_NULL;
    TESSERA_TRY(world_->check(move(at, static_cast<int>(std::min(kPiece, size - at)), &request), what));
    TESSERA_TRY(world_->wait(what, std::span(&request, 1), {}));
  }
  return {};
}

Result<std::string> MpiEngine::takeFrom(int rank, const std::string& what, MPI_Comm comm) {
  uint64_t size = 0;
  MPI_Request request = MPI_REQUEST_NULL;
  TESSERA_TRY(world_->check(MPI_Irecv(&size, sizeof size, MPI_BYTE, rank, 0, comm, &request), what));
  TESSERA_TRY(world_->wait(what, std::span(&request, 1), {}));
  std::string bytes(size, '\0');
  TESSERA_TRY(inPieces(bytes.size(), what, [&](size_t at, int count, MPI_Request* piece) {
    return MPI_Irecv(bytes.data() + at, count, MPI_BYTE, rank, 0, comm, piece);
  }));
  return bytes;
}

Result<std::vector<std::string>> MpiEngine::gather(const std::string& what, const std::string& bytes) {
  TESSERA_ASSIGN_OR_RETURN(const MPI_Comm comm, meetAll(what, {}));
  std::vector<std::string> out;
  if (rank() == 0) {
    out.push_back(bytes);
    for (int rank = 1; rank < world_->ranks(); ++rank) {
      TESSERA_ASSIGN_OR_RETURN(std::string taken, takeFrom(rank, what, comm));
      out.push_back(std::move(taken));
    }
    return out;
  }
  const uint64_t size = bytes.size();
  MPI_Request request = MPI_REQUEST_NULL;
  TESSERA_TRY(world_->check(MPI_Isend(&size, sizeof size, MPI_BYTE, 0, 0, comm, &request), what));
  TESSERA_TRY(world_->wait(what, std::span(&request, 1), {}));
  TESSERA_TRY(inPieces(bytes.size(), what, [&](size_t at, int count, MPI_Request* piece) {
    return MPI_Isend(bytes.data() + at, count, MPI_BYTE, 0, 0, comm, piece);
  }));
  return out;
}

Result<double> MpiEngine::largest(const std::string& what, double value) {
  TESSERA_ASSIGN_OR_RETURN(const MPI_Comm comm, meetAll(what, {}));
  MPI_Request request = MPI_REQUEST_NULL;
  TESSERA_TRY(world_->check(MPI_Iallreduce(MPI_IN_PLACE, &value, 1, MPI_DOUBLE, MPI_MAX, comm, &request), what));
  TESSERA_TRY(world_->wait(what, std::span(&request, 1), {}));
  return value;
}

}  // namespace
}  // namespace tessera::mpi

extern "C" tessera::Result<std::unique_ptr<tessera::Engine>>* tesseraOpenEngine(const tessera::EngineOptions& options) {
  using namespace tessera;
  auto world = mpi::World::open(options);
  if (!world) return new Result<std::unique_ptr<Engine>>(std::unexpected(world.error()));
  return new Result<std::unique_ptr<Engine>>(std::make_unique<mpi::MpiEngine>(std::move(*world)));
}
