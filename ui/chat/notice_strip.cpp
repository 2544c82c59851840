#include "ui/chat/notice_strip.h"

#include "ui/theme/icon_cache.h"
#include "ui/widgets/icon_button.h"
#include "ui/widgets/label.h"
#include "ui/widgets/paint.h"

#include <QHBoxLayout>

#include <algorithm>

namespace ui {

using Token = Theme::Token;

namespace {

constexpr int kLeft = 12;
constexpr int kPad = 4;
constexpr int kGap = 10;
constexpr int kIcon = 16;
constexpr int kLeast = 36;

struct KindRow {
    Token fill;
    Token ink;
    const char* icon;
};
constexpr KindRow kKinds[] = {
    {Token::InfoSoft, Token::Accent, "info"},
    {Token::OkSoft, Token::Ok, "ok"},
    {Token::WarnSoft, Token::Warn, "warning"},
    {Token::BadSoft, Token::Bad, "error"},
};

const KindRow& rowOf(NoticeStrip::Kind kind)
{
    return kKinds[static_cast<int>(kind)];
}

} // namespace

NoticeStrip::NoticeStrip(const Theme& theme, QWidget* parent)
    : QWidget(parent)
    , m_theme(theme)
    , m_icon(new QLabel(this))
    , m_text(new Label(theme, {}, Theme::TextStyle::Ui, Token::Text, this))
    , m_more(new IconButton(theme, QStringLiteral("chevron-down"), tr("Show all of it"), this))
    , m_close(new IconButton(theme, QStringLiteral("close"), tr("Close"), this))
{
    m_text->setWordWrap(true);
    m_more->hide();
    auto* line = new QHBoxLayout(this);
    line->setContentsMargins(kLeft, kPad, kPad, kPad);
    line->setSpacing(kGap);
    line->addWidget(m_icon);
    line->addWidget(m_text, 1);
    line->addWidget(m_more);
    line->addWidget(m_close);
    setMinimumHeight(kLeast);
    hide();
    connect(m_close, &QAbstractButton::clicked, this, &QWidget::hide);
    connect(m_more, &QAbstractButton::clicked, this, [this] {
        m_opened = true;
        arrange();
        Q_EMIT unfolded();
    });
    connect(&theme, &Theme::changed, this, &NoticeStrip::tint);
}

void NoticeStrip::showNotice(Kind kind, const QString& text, bool closable)
{
    m_kind = kind;
    m_opened = false;
    m_text->setText(text);
    m_close->setVisible(closable);
    tint();
    arrange();
    show();
}

int NoticeStrip::textRoom(int width) const
{
    const int close = m_close->isHidden() ? 0 : kGap + m_close->sizeHint().width();
    return width - kLeft - kIcon - kGap - close - kPad;
}

bool NoticeStrip::isOneLine(int width) const
{
    return m_text->fontMetrics().horizontalAdvance(m_text->text()) < textRoom(width);
}

int NoticeStrip::heightFor(int width, bool folded) const
{
    const QFontMetrics metrics = m_text->fontMetrics();
    const QRect room(0, 0, textRoom(width), 10'000);
    const int words = folded && !m_opened
                          ? metrics.height()
                          : metrics.boundingRect(room, Qt::TextWordWrap, m_text->text()).height();
    return std::max(kLeast, words + 2 * kPad);
}

void NoticeStrip::setFolded(bool folded)
{
    if (m_folded == folded) return;
    m_folded = folded;
    arrange();
}

void NoticeStrip::arrange()
{
    const bool folded = m_folded && !m_opened;
    m_text->setWordWrap(!folded);
    m_text->setElided(folded);
    m_more->setVisible(folded && !isOneLine(width()));
}

void NoticeStrip::resizeEvent(QResizeEvent*)
{
    arrange();
}

QString NoticeStrip::text() const
{
    return m_text->text();
}

void NoticeStrip::tint()
{
    m_icon->setPixmap(m_theme.icons().pixmap(QString::fromLatin1(rowOf(m_kind).icon), kIcon,
                                             rowOf(m_kind).ink, devicePixelRatioF()));
    update();
}

void NoticeStrip::paintEvent(QPaintEvent*)
{
    QPainter painter(this);
    fillRounded(painter, rect(), radius::kControl, m_theme.color(rowOf(m_kind).fill));
}

} // namespace ui
