#pragma once

#include "ui/transcript/transcript_column.h"
#include "ui/transcript/transcript_find.h"
#include "ui/transcript/transcript_view.h"

#include <QElapsedTimer>
#include <QPointer>
#include <QTimer>

#include <optional>

namespace ui {

class MarkedScrollBar;
class NewestPill;

/// The inside of TranscriptView: the scroll rule, the frame clock and the search.
struct TranscriptView::Private {
    static constexpr int kFrameMs = 33;    ///< text is laid out at most 30 times a second
    static constexpr int kNearBottom = 48; ///< px within which the view counts as at its end
    static constexpr int kAhead = 2;       ///< screens beyond the visible that are real
    static constexpr int kAheadSteps = 4;  ///< in which they become so, while nothing else waits
    static constexpr int kTopMargin = 16;  ///< above a message that is scrolled to
    static constexpr int kSearchMs = 400;  ///< while text grows, between two searches

    explicit Private(TranscriptView* view);

    void applyTheme();
    void setLive(qint64 id, const LiveNumbers& numbers);
    void showSoon();
    void showPending();
    /// Heights, what is real, and the place of everything, by the scroll rule.
    void layOut();
    void scrolledBy(int dy);
    void setFollowing(bool follow);
    void updatePill();
    QRect placeForPill() const;
    bool isSelecting() const;
    void scrollToMessage(const TranscriptColumn::Entry& entry);
    void moveFocus(int step);

    void connectWidget(MessageWidget* widget);
    void connectSurface(TextSurface* surface);
    void askToOpen(const QUrl& url, const QPoint& position);
    void announceEnd(const app::Message& message);

    FindMarks marks() const { return {.text = findText, .sensitivity = findSensitivity}; }
    int startSearch(const QString& text, Qt::CaseSensitivity sensitivity);
    void searchSoon();
    void searchAgain();
    void collectHits();
    void stepTo(qsizetype index);
    void goTo(qsizetype index);
    void bringIntoView(const FindHit& target);
    void showColumnOf(const FindHit& target);
    void showMarks();
    void showMarksIn(MessageWidget& widget);
    void endFindMarks();
    qsizetype firstHitFrom(const FindHit& start) const;
    qsizetype firstHitInView() const;
    int topOfHit(const FindHit& target) const;
    int barPlaceOf(const FindHit& target, const TranscriptColumn::Entry& entry) const;
    void showBarMarks();

    TranscriptView* q;
    const Theme* theme = nullptr;
    TranscriptColumn column;
    MarkedScrollBar* bar;
    NewestPill* pill = nullptr;
    bool following = true;
    bool laying = false;
    TranscriptColumn::Anchor anchor; ///< what keeps its place while the view does not follow
    QPointer<TextSurface> selected;
    int aheadSteps = 0; ///< done
    QTimer lookAhead;
    QTimer frame;
    QElapsedTimer sinceFrame;
    int frames = 0; ///< times pending text was shown

    QString findText;
    Qt::CaseSensitivity findSensitivity = Qt::CaseInsensitive;
    QList<FindHit> hits;
    qsizetype hit = -1;
    std::optional<FindHit> lastHit; ///< gone to last; none once the user has scrolled
    bool returnsToEnd = false;      ///< began there, and nothing else was gone to by hand since
    bool barMarksAreOld = true;
    int barMarksHeight = 0; ///< of the column, when the bar was marked
    QTimer search;
};

} // namespace ui
