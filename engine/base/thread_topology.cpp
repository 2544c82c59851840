#include "engine/base/thread_topology.h"

#include "engine/base/thread_pool.h"

#include <algorithm>
#include <fstream>
#include <set>
#include <string>
#include <thread>

#if defined(__linux__)
#include <sched.h>
#include <sys/resource.h>
#include <unistd.h>
#elif defined(_WIN32)
#include <vector>
#include <windows.h>
#elif defined(__APPLE__)
#include <pthread/qos.h>
#include <sys/sysctl.h>
#endif

namespace engine {

void lowerThreadPriority()
{
#if defined(__linux__)
    // On Linux a nice value belongs to the thread. One step: under load from elsewhere the workers
    // must still keep pace with the caller, who waits for them.
    const auto thread = static_cast<id_t>(gettid());
    errno = 0;
    const int nice = getpriority(PRIO_PROCESS, thread);
    if (errno == 0) setpriority(PRIO_PROCESS, thread, nice + 1);
#elif defined(_WIN32)
    SetThreadPriority(GetCurrentThread(), THREAD_PRIORITY_BELOW_NORMAL);
#elif defined(__APPLE__)
    pthread_set_qos_class_self_np(QOS_CLASS_USER_INITIATED, -1);
#endif
}

namespace {

#if defined(__linux__)
/// Physical cores among the CPUs this process may run on; 0 where the system does not say.
int physicalCores()
{
    cpu_set_t allowed;
    CPU_ZERO(&allowed);
    if (sched_getaffinity(0, sizeof(allowed), &allowed) != 0) return 0;
    std::set<std::string> cores;
    for (int cpu = 0; cpu < CPU_SETSIZE; ++cpu) {
        if (!CPU_ISSET(cpu, &allowed)) continue;
        std::ifstream file("/sys/devices/system/cpu/cpu" + std::to_string(cpu) +
                           "/topology/thread_siblings_list");
        std::string siblings;
        if (!std::getline(file, siblings)) return 0;
        cores.insert(siblings);
    }
    return static_cast<int>(cores.size());
}
#elif defined(_WIN32)
int physicalCores()
{
    DWORD bytes = 0;
    GetLogicalProcessorInformationEx(RelationProcessorCore, nullptr, &bytes);
    std::vector<char> buffer(bytes);
    auto* info = reinterpret_cast<SYSTEM_LOGICAL_PROCESSOR_INFORMATION_EX*>(buffer.data());
    if (!GetLogicalProcessorInformationEx(RelationProcessorCore, info, &bytes)) return 0;
    int cores = 0;
    for (DWORD at = 0; at < bytes; ++cores)
        at += reinterpret_cast<SYSTEM_LOGICAL_PROCESSOR_INFORMATION_EX*>(buffer.data() + at)->Size;
    return cores;
}
#elif defined(__APPLE__)
int physicalCores()
{
    int cores = 0;
    std::size_t size = sizeof(cores);
    if (sysctlbyname("hw.perflevel0.physicalcpu", &cores, &size, nullptr, 0) == 0) return cores;
    return sysctlbyname("hw.physicalcpu", &cores, &size, nullptr, 0) == 0 ? cores : 0;
}
#else
int physicalCores()
{
    return 0;
}
#endif

} // namespace

int defaultThreadCount()
{
    const int cores = physicalCores();
    if (cores > 0) return cores;
    return std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
}

} // namespace engine
