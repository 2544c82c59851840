#include "ui/chat/notice_strip.h"

#include "ui/theme/icon_cache.h"
#include "ui/widgets/icon_button.h"
#include "ui/widgets/label.h"
#include "ui/widgets/paint.h"

#include <QHBoxLayout>

namespace ui {

using Token = Theme::Token;

namespace {

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
    , m_close(new IconButton(theme, QStringLiteral("close"), tr("Close"), this))
{
    m_text->setWordWrap(true);
    auto* line = new QHBoxLayout(this);
    line->setContentsMargins(12, 4, 4, 4);
    line->setSpacing(10);
    line->addWidget(m_icon);
    line->addWidget(m_text, 1);
    line->addWidget(m_close);
    setMinimumHeight(36);
    hide();
    connect(m_close, &QAbstractButton::clicked, this, &QWidget::hide);
    connect(&theme, &Theme::changed, this, &NoticeStrip::tint);
}

void NoticeStrip::showNotice(Kind kind, const QString& text, bool closable)
{
    m_kind = kind;
    m_text->setText(text);
    m_close->setVisible(closable);
    tint();
    show();
}

QString NoticeStrip::text() const
{
    return m_text->text();
}

void NoticeStrip::tint()
{
    m_icon->setPixmap(m_theme.icons().pixmap(QString::fromLatin1(rowOf(m_kind).icon), 16,
                                             rowOf(m_kind).ink, devicePixelRatioF()));
    update();
}

void NoticeStrip::paintEvent(QPaintEvent*)
{
    QPainter painter(this);
    fillRounded(painter, rect(), radius::kControl, m_theme.color(rowOf(m_kind).fill));
}

} // namespace ui
