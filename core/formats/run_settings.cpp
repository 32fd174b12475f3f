// One row a setting, for both directions.
#include "core/formats/run_settings.h"

#include <algorithm>
#include <charconv>

namespace tessera {
namespace {

std::unexpected<Diagnostic> wrong(std::string_view line, std::string expected) {
  return fail({.message = "the run setting does not read",
               .expected = std::move(expected),
               .found = std::string(line.substr(0, 60))});
}

template <class T>
bool readNumber(std::string_view text, T& out, T least, T most) {
  T value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || value < least || value > most) return false;
  out = value;
  return true;
}

std::string quoted(const std::string& word) {
  const auto plain = [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) ||
           std::string_view("-_./=:,+%@").find(c) != std::string_view::npos;
  };
  if (!word.empty() && std::ranges::all_of(word, plain)) return word;
  std::string out = "'";
  for (char c : word) out += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return out + "'";
}

constexpr int64_t kMaxLeaves = 1 << 20;
constexpr int64_t kMaxDevices = 1024;

}  // namespace

std::string printRunSettings(const RunSettings& s) {
  const RunSettings made;
  std::string out;
  const auto line = [&](const std::string& text) { out += "run " + text + '\n'; };
  if (s.backend != made.backend) line("backend " + s.backend);
  if (!s.device.empty()) line("device " + s.device);
  if (s.threads) line("threads " + std::to_string(s.threads));
  if (s.replicas) line("replicas " + std::to_string(s.replicas));
  if (s.partitions) line("partitions " + std::to_string(s.partitions));
  if (s.seed) line("seed " + std::to_string(s.seed));
  if (!s.usual) line("fill rule");
  if (!s.infeed.empty()) line("infeed " + s.infeed);
  if (!s.outfeed.empty()) line("outfeed " + s.outfeed);
  if (!s.library.empty()) line("library " + s.library);
  for (const auto& [leaf, source] : s.sources) line("argument " + std::to_string(leaf) + " " + source);
  for (const auto& [argument, output] : s.feedback)
    line("tie " + std::to_string(argument) + " " + std::to_string(output));
  return out;
}

Status readRunSetting(RunSettings& s, std::string_view line) {
  const size_t space = line.find(' ');
  const std::string_view key = line.substr(0, space),
                         value = space == std::string_view::npos ? std::string_view() : line.substr(space + 1);
  const size_t second = value.find(' ');
  const std::string_view first = value.substr(0, second),
                         rest = second == std::string_view::npos ? std::string_view() : value.substr(second + 1);
  if (value.empty() || value.find('\n') != std::string_view::npos) return wrong(line, "a key and its value");
  if (key == "backend") {
    if (value != "cpu" && value != "cuda" && value != "evaluator") return wrong(line, "cpu, cuda or evaluator");
    s.backend = std::string(value);
    return {};
  }
  if (key == "device") return s.device = std::string(value), Status();
  if (key == "threads") return readNumber(value, s.threads, 0, 4096) ? Status() : wrong(line, "0 … 4096 threads");
  if (key == "replicas")
    return readNumber(value, s.replicas, int64_t{0}, kMaxDevices) ? Status() : wrong(line, "0 … 1024 replicas");
  if (key == "partitions")
    return readNumber(value, s.partitions, int64_t{0}, kMaxDevices) ? Status() : wrong(line, "0 … 1024 partitions");
  if (key == "seed") return readNumber(value, s.seed, uint64_t{0}, ~uint64_t{0}) ? Status() : wrong(line, "a number");
  if (key == "fill") {
    if (value != "usual" && value != "rule") return wrong(line, "usual or rule");
    return s.usual = value == "usual", Status();
  }
  if (key == "infeed") return s.infeed = std::string(value), Status();
  if (key == "outfeed") return s.outfeed = std::string(value), Status();
  if (key == "library") return s.library = std::string(value), Status();
  int64_t leaf = 0, output = 0;
  if ((key == "argument" || key == "tie") && !readNumber(first, leaf, int64_t{0}, kMaxLeaves))
    return wrong(line, "the number of an argument");
  if (key == "argument") {
    if (rest.empty()) return wrong(line, "a source of values behind the number");
    s.sources[leaf] = std::string(rest);
    return {};
  }
  if (key == "tie") {
    if (!readNumber(rest, output, int64_t{0}, kMaxLeaves)) return wrong(line, "the number of an output");
    s.feedback[leaf] = output;
    return {};
  }
  return wrong(line, "backend, threads, replicas, partitions, seed, fill, infeed, outfeed, library, argument or tie");
}

std::string commandOf(const RunSettings& s, const std::string& file, const std::string& inputs) {
  std::string out = "tessera run " + quoted(file);
  const auto option = [&](const std::string& name, const std::string& value) {
    out += " --" + name + "=" + quoted(value);
  };
  option("backend", s.backend);
  if (!inputs.empty()) option("inputs", inputs);
  if (!s.device.empty()) option("device", s.device);
  if (s.threads) option("threads", std::to_string(s.threads));
  if (s.replicas) option("replicas", std::to_string(s.replicas));
  if (s.partitions) option("partitions", std::to_string(s.partitions));
  if (s.seed) option("seed", std::to_string(s.seed));
  if (s.usual) option("fill", "usual");
  for (const auto& [leaf, source] : s.sources) option("argument", std::to_string(leaf) + "=" + source);
  if (!s.infeed.empty()) option("infeed", s.infeed);
  if (!s.outfeed.empty()) option("outfeed", s.outfeed);
  if (!s.library.empty()) option("custom-call-library", s.library);
  return out;
}

}  // namespace tessera
