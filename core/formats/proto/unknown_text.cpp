// One walk over the text that knows the messages' fields: names lead into them, a number that is no field of the
// message is cut. A value's wire form follows from how protobuf writes it: decimal is a varint, 8 and 16 hexadecimal
// digits are fixed32 and fixed64, a string and braces are length-delimited.
#include "core/formats/proto/unknown_text.h"

#include <google/protobuf/descriptor.h>
#include <google/protobuf/io/tokenizer.h>
#include <google/protobuf/message.h>
#include <google/protobuf/unknown_field_set.h>

#include <algorithm>
#include <charconv>
#include <map>
#include <optional>

#include "core/formats/hlo_text/lexer.h"

namespace tessera::proto {
namespace {

using google::protobuf::Descriptor;
using google::protobuf::FieldDescriptor;
using google::protobuf::UnknownFieldSet;

constexpr uint64_t kLastNumber = (1u << 29) - 1;

class Walk {
 public:
  Walk(std::string& text, int maxNesting) : text_(text), maxNesting_(maxNesting) {}

  std::vector<UnknownFields> run(const Descriptor* message) {
    walk(message, '\0', 0);
    for (const auto& [begin, end] : cuts_)
      std::replace_if(
          text_.begin() + static_cast<std::ptrdiff_t>(begin), text_.begin() + static_cast<std::ptrdiff_t>(end),
          [](char c) { return c != '\n'; }, ' ');
    return std::move(out_);
  }

 private:
  // --- words
  char peek() {
    while (at_ < text_.size()) {
      if (text_[at_] == '#')
        at_ = std::min(text_.find('\n', at_), text_.size());
      else if (text::isBlank(text_[at_]))
        ++at_;
      else
        return text_[at_];
    }
    return '\0';
  }
  bool take(char c) {
    if (at_ >= text_.size() || peek() != c) return false;
    ++at_;
    return true;
  }
  std::string_view word() {
    peek();
    const size_t begin = at_;
    const auto belongs = [&](char c) { return text::isNameChar(c) || c == '+'; };
    if (at_ < text_.size() && text_[at_] == '-') ++at_;
    while (at_ < text_.size() && belongs(text_[at_])) ++at_;
    return std::string_view(text_).substr(begin, at_ - begin);
  }
  // The raw text of one string, quotes and all; empty when it does not end.
  std::string_view quoted() {
    const char quote = peek();
    const size_t begin = at_++;
    while (at_ < text_.size() && text_[at_] != quote) at_ += text_[at_] == '\\' ? 2 : 1;
    if (at_ >= text_.size()) return {};
    ++at_;
    return std::string_view(text_).substr(begin, at_ - begin);
  }

  // --- messages that protobuf knows. False: not well formed, and no more is cut.
  bool walk(const Descriptor* message, char close, int depth) {
    if (depth > maxNesting_) return false;
    std::map<const FieldDescriptor*, int> counts;
    UnknownFieldSet unknown;
    bool good = true;
    for (char c = peek(); good && c != close; c = peek()) {
      if (c == '\0')
        good = false;
      else if (c == ',' || c == ';')
        ++at_;
      else
        good = field(message, counts, unknown, depth);
    }
    if (!unknown.empty()) unknown.SerializeToString(&out_.emplace_back(UnknownFields{path_, {}}).fields);
    if (close != '\0' && good) ++at_;
    return good;
  }

  bool field(const Descriptor* message, std::map<const FieldDescriptor*, int>& counts, UnknownFieldSet& unknown,
             int depth) {
    const size_t begin = (peek(), at_);
    if (peek() == '[') return false;  // an extension or Any: our messages have none
    const std::string_view name = word();
    if (name.empty()) return false;
    uint64_t number = 0;
    const bool numbered = isNumber(name, number);
    const FieldDescriptor* known = nullptr;
    if (message)
      known =
          numbered ? message->FindFieldByNumber(static_cast<int>(number)) : message->FindFieldByName(std::string(name));
    if (message && numbered && !known) {
      UnknownFieldSet read;
      if (!unknownField(static_cast<int>(number), read, depth)) return false;
      unknown.MergeFrom(read);
      if (!take(',')) take(';');  // protobuf has separators behind fields only
      cuts_.emplace_back(begin, at_);
      return true;
    }
    take(':');
    if (!take('[')) return value(known, counts, depth);
    for (char c = peek(); c != ']'; c = peek()) {
      if (c == ',')
        ++at_;
      else if (c == '\0' || !value(known, counts, depth))
        return false;
    }
    return take(']');
  }

