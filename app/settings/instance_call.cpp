#include "app/settings/instance_call.h"

#include <QCryptographicHash>
#include <QDeadlineTimer>
#include <QDir>
#include <QFileInfo>
#include <QLocalServer>
#include <QLocalSocket>
#include <QStandardPaths>
#include <QStringDecoder>
#include <QThread>
#include <QTimer>

#include <algorithm>

namespace app {

namespace {

using namespace std::chrono_literals;

constexpr QByteArrayView kGreeting("inglenook 1");
constexpr QByteArrayView kYes("yes");
constexpr QByteArrayView kNo("no");
constexpr qsizetype kParts = 3;
constexpr qsizetype kMostPath = 32'767; ///< characters, Windows' longest
constexpr qsizetype kMostToken = 512;
constexpr int kMostConnections = 8;
constexpr auto kReadPatience = 2s;
constexpr auto kConnectPatience = 1s;
constexpr auto kConnectPause = 50ms;

bool isToken(const QByteArray& bytes)
{
    return bytes.size() <= kMostToken &&
           std::ranges::all_of(bytes, [](char c) { return c > ' ' && c < 0x7f; });
}

// Whether it is a model, or there at all, is said in the window.
bool isModelPath(const QString& path)
{
    return path.size() <= kMostPath && !path.startsWith(u':') && QDir::isAbsolutePath(path);
}

} // namespace

QByteArray writeInstanceCall(const InstanceCall& call)
{
    QByteArray bytes;
    for (const QByteArray& part :
         {kGreeting.toByteArray(), call.modelPath.toUtf8(), call.activation})
        bytes.append(part).append('\0');
    return bytes;
}

std::optional<InstanceCall> readInstanceCall(const QByteArray& bytes)
{
    if (bytes.size() > InstanceListener::kMostBytes || !bytes.endsWith('\0')) return std::nullopt;
    const QList<QByteArray> parts = bytes.chopped(1).split('\0');
    if (parts.size() != kParts || parts.at(0) != kGreeting) return std::nullopt;
    QStringDecoder utf8(QStringDecoder::Utf8, QStringDecoder::Flag::Stateless);
    const QString path = utf8(parts.at(1));
    if (utf8.hasError()) return std::nullopt;
    if (!path.isEmpty() && !isModelPath(path)) return std::nullopt;
    return InstanceCall{.modelPath = path.isEmpty() ? QString() : QDir::cleanPath(path),
                        .activation = isToken(parts.at(2)) ? parts.at(2) : QByteArray()};
}

QString instanceAddress(const QString& dataFolder)
{
    const QString canonical = QFileInfo(dataFolder).canonicalFilePath();
    const QString whose = QDir::homePath() % u'\n' %
                          (canonical.isEmpty() ? QDir(dataFolder).absolutePath() : canonical);
    const QByteArray hash =
        QCryptographicHash::hash(whose.toUtf8(), QCryptographicHash::Sha256).toHex().first(32);
    const QString name = QStringLiteral("inglenook-") % QString::fromLatin1(hash);
#ifdef Q_OS_WIN
    return name; // of a pipe
#else
    // Nobody else can write there, so who answers is this user's program.
    const QString folder = QStandardPaths::writableLocation(QStandardPaths::RuntimeLocation);
    return folder.isEmpty() ? QString() : QDir(folder).filePath(name);
#endif
}

// --- the running program -------------------------------------------------------------------------

InstanceListener::InstanceListener(QObject* parent)
    : QObject(parent)
    , m_server(std::make_unique<QLocalServer>())
{
}

InstanceListener::~InstanceListener() = default;

bool InstanceListener::listen(const QString& dataFolder)
{
    const QString address = instanceAddress(dataFolder);
    if (address.isEmpty()) return false;
    connect(m_server.get(), &QLocalServer::newConnection, this, &InstanceListener::accept);
    m_server->setSocketOptions(QLocalServer::UserAccessOption);
    QLocalServer::removeServer(address);
    return m_server->listen(address);
}

void InstanceListener::accept()
{
    while (QLocalSocket* socket = m_server->nextPendingConnection()) {
        connect(socket, &QLocalSocket::disconnected, socket, &QObject::deleteLater);
        if (m_open >= kMostConnections) {
            socket->abort();
            continue;
        }
        ++m_open;
        connect(socket, &QObject::destroyed, this, [this] { --m_open; });
        socket->setReadBufferSize(kMostBytes + 1);
        connect(socket, &QLocalSocket::readyRead, this, [this, socket] { read(*socket); });
        QTimer::singleShot(kReadPatience, socket, [socket] { socket->abort(); });
        read(*socket); // what came with the connection
    }
}

void InstanceListener::read(QLocalSocket& socket)
{
    const QByteArray bytes = socket.peek(kMostBytes + 1);
    const bool whole = bytes.count('\0') >= kParts;
    if (!whole && bytes.size() <= kMostBytes) return; // there is more to come
    const std::optional<InstanceCall> call = readInstanceCall(bytes);
    disconnect(&socket, &QLocalSocket::readyRead, this, nullptr); // one call a connection
    if (call) Q_EMIT called(*call);
    answer(socket, call.has_value());
}

void InstanceListener::answer(QLocalSocket& socket, bool yes)
{
    socket.write((yes ? kYes : kNo).toByteArray().append('\0'));
    socket.disconnectFromServer();
}

// --- the second start ----------------------------------------------------------------------------

bool callRunningInstance(const QString& dataFolder, const InstanceCall& call,
                         std::chrono::milliseconds patience)
{
    const QString address = instanceAddress(dataFolder);
    if (address.isEmpty()) return false;
    QLocalSocket socket;
    const QDeadlineTimer connecting(
        std::min<std::chrono::milliseconds>(kConnectPatience, patience));
    for (;;) {
        socket.connectToServer(address);
        if (socket.waitForConnected(static_cast<int>(connecting.remainingTime()))) break;
        if (connecting.hasExpired()) return false;
        QThread::sleep(kConnectPause);
    }
    socket.write(writeInstanceCall(call));
    socket.flush();
    const QDeadlineTimer answering(patience);
    QByteArray heard;
    while (!heard.contains('\0') && heard.size() <= kYes.size()) {
        if (socket.bytesAvailable() == 0 &&
            !socket.waitForReadyRead(static_cast<int>(answering.remainingTime())))
            return false;
        heard += socket.readAll();
    }
    return heard == kYes.toByteArray().append('\0');
}

} // namespace app
