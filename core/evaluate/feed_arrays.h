// Infeeds and outfeeds of a run as named arrays: feed0, feed1, … of one npz, read by each device from the first on;
// what goes out is gathered under the same names, with device1_ and so on before those of further devices. A tuple is
// its arrays one after the other. Used by backends/run_request.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>

#include "core/devices/communicator.h"
#include "core/formats/npz.h"

namespace tessera {

// Between an array of a file and the value that the program sees; null: they are the same.
struct FeedForm {
  std::function<Result<Literal>(const Literal& array, const Shape& shape, const std::string& name)> toValue;
  std::function<Result<Literal>(const Literal& value)> toArray;
};

class FeedArrays {
 public:
  // source absent: infeeds have none and fail. keeps false: outfeeds have no sink and fail.
  FeedArrays(std::optional<NamedArrays> source, bool keeps, FeedForm form = {})
      : source_(std::move(source)), keeps_(keeps), form_(std::move(form)) {}
  // Infeeds fail with these words: the source cannot be read.
  void refuse(Diagnostic why) { refusal_ = std::move(why); }
  // How many arrays the first device has read; from which on it reads.
  int64_t position() const;
  void startAt(int64_t position) { read_ = {{0, position}}; }
  // Of this object, which must outlive them.
  HostFeeds feeds();
  // The next run reads from the first array on, and its outfeeds take the place of the last one's.
  void rewind();
  const NamedArrays& taken() const { return taken_; }

 private:
  Result<Literal> next(int64_t device, const Shape& shape);
  Status store(int64_t device, const Literal& value);

  std::optional<NamedArrays> source_;
  std::optional<Diagnostic> refusal_;
  NamedArrays taken_;
  bool keeps_;
  FeedForm form_;
  std::map<int64_t, int64_t> read_, written_;  // by device
};

}  // namespace tessera
