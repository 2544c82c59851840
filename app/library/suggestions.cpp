#include "app/library/suggestions.h"

#include <algorithm>
#include <cmath>
#include <vector>

namespace app {

namespace {

struct CatalogueRow {
    const char* name;
    double gigabytes; ///< of the file
    double perToken;  ///< gigabytes read for a token: less where only some experts work
    const char* repository;
};

// Ablest last. Four bits a weight but for the smallest, instruction-tuned.
constexpr CatalogueRow kCatalogue[] = {
    {"Qwen3 0.6B", 0.64, 0.64, "Qwen/Qwen3-0.6B-GGUF"},
    {"Llama 3.2 1B", 0.81, 0.81, "bartowski/Llama-3.2-1B-Instruct-GGUF"},
    {"Qwen3 1.7B", 1.83, 1.83, "Qwen/Qwen3-1.7B-GGUF"},
    {"Llama 3.2 3B", 2.02, 2.02, "bartowski/Llama-3.2-3B-Instruct-GGUF"},
    {"Qwen3 4B", 2.50, 2.50, "Qwen/Qwen3-4B-GGUF"},
    {"Qwen3 8B", 5.03, 5.03, "Qwen/Qwen3-8B-GGUF"},
    {"Gemma 3 12B", 7.30, 7.30, "ggml-org/gemma-3-12b-it-GGUF"},
    {"Qwen3 14B", 9.00, 9.00, "Qwen/Qwen3-14B-GGUF"},
    {"Gemma 3 27B", 16.5, 16.5, "ggml-org/gemma-3-27b-it-GGUF"},
    {"Qwen3 30B A3B", 18.6, 2.1, "Qwen/Qwen3-30B-A3B-GGUF"},
    {"Llama 3.3 70B", 42.5, 42.5, "bartowski/Llama-3.3-70B-Instruct-GGUF"},
};

constexpr double kShareOfFree = 0.8;
constexpr double kBesideTheFile = 0.6e9; // KV cache and scratch of a usual chat
constexpr double kLeastSpeed = 3;        // tokens a second
constexpr std::size_t kOffered = 3;

double speedOf(const CatalogueRow& row, double bytesPerSecond)
{
    return bytesPerSecond / (row.perToken * 1e9);
}

bool fits(const CatalogueRow& row, const SystemMemory& memory)
{
    return row.gigabytes * 1e9 + kBesideTheFile <=
           kShareOfFree * static_cast<double>(memory.available);
}

ModelSuggestion suggestion(const CatalogueRow& row, ModelSuggestion::Role role,
                           double bytesPerSecond)
{
    return {.role = role,
            .name = QString::fromLatin1(row.name),
            .fileBytes = static_cast<quint64>(row.gigabytes * 1e9),
            .tokensPerSecond = speedOf(row, bytesPerSecond),
            .page = QUrl(QStringLiteral("https://huggingface.co/") +
                         QLatin1StringView(row.repository))};
}

} // namespace

QList<ModelSuggestion> suggestModels(const SystemMemory& memory, double bytesPerSecond)
{
    std::vector<const CatalogueRow*> fitting;
    for (const CatalogueRow& row : kCatalogue)
        if (fits(row, memory)) fitting.push_back(&row);
    // On a computer that is slow, or busy just now, three are offered all the same.
    for (std::size_t i = fitting.size(); bytesPerSecond > 0 && i > 0 && fitting.size() > kOffered;
         --i)
        if (speedOf(*fitting[i - 1], bytesPerSecond) < kLeastSpeed)
            fitting.erase(fitting.begin() + static_cast<std::ptrdiff_t>(i - 1));
    if (fitting.empty()) return {};
    using Role = ModelSuggestion::Role;
    // A step between the three must be worth it: each about half the next one's size.
    const std::size_t ablest = fitting.size() - 1;
    const std::size_t quickest = ablest >= 4 ? ablest - 4 : 0;
    const std::size_t balanced = (quickest + ablest + 1) / 2;
    QList<ModelSuggestion> three{suggestion(*fitting[ablest], Role::Ablest, bytesPerSecond)};
    if (balanced != ablest)
        three.prepend(suggestion(*fitting[balanced], Role::Balanced, bytesPerSecond));
    if (quickest < balanced)
        three.prepend(suggestion(*fitting[quickest], Role::Quickest, bytesPerSecond));
    return three;
}

} // namespace app
