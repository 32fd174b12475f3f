// The constants of Tuning by name: to list them, and to try other values than the machine's own. Used by
// `tessera machine --tuning`, by the variable TESSERA_TUNING, and by the keys of kept kernels.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"
#include "core/base/tuning.h"

namespace tessera {

struct TuningConstant {
  std::string name;  // "fusion.launch"
  double value = 0, least = 0, most = 0;
  bool isWhole = false;
  std::string_view decides, chosenBy;  // unit and meaning; the programs whose measurement chose the value
};

std::vector<TuningConstant> tuningConstants(const Tuning& tuning);
// Equal bytes, equal constants.
std::string bytesOf(const Tuning& tuning);

// `text` is "name=value,…". Sizes of caches are taken first, since other constants follow from them. An error where
// a name is unknown or a value is outside its range.
Result<Tuning> tuningWith(Caches caches, std::string_view text);
// Takes the values that the variable TESSERA_TUNING names for this process; to be called before anything else.
Status takeTuningFromEnvironment();

}  // namespace tessera
