// The walk over JSON: what it tells of texts and numbers, what it steps over, and where it ends on what is damaged.
#include "core/formats/json_scanner.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace tessera {
namespace {

// "name=text name=text …" of an object's texts and numbers; "damaged" at the end where the walk ended early.
std::string toldOf(std::string_view json) {
  JsonScanner scanner(json);
  std::string out;
  std::string_view key, text;
  if (scanner.enter('{'))
    while (scanner.nextMember(key)) {
      const std::string name(key);
      if (scanner.scalar(text)) out += name + "=" + std::string(text) + " ";
    }
  return scanner.damaged() || scanner.next() != 0 ? out + "damaged" : out;
}

TEST(JsonScanner, TextsAndNumbersAreToldAndOtherValuesSteppedOver) {
  EXPECT_EQ(toldOf(R"({"a":"b","n":-1.5e3,"t":true,"f":false,"z":null,"list":[1,{"a":[]},"]"],"o":{"a":"}"},"c":7})"),
            "a=b n=-1.5e3 c=7 ");
  EXPECT_EQ(toldOf("{}"), "");
  EXPECT_EQ(toldOf(" /* one */ {\n\t\"a\" : 1 // two\n , \"b\":2 } "), "a=1 b=2 ");
}

TEST(JsonScanner, EscapesBecomeUtf8) {
  EXPECT_EQ(toldOf(R"({"\u0061":"\"\\\/\b\f\n\r\t"})"), "a=\"\\/\b\f\n\r\t ");
  EXPECT_EQ(toldOf(R"({"u":"\u00e9\u20AC\ud83d\ude00é"})"), "u=é€😀é ");
}

TEST(JsonScanner, WhatIsDamagedEndsTheWalk) {
  for (const char* json :
       {R"({"a":1,"b")", R"({"a":1)", R"({"a":1,})", R"({"a":1 "b":2})", R"({"a":1,"b":"\x"})",
        R"({"a":1,"b":"\ud83d"})", R"({"a":1,"b":"\ude00"})", R"({"a":1,"b":"\u12g4"})", R"({"a":1,"b":[1,]})",
        R"({"a":1,"b":[1}]})", R"({"a":1,"b":treu})", R"({"a":1,"b":-})", "{\"a\":1,\"b\":\"\n\"}",
        "{\"a\":1,\"b\":\"\xff\"}", "{\"a\":1,\"b\":\"\xed\xa0\x80\"}", "{\"a\":1,\"b\":\"\xc3\"}",
        "{\"a\":1,\"b\":\"\xe0\x80\x80\"}", R"({"a":1} 2)", R"({"a":1 /* never ends)"})
    EXPECT_EQ(toldOf(json), "a=1 damaged") << json;
}

// As deep as the text is long: no recursion.
TEST(JsonScanner, DepthCostsNoStack) {
  constexpr size_t kDeep = 1'000'000;
  EXPECT_EQ(toldOf("{\"a\":1,\"deep\":" + std::string(kDeep, '[') + std::string(kDeep, ']') + ",\"b\":2}"), "a=1 b=2 ");
  EXPECT_EQ(toldOf("{\"a\":1,\"deep\":" + std::string(kDeep, '[')), "a=1 damaged");
}

// Each text cut at each place, and with each byte changed: the walk is not damaged where nlohmann's parser reads it.
TEST(JsonScanner, AgreesWithAnotherParserOnWhatIsWhole) {
  const std::string whole = R"({"a":"bé\n\u20ac","n":[1,-2.5e-3,{"t":true}],"z":null})";
  for (size_t at = 0; at < whole.size(); ++at)
    for (const char byte : {'"', '\\', '{', ']', ',', ':', '1', ' ', '\x80', '\n'}) {
      std::string changed = whole;
      changed[at] = byte;
      for (const std::string& json : {changed, changed.substr(0, at)})
        if (nlohmann::json::accept(json)) {
          EXPECT_FALSE(toldOf(json).ends_with("damaged")) << json;
        }
    }
}

}  // namespace
}  // namespace tessera
