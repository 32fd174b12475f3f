// Formatting and collection of diagnostics.
#include "core/base/diagnostics.h"

#include <algorithm>
#include <iterator>

namespace tessera {
namespace {

const char* severityName(Severity severity) {
  switch (severity) {
    case Severity::Error: return "error";
    case Severity::Warning: return "warning";
    case Severity::Note: return "note";
  }
  return "error";
}

}  // namespace

std::string Diagnostic::toString() const {
  std::string out;
  if (!file.empty()) out += file + ":";
  if (position.line != 0) out += std::to_string(position.line) + ":" + std::to_string(position.column) + ":";
  if (!out.empty()) out += " ";
  out += std::string(severityName(severity)) + ": " + message;
  if (!label.empty()) out += " [" + label + "]";
  if (!expected.empty()) out += "; expected " + expected;
  if (!found.empty()) out += (expected.empty() ? "; found " : ", found ") + found;
  return out;
}

void Diagnostics::addAll(std::vector<Diagnostic> more) {
  items_.insert(items_.end(), std::make_move_iterator(more.begin()), std::make_move_iterator(more.end()));
}

bool Diagnostics::hasErrors() const {
  return std::ranges::any_of(items_, [](const Diagnostic& d) { return d.severity == Severity::Error; });
}

}  // namespace tessera
