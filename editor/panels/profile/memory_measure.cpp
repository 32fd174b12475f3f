// See memory_measure.h.
#include "editor/panels/profile/memory_measure.h"

#include <QObject>
#include <optional>

#include "backends/run_request.h"
#include "core/evaluate/compare.h"
#include "core/memory/xla_buffers.h"
#include "core/ops/inference/infer.h"
#include "core/passes/pipeline.h"
#include "editor/text/unit_words.h"

namespace tessera {
namespace {

// The instructions of the module that was measured; `compiled` stands between it and the report's own.
std::vector<InstructionId> sourcesInGraph(const MemoryReport& report, InstructionId id, const Module* compiled) {
  const ProvenancePtr& from = report.module.at(id).provenance;
  if (!from) return {id};
  if (!compiled) return from->sources;
  std::vector<InstructionId> out;
  for (InstructionId each : from->sources)
    if (compiled->contains(each) && compiled->at(each).provenance)
      for (InstructionId source : compiled->at(each).provenance->sources) out.push_back(source);
  return out;
}

}  // namespace

MeasuredMemory measuredMemory(const Module& module, MemorySource source, const std::string& assignment,
                              const std::string& path) {
  MeasuredMemory out;
  std::optional<Module> compiled;
  const auto make = [&]() -> Result<MemoryReport> {
    const Diagnostics faults = verify(module);  // an open input has no buffer
    for (const Diagnostic& d : faults.items())
      if (d.severity == Severity::Error) return std::unexpected(d);
    if (source == MemorySource::AsCompiled) {
      TESSERA_ASSIGN_OR_RETURN(compiled, optimize(module));
      return memoryReport(*compiled);
    }
    if (source == MemorySource::AsWritten) return memoryReport(module);
    TESSERA_ASSIGN_OR_RETURN(const auto allocations, readXlaBuffers(assignment, path));
    TESSERA_ASSIGN_OR_RETURN(MemoryReport found, memoryReport(module, allocations));
    if (found.buffers.empty())
      return fail({.kind = ErrorKind::Invalid, .message = "the buffer assignment is of another module", .file = path});
    return found;
  };
  Result<MemoryReport> made = make();
  if (!made) {
    out.error = QString::fromStdString(made.error().toString());
    return out;
  }
  for (const MemoryBuffer& buffer : made->buffers) {
    std::vector<InstructionId> of = sourcesInGraph(*made, buffer.instruction, compiled ? &*compiled : nullptr);
    for (InstructionId later : buffer.later)
      for (InstructionId id : sourcesInGraph(*made, later, compiled ? &*compiled : nullptr)) of.push_back(id);
    out.sources.push_back(std::move(of));
  }
  out.report = std::make_shared<const MemoryReport>(*std::move(made));
  return out;
}

namespace {

QString peakWords(const Module& after, int64_t predicted) {
  const auto report = memoryReport(after);
  if (!report) return QString::fromStdString(report.error().toString());
  return QObject::tr("peak predicted %1, reached %2").arg(bytesWords(predicted), bytesWords(report->peakBytes()));
}

QString valuesWords(const Module& before, const Module& after, const std::atomic<bool>* cancel) {
  RunRequest request;
  request.compile.cancel = cancel;
  const auto one = runModule(before, request), other = runModule(after, request);
  if (!one || !other)
    return QObject::tr("it cannot be checked by running: %1")
        .arg(QString::fromStdString((one ? other : one).error().toString()));
  Comparison all;
  for (size_t device = 0; device < one->outputs.size(); ++device)
    for (size_t i = 0; i < one->outputs[device].size(); ++i)
      all.add(compareLiterals(one->outputs[device][i], other->outputs[device][i],
                              defaultTolerance(one->outputs[device][i].shape().type), "out" + std::to_string(i)));
  return all.equal
             ? QObject::tr("checked by running: the results are equal, the CPU took %1 before and %2 after")
                   .arg(bytesWords(one->peakBytes), bytesWords(other->peakBytes))
             : QObject::tr("checked by running: the results differ: %1").arg(QString::fromStdString(all.firstMismatch));
}

}  // namespace

QString checkedForMemory(const Module& before, const Module& after, int64_t predictedPeak,
                         const std::atomic<bool>* cancel) {
  return peakWords(after, predictedPeak) + QStringLiteral("; ") + valuesWords(before, after, cancel);
}

}  // namespace tessera
