// See module_file.h.
#include "core/formats/module_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <new>

#include "core/formats/dot_reader.h"
#include "core/formats/foreign_file.h"
#include "core/formats/project.h"
#include "core/formats/stablehlo.h"

namespace tessera {
namespace {

Diagnostic diagnosticOf(ErrorKind kind, const std::filesystem::path& path, std::string reason) {
  return {.kind = kind, .message = std::move(reason), .file = path.string()};
}

bool looksBinary(std::string_view content) {
  constexpr size_t kLooked = 4096;
  return std::ranges::any_of(content.substr(0, kLooked), [](char c) {
    const auto byte = static_cast<unsigned char>(c);
    return byte < 0x20 && c != '\n' && c != '\r' && c != '\t' && c != '\f';
  });
}

ReadResult failedRead(Diagnostic diagnostic, const std::filesystem::path& path) {
  ReadResult out;
  if (diagnostic.file.empty()) diagnostic.file = path.string();
  out.diagnostics.add(std::move(diagnostic));
  return out;
}

// The graph of a sidecar: a file beside it that is no project itself.
ReadResult readBeside(const ProjectContent& content, const std::filesystem::path& path) {
  const std::filesystem::path graph = path.parent_path() / content.project.graphFile;
  auto text = readFileBeneath(path.parent_path(), content.project.graphFile);
  if (!text) {
    Diagnostic d = std::move(text).error();
    d.message = "the graph " + content.project.graphFile + " of the project " + d.message;
    d.file = path.string();
    return failedRead(std::move(d), path);
  }
  if (!looksLikeProject(*text)) return readModuleText(*text, graph);
  return failedRead({.message = "the graph of the project is a project itself: " + content.project.graphFile}, path);
}

}  // namespace

ReadResult readProjectModule(std::string_view content, const std::filesystem::path& path) {
  auto parsed = parseProject(content);
  if (!parsed) return failedRead(std::move(parsed).error(), path);
  if (!parsed->project.graphFile.empty()) return readBeside(*parsed, path);
  ReadResult out = readHloText(parsed->graph, path.string());
  const uint32_t above = parsed->graphLine - 1;
  for (Diagnostic& d : out.diagnostics.items())
    if (d.position.line) d.position.line += above;
  if (out.module) {
    for (ComputationId computation : out.module->order())
      for (InstructionId id : out.module->at(computation).instructions)
        if (out.module->at(id).position.line) out.module->edit(id).position.line += above;
  }
  return out;
}

namespace {

// A file of another kind: what it is, and what to do with it.
Diagnostic noModule(ForeignKind kind, const std::filesystem::path& path) {
  return diagnosticOf(ErrorKind::Invalid, path,
                      fmt::format("is {}, not a module that can be opened; {}", nameOf(kind), adviceFor(kind)));
}

// Binary, neither packed nor the beginning of a protobuf message.
bool isOtherBinary(std::string_view head) { return looksBinary(head) && !isPacked(head) && !startsProto(head); }

// By the reader that the content asks for.
ProtoContent readContent(const std::string& content, const std::filesystem::path& path) {
  ProtoContent out;
  if (looksLikeProject(content)) {
    ReadResult read = readProjectModule(content, path);
    out.module = std::move(read.module);
    out.diagnostics = std::move(read.diagnostics);
    return out;
  }
  if (looksLikeDot(content)) {
    auto graph = readDot(content, path.string());
    out.diagnostics.add(
        graph ? diagnosticOf(
                    ErrorKind::Invalid, path,
                    "a Graphviz file is a picture and has no operations; `render`, `stats` and the studio show it")
              : std::move(graph).error());
    return out;
  }
  if (const auto kind = foreignKindOf(content)) {
    out.diagnostics.add(noModule(*kind, path));
    return out;
  }
  // MLIR's aliases start with '#' as comments of text protobufs do.
  const bool stableHlo = !looksBinary(content) && looksLikeStableHlo(content);
  if (!stableHlo && (looksBinary(content) || looksLikeProtoText(content))) return readProto(content, path.string());
  ReadResult read = stableHlo ? readStableHlo(content, path.string()) : readHloText(content, path.string());
  out.module = std::move(read.module);
  out.diagnostics = std::move(read.diagnostics);
  return out;
}

}  // namespace

ProtoContent readModuleWithValues(const std::filesystem::path& path) try {
  ProtoContent out;
  if (const auto what = whatFolderIs(path)) {
    out.diagnostics.add(diagnosticOf(ErrorKind::Input, path, "cannot be read: " + *what));
    return out;
  }
  // Profiles are large: what they are is known by their first bytes.
  const std::string head = firstBytesOf(path);
  if (const auto kind = foreignKindOf(head)) {
    out.diagnostics.add(noModule(*kind, path));
    return out;
  }
  if (isOtherBinary(head)) return readProto(head, path.string());
  auto content = readFile(path);
  if (content) return readContent(*content, path);
  out.diagnostics.add(std::move(content).error());
  return out;
} catch (const std::bad_alloc&) {
  ProtoContent out;
  out.diagnostics.add(diagnosticOf(ErrorKind::Runtime, path, "there is not enough memory for the module"));
  return out;
}

ReadResult readModuleText(const std::string& text, const std::filesystem::path& path) {
  ProtoContent content = readContent(text, path);
  return {std::move(content.module), std::move(content.diagnostics)};
}

ReadResult readModule(const std::filesystem::path& path) {
  ProtoContent content = readModuleWithValues(path);
  return {std::move(content.module), std::move(content.diagnostics)};
}

}  // namespace tessera
