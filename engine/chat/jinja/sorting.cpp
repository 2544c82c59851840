#include "engine/chat/jinja/sorting.h"

#include "engine/chat/jinja/attributes.h"
#include "engine/chat/jinja/operators.h"
#include "engine/chat/jinja/unicode.h"

#include <algorithm>

namespace engine::jinja {

namespace {

Outcome<Value> withoutCase(Runtime& runtime, Value value)
{
    if (!value.is(Kind::Text)) return value;
    TRY(runtime.spendBytes(value.text().utf8().size()));
    return runtime.text(unicode::lower(value.text().utf8()));
}

Outcome<Value> singleKey(Runtime& runtime, Value item, std::optional<Value> attribute,
                         const SortKey& key)
{
    if (attribute) {
        TRY_ASSIGN(item, pathOf(runtime, item, *attribute, key.fallback));
    }
    return key.ignoresCase ? withoutCase(runtime, item) : Outcome<Value>(item);
}

} // namespace

Outcome<Value> keyFor(Runtime& runtime, Value item, const SortKey& key)
{
    if (!key.manyAttributes || !key.attribute || !key.attribute->is(Kind::Text) ||
        key.attribute->text().utf8().find(',') == std::string::npos)
        return singleKey(runtime, item, key.attribute, key);
    const std::string& names = key.attribute->text().utf8();
    std::vector<Value> keys;
    for (std::size_t at = 0; at <= names.size();) {
        const std::size_t comma = std::min(names.find(',', at), names.size());
        const Value name = runtime.heap().text(names.substr(at, comma - at));
        TRY_ASSIGN(const Value part, singleKey(runtime, item, name, key));
        keys.push_back(part);
        at = comma + 1;
    }
    return runtime.heap().list(std::move(keys));
}

Outcome<std::vector<Keyed>> sortedByKey(Runtime& runtime, const std::vector<Value>& items,
                                        const SortKey& key, bool reversed)
{
    std::vector<Keyed> keyed;
    keyed.reserve(items.size());
    for (const Value item : items) {
        TRY_ASSIGN(const Value itemKey, keyFor(runtime, item, key));
        keyed.push_back({item, itemKey});
    }
    TRY(stableSort(runtime, keyed, [&](const Keyed& left, const Keyed& right) -> Outcome<bool> {
        // Lists of keys: what is equal is not compared, be it None.
        if (key.manyAttributes) {
            TRY_ASSIGN(const bool same, equal(runtime, left.key, right.key));
            if (same) return false;
        }
        return reversed ? compare(runtime, Comparison::Less, right.key, left.key)
                        : compare(runtime, Comparison::Less, left.key, right.key);
    }));
    return keyed;
}

std::vector<Value> itemsOf(const std::vector<Keyed>& keyed)
{
    std::vector<Value> items;
    items.reserve(keyed.size());
    for (const Keyed& entry : keyed)
        items.push_back(entry.item);
    return items;
}

} // namespace engine::jinja
