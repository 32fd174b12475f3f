// From file to image in one go.
#include "app/studio/thumbnails.h"

#include "core/arrange/arrangement.h"
#include "core/formats/module_file.h"
#include "editor/canvas/render.h"

namespace tessera {
namespace {

constexpr size_t kBoxes = 40;

QImage paintFile(const QString& path, QSize size, qreal pixelRatio, Theme theme) {
  const ReadResult read = readModule(path.toStdString());
  if (!read.module) return {};
  const ComputationId entry = read.module->entry();
  const GraphView view = makeView(*read.module, entry, initialView(*read.module, entry, kBoxes));
  QImage image = renderToImage(draw(*read.module, view, arrange(view)), size * pixelRatio, theme);
  image.setDevicePixelRatio(pixelRatio);
  return image;
}

}  // namespace

Thumbnails::Thumbnails(QObject* parent) : QObject(parent) { pool_.setMaxThreadCount(1); }

Thumbnails::~Thumbnails() {
  pool_.clear();
  pool_.waitForDone();
}

void Thumbnails::request(const QString& path, QSize size, qreal pixelRatio, Theme theme) {
  pool_.start([this, path, size, pixelRatio, theme] {
    const QImage image = paintFile(path, size, pixelRatio, theme);
    if (!image.isNull()) QMetaObject::invokeMethod(this, [this, path, image] { emit painted(path, image); }, Qt::QueuedConnection);
  });
}

}  // namespace tessera
