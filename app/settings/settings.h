#pragma once

#include "app/settings/settings_keys.h"

#include <QObject>
#include <QSettings>

#include <algorithm>
#include <cmath>
#include <type_traits>

namespace app {

/// The program's settings, FOLDER/inglenook.ini behind a typed table of keys. A value in the file
/// that is of another type or outside its key's range reads as the default or the nearer end; a
/// value set is held to the range. Lives in the GUI thread.
class Settings : public QObject {
    Q_OBJECT
public:
    explicit Settings(const QString& folder, QObject* parent = nullptr);
    ~Settings() override; ///< writes what is not yet in the file

    template <typename T>
    T get(const NumberKey<T>& key) const
    {
        if constexpr (std::is_enum_v<T>) {
            return static_cast<T>(integer(key.name, static_cast<qint64>(key.defaultValue),
                                          static_cast<qint64>(key.minimum),
                                          static_cast<qint64>(key.maximum)));
        } else if constexpr (std::is_integral_v<T>) {
            return static_cast<T>(integer(key.name, key.defaultValue, key.minimum, key.maximum));
        } else {
            return static_cast<T>(real(key.name, key.defaultValue, key.minimum, key.maximum));
        }
    }
    bool get(const FlagKey& key) const;
    QString get(const TextKey& key) const;
    QStringList get(const TextListKey& key) const;
    QByteArray get(const BytesKey& key) const;

    template <typename T>
    void set(const NumberKey<T>& key, T value)
    {
        const T held = std::clamp(value, key.minimum, key.maximum);
        if constexpr (std::is_floating_point_v<T>) {
            // Not a number is neither below nor above the range.
            write(key.name, QVariant(std::isnan(held) ? key.defaultValue : held));
        } else {
            write(key.name, QVariant::fromValue(static_cast<qint64>(held)));
        }
    }
    void set(const FlagKey& key, bool value);
    void set(const TextKey& key, const QString& value);
    void set(const TextListKey& key, const QStringList& value);
    void set(const BytesKey& key, const QByteArray& value);

    /// Writes the file now. False where the folder or file cannot be written; the values stay in
    /// memory.
    bool save();

Q_SIGNALS:
    /// A key's value is another than before.
    void changed(const QString& name);

private:
    qint64 integer(const char* name, qint64 defaultValue, qint64 minimum, qint64 maximum) const;
    double real(const char* name, double defaultValue, double minimum, double maximum) const;
    void write(const char* name, const QVariant& value);

    QSettings m_file;
};

} // namespace app
