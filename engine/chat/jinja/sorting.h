#pragma once

#include "engine/chat/jinja/instance.h"
#include "engine/chat/jinja/runtime.h"
#include "engine/chat/jinja/value.h"

#include <optional>
#include <vector>

namespace engine::jinja {

/// By what filters compare items.
struct SortKey {
    std::optional<Value> attribute;     ///< nothing: the item itself
    std::optional<Value> fallback = {}; ///< where it has no such attribute
    bool ignoresCase = true;            ///< texts in lower case
    bool manyAttributes = false;        ///< `attribute` may be several: "age,name"
};

struct Keyed {
    Value item;
    Value key;
};

Outcome<Value> keyFor(Runtime& runtime, Value item, const SortKey& key);
/// Stable; also where reversed.
Outcome<std::vector<Keyed>> sortedByKey(Runtime& runtime, const std::vector<Value>& items,
                                        const SortKey& key, bool reversed);
std::vector<Value> itemsOf(const std::vector<Keyed>& keyed);

} // namespace engine::jinja
