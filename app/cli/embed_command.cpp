#include "app/cli/command.h"
#include "app/cli/model_argument.h"
#include "app/cli/npy.h"
#include "engine/base/thread_pool.h"
#include "engine/engine.h"
#include "engine/model/embedding.h"

#include <map>
#include <memory>

namespace cli {

namespace {

const std::map<std::string, engine::PoolingType> kPoolings{
    {"model", engine::PoolingType::None}, {"mean", engine::PoolingType::Mean},
    {"cls", engine::PoolingType::Cls},    {"last", engine::PoolingType::Last},
    {"rank", engine::PoolingType::Rank},
};

CLI::IsMember poolingNames()
{
    std::vector<std::string> names;
    names.reserve(kPoolings.size());
    for (const auto& [name, type] : kPoolings)
        names.push_back(name);
    return CLI::IsMember(names);
}

struct EmbedOptions {
    std::string model;
    std::vector<int> tokens;
    std::string text;
    engine::ForwardPassOptions pass;
    std::string pooling = "model";
    bool normalize = false;
    std::vector<std::string> adapters;
    std::string out;

    void addTo(CLI::App& program)
    {
        addModel(program, model);
        auto* input = program.add_option_group("input");
        addTokens(*input, tokens);
        input->add_option("--text", text, "a text, with the special tokens the model wants");
        input->require_option(1);
        program.add_option("--pooling", pooling, "model: as the file says, or the mean")
            ->check(poolingNames())
            ->capture_default_str();
        program.add_flag("--normalize", normalize, "to length 1");
        program.add_option("--threads", pass.threads, "0: as many as decode fastest")
            ->check(threadCount());
        addAdapters(program, adapters);
        program.add_flag("--reference", pass.reference, "the slow forward pass in f32");
        program.add_option("--out", out, "float32 [1, embedding]; JSON on stdout without it")
            ->check(someText("a file"));
    }
};

engine::Result<std::vector<int>> tokensOf(const EmbedOptions& options)
{
    if (!options.tokens.empty()) return options.tokens;
    TRY_ASSIGN(const std::unique_ptr<const engine::Tokenizer> tokenizer,
               engine::openTokenizer(options.model));
    return tokenizer->encode(options.text, {.addSpecial = true, .parseSpecial = false});
}

engine::Result<std::shared_ptr<const engine::ModelFile>> open(const std::string& path)
{
    TRY_ASSIGN(engine::ModelFile file, engine::ModelFile::open(path));
    return std::make_shared<const engine::ModelFile>(std::move(file));
}

engine::Result<int> embed(const EmbedOptions& options)
{
    TRY_ASSIGN(const std::shared_ptr<const engine::ModelFile> file, open(options.model));
    TRY_ASSIGN(const std::vector<int> tokens, tokensOf(options));
    engine::ForwardPassOptions pass = options.pass;
    if (pass.threads == 0) pass.threads = engine::defaultThreadCount();
    for (const std::string& text : options.adapters) {
        const auto [path, strength] = parseAdapter(text);
        TRY_ASSIGN(const std::shared_ptr<const engine::ModelFile> adapter, open(path));
        pass.adapters.push_back({adapter, strength});
    }
    TRY_ASSIGN(const std::unique_ptr<engine::EmbeddingModel> model,
               engine::EmbeddingModel::create(file, pass));
    TRY_ASSIGN(const std::vector<float> embedding,
               model->embed(tokens, {kPoolings.at(options.pooling), options.normalize}));
    if (options.out.empty())
        print({{"embedding", embedding}, {"tokens", tokens}});
    else
        TRY(writeNpy(options.out, embedding, 1, embedding.size()));
    return kOk;
}

} // namespace

int runEmbed(Arguments arguments)
{
    CLI::App program("The embedding of a text: one vector for all of it.", "inglenook-cli embed");
    EmbedOptions options;
    options.addTo(program);
    if (const auto exit = parse(program, arguments)) return *exit;
    const auto outcome = embed(options);
    return outcome ? *outcome : failed(outcome.error());
}

} // namespace cli
