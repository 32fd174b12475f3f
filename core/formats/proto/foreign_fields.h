// ForeignFields: the contents of a protobuf file that the IR does not hold: its ids, and every field, known or unknown,
// that the IR has no place for, as serialized messages. The protobuf reader fills it, the writer puts it back; it is
// kept beside a module that is to be written again. It is keyed by our ids, so it survives edits.
#pragma once

#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

namespace tessera {

struct ForeignFields {
  std::string file;                                        // the message around the module (HloProto)
  std::string module;                                      // the module without its computations
  std::unordered_map<uint32_t, std::string> computations;  // by ComputationId
  std::unordered_map<uint32_t, std::string> instructions;  // by InstructionId
  std::vector<int64_t> computationIds, instructionIds;     // the file's ids, by ours
};

}  // namespace tessera
