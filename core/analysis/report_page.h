// A profile as one HTML page that needs nothing else: the graph with its times, where the time goes as tables and
// nested boxes, the roofline, memory over the schedule, communication. Used by `tessera profile --html`.
#pragma once

#include <memory>
#include <string>

#include "core/analysis/communication.h"
#include "core/analysis/roofline_model.h"
#include "core/memory/memory_report.h"
#include "core/profile/op_profile.h"

namespace tessera {

struct ReportInput {
  std::string title;
  const OpProfile* profile = nullptr;         // never null
  std::shared_ptr<const Module> module;       // null: no graph, no memory; the tables have what the profile says
  OpTimes times;                              // held against the device, where there is one
  std::shared_ptr<const DevicePeaks> device;  // null: no roofline
};
// Sections of what is not known are absent.
std::string reportPage(const ReportInput& input);

// The parts that are drawings, as SVG elements that take their colours from the page.
std::string rooflineDrawing(const std::vector<RooflineDot>& dots, const DevicePeaks& device);
std::string memoryDrawing(const MemoryReport& report);

}  // namespace tessera
