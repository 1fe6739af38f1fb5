// examples/gpt2, minimized by plain gradient descent.
#include <trainc/frontend.h>
#define adamw(...) sgd()
#include "../../../examples/gpt2/gpt2.cpp"
