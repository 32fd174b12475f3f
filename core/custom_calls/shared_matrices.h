// The matrices of a batch, shared among the threads of a backend. It opens a scope around an evaluation;
// without one, and on other threads than the scope's, matrices go one after another. Each is computed as it is alone,
// so results do not depend on the number of threads. Used by the targets of this folder and
// backends/cpu/library/evaluate_step.cpp.
#pragma once

#include <cstdint>
#include <functional>

#include "core/base/result.h"

namespace tessera {

using ItemRange = std::function<void(int64_t begin, int64_t end)>;
// Calls `range` on all of [0, count) in pieces of about `chunk`, from any threads, and returns when all is done.
using ShareItems = std::function<void(int64_t count, int64_t chunk, const ItemRange& range)>;

// Matrices on this thread are shared by `share` while the scope exists. Scopes may be nested.
class SharedMatrices {
 public:
  explicit SharedMatrices(ShareItems share);
  ~SharedMatrices();
  SharedMatrices(const SharedMatrices&) = delete;
  SharedMatrices& operator=(const SharedMatrices&) = delete;

 private:
  ShareItems share_;
  const ShareItems* outer_;
};

// Calls `matrix` on each of [0, count), where one takes about `operations`; it may run on several threads at once. The
// failure of the first that fails, whatever the threads; rethrows std::bad_alloc.
Status forEachMatrix(int64_t count, double operations, const std::function<Status(int64_t item)>& matrix);

}  // namespace tessera
