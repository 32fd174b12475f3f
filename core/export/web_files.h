// The files of core/export/web put together: page, style and scripts, with the data of a graph inside.
#pragma once

#include <string>
#include <string_view>

namespace tessera::web {

// A whole HTML document; `data` is JSON as web/model.js reads it.
std::string pageWith(std::string_view title, const std::string& data);

}  // namespace tessera::web
