#include "ui/sampling/next_token_accessible.h"

#include "ui/sampling/next_token_view.h"

#include <QAccessibleWidget>

#include <array>

namespace ui {

namespace {

/// One row of the view; lives as long as its list.
class TokenRowAccessible : public QAccessibleInterface {
public:
    TokenRowAccessible(NextTokenView* view, int row)
        : m_view(view)
        , m_row(row)
    {
    }

    bool isValid() const override { return m_row < m_view->rowCount(); }
    QObject* object() const override { return nullptr; }
    QAccessibleInterface* childAt(int, int) const override { return nullptr; }
    QAccessibleInterface* parent() const override
    {
        return QAccessible::queryAccessibleInterface(m_view);
    }
    QAccessibleInterface* child(int) const override { return nullptr; }
    int childCount() const override { return 0; }
    int indexOfChild(const QAccessibleInterface*) const override { return -1; }
    QString text(QAccessible::Text kind) const override
    {
        return kind == QAccessible::Name && isValid() ? m_view->rowDescription(m_row) : QString();
    }
    void setText(QAccessible::Text, const QString&) override {}
    QRect rect() const override
    {
        const QRect row = m_view->rowRect(m_row);
        return {m_view->mapToGlobal(row.topLeft()), row.size()};
    }
    QAccessible::Role role() const override { return QAccessible::ListItem; }
    QAccessible::State state() const override
    {
        QAccessible::State state;
        state.readOnly = true;
        state.invisible = !m_view->isVisible();
        return state;
    }

private:
    NextTokenView* m_view;
    int m_row;
};

class NextTokenAccessible : public QAccessibleWidget {
public:
    explicit NextTokenAccessible(NextTokenView* view)
        : QAccessibleWidget(view, QAccessible::List, view->accessibleName())
        , m_view(view)
    {
        for (int row = 0; row < NextTokenView::kRows; ++row)
            m_ids[static_cast<std::size_t>(row)] =
                QAccessible::registerAccessibleInterface(new TokenRowAccessible(view, row));
    }
    ~NextTokenAccessible() override
    {
        for (const QAccessible::Id id : m_ids)
            QAccessible::deleteAccessibleInterface(id);
    }
    NextTokenAccessible(const NextTokenAccessible&) = delete;
    NextTokenAccessible& operator=(const NextTokenAccessible&) = delete;

    int childCount() const override { return m_view->rowCount(); }
    QAccessibleInterface* child(int index) const override
    {
        return index >= 0 && index < childCount()
                   ? QAccessible::accessibleInterface(m_ids[static_cast<std::size_t>(index)])
                   : nullptr;
    }
    int indexOfChild(const QAccessibleInterface* child) const override
    {
        for (int row = 0; row < childCount(); ++row)
            if (this->child(row) == child) return row;
        return -1;
    }

private:
    NextTokenView* m_view;
    std::array<QAccessible::Id, NextTokenView::kRows> m_ids{};
};

QAccessibleInterface* createAccessible(const QString&, QObject* object)
{
    auto* view = qobject_cast<NextTokenView*>(object);
    return view != nullptr ? new NextTokenAccessible(view) : nullptr;
}

} // namespace

void installNextTokenAccessible()
{
    QAccessible::installFactory(createAccessible);
}

} // namespace ui
