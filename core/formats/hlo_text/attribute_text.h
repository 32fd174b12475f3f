// Attribute values in HLO text, one reader and one printer per value kind. Names are resolved by a NameScope:
// the module reader's tables while a file is read, the module itself when the inspector edits one value.
#pragma once

#include <string>

#include "core/formats/hlo_text/lexer.h"
#include "core/hlo/attributes.h"
#include "core/hlo/module.h"

namespace tessera::text {

class NameScope {
 public:
  virtual ~NameScope() = default;
  // A computation by name, or the inline body that starts here with '{'. False with the lexer's error set, or,
  // when the name is unknown and that was reported already, true with an invalid id.
  virtual bool computation(Lexer& lexer, ComputationId& out) = 0;
  virtual bool instruction(Lexer& lexer, InstructionId& out) = 0;
};

bool readAttributeValue(Lexer& lexer, Attr attr, NameScope& names, AttributeValue& out);
// A value that is the same as none: algorithm=unset.
bool saysNothing(Attr attr, const AttributeValue& value);
bool readReplicaGroups(Lexer& lexer, ReplicaGroups& out);

void appendAttributeValue(std::string& out, const Module& module, const AttributeValue& value, AttributeKind kind);

}  // namespace tessera::text
