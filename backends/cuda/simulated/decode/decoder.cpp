#include "backends/cuda/simulated/decode/decoder.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "backends/cuda/simulated/decode/instruction_table.h"
#include "backends/cuda/simulated/decode/reconvergence.h"

namespace tessera::cuda::simulated {

namespace {

constexpr size_t kMostInstructions = size_t{1} << 21;  // of a kernel with all that it calls
constexpr size_t kDeepestCall = 100;

}  // namespace

Result<Kernel> Decoder::decode(const Function& entry) {
  kernel_ = {.name = std::string(entry.name), .text = module_.text};
  kernel_.maxThreads = entry.maxThreads ? entry.maxThreads : 1024;
  kernel_.sites.push_back({.line = entry.line, .text = entry.name});
  frames_.push_back({.function = &entry});
  placeParameters(entry);
  walk(frames_.back());
  if (failed()) return std::unexpected(*error_);
  kernel_.code.push_back({.control = Control::Exit});  // behind the last statement
  kernel_.dynamicSharedBegin = (kernel_.sharedBytes + 15) / 16 * 16;
  for (const Variable* open : openShared_)
    kernel_.dynamicSharedBegin = (kernel_.dynamicSharedBegin + open->alignment - 1) / open->alignment * open->alignment;
  findJoins(kernel_);
  return std::move(kernel_);
}

void Decoder::placeParameters(const Function& entry) {
  int64_t& end = kernel_.parameterBytes;
  for (const Variable& parameter : entry.parameters) {
    end = (end + parameter.alignment - 1) / parameter.alignment * parameter.alignment;
    frames_.back().parameters[parameter.name] = {.space = Space::Param, .offset = static_cast<uint64_t>(end)};
    end += parameter.bytes;
    if (end > (int64_t{1} << 16)) return fail("the parameters of " + kernel_.name + " are too many");
  }
}

void Decoder::walk(Frame& frame) {
  for (const Statement& statement : frame.function->statements) {
    frame.starts.push_back(static_cast<uint32_t>(kernel_.code.size()));
    if (statement.opcode.empty()) continue;
    if (failed()) return;
    decodeStatement(statement);
  }
  frame.starts.push_back(static_cast<uint32_t>(kernel_.code.size()));
  finishBranches(frame);
}

void Decoder::decodeStatement(const Statement& statement) {
  statement_ = &statement;
  kernel_.sites.push_back({.line = statement.line, .text = statement.text});
  site_ = static_cast<uint32_t>(kernel_.sites.size() - 1);
  setModifiers(statement.opcode);
  const auto found = instructionTable().find(modifiers_.front().text);
  if (found == instructionTable().end()) return failUnknown("the instruction " + std::string(statement.opcode));
  modifiers_.front().isTaken = true;
  found->second(*this);
  for (const Modifier& modifier : modifiers_)
    if (!modifier.isTaken) failUnknown(fmt::format("\".{}\" of the instruction {}", modifier.text, statement.opcode));
  if (kernel_.code.size() > kMostInstructions) fail("the kernel is too long");
}

void Decoder::setModifiers(std::string_view opcode) {
  modifiers_.clear();
  while (!opcode.empty()) {
    const size_t dot = opcode.find('.');
    modifiers_.push_back({opcode.substr(0, dot)});
    if (dot == std::string_view::npos) break;
    opcode.remove_prefix(dot + 1);
  }
}

void Decoder::finishBranches(Frame& frame) {
  if (failed()) return;
  for (const auto& [instruction, statement] : frame.branches)
    kernel_.code[instruction].target = frame.starts[statement];
  for (const auto& [entry, statement] : frame.tableEntries) kernel_.lists[entry] = frame.starts[statement];
}

void Decoder::fail(std::string message, std::string expected, std::string found) {
  if (failed()) return;
  const SourcePosition position{statement_ ? statement_->line : frames_.front().function->line, 1};
  if (statement_) message += fmt::format(", in \"{}\" of {}", statement_->text.substr(0, 120), kernel_.name);
  error_ = Diagnostic{
      .message = std::move(message), .expected = std::move(expected), .found = std::move(found), .position = position};
}

void Decoder::failUnknown(const std::string& what) { fail(what + " is not known to the simulated device"); }

// --- modifiers

bool Decoder::take(std::string_view modifier) {
  for (Modifier& m : modifiers_)
    if (!m.isTaken && m.text == modifier) return m.isTaken = true;
  return false;
}

bool Decoder::has(std::string_view modifier) const {
  return std::any_of(modifiers_.begin(), modifiers_.end(),
                     [&](const Modifier& m) { return !m.isTaken && m.text == modifier; });
}

std::string_view Decoder::takeOneOf(std::initializer_list<std::string_view> modifiers) {
  for (const std::string_view modifier : modifiers)
    if (take(modifier)) return modifier;
  return {};
}

std::optional<Type> Decoder::tryType() {
  for (Modifier& m : modifiers_)
    if (const auto type = m.isTaken ? std::nullopt : typeNamed(m.text)) {
      m.isTaken = true;
      return type;
    }
  return std::nullopt;
}

Type Decoder::takeType() {
  if (const auto type = tryType()) return *type;
  fail("the instruction has no type");
  return Type::B32;
}

std::optional<Space> Decoder::trySpace() {
  for (Modifier& m : modifiers_)
    if (const auto space = m.isTaken ? std::nullopt : spaceNamed(m.text)) {
      m.isTaken = true;
      return space;
    }
  return std::nullopt;
}

std::optional<Rounding> Decoder::tryRounding() {
  if (!takeOneOf({"rn", "rni", "rna"}).empty()) return Rounding::Nearest;
  if (!takeOneOf({"rz", "rzi"}).empty()) return Rounding::Zero;
  if (!takeOneOf({"rm", "rmi"}).empty()) return Rounding::Down;
  if (!takeOneOf({"rp", "rpi"}).empty()) return Rounding::Up;
  return std::nullopt;
}

void Decoder::ignore(std::initializer_list<std::string_view> modifiers) {
  for (const std::string_view modifier : modifiers) take(modifier);
}

// --- instructions

Instruction& Decoder::emit(Handler handler) {
  Instruction instruction{.run = handler, .site = site_};
  if (!statement_->guard.empty()) {
    const RegisterPlace guard = findRegister(statement_->guard);
    if (guard.type != Type::Pred) fail(fmt::format("the guard {} is no predicate", statement_->guard));
    instruction.guard = static_cast<int32_t>(guard.row);
    instruction.isGuardNegated = statement_->isGuardNegated;
  }
  kernel_.code.push_back(instruction);
  return kernel_.code.back();
}

Instruction& Decoder::emitControl(Control control) {
  Instruction& instruction = emit(nullptr);
  instruction.control = control;
  return instruction;
}

uint32_t Decoder::temporary(bool isWide) {
  const uint32_t row = kernel_.registerBytes;
  kernel_.registerBytes += kLanes * (isWide ? 8 : 4);
  return row;
}

uint32_t Decoder::constant(uint64_t bits, bool isWide) {
  if (!isWide) bits = static_cast<uint32_t>(bits);
  const auto [at, isNew] = constants_.try_emplace({bits, isWide});
  if (isNew) {
    at->second = temporary(isWide);
    kernel_.constants.push_back({.row = at->second, .bits = bits, .isWide = isWide});
  }
  return at->second;
}

uint32_t Decoder::special(Special special, bool isWide, uint64_t further) {
  const auto [at, isNew] = specials_.try_emplace({special, isWide, further});
  if (isNew) {
    at->second = temporary(isWide);
    kernel_.specials.push_back({.row = at->second, .special = special, .isWide = isWide, .further = further});
  }
  return at->second;
}

uint32_t Decoder::carryRow() {
  if (!carryRow_) carryRow_ = temporary(false);
  return *carryRow_;
}

// --- control flow

std::optional<uint32_t> Decoder::statementOfLabel(std::string_view label) {
  const auto& scopes = frames_.back().function->scopes;
  for (int at = static_cast<int>(statement_->scope); at >= 0; at = scopes[static_cast<size_t>(at)].parent) {
    const auto& labels = scopes[static_cast<size_t>(at)].labels;
    if (const auto found = labels.find(label); found != labels.end()) return found->second;
  }
  fail(fmt::format("there is no label {}", label));
  return std::nullopt;
}

void Decoder::branchTo(std::string_view label) {
  emitControl(Control::Branch);
  const auto statement = statementOfLabel(label);
  if (statement) frames_.back().branches.emplace_back(kernel_.code.size() - 1, *statement);
}

void Decoder::branchByTable(std::string_view table, uint32_t index) {
  const auto& scopes = frames_.back().function->scopes;
  for (int at = static_cast<int>(statement_->scope); at >= 0; at = scopes[static_cast<size_t>(at)].parent) {
    const auto& tables = scopes[static_cast<size_t>(at)].branchTables;
    const auto found = tables.find(table);
    if (found == tables.end()) continue;
    Instruction& branch = emitControl(Control::BranchTable);
    branch.a = index;
    branch.offset = static_cast<int64_t>(found->second.size());
    branch.target = listOf(std::vector<uint32_t>(found->second.size()));
    for (size_t i = 0; i < found->second.size(); ++i)
      if (const auto statement = statementOfLabel(found->second[i]))
        frames_.back().tableEntries.emplace_back(branch.target + i, *statement);
    return;
  }
  fail(fmt::format("there is no table of branch targets {}", table));
}

void Decoder::leaveFunction() {
  if (!isInFunction()) return void(emitControl(Control::Exit));
  emitControl(Control::Branch);
  const auto end = static_cast<uint32_t>(frames_.back().function->statements.size());
  frames_.back().branches.emplace_back(kernel_.code.size() - 1, end);
}

const Function* Decoder::findFunction(std::string_view name) const {
  const auto found = std::find_if(module_.functions.begin(), module_.functions.end(),
                                  [&](const Function& f) { return f.name == name; });
  return found == module_.functions.end() ? nullptr : &*found;
}

void Decoder::bind(Frame& frame, const std::vector<Variable>& formal, const std::vector<Operand>& actual) {
  if (formal.size() != actual.size())
    return fail(fmt::format("a call of {} has another number of arguments", frame.function->name),
                std::to_string(formal.size()), std::to_string(actual.size()));
  for (size_t i = 0; i < formal.size(); ++i) {
    const auto place = actual[i].kind == Operand::Kind::Name ? findVariable(actual[i].name) : std::nullopt;
    if (!place || place->space != Space::Local || formal[i].isRegister)
      return fail("calls pass arguments and results in variables of the space .param only");
    frame.parameters[formal[i].name] = {.space = Space::Local, .offset = place->offset};
  }
}

// The function's statements come here; its registers and variables are new ones for each call.
void Decoder::call() {
  const Statement& statement = *statement_;
  if (statement.operands.size() != 1 || statement.operands[0].kind != Operand::Kind::Name)
    return fail("calls through a register are not supported");
  const std::string_view name = statement.operands[0].name;
  const Function* function = findFunction(name);
  if (!function || !function->hasBody) {
    if (name == "__assertfail") return void(emitControl(Control::Trap));
    return fail(fmt::format("the function {} has no body in this module", name));
  }
  if (function->isEntry) return fail(fmt::format("{} is a kernel and cannot be called", name));
  for (const Frame& frame : frames_)
    if (frame.function == function) return fail(fmt::format("{} calls itself, which is not supported", name));
  if (frames_.size() > kDeepestCall) return fail("calls are nested too deep");
  const bool isConditional = !statement.guard.empty();
  size_t around = 0;
  if (isConditional) {  // the others go around
    Instruction& branch = emitControl(Control::Branch);
    branch.isGuardNegated = !branch.isGuardNegated;
    around = kernel_.code.size() - 1;
  }
  Frame frame{.function = function};
  bind(frame, function->parameters, statement.arguments);
  bind(frame, function->returns, statement.returns);
  if (failed()) return;
  frames_.push_back(std::move(frame));
  auto modifiers = std::exchange(modifiers_, {});
  walk(frames_.back());
  frames_.pop_back();
  modifiers_ = std::move(modifiers);
  statement_ = &statement;
  if (isConditional) kernel_.code[around].target = static_cast<uint32_t>(kernel_.code.size());
}

}  // namespace tessera::cuda::simulated
