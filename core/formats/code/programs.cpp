// Both programs: a function a computation, a line an instruction in the module's order, a prelude of what they call.
// Names are the instructions' own, made words of the language and unique.
#include <algorithm>
#include <array>
#include <unordered_map>
#include <unordered_set>

#include "core/formats/code.h"
#include "core/formats/code/preludes.h"
#include "core/formats/code/rows.h"
#include "core/formats/code/words.h"
#include "core/formats/hlo_text.h"

namespace tessera {
namespace code {
namespace {

constexpr std::string_view kReserved[] = {
    // both languages
    "and", "or", "not", "if", "else", "for", "while", "return", "break", "continue", "class", "try", "b", "e", "main",
    // Python
    "as", "assert", "async", "await", "def", "del", "elif", "except", "finally", "from", "global", "import", "in", "is",
    "lambda", "nonlocal", "pass", "raise", "with", "yield", "np", "jnp", "jax", "lax", "base64", "re", "PARAMETERS",
    // C++
    "xla", "std", "auto", "int", "long", "float", "double", "bool", "char", "void", "const", "constexpr", "static",
    "struct", "union", "enum", "switch", "case", "default", "do", "goto", "new", "delete", "this", "throw", "catch",
    "true", "false", "namespace", "using", "template", "typename", "operator", "private", "public", "protected",
    "virtual", "xor", "bitand", "bitor", "compl", "not_eq", "and_eq", "or_eq", "xor_eq", "short", "signed", "unsigned",
    "sizeof", "typedef", "explicit", "export", "extern", "friend", "inline", "mutable", "register", "volatile",
    "requires", "concept", "co_await", "co_yield", "co_return", "nullptr", "asm", "decltype", "noexcept", "alignas",
    "alignof"};

// Unique words; inner ones differ from those of `outer` too.
class Identifiers {
 public:
  static Identifiers inside(const Identifiers& outer) {
    Identifiers out{std::unordered_set<std::string>()};
    out.outer_ = &outer;
    return out;
  }
  Identifiers() {
    for (std::string_view word : kReserved) taken_.insert(std::string(word));
    for (const auto& list : {jaxPrelude(), xlaPrelude()})
      for (const PreludeFunction& f : list) taken_.insert(std::string(f.name));
  }
  std::string make(std::string_view name) {
    std::string base;
    for (char c : name) base += (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ? c : '_';
    if (base.empty() || (base[0] >= '0' && base[0] <= '9') || base[0] == '_') base = "v" + base;
    std::string out = base;
    for (int n = 2; (outer_ && outer_->taken_.contains(out)) || !taken_.insert(out).second; ++n)
      out = base + '_' + std::to_string(n);
    return out;
  }

 private:
  explicit Identifiers(std::unordered_set<std::string> taken) : taken_(std::move(taken)) {}
  const Identifiers* outer_ = nullptr;
  std::unordered_set<std::string> taken_;
};

// What both printers do; a language's own parts are virtual.
class Program {
 public:
  Program(const Module& module, Language language) : module_(module), language_(language) {
    for (ComputationId id : module.order())
      computations_[id.value] =
          identifiers_.make(id == module.entry() ? std::string_view("entry") : std::string_view(module.at(id).name));
    names_.value = [this](InstructionId id) { return id.valid() ? valueName(id) : std::string("?"); };
    names_.computation = [this](ComputationId id) { return called(computations_[id.value]); };
  }
  virtual ~Program() = default;

  Result<std::string> print() {
    std::string body;
    for (ComputationId id : module_.order()) {
      locals_ = Identifiers::inside(identifiers_);
      values_.clear();
      TESSERA_TRY(appendComputation(body, module_.at(id)));
    }
    std::string out = head();
    appendPrelude(out, body);
    return out + body + tail();
  }

 protected:
  virtual std::string head() const = 0;
  virtual std::string tail() const = 0;
  virtual std::span<const PreludeFunction> prelude() const = 0;
  virtual std::string called(const std::string& computation) const = 0;
  virtual Status appendComputation(std::string& out, const Computation& computation) = 0;
  virtual Result<std::string> constant(const Instruction& instruction) const = 0;

  const std::string& valueName(InstructionId id) {
    auto [it, fresh] = values_.try_emplace(id.value);
    if (fresh) it->second = locals_.make(module_.at(id).name);
    return it->second;
  }

  Result<std::string> expression(const Instruction& in) {
    if (in.opcode == Opcode::Constant) return constant(in);
    const Row* row = findRow(in.opcode);
    const std::string_view text = !row ? std::string_view() : language_ == Language::Cpp ? row->xla : row->jax;
    if (text.empty()) return noForm(in, language_, {});
    if (language_ == Language::Python) {
      TESSERA_TRY(checkPython(in));
    } else if (in.opcode == Opcode::Scatter && in.operands.size() != 3) {
      return noForm(in, language_, "it has several operands");
    }
    return fillIn(text, module_, in, language_, names_);
  }

