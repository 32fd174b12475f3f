// nameGroups: one sweep gathers what the groups that need a name hold; then each is named by the first rule that says
// something, and namesakes side by side get the next one too.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <functional>
#include <map>

#include "core/arrange/arrangement.h"
#include "core/arrange/outline_names.h"
#include "core/arrange/recognise.h"
#include "core/hlo/argument_path.h"

namespace tessera {
namespace {

constexpr size_t kMostPatterns = 3;      // in a name
constexpr size_t kMostReads = 24;        // parameters that are looked at
constexpr size_t kItemsOfPattern = 200;  // a pattern tells what so many instructions do, not more
constexpr size_t kManyNamesakes = 3;
constexpr size_t kLongestTitle = 22;  // of two operations: what names no more is no wider than its box
constexpr int32_t kNoneYet = -2;
constexpr std::string_view kGradient = "gradient of ";

// How much an operation tells of what it is a part of.
enum class Telling : uint8_t { Form, Simple, Lines, Products };
constexpr Opcode kForms[] = {
    Opcode::AddDependency,   Opcode::Bitcast, Opcode::BitcastConvert, Opcode::Broadcast, Opcode::Concatenate,
    Opcode::Constant,        Opcode::Convert, Opcode::Copy,           Opcode::Domain,    Opcode::DynamicSlice,
    Opcode::GetTupleElement, Opcode::Iota,    Opcode::OptBarrier,     Opcode::Pad,       Opcode::Reshape,
    Opcode::Reverse,         Opcode::Slice,   Opcode::Transpose,      Opcode::Tuple};
constexpr Opcode kLines[] = {Opcode::AllGather,
                             Opcode::AllReduce,
                             Opcode::AllToAll,
                             Opcode::Cholesky,
                             Opcode::CollectivePermute,
                             Opcode::DynamicUpdateSlice,
                             Opcode::Fft,
                             Opcode::Gather,
                             Opcode::Reduce,
                             Opcode::ReduceScatter,
                             Opcode::ReduceWindow,
                             Opcode::Rng,
                             Opcode::RngBitGenerator,
                             Opcode::Scan,
                             Opcode::Scatter,
                             Opcode::SelectAndScatter,
                             Opcode::Sort,
                             Opcode::Topk,
                             Opcode::TriangularSolve};
constexpr Opcode kProducts[] = {Opcode::Call,       Opcode::Conditional, Opcode::Convolution,
                                Opcode::CustomCall, Opcode::Dot,         Opcode::Fusion,
                                Opcode::RaggedDot,  Opcode::ScaledDot,   Opcode::While};
Telling howTelling(Opcode opcode) {
  const auto isOneOf = [&](std::span<const Opcode> all) { return std::ranges::find(all, opcode) != all.end(); };
  return isOneOf(kProducts) ? Telling::Products
         : isOneOf(kLines)  ? Telling::Lines
         : isOneOf(kForms)  ? Telling::Form
                            : Telling::Simple;
}

// The longest path that all have in common: "p['h'][0]['fc']" of its weight and bias.
std::string commonPath(const std::vector<std::string>& paths) {
  if (paths.empty()) return {};
  std::string common = paths[0];
  for (const std::string& path : paths) {
    size_t same = 0;
    while (same < common.size() && same < path.size() && common[same] == path[same]) ++same;
    const bool ends = (same == common.size() || common[same] == '[' || common[same] == '.') &&
                      (same == path.size() || path[same] == '[' || path[same] == '.');
    if (!ends) same = std::min(common.find_last_of("[.", same == 0 ? 0 : same - 1), common.size());
    if (same == common.size() && !ends) return {};
    common.resize(same);
  }
  return common;
}

class GroupNamer {
 public:
  GroupNamer(const Module& module, const Computation& computation, const UserTable& users,
             const std::vector<int32_t>& positions, const ScopeTree& tree, const std::vector<bool>& hubs,
             Outline& outline)
      : module_(module),
        computation_(computation),
        users_(users),
        positions_(positions),
        tree_(tree),
        hubs_(hubs),
        outline_(outline),
        contents_(outline.groups.size()) {}

