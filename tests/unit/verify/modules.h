// Labels of the verifier's diagnostics for modules that are read from text. Used by the tests of its rules.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <initializer_list>
#include <string>
#include <vector>

#include "core/formats/hlo_text.h"
#include "core/ops/inference/infer.h"

namespace tessera::test {

inline const std::string kScheduled = "HloModule m, is_scheduled=true\n", kPlain = "HloModule m\n";
inline const std::string kSum =
    "sum {\n a = f32[] parameter(0)\n b = f32[] parameter(1)\n ROOT s = f32[] add(a, b)\n}\n";

// `$sum` in the text is replaced by kSum.
inline std::vector<std::string> labelsOf(std::string text) {
  if (const size_t at = text.find("$sum\n"); at != std::string::npos) text.replace(at, 5, kSum);
  ReadResult read = readHloText(text);
  if (!read.module) return {"does not parse: " + read.diagnostics.items().at(0).toString()};
  inferModule(*read.module);
  std::vector<std::string> out;
  const Diagnostics found = verify(*read.module);
  for (const Diagnostic& d : found.items()) out.push_back(d.label);
  return out;
}

inline void refused(std::string_view label, const std::string& text) {
  const std::vector<std::string> found = labelsOf(text);
  EXPECT_TRUE(std::ranges::find(found, label) != found.end())
      << text << "\nfirst label: " << (found.empty() ? "none" : found[0]);
}
inline void refusedEach(std::string_view label, std::initializer_list<const char*> modules) {
  for (const char* module : modules) refused(label, module);
}
inline void taken(const std::string& text) {
  const std::vector<std::string> found = labelsOf(text);
  EXPECT_TRUE(found.empty()) << text << "\nfirst label: " << (found.empty() ? "" : found[0]);
}

}  // namespace tessera::test
