#pragma once

#include "app/library/suggestions.h"
#include "ui/theme/theme.h"

#include <QWidget>

class QAbstractButton;
class QBoxLayout;

namespace ui {

class Label;

/// A model that is offered: name and role, size and speed, and the button that leads to the file.
class SuggestionCard : public QWidget {
    Q_OBJECT
public:
    enum class Shape : quint8 { Tall, Line }; ///< figures below the name, or beside it

    SuggestionCard(const Theme& theme, const app::ModelSuggestion& model,
                   QWidget* parent = nullptr);

    void setShape(Shape shape);
    /// At which nothing is cut.
    int widthFor(Shape shape) const;
    int heightFor(Shape shape) const;

    QAbstractButton* get() const { return m_get; }
    const QUrl& page() const { return m_page; }

protected:
    void paintEvent(QPaintEvent* event) override;

private:
    const Theme& m_theme;
    QUrl m_page;
    Label* m_name;
    Label* m_role;
    Label* m_numbers;
    QAbstractButton* m_get;
    QBoxLayout* m_words;
};

} // namespace ui