  void run() {
    tellScopes();
    findNamesakes();
    const bool needed = std::ranges::any_of(outline_.groups, [&](const auto& g) { return needsName(g); });
    gatherContents(needed);
    for (size_t g = 0; g < contents_.size(); ++g) noteRole(g);
    tellByParameters();
    for (size_t g = 0; g < contents_.size(); ++g) nameOne(g);
    tellNamesakesApart();
    tellRolesApart();
    nameMembers();
  }

 private:
  struct Content {
    int32_t place = kNoneYet;       // the deepest around all
    std::vector<Pattern> patterns;  // each once
    size_t found = 0;               // how often any
    std::vector<std::string> reads;
    size_t items = 0, outputs = 0;
    std::array<size_t, 4> roles{};
    std::array<int32_t, 2> work{-1, -1};  // the most telling of what it does, of two opcodes
    std::string own;                      // the scope's own segment
  };

  OutlineGroup& group(size_t g) { return outline_.groups[g]; }
  const Scope& scope(int32_t s) const { return tree_.scopes[at(s)]; }

  // --- scopes
  // What is told by a scope's segments but the structural ones: the same for a function forward and backward.
  struct Place {
    std::string_view name;
    int32_t parent = -1, depth = 0;
  };
  void tellScopes() {
    std::map<std::pair<int32_t, std::string_view>, int32_t> known;
    for (const Scope& s : tree_.scopes) {
      const int32_t outer = s.parent < 0 ? -1 : placeOf_[at(s.parent)];
      if (isStructural(s.name)) {
        placeOf_.push_back(outer);
        continue;
      }
      const auto [found, isNew] = known.try_emplace({outer, s.name}, static_cast<int32_t>(places_.size()));
      if (isNew) places_.push_back({s.name, outer, outer < 0 ? 0 : places_[at(outer)].depth + 1});
      placeOf_.push_back(found->second);
    }
  }
  // The deepest place around both; -1: none.
  int32_t commonPlace(int32_t a, int32_t b) const {
    if (a == kNoneYet) return b;
    while (a != b) {
      if (a < 0 || b < 0) return -1;
      int32_t& deeper = places_[at(a)].depth >= places_[at(b)].depth ? a : b;
      deeper = places_[at(deeper)].parent;
    }
    return a;
  }

  // --- what groups hold
  bool needsName(const OutlineGroup& g) const {
    return !g.transparent && g.instructions > 0 && (g.title.empty() || isStructural(g.title));
  }
  // Scopes of one name side by side: the same function called again and again.
  void findNamesakes() {
    std::map<std::pair<int32_t, std::string_view>, std::vector<size_t>> sameName;
    for (size_t g = 0; g < outline_.groups.size(); ++g) {
      const OutlineGroup& own = outline_.groups[g];
      if (own.kind == OutlineGroup::Kind::Scope && !own.transparent && own.instructions > 0 && !needsName(own))
        sameName[{outline_.drawnParent(static_cast<int32_t>(g)), own.title}].push_back(g);
    }
    namesakes_.assign(outline_.groups.size(), false);
    for (const auto& [name, groups] : sameName)
      for (size_t g : groups) namesakes_[g] = groups.size() >= kManyNamesakes;
  }
  void tellByParameters() {
    for (size_t g = 0; g < namesakes_.size(); ++g) {
      const std::string path = namesakes_[g] ? byParameters(contents_[g]) : std::string();
      if (path.find_first_of("[.") != path.npos) group(g).title += ": " + path;
    }
  }
  void gatherContents(bool needed) {
    std::vector<bool> wanted;
    for (size_t g = 0; g < outline_.groups.size(); ++g) wanted.push_back(namesakes_[g] || needsName(group(g)));
    const std::vector<Recognised> patterns =
        needed ? recognise(module_, computation_, users_, positions_) : std::vector<Recognised>();
    auto pattern = patterns.begin();
    for (size_t i = 0; i < hubs_.size(); ++i) {
      auto end = pattern;
      while (end != patterns.end() && end->item == static_cast<int32_t>(i)) ++end;
      if (!hubs_[i])
        for (int32_t g = outline_.groupOf[i]; g >= 0; g = outline_.groups[at(g)].parent)
          add(contents_[at(g)], static_cast<int32_t>(i), wanted[at(g)], std::span(pattern, end));
      pattern = end;
    }
  }
  void add(Content& content, int32_t item, bool wanted, std::span<const Recognised> patterns) {
    const Instruction& i = module_.at(computation_.instructions[at(item)]);
    const int32_t s = tree_.scopeOf[at(item)];
    if (i.opcode != Opcode::Parameter) {
      if (s >= 0)
        ++content.roles[static_cast<size_t>(scope(s).role)],
            content.place = commonPlace(content.place, placeOf_[at(s)]);
    }
    if (!wanted) return;
    ++content.items;
    content.found += patterns.size();
    for (const Recognised& found : patterns)
      if (std::ranges::find(content.patterns, found.pattern) == content.patterns.end())
        content.patterns.push_back(found.pattern);
    for (InstructionId operand : i.operands)
      if (content.reads.size() < kMostReads && module_.contains(operand) && isNamedParameter(module_.at(operand)))
        content.reads.push_back(titleOf(module_, operand));
    const auto users = users_.users(i.id);
    if (std::ranges::find(users, computation_.root) != users.end()) ++content.outputs;
    if (i.opcode != Opcode::Parameter) noteWork(content, item);
  }

