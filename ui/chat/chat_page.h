#pragma once

#include "app/application_core.h"
#include "app/library/model_suggester.h"
#include "ui/chat/failure_card.h"
#include "ui/theme/theme.h"

#include <QElapsedTimer>
#include <QTimer>
#include <QUrl>
#include <QWidget>

#include <optional>

class QScrollArea;
class QStackedWidget;

namespace ui {

class ChatHeader;
class Composer;
class ContextCard;
class DropOverlay;
class FindBar;
class ModelPopover;
class NoticeStrip;
class PromptPills;
class SuggestionBanner;
class TranscriptView;
class UndoStrip;
class WelcomeView;

/// The middle of the window: header, transcript (or welcome), failures, composer. Carries what the
/// user does here to the conversation controller and to inference, and their answers back.
class ChatPage : public QWidget {
    Q_OBJECT
public:
    ChatPage(const Theme& theme, app::ApplicationCore& core, QWidget* parent = nullptr);

    ChatHeader* header() const { return m_header; }
    TranscriptView* transcript() const { return m_transcript; }
    Composer* composer() const { return m_composer; }
    FailureCard* failureCard() const { return m_error; }
    /// Above all other notes; what it says is the window's business.
    FailureCard* closeCard() const { return m_closing; }
    ContextCard* contextCard() const { return m_context; }
    WelcomeView* welcome() const { return m_welcome; }
    NoticeStrip* notice() const { return m_notice; }
    NoticeStrip* storageNotice() const { return m_storage; }
    UndoStrip* undoStrip() const { return m_undo; }
    DropOverlay* dropOverlay() const { return m_drop; }
    ModelPopover* modelPopover() const { return m_popover; }
    SuggestionBanner* suggestionBanner() const { return m_banner; }
    PromptPills* promptPills() const { return m_pills; }

    void openModel(const QString& path);
    /// Files dropped or pasted: a model is loaded, others are named and refused.
    void takeFiles(const QList<QUrl>& files);
    /// Asks for a file, then loads it.
    void chooseModelFile();
    void openModelPopover();
    void openFind();
    void setNarrow(bool narrow);
    void focusComposer();
    void editLastMessage();
    void regenerateLast();
    void copyLastAnswer();
    /// Esc after everything that lies over the page: keeps the window open, closes find, leaves the
    /// card with the focus, then stops. False: nothing to do.
    bool escape();
    /// How long a notice holds that nobody closes.
    enum class NoticeScope : quint8 {
        Lasting,
        Model, ///< while the model is in use
        Chat,  ///< until another chat is shown, or a reply begins in this one
        Shown, ///< until another chat is shown
    };
    void showNotice(const QString& sentence, NoticeScope scope = NoticeScope::Lasting);

protected:
    bool event(QEvent* event) override;
    bool eventFilter(QObject* object, QEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    void paintEvent(QPaintEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;

private:
    void build();
    QList<QWidget*> notesInOrder() const;
    void shareHeight();
    void connectConversation();
    void connectTranscript();
    void connectModel();
    void connectComposer();
    void connectErrors();
    void connectFirstRun();
    void showMessages();
    void showContextStart();
    void showFound(qint64 messageId, const QString& words);
    void deleteMessage(qint64 messageId);
    void showTitle();
    QString titleOf(qint64 conversationId) const;
    bool isWritingHere() const;
    void showModelState();
    /// The model's name, kind and size in the header.
    void showChip(const QString& name, bool loaded);
    void showQueue();
    void showFirstRun();
    void offerModels(bool offer);
    void askAboutPage(const QUrl& page, const QPoint& position);
    void askAboutContext(const app::ContextQuestion& question);
    void showLoadError(const app::UserError& error);
    void takeStep(FailureCard::Step step);
    void showStorage();
    void measure(qint64 messageId);
    void showLive();
    void endNotice(NoticeScope scope);
    void endFailure();
    bool leaveCard();
    void announce(const QString& sentence);

    const Theme& m_theme;
    app::ApplicationCore& m_core;
    ChatHeader* m_header;
    FindBar* m_find;
    SuggestionBanner* m_banner;
    PromptPills* m_pills;
    NoticeStrip* m_notice;
    NoticeStrip* m_storage;
    UndoStrip* m_undo;
    QStackedWidget* m_body;
    WelcomeView* m_welcome;
    TranscriptView* m_transcript;
    FailureCard* m_error;
    FailureCard* m_closing;
    ContextCard* m_context;
    Composer* m_composer;
    DropOverlay* m_drop;
    ModelPopover* m_popover = nullptr;
    QWidget* m_foot = nullptr;
    QScrollArea* m_notes = nullptr; // troubles and errors above the composer
    bool m_pillsWanted = false;     // shown where there is room
    bool m_bannerWanted = false;

    app::ModelSuggester m_suggester;
    QString m_path;                     ///< of the model wanted last
    QString m_pathBefore;               ///< of the one before, which may be loading still
    QString m_failedPath;               ///< of the one the failure card is about
    std::optional<qint64> m_failedChat; ///< where the card stands; none: nowhere
    NoticeScope m_noticeScope = NoticeScope::Lasting;
    struct Live {
        qint64 messageId = 0;
        int tokens = 0;
        QElapsedTimer clock; // from the first token
    };
    Live m_live;
    QTimer m_liveTimer;
};

} // namespace ui
