// The walk over the events of a Chrome trace: what it tells of texts and numbers, what it steps over, and where it ends
// on what is damaged.
#include "core/profile/sources/trace_fields.h"

#include <gtest/gtest.h>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace tessera {
namespace {

// "name=text ts=number …" of each event, those fields that it has; "damaged" at the end where the walk ended early.
std::string toldOf(std::string_view json) {
  std::string out;
  const bool damaged = forEachTraceEvent(json, [&](const TraceEvent& event) {
    if (!event.name.empty()) out += "name=" + event.name + " ";
    if (const int64_t ps = psBetween({}, event.begin); ps != 0) out += fmt::format("ts={} ", ps);
    if (!event.process.empty()) out += "pid=" + event.process + " ";
    if (event.hasArgs) out += "args(" + event.args.op + event.args.name + ") ";
  });
  return damaged ? out + "damaged" : out;
}

TEST(TraceFields, TextsAndNumbersAreToldAndOtherValuesSteppedOver) {
  EXPECT_EQ(toldOf(R"([{"name":"b","ts":-1.5e3,"t":true,"f":false,"cat":null,"list":[1,{"name":[]},"]"],)"
                   R"("o":{"name":"}"},"pid":7}])"),
            "name=b ts=-1500000000 pid=7 ");
  EXPECT_EQ(toldOf("{}"), "");
  EXPECT_EQ(toldOf("[{}]"), "");
  EXPECT_EQ(toldOf(" /* one */ [{\n\t\"name\" : 1 // two\n , \"pid\":2 } ] "), "name=1 pid=2 ");
}

// Microseconds since 1970 with nanoseconds behind the point: more digits than a double has.
TEST(TraceFields, TimesAreExact) {
  std::vector<TraceTime> begins;
  forEachTraceEvent(
      R"([{"ts":1621401187223005.123},{"ts":1621401187223005.124},{"ts":-0.25},{"ts":"-3"},{"ts":1e-3},{"ts":1e99},)"
      R"({"ts":-1e99},{"ts":-9223372036854775808.5},{"ts":1.5x}])",
      [&](const TraceEvent& event) { begins.push_back(event.begin); });
  ASSERT_EQ(begins.size(), 8u);
  EXPECT_EQ(psBetween(begins[0], begins[1]), 1000);
  EXPECT_EQ(psBetween({}, begins[2]), -250'000);
  EXPECT_EQ(psBetween({}, begins[3]), -3'000'000);
  EXPECT_EQ(psBetween({}, begins[4]), 1000);
  EXPECT_EQ(psBetween({}, begins[5]), INT64_MAX);
  EXPECT_EQ(psBetween({}, begins[6]), INT64_MIN);
  EXPECT_EQ(psBetween({}, begins[7]), INT64_MIN);
}

TEST(TraceFields, EventsStandInTheListAlone) {
  EXPECT_EQ(toldOf(R"({"other":[{"name":"no"}],"traceEvents":[{"name":"a"},7,[{"name":"no"}],{"name":"b"}],)"
                   R"("o":{"traceEvents":[{"name":"no"}]}})"),
            "name=a name=b ");
  EXPECT_EQ(toldOf(R"([{"name":"a","args":{"hlo_op":"dot","o":{"hlo_op":"no"},"name":["no"]}},{"args":["no"]}])"),
            "name=a args(dot) ");
}

TEST(TraceFields, EscapesBecomeUtf8) {
  EXPECT_EQ(toldOf(R"([{"n\u0061me":"\"\\\/\b\f\n\r\t"}])"), "name=\"\\/\b\f\n\r\t ");
  EXPECT_EQ(toldOf(R"([{"name":"\u00e9\u20AC\ud83d\ude00é"}])"), "name=é€😀é ");
}

TEST(TraceFields, WhatIsDamagedEndsTheWalk) {
  for (const char* second :
       {R"({"a":1,"b")", R"({"a":1)", R"({"a":1,})", R"({"a":1 "b":2})", R"({"a":1,"b":"\x"})",
        R"({"a":1,"b":"\ud83d"})", R"({"a":1,"b":"\ude00"})", R"({"a":1,"b":"\u12g4"})", R"({"a":1,"b":[1,]})",
        R"({"a":1,"b":[1}]})", R"({"a":1,"b":treu})", R"({"a":1,"b":-})", "{\"a\":1,\"b\":\"\n\"}",
        "{\"a\":1,\"b\":\"\xff\"}", "{\"a\":1,\"b\":\"\xed\xa0\x80\"}", "{\"a\":1,\"b\":\"\xc3\"}",
        "{\"a\":1,\"b\":\"\xe0\x80\x80\"}", R"({"a":1} 2)", R"({"a":1 /* never ends)"})
    for (const char* end : {"]", ""})
      EXPECT_EQ(toldOf(std::string(R"([{"name":"first"},)") + second + end), "name=first damaged") << second;
  EXPECT_EQ(toldOf(R"([{"name":"first"}] 2)"), "name=first damaged");
  EXPECT_EQ(toldOf(""), "damaged");
}

// As deep as the text is long: no recursion.
TEST(TraceFields, DepthCostsNoStack) {
  constexpr size_t kDeep = 1'000'000;
  const std::string open = R"([{"name":"a","deep":)" + std::string(kDeep, '[');
  EXPECT_EQ(toldOf(open + std::string(kDeep, ']') + R"(,"pid":2}])"), "name=a pid=2 ");
  EXPECT_EQ(toldOf(open), "damaged");
}

// Each text cut at each place, and with each byte changed: the walk is not damaged where another parser reads it.
TEST(TraceFields, AgreesWithAnotherParserOnWhatIsWhole) {
  const std::string whole = R"({"name":"bé\n\u20ac","n":[1,-2.5e-3,{"t":true}],"args":null})";
  for (size_t at = 0; at < whole.size(); ++at)
    for (const char byte : {'"', '\\', '{', ']', ',', ':', '1', ' ', '\x80', '\n'}) {
      std::string changed = whole;
      changed[at] = byte;
      for (const std::string& event : {changed, changed.substr(0, at)})
        if (const std::string json = "[" + event + "]"; nlohmann::json::accept(json)) {
          EXPECT_FALSE(toldOf(json).ends_with("damaged")) << json;
        }
    }
}

}  // namespace
}  // namespace tessera
