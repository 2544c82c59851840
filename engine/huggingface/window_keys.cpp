#include "engine/huggingface/window_keys.h"

#include <algorithm>

namespace engine {

namespace {

using Layers = std::vector<bool>; // which have a window

std::size_t layerCount(const ModelConfig& config)
{
    return static_cast<std::size_t>(config.layerCount());
}

std::optional<Layers> listed(const ModelConfig& config)
{
    const auto* types = config["layer_types"].array();
    if (!types) return std::nullopt;
    Layers windowed(layerCount(config));
    for (std::size_t i = 0; i < std::min(windowed.size(), types->size()); ++i)
        windowed[i] = JsonView((*types)[i]).stringOr("") == "sliding_attention";
    return windowed;
}

/// As letters ("LLLG": three with, one without) that repeat, or as how often one has none.
std::optional<Layers> repeating(const ModelConfig& config)
{
    Layers windowed(layerCount(config));
    const JsonView pattern = config["sliding_window_pattern"];
    const std::string* letters = pattern.string();
    if (letters && !letters->empty()) {
        for (std::size_t i = 0; i < windowed.size(); ++i)
            windowed[i] = (*letters)[i % letters->size()] == 'L';
        return windowed;
    }
    const auto every = pattern.integer();
    if (!every || *every < 1) return std::nullopt;
    for (std::size_t i = 0; i < windowed.size(); ++i)
        windowed[i] = (static_cast<std::int64_t>(i) + 1) % *every != 0;
    return windowed;
}

void write(const ModelConfig& config, KeyWriter& keys, std::optional<Layers> windowed)
{
    const auto size = config.integer("sliding_window");
    if (!size || *size == 0) return;
    if (auto list = listed(config)) windowed = std::move(list);
    keys.integer("attention.sliding_window", *size);
    if (windowed) keys.set("attention.sliding_window_pattern", std::move(*windowed));
}

} // namespace

void writeWindows(const ModelConfig& config, KeyWriter& keys)
{
    write(config, keys, repeating(config));
}

void writeWindowsOfAll(const ModelConfig& config, KeyWriter& keys)
{
    write(config, keys, Layers(layerCount(config), true));
}

void writeWindowsOfUpper(const ModelConfig& config, KeyWriter& keys)
{
    Layers windowed(layerCount(config));
    const bool uses = config.booleanOr("use_sliding_window", false);
    const auto first = config.integer("max_window_layers").value_or(0);
    for (std::size_t i = 0; uses && i < windowed.size(); ++i)
        windowed[i] = static_cast<std::int64_t>(i) >= first;
    write(config, keys, std::move(windowed));
}

} // namespace engine
