// A test of the test: for every output of the corpus in the repository, at the tolerance it is compared with, other
// values than XLA's are refused: zeros, the same values shifted by an element, transposed, negated.
#include <gtest/gtest.h>

#include <cstring>
#include <functional>

#include "core/hlo/numbers.h"
#include "tests/corpus/corpus.h"
#include "tests/corpus/expected.h"

namespace tessera {
namespace {

namespace fs = std::filesystem;

// The array whose element i is element source(i) of the other.
Literal rearranged(const Literal& value, const std::function<size_t(size_t)>& source) {
  Literal out = Literal::allocate(value.shape()).value();
  const auto width = static_cast<size_t>(byteWidth(value.shape().type));
  for (size_t i = 0; i < static_cast<size_t>(value.elementCount()); ++i)
    std::memcpy(out.mutableBytes().data() + i * width, value.bytes().data() + source(i) * width, width);
  return out;
}

Literal shifted(const Literal& value) {
  const auto count = static_cast<size_t>(value.elementCount());
  return rearranged(value, [&](size_t i) { return (i + count - 1) % count; });
}

// Its elements in the order in which the array with reversed dimensions has them.
Literal transposed(const Literal& value) {
  const std::vector<int64_t>& dimensions = value.shape().dimensions;
  return rearranged(value, [&](size_t i) {
    size_t source = 0, rest = i;
    for (size_t d = 0; d < dimensions.size(); ++d) {
      const auto size = static_cast<size_t>(dimensions[d]);
      size_t stride = 1;
      for (size_t inner = d + 1; inner < dimensions.size(); ++inner) stride *= static_cast<size_t>(dimensions[inner]);
      source += rest % size * stride;  // the first dimension is the fastest
      rest /= size;
    }
    return source;
  });
}

Literal negated(const Literal& value) {
  const ElementType type = value.shape().type;
  Literal out = Literal::fromBytes(value.shape(), value.bytes()).value();
  const auto width = static_cast<size_t>(byteWidth(type));
  for (size_t at = 0; at + width <= out.bytes().size(); at += width) {
    std::byte* element = out.mutableBytes().data() + at;
    if (isComplex(type))
      storeComplex(type, element, -loadComplex(type, element));
    else if (isFloat(type))
      storeDouble(type, element, -loadDouble(type, element));
    else
      storeInt(type, element, type == ElementType::Pred ? !loadInt(type, element) : -loadInt(type, element));
  }
  return out;
}

// The number of copies that differ at all from the output.
int expectRefused(const std::string& file, size_t output, const Literal& value) {
  if (value.elementCount() == 0) return 0;
  const Tolerance tolerance = corpusTolerance(file, output, value.shape().type);
  const std::pair<const char*, Literal> copies[] = {{"zeros", Literal::zeros(value.shape()).value()},
                                                    {"a shifted copy", shifted(value)},
                                                    {"a transposed copy", transposed(value)},
                                                    {"a negated copy", negated(value)}};
  int tried = 0;
  EXPECT_TRUE(compareLiterals(value, value, tolerance, "").equal) << file << " out" << output;
  for (const auto& [name, copy] : copies) {
    if (compareLiterals(value, copy, {}, "").equal) continue;
    ++tried;
    EXPECT_FALSE(compareLiterals(value, copy, tolerance, "").equal) << name << " of out" << output << " of " << file;
  }
  return tried;
}

TEST(CorpusComparison, OtherValuesAreRefused) {
  int outputs = 0, copies = 0;
  for (const auto& entry : fs::directory_iterator(corpusValues())) {
    const auto values = corpusOutputs(entry.path());
    ASSERT_TRUE(values) << entry.path() << ": " << values.error().toString();
    for (size_t i = 0; i < values->size(); ++i) {
      for (const char* file : {"before.hlo", "after.hlo"})
        copies += expectRefused(entry.path().filename() / file, i, (*values)[i]);
      ++outputs;
    }
  }
  EXPECT_GE(outputs, 179);
  EXPECT_GE(copies, 4 * outputs);  // of eight tried of each; a scalar has no shifted one
}

// A line that fits nothing is a leftover.
TEST(CorpusComparison, EveryExceptionFitsAProgram) {
  const std::vector<std::string> files = corpusFiles();
  for (const ToleranceException& exception : toleranceExceptions())
    EXPECT_TRUE(std::ranges::any_of(files, [&](const std::string& file) { return exception.isAbout(file); }))
        << exception.file;
}

}  // namespace
}  // namespace tessera
