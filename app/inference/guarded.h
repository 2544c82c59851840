#pragma once

#include "engine/base/result.h"

#include <exception>
#include <new>

namespace app {

/// No exception crosses from the engine: a failed allocation is an error like others.
template <typename Function>
auto guarded(const Function& function) -> decltype(function())
{
    try {
        return function();
    } catch (const std::bad_alloc&) {
        return engine::fail(engine::ErrorCode::OutOfMemory, "an allocation failed");
    } catch (const std::exception& exception) {
        return engine::fail(engine::ErrorCode::InvalidArgument, exception.what());
    }
}

} // namespace app
