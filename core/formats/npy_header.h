// What npy and npz files say before their data: types (those that NumPy lacks by a suffix on the key), order and shape;
// and an archive that is open. Used by npz and npz_blocks.
#pragma once

#include <zip.h>

#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"
#include "core/hlo/shape.h"

namespace tessera {

struct NpyHeader {
  ElementType type = ElementType::Invalid;
  bool bigEndian = false;
  bool fortranOrder = false;
  std::vector<int64_t> dimensions;
  size_t dataOffset = 0;
};

Result<NpyHeader> parseNpyHeader(std::string_view npy);

// Suffix and descriptor under which a type is written.
struct WrittenType {
  std::string suffix, descriptor;
};
WrittenType writtenType(ElementType type);

// The name of an entry: the key, and the type from its suffix.
struct NpyKey {
  std::string name;
  std::optional<ElementType> type;
};
Result<NpyKey> parseNpyKey(std::string_view entry);

// From the form of the file to ours: the other byte order; int4 and similar types, stored as whole bytes.
void fromFileForm(const NpyHeader& header, ElementType type, std::span<std::byte> data);

// Copies column-major data of an array into row-major order.
void fromColumnMajor(const Shape& shape, const std::byte* source, std::span<std::byte> out);

struct ArchiveCloser {
  void operator()(zip_t* archive) const { zip_discard(archive); }
};
using Archive = std::unique_ptr<zip_t, ArchiveCloser>;

std::string zipErrorText(int code);

}  // namespace tessera