  Status checkPython(const Instruction& in) const {
    const bool dynamic = std::ranges::any_of(leavesOf(*in.shape),
                                             [](const ShapeLeaf& leaf) { return leaf.shape->hasDynamicDimensions(); });
    if (dynamic) return noForm(in, language_, "of dynamic sizes");
    const std::string_view target = in.attributes->textOr(Attr::custom_call_target, "");
    for (std::string_view manual :
         {"xla.sdy.GlobalToLocalShape", "xla.sdy.LocalToGlobalShape", "SPMDFullToShardShape", "SPMDShardToFullShape"})
      if (target == manual && (devices() > 1 || !keepsShapes(in)))
        return noForm(in, language_, "it enters or leaves a manual region");
    if (in.opcode == Opcode::AsyncUpdate && in.operands.size() > 1)
      return noForm(in, language_, "it brings further operands");
    if (in.attributes->has(Attr::slice_sizes) &&
        (in.opcode == Opcode::CollectivePermute || in.opcode == Opcode::CollectivePermuteStart))
      return noForm(in, language_, "it works in place");
    return {};
  }
  // On one device a block is the whole; how many devices there are may be in the program's meshes alone.
  bool keepsShapes(const Instruction& in) const {
    if (in.operands.size() == 1) return sameIgnoringLayout(*in.shape, module_.shapeOf(in.operands[0]));
    bool same = in.shape->elements.size() == in.operands.size();
    for (size_t i = 0; same && i < in.operands.size(); ++i)
      same = sameIgnoringLayout(in.shape->elements[i], module_.shapeOf(in.operands[i]));
    return same;
  }
  int64_t devices() const {
    return module_.config().replicaCount.value_or(1) * module_.config().numPartitions.value_or(1);
  }

  // Functions that the text calls, and those that these call, in the list's order.
  void appendPrelude(std::string& out, const std::string& body) const {
    std::vector<bool> wanted(prelude().size(), false);
    std::string seen = body;
    for (size_t round = 0; round < 3; ++round)
      for (size_t i = 0; i < wanted.size(); ++i) {
        if (wanted[i] || !calls(seen, prelude()[i].name)) continue;
        wanted[i] = true;
        seen += prelude()[i].text;
      }
    for (size_t i = 0; i < wanted.size(); ++i)
      if (wanted[i]) out += prelude()[i].text;
    out += '\n';
  }
  static bool calls(std::string_view text, std::string_view name) {
    for (size_t at = text.find(name); at != std::string_view::npos; at = text.find(name, at + 1)) {
      const char before = at == 0 ? ' ' : text[at - 1],
                 after = at + name.size() < text.size() ? text[at + name.size()] : ' ';
      const bool apart = !(before == '.' || before == ':' || before == '_' || before == '"' ||
                           (before >= 'a' && before <= 'z') || (before >= 'A' && before <= 'Z'));
      if (apart && after == '(') return true;
    }
    return false;
  }

  const Module& module_;
  Language language_;
  Names names_;
  Identifiers identifiers_, locals_;
  std::unordered_map<uint32_t, std::string> computations_, values_;
};

std::string base64(std::span<const std::byte> bytes) {
  static constexpr char kDigits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string out;
  for (size_t i = 0; i < bytes.size(); i += 3) {
    uint32_t word = 0;
    for (size_t k = 0; k < 3; ++k)
      word = word << 8 | (i + k < bytes.size() ? std::to_integer<uint32_t>(bytes[i + k]) : 0);
    for (size_t k = 0; k < 4; ++k) out += i + k <= bytes.size() ? kDigits[word >> (18 - 6 * k) & 63] : '=';
  }
  return out;
}

class JaxProgram : public Program {
 public:
  explicit JaxProgram(const Module& module) : Program(module, Language::Python) {}

 private:
  std::string head() const override {
    return "# " + module_.name +
           ", as jax.lax calls.\nimport base64\nimport re\n\nimport jax\nimport jax.numpy as jnp\nimport numpy as "
           "np\nfrom jax import lax\n\n"
           "jax.config.update(\"jax_enable_x64\", True)\n";
  }
  std::string tail() const override {
    std::string shapes;
    for (InstructionId id : module_.entryComputation().parameters)
      shapes += shapeText(language_, module_.shapeOf(id)) + ", ";
    const std::string main = runsOnEachDevice() ? "jax.pmap(entry, axis_name=\"devices\")" : "jax.jit(entry)";
    return "main = " + main + "\nPARAMETERS = [" + shapes + "]\n";
  }
  // A program with collectives is one device's: main takes and gives every device's values, stacked. Without them it is
  // the program of the whole.
  bool runsOnEachDevice() const {
    constexpr Opcode kAsk[] = {Opcode::ReplicaId,          Opcode::PartitionId,
                               Opcode::AllReduce,          Opcode::AllReduceStart,
                               Opcode::AllGather,          Opcode::AllGatherStart,
                               Opcode::AllToAll,           Opcode::ReduceScatter,
                               Opcode::CollectivePermute,  Opcode::CollectivePermuteStart,
                               Opcode::CollectiveBroadcast};
    for (ComputationId computation : module_.order())
      for (InstructionId id : module_.at(computation).instructions) {
        const Opcode opcode = module_.at(id).opcode;
        const bool isId = opcode == Opcode::ReplicaId || opcode == Opcode::PartitionId;
        if (std::ranges::find(kAsk, opcode) != std::end(kAsk) && (!isId || devices() > 1)) return true;
      }
    return false;
  }
  std::span<const PreludeFunction> prelude() const override { return jaxPrelude(); }
  std::string called(const std::string& computation) const override { return computation; }

