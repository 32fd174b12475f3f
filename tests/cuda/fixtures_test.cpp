// Kernels as nvcc compiles them (fixtures/kernels.cu), on the simulated device: values, and no complaint.
#include <algorithm>
#include <cmath>
#include <fstream>
#include <numeric>
#include <random>
#include <sstream>

#include "tests/cuda/device_case.h"

namespace tessera::cuda {
namespace {

std::string readFixture(const std::string& name) {
  std::ifstream file(std::string(TESSERA_CUDA_FIXTURES) + "/" + name);
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

class CudaFixtures : public DeviceCase {
 protected:
  void SetUp() override { load(readFixture("kernels.ptx")); }
  std::mt19937 random{7};

  template <class T>
  std::vector<T> randomNumbers(size_t count, T least, T most) {
    std::vector<T> values(count);
    for (T& value : values) value = static_cast<T>(std::uniform_real_distribution<double>(least, most)(random));
    return values;
  }
};

TEST_F(CudaFixtures, RowsAreSummedByShuffles) {
  const int rows = 7, columns = 777;
  const auto values = randomNumbers<float>(rows * columns, -1, 1);
  const auto sums = zeros<float>(rows);
  run("reduceRows", {rows}, {256}, Arguments(sums, upload(values), columns));
  const auto found = download<float>(sums, rows);
  for (int row = 0; row < rows; ++row) {
    const double expected = std::accumulate(&values[row * columns], &values[row * columns] + columns, 0.0);
    EXPECT_NEAR(found[row], expected, 1e-4);
  }
  EXPECT_EQ(errors(), "");
}

class CudaTranspose : public CudaFixtures {
 protected:
  void transposes(const std::string& kernel) {
    const unsigned rows = 70, columns = 100;
    std::vector<float> values(rows * columns), expected(rows * columns);
    std::iota(values.begin(), values.end(), 0.0f);
    for (unsigned y = 0; y < rows; ++y)
      for (unsigned x = 0; x < columns; ++x) expected[x * rows + y] = values[y * columns + x];
    const auto out = zeros<float>(values.size());
    run(kernel, {(columns + 31) / 32, (rows + 31) / 32}, {32, 8}, Arguments(out, upload(values), rows, columns));
    EXPECT_EQ(download<float>(out, values.size()), expected);
    EXPECT_EQ(errors(), "");
  }
};

TEST_F(CudaTranspose, GoesThroughSharedMemory) {
  transposes("transpose");
  EXPECT_TRUE(reportsOf("bank conflict").empty());
}

TEST_F(CudaTranspose, WithoutPaddingHasBankConflicts) {
  transposes("transposeWithConflicts");
  EXPECT_FALSE(reportsOf("bank conflict").empty());
}

TEST_F(CudaFixtures, PrefixSumsLookBack) {
  const int n = 5000;
  const auto values = randomNumbers<unsigned>(n, 0, 100);
  std::vector<unsigned> expected(n);
  std::partial_sum(values.begin(), values.end(), expected.begin());
  const auto out = zeros<unsigned>(n), ticket = zeros<unsigned>(1), state = zeros<unsigned>(64);
  run("prefixSum", {(n + 127) / 128}, {128}, Arguments(out, upload(values), n, ticket, state));
  EXPECT_EQ(download<unsigned>(out, n), expected);
  EXPECT_EQ(errors(), "");
}

TEST_F(CudaFixtures, KeysAreSortedByDigits) {
  const int n = 250;
  auto keys = randomNumbers<unsigned>(n, 0, 4e9);
  const auto memory = upload(keys);
  run("radixSort", {1}, {256}, Arguments(memory, n), (256 + 16 * 8) * 4);
  std::sort(keys.begin(), keys.end());
  EXPECT_EQ(download<unsigned>(memory, n), keys);
  EXPECT_EQ(errors(), "");
}

TEST_F(CudaFixtures, BytesAreCountedByAtomics) {
  const int n = 10000;
  const auto values = randomNumbers<uint8_t>(n, 0, 255);
  std::vector<unsigned> expected(256);
  for (const uint8_t value : values) ++expected[value];
  const auto counts = zeros<unsigned>(256);
  run("histogram", {8}, {128}, Arguments(counts, upload(values), n));
  EXPECT_EQ(download<unsigned>(counts, 256), expected);
  EXPECT_EQ(errors(), "");
}

TEST_F(CudaFixtures, FunctionsAreCalledAndUseLocalMemory) {
  const int n = 300;
  auto values = randomNumbers<float>(n, -1, 20);
  values[3] = 1e9f;  // far enough for the table of sinf
  const auto out = zeros<float>(n);
  const auto roots = zeros<double>(n);
  run("waves", {3}, {128}, Arguments(out, roots, upload(values), n));
  const auto found = download<float>(out, n);
  const auto foundRoots = download<double>(roots, n);
  for (int i = 0; i < n; ++i) {
    const double x = values[i];
    const double expected = (std::sin(x) * i + std::exp(-x * x)) / 3;
    EXPECT_NEAR(found[i], expected, 1e-6 * (1 + std::abs(expected)) * (1 + i * 0.01)) << x;
    EXPECT_NEAR(foundRoots[i], 1 / std::sqrt(x + 2) + std::log(i + 1.0), 1e-12);
  }
  EXPECT_EQ(errors(), "");
}

TEST_F(CudaFixtures, LanesOfAWarpMayWaitForEachOther) {
  const auto lock = zeros<int>(1), count = zeros<int>(1);
  run("lockedCount", {3}, {64}, Arguments(lock, count));
  EXPECT_EQ(download<int>(count, 1)[0], 3 * 64);
}

float fromBFloat(uint16_t bits) { return std::bit_cast<float>(uint32_t{bits} << 16); }

TEST_F(CudaFixtures, TensorCoresMultiplyTiles) {
  const auto a = randomNumbers<uint16_t>(16 * 16, 0x3f00, 0x40ff), b = randomNumbers<uint16_t>(8 * 16, 0x3f00, 0x40ff);
  const auto c = zeros<float>(16 * 8);
  run("tensorProduct", {1}, {32}, Arguments(c, upload(a), upload(b)));
  const auto found = download<float>(c, 16 * 8);
  for (int row = 0; row < 16; ++row)
    for (int column = 0; column < 8; ++column) {
      double sum = 0;
      for (int k = 0; k < 16; ++k) sum += double{fromBFloat(a[row * 16 + k])} * fromBFloat(b[column * 16 + k]);
      EXPECT_FLOAT_EQ(found[row * 8 + column], static_cast<float>(sum));
    }
}

}  // namespace
}  // namespace tessera::cuda
