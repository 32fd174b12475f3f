// See kernel_library.h.
#include "backends/cpu/kernels/kernel_library.h"

#include <dlfcn.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <map>
#include <mutex>
#include <optional>
#include <system_error>
#include <thread>
#include <unordered_map>

#include "backends/codegen/nest/unroll_tiny.h"
#include "backends/codegen/runtime_functions.h"
#include "backends/cpu/kernels/kernel_cache.h"
#include "backends/cpu/kernels/within_memory.h"
#include "core/base/own_symbol.h"
#include "core/base/tuning.h"

namespace tessera::cpu {

namespace {

struct Pending {
  KernelSource source;
  int64_t parallelCount = 1;
  double costPerItem = 1;
  KernelCache::Key key{};
};

// What LLVM calls of itself (fmodf, __extendhfsf2 …) is arithmetic, and in these alone.
const void* arithmeticFunction(const std::string& name) {
  static const std::array<void*, 2> libraries{::dlopen("libm.so.6", RTLD_NOW | RTLD_LOCAL),
                                              ::dlopen("libgcc_s.so.1", RTLD_NOW | RTLD_LOCAL)};
  for (void* library : libraries)
    if (const void* found = ownSymbol(library, name)) return found;
  return nullptr;
}

const void* runtimeFunction(std::string_view name) {
  static const std::map<std::string_view, const void*> known = [] {
    std::map<std::string_view, const void*> out;
    for (auto [function, address] : codegen::runtimeFunctions()) out[function] = address;
    out["memcpy"] = reinterpret_cast<const void*>(&std::memcpy);
    out["memmove"] = reinterpret_cast<const void*>(&std::memmove);
    out["memset"] = reinterpret_cast<const void*>(&std::memset);
    return out;
  }();
  auto found = known.find(name);
  return found != known.end() ? found->second : arithmeticFunction(std::string(name));
}

// work() on so many threads, the caller's included.
template <class Work>
void onThreads(size_t threads, Work&& work) {
  std::vector<std::jthread> helpers;
  try {
    for (size_t t = 1; t < threads; ++t) helpers.emplace_back(work);
  } catch (const std::system_error&) {
    // As many as the system gives.
  }
  work();
}

}  // namespace

struct KernelLibrary::Impl {
  explicit Impl(const CompileOptions& options)
      : host(hostProcessor(options.isa)), cache(options.kernelCache, host), keepsCode(options.keepsCode) {}

  HostProcessor host;
  KernelCache cache;
  bool keepsCode;
  std::vector<std::unique_ptr<Pending>> pending;
  std::unordered_multimap<size_t, size_t> byHash;
  std::vector<size_t> mentioned;
  std::vector<KernelCode> codes;  // by kernel, until they are loaded, or always
  CodeRegion region;
  KernelCounts counts;
  std::vector<std::jthread> preparations;

