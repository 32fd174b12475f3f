// SHA-256 (FIPS 180-4): names content so that other content cannot have the same name. Used by core/trust, whose
// allowances hold for what was shown and nothing else.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

namespace tessera {

using Sha256 = std::array<uint8_t, 32>;

Sha256 sha256(std::string_view bytes);
std::string sha256Text(std::string_view bytes);  // 64 hexadecimal digits

}  // namespace tessera
