// DeviceChooser: what a document runs on: the processor, each card by name and memory, the simulated card, the
// evaluator; and why there is no card. Asks for the cards when it is first shown, on a worker: the backend is loaded
// for it.
#pragma once

#include <QComboBox>
#include <QThreadPool>
#include <string>
#include <vector>

#include "backends/backend.h"

namespace tessera {

class DeviceChooser : public QComboBox {
  Q_OBJECT

 public:
  explicit DeviceChooser(QWidget* parent = nullptr);
  ~DeviceChooser() override;

  // Without a signal. A device that is not among the known ones gets an entry.
  void setCurrent(const std::string& backend, const std::string& device);
  const std::string& currentBackend() const { return backend_; }
  const std::string& currentDevice() const { return device_; }
  // Why there is no card, and what to do; "" where there is one, or nobody knows yet.
  QString reason() const { return reason_; }
  // Asks once; told: known() follows.
  void look();
  bool isLooking() const { return isLooking_; }

 signals:
  void chosen(QString backend, QString device);
  void known();

 protected:
  void showEvent(QShowEvent* event) override;

 private:
  void fill();
  void add(const QString& text, const QString& toolTip, const std::string& backend, const std::string& device);
  int find(const std::string& backend, const std::string& device) const;

  QThreadPool pool_;
  std::vector<DeviceEntry> cards_;
  QString reason_;
  std::string backend_ = "cpu", device_;
  bool hasLooked_ = false, isLooking_ = false;
};

}  // namespace tessera
