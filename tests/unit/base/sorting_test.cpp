// Sorts by a key or an order: any order of any length, each element once, equal ones as they were.
#include "core/base/sorting.h"

#include <algorithm>
#include <memory>
#include <random>

#include <gtest/gtest.h>

namespace tessera {
namespace {

struct Row {
  int key = 0;
  size_t place = 0;
  std::unique_ptr<int> held;  // moved, never copied
};

std::vector<Row> rowsOf(size_t count, uint32_t seed) {
  std::mt19937 random(seed);
  std::vector<Row> out;
  for (size_t i = 0; i < count; ++i)
    out.push_back({static_cast<int>(random() % 7), i, std::make_unique<int>(static_cast<int>(i))});
  return out;
}

TEST(Sorting, KeysAscendAndEqualOnesKeepTheirOrder) {
  for (size_t count : {0, 1, 2, 3, 40, 1000}) {
    std::vector<Row> rows = rowsOf(count, 3);
    sortBy(rows, &Row::key);
    for (size_t i = 1; i < count; ++i)
      EXPECT_LT(std::pair(rows[i - 1].key, rows[i - 1].place), std::pair(rows[i].key, rows[i].place)) << count;
    for (const Row& row : rows) EXPECT_EQ(*row.held, static_cast<int>(row.place));
  }
}

TEST(Sorting, KeysDescendAndEqualOnesKeepTheirOrder) {
  std::vector<Row> rows = rowsOf(100, 5);
  sortDescending(rows, [](const Row& row) { return row.key; });
  for (size_t i = 1; i < rows.size(); ++i)
    EXPECT_LT(std::pair(-rows[i - 1].key, rows[i - 1].place), std::pair(-rows[i].key, rows[i].place));
}

TEST(Sorting, AnOrderIsLikeThatOfTheStandardLibrary) {
  std::vector<std::string> words;
  for (const Row& row : rowsOf(200, 7))
    words.push_back(std::to_string(row.key * 31 % 17) + std::to_string(row.place % 5));
  std::vector<std::string> expected = words;
  std::ranges::stable_sort(expected, std::greater());
  sortWith(words, std::greater());
  EXPECT_EQ(words, expected);
}

}  // namespace
}  // namespace tessera
