// See skips.h. The list is read once a program:
//   [key] when: reason        when is "always", "quick" (always but in the long tier) or "sometimes"
//   Suite.Test                names of tests, as gtest prints them, with * for any text
#include "tests/support/skips.h"

#include <fcntl.h>
#include <fnmatch.h>
#include <unistd.h>

#include <cstdlib>
#include <fstream>
#include <map>
#include <vector>

namespace tessera::test {
namespace {

struct Section {
  std::string when, reason;
  std::vector<std::string> names;
};
using Sections = std::map<std::string, Section, std::less<>>;

bool isLongTier() {
  const char* tier = std::getenv("TESSERA_TIER");
  return tier && std::string_view(tier) == "long";
}

// "[key] when: reason"
Section& addSection(Sections& sections, const std::string& line) {
  const size_t close = line.find(']'), colon = line.find(": ", close);
  EXPECT_TRUE(close != std::string::npos && colon != std::string::npos && colon > close + 2) << line;
  const std::string key = line.substr(1, close - 1), when = line.substr(close + 2, colon - close - 2);
  EXPECT_TRUE(when == "always" || when == "quick" || when == "sometimes") << line;
  EXPECT_FALSE(sections.contains(key)) << "twice: " << line;
  Section& out = sections[key];
  out.when = when;
  out.reason = line.substr(colon + 2);
  EXPECT_FALSE(out.reason.empty()) << "without a reason: " << line;
  return out;
}

Sections readSections() {
  Sections out;
  std::ifstream in(TESSERA_SKIPS);
  EXPECT_TRUE(in) << TESSERA_SKIPS << " cannot be read";
  Section* section = nullptr;
  for (std::string line; std::getline(in, line);) {
    if (line.empty() || line[0] == '#') continue;
    if (line[0] == '[')
      section = &addSection(out, line);
    else if (section)
      section->names.push_back(line);
    else
      ADD_FAILURE() << "before the first section: " << line;
  }
  return out;
}

const Sections& sections() {
  static const Sections kSections = readSections();
  return kSections;
}

bool has(const Section& section, std::string_view name) {
  for (const std::string& pattern : section.names)
    if (fnmatch(pattern.c_str(), std::string(name).c_str(), 0) == 0) return true;
  return false;
}

std::string nameOf(const testing::TestInfo& test) { return std::string(test.test_suite_name()) + "." + test.name(); }

// One write a line, so that processes side by side do not mix theirs.
void record(std::string_view key, std::string_view name, std::string_view detail) {
  const char* path = std::getenv("TESSERA_SKIPS_LOG");
  if (!path) return;
  std::string line = std::string(key) + "\t" + std::string(name) + "\t" + std::string(detail.substr(0, 200));
  for (char& c : line)
    if (c == '\n') c = ' ';
  line += '\n';
  const int file = ::open(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0644);
  const bool written = file >= 0 && ::write(file, line.data(), line.size()) == static_cast<ssize_t>(line.size());
  if (file >= 0) ::close(file);
  EXPECT_TRUE(written) << path << " cannot be written";
}

// What is listed as always skipped and runs is a leftover of the list.
class Leftovers : public testing::EmptyTestEventListener {
  void OnTestEnd(const testing::TestInfo& test) override {
    if (!test.result()->Passed()) return;
    for (const auto& [key, section] : sections())
      if ((section.when == "always" || (section.when == "quick" && !isLongTier())) && has(section, nameOf(test)))
        ADD_FAILURE() << nameOf(test) << " runs, but skips.txt lists it under " << key << ": take it out";
  }
};

const bool kListens = [] {
  testing::UnitTest::GetInstance()->listeners().Append(new Leftovers);
  return true;
}();

}  // namespace

bool isListedSkip(std::string_view key, std::string_view name) {
  const auto section = sections().find(key);
  return section != sections().end() && has(section->second, name);
}

bool skipsPart(std::string_view key, const std::string& name, const std::string& detail) {
  const bool listed = isListedSkip(key, name);
  EXPECT_TRUE(listed) << name << " is skipped for " << key << ", which skips.txt does not list for it: " << detail;
  if (listed) record(key, name, detail);
  return listed;
}

std::string listedSkip(std::string_view key, const std::string& detail) {
  const std::string name = nameOf(*testing::UnitTest::GetInstance()->current_test_info());
  if (!skipsPart(key, name, detail)) return {};
  return std::string(key) + ": " + sections().find(key)->second.reason + (detail.empty() ? "" : ": " + detail);
}

}  // namespace tessera::test
