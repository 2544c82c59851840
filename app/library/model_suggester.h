#pragma once

#include "app/library/suggestions.h"

#include <QObject>

#include <memory>

class QThread;

namespace app {

/// Finds out which models suit this computer. The first answer comes at once, from the memory that
/// is free; a second one with speeds when memory has been measured, on a thread of its own. GUI
/// thread.
class ModelSuggester : public QObject {
    Q_OBJECT
public:
    explicit ModelSuggester(QObject* parent = nullptr);
    ~ModelSuggester() override; ///< waits for a measurement, some 0.1 s

    /// Once; the answers come by `suggested`.
    void start();

Q_SIGNALS:
    void suggested(const QList<app::ModelSuggestion>& models);

private:
    void suggest(double bytesPerSecond);

    std::unique_ptr<QThread> m_thread;
};

} // namespace app