  Status appendComputation(std::string& out, const Computation& computation) override {
    std::string parameters;
    for (InstructionId id : computation.parameters) parameters += (parameters.empty() ? "" : ", ") + valueName(id);
    out += "\ndef " + computations_[computation.id.value] + "(" + parameters + "):\n";
    for (InstructionId id : computation.instructions) {
      const Instruction& in = module_.at(id);
      if (in.opcode == Opcode::Parameter) continue;
      TESSERA_ASSIGN_OR_RETURN(const std::string text, expression(in));
      out += "    " + valueName(id) + " = " + text + '\n';
    }
    out += "    return " + (computation.root.valid() ? valueName(computation.root) : std::string("None")) + "\n\n";
    return {};
  }

  // Scalars as numbers; arrays by their bytes, packed to base64 above a few.
  Result<std::string> constant(const Instruction& in) const override { return literalText(in, *in.literal); }
  Result<std::string> literalText(const Instruction& in, const Literal& literal) const {
    if (literal.shape().isTuple()) {
      std::vector<std::string> items;
      for (const Literal& element : literal.elements()) {
        TESSERA_ASSIGN_OR_RETURN(std::string item, literalText(in, element));
        items.push_back(std::move(item));
      }
      return listOf(language_, items);
    }
    if (!literal.shape().isArray()) return std::string("None");
    if (literal.elided()) return noForm(in, language_, "its values were left out");
    const std::string type = typeName(language_, literal.shape().type);
    const bool plain = literal.shape().isScalar() && !isComplex(literal.shape().type);
    if (!plain)
      return "array(" + type + ", " + intsOf(language_, literal.shape().dimensions) + ", \"" + base64(literal.bytes()) +
             "\")";
    std::string value = printLiteral(literal);
    if (value == "true" || value == "false") value = value == "true" ? "True" : "False";
    const bool word = value.find("inf") != std::string::npos || value.find("nan") != std::string::npos;
    if (value.starts_with("nan(") || value.starts_with("-nan"))
      return "array(" + type + ", (), \"" + base64(literal.bytes()) + "\")";
    if (word) value = "float(\"" + value + "\")";
    return "np.array(" + value + ", " + type + ")";
  }
};

class XlaProgram : public Program {
 public:
  explicit XlaProgram(const Module& module) : Program(module, Language::Cpp) {}

 private:
  std::string head() const override {
    return "// " + module_.name +
           ", built with XlaBuilder.\n#include <array>\n#include <deque>\n#include <string>\n#include <vector>\n\n"
           "#include \"xla/hlo/builder/xla_builder.h\"\n#include \"xla/hlo/parser/hlo_parser.h\"\n#include "
           "\"xla/shape_util.h\"\n";
  }
  std::string tail() const override { return {}; }
  std::span<const PreludeFunction> prelude() const override { return xlaPrelude(); }
  std::string called(const std::string& computation) const override { return computation + "()"; }

  Status appendComputation(std::string& out, const Computation& computation) override {
    out += "\nxla::XlaComputation " + computations_[computation.id.value] + "() {\n  xla::XlaBuilder b(" +
           quoted(computation.name) + ");\n";
    for (InstructionId id : computation.instructions) {
      const Instruction& in = module_.at(id);
      std::string text;
      if (in.opcode == Opcode::Parameter) {
        text = "xla::Parameter(&b, " + std::to_string(in.parameterNumber) + ", " + shapeText(language_, *in.shape) +
               ", " + quoted(in.name) + ")";
      } else {
        TESSERA_ASSIGN_OR_RETURN(text, expression(in));
      }
      out += "  xla::XlaOp " + valueName(id) + " = " + text + ";\n";
    }
    out += "  return b.Build(" + (computation.root.valid() ? valueName(computation.root) : std::string()) +
           ").value();\n}\n";
    return {};
  }

  Result<std::string> constant(const Instruction& in) const override {
    if (in.literal->elided()) return noForm(in, language_, "its values were left out");
    const std::string value = printLiteral(*in.literal);
    const ElementType type = in.shape->type;
    if (!in.shape->isScalar() || (type != ElementType::F32 && type != ElementType::S32 && type != ElementType::Pred) ||
        value.find('n') != std::string::npos)
      return "Literal(b, " + quoted(toString(*in.shape, false)) + ", " + quoted(value) + ")";
    const char* name = type == ElementType::F32 ? "float" : type == ElementType::S32 ? "int32_t" : "bool";
    return std::string("xla::ConstantR0<") + name + ">(&b, " + value + ")";
  }
};

}  // namespace
}  // namespace code

Result<std::string> printJax(const Module& module) { return code::JaxProgram(module).print(); }
Result<std::string> printXlaBuilder(const Module& module) { return code::XlaProgram(module).print(); }

}  // namespace tessera
