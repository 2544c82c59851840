#pragma once

#include "engine/engine.h"

#include <mutex>

namespace app {

/// The sampling settings the window sets and the worker reads before every token.
class LiveSettings {
public:
    /// Gives the settings the next version where they differ from the present ones.
    void set(engine::SamplingSettings settings)
    {
        const std::scoped_lock lock(m_mutex);
        settings.version = m_settings.version;
        if (settings == m_settings) return;
        ++settings.version;
        m_settings = settings;
    }

    engine::SamplingSettings get() const
    {
        const std::scoped_lock lock(m_mutex);
        return m_settings;
    }

private:
    mutable std::mutex m_mutex;
    engine::SamplingSettings m_settings;
};

} // namespace app
