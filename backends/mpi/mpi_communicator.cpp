// See mpi_communicator.h.
#include "backends/mpi/mpi_communicator.h"

#include <algorithm>
#include <cstring>
#include <limits>

#include "core/hlo/index_math.h"

namespace tessera::mpi {
namespace {

constexpr int64_t kMostElements = std::numeric_limits<int>::max();  // MPI counts in int

// How an array is cut along a dimension: lines of elements that lie one after the other.
struct Lines {
  int64_t count, length;  // of the array
  int64_t width;          // bytes of an element
};

Lines linesOf(const Shape& shape, int64_t dim) {
  const std::span dims(shape.dimensions);
  const auto d = static_cast<size_t>(dim);
  return {productOf(dims.first(d)), productOf(dims.subspan(d)), byteWidth(shape.type)};
}

const DeviceValues& arraysOf(const Literal& value, DeviceValues& one) {
  if (value.shape().isTuple()) return value.elements();
  one = {value};
  return one;
}

Literal asValue(DeviceValues arrays, bool isTuple) {
  return isTuple ? Literal::tuple(std::move(arrays)) : std::move(arrays[0]);
}

std::string shapesOf(std::span<const Literal> arrays) {
  std::string out;
  for (const Literal& array : arrays) out += (out.empty() ? "" : ", ") + toString(withoutLayout(array.shape()), false);
  return out;
}

Result<Literal> copyOf(const Literal& array) { return Literal::fromBytes(array.shape(), array.bytes()); }

}  // namespace

MpiCommunicator::~MpiCommunicator() {
  for (Mail& mail : mail_) MPI_Request_free(&mail.request);
}

Status MpiCommunicator::checkCount(const std::string& what, int64_t elements) {
  if (elements <= kMostElements) return {};
  return world_.fail({.kind = ErrorKind::Unsupported,
                      .message = what + " moves " + std::to_string(elements) +
                                 " elements to one rank at once; MPI counts to " + std::to_string(kMostElements)});
}

Result<MPI_Comm> MpiCommunicator::meet(const Rendezvous& rendezvous, std::span<const Literal> arrays,
                                       const Cancelled& cancelled) {
  if (const auto place = placeIn(rendezvous); !place) return world_.fail(place.error());
  for (const Literal& array : arrays) TESSERA_TRY(checkCount(rendezvous.what, array.elementCount()));
  return world_.meet(rendezvous, shapesOf(arrays), cancelled);
}

Result<DeviceValues> MpiCommunicator::wait(Transfer& transfer, const Cancelled& cancelled) {
  TESSERA_TRY(world_.wait(transfer.what, transfer.requests, cancelled));
  for (const auto& reduction : transfer.reductions)
    if (reduction->failure()) return world_.fail(*reduction->failure());
  return std::move(transfer.results);
}

Result<DeviceValues> MpiCommunicator::end(const Rendezvous& rendezvous, Transfer transfer, const Cancelled& cancelled) {
  const bool needsCaller = std::ranges::any_of(transfer.reductions, [](const auto& each) { return !each->isMpis(); });
  if (rendezvous.ticket.empty() || needsCaller) return wait(transfer, cancelled);
  DeviceValues results = transfer.results;
  started_[rendezvous.ticket] = std::move(transfer);
  return results;
}

Result<std::optional<DeviceValues>> MpiCommunicator::finish(const std::string& ticket, const Cancelled& cancelled) {
  const auto found = started_.find(ticket);
  if (found == started_.end()) return std::nullopt;
  Transfer transfer = std::move(found->second);
  started_.erase(found);
  TESSERA_ASSIGN_OR_RETURN(DeviceValues out, wait(transfer, cancelled));
  return out;
}

Result<ArrayReduction*> MpiCommunicator::reductionIn(Transfer& transfer, const Rendezvous& rendezvous,
                                                     const DeviceReduction& reduction, ElementType type) {
  auto& made = transfer.reductions.emplace_back(std::make_unique<ArrayReduction>(reduction, type));
  if (!made->keepsOrder(rendezvous.members.size())) reordered_.insert(rendezvous.what);
  return made.get();
}

Result<DeviceValues> MpiCommunicator::exchange(const Rendezvous& rendezvous, Literal value,
                                               const Cancelled& cancelled) {
  const size_t members = rendezvous.members.size();
  if (members == 1) return DeviceValues{std::move(value)};
  DeviceValues one;
  const DeviceValues& arrays = arraysOf(value, one);
  TESSERA_ASSIGN_OR_RETURN(const MPI_Comm comm, meet(rendezvous, arrays, cancelled));
  Transfer transfer{rendezvous.what, {}, {}, {}, {}};
  for (const Literal& array : arrays) {
    Shape all = Shape::arrayRowMajor(array.shape().type, array.shape().dimensions);
    all.dimensions.insert(all.dimensions.begin(), static_cast<int64_t>(members));
    TESSERA_ASSIGN_OR_RETURN(Literal gathered, Literal::allocate(std::move(all)));
    const ElementBytes element(byteWidth(array.shape().type));
    const int count = static_cast<int>(array.elementCount());
    TESSERA_TRY(
        world_.check(MPI_Iallgather(array.bytes().data(), count, element.get(), gathered.mutableBytes().data(), count,
                                    element.get(), comm, &transfer.requests.emplace_back(MPI_REQUEST_NULL)),
                     rendezvous.what));
    transfer.results.push_back(std::move(gathered));
  }
  TESSERA_ASSIGN_OR_RETURN(const DeviceValues gathered, wait(transfer, cancelled));
  DeviceValues out;
  for (size_t m = 0; m < members; ++m) {
    DeviceValues parts;
    for (size_t i = 0; i < arrays.size(); ++i) {
      const size_t size = arrays[i].bytes().size();
      TESSERA_ASSIGN_OR_RETURN(Literal part,
                               Literal::fromBytes(arrays[i].shape(), gathered[i].bytes().subspan(m * size, size)));
      parts.push_back(std::move(part));
    }
    out.push_back(asValue(std::move(parts), value.shape().isTuple()));
  }
  return out;
}

Result<DeviceValues> MpiCommunicator::allReduce(const Rendezvous& rendezvous, DeviceValues arrays,
                                                const DeviceReduction& reduction, const Cancelled& cancelled) {
  if (rendezvous.members.size() == 1) return Communicator::allReduce(rendezvous, arrays, reduction, cancelled);
  TESSERA_ASSIGN_OR_RETURN(const MPI_Comm comm, meet(rendezvous, arrays, cancelled));
  Transfer transfer{rendezvous.what, {}, {}, {}, {}};
  for (const Literal& array : arrays) {
    TESSERA_ASSIGN_OR_RETURN(ArrayReduction * how, reductionIn(transfer, rendezvous, reduction, array.shape().type));
    TESSERA_ASSIGN_OR_RETURN(Literal sum, copyOf(array));
    TESSERA_TRY(
        world_.check(MPI_Iallreduce(MPI_IN_PLACE, sum.mutableBytes().data(), static_cast<int>(sum.elementCount()),
                                    how->type(), how->op(), comm, &transfer.requests.emplace_back(MPI_REQUEST_NULL)),
                     rendezvous.what));
    transfer.results.push_back(std::move(sum));
  }
  return end(rendezvous, std::move(transfer), cancelled);
}

Result<DeviceValues> MpiCommunicator::reduceScatter(const Rendezvous& rendezvous, DeviceValues arrays,
                                                    const DeviceReduction& reduction, int64_t dim,
                                                    std::span<const Shape> results, const Cancelled& cancelled) {
  const auto members = static_cast<int64_t>(rendezvous.members.size());
  if (members == 1) return Communicator::reduceScatter(rendezvous, arrays, reduction, dim, results, cancelled);
  TESSERA_ASSIGN_OR_RETURN(const MPI_Comm comm, meet(rendezvous, arrays, cancelled));
  Transfer transfer{rendezvous.what, {}, {}, {}, {}};
  for (size_t i = 0; i < arrays.size(); ++i) {
    const Literal& array = arrays[i];
    TESSERA_ASSIGN_OR_RETURN(ArrayReduction * how, reductionIn(transfer, rendezvous, reduction, array.shape().type));
    // Operations take no derived types: blocks one after the other, member by member.
    Shape blocks = Shape::arrayRowMajor(array.shape().type, results[i].dimensions);
    TESSERA_ASSIGN_OR_RETURN(Literal packed, Literal::allocate(array.shape()));
    TESSERA_ASSIGN_OR_RETURN(Literal result, Literal::allocate(results[i]));
    const int64_t part = blocks.dimensions[static_cast<size_t>(dim)];
    for (int64_t m = 0; m < members; ++m) {
      copyBlock(array, m * part, result, 0, dim, part);
      std::memcpy(packed.mutableBytes().data() + static_cast<size_t>(m) * result.bytes().size(), result.bytes().data(),
                  result.bytes().size());
    }
    TESSERA_TRY(world_.check(MPI_Ireduce_scatter_block(packed.bytes().data(), result.mutableBytes().data(),
                                                       static_cast<int>(result.elementCount()), how->type(), how->op(),
                                                       comm, &transfer.requests.emplace_back(MPI_REQUEST_NULL)),
                             rendezvous.what));
    transfer.kept.push_back(std::move(packed));
    transfer.results.push_back(std::move(result));
  }
  return end(rendezvous, std::move(transfer), cancelled);
}

Result<DeviceValues> MpiCommunicator::allGather(const Rendezvous& rendezvous, DeviceValues arrays, int64_t dim,
                                                std::span<const Shape> results, const Cancelled& cancelled) {
  if (rendezvous.members.size() == 1)
    return Communicator::allGather(rendezvous, std::move(arrays), dim, results, cancelled);
  TESSERA_ASSIGN_OR_RETURN(const size_t place, placeIn(rendezvous));
  TESSERA_ASSIGN_OR_RETURN(const MPI_Comm comm, meet(rendezvous, arrays, cancelled));
  Transfer transfer{rendezvous.what, {}, {}, {}, {}};
  for (size_t i = 0; i < arrays.size(); ++i) {
    TESSERA_ASSIGN_OR_RETURN(Literal whole, Literal::allocate(results[i]));
    const int64_t part = arrays[i].shape().dimensions[static_cast<size_t>(dim)];
    copyBlock(arrays[i], 0, whole, static_cast<int64_t>(place) * part, dim, part);
    const Lines from = linesOf(arrays[i].shape(), dim), to = linesOf(whole.shape(), dim);
    const ElementBytes element(from.width);
    const BlockType block(element, from.width, from.count, from.length, to.length);
    TESSERA_TRY(world_.check(MPI_Iallgather(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, whole.mutableBytes().data(), 1,
                                            block.get(), comm, &transfer.requests.emplace_back(MPI_REQUEST_NULL)),
                             rendezvous.what));
    transfer.results.push_back(std::move(whole));
  }
  return end(rendezvous, std::move(transfer), cancelled);
}

Result<Literal> MpiCommunicator::allToAll(const Rendezvous& rendezvous, Literal array, int64_t dim,
                                          const Cancelled& cancelled) {
  const auto members = static_cast<int64_t>(rendezvous.members.size());
  if (members == 1) return array;
  TESSERA_ASSIGN_OR_RETURN(const MPI_Comm comm, meet(rendezvous, std::span(&array, 1), cancelled));
  Transfer transfer{rendezvous.what, {}, {array}, {}, {}};
  TESSERA_ASSIGN_OR_RETURN(Literal out, Literal::allocate(array.shape()));
  const Lines lines = linesOf(array.shape(), dim);
  const ElementBytes element(lines.width);
  const BlockType block(element, lines.width, lines.count, lines.length / members, lines.length);
  TESSERA_TRY(world_.check(MPI_Ialltoall(array.bytes().data(), 1, block.get(), out.mutableBytes().data(), 1,
                                         block.get(), comm, &transfer.requests.emplace_back(MPI_REQUEST_NULL)),
                           rendezvous.what));
  transfer.results = {std::move(out)};
  TESSERA_ASSIGN_OR_RETURN(DeviceValues results, wait(transfer, cancelled));
  return std::move(results[0]);
}

Result<DeviceValues> MpiCommunicator::swap(const Rendezvous& rendezvous, DeviceValues arrays,
                                           std::span<const Shape> received, const Cancelled& cancelled) {
  if (rendezvous.members.size() == 1) return arrays;
  // What each brings may differ in size; that all want the same is known from the meeting before.
  TESSERA_ASSIGN_OR_RETURN(const MPI_Comm comm, meet(rendezvous, {}, cancelled));
  struct Side {
    std::vector<int> counts, starts;
    int64_t elements = 0;
  } sent, taken;
  const auto add = [](Side& side, int64_t elements) {
    side.counts.push_back(static_cast<int>(elements));
    side.starts.push_back(static_cast<int>(side.elements));
    side.elements += elements;
  };
  for (const Literal& array : arrays) add(sent, array.elementCount());
  DeviceValues out;
  for (const Shape& shape : received) {
    TESSERA_ASSIGN_OR_RETURN(Literal array, Literal::allocate(shape));
    add(taken, array.elementCount());
    out.push_back(std::move(array));
  }
  TESSERA_TRY(checkCount(rendezvous.what, std::max(sent.elements, taken.elements)));
  const ElementType type = received[0].type;
  const auto flat = [&](const Side& side) { return Literal::allocate(Shape::arrayRowMajor(type, {side.elements})); };
  TESSERA_ASSIGN_OR_RETURN(Literal from, flat(sent));
  TESSERA_ASSIGN_OR_RETURN(Literal to, flat(taken));
  std::byte* at = from.mutableBytes().data();
  for (const Literal& array : arrays) {
    if (!array.bytes().empty()) std::memcpy(at, array.bytes().data(), array.bytes().size());
    at += array.bytes().size();
  }
  const ElementBytes element(byteWidth(type));
  Transfer transfer{rendezvous.what, {MPI_REQUEST_NULL}, {from, to}, {}, {}};
  TESSERA_TRY(world_.check(MPI_Ialltoallv(from.bytes().data(), sent.counts.data(), sent.starts.data(), element.get(),
                                          to.mutableBytes().data(), taken.counts.data(), taken.starts.data(),
                                          element.get(), comm, transfer.requests.data()),
                           rendezvous.what));
  TESSERA_TRY(wait(transfer, cancelled));
  size_t next = 0;
  for (Literal& array : out) {
    const size_t size = array.bytes().size();
    if (size > 0) std::memcpy(array.mutableBytes().data(), to.bytes().data() + next, size);
    next += size;
  }
  return out;
}

Result<DeviceValues> MpiCommunicator::permute(const Rendezvous& rendezvous, Literal value,
                                              const std::vector<int64_t>& targets, const std::vector<int64_t>& sources,
                                              const Cancelled& cancelled) {
  if (rendezvous.members.size() == 1)
    return Communicator::permute(rendezvous, std::move(value), targets, sources, cancelled);
  DeviceValues one;
  const DeviceValues& arrays = arraysOf(value, one);
  TESSERA_ASSIGN_OR_RETURN(const MPI_Comm comm, meet(rendezvous, arrays, cancelled));
  Transfer transfer{rendezvous.what, {}, {value}, {}, {}};
  const auto placeOf = [&](int64_t device) {
    return static_cast<int>(std::ranges::find(rendezvous.members, device) - rendezvous.members.begin());
  };
  for (const Literal& array : arrays) {
    const ElementBytes element(byteWidth(array.shape().type));
    const int count = static_cast<int>(array.elementCount());
    for (int64_t source : sources) {
      TESSERA_ASSIGN_OR_RETURN(Literal room, Literal::allocate(array.shape()));
      TESSERA_TRY(world_.check(MPI_Irecv(room.mutableBytes().data(), count, element.get(), placeOf(source), 0, comm,
                                         &transfer.requests.emplace_back(MPI_REQUEST_NULL)),
                               rendezvous.what));
      transfer.results.push_back(std::move(room));
    }
    for (int64_t target : targets)
      TESSERA_TRY(world_.check(MPI_Isend(array.bytes().data(), count, element.get(), placeOf(target), 0, comm,
                                         &transfer.requests.emplace_back(MPI_REQUEST_NULL)),
                               rendezvous.what));
  }
  const bool isTuple = value.shape().isTuple();
  const size_t each = arrays.size();
  // With a ticket there is one source, and its arrays are what the done gives.
  TESSERA_ASSIGN_OR_RETURN(const DeviceValues rooms, end(rendezvous, std::move(transfer), cancelled));
  DeviceValues out;
  for (size_t s = 0; s < sources.size(); ++s) {
    DeviceValues parts;
    for (size_t i = 0; i < each; ++i) parts.push_back(rooms[i * sources.size() + s]);
    out.push_back(asValue(std::move(parts), isTuple));
  }
  return out;
}

Result<DeviceValues> MpiCommunicator::broadcast(const Rendezvous& rendezvous, DeviceValues arrays,
                                                const Cancelled& cancelled) {
  if (rendezvous.members.size() == 1) return arrays;
  TESSERA_ASSIGN_OR_RETURN(const MPI_Comm comm, meet(rendezvous, arrays, cancelled));
  Transfer transfer{rendezvous.what, {}, {}, {}, {}};
  for (const Literal& array : arrays) {
    TESSERA_ASSIGN_OR_RETURN(Literal value, copyOf(array));
    const ElementBytes element(byteWidth(array.shape().type));
    TESSERA_TRY(world_.check(MPI_Ibcast(value.mutableBytes().data(), static_cast<int>(value.elementCount()),
                                        element.get(), 0, comm, &transfer.requests.emplace_back(MPI_REQUEST_NULL)),
                             rendezvous.what));
    transfer.results.push_back(std::move(value));
  }
  return end(rendezvous, std::move(transfer), cancelled);
}

int MpiCommunicator::tagOf(int64_t channel) const {
  constexpr int64_t kLeastUpperBound = 32767;  // every MPI has as many tags
  return static_cast<int>((channel % kLeastUpperBound + kLeastUpperBound) % kLeastUpperBound);
}

Status MpiCommunicator::send(int64_t channel, int64_t target, Literal value) {
  if (target < 0 || target >= grid().count())
    return world_.fail({.kind = ErrorKind::Runtime,
                        .message = "a send names device " + std::to_string(target) + "; the run has " +
                                   std::to_string(grid().count())});
  std::erase_if(mail_, [](Mail& mail) {
    int gone = 0;
    MPI_Test(&mail.request, &gone, MPI_STATUS_IGNORE);
    return gone != 0;
  });
  DeviceValues one;
  for (const Literal& array : arraysOf(value, one)) {
    TESSERA_TRY(checkCount("a send", array.elementCount()));
    const ElementBytes element(byteWidth(array.shape().type));
    Mail& mail = mail_.emplace_back(array, MPI_REQUEST_NULL);
    TESSERA_TRY(world_.check(MPI_Isend(mail.array.bytes().data(), static_cast<int>(array.elementCount()), element.get(),
                                       static_cast<int>(target), tagOf(channel), world_.mail(), &mail.request),
                             "a send"));
  }
  return {};
}

Result<Literal> MpiCommunicator::receiveArray(int tag, const Shape& shape, const std::string& what,
                                              const Cancelled& cancelled) {
  MPI_Message message = MPI_MESSAGE_NULL;
  MPI_Status status;
  const auto came = [&](Waiting&) {
    int flag = 0;
    MPI_Improbe(MPI_ANY_SOURCE, tag, world_.mail(), &flag, &message, &status);
    return flag != 0;
  };
  TESSERA_TRY(world_.wait({what, true, -1}, came, cancelled));
  TESSERA_ASSIGN_OR_RETURN(Literal out, Literal::allocate(shape));
  const ElementBytes element(byteWidth(shape.type));
  MPI_Count bytes = 0;
  MPI_Get_elements_x(&status, MPI_BYTE, &bytes);
  if (bytes != static_cast<MPI_Count>(out.bytes().size()))
    return world_.fail({.kind = ErrorKind::Runtime,
                        .message = what + " receives " + std::to_string(bytes) + " bytes",
                        .expected = toString(shape, false)});
  MPI_Request request = MPI_REQUEST_NULL;
  TESSERA_TRY(world_.check(
      MPI_Imrecv(out.mutableBytes().data(), static_cast<int>(out.elementCount()), element.get(), &message, &request),
      what));
  TESSERA_TRY(world_.wait(what, std::span(&request, 1), cancelled));
  return out;
}

Result<Literal> MpiCommunicator::receive(int64_t channel, const Shape& shape, std::string what,
                                         const Cancelled& cancelled) {
  if (!shape.isTuple()) return receiveArray(tagOf(channel), shape, what, cancelled);
  DeviceValues elements;
  for (const Shape& element : shape.elements) {
    TESSERA_ASSIGN_OR_RETURN(Literal array, receiveArray(tagOf(channel), element, what, cancelled));
    elements.push_back(std::move(array));
  }
  return Literal::tuple(std::move(elements));
}

}  // namespace tessera::mpi
