#include <trainc/frontend.h>
TRAINC_MODEL(broken) { throw 1; }
