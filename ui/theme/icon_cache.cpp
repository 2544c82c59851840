#include "ui/theme/icon_cache.h"

#include <QPainter>
#include <QSvgRenderer>

// Outside any namespace, as the macro needs: the icons lie in a static library.
static void initializeIconResources() // NOLINT(misc-use-anonymous-namespace): the macro
{
    Q_INIT_RESOURCE(icons);
}

namespace ui {

namespace {

QPixmap render(const QString& file, int size, qreal dpr)
{
    const int pixels = qRound(size * dpr);
    QPixmap pixmap(pixels, pixels);
    pixmap.fill(Qt::transparent);
    QPainter painter(&pixmap);
    QSvgRenderer(file).render(&painter, QRectF(0, 0, pixels, pixels));
    painter.end();
    pixmap.setDevicePixelRatio(dpr);
    return pixmap;
}

} // namespace

IconCache::IconCache(const Theme& theme)
    : m_theme(theme)
{
    initializeIconResources();
}

QPixmap IconCache::pixmap(const QString& name, int size, Theme::Token token, qreal dpr) const
{
    const QString key = name % QLatin1Char('/') % QString::number(size) % QLatin1Char('/') %
                        QString::number(static_cast<int>(token)) % QLatin1Char('/') %
                        QString::number(dpr);
    if (const auto found = m_cache.constFind(key); found != m_cache.constEnd()) return *found;

    QPixmap pixmap =
        render(QStringLiteral(":/icons/%1/%2.svg").arg(size <= 20 ? 16 : 24).arg(name), size, dpr);
    QPainter painter(&pixmap);
    painter.setCompositionMode(QPainter::CompositionMode_SourceIn);
    painter.fillRect(QRect(0, 0, size, size), m_theme.color(token));
    painter.end();
    m_cache.insert(key, pixmap);
    return pixmap;
}

QIcon IconCache::icon(const QString& name, int size, Theme::Token rest) const
{
    QIcon icon;
    for (const qreal dpr : {1.0, 2.0}) {
        icon.addPixmap(pixmap(name, size, rest, dpr), QIcon::Normal);
        icon.addPixmap(pixmap(name, size, Theme::Token::Text, dpr), QIcon::Active);
        icon.addPixmap(pixmap(name, size, Theme::Token::Text, dpr), QIcon::Selected);
        icon.addPixmap(pixmap(name, size, Theme::Token::Disabled, dpr), QIcon::Disabled);
    }
    return icon;
}

QPixmap IconCache::appIcon(int size, qreal dpr) const
{
    const QString key = QStringLiteral("app/%1/%2").arg(size).arg(dpr);
    if (const auto found = m_cache.constFind(key); found != m_cache.constEnd()) return *found;
    // Hand-fitted drawings serve the small sizes.
    const QLatin1StringView file = size * dpr <= 24   ? QLatin1StringView("inglenook-16")
                                   : size * dpr <= 40 ? QLatin1StringView("inglenook-32")
                                                      : QLatin1StringView("inglenook");
    const QPixmap pixmap = render(QStringLiteral(":/icons/app/%1.svg").arg(file), size, dpr);
    m_cache.insert(key, pixmap);
    return pixmap;
}

} // namespace ui
