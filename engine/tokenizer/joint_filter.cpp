#include "engine/tokenizer/joint_filter.h"

#include "engine/tokenizer/unicode.h"

namespace engine {

std::string_view JointFilter::unitAt(std::string_view text, std::size_t begin) const
{
    return text.substr(begin, m_unit == Unit::Byte ? 1 : unicode::characterLength(text, begin));
}

void JointFilter::add(std::string_view token)
{
    for (std::size_t i = 0; i < token.size();) {
        const std::string_view left = unitAt(token, i);
        i += left.size();
        if (i == token.size()) break;
        const std::uint32_t bit = bitOf(left, unitAt(token, i));
        m_bits[bit / 64] |= std::uint64_t{1} << (bit % 64);
    }
}

std::size_t JointFilter::partEnd(std::string_view text, std::size_t begin) const
{
    std::string_view left = unitAt(text, begin);
    std::size_t end = begin + left.size();
    while (end < text.size()) {
        const std::string_view right = unitAt(text, end);
        if (!mayJoin(left, right)) break;
        end += right.size();
        left = right;
    }
    return end;
}

} // namespace engine
