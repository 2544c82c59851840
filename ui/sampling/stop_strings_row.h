#pragma once

#include "ui/theme/theme.h"

#include <QList>
#include <QStringList>
#include <QWidget>

class QAbstractButton;
class QLineEdit;

namespace ui {

class Label;

/// Texts that end a reply where the model writes one: chips in a field, each removed by a click or
/// a key, and a place to write the next. Enter or leaving the field adds it.
class StopStringsRow : public QWidget {
    Q_OBJECT
public:
    explicit StopStringsRow(const Theme& theme, QWidget* parent = nullptr);
    ~StopStringsRow() override;

    void setStopStrings(const QStringList& texts);
    const QStringList& stopStrings() const { return m_texts; }

    QLineEdit* field() const { return m_field; }
    const QList<QAbstractButton*>& chips() const { return m_chips; }

Q_SIGNALS:
    void stopStringsEdited(const QStringList& texts);

protected:
    bool eventFilter(QObject* object, QEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;
    void paintEvent(QPaintEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;

private:
    void restyle();
    void makeChips();
    void arrange();
    void addWritten();
    void removeAt(qsizetype index);
    bool chipKey(qsizetype index, int key);

    const Theme& m_theme;
    QStringList m_texts;
    Label* m_name;
    Label* m_when;
    QLineEdit* m_field;
    QList<QAbstractButton*> m_chips;
    QRect m_frame;
};

} // namespace ui
