// See utf8_fields.h.
#include "core/formats/proto/utf8_fields.h"

#include <google/protobuf/message.h>
#include <google/protobuf/stubs/common.h>

#include <vector>

namespace tessera::proto {
namespace {

using google::protobuf::FieldDescriptor;
using google::protobuf::Message;

bool isUtf8(const std::string& text) {
  return google::protobuf::internal::IsStructurallyValidUTF8(text.data(), static_cast<int>(text.size()));
}

std::string inField(const Message& message, const FieldDescriptor& field) {
  const auto& reflection = *message.GetReflection();
  const int count = field.is_repeated() ? reflection.FieldSize(message, &field) : 1;
  std::string scratch;
  for (int i = 0; i < count; ++i) {
    if (field.cpp_type() == FieldDescriptor::CPPTYPE_MESSAGE) {
      const Message& inner = field.is_repeated() ? reflection.GetRepeatedMessage(message, &field, i)
                                                 : reflection.GetMessage(message, &field);
      if (std::string found = firstFieldWithoutUtf8(inner); !found.empty()) return field.name() + "." + found;
    } else if (field.type() == FieldDescriptor::TYPE_STRING) {
      const std::string& text = field.is_repeated()
                                    ? reflection.GetRepeatedStringReference(message, &field, i, &scratch)
                                    : reflection.GetStringReference(message, &field, &scratch);
      if (!isUtf8(text)) return field.name();
    }
  }
  return {};
}

}  // namespace

std::string firstFieldWithoutUtf8(const Message& message) {
  std::vector<const FieldDescriptor*> fields;
  message.GetReflection()->ListFields(message, &fields);
  for (const FieldDescriptor* field : fields)
    if (std::string found = inField(message, *field); !found.empty()) return found;
  return {};
}

}  // namespace tessera::proto
