// One pair of functions an attribute: message to text, text to message. What a text says and a message cannot makes the
// writer keep the text itself (TesseraAttribute), so these need no word for everything.
#include "core/formats/proto/braced_proto.h"

#include <charconv>
#include <map>

#include "core/formats/hlo_text/lexer.h"
#include "core/formats/proto/hlo.pb.h"
#include "core/formats/proto/sharding_proto.h"

namespace tessera::proto {
namespace {

using pb::HloInstructionProto;
using text::Lexer;

template <class Repeated>
void appendIndex(std::string& out, const Repeated& values) {
  out += '{';
  for (int i = 0; i < values.size(); ++i) {
    if (i) out += ',';
    out += std::to_string(values.Get(i));
  }
  out += '}';
}

template <class Add>
bool readIndex(Lexer& lexer, Add&& add) {
  if (!lexer.expect('{', "before an index")) return false;
  if (lexer.accept('}')) return true;
  do {
    int64_t value = 0;
    if (!lexer.integer(value, "an integer")) return false;
    add(value);
  } while (lexer.accept(','));
  return lexer.expect('}', "after an index");
}

// %.6g when that reads back, else what the double needs.
void appendNumber(std::string& out, double value) {
  char buffer[40];
  for (int digits : {6, 17}) {
    auto end = std::to_chars(buffer, buffer + sizeof buffer, value, std::chars_format::general, digits).ptr;
    double back = 0;
    std::from_chars(buffer, end, back);
    if (back != value && digits != 17) continue;
    out.append(buffer, end);
    return;
  }
}

// --- sharding, domain

void takeSharding(HloInstructionProto& message, const Shape&, std::string& out) {
  if (!message.has_sharding()) return;
  appendSharding(out, message.sharding());
  message.clear_sharding();
}
bool putSharding(std::string_view text, HloInstructionProto& out) {
  return readSharding(text, *out.mutable_sharding());
}

void takeDomain(HloInstructionProto& message, const Shape&, std::string& out) {
  if (!message.has_domain_entry_sharding() && !message.has_domain_exit_sharding()) return;
  out += "{kind=\"sharding\", entry=";
  appendSharding(out, message.domain_entry_sharding());
  out += ", exit=";
  appendSharding(out, message.domain_exit_sharding());
  out += '}';
  message.clear_domain_entry_sharding();
  message.clear_domain_exit_sharding();
}
bool putDomain(std::string_view text, HloInstructionProto& out) {
  Lexer lexer(text);
  std::string kind;
  std::string_view entry, exit;
  return lexer.accept("{") && lexer.accept("kind=") && lexer.quoted(kind, "a kind") && kind == "sharding" &&
         lexer.accept(',') && lexer.accept("entry=") && lexer.braces(entry, "a sharding") && lexer.accept(',') &&
         lexer.accept("exit=") && lexer.braces(exit, "a sharding") &&
         readSharding(entry, *out.mutable_domain_entry_sharding()) &&
         readSharding(exit, *out.mutable_domain_exit_sharding());
}

// --- frontend attributes, statistics

void takeFrontend(HloInstructionProto& message, const Shape&, std::string& out) {
  if (!message.frontend_attributes().map().empty()) appendFrontendAttributes(out, message.frontend_attributes());
  message.mutable_frontend_attributes()->clear_map();
}
bool putFrontend(std::string_view text, HloInstructionProto& out) {
  return readFrontendAttributes(text, *out.mutable_frontend_attributes());
}

void takeStatistics(HloInstructionProto& message, const Shape&, std::string& out) {
  if (!message.has_statistics_viz()) return;
  const pb::StatisticsViz& viz = message.statistics_viz();
  if (viz.statistics_size() != 0) {
    out += "{visualizing_index=" + std::to_string(viz.stat_index_to_visualize());
    for (const pb::Statistic& statistic : viz.statistics()) {
      out += ',' + statistic.stat_name() + '=';
      appendNumber(out, statistic.stat_val());
    }
    out += '}';
  }
  message.clear_statistics_viz();
}
bool putStatistics(std::string_view text, HloInstructionProto& out) {
  Lexer lexer(text);
  int64_t index = 0;
  if (!lexer.accept("{") || !lexer.accept("visualizing_index=") || !lexer.integer(index, "an index")) return false;
  auto& viz = *out.mutable_statistics_viz();
  viz.set_stat_index_to_visualize(index);
  while (lexer.accept(',')) {
    auto& statistic = *viz.add_statistics();
    double value = 0;
    statistic.set_stat_name(std::string(lexer.word()));
    if (!lexer.accept('=') || !lexer.number(value, "a number")) return false;
    statistic.set_stat_val(value);
  }
  return lexer.accept('}') && lexer.atEnd();
}

// --- parameter replication, aliasing

void takeReplication(HloInstructionProto& message, const Shape&, std::string& out) {
  if (!message.has_parameter_replication()) return;
  const auto& flags = message.parameter_replication().replicated_at_leaf_buffers();
  out += '{';
  for (int i = 0; i < flags.size(); ++i) {
    if (i) out += ',';
    out += flags.Get(i) ? "true" : "false";
  }
  out += '}';
  message.clear_parameter_replication();
}
bool putReplication(std::string_view text, HloInstructionProto& out) {
  Lexer lexer(text);
  auto& flags = *out.mutable_parameter_replication();
  if (!lexer.accept('{')) return false;
  while (!lexer.accept('}')) {
    bool flag = false;
    if (flags.replicated_at_leaf_buffers_size() && !lexer.accept(',')) return false;
    if (!lexer.boolean(flag)) return false;
    flags.add_replicated_at_leaf_buffers(flag);
  }
  return lexer.atEnd();
}

void takeAliasing(HloInstructionProto& message, const Shape&, std::string& out) {
  const auto& entries = message.output_operand_aliasing();
  if (entries.empty()) return;
  out += '{';
  for (int i = 0; i < entries.size(); ++i) {
    if (i) out += ", ";
    appendIndex(out, entries.Get(i).output_shape_index());
    out += ": (" + std::to_string(entries.Get(i).operand_index()) + ", ";
    appendIndex(out, entries.Get(i).operand_shape_index());
    out += ')';
  }
  out += '}';
  message.clear_output_operand_aliasing();
}
bool putAliasing(std::string_view text, HloInstructionProto& out) {
  Lexer lexer(text);
  if (!lexer.accept('{')) return false;
  while (!lexer.accept('}')) {
    if (out.output_operand_aliasing_size() && !lexer.accept(',')) return false;
    auto& entry = *out.add_output_operand_aliasing();
    int64_t operand = 0;
    if (!readIndex(lexer, [&](int64_t i) { entry.add_output_shape_index(i); }) || !lexer.accept(':') ||
        !lexer.accept('(') || !lexer.integer(operand, "an operand"))
      return false;
    entry.set_operand_index(operand);
    if (lexer.accept(',') && !readIndex(lexer, [&](int64_t i) { entry.add_operand_shape_index(i); })) return false;
    if (!lexer.accept(')')) return false;
  }
  return lexer.atEnd();
}

// --- result accuracy

void takeAccuracy(HloInstructionProto& message, const Shape&, std::string& out) {
  if (!message.has_result_accuracy()) return;
  const pb::ResultAccuracy& accuracy = message.result_accuracy();
  if (accuracy.has_tolerance()) {
    out += "{tolerance={atol=";
    appendNumber(out, accuracy.tolerance().atol());
    out += ",rtol=";
    appendNumber(out, accuracy.tolerance().rtol());
    out += ",ulps=" + std::to_string(accuracy.tolerance().ulps()) + "}}";
  } else if (accuracy.mode() == pb::ResultAccuracy::HIGHEST) {
    out += "{mode=highest}";
  }
  message.clear_result_accuracy();
}
bool putAccuracy(std::string_view text, HloInstructionProto& out) {
  Lexer lexer(text);
  auto& accuracy = *out.mutable_result_accuracy();
  if (!lexer.accept('{')) return false;
  if (lexer.accept("mode=")) {
    std::string_view mode = lexer.word();
    accuracy.set_mode(mode == "highest" ? pb::ResultAccuracy::HIGHEST : pb::ResultAccuracy::DEFAULT);
    return lexer.accept('}') && lexer.atEnd();
  }
  if (!lexer.accept("tolerance={")) return false;
  auto& tolerance = *accuracy.mutable_tolerance();
  while (!lexer.accept('}')) {
    lexer.accept(',');
    std::string_view name = lexer.word();
    double value = 0;
    if (!lexer.accept('=') || !lexer.number(value, "a number")) return false;
    if (name == "atol") tolerance.set_atol(value);
    if (name == "rtol") tolerance.set_rtol(value);
    if (name == "ulps") tolerance.set_ulps(static_cast<int64_t>(value));
  }
  return lexer.accept('}') && lexer.atEnd();
}

// --- origin

using OriginMap = std::map<std::vector<int64_t>, const pb::OriginalArrayProto*>;

void appendOrigin(std::string& out, const OriginMap& origins, const Shape& shape, std::vector<int64_t>& index) {
  if (shape.isTuple()) {
    out += '(';
    for (size_t i = 0; i < shape.elements.size(); ++i) {
      if (i) out += ", ";
      index.push_back(static_cast<int64_t>(i));
      appendOrigin(out, origins, shape.elements[i], index);
      index.pop_back();
    }
    out += ')';
    return;
  }
  out += '{';
  if (auto found = origins.find(index); found != origins.end()) {
    out += '"';
    text::appendEscaped(out, found->second->instruction_name());
    out += '"';
    if (found->second->shape_index_size()) out += ' ', appendIndex(out, found->second->shape_index());
  }
  out += '}';
}

void takeOrigin(HloInstructionProto& message, const Shape& shape, std::string& out) {
  if (!message.has_original_value()) return;
  const pb::OriginalValueProto& value = message.original_value();
  if (value.is_synthetic_call()) {
    out += "{[synthetic_call]}";
  } else {
    OriginMap origins;
    for (const auto& element : value.elements())
      if (element.has_original_array())
        origins[{element.shape_index().begin(), element.shape_index().end()}] = &element.original_array();
    std::vector<int64_t> index;
    out += '{';
    appendOrigin(out, origins, shape, index);
    out += '}';
  }
  message.clear_original_value();
}

bool readOrigin(Lexer& lexer, pb::OriginalValueProto& out, std::vector<int64_t>& index) {
  constexpr size_t kDeepest = 100;
  if (index.size() > kDeepest) return false;
  if (lexer.accept('(')) {
    for (int64_t i = 0; !lexer.accept(')'); ++i) {
      if (i && !lexer.accept(',')) return false;
      index.push_back(i);
      if (!readOrigin(lexer, out, index)) return false;
      index.pop_back();
    }
    return true;
  }
  if (!lexer.accept('{')) return false;
  auto& element = *out.add_elements();
  for (int64_t i : index) element.add_shape_index(i);
  if (lexer.accept('}')) return true;
  std::string name;
  if (!lexer.quoted(name, "an instruction")) return false;
  auto& array = *element.mutable_original_array();
  array.set_instruction_name(name);
  if (lexer.peek() == '{' && !readIndex(lexer, [&](int64_t i) { array.add_shape_index(i); })) return false;
  return lexer.accept('}');
}
bool putOrigin(std::string_view text, HloInstructionProto& out) {
  Lexer lexer(text);
  auto& value = *out.mutable_original_value();
  if (lexer.accept("{[synthetic_call]}")) return value.set_is_synthetic_call(true), lexer.atEnd();
  std::vector<int64_t> index;
  return lexer.accept('{') && readOrigin(lexer, value, index) && lexer.accept('}') && lexer.atEnd();
}

constexpr BracedRow kBracedRows[] = {
    {Attr::sharding, takeSharding, putSharding},
    {Attr::domain, takeDomain, putDomain},
    {Attr::frontend_attributes, takeFrontend, putFrontend},
    {Attr::statistics, takeStatistics, putStatistics},
    {Attr::parameter_replication, takeReplication, putReplication},
    {Attr::output_to_operand_aliasing, takeAliasing, putAliasing},
    {Attr::result_accuracy, takeAccuracy, putAccuracy},
    {Attr::origin, takeOrigin, putOrigin},
};

}  // namespace

const BracedRow* bracedRowOf(Attr attr) {
  for (const BracedRow& row : kBracedRows)
    if (row.attr == attr) return &row;
  return nullptr;
}

bool isOneDictionary(std::string_view text) {
  Lexer lexer(text);
  std::string_view braces;
  return text.starts_with('{') && lexer.braces(braces, "a dictionary") && braces.size() == text.size();
}

void appendFrontendAttributes(std::string& out, const pb::FrontendAttributes& message) {
  const std::map<std::string_view, std::string_view> sorted(message.map().begin(), message.map().end());
  out += '{';
  bool first = true;
  for (auto [name, value] : sorted) {
    if (!std::exchange(first, false)) out += ',';
    out += name;
    out += '=';
    if (isOneDictionary(value)) {
      out += value;
      continue;
    }
    out += '"';
    text::appendEscaped(out, value);
    out += '"';
  }
  out += '}';
}

bool readFrontendAttributes(std::string_view text, pb::FrontendAttributes& out) {
  Lexer lexer(text);
  if (!lexer.accept('{')) return false;
  bool first = true;
  while (!lexer.accept('}')) {
    if (!std::exchange(first, false) && !lexer.accept(',')) return false;
    std::string name(lexer.peek() == '"' ? std::string_view() : lexer.word()), value;
    if (name.empty() && !lexer.quoted(name, "a name")) return false;
    if (!lexer.accept('=')) return false;
    if (lexer.peek() == '{') {
      std::string_view raw;
      if (!lexer.braces(raw, "a dictionary")) return false;
      value = std::string(raw);
    } else if (!lexer.quoted(value, "a string")) {
      return false;
    }
    (*out.mutable_map())[name] = value;
  }
  return lexer.atEnd();
}

}  // namespace tessera::proto
