// The library's form, a keyword a line:
//   tessera blocks 1
//   block "name" 2 "what it does"
//   hlo
//   HloModule …
//   end
#include "core/edit/palette/blocks.h"

#include <algorithm>
#include <charconv>

#include "core/base/sorting.h"
#include "core/edit/palette/block_writer.h"
#include "core/edit/palette/palette.h"
#include "core/edit/refusal.h"
#include "core/edit/structure/fragment.h"
#include "core/formats/hlo_text.h"
#include "core/ops/inference/infer.h"

namespace tessera {
Result<Module> readBlock(const std::string& text) {
  ReadResult read = readHloText(text, "block");
  if (!read.module || read.diagnostics.hasErrors())
    return fail(read.diagnostics.items().empty() ? "the block's text does not read"
                                                 : read.diagnostics.items().front().message);
  return std::move(*read.module);
}

namespace {

constexpr std::string_view kMagic = "tessera blocks ";
constexpr int64_t kVersion = 1;
constexpr std::string_view kPrefix = "tessera.";

std::unexpected<Diagnostic> wrongAt(uint32_t line, std::string message) {
  return fail({.message = std::move(message), .position = {line, 1}});
}

std::string inQuotes(std::string_view text) {
  std::string out = "\"";
  for (char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    out += c == '\n' ? ' ' : c;
  }
  return out + '"';
}

// A text in quotes at the front of `rest`, which is taken off.
bool takeQuoted(std::string_view& rest, std::string& out) {
  while (rest.starts_with(' ')) rest.remove_prefix(1);
  if (!rest.starts_with('"')) return false;
  size_t at = 1;
  out.clear();
  for (; at < rest.size() && rest[at] != '"'; ++at) {
    if (rest[at] == '\\' && at + 1 < rest.size()) ++at;
    out += rest[at];
  }
  if (at >= rest.size()) return false;
  rest.remove_prefix(at + 1);
  return true;
}

bool isName(const std::string& name) {
  return !name.empty() && name.size() <= 60 && std::ranges::all_of(name, [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) || c == '_' || c == '-' || c == '.';
  });
}

// The text of a module in which the block's entry is a computation beside an entry that calls it.
Result<std::string> asComputation(const Block& block, std::vector<Shape>& parameters, std::string& name) {
  TESSERA_ASSIGN_OR_RETURN(Module module, readBlock(block.text));
  const ComputationId body = module.entry();
  name = "block." + block.name + ".v" + std::to_string(block.version);
  module.edit(body).name = name;
  for (InstructionId id : module.at(body).parameters) {
    if (!id.valid()) return fail("the block's parameters are not numbered without gaps");
    parameters.push_back(module.shapeOf(id));
  }
  const ComputationId entry = module.addComputation("placing");
  Instruction none;
  none.opcode = Opcode::AfterAll;
  none.name = "placing.root";
  Shape token;
  token.type = ElementType::Token;
  module.setRoot(entry, module.add(entry, std::move(none), token));
  module.setEntry(entry);
  module.setConfig({});
  return printHloText(module);
}

std::string compositeAttributes(const Block& block) {
  return "{composite.attributes={},composite.name=" + inQuotes(std::string(kPrefix) + block.name) +
         ",composite.version=\"" + std::to_string(block.version) + "\"}";
}

// Shapes of the sources that a shipped block is made for; a value of another type than the first ends them.
std::vector<Shape> shapesOf(const Module& module, std::span<const InstructionId> sources) {
  std::vector<Shape> out;
  for (InstructionId id : sources)
    if (module.contains(id)) out.push_back(withoutLayout(module.shapeOf(id)));
  return out;
}

// What is between `key=` and its end in the braces' text.
std::string quotedBehind(std::string_view text, std::string_view key) {
  const size_t at = text.find(key);
  if (at == std::string_view::npos) return {};
  std::string_view rest = text.substr(at + key.size());
  std::string out;
  return takeQuoted(rest, out) ? out : std::string();
}

const Block* find(std::span<const Block> blocks, const std::string& name) {
  const auto found = std::ranges::find(blocks, name, &Block::name);
  return found == blocks.end() ? nullptr : &*found;
}

// The lines of a library, numbered from 1.
class Lines {
 public:
  explicit Lines(std::string_view content) : content_(content) {}
  bool atEnd() const { return content_.empty(); }
  uint32_t number() const { return number_; }  // of the line that next() gave
  std::string_view next() {
    const size_t end = content_.find('\n');
    std::string_view line = content_.substr(0, end);
    content_ = end == std::string_view::npos ? std::string_view() : content_.substr(end + 1);
    ++number_;
    if (line.ends_with('\r')) line.remove_suffix(1);
    return line;
  }

