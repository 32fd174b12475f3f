// See cairo_picture.h. cairo's images end at 32,767 pixels a side, so a PNG is painted in tiles that share the memory
// of one band of rows; libpng takes the bands one after the other.
#include "app/shared/cairo_picture.h"

#include <cairo-pdf.h>
#include <cairo.h>
#include <fmt/format.h>
#include <png.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <vector>

#include "core/formats/dot_words.h"
#include "core/picture/arrow.h"
#include "core/picture/far_text.h"

namespace tessera {
namespace {

constexpr double kLargestPage = 14400;  // points
constexpr int kTile = 8192;             // pixels
constexpr size_t kBandBytes = size_t{32} << 20;
constexpr int64_t kLargestPng = 1'000'000;  // pixels a side: what libpng and most readers take

struct Destroy {
  void operator()(cairo_surface_t* surface) const { cairo_surface_destroy(surface); }
  void operator()(cairo_t* cairo) const { cairo_destroy(cairo); }
  void operator()(cairo_font_options_t* options) const { cairo_font_options_destroy(options); }
};
using Surface = std::unique_ptr<cairo_surface_t, Destroy>;
using Cairo = std::unique_ptr<cairo_t, Destroy>;

class CairoPainter {
 public:
  // scale: pixels a unit, where that decides what is shown.
  CairoPainter(cairo_t* cairo, Theme theme, double scale = 1) : cairo_(cairo), theme_(theme), scale_(scale) {
    const std::unique_ptr<cairo_font_options_t, Destroy> options(cairo_font_options_create());
    cairo_font_options_set_hint_style(options.get(), CAIRO_HINT_STYLE_NONE);
    cairo_font_options_set_hint_metrics(options.get(), CAIRO_HINT_METRICS_OFF);
    cairo_font_options_set_antialias(options.get(), CAIRO_ANTIALIAS_GRAY);
    cairo_set_font_options(cairo_, options.get());
  }

  void background() {
    color(ColorRole::Background);
    cairo_paint(cairo_);
  }
  void paint(const PictureItem& item) {
    switch (item.kind) {
      case PictureItem::Kind::Box: return box(item);
      case PictureItem::Kind::Path: return path(item);
      case PictureItem::Kind::Text:
        for (const PictureItem& each : seenAt(item, scale_)) line(each);
    }
  }

 private:
  void color(ColorRole role, double alpha = 1) {
    const Rgba c = colorOf(role, theme_);
    cairo_set_source_rgba(cairo_, c.r / 255.0, c.g / 255.0, c.b / 255.0, alpha);
  }
  void fillAndStroke(const PictureItem& item) {
    if (item.filled) {
      color(item.fill);
      cairo_fill_preserve(cairo_);
    }
    if (item.stroked) {
      color(item.stroke);
      cairo_set_line_width(cairo_, item.width);
      cairo_stroke_preserve(cairo_);
    }
    cairo_new_path(cairo_);
  }
  void outline(const RectF& b, double radius) {
    radius = std::min<double>(radius, std::min(b.width, b.height) / 2);
    const double right = b.x + b.width, bottom = b.y + b.height;
    cairo_new_sub_path(cairo_);
    cairo_arc(cairo_, right - radius, b.y + radius, radius, -M_PI / 2, 0);
    cairo_arc(cairo_, right - radius, bottom - radius, radius, 0, M_PI / 2);
    cairo_arc(cairo_, b.x + radius, bottom - radius, radius, M_PI / 2, M_PI);
    cairo_arc(cairo_, b.x + radius, b.y + radius, radius, M_PI, 3 * M_PI / 2);
    cairo_close_path(cairo_);
  }
  void box(const PictureItem& item) {
    outline(item.bounds, item.radius);
    fillAndStroke(item);
    if (item.hatched) hatch(item);
  }
  void hatch(const PictureItem& item) {
    constexpr double kStep = 6;
    const RectF& b = item.bounds;
    cairo_save(cairo_);
    outline(b, item.radius);
    cairo_clip(cairo_);
    for (double x = b.x; x < b.x + b.width + b.height; x += kStep) {
      cairo_move_to(cairo_, x, b.y);
      cairo_line_to(cairo_, x - b.height, b.y + b.height);
    }
    color(ColorRole::Hatch, 0.5);
    cairo_set_line_width(cairo_, 0.8);
    cairo_stroke(cairo_);
    cairo_restore(cairo_);
  }
  void path(const PictureItem& item) {
    const auto& p = item.points;
    if (p.size() < 2) return;
    cairo_move_to(cairo_, p[0].x, p[0].y);
    if (item.curved)
      for (size_t i = 1; i + 2 < p.size(); i += 3)
        cairo_curve_to(cairo_, p[i].x, p[i].y, p[i + 1].x, p[i + 1].y, p[i + 2].x, p[i + 2].y);
    else
      for (size_t i = 1; i < p.size(); ++i) cairo_line_to(cairo_, p[i].x, p[i].y);
    fillAndStroke(item);
    if (!item.arrow) return;
    const auto head = arrowHead(item);
    for (const PointF& corner : head) cairo_line_to(cairo_, corner.x, corner.y);
    color(item.stroke);
    cairo_fill(cairo_);
  }
  void line(const PictureItem& item) {
    cairo_select_font_face(cairo_, "DejaVu Sans", CAIRO_FONT_SLANT_NORMAL,
                           item.bold ? CAIRO_FONT_WEIGHT_BOLD : CAIRO_FONT_WEIGHT_NORMAL);
    cairo_set_font_size(cairo_, item.size);
    color(item.fill);
    cairo_move_to(cairo_, item.bounds.x, item.bounds.y + 0.8 * item.size);
    cairo_show_text(cairo_, dot::cleaned(item.text).c_str());
  }

