// Files in protobuf form: which message it is, binary or text, and the messages around a module. All conversion is in
// proto/.
#include "core/formats/protobuf.h"

#include <google/protobuf/arena.h>
#include <google/protobuf/io/coded_stream.h>
#include <google/protobuf/io/tokenizer.h>
#include <google/protobuf/io/zero_copy_stream_impl_lite.h>
#include <google/protobuf/stubs/logging.h>
#include <google/protobuf/text_format.h>

#include <algorithm>
#include <climits>
#include <initializer_list>

#include <fmt/format.h>

#include "core/formats/hlo_text/lexer.h"
#include "core/formats/padding.h"
#include "core/formats/proto/foreign_fields.h"
#include "core/formats/proto/hlo.pb.h"
#include "core/formats/proto/module_proto.h"
#include "core/formats/proto/shape_proto.h"
#include "core/formats/proto/unknown_text.h"
#include "core/formats/proto/utf8_fields.h"
#include "core/formats/proto/wire.h"
#include "core/ops/inference/unfinished.h"

namespace tessera {
namespace {

constexpr int kMaxNesting = 100;  // of messages: bounds every recursion behind it

bool parseBinary(std::string_view content, google::protobuf::Message& out) {
  if (content.size() > INT_MAX) return false;
  const google::protobuf::LogSilencer silence;  // what is wrong is ours to say
  google::protobuf::io::CodedInputStream input(reinterpret_cast<const uint8_t*>(content.data()),
                                               static_cast<int>(content.size()));
  input.SetRecursionLimit(kMaxNesting);
  return out.ParseFromCodedStream(&input) && input.ConsumedEntireMessage();
}

// The first syntax error, with its place.
class FirstError : public google::protobuf::io::ErrorCollector {
 public:
  void AddError(int line, google::protobuf::io::ColumnNumber column, const std::string& message) override {
    if (!diagnostic.message.empty()) return;
    diagnostic.message = message;
    diagnostic.position = {static_cast<uint32_t>(line + 1), static_cast<uint32_t>(column + 1)};
  }
  Diagnostic diagnostic;
};

bool parseText(std::string_view content, google::protobuf::Message& out, FirstError& error) {
  if (content.size() > INT_MAX) return false;
  const google::protobuf::LogSilencer silence;
  std::string known(content);
  const auto unknown = proto::cutUnknownFields(known, out.GetDescriptor(), kMaxNesting);
  google::protobuf::io::ArrayInputStream input(known.data(), static_cast<int>(known.size()));
  google::protobuf::TextFormat::Parser parser;
  parser.RecordErrorsTo(&error);
  parser.SetRecursionLimit(kMaxNesting);
  parser.AllowFieldNumber(true);
  if (!parser.Parse(&input, &out) || !proto::putUnknownFields(unknown, out)) return false;
  const std::string field = proto::firstFieldWithoutUtf8(out);
  if (!field.empty()) error.diagnostic.message = field + " is expected to be UTF-8, other bytes found";
  return field.empty();
}

// Which message starts with this field; null when none does.
const google::protobuf::Descriptor* messageWithField(std::string_view word) {
  for (const auto* descriptor :
       {pb::HloSnapshot::descriptor(), pb::HloProto::descriptor(), pb::HloModuleProto::descriptor()})
    if (descriptor->FindFieldByName(std::string(word))) return descriptor;
  return nullptr;
}

// The first word behind blanks and # comments, and what follows it.
std::string_view firstWord(std::string_view& content) {
  while (!content.empty()) {
    if (content[0] == '#')
      content.remove_prefix(std::min(content.find('\n'), content.size()));
    else if (text::isBlank(content[0]))
      content.remove_prefix(1);
    else
      break;
  }
  size_t end = 0;
  while (end < content.size() && (text::isNameStart(content[end]) || text::isDigit(content[end]))) ++end;
  std::string_view word = content.substr(0, end);
  content.remove_prefix(end);
  while (!content.empty() && text::isBlank(content[0])) content.remove_prefix(1);
  return word;
}

// A reader of the three messages, the outermost first.
class FileReader {
 public:
  explicit FileReader(std::string fileName) : fileName_(std::move(fileName)) {}

