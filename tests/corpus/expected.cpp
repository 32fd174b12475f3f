// See expected.h.
#include "tests/corpus/expected.h"

#include <fnmatch.h>
#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

#include "core/evaluate/evaluate.h"
#include "core/formats/npz.h"

namespace tessera {
namespace {

// Twenty times tighter than the default: no program needs more than a quarter of it.
constexpr Tolerance kSingle{1e-4, 1e-5};

std::vector<ToleranceException> readExceptions() {
  std::vector<ToleranceException> out;
  std::ifstream in(TESSERA_CORPUS_EXCEPTIONS);
  EXPECT_TRUE(in) << TESSERA_CORPUS_EXCEPTIONS;
  for (std::string line; std::getline(in, line);) {
    if (line.empty() || line[0] == '#') continue;
    std::istringstream words(line);
    ToleranceException exception;
    words >> exception.file >> exception.output >> exception.tolerance.rtol >> exception.tolerance.atol >>
        exception.tolerance.floor;
    EXPECT_TRUE(words) << line;
    std::getline(words >> std::ws, exception.reason);
    EXPECT_FALSE(exception.reason.empty()) << "without a reason: " << line;
    out.push_back(std::move(exception));
  }
  return out;
}

bool matches(const std::string& pattern, const std::string& name) {
  return fnmatch(pattern.c_str(), name.c_str(), 0) == 0;
}

}  // namespace

bool ToleranceException::isAbout(const std::string& program) const { return matches(file, program); }

Result<DeviceArrays> corpusArguments(const Module& module, DeviceGrid grid, const std::filesystem::path& folder) {
  NamedArrays inputs;
  if (std::filesystem::exists(folder / "inputs.npz")) {
    TESSERA_ASSIGN_OR_RETURN(inputs, readNpz(folder / "inputs.npz"));
  }
  FillRule rule;
  if (folder.filename().string().starts_with("hf_")) rule.imax = 1000;  // token ids: the corpus' README
  return argumentsByDevice(module, grid, inputs, rule);
}

Result<std::vector<Literal>> corpusOutputs(const std::filesystem::path& folder) {
  TESSERA_ASSIGN_OR_RETURN(const NamedArrays named, readNpz(folder / "expected.npz"));
  std::vector<Literal> out;
  for (size_t i = 0; i < named.size(); ++i) {
    const auto found = named.find("out" + std::to_string(i));
    if (found == named.end()) return fail("expected.npz lacks out" + std::to_string(i));
    out.push_back(found->second);
  }
  return out;
}

const std::vector<ToleranceException>& toleranceExceptions() {
  static const std::vector<ToleranceException> kExceptions = readExceptions();
  return kExceptions;
}

Tolerance corpusTolerance(const std::string& file, size_t output, ElementType type) {
  const bool isSingle = type == ElementType::F32 || type == ElementType::C64;
  const Tolerance usual = isSingle ? kSingle : defaultTolerance(type);
  if (usual.isExact()) return usual;
  for (const ToleranceException& exception : toleranceExceptions())
    if (exception.isAbout(file) && matches(exception.output, "out" + std::to_string(output)))
      return exception.tolerance;
  return usual;
}

}  // namespace tessera
