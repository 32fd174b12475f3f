// See source_frames.h. Ids of the tables count from 1, and a frame's parent from 2: 1 is none.
#include "core/hlo/source_frames.h"

#include <algorithm>
#include <functional>

namespace tessera {
namespace {

template <class T>
const T* entryOf(const std::vector<T>& table, int32_t id) {
  return id < 1 || static_cast<size_t>(id) > table.size() ? nullptr : &table[static_cast<size_t>(id) - 1];
}

std::string_view nameIn(const std::vector<std::string>& table, int32_t id) {
  const std::string* name = entryOf(table, id);
  return name ? std::string_view(*name) : std::string_view();
}

SourceFrame frameAt(const StackFrameTables& tables, const StackFrameTables::StackFrame& frame) {
  const auto* place = entryOf(tables.fileLocations, frame.fileLocationId);
  if (!place) return {};
  return {nameIn(tables.fileNames, place->fileNameId), nameIn(tables.functionNames, place->functionNameId),
          place->line};
}

// Whether `take` wants more is what it gives back.
void eachFrame(const Module& module, int32_t id, const std::function<bool(const SourceFrame&)>& take) {
  if (!module.stackFrames) return;
  const StackFrameTables& tables = *module.stackFrames;
  for (size_t depth = 0; depth < tables.stackFrames.size(); ++depth) {
    const auto* frame = entryOf(tables.stackFrames, id);
    if (!frame || !take(frameAt(tables, *frame)) || frame->parentFrameId < 2) return;
    id = frame->parentFrameId - 1;
  }
}

// Those that name a file.
std::vector<SourceFrame> namedFrames(const Module& module, const Metadata* metadata) {
  std::vector<SourceFrame> out = metadata ? sourceFrames(module, *metadata) : std::vector<SourceFrame>();
  std::erase_if(out, [](const SourceFrame& frame) { return frame.file.empty(); });
  return out;
}

// Its own, or what it calls has some.
std::vector<SourceFrame> framesIn(const Module& module, InstructionId id) {
  const Instruction& own = module.at(id);
  std::vector<SourceFrame> out = namedFrames(module, own.metadata);
  for (ComputationId callee : module.callees(own)) {
    if (!module.contains(callee)) continue;
    const auto& inside = module.at(callee).instructions;
    for (auto last = inside.rbegin(); last != inside.rend() && out.empty(); ++last)
      out = namedFrames(module, module.at(*last).metadata);
  }
  return out;
}

}  // namespace

std::vector<SourceFrame> sourceFrames(const Module& module, const Metadata& metadata) {
  std::vector<SourceFrame> out;
  eachFrame(module, metadata.stackFrameId, [&](const SourceFrame& frame) {
    out.push_back(frame);
    return true;
  });
  if (metadata.sourceFile.empty()) return out;
  if (out.empty()) return {{metadata.sourceFile, {}, metadata.sourceLine}};
  out.front().file = metadata.sourceFile;
  out.front().line = metadata.sourceLine;
  return out;
}

SourceFrame sourceOf(const Module& module, const Metadata& metadata) {
  SourceFrame out;
  eachFrame(module, metadata.stackFrameId, [&](const SourceFrame& frame) {
    out = frame;
    return false;
  });
  if (!metadata.sourceFile.empty()) out.file = metadata.sourceFile, out.line = metadata.sourceLine;
  return out;
}

std::vector<SourceFrame> framesNear(const Module& module, const UserTable& users, InstructionId id) {
  constexpr int kSteps = 4;
  constexpr size_t kMost = 16;
  std::vector<InstructionId> reached{id};
  for (int step = 0; step <= kSteps; ++step) {
    std::vector<InstructionId> readers;
    for (InstructionId near : reached) {
      if (std::vector<SourceFrame> found = framesIn(module, near); !found.empty()) return found;
      for (InstructionId reader : users.users(near))
        if (readers.size() < kMost) readers.push_back(reader);
    }
    reached = std::move(readers);
  }
  return {};
}

const SourceFrame* ownFrame(const std::vector<SourceFrame>& frames) {
  const auto isOwn = [](const SourceFrame& frame) {
    return frame.file.find("/site-packages/") == frame.file.npos &&
           frame.file.find("/dist-packages/") == frame.file.npos;
  };
  const auto found = std::ranges::find_if(frames, isOwn);
  return found == frames.end() ? nullptr : &*found;
}

}  // namespace tessera
