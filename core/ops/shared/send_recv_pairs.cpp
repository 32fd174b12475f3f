// The pairs out of the text of the frontend attributes: numbers up to the brace that closes the first.
#include "core/ops/shared/send_recv_pairs.h"

#include <charconv>

namespace tessera {

std::vector<std::pair<int64_t, int64_t>> sendReceivePairs(const Instruction& instruction) {
  const auto* text = instruction.attributes->get<RawText>(Attr::frontend_attributes);
  constexpr std::string_view kName = "_xla_send_recv_source_target_pairs";
  std::vector<std::pair<int64_t, int64_t>> out;
  size_t at = text ? text->text.find(kName) : std::string::npos;
  if (at == std::string::npos) return out;
  std::vector<int64_t> numbers;
  int depth = 0;
  for (at = text->text.find('{', at); at < text->text.size(); ++at) {
    const char c = text->text[at];
    depth += c == '{' ? 1 : c == '}' ? -1 : 0;
    if (depth == 0) break;
    if (c < '0' || c > '9') continue;
    const char* end = text->text.data() + text->text.size();
    const auto [next, error] = std::from_chars(text->text.data() + at, end, numbers.emplace_back());
    if (error != std::errc()) return {};
    at = static_cast<size_t>(next - text->text.data()) - 1;
  }
  for (size_t i = 0; i + 1 < numbers.size(); i += 2) out.emplace_back(numbers[i], numbers[i + 1]);
  return out;
}

}  // namespace tessera
