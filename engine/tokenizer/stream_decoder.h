#pragma once

#include <string>
#include <string_view>

namespace engine {

/// Collects the bytes of decoded tokens and releases only whole UTF-8 characters, each as soon as
/// its last byte is there. Bytes that can never become a character are released as U+FFFD. One
/// sequence owns it.
class StreamDecoder {
public:
    /// Appends a token's bytes; returns the text that became whole.
    std::string push(std::string_view bytes);
    /// What is left at the end of a reply: an unfinished character becomes one U+FFFD.
    std::string finish();

private:
    std::string m_pending; // at most 3 bytes
};

} // namespace engine
