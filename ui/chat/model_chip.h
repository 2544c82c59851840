#pragma once

#include "ui/theme/theme.h"

#include <QAbstractButton>

namespace ui {

/// The model in the header: state, name, quantization, size, state word. Where space is short the
/// size goes first, then the quantization, then the word.
class ModelChip : public QAbstractButton {
    Q_OBJECT
public:
    enum class State : quint8 { NotLoaded, Loading, Ready, Writing, Failed };

    explicit ModelChip(const Theme& theme, QWidget* parent = nullptr);

    /// `name` empty: no model is chosen. `bytes` 0: not known.
    void setModel(const QString& name, const QString& quantization, quint64 bytes);
    void setState(State state);
    void setProgress(double share); ///< of Loading, 0 to 1
    /// Dot and name only.
    void setNarrow(bool narrow);

    State state() const { return m_state; }
    QString stateWord() const;
    QString sizeWord() const { return m_size; }

    QSize sizeHint() const override;
    QSize minimumSizeHint() const override;

protected:
    void paintEvent(QPaintEvent* event) override;

private:
    struct Parts {
        bool size = true;
        bool tag = true;
        bool word = true;
    };

    QString shownName() const;
    QFont wordFont() const;
    double widthOf(const Parts& parts) const;
    void describe();
    void relayout();
    double paintDot(QPainter& painter) const;
    double paintTag(QPainter& painter, double x) const;
    double paintWord(QPainter& painter, double x) const;

    const Theme& m_theme;
    State m_state = State::NotLoaded;
    QString m_name;
    QString m_quantization;
    QString m_size;
    double m_progress = 0;
    bool m_narrow = false;
};

} // namespace ui
