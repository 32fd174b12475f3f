// A file descriptor that closes itself. Used by everything that opens files by descriptor: core/base/safe_files,
// readers and writers of files, the kernel cache.
#pragma once

#include <unistd.h>

#include <utility>

namespace tessera {

class Descriptor {
 public:
  explicit Descriptor(int number = -1) : number_(number) {}
  Descriptor(Descriptor&& other) noexcept : number_(other.release()) {}
  Descriptor& operator=(Descriptor&& other) noexcept {
    if (this != &other) {
      (void)close();
      number_ = other.release();
    }
    return *this;
  }
  ~Descriptor() { (void)close(); }

  bool isOpen() const { return number_ >= 0; }
  int get() const { return number_; }
  int release() { return std::exchange(number_, -1); }
  // False when what was written may not have reached the disk.
  bool close() { return number_ < 0 || ::close(release()) == 0; }

 private:
  int number_;
};

}  // namespace tessera
