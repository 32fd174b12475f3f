// See communicator.h. The collectives here are what they mean: an exchange of all values and a choice among them.
#include "core/devices/communicator.h"

#include <algorithm>
#include <cstring>

#include "core/hlo/index_math.h"

namespace tessera {
namespace {

Literal joinedArrays(DeviceValues arrays) {
  return arrays.size() == 1 ? std::move(arrays[0]) : Literal::tuple(std::move(arrays));
}

// Array `index` of what a member brought.
const Literal& arrayOf(const Literal& joined, size_t index, size_t arrays) {
  return arrays == 1 ? joined : joined.elements()[index];
}

DeviceValues arraysOf(const Literal& joined, size_t arrays) {
  return arrays == 1 ? DeviceValues{joined} : joined.elements();
}

Result<DeviceValues> foldAll(const DeviceValues& values, size_t arrays, const DeviceReduction& reduction) {
  DeviceValues out;
  for (size_t i = 0; i < arrays; ++i) {
    DeviceValues parts;
    for (const Literal& value : values) parts.push_back(arrayOf(value, i, arrays));
    TESSERA_ASSIGN_OR_RETURN(Literal folded, reduction.fold(parts));
    out.push_back(std::move(folded));
  }
  return out;
}

}  // namespace

std::string DeviceGrid::text() const {
  const auto counted = [](int64_t count, const char* one) {
    return std::to_string(count) + " " + one + (count == 1 ? "" : "s");
  };
  if (partitions == 1) return counted(replicas, "replica");
  return (replicas == 1 ? "" : counted(replicas, "replica") + " of ") + counted(partitions, "partition");
}

std::string DeviceGrid::nameOf(int64_t device) const {
  std::string name = "replica " + std::to_string(device / partitions);
  return partitions > 1 ? name + ", partition " + std::to_string(device % partitions) : name;
}

Result<Literal> HostFeeds::take(int64_t device, const Shape& shape) const {
  if (!infeed) return fail(ErrorKind::Runtime, "there is no source for the infeed");
  return infeed(device, shape);
}

Status HostFeeds::give(int64_t device, const Literal& value) const {
  if (!outfeed) return fail(ErrorKind::Runtime, "there is no sink for the outfeed");
  return outfeed(device, value);
}

Result<size_t> Communicator::placeIn(const Rendezvous& rendezvous) const {
  const auto place = std::ranges::find(rendezvous.members, device_);
  if (place == rendezvous.members.end())
    return fail(ErrorKind::Runtime, rendezvous.what + ": " + grid_.nameOf(device_) + " is in no group");
  for (int64_t member : rendezvous.members)
    if (member < 0 || member >= grid_.count())
      return fail(ErrorKind::Runtime, rendezvous.what + " names device " + std::to_string(member) + "; the run has " +
                                          std::to_string(grid_.count()));
  return static_cast<size_t>(place - rendezvous.members.begin());
}

Result<DeviceValues> Communicator::exchangeAlike(const Rendezvous& rendezvous, Literal value,
                                                 const Cancelled& cancelled) {
  const Shape shape = value.shape();
  TESSERA_ASSIGN_OR_RETURN(DeviceValues values, exchange(rendezvous, std::move(value), cancelled));
  for (const Literal& each : values)
    if (!compatible(each.shape(), shape))
      return fail(ErrorKind::Runtime, rendezvous.what + ": the devices bring different shapes, " +
                                          toString(shape, false) + " and " + toString(each.shape(), false));
  return values;
}

Result<DeviceValues> Communicator::allReduce(const Rendezvous& rendezvous, DeviceValues arrays,
                                             const DeviceReduction& reduction, const Cancelled& cancelled) {
  const size_t count = arrays.size();
  TESSERA_ASSIGN_OR_RETURN(const DeviceValues values,
                           exchangeAlike(rendezvous, joinedArrays(std::move(arrays)), cancelled));
  return foldAll(values, count, reduction);
}

Result<DeviceValues> Communicator::reduceScatter(const Rendezvous& rendezvous, DeviceValues arrays,
                                                 const DeviceReduction& reduction, int64_t dim,
                                                 std::span<const Shape> results, const Cancelled& cancelled) {
  TESSERA_ASSIGN_OR_RETURN(const size_t place, placeIn(rendezvous));
  TESSERA_ASSIGN_OR_RETURN(const DeviceValues wholes,
                           Communicator::allReduce(rendezvous, std::move(arrays), reduction, cancelled));
  DeviceValues out;
  for (size_t i = 0; i < wholes.size(); ++i) {
    const int64_t part = results[i].dimensions[static_cast<size_t>(dim)];
    TESSERA_ASSIGN_OR_RETURN(Literal block, Literal::allocate(results[i]));
    copyBlock(wholes[i], static_cast<int64_t>(place) * part, block, 0, dim, part);
    out.push_back(std::move(block));
  }
  return out;
}

Result<DeviceValues> Communicator::allGather(const Rendezvous& rendezvous, DeviceValues arrays, int64_t dim,
                                             std::span<const Shape> results, const Cancelled& cancelled) {
  const size_t count = arrays.size();
  TESSERA_ASSIGN_OR_RETURN(const DeviceValues values,
                           exchangeAlike(rendezvous, joinedArrays(std::move(arrays)), cancelled));
  DeviceValues out;
  for (size_t i = 0; i < count; ++i) {
    TESSERA_ASSIGN_OR_RETURN(Literal whole, Literal::allocate(results[i]));
    for (size_t v = 0; v < values.size(); ++v) {
      const Literal& block = arrayOf(values[v], i, count);
      const int64_t part = block.shape().dimensions[static_cast<size_t>(dim)];
      copyBlock(block, 0, whole, static_cast<int64_t>(v) * part, dim, part);
    }
    out.push_back(std::move(whole));
  }
  return out;
}

Result<Literal> Communicator::allToAll(const Rendezvous& rendezvous, Literal array, int64_t dim,
                                       const Cancelled& cancelled) {
  TESSERA_ASSIGN_OR_RETURN(const size_t place, placeIn(rendezvous));
  TESSERA_ASSIGN_OR_RETURN(Literal out, Literal::allocate(array.shape()));
  TESSERA_ASSIGN_OR_RETURN(const DeviceValues values, exchangeAlike(rendezvous, std::move(array), cancelled));
  const auto count = static_cast<int64_t>(values.size()),
             part = out.shape().dimensions[static_cast<size_t>(dim)] / count;
  for (int64_t v = 0; v < count; ++v)
    copyBlock(values[static_cast<size_t>(v)], static_cast<int64_t>(place) * part, out, v * part, dim, part);
  return out;
}

Result<DeviceValues> Communicator::swap(const Rendezvous& rendezvous, DeviceValues arrays,
                                        std::span<const Shape> received, const Cancelled& cancelled) {
  TESSERA_ASSIGN_OR_RETURN(const size_t place, placeIn(rendezvous));
  TESSERA_ASSIGN_OR_RETURN(const DeviceValues values,
                           exchange(rendezvous, Literal::tuple(std::move(arrays)), cancelled));
  DeviceValues out;
  for (size_t v = 0; v < values.size(); ++v) {
    const DeviceValues& brought = values[v].elements();
    if (brought.size() != values.size() || !compatible(brought[place].shape(), received[v]))
      return fail(ErrorKind::Runtime, rendezvous.what + ": the devices bring different shapes");
    out.push_back(brought[place]);
  }
  return out;
}

Result<DeviceValues> Communicator::permute(const Rendezvous& rendezvous, Literal value, const std::vector<int64_t>&,
                                           const std::vector<int64_t>& sources, const Cancelled& cancelled) {
  TESSERA_ASSIGN_OR_RETURN(const DeviceValues values, exchangeAlike(rendezvous, std::move(value), cancelled));
  DeviceValues out;
  for (int64_t source : sources) {
    const auto found = std::ranges::find(rendezvous.members, source);
    if (found == rendezvous.members.end())
      return fail(ErrorKind::Runtime, rendezvous.what + ": " + grid_.nameOf(source) + " is in no pair");
    out.push_back(values[static_cast<size_t>(found - rendezvous.members.begin())]);
  }
  return out;
}

Result<DeviceValues> Communicator::broadcast(const Rendezvous& rendezvous, DeviceValues arrays,
                                             const Cancelled& cancelled) {
  const size_t count = arrays.size();
  TESSERA_ASSIGN_OR_RETURN(const DeviceValues values,
                           exchangeAlike(rendezvous, joinedArrays(std::move(arrays)), cancelled));
  return arraysOf(values[0], count);
}

Result<std::optional<DeviceValues>> Communicator::finish(const std::string&, const Cancelled&) { return std::nullopt; }

Result<DeviceValues> EchoCommunicator::exchange(const Rendezvous& rendezvous, Literal value, const Cancelled&) {
  TESSERA_TRY(placeIn(rendezvous));
  return DeviceValues(rendezvous.members.size(), value);
}

Status EchoCommunicator::send(int64_t channel, int64_t, Literal value) {
  sent_[channel] = std::move(value);
  return {};
}

Result<Literal> EchoCommunicator::receive(int64_t channel, const Shape& shape, std::string, const Cancelled&) {
  const auto found = sent_.find(channel);
  if (found != sent_.end() && compatible(found->second.shape(), shape)) return found->second;
  if (!shape.isTuple()) return Literal::zeros(shape);
  DeviceValues elements;
  for (const Shape& element : shape.elements) {
    TESSERA_ASSIGN_OR_RETURN(Literal zeros, receive(-1, element, {}, {}));
    elements.push_back(std::move(zeros));
  }
  return Literal::tuple(std::move(elements));
}

void copyBlock(const Literal& from, int64_t fromStart, Literal& to, int64_t toStart, int64_t dim, int64_t count) {
  const std::vector<int64_t>& dims = from.shape().dimensions;
  const auto d = static_cast<size_t>(dim);
  const int64_t outer = productOf(std::span(dims).first(d));
  const int64_t inner = productOf(std::span(dims).subspan(d + 1)) * byteWidth(from.shape().type);
  const int64_t fromRow = dims[d] * inner, toRow = to.shape().dimensions[d] * inner;
  if (inner * count == 0) return;
  std::byte* out = to.mutableBytes().data();
  for (int64_t i = 0; i < outer; ++i)
    std::memcpy(out + i * toRow + toStart * inner, from.bytes().data() + i * fromRow + fromStart * inner,
                static_cast<size_t>(count * inner));
}

}  // namespace tessera
