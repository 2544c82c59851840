#pragma once

#include "ui/theme/theme.h"

#include <QRgb>

#include <array>

namespace ui {

/// A row of the colour table.
struct TokenColors {
    Theme::Token token;
    QRgb light; ///< AARRGGBB
    QRgb dark;
};

/// One row for every token, in the order of the enumeration.
extern const std::array<TokenColors, Theme::kTokenCount> kTokenColors;

} // namespace ui
