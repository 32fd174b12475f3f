// See dot_reader.h. A recursive descent over Graphviz' grammar: statements of nodes, edges, attributes and subgraphs;
// names as words, numbers, "strings" joined by +, and <html>. Ports, ranks and styles are read and forgotten.
#include "core/formats/dot_reader.h"

#include <algorithm>
#include <map>
#include <set>
#include <unordered_map>

#include "core/formats/dot_words.h"
#include "core/formats/hlo_text/lexer.h"

namespace tessera {
namespace {

using namespace dot;

constexpr size_t kMaxParts = 2'000'000;  // nodes, and edges
constexpr int kDeepest = 200;

// A name or value as it was written.
struct Text {
  std::string text;
  bool html = false;
};

using Attributes = std::map<std::string, Text>;

class DotReader {
 public:
  explicit DotReader(std::string_view text) : text_(text) {}

  Result<PlainGraph> read() {
    if (acceptWord("strict")) strict_ = true;
    graph_.directed = acceptWord("digraph");
    if (!graph_.directed && !acceptWord("graph")) return wrong("graph or digraph");
    if (peek() != '{') {
      TESSERA_ASSIGN_OR_RETURN(const Text name, readText());
      graph_.name = cleaned(name.text);
    }
    Scope scope;
    TESSERA_TRY(readBody(scope, 0));
    finishLabels();
    return std::move(graph_);
  }

 private:
  struct Scope {
    int32_t cluster = -1;
    Attributes node, edge;
    std::vector<int32_t>* members = nullptr;  // nodes mentioned within, for edges to a subgraph
  };

  char peek() {
    at_ = skipBlanks(text_, at_);
    return at_ < text_.size() ? text_[at_] : '\0';
  }
  bool accept(char c) {
    if (peek() != c || at_ >= text_.size()) return false;
    ++at_;
    return true;
  }
  bool acceptWord(std::string_view keyword) {
    peek();
    if (!equalsWord(wordAt(text_, at_), keyword)) return false;
    at_ += keyword.size();
    return true;
  }
  bool acceptEdge() {
    peek();
    const std::string_view op = text_.substr(at_, 2);
    if (op != "->" && op != "--") return false;
    at_ += 2;
    return true;
  }

  std::unexpected<Diagnostic> wrong(std::string expected) {
    peek();
    const std::string_view word = wordAt(text_, at_);
    return fail({.message = "the Graphviz file does not read",
                 .expected = std::move(expected),
                 .found = at_ >= text_.size() ? "the end of the file"
                                              : cleaned(word.empty() ? text_.substr(at_, 1) : word.substr(0, 40)),
                 .position = text::LineCounter(text_).at(std::min(at_, text_.size()))});
  }
  std::unexpected<Diagnostic> tooMuch(const std::string& what) {
    return fail({.message = "the Graphviz file has too many " + what,
                 .position = text::LineCounter(text_).at(std::min(at_, text_.size()))});
  }

  Result<Text> readText() {
    Text out;
    const char c = peek();
    if (c == '"') {
      do {
        TESSERA_TRY(readString(out.text));
      } while (accept('+') && peek() == '"');
      return out;
    }
    if (c == '<') {
      TESSERA_TRY(readHtml(out));
      return out;
    }
    const size_t begin = at_;
    if (c == '-') ++at_;
    while (at_ < text_.size() && (isWordChar(text_[at_]) || text_[at_] == '.')) ++at_;
    if (at_ == begin || (c == '-' && at_ == begin + 1)) {
      at_ = begin;
      return wrong("a name");
    }
    out.text = std::string(text_.substr(begin, at_ - begin));
    return out;
  }

  // A backslash stays before its character: labels give it a meaning of their own. Only \" and a broken line lose it.
  Status readString(std::string& out) {
    peek();
    const size_t begin = at_++;
    while (at_ < text_.size() && text_[at_] != '"') {
      if (text_[at_] == '\\' && at_ + 1 < text_.size()) {
        const char next = text_[at_ + 1];
        if (next != '"' && next != '\n') out += '\\';
        if (next != '\n') out += next;
        at_ += 2;
        continue;
      }
      out += text_[at_++];
    }
    if (at_ >= text_.size()) {
      at_ = begin;
      return wrong("a string that ends");
    }
    ++at_;
    return {};
  }

  Status readHtml(Text& out) {
    const size_t begin = at_;
    int depth = 0;
    for (; at_ < text_.size(); ++at_) {
      depth += text_[at_] == '<' ? 1 : text_[at_] == '>' ? -1 : 0;
      if (depth == 0) break;
    }
    if (at_ >= text_.size()) {
      at_ = begin;
      return wrong("an html text that ends");
    }
    out.text = std::string(text_.substr(begin + 1, at_ - begin - 1));
    out.html = true;
    ++at_;
    return {};
  }