  bool value(const FieldDescriptor* field, std::map<const FieldDescriptor*, int>& counts, int depth) {
    const char open = peek();
    if (open != '{' && open != '<') return scalar();
    ++at_;
    const bool into = field && field->message_type() && !field->is_map();
    if (!into) return walk(nullptr, open == '{' ? '}' : '>', depth + 1);
    path_.emplace_back(field, counts[field]++);
    const bool good = walk(field->message_type(), open == '{' ? '}' : '>', depth + 1);
    path_.pop_back();
    return good;
  }

  bool scalar() {
    if (peek() == '-') ++at_;
    if (peek() != '"' && peek() != '\'') return !word().empty();
    while (peek() == '"' || peek() == '\'')
      if (quoted().empty()) return false;
    return true;
  }

  // --- fields that it does not know
  static bool isNumber(std::string_view name, uint64_t& number) {
    const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), number);
    return error == std::errc() && end == name.data() + name.size() && number >= 1 && number <= kLastNumber;
  }

  bool unknownField(int number, UnknownFieldSet& out, int depth) {
    take(':');
    if (!take('[')) return unknownValue(number, out, depth);
    for (char c = peek(); c != ']'; c = peek()) {
      if (c == ',')
        ++at_;
      else if (c == '\0' || !unknownValue(number, out, depth))
        return false;
    }
    return take(']');
  }

  bool unknownValue(int number, UnknownFieldSet& out, int depth) {
    const char c = peek();
    if (c == '{' || c == '<') return unknownMessage(number, c == '{' ? '}' : '>', out, depth + 1);
    if (c != '"' && c != '\'') return unknownNumber(number, word(), out);
    std::string bytes;
    while (peek() == '"' || peek() == '\'') {
      const std::string_view raw = quoted();
      if (raw.empty()) return false;
      google::protobuf::io::Tokenizer::ParseStringAppend(std::string(raw), &bytes);
    }
    out.AddLengthDelimited(number, bytes);
    return true;
  }

  bool unknownMessage(int number, char close, UnknownFieldSet& out, int depth) {
    if (depth > maxNesting_) return false;
    ++at_;
    UnknownFieldSet inner;
    while (!take(close)) {
      if (take(',') || take(';')) continue;
      uint64_t field = 0;
      if (!isNumber(word(), field) || !unknownField(static_cast<int>(field), inner, depth)) return false;
    }
    std::string bytes;
    if (!inner.SerializeToString(&bytes)) return false;
    out.AddLengthDelimited(number, bytes);
    return true;
  }

  static bool unknownNumber(int number, std::string_view digits, UnknownFieldSet& out) {
    const bool negative = digits.starts_with('-'), hexadecimal = digits.starts_with("0x");
    if (negative) digits.remove_prefix(1);
    if (hexadecimal) digits.remove_prefix(2);
    uint64_t value = 0;
    const auto [end, error] =
        std::from_chars(digits.data(), digits.data() + digits.size(), value, hexadecimal ? 16 : 10);
    if (digits.empty() || error != std::errc() || end != digits.data() + digits.size()) return false;
    if (hexadecimal && digits.size() == 8)
      out.AddFixed32(number, static_cast<uint32_t>(value));
    else if (hexadecimal && digits.size() == 16)
      out.AddFixed64(number, value);
    else
      out.AddVarint(number, negative ? 0 - value : value);
    return true;
  }

  std::string& text_;
  int maxNesting_;
  size_t at_ = 0;
  std::vector<std::pair<const FieldDescriptor*, int>> path_;
  std::vector<std::pair<size_t, size_t>> cuts_;
  std::vector<UnknownFields> out_;
};

google::protobuf::Message* messageAt(google::protobuf::Message& message, const UnknownFields& unknown) {
  google::protobuf::Message* at = &message;
  for (const auto& [field, index] : unknown.path) {
    const auto& reflection = *at->GetReflection();
    if (!field->is_repeated())
      at = reflection.MutableMessage(at, field);
    else if (index < reflection.FieldSize(*at, field))
      at = reflection.MutableRepeatedMessage(at, field, index);
    else
      return nullptr;
  }
  return at;
}

}  // namespace

std::vector<UnknownFields> cutUnknownFields(std::string& text, const Descriptor* message, int maxNesting) {
  return Walk(text, maxNesting).run(message);
}

bool putUnknownFields(const std::vector<UnknownFields>& unknown, google::protobuf::Message& message) {
  for (const UnknownFields& one : unknown) {
    google::protobuf::Message* at = messageAt(message, one);
    if (!at) return false;
    UnknownFieldSet fields;
    if (!fields.ParseFromString(one.fields)) return false;
    at->GetReflection()->MutableUnknownFields(at)->MergeFrom(fields);
  }
  return true;
}

}  // namespace tessera::proto
