#pragma once

#include "app/library/suggestions.h"
#include "ui/theme/theme.h"

#include <QList>
#include <QUrl>
#include <QWidget>

class QAbstractButton;
class QHBoxLayout;

namespace ui {

class Button;
class IconButton;
class Label;

/// While the built-in model is in use: three bigger ones that suit this computer, with the way to
/// each. A strip below the header, closable.
class SuggestionBanner : public QWidget {
    Q_OBJECT
public:
    explicit SuggestionBanner(const Theme& theme, QWidget* parent = nullptr);

    /// Replaces the cards. Without any the strip only says how to open a file.
    void setSuggestions(const QList<app::ModelSuggestion>& models);
    /// Equal to the transcript's, so that the cards stand in its column.
    /// False: the built-in model is not what answers; it could not be loaded.
    void setStarterThere(bool there);
    void setSideMargin(int px);

    /// The buttons of the cards, in their order.
    QList<QAbstractButton*> getButtons() const { return m_get; }
    Button* openFileButton() const { return m_open; }
    IconButton* closeButton() const { return m_close; }

Q_SIGNALS:
    /// A page with the model's file is wanted: not opened here. `position` is global, of the
    /// button.
    void pageRequested(const QUrl& page, const QPoint& position);
    void openFileRequested();
    void closeRequested();

protected:
    void paintEvent(QPaintEvent* event) override;

private:
    const Theme& m_theme;
    void showWords();

    bool m_starterThere = true;
    Label* m_what;
    Label* m_offer;
    Button* m_open;
    IconButton* m_close;
    QHBoxLayout* m_cards;
    QList<QWidget*> m_cardWidgets;
    QList<QAbstractButton*> m_get;
};

} // namespace ui
