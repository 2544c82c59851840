#pragma once

#include "app/cli/command.h"
#include "engine/engine.h"

#include <optional>
#include <string>

namespace cli {

/// The options that `generate` and `chat` share.
struct GenerationOptions {
    std::string model;
    engine::SamplingSettings settings;
    std::optional<std::uint64_t> seed;
    std::vector<std::string> stopStrings;
    int threads = 0;
    int contextLength = 0;
    std::string kv; // empty: as the engine chooses
    std::vector<std::string> adapters;
    std::string draft; // empty: none

    void addTo(CLI::App& program);
    engine::Result<std::shared_ptr<engine::Model>> openModel() const;
    /// Without a draft model.
    engine::SessionOptions session() const;
    engine::Result<std::unique_ptr<engine::Session>>
    createSession(std::shared_ptr<engine::Model> opened) const;
    /// The settings with the seed in place.
    engine::SamplingSettings sampling() const;
};

/// Says on stderr what the model has to say of its chat template. Call it when the reply begins: an
/// error stands alone.
void sayNotice(const engine::Model& model);

/// "f16" -> KvType::F16; nothing for another word.
std::optional<engine::KvType> parseKvType(const std::string& name);
/// Restricts an option to the names parseKvType() takes.
CLI::IsMember kvTypeNames();

/// What the model answers goes to stdout, what it thinks before to stderr; both at once.
void streamReply(const std::string& text, const std::string& reasoning);

nlohmann::ordered_json toJson(const engine::GenerationTimings& timings);
std::string_view stopReasonName(engine::StopReason reason);

} // namespace cli
