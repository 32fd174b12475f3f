// The drawings of a report: roofline and memory over the schedule. See report_page.h.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "core/analysis/report_page.h"
#include "core/base/markup.h"
#include "core/base/units.h"

namespace tessera {
namespace {

constexpr double kWidth = 860, kHeight = 380, kLeft = 64, kRight = 16, kTop = 28, kBottom = 40;
constexpr double kGiga = 1e9;

// A logarithmic axis over whole decades.
struct Axis {
  double least = 0, most = 1;  // decimal logarithms
  double begin = 0, end = 1;   // in the drawing
  double at(double value) const {
    return begin + (end - begin) * std::clamp((std::log10(std::max(value, 1e-30)) - least) / (most - least), 0.0, 1.0);
  }
};

Axis axisOver(const std::vector<double>& values, double begin, double end) {
  Axis out{.least = -1, .most = 3, .begin = begin, .end = end};
  if (values.empty()) return out;
  out.least = std::floor(std::log10(std::ranges::min(values)) - 0.2);
  out.most = std::ceil(std::log10(std::ranges::max(values)) + 0.2);
  return out;
}

class RooflineDrawing {
 public:
  RooflineDrawing(const std::vector<RooflineDot>& dots, const DevicePeaks& device) : dots_(dots), device_(device) {
    std::vector<double> across, up;
    for (const RooflineDot& dot : dots) {
      longest_ = std::max(longest_, dot.measuredNs);
      if (dot.flops <= 0 || dot.bytes <= 0 || dot.rate() <= 0) continue;
      across.push_back(dot.intensity());
      up.push_back(dot.rate());
      if (device.flopsPerSecond.contains(dot.type)) types_.insert(dot.type);
    }
    for (const std::string& type : types_) {
      across.push_back(device.flopsPerSecond.at(type) / device.bytesPerSecond);
      up.push_back(device.flopsPerSecond.at(type) / kGiga);
    }
    x_ = axisOver(across, kLeft, kWidth - kRight);
    y_ = axisOver(up, kHeight - kBottom, kTop);
  }

  std::string write() {
    out_ = fmt::format("<svg class=\"drawing\" viewBox=\"0 0 {} {}\" role=\"img\" aria-label=\"roofline\">", kWidth,
                       kHeight);
    grid();
    roofs();
    for (const RooflineDot& dot : dots_) circle(dot);
    return out_ + "</svg>\n";
  }

 private:
  void text(double x, double y, const char* anchor, const std::string& words) {
    out_ += fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"{}\">{}</text>", x, y, anchor,
                        escapedForMarkup(words));
  }
  void line(const char* kind, double x1, double y1, double x2, double y2) {
    out_ += fmt::format("<line class=\"{}\" x1=\"{:.1f}\" y1=\"{:.1f}\" x2=\"{:.1f}\" y2=\"{:.1f}\"/>", kind, x1, y1,
                        x2, y2);
  }
  void grid() {
    for (double power = x_.least; power <= x_.most; ++power) {
      const double x = x_.at(std::pow(10, power));
      line("grid", x, y_.begin, x, y_.end);
      text(x, y_.begin + 14, "middle", fmt::format("{:g}", std::pow(10, power)));
    }
    for (double power = y_.least; power <= y_.most; ++power) {
      const double y = y_.at(std::pow(10, power));
      line("grid", x_.begin, y, x_.end, y);
      text(x_.begin - 6, y + 4, "end", fmt::format("{:g}", std::pow(10, power)));
    }
    text((x_.begin + x_.end) / 2, kHeight - 8, "middle", "flop a byte");
    text(4, kTop - 14, "start", "Gflop/s");
  }
  void roofs() {
    double most = 0;
    for (const std::string& type : types_) {
      const double flops = device_.flopsPerSecond.at(type), y = y_.at(flops / kGiga);
      most = std::max(most, flops);
      line("roof", x_.at(flops / device_.bytesPerSecond), y, x_.end, y);
      text(x_.end - 4, y - 4, "end", fmt::format("{} {}flop/s", type, amountText(flops)));
    }
    const double rate = device_.bytesPerSecond;
    const double begin = std::max(std::pow(10, x_.least), std::pow(10, y_.least) * kGiga / rate);
    const double end = most > 0 ? most / rate : std::pow(10, x_.most);
    line("roof", x_.at(begin), y_.at(begin * rate / kGiga), x_.at(end), y_.at(end * rate / kGiga));
    text(x_.at(begin) + 6, y_.at(begin * rate / kGiga) - 14, "start", fmt::format("memory {}/s", bytesText(rate)));
  }
  // A kernel without arithmetic is at the left edge, on its line of bytes a second.
  void circle(const RooflineDot& dot) {
    const double edge = std::pow(10, x_.least);
    const double x = dot.flops > 0 ? x_.at(dot.intensity()) : x_.begin;
    const double y = y_.at(dot.flops > 0 ? dot.rate() : dot.byteRate() * edge);
    const double radius = 3 + 12 * std::sqrt(longest_ > 0 ? dot.measuredNs / longest_ : 0);
    out_ += fmt::format(
        "<circle class=\"{}\" cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"{:.1f}\"><title>{}: {}, {:.3g} Gflop/s, "
        "{:.3g} GB/s</title></circle>",
        nameOf(dot.bound).empty() ? "unknown" : nameOf(dot.bound), x, y, radius, escapedForMarkup(dot.name),
        durationText(dot.measuredNs), dot.rate(), dot.byteRate());
  }

  const std::vector<RooflineDot>& dots_;
  const DevicePeaks& device_;
  std::set<std::string> types_;
  Axis x_, y_;
  double longest_ = 0;
  std::string out_;
};

}  // namespace

std::string rooflineDrawing(const std::vector<RooflineDot>& dots, const DevicePeaks& device) {
  return device.bytesPerSecond > 0 ? RooflineDrawing(dots, device).write() : std::string();
}

// A step a moment, at most one a pixel: of several the largest.
std::string memoryDrawing(const MemoryReport& report) {
  const size_t moments = report.live.size();
  const auto peak = static_cast<double>(report.peakBytes());
  if (moments == 0 || peak <= 0) return {};
  constexpr double kTall = 200;
  const auto columns = static_cast<size_t>(kWidth);
  std::string path = fmt::format("M0 {:.1f}", kTall);
  for (size_t column = 0; column < columns; ++column) {
    const size_t from = column * moments / columns, to = std::max(from + 1, (column + 1) * moments / columns);
    const int64_t bytes = *std::max_element(report.live.begin() + static_cast<std::ptrdiff_t>(from),
                                            report.live.begin() + static_cast<std::ptrdiff_t>(std::min(to, moments)));
    path += fmt::format("L{} {:.1f}", column, kTall - (kTall - 20) * static_cast<double>(bytes) / peak);
  }
  const double at = kWidth * (static_cast<double>(report.peakMoment) + 0.5) / static_cast<double>(moments);
  return fmt::format(
      "<svg class=\"drawing\" viewBox=\"0 0 {} {}\" role=\"img\" aria-label=\"bytes live over the schedule\"><path "
      "class=\"area\" d=\"{}L{} {}Z\"/><line class=\"roof\" x1=\"{:.1f}\" y1=\"20\" x2=\"{:.1f}\" y2=\"{}\"/><text "
      "x=\"{:.1f}\" y=\"14\" text-anchor=\"{}\">{}</text></svg>\n",
      kWidth, kTall, path, kWidth, kTall, at, at, kTall, at, at > kWidth / 2 ? "end" : "start", bytesText(peak));
}

}  // namespace tessera
