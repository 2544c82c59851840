#pragma once

#include <QString>
#include <QtTypes>

namespace app {

enum class SizeKind : quint8 {
    File,  ///< GB are 1000^3 bytes, as file managers and hubs count
    Memory ///< GB are 1024^3 bytes, as memory is sold
};

/// "3.1 GB", "812 bytes", in the user's number format. A file has tenths up to 100 ("18.6 GB"):
/// they tell files apart. Memory has them up to 10 ("32 GB").
QString sizeText(quint64 bytes, SizeKind kind);

/// "3.1 of 5.0 GB": both in one unit, in which they differ where the numbers do.
QString shareText(quint64 part, quint64 whole, SizeKind kind);

} // namespace app
