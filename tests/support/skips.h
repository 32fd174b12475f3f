// The only way in which a test is skipped: under a key that tests/skips.txt lists for this test, with a reason. A skip
// that is not listed fails; so does a test that is listed as always skipped and runs to its end. Every skip is written
// to the file $TESSERA_SKIPS_LOG, from which ./test counts them. tests/lint/skips.sh holds that nothing
// else skips.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <string_view>

namespace tessera::test {

// Whether the list has this key for this name of a test, or of a part of one.
bool isListedSkip(std::string_view key, std::string_view name);
// The message of the running test's skip; fails the test when the list has no such skip.
std::string listedSkip(std::string_view key, const std::string& detail = {});
// For one of several parts of a test, `name`, which goes on: false fails the test.
bool skipsPart(std::string_view key, const std::string& name, const std::string& detail = {});

}  // namespace tessera::test

// TESSERA_SKIP("key") or TESSERA_SKIP("key", detail): leaves the test, or its SetUp.
#define TESSERA_SKIP(...)                                                    \
  do {                                                                       \
    const std::string skip_message = tessera::test::listedSkip(__VA_ARGS__); \
    if (skip_message.empty()) FAIL() << "may not be skipped";                \
    GTEST_SKIP() << skip_message;                                            \
  } while (false)
