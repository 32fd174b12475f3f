// See trace_fields.h. Numbers may be written as texts, and texts as numbers.
#include "core/profile/sources/trace_fields.h"

#include <rapidjson/encodedstream.h>
#include <rapidjson/memorystream.h>
#include <rapidjson/reader.h>

#include <charconv>

namespace tessera {
namespace {

enum class Field : uint8_t { Other, Phase, Name, Category, Process, Thread, Flow, Begin, Duration, Args };
enum class ArgField : uint8_t { Other, Op, Module, Program, Run, Step, Flops, Bytes, Correlation, Name };

template <class F>
struct Known {
  std::string_view name;
  F field;
};
// Of a million events each has some ten names: almost all of them differ in length or first letter.
template <class F, size_t N>
F fieldNamed(std::string_view name, const Known<F> (&known)[N]) {
  for (const Known<F>& each : known)
    if (each.name.size() == name.size() && each.name.front() == name.front() && each.name == name) return each.field;
  return F::Other;
}

constexpr Known<Field> kFields[] = {{"ph", Field::Phase},    {"name", Field::Name},    {"cat", Field::Category},
                                    {"pid", Field::Process}, {"tid", Field::Thread},   {"id", Field::Flow},
                                    {"ts", Field::Begin},    {"dur", Field::Duration}, {"args", Field::Args}};
constexpr Known<ArgField> kArgs[] = {{"hlo_op", ArgField::Op},
                                     {"hlo_module", ArgField::Module},
                                     {"program_id", ArgField::Program},
                                     {"run_id", ArgField::Run},
                                     {"step_num", ArgField::Step},
                                     {"flops", ArgField::Flops},
                                     {"bytes_accessed", ArgField::Bytes},
                                     {"correlation_id", ArgField::Correlation},
                                     {"name", ArgField::Name}};

double numberIn(std::string_view text) {
  double out = 0;
  std::from_chars(text.data(), text.data() + text.size(), out);
  return out;
}

std::optional<int64_t> integerIn(std::string_view text) {
  const char* end = text.data() + text.size();
  int64_t out = 0;
  if (std::from_chars(text.data(), end, out).ec == std::errc()) return out;
  uint64_t large = 0;  // identifiers are hashes
  if (std::from_chars(text.data(), end, large).ec == std::errc()) return static_cast<int64_t>(large);
  return std::nullopt;
}

void set(TraceEvent::Args& args, ArgField field, std::string_view text) {
  switch (field) {
    case ArgField::Op: args.op = text; break;
    case ArgField::Module: args.module = text; break;
    case ArgField::Name: args.name = text; break;
    case ArgField::Program: args.program = integerIn(text); break;
    case ArgField::Run: args.run = integerIn(text); break;
    case ArgField::Step: args.step = integerIn(text); break;
    case ArgField::Flops: args.flops = numberIn(text); break;
    case ArgField::Bytes: args.bytes = numberIn(text); break;
    case ArgField::Correlation:
    case ArgField::Other: break;
  }
}

void set(TraceEvent& event, Field field, std::string_view text) {
  switch (field) {
    case Field::Phase: event.phase = text; break;
    case Field::Name: event.name = text; break;
    case Field::Category: event.category = text; break;
    case Field::Process: event.process = text; break;
    case Field::Thread: event.thread = text; break;
    case Field::Flow: event.flow = text; break;
    case Field::Begin: event.beginUs = numberIn(text); break;
    case Field::Duration: event.durationUs = numberIn(text); break;
    case Field::Args:
    case Field::Other: break;
  }
}

// Half of a pair, which no UTF-8 has: the parser takes an escaped low surrogate alone for a character.
bool hasSurrogate(std::string_view text) {
  for (size_t at = text.find('\xed'); at != text.npos; at = text.find('\xed', at + 1))
    if (at + 1 < text.size() && static_cast<uint8_t>(text[at + 1]) >= 0xa0) return true;
  return false;
}

// Receives the parts of the text as the parser meets them.
class EventHandler : public rapidjson::BaseReaderHandler<rapidjson::UTF8<>, EventHandler> {
 public:
  explicit EventHandler(const std::function<void(const TraceEvent&)>& take) : take_(take) {}

