#pragma once

#include <cstdint>
#include <expected>
#include <string>
#include <utility>

namespace engine {

/// What went wrong, as far as a caller can act on it. `app` turns the code into a sentence with a
/// next step.
enum class ErrorCode : std::uint8_t {
    FileNotFound, ///< `expected` not 0: a file that the model needs beside it, `subject`
    FileUnreadable,
    NotAModelFile,           ///< `subject` says what it is instead ("a web page"); may be empty
    FileTruncated,           ///< `expected` and `found` are bytes; both 0: the file is empty
    FileCorrupt,             ///< a size, count or offset in the file cannot be right
    UnsupportedVersion,      ///< a GGUF version we do not read
    UnsupportedArchitecture, ///< `subject` is the architecture's name
    UnsupportedType,         ///< `subject` is the dtype's name or id
    UnsupportedTokenizer,    ///< `subject` is the tokenizer's or pre-tokenizer's name
    MissingMetadata,         ///< `subject` is the key
    BadMetadata,             ///< `subject` is the key
    MissingTensor,           ///< `subject` is the tensor's name
    BadTensor,               ///< `subject` is the tensor's name
    BadTemplate,             ///< the chat template; the message has line and column
    OutOfMemory,             ///< `expected` bytes are needed, `found` are free
    ContextFull,             ///< `expected` positions are needed, `found` fit
    InvalidArgument,
    IoError,
    Cancelled,
};

/// A failure as a value: English text for logs and the command line (what was expected, what was
/// found, where), and the parts of it a window needs to say it in the user's language.
struct Error {
    ErrorCode code = ErrorCode::InvalidArgument;
    std::string message;
    std::string subject;        ///< the file, key, tensor or name the error is about; may be empty
    std::uint64_t expected = 0; ///< meaning as the code says; 0 where it has none
    std::uint64_t found = 0;
};

template <typename T>
using Result = std::expected<T, Error>;

inline std::unexpected<Error> fail(ErrorCode code, std::string message, std::string subject = {},
                                   std::uint64_t expected = 0, std::uint64_t found = 0)
{
    return std::unexpected(Error{code, std::move(message), std::move(subject), expected, found});
}

} // namespace engine

#define ENGINE_CONCAT_(a, b) a##b
#define ENGINE_CONCAT(a, b) ENGINE_CONCAT_(a, b)
#define ENGINE_TRY_ASSIGN_(temporary, lhs, expression)                                             \
    auto temporary = (expression);                                                                 \
    if (!temporary) return std::unexpected(std::move(temporary).error());                          \
    lhs = std::move(*temporary)

/// `TRY_ASSIGN(File file, File::open(path));` returns the error to the caller or moves the value
/// into `file`.
#define TRY_ASSIGN(lhs, ...)                                                                       \
    ENGINE_TRY_ASSIGN_(ENGINE_CONCAT(tryResult_, __LINE__), lhs, (__VA_ARGS__))

/// `TRY(check(x));` for results whose value is not wanted.
#define TRY(...)                                                                                   \
    do {                                                                                           \
        if (auto tryResult = (__VA_ARGS__); !tryResult)                                            \
            return std::unexpected(std::move(tryResult).error());                                  \
    } while (false)
