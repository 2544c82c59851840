#include "engine/generation/local_model.h"

#include "engine/base/free_memory.h"
#include "engine/base/thread_pool.h"
#include "engine/model/adapters.h"
#include "engine/model/forward_pass_factory.h"
#include "engine/model/model_kind.h"
#include "engine/model/vocabulary_file.h"
#include "engine/model_info.h"

#include <algorithm>
#include <format>
#include <future>
#include <stop_token>
#include <utility>

namespace engine {

namespace {

Result<void> checkVocabulary(const Tokenizer& tokenizer, const ForwardPass& forwardPass)
{
    // More logits than tokens is common (padding); the other way round a token could not be looked
    // up.
    if (tokenizer.size() <= forwardPass.vocabularySize()) return {};
    return fail(
        ErrorCode::BadMetadata,
        std::format("expected a vocabulary of at most {} tokens (rows of token_embd.weight), "
                    "found {} in tokenizer.ggml.tokens",
                    forwardPass.vocabularySize(), tokenizer.size()),
        "tokenizer.ggml.tokens");
}

/// A conversation and, where the template could not take it, what an assistant's last message says.
struct OpenChat {
    RenderedChat chat;
    std::string_view after = {};
};

/// The conversation as far as its last message, an assistant's, goes.
Result<OpenChat> renderUnfinished(const ChatTemplate& chatTemplate,
                                  std::span<const ChatMessage> messages)
{
    // Told from the template's own text, and keeps spaces at the end from being trimmed away.
    constexpr std::string_view kEnd = "[[the reply goes on here]]";
    std::vector<ChatMessage> marked(messages.begin(), messages.end());
    marked.back().content += kEnd;
    ChatRenderOptions options;
    options.addGenerationPrompt = false;
    auto whole = chatTemplate.render(marked, options);
    if (const std::size_t end = whole ? whole->text.rfind(kEnd) : std::string::npos;
        end != std::string::npos) {
        whole->text.resize(end);
        std::erase_if(whole->literals, [end](std::size_t offset) { return offset >= end; });
        return OpenChat{std::move(*whole)};
    }
    // Some templates take or show no assistant's message at the end.
    TRY_ASSIGN(RenderedChat before, chatTemplate.render(messages.first(messages.size() - 1)));
    return OpenChat{std::move(before), messages.back().content};
}

Result<OpenChat> renderOpen(const ChatTemplate& chatTemplate, std::span<const ChatMessage> messages)
{
    if (messages.size() > 1 && messages.back().role == "assistant")
        return renderUnfinished(chatTemplate, messages);
    TRY_ASSIGN(RenderedChat chat, chatTemplate.render(messages));
    return OpenChat{std::move(chat)};
}

/// The outcome, its message with the file's name.
template <typename T>
Result<T> named(Result<T> outcome, const std::filesystem::path& path)
{
    if (!outcome)
        outcome.error().message =
            std::format("{}: {}", path.filename().string(), outcome.error().message);
    return outcome;
}

/// As much as tells what a template has opened; may begin within a character.
std::string endOf(const std::string& text)
{
    constexpr std::size_t kEnough = 256;
    return text.substr(text.size() - std::min(text.size(), kEnough));
}

} // namespace

Result<std::shared_ptr<Model>> Model::open(const std::filesystem::path& path,
                                           const LoadOptions& options)
{
    return LocalModel::open(path, options);
}

Result<std::unique_ptr<const Tokenizer>> openTokenizer(const std::filesystem::path& path)
{
    TRY_ASSIGN(const ModelFile file, openVocabularyFile(path));
    return Tokenizer::create(file.metadata());
}

Result<std::shared_ptr<LocalModel>> LocalModel::open(const std::filesystem::path& path,
                                                     const LoadOptions& options)
{
    std::shared_ptr<LocalModel> model(new LocalModel);
    TRY_ASSIGN(ModelFile opened, ModelFile::open(path));
    TRY(named(checkIsModel(opened), path));
    const auto file = std::make_shared<ModelFile>(std::move(opened));
    TRY_ASSIGN(model->m_info, describeModel(*file, path));
    TRY(model->load(file, options));
    TRY(checkVocabulary(*model->m_tokenizer, *model->m_forwardPass));
    if (file->hasChanged())
        return fail(ErrorCode::FileCorrupt,
                    std::format("{}: the file was changed while it was read. Wait until whatever "
                                "writes it has finished, then open it again",
                                path.string()),
                    path.string());
    // The tokenizer has its own form of the vocabulary.
    file->mutableMetadata().dropArrays();
    returnFreeMemory();
    return model;
}

/// A large vocabulary takes as long to build as weights do to pack, and one thread.
Result<void> LocalModel::load(const std::shared_ptr<ModelFile>& file, const LoadOptions& options)
{
    std::stop_source abandoned;
    const std::stop_callback forward(options.stop, [&] { abandoned.request_stop(); });
    ForwardPassOptions passOptions{options.threads > 0 ? options.threads : defaultThreadCount(),
                                   options.progress, abandoned.get_token(), options.reference};
    for (const auto& [adapter, strength] : options.adapters) {
        TRY_ASSIGN(ModelFile adapterFile, ModelFile::open(adapter));
        TRY(named(checkIsAdapter(adapterFile), adapter));
        passOptions.adapters.push_back(
            {std::make_shared<const ModelFile>(std::move(adapterFile)), strength});
    }
    // Without a free thread it is built when it is asked for.
    auto vocabulary = std::async(std::launch::async | std::launch::deferred, [&] {
        auto tokenizer = Tokenizer::create(file->metadata());
        if (!tokenizer) abandoned.request_stop();
        return tokenizer;
    });
    auto forwardPass = createForwardPass(file, passOptions);
    TRY_ASSIGN(m_tokenizer, vocabulary.get());
    TRY_ASSIGN(m_forwardPass, std::move(forwardPass));
    m_chatTemplate = ChatTemplate::create(file->metadata(), *m_tokenizer);
    return {};
}

Result<std::string> LocalModel::renderChat(std::span<const ChatMessage> messages) const
{
    TRY_ASSIGN(RenderedChat chat, m_chatTemplate->render(messages));
    return std::move(chat.text);
}

Result<ChatPrompt> LocalModel::encodeChat(std::span<const ChatMessage> messages) const
{
    TRY_ASSIGN(const OpenChat open, renderOpen(*m_chatTemplate, messages));
    const RenderedChat& chat = open.chat;
    // The template writes what it wants between the turns; of the tokenizer's own additions only
    // BOS has a place here, once.
    std::vector<TokenId> ids = m_tokenizer->encode(
        chat.text, {.addSpecial = false, .parseSpecial = true, .literals = chat.literals});
    const TokenId bos = m_tokenizer->bos();
    if (m_tokenizer->addsBos() && bos >= 0 && (ids.empty() || ids.front() != bos))
        ids.insert(ids.begin(), bos);
    const std::vector<TokenId> after =
        m_tokenizer->encode(open.after, {.addSpecial = false, .parseSpecial = false});
    ids.insert(ids.end(), after.begin(), after.end());
    ChatPrompt prompt{std::move(ids), {}};
    // Without a template the prompt ends with what the user wrote.
    if (m_chatTemplate->source() != ChatTemplateSource::PlainFallback)
        prompt.reply.promptEnd = endOf(chat.text);
    return prompt;
}

} // namespace engine
