#include "ui/chat/drop_overlay.h"

#include "app/inference/model_path.h"
#include "app/inference/size_text.h"
#include "ui/theme/icon_cache.h"
#include "ui/widgets/paint.h"

#include <QFileInfo>

namespace ui {

using Token = Theme::Token;
using TextStyle = Theme::TextStyle;

DropOverlay::DropOverlay(const Theme& theme, QWidget* parent)
    : QWidget(parent)
    , m_theme(theme)
{
    setAttribute(Qt::WA_TransparentForMouseEvents);
    hide();
}

QString DropOverlay::modelAmong(const QList<QUrl>& urls)
{
    for (const QUrl& url : urls)
        if (url.isLocalFile() && !app::modelPathOf(url.toLocalFile()).isEmpty())
            return url.toLocalFile();
    return {};
}

void DropOverlay::showFor(const QList<QUrl>& urls)
{
    const QFileInfo file(app::modelPathOf(modelAmong(urls)));
    m_welcome = !file.filePath().isEmpty();
    if (m_welcome) {
        m_title = tr("Add this model");
        const QString used = tr("It is used where it is, nothing is copied.");
        m_text =
            file.isFile()
                ? tr("%1, %2. %3")
                      .arg(file.fileName(),
                           app::sizeText(static_cast<quint64>(file.size()), app::SizeKind::File),
                           used)
                : tr("%1. %2").arg(app::modelNameOf(file.filePath()), used);
    } else {
        m_title = tr("This cannot be used here");
        m_text = tr("Drop a .gguf file or a Hugging Face folder.");
    }
    setGeometry(parentWidget()->rect());
    show();
    raise();
    update();
}

void DropOverlay::paintEvent(QPaintEvent*)
{
    QPainter painter(this);
    painter.fillRect(rect(), m_theme.color(Token::Surface, 0.94));
    const QRectF frame = QRectF(rect()).adjusted(25, 25, -25, -25);
    painter.setRenderHint(QPainter::Antialiasing);
    QPen pen(m_theme.color(m_welcome ? Token::Accent : Token::Edge), 2, Qt::DashLine);
    pen.setDashPattern({3, 2});
    painter.setPen(pen);
    painter.setBrush(m_theme.color(m_welcome ? Token::InfoSoft : Token::Panel));
    painter.drawRoundedRect(frame, radius::kBubble, radius::kBubble);
    const double middle = frame.center().y();
    painter.drawPixmap(QPointF(frame.center().x() - 12, middle - 52),
                       m_theme.icons().pixmap(QStringLiteral("models"), 24,
                                              m_welcome ? Token::Accent : Token::Text3,
                                              devicePixelRatioF()));
    painter.setFont(m_theme.font(TextStyle::H3, QFont::DemiBold));
    painter.setPen(m_theme.color(Token::Text));
    painter.drawText(QRectF(frame.left(), middle - 16, frame.width(), 26), Qt::AlignCenter,
                     m_title);
    painter.setFont(m_theme.font(TextStyle::Ui));
    painter.setPen(m_theme.color(Token::Text2));
    painter.drawText(QRectF(frame.center().x() - 150, middle + 12, 300, 90),
                     Qt::AlignHCenter | Qt::TextWordWrap, m_text);
}

} // namespace ui
