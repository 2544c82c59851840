# Warnings, sanitizers, ccache and the linker, on one INTERFACE target every target of ours links.
add_library(inglenook_options INTERFACE)
target_include_directories(inglenook_options INTERFACE ${PROJECT_SOURCE_DIR})

if(MSVC)
  target_compile_options(inglenook_options INTERFACE /W4 /permissive- /utf-8 $<$<BOOL:${WARNINGS_AS_ERRORS}>:/WX>)
else()
  target_compile_options(inglenook_options INTERFACE
    -Wall -Wextra -Wshadow -Wconversion -Wold-style-cast -Wnon-virtual-dtor
    -fstack-protector-strong $<$<BOOL:${WARNINGS_AS_ERRORS}>:-Werror>)
  # One order of rounding everywhere: the compiler must not fuse a multiply and an add by itself.
  target_compile_options(inglenook_options INTERFACE -ffp-contract=off)
endif()
target_compile_definitions(inglenook_options INTERFACE
  $<$<CXX_COMPILER_ID:GNU,Clang>:_GLIBCXX_ASSERTIONS>)

if(SANITIZE)
  # Little optimisation and line numbers only: the checks make such a build slow to compile, and reports need no more.
  target_compile_options(inglenook_options INTERFACE -O1 -g1 -fsanitize=${SANITIZE} -fno-omit-frame-pointer -fno-sanitize-recover=all)
  target_link_options(inglenook_options INTERFACE -fsanitize=${SANITIZE})
endif()

if(BUILD_FUZZERS)
  # The engine itself reports what a fuzz input reaches.
  target_compile_options(inglenook_options INTERFACE -fsanitize=fuzzer-no-link)
  target_link_options(inglenook_options INTERFACE -fsanitize=fuzzer-no-link)
endif()

find_program(CCACHE ccache)
if(CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  set(CMAKE_CXX_COMPILER_LAUNCHER ${CCACHE})
endif()
find_program(MOLD mold)
if(MOLD)
  set(CMAKE_LINKER_TYPE MOLD)
endif()

# The Qt rules of app and ui (no implicit casts, no keywords, every connect names its context).
add_library(inglenook_qt_options INTERFACE)
target_link_libraries(inglenook_qt_options INTERFACE inglenook_options)
target_compile_definitions(inglenook_qt_options INTERFACE
  QT_NO_CAST_FROM_ASCII QT_NO_CAST_TO_ASCII QT_NO_CAST_FROM_BYTEARRAY QT_NO_KEYWORDS
  QT_NO_NARROWING_CONVERSIONS_IN_CONNECT QT_USE_QSTRINGBUILDER QT_NO_CONTEXTLESS_CONNECT
  QT_NO_FOREACH QT_DISABLE_DEPRECATED_UP_TO=0x060800)

# AUTOMOC's recorded dependencies know no header that is new, so a changed list of sources makes it run again.
function(run_moc_when_sources_change target)
  if(NOT "${ARGN}" STREQUAL "$CACHE{MOC_SOURCES_${target}}")
    file(REMOVE ${CMAKE_CURRENT_BINARY_DIR}/${target}_autogen/timestamp)
    set(MOC_SOURCES_${target} "${ARGN}" CACHE INTERNAL "")
  endif()
endfunction()

# Headers nearly every source includes, compiled once a target: the standard library's and Qt's are most of a build.
set(INGLENOOK_STD_HEADERS
  <algorithm> <array> <cmath> <cstddef> <cstdint> <cstring> <expected> <filesystem> <format> <functional> <map> <memory>
  <optional> <span> <string> <string_view> <utility> <vector>)