  // NOLINTBEGIN(readability-identifier-naming): the names are the parser's
  bool Default() { return true; }
  bool String(const char* text, rapidjson::SizeType length, bool) {
    return !hasSurrogate({text, length}) && takeScalar({text, length});
  }
  bool RawNumber(const char* text, rapidjson::SizeType length, bool) { return takeScalar({text, length}); }
  bool Key(const char* text, rapidjson::SizeType length, bool) {
    const std::string_view name(text, length);
    if (hasSurrogate(name)) return false;
    if (depth_ == 1) isList_ = name == "traceEvents";
    if (isInEvent()) field_ = fieldNamed(name, kFields);
    if (isInArgs()) arg_ = fieldNamed(name, kArgs);
    if (isInArgs() && arg_ == ArgField::Correlation) event_.args.hasCorrelation = true;
    return true;
  }
  bool StartArray() {
    ++depth_;
    if (depth_ == 1 || (depth_ == 2 && isList_)) listDepth_ = depth_;
    return true;
  }
  bool EndArray(rapidjson::SizeType) {
    if (depth_ == listDepth_) listDepth_ = kNoList;
    --depth_;
    return true;
  }
  bool StartObject() {
    ++depth_;
    if (isInEvent()) event_.clear(), field_ = Field::Other;
    if (depth_ == listDepth_ + 2 && field_ == Field::Args) event_.hasArgs = hasOpenArgs_ = true;
    return true;
  }
  bool EndObject(rapidjson::SizeType) {
    if (isInArgs()) hasOpenArgs_ = false;
    if (isInEvent()) take_(event_), field_ = Field::Other;
    --depth_;
    return true;
  }
  // NOLINTEND(readability-identifier-naming)

 private:
  static constexpr int kNoList = -2;  // so that no depth is one in an event

  bool isInEvent() const { return depth_ == listDepth_ + 1; }
  bool isInArgs() const { return hasOpenArgs_ && depth_ == listDepth_ + 2; }
  bool takeScalar(std::string_view text) {
    if (isInEvent()) set(event_, field_, text);
    if (isInArgs()) set(event_.args, arg_, text);
    return true;
  }

  const std::function<void(const TraceEvent&)>& take_;
  TraceEvent event_;
  int depth_ = 0, listDepth_ = kNoList;  // open brackets; those round each event
  bool isList_ = false, hasOpenArgs_ = false;
  Field field_ = Field::Other;  // of the value that follows
  ArgField arg_ = ArgField::Other;
};

}  // namespace

void TraceEvent::Args::clear() {
  for (std::string* text : {&op, &module, &name}) text->clear();
  program.reset(), run.reset(), step.reset();
  flops = bytes = 0;
  hasCorrelation = false;
}

void TraceEvent::clear() {
  for (std::string* text : {&phase, &name, &category, &process, &thread, &flow}) text->clear();
  beginUs = durationUs = 0;
  hasArgs = false;
  args.clear();
}

// Without recursion, since a text may be nested as deep as it is long.
bool forEachTraceEvent(std::string_view json, const std::function<void(const TraceEvent&)>& take) {
  constexpr unsigned kFlags = rapidjson::kParseIterativeFlag | rapidjson::kParseNumbersAsStringsFlag |
                              rapidjson::kParseValidateEncodingFlag | rapidjson::kParseCommentsFlag;
  rapidjson::MemoryStream bytes(json.data(), json.size());
  rapidjson::EncodedInputStream<rapidjson::UTF8<>, rapidjson::MemoryStream> text(bytes);
  EventHandler handler(take);
  return rapidjson::Reader().Parse<kFlags>(text, handler).IsError();
}

}  // namespace tessera
