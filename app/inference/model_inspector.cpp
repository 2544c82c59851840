#include "app/inference/model_inspector.h"

#include "app/inference/error_text.h"
#include "app/inference/guarded.h"
#include "app/inference/memory_estimate.h"
#include "app/inference/model_path.h"

#include <QFileInfo>

#include <optional>
#include <utility>

namespace app {

namespace {

std::optional<UserError> refusalOf(const LoadRequest& request, quint64 heldBytes)
{
    std::optional<SystemMemory> memory = systemMemory();
    if (!memory || request.force) return std::nullopt;
    const MemoryNeed need = estimateMemory(request.info, request.contextLength);
    memory->available += heldBytes;
    if (need.total() <= memory->available) return std::nullopt;
    return tooLargeError(need, *memory);
}

} // namespace

ModelInspector::ModelInspector(EngineFactory engine)
    : m_engine(std::move(engine))
{
}

void ModelInspector::inspect(const LoadRequest& request, quint64 heldBytes)
{
    engine::Result<engine::ModelInfo> info = guarded([&]() -> engine::Result<engine::ModelInfo> {
        if (request.stop.stop_requested())
            return engine::fail(engine::ErrorCode::Cancelled, "the load was cancelled");
        return m_engine.inspect(QFileInfo(request.path).filesystemFilePath());
    });
    if (!info) {
        Q_EMIT refused(request.id,
                       loadError(info.error(), request.path, modelNameOf(request.path)));
        return;
    }
    LoadRequest known = request;
    known.info = *std::move(info);
    if (const std::optional<UserError> error = refusalOf(known, heldBytes)) {
        Q_EMIT refused(request.id, *error);
        return;
    }
    Q_EMIT accepted(known);
}

} // namespace app
