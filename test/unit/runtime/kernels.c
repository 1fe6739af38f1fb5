// kernels.c - the kernels of the hand-written bundle: a bigram model [V, V] trained with plain SGD. Sizes as in
// TestBundle.h. Each has the kernel ABI of docs/Bundle.md; scalars that accumulate have one work item.
#include <stdint.h>

enum { kVocabulary = 256, kTokens = 8 * 2 };

#define KERNEL(name) void name(void *const *arguments, int64_t begin, int64_t end)

// (seed) -> (table): small values that depend on the seed.
KERNEL(init_table) {
  const int64_t *seed = arguments[0];
  float *table = arguments[1];
  for (int64_t i = begin; i < end; ++i) {
    uint32_t hash = ((uint32_t)i + 1) * 2654435761u ^ (uint32_t)(*seed * 40503);
    table[i] = (float)(hash >> 8 & 0xffff) / 65536.0f * 0.02f - 0.01f;
  }
}

// (count in place): every token counts.
KERNEL(count_tokens) {
  for (int64_t i = begin; i < end; ++i)
    *(float *)arguments[0] += kTokens;
}

// (count) -> (dloss [tokens])
KERNEL(seed_loss) {
  for (int64_t i = begin; i < end; ++i)
    ((float *)arguments[1])[i] = 1.0f / *(const float *)arguments[0];
}

// (loss [tokens], sum in place)
KERNEL(add_loss) {
  for (int64_t item = begin; item < end; ++item)
    for (int i = 0; i < kTokens; ++i)
      *(float *)arguments[1] += ((const float *)arguments[0])[i];
}

// (table in place, gradient in place): SGD; leaves the gradient at zero for the next step.
KERNEL(sgd) {
  float *table = arguments[0], *gradient = arguments[1];
  for (int64_t i = begin; i < end; ++i) {
    table[i] -= 4.0f * gradient[i];
    gradient[i] = 0.0f;
  }
}

// (step in place, cursor in place, sum in place, count in place) -> (loss, gradient norm, learning rate)
KERNEL(finish_step) {
  for (int64_t i = begin; i < end; ++i) {
    float *sum = arguments[2], *count = arguments[3];
    *(float *)arguments[4] = *sum / *count;
    *(float *)arguments[5] = 0.5f;
    *(float *)arguments[6] = 4.0f;
    *sum = *count = 0.0f;
    *(int64_t *)arguments[0] += 1;
    *(int64_t *)arguments[1] += 4;
  }
}

// (loss [tokens]) -> (sum, count)
KERNEL(sum_loss) {
  for (int64_t item = begin; item < end; ++item) {
    float sum = 0.0f;
    for (int i = 0; i < kTokens; ++i)
      sum += ((const float *)arguments[0])[i];
    *(float *)arguments[1] = sum;
    *(float *)arguments[2] = kTokens;
  }
}
