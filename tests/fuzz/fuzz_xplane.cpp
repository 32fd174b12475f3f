// Any bytes as a profile of XLA, with the modules that it holds: reading and matching end without a crash, and the
// promises of profiles hold.
#include "core/profile/sources/xplane.h"
#include "tests/fuzz/profile_promises.h"

using namespace tessera;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  auto recorded = readXplane({reinterpret_cast<const char*>(data), size}, {}, true);
  if (recorded)
    expectPromises(*std::move(recorded));
  else
    expect(!recorded.error().message.empty(), "what is no profile says why");
  return 0;
}
