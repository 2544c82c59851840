#include "engine/huggingface/sentencepiece_model.h"

#include "engine/base/byte_order.h"

#include <bit>

namespace engine {

namespace {

std::unexpected<Error> corrupt(std::string_view what)
{
    return fail(ErrorCode::FileCorrupt, "tokenizer.model: " + std::string(what), "tokenizer.model");
}

/// A field of a protocol buffer: its number, and its value as whichever of the four wire types.
struct Field {
    std::uint64_t number = 0;
    std::uint64_t integer = 0; ///< of a varint, or the bits of a fixed one
    std::span<const std::byte> bytes{};
};

std::string_view asText(std::span<const std::byte> bytes)
{
    return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

class FieldReader {
public:
    explicit FieldReader(std::span<const std::byte> message)
        : m_rest(message)
    {
    }

    bool atEnd() const { return m_rest.empty(); }

    Result<Field> next()
    {
        TRY_ASSIGN(const std::uint64_t tag, varint());
        Field field{.number = tag >> 3U};
        switch (tag & 7U) {
        case 0: {
            TRY_ASSIGN(field.integer, varint());
            return field;
        }
        case 1: {
            TRY_ASSIGN(const auto bytes, take(8));
            field.integer = loadLittle<std::uint64_t>(bytes.data());
            return field;
        }
        case 2: {
            TRY_ASSIGN(const std::uint64_t length, varint());
            TRY_ASSIGN(field.bytes, take(length));
            return field;
        }
        case 5: {
            TRY_ASSIGN(const auto bytes, take(4));
            field.integer = loadLittle<std::uint32_t>(bytes.data());
            return field;
        }
        default:
            return corrupt("a field of unknown wire type");
        }
    }

private:
    Result<std::span<const std::byte>> take(std::uint64_t count)
    {
        if (count > m_rest.size()) return corrupt("a field longer than the file");
        const auto taken = m_rest.first(count);
        m_rest = m_rest.subspan(count);
        return taken;
    }

    Result<std::uint64_t> varint()
    {
        std::uint64_t value = 0;
        for (unsigned shift = 0; shift < 64; shift += 7) {
            TRY_ASSIGN(const auto byte, take(1));
            const auto bits = std::to_integer<std::uint64_t>(byte[0]);
            value |= (bits & 0x7FU) << shift;
            if (bits < 0x80U) return value;
        }
        return corrupt("a number of more than ten bytes");
    }

    std::span<const std::byte> m_rest;
};

// Message fields by number, from sentencepiece_model.proto.
Result<SentencePieceToken> readToken(std::span<const std::byte> message)
{
    SentencePieceToken token;
    for (FieldReader reader(message); !reader.atEnd();) {
        TRY_ASSIGN(const Field field, reader.next());
        if (field.number == 1) token.text = asText(field.bytes);
        if (field.number == 2)
            token.score = std::bit_cast<float>(static_cast<std::uint32_t>(field.integer));
        if (field.number == 3) {
            if (field.integer < 1 || field.integer > 6) return corrupt("a token of unknown type");
            token.type = static_cast<TokenType>(field.integer);
        }
    }
    return token;
}

Result<void> readNormalizer(std::span<const std::byte> message, SentencePieceModel& model)
{
    for (FieldReader reader(message); !reader.atEnd();) {
        TRY_ASSIGN(const Field field, reader.next());
        if (field.number == 2) model.precompiledCharsmap = field.bytes;
        if (field.number == 3) model.addDummyPrefix = field.integer != 0;
        if (field.number == 4) model.removeExtraWhitespaces = field.integer != 0;
    }
    return {};
}

Result<void> readTrainer(std::span<const std::byte> message, SentencePieceModel& model)
{
    for (FieldReader reader(message); !reader.atEnd();) {
        TRY_ASSIGN(const Field field, reader.next());
        // Negative numbers are written as 64 bits of two's complement.
        const auto id = static_cast<std::int64_t>(field.integer);
        if (field.number == 3) model.unigram = field.integer == 1;
        if (field.number == 40) model.unknown = id;
        if (field.number == 41) model.bos = id;
        if (field.number == 42) model.eos = id;
        if (field.number == 43) model.padding = id;
    }
    return {};
}

} // namespace

Result<SentencePieceModel> readSentencePieceModel(std::span<const std::byte> file)
{
    SentencePieceModel model;
    for (FieldReader reader(file); !reader.atEnd();) {
        TRY_ASSIGN(const Field field, reader.next());
        if (field.number == 1) {
            TRY_ASSIGN(const SentencePieceToken token, readToken(field.bytes));
            model.tokens.push_back(token);
        }
        if (field.number == 2) TRY(readTrainer(field.bytes, model));
        if (field.number == 3) TRY(readNormalizer(field.bytes, model));
    }
    if (model.tokens.empty()) return corrupt("expected tokens, found none");
    return model;
}

} // namespace engine
