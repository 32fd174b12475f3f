// Completion of HLO text at a position: element types and operations, names of instructions, attributes of the
// operation and their values. All from tables and from the text above, so that it works while the text does not parse.
// No Qt. Used by HloEdit.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/hlo/module.h"

namespace tessera {

struct Completion {
  std::string text;  // what is put in
  std::string hint;  // what it is: a shape, one line of help
};

struct Completions {
  size_t begin = 0;               // of the word that is being typed; it is replaced
  std::vector<Completion> items;  // those that begin with the word first
};

// `text` is the text of one computation of the module, `cursor` a byte offset in it.
Completions completionsAt(const Module& module, std::string_view text, size_t cursor);

}  // namespace tessera
