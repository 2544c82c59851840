#pragma once

#include "ui/sampling/chain_preview.h"
#include "ui/theme/theme.h"

#include <QElapsedTimer>
#include <QTimer>
#include <QVariantAnimation>
#include <QWidget>

#include <algorithm>
#include <optional>

namespace ui {

/// The next token as the knobs see it: ten candidates as bars, what was cut by which knob, and the
/// sum of it. Recomputes the chain itself when a knob moves.
class NextTokenView : public QWidget {
    Q_OBJECT
public:
    enum class Phase : quint8 { Empty, Live, Last };
    static constexpr int kRows = 10;
    static constexpr int kLeastRows = 5;

    explicit NextTokenView(const Theme& theme, QWidget* parent = nullptr);

    /// A decoded token and the text before it. At most 15 are shown a second.
    void setToken(const engine::TokenEvent& event, const QString& before, int vocabularySize);
    void setPhase(Phase phase);
    void setSettings(const engine::SamplingSettings& settings);
    void clear();

    Phase phase() const { return m_phase; }
    /// Of the position shown; null before the first token.
    const ChainPreview* preview() const { return m_preview ? &*m_preview : nullptr; }

    /// Fewer of the candidates where there is little height.
    void setMostRows(int rows);
    int mostRows() const { return m_mostRows; }
    int rowHeight() const;
    int rowCount() const { return std::min(m_mostRows, static_cast<int>(m_bars.size())); }
    /// "slowly, 81.5 percent, picked"; REQUIRES: 0 <= row < rowCount().
    QString rowDescription(int row) const;
    QRect rowRect(int row) const;

    QSize sizeHint() const override;
    QSize minimumSizeHint() const override;

    /// How many tokens can be picked, as it fits beside the key of the mark: "64 or more of 151,936
    /// can be picked", or without the number of all.
    struct PickedText {
        QString count;
        QString words;
    };
    PickedText pickedText() const;
    /// 2: the key has a line of its own, however few can be picked.
    int keyLines() const { return m_keyLines; }

Q_SIGNALS:
    void previewChanged();

protected:
    void paintEvent(QPaintEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;

private:
    struct Bar {
        double model = 0; // of the bar's room, square root of the share
        double final = 0;
    };

    void showPending();
    void recompute();
    void startMotion();
    double keyRoom() const;
    double keyGap() const;
    double widthOf(const PickedText& text) const;
    double keyWidth() const;
    int keyLinesNeeded() const;
    void paintHead(QPainter& painter, const QRectF& area) const;
    void paintContext(QPainter& painter, const QRectF& area) const;
    void paintRow(QPainter& painter, const QRectF& area, std::size_t index) const;
    void paintBar(QPainter& painter, const QRectF& room, const PreviewRow& row,
                  const Bar& bar) const;
    void paintHatched(QPainter& painter, const QRectF& bar, Theme::Token token) const;
    void paintSums(QPainter& painter, const QRectF& area) const;
    void paintLegend(QPainter& painter, const QRectF& area) const;
    void paintKey(QPainter& painter, const QRectF& area) const;
    void paintEmpty(QPainter& painter, const QRectF& area) const;

    const Theme& m_theme;
    Phase m_phase = Phase::Empty;
    engine::SamplingSettings m_settings;
    engine::TokenEvent m_event;
    QString m_before;
    int m_vocabularySize = 0;
    int m_keyLines = 1;
    int m_mostRows = kRows;
    std::optional<engine::TokenEvent> m_pending;
    QString m_pendingBefore;
    std::optional<ChainPreview> m_preview;
    std::vector<Bar> m_bars; // as drawn now, by rank
    std::vector<Bar> m_from;
    std::vector<Bar> m_to;
    QTimer m_throttle;
    QVariantAnimation m_motion;
};

} // namespace ui
