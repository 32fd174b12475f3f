// A table of names and values, for any measure of the user's own: CSV (comma, semicolon or tab; between semicolons also
// with decimal commas) or JSON. A column whose name ends in ns, us, ms or s is a time. Used by profile_source.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "core/base/result.h"
#include "core/profile/op_profile.h"

namespace tessera {

// `given`: the module whose instructions the names are of; null: the names are kept unmatched.
Result<OpProfile> readCsvValues(std::string_view content, std::shared_ptr<const Module> given,
                                const std::string& fileName = {});
Result<OpProfile> readJsonValues(const std::string& content, std::shared_ptr<const Module> given,
                                 const std::string& fileName = {});

}  // namespace tessera