 private:
  std::string_view content_;
  uint32_t number_ = 0;
};

Status checkHead(std::string_view head) {
  int64_t version = 0;
  if (!head.starts_with(kMagic) ||
      std::from_chars(head.data() + kMagic.size(), head.data() + head.size(), version).ec != std::errc())
    return wrongAt(1, "this is no library of blocks: its first line is not \"tessera blocks 1\"");
  if (version > kVersion)
    return wrongAt(1, "the library was written by a newer Tessera; this one reads version " + std::to_string(kVersion));
  return {};
}

// block "NAME" VERSION "SUMMARY"
Status readTitle(std::string_view line, uint32_t number, Block& block) {
  if (!line.starts_with("block ")) return wrongAt(number, "expected block \"NAME\" VERSION \"SUMMARY\"");
  line.remove_prefix(6);
  if (!takeQuoted(line, block.name) || !isName(block.name)) return wrongAt(number, "the block's name does not read");
  while (line.starts_with(' ')) line.remove_prefix(1);
  const auto [end, error] = std::from_chars(line.data(), line.data() + line.size(), block.version);
  if (error != std::errc() || block.version < 1) return wrongAt(number, "the block's version does not read");
  line.remove_prefix(static_cast<size_t>(end - line.data()));
  if (!takeQuoted(line, block.summary)) return wrongAt(number, "the block's summary is missing");
  return {};
}

// hlo, its lines, end
Status readText(Lines& lines, Block& block) {
  if (lines.next() != "hlo") return wrongAt(lines.number(), "expected hlo");
  const uint32_t begin = lines.number();
  bool ended = false;
  while (!lines.atEnd() && !ended) {
    const std::string_view text = lines.next();
    ended = text == "end";
    if (!ended) block.text += std::string(text) + '\n';
  }
  if (!ended) return wrongAt(lines.number(), "the library ends too early: the last line, end, is missing");
  if (const auto read = readBlock(block.text); !read)
    return wrongAt(begin, "the block " + block.name + ": " + read.error().message);
  return {};
}

}  // namespace

Result<std::vector<Block>> parseBlocks(std::string_view content) {
  std::vector<Block> out;
  Lines lines(content);
  TESSERA_TRY(checkHead(lines.next()));
  while (!lines.atEnd()) {
    const std::string_view line = lines.next();
    if (line.empty()) continue;
    Block block;
    TESSERA_TRY(readTitle(line, lines.number(), block));
    if (find(out, block.name)) return wrongAt(lines.number(), "the block " + block.name + " stands there twice");
    TESSERA_TRY(readText(lines, block));
    out.push_back(std::move(block));
  }
  return out;
}

std::string printBlocks(std::span<const Block> blocks) {
  std::vector<const Block*> sorted;
  for (const Block& block : blocks) sorted.push_back(&block);
  sortBy(sorted, [](const Block* block) { return block->name; });
  std::string out = std::string(kMagic) + std::to_string(kVersion) + '\n';
  for (const Block* block : sorted) {
    out += "block " + inQuotes(block->name) + ' ' + std::to_string(block->version) + ' ' + inQuotes(block->summary) +
           "\nhlo\n" + block->text;
    if (!block->text.ends_with('\n')) out += '\n';
    out += "end\n";
  }
  return out;
}

