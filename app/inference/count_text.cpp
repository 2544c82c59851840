#include "app/inference/count_text.h"

#include <QCoreApplication>
#include <QLocale>

namespace app {

QString tokensText(int count)
{
    // Without a translation file English has no plural forms of its own.
    return count == 1 ? QCoreApplication::translate("Counts", "1 token")
                      : QCoreApplication::translate("Counts", "%Ln tokens", nullptr, count);
}

QString firstTokenText(double seconds)
{
    constexpr double kLeast = 0.01; // what the figures can say
    const QLocale locale;
    return seconds < kLeast ? QCoreApplication::translate("Counts", "<%1 s to first token")
                                  .arg(locale.toString(kLeast, 'f', 2))
                            : QCoreApplication::translate("Counts", "%1 s to first token")
                                  .arg(locale.toString(seconds, 'f', 2));
}

} // namespace app
