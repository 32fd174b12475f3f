// A cursor over the fields of one binary protobuf message, without a schema: for messages too large to be made objects
// of (profiles), and for telling by its first bytes what a file is.
#pragma once

#include <cstdint>
#include <cstring>
#include <optional>
#include <string_view>

namespace tessera {

enum class WireType : uint8_t { Varint = 0, Fixed64 = 1, Bytes = 2, Fixed32 = 5 };

struct WireField {
  uint32_t number = 0;
  WireType type = WireType::Varint;
  uint64_t value = 0;      // of the numbers
  std::string_view bytes;  // of WireType::Bytes: inside the message

  int64_t integer() const { return static_cast<int64_t>(value); }
  double real() const {
    double out = 0;
    std::memcpy(&out, &value, sizeof out);
    return out;
  }
};

class WireReader {
 public:
  explicit WireReader(std::string_view message) : message_(message) {}

  // nullopt at the end, and where the bytes are no field: then damaged() holds.
  std::optional<WireField> next() { return read(false); }
  // The same, but bytes that end with the message give what is left of them; damaged() holds then, too.
  std::optional<WireField> nextCut() { return read(true); }

  bool damaged() const { return damaged_; }
  size_t position() const { return at_; }  // of the next field; where damage was found

 private:
  std::optional<WireField> read(bool cut) {
    if (damaged_ || at_ == message_.size()) return std::nullopt;
    size_t at = at_;
    const auto tag = varint(at);
    if (!tag || (*tag >> 3) == 0 || (*tag >> 3) > kLastNumber) return refuse();
    WireField out{.number = static_cast<uint32_t>(*tag >> 3), .type = static_cast<WireType>(*tag & 7)};
    switch (out.type) {
      case WireType::Varint: return varintField(out, at);
      case WireType::Fixed64: return fixedField(out, at, 8);
      case WireType::Fixed32: return fixedField(out, at, 4);
      case WireType::Bytes: return bytesField(out, at, cut);
    }
    return refuse();
  }

  std::optional<WireField> varintField(WireField out, size_t at) {
    const auto value = varint(at);
    if (!value) return refuse();
    out.value = *value;
    at_ = at;
    return out;
  }

  std::optional<WireField> fixedField(WireField out, size_t at, size_t size) {
    if (message_.size() - at < size) return refuse();
    std::memcpy(&out.value, message_.data() + at, size);
    at_ = at + size;
    return out;
  }

  std::optional<WireField> bytesField(WireField out, size_t at, bool cut) {
    const auto size = varint(at);
    if (!size) return refuse();
    const bool whole = *size <= message_.size() - at;
    if (!whole && !cut) return refuse();
    damaged_ = !whole;
    out.bytes = message_.substr(at, whole ? *size : message_.npos);
    at_ = whole ? at + *size : message_.size();
    return out;
  }

  std::optional<uint64_t> varint(size_t& at) const {
    uint64_t out = 0;
    for (int shift = 0; shift < 64 && at < message_.size(); shift += 7) {
      const auto byte = static_cast<uint8_t>(message_[at++]);
      out |= static_cast<uint64_t>(byte & 0x7f) << shift;
      if (byte < 0x80) return out;
    }
    return std::nullopt;
  }

  std::optional<WireField> refuse() {
    damaged_ = true;
    return std::nullopt;
  }

  static constexpr uint64_t kLastNumber = (uint64_t{1} << 29) - 1;
  std::string_view message_;
  size_t at_ = 0;
  bool damaged_ = false;
};

}  // namespace tessera
