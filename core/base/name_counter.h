// NameCounter: a name that is not taken yet, as BASE, BASE.1, BASE.2 and so on. It goes on from the number where the
// same base stopped before, so that many equal names cost one look-up each. Used by the readers of HLO text and
// protobuf. withoutNumber goes the other way: for titles and for new names.
#pragma once

#include <string>
#include <string_view>
#include <unordered_map>

namespace tessera {

class NameCounter {
 public:
  // `taken(name)`: whether the name cannot be given.
  template <class Taken>
  std::string unique(const std::string& base, Taken&& taken) {
    if (!taken(base)) return base;
    size_t& last = last_[base];
    std::string name;
    do name = base + '.' + std::to_string(++last);
    while (taken(name));
    return name;
  }

 private:
  std::unordered_map<std::string, size_t> last_;  // the last number that a base got
};

// "add" of "add.5"; any other name as it is.
inline std::string_view withoutNumber(std::string_view name) {
  const size_t dot = name.rfind('.');
  const bool isNumbered = dot != name.npos && dot > 0 && dot + 1 < name.size() &&
                          name.find_first_not_of("0123456789", dot + 1) == name.npos;
  return isNumbered ? name.substr(0, dot) : name;
}

}  // namespace tessera
