// HloModuleProto to Module and back: module facts, computations, instructions and their ids. Stands on attribute_proto
// and shape_proto; protobuf.cpp, which reads and writes files, uses it.
#pragma once

#include "core/formats/hlo_text.h"
#include "core/formats/proto/attribute_proto.h"
#include "core/hlo/module.h"

namespace tessera::pb {
class HloModuleProto;
class HloInstructionProto;
class OpMetadata;
}  // namespace tessera::pb

namespace tessera {
struct ForeignFields;
}

namespace tessera::proto {

// Takes the message apart: what was understood is gone from it afterwards, the rest goes to `foreign`.
ReadResult readModuleMessage(pb::HloModuleProto& message, const std::string& fileName, ForeignFields& foreign);
void writeModuleMessage(const Module& module, const ForeignFields* foreign, pb::HloModuleProto& out);

// Module facts (config_proto.cpp).
// Names must be words of HLO text: other characters become '_'; `otherwise` where there is none.
std::string wordOf(const std::string& name, std::string_view otherwise);
Status takeConfig(pb::HloModuleProto& message, Module& module);
void putConfig(const Module& module, pb::HloModuleProto& out);
// Metadata (config_proto.cpp).
Metadata takeMetadata(pb::OpMetadata& message);
void putMetadata(const Metadata& metadata, pb::OpMetadata& out);

}  // namespace tessera::proto
