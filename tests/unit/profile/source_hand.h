// What tests of sources of profiles share: a module of two instructions, and a source read from a file.
#pragma once

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>

#include "core/formats/file_content.h"
#include "core/formats/hlo_text.h"
#include "core/profile/sources/profile_source.h"

namespace tessera {

inline std::shared_ptr<const Module> smallModule() {
  return std::make_shared<const Module>(*readHloText(R"(HloModule jit_f

ENTRY main {
  p = f32[8] parameter(0)
  fusion.3 = f32[8] negate(p), metadata={op_name="jit(f)/layer/neg" source_file="a.py" source_line=7}
  ROOT exp.2 = f32[8] exponential(fusion.3), metadata={op_name="jit(f)/layer/exp" source_file="a.py" source_line=9}
}
)")
                                             .module);
}

inline const InstructionTime* rowNamed(const OpProfile& profile, const std::string& name) {
  const auto at = std::ranges::find(profile.instructions, name, &InstructionTime::name);
  return at == profile.instructions.end() ? nullptr : &*at;
}

inline OpProfile sourceOf(const std::string& content, std::shared_ptr<const Module> module = nullptr) {
  const auto path = std::filesystem::temp_directory_path() / ("tessera-source-" + std::to_string(::getpid()));
  EXPECT_TRUE(writeFileAtomically(path, content));
  auto out = readProfileSource(path, std::move(module));
  std::filesystem::remove(path);
  EXPECT_TRUE(out) << out.error().toString();
  return out ? *std::move(out) : OpProfile();
}

inline bool warns(const OpProfile& profile, std::string_view words) {
  return std::ranges::any_of(profile.warnings, [&](const auto& text) { return text.find(words) != text.npos; });
}

}  // namespace tessera
