// See curves.h.
#include "core/arrange/curves.h"

#include <algorithm>
#include <cmath>

#include "core/arrange/flow.h"

namespace tessera {
namespace {

constexpr float kCorner = 9;
constexpr int kPointsOnCubic = 12;

bool isLevel(PointF a, PointF b) { return a.y == b.y && a.x != b.x; }

bool hasRightAngles(const std::vector<PointF>& route) {
  bool level = false;
  for (size_t i = 1; i < route.size(); ++i) {
    if (route[i - 1].x != route[i].x && route[i - 1].y != route[i].y) return false;
    level |= isLevel(route[i - 1], route[i]);
  }
  return level;
}

PointF between(PointF a, PointF b, float part) { return {a.x + (b.x - a.x) * part, a.y + (b.y - a.y) * part}; }
float lengthOf(PointF a, PointF b) { return std::hypot(b.x - a.x, b.y - a.y); }

void addLine(std::vector<PointF>& out, PointF to) {
  const PointF from = out.back();
  out.insert(out.end(), {between(from, to, 1 / 3.f), between(from, to, 2 / 3.f), to});
}

std::vector<PointF> withRoundCorners(const std::vector<PointF>& route) {
  std::vector<PointF> out{route[0]};
  for (size_t i = 1; i + 1 < route.size(); ++i) {
    const PointF corner = route[i];
    const float in = lengthOf(route[i - 1], corner), on = lengthOf(corner, route[i + 1]);
    const float radius = std::min({kCorner, in / 2, on / 2});
    if (radius <= 0) continue;
    const PointF begin = between(corner, route[i - 1], radius / in), end = between(corner, route[i + 1], radius / on);
    addLine(out, begin);
    out.insert(out.end(), {between(begin, corner, 0.55f), between(end, corner, 0.55f), end});
  }
  addLine(out, route.back());
  return out;
}

std::vector<PointF> withVerticalTangents(const std::vector<PointF>& route) {
  std::vector<PointF> out{route[0]};
  for (size_t i = 1; i < route.size(); ++i) {
    const PointF a = route[i - 1], b = route[i];
    const float bend = b.y > a.y ? (b.y - a.y) / 2 : b.x == a.x ? 0 : std::min(30.f, std::abs(b.x - a.x) / 2);
    const float sign = b.y < a.y && b.x == a.x ? -1.f : 1.f;
    out.insert(out.end(), {{a.x, a.y + sign * bend}, {b.x, b.y - sign * bend}, b});
  }
  return out;
}

}  // namespace

std::vector<PointF> curveOf(const std::vector<PointF>& route, Flow flow) {
  if (flow == Flow::Right) {
    std::vector<PointF> out;
    for (PointF p : route) out.push_back(transposed(p));
    out = curveOf(out);
    for (PointF& p : out) p = transposed(p);
    return out;
  }
  return hasRightAngles(route) ? withRoundCorners(route) : withVerticalTangents(route);
}

std::vector<PointF> pointsOn(const std::vector<PointF>& curve) {
  std::vector<PointF> out{curve[0]};
  for (size_t i = 0; i + 3 < curve.size(); i += 3) {
    const PointF a = curve[i], b = curve[i + 1], c = curve[i + 2], d = curve[i + 3];
    if (a.x == b.x && b.x == c.x && c.x == d.x) {
      out.push_back(d);
      continue;
    }
    for (int k = 1; k <= kPointsOnCubic; ++k) {
      const float t = static_cast<float>(k) / kPointsOnCubic, u = 1 - t;
      const float p = u * u * u, q = 3 * u * u * t, r = 3 * u * t * t, s = t * t * t;
      out.push_back({a.x * p + b.x * q + c.x * r + d.x * s, a.y * p + b.y * q + c.y * r + d.y * s});
    }
  }
  return out;
}

}  // namespace tessera
