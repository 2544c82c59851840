#include "engine/base/mapping_guard.h"

#ifndef _WIN32

#include <algorithm>
#include <array>
#include <atomic>
#include <csignal>
#include <cstdint>
#include <mutex>
#include <sys/mman.h>
#include <unistd.h>

namespace engine {

namespace {

struct Guarded {
    std::atomic<std::uintptr_t> begin = 0; // 0: free
    std::atomic<std::uintptr_t> end = 0;
};

// A signal handler is given nothing to find its data by, so these few are the program's.
constexpr std::size_t kMostMappings = 1024;
std::array<Guarded, kMostMappings> mappings;
struct sigaction previousAction;
std::uintptr_t pageSize = 0;

bool isGuarded(std::uintptr_t address)
{
    return std::ranges::any_of(mappings, [address](const Guarded& mapping) {
        return address >= mapping.begin && address < mapping.end;
    });
}

/// Puts a page of zeros where the file has none any more; what is not ours goes where it went
/// before.
void onBusError(int signal, siginfo_t* info, void*)
{
    const auto address = reinterpret_cast<std::uintptr_t>(info->si_addr);
    void* const page = reinterpret_cast<void*>( // NOLINT(performance-no-int-to-ptr)
        address / pageSize * pageSize);
    if (isGuarded(address) &&
        ::mmap(page, pageSize, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) == page)
        return;
    ::sigaction(signal, &previousAction, nullptr); // and the instruction fails again
}

void install()
{
    pageSize = static_cast<std::uintptr_t>(::sysconf(_SC_PAGESIZE));
    struct sigaction action{};
    action.sa_sigaction = onBusError;
    action.sa_flags = SA_SIGINFO | SA_ONSTACK;
    sigemptyset(&action.sa_mask);
    ::sigaction(SIGBUS, &action, &previousAction);
}

} // namespace

void guardMapping(std::span<const std::byte> mapping)
{
    static std::once_flag once;
    std::call_once(once, install);
    const auto begin = reinterpret_cast<std::uintptr_t>(mapping.data());
    for (Guarded& place : mappings) {
        std::uintptr_t free = 0;
        if (!place.begin.compare_exchange_strong(free, begin)) continue;
        place.end = begin + mapping.size();
        return;
    }
}

void unguardMapping(std::span<const std::byte> mapping)
{
    const auto begin = reinterpret_cast<std::uintptr_t>(mapping.data());
    for (Guarded& place : mappings) {
        if (place.begin != begin) continue;
        place.end = 0;
        place.begin = 0;
        return;
    }
}

} // namespace engine

#else

namespace engine {

void guardMapping(std::span<const std::byte>) {}
void unguardMapping(std::span<const std::byte>) {}

} // namespace engine

#endif
