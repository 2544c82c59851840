#pragma once

#include "app/inference/generation_types.h"
#include "app/inference/memory_estimate.h"

#include <QString>

namespace app {

/// Why the model at `path` could not be loaded, as a sentence with a next step. `name`: as the
/// window calls the model.
UserError loadError(const engine::Error& error, const QString& path, const QString& name);

/// A model that would not fit, refused before loading.
UserError tooLargeError(const MemoryNeed& need, const SystemMemory& memory);

/// Why a reply ended before its end.
UserError generationError(const engine::Error& error);

/// A reply was asked for and there is no model.
UserError noModelError();

} // namespace app
