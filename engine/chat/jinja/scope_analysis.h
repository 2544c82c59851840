#pragma once

#include "engine/chat/jinja/ast.h"

namespace engine::jinja {

/// Fills in ScopedBody::hidden throughout a template. Jinja2 decides before it runs where a name
/// comes from: one that a scope sets before it reads it belongs to that scope from its start, so
/// that a loop or macro inside reads it as undefined until then, whatever the caller passed.
void hideNames(ScopedBody& root);

} // namespace engine::jinja
