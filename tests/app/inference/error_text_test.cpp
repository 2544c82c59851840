// What a user does by mistake, as the engine finds it and as the window says it.

#include "tests/support/engine/gguf_builder.h"
#include "tests/support/engine/temp_folder.h"

#include "app/inference/engine_factory.h"
#include "app/inference/error_text.h"

#include <QTest>

using app::UserError;

namespace {

QString sentenceFor(const std::filesystem::path& path)
{
    const auto model = app::EngineFactory::standard().open(path, {});
    return model ? QStringLiteral("it opens")
                 : app::loadError(model.error(), QString::fromStdString(path.string()),
                                  QStringLiteral("tiny"))
                       .sentence;
}

} // namespace

class ErrorTextTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void saysWhatAFileIs_data()
    {
        QTest::addColumn<QByteArray>("bytes");
        QTest::addColumn<QString>("sentence");
        const QString cannot =
            QStringLiteral("This cannot be opened: it is %1. Choose a GGUF file, "
                           "or a folder with config.json and *.safetensors.");
        QTest::newRow("empty") << QByteArray()
                               << QStringLiteral("tiny could not be loaded. The file is empty. Get "
                                                 "the file again.");
        QTest::newRow("web page") << QByteArray("\n<!DOCTYPE html><title>Sign in</title>")
                                  << cannot.arg(QStringLiteral("a web page"));
        QTest::newRow("noise") << QByteArray("\1\2\3\4\5\6\7")
                               << QStringLiteral(
                                      "This is not a model. Choose a GGUF file, or a folder with "
                                      "config.json and *.safetensors.");
        test::GgufBuilder vocabulary;
        vocabulary.set("general.architecture", engine::MetadataValue(std::string("llama")));
        test::addVocabulary(vocabulary, test::Vocabulary::SentencePiece, 384, 1);
        QTest::newRow("vocabulary") << QByteArray::fromStdString(vocabulary.bytes())
                                    << cannot.arg(QStringLiteral("a vocabulary without weights"));
        test::GgufBuilder unknown = test::buildTinyLlama({.layers = 1});
        unknown.set("general.architecture", engine::MetadataValue(std::string("foo9")));
        QTest::newRow("unknown architecture")
            << QByteArray::fromStdString(unknown.bytes())
            << QStringLiteral(
                   "This kind of model (foo9) is not supported yet. Choose another model.");
        QTest::newRow("a model") << QByteArray::fromStdString(test::buildTinyLlama().bytes())
                                 << QStringLiteral("it opens");
    }

    void saysWhatAFileIs()
    {
        QFETCH(const QByteArray, bytes);
        const test::TempFolder folder;
        QTEST(sentenceFor(folder.write("tiny.gguf", bytes.toStdString())), "sentence");
    }

    void saysWhatAFolderLacks()
    {
        const test::TempFolder folder;
        QCOMPARE(sentenceFor(folder.path()),
                 QStringLiteral("This cannot be opened: it is a folder without a model. Choose a "
                                "GGUF file, or a folder with config.json and *.safetensors."));
        QCOMPARE(sentenceFor("/nowhere/tiny.gguf"),
                 QStringLiteral("There is no file at /nowhere/tiny.gguf. Choose it where it is "
                                "now, or choose another model."));
    }

    void saysWhyAReplyEnded()
    {
        const auto damaged = engine::fail(engine::ErrorCode::FileCorrupt, "not finite");
        QCOMPARE(app::generationError(damaged.error()).sentence,
                 QStringLiteral("The model's numbers cannot be right, so that the reply ends "
                                "here. Its file is damaged or was changed. Load it again, get "
                                "the file again, or use another model."));
        const engine::Error part{.code = engine::ErrorCode::FileNotFound,
                                 .message = "",
                                 .subject = "m-00002-of-00003.gguf",
                                 .expected = 3,
                                 .found = 0};
        QCOMPARE(
            app::loadError(part, QStringLiteral("/m/m-00001-of-00003.gguf"), QStringLiteral("m"))
                .sentence,
            QStringLiteral("m could not be loaded. m-00002-of-00003.gguf is missing beside it. "
                           "Get that file too, or choose another model."));
    }
};

QTEST_GUILESS_MAIN(ErrorTextTest)
#include "error_text_test.moc"
