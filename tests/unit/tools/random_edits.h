// Random modules, and random edits of them that a difference is expected to find, for diff_edits_test.
#pragma once

#include <algorithm>
#include <map>
#include <memory>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "core/hlo/literal.h"
#include "core/hlo/module.h"

namespace tessera::diff_edits {

using Random = std::mt19937_64;
using Names = std::set<std::string>;

inline size_t below(Random& random, size_t bound) { return random() % bound; }

inline const Shape kSquare = Shape::arrayRowMajor(ElementType::F32, {8, 8});
inline constexpr Opcode kUnary[] = {Opcode::Negate, Opcode::Exponential, Opcode::Sine,
                                    Opcode::Cosine, Opcode::Tanh,        Opcode::Abs};
inline constexpr Opcode kBinary[] = {Opcode::Add, Opcode::Multiply, Opcode::Subtract, Opcode::Divide, Opcode::Maximum};

// A random graph over f32[8,8] in the style of programs: late values are read more often than early ones, a called
// computation in between, everything that nobody reads is a result.
class RandomModule {
 public:
  RandomModule(uint64_t seed, size_t count) : random_(seed), module_("random") {
    makeCalled();
    entry_ = module_.addComputation("main");
    for (int i = 0; i < 6; ++i) parameter(entry_, i);
    while (values_.size() < count) grow();
    finish();
  }
  const Module& module() const { return module_; }

 private:
  void makeCalled() {
    called_ = module_.addComputation("called");
    const InstructionId a = parameter(called_, 0), b = parameter(called_, 1);
    const InstructionId less = module_.add(called_, Opcode::Subtract, kSquare, std::vector{a, b});
    module_.setRoot(called_, module_.add(called_, Opcode::Tanh, kSquare, std::vector{less}));
    values_.clear();
  }
  InstructionId parameter(ComputationId into, int number) {
    Instruction made;
    made.opcode = Opcode::Parameter;
    made.parameterNumber = number;
    const std::string name = "p" + std::to_string(into.value) + "_" + std::to_string(number);
    made.name = name;
    return keep(module_.add(into, made, kSquare));
  }
  InstructionId keep(InstructionId id) {
    values_.push_back(id);
    return id;
  }
  InstructionId some() {
    const size_t back = std::min(below(random_, 12), below(random_, values_.size()));
    return values_[values_.size() - 1 - std::min(back, values_.size() - 1)];
  }
  void grow() {
    switch (below(random_, 10)) {
      case 0: return constant();
      case 1: return transpose();
      case 2: return call();
      case 3:
      case 4:
      case 5:
        keep(module_.add(entry_, kUnary[below(random_, std::size(kUnary))], kSquare, std::vector{some()}));
        return;
      default:
        keep(module_.add(entry_, kBinary[below(random_, std::size(kBinary))], kSquare, std::vector{some(), some()}));
    }
  }
  void constant() {
    const Shape scalar = Shape::arrayRowMajor(ElementType::F32, {});
    Instruction made;
    made.opcode = Opcode::Constant;
    made.literal = std::make_shared<const Literal>(Literal::scalar<float>(ElementType::F32, float(below(random_, 5))));
    const std::string name = "c" + std::to_string(values_.size());
    made.name = name;
    const InstructionId value = module_.add(entry_, made, scalar);
    AttributeSet attributes;
    attributes.set(Attr::dimensions, std::vector<int64_t>{});
    keep(module_.add(entry_, Opcode::Broadcast, kSquare, std::vector{value}, attributes));
  }
  void transpose() {
    AttributeSet attributes;
    attributes.set(Attr::dimensions, std::vector<int64_t>{1, 0});
    keep(module_.add(entry_, Opcode::Transpose, kSquare, std::vector{some()}, attributes));
  }
  void call() {
    AttributeSet attributes;
    attributes.set(Attr::to_apply, called_);
    keep(module_.add(entry_, Opcode::Call, kSquare, std::vector{some(), some()}, attributes));
  }
  void finish() {
    std::vector<InstructionId> ends;
    Shape shape = Shape::tuple({});
    const UserTable users(module_);
    for (InstructionId id : values_)
      if (users.users(id).empty()) ends.push_back(id), shape.elements.push_back(kSquare);
    module_.setRoot(entry_, module_.add(entry_, Opcode::Tuple, shape, ends));
    module_.setEntry(entry_);
  }

