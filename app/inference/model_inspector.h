#pragma once

#include "app/inference/engine_factory.h"
#include "app/inference/generation_types.h"

#include <QObject>

#include <stop_token>

namespace app {

/// A model to be loaded, and what is known of it on the way.
struct LoadRequest {
    quint64 id = 0;
    QString path;
    bool force = false;
    int threads = 0;
    int contextLength = 0; ///< as in ModelOptions
    std::stop_token stop;
    engine::ModelInfo info; ///< once it was looked at
};

/// Looks at a model before anything is given up for it: reads its header and asks whether there is
/// memory for it. In a thread of its own, so that a reply goes on meanwhile.
class ModelInspector : public QObject {
    Q_OBJECT
public:
    explicit ModelInspector(EngineFactory engine);

    /// `heldBytes`: memory that is free once the present model has gone.
    void inspect(const LoadRequest& request, quint64 heldBytes);

Q_SIGNALS:
    /// `request` has its info now.
    void accepted(const app::LoadRequest& request);
    void refused(quint64 loadId, const app::UserError& error);

private:
    EngineFactory m_engine;
};

} // namespace app
