// Undo and redo by snapshots: a step keeps the module after an edit, which shares all that the edit did not touch, and
// what is arranged round it.
#include <algorithm>

#include "core/edit/edit.h"
#include "core/evaluate/argument_source.h"
#include "core/formats/hlo_text.h"

namespace tessera {
namespace {

bool hasMoved(const Module& before, const Module& after, InstructionId id) {
  return before.at(id).computation != after.at(id).computation || before.at(id).opcode != after.at(id).opcode;
}

// What is said of an instruction goes to where it is now, in another computation or under another name.
void takeAlong(Project& project, const std::string& from, const std::string& name, const std::string& to,
               const std::string& newName) {
  if (!project.find(from)) return;
  project.page(to);  // first: it may move the other
  ProjectPage& old = project.page(from);
  ProjectPage& page = project.page(to);
  const auto take = [&](auto& left, auto& right) {
    auto node = left.extract(name);
    if (node.empty()) return;
    if constexpr (requires { node.key(); })
      node.key() = newName;
    else
      node.value() = newName;
    right.insert(std::move(node));
  };
  const auto takeSpots = [&](auto& left, auto& right) {
    for (auto at = left.lower_bound({name, 0}); at != left.end() && at->first.first == name;) {
      auto node = left.extract(at++);
      node.key().first = newName;
      right.insert(std::move(node));
    }
  };
  take(old.instructions, page.instructions);
  take(old.muted, page.muted);
  take(old.enlarged, page.enlarged);
  take(old.watched, page.watched);
  takeSpots(old.reroutes, page.reroutes);
  takeSpots(old.sizeNames, page.sizeNames);
  if (from == to) return std::ranges::replace(old.bookmarks, name, newName), void();
  if (std::erase(old.bookmarks, name)) page.bookmarks.push_back(newName);
}

bool isSame(PagePoint a, PagePoint b) { return a.x == b.x && a.y == b.y; }

// A promoted number stays what runs are given.
void keepGiving(RunSettings& run, const Module& before, InstructionId id, const Module& after) {
  if (!before.contains(id) || !after.contains(id) || after.at(id).computation != after.entry())
    return;  // callers give the others
  const auto literal = before.at(id).literal;
  if (!literal || !literal->shape().isArray() || !literal->shape().dimensions.empty()) return;
  const std::string words =
      "constant " + (literal->shape().type == ElementType::Pred ? std::string(literal->data<uint8_t>()[0] ? "1" : "0")
                                                                : printLiteral(*literal));
  if (checkArgumentSource(words)) run.sources[firstLeafOf(after, id)] = words;
}

// Renamed instructions take along what is said of them, removed ones too; what the edit places is placed.
std::shared_ptr<const Project> followed(const std::shared_ptr<const Project>& project, const Module& before,
                                        const Edit& edit, const EditResult& after) {
  std::shared_ptr<Project> out;
  const auto changed = [&]() -> Project& {
    if (!out) out = std::make_shared<Project>(*project);
    return *out;
  };
  const auto rename = [&](InstructionId id, const std::string& to) {
    if (!before.contains(id) || !project->arranged()) return;
    const Instruction& instruction = before.at(id);
    changed().rename(before.at(instruction.computation).name, std::string(instruction.name), to);
  };
  for (const EditAction& action : edit.actions) {
    if (const auto* each = std::get_if<Rename>(&action)) rename(each->instruction, each->name);
    if (const auto* each = std::get_if<RemoveInstruction>(&action)) rename(each->instruction, {});
  }
  for (const EditAction& action : edit.actions)
    if (const auto* each = std::get_if<PromoteConstant>(&action))
      keepGiving(changed().run, before, each->instruction, after.module);
  if (project->arranged())
    for (InstructionId id : after.changed)
      if (before.contains(id) && after.module.contains(id) && hasMoved(before, after.module, id))
        takeAlong(changed(), before.at(before.at(id).computation).name, std::string(before.at(id).name),
                  after.module.at(after.module.at(id).computation).name, std::string(after.module.at(id).name));
  const auto put = [&](ComputationId page, std::map<std::string, PagePoint> ProjectPage::*where,
                       const std::string& name, PagePoint wished) {
    const PagePoint to{keptInReach(wished.x), keptInReach(wished.y)};
    if (!after.module.contains(page)) return;
    const std::string& computation = after.module.at(page).name;
    const ProjectPage* known = (out ? *out : *project).find(computation);
    if (known)
      if (const auto found = (known->*where).find(name); found != (known->*where).end() && isSame(found->second, to))
        return;
    (changed().page(computation).*where)[name] = to;
  };
  for (auto each = edit.groups.rbegin(); each != edit.groups.rend(); ++each)
    put(each->page, &ProjectPage::groups, each->path, each->at);
  for (auto each = edit.places.rbegin(); each != edit.places.rend(); ++each) {
    const uint32_t made = each->instruction.value - kNewInstruction;
    const InstructionId id =
        each->instruction.value >= kNewInstruction && made < after.added.size() ? after.added[made] : each->instruction;
    if (!after.module.contains(id)) continue;
    const Instruction& instruction = after.module.at(id);
    put(instruction.computation, &ProjectPage::instructions, std::string(instruction.name), each->at);
  }
  if (edit.flow && after.module.contains(edit.flow->page)) {
    const std::string& computation = after.module.at(edit.flow->page).name;
    const ProjectPage* known = (out ? *out : *project).find(computation);
    if (!known || known->flow != edit.flow->flow) changed().page(computation).flow = edit.flow->flow;
  }
  return out ? out : project;
}

}  // namespace

History::History(Module initial, Project project) {
  steps_.push_back(std::make_shared<const Step>(
      Step{std::move(initial), std::make_shared<const Project>(std::move(project)), {}, {}, 0, 0}));
}

size_t History::baseOf(const StepKey& key) const {
  return canUndo() && key.merges() && steps_[position_]->key == key ? position_ - 1 : position_;
}

void History::push(size_t base, Step step) {
  steps_.resize(base + 1);
  steps_.push_back(std::make_shared<const Step>(std::move(step)));
  position_ = base + 1;
}

Result<EditResult> History::perform(const Edit& edit, StepKey key) {
  const size_t base = baseOf(key);
  const Step& before = *steps_[base];
  TESSERA_ASSIGN_OR_RETURN(EditResult result, apply(before.module, edit));
  auto project = followed(before.project, before.module, edit, result);
  ++made_;
  push(base, {result.module, std::move(project), edit.title, std::move(key), made_, made_});
  return result;
}

void History::arrange(const std::function<void(Project&)>& change, std::string title, StepKey key) {
  const size_t base = baseOf(key);
  const Step& before = *steps_[base];
  auto project = std::make_shared<Project>(*before.project);
  change(*project);
  project->keepInReach();
  ++made_;
  push(base, {before.module, std::move(project), std::move(title), std::move(key), made_, before.graph});
}

bool History::replaceFirstGraph(const Module& inferred) {
  if (std::ranges::any_of(steps_, [](const auto& step) { return step->graph != 0; })) return false;
  for (auto& step : steps_) {
    Step with = *step;
    with.module = inferred;
    step = std::make_shared<const Step>(std::move(with));
  }
  return true;
}

void History::undo() {
  if (canUndo()) --position_;
}

void History::redo() {
  if (canRedo()) ++position_;
}

std::string History::undoTitle() const { return canUndo() ? steps_[position_]->title : std::string(); }
std::string History::redoTitle() const { return canRedo() ? steps_[position_ + 1]->title : std::string(); }

}  // namespace tessera
