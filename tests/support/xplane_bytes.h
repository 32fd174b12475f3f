// Profiles made up byte by byte, and read again by a walk of its own: neither knows the reader that is tested.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace tessera {

// --- writing

inline std::string varintBytes(uint64_t value) {
  std::string out;
  for (; value >= 0x80; value >>= 7) out += static_cast<char>(value | 0x80);
  return out + static_cast<char>(value);
}
inline std::string numberField(uint32_t number, int64_t value) {
  return varintBytes(number << 3) + varintBytes(static_cast<uint64_t>(value));
}
inline std::string bytesField(uint32_t number, const std::string& bytes) {
  return varintBytes(number << 3 | 2) + varintBytes(bytes.size()) + bytes;
}

// One plane with its tables of names, which follow its lines as profilers write them.
class PlaneBytes {
 public:
  explicit PlaneBytes(std::string name) : name_(std::move(name)) {}

  std::string stat(const std::string& name, int64_t value) {
    return numberField(1, idOf(stats_, name)) + numberField(4, value);
  }
  std::string stat(const std::string& name, const std::string& text) {
    return numberField(1, idOf(stats_, name)) + bytesField(5, text);
  }
  // A text that is the name of another stat, as profilers share them.
  std::string reference(const std::string& name, const std::string& text) {
    const int64_t to = idOf(stats_, text);
    return numberField(1, idOf(stats_, name)) + numberField(7, to);
  }
  std::string event(const std::string& name, int64_t offsetPs, int64_t durationPs,
                    const std::vector<std::string>& stats = {}) {
    std::string out = numberField(1, idOf(events_, name)) + numberField(2, offsetPs) + numberField(3, durationPs);
    for (const std::string& stat : stats) out += bytesField(4, stat);
    return out;
  }
  // An event that names an instruction.
  std::string op(const std::string& name, const std::string& module, int64_t program, int64_t offsetPs,
                 int64_t durationPs, int64_t run = 1) {
    return event(
        name, offsetPs, durationPs,
        {reference("hlo_op", name), reference("hlo_module", module), stat("program_id", program), stat("run_id", run)});
  }
  void line(const std::string& name, const std::vector<std::string>& events, int64_t timestampNs = 0) {
    std::string out = bytesField(2, name) + numberField(3, timestampNs);
    for (const std::string& event : events) out += bytesField(4, event);
    lines_ += bytesField(3, out);
  }
  template <class Value>
  void planeStat(const std::string& name, const Value& value) {
    planeStats_ += bytesField(6, stat(name, value));
  }
  // Of a plane "/host:metadata".
  void module(const std::string& name, int64_t program, const std::string& hloProto) {
    const std::string stat = numberField(1, idOf(stats_, "Hlo Proto")) + bytesField(6, hloProto);
    metadataStats_[name + "(" + std::to_string(program) + ")"] = {program, bytesField(5, stat)};
  }

  std::string bytes() const {
    std::string out = bytesField(2, name_) + lines_;
    for (const auto& [name, id] : events_)
      out += bytesField(4, numberField(1, id) + bytesField(2, numberField(1, id) + bytesField(2, name)));
    for (const auto& [name, entry] : metadataStats_)
      out += bytesField(4, numberField(1, entry.first) +
                               bytesField(2, numberField(1, entry.first) + bytesField(2, name) + entry.second));
    for (const auto& [name, id] : stats_)
      out += bytesField(5, numberField(1, id) + bytesField(2, numberField(1, id) + bytesField(2, name)));
    return out + planeStats_;
  }

 private:
  static int64_t idOf(std::map<std::string, int64_t>& ids, const std::string& name) {
    return ids.try_emplace(name, static_cast<int64_t>(ids.size()) + 1).first->second;
  }

  std::string name_, lines_, planeStats_;
  std::map<std::string, int64_t> events_, stats_;
  std::map<std::string, std::pair<int64_t, std::string>> metadataStats_;
};

inline std::string spaceBytes(const std::vector<PlaneBytes>& planes, const std::string& host = {}) {
  std::string out;
  for (const PlaneBytes& plane : planes) out += bytesField(1, plane.bytes());
  return host.empty() ? out : out + bytesField(4, host);
}

// --- the independent sum

struct WalkedField {
  uint32_t number = 0;
  uint64_t value = 0;
  std::string_view bytes;
};

inline std::vector<WalkedField> walkedFields(std::string_view message) {
  std::vector<WalkedField> out;
  size_t at = 0;
  const auto varint = [&] {
    uint64_t value = 0;
    for (int shift = 0; at < message.size(); shift += 7) {
      const auto byte = static_cast<uint8_t>(message[at++]);
      value |= static_cast<uint64_t>(byte & 0x7f) << shift;
      if (byte < 0x80) break;
    }
    return value;
  };
  while (at < message.size()) {
    const uint64_t tag = varint();
    WalkedField field{static_cast<uint32_t>(tag >> 3), 0, {}};
    if ((tag & 7) == 0) field.value = varint();
    if ((tag & 7) == 1) at += 8;
    if ((tag & 7) == 5) at += 4;
    if ((tag & 7) == 2) {
      const size_t size = varint();
      field.bytes = message.substr(at, size);
      at += size;
    }
    out.push_back(field);
  }
  return out;
}

struct WalkedOp {
  int64_t count = 0, totalPs = 0, minPs = INT64_MAX;
};

// The events with a stat hlo_op, by its text.
inline std::map<std::string, WalkedOp> walkedOps(std::string_view space) {
  std::map<std::string, WalkedOp> out;
  for (const WalkedField& plane : walkedFields(space)) {
    if (plane.number != 1) continue;
    std::map<uint64_t, std::string> stats;
    for (const WalkedField& entry : walkedFields(plane.bytes))
      if (entry.number == 5)
        for (const WalkedField& value : walkedFields(entry.bytes))
          if (value.number == 2) {
            uint64_t id = 0;
            for (const WalkedField& field : walkedFields(value.bytes)) {
              if (field.number == 1) id = field.value;
              if (field.number == 2) stats[id] = std::string(field.bytes);
            }
          }
    for (const WalkedField& line : walkedFields(plane.bytes)) {
      if (line.number != 3) continue;
      for (const WalkedField& event : walkedFields(line.bytes)) {
        if (event.number != 4) continue;
        int64_t duration = 0;
        std::string op;
        for (const WalkedField& field : walkedFields(event.bytes)) {
          if (field.number == 3) duration = static_cast<int64_t>(field.value);
          if (field.number != 4) continue;
          uint64_t id = 0;
          for (const WalkedField& stat : walkedFields(field.bytes)) {
            if (stat.number == 1) id = stat.value;
            if (stat.number == 7 && stats[id] == "hlo_op") op = stats[stat.value];
            if (stat.number == 5 && stats[id] == "hlo_op") op = std::string(stat.bytes);
          }
        }
        if (op.empty()) continue;
        WalkedOp& to = out[op];
        ++to.count;
        to.totalPs += duration;
        to.minPs = std::min(to.minPs, duration);
      }
    }
  }
  return out;
}

}  // namespace tessera
