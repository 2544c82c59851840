#pragma once

#include "engine/huggingface/family.h"

#include <cstdint>
#include <optional>
#include <vector>

namespace engine {

/// Of a value of config.json that no reader of the family knows.
std::unexpected<Error> unsupported(std::string_view name, std::string_view what);
/// A number of each layer; nothing where the value is no list.
std::optional<std::vector<std::uint64_t>> wholeList(const JsonView& value);

// What families add to the common keys, for their rows of the table.
Result<void> describeLlama(const ModelConfig& config, KeyWriter& keys);
Result<void> describeSmolLm3(const ModelConfig& config, KeyWriter& keys);
Result<void> describeMistral(const ModelConfig& config, KeyWriter& keys);
Result<void> describeStarCoder2(const ModelConfig& config, KeyWriter& keys);
Result<void> describeQwen(const ModelConfig& config, KeyWriter& keys);
Result<void> describePartRotary(const ModelConfig& config, KeyWriter& keys);
Result<void> describeGemma2(const ModelConfig& config, KeyWriter& keys);
Result<void> describeGemma3(const ModelConfig& config, KeyWriter& keys);
Result<void> describePhi2(const ModelConfig& config, KeyWriter& keys);
Result<void> describePhi3(const ModelConfig& config, KeyWriter& keys);
Result<void> describeGpt2(const ModelConfig& config, KeyWriter& keys);
Result<void> describeGptNeox(const ModelConfig& config, KeyWriter& keys);
Result<void> describeFalcon(const ModelConfig& config, KeyWriter& keys);
Result<void> describeStableLm(const ModelConfig& config, KeyWriter& keys);
Result<void> describeOlmo(const ModelConfig& config, KeyWriter& keys);
Result<void> describeOlmoe(const ModelConfig& config, KeyWriter& keys);
Result<void> describeLayerWindows(const ModelConfig& config, KeyWriter& keys);
Result<void> describeGranite(const ModelConfig& config, KeyWriter& keys);
Result<void> describeGraniteMoe(const ModelConfig& config, KeyWriter& keys);
Result<void> describeCohere(const ModelConfig& config, KeyWriter& keys);
Result<void> describeCohere2(const ModelConfig& config, KeyWriter& keys);
Result<void> describeGlm4(const ModelConfig& config, KeyWriter& keys);
Result<void> describeErnieMoe(const ModelConfig& config, KeyWriter& keys);
Result<void> describeDeepSeek2(const ModelConfig& config, KeyWriter& keys);
Result<void> describeDeepSeek3(const ModelConfig& config, KeyWriter& keys);
Result<void> describeGptOss(const ModelConfig& config, KeyWriter& keys);
Result<void> describeMiniCpm(const ModelConfig& config, KeyWriter& keys);
Result<void> describeBert(const ModelConfig& config, KeyWriter& keys);
Result<void> describeNomicBert(const ModelConfig& config, KeyWriter& keys);
Result<void> describeLfm2(const ModelConfig& config, KeyWriter& keys);
Result<void> describeGptJ(const ModelConfig& config, KeyWriter& keys);
Result<void> describeBigCode(const ModelConfig& config, KeyWriter& keys);
Result<void> describeBloom(const ModelConfig& config, KeyWriter& keys);
Result<void> describeMpt(const ModelConfig& config, KeyWriter& keys);
Result<void> describeNemotron(const ModelConfig& config, KeyWriter& keys);
Result<void> describeOrion(const ModelConfig& config, KeyWriter& keys);
Result<void> describeHunyuan(const ModelConfig& config, KeyWriter& keys);
Result<void> describeHunyuanMoe(const ModelConfig& config, KeyWriter& keys);
Result<void> describeSharedExperts(const ModelConfig& config, KeyWriter& keys);
Result<void> describeDots1(const ModelConfig& config, KeyWriter& keys);
Result<void> describeGlm4Moe(const ModelConfig& config, KeyWriter& keys);
Result<void> describeRoberta(const ModelConfig& config, KeyWriter& keys);
Result<void> describeMamba(const ModelConfig& config, KeyWriter& keys);
Result<void> describeFalconMamba(const ModelConfig& config, KeyWriter& keys);
Result<void> describeMamba2(const ModelConfig& config, KeyWriter& keys);
Result<void> describeGraniteHybrid(const ModelConfig& config, KeyWriter& keys);
Result<void> describeJamba(const ModelConfig& config, KeyWriter& keys);
Result<void> describeFalconH1(const ModelConfig& config, KeyWriter& keys);
Result<void> describeNemotronH(const ModelConfig& config, KeyWriter& keys);
Result<void> describeQwen3Next(const ModelConfig& config, KeyWriter& keys);
Result<void> describeQwen35(const ModelConfig& config, KeyWriter& keys);
Result<void> describeLfm2Moe(const ModelConfig& config, KeyWriter& keys);
Result<void> describeMistral4(const ModelConfig& config, KeyWriter& keys);
Result<void> describeApertus(const ModelConfig& config, KeyWriter& keys);
Result<void> describeLlama4(const ModelConfig& config, KeyWriter& keys);
Result<void> describeGemma3n(const ModelConfig& config, KeyWriter& keys);
Result<void> describeGemma4(const ModelConfig& config, KeyWriter& keys);
Result<void> describeGemmaEmbedding(const ModelConfig& config, KeyWriter& keys);
Result<void> describeModernBert(const ModelConfig& config, KeyWriter& keys);
Result<void> describeJinaBertV2(const ModelConfig& config, KeyWriter& keys);
Result<void> describeAfmoe(const ModelConfig& config, KeyWriter& keys);
Result<void> describeExaoneMoe(const ModelConfig& config, KeyWriter& keys);
Result<void> describeLaguna(const ModelConfig& config, KeyWriter& keys);
Result<void> describeMellum(const ModelConfig& config, KeyWriter& keys);
Result<void> describeHunyuan3(const ModelConfig& config, KeyWriter& keys);
Result<void> describeMiniMaxM2(const ModelConfig& config, KeyWriter& keys);
Result<void> describeCohere2Moe(const ModelConfig& config, KeyWriter& keys);
Result<void> describeMiniCpm3(const ModelConfig& config, KeyWriter& keys);
Result<void> describeDeepSeek(const ModelConfig& config, KeyWriter& keys);
Result<void> describeBailingMoe(const ModelConfig& config, KeyWriter& keys);
Result<void> describeBailingMoe2(const ModelConfig& config, KeyWriter& keys);
Result<void> describeChatGlm(const ModelConfig& config, KeyWriter& keys);
Result<void> describeCodeShell(const ModelConfig& config, KeyWriter& keys);
Result<void> describeJais(const ModelConfig& config, KeyWriter& keys);
Result<void> describeMimo2(const ModelConfig& config, KeyWriter& keys);
Result<void> describeStep35(const ModelConfig& config, KeyWriter& keys);
Result<void> describeSmallThinker(const ModelConfig& config, KeyWriter& keys);
Result<void> describeNanbeige(const ModelConfig& config, KeyWriter& keys);

Result<void> describeBitNet(const ModelConfig& config, KeyWriter& keys);
Result<void> describeBertRanks(const ModelConfig& config, KeyWriter& keys);
Result<void> describeRobertaRanks(const ModelConfig& config, KeyWriter& keys);
Result<void> describeDistilBert(const ModelConfig& config, KeyWriter& keys);
Result<void> describeDistilBertRanks(const ModelConfig& config, KeyWriter& keys);
Result<void> describeModernBertRanks(const ModelConfig& config, KeyWriter& keys);
Result<void> describeNomicBertMoe(const ModelConfig& config, KeyWriter& keys);
Result<void> describeNeoBert(const ModelConfig& config, KeyWriter& keys);
Result<void> describeT5Encoder(const ModelConfig& config, KeyWriter& keys);
Result<void> describeLlamaEmbed(const ModelConfig& config, KeyWriter& keys);

Result<void> describeBamba(const ModelConfig& config, KeyWriter& keys);
Result<void> describeQwen1(const ModelConfig& config, KeyWriter& keys);
Result<void> describeOpenElm(const ModelConfig& config, KeyWriter& keys);
Result<void> describeDeci(const ModelConfig& config, KeyWriter& keys);
Result<void> describeDbrx(const ModelConfig& config, KeyWriter& keys);
Result<void> describeChameleon(const ModelConfig& config, KeyWriter& keys);
Result<void> describeRefact(const ModelConfig& config, KeyWriter& keys);
Result<void> describePlamo(const ModelConfig& config, KeyWriter& keys);
Result<void> describePlamo2(const ModelConfig& config, KeyWriter& keys);
Result<void> describePlamo3(const ModelConfig& config, KeyWriter& keys);
Result<void> describeRwkv7(const ModelConfig& config, KeyWriter& keys);
Result<void> describeKimiLinear(const ModelConfig& config, KeyWriter& keys);

} // namespace engine
