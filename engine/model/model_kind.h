#pragma once

#include "engine/base/result.h"
#include "engine/model/hyperparameters.h"
#include "engine/model/model_file.h"

namespace engine {

/// Refuses what is in a model's format and is no model: a vocabulary alone, an adapter, ... Looks
/// at the header, reads no weights. Errors: NotAModelFile, whose `subject` says what it is.
Result<void> checkIsModel(const ModelFile& file);

/// Refuses a model that has no next token. Errors: NotAModelFile.
Result<void> checkWrites(const Hyperparameters& model);

} // namespace engine