  Opcode opcodeOf(int32_t item) const { return module_.at(computation_.instructions[at(item)]).opcode; }
  // -1 tells less than any.
  int tells(int32_t item) const { return item < 0 ? -1 : static_cast<int>(howTelling(opcodeOf(item))); }
  // Of equals the later ones count, which are nearer to its result.
  void noteWork(Content& content, int32_t item) const {
    auto& [least, most] = content.work;
    for (int32_t* known : {&least, &most})
      if (*known >= 0 && opcodeOf(*known) == opcodeOf(item)) return void(*known = item);
    if (tells(item) >= tells(least)) least = item;
    if (tells(least) > tells(most)) std::swap(least, most);
  }

  // One whose name is the program's and not a number.
  static bool isNamedParameter(const Instruction& i) {
    return i.opcode == Opcode::Parameter && argumentPath(i) != i.name;
  }

  // All but a few of what it holds have one role.
  ScopeRole roleOf(const Content& content) const {
    const size_t all = content.roles[0] + content.roles[1] + content.roles[2] + content.roles[3];
    for (ScopeRole role : {ScopeRole::Forward, ScopeRole::Backward, ScopeRole::Recomputed})
      if (all > 0 && content.roles[static_cast<size_t>(role)] * 10 >= all * 9) return role;
    return ScopeRole::Plain;
  }
  void noteRole(size_t g) {
    constexpr const char* kNotes[] = {"", "forward", "backward", "recomputed"};
    const char* note = kNotes[static_cast<size_t>(roleOf(contents_[g]))];
    if (group(g).title != note) group(g).note = note;
  }

