// Tables of times and of any measure, and the forms written.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "core/profile/op_profile_json.h"
#include "core/profile/sources/values.h"
#include "tests/unit/profile/source_hand.h"

namespace tessera {
namespace {

TEST(ProfileSources, TablesOfAnyMeasure) {
  const OpProfile csv = sourceOf("name,heat\r\n\"fusion.3\",0.25\r\nfusion.3,0.5\r\nnope,3\r\n", smallModule());
  EXPECT_EQ(csv.measure, "heat");
  EXPECT_DOUBLE_EQ(rowNamed(csv, "fusion.3")->value, 0.75);
  EXPECT_EQ(rowNamed(csv, "fusion.3")->times.count, 2);
  ASSERT_EQ(csv.unmatched.size(), 1u);
  EXPECT_EQ(csv.unmatched[0].value, 3);
  const OpProfile times = sourceOf("instruction;time_ms\nexp.2;1.5\n", smallModule());
  EXPECT_EQ(times.measure, "");
  EXPECT_EQ(times.totalNs, 1'500'000);
  const OpProfile json = sourceOf(R"({"exp.2": 3, "fusion.3": 4})");
  EXPECT_EQ(rowNamed(json, "fusion.3")->value, 4);
  EXPECT_EQ(sourceOf(R"({"rows":[{"name":"exp.2","us":2}]})").totalNs, 2000);
  const auto bad = readCsvValues("name,value\nx,1\ny,abc\n", nullptr, "t.csv");
  ASSERT_FALSE(bad);
  EXPECT_EQ(bad.error().position.line, 3u);
}

TEST(ProfileSources, ACutTableShowsTheLinesBefore) {
  const auto cut = readCsvValues("name,time_us\nx,1\ny,2\nz", nullptr, "t.csv");
  ASSERT_TRUE(cut) << cut.error().toString();
  EXPECT_EQ(cut->totalNs, 3000);
  ASSERT_EQ(cut->warnings.size(), 1u);
  EXPECT_EQ(cut->warnings[0], "the table is cut in line 4: the lines before it are shown");
  EXPECT_TRUE(readCsvValues("name,time_us\nx,1\ny,2", nullptr, "t.csv")->warnings.empty());
  EXPECT_FALSE(readCsvValues("name,time_us\nx", nullptr, "t.csv")) << "nothing stands before it";
}

TEST(ProfileSources, TablesAsSpreadsheetsWriteThem) {
  const OpProfile comma = sourceOf("name;energy (mJ)\n\"exp.2\"; 1,5 \nfusion.3;2\n", smallModule());
  EXPECT_EQ(comma.measure, "energy (mJ)");
  EXPECT_DOUBLE_EQ(rowNamed(comma, "exp.2")->value, 1.5);
  const OpProfile blanks = sourceOf("name, watts\nexp.2,\t3.5 \n", smallModule());
  EXPECT_EQ(blanks.measure, "watts");
  EXPECT_DOUBLE_EQ(rowNamed(blanks, "exp.2")->value, 3.5);
  const auto bad = readCsvValues("name;heat\nx;1,5,2\n", nullptr, "t.csv");
  ASSERT_FALSE(bad);
  EXPECT_EQ(bad.error().found, "x;1,5,2");
}

TEST(ProfileSources, JsonTablesOfAnyMeasure) {
  const OpProfile energy = sourceOf(R"([{"name":"exp.2","device":"a","energy":3},{"name":"fusion.3","energy":4}])");
  EXPECT_EQ(energy.measure, "energy");
  EXPECT_EQ(rowNamed(energy, "fusion.3")->value, 4);
  const auto bad = readJsonValues(R"([{"name":"exp.2","us":2},{"name":"fusion.3","energy":4}])", nullptr, "t.json");
  ASSERT_FALSE(bad);  // no row is dropped without a word
  EXPECT_EQ(bad.error().found, R"({"energy":4,"name":"fusion.3"})");
  EXPECT_EQ(bad.error().expected, R"(a number "us", as in the first row)");
}

TEST(ProfileSources, WrittenFormsReadBack) {
  const OpProfile profile = sourceOf("name,total_ns\nfusion.3,40\nexp.2,60\nnope,5\n", smallModule());
  const std::string json = toJson(profile).dump();
  const OpProfile again = sourceOf(json);
  EXPECT_EQ(again.totalNs, 105);
  EXPECT_EQ(toJson(again)["instructions"], toJson(profile)["instructions"]);
  EXPECT_EQ(toJson(again)["unmatched"], toJson(profile)["unmatched"]);
  const OpProfile table = sourceOf(toCsv(profile), smallModule());
  EXPECT_EQ(table.placedNs, 100);
}

TEST(ProfileSources, ATableWhoseSumsAreNotThoseOfItsRowsIsSummedAgain) {
  const auto read = readOpProfileJson(
      R"({"total_ns": 90, "placed_ns": 90,
          "instructions": [{"name": "a", "total_ns": 30}, {"name": "b", "total_ns": 5}],
          "unmatched": [{"name": "c", "total_ns": 7}]})");
  ASSERT_TRUE(read) << read.error().toString();
  EXPECT_EQ(read->placedNs, 35);
  EXPECT_EQ(read->unmatchedNs, 7);
  EXPECT_EQ(read->totalNs, 42);
  ASSERT_EQ(read->warnings.size(), 1u);
  EXPECT_NE(read->warnings[0].find("90 ns are placed"), std::string::npos) << read->warnings[0];
}

TEST(ProfileSources, ATableWithAWholeNumberOutOfRangeIsRefusedByName) {
  for (const char* number : {"1e300", "-1e300", "18446744073709551615"}) {
    const auto read = readOpProfileJson(
        fmt::format(R"({{"total_ns": 9, "placed_ns": 9, "instructions": [{{"name": "a", "min_ns": {}}}]}})", number));
    ASSERT_FALSE(read) << number;
    EXPECT_NE(read.error().message.find("\"min_ns\""), std::string::npos) << read.error().message;
  }
}

TEST(ProfileSources, ATableWhoseStepTimesAreNoObjectIsRefused) {
  EXPECT_FALSE(readOpProfileJson(R"({"total_ns": 9, "placed_ns": 9, "step_times": 5, "instructions": []})"));
}

}  // namespace
}  // namespace tessera
