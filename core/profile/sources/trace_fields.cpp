// See trace_fields.h.
#include "core/profile/sources/trace_fields.h"

#include <charconv>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <string_view>

namespace tessera {
namespace {

using Json = nlohmann::json;

enum class Field : uint8_t {
  Other,
  Phase,
  Name,
  Category,
  Process,
  Thread,
  Flow,
  Begin,
  Duration,
  Args,
  Op,
  Module,
  Program,
  Run,
  Step,
  Flops,
  Bytes,
  Correlation,
  ArgName,
};

Field fieldNamed(std::string_view key) {
  using enum Field;
  constexpr std::pair<std::string_view, Field> kFields[] = {{"ph", Phase},    {"name", Name},    {"cat", Category},
                                                            {"pid", Process}, {"tid", Thread},   {"id", Flow},
                                                            {"ts", Begin},    {"dur", Duration}, {"args", Args}};
  for (const auto& [name, field] : kFields)
    if (name == key) return field;
  return Other;
}

Field argNamed(std::string_view key) {
  using enum Field;
  constexpr std::pair<std::string_view, Field> kFields[] = {
      {"hlo_op", Op},     {"hlo_module", Module}, {"program_id", Program},   {"run_id", Run},
      {"step_num", Step}, {"flops", Flops},       {"bytes_accessed", Bytes}, {"correlation_id", Correlation},
      {"name", ArgName}};
  for (const auto& [name, field] : kFields)
    if (name == key) return field;
  return Other;
}

// A value as a number and as text, whichever way it was written.
struct Value {
  std::string_view text;
  std::optional<double> number;
  std::optional<int64_t> integer;

  double asNumber() const { return number ? *number : std::strtod(std::string(text).c_str(), nullptr); }
  std::optional<int64_t> asInteger() const {
    if (integer) return integer;
    int64_t out = 0;
    const auto read = std::from_chars(text.data(), text.data() + text.size(), out);
    return read.ec == std::errc() ? std::optional(out) : std::nullopt;
  }
};

// Receives the parts of the text as nlohmann's parser meets them.
class EventWalk {
 public:
  EventWalk(bool isList, const std::function<void(const TraceEvent&)>& take)
      : eventDepth_(isList ? 2 : 3), inEvents_(isList), take_(take) {}

  // NOLINTBEGIN(readability-identifier-naming): the names are the parser's
  bool null() { return true; }
  bool boolean(bool) { return true; }
  bool number_integer(Json::number_integer_t value) { return whole(value); }
  bool number_unsigned(Json::number_unsigned_t value) { return whole(static_cast<int64_t>(value)); }
  bool number_float(Json::number_float_t value, const std::string& text) { return set({text, value, std::nullopt}); }
  bool string(std::string& text) { return set({text, std::nullopt, std::nullopt}); }
  bool binary(Json::binary_t&) { return true; }
  bool start_object(size_t) {
    ++depth_;
    if (!inEvents_) return true;
    if (depth_ == eventDepth_) event_ = {};
    if (depth_ == eventDepth_ + 1 && field_ == Field::Args) event_.args.emplace(), inArgs_ = true;
    return true;
  }
  bool key(std::string& name) {
    if (depth_ == 1 && eventDepth_ == 3) inEvents_ = name == "traceEvents";
    field_ = depth_ == eventDepth_                  ? fieldNamed(name)
             : inArgs_ && depth_ == eventDepth_ + 1 ? argNamed(name)
                                                    : Field::Other;
    if (field_ == Field::Correlation) event_.args->hasCorrelation = true;
    return true;
  }
  bool end_object() {
    if (inEvents_ && depth_ == eventDepth_) take_(event_);
    return close();
  }
  bool start_array(size_t) {
    ++depth_;
    return true;
  }
  bool end_array() { return close(); }
  bool parse_error(size_t, const std::string&, const nlohmann::detail::exception&) { return false; }
  // NOLINTEND(readability-identifier-naming)

 private:
  bool close() {
    if (depth_ == eventDepth_ + 1) inArgs_ = false;
    --depth_;
    field_ = Field::Other;
    return true;
  }
  bool whole(int64_t value) {
    char text[24];
    const char* end = std::to_chars(text, text + sizeof text, value).ptr;
    return set({{text, end}, static_cast<double>(value), value});
  }
  bool set(const Value& value);

  const int eventDepth_;
  int depth_ = 0;
  bool inEvents_, inArgs_ = false;
  Field field_ = Field::Other;
  TraceEvent event_;
  const std::function<void(const TraceEvent&)>& take_;
};

bool EventWalk::set(const Value& value) {
  if (!inEvents_ || depth_ != (inArgs_ ? eventDepth_ + 1 : eventDepth_)) return true;
  switch (field_) {
    case Field::Phase: event_.phase = value.text; break;
    case Field::Name: event_.name = value.text; break;
    case Field::Category: event_.category = value.text; break;
    case Field::Process: event_.process = value.text; break;
    case Field::Thread: event_.thread = value.text; break;
    case Field::Flow: event_.flow = value.text; break;
    case Field::Begin: event_.beginUs = value.asNumber(); break;
    case Field::Duration: event_.durationUs = value.asNumber(); break;
    case Field::Op: event_.args->op = value.text; break;
    case Field::Module: event_.args->module = value.text; break;
    case Field::ArgName: event_.args->name = value.text; break;
    case Field::Program: event_.args->program = value.asInteger(); break;
    case Field::Run: event_.args->run = value.asInteger(); break;
    case Field::Step: event_.args->step = value.asInteger(); break;
    case Field::Flops: event_.args->flops = value.asNumber(); break;
    case Field::Bytes: event_.args->bytes = value.asNumber(); break;
    case Field::Args:
    case Field::Correlation:
    case Field::Other: break;
  }
  return true;
}

}  // namespace

bool forEachTraceEvent(std::string_view json, const std::function<void(const TraceEvent&)>& take) {
  const size_t first = json.find_first_not_of(" \t\r\n");
  EventWalk walk(first != json.npos && json[first] == '[', take);
  return !Json::sax_parse(json.begin(), json.end(), &walk, Json::input_format_t::json, true, true);
}

}  // namespace tessera