  cairo_t* cairo_;
  Theme theme_;
  double scale_;
};

Status statusOf(cairo_status_t status) {
  if (status == CAIRO_STATUS_SUCCESS) return {};
  const ErrorKind kind = status == CAIRO_STATUS_NO_MEMORY ? ErrorKind::Runtime : ErrorKind::Output;
  return fail(kind, fmt::format("the picture cannot be drawn: {}", cairo_status_to_string(status)));
}

cairo_status_t appendTo(void* out, const unsigned char* data, unsigned length) {
  try {
    static_cast<std::string*>(out)->append(reinterpret_cast<const char*>(data), length);
    return CAIRO_STATUS_SUCCESS;
  } catch (const std::bad_alloc&) {
    return CAIRO_STATUS_NO_MEMORY;
  }
}

// What is drawn of the picture where it is at `scale` pixels a unit, and how far wires and titles reach over a bound.
bool isSeen(const PictureItem& item, const RectF& area, double scale) {
  constexpr float kReach = 8;
  const RectF& b = item.reach();
  return item.isSeenAt(scale) &&
         RectF{b.x - kReach, b.y - kReach, b.width + 2 * kReach, b.height + 2 * kReach}.intersects(area);
}

// A band of rows of a PNG: 0xffRRGGBB, painted in tiles.
class Band {
 public:
  Band(const Picture& picture, Theme theme, double scale, int64_t width, int64_t rows)
      : picture_(picture), theme_(theme), scale_(scale), width_(width) {
    pixels_.resize(static_cast<size_t>(width * rows));
  }

  Status paint(int64_t top, int64_t rows) {
    for (int64_t left = 0; left < width_; left += kTile) {
      TESSERA_TRY(paintTile(left, top, std::min<int64_t>(kTile, width_ - left), rows));
    }
    return {};
  }
  // Row `row` as bytes of red, green and blue.
  void rowInto(int64_t row, std::vector<png_byte>& out) const {
    const uint32_t* from = &pixels_[static_cast<size_t>(row * width_)];
    for (size_t x = 0; x < static_cast<size_t>(width_); ++x) {
      out[3 * x] = static_cast<png_byte>(from[x] >> 16);
      out[3 * x + 1] = static_cast<png_byte>(from[x] >> 8);
      out[3 * x + 2] = static_cast<png_byte>(from[x]);
    }
  }

 private:
  Status paintTile(int64_t left, int64_t top, int64_t width, int64_t rows) {
    const Surface surface(cairo_image_surface_create_for_data(
        reinterpret_cast<unsigned char*>(&pixels_[static_cast<size_t>(left)]), CAIRO_FORMAT_RGB24,
        static_cast<int>(width), static_cast<int>(rows), static_cast<int>(width_ * 4)));
    TESSERA_TRY(statusOf(cairo_surface_status(surface.get())));
    const Cairo cairo(cairo_create(surface.get()));
    CairoPainter painter(cairo.get(), theme_, scale_);
    painter.background();
    const double x = picture_.bounds.x + static_cast<double>(left) / scale_,
                 y = picture_.bounds.y + static_cast<double>(top) / scale_;
    cairo_scale(cairo.get(), scale_, scale_);
    cairo_translate(cairo.get(), -x, -y);
    const RectF area{static_cast<float>(x), static_cast<float>(y),
                     static_cast<float>(static_cast<double>(width) / scale_),
                     static_cast<float>(static_cast<double>(rows) / scale_)};
    for (const PictureItem& item : picture_.items)
      if (isSeen(item, area, scale_)) painter.paint(item);
    cairo_surface_flush(surface.get());
    return statusOf(cairo_status(cairo.get()));
  }

