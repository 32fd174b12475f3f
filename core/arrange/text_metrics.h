// Text measured by advance tables of DejaVu Sans (regular and bold), so that both programs and every machine arrange a
// graph alike. No kerning: the painters switch it off too.
#pragma once

#include <string>
#include <string_view>

namespace tessera {

// Width in px of a text in DejaVu Sans at a size; bold uses the bold table.
float textWidth(std::string_view utf8, float size, bool bold = false);
// The text cut with "…" to a width; "" when not even that fits.
std::string elideText(std::string_view utf8, float size, float maxWidth, bool bold = false);

}  // namespace tessera
