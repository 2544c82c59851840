#include "app/conversation/store_error.h"

#include <QCoreApplication>
#include <QDir>

#include <algorithm>
#include <array>

namespace app {

namespace {

using engine::ErrorCode;

struct Row {
    int sqliteCode;
    bool mayPass;
    ErrorCode code;
    const char* sentence; ///< %1: the folder
};

constexpr const char* kNotWritable =
    QT_TRANSLATE_NOOP("StoreError", "Chats cannot be saved: the folder %1 cannot be written. Allow "
                                    "writing to it; until then they are kept while Inglenook is "
                                    "open.");
constexpr const char* kInUse =
    QT_TRANSLATE_NOOP("StoreError", "Chats cannot be saved: another program holds the file in %1. "
                                    "Close it; until then they are kept while Inglenook is open.");
constexpr const char* kDamaged =
    QT_TRANSLATE_NOOP("StoreError", "The file with your chats in %1 is damaged. Start Inglenook "
                                    "again: it keeps that file and begins a new one.");

constexpr std::array kRows{
    Row{sqlite::kFull, true, ErrorCode::IoError,
        QT_TRANSLATE_NOOP("StoreError", "Chats cannot be saved: there is no disk space left in %1. "
                                        "Free some; until then they are kept while Inglenook is "
                                        "open.")},
    Row{sqlite::kPermission, true, ErrorCode::IoError, kNotWritable},
    Row{sqlite::kReadOnly, true, ErrorCode::IoError, kNotWritable},
    Row{sqlite::kCannotOpen, true, ErrorCode::IoError, kNotWritable},
    Row{sqlite::kIsFolder, true, ErrorCode::IoError,
        QT_TRANSLATE_NOOP("StoreError", "Chats cannot be saved: in %1 there is a folder called "
                                        "conversations.db where their file belongs. Move it away; "
                                        "until then they are kept while Inglenook is open.")},
    Row{sqlite::kBusy, true, ErrorCode::IoError, kInUse},
    Row{sqlite::kLocked, true, ErrorCode::IoError, kInUse},
    Row{sqlite::kIoError, true, ErrorCode::IoError,
        QT_TRANSLATE_NOOP("StoreError", "Chats cannot be saved: the disk reports an error in %1. "
                                        "Check the disk; until then they are kept while Inglenook "
                                        "is open.")},
    Row{sqlite::kNoMemory, true, ErrorCode::OutOfMemory,
        QT_TRANSLATE_NOOP("StoreError", "There is not enough memory to save chats. Close other "
                                        "programs; until then they are kept while Inglenook is "
                                        "open.")},
    Row{sqlite::kCorrupt, false, ErrorCode::FileCorrupt, kDamaged},
    Row{sqlite::kNotADatabase, false, ErrorCode::FileCorrupt, kDamaged},
    Row{sqlite::kNewerSchema, false, ErrorCode::UnsupportedVersion,
        QT_TRANSLATE_NOOP("StoreError", "The chats in %1 were saved by a newer Inglenook. Start "
                                        "that one; what is written now is not saved.")},
    Row{sqlite::kNoDriver, false, ErrorCode::InvalidArgument,
        QT_TRANSLATE_NOOP("StoreError", "Chats cannot be saved: Qt's SQLite driver is missing. "
                                        "Install it (on Debian: libqt6sql6-sqlite), then start "
                                        "Inglenook again.")},
};

constexpr Row kOther{0, false, ErrorCode::InvalidArgument,
                     QT_TRANSLATE_NOOP("StoreError", "A chat in %1 could not be saved. The details "
                                                     "say why. Copy what matters to you before you "
                                                     "close Inglenook.")};

const Row& rowOf(int sqliteCode)
{
    const auto* row = std::ranges::find(kRows, sqliteCode, &Row::sqliteCode);
    return row == kRows.end() ? kOther : *row;
}

} // namespace

bool mayPass(const SqliteError& error)
{
    return rowOf(error.code).mayPass;
}

bool isDamage(const SqliteError& error)
{
    return error.code == sqlite::kCorrupt || error.code == sqlite::kNotADatabase;
}

UserError storeError(const SqliteError& error, const QString& folder)
{
    const Row& row = rowOf(error.code);
    UserError result;
    result.code = row.code;
    result.sentence = QCoreApplication::translate("StoreError", row.sentence)
                          .arg(QDir::toNativeSeparators(folder));
    result.details = error.message;
    return result;
}

} // namespace app
