// See feed_arrays.h. The device group calls one device at a time.
#include "core/evaluate/feed_arrays.h"

namespace tessera {

Result<Literal> FeedArrays::next(int64_t device, const Shape& shape) {
  if (shape.isTuple()) {
    std::vector<Literal> elements;
    for (const Shape& element : shape.elements) {
      TESSERA_ASSIGN_OR_RETURN(Literal literal, next(device, element));
      elements.push_back(std::move(literal));
    }
    return Literal::tuple(std::move(elements));
  }
  const std::string key = "feed" + std::to_string(read_[device]++);
  const auto found = source_->find(key);
  if (found == source_->end())
    return fail(ErrorKind::Input,
                "the infeed wants " + key + " (" + toString(shape, false) + "), which is not in its source");
  if (form_.toValue) return form_.toValue(found->second, shape, key);
  if (compatible(found->second.shape(), shape)) return found->second;
  return fail({.kind = ErrorKind::Input,
               .message = "the infeed's " + key + " has the wrong shape",
               .expected = toString(shape, false),
               .found = toString(found->second.shape(), false)});
}

Status FeedArrays::store(int64_t device, const Literal& value) {
  if (value.shape().isTuple()) {
    for (const Literal& element : value.elements()) TESSERA_TRY(store(device, element));
    return {};
  }
  const std::string prefix = device == 0 ? "" : "device" + std::to_string(device) + "_";
  Literal& kept = taken_[prefix + "feed" + std::to_string(written_[device]++)];
  kept = value;
  if (form_.toArray) {
    TESSERA_ASSIGN_OR_RETURN(kept, form_.toArray(value));
  }
  return {};
}

int64_t FeedArrays::position() const {
  const auto found = read_.find(0);
  return found == read_.end() ? 0 : found->second;
}

HostFeeds FeedArrays::feeds() {
  HostFeeds out;
  if (refusal_) out.infeed = [this](int64_t, const Shape&) -> Result<Literal> { return fail(*refusal_); };
  if (source_) out.infeed = [this](int64_t device, const Shape& shape) { return next(device, shape); };
  if (keeps_) out.outfeed = [this](int64_t device, const Literal& value) { return store(device, value); };
  return out;
}

void FeedArrays::rewind() {
  read_.clear();
  written_.clear();
  taken_.clear();
}

}  // namespace tessera
