#pragma once

#include "ui/theme/theme.h"

#include <QWidget>

#include <optional>

namespace ui {

class IconButton;
class LineField;

/// The seed: empty for a fresh one each reply, a number for the same text again. The dice draw one.
class SeedRow : public QWidget {
    Q_OBJECT
public:
    explicit SeedRow(const Theme& theme, QWidget* parent = nullptr);
    ~SeedRow() override;

    void setSeed(std::optional<quint64> seed);
    std::optional<quint64> seed() const { return m_seed; }

    LineField* field() const { return m_field; }
    IconButton* dice() const { return m_dice; }

Q_SIGNALS:
    void seedEdited(std::optional<quint64> seed);

private:
    void readText(const QString& text);
    void endTyping();

    std::optional<quint64> m_seed;
    std::optional<quint64> m_before; // it was typed over
    bool m_typing = false;
    LineField* m_field;
    IconButton* m_dice;
};

} // namespace ui
