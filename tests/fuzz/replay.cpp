// Runs a fuzz target where libFuzzer is not there: once over files and folders (its seeds, and what a fuzzer found),
// and with -max_total_time=SECONDS also on blind mutations of them. What breaks is left as crash-… or slow-… in the
// working folder.
#include <sys/resource.h>
#include <unistd.h>
#include <csignal>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>
#include <vector>

#include "tests/fuzz/expect.h"

namespace {

using Bytes = std::vector<char>;
constexpr unsigned kMaxSeconds = 25;  // for one input
constexpr rlim_t kMaxMemory = rlim_t{6} << 30;
const Bytes* current = nullptr;  // what runs now, for the signal handler

// Only calls that a signal handler may make.
void leaveFinding(int signal) {
  char name[] = "crash-0000000000";
  if (signal == SIGALRM) std::memcpy(name, "slow-", 5);
  auto number = static_cast<unsigned>(getpid());
  for (size_t i = sizeof name - 2; i > 6; --i, number /= 10) name[i] = static_cast<char>('0' + number % 10);
  if (std::FILE* file = std::fopen(name, "wb")) {
    std::fwrite(current->data(), 1, current->size(), file);
    std::fclose(file);
  }
  std::fprintf(stderr, "left %s\n", name);
  _exit(77);
}

void run(const Bytes& bytes) {
  current = &bytes;
  alarm(kMaxSeconds);
  LLVMFuzzerTestOneInput(reinterpret_cast<const uint8_t*>(bytes.data()), bytes.size());
  alarm(0);
}

Bytes contentOf(const std::filesystem::path& path) {
  std::ifstream in(path, std::ios::binary);
  return Bytes((std::istreambuf_iterator<char>(in)), {});
}

class Mutator {
 public:
  explicit Mutator(const std::vector<Bytes>& seeds) : seeds_(seeds), random_(std::random_device{}()) {}

  Bytes next() {
    Bytes out = seeds_[below(seeds_.size())];
    for (size_t count = 1 + below(6); count > 0; --count) mutate(out);
    return out;
  }

 private:
  size_t below(size_t bound) { return bound == 0 ? 0 : random_() % bound; }
  auto place(Bytes& bytes) { return bytes.begin() + static_cast<std::ptrdiff_t>(below(bytes.size() + 1)); }

  void mutate(Bytes& bytes) {
    switch (below(7)) {
      case 0:
        if (!bytes.empty()) bytes[below(bytes.size())] ^= static_cast<char>(1 << below(8));
        break;
      case 1:
        if (!bytes.empty()) bytes[below(bytes.size())] = static_cast<char>(random_());
        break;
      case 2: bytes.insert(place(bytes), static_cast<char>(random_())); break;
      case 3: {  // a piece goes
        const auto from = place(bytes);
        bytes.erase(from, from + std::min<std::ptrdiff_t>(bytes.end() - from, static_cast<std::ptrdiff_t>(below(32))));
        break;
      }
      case 4:
      case 5: {  // a piece of a seed comes in
        const Bytes& other = seeds_[below(seeds_.size())];
        const size_t from = below(other.size()), length = std::min(other.size() - from, below(80));
        const Bytes piece(other.begin() + static_cast<std::ptrdiff_t>(from),
                          other.begin() + static_cast<std::ptrdiff_t>(from + length));
        bytes.insert(place(bytes), piece.begin(), piece.end());
        break;
      }
      default: number(bytes);
    }
  }

  // One of the numbers of a text becomes an unpleasant one.
  void number(Bytes& bytes) {
    static const char* const kNumbers[] = {
        "0",      "-1", "1", "2", "9223372036854775807", "-9223372036854775808", "4294967296", "99999999999999999999",
        "1000000"};
    std::vector<size_t> starts;
    for (size_t i = 0; i < bytes.size(); ++i)
      if (std::isdigit(static_cast<unsigned char>(bytes[i])) &&
          (i == 0 || !std::isalnum(static_cast<unsigned char>(bytes[i - 1]))))
        starts.push_back(i);
    if (starts.empty()) return;
    const size_t from = starts[below(starts.size())];
    size_t end = from;
    while (end < bytes.size() && std::isdigit(static_cast<unsigned char>(bytes[end]))) ++end;
    const char* text = kNumbers[below(std::size(kNumbers))];
    bytes.erase(bytes.begin() + static_cast<std::ptrdiff_t>(from), bytes.begin() + static_cast<std::ptrdiff_t>(end));
    bytes.insert(bytes.begin() + static_cast<std::ptrdiff_t>(from), text, text + std::strlen(text));
  }

  const std::vector<Bytes>& seeds_;
  std::mt19937_64 random_;
};

void mutateFor(double seconds, const std::vector<Bytes>& seeds) {
#ifndef __SANITIZE_ADDRESS__
  const rlimit limit{kMaxMemory, kMaxMemory};
  setrlimit(RLIMIT_AS, &limit);
#endif
  for (int signal : {SIGABRT, SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGALRM}) std::signal(signal, leaveFinding);
  Mutator mutator(seeds);
  size_t runs = 0;
  const auto end = std::chrono::steady_clock::now() + std::chrono::duration<double>(seconds);
  for (; std::chrono::steady_clock::now() < end; ++runs) run(mutator.next());
  std::printf("%zu mutations\n", runs);
}

}  // namespace

int main(int argc, char** argv) {
  std::vector<Bytes> inputs;
  double seconds = 0;
  const auto add = [&](const std::filesystem::path& path) {
    std::fprintf(stderr, "%s\n", path.c_str());
    inputs.push_back(contentOf(path));
    run(inputs.back());
  };
  for (int i = 1; i < argc; ++i) {
    const std::filesystem::path path = argv[i];
    if (std::strncmp(argv[i], "-max_total_time=", 16) == 0) seconds = std::atof(argv[i] + 16);
    if (argv[i][0] == '-') continue;  // libFuzzer's options
    if (!std::filesystem::is_directory(path))
      add(path);
    else
      for (const auto& entry : std::filesystem::directory_iterator(path)) add(entry.path());
  }
  std::printf("%zu inputs\n", inputs.size());
  if (seconds > 0 && !inputs.empty()) mutateFor(seconds, inputs);
  return inputs.empty() ? 1 : 0;
}
