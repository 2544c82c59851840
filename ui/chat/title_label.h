#pragma once

#include "ui/theme/theme.h"

#include <QPointer>
#include <QStackedWidget>

namespace ui {

class Label;
class LineField;

/// The open chat's title; a double click or F2 turns it into a field.
class TitleLabel : public QStackedWidget {
    Q_OBJECT
public:
    explicit TitleLabel(const Theme& theme, QWidget* parent = nullptr);
    ~TitleLabel() override;

    void setTitle(const QString& title);
    QString title() const;
    void setRenamable(bool renamable) { m_renamable = renamable; }
    void startRenaming();
    LineField* field() const { return m_field; }

    /// A word of it can always be read.
    QSize minimumSizeHint() const override;

Q_SIGNALS:
    void renamed(const QString& title);

protected:
    void mouseDoubleClickEvent(QMouseEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    bool eventFilter(QObject* object, QEvent* event) override;

private:
    void finish(bool keep);

    Label* m_label;
    LineField* m_field;
    QPointer<QWidget> m_before; ///< had the focus before it was renamed
    bool m_renamable = false;
    bool m_renaming = false;
};

} // namespace ui
