// Any text as a table of names and values (CSV, JSON), as the JSON of `tessera profile` and as a profile of `tessera
// run`: no reader crashes, the promises of profiles hold, and a run's profile that is written reads again.
#include "core/profile/profile.h"
#include "core/profile/sources/run_source.h"
#include "core/profile/sources/values.h"
#include "tests/fuzz/dumped_module.h"
#include "tests/fuzz/profile_promises.h"

using namespace tessera;

static void expectRead(const Result<OpProfile>& profile) {
  if (!profile) return expect(!profile.error().message.empty(), "what does not read says why");
  expectPromises(*profile);
}

static void expectRun(const std::string& text) {
  const auto run = readChromeTrace(text);
  if (!run) return expect(!run.error().message.empty(), "what is no run says why");
  const std::string written = toChromeTrace(*run);
  const auto again = readChromeTrace(written);
  expect(again && again->steps.size() == run->steps.size() && again->totalNs == run->totalNs,
         "what was written reads again", written);
  expectPromises(fromRun(*run, nullptr));
  expectPromises(fromRun(*run, dumpedModule()));
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  expectRead(readCsvValues(text, dumpedModule()));
  expectRead(readJsonValues(text, dumpedModule()));
  expectRead(readOpProfileJson(text));
  expectRun(text);
  return 0;
}
