// See trace_fields.h. Numbers may be written as texts, and texts as numbers.
#include "core/profile/sources/trace_fields.h"

#include <rapidjson/encodedstream.h>
#include <rapidjson/memorystream.h>
#include <rapidjson/reader.h>

#include <algorithm>
#include <charconv>
#include <cmath>

#include "core/profile/sources/time_samples.h"

namespace tessera {
namespace {

enum class Field : uint8_t { Other, Phase, Name, Category, Process, Thread, Flow, Begin, Duration, Args };
enum class ArgField : uint8_t {
  Other,
  Op,
  Module,
  Program,
  Run,
  Step,
  Device,
  Flops,
  Bytes,
  Correlation,
  Name,
  Labels
};

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
constexpr Known<ArgField> kArgs[] = {
    {"hlo_op", ArgField::Op},   {"hlo_module", ArgField::Module},    {"program_id", ArgField::Program},
    {"run_id", ArgField::Run},  {"step_num", ArgField::Step},        {"device_ordinal", ArgField::Device},
    {"flops", ArgField::Flops}, {"bytes_accessed", ArgField::Bytes}, {"correlation_id", ArgField::Correlation},
    {"name", ArgField::Name},   {"labels", ArgField::Labels}};

constexpr int64_t kPsPerUs = 1'000'000;

double numberIn(std::string_view text) {
  double out = 0;
  std::from_chars(text.data(), text.data() + text.size(), out);
  return out;
}

// With an exponent or out of range: to a double's precision.
TraceTime roughTimeIn(std::string_view text) {
  constexpr double kMostUs = 4e18;
  const double us = std::clamp(numberIn(text), -kMostUs, kMostUs);
  if (std::isnan(us)) return {};
  const double whole = std::floor(us);
  return {static_cast<int64_t>(whole), static_cast<int64_t>((us - whole) * kPsPerUs)};
}

TraceTime timeIn(std::string_view text) {
  constexpr size_t kDecimals = 6;
  const size_t point = std::min(text.find('.'), text.size());
  const char* end = text.data() + point;
  int64_t us = 0;
  const auto read = std::from_chars(text.data(), end, us);
  if (read.ec != std::errc() || read.ptr != end || us == INT64_MIN) return roughTimeIn(text);
  int64_t ps = 0;
  for (size_t i = 1; i <= kDecimals; ++i) {
    const char digit = point + i < text.size() ? text[point + i] : '0';
    if (digit < '0' || digit > '9') return roughTimeIn(text);
    ps = ps * 10 + (digit - '0');
  }
  if (!text.starts_with('-') || ps == 0) return {us, ps};
  return {us - 1, kPsPerUs - ps};
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
    case ArgField::Labels: args.labels = text; break;
    case ArgField::Program: args.program = integerIn(text); break;
    case ArgField::Run: args.run = integerIn(text); break;
    case ArgField::Step: args.step = integerIn(text); break;
    case ArgField::Device: args.device = integerIn(text); break;
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
    case Field::Begin: event.begin = timeIn(text); break;
    case Field::Duration: event.duration = timeIn(text); break;
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

int64_t psBetween(const TraceTime& from, const TraceTime& to) {
  int64_t us = 0, ps = 0;
  if (__builtin_sub_overflow(to.us, from.us, &us) || __builtin_mul_overflow(us, kPsPerUs, &ps))
    return from.us < to.us ? INT64_MAX : INT64_MIN;
  return saturatingAdd(ps, to.ps - from.ps);
}

void TraceEvent::Args::clear() {
  for (std::string* text : {&op, &module, &name, &labels}) text->clear();
  program.reset(), run.reset(), step.reset(), device.reset();
  flops = bytes = 0;
  hasCorrelation = false;
}

void TraceEvent::clear() {
  for (std::string* text : {&phase, &name, &category, &process, &thread, &flow}) text->clear();
  begin = duration = {};
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
