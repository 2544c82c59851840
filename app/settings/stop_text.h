#pragma once

#include <QString>
#include <QStringList>

namespace app {

/// A stop string as people write it in one line: "\n" is a new line, "\t" a tab, "\r" a return,
/// "\u1234" a UTF-16 unit, "\\" a backslash. A backslash before anything else is one.
QString stopStringOf(const QString& written);
/// The other way round: what stopStringOf() reads as `text`.
QString writtenStopString(const QString& text);

/// What may be kept: without empty ones, doubles and those too long, sixteen at most.
QStringList usableStopStrings(const QStringList& texts);

} // namespace app
