#pragma once

#include "app/inference/generation_types.h"
#include "ui/theme/theme.h"

#include <QLabel>
#include <QWidget>

class QPlainTextEdit;

namespace ui {

class FlowLayout;
class Label;
class QuietButton;

/// A failure inline: reason first, then what to do; details fold open and can be copied.
class FailureCard : public QWidget {
    Q_OBJECT
public:
    enum class Step : quint8 {
        ChooseFile,
        CopyDetails,
        LoadAnyway,
        Retry,
        CopyUnsaved,
        CloseAnyway
    };

    explicit FailureCard(const Theme& theme, QWidget* parent = nullptr);

    /// The first of `steps` is the primary button.
    void showError(const QString& title, const app::UserError& error, const QList<Step>& steps);
    QString title() const;
    QString text() const;
    QWidget* stepButton(Step step) const;

Q_SIGNALS:
    void stepRequested(ui::FailureCard::Step step);
    void dismissed();

protected:
    void paintEvent(QPaintEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;

private:
    QString stepName(Step step) const;
    void restyle();

    const Theme& m_theme;
    Label* m_title;
    Label* m_text;
    QLabel* m_icon;
    FlowLayout* m_buttons;
    QHash<Step, QWidget*> m_steps;
    QuietButton* m_disclosure;
    QPlainTextEdit* m_details;
};

} // namespace ui
