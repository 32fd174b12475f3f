// tessera grep FILE… QUERY: the instructions that a query describes. Only reads, so wrong modules can be searched.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <optional>

#include "app/cli/command.h"
#include "core/formats/hlo_text.h"
#include "core/hlo/place_text.h"
#include "core/tools/link.h"
#include "core/tools/query/search.h"
#include "core/tools/query/unknown_names.h"

namespace tessera::cli {
namespace {

struct GrepArguments {
  std::vector<std::string> files;  // with the query at one end, where no option says what is looked for
  std::optional<std::string> query;
  std::string opcode, name, opName, shape;
  bool count = false, links = false;

  bool byOptions() const { return query || !opcode.empty() || !name.empty() || !opName.empty() || !shape.empty(); }
};

bool isFile(const std::string& word) {
  std::error_code error;
  return std::filesystem::exists(splitLink(word).file, error);
}

// Behind the files, or before them as grep(1) has it; FILE alone lists everything.
void takeQuery(GrepArguments& options) {
  std::vector<std::string>& files = options.files;
  if (options.byOptions() || files.size() < 2) return;
  if (isFile(files.back()) && !isFile(files.front())) std::ranges::rotate(files, files.begin() + 1);
  options.query = files.back();
  files.pop_back();
}

Result<Query> queryOf(const GrepArguments& options) {
  Query out;
  if (options.query) {
    TESSERA_ASSIGN_OR_RETURN(out, Query::parse(*options.query));
    if (out.isEmpty())
      return fail({.kind = ErrorKind::Usage,
                   .message = "the query is empty",
                   .expected = "words or fields such as op:copy",
                   .found = "nothing"});
  }
  const std::pair<QueryField, const std::string*> given[] = {{QueryField::Op, &options.opcode},
                                                             {QueryField::Name, &options.name},
                                                             {QueryField::OpName, &options.opName},
                                                             {QueryField::Shape, &options.shape}};
  for (const auto& [field, text] : given) {
    if (text->empty()) continue;
    TESSERA_ASSIGN_OR_RETURN(Query more, Query::of(field, *text));
    out.add(std::move(more));
  }
  return out;
}

void tell(const Module& module, const std::string& file, InstructionId id, const std::string& link, Report& report) {
  const Instruction& instruction = module.at(id);
  const std::string text = printInstruction(module, id);
  const std::string& computation = module.at(instruction.computation).name;
  report.object["matches"].push_back({{"file", file},
                                      {"line", instruction.position.line},
                                      {"computation", computation},
                                      {"name", instruction.name},
                                      {"opcode", instruction.opcodeName()},
                                      {"shape", toString(*instruction.shape)},
                                      {"text", text},
                                      {"link", link}});
  report.line(file + ":" + std::to_string(instruction.position.line) + ": %" + computation + ": " + text);
}

// The instructions of one file, as the options say; how many there are.
size_t grepFile(const Module& module, const std::string& file, const Query& query, const GrepArguments& options,
                Report& report) {
  const std::vector<InstructionId> found = search(module, query);
  if (options.count) {
    report.object["counts"].push_back({{"file", file}, {"count", found.size()}});
    report.line(options.files.size() > 1 ? fmt::format("{}:{}", file, found.size()) : std::to_string(found.size()));
    return found.size();
  }
  for (InstructionId id : found) {
    const std::string link = file + "#" + placeText(module, id);
    if (options.links && !report.json)
      report.line(link);
    else
      tell(module, file, id, link, report);
  }
  return found.size();
}

// The fields with what they mean, as they are in the table of the grammar.
std::string grepHelp() {
  std::string out =
      "QUERY is one line: words are parts of name, opcode, op_name or FILE:LINE of the source, f64 a type and\n"
      "f32[*,128] a shape. All must match; - before a term negates it, | stands between alternatives, ( ) group,\n"
      "\"…\" is text as it stands, /…/ a regular expression, * and ? stand for letters,\n"
      "= asks for the whole text. Numbers compare with = > >= < <= and take k M G T, those of bytes kB MB GB KiB MiB.\n"
      "Fields:\n";
  for (const QueryFieldRow& row : queryFields())
    out += fmt::format("  {:<16} {} ({})\n", row.name, row.meaning, row.example);
  for (const QueryChoice& choice : queryChoices()) out += fmt::format("  is:{:<13} {}\n", choice.name, choice.meaning);
  return out +
         "Where --query or another option says what is looked for, all of FILE are files; a query that begins with - "
         "is "
         "given so.\nExit code 1 when nothing matches.\nExample: tessera grep model.hlo 'op:add f32[*] -under:jvp'";
}

}  // namespace

void addGrep(CLI::App& app, Report& report) {
  auto* command =
      app.add_subcommand("grep", "Find instructions by a query over names, opcodes, shapes, sizes and scopes");
  auto options = std::make_shared<GrepArguments>();
  command->add_option("FILE", options->files, "HLO files, and behind or before them the query")->required();
  command->add_option("--query", options->query, "The query");
  command->add_option("--opcode", options->opcode, "An opcode; * and ? stand for letters: 'all-*'");
  command->add_option("--name", options->name, "A part of the name, or with * and ? the whole of it");
  command->add_option("--op-name", options->opName, "The same of the metadata's op_name");
  command->add_option("--shape", options->shape, "'f32[*,128]', '[...,8]', 'bf16': * one dimension, ... any number");
  command->add_flag("--count", options->count, "Print only how many there are, by file");
  command->add_flag("--links", options->links,
                    "Print FILE#COMPUTATION/NAME of each, which the other subcommands and the studio take");
  command->add_flag("--json", report.json, "Print one JSON object");
  command->footer(grepHelp());
  command->callback([options, &report] {
    takeQuery(*options);
    const auto query = queryOf(*options);
    if (!query) return report.failure(query.error());
    report.object[options->count ? "counts" : "matches"] = nlohmann::ordered_json::array();
    size_t found = 0;
    std::vector<Diagnostic> unknown;
    for (const std::string& file : options->files)
      if (const auto module = loadModule(file, report, false)) {
        found += grepFile(*module, file, *query, *options, report);
        if (found > 0) continue;
        for (const std::string& name : unknownNames(*module, *query))
          unknown.push_back({.severity = Severity::Note, .message = name, .file = file});
      }
    if (found > 0) return;
    for (const Diagnostic& name : unknown) report.failure(name);
    report.raise(kNo);
  });
}

}  // namespace tessera::cli
