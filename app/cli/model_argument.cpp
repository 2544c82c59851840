#include "app/cli/model_argument.h"

#include <filesystem>

#if defined(_WIN32)
#include <windows.h>
#elif defined(__APPLE__)
#include <mach-o/dyld.h>
#endif

namespace cli {

namespace {

// Empty where the system does not say: the path is then taken from the current folder.
std::filesystem::path programPath()
{
#if defined(_WIN32)
    std::wstring path(32768, L'\0');
    path.resize(GetModuleFileNameW(nullptr, path.data(), static_cast<DWORD>(path.size())));
    return path;
#elif defined(__APPLE__)
    std::uint32_t size = 0;
    _NSGetExecutablePath(nullptr, &size);
    std::string path(size, '\0');
    _NSGetExecutablePath(path.data(), &size);
    return std::filesystem::path(path.c_str());
#else
    std::error_code error;
    return std::filesystem::read_symlink("/proc/self/exe", error);
#endif
}

} // namespace

std::string modelPath(const std::string& argument)
{
    if (argument != "starter") return argument;
    return (programPath().parent_path() / INGLENOOK_STARTER).lexically_normal().string();
}

void addModel(CLI::App& program, std::string& model, const std::string& kinds)
{
    program.add_option("MODEL", model, kinds + ", or starter: the built-in model")
        ->required()
        ->transform(CLI::Validator(
            [](std::string& argument) {
                if (argument.empty())
                    return std::string("expected a file or a folder, found nothing");
                argument = modelPath(argument);
                return std::string();
            },
            ""));
}

} // namespace cli
