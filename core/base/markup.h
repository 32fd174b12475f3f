// Text inside HTML and XML, between tags and in quoted attributes.
#pragma once

#include <string>
#include <string_view>

namespace tessera {

// & < > " as entities; control characters other than tab and newline, which XML forbids, are left out.
std::string escapedForMarkup(std::string_view text);

}  // namespace tessera
