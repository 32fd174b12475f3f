// Reports and module loading, shared by all subcommands.
#include "app/cli/command.h"

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <unordered_set>

#include <fmt/format.h>

#include "core/base/diagnostic_limit.h"
#include "core/formats/module_file.h"
#include "core/ops/inference/infer.h"
#include "core/ops/inference/unfinished.h"
#include "core/tools/link.h"

namespace tessera::cli {

void Report::line(const std::string& text) {
  if (!json && speaks()) std::fwrite((text + "\n").data(), 1, text.size() + 1, stdout);
}

void Report::failure(const Diagnostic& diagnostic) {
  if (speaks() || diagnostic.severity == Severity::Error)
    std::fputs(((rank ? "rank " + std::to_string(*rank) + ": " : "") + diagnostic.toString() + "\n").c_str(), stderr);
  if (diagnostic.severity != Severity::Error) return;
  if (!object.contains("error")) {
    nlohmann::ordered_json error = {{"message", diagnostic.message}};
    auto put = [&](const char* key, const std::string& value) {
      if (!value.empty()) error[key] = value;
    };
    put("label", diagnostic.label);
    put("expected", diagnostic.expected);
    put("found", diagnostic.found);
    put("file", diagnostic.file);
    put("instruction", diagnostic.instructionName);
    if (diagnostic.position.line)
      error["line"] = diagnostic.position.line, error["column"] = diagnostic.position.column;
    object["error"] = std::move(error);
  }
  raise(exitCodeOf(diagnostic.kind));
}

void Report::raise(int code) { exit = std::max(exit, code); }

int Report::finish() {
  if (json && speaks()) {
    const nlohmann::ordered_json& shown = object.contains(list) && !object.contains("error") ? object[list] : object;
    std::string text = shown.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n";
    std::fwrite(text.data(), 1, text.size(), stdout);
  }
  return flushed(exit);
}

int Report::flushed(int code) {
  if (std::fflush(stdout) == 0 && std::ferror(stdout) == 0) return code;
  std::fputs("error: cannot write to standard output\n", stderr);
  return std::max<int>(code, kNoOutput);
}

bool takeLink(std::string& file, std::string& name, const char* wanted, Report& report) {
  LinkParts parts = splitLink(file);
  if (parts.name.empty() == name.empty()) {
    report.failure({.kind = ErrorKind::Usage,
                    .message = name.empty()
                                   ? fmt::format("{} is required, here or behind FILE#", wanted)
                                   : fmt::format("FILE is a link to {} already; what is {}?", parts.name, name)});
    return false;
  }
  file = std::move(parts.file);
  if (name.empty()) name = std::move(parts.name);
  return true;
}

std::optional<Module> loadModule(const std::string& file, Report& report, bool withVerify, ProtoContent* beside) {
  if (const LinkParts link = splitLink(file); !link.name.empty() && std::filesystem::exists(link.file)) {
    report.failure({.kind = ErrorKind::Usage,
                    .message = fmt::format("{} is a link to an instruction", file),
                    .expected = fmt::format("a file, such as {}", link.file)});
    return std::nullopt;
  }
  ProtoContent read = readModuleWithValues(file);
  if (beside) {
    beside->snapshot = read.snapshot;
    beside->arguments = std::move(read.arguments);
    beside->result = std::move(read.result);
    beside->foreign = std::move(read.foreign);
  }
  for (const Diagnostic& diagnostic : read.diagnostics.items()) report.failure(diagnostic);
  if (!read.module || !withVerify) return std::move(read.module);
  Diagnostics found = inferModule(*read.module);
  found.addAll(verify(*read.module).items());
  leaveOutLacking(found, read.diagnostics);
  std::unordered_set<std::string> seen;
  for (Diagnostic diagnostic : found.items()) {
    diagnostic.file = file;
    if (seen.insert(diagnostic.toString()).second && seen.size() <= kMaxDiagnostics) report.failure(diagnostic);
  }
  if (seen.size() > kMaxDiagnostics) report.failure(andMore(seen.size() - kMaxDiagnostics));
  if (found.hasErrors() || read.diagnostics.hasErrors()) return std::nullopt;
  return std::move(read.module);
}

}  // namespace tessera::cli
