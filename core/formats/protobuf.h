// Protobuf: HloModuleProto, HloProto and HloSnapshot, binary and text, read and written. What a module says in HLO text
// and the messages cannot (replica counts, notes, attributes without a field) travels in fields of ours that XLA skips;
// fields that the IR cannot hold are kept beside the module and written back.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"
#include "core/formats/hlo_text.h"
#include "core/hlo/literal.h"
#include "core/hlo/module.h"

namespace tessera {

struct ForeignFields;  // core/formats/proto/foreign_fields.h

// A module, and of an HloSnapshot the values that it ran with.
struct ProtoContent {
  std::optional<Module> module;
  Diagnostics diagnostics;
  bool snapshot = false;
  std::vector<Literal> arguments;                // snapshot only, one a parameter
  std::optional<Literal> result;                 // snapshot only
  std::shared_ptr<const ForeignFields> foreign;  // what the IR has no place for; null for other formats
};

// Does the content look like one of the messages? Binary: anything that parses as one; text: by its first field.
bool looksLikeProtoText(std::string_view content);
// Whether the first bytes of a binary file can be those of a message: what is large and none is not read.
bool startsProto(std::string_view head);
ProtoContent readProto(std::string_view content, const std::string& fileName = {});

// A binary HloProto with its module alone, without the module's id and with maps in order of their keys: messages of
// one module, written at different times or by different processes, have the same bytes then. What is no HloProto
// stays as it is.
std::string normalizedProto(std::string content);

enum class ProtoMessage : uint8_t { HloModule, Hlo };
struct ProtoOptions {
  ProtoMessage message = ProtoMessage::Hlo;
  bool text = false;
  const ForeignFields* foreign = nullptr;  // of the file that the module came from
};
// Fails when the message would exceed protobuf's 2 GiB, and where a name or metadata is no UTF-8: nothing would read
// that again.
Result<std::string> writeProto(const Module& module, const ProtoOptions& options = {});

}  // namespace tessera
