#pragma once

#include "engine/base/json_view.h"
#include "engine/base/result.h"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace engine {

/// The `decoder` of a tokenizer.json: tokens back to a text, step by step. Immutable; any thread
/// may call. Linear in the tokens.
class PieceDecoder {
public:
    /// A null view: tokens are words, with a space between. Errors: UnsupportedTokenizer with the
    /// step's type.
    static Result<PieceDecoder> create(const JsonView& json);

    void cleanSpaces() { m_cleans = true; }

    /// The text of all tokens of a sequence. Bytes that are no UTF-8 become U+FFFD where the file's
    /// rules say so.
    std::string text(std::vector<std::string> tokens) const;
    /// What one token adds in the middle of a text.
    std::string piece(std::string_view token) const;
    bool readsBytes() const { return m_readsBytes; } ///< tokens like <0x0A> are bytes

private:
    /// Where in the sequence a token stands, as far as steps ask for it.
    struct Place {
        bool first = false;
        bool last = false;
    };
    using Tokens = std::vector<std::string>;
    /// Each token by itself, then the sequence as a whole; either may be empty.
    struct Step {
        std::function<std::string(const std::string& token, Place place)> change{};
        void (*join)(Tokens& tokens) = nullptr;
        bool ofWholeText = false; ///< not of single tokens, so that pieces are left alone
    };
    struct Maker;
    Result<void> add(const JsonView& step);
    Result<void> addReplace(const JsonView& json);
    Result<void> addByteLevel(const JsonView& json);
    Result<void> addMetaspace(const JsonView& json);
    Result<void> addByteFallback(const JsonView& json);
    Result<void> addWordPiece(const JsonView& json);
    Result<void> addSuffix(const JsonView& json);
    Result<void> addStrip(const JsonView& json);
    Result<void> addFuse(const JsonView& json);
    Result<void> addAlignment(const JsonView& json);

    std::vector<Step> m_steps;
    bool m_readsBytes = false;
    bool m_joined = false; // the steps from here on see one text
    bool m_cleans = false;
};

} // namespace engine
