#include "app/settings/settings.h"

#include <QDir>

#include <algorithm>
#include <cmath>

namespace app {

namespace {

constexpr qsizetype kMostBytes = 1 << 20; // of a value read from the file

QString keyName(const char* name)
{
    return QString::fromLatin1(name);
}

} // namespace

Settings::Settings(const QString& folder, QObject* parent)
    : QObject(parent)
    , m_file(QDir(folder).filePath(QStringLiteral("inglenook.ini")), QSettings::IniFormat)
{
}

Settings::~Settings() = default;

qint64 Settings::integer(const char* name, qint64 defaultValue, qint64 minimum,
                         qint64 maximum) const
{
    bool valid = false;
    const qint64 value = m_file.value(keyName(name)).toLongLong(&valid);
    return valid ? std::clamp(value, minimum, maximum) : defaultValue;
}

double Settings::real(const char* name, double defaultValue, double minimum, double maximum) const
{
    bool valid = false;
    const double value = m_file.value(keyName(name)).toDouble(&valid);
    return valid && !std::isnan(value) ? std::clamp(value, minimum, maximum) : defaultValue;
}

bool Settings::get(const FlagKey& key) const
{
    const QString value = m_file.value(keyName(key.name)).toString();
    if (value == u"true") return true;
    if (value == u"false") return false;
    return key.defaultValue;
}

QString Settings::get(const TextKey& key) const
{
    const QVariant value = m_file.value(keyName(key.name));
    const QString text = value.toString();
    const bool usable = value.isValid() && text.size() <= kMostBytes;
    return usable ? text : QString::fromUtf8(key.defaultValue);
}

QStringList Settings::get(const TextListKey& key) const
{
    return m_file.value(keyName(key.name)).toStringList().mid(0, key.maximumCount);
}

QByteArray Settings::get(const BytesKey& key) const
{
    const QByteArray bytes = m_file.value(keyName(key.name)).toByteArray();
    return bytes.size() <= kMostBytes ? bytes : QByteArray();
}

void Settings::set(const FlagKey& key, bool value)
{
    write(key.name, value);
}

void Settings::set(const TextKey& key, const QString& value)
{
    write(key.name, value);
}

void Settings::set(const TextListKey& key, const QStringList& value)
{
    write(key.name, value.mid(0, key.maximumCount));
}

void Settings::set(const BytesKey& key, const QByteArray& value)
{
    write(key.name, value);
}

void Settings::write(const char* name, const QVariant& value)
{
    const QString key = keyName(name);
    if (m_file.contains(key) && m_file.value(key) == value) return;
    m_file.setValue(key, value);
    Q_EMIT changed(key);
}

bool Settings::save()
{
    m_file.sync();
    return m_file.status() == QSettings::NoError;
}

} // namespace app