  const Picture& picture_;
  Theme theme_;
  double scale_;
  int64_t width_;
  std::vector<uint32_t> pixels_;
};

// libpng, which leaves a function by longjmp: nothing with a destructor lives in those that call it.
class PngFile {
 public:
  PngFile() : png_(png_create_write_struct(PNG_LIBPNG_VER_STRING, this, &PngFile::failed, nullptr)) {
    if (png_) info_ = png_create_info_struct(png_);
  }
  ~PngFile() { png_destroy_write_struct(&png_, &info_); }
  PngFile(const PngFile&) = delete;
  PngFile& operator=(const PngFile&) = delete;

  bool begin(int64_t width, int64_t height) {
    if (!info_ || setjmp(png_jmpbuf(png_))) return false;
    png_set_write_fn(png_, this, &PngFile::take, nullptr);
    png_set_IHDR(png_, info_, static_cast<png_uint_32>(width), static_cast<png_uint_32>(height), 8, PNG_COLOR_TYPE_RGB,
                 PNG_INTERLACE_NONE, PNG_COMPRESSION_TYPE_DEFAULT, PNG_FILTER_TYPE_DEFAULT);
    png_set_compression_level(png_, 6);
    png_write_info(png_, info_);
    return true;
  }
  bool row(const std::vector<png_byte>& row) {
    if (setjmp(png_jmpbuf(png_))) return false;
    png_write_row(png_, row.data());
    return true;
  }
  bool end() {
    if (setjmp(png_jmpbuf(png_))) return false;
    png_write_end(png_, nullptr);
    return true;
  }
  std::string bytes, reason = "not enough memory";

 private:
  static void failed(png_structp png, png_const_charp why) {
    static_cast<PngFile*>(png_get_error_ptr(png))->reason = why;
    png_longjmp(png, 1);
  }
  static void take(png_structp png, png_bytep data, size_t length) {
    if (appendTo(&static_cast<PngFile*>(png_get_io_ptr(png))->bytes, data, static_cast<unsigned>(length)) !=
        CAIRO_STATUS_SUCCESS)
      png_error(png, "not enough memory");
  }
  png_structp png_;
  png_infop info_ = nullptr;
};

// A thousandth of a pixel is a rounding of the bounds, and needs no pixel of its own.
int64_t pixelsOf(float units, double scale) {
  return std::max<int64_t>(std::llround(std::ceil(units * scale - 1e-3)), 1);
}

Status checkPngSize(int64_t width, int64_t height) {
  if (width <= kLargestPng && height <= kLargestPng) return {};
  return fail(ErrorKind::Usage,
              fmt::format("a PNG of {} × {} pixels is too large, a side has at most {}: give a smaller --scale, or "
                          "write SVG, PDF or HTML",
                          width, height, kLargestPng));
}

}  // namespace

Result<std::string> toPdf(const Picture& picture, Theme theme, const std::string& title) {
  std::string out;
  const RectF& b = picture.bounds;
  const double scale = std::min(1.0, kLargestPage / std::max({b.width, b.height, 1.f}));
  {
    const Surface surface(cairo_pdf_surface_create_for_stream(appendTo, &out, std::max(b.width * scale, 1.0),
                                                              std::max(b.height * scale, 1.0)));
    cairo_pdf_surface_set_metadata(surface.get(), CAIRO_PDF_METADATA_TITLE, dot::cleaned(title).c_str());
    const Cairo cairo(cairo_create(surface.get()));
    CairoPainter painter(cairo.get(), theme);
    painter.background();
    cairo_scale(cairo.get(), scale, scale);
    cairo_translate(cairo.get(), -b.x, -b.y);
    for (const PictureItem& item : picture.items)
      if (item.isSeenAt(1)) painter.paint(item);
    TESSERA_TRY(statusOf(cairo_status(cairo.get())));
    cairo_surface_finish(surface.get());
    TESSERA_TRY(statusOf(cairo_surface_status(surface.get())));
  }
  return out;
}

Result<std::string> toPng(const Picture& picture, Theme theme, double scale) {
  const int64_t width = pixelsOf(picture.bounds.width, scale), height = pixelsOf(picture.bounds.height, scale);
  TESSERA_TRY(checkPngSize(width, height));
  const int64_t rows =
      std::clamp<int64_t>(static_cast<int64_t>(kBandBytes) / (width * 4), 1, std::min<int64_t>(height, kTile));
  Band band(picture, theme, scale, width, rows);
  std::vector<png_byte> row(static_cast<size_t>(width) * 3);
  PngFile file;
  bool good = file.begin(width, height);
  for (int64_t top = 0; good && top < height; top += rows) {
    const int64_t here = std::min(rows, height - top);
    TESSERA_TRY(band.paint(top, here));
    for (int64_t r = 0; good && r < here; ++r) {
      band.rowInto(r, row);
      good = file.row(row);
    }
  }
  if (!good || !file.end()) return fail(ErrorKind::Output, "the PNG cannot be written: " + file.reason);
  return std::move(file.bytes);
}

}  // namespace tessera
