// Forms of the palette that cut, join and rename dimensions: split, roll, stack, squeeze, flatten, expand dims, and
// einsum by letters.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "core/edit/palette/palette_draft.h"
#include "core/ops/inference/infer_checks.h"

namespace tessera {
namespace {

// The part of an array from one index along a dimension to another.
InstructionId cut(Draft& d, const Draft::Input& x, size_t axis, int64_t from, int64_t to) {
  std::vector<std::string> ranges;
  for (size_t k = 0; k < x.shape.dimensions.size(); ++k)
    ranges.push_back(k == axis ? fmt::format("[{}:{}]", from, to) : fmt::format("[0:{}]", x.shape.dimensions[k]));
  return d.add(Opcode::Slice, {x.id}, {{Attr::slice, fmt::format("{{{}}}", fmt::join(ranges, ", "))}});
}

void split(Draft& d) {
  const auto x = d.input(0, Shape::array(ElementType::F32, {4, 8}), "x");
  const auto rank = static_cast<int64_t>(x.shape.dimensions.size());
  if (rank == 0) return;
  const auto axis = static_cast<size_t>(d.axis(rank, -1));
  const int64_t parts = d.number(2), size = x.shape.dimensions[axis];
  if (parts < 1 || parts > 64 || size % parts != 0) return;
  for (int64_t p = 0; p < parts; ++p) cut(d, x, axis, p * size / parts, (p + 1) * size / parts);
}

// What leaves at the end comes back at the start; a negative number goes the other way.
void roll(Draft& d) {
  const auto x = d.input(0, Shape::array(ElementType::F32, {4, 8}), "x");
  const auto rank = static_cast<int64_t>(x.shape.dimensions.size());
  if (rank == 0) return;
  const auto axis = static_cast<size_t>(d.axis(rank, -1));
  const int64_t size = std::max<int64_t>(x.shape.dimensions[axis], 1);
  const int64_t places = (d.number(1) % size + size) % size;
  if (places == 0) return (void)d.add(Opcode::Copy, {x.id});
  const InstructionId end = cut(d, x, axis, size - places, size), start = cut(d, x, axis, 0, size - places);
  d.add(Opcode::Concatenate, {end, start}, {{Attr::dimensions, listOf(DraftSizes{static_cast<int64_t>(axis)})}});
}

void stack(Draft& d) {
  const auto first = d.input(0, Shape::array(ElementType::F32, {4}), "x");
  const auto rank = static_cast<int64_t>(first.shape.dimensions.size());
  const int64_t axis = d.axis(rank + 1, 0);
  DraftSizes sizes = first.shape.dimensions;
  sizes.insert(sizes.begin() + axis, 1);
  std::vector<InstructionId> parts;
  for (size_t k = 0; k < std::max<size_t>(d.sources.size(), 1); ++k)
    parts.push_back(
        d.add(Opcode::Reshape, {k == 0 ? first.id : d.source(k)}, {}, Shape::array(first.shape.type, sizes)));
  d.add(Opcode::Concatenate, parts, {{Attr::dimensions, listOf(DraftSizes{axis})}});
}

void squeeze(Draft& d) {
  const auto x = d.input(0, Shape::array(ElementType::F32, {4, 1}), "x");
  const auto rank = static_cast<int64_t>(x.shape.dimensions.size());
  const int64_t only = d.numbers("axis").empty() || rank == 0 ? -1 : d.axis(rank, 0);
  DraftSizes sizes;
  for (int64_t k = 0; k < rank; ++k)
    if (const int64_t size = x.shape.dimensions[static_cast<size_t>(k)]; size != 1 || (only >= 0 && k != only))
      sizes.push_back(size);
  d.add(Opcode::Reshape, {x.id}, {}, Shape::array(x.shape.type, sizes));
}

// What a linear layer reads of each image of a batch.
void flatten(Draft& d) {
  const auto x = d.input(0, Shape::array(ElementType::F32, {4, 8, 8, 3}), "x");
  DraftSizes sizes;
  for (int64_t size : x.shape.dimensions)
    if (sizes.size() < 2)
      sizes.push_back(size);
    else
      sizes.back() *= size;
  d.add(Opcode::Reshape, {x.id}, {}, Shape::array(x.shape.type, sizes));
}

void expand(Draft& d) {
  const auto x = d.input(0, Shape::array(ElementType::F32, {4}), "x");
  DraftSizes sizes = x.shape.dimensions;
  const auto rank = static_cast<int64_t>(sizes.size()) + 1;
  const int64_t place = d.numbers("axis").empty() ? std::clamp<int64_t>(d.number(0), 0, rank - 1) : d.axis(rank, 0);
  sizes.insert(sizes.begin() + place, 1);
  d.add(Opcode::Reshape, {x.id}, {}, Shape::array(x.shape.type, sizes));
}

// --- einsum

struct Equation {
  std::vector<std::string> inputs;
  std::string output;
};

bool isLetters(const std::string& text) {
  return std::ranges::all_of(text, [](unsigned char c) { return std::isalpha(c); });
}
bool isDistinct(const std::string& text) { return std::set<char>(text.begin(), text.end()).size() == text.size(); }

// Without "->" the letters that occur once, in alphabetical order, are the output, as in numpy.
std::string impliedOutput(const std::string& inputs) {
  std::string out;
  for (char c : inputs)
    if (std::isalpha(static_cast<unsigned char>(c)) && std::ranges::count(inputs, c) == 1) out += c;
  std::ranges::sort(out);
  return out;
}

// "bqd,bkd->bqk"; a letter that an input repeats ("ii->i") is its diagonal; nullopt: another form.
std::optional<Equation> readEquation(const Draft& d) {
  std::string text = "ij,jk->ik";
  for (const std::string& each : d.entry.said)
    if (each.find("->") != std::string::npos || each.find(',') != std::string::npos) text = each;
  if (text.find("->") == std::string::npos) text += "->" + impliedOutput(text);
  const size_t arrow = text.find("->");
  Equation out{{}, text.substr(arrow + 2)};
  std::string left = text.substr(0, arrow) + ",";
  for (size_t at = 0; at < left.size();) {
    const size_t end = left.find(',', at);
    out.inputs.push_back(left.substr(at, end - at));
    at = end + 1;
  }
  const bool plain = isLetters(out.output) && isDistinct(out.output) && std::ranges::all_of(out.inputs, isLetters);
  const bool known = std::ranges::all_of(out.output, [&](char c) {
    return std::ranges::any_of(out.inputs, [&](const std::string& in) { return in.find(c) != std::string::npos; });
  });
  constexpr size_t kMostInputs = 8;
  return plain && known && out.inputs.size() <= kMostInputs ? std::optional(out) : std::nullopt;
}

struct Term {
  InstructionId id;
  std::string letters;
};

DraftSizes placesOf(const std::string& wanted, const std::string& in) {
  DraftSizes out;
  for (char c : wanted) out.push_back(static_cast<int64_t>(in.find(c)));
  return out;
}

// Each letter once.
Term withoutRepeats(Draft& d, Term term, Shape shape) {
  for (size_t second = 1; second < term.letters.size();) {
    const size_t first = term.letters.find(term.letters[second]);
    if (first == second) {
      ++second;
      continue;
    }
    term.id = addDiagonal(d, term.id, shape, first, second);
    term.letters.erase(second, 1);
    shape.dimensions.erase(shape.dimensions.begin() + static_cast<std::ptrdiff_t>(second));
  }
  return term;
}

// A letter has one size.
bool fitsLetters(const Shape& shape, const std::string& letters) {
  if (shape.dimensions.size() != letters.size()) return false;
  for (size_t i = 0; i < letters.size(); ++i)
    if (shape.dimensions[i] != shape.dimensions[letters.find(letters[i])]) return false;
  return true;
}

// Letters that neither the output nor `other` has are summed first.
Term summed(Draft& d, Term term, ElementType type, const std::string& needed) {
  std::string gone, kept;
  for (char c : term.letters) (needed.find(c) == std::string::npos ? gone : kept) += c;
  if (gone.empty()) return term;
  const InstructionId start = d.constant(type, "0");
  return {
      d.add(Opcode::Reduce, {term.id, start},
            {{Attr::dimensions, listOf(placesOf(gone, term.letters))}, {Attr::to_apply, d.reducer(Opcode::Add, type)}}),
      kept};
}

Term multiplied(Draft& d, const Term& a, const Term& b, const std::string& output) {
  std::string batch, contracted, freeA, freeB;
  for (char c : a.letters) {
    const bool shared = b.letters.find(c) != std::string::npos, kept = output.find(c) != std::string::npos;
    (shared ? (kept ? batch : contracted) : freeA) += c;
  }
  for (char c : b.letters)
    if (a.letters.find(c) == std::string::npos) freeB += c;
  std::vector<NewAttribute> attributes;
  const auto say = [&](Attr name, const std::string& letters, const Term& term) {
    if (!letters.empty()) attributes.push_back({name, listOf(placesOf(letters, term.letters))});
  };
  say(Attr::lhs_batch_dims, batch, a);
  say(Attr::rhs_batch_dims, batch, b);
  attributes.push_back({Attr::lhs_contracting_dims, listOf(placesOf(contracted, a.letters))});
  attributes.push_back({Attr::rhs_contracting_dims, listOf(placesOf(contracted, b.letters))});
  return {d.add(Opcode::Dot, {a.id, b.id}, std::move(attributes)), batch + freeA + freeB};
}

// A size for each letter, from the sources; 4 where none says it.
std::map<char, int64_t> letterSizes(const Draft& d, const Equation& equation) {
  std::map<char, int64_t> out;
  for (size_t k = 0; k < equation.inputs.size(); ++k) {
    const Shape* shape = d.shape(k);
    for (size_t i = 0; i < equation.inputs[k].size(); ++i)
      if (shape && i < shape->dimensions.size()) out.try_emplace(equation.inputs[k][i], shape->dimensions[i]);
  }
  return out;
}

void einsum(Draft& d) {
  const auto equation = readEquation(d);
  if (!equation) return;
  const std::map<char, int64_t> sizes = letterSizes(d, *equation);
  const ElementType type = d.shape(0) ? d.shape(0)->type : ElementType::F32;
  std::vector<Term> terms;
  for (size_t k = 0; k < equation->inputs.size(); ++k) {
    DraftSizes dims;
    for (char c : equation->inputs[k]) dims.push_back(sizes.contains(c) ? sizes.at(c) : 4);
    const auto input = d.input(k, Shape::array(type, dims), std::string(1, static_cast<char>('a' + k)));
    if (!fitsLetters(input.shape, equation->inputs[k])) return;
    terms.push_back(withoutRepeats(d, {input.id, equation->inputs[k]}, input.shape));
  }
  // From the left, two by two; what neither the rest nor the output needs is summed first.
  const auto neededBehind = [&](size_t k) {
    std::string out = equation->output;
    for (size_t j = k; j < terms.size(); ++j) out += terms[j].letters;
    return out;
  };
  Term made = summed(d, terms[0], type, neededBehind(1));
  for (size_t k = 1; k < terms.size(); ++k) {
    const std::string rest = neededBehind(k + 1);
    made = multiplied(d, made, summed(d, terms[k], type, rest + made.letters), rest);
    made = summed(d, made, type, rest);
  }
  const DraftSizes order = placesOf(equation->output, made.letters);
  if (!std::ranges::is_sorted(order)) d.add(Opcode::Transpose, {made.id}, {{Attr::dimensions, listOf(order)}});
  if (d.added == 0) d.add(Opcode::Copy, {made.id});  // the letters say the array itself
}

constexpr const char* kCategory = "Array functions";
constexpr DraftForm kShapeForms[] = {
    {"split", kCategory, "Equal parts along the last dimension (axis=): split 3", "chunk cut parts divide axis= #",
     Opcode::Slice, split},
    {"roll", kCategory, "Moved along the last dimension (axis=), the end comes first: roll 1, roll -1",
     "rotate circular cyclic shifts wrap axis= #", Opcode::Concatenate, roll},
    {"stack", kCategory, "Arrays of one shape along a new first dimension (axis=)",
     "join pack axis=", Opcode::Concatenate, stack},
    {"squeeze", kCategory, "Without dimensions of size 1 (axis=: that one alone)",
     "reshape drop remove axis=", Opcode::Reshape, squeeze},
    {"flatten", kCategory, "All dimensions but the first become one", "reshape view", Opcode::Reshape, flatten},
    {"expand dims", kCategory, "A new dimension of size 1: expand dims 0",
     "unsqueeze newaxis expand_dims reshape axis= #", Opcode::Reshape, expand},
    {"einsum", kCategory, "A product by letters: einsum bqd,bkd->bqk", "tensordot contract einstein letters -> ,",
     Opcode::Dot, einsum},
};

}  // namespace

std::span<const DraftForm> shapeForms() { return kShapeForms; }

}  // namespace tessera
