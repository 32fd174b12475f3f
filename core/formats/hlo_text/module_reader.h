// ModuleReader: HLO text into a Module. A recursive descent over the Lexer; one .cpp for the header, one for
// computations, one for instructions, one for their attributes. A syntax error ends its instruction: it is reported and
// reading goes on at the next line that starts one. Repeated shapes, metadata and attribute lists are found again by
// their raw text.
#pragma once

#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "core/base/name_counter.h"
#include "core/base/text_map.h"
#include "core/formats/hlo_text.h"
#include "core/formats/hlo_text/attribute_text.h"
#include "core/formats/hlo_text/lexer.h"
#include "core/hlo/module.h"

namespace tessera::text {

// What is known while one computation is read.
struct Scope {
  ComputationId id;
  TextMap<InstructionId> names;
  NameCounter made;                                           // names of nested instructions and tuple elements
  std::unordered_map<std::string, InstructionId> tuplePaths;  // "t#1#0" to its get-tuple-element
  std::unordered_set<std::string_view> broken;                // defined by an instruction that had an error
  struct Unresolved {
    std::string_view name, user;
    size_t offset;
  };
  std::vector<Unresolved> unresolved;
  bool rootSeen = false;
  bool unfinished = false;    // the signature leaves the result open
  bool freeOperands = false;  // a single instruction: unknown operands become parameters
};

// One instruction while it is read.
struct Draft {
  Instruction instruction;
  const Shape* shape = nullptr;  // null: left out
  std::vector<InstructionId> operands;
  Opcode wrapped = Opcode::Unknown;  // OP of OP-start, OP-update, OP-done
  bool sugar = false;
  bool openShape = false;     // `?`: derived, and `shape` is only the last that was known
  std::vector<Attr> open;     // attributes that are left open by `?`
  std::vector<size_t> lacks;  // the diagnostics that say which are missing without a `?`
  size_t nameOffset = 0, opcodeOffset = 0;
};

class ModuleReader : private NameScope {
 public:
  ModuleReader(std::string_view text, std::string fileName);
  ReadResult read();

 private:
  // Module and header (module_reader.cpp, header_reader.cpp).
  void readModule();
  void readHeader();
  bool readHeaderAttributes(ModuleConfig& config);
  bool readHeaderAttribute(std::string_view name, size_t at, ModuleConfig& config);
  bool readEntryLayout(ModuleConfig& config);
  bool readAliases(std::vector<AliasEntry>& out);
  bool readDonors(std::vector<DonorEntry>& out);
  bool readStackFrameTables();
  bool readTable(std::string_view title, StackFrameTables& tables);
  void readSingleInstruction();
  bool startsComputation();
  void finish();

  // Computations (computation_reader.cpp).
  void readComputations();
  bool readComputation();
  bool readSignature(const Shape*& result, bool& open);
  bool readBody(Scope& scope);
  bool checkResult(const Scope& scope, size_t at, const Shape* signature);
  void reportUnresolved(const Scope& scope);
  bool resynchronise(size_t instructionStart);
  ComputationId beginComputation(std::string_view name, size_t at);
  void reportUnresolvedComputations();

  // Instructions (instruction_reader.cpp).
  bool readInstruction(Scope& scope);
  bool readRightSide(Scope& scope, Draft& draft);
  bool readShapeCached(const Shape*& out);
  bool readOpcode(Draft& draft);
  bool readOperands(Scope& scope, Draft& draft, int depth);
  bool readOperandList(Scope& scope, Draft& draft, int arity, int depth);
  bool readOperand(Scope& scope, Draft& draft, int depth, bool& isEmpty);
  bool readNamedOperand(Scope& scope, Draft& draft, std::string_view name, size_t at, const Shape* written);
  bool readNested(Scope& scope, Draft& draft, const Shape* shape, int depth);
  InstructionId tupleElement(Scope& scope, InstructionId tuple, std::string_view name, size_t at);
  InstructionId freeParameter(Scope& scope, std::string_view name, const Shape& shape);
  bool readParameterNumber(Draft& draft);
  bool readConstant(Draft& draft);
  InstructionId addInstruction(Scope& scope, Draft& draft, bool isRoot);
  void inferLeftOutShape(InstructionId id);
  void inferOpenShape(InstructionId id);
  void noteStarted(InstructionId id);
  void checkSugar(const Draft& draft, InstructionId id);
  void nameLacking(Draft& draft, InstructionId id);
  bool wrapInAsyncComputation(Draft& draft);
  std::string_view uniqueName(Scope& scope, const std::string& base);
  std::string uniqueComputationName(const std::string& base);

  // Attributes of instructions (instruction_attributes.cpp).
  bool readAttributes(Draft& draft);
  bool readAttribute(Draft& draft, AttributeSet& set, bool& shareable);
  bool readMetadata(const Metadata*& out);
  bool readMetadataField(Metadata& out, std::vector<std::string_view>& seen);
  void checkGrammar(Attr attr, size_t at);
  void checkAttribute(const Draft& draft, Attr attr, size_t at);
  void checkRequired(Draft& draft);
  bool checkComma(size_t name);

  // NameScope.
  bool computation(Lexer& lexer, ComputationId& out) override;
  bool instruction(Lexer& lexer, InstructionId& out) override;
  bool inlineComputation(ComputationId& out);

  // Diagnostics. An error is fatal when no graph can be made of what was read.
  Diagnostic& report(size_t offset, std::string message, bool fatal, std::string expected = {}, std::string found = {});
  void takeError();
  void reportWarnings();
  // False once the text cannot give a graph and the limit of errors is reached: the rest is not read.
  bool goesOn(size_t offset);
  void tellRest();

  Lexer lexer_;
  LineCounter lines_, errorLines_;
  std::string fileName_;
  Module module_;
  Diagnostics diagnostics_;
  Diagnostic unlisted_;  // what is reported beyond the limit ends here
  size_t reported_ = 0;
  std::optional<size_t> stoppedAt_;
  bool fatal_ = false;
  int depth_ = 0;
  std::vector<ComputationId> order_;
  ComputationId entry_;
  std::vector<Scope*> scopes_;
  std::string_view currentName_;  // of the instruction being read
  TextMap<ComputationId> computations_;
  NameCounter madeComputations_;
  std::vector<Scope::Unresolved> unresolvedComputations_;
  std::unordered_map<uint32_t, InstructionId> started_;  // by an async op: the root of what it runs
  TextMap<const Shape*> shapes_;
  TextMap<const Metadata*> metadata_;
  TextMap<AttributeSetPtr> attributes_[static_cast<size_t>(Opcode::Unknown) + 1];
};

}  // namespace tessera::text
