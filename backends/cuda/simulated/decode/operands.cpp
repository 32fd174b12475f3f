// Operands of statements: registers, numbers, special registers, variables, addresses, vectors.
#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <charconv>

#include "backends/cuda/simulated/decode/decoder.h"
#include "backends/cuda/simulated/decode/numbers.h"
#include "backends/cuda/simulated/machine/warp.h"

namespace tessera::cuda::simulated {

namespace {

constexpr int64_t kMostSharedBytes = int64_t{1} << 20, kMostLocalBytes = int64_t{1} << 20;

struct SpecialName {
  std::string_view name;
  Special special;
};
constexpr SpecialName kSpecialNames[] = {
    {"%tid.x", Special::TidX},
    {"%tid.y", Special::TidY},
    {"%tid.z", Special::TidZ},
    {"%ntid.x", Special::NtidX},
    {"%ntid.y", Special::NtidY},
    {"%ntid.z", Special::NtidZ},
    {"%ctaid.x", Special::CtaidX},
    {"%ctaid.y", Special::CtaidY},
    {"%ctaid.z", Special::CtaidZ},
    {"%nctaid.x", Special::NctaidX},
    {"%nctaid.y", Special::NctaidY},
    {"%nctaid.z", Special::NctaidZ},
    {"%laneid", Special::LaneId},
    {"%warpid", Special::WarpId},
    {"%nwarpid", Special::NwarpId},
    {"%smid", Special::SmId},
    {"%nsmid", Special::NsmId},
    {"%gridid", Special::GridId},
    {"%lanemask_eq", Special::LanemaskEq},
    {"%lanemask_lt", Special::LanemaskLt},
    {"%lanemask_le", Special::LanemaskLe},
    {"%lanemask_gt", Special::LanemaskGt},
    {"%lanemask_ge", Special::LanemaskGe},
    {"%dynamic_smem_size", Special::DynamicSharedSize},
    {"%total_smem_size", Special::TotalSharedSize},
};

std::optional<Special> specialNamed(std::string_view name) {
  const auto* found = std::find_if(std::begin(kSpecialNames), std::end(kSpecialNames),
                                   [&](const SpecialName& s) { return s.name == name; });
  if (found != std::end(kSpecialNames)) return found->special;
  return name.starts_with("%envreg") ? std::optional(Special::Zero) : std::nullopt;
}

bool isWide(Type type) { return bitsOf(type) > 32; }

// Whether the name is the prefix and a number below the count.
bool isInRange(const RegisterRange& range, std::string_view name) {
  if (!name.starts_with(range.prefix)) return false;
  const std::string_view digits = name.substr(range.prefix.size());
  uint64_t number = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
  return error == std::errc() && end == digits.data() + digits.size() && !digits.empty() && number < *range.count &&
         (digits.size() == 1 || digits[0] != '0');
}

}  // namespace

const Operand& Decoder::operand(size_t index) {
  static const Operand none;
  if (index < statement_->operands.size()) return statement_->operands[index];
  fail("the instruction lacks an operand");
  return none;
}

std::optional<Type> Decoder::declaredType(const Scope& scope, std::string_view name) const {
  if (const auto found = scope.registers.find(name); found != scope.registers.end()) return found->second;
  for (const RegisterRange& range : scope.ranges)
    if (isInRange(range, name)) return range.type;
  return std::nullopt;
}

RegisterPlace Decoder::makeRegister(Type type) {
  ++kernel_.registerCount;
  if (type == Type::Pred) return {type, temporaryPredicate()};
  if (bitsOf(type) > 64) fail("registers of 128 bits are not supported");
  return {type, temporary(isWide(type))};
}

RegisterPlace Decoder::findRegister(std::string_view name) {
  Frame& frame = frames_.back();
  const auto& scopes = frame.function->scopes;
  for (int at = static_cast<int>(statement_->scope); at >= 0; at = scopes[static_cast<size_t>(at)].parent) {
    const auto key = std::pair(static_cast<uint32_t>(at), name);
    if (const auto found = frame.registers.find(key); found != frame.registers.end()) return found->second;
    if (const auto type = declaredType(scopes[static_cast<size_t>(at)], name))
      return frame.registers[key] = makeRegister(*type);
  }
  return {};
}

std::optional<Place> Decoder::placeShared(const Variable& variable) {
  if (const auto found = sharedPlaces_.find(variable.name); found != sharedPlaces_.end()) return found->second;
  if (variable.hasOpenSize || (variable.isExternal && variable.bytes == 0)) {
    openShared_.push_back(&variable);
    return Place{.space = Space::Shared, .isDynamic = true};
  }
  int64_t& end = kernel_.sharedBytes;
  end = (end + variable.alignment - 1) / variable.alignment * variable.alignment;
  const Place place{.space = Space::Shared, .offset = static_cast<uint64_t>(end)};
  end += variable.bytes;
  if (end > kMostSharedBytes) fail("the kernel's shared memory is larger than a block can have");
  return sharedPlaces_[variable.name] = place;
}

std::optional<Place> Decoder::placeVariable(const Variable& variable) {
  if (variable.space == Space::Shared) return placeShared(variable);
  if (variable.space != Space::Local && variable.space != Space::Param) {
    fail(fmt::format("a variable of the space .{} stands in a function", nameOf(variable.space)));
    return std::nullopt;
  }
  int64_t& end = kernel_.localBytes;
  end = (end + variable.alignment - 1) / variable.alignment * variable.alignment;
  const Place place{.space = Space::Local, .offset = static_cast<uint64_t>(end)};
  end += variable.bytes;
  if (end > kMostLocalBytes) fail("the kernel's local memory is larger than a thread can have");
  return place;
}

std::optional<Place> Decoder::findVariable(std::string_view name) {
  Frame& frame = frames_.back();
  const auto& scopes = frame.function->scopes;
  for (int at = static_cast<int>(statement_->scope); at >= 0; at = scopes[static_cast<size_t>(at)].parent) {
    const auto key = std::pair(static_cast<uint32_t>(at), name);
    if (const auto found = frame.variables.find(key); found != frame.variables.end()) return found->second;
    const auto& variables = scopes[static_cast<size_t>(at)].variables;
    if (const auto declared = variables.find(name); declared != variables.end()) {
      const auto place = placeVariable(declared->second);
      if (place) frame.variables[key] = *place;
      return place;
    }
  }
  if (const auto found = frame.parameters.find(name); found != frame.parameters.end()) return found->second;
  if (const auto found = addresses_.find(name); found != addresses_.end()) return Place{Space::Global, found->second};
  for (const Variable& variable : module_.variables)
    if (variable.name == name && variable.space == Space::Shared) return placeShared(variable);
  return std::nullopt;
}

uint32_t Decoder::literal(const Operand& operand, Type type, bool isWideRow) {
  return constant(literalBits(operand, type), isWideRow);
}

// A special register, a constant's name, or the address of a variable.
std::optional<uint32_t> Decoder::namedSource(const Operand& operand, bool isWideRow) {
  if (const auto found = specialNamed(operand.name)) return special(*found, isWideRow);
  if (operand.name == "WARP_SZ") return constant(kLanes, isWideRow);
  if (const auto place = findVariable(operand.name)) {
    const uint64_t offset = place->offset + static_cast<uint64_t>(operand.offset);
    return place->isDynamic ? special(Special::DynamicSharedBegin, isWideRow, offset) : constant(offset, isWideRow);
  }
  fail(fmt::format("{} is no register and no variable", operand.name));
  return std::nullopt;
}

void Decoder::checkWidth(const RegisterPlace& place, std::string_view name, Type type) {
  if (bitsOf(place.type) == bitsOf(type)) return;
  fail(fmt::format("the register {} has another width than the instruction", name), fmt::format(".{}", nameOf(type)),
       fmt::format(".{}", nameOf(place.type)));
}

uint32_t Decoder::sourceOfAny(const Operand& operand, Type type, bool& isWideRow) {
  isWideRow = isWide(type);
  if (operand.isNegated) fail("only a predicate can be negated");
  switch (operand.kind) {
    case Operand::Kind::Integer:
    case Operand::Kind::Float32:
    case Operand::Kind::Float64: return literal(operand, type, isWideRow);
    case Operand::Kind::Name: break;
    default: fail("an operand is no register and no number"); return 0;
  }
  const RegisterPlace place = findRegister(operand.name);
  if (place.type == Type::None) return namedSource(operand, isWideRow).value_or(0);
  if (place.type == Type::Pred) fail(fmt::format("{} is a predicate", operand.name));
  isWideRow = isWide(place.type);
  return place.row;
}

uint32_t Decoder::sourceOf(const Operand& operand, Type type) {
  bool isWideRow = false;
  const uint32_t row = sourceOfAny(operand, type, isWideRow);
  if (operand.kind == Operand::Kind::Name)
    if (const RegisterPlace place = findRegister(operand.name); place.type != Type::None)
      checkWidth(place, operand.name, type);
  return row;
}

uint32_t Decoder::destinationOfAny(const Operand& operand, Type type, bool& isWideRow) {
  isWideRow = isWide(type);
  if (operand.kind == Operand::Kind::Sink) return temporary(isWideRow);
  const RegisterPlace place = operand.kind == Operand::Kind::Name ? findRegister(operand.name) : RegisterPlace{};
  if (place.type == Type::None || place.type == Type::Pred) {
    fail("the result's operand is no register of numbers", {}, std::string(operand.name));
    return 0;
  }
  isWideRow = isWide(place.type);
  return place.row;
}

uint32_t Decoder::destinationOf(const Operand& operand, Type type) {
  bool isWideRow = false;
  const uint32_t row = destinationOfAny(operand, type, isWideRow);
  if (operand.kind == Operand::Kind::Name && !failed()) checkWidth(findRegister(operand.name), operand.name, type);
  return row;
}

uint32_t Decoder::predicateDestination(const Operand& operand) {
  if (operand.kind == Operand::Kind::Sink) return temporaryPredicate();
  const RegisterPlace place = operand.kind == Operand::Kind::Name ? findRegister(operand.name) : RegisterPlace{};
  if (place.type != Type::Pred) fail("an operand is no predicate", {}, std::string(operand.name));
  return place.type == Type::Pred ? place.row : 0;
}

uint32_t Decoder::predicate(const Operand& operand) {
  if (operand.kind == Operand::Kind::Integer) {
    const uint32_t made = temporaryPredicate();
    emit([](Warp& warp, const Instruction& i, LaneMask) { warp.predicate(i.d) = i.offset ? kAllLanes : 0; }).d = made;
    kernel_.code.back().offset = operand.bits != 0;
    return made;
  }
  if (operand.kind == Operand::Kind::Sink) {
    fail("a predicate is missing");
    return 0;
  }
  const uint32_t given = predicateDestination(operand);
  if (!operand.isNegated) return given;
  const uint32_t made = temporaryPredicate();
  Instruction& negate =
      emit([](Warp& warp, const Instruction& i, LaneMask) { warp.predicate(i.d) = ~warp.predicate(i.a); });
  negate.d = made;
  negate.a = given;
  return made;
}

void Decoder::address(const Operand& operand, Instruction& instruction) {
  if (operand.kind != Operand::Kind::Address) return fail("an operand is no address", "[register + number]");
  instruction.offset = operand.offset;
  if (operand.name.empty()) {
    instruction.a = constant(0, true);
    return;
  }
  if (const RegisterPlace place = findRegister(operand.name); place.type != Type::None) {
    if (bitsOf(place.type) < 32) fail(fmt::format("{} is too narrow for an address", operand.name));
    instruction.a = place.row;
    if (!isWide(place.type)) instruction.flags |= kNarrowAddress;
    if (instruction.space == Space::Param && isInFunction()) instruction.space = Space::Local;
    return;
  }
  const auto place = findVariable(operand.name);
  if (!place) return fail(fmt::format("{} is no register and no variable", operand.name));
  instruction.a = place->isDynamic ? special(Special::DynamicSharedBegin, true) : constant(0, true);
  instruction.offset += static_cast<int64_t>(place->offset);
  instruction.space = place->space;
}

uint32_t Decoder::listOf(const std::vector<uint32_t>& rows) {
  const auto begin = static_cast<uint32_t>(kernel_.lists.size());
  kernel_.lists.insert(kernel_.lists.end(), rows.begin(), rows.end());
  return begin;
}

namespace {

// The parts of {a, b}, or the operand itself.
std::vector<const Operand*> partsOf(const Operand& operand) {
  std::vector<const Operand*> parts;
  if (operand.kind != Operand::Kind::Vector) return {&operand};
  for (const Operand& part : operand.parts) parts.push_back(&part);
  return parts;
}

}  // namespace

uint32_t Decoder::sourceList(const Operand& operand, Type type, size_t count) {
  std::vector<uint32_t> rows;
  for (const Operand* part : partsOf(operand)) rows.push_back(sourceOf(*part, type));
  if (rows.size() != count) fail("a vector has another length", std::to_string(count), std::to_string(rows.size()));
  rows.resize(count);
  return listOf(rows);
}

uint32_t Decoder::destinationList(const Operand& operand, Type type, size_t count) {
  std::vector<uint32_t> rows;
  for (const Operand* part : partsOf(operand)) rows.push_back(destinationOf(*part, type));
  if (rows.size() != count) fail("a vector has another length", std::to_string(count), std::to_string(rows.size()));
  rows.resize(count);
  return listOf(rows);
}

}  // namespace tessera::cuda::simulated
