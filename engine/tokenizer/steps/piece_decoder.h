#pragma once

#include "engine/base/json_view.h"
#include "engine/base/result.h"

#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace engine {

/// The `decoder` of a tokenizer.json: what bytes a token adds in the middle of a text. Immutable;
/// any thread may call.
class PieceDecoder {
public:
    /// A null view: tokens are words, with a space between. Errors: UnsupportedTokenizer with the
    /// step's type.
    static Result<PieceDecoder> create(const JsonView& json);

    void cleanSpaces() { m_cleans = true; }

    std::string piece(std::string_view token) const;
    bool readsBytes() const { return m_readsBytes; } ///< tokens like <0x0A> are bytes
    /// Whether an added token, too, has a space before it.
    bool partsWords() const { return m_partsWords; }
    bool dropsLeadingSpace() const { return m_dropsLeading; } ///< of a text, one
    bool dropsTrailingSpace() const { return m_dropsTrailing; }
    bool cleansSpaces() const { return m_cleans; } ///< those before punctuation

private:
    using Step = std::function<std::string(const std::string& token)>;
    struct Maker;
    Result<void> add(const JsonView& step);
    Result<void> addReplace(const JsonView& json);
    Result<void> addByteLevel(const JsonView& json);
    Result<void> addMetaspace(const JsonView& json);
    Result<void> addByteFallback(const JsonView& json);
    Result<void> addWordPiece(const JsonView& json);
    Result<void> addSuffix(const JsonView& json);
    Result<void> addStrip(const JsonView& json);
    Result<void> addNothing(const JsonView& json);
    void replaceText(std::string from, std::string to);

    std::vector<Step> m_steps;
    bool m_readsBytes = false;
    bool m_partsWords = false;
    bool m_dropsLeading = false;
    bool m_dropsTrailing = false;
    bool m_cleans = false;
};

} // namespace engine
