// The legend of a heat overlay: ten steps from cold to hot, the times between which they lie, and what hatching means.
// For pictures that are alone (SVG); the studio shows its own in a corner of the canvas.
#include <algorithm>
#include <cmath>

#include "core/picture/picture.h"

namespace tessera {
namespace {

constexpr int kSteps = 10;
constexpr float kStepWidth = 34, kBarHeight = 14, kText = 11, kLegendPadding = 12, kLineHeight = 18, kGap = 16;

void addText(Picture& picture, float x, float y, std::string text, bool bold = false) {
  PictureItem item;
  item.kind = PictureItem::Kind::Text;
  item.bounds = {x, y, textWidth(text, kText, bold), kText * 1.25f};
  item.text = std::move(text);
  item.size = kText;
  item.bold = bold;
  item.fill = ColorRole::GroupText;
  item.stroked = false;
  picture.items.push_back(std::move(item));
}

void addStep(Picture& picture, RectF bounds, ColorRole fill, bool hatched) {
  PictureItem item;
  item.bounds = bounds;
  item.fill = fill;
  item.hatched = hatched;
  item.width = 0.8f;
  picture.items.push_back(std::move(item));
}

double numberAt(const Overlay& overlay, double heat) {
  if (overlay.linear || overlay.cold <= 0) return overlay.cold + (overlay.hot - overlay.cold) * heat;
  return overlay.cold * std::pow(overlay.hot / overlay.cold, heat);
}

float addBounds(Picture& out, float top) {
  constexpr std::pair<ColorRole, const char*> kBounds[] = {
      {ColorRole::BoundCompute, "compute"}, {ColorRole::BoundMemory, "memory"}, {ColorRole::BoundOverhead, "overhead"}};
  float x = kLegendPadding;
  for (const auto& [role, word] : kBounds) {
    addStep(out, {x, top, kStepWidth, kBarHeight}, role, false);
    addText(out, x + kStepWidth + 6, top, word);
    x += kStepWidth + 12 + textWidth(word, kText) + kGap;
  }
  return x;
}

// Of a difference the cool colours stand left of the hot ones.
float addScale(Picture& out, const Overlay& overlay, float top, float numbersTop) {
  const bool both = overlay.kind == OverlayKind::Difference, any = overlay.hot != overlay.cold;
  for (int step = 0; step < kSteps; ++step) {
    const double heat = both ? std::abs(step + 0.5 - kSteps / 2) / (kSteps / 2) : (step + 0.5) / kSteps;
    addStep(out, {kLegendPadding + kStepWidth * static_cast<float>(step), top, kStepWidth, kBarHeight},
            both && step < kSteps / 2 ? coolRole(heat) : heatRole(heat), false);
  }
  const float end = kLegendPadding + kStepWidth * kSteps;
  const std::string hottest = overlay.textOfNumber(overlay.hot);
  const std::string cold = !any   ? ""
                           : both ? "−" + hottest
                                  : (overlay.linear ? "" : "≤ ") + overlay.textOfNumber(overlay.cold),
                    middle = !any   ? ""
                             : both ? "0"
                                    : overlay.textOfNumber(numberAt(overlay, 0.5)),
                    hot = !any   ? ""
                          : both ? "+" + hottest
                                 : hottest;
  addText(out, kLegendPadding, numbersTop, cold);
  addText(out, (kLegendPadding + end - textWidth(middle, kText)) / 2, numbersTop, middle);
  addText(out, end - textWidth(hot, kText), numbersTop, hot);
  return end + kGap;
}

}  // namespace

Picture legendOf(const Overlay& overlay) {
  Picture out;
  const float barTop = kLegendPadding + kLineHeight, numbersTop = barTop + kBarHeight + 4;
  addText(out, kLegendPadding, kLegendPadding - 2, overlay.title, true);
  const float end =
      overlay.kind == OverlayKind::Bound ? addBounds(out, barTop) : addScale(out, overlay, barTop, numbersTop);
  addStep(out, {end, barTop, kStepWidth, kBarHeight}, ColorRole::Heat4, true);
  addText(out, end + kStepWidth + 6, barTop, "estimated within a kernel");
  const float right = end + kStepWidth + 6 + textWidth("estimated within a kernel", kText);
  out.bounds = {0, 0, std::max(right, kLegendPadding + textWidth(overlay.title, kText, true)) + kLegendPadding,
                numbersTop + kLineHeight + kLegendPadding / 2};
  return out;
}

Picture withLegend(Picture picture, const Overlay& overlay) {
  const Picture legend = legendOf(overlay);
  const float dx = picture.bounds.x, dy = picture.bounds.y - legend.bounds.height;
  for (PictureItem item : legend.items) {
    item.bounds.x += dx;
    item.bounds.y += dy;
    picture.items.push_back(std::move(item));
  }
  picture.bounds.y = dy;
  picture.bounds.height += legend.bounds.height;
  picture.bounds.width = std::max(picture.bounds.width, legend.bounds.width);
  return picture;
}

}  // namespace tessera
