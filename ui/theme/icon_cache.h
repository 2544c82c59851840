#pragma once

#include "ui/theme/theme.h"

#include <QHash>
#include <QIcon>
#include <QPixmap>
#include <QString>

namespace ui {

/// Icons of resources/icons by name ("copy", "chevron-down"): black SVG masks, rendered at device
/// resolution and flooded with a token's colour. Cleared by the Theme when colours change.
class IconCache {
public:
    explicit IconCache(const Theme& theme);

    /// `size` in device-independent px: up to 20 the drawing of the 16 px grid is used, above it
    /// that of the 24 px grid. A name that does not exist gives an empty pixmap.
    QPixmap pixmap(const QString& name, int size, Theme::Token token, qreal dpr) const;
    /// An icon that follows its mode: `rest` normally, `text` when active or on, `disabled`
    /// otherwise. It keeps the colours of the theme as it is now.
    QIcon icon(const QString& name, int size = 16, Theme::Token rest = Theme::Token::Text2) const;
    /// The program's own mark, in colour.
    QPixmap appIcon(int size, qreal dpr) const;

    void clear() const { m_cache.clear(); }

private:
    const Theme& m_theme;
    mutable QHash<QString, QPixmap> m_cache;
};

} // namespace ui
