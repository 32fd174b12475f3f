// HloText: the printed text of a module with its line index: where each line begins and which line an instruction has.
// A worker makes it from a snapshot; used by the text panel and its search.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/formats/hlo_text.h"

namespace tessera {

struct HloText {
  std::string text;
  std::vector<size_t> lineBegins;           // byte offsets, ascending
  std::vector<InstructionId> instructions;  // by line; invalid: no instruction's line
  std::vector<int32_t> lines;               // by InstructionId value; -1: not printed
  size_t longestLine = 0;                   // bytes, unfolded

  size_t lineCount() const { return lineBegins.size(); }
  std::string_view line(size_t number) const;  // without its end
  InstructionId instructionAt(size_t number) const;
  int32_t lineOf(InstructionId id) const;  // -1: none
  // The first line at or after `from` (wrapping round) that holds the words; case is ignored.
  std::optional<size_t> find(std::string_view words, size_t from, bool backwards) const;
};

std::shared_ptr<const HloText> makeHloText(const Module& module);

// A line as it is shown: literals longer than `most` bytes are cut out and their length said instead.
std::string foldedLine(std::string_view line, size_t most = 120);

}  // namespace tessera
