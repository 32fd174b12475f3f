// Tests see the same tuning on every machine: plans and tiles follow the usual caches, not those that are measured.
// Compiled into each test program that links tessera_test_support.
#include "core/base/tuning.h"

namespace {

const bool kHasUsualCaches = [] {
  tessera::setTuning(tessera::tuningFor(tessera::Caches{}));
  return true;
}();

}  // namespace
