// See ffi_attributes.h. A recursive reader; nesting is limited, so that text from anywhere cannot exhaust the stack.
#include "core/custom_calls/ffi_attributes.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cstring>

#include <fmt/format.h>

#include "core/base/result.h"
#include "core/base/sorting.h"
#include "core/hlo/numbers.h"

namespace tessera {

class FfiAttributeParser {
 public:
  explicit FfiAttributeParser(std::string_view text) : text_(text) {}

  Result<std::unique_ptr<FfiAttributeSet>> parse() {
    skip();
    if (at_ == text_.size()) return empty();
    TESSERA_ASSIGN_OR_RETURN(auto out, dictionary(0));
    skip();
    if (at_ != text_.size()) return unexpected("the end");
    return out;
  }

 private:
  using Entry = FfiAttributeSet::Entry;
  static constexpr int kDeepest = 32;

  static std::unique_ptr<FfiAttributeSet> empty() {
    auto out = std::make_unique<FfiAttributeSet>();
    out->close({});
    return out;
  }
  std::unexpected<Diagnostic> unexpected(std::string_view wanted) const {
    return fail(
        ErrorKind::Input,
        fmt::format("backend_config is no dictionary of attributes: {} is expected at character {}", wanted, at_ + 1));
  }
  void skip() {
    while (at_ < text_.size() && std::isspace(static_cast<unsigned char>(text_[at_]))) ++at_;
  }
  bool eat(std::string_view word) {
    skip();
    if (!text_.substr(at_).starts_with(word)) return false;
    at_ += word.size();
    return true;
  }
  template <class Taken>
  std::string_view take(const Taken& taken) {
    skip();
    const size_t from = at_;
    while (at_ < text_.size() && taken(text_[at_])) ++at_;
    return text_.substr(from, at_ - from);
  }
  std::string_view word() {
    return take([](char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_' || c == '.' || c == '$'; });
  }
  std::string_view number() {
    return take([](char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '+' || c == '-' || c == '.'; });
  }

  Result<std::unique_ptr<FfiAttributeSet>> dictionary(int depth) {
    if (depth > kDeepest || !eat("{")) return unexpected(depth > kDeepest ? "less nesting" : "{");
    auto out = std::make_unique<FfiAttributeSet>();
    std::vector<Entry> entries;
    while (!eat("}")) {
      if (!entries.empty() && !eat(",")) return unexpected(", or }");
      TESSERA_ASSIGN_OR_RETURN(Entry entry, attribute(*out, depth));
      entries.push_back(std::move(entry));
    }
    out->close(std::move(entries));
    return out;
  }

  Result<Entry> attribute(FfiAttributeSet& set, int depth) {
    Entry entry;
    skip();
    if (at_ < text_.size() && text_[at_] == '"') {
      TESSERA_ASSIGN_OR_RETURN(entry.name, quoted());
    } else {
      entry.name = std::string(word());
    }
    if (entry.name.empty()) return unexpected("a name");
    if (!eat("=")) return unexpected("=");
    TESSERA_TRY(value(set, entry, depth));
    return entry;
  }

  Result<std::string> quoted() {
    std::string out;
    for (++at_; at_ < text_.size() && text_[at_] != '"'; ++at_) {
      if (text_[at_] != '\\') {
        out += text_[at_];
        continue;
      }
      if (++at_ == text_.size()) break;
      const char escaped = text_[at_];
      int code = 0;
      if (at_ + 1 < text_.size() && std::from_chars(&text_[at_], &text_[at_] + 2, code, 16).ptr == &text_[at_] + 2)
        out += static_cast<char>(code), ++at_;
      else
        out += escaped == 'n' ? '\n' : escaped == 't' ? '\t' : escaped;
    }
    if (at_ == text_.size()) return unexpected("\"");
    ++at_;
    return out;
  }

  Status value(FfiAttributeSet& set, Entry& entry, int depth) {
    skip();
    if (at_ == text_.size()) return unexpected("a value");
    if (text_[at_] == '{') {
      TESSERA_ASSIGN_OR_RETURN(auto nested, dictionary(depth + 1));
      entry.kind = FFI_ATTRIBUTE_DICTIONARY;
      entry.value = &nested->frame_;
      set.nested_.push_back(std::move(nested));
      return {};
    }
    if (text_[at_] == '"' || text_[at_] == '@') return textValue(set, entry);
    if (eat("array<")) return array(set, entry);
    return scalar(set, entry);
  }

  Status textValue(FfiAttributeSet& set, Entry& entry) {
    std::string text;
    if (text_[at_] == '@') {
      ++at_;
      text = std::string(word());
    } else {
      TESSERA_ASSIGN_OR_RETURN(text, quoted());
    }
    set.texts_.push_back(std::move(text));
    set.spans_.push_back({set.texts_.back().data(), set.texts_.back().size()});
    entry.kind = FFI_ATTRIBUTE_STRING;
    entry.value = &set.spans_.back();
    return {};
  }

  // i32, si8, ui64, f32, bf16, f8E4M3FN, i1: HLO's types under MLIR's names.
  static std::optional<ElementType> typeOf(std::string_view name) {
    if (name == "i1") return ElementType::Pred;
    std::string own(name);
    std::ranges::transform(own, own.begin(), [](unsigned char c) { return std::tolower(c); });
    if (own.starts_with("ui"))
      own = "u" + own.substr(2);
    else if (own.starts_with("si"))
      own = "s" + own.substr(2);
    else if (own.starts_with("i"))
      own = "s" + own.substr(1);
    const auto type = elementTypeFromName(own);
    return type && isArrayElement(*type) && !isComplex(*type) ? type : std::nullopt;
  }

  Status store(ElementType type, std::string_view text, std::byte* to) const {
    const char *first = text.data() + (text.starts_with('+') ? 1 : 0), *last = text.data() + text.size();
    if (text == "true" || text == "false") return storeInt(type, to, text == "true"), Status();
    const bool negative = text.starts_with('-'), hex = text.substr(negative ? 1 : 0).starts_with("0x");
    if (hex || !isFloat(type)) {
      uint64_t bits = 0;
      if (std::from_chars(first + (negative ? 1 : 0) + (hex ? 2 : 0), last, bits, hex ? 16 : 10).ptr != last)
        return unexpected("a number");
      if (negative) bits = ~bits + 1;
      std::memcpy(to, &bits, static_cast<size_t>(byteWidth(type)));  // the bits of a float, too
      return {};
    }
    double value = 0;
    if (std::from_chars(first, last, value).ptr != last) return unexpected("a number");
    storeDouble(type, to, value);
    return {};
  }

  Status scalar(FfiAttributeSet& set, Entry& entry) {
    const std::string_view text = number();
    const bool isFloatText =
        text.find_first_of(".eE") != text.npos && !text.contains("0x") && text != "true" && text != "false";
    ElementType type = text == "true" || text == "false" ? ElementType::Pred
                       : isFloatText                     ? ElementType::F64
                                                         : ElementType::S64;
    if (text.empty()) return unexpected("a value");
    if (eat(":")) {
      const auto written = typeOf(word());
      if (!written) return unexpected("an element type");
      type = *written;
    }
    set.bytes_.emplace_back(8);
    TESSERA_TRY(store(type, text, set.bytes_.back().data()));
    set.scalars_.push_back({info(type).proto, set.bytes_.back().data()});
    entry.kind = FFI_ATTRIBUTE_SCALAR;
    entry.value = &set.scalars_.back();
    return {};
  }

  Status array(FfiAttributeSet& set, Entry& entry) {
    const auto type = typeOf(word());
    if (!type) return unexpected("an element type");
    std::vector<std::byte> bytes;
    size_t count = 0;
    const auto width = static_cast<size_t>(byteWidth(*type));
    if (eat(":")) do {
        bytes.resize(bytes.size() + std::max<size_t>(width, 8));
        TESSERA_TRY(store(*type, number(), bytes.data() + count * width));
        bytes.resize(++count * width);
      } while (eat(","));
    if (!eat(">")) return unexpected("> or ,");
    set.bytes_.push_back(std::move(bytes));
    set.arrays_.push_back({info(*type).proto, count, set.bytes_.back().data()});
    entry.kind = FFI_ATTRIBUTE_ARRAY;
    entry.value = &set.arrays_.back();
    return {};
  }

  std::string_view text_;
  size_t at_ = 0;
};

void FfiAttributeSet::close(std::vector<Entry> entries) {
  sortBy(entries, &Entry::name);
  for (Entry& entry : entries) {
    texts_.push_back(std::move(entry.name));
    names_.push_back({texts_.back().data(), texts_.back().size()});
    kinds_.push_back(entry.kind);
    values_.push_back(entry.value);
  }
  for (FfiSpan& name : names_) namePointers_.push_back(&name);
  frame_ = {sizeof(FfiAttributes), nullptr,       static_cast<int64_t>(entries.size()), kinds_.data(),
            namePointers_.data(),  values_.data()};
}

Result<std::unique_ptr<FfiAttributeSet>> FfiAttributeSet::parse(std::string_view text) {
  return FfiAttributeParser(text).parse();
}

}  // namespace tessera
