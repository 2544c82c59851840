// A template and its variables, parted by a NUL, must end in a text or a failure: nothing else, and
// soon.

#include "engine/chat/jinja/json.h"
#include "engine/chat/jinja/template.h"

#include <cstddef>
#include <cstdint>
#include <string_view>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    namespace jinja = engine::jinja;
    const std::string_view input(reinterpret_cast<const char*>(data), size);
    const std::size_t end = input.find('\0');
    const auto parsed = jinja::Template::parse(input.substr(0, end));
    if (!parsed) return 0;
    jinja::Heap heap;
    const auto variables = jinja::readJson(
        heap, end == std::string_view::npos ? std::string_view("{}") : input.substr(end + 1));
    if (!variables || !variables->is(jinja::Kind::Dict)) return 0;
    jinja::RenderOptions options;
    options.limits = {.steps = 100'000, .memoryBytes = 16U << 20U, .textBytes = 1U << 20U};
    options.clock = [] { return std::tm{}; };
    const auto text = parsed->render(heap, variables->dict(), options);
    // A failure knows its place.
    if (!text && text.error().at.line == 0) __builtin_trap();
    return 0;
}
