#pragma once

#include <QByteArray>
#include <QString>
#include <QStringList>
#include <QtTypes>

#include <tuple>

namespace app {

enum class ThemeChoice : quint8 { System, Light, Dark };

/// How a chat goes on that has filled its context.
enum class ContextStep : quint8 { Ask, Longer, DropOldest, ShortenOldest, StopHere };

/// A number (or an enum as one) with its default and range; both ends belong to the range.
template <typename T>
struct NumberKey {
    const char* name;
    T defaultValue;
    T minimum;
    T maximum;
};

struct FlagKey {
    const char* name;
    bool defaultValue;
};

struct TextKey {
    const char* name;
    const char* defaultValue = "";
};

struct TextListKey {
    const char* name;
    int maximumCount;
};

struct BytesKey {
    const char* name;
};

/// Every setting there is: name in the file, default, range.
namespace settings {

inline constexpr TextKey kLastModelPath{"model/lastPath"};
inline constexpr TextListKey kRecentModels{"model/recent", 12};
/// What the recent ones call themselves, in the same order.
inline constexpr TextListKey kRecentNames{"model/recentNames", 12};
/// Set while a model is being loaded: found at start, the program ended by that load and does not
/// repeat it by itself.
inline constexpr TextKey kModelBeingLoaded{"model/beingLoaded"};
inline constexpr FlagKey kLoadLastModel{"model/loadLastAtStart", true};
/// Bigger models are offered while the starter is in use.
inline constexpr FlagKey kOfferModels{"model/offerBigger", true};
inline constexpr NumberKey<int> kContextLength{"model/contextLength", 0, 0, 16'777'216}; // 0: auto
inline constexpr NumberKey<int> kThreads{"model/threads", 0, 0, 1024};                   // 0: auto
inline constexpr NumberKey<ContextStep> kContextStep{"chat/whenContextIsFull", ContextStep::Ask,
                                                     ContextStep::Ask, ContextStep::StopHere};

inline constexpr NumberKey<ThemeChoice> kTheme{"appearance/theme", ThemeChoice::System,
                                               ThemeChoice::System, ThemeChoice::Dark};
inline constexpr NumberKey<int> kTextSize{"appearance/textSize", 14, 10, 28};
inline constexpr FlagKey kFullWidth{"appearance/fullWidth", false};

inline constexpr NumberKey<double> kTemperature{"sampling/temperature", 0.8, 0.0, 10.0};
inline constexpr NumberKey<int> kTopK{"sampling/topK", 40, 0, 1'000'000};
inline constexpr NumberKey<double> kTypicalP{"sampling/typicalP", 1.0, 0.0, 1.0};
inline constexpr NumberKey<double> kTopP{"sampling/topP", 0.95, 0.0, 1.0};
inline constexpr NumberKey<double> kMinP{"sampling/minP", 0.05, 0.0, 1.0};
inline constexpr NumberKey<double> kRepeatPenalty{"sampling/repeatPenalty", 1.0, 0.1, 10.0};
inline constexpr NumberKey<double> kPresencePenalty{"sampling/presencePenalty", 0.0, -10.0, 10.0};
inline constexpr NumberKey<double> kFrequencyPenalty{"sampling/frequencyPenalty", 0.0, -10.0, 10.0};
inline constexpr NumberKey<int> kPenaltyWindow{"sampling/penaltyWindow", 64, -1, 16'777'216};
inline constexpr TextKey kSeed{"sampling/seed"}; // a decimal number; empty: a fresh one each time
inline constexpr NumberKey<int> kMaxTokens{"sampling/maxTokens", -1, -1, 16'777'216};
/// As the model writes them; see stop_text.h for how people do.
inline constexpr TextListKey kStopStrings{"sampling/stopStrings", 16};
inline constexpr TextKey kPreset{"sampling/preset", "Balanced"};
inline constexpr TextListKey kUserPresets{"sampling/userPresets", 200};

inline constexpr BytesKey kWindowGeometry{"window/geometry"};
inline constexpr BytesKey kWindowState{"window/state"};
inline constexpr NumberKey<int> kSidebarWidth{"window/sidebarWidth", 264, 220, 360};
inline constexpr NumberKey<int> kSamplingWidth{"window/samplingWidth", 320, 288, 420};
inline constexpr FlagKey kSidebarOpen{"window/sidebarOpen", true};
inline constexpr FlagKey kSamplingOpen{"window/samplingOpen", true};
inline constexpr NumberKey<qint64> kOpenConversation{"window/openConversation", 0, 0,
                                                     9'223'372'036'854'775'807};

/// For tests and for a settings page that lists them.
inline constexpr std::tuple kAll{kLastModelPath,
                                 kRecentModels,
                                 kRecentNames,
                                 kModelBeingLoaded,
                                 kLoadLastModel,
                                 kOfferModels,
                                 kContextLength,
                                 kThreads,
                                 kContextStep,
                                 kTheme,
                                 kTextSize,
                                 kFullWidth,
                                 kTemperature,
                                 kTopK,
                                 kTypicalP,
                                 kTopP,
                                 kMinP,
                                 kRepeatPenalty,
                                 kPresencePenalty,
                                 kFrequencyPenalty,
                                 kPenaltyWindow,
                                 kSeed,
                                 kMaxTokens,
                                 kStopStrings,
                                 kPreset,
                                 kUserPresets,
                                 kWindowGeometry,
                                 kWindowState,
                                 kSidebarWidth,
                                 kSamplingWidth,
                                 kSidebarOpen,
                                 kSamplingOpen,
                                 kOpenConversation};

} // namespace settings
} // namespace app