  ProtoContent binary(std::string_view content) {
    auto* snapshot = google::protobuf::Arena::CreateMessage<pb::HloSnapshot>(&arena_);
    if (parseBinary(content, *snapshot) && snapshot->hlo().hlo_module().computations_size() != 0)
      return fromSnapshot(*snapshot);
    auto* hlo = google::protobuf::Arena::CreateMessage<pb::HloProto>(&arena_);
    if (parseBinary(content, *hlo) && hlo->hlo_module().computations_size() != 0) return fromHlo(*hlo);
    auto* module = google::protobuf::Arena::CreateMessage<pb::HloModuleProto>(&arena_);
    if (parseBinary(content, *module) && module->computations_size() != 0) return fromModule(*module, {});
    return failed({.message = whyNone(content, {&snapshot->hlo().hlo_module(), &hlo->hlo_module(), module})});
  }

  ProtoContent text(std::string_view content) {
    std::string_view rest = content;
    const auto* descriptor = messageWithField(firstWord(rest));
    FirstError error;
    auto* snapshot = google::protobuf::Arena::CreateMessage<pb::HloSnapshot>(&arena_);
    auto* hlo = google::protobuf::Arena::CreateMessage<pb::HloProto>(&arena_);
    auto* module = google::protobuf::Arena::CreateMessage<pb::HloModuleProto>(&arena_);
    if (descriptor == pb::HloSnapshot::descriptor() && parseText(content, *snapshot, error))
      return fromSnapshot(*snapshot);
    if (descriptor == pb::HloProto::descriptor() && parseText(content, *hlo, error)) return fromHlo(*hlo);
    if (descriptor == pb::HloModuleProto::descriptor() && parseText(content, *module, error))
      return fromModule(*module, {});
    if (error.diagnostic.message.empty()) error.diagnostic.message = "the text is no protobuf message";
    return failed(std::move(error.diagnostic));
  }

 private:
  // modules: as far as they could be read.
  static std::string whyNone(std::string_view content, std::initializer_list<const pb::HloModuleProto*> modules) {
    if (content.starts_with("\xff\xfe") || content.starts_with("\xfe\xff"))
      return "the text is in UTF-16; expected UTF-8";
    int known = 0;
    for (const auto* module : modules) known = std::max(known, module->computations_size());
    if (known > 0) return fmt::format("the protobuf breaks off after {} computations: it is cut or damaged", known);
    return "the content is binary, and no HloModuleProto, HloProto or HloSnapshot with a computation";
  }
  ProtoContent failed(Diagnostic d) {
    ProtoContent out;
    d.file = fileName_;
    out.diagnostics.add(std::move(d));
    return out;
  }

  ProtoContent fromModule(pb::HloModuleProto& message, std::string file) {
    auto foreign = std::make_shared<ForeignFields>();
    foreign->file = std::move(file);
    ReadResult read = proto::readModuleMessage(message, fileName_, *foreign);
    ProtoContent out;
    out.foreign = std::move(foreign);
    out.module = std::move(read.module);
    out.diagnostics = std::move(read.diagnostics);
    return out;
  }

  ProtoContent fromHlo(pb::HloProto& message) {
    pb::HloProto around;
    around.Swap(&message);
    pb::HloModuleProto* module = around.release_hlo_module();
    std::unique_ptr<pb::HloModuleProto> owner(module);
    return fromModule(*module, around.SerializeAsString());
  }

  ProtoContent fromSnapshot(pb::HloSnapshot& message) {
    ProtoContent out = fromHlo(*message.mutable_hlo());
    out.snapshot = true;
    auto take = [&](const pb::LiteralProto& literal, auto&& keep, const std::string& what) {
      auto value = proto::readLiteral(literal);
      if (value) return keep(std::move(*value));
      Diagnostic d = std::move(value).error();
      d.message = what + ": " + d.message;
      d.file = fileName_;
      out.diagnostics.add(std::move(d));
    };
    for (int i = 0; i < message.arguments_size(); ++i)
      take(
          message.arguments(i), [&](Literal v) { out.arguments.push_back(std::move(v)); },
          "argument " + std::to_string(i));
    if (message.has_result())
      take(
          message.result(), [&](Literal v) { out.result = std::move(v); }, "the result");
    if (out.diagnostics.hasErrors()) out.module.reset();
    return out;
  }