  Status readBody(Scope& scope, int depth) {
    if (depth > kDeepest) return tooMuch("nested subgraphs");
    if (!accept('{')) return wrong("{");
    while (!accept('}')) {
      if (at_ >= text_.size()) return wrong("}");
      if (accept(';') || accept(',')) continue;
      TESSERA_TRY(readStatement(scope, depth));
    }
    return {};
  }

  Status readStatement(Scope& scope, int depth) {
    for (Attributes* target : {&scope.node, &scope.edge})
      if (acceptWord(target == &scope.node ? "node" : "edge")) return readAttributes(*target);
    if (acceptWord("graph")) {
      Attributes own;
      TESSERA_TRY(readAttributes(own));
      setGraphLabel(scope, own);
      return {};
    }
    std::vector<int32_t> from;
    Attributes own;
    const bool subgraph = peek() == '{' || equalsWord(wordAt(text_, at_), "subgraph");
    if (subgraph) {
      TESSERA_TRY(readSubgraph(scope, depth, from));
    } else {
      TESSERA_ASSIGN_OR_RETURN(const Text name, readText());
      if (accept('=')) {
        TESSERA_ASSIGN_OR_RETURN(own[name.text], readText());
        setGraphLabel(scope, own);
        return {};
      }
      TESSERA_TRY(readPort());
      TESSERA_ASSIGN_OR_RETURN(const int32_t node, nodeOf(name.text, scope));
      from.push_back(node);
    }
    return readChain(scope, depth, std::move(from), subgraph);
  }

  // What follows a node or subgraph: edges to others, then attributes of the node or of these edges.
  Status readChain(Scope& scope, int depth, std::vector<int32_t> from, bool subgraph) {
    const size_t firstEdge = graph_.edges.size();
    bool edges = false;
    std::vector<int32_t> first = from;
    while (acceptEdge()) {
      edges = true;
      std::vector<int32_t> to;
      TESSERA_TRY(readTarget(scope, depth, to));
      if (from.size() * to.size() > kMaxParts || graph_.edges.size() + from.size() * to.size() > kMaxParts)
        return tooMuch("edges");
      for (int32_t a : from)
        for (int32_t b : to) graph_.edges.push_back({a, b, {}});
      from = std::move(to);
    }
    Attributes own = edges ? scope.edge : Attributes();
    if (peek() == '[') TESSERA_TRY(readAttributes(own));
    if (edges) {
      const auto label = own.find("label");
      for (size_t e = firstEdge; label != own.end() && e < graph_.edges.size(); ++e)
        graph_.edges[e].label =
            joined(linesOf(label->second.html ? plainHtml(label->second.text) : label->second.text, {}, graph_.name));
    } else if (!subgraph) {
      for (auto& [name, value] : own) labels_[static_cast<size_t>(first[0])][name] = value;
    }
    return {};
  }

  Status readTarget(Scope& scope, int depth, std::vector<int32_t>& out) {
    if (peek() == '{' || equalsWord(wordAt(text_, at_), "subgraph")) return readSubgraph(scope, depth, out);
    TESSERA_ASSIGN_OR_RETURN(const Text name, readText());
    TESSERA_TRY(readPort());
    TESSERA_ASSIGN_OR_RETURN(const int32_t node, nodeOf(name.text, scope));
    out.push_back(node);
    return {};
  }

  // ":port:compass"
  Status readPort() {
    while (accept(':')) {
      auto port = readText();
      if (!port) return std::unexpected(std::move(port).error());
    }
    return {};
  }

  Status readSubgraph(Scope& outer, int depth, std::vector<int32_t>& members) {
    Scope inner = outer;
    std::string name;
    if (acceptWord("subgraph") && peek() != '{') {
      TESSERA_ASSIGN_OR_RETURN(const Text text, readText());
      name = text.text;
    }
    if (name.starts_with("cluster")) inner.cluster = clusterOf(name, outer.cluster);
    std::vector<int32_t> mentioned;
    inner.members = &mentioned;
    if (peek() == '{' || name.empty()) TESSERA_TRY(readBody(inner, depth + 1));
    std::ranges::sort(mentioned);
    const auto repeated = std::ranges::unique(mentioned);
    mentioned.erase(repeated.begin(), repeated.end());
    if (outer.members) outer.members->insert(outer.members->end(), mentioned.begin(), mentioned.end());
    members = std::move(mentioned);
    return {};
  }

  Status readAttributes(Attributes& out) {
    if (peek() != '[') return wrong("[");
    while (accept('[')) {
      while (!accept(']')) {
        if (accept(',') || accept(';')) continue;
        TESSERA_ASSIGN_OR_RETURN(const Text name, readText());
        Text value{"true"};
        if (accept('=')) {
          TESSERA_ASSIGN_OR_RETURN(value, readText());
        }
        out[name.text] = std::move(value);
      }
    }
    return {};
  }

