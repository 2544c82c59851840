#pragma once

#include "engine/chat/jinja/ast.h"
#include "engine/chat/jinja/value.h"

#include <utility>
#include <vector>

namespace engine::jinja {

/// The variables of one entry into a ScopedBody. Macros keep the scope they were defined in, so
/// scopes live on a heap.
class Scope final : public HeapItem {
public:
    explicit Scope(Scope* parent)
        : m_parent(parent)
    {
    }

    Scope* parent() const { return m_parent; }

    /// Null where no variable is called so, here or further out.
    const Value* find(NameId name) const
    {
        for (const Scope* scope = this; scope; scope = scope->m_parent)
            for (const auto& [id, value] : scope->m_variables)
                if (id == name) return &value;
        return nullptr;
    }

    void set(NameId name, Value value)
    {
        for (auto& [id, old] : m_variables) {
            if (id != name) continue;
            old = value;
            return;
        }
        m_variables.emplace_back(name, value);
    }

    /// Something keeps this scope, and with it those around it: they must not be used again.
    void keep()
    {
        for (Scope* scope = this; scope && !scope->m_kept; scope = scope->m_parent)
            scope->m_kept = true;
    }
    bool isKept() const { return m_kept; }
    void clear() { m_variables.clear(); }

private:
    Scope* m_parent;
    std::vector<std::pair<NameId, Value>> m_variables;
    bool m_kept = false;
};

} // namespace engine::jinja
