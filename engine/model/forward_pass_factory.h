#pragma once

#include "engine/base/result.h"
#include "engine/model/forward_pass.h"
#include "engine/model/model_file.h"
#include "engine/model/weights.h"

#include <functional>
#include <memory>
#include <stop_token>
#include <vector>

namespace engine {

struct ForwardPassOptions {
    int threads = 1;
    /// Called from the loading thread with the share of the weights that is ready, 0 to 1.
    std::function<void(double)> progress;
    std::stop_token stop; ///< ends the loading with Cancelled
    bool reference = false;
    std::vector<AdapterFile> adapters{}; ///< all are applied
};

/// The forward pass for a model: the fast one, or the slow one in f32.
Result<std::unique_ptr<ForwardPass>> createForwardPass(std::shared_ptr<const ModelFile> file,
                                                       const ForwardPassOptions& options);

} // namespace engine
