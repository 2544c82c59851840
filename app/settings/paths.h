#pragma once

#include <QString>

namespace app {

/// Where Inglenook keeps its files on this system. INGLENOOK_HOME moves everything below one
/// folder.
struct Paths {
    QString dataFolder;   ///< conversations
    QString configFolder; ///< settings
    QString cacheFolder;
    QString starterFile = {}; ///< the built-in model; empty: there is none

    static Paths standard();
};

} // namespace app
