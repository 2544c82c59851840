#pragma once

#include "app/library/suggestions.h"
#include "ui/theme/theme.h"

#include <QList>
#include <QUrl>
#include <QWidget>

class QAbstractButton;
class QBoxLayout;

namespace ui {

class Button;
class IconButton;
class Label;
class Popover;
class SuggestionCard;

/// While the built-in model is in use: three bigger ones that suit this computer, with the way to
/// each. A strip below the header, closable. The cards stand side by side where their names have
/// room, else one below the other; folded the strip is one line, and the cards come in a popover.
class SuggestionBanner : public QWidget {
    Q_OBJECT
public:
    explicit SuggestionBanner(const Theme& theme, QWidget* parent = nullptr);

    /// Replaces the cards. Without any the strip only says how to open a file.
    void setSuggestions(const QList<app::ModelSuggestion>& models);
    /// False: the built-in model is not what answers; it could not be loaded.
    void setStarterThere(bool there);
    /// Equal to the transcript's, so that the cards stand in its column.
    void setSideMargin(int px);
    void setFolded(bool folded);
    bool isFolded() const { return m_folded; }
    int heightFor(int width, bool folded) const;
    /// What the button of the folded strip does.
    void openCards();

    /// The buttons of the cards, in their order.
    QList<QAbstractButton*> getButtons() const { return m_get; }
    Button* openFileButton() const { return m_open; }
    Button* showButton() const { return m_show; }
    IconButton* closeButton() const { return m_close; }
    Popover* popover() const { return m_popover; }

Q_SIGNALS:
    /// A page with the model's file is wanted: not opened here. `position` is global, of the
    /// button.
    void pageRequested(const QUrl& page, const QPoint& position);
    void openFileRequested();
    void closeRequested();
    /// The popover of the folded strip is closed.
    void cardsClosed();

protected:
    void paintEvent(QPaintEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;

private:
    struct Heading {
        bool oneLine = true;
        int height = 0;
    };

    SuggestionCard* makeCard(const app::ModelSuggestion& model, QWidget* parent);
    void showWords();
    void arrange();
    Heading heading(int room, bool folded) const;
    int cardsHeight(int room) const;
    bool standBeside(int room) const;

    const Theme& m_theme;
    bool m_starterThere = true;
    bool m_folded = false;
    int m_side = 32;
    QList<app::ModelSuggestion> m_models;
    Label* m_what;
    Label* m_offer;
    Button* m_show;
    Button* m_open;
    IconButton* m_close;
    QBoxLayout* m_words;
    QWidget* m_cardRow;
    QBoxLayout* m_cards;
    QList<SuggestionCard*> m_cardWidgets;
    QList<QAbstractButton*> m_get;
    Popover* m_popover = nullptr;
};

} // namespace ui
