// See shared_matrices.h.
#include "core/custom_calls/shared_matrices.h"

#include <algorithm>
#include <exception>
#include <limits>
#include <mutex>
#include <utility>

#include "core/base/tuning.h"

namespace tessera {
namespace {

thread_local const ShareItems* shareItems = nullptr;

// The first failure by item.
class FirstFailure {
 public:
  void note(int64_t item, Status status, std::exception_ptr thrown) {
    std::lock_guard lock(mutex_);
    if (item >= item_) return;
    item_ = item;
    status_ = std::move(status);
    thrown_ = std::move(thrown);
  }
  Status take() {
    if (thrown_) std::rethrow_exception(thrown_);
    return std::move(status_);
  }

 private:
  std::mutex mutex_;
  int64_t item_ = std::numeric_limits<int64_t>::max();
  Status status_;
  std::exception_ptr thrown_;
};

}  // namespace

SharedMatrices::SharedMatrices(ShareItems share) : share_(std::move(share)), outer_(shareItems) {
  shareItems = &share_;
}
SharedMatrices::~SharedMatrices() { shareItems = outer_; }

Status forEachMatrix(int64_t count, double operations, const std::function<Status(int64_t item)>& matrix) {
  FirstFailure failure;
  const auto range = [&](int64_t begin, int64_t end) {
    for (int64_t item = begin; item < end; ++item) {
      try {
        if (Status done = matrix(item); !done) return failure.note(item, std::move(done), nullptr);
      } catch (...) {
        return failure.note(item, {}, std::current_exception());
      }
    }
  };
  const auto& limits = tuning().threads;
  const double worthSharing = limits.matrixOperations / (operations + limits.matrixCallOperations);
  const auto chunk = std::max<int64_t>(1, static_cast<int64_t>(worthSharing));
  if (shareItems && count > chunk)
    (*shareItems)(count, chunk, range);
  else
    range(0, count);
  return failure.take();
}

}  // namespace tessera
