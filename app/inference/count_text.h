#pragma once

#include <QString>

namespace app {

/// "1 token", "4,096 tokens".
QString tokensText(int count);
/// "0.31 s to first token", "<0.01 s to first token".
QString firstTokenText(double seconds);

} // namespace app
