// The cards that the driver names, and opening one.
#include <fmt/format.h>

#include "backends/cuda/driver/driver_device.h"

namespace tessera::cuda {

namespace driver {
namespace {

int attributeOf(const Driver& driver, Attribute attribute, int device) {
  int value = 0;  // stays 0 where the driver does not tell
  (void)driver.deviceGetAttribute(&value, attribute, device);
  return value;
}

Result<DeviceInfo> infoOf(const Driver& driver, int ordinal) {
  int device = 0;
  char name[256] = {};
  size_t bytes = 0;
  TESSERA_TRY(driver.check(driver.deviceGet(&device, ordinal), "opening a card"));
  TESSERA_TRY(driver.check(driver.deviceGetName(name, sizeof name - 1, device), "asking for a card's name"));
  TESSERA_TRY(driver.check(driver.deviceTotalMem(&bytes, device), "asking for a card's memory"));
  auto value = [&](Attribute attribute) { return attributeOf(driver, attribute, device); };
  constexpr double kBitsAByte = 8, kTransfersAClock = 2, kHertz = 1000;
  return DeviceInfo{
      .name = name,
      .ordinal = ordinal,
      .major = value(Attribute::ComputeCapabilityMajor),
      .minor = value(Attribute::ComputeCapabilityMinor),
      .driverVersion = driver.version(),
      .multiprocessors = value(Attribute::MultiprocessorCount),
      .maxThreadsPerBlock = value(Attribute::MaxThreadsPerBlock),
      .maxThreadsPerMultiprocessor = value(Attribute::MaxThreadsPerMultiprocessor),
      .sharedBytesPerBlock = value(Attribute::MaxSharedMemoryPerBlock),
      .sharedBytesPerBlockOptIn = value(Attribute::MaxSharedMemoryPerBlockOptIn),
      .registersPerMultiprocessor = value(Attribute::MaxRegistersPerMultiprocessor),
      .memoryBytes = static_cast<int64_t>(bytes),
      .l2Bytes = value(Attribute::L2CacheBytes),
      .clockHz = kHertz * value(Attribute::ClockKilohertz),
      .memoryBytesPerSecond = kHertz * value(Attribute::MemoryClockKilohertz) * kTransfersAClock *
                              value(Attribute::MemoryBusBits) / kBitsAByte,
  };
}

Result<int> cardCount(const Driver& driver) {
  int count = 0;
  TESSERA_TRY(driver.check(driver.deviceGetCount(&count), "counting cards"));
  if (count == 0) return failUnsupported("the CUDA driver sees no card");
  return count;
}

}  // namespace
}  // namespace driver

Result<std::vector<DeviceInfo>> listDevices() {
  TESSERA_ASSIGN_OR_RETURN(const driver::Driver* driver, driver::Driver::get());
  TESSERA_ASSIGN_OR_RETURN(const int count, driver::cardCount(*driver));
  std::vector<DeviceInfo> devices;
  for (int ordinal = 0; ordinal < count; ++ordinal) {
    TESSERA_ASSIGN_OR_RETURN(auto info, driver::infoOf(*driver, ordinal));
    devices.push_back(std::move(info));
  }
  return devices;
}

Result<std::unique_ptr<Device>> openDevice(int ordinal) {
  TESSERA_ASSIGN_OR_RETURN(const driver::Driver* driver, driver::Driver::get());
  TESSERA_ASSIGN_OR_RETURN(const int count, driver::cardCount(*driver));
  if (ordinal < 0 || ordinal >= count)
    return fail({.kind = ErrorKind::Unsupported,
                 .message = fmt::format("there is no card {}", ordinal),
                 .expected = fmt::format("0 to {}", count - 1)});
  TESSERA_ASSIGN_OR_RETURN(auto info, driver::infoOf(*driver, ordinal));
  int number = 0;
  TESSERA_TRY(driver->check(driver->deviceGet(&number, ordinal), "opening a card"));
  auto device = std::make_unique<driver::DriverDevice>(*driver, std::move(info), number);
  TESSERA_TRY(device->open());
  return device;
}

}  // namespace tessera::cuda
