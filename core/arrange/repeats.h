// Repeated stretches of a sequence: unrolled layers, micro-batches, the same update for every parameter. A pure
// function of tokens (equal token: equal kind of instruction); read by the outline, which makes one stacked group of
// each.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace tessera {

// tokens[begin + k·period + j] is the same for every k < count.
struct Repeat {
  size_t begin = 0, period = 0, count = 0;
  size_t end() const { return begin + period * count; }
};

// Disjoint repeats in order of begin: longest stretches first, of equal stretches the shortest period. cuts[i] is what
// it costs to part the sequence before i (values that would cross); the phase of a repeat is chosen by it. About 100
// linear sweeps at most.
std::vector<Repeat> findRepeats(std::span<const uint64_t> tokens, std::span<const uint32_t> cuts);

}  // namespace tessera
