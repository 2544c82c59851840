// ChatPage: the model in use, and those that could be.

#include "app/inference/model_path.h"
#include "ui/chat/chat_header.h"
#include "ui/chat/chat_page.h"
#include "ui/chat/context_card.h"
#include "ui/chat/drop_overlay.h"
#include "ui/chat/model_chip.h"
#include "ui/chat/model_popover.h"
#include "ui/chat/welcome_view.h"
#include "ui/composer/composer.h"
#include "ui/composer/message_edit.h"

#include <QDir>
#include <QFileDialog>
#include <QFileInfo>
#include <QStandardPaths>

namespace ui {

using State = app::InferenceService::ModelState;

void ChatPage::connectModel()
{
    auto& inference = m_core.inference();
    using Service = app::InferenceService;
    connect(&inference, &Service::modelStateChanged, this, [this](State state) {
        if (state == State::Loading) endFailure();
        showModelState();
    });
    connect(&inference, &Service::loadProgressed, m_header->chip(), &ModelChip::setProgress);
    connect(&inference, &Service::modelLoaded, this, [this](const app::LoadedModel& model) {
        m_path = model.path; // a card stays: it is about a file that was opened meanwhile
        endNotice(NoticeScope::Model);
        if (!model.notice.isEmpty()) showNotice(model.notice, NoticeScope::Model);
        showModelState();
    });
    connect(&inference, &Service::modelUnloaded, this, [this] { endNotice(NoticeScope::Model); });
    connect(&inference, &Service::loadFailed, this, &ChatPage::showLoadError);
    connect(m_header->chip(), &QAbstractButton::clicked, this, &ChatPage::openModelPopover);
    connect(m_welcome, &WelcomeView::openFileRequested, this, &ChatPage::chooseModelFile);
    connect(m_welcome, &WelcomeView::promptChosen, this, [this](const QString& text) {
        m_composer->edit()->setText(text);
        focusComposer();
    });
}

void ChatPage::showChip(const QString& name, bool loaded)
{
    const app::LoadedModel& model = m_core.inference().model();
    const QFileInfo wanted(m_path);
    quint64 bytes = wanted.isFile() ? static_cast<quint64>(wanted.size()) : 0;
    QString quantization;
    if (loaded) {
        bytes = model.fileBytes;
        quantization = m_core.isStarter(model.path) ? tr("built in") : model.quantization;
    }
    m_header->chip()->setModel(name, quantization, bytes);
}

void ChatPage::showModelState()
{
    const auto& inference = m_core.inference();
    const State state = inference.modelState();
    const app::LoadedModel& model = inference.model();
    const bool loaded = state == State::Ready || state == State::Writing;
    if (m_path.isEmpty()) m_path = m_core.settings().get(app::settings::kLastModelPath);
    const QString name = loaded                     ? model.name
                         : m_path.isEmpty()         ? QString()
                         : m_core.isStarter(m_path) ? tr("Starter")
                                                    : m_core.modelName(m_path);
    showChip(name, loaded);
    constexpr ModelChip::State kChip[] = {ModelChip::State::NotLoaded, ModelChip::State::Loading,
                                          ModelChip::State::Ready, ModelChip::State::Writing,
                                          ModelChip::State::Failed};
    m_header->chip()->setState(kChip[static_cast<int>(state)]);

    m_composer->setState(isWritingHere()           ? Composer::State::Writing
                         : m_context->isAsking()   ? Composer::State::Asked
                         : loaded                  ? Composer::State::Ready
                         : state == State::Loading ? Composer::State::Loading
                                                   : Composer::State::NoModel,
                         name);
    m_welcome->setState(loaded                    ? WelcomeView::State::Ready
                        : state == State::Loading ? WelcomeView::State::Loading
                                                  : WelcomeView::State::NoModel,
                        name);
    showQueue();
    showFirstRun();
}

void ChatPage::showLoadError(const app::UserError& error)
{
    if (error.code == engine::ErrorCode::Cancelled) return;
    using Step = FailureCard::Step;
    m_failedPath = m_path;
    const QString name = m_core.modelName(m_failedPath);
    if (m_core.inference().modelState() == State::Loading) m_path = m_pathBefore; // goes on
    QList<Step> steps{Step::ChooseFile};
    if (error.code == engine::ErrorCode::OutOfMemory) steps += Step::LoadAnyway;
    if (!error.details.isEmpty()) steps += Step::CopyDetails;
    const bool starter = m_core.isStarter(m_core.wantedModel());
    app::UserError shown = error;
    if (starter && error.code != engine::ErrorCode::OutOfMemory)
        shown.sentence = tr("Its file is damaged or missing. Install Inglenook again, or choose a "
                            "model of your own.");
    const QString title = starter          ? tr("The built-in model could not be loaded")
                          : name.isEmpty() ? tr("The model could not be loaded")
                                           : tr("%1 could not be loaded").arg(name);
    // Some sentences begin with what the title says.
    if (shown.sentence.startsWith(title % QLatin1Char('.')))
        shown.sentence = shown.sentence.mid(title.size() + 1).trimmed();
    m_error->showError(title, shown, steps);
    m_failedChat = m_core.conversations().currentConversation();
    announce(m_error->title() % QStringLiteral(". ") % shown.sentence);
    showModelState();
}

void ChatPage::takeStep(FailureCard::Step step)
{
    switch (step) {
    case FailureCard::Step::ChooseFile:
        chooseModelFile();
        return;
    case FailureCard::Step::LoadAnyway:
        m_path = m_failedPath;
        endFailure();
        m_core.loadModel(m_path, app::InferenceService::Force::LoadAnyway);
        return;
    case FailureCard::Step::Retry:
        openModel(m_failedPath);
        return;
    case FailureCard::Step::CopyDetails: // the card has copied them
    case FailureCard::Step::CopyUnsaved:
    case FailureCard::Step::CloseAnyway: // no model's
        return;
    }
}

void ChatPage::openModel(const QString& path)
{
    const QString model = app::modelPathOf(path);
    m_pathBefore = m_path;
    m_path = model.isEmpty() ? path : model;
    endFailure();
    // Chosen by hand it brings its banner back.
    if (m_core.isStarter(m_path)) m_core.settings().set(app::settings::kOfferModels, true);
    m_core.loadModel(m_path);
    showModelState();
    focusComposer();
}

void ChatPage::takeFiles(const QList<QUrl>& files)
{
    const QString model = DropOverlay::modelAmong(files);
    QStringList refused;
    for (const QUrl& file : files)
        if (file.toLocalFile() != model || model.isEmpty()) refused += file.fileName();
    if (!model.isEmpty()) openModel(model);
    if (!refused.isEmpty())
        showNotice(tr("%1 cannot be used here. A .gguf file or a Hugging Face folder can.")
                       .arg(refused.join(QStringLiteral(", "))));
}

void ChatPage::chooseModelFile()
{
    // Where the last one was; the first is most likely among the downloads.
    const bool first = m_path.isEmpty() || m_core.isStarter(m_path);
    const QString folder = first
                               ? QStandardPaths::writableLocation(QStandardPaths::DownloadLocation)
                               : QFileInfo(m_path).path();
    auto* dialog = new QFileDialog(this, tr("Open a model file"),
                                   QFileInfo(folder).isDir() ? folder : QDir::homePath(),
                                   tr("Models (*.gguf *.safetensors config.json)") %
                                       QStringLiteral(";;") % tr("All files (*)"));
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setFileMode(QFileDialog::ExistingFile);
    connect(dialog, &QFileDialog::fileSelected, this, &ChatPage::openModel);
    dialog->open();
}

void ChatPage::openModelPopover()
{
    if (m_popover == nullptr) {
        m_popover = new ModelPopover(m_theme, window());
        connect(m_popover, &ModelPopover::modelChosen, this, &ChatPage::openModel);
        connect(m_popover, &ModelPopover::openFileRequested, this, &ChatPage::chooseModelFile);
        m_popover->setStarter(m_core.starterFile());
        connect(
            m_popover->contextSection(), &ContextSection::lengthChosen, this,
            [this](int tokens) { m_core.settings().set(app::settings::kContextLength, tokens); });
        connect(m_popover->contextSection(), &ContextSection::stepChosen, &m_core.contextGuide(),
                &app::ContextGuide::setEveryChat);
        connect(m_popover, &ModelPopover::unloadRequested, &m_core.inference(),
                &app::InferenceService::unloadModel);
        connect(m_popover, &Popover::closed, this, &ChatPage::focusComposer);
    }
    if (m_popover->isVisible()) {
        m_popover->dismiss();
        return;
    }
    const bool loaded = m_core.inference().modelState() == State::Ready ||
                        m_core.inference().modelState() == State::Writing;
    const app::LoadedModel& model = m_core.inference().model();
    const QStringList recent = m_core.settings().get(app::settings::kRecentModels);
    QHash<QString, QString> names;
    for (const QString& path : recent)
        names.insert(path, m_core.modelName(path));
    m_popover->setNames(names);
    m_popover->setModels(recent, loaded ? model.path : QString(), model.name);
    m_popover->setContext(loaded ? model : app::LoadedModel(),
                          m_core.settings().get(app::settings::kContextLength),
                          m_core.settings().get(app::settings::kContextStep));
    if (sender() == m_composer)
        m_popover->openAbove(m_composer->modelButton());
    else
        m_popover->openBelow(m_header->chip());
}

} // namespace ui
