#pragma once

#include "engine/chat/chat_template.h"
#include "engine/engine.h"
#include "engine/model/model_file.h"

#include <memory>
#include <string>

namespace engine {

/// A model from a file or folder on this machine. Built by open(), constant afterwards but for the
/// forward pass's scratch.
class LocalModel final : public Model {
public:
    static Result<std::shared_ptr<LocalModel>> open(const std::filesystem::path& path,
                                                    const LoadOptions& options);

    const ModelInfo& info() const override { return m_info; }
    const Tokenizer& tokenizer() const override { return *m_tokenizer; }
    ForwardPass& forwardPass() override { return *m_forwardPass; }
    const std::string& notice() const override { return m_chatTemplate->notice(); }
    Result<std::string> renderChat(std::span<const ChatMessage> messages) const override;
    Result<ChatPrompt> encodeChat(std::span<const ChatMessage> messages) const override;
    std::uint64_t residentBytes() const override { return m_forwardPass->residentBytes(); }

private:
    LocalModel() = default;
    Result<void> load(const std::shared_ptr<ModelFile>& file, const LoadOptions& options);

    ModelInfo m_info;
    std::unique_ptr<const Tokenizer> m_tokenizer;
    std::unique_ptr<const ChatTemplate> m_chatTemplate;
    std::unique_ptr<ForwardPass> m_forwardPass;
};

} // namespace engine
