// Diagnostics: what is wrong, where, what was expected and what was found. Readers, inference and the verifier
// collect them; the command line prints them, the studio lists them and marks them on nodes.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/base/ids.h"

namespace tessera {

enum class Severity : uint8_t { Error, Warning, Note };

// A place in a text, 1-based; line 0 means "no place".
struct SourcePosition {
  uint32_t line = 0;
  uint32_t column = 0;
  bool operator==(const SourcePosition&) const = default;
};

// What kind of failure, so that a program can choose its exit code without reading the message.
enum class ErrorKind : uint8_t {
  Invalid,      // does not parse, verify or compile
  Unsupported,  // this backend cannot run it
  Runtime,      // failed while running: memory, cancelled, a custom call's error
  Input,        // a file cannot be opened or read
  Output,       // a file cannot be written
  Usage,        // the caller named something that does not exist
};

// An aggregate: name the fields that are known, in this order; result.h makes errors of it.
struct Diagnostic {
  Severity severity = Severity::Error;
  ErrorKind kind = ErrorKind::Invalid;
  std::string message = {};          // one sentence, names the thing at fault
  std::string label = {};            // constraint label, e.g. "concatenate.C2"; empty when none applies
  std::string expected = {};         // may be empty
  std::string found = {};            // may be empty
  std::string file = {};             // may be empty
  SourcePosition position = {};      // line 0: unknown
  InstructionId instruction = {};    // invalid: not about one instruction
  std::string instructionName = {};  // empty: not about one instruction

  // "FILE:LINE:COL: error: MESSAGE [label] (expected X, found Y)"; parts that are unknown are left out.
  std::string toString() const;
};

class Diagnostics {
 public:
  void add(Diagnostic diagnostic) { items_.push_back(std::move(diagnostic)); }
  void addAll(std::vector<Diagnostic> more);
  bool hasErrors() const;
  bool empty() const { return items_.empty(); }
  const std::vector<Diagnostic>& items() const { return items_; }
  std::vector<Diagnostic>& items() { return items_; }

 private:
  std::vector<Diagnostic> items_;
};

}  // namespace tessera
