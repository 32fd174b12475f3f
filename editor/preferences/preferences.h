// What the user prefers in every document and window. Read where it matters; app/studio changes it and keeps it between
// sessions. UI thread only.
#pragma once

#include <set>
#include <string>

namespace tessera {

struct Preferences {
  bool animations = true;
  int threads = 0;                    // of runs whose document names no number; 0: all cores
  int tileCacheMb = 64;               // of painted parts of graphs, over all documents
  std::set<std::string> lessonsDone;  // by their ids
  std::string lesson;                 // that was begun last; empty: none was
};

inline Preferences& preferences() {
  static Preferences all;
  return all;
}

// The length of a transition: none while they are switched off.
inline int transitionMs(int wanted) { return preferences().animations ? wanted : 0; }

}  // namespace tessera
