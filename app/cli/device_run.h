// `tessera run` on several devices: arguments cut by the parameters' shardings, one executable a device, outputs
// compared device by device or joined; and source and sink of infeeds and outfeeds as npz files.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "backends/backend.h"
#include "core/evaluate/evaluate.h"
#include "core/evaluate/replicas.h"
#include "core/formats/npz.h"

namespace tessera::cli {

using DeviceArrays = std::vector<std::vector<Literal>>;  // by device, then by leaf

// What the user asks for; 0: what the module's replica_count and num_partitions say.
DeviceGrid gridOf(const Module& module, int64_t replicas, int64_t partitions);
// Arrays of `given` are whole arrays (cut here) or one device's block; missing ones follow the fill rule.
Result<DeviceArrays> argumentsByDevice(const Module& module, DeviceGrid grid, const NamedArrays& given, const FillRule& rule);
// The expected shape says whether a device's output stands by itself or is joined: one literal a comparison.
Result<std::vector<Literal>> comparable(const DeviceArrays& outputs, size_t output, const Shape& expected);

// feed0, feed1, … of an npz, each device from the first on; what goes out is gathered under the same names, with
// device1_ and so on before those of further devices.
class FeedFiles {
 public:
  // physical: the arrays are the bytes of buffers, see physical_run.h.
  explicit FeedFiles(bool physical = false) : physical_(physical) {}
  Status open(const std::string& source);
  bool wanted() const { return !given_.empty() || keeps_; }
  void keep() { keeps_ = true; }
  HostFeeds feeds();
  const NamedArrays& taken() const { return taken_; }

 private:
  Result<Literal> next(int64_t device, const Shape& shape);
  Status store(int64_t device, const Literal& value);
  NamedArrays given_, taken_;
  bool keeps_ = false, physical_ = false;
  std::map<int64_t, int64_t> read_, written_;
};

}  // namespace tessera::cli