Result<Block> blockOf(const Module& module, std::span<const InstructionId> ids, const std::string& name,
                      const std::string& summary) {
  if (!isName(name)) return fail("a block's name has letters, digits, _ - and . only");
  // Spread constants come along, as constants do.
  std::vector<InstructionId> all(ids.begin(), ids.end());
  for (InstructionId id : ids)
    for (InstructionId operand : module.contains(id) ? module.at(id).operands : std::span<const InstructionId>()) {
      if (!module.contains(operand) || std::ranges::find(all, operand) != all.end()) continue;
      const Instruction& value = module.at(operand);
      const bool spread = value.opcode == Opcode::Broadcast && module.contains(value.operands[0]) &&
                          module.at(value.operands[0]).opcode == Opcode::Constant;
      if (spread || value.opcode == Opcode::Iota) all.push_back(operand);
    }
  const std::string fragment = ids.empty() ? std::string() : fragmentText(module, all);
  if (fragment.empty()) return fail("what is selected cannot be a block by itself");
  ReadResult read = readHloText(fragment, "block");
  if (!read.module) return fail("what is selected cannot be a block by itself");
  Module& cut = *read.module;
  const ComputationId entry = cut.entry();
  const InstructionId gathered = cut.at(entry).root;
  std::vector<InstructionId> results;
  const UserTable users(cut);
  for (InstructionId id : cut.at(gathered).operands)
    if (id.valid() && users.users(id).size() == 1 && cut.at(id).opcode != Opcode::Parameter) results.push_back(id);
  if (results.empty()) return fail("what is selected gives no result");
  if (results.size() == 1) {
    cut.setRoot(entry, results[0]);
    cut.remove(gathered);
  } else {
    cut.setOperands(gathered, results);
    std::vector<Shape> shapes;
    for (InstructionId id : results) shapes.push_back(cut.shapeOf(id));
    cut.setShape(gathered, Shape::tuple(std::move(shapes)));
  }
  for (InstructionId id : cut.at(entry).instructions)
    for (InstructionId operand : cut.at(id).operands)
      if (!operand.valid()) return fail(cut.at(id).reference() + " has an open input: a block is complete");
  // Computations of its own: a name that a graph has for something else is no tie.
  for (ComputationId id : std::vector<ComputationId>(cut.order().begin(), cut.order().end()))
    if (id != entry) cut.edit(id).name = "block." + name + "." + cut.at(id).name;
  cut.name = name;
  cut.edit(entry).name = name;
  cut.setConfig({});
  Block out{name, summary, 1, printHloText(cut)};
  if (const auto again = readBlock(out.text); !again) return std::unexpected(again.error());
  return out;
}

Result<Shape> firstInputOf(const Block& block) {
  TESSERA_ASSIGN_OR_RETURN(const Module module, readBlock(block.text));
  const auto& parameters = module.entryComputation().parameters;
  if (parameters.empty() || !parameters[0].valid()) return fail("the block has no input");
  return module.shapeOf(parameters[0]);
}

