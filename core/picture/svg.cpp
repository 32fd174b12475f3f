// toSvg: the display list as SVG 1.1. Everything is drawn, whatever its smallest zoom; hatching is one pattern.
#include <fmt/format.h>

#include <iterator>

#include "core/base/markup.h"
#include "core/picture/arrow.h"
#include "core/picture/picture.h"

namespace tessera {
namespace {

class SvgWriter {
 public:
  explicit SvgWriter(Theme theme) : theme_(theme) {}

  std::string run(const Picture& picture) {
    const RectF& b = picture.bounds;
    write(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"{0:.1f} {1:.1f} {2:.1f} {3:.1f}\" width=\"{2:.0f}\" "
        "height=\"{3:.0f}\" font-family=\"DejaVu Sans\">\n",
        b.x, b.y, std::max(b.width, 1.f), std::max(b.height, 1.f));
    write(
        "<defs><pattern id=\"hatch\" width=\"6\" height=\"6\" patternUnits=\"userSpaceOnUse\"><path d=\"M0 6L6 0\" "
        "stroke=\"{}\" stroke-width=\"0.8\" stroke-opacity=\"0.5\"/></pattern></defs>\n",
        color(ColorRole::Hatch));
    write("<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{:.1f}\" fill=\"{}\"/>\n", b.x, b.y, b.width,
          b.height, color(ColorRole::Background));
    for (const PictureItem& item : picture.items)
      if (item.isSeenAt(1)) writeItem(item);
    write("</svg>\n");
    return std::move(out_);
  }

 private:
  template <class... Args>
  void write(fmt::format_string<Args...> format, Args&&... args) {
    fmt::format_to(std::back_inserter(out_), format, std::forward<Args>(args)...);
  }
  std::string color(ColorRole role) const {
    const Rgba c = colorOf(role, theme_);
    return fmt::format("#{:02x}{:02x}{:02x}", c.r, c.g, c.b);
  }
  std::string paint(const PictureItem& item) const {
    std::string out = item.filled ? fmt::format(" fill=\"{}\"", color(item.fill)) : std::string(" fill=\"none\"");
    if (item.stroked) out += fmt::format(" stroke=\"{}\" stroke-width=\"{:g}\"", color(item.stroke), item.width);
    return out;
  }
  void writeItem(const PictureItem& item) {
    switch (item.kind) {
      case PictureItem::Kind::Box: return writeBox(item);
      case PictureItem::Kind::Path: return writePath(item);
      case PictureItem::Kind::Text: return writeText(item);
    }
  }
  void writeBox(const PictureItem& item) {
    const RectF& b = item.bounds;
    const std::string place =
        fmt::format("<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{:.1f}\" rx=\"{:g}\"", b.x, b.y, b.width,
                    b.height, item.radius);
    write("{}{}/>\n", place, paint(item));
    if (item.hatched) write("{} fill=\"url(#hatch)\"/>\n", place);
  }
  void writePath(const PictureItem& item) {
    if (item.points.size() < 2) return;
    write("<path d=\"M{:.1f} {:.1f}", item.points[0].x, item.points[0].y);
    for (size_t i = 1; i < item.points.size(); ++i)
      write("{}{:.1f} {:.1f}", !item.curved ? "L" : i % 3 == 1 ? "C" : " ", item.points[i].x, item.points[i].y);
    write("\"{}/>\n", paint(item));
    if (!item.arrow) return;
    const auto head = arrowHead(item);
    write("<path d=\"M{:.1f} {:.1f}L{:.1f} {:.1f}L{:.1f} {:.1f}Z\" fill=\"{}\"/>\n", head[0].x, head[0].y, head[1].x,
          head[1].y, head[2].x, head[2].y, color(item.stroke));
  }
  void writeText(const PictureItem& item) {
    write("<text x=\"{:.1f}\" y=\"{:.1f}\" font-size=\"{:g}\"{} fill=\"{}\">{}</text>\n", item.bounds.x,
          item.bounds.y + 0.8f * item.size, item.size, item.bold ? " font-weight=\"bold\"" : "", color(item.fill),
          escapedForMarkup(item.text));
  }

  Theme theme_;
  std::string out_;
};

}  // namespace

std::string toSvg(const Picture& picture, Theme theme) { return SvgWriter(theme).run(picture); }

}  // namespace tessera
