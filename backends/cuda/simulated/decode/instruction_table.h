// Which function decodes which instruction. Each family of instructions is a file that adds its own.
#pragma once

#include <string_view>
#include <unordered_map>

namespace tessera::cuda::simulated {

class Decoder;
using DecodeFunction = void (*)(Decoder& decoder);
using InstructionTable = std::unordered_map<std::string_view, DecodeFunction>;

const InstructionTable& instructionTable();

void addIntegerInstructions(InstructionTable& table);
void addBitInstructions(InstructionTable& table);
void addFloatInstructions(InstructionTable& table);
void addApproximateInstructions(InstructionTable& table);
void addCompareInstructions(InstructionTable& table);
void addConvertInstructions(InstructionTable& table);
void addMoveInstructions(InstructionTable& table);
void addMemoryInstructions(InstructionTable& table);
void addAtomicInstructions(InstructionTable& table);
void addWarpInstructions(InstructionTable& table);
void addControlInstructions(InstructionTable& table);
void addMatrixInstructions(InstructionTable& table);
void addWarpgroupInstructions(InstructionTable& table);
void addCopyInstructions(InstructionTable& table);

}  // namespace tessera::cuda::simulated
