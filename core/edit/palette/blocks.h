// Blocks: named, versioned pieces of graph. One is placed as a composite call (the reference's CompositeCall: name,
// version and attributes beside the computation that it decomposes to), so that any program can use the decomposition.
// Shipped blocks are made for the shapes that they are given; the user's own are kept in a library file and have the
// shapes they were saved with. Used by the palette and the studio.
#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/edit/edit.h"

namespace tessera {

struct Block {
  std::string name, summary;
  int64_t version = 1;
  std::string text;                // HLO text: the decomposition is the entry; empty: shipped, made for the shapes
  std::string_view words = {};     // what else finds a shipped one
  std::string number = {};         // of a shipped one: the number behind its name
  std::string_view category = {};  // of a shipped one: its group in the palette
};

// Layers, attention, cells, norms, losses, steps of optimizers, masks, random numbers.
const std::vector<Block>& shippedBlocks();
// The HLO text of a shipped block for the shapes of its first inputs; what is not given follows from them, and without
// any there are small ones. Fails where the shapes do not go together, with the reason.
// number: the one behind the name, e.g. the features of a linear layer or the rate of dropout; "": the default.
Result<std::string> shippedBlockText(std::string_view name, std::span<const Shape> inputs,
                                     const std::string& number = {});

// A library file: blocks in order of name. Fails with the line; a newer version is reported.
Result<std::vector<Block>> parseBlocks(std::string_view content);
std::string printBlocks(std::span<const Block> blocks);

// The selected instructions as a block: values from outside become its parameters, those that are not read inside its
// result.
Result<Block> blockOf(const Module& module, std::span<const InstructionId> ids, const std::string& name,
                      const std::string& summary);

// The edit that puts a call of a block in the place of the instructions that it was made of: what they read is wired to
// it, and what read them reads it. Fails where one of them is read outside beside being read inside.
Result<Edit> replacingByBlock(const Module& module, std::span<const InstructionId> ids, const Block& block);

// The shape of a saved block's first input; fails where it has none.
Result<Shape> firstInputOf(const Block& block);

// The edit that places a block: its computations, parameters for the inputs that have no source (in the entry;
// elsewhere they stay open), and the call, added last.
Result<Edit> placingBlock(const Module& module, ComputationId computation, const Block& block,
                          std::span<const InstructionId> sources);

// The name and version that a composite call carries; version 0: it is none.
struct BlockUse {
  std::string name;
  int64_t version = 0;
};
BlockUse blockUseOf(const Module& module, InstructionId call);
// Uses of blocks of which the library has a newer version.
std::vector<InstructionId> outdatedUses(const Module& module, std::span<const Block> blocks);
// One edit that gives these uses the library's version; fails where parameters or result have other shapes now.
Result<Edit> updatingUses(const Module& module, std::span<const InstructionId> uses, std::span<const Block> blocks);

}  // namespace tessera
