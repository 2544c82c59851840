#pragma once

#include "ui/theme/theme.h"

#include <QLabel>
#include <QList>
#include <QWidget>

namespace ui {

class Button;
class Label;

/// A chat that has not begun: a question, and either prompts to begin with or the way to a model.
class WelcomeView : public QWidget {
    Q_OBJECT
public:
    enum class State : quint8 { NoModel, Loading, Ready };

    explicit WelcomeView(const Theme& theme, QWidget* parent = nullptr);

    void setState(State state, const QString& modelName);
    /// Whether a model that is there brings prompts to begin with; the starter has its own.
    void setPromptsOffered(bool offered);

    Button* openButton() const { return m_open; }
    QString title() const;
    /// Below this it says nothing.
    int leastHeight() const;

Q_SIGNALS:
    void openFileRequested();
    /// A beginning for the composer, to be finished by the user.
    void promptChosen(const QString& text);

protected:
    void resizeEvent(QResizeEvent* event) override;

private:
    QWidget* buildPrompts();
    void arrange();

    const Theme& m_theme;
    QLabel* m_mark;
    Label* m_title;
    Label* m_text;
    Button* m_open;
    QWidget* m_prompts;
    State m_state = State::NoModel;
    bool m_promptsOffered = true;
};

} // namespace ui
