// Completion of a query: the candidates at the cursor, with their meaning. Used by the search bar of the studio.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/hlo/module.h"

namespace tessera {

struct QueryCompletion {
  std::string text;         // goes in the place of the bytes [from, to)
  size_t from = 0, to = 0;  // of the query
  std::string meaning;      // "type of the result", "412 instructions"
};

// cursor: in bytes. Fields, by the words of their table; behind a field what the module has of it, the most frequent
// first. Nothing within quotes and regular expressions.
std::vector<QueryCompletion> completeQuery(const Module& module, std::string_view query, size_t cursor);

}  // namespace tessera
