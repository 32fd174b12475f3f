// See plan_runner.h.
#include "backends/cuda/program/plan_runner.h"

#include <algorithm>
#include <chrono>

namespace tessera::cuda {

namespace {

constexpr size_t kLeastGraph = 2;  // units from which a graph is worth its launch

int64_t clockNs() {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

}  // namespace

std::vector<int> copiedSlots(const DevicePlan& plan) {
  std::vector<int> out;
  for (const SlotKind kind : {SlotKind::Parameter, SlotKind::Output})
    for (size_t s = 0; s < plan.slots.size(); ++s)
      if (plan.slots[s].kind == kind && plan.slots[s].bytes > 0) out.push_back(static_cast<int>(s));
  return out;
}

PlanRunner::PlanRunner(std::unique_ptr<Device> device, const DeviceProgram& program)
    : device_(std::move(device)),
      libraries_(Libraries::open(*device_)),
      program_(program),
      memory_(*device_, program.plan),
      issuer_(*device_, memory_, program.launches),
      staging_(*device_) {
  issuer_.setLibraries(libraries_.get());
}

PlanRunner::~PlanRunner() {
  releaseGraphs(items_);
  for (const ModuleId module : modules_) (void)device_->unload(module);
}

void PlanRunner::releaseGraphs(WorkItems& items) {
  for (WorkItem& item : items) {
    if (item.graph) (void)device_->releaseGraph(*item.graph);
    item.graph.reset();
    for (WorkItems& inner : item.inner) releaseGraphs(inner);
  }
}

Status PlanRunner::load(std::span<const std::string> code) {
  for (const ModuleId module : std::exchange(modules_, {})) (void)device_->unload(module);
  kernelInfos_.clear();
  for (const std::string& each : code) {
    TESSERA_ASSIGN_OR_RETURN(const ModuleId module, device_->load(each));
    modules_.push_back(module);
  }
  std::vector<KernelId> kernels;
  for (size_t k = 0; k < program_.launches.size(); ++k) {
    TESSERA_ASSIGN_OR_RETURN(const KernelId kernel,
                             device_->kernel(modules_[program_.moduleOf[k]], program_.launches[k].name));
    TESSERA_ASSIGN_OR_RETURN(const KernelInfo info, device_->kernelInfo(kernel));
    kernels.push_back(kernel);
    kernelInfos_.push_back(info);
  }
  issuer_.setKernels(std::move(kernels));
  return {};
}

// Measured runs leave all decisions to the host, so that each step has a time of its own.
Status PlanRunner::prepare() {
  if (memory_.isReady() && main_ != StreamId::Default) return {};
  TESSERA_TRY(memory_.prepare());
  TESSERA_ASSIGN_OR_RETURN(main_, issuer_.mainStream());
  items_ = workItemsOf(program_.plan.steps, memory_, {.conditionals = device_->hasConditionals()});
  measuredItems_ = workItemsOf(program_.plan.steps, memory_, {});
  return {};
}

// --- a run

int64_t PlanRunner::nowNs() const { return clockNs() - beginNs_; }

Status PlanRunner::checkCancelled() const {
  if (call_->cancel && call_->cancel->load(std::memory_order_relaxed)) return failCancelled();
  return {};
}

Status PlanRunner::wait() { return device_->synchronize(main_, call_->cancel); }

Status PlanRunner::run(const RunCall& call) {
  TESSERA_TRY(prepare());
  call_ = &call;
  beginNs_ = clockNs();
  if (call.measured) TESSERA_TRY(issuer_.beginMeasuring());
  const Status status = runAll();
  issuer_.endMeasuring();
  if (!status) staging_.drop(), hasArguments_ = false;
  call_ = nullptr;
  return status;
}

Status PlanRunner::runAll() {
  TESSERA_TRY(copyIn());
  TESSERA_TRY(runItems(call_->measured ? measuredItems_ : items_));
  TESSERA_TRY(copyOut());
  return call_->measured ? issuer_.collect(*call_->measured, call_->cancel) : Status();
}

Status PlanRunner::timedCopy(size_t number, const std::function<Status()>& work) {
  return call_->measured ? issuer_.measured(program_.plan.count + static_cast<int32_t>(number), 0, work) : work();
}

Status PlanRunner::copyIn() {
  if (call_->argumentsStay && hasArguments_) return {};
  const std::vector<int> slots = copiedSlots(program_.plan);
  for (size_t i = 0; i < slots.size(); ++i) {
    const DeviceSlot& slot = program_.plan.slots[static_cast<size_t>(slots[i])];
    if (slot.kind != SlotKind::Parameter) continue;
    const auto bytes = call_->arguments[static_cast<size_t>(slot.index)];
    TESSERA_TRY(timedCopy(i, [&] { return staging_.toDevice(memory_.at(slots[i]), bytes, main_); }));
  }
  hasArguments_ = true;
  return {};
}

Status PlanRunner::copyOut() {
  const std::vector<int> slots = copiedSlots(program_.plan);
  for (size_t i = 0; i < slots.size() && !call_->resultsStay; ++i) {
    const DeviceSlot& slot = program_.plan.slots[static_cast<size_t>(slots[i])];
    if (slot.kind != SlotKind::Output) continue;
    const auto bytes = call_->results[static_cast<size_t>(slot.index)];
    TESSERA_TRY(timedCopy(i, [&] { return staging_.toHost(bytes, memory_.at(slots[i]), main_); }));
  }
  return staging_.finish(main_, call_->cancel);
}

Status PlanRunner::read(int slot, std::span<std::byte> to) {
  if (!to.empty()) TESSERA_TRY(device_->copyToHost(to, memory_.at(slot), main_));
  return wait();
}

Status PlanRunner::write(int slot, std::span<const std::byte> from) {
  if (!from.empty()) TESSERA_TRY(device_->copyToDevice(memory_.at(slot), from, main_));
  return wait();
}

// --- items

Status PlanRunner::runItems(WorkItems& items) {
  for (WorkItem& item : items) {
    TESSERA_TRY(checkCancelled());
    TESSERA_TRY(runItem(item));
    ++item.runs;
  }
  return {};
}

Status PlanRunner::runItem(WorkItem& item) {
  switch (item.kind) {
    case WorkItem::Kind::Segment: return runSegment(item);
    case WorkItem::Kind::Host: return runTimed(item, [&] { return runHost(item); });
    case WorkItem::Kind::While: return runTimed(item, [&] { return runWhile(item); });
    case WorkItem::Kind::Choice: return runTimed(item, [&] { return runChoice(item); });
    case WorkItem::Kind::Repeat:
      return runTimed(item, [&]() -> Status {
        for (int64_t trip = 0; trip < item.step->trips; ++trip) TESSERA_TRY(runItems(item.inner[0]));
        return {};
      });
  }
  return {};
}

// A graph that cannot be made is a loss of time alone: the host decides what it would have.
Status PlanRunner::runSegment(WorkItem& item) {
  if (call_->measured) {
    const int64_t begin = nowNs();
    TESSERA_TRY(issuer_.issue(item));
    TESSERA_TRY(issuer_.collect(*call_->measured, call_->cancel));
    nestedNs_ += nowNs() - begin;
    return {};
  }
  if (!item.inner.empty()) return runItems(item.inner[0]);
  const bool wantsGraph = item.runs > 0 && item.units.size() >= kLeastGraph && withoutGraphs_.empty();
  if (!item.graph && (item.needsGraph || wantsGraph)) {
    auto graph = issuer_.capture(item);
    if (graph) item.graph = *graph;
    if (!graph) withoutGraphs_ = graph.error().message;
    if (!graph && item.needsGraph) return runItems(item.inner.emplace_back(decidedByHost(item, memory_)));
  }
  return item.graph ? device_->launchGraph(*item.graph, main_) : issuer_.issue(item);
}

Status PlanRunner::runHost(const WorkItem& item) {
  if (!call_->host) return fail(ErrorKind::Unsupported, item.step->what + ": nothing here can run it");
  return call_->host(*item.step);
}

Status PlanRunner::runWhile(WorkItem& item) {
  for (;;) {
    TESSERA_TRY(checkCancelled());
    TESSERA_TRY(runItems(item.inner[0]));
    std::byte goesOn{};
    TESSERA_TRY(read(item.step->operands[0], {&goesOn, 1}));
    if (goesOn == std::byte{0}) return {};
    TESSERA_TRY(runItems(item.inner[1]));
  }
}

Status PlanRunner::runChoice(WorkItem& item) {
  int32_t selector = 0;
  const size_t bytes = item.step->byPredicate ? 1 : sizeof selector;
  TESSERA_TRY(read(item.step->operands[0], {reinterpret_cast<std::byte*>(&selector), bytes}));
  const auto count = static_cast<int32_t>(item.inner.size());
  int32_t chosen = selector < 0 || selector >= count ? count - 1 : selector;
  if (item.step->byPredicate) chosen = selector != 0 ? 0 : 1;
  return runItems(item.inner[static_cast<size_t>(chosen)]);
}

Status PlanRunner::runTimed(const WorkItem& item, const std::function<Status()>& work) {
  if (!call_->measured) return work();
  const int64_t outside = std::exchange(nestedNs_, 0), begin = nowNs();
  TESSERA_TRY(work());
  const int64_t end = nowNs();
  call_->measured->push_back({item.step->number, -1, begin, end, end - begin - nestedNs_});
  nestedNs_ = outside + end - begin;
  return {};
}

}  // namespace tessera::cuda
