#pragma once

#include "engine/engine.h"

#include <QByteArray>
#include <QtTypes>

#include <optional>

namespace app {

/// Bytes a model will take in memory.
struct MemoryNeed {
    quint64 weights = 0;
    quint64 kvCache = 0;
    quint64 scratch = 0;

    quint64 total() const; ///< the largest number where the sum does not fit one
};

/// The context a session gets: what is requested (0: as much as most chats need), as far as the
/// model was trained (0: not known).
int effectiveContextLength(int requested, int trained);

/// From the header alone; KV in f16.
MemoryNeed estimateMemory(const engine::ModelInfo& info, int requestedContextLength);

/// Bytes of memory this computer has, and those that programs can still take.
struct SystemMemory {
    quint64 total = 0;
    quint64 available = 0;
};

/// No value where the system does not say.
std::optional<SystemMemory> systemMemory();

/// From the text of Linux' /proc/meminfo.
std::optional<SystemMemory> parseMeminfo(const QByteArray& text);

} // namespace app
