#pragma once

#include "engine/huggingface/tensor_writer.h"

namespace engine {

// The ways a family's tensors become GGUF's, for the rows of its table of names. A row that makes
// several tensors names them all, parted by "|".

/// Of a tensor that is not as its rule expects.
std::unexpected<Error> badTensor(const TensorSource& source, std::string_view what);

/// The output matrix, left out where it is the embedding.
Result<void> deriveHead(const TensorSource& source, TensorWriter& writer);

/// Query and key projections: Hugging Face has the two halves of a rotated head one after another,
/// some GGUF families have their elements in pairs.
Result<void> deriveQuery(const TensorSource& source, TensorWriter& writer);
Result<void> deriveKey(const TensorSource& source, TensorWriter& writer);

/// Queries, keys and values below each other, all heads of a kind together.
Result<void> deriveSplitQkv(const TensorSource& source, TensorWriter& writer);
/// Queries, keys and values of each group of heads together: kept as one, in three parts.
Result<void> deriveGroupedQkv(const TensorSource& source, TensorWriter& writer);
/// The same where each head has a key and value of its own; with one for all they lie below the
/// queries.
Result<void> deriveBigCodeQkv(const TensorSource& source, TensorWriter& writer);
/// Queries, keys and values of each group of heads together, made three tensors.
Result<void> deriveSplitGroupedQkv(const TensorSource& source, TensorWriter& writer);
/// Keys and values of each head together, for the two halves of latent attention; the keys'
/// transposed.
Result<void> deriveLatentKv(const TensorSource& source, TensorWriter& writer);

/// The upper and the lower half of the rows, or of each expert's rows.
Result<void> deriveHalves(const TensorSource& source, TensorWriter& writer);
Result<void> deriveTransposed(const TensorSource& source, TensorWriter& writer);

/// One expert's, or one head's, of a stack.
Result<void> deriveExpert(const TensorSource& source, TensorWriter& writer);
Result<void> deriveQueryHead(const TensorSource& source, TensorWriter& writer);
Result<void> deriveKeyHead(const TensorSource& source, TensorWriter& writer);

/// A convolution's kernel without its middle dimension of 1.
Result<void> deriveConvolution(const TensorSource& source, TensorWriter& writer);
/// The decay of a state space model from its logarithm: -exp(x).
Result<void> deriveDecay(const TensorSource& source, TensorWriter& writer);

/// The norm after a state space, a row for each group of its channels.
Result<void> deriveSsmNorm(const TensorSource& source, TensorWriter& writer);

/// Qwen 3.5: the value heads of a gated delta net in GGUF's order, in rows (of each head, or one a
/// head), in the logarithms of their decays and in columns.
Result<void> deriveTiledValues(const TensorSource& source, TensorWriter& writer);
Result<void> deriveTiledHeads(const TensorSource& source, TensorWriter& writer);
Result<void> deriveTiledDecay(const TensorSource& source, TensorWriter& writer);
Result<void> deriveTiledColumns(const TensorSource& source, TensorWriter& writer);

/// Falcon H1: times the numbers that config.json has for the tensor.
Result<void> deriveFalconH1(const TensorSource& source, TensorWriter& writer);
/// Granite 4: a network that is all there is, or the shared experts.
Result<void> deriveSharedHalves(const TensorSource& source, TensorWriter& writer);
Result<void> deriveShared(const TensorSource& source, TensorWriter& writer);

/// Matrices of experts, transposed where the inputs are not in their rows: the two halves of what
/// experts read by, and what they give by.
Result<void> deriveExpertHalves(const TensorSource& source, TensorWriter& writer);
Result<void> deriveExpertDown(const TensorSource& source, TensorWriter& writer);
/// Matrices of experts not yet transposed, whose columns are two halves.
Result<void> deriveTransposedHalves(const TensorSource& source, TensorWriter& writer);
/// The norm of one of a layer's halves, which the second number says.
Result<void> deriveHalfNorm(const TensorSource& source, TensorWriter& writer);
/// Rows of all experts below each other, and those of matrices not yet transposed.
Result<void> deriveExpertRows(const TensorSource& source, TensorWriter& writer);
Result<void> deriveExpertRowsTransposed(const TensorSource& source, TensorWriter& writer);
/// A layer's entry in a key that is a list; the row's GGUF name is that key's, in full.
Result<void> deriveEntry(const TensorSource& source, TensorWriter& writer);
/// The output matrix, left out where it is the embedding; each column is brought to the length 1
/// where config.json says `norm_head`.
Result<void> deriveNormedHead(const TensorSource& source, TensorWriter& writer);
/// Rows of zeros after the last, up to the size of the vocabulary.
Result<void> deriveVocabularyRows(const TensorSource& source, TensorWriter& writer);
/// One for each residual stream but the first.
Result<void> deriveAltupProjection(const TensorSource& source, TensorWriter& writer);
/// Jais: the embedding and the output matrix times the numbers that config.json has for them.
Result<void> deriveJais(const TensorSource& source, TensorWriter& writer);

/// Rows of rotated heads, as many as there are in the tensor: layers differ in how many.
Result<void> deriveOwnHeads(const TensorSource& source, TensorWriter& writer);
/// A norm of each rotated head: (heads, length).
Result<void> deriveHeadNorm(const TensorSource& source, TensorWriter& writer);
/// The decay of each head, whatever dimensions of 1 are around it.
Result<void> deriveFlatDecay(const TensorSource& source, TensorWriter& writer);

/// The first PLaMo: query heads that read the same key lie as far apart as there are keys; in rows,
/// and in columns of the output matrix.
Result<void> derivePlamoQuery(const TensorSource& source, TensorWriter& writer);
Result<void> derivePlamoOutput(const TensorSource& source, TensorWriter& writer);
/// Plus 1, 1 / 5 and 1 / sqrt(125).
Result<void> derivePlusOne(const TensorSource& source, TensorWriter& writer);
Result<void> derivePlusFifth(const TensorSource& source, TensorWriter& writer);
Result<void> derivePlusElevenths(const TensorSource& source, TensorWriter& writer);

/// RWKV 7: how much of the token before is read, a vector for each of the letters r, w, k, v, a and
/// g that ends its name; all of them; and a vector with dimensions of 1 around it, or by heads.
Result<void> deriveLerp(const TensorSource& source, TensorWriter& writer);
Result<void> deriveVectors(const TensorSource& source, TensorWriter& writer);
Result<void> deriveVector(const TensorSource& source, TensorWriter& writer);

/// RoBERTa's positions without the rows before the first that a text has.
Result<void> derivePositions(const TensorSource& source, TensorWriter& writer);

/// gpt-oss: rows (or columns of matrices not yet transposed) that take turns, and MXFP4 blocks,
/// whose codes and scales are tensors of their own.
Result<void> deriveAlternating(const TensorSource& source, TensorWriter& writer);
Result<void> deriveTransposedAlternating(const TensorSource& source, TensorWriter& writer);
Result<void> deriveMxfp4(const TensorSource& source, TensorWriter& writer);
Result<void> deriveAlternatingMxfp4(const TensorSource& source, TensorWriter& writer);

} // namespace engine
