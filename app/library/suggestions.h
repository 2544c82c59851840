#pragma once

#include "app/inference/memory_estimate.h"

#include <QList>
#include <QString>
#include <QUrl>

namespace app {

/// A model to offer: where its file is found and what it will be like on this computer.
struct ModelSuggestion {
    enum class Role : quint8 { Quickest, Balanced, Ablest };

    Role role = Role::Balanced;
    QString name;
    quint64 fileBytes = 0;
    double tokensPerSecond = 0; ///< predicted; 0: not known
    QUrl page;                  ///< where people download it
};

/// At most three models that fit well (under 80 % of the memory that is free), from a short list
/// that comes with the program: quickest first. `bytesPerSecond` is how fast memory is read, 0 if
/// not known; models that would write less than three tokens a second are left out where three
/// others remain.
QList<ModelSuggestion> suggestModels(const SystemMemory& memory, double bytesPerSecond);

} // namespace app
