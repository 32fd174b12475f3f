// See trace_fields.h. Numbers may be written as texts, and texts as numbers.
#include "core/profile/sources/trace_fields.h"

#include <charconv>

#include "core/formats/json_scanner.h"

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

class EventWalk {
 public:
  EventWalk(std::string_view json, const std::function<void(const TraceEvent&)>& take) : scanner_(json), take_(take) {}

  bool walk() {
    std::string_view key;
    if (scanner_.next() == '[')
      walkEvents();
    else if (scanner_.enter('{'))
      while (scanner_.nextMember(key)) key == "traceEvents" ? walkEvents() : scanner_.skip();
    else
      scanner_.skip();
    return scanner_.damaged() || scanner_.next() != 0 || scanner_.damaged();
  }

 private:
  void walkEvents() {
    if (!scanner_.enter('[')) return scanner_.skip();
    while (scanner_.nextElement()) {
      if (!scanner_.enter('{')) {
        scanner_.skip();
        continue;
      }
      readEvent();
      if (!scanner_.damaged()) take_(event_);
    }
  }
  void readEvent() {
    std::string_view key, text;
    event_.clear();
    while (scanner_.nextMember(key)) {
      const Field field = fieldNamed(key, kFields);
      if (field == Field::Other)
        scanner_.skip();
      else if (field == Field::Args)
        readArgs();
      else if (scanner_.scalar(text))
        set(event_, field, text);
    }
  }
  void readArgs() {
    if (!scanner_.enter('{')) return scanner_.skip();
    event_.hasArgs = true;
    std::string_view key, text;
    while (scanner_.nextMember(key)) {
      const ArgField field = fieldNamed(key, kArgs);
      if (field == ArgField::Correlation) event_.args.hasCorrelation = true;
      if (field == ArgField::Other)
        scanner_.skip();
      else if (scanner_.scalar(text))
        set(event_.args, field, text);
    }
  }

  JsonScanner scanner_;
  const std::function<void(const TraceEvent&)>& take_;
  TraceEvent event_;
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

bool forEachTraceEvent(std::string_view json, const std::function<void(const TraceEvent&)>& take) {
  return EventWalk(json, take).walk();
}

}  // namespace tessera