  std::string fileName_;
  google::protobuf::Arena arena_;
};

// Maps in order of their keys.
std::string deterministicBytes(const google::protobuf::Message& message) {
  std::string out;
  google::protobuf::io::StringOutputStream stream(&out);
  google::protobuf::io::CodedOutputStream coded(&stream);
  coded.SetSerializationDeterministic(true);
  message.SerializeToCodedStream(&coded);
  coded.Trim();
  return out;
}

Result<std::string> serialized(const google::protobuf::Message& message, bool asText) {
  if (message.ByteSizeLong() > INT_MAX) return fail("the module is larger than the 2 GiB of a protobuf message");
  if (const std::string field = proto::firstFieldWithoutUtf8(message); !field.empty())
    return fail("protobuf's " + field + " is UTF-8, the module has other bytes there");
  if (!asText) return deterministicBytes(message);
  std::string out;
  google::protobuf::TextFormat::PrintToString(message, &out);
  return out;
}

void fillHlo(const Module& module, const ForeignFields* foreign, pb::HloProto& out) {
  if (foreign) out.ParseFromString(foreign->file);
  proto::writeModuleMessage(module, foreign, *out.mutable_hlo_module());
}

// Messages count operands and have a root: an open input or an empty body would be lost in silence.
Status checkFinished(const Module& module) {
  if (!module.contains(module.entry())) return fail("the module has no entry computation");
  const char* const instead = "; protobuf has no form for what is open: HLO text and projects have";
  for (ComputationId computation : module.order()) {
    if (!module.at(computation).root.valid()) return fail("%" + module.at(computation).name + " is empty" + instead);
    for (InstructionId id : module.at(computation).instructions)
      for (size_t k = 0; k < module.at(id).operands.size(); ++k)
        if (!module.contains(module.at(id).operands[k])) return fail(openInput(module.at(id), k).message + instead);
  }
  return {};
}

}  // namespace

bool looksLikeProtoText(std::string_view content) {
  std::string_view rest = content;
  if (!messageWithField(firstWord(rest)) || rest.empty()) return false;
  if (rest[0] == ':') return true;
  if (rest[0] != '{' && rest[0] != '<') return false;
  rest.remove_prefix(1);
  const std::string_view field = firstWord(rest);
  return !field.empty() && !rest.empty() && (rest[0] == ':' || rest[0] == '{' || rest[0] == '<');
}

bool startsProto(std::string_view head) {
  constexpr size_t kCutTag = 20;  // a tag and a number that the end of the head cuts
  WireReader fields(head);
  while (fields.nextCut()) {
  }
  return !fields.damaged() || fields.position() + kCutTag >= head.size();
}

ProtoContent readProto(std::string_view content, const std::string& fileName) {
  FileReader reader(fileName);
  ProtoContent out = looksLikeProtoText(content) ? reader.text(content) : reader.binary(content);
  if (out.module && content.find("tessera.") != std::string_view::npos) adoptPadding(*out.module, out.diagnostics);
  return out;
}

std::string normalizedProto(std::string content) {
  google::protobuf::Arena arena;
  auto* read = google::protobuf::Arena::CreateMessage<pb::HloProto>(&arena);
  if (!parseBinary(content, *read) || read->hlo_module().computations_size() == 0) return content;
  auto* alone = google::protobuf::Arena::CreateMessage<pb::HloProto>(&arena);
  alone->mutable_hlo_module()->Swap(read->mutable_hlo_module());
  alone->mutable_hlo_module()->clear_id();
  return deterministicBytes(*alone);
}

Result<std::string> writeProto(const Module& module, const ProtoOptions& options) {
  TESSERA_TRY(checkFinished(module));
  google::protobuf::Arena arena;
  if (options.message == ProtoMessage::HloModule) {
    auto* message = google::protobuf::Arena::CreateMessage<pb::HloModuleProto>(&arena);
    proto::writeModuleMessage(module, options.foreign, *message);
    return serialized(*message, options.text);
  }
  auto* message = google::protobuf::Arena::CreateMessage<pb::HloProto>(&arena);
  fillHlo(module, options.foreign, *message);
  return serialized(*message, options.text);
}

}  // namespace tessera
