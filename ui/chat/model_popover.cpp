#include "ui/chat/model_popover.h"

#include "app/inference/model_path.h"
#include "app/inference/size_text.h"
#include "ui/theme/icon_cache.h"
#include "ui/widgets/button.h"
#include "ui/widgets/label.h"
#include "ui/widgets/paint.h"

#include <QAbstractButton>
#include <QComboBox>
#include <QFileInfo>
#include <QFrame>
#include <QKeyEvent>
#include <QVBoxLayout>

#include <algorithm>
#include <cmath>

namespace ui {

using Token = Theme::Token;
using TextStyle = Theme::TextStyle;

namespace {

// Px before the text size.
constexpr int kWidth = 420;
constexpr int kMostName = 200;

constexpr int kFootSide = 10;
constexpr int kFootGap = 8;

/// A model in the picker: dot if loaded, name, size; the folder in the tooltip.
class ModelRow : public QAbstractButton {
public:
    ModelRow(const Theme& theme, const QString& path, const QString& name, bool loaded,
             bool builtIn, QWidget* parent)
        : QAbstractButton(parent)
        , m_theme(theme)
        , m_loaded(loaded)
    {
        const QFileInfo file(path);
        m_exists = file.exists();
        setText(name);
        if (builtIn && m_exists)
            m_size = ModelPopover::tr("built in");
        else if (m_exists && file.isFile())
            m_size = app::sizeText(static_cast<quint64>(file.size()), app::SizeKind::File);
        setToolTip(path);
        setAccessibleName(loaded ? tr("%1, loaded").arg(text()) : text());
        setAccessibleDescription(m_size);
        setFocusPolicy(Qt::StrongFocus);
        setAttribute(Qt::WA_Hover);
        setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
    }
    QSize sizeHint() const override
    {
        return {200, static_cast<int>(std::ceil(m_theme.lineHeight(TextStyle::Ui))) + 16};
    }

protected:
    void paintEvent(QPaintEvent*) override
    {
        QPainter painter(this);
        if (underMouse() || hasFocus())
            fillRounded(painter, rect(), radius::kControl, m_theme.color(Token::Selected));
        if (m_loaded)
            fillRounded(painter, {10, height() / 2.0 - 4, 8, 8}, 4, m_theme.color(Token::Ember));
        const QString right = m_exists ? m_size : tr("not there");
        painter.setFont(m_theme.font(TextStyle::Mono));
        painter.setPen(m_theme.color(m_exists ? Token::Text2 : Token::Bad));
        const QRectF area(28, 0, width() - 38, height());
        painter.drawText(area, Qt::AlignRight | Qt::AlignVCenter, right);
        const double room =
            area.width() - QFontMetricsF(painter.font()).horizontalAdvance(right) - 12;
        painter.setFont(m_theme.font(TextStyle::Ui, m_loaded ? QFont::DemiBold : QFont::Medium));
        painter.setPen(m_theme.color(m_exists ? Token::Text : Token::Text3));
        painter.drawText(area, Qt::AlignLeft | Qt::AlignVCenter,
                         QFontMetricsF(painter.font()).elidedText(text(), Qt::ElideMiddle, room));
    }

private:
    const Theme& m_theme;
    QString m_size;
    bool m_loaded;
    bool m_exists = false;
};

/// "Unload Qwen3 8B"; the name gives way where the button has less than `room`, px.
void nameUnload(Button& button, const QString& name, int mostName, int room)
{
    button.setText(ModelPopover::tr("Unload %1").arg(QString()));
    const int rest = button.sizeHint().width() + 2 * kFootSide + 2 * kFootGap;
    button.setText(ModelPopover::tr("Unload %1")
                       .arg(button.fontMetrics().elidedText(name, Qt::ElideMiddle,
                                                            std::clamp(room - rest, 0, mostName))));
}

} // namespace

ModelPopover::ModelPopover(const Theme& theme, QWidget* window)
    : Popover(theme, window)
    , m_theme(theme)
    , m_list(new QVBoxLayout)
    , m_context(new ContextSection(theme, this))
    , m_contextLine(buildLine())
    , m_open(new Button(theme, tr("Open a model file…"), Button::Kind::Secondary, this))
    , m_unload(new Button(theme, {}, Button::Kind::Secondary, this))
{
    setAccessibleName(tr("Choose a model"));
    auto* heading = new Label(theme, tr("On this computer"), TextStyle::Micro, Token::Text3, this);
    heading->setWeight(QFont::DemiBold);
    heading->setContentsMargins(10, 4, 10, 4);
    m_heading = heading;
    m_open->setIconName(QStringLiteral("open"));
    m_unload->setIconName(QStringLiteral("eject"));
    m_list->setContentsMargins(8, 8, 8, 8);
    m_list->setSpacing(0);
    m_list->addWidget(m_heading);
    auto* foot = new QHBoxLayout;
    foot->setContentsMargins(kFootSide, 8, kFootSide, 10);
    foot->setSpacing(kFootGap);
    foot->addWidget(m_unload);
    foot->addStretch();
    foot->addWidget(m_open);
    body()->addLayout(m_list);
    body()->addStretch();
    body()->addWidget(m_contextLine);
    body()->addWidget(m_context);
    body()->addWidget(buildLine());
    body()->addLayout(foot);
    connect(m_open, &QPushButton::clicked, this, [this] {
        dismiss();
        Q_EMIT openFileRequested();
    });
    connect(m_unload, &QPushButton::clicked, this, [this] {
        dismiss();
        Q_EMIT unloadRequested();
    });
}

QWidget* ModelPopover::buildLine()
{
    auto* line = new QFrame(this);
    line->setFixedHeight(1);
    line->setFrameShape(QFrame::NoFrame);
    line->setAutoFillBackground(true);
    const auto tint = [this, line] {
        QPalette colors = line->palette();
        colors.setColor(QPalette::Window, m_theme.color(Token::Line));
        line->setPalette(colors);
    };
    tint();
    connect(&m_theme, &Theme::changed, line, tint);
    return line;
}

void ModelPopover::setContext(const app::LoadedModel& model, int length, app::ContextStep step)
{
    m_context->setVisible(model.contextLength > 0);
    m_contextLine->setVisible(model.contextLength > 0);
    m_context->setContext(model, length, step);
}

void ModelPopover::setModels(const QStringList& recentPaths, const QString& loadedPath,
                             const QString& loadedName)
{
    for (QWidget* row : std::as_const(m_rows)) {
        m_list->removeWidget(row); // the list is measured before it is gone
        row->hide();
        row->deleteLater();
    }
    m_rows.clear();
    QStringList paths = recentPaths;
    if (!m_starter.isEmpty() && !paths.contains(m_starter)) paths.append(m_starter);
    if (!loadedPath.isEmpty() && !paths.contains(loadedPath)) paths.prepend(loadedPath);
    if (!loadedPath.isEmpty() && !loadedName.isEmpty()) m_names.insert(loadedPath, loadedName);
    QHash<QString, int> known;
    for (const QString& path : std::as_const(paths))
        ++known[nameOf(path)];
    for (const QString& path : std::as_const(paths)) {
        // Of two that call themselves alike, the files tell which is which.
        const QString name = nameOf(path);
        const bool alike = known.value(name) > 1 && path != m_starter;
        addRow(path, alike ? tr("%1 (%2)").arg(name, app::modelNameOf(path)) : name,
               path == loadedPath);
    }
    m_heading->setVisible(!paths.isEmpty());
    m_unload->setVisible(!loadedPath.isEmpty());
    constexpr int kAway = 8; // from the window's edges, together
    const auto scaled = [this](int px) { return qRound(px * m_theme.textScale()); };
    const int most = parentWidget()->width() - kAway;
    setMinimumWidth(std::min(scaled(kWidth), most));
    const QMargins around = body()->contentsMargins();
    nameUnload(*m_unload, loadedName, scaled(kMostName),
               most - around.left() - around.right() - m_open->sizeHint().width());
    // Tab goes as the eye does: the rows are younger than the buttons below them.
    QWidget* before = this;
    for (QWidget* stop :
         m_rows + QList<QWidget*>{m_context->lengths(), m_context->steps(), m_unload, m_open}) {
        setTabOrder(before, stop);
        before = stop;
    }
}

QString ModelPopover::nameOf(const QString& path) const
{
    if (path == m_starter) return tr("Starter");
    return m_names.value(path, app::modelNameOf(path));
}

void ModelPopover::addRow(const QString& path, const QString& name, bool loaded)
{
    auto* row = new ModelRow(m_theme, path, name, loaded, path == m_starter, this);
    m_rows += row;
    m_list->addWidget(row);
    connect(row, &QAbstractButton::clicked, this, [this, path] {
        dismiss();
        Q_EMIT modelChosen(path);
    });
}

void ModelPopover::keyPressEvent(QKeyEvent* event)
{
    switch (event->key()) {
    case Qt::Key_Down:
        focusNextChild();
        return;
    case Qt::Key_Up:
        focusPreviousChild();
        return;
    case Qt::Key_Home:
    case Qt::Key_End:
        if (!m_rows.isEmpty())
            (event->key() == Qt::Key_Home ? m_rows.first() : m_rows.last())
                ->setFocus(Qt::TabFocusReason);
        return;
    default:
        Popover::keyPressEvent(event);
    }
}

} // namespace ui
