#include "app/inference/engine_factory.h"

namespace app {

EngineFactory EngineFactory::standard()
{
    return {.inspect = &engine::inspectModel,
            .open = &engine::Model::open,
            .createSession = &engine::Session::create};
}

} // namespace app
