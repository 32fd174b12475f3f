// `tessera run --physical`: arguments, results, infeed and outfeed data as the bytes of their buffers (npz arrays of
// u8), under the layouts of the program: order of dimensions, padding, tiles, packed elements.
#pragma once

#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/formats/npz.h"
#include "core/hlo/module.h"

namespace tessera::cli {

// Leaves of the entry's parameters and of its result, with the layouts that its callers see.
struct EntryMemory {
  std::vector<Shape> arguments, results;
};
EntryMemory entryMemoryOf(const Module& module);

// The value in a buffer; fails when `bytes` is no array of u8 of the buffer's size. `name` is for the message.
Result<Literal> fromMemory(const Literal& bytes, const Shape& shape, const std::string& name);
Result<Literal> toMemory(const Literal& value, const Shape& shape);

// arg0 … of an npz as values.
Result<NamedArrays> argumentsFromMemory(NamedArrays given, const EntryMemory& memory);
Result<std::vector<Literal>> resultsToMemory(const std::vector<Literal>& outputs, const EntryMemory& memory);

}  // namespace tessera::cli
