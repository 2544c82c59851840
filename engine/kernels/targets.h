#pragma once

// Included before Highway's headers by every kernel: the instruction sets worth generating. Left
// out are those that would gain our kernels nothing over the one below them (SSSE3; NEON with AES;
// SVE2 of no certain width; the bfloat16 products of Zen 4 and Sapphire Rapids, which round as no
// other target does).
#define HWY_DISABLED_TARGETS (HWY_SSSE3 | HWY_AVX3_ZEN4 | HWY_AVX3_SPR | HWY_NEON | HWY_SVE2)

// Highway leaves AVX-512 with VNNI out unless it is asked for. One of its instructions does what
// three do without.
#define HWY_WANT_AVX3_DL
