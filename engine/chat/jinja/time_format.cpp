#include "engine/chat/jinja/time_format.h"

#include <array>
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
    case 'f':
        return "000000";
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
    case 'n':
        return "\n";
    case 't':
        return "\t";
    case 'z':
    case 'Z':
        return ""; // a local time that names no zone, as Python's datetime.now()
    case '%':
        return "%";
    default:
        return std::nullopt;
    }
}

/// The directive without padding, as `%-d`.
std::string unpadded(const std::string& text)
{
    const std::size_t first = text.find_first_not_of(" 0");
    if (first == std::string::npos) return text.empty() ? text : "0";
    return text.substr(first);
}

} // namespace

void formatTime(TextBuilder& out, std::string_view format, const std::tm& time)
{
    while (!format.empty() && !out.isFull()) {
        const std::size_t percent = std::min(format.find('%'), format.size());
        out.append(format.substr(0, percent));
        format.remove_prefix(percent);
        if (format.size() < 2) {
            out.append(format);
            return;
        }
        const bool bare = format[1] == '-' && format.size() > 2;
        const char directive = format[bare ? 2 : 1];
        std::optional<std::string> text = dayText(directive, time);
        if (!text) text = yearText(directive, time);
        if (!text) text = clockPartText(directive, time);
        const std::size_t taken = bare ? 3 : 2;
        if (text)
            out.append(bare ? unpadded(*text) : *text);
        else
            out.append(format.substr(0, taken));
        format.remove_prefix(taken);
    }
}

} // namespace engine::jinja
