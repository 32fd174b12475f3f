// Numbers as people read them: "1.5 GB", "124 M", "69,618". Used by tables and sentences of programs; JSON keeps the
// numbers themselves.
#pragma once

#include <cstdint>
#include <string>

namespace tessera {

std::string bytesText(double bytes);       // "912 B", "1.50 KB", "98.3 GB": powers of 1,000, three digits
std::string amountText(double amount);     // "912", "1.50 K", "124 M", "2.10 G", "3.00 T"
std::string countText(uint64_t number);    // "69,618"
std::string percentText(double fraction);  // "62 %", "0.4 %"
std::string durationText(double ns);       // "850 ns", "1.23 ms", "2.10 s", "3.00 h", "26.6 days"

}  // namespace tessera
