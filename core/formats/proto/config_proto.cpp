// Module facts, stack-frame tables and metadata. Facts of the text's header that HloModuleProto has no field for stand
// as the header itself in TesseraModule.
#include <algorithm>
#include <map>

#include "core/formats/proto/braced_proto.h"
#include "core/formats/proto/hlo.pb.h"
#include "core/formats/proto/module_proto.h"
#include "core/formats/proto/repeated.h"
#include "core/formats/proto/shape_proto.h"

namespace tessera::proto {
namespace {

void takeAliases(pb::HloModuleProto& message, ModuleConfig& config) {
  for (const auto& entry : message.input_output_alias().entries())
    config.inputOutputAlias.push_back({listOf(entry.output_shape_index()), entry.parameter_number(),
                                       listOf(entry.parameter_shape_index()), entry.kind() == pb::MUST_ALIAS});
  message.clear_input_output_alias();
  for (const auto& entry : message.buffer_donor().entries())
    config.bufferDonor.push_back({entry.parameter_number(), listOf(entry.parameter_shape_index())});
  message.clear_buffer_donor();
}

void putAliases(const ModuleConfig& config, pb::HloModuleProto& out) {
  for (const AliasEntry& entry : config.inputOutputAlias) {
    auto& e = *out.mutable_input_output_alias()->add_entries();
    for (int64_t i : entry.outputIndex) e.add_output_shape_index(i);
    e.set_parameter_number(entry.parameter);
    for (int64_t i : entry.parameterIndex) e.add_parameter_shape_index(i);
    e.set_kind(entry.must ? pb::MUST_ALIAS : pb::MAY_ALIAS);
  }
  for (const DonorEntry& entry : config.bufferDonor) {
    auto& e = *out.mutable_buffer_donor()->add_entries();
    e.set_parameter_number(entry.parameter);
    for (int64_t i : entry.parameterIndex) e.add_parameter_shape_index(i);
  }
}

Status takeEntryLayout(pb::HloModuleProto& message, ModuleConfig& config) {
  if (!message.has_host_program_shape()) return {};
  pb::ProgramShapeProto& program = *message.mutable_host_program_shape();
  if (program.has_result()) {
    for (const pb::ShapeProto& parameter : program.parameters()) {
      TESSERA_ASSIGN_OR_RETURN(Shape shape, readShape(parameter));
      config.entryParameterLayouts.push_back(std::move(shape));
    }
    TESSERA_ASSIGN_OR_RETURN(config.entryResultLayout, readShape(program.result()));
  }
  program.clear_parameters();
  program.clear_result();
  program.clear_parameter_names();
  if (program.ByteSizeLong() == 0) message.clear_host_program_shape();
  return {};
}

std::shared_ptr<const StackFrameTables> takeFrames(pb::HloModuleProto& message) {
  if (!message.has_stack_frame_index()) return nullptr;
  const pb::StackFrameIndexProto& index = message.stack_frame_index();
  auto tables = std::make_shared<StackFrameTables>();
  tables->fileNames.assign(index.file_names().begin(), index.file_names().end());
  tables->functionNames.assign(index.function_names().begin(), index.function_names().end());
  for (const auto& l : index.file_locations())
    tables->fileLocations.push_back(
        {l.file_name_id(), l.function_name_id(), l.line(), l.end_line(), l.column(), l.end_column()});
  // The text counts parents from 1 = none.
  for (const auto& f : index.stack_frames())
    tables->stackFrames.push_back(
        {f.file_location_id(), f.parent_frame_id() < INT32_MAX ? f.parent_frame_id() + 1 : INT32_MAX});
  const bool empty = tables->fileNames.empty() && tables->functionNames.empty() && tables->fileLocations.empty() &&
                     tables->stackFrames.empty();
  message.clear_stack_frame_index();
  return empty ? nullptr : tables;
}

void putFrames(const StackFrameTables& tables, pb::StackFrameIndexProto& out) {
  for (const std::string& file : tables.fileNames) out.add_file_names(file);
  for (const std::string& function : tables.functionNames) out.add_function_names(function);
  for (const auto& l : tables.fileLocations) {
    auto& location = *out.add_file_locations();
    location.set_file_name_id(l.fileNameId);
    location.set_function_name_id(l.functionNameId);
    location.set_line(l.line);
    location.set_end_line(l.endLine);
    location.set_column(l.column);
    location.set_end_column(l.endColumn);
  }
  for (const auto& f : tables.stackFrames) {
    auto& frame = *out.add_stack_frames();
    frame.set_file_location_id(f.fileLocationId);
    frame.set_parent_frame_id(f.parentFrameId > INT32_MIN ? f.parentFrameId - 1 : f.parentFrameId);
  }
}

// The header line that the text printer writes for these facts.
std::string headerOf(const std::string& name, const ModuleConfig& config) {
  Module empty(name);
  empty.setConfig(config);
  std::string text = printHloText(empty);
  return text.substr(0, text.find('\n'));
}

std::optional<ModuleConfig> configOfHeader(const std::string& header) {
  ReadResult read = readHloText(header + "\n\nENTRY e {\n  ROOT c = pred[] constant(0)\n}\n");
  if (!read.module || read.diagnostics.hasErrors()) return std::nullopt;
  return read.module->config();
}

ModuleConfig plainConfig(pb::HloModuleProto& message, Status& status) {
  ModuleConfig config;
  takeAliases(message, config);
  status = takeEntryLayout(message, config);
  if (message.has_schedule()) config.isScheduled = true;
  if (!message.frontend_attributes().map().empty())
    appendFrontendAttributes(config.frontendAttributes, message.frontend_attributes());
  message.clear_frontend_attributes();
  return config;
}

}  // namespace

Status takeConfig(pb::HloModuleProto& message, Module& module) {
  Status status;
  ModuleConfig config = plainConfig(message, status);
  TESSERA_TRY(std::move(status));
  module.name = wordOf(message.name(), "module");
  message.clear_name();
  if (!message.tessera().header().empty())
    if (auto exact = configOfHeader(message.tessera().header())) config = std::move(*exact);
  config.hasHeader = !message.tessera().no_header();
  message.clear_tessera();
  module.setConfig(std::move(config));
  module.stackFrames = takeFrames(message);
  return {};
}

void putConfig(const Module& module, pb::HloModuleProto& out) {
  const ModuleConfig& config = module.config();
  out.set_name(module.name);
  putAliases(config, out);
  auto& program = *out.mutable_host_program_shape();
  const Computation& entry = module.entryComputation();
  for (size_t i = 0; i < entry.parameters.size(); ++i) {
    if (!entry.parameters[i].valid()) continue;
    const Instruction& parameter = module.at(entry.parameters[i]);
    if (!config.entryResultLayout) writeShape(*parameter.shape, *program.add_parameters());
    program.add_parameter_names(std::string(parameter.name));
  }
  for (const Shape& shape : config.entryParameterLayouts) writeShape(shape, *program.add_parameters());
  if (config.entryResultLayout)
    writeShape(*config.entryResultLayout, *program.mutable_result());
  else if (entry.root.valid())
    writeShape(module.shapeOf(entry.root), *program.mutable_result());
  if (!config.frontendAttributes.empty())
    readFrontendAttributes(config.frontendAttributes, *out.mutable_frontend_attributes());
  if (module.stackFrames) putFrames(*module.stackFrames, *out.mutable_stack_frame_index());
  if (!config.hasHeader) out.mutable_tessera()->set_no_header(true);
  pb::HloModuleProto copy = out;
  if (config.isScheduled == true) copy.mutable_schedule();
  Status status;
  const ModuleConfig back = plainConfig(copy, status);
  const std::string header = headerOf(module.name, config);
  if (headerOf(module.name, back) != header) out.mutable_tessera()->set_header(header);
}

Metadata takeMetadata(pb::OpMetadata& message) {
  Metadata out;
  out.opType = message.op_type();
  out.opName = message.op_name();
  out.sourceFile = message.source_file();
  out.sourceLine = message.source_line();
  out.sourceEndLine = message.source_end_line();
  out.sourceColumn = message.source_column();
  out.sourceEndColumn = message.source_end_column();
  out.profileType.assign(message.profile_type().begin(), message.profile_type().end());
  out.deduplicatedName = message.deduplicated_name();
  out.schedulingName = message.scheduling_name();
  out.stackFrameId = message.stack_frame_id();
  if (message.metadata_payload().payload_source_case() == pb::Payload::kValue) {
    out.payload = message.metadata_payload().value();
    message.clear_metadata_payload();
  }
  message.clear_op_type();
  message.clear_op_name();
  message.clear_source_file();
  message.clear_source_line();
  message.clear_source_end_line();
  message.clear_source_column();
  message.clear_source_end_column();
  message.clear_profile_type();
  message.clear_deduplicated_name();
  message.clear_scheduling_name();
  message.clear_stack_frame_id();
  return out;
}

void putMetadata(const Metadata& metadata, pb::OpMetadata& out) {
  out.set_op_type(metadata.opType);
  out.set_op_name(metadata.opName);
  out.set_source_file(metadata.sourceFile);
  out.set_source_line(metadata.sourceLine);
  out.set_source_end_line(metadata.sourceEndLine);
  out.set_source_column(metadata.sourceColumn);
  out.set_source_end_column(metadata.sourceEndColumn);
  for (int64_t type : metadata.profileType) out.add_profile_type(static_cast<pb::ProfileType>(type));
  out.set_deduplicated_name(metadata.deduplicatedName);
  out.set_scheduling_name(metadata.schedulingName);
  out.set_stack_frame_id(metadata.stackFrameId);
  if (!metadata.payload.empty()) out.mutable_metadata_payload()->set_value(metadata.payload);
}

}  // namespace tessera::proto
