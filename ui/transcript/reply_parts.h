#pragma once

#include <QString>
#include <QStringView>

namespace ui {

/// Splits a reply into the thought it begins with (`<think>` or `<thinking>`) and the answer, while
/// it is being written. A tag that has not ended is held back.
class ReplyParts {
public:
    enum class Phase : quint8 { Undecided, Thinking, Answering };

    void append(QStringView delta);
    /// Nothing follows: what was held back is text.
    void finish();
    void clear() { *this = ReplyParts(); }

    Phase phase() const { return m_phase; }
    bool hasThought() const { return m_hasThought; }
    const QString& thought() const { return m_thought; }
    const QString& answer() const { return m_answer; }

private:
    void advance();

    Phase m_phase = Phase::Undecided;
    bool m_hasThought = false;
    QString m_closer;
    QString m_held; ///< not yet known where it belongs
    QString m_thought;
    QString m_answer;
};

} // namespace ui