Result<Edit> placingBlock(const Module& module, ComputationId computation, const Block& block,
                          std::span<const InstructionId> sources) {
  Block made = block;
  if (made.text.empty()) {
    TESSERA_ASSIGN_OR_RETURN(made.text, shippedBlockText(block.name, shapesOf(module, sources), block.number));
  }
  std::vector<Shape> parameters;
  std::string callee;
  TESSERA_ASSIGN_OR_RETURN(const std::string text, asComputation(made, parameters, callee));
  if (sources.size() > parameters.size()) sources = sources.first(parameters.size());
  Edit edit{"Add " + block.name, {AddComputations{text}}};
  std::vector<InstructionId> operands;
  uint32_t added = 0;
  TESSERA_ASSIGN_OR_RETURN(const Module body, readBlock(made.text));
  for (size_t k = 0; k < parameters.size(); ++k) {
    const bool fits =
        k < sources.size() && module.contains(sources[k]) && compatible(module.shapeOf(sources[k]), parameters[k]);
    if (fits) {
      operands.push_back(sources[k]);
      continue;
    }
    if (k < sources.size())
      return fail(block.name + " was saved for " + toString(parameters[k], false) + " as input " + std::to_string(k) +
                  ", not " + toString(module.shapeOf(sources[k]), false));
    if (computation != module.entry()) {
      operands.push_back({});
      continue;
    }
    std::string name(body.at(body.entryComputation().parameters[k]).name);
    if (name.back() < '0' || name.back() > '9') name = numberedName(module, name);  // W1, targets1
    edit.actions.push_back(
        AddInstruction{computation, Opcode::Parameter, name, {}, {}, withoutLayout(parameters[k]), ""});
    operands.push_back(newInstruction(added++));
  }
  edit.actions.push_back(AddInstruction{computation,
                                        Opcode::Call,
                                        block.name,
                                        operands,
                                        {{Attr::to_apply, "%" + callee},
                                         {Attr::is_composite, "true"},
                                         {Attr::frontend_attributes, compositeAttributes(made)}},
                                        {},
                                        ""});
  if (becomesRoot(module, computation, sources)) edit.actions.push_back(SetRoot{newInstruction(added)});
  return edit;
}

BlockUse blockUseOf(const Module& module, InstructionId id) {
  BlockUse out;
  const Instruction& call = module.at(id);
  if (call.opcode != Opcode::Call || !call.attributes->boolOr(Attr::is_composite, false)) return out;
  const auto* raw = call.attributes->get<RawText>(Attr::frontend_attributes);
  if (!raw) return out;
  const std::string name = quotedBehind(raw->text, "composite.name="),
                    version = quotedBehind(raw->text, "composite.version=");
  if (!name.starts_with(kPrefix)) return out;
  out.name = name.substr(kPrefix.size());
  std::from_chars(version.data(), version.data() + version.size(), out.version);
  return out;
}

std::vector<InstructionId> outdatedUses(const Module& module, std::span<const Block> blocks) {
  std::vector<InstructionId> out;
  for (ComputationId computation : module.order())
    for (InstructionId id : module.at(computation).instructions) {
      const BlockUse use = blockUseOf(module, id);
      const Block* block = use.version ? find(blocks, use.name) : nullptr;
      if (block && block->version > use.version) out.push_back(id);
    }
  return out;
}

Result<Edit> updatingUses(const Module& module, std::span<const InstructionId> uses, std::span<const Block> blocks) {
  Edit edit{uses.size() == 1 ? "Update a block" : "Update blocks", {}};
  std::vector<std::string> brought;
  for (InstructionId id : uses) {
    const Block* block = find(blocks, blockUseOf(module, id).name);
    if (!block || block->text.empty()) continue;
    std::vector<Shape> parameters;
    std::string callee;
    TESSERA_ASSIGN_OR_RETURN(const std::string text, asComputation(*block, parameters, callee));
    const Instruction& call = module.at(id);
    bool fits = parameters.size() == call.operands.size();
    for (size_t k = 0; fits && k < parameters.size(); ++k)
      fits = !call.operands[k].valid() || compatible(module.shapeOf(call.operands[k]), parameters[k]);
    if (!fits)
      return refuse(
          module, id,
          "version " + std::to_string(block->version) + " of " + block->name + " takes other inputs than this use has");
    if (std::ranges::find(brought, block->name) == brought.end()) {
      edit.actions.push_back(AddComputations{text});
      brought.push_back(block->name);
    }
    edit.actions.push_back(SetAttribute{id, Attr::to_apply, "%" + callee});
    edit.actions.push_back(SetAttribute{id, Attr::frontend_attributes, compositeAttributes(*block)});
  }
  return edit;
}

}  // namespace tessera
