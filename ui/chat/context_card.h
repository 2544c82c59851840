#pragma once

#include "app/conversation/context_guide.h"
#include "ui/theme/theme.h"

#include <QWidget>

#include <array>

class QBoxLayout;
class QButtonGroup;
class QCheckBox;
class QLabel;

namespace ui {

class Button;
class ContextOption;
class Label;

/// "This chat has filled its context": the ways on, the cheapest first, and Continue.
class ContextCard : public QWidget {
    Q_OBJECT
public:
    explicit ContextCard(const Theme& theme, QWidget* parent = nullptr);

    /// `modelName`: who writes the summary.
    void ask(const app::ContextQuestion& question, const QString& modelName);
    const app::ContextQuestion& question() const { return m_question; }
    /// Whether it is shown and offers more than to stop.
    bool isAsking() const;
    QString title() const;
    ContextOption* option(app::ContextStep step) const;
    QCheckBox* everyChat() const { return m_everyChat; }
    Button* continueButton() const { return m_continue; }
    /// Answers so, whatever is chosen, and for this chat alone.
    void stopHere();

Q_SIGNALS:
    void answered(const app::ContextQuestion& question, app::ContextStep step, bool everyChat);

protected:
    void keyPressEvent(QKeyEvent* event) override;
    void paintEvent(QPaintEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;

private:
    void build();
    void give();
    bool hasWayOn() const;
    QString limitText() const;
    void describe(const QString& modelName);
    void restyle();

    const Theme& m_theme;
    app::ContextQuestion m_question;
    QLabel* m_icon;
    Label* m_title;
    Label* m_figure;
    Label* m_text;
    QButtonGroup* m_group;
    std::array<ContextOption*, 4> m_options; // as the steps after Ask
    QCheckBox* m_everyChat;
    Button* m_continue;
    QBoxLayout* m_foot;
};

} // namespace ui