  Random random_;
  Module module_;
  ComputationId called_, entry_;
  std::vector<InstructionId> values_;
};

// What an edit should be found as, by the names of the module before; of what is new, by its own name.
struct Expected {
  std::map<std::string, Names> changed;  // what of an operand: "operand", whichever
  Names added, removed;
};

inline std::string nameOf(const Module& module, InstructionId id) { return std::string(module.at(id).name); }

// One random edit that no other edit is as good as; false: this place has none.
class Editor {
 public:
  Editor(Module& module, Random& random, Expected& expected) : module_(module), random_(random), expected_(expected) {}

  bool tryAt(InstructionId id) {
    id_ = id;
    switch (below(random_, 6)) {
      case 0: return insert();
      case 1: return remove();
      case 2: return changeAttribute();
      case 3: return swapOperands();
      case 4: return changeConstant();
      default: return rewire();
    }
  }
  const std::set<InstructionId>& touched() const { return touched_; }

 private:
  const Instruction& at() const { return module_.at(id_); }
  std::vector<InstructionId> operands() const { return {at().operands.begin(), at().operands.end()}; }
  void expectOperand(InstructionId id) {
    expected_.changed[nameOf(module_, id)].insert("operand");
    touched_.insert(id);
  }
  bool isSquareUnary() const { return at().operands.size() == 1 && *module_.at(at().operands[0]).shape == kSquare; }

  bool insert() {
    if (at().operands.empty() || *at().shape != kSquare || at().opcode == Opcode::Broadcast) return false;
    std::vector<InstructionId> list = operands();
    const size_t k = below(random_, list.size());
    const Opcode opcode = kUnary[below(random_, std::size(kUnary))];
    if (opcode == at().opcode || opcode == module_.at(list[k]).opcode) return false;
    touched_ = {list[k]};
    list[k] = module_.add(at().computation, opcode, kSquare, std::vector{list[k]});
    module_.setOperands(id_, list);
    expectOperand(id_);
    expected_.added.insert(nameOf(module_, list[k]));
    return true;
  }

  bool remove() {
    if (!isSquareUnary() || id_ == module_.entryComputation().root) return false;
    const InstructionId by = at().operands[0];
    const UserTable users(module_);
    const std::vector<InstructionId> mine(users.users(id_).begin(), users.users(id_).end());
    if (mine.empty() || module_.at(by).opcode == at().opcode) return false;
    for (InstructionId user : mine)
      if (module_.at(user).opcode == at().opcode) return false;
    touched_ = {id_, by};
    expected_.removed.insert(nameOf(module_, id_));
    for (InstructionId user : mine) {
      std::vector<InstructionId> list(module_.at(user).operands.begin(), module_.at(user).operands.end());
      std::ranges::replace(list, id_, by);
      module_.setOperands(user, list);
      expectOperand(user);
    }
    module_.remove(id_);
    return true;
  }

  bool changeAttribute() {
    if (at().opcode != Opcode::Transpose) return false;
    AttributeSet attributes = *at().attributes;
    attributes.set(Attr::dimensions, std::vector<int64_t>{0, 1});
    module_.setAttributes(id_, attributes);
    expected_.changed[nameOf(module_, id_)].insert("attribute dimensions");
    touched_ = {id_};
    return true;
  }

  bool swapOperands() {
    if (at().opcode != Opcode::Subtract && at().opcode != Opcode::Divide) return false;
    if (at().operands[0] == at().operands[1]) return false;
    module_.setOperands(id_, std::vector{at().operands[1], at().operands[0]});
    touched_.clear();
    expectOperand(id_);
    return true;
  }

  bool changeConstant() {
    if (at().opcode != Opcode::Constant) return false;
    const float value = 1000 + static_cast<float>(below(random_, 1000000));
    module_.edit(id_).literal = std::make_shared<const Literal>(Literal::scalar<float>(ElementType::F32, value));
    expected_.changed[nameOf(module_, id_)].insert("value");
    touched_ = {id_};
    return true;
  }

  bool rewire() {
    if (at().operands.empty() || *at().shape != kSquare || at().opcode == Opcode::Broadcast) return false;
    std::vector<InstructionId> list = operands();
    const size_t k = below(random_, list.size());
    std::vector<InstructionId> earlier;
    for (InstructionId id : module_.at(at().computation).instructions) {
      if (id == id_) break;
      if (*module_.at(id).shape == kSquare && std::ranges::find(list, id) == list.end()) earlier.push_back(id);
    }
    if (earlier.empty()) return false;
    const InstructionId to = earlier[below(random_, earlier.size())];
    touched_ = {list[k], to};
    list[k] = to;
    module_.setOperands(id_, list);
    expectOperand(id_);
    return true;
  }

  Module& module_;
  Random& random_;
  Expected& expected_;
  InstructionId id_;
  std::set<InstructionId> touched_;
};

}  // namespace tessera::diff_edits