  void setGraphLabel(const Scope& scope, const Attributes& own) {
    const auto label = own.find("label");
    if (label == own.end()) return;
    const std::string text =
        joined(linesOf(label->second.html ? plainHtml(label->second.text) : label->second.text, {}, graph_.name));
    if (scope.cluster >= 0)
      graph_.clusters[static_cast<size_t>(scope.cluster)].label = text;
    else if (!scope.members)
      graph_.name = text;
  }

  int32_t clusterOf(const std::string& name, int32_t parent) {
    const auto [it, fresh] = clusters_.try_emplace(name, static_cast<int32_t>(graph_.clusters.size()));
    if (fresh) graph_.clusters.push_back({{}, parent});
    return it->second;
  }

  Result<int32_t> nodeOf(const std::string& id, Scope& scope) {
    const auto [it, fresh] = nodes_.try_emplace(id, static_cast<int32_t>(graph_.nodes.size()));
    if (fresh) {
      if (graph_.nodes.size() == kMaxParts) return tooMuch("nodes");
      graph_.nodes.push_back({id, {}, -1});
      labels_.push_back(scope.node);
    }
    PlainGraph::Node& node = graph_.nodes[static_cast<size_t>(it->second)];
    if (node.cluster < 0) node.cluster = scope.cluster;
    if (scope.members) scope.members->push_back(it->second);
    return it->second;
  }

  void finishLabels() {
    for (size_t n = 0; n < graph_.nodes.size(); ++n) {
      PlainGraph::Node& node = graph_.nodes[n];
      const auto label = labels_[n].find("label"), shape = labels_[n].find("shape");
      std::string text = label == labels_[n].end() ? "\\N" : label->second.text;
      if (label != labels_[n].end() && label->second.html)
        text = plainHtml(text);
      else if (shape != labels_[n].end() && (shape->second.text == "record" || shape->second.text == "Mrecord"))
        text = plainRecord(text);
      node.lines = linesOf(text, node.id, graph_.name);
      node.id = cleaned(node.id);
    }
    if (strict_) removeRepeatedEdges();
  }

  void removeRepeatedEdges() {
    const auto key = [&](const PlainGraph::Edge& e) {
      return graph_.directed || e.from <= e.to ? std::pair(e.from, e.to) : std::pair(e.to, e.from);
    };
    std::set<std::pair<int32_t, int32_t>> known;
    std::erase_if(graph_.edges, [&](const PlainGraph::Edge& e) { return !known.insert(key(e)).second; });
  }

  std::string_view text_;
  size_t at_ = 0;
  bool strict_ = false;
  PlainGraph graph_;
  std::unordered_map<std::string, int32_t> nodes_, clusters_;
  std::vector<Attributes> labels_;  // by node
};

// "NAME = f32[…" or "NAME = (…": an instruction of HLO; dot has "name=value" without brackets behind.
bool startsInstruction(std::string_view text, size_t at) {
  const auto isName = [](char c) { return isWordChar(c) || c == '.' || c == '-' || c == '%'; };
  const auto name = [&] {
    const size_t begin = at;
    while (at < text.size() && isName(text[at])) ++at;
    const bool found = at > begin;
    at = skipBlanks(text, at);
    return found;
  };
  if (equalsWord(wordAt(text, at), "root")) name();
  if (!name() || at >= text.size() || text[at] != '=') return false;
  at = skipBlanks(text, at + 1);
  if (at < text.size() && text[at] == '(') return true;
  return name() && at < text.size() && (text[at] == '[' || text[at] == '(');
}

}  // namespace

bool looksLikeDot(std::string_view content) {
  if (content.starts_with("\xEF\xBB\xBF")) content.remove_prefix(3);
  size_t at = skipBlanks(content, 0);
  std::string_view word = wordAt(content, at);
  if (equalsWord(word, "strict")) {
    at = skipBlanks(content, at + word.size());
    word = wordAt(content, at);
  }
  if (!equalsWord(word, "graph") && !equalsWord(word, "digraph")) return false;
  at = skipBlanks(content, at + word.size());
  if (at < content.size() && content[at] == '{') return !startsInstruction(content, skipBlanks(content, at + 1));
  // A name comes next; in HLO it would be a signature.
  return at < content.size() && (isWordChar(content[at]) || content[at] == '"' || content[at] == '<' ||
                                 content[at] == '-' || content[at] == '.');
}

Result<PlainGraph> readDot(std::string_view content, const std::string& fileName) {
  if (content.starts_with("\xEF\xBB\xBF")) content.remove_prefix(3);
  auto graph = DotReader(content).read();
  if (!graph && graph.error().file.empty()) graph.error().file = fileName;
  return graph;
}

}  // namespace tessera