  // --- rules, in order
  std::string byScope(size_t g) const {
    const int32_t own = std::max(contents_[g].place, -1);
    const int32_t parent = outline_.drawnParent(static_cast<int32_t>(g));
    const int32_t outer = parent < 0 ? -1 : std::max(contents_[at(parent)].place, -1);
    return own < 0 || own == outer ? std::string() : std::string(places_[at(own)].name);
  }
  static std::string byPatterns(const Content& content) {
    if (content.patterns.empty() || content.items > kItemsOfPattern * content.found) return {};
    std::string out;
    for (size_t k = 0; k < std::min(content.patterns.size(), kMostPatterns); ++k)
      out += (k > 0 ? ", " : "") + std::string(nameOf(content.patterns[k]));
    return out;
  }
  static std::string byParameters(const Content& content) {
    if (content.reads.empty()) return {};
    std::vector<std::string> first;
    const std::string root = content.reads[0].substr(0, content.reads[0].find_first_of("[."));
    for (const std::string& read : content.reads)
      if (read.substr(0, read.find_first_of("[.")) == root) first.push_back(read);
    if (2 * first.size() < content.reads.size()) return {};  // of many parameters, the first one tells nothing
    const std::string path = commonPath(first);
    if (path.empty() || path == "…") return {};
    return 2 * content.outputs >= content.items && content.outputs > 0 ? "update of " + path : path;
  }
  // "dot and scatter", in their order, where that is short; of elementwise operations the last one.
  std::string byWork(const Content& content) const {
    if (content.work[1] < 0) return "parameters";
    const auto title = [&](int32_t item) { return titleOf(module_, computation_.instructions[at(item)]); };
    const auto [first, second] = std::minmax(content.work[0], content.work[1]);
    if (tells(content.work[0]) >= static_cast<int>(Telling::Lines)) {
      std::string both = title(first) + " and " + title(second);
      if (both.size() <= kLongestTitle) return both;
    }
    return title(tells(first) == tells(second) ? second : content.work[1]);
  }
  // Names by content, the most telling first.
  std::vector<std::string> namesOf(size_t g) const {
    const Content& content = contents_[g];
    std::vector<std::string> out;
    const ScopeRole role = roleOf(content);
    const std::string prefix = role == ScopeRole::Backward     ? std::string(kGradient)
                               : role == ScopeRole::Recomputed ? "recomputed "
                                                               : "";
    for (std::string name : {byScope(g), byPatterns(content), byParameters(content)})
      if (!name.empty()) out.push_back(name.starts_with("update of") ? name : prefix + name);
    out.push_back(byWork(content));
    return out;
  }

  // What a segment that says how the program was made is called; "": nothing worth saying.
  std::string structuralName(std::string_view segment, ScopeRole role) const {
    if (segment.starts_with("transpose(")) return "backward";
    if (segment.starts_with("jvp(") && role == ScopeRole::Forward) return "forward";
    if (segment.starts_with("rematted_computation")) return "recomputed";
    const bool plumbing = segment == "closed_call" || segment == "core_call" || segment == "checkpoint" ||
                          segment == "remat" || segment == "main" || segment == "pjit";
    const std::string_view program = module_.name;  // jit_step of jit(step)
    const bool whole = program.starts_with("jit_") && segment.starts_with("jit(") && segment.ends_with(')') &&
                       program.substr(4) == segment.substr(4, segment.size() - 5);
    return plumbing || whole ? std::string() : std::string(segment);
  }
  void nameOne(size_t g) {
    OutlineGroup& own = group(g);
    if (!needsName(own) || isOfAStack(own)) return;
    contents_[g].own = own.title.empty() ? std::string() : structuralName(own.title, roleOf(contents_[g]));
    own.title = contents_[g].own.empty() ? namesOf(g)[0] : contents_[g].own;
    named_.push_back(g);
  }
  void tellNamesakesApart() {
    for (size_t rule = 0; rule < 4; ++rule) {
      std::map<std::pair<int32_t, std::string>, std::vector<size_t>> sameName;
      for (size_t g : named_) sameName[{outline_.drawnParent(static_cast<int32_t>(g)), group(g).title}].push_back(g);
      for (const auto& [name, groups] : sameName) addNames(groups, rule);
    }
  }
  // What all of them have in common does not tell them apart.
  void addNames(const std::vector<size_t>& namesakes, size_t rule) {
    std::vector<std::string> names;
    for (size_t g : namesakes) {
      const std::vector<std::string> all = namesOf(g);
      names.push_back(rule < all.size() ? all[rule] : std::string());
    }
    if (std::ranges::adjacent_find(names, std::not_equal_to()) == names.end()) return;
    for (size_t k = 0; k < names.size(); ++k)
      if (std::string& title = group(namesakes[k]).title; title.find(names[k]) == std::string::npos)
        title += ": " + names[k];
  }
  // The same scope forward and backward, side by side: "backward: gpt".
  void tellRolesApart() {
    std::map<std::pair<int32_t, std::string>, std::vector<size_t>> sameName;
    for (size_t g = 0; g < outline_.groups.size(); ++g)
      if (const OutlineGroup& own = group(g);
          own.kind == OutlineGroup::Kind::Scope && !own.transparent && own.instructions > 0)
        sameName[{outline_.drawnParent(static_cast<int32_t>(g)), own.title.substr(0, own.title.find(": "))}].push_back(
            g);
    for (const auto& [name, groups] : sameName) {
      const auto hasOther = [&](size_t g) { return group(g).note != group(groups.front()).note; };
      if (name.second.empty() || std::ranges::none_of(groups, hasOther)) continue;
      for (size_t g : groups) {
        OutlineGroup& own = group(g);
        const size_t detail = own.title.find(": ");
        if (!own.note.empty() && !own.title.starts_with(own.note))
          own.title = own.note + ": " + own.title.substr(detail == own.title.npos ? 0 : detail + 2);
      }
    }
  }
  // A stack that was cut is not drawn: what is left of it are groups like others.
  bool isOfAStack(const OutlineGroup& g) const {
    return g.kind == OutlineGroup::Kind::Member && g.parent >= 0 && !outline_.groups[at(g.parent)].transparent;
  }
  // Blocks of a stack by its name and their number.
  void nameMembers() {
    std::map<int32_t, size_t> next;
    for (size_t g = 0; g < contents_.size(); ++g) {
      OutlineGroup& own = group(g);
      if (!isOfAStack(own)) continue;
      const size_t number = next[own.parent]++;
      if (!own.title.empty() && !isStructural(own.title)) continue;
      own.title = fmt::format("{} {}", group(at(own.parent)).title, number);
    }
  }

