#include "engine/chat/jinja/time_format.h"

#include <algorithm>
#include <array>
#include <ctime>
#include <format>
#include <optional>
#include <string>

namespace engine::jinja {

namespace {

constexpr std::array<std::string_view, 7> kDays = {"Sunday",   "Monday", "Tuesday", "Wednesday",
                                                   "Thursday", "Friday", "Saturday"};
constexpr std::array<std::string_view, 12> kMonths = {
    "January", "February", "March",     "April",   "May",      "June",
    "July",    "August",   "September", "October", "November", "December"};

std::string_view nameAt(auto& names, int index)
{
    return index >= 0 && static_cast<std::size_t>(index) < names.size()
               ? names[static_cast<std::size_t>(index)]
               : "?";
}

int hour12(const std::tm& time)
{
    return time.tm_hour % 12 == 0 ? 12 : time.tm_hour % 12;
}

bool isLeap(int year)
{
    return (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;
}

int weeksIn(int year)
{
    // A year has 53 weeks where it begins on a Thursday, or on a Wednesday and is a leap year.
    const int before = year - 1;
    const int firstDay = (1 + before + before / 4 - before / 100 + before / 400) % 7; // Sunday is 0
    return firstDay == 4 || (firstDay == 3 && isLeap(year)) ? 53 : 52;
}

struct IsoWeek {
    int year;
    int week;
};

IsoWeek isoWeek(const std::tm& time)
{
    const int weekday = time.tm_wday == 0 ? 7 : time.tm_wday;
    const int year = time.tm_year + 1900;
    const int week = (time.tm_yday + 1 - weekday + 10) / 7;
    if (week < 1) return {year - 1, weeksIn(year - 1)};
    if (week > weeksIn(year)) return {year + 1, 1};
    return {year, week};
}

std::string dateText(const std::tm& time)
{
    return std::format("{:02}/{:02}/{:02}", time.tm_mon + 1, time.tm_mday,
                       (time.tm_year + 1900) % 100);
}

std::string clockText(const std::tm& time)
{
    return std::format("{:02}:{:02}:{:02}", time.tm_hour, time.tm_min, time.tm_sec);
}

std::optional<std::string> dayText(char directive, const std::tm& time)
{
    switch (directive) {
    case 'a':
        return std::string(nameAt(kDays, time.tm_wday).substr(0, 3));
    case 'A':
        return std::string(nameAt(kDays, time.tm_wday));
    case 'd':
        return std::format("{:02}", time.tm_mday);
    case 'e':
        return std::format("{:2}", time.tm_mday);
    case 'j':
        return std::format("{:03}", time.tm_yday + 1);
    case 'u':
        return std::to_string(time.tm_wday == 0 ? 7 : time.tm_wday);
    case 'w':
        return std::to_string(time.tm_wday);
    case 'U':
        return std::format("{:02}", (time.tm_yday + 7 - time.tm_wday) / 7);
    case 'W':
        return std::format("{:02}", (time.tm_yday + 7 - (time.tm_wday + 6) % 7) / 7);
    case 'V':
        return std::format("{:02}", isoWeek(time).week);
    case 'G':
        return std::to_string(isoWeek(time).year);
    case 'g':
        return std::format("{:02}", isoWeek(time).year % 100);
    default:
        return std::nullopt;
    }
}

std::optional<std::string> yearText(char directive, const std::tm& time)
{
    const int year = time.tm_year + 1900;
    switch (directive) {
    case 'b':
    case 'h':
        return std::string(nameAt(kMonths, time.tm_mon).substr(0, 3));
    case 'B':
        return std::string(nameAt(kMonths, time.tm_mon));
    case 'm':
        return std::format("{:02}", time.tm_mon + 1);
    case 'y':
        return std::format("{:02}", year % 100);
    case 'Y':
        return std::to_string(year);
    case 'C':
        return std::format("{:02}", year / 100);
    case 'F':
        return std::format("{}-{:02}-{:02}", year, time.tm_mon + 1, time.tm_mday);
    case 'D':
    case 'x':
        return dateText(time);
    case 'c':
        return std::format("{} {} {:2} {} {}", nameAt(kDays, time.tm_wday).substr(0, 3),
                           nameAt(kMonths, time.tm_mon).substr(0, 3), time.tm_mday, clockText(time),
                           year);
    default:
        return std::nullopt;
    }
}

std::optional<std::string> clockPartText(char directive, const std::tm& time)
{
    switch (directive) {
    case 'H':
        return std::format("{:02}", time.tm_hour);
    case 'k':
        return std::format("{:2}", time.tm_hour);
    case 'I':
        return std::format("{:02}", hour12(time));
    case 'l':
        return std::format("{:2}", hour12(time));
    case 'M':
        return std::format("{:02}", time.tm_min);
    case 'S':
        return std::format("{:02}", time.tm_sec);
    case 'p':
        return time.tm_hour < 12 ? "AM" : "PM";
    case 'P':
        return time.tm_hour < 12 ? "am" : "pm";
    case 'r':
        return std::format("{:02}:{:02}:{:02} {}", hour12(time), time.tm_min, time.tm_sec,
                           time.tm_hour < 12 ? "AM" : "PM");
    case 'R':
        return std::format("{:02}:{:02}", time.tm_hour, time.tm_min);
    case 'T':
    case 'X':
        return clockText(time);
    case 'Z': // of a local time that names no zone
        return "";
    case 'n':
        return "\n";
    case 't':
        return "\t";
    case 's': {
        std::tm copy = time;
        return std::to_string(std::mktime(&copy));
    }
    case '%':
        return "%";
    default:
        return std::nullopt;
    }
}

/// A directive with what glibc lets stand before it: `%-d`, `%_5H`, `%^a`, `%Ey`.
struct Directive {
    char name = 0; ///< 0: the format ends before it
    char pad = 0;  ///< - _ 0; 0: the directive's own
    bool isUpper = false;
    bool changesCase = false;
    std::size_t width = 0;
    std::size_t size = 0; ///< in the format, from the '%' on
};

Directive readDirective(std::string_view format)
{
    constexpr std::size_t kMostWidth = 1U << 20U;
    Directive directive;
    std::size_t at = 1;
    const auto peek = [&] { return at < format.size() ? format[at] : '\0'; };
    for (; peek() != 0 && std::string_view("_-0^#").contains(peek()); ++at) {
        if (peek() == '^')
            directive.isUpper = true;
        else if (peek() == '#')
            directive.changesCase = true;
        else
            directive.pad = peek();
    }
    for (; peek() >= '0' && peek() <= '9'; ++at)
        directive.width =
            std::min(kMostWidth, directive.width * 10 + static_cast<std::size_t>(peek() - '0'));
    if (peek() == 'E' || peek() == 'O') ++at;
    if (at == format.size()) return directive;
    directive.name = format[at];
    directive.size = at + 1;
    return directive;
}

std::string cased(std::string text, const Directive& directive)
{
    constexpr std::string_view kNames = "aAbBh";
    const bool lower = directive.changesCase && directive.name == 'p';
    const bool upper =
        !lower && directive.name != 'P' &&
        (directive.isUpper || (directive.changesCase && kNames.contains(directive.name)));
    for (char& c : text) {
        if (lower && c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
        if (upper && c >= 'a' && c <= 'z') c = static_cast<char>(c - 'a' + 'A');
    }
    return text;
}

void appendDirective(TextBuilder& out, std::string text, const Directive& directive)
{
    constexpr std::string_view kNumbers = "CdegGHIjklmMsSuUVwWyY";
    const bool isNumber = kNumbers.contains(directive.name);
    std::size_t width = directive.width;
    char pad = directive.pad;
    if (isNumber) {
        if (pad == 0 && std::string_view("ekl").contains(directive.name)) pad = '_';
        if (pad == 0) pad = '0';
        // The directive's own padding gives way to the one that is asked for.
        if (pad != '-') width = std::max(width, text.size());
        text.erase(0, std::min(text.find_first_not_of(" 0"), text.size() - 1));
    }
    if (text.size() < width) out.repeat(pad == '0' ? "0" : " ", width - text.size());
    out.append(cased(std::move(text), directive));
}

/// The format as the C library sees it: Python has put in what it knows better. A local time names
/// no zone, as that of datetime.now().
std::string withPythonsOwn(std::string_view format)
{
    std::string out;
    while (!format.empty()) {
        std::size_t size = format.starts_with('%') ? std::min<std::size_t>(2, format.size()) : 1;
        if (format.starts_with("%f"))
            out += "000000";
        else if (format.starts_with("%:z"))
            size = 3;
        else if (!format.starts_with("%z") && !format.starts_with("%Z"))
            out += format.substr(0, size);
        format.remove_prefix(size);
    }
    return out;
}

} // namespace

void formatTime(TextBuilder& out, std::string_view format, const std::tm& time)
{
    const std::string whole = withPythonsOwn(format);
    format = whole;
    while (!format.empty() && !out.isFull()) {
        const std::size_t percent = std::min(format.find('%'), format.size());
        out.append(format.substr(0, percent));
        format.remove_prefix(percent);
        if (format.empty()) return;
        const Directive directive = readDirective(format);
        if (directive.name == 0) {
            out.append(format);
            return;
        }
        std::optional<std::string> text = dayText(directive.name, time);
        if (!text) text = yearText(directive.name, time);
        if (!text) text = clockPartText(directive.name, time);
        if (text)
            appendDirective(out, std::move(*text), directive);
        else
            out.append(format.substr(0, directive.size));
        format.remove_prefix(directive.size);
    }
}

} // namespace engine::jinja
