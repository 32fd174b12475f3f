// What the user has allowed, once and for good: hashes in a file of his own, away from the projects that ask. Used by
// FileAccess, which defines what is hashed.
#pragma once

#include <string>
#include <vector>

#include "core/base/result.h"

namespace tessera {

// In userConfigFolder(), one line an allowance: the hash, and in words what was allowed. Lines may be taken out by
// hand. A file that others could have written or read counts as empty.
struct Allowance {
  std::string hash, words;
};
std::vector<Allowance> keptAllowances();
bool isAllowed(const std::string& hash);
Status addAllowance(const std::string& hash, const std::string& words);
Status removeAllowance(const std::string& hash);  // it need not be there

}  // namespace tessera
