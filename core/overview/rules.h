// What the rules of findings share, and their functions. Each says in a comment what it must not take for a finding.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "core/overview/findings.h"

namespace tessera {

// Sites of one kind (same shape, same scope but for its numbers), so that the twelve layers of a model are one finding.
class SiteGroups {
 public:
  struct Group {
    std::vector<InstructionId> sites;  // the first is the costliest
    double times = 0, bytes = 0;       // over all sites of a run
    double worst = 0;
  };
  // kind: what tells two groups of one shape apart.
  void add(const Workload& work, InstructionId site, double bytes, const std::string& kind = {});
  std::vector<Group> sorted() const;  // by bytes

 private:
  std::map<std::string, Group> groups_;
};

// "3 copies", "1 copy"
std::string counted(size_t number, const std::string& one, const std::string& many);
// "f32[8,16]", of a tuple "3 arrays".
std::string shapeText(const Shape& shape);
double bytesOfShape(const Shape& shape);

// Users of a value, also those behind get-tuple-element and bitcast.
std::vector<InstructionId> readersOf(const Workload& work, InstructionId id);

void findCopies(const Workload& work, std::vector<Finding>& out);
void findLoopCopies(const Workload& work, std::vector<Finding>& out);
void findBroadcasts(const Workload& work, std::vector<Finding>& out);
void findPadding(const Workload& work, std::vector<Finding>& out);
void findDoubles(const Workload& work, std::vector<Finding>& out);
void findUpcasts(const Workload& work, std::vector<Finding>& out);
void findWidened(const Workload& work, std::vector<Finding>& out);
void findTinyKernels(const Workload& work, std::vector<Finding>& out);
void findUnfusedChains(const Workload& work, std::vector<Finding>& out);
void findExposedCollectives(const Workload& work, std::vector<Finding>& out);

}  // namespace tessera
