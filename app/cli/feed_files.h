// `tessera run`: source and sink of infeeds and outfeeds as npz files.
#pragma once

#include <map>
#include <string>

#include "core/devices/collectives.h"
#include "core/formats/npz.h"

namespace tessera::cli {

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