  const Module& module_;
  const Computation& computation_;
  const UserTable& users_;
  const std::vector<int32_t>& positions_;
  const ScopeTree& tree_;
  const std::vector<bool>& hubs_;
  Outline& outline_;
  std::vector<Place> places_;
  std::vector<int32_t> placeOf_;  // by scope; -1: all of its segments are structural
  std::vector<Content> contents_;
  std::vector<size_t> named_;
  std::vector<bool> namesakes_;  // by group: one of many scopes of its name in its container
};

}  // namespace

void nameGroups(const Module& module, const Computation& computation, const UserTable& users,
                const std::vector<int32_t>& positions, const ScopeTree& tree, const std::vector<bool>& hubs,
                Outline& outline) {
  GroupNamer(module, computation, users, positions, tree, hubs, outline).run();
}

std::string fusionTitle(const Module& module, const Instruction& fusion) {
  const std::vector<ComputationId> callees = module.callees(fusion);
  if (callees.size() != 1 || !module.contains(callees[0]) || !module.contains(module.at(callees[0]).root))
    return "fusion";
  const Instruction* root = &module.at(module.at(callees[0]).root);
  const auto passes = [](Opcode opcode) {
    return opcode == Opcode::Bitcast || opcode == Opcode::Copy || opcode == Opcode::Reshape ||
           opcode == Opcode::Convert;
  };
  const auto readsFirst = [&] { return !root->operands.empty() && module.contains(root->operands[0]); };
  for (int step = 0; step < 8 && passes(root->opcode) && readsFirst(); ++step) {
    const Instruction& before = module.at(root->operands[0]);
    if (before.opcode == Opcode::Parameter) break;
    root = &before;
  }
  const std::string what =
      root->opcode == Opcode::Tuple && readsFirst()
          ? fmt::format("{} and {} more", titleOf(module, root->operands[0]), root->operands.size() - 1)
          : titleOf(module, root->id);
  const std::string place = fusion.metadata ? placeNameOf(module, *fusion.metadata) : std::string();
  return "fusion " + what + (place.empty() ? "" : " · " + place);
}

}  // namespace tessera
