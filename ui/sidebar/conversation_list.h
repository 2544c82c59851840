#pragma once

#include "ui/theme/theme.h"

#include <QListView>
#include <QStyledItemDelegate>

namespace ui {

/// Paints headings and rows of the conversation list, and the field a title is renamed in.
class ConversationDelegate : public QStyledItemDelegate {
    Q_OBJECT
public:
    explicit ConversationDelegate(const Theme& theme, QObject* parent = nullptr);

    void paint(QPainter* painter, const QStyleOptionViewItem& option,
               const QModelIndex& index) const override;
    QSize sizeHint(const QStyleOptionViewItem& option, const QModelIndex& index) const override;
    QWidget* createEditor(QWidget* parent, const QStyleOptionViewItem& option,
                          const QModelIndex& index) const override;
    void updateEditorGeometry(QWidget* editor, const QStyleOptionViewItem& option,
                              const QModelIndex& index) const override;
    void setModelData(QWidget* editor, QAbstractItemModel* model,
                      const QModelIndex& index) const override;

    /// Where "…" stands in a row.
    static QRect moreRect(const QRect& row);

private:
    const Theme& m_theme;
};

/// The list itself: Enter or a click opens, F2 or a double click renames, Del deletes, "…" and the
/// context menu offer the same.
class ConversationList : public QListView {
    Q_OBJECT
public:
    explicit ConversationList(const Theme& theme, QWidget* parent = nullptr);

    /// The conversation under the keyboard's cursor, 0 if none.
    qint64 currentId() const;

Q_SIGNALS:
    void openRequested(qint64 conversationId);
    void deleteRequested(qint64 conversationId);
    void menuRequested(qint64 conversationId, const QPoint& globalPosition);

protected:
    void keyPressEvent(QKeyEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void mouseReleaseEvent(QMouseEvent* event) override;
    void contextMenuEvent(QContextMenuEvent* event) override;

private:
    bool isOnMore(const QPoint& position) const;

    QPersistentModelIndex m_pressed;
};

} // namespace ui
