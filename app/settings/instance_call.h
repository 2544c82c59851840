#pragma once

#include <QByteArray>
#include <QObject>
#include <QString>

#include <chrono>
#include <memory>
#include <optional>

class QLocalServer;
class QLocalSocket;

namespace app {

/// What a second start of the program asks the running one for: to show its window, and to load a
/// model.
struct InstanceCall {
    QString modelPath = {};     ///< absolute; empty: none
    QByteArray activation = {}; ///< the token by which Wayland lets a window come to the front

    bool operator==(const InstanceCall&) const = default;
};

/// Between the two: "inglenook 1", the path in UTF-8 and the token, a NUL after each.
QByteArray writeInstanceCall(const InstanceCall& call);
/// Null where that is no call, or its path is not an absolute one, or not of a file or folder where
/// something is there. A token that cannot be one is left out.
std::optional<InstanceCall> readInstanceCall(const QByteArray& bytes);

/// Where the program that has `dataFolder` listens: for each user and folder another place. Empty:
/// the system offers none.
QString instanceAddress(const QString& dataFolder);

/// The running program's end. GUI thread.
class InstanceListener : public QObject {
    Q_OBJECT
public:
    static constexpr qsizetype kMostBytes = 65'536; ///< of a call

    explicit InstanceListener(QObject* parent = nullptr);
    ~InstanceListener() override;

    /// REQUIRES: this program holds the folder's InstanceLock, so that what else stands at its
    /// address was left by one that is gone. False: a second start will not be heard.
    bool listen(const QString& dataFolder);

Q_SIGNALS:
    /// Answered with "yes" when the slots have returned.
    void called(const app::InstanceCall& call);

private:
    void accept();
    void read(QLocalSocket& socket);
    void answer(QLocalSocket& socket, bool yes);

    int m_open = 0; // connections
    std::unique_ptr<QLocalServer> m_server;
};

/// Asks the program that has `dataFolder`; true: it heard, and does it. Waits a second for one that
/// has only just begun, and `patience` for the answer. Needs no event loop.
bool callRunningInstance(const QString& dataFolder, const InstanceCall& call,
                         std::chrono::milliseconds patience = std::chrono::seconds(3));

} // namespace app
