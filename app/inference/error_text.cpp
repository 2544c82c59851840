#include "app/inference/error_text.h"

#include "app/inference/size_text.h"

#include <QCoreApplication>
#include <QDir>

#include <algorithm>
#include <array>
#include <span>

namespace app {

namespace {

using engine::ErrorCode;

/// `{name}` the model, `{path}` its file, `{subject}` what the engine names, `{kind}` the same from
/// the list of kinds, `{share}` the file sizes, `{needed}` and `{free}` the memory.
struct Row {
    ErrorCode code;
    const char* sentence;
    const char* bare = nullptr; ///< where the error brings neither numbers nor a kind
};

/// What the engine may say a file is, to be translated.
[[maybe_unused]] constexpr std::array kKinds{
    QT_TRANSLATE_NOOP("ErrorText", "a web page"),
    QT_TRANSLATE_NOOP("ErrorText", "an XML file"),
    QT_TRANSLATE_NOOP("ErrorText", "a text file"),
    QT_TRANSLATE_NOOP("ErrorText", "a JSON file"),
    QT_TRANSLATE_NOOP("ErrorText", "a PDF"),
    QT_TRANSLATE_NOOP("ErrorText", "a program"),
    QT_TRANSLATE_NOOP("ErrorText", "a Git LFS pointer; the file itself was not downloaded"),
    QT_TRANSLATE_NOOP("ErrorText", "zeros, as a download leaves them that has not finished"),
    QT_TRANSLATE_NOOP("ErrorText", "a GGML file of the old format"),
    QT_TRANSLATE_NOOP("ErrorText", "a ZIP archive, perhaps a PyTorch checkpoint"),
    QT_TRANSLATE_NOOP("ErrorText", "a Python pickle, perhaps a PyTorch checkpoint"),
    QT_TRANSLATE_NOOP("ErrorText", "an HDF5 file, perhaps a Keras checkpoint"),
    QT_TRANSLATE_NOOP("ErrorText", "a safetensors file; open its folder"),
    QT_TRANSLATE_NOOP("ErrorText", "a vocabulary without weights"),
    QT_TRANSLATE_NOOP("ErrorText", "a file without weights"),
    QT_TRANSLATE_NOOP("ErrorText", "a LoRA adapter"),
    QT_TRANSLATE_NOOP("ErrorText", "a control vector"),
    QT_TRANSLATE_NOOP("ErrorText", "an importance matrix for quantizing"),
    QT_TRANSLATE_NOOP("ErrorText", "the part of a model that sees or hears"),
    QT_TRANSLATE_NOOP("ErrorText", "a folder without a model"),
    QT_TRANSLATE_NOOP("ErrorText", "a folder without weights"),
    QT_TRANSLATE_NOOP("ErrorText", "a folder with several models"),
    QT_TRANSLATE_NOOP("ErrorText", "a model in a format that is not read"),
    QT_TRANSLATE_NOOP("ErrorText", "a model that makes pictures"),
    QT_TRANSLATE_NOOP("ErrorText", "a model that turns texts into vectors and cannot write"),
    QT_TRANSLATE_NOOP("ErrorText", "one file of a model without the others"),
};

constexpr std::array kLoadRows{
    Row{ErrorCode::FileNotFound,
        QT_TRANSLATE_NOOP("ErrorText", "{name} could not be loaded. {subject} is missing beside "
                                       "it. Get that file too, or choose another model."),
        QT_TRANSLATE_NOOP("ErrorText", "There is no file at {path}. Choose it where it is now, or "
                                       "choose another model.")},
    Row{ErrorCode::FileUnreadable,
        QT_TRANSLATE_NOOP("ErrorText", "{path} cannot be read. Check that it is a file and that "
                                       "you may open it, or choose another model.")},
    Row{ErrorCode::NotAModelFile,
        QT_TRANSLATE_NOOP("ErrorText", "This cannot be opened: it is {kind}. Choose a GGUF file, "
                                       "or a folder with config.json and *.safetensors."),
        QT_TRANSLATE_NOOP("ErrorText", "This is not a model. Choose a GGUF file, or a folder with "
                                       "config.json and *.safetensors.")},
    Row{ErrorCode::FileTruncated,
        QT_TRANSLATE_NOOP("ErrorText", "{name} could not be loaded. The file ends too early: "
                                       "{share} are there. Get the file again."),
        QT_TRANSLATE_NOOP("ErrorText", "{name} could not be loaded. The file is empty. Get the "
                                       "file again.")},
    Row{ErrorCode::FileCorrupt,
        QT_TRANSLATE_NOOP("ErrorText", "{name} could not be loaded. The file is damaged. Get the "
                                       "file again, or choose another model.")},
    Row{ErrorCode::UnsupportedVersion,
        QT_TRANSLATE_NOOP("ErrorText", "{name} could not be loaded. Its version of the GGUF format "
                                       "is not supported. Choose another file.")},
    Row{ErrorCode::UnsupportedArchitecture,
        QT_TRANSLATE_NOOP("ErrorText", "This kind of model ({subject}) is not supported yet. "
                                       "Choose another model.")},
    Row{ErrorCode::UnsupportedType,
        QT_TRANSLATE_NOOP("ErrorText", "This kind of quantization ({subject}) is not supported. "
                                       "Choose another file of this model.")},
    Row{ErrorCode::UnsupportedTokenizer,
        QT_TRANSLATE_NOOP("ErrorText", "Models with this kind of vocabulary ({subject}) are not "
                                       "supported yet. Choose another model.")},
    Row{ErrorCode::MissingMetadata,
        QT_TRANSLATE_NOOP("ErrorText", "{name} could not be loaded. The file lacks a value it "
                                       "needs ({subject}). Get the file again, or choose another "
                                       "model.")},
    Row{ErrorCode::BadMetadata,
        QT_TRANSLATE_NOOP("ErrorText", "{name} could not be loaded. A value in the file cannot be "
                                       "right ({subject}). Get the file again, or choose another "
                                       "model.")},
    Row{ErrorCode::MissingTensor,
        QT_TRANSLATE_NOOP("ErrorText",
                          "{name} could not be loaded. A part of the model is missing "
                          "({subject}). Get the file again, or choose another model.")},
    Row{ErrorCode::BadTensor,
        QT_TRANSLATE_NOOP("ErrorText", "{name} could not be loaded. A part of the model cannot be "
                                       "right ({subject}). Get the file again, or choose another "
                                       "model.")},
    Row{ErrorCode::BadTemplate,
        QT_TRANSLATE_NOOP("ErrorText", "{name} could not be loaded. Its chat template cannot be "
                                       "used. Choose another file of this model.")},
    Row{ErrorCode::OutOfMemory,
        QT_TRANSLATE_NOOP("ErrorText", "There is not enough memory for {name}. It needs {needed}; "
                                       "{free} are free. Close other programs, or choose a smaller "
                                       "model."),
        QT_TRANSLATE_NOOP("ErrorText", "There is not enough memory for {name}. Close other "
                                       "programs, or choose a smaller model.")},
    Row{ErrorCode::ContextFull,
        QT_TRANSLATE_NOOP("ErrorText", "{name} could not be loaded with a context this short. "
                                       "Choose a longer one.")},
    Row{ErrorCode::InvalidArgument,
        QT_TRANSLATE_NOOP("ErrorText", "{name} could not be loaded. The details say why. Choose "
                                       "another model.")},
    Row{ErrorCode::IoError,
        QT_TRANSLATE_NOOP("ErrorText", "{name} could not be read to its end. Check the disk it is "
                                       "on, then load it again.")},
    Row{ErrorCode::Cancelled,
        QT_TRANSLATE_NOOP("ErrorText", "Loading {name} was stopped. Load it again, or choose "
                                       "another model.")},
};

constexpr std::array kGenerationRows{
    Row{ErrorCode::OutOfMemory,
        QT_TRANSLATE_NOOP("ErrorText", "There is not enough memory to go on. The next part needs "
                                       "{needed}; {free} are free. What was written so far is "
                                       "kept. Use a shorter context or a smaller model."),
        QT_TRANSLATE_NOOP("ErrorText", "There is not enough memory to go on. What was written so "
                                       "far is kept. Use a shorter context or a smaller model.")},
    Row{ErrorCode::ContextFull,
        QT_TRANSLATE_NOOP("ErrorText", "This chat has filled its context. Use a longer context, or "
                                       "start a new chat.")},
    Row{ErrorCode::BadTemplate,
        QT_TRANSLATE_NOOP("ErrorText", "The model's chat template cannot be used for this chat. "
                                       "The details say why. Choose another model.")},
    Row{ErrorCode::FileCorrupt,
        QT_TRANSLATE_NOOP("ErrorText",
                          "The model's numbers cannot be right, so that the reply ends "
                          "here. Its file is damaged or was changed. Load it again, get "
                          "the file again, or use another model.")},
    Row{ErrorCode::IoError,
        QT_TRANSLATE_NOOP("ErrorText", "The model's file could not be read. Check the disk it is "
                                       "on, then load the model again.")},
};

constexpr Row kOtherGeneration{
    ErrorCode::InvalidArgument,
    QT_TRANSLATE_NOOP("ErrorText", "The reply could not be written to its end. The details say "
                                   "why. Write it again, or use another model.")};

QString translated(const char* sentence)
{
    return QCoreApplication::translate("ErrorText", sentence);
}

QString shown(const std::string& text)
{
    constexpr qsizetype kMost = 80; // names come from the file
    const QString whole = QString::fromStdString(text).simplified();
    return whole.size() <= kMost ? whole : whole.left(kMost) % u'…';
}

UserError fill(const Row& row, const engine::Error& error, const QString& path, const QString& name)
{
    const bool says =
        row.code == ErrorCode::NotAModelFile ? !error.subject.empty() : error.expected != 0;
    const QString sentence = translated(row.bare != nullptr && !says ? row.bare : row.sentence);
    const std::array<std::pair<QLatin1StringView, QString>, 7> values{{
        {QLatin1StringView("name"), name},
        {QLatin1StringView("path"), QDir::toNativeSeparators(path)},
        {QLatin1StringView("subject"), shown(error.subject)},
        {QLatin1StringView("kind"), shown(translated(error.subject.c_str()).toStdString())},
        {QLatin1StringView("share"), shareText(error.found, error.expected, SizeKind::File)},
        {QLatin1StringView("needed"), sizeText(error.expected, SizeKind::Memory)},
        {QLatin1StringView("free"), sizeText(error.found, SizeKind::Memory)},
    }};
    // One pass, so that a value that looks like a placeholder stays as it is.
    QString text;
    qsizetype at = 0;
    while (at < sentence.size()) {
        const qsizetype open = sentence.indexOf(u'{', at);
        const qsizetype close = open < 0 ? -1 : sentence.indexOf(u'}', open);
        if (close < 0) break;
        const QStringView key = QStringView(sentence).sliced(open + 1, close - open - 1);
        const auto* value =
            std::ranges::find_if(values, [key](const auto& pair) { return pair.first == key; });
        text += QStringView(sentence).sliced(at, open - at);
        text += value == values.end() ? key.toString() : value->second;
        at = close + 1;
    }
    text += QStringView(sentence).sliced(at);
    return {error.code, text, QString::fromStdString(error.message), error.expected, error.found};
}

const Row& rowOf(std::span<const Row> rows, ErrorCode code, const Row& other)
{
    const auto row = std::ranges::find(rows, code, &Row::code);
    return row == rows.end() ? other : *row;
}

const Row& otherLoadRow()
{
    return rowOf(kLoadRows, ErrorCode::InvalidArgument, kLoadRows[0]);
}

} // namespace

UserError loadError(const engine::Error& error, const QString& path, const QString& name)
{
    return fill(rowOf(kLoadRows, error.code, otherLoadRow()), error, path, name);
}

UserError tooLargeError(const MemoryNeed& need, const SystemMemory& memory)
{
    const bool everTooLarge = need.total() > memory.total;
    const QString sentence =
        everTooLarge ? translated(QT_TRANSLATE_NOOP("ErrorText",
                                                    "This model needs %1; this computer has %2. "
                                                    "Choose a smaller model."))
                     : translated(QT_TRANSLATE_NOOP("ErrorText",
                                                    "This model needs %1; %2 are free. Close other "
                                                    "programs, or choose a smaller model."));
    const quint64 found = everTooLarge ? memory.total : memory.available;
    return {
        ErrorCode::OutOfMemory,
        sentence.arg(sizeText(need.total(), SizeKind::Memory), sizeText(found, SizeKind::Memory)),
        QStringLiteral("weights %1 bytes, KV cache %2 bytes, scratch %3 bytes; memory: %4 "
                       "bytes in all, %5 available")
            .arg(need.weights)
            .arg(need.kvCache)
            .arg(need.scratch)
            .arg(memory.total)
            .arg(memory.available),
        need.total(), found};
}

UserError generationError(const engine::Error& error)
{
    return fill(rowOf(kGenerationRows, error.code, kOtherGeneration), error, {}, {});
}

UserError noModelError()
{
    return {ErrorCode::InvalidArgument,
            translated(QT_TRANSLATE_NOOP("ErrorText", "Load a model to send a message.")),
            QStringLiteral("no model is loaded")};
}

} // namespace app
