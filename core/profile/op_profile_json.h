// OpProfile as JSON and as CSV: what `tessera profile --json` and `--csv` print, and a baseline reads back.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "core/base/result.h"
#include "core/profile/op_profile.h"

namespace tessera {

nlohmann::ordered_json toJson(const OpProfile& profile);
Result<OpProfile> readOpProfileJson(const std::string& content, const std::string& fileName = {});

// A line an instruction, with a header.
std::string toCsv(const OpProfile& profile);
std::string toCsv(const std::vector<GroupTime>& groups);

}  // namespace tessera
