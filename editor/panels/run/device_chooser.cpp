// See device_chooser.h. An entry's data are the backend and the device, as RunSettings have them.
#include "editor/panels/run/device_chooser.h"

#include <QPointer>
#include <QShowEvent>
#include <QSignalBlocker>
#include <QStandardItemModel>
#include <utility>

namespace tessera {

namespace {

constexpr int kBackendRole = Qt::UserRole, kDeviceRole = Qt::UserRole + 1;
constexpr const char* kSimulated = "simulated";

}  // namespace

DeviceChooser::DeviceChooser(QWidget* parent) : QComboBox(parent) {
  pool_.setMaxThreadCount(1);
  setAccessibleName(tr("Device"));
  setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
  setMinimumContentsLength(24);
  fill();
  connect(this, &QComboBox::activated, this, [this](int index) {
    backend_ = itemData(index, kBackendRole).toString().toStdString();
    device_ = itemData(index, kDeviceRole).toString().toStdString();
    emit chosen(QString::fromStdString(backend_), QString::fromStdString(device_));
  });
}

DeviceChooser::~DeviceChooser() { pool_.waitForDone(); }

void DeviceChooser::showEvent(QShowEvent* event) {
  QComboBox::showEvent(event);
  look();
}

void DeviceChooser::look() {
  if (std::exchange(hasLooked_, true)) return;
  isLooking_ = true;
  pool_.start([chooser = QPointer(this)] {
    auto backend = makeBackend("cuda");
    std::vector<DeviceEntry> found = backend ? (*backend)->devices() : std::vector<DeviceEntry>();
    if (!backend) found.push_back({"", "CUDA", backend.error().message, 0});
    QMetaObject::invokeMethod(
        chooser,
        [chooser, found = std::move(found)] {
          if (!chooser) return;
          chooser->isLooking_ = false;
          for (const DeviceEntry& entry : found) {
            if (entry.device.empty()) chooser->reason_ = QString::fromStdString(entry.text);
            if (!entry.device.empty() && entry.device != kSimulated) chooser->cards_.push_back(entry);
          }
          chooser->fill();
          emit chooser->known();
        },
        Qt::QueuedConnection);
  });
}

void DeviceChooser::add(const QString& text, const QString& toolTip, const std::string& backend,
                        const std::string& device) {
  addItem(text);
  setItemData(count() - 1, QString::fromStdString(backend), kBackendRole);
  setItemData(count() - 1, QString::fromStdString(device), kDeviceRole);
  setItemData(count() - 1, toolTip, Qt::ToolTipRole);
}

int DeviceChooser::find(const std::string& backend, const std::string& device) const {
  for (int i = 0; i < count(); ++i)
    if (itemData(i, kBackendRole).toString().toStdString() == backend &&
        itemData(i, kDeviceRole).toString().toStdString() == device)
      return i;
  return -1;
}

void DeviceChooser::fill() {
  const QSignalBlocker blocker(this);
  clear();
  add(tr("Processor"), tr("Code for this machine's processor, on all its cores"), "cpu", "");
  for (const DeviceEntry& card : cards_)
    add(QStringLiteral("%1 (%2)").arg(QString::fromStdString(card.name), QString::fromStdString(card.text)),
        tr("Card %1 of this machine").arg(QString::fromStdString(card.device)), "cuda", card.device);
  if (!reason_.isEmpty()) {
    add(tr("No CUDA card"), reason_, "cuda", "");
    if (auto* items = qobject_cast<QStandardItemModel*>(model())) items->item(count() - 1)->setEnabled(false);
  }
  add(tr("Simulated card"),
      tr("The kernels for a card, interpreted on the processor: for correctness and counting, not for speed"), "cuda",
      kSimulated);
  add(tr("Evaluator"), tr("Operation by operation, without compiling: what the others are held against"), "evaluator",
      "");
  setCurrent(backend_, device_);
}

void DeviceChooser::setCurrent(const std::string& backend, const std::string& device) {
  backend_ = backend, device_ = device;
  const QSignalBlocker blocker(this);
  const std::string known = backend == "cuda" ? device : std::string();  // only cuda has devices
  int index = find(backend, known);
  if (index < 0 && backend == "cuda") {
    const QString name = QString::fromStdString(device);
    add(device.starts_with(kSimulated) ? tr("Simulated card, %1").arg(name.section(QLatin1Char(':'), 1))
        : device.empty()               ? tr("First card")
                                       : tr("Card %1").arg(name),
        {}, backend, known);
    index = count() - 1;
  }
  setCurrentIndex(index);
}

}  // namespace tessera
