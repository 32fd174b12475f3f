// See feed_files.h.
#include "app/cli/feed_files.h"

#include "app/cli/physical_run.h"

namespace tessera::cli {
namespace {

Diagnostic inputFault(std::string message) {
  Diagnostic d;
  d.kind = ErrorKind::Input;
  d.message = std::move(message);
  return d;
}

}  // namespace

Status FeedFiles::open(const std::string& source) {
  TESSERA_ASSIGN_OR_RETURN(given_, readNpz(source));
  return {};
}

Result<Literal> FeedFiles::next(int64_t device, const Shape& shape) {
  if (shape.isTuple()) {
    std::vector<Literal> elements;
    for (const Shape& element : shape.elements) {
      TESSERA_ASSIGN_OR_RETURN(Literal literal, next(device, element));
      elements.push_back(std::move(literal));
    }
    return Literal::tuple(std::move(elements));
  }
  const std::string key = "feed" + std::to_string(read_[device]++);
  const auto found = given_.find(key);
  if (found == given_.end())
    return fail(
        inputFault("the infeed wants " + key + " (" + toString(shape, false) + "), which is not in its source"));
  return physical_ ? fromMemory(found->second, shape, key) : found->second;
}

Status FeedFiles::store(int64_t device, const Literal& value) {
  if (value.shape().isTuple()) {
    for (const Literal& element : value.elements()) TESSERA_TRY(store(device, element));
    return {};
  }
  const std::string prefix = device == 0 ? "" : "device" + std::to_string(device) + "_";
  Literal& kept = taken_[prefix + "feed" + std::to_string(written_[device]++)];
  kept = value;
  if (physical_) {
    TESSERA_ASSIGN_OR_RETURN(kept, toMemory(value, value.shape()));
  }
  return {};
}

HostFeeds FeedFiles::feeds() {
  HostFeeds out;
  if (!given_.empty()) out.infeed = [this](int64_t device, const Shape& shape) { return next(device, shape); };
  if (keeps_) out.outfeed = [this](int64_t device, const Literal& value) { return store(device, value); };
  return out;
}

}  // namespace tessera::cli