  std::vector<size_t> takeCached(size_t threads);
  Status compileMissing(const std::vector<size_t>& missing, size_t threads, const std::atomic<bool>* cancel);
  Status compileBatch(KernelCompiler& compiler, std::span<const size_t> batch);
  size_t mention(size_t index) {
    mentioned.push_back(index);
    return index;
  }
};

KernelLibrary::KernelLibrary(const CompileOptions& options) : impl_(std::make_unique<Impl>(options)) {}
KernelLibrary::~KernelLibrary() = default;
size_t KernelLibrary::size() const { return impl_->pending.size(); }
KernelCounts KernelLibrary::counts() const { return impl_->counts; }
std::span<const KernelCode> KernelLibrary::codes() const { return impl_->codes; }
const std::string& KernelLibrary::features() const { return impl_->host.present; }
std::vector<size_t> KernelLibrary::takeMentioned() { return std::exchange(impl_->mentioned, {}); }

Result<size_t> KernelLibrary::add(LoopProgram program, std::string owner, bool streams) {
  program = codegen::kernelForm(std::move(program), impl_->host.target);
  size_t hash = hashValue(program.body) ^ (program.stores.size() * 0x9e3779b97f4a7c15ULL);
  auto [first, last] = impl_->byHash.equal_range(hash);
  for (auto at = first; at != last; ++at)
    if (impl_->pending[at->second]->source.program == program && impl_->pending[at->second]->source.streams == streams)
      return impl_->mention(at->second);
  auto pending = std::make_unique<Pending>();
  TESSERA_ASSIGN_OR_RETURN(const codegen::KernelNest nest, nestOf(program, impl_->host.target));
  pending->parallelCount = nest.parallelCount;
  pending->costPerItem = nest.costPerItem;
  pending->source = {std::move(program), std::nullopt, std::nullopt, std::move(owner), streams};
  impl_->byHash.emplace(hash, impl_->pending.size());
  impl_->pending.push_back(std::move(pending));
  return impl_->mention(impl_->pending.size() - 1);
}

size_t KernelLibrary::addTile(const codegen::TileShape& tile) {
  for (size_t i = 0; i < impl_->pending.size(); ++i)
    if (impl_->pending[i]->source.tile == tile) return impl_->mention(i);
  auto pending = std::make_unique<Pending>();
  pending->source.tile = tile;
  impl_->pending.push_back(std::move(pending));
  return impl_->mention(impl_->pending.size() - 1);
}

size_t KernelLibrary::addRegion(RegionProgram region, std::string owner) {
  for (size_t i = 0; i < impl_->pending.size(); ++i)
    if (impl_->pending[i]->source.region == region) return impl_->mention(i);
  auto pending = std::make_unique<Pending>();
  pending->parallelCount = 1;
  pending->source = {{}, std::nullopt, std::move(region), std::move(owner), false};
  impl_->pending.push_back(std::move(pending));
  return impl_->mention(impl_->pending.size() - 1);
}

void KernelLibrary::prepare(std::function<void()> work) {
  try {
    impl_->preparations.emplace_back([work = std::move(work)] {
      (void)withinMemory([&]() -> Status {
        work();
        return {};
      });
    });
  } catch (const std::system_error&) {
    // Without a thread for it the first run does it.
  }
}

const codegen::Target& KernelLibrary::target() const { return impl_->host.target; }

// Gives the kernels that were not found.
std::vector<size_t> KernelLibrary::Impl::takeCached(size_t threads) {
  std::vector<char> found(pending.size(), 0);
  std::atomic<size_t> next{0};
  auto take = [&](size_t i) -> Status {
    pending[i]->key = cache.keyOf(pending[i]->source);
    auto code = cache.find(pending[i]->key);
    if (!code) return {};
    codes[i] = std::move(*code);
    found[i] = 1;
    return {};
  };
  auto work = [&] {
    for (size_t i; (i = next.fetch_add(1)) < pending.size();) (void)withinMemory([&] { return take(i); });
  };
  if (cache.isOn()) onThreads(std::min(threads, pending.size() / tuning().codegen.lookupsPerThread + 1), work);
  std::vector<size_t> missing;
  for (size_t i = 0; i < pending.size(); ++i)
    if (!found[i]) missing.push_back(i);
  return missing;
}

Status KernelLibrary::Impl::compileBatch(KernelCompiler& compiler, std::span<const size_t> batch) {
  std::vector<const KernelSource*> sources;
  for (size_t i : batch) sources.push_back(&pending[i]->source);
  TESSERA_ASSIGN_OR_RETURN(std::vector<KernelCode> made, compiler.compile(sources));
  for (size_t k = 0; k < batch.size(); ++k) {
    cache.store(pending[batch[k]]->key, made[k]);
    codes[batch[k]] = std::move(made[k]);
  }
  return {};
}

Status KernelLibrary::Impl::compileMissing(const std::vector<size_t>& missing, size_t threads,
                                           const std::atomic<bool>* cancel) {
  const size_t each = std::clamp<size_t>((missing.size() + threads - 1) / threads, 1,
                                         tuning().codegen.kernelsInBatch);  // few kernels are shared out, too
  const size_t batches = (missing.size() + each - 1) / each;
  std::atomic<size_t> next{0};
  std::mutex mutex;
  std::optional<Diagnostic> failure;
  auto work = [&] {
    std::optional<KernelCompiler> compiler;
    for (size_t i; (i = next.fetch_add(1)) < batches;) {
      if (cancel && cancel->load()) return;
      const size_t begin = i * each, end = std::min(missing.size(), begin + each);
      Status status = withinMemory([&] {
        if (!compiler) compiler.emplace(host);
        return compileBatch(*compiler, std::span(missing).subspan(begin, end - begin));
      });
      if (status) continue;
      std::lock_guard lock(mutex);
      if (!failure) failure = std::move(status).error();
      return;
    }
  };
  if (!missing.empty()) onThreads(std::min(threads, batches), work);
  if (failure) return fail(std::move(*failure));
  if (cancel && cancel->load()) return failCancelled();
  return {};
}

Status KernelLibrary::compile(int threads, const std::atomic<bool>* cancel) {
  kernels_.resize(impl_->pending.size());
  if (kernels_.empty()) return {};
  const auto count = static_cast<size_t>(std::max(threads, 1));
  impl_->codes.resize(kernels_.size());
  const std::vector<size_t> missing = impl_->takeCached(count);
  TESSERA_TRY(impl_->compileMissing(missing, count, cancel));
  TESSERA_TRY(impl_->region.load(impl_->codes, runtimeFunction));
  for (size_t i = 0; i < kernels_.size(); ++i) {
    const Pending& pending = *impl_->pending[i];
    kernels_[i] = {reinterpret_cast<CompiledKernel::Function>(impl_->region.entry(i)), pending.parallelCount,
                   pending.costPerItem};
    impl_->counts.codeBytes += static_cast<int64_t>(impl_->codes[i].bytes());
  }
  impl_->counts.kernels = static_cast<int64_t>(kernels_.size());
  impl_->counts.cached = static_cast<int64_t>(kernels_.size() - missing.size());
  if (!impl_->keepsCode) impl_->codes = {};
  if (!missing.empty() && impl_->cache.isOn())
    prepare([this] { impl_->cache.trim(); });  // looks at every entry: beside the rest
  return {};
}

Result<KernelListing> KernelLibrary::list(size_t index, const KernelMarks& marks) const {
  return KernelCompiler(impl_->host).list(impl_->pending[index]->source, marks);
}
const KernelSource& KernelLibrary::source(size_t index) const { return impl_->pending[index]->source; }

}  // namespace tessera::cpu
