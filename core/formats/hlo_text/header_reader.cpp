// The HloModule line with its attributes, and the stack-frame tables behind it.
#include <algorithm>
#include <span>
#include <utility>

#include "core/formats/hlo_text/module_reader.h"
#include "core/formats/hlo_text/shape_text.h"

namespace tessera::text {
namespace {

bool readIndex(Lexer& lexer, std::vector<int64_t>& out) {
  if (!lexer.expect('{', "before an index")) return false;
  if (lexer.accept('}')) return true;
  do {
    if (!lexer.integer(out.emplace_back(), "an index")) return false;
  } while (lexer.accept(','));
  return lexer.expect('}', "after an index");
}

bool readInt(Lexer& lexer, std::optional<int64_t>& out) { return lexer.integer(out.emplace(), "an integer"); }
bool readBool(Lexer& lexer, std::optional<bool>& out) { return lexer.boolean(out.emplace()); }

bool readBraces(Lexer& lexer, std::string& out) {
  std::string_view text;
  if (!lexer.braces(text, "a value in braces")) return false;
  out = std::string(text);
  return true;
}

// true, false or {true,false,…}
bool readBools(Lexer& lexer, std::string& out) {
  bool value = false;
  if (lexer.peek() != '{') {
    if (!lexer.boolean(value)) return false;
    out = value ? "true" : "false";
    return true;
  }
  out = "{";
  lexer.bump();
  while (!lexer.accept('}')) {
    if (out.size() > 1) {
      if (!lexer.expect(',', "between the values")) return false;
      out += ',';
    }
    if (!lexer.boolean(value)) return false;
    out += value ? "true" : "false";
  }
  out += '}';
  return true;
}

bool readRowField(Lexer& lexer, int32_t& out) {
  int64_t value = 0;
  const size_t at = lexer.offset();
  if (!lexer.expect('=', "in the table's row") || !lexer.integer(value, "an integer")) return false;
  if (value != static_cast<int32_t>(value)) return lexer.failAt(at, "the number does not fit 32 bits");
  out = static_cast<int32_t>(value);
  return true;
}

struct RowField {
  std::string_view name;
  int32_t* target;
  bool seen = false;
};

// {FIELD=NUMBER …}: each field once, in any order, with or without commas.
bool readRow(Lexer& lexer, std::string_view what, std::span<RowField> fields) {
  lexer.skipBlanks();
  const size_t begin = lexer.offset();
  if (!lexer.expect('{', "before " + std::string(what))) return false;
  while (!lexer.accept('}')) {
    lexer.accept(',');
    lexer.skipBlanks();
    const size_t at = lexer.offset();
    const std::string_view name = lexer.word();
    const auto field = std::ranges::find(fields, name, &RowField::name);
    if (field == fields.end())
      return lexer.failAt(at, "unknown field of " + std::string(what), "one such as " + std::string(fields[0].name));
    if (std::exchange(field->seen, true)) return lexer.failAt(at, std::string(name) + " appears twice in the row");
    if (!readRowField(lexer, *field->target)) return false;
  }
  const auto lacking = std::ranges::find(fields, false, &RowField::seen);
  return lacking == fields.end() || lexer.failAt(begin, std::string(what) + " lacks " + std::string(lacking->name),
                                                 std::string(lacking->name) + "=…");
}

bool readLocation(Lexer& lexer, StackFrameTables::FileLocation& out) {
  RowField fields[] = {{"file_name_id", &out.fileNameId},
                       {"function_name_id", &out.functionNameId},
                       {"line", &out.line},
                       {"end_line", &out.endLine},
                       {"column", &out.column},
                       {"end_column", &out.endColumn}};
  return readRow(lexer, "a file location", fields);
}

bool readFrame(Lexer& lexer, StackFrameTables::StackFrame& out) {
  RowField fields[] = {{"file_location_id", &out.fileLocationId}, {"parent_frame_id", &out.parentFrameId}};
  return readRow(lexer, "a stack frame", fields);
}

}  // namespace

void ModuleReader::readHeader() {
  ModuleConfig config;
  std::string_view name;
  bool ok = lexer_.name(name, "the module's name");
  module_.name = std::string(name);
  lexer_.accept(':');  // "HloModule name:", as older files have it
  ok = ok && readHeaderAttributes(config);
  if (!ok) {  // go on behind the header line
    takeError();
    size_t newline = lexer_.text().find('\n', lexer_.offset());
    lexer_.seek(newline == std::string_view::npos ? lexer_.text().size() : newline);
  }
  module_.setConfig(std::move(config));
  if (!readStackFrameTables()) takeError();
}

bool ModuleReader::readHeaderAttributes(ModuleConfig& config) {
  std::unordered_set<std::string_view> seen;
  while (lexer_.accept(',')) {
    lexer_.skipBlanks();
    const size_t at = lexer_.offset();
    std::string_view name = lexer_.word();
    if (name.empty()) return lexer_.failExpected("a module attribute");
    if (!lexer_.expect('=', "after the module attribute's name")) return false;
    if (!seen.insert(name).second) report(at, "the module attribute " + std::string(name) + " appears twice", false);
    if (!readHeaderAttribute(name, at, config)) return false;
  }
  return true;
}

bool ModuleReader::readHeaderAttribute(std::string_view name, size_t at, ModuleConfig& config) {
  if (name == "is_scheduled") return readBool(lexer_, config.isScheduled);
  if (name == "replica_count") return readInt(lexer_, config.replicaCount);
  if (name == "num_partitions") return readInt(lexer_, config.numPartitions);
  if (name == "input_output_alias") return readAliases(config.inputOutputAlias);
  if (name == "buffer_donor") return readDonors(config.bufferDonor);
  if (name == "alias_passthrough_params") return readBool(lexer_, config.aliasPassthroughParams);
  if (name == "entry_computation_layout") return readEntryLayout(config);
  if (name == "frontend_attributes") {
    const size_t from = lexer_.offset();
    if (!readBraces(lexer_, config.frontendAttributes)) return false;
    return checkGrammar(Attr::frontend_attributes, from), true;
  }
  if (name == "allow_spmd_sharding_propagation_to_parameters")
    return readBools(lexer_, config.allowShardingPropagationToParameters);
  if (name == "allow_spmd_sharding_propagation_to_output")
    return readBools(lexer_, config.allowShardingPropagationToOutput);
  if (name == "origin_recovery_table") return readBraces(lexer_, config.originRecoveryTable);
  if (name == "debug_attributes") return readBraces(lexer_, config.debugAttributes);
  report(at, "unknown module attribute " + std::string(name), false);
  lexer_.rawValue();
  return true;
}

bool ModuleReader::readEntryLayout(ModuleConfig& config) {
  if (!lexer_.expect('{', "before the entry's layout") || !lexer_.expect('(', "before the entry's parameters"))
    return false;
  while (!lexer_.accept(')')) {
    if (!config.entryParameterLayouts.empty() && !lexer_.expect(',', "between the entry's parameters")) return false;
    if (!readShape(lexer_, config.entryParameterLayouts.emplace_back())) return false;
  }
  return lexer_.expect("->", "before the entry's result") && readShape(lexer_, config.entryResultLayout.emplace()) &&
         lexer_.expect('}', "after the entry's layout");
}

bool ModuleReader::readAliases(std::vector<AliasEntry>& out) {
  if (!lexer_.expect('{', "before the aliases")) return false;
  while (!lexer_.accept('}')) {
    if (!out.empty() && !lexer_.expect(',', "between the aliases")) return false;
    AliasEntry& entry = out.emplace_back();
    if (!readIndex(lexer_, entry.outputIndex) || !lexer_.expect(':', "after the output index") ||
        !lexer_.expect('(', "before the parameter") || !lexer_.integer(entry.parameter, "a parameter number"))
      return false;
    if (lexer_.accept(',') && !readIndex(lexer_, entry.parameterIndex)) return false;
    if (lexer_.accept(',')) {
      entry.must = lexer_.acceptWord("must-alias");
      if (!entry.must && !lexer_.acceptWord("may-alias")) return lexer_.failExpected("may-alias or must-alias");
    }
    if (!lexer_.expect(')', "after the alias")) return false;
  }
  return true;
}

bool ModuleReader::readDonors(std::vector<DonorEntry>& out) {
  if (!lexer_.expect('{', "before the buffer donors")) return false;
  while (!lexer_.accept('}')) {
    if (!out.empty() && !lexer_.expect(',', "between the buffer donors")) return false;
    DonorEntry& entry = out.emplace_back();
    if (!lexer_.expect('(', "before a buffer donor") || !lexer_.integer(entry.parameter, "a parameter number") ||
        !lexer_.expect(',', "in the buffer donor") || !readIndex(lexer_, entry.parameterIndex) ||
        !lexer_.expect(')', "after a buffer donor"))
      return false;
  }
  return true;
}

bool ModuleReader::readStackFrameTables() {
  auto tables = std::make_shared<StackFrameTables>();
  if (!lexer_.acceptWord("FileNames")) return true;
  if (!readTable("FileNames", *tables)) return false;
  for (std::string_view title : {"FunctionNames", "FileLocations", "StackFrames"}) {
    if (!lexer_.acceptWord(title)) return lexer_.failExpected(std::string(title), "behind the table before it");
    if (!readTable(title, *tables)) return false;
  }
  module_.stackFrames = std::move(tables);
  return true;
}

bool ModuleReader::readTable(std::string_view title, StackFrameTables& tables) {
  for (int64_t expectedId = 1; isDigit(lexer_.peek()); ++expectedId) {
    const size_t at = lexer_.offset();
    int64_t id = 0;
    if (!lexer_.integer(id, "a row's number")) return false;
    if (id != expectedId)
      return lexer_.failAt(at, "the rows of " + std::string(title) + " are not numbered in order",
                           std::to_string(expectedId));
    bool ok = false;
    if (title == "FileNames") ok = lexer_.quoted(tables.fileNames.emplace_back(), "a file name");
    if (title == "FunctionNames") ok = lexer_.quoted(tables.functionNames.emplace_back(), "a function name");
    if (title == "FileLocations") ok = readLocation(lexer_, tables.fileLocations.emplace_back());
    if (title == "StackFrames") ok = readFrame(lexer_, tables.stackFrames.emplace_back());
    if (!ok) return false;
  }
  return true;
}

}  // namespace tessera::text
